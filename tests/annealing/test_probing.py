"""Probing in turns with annealing: what it takes out of reads that run, and what it proves."""

import threading
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chances import chance
from qubopuzzle import AnnealingSampler, InputError, ModelBuilder, Settings, load, solve, to_cqm
from qubopuzzle.annealing import AnnealingParameters, State, anneal, annealing_form, search
from qubopuzzle.annealing.probing import Probing
from qubopuzzle.model import probe, propagate, violation
from qubopuzzle.model.propagation import TURN
from qubopuzzle.puzzles import get_puzzle
from strategies import assignments, models

HEYAWAKE = get_puzzle("heyawake").examples()[-1]


def parities(n=3):
    """An odd cycle of bits of which neighbours differ: no propagation sees that there is none."""
    b = ModelBuilder()
    bits = [b.bit(f"bit {i}") for i in range(n)]
    for one, two in zip(bits, [*bits[1:], bits[0]], strict=True):
        b.add("differ", one + two == 1)
    return b


@pytest.fixture
def at_once(monkeypatch):
    """Much is probed after every sweep or two, even of a small model."""
    monkeypatch.setattr(search, "_UPDATES_PER_SLICE", 1)
    monkeypatch.setattr(search, "_PROBED_PER_UPDATE", 10**6)


def test_what_is_removed_depends_on_the_work_alone():
    propagator = annealing_form(propagate(HEYAWAKE.model()).model).propagator
    works = [0, 1, 400_000, 1_200_000, 2_000_000, 10**9]
    in_order = [Probing(propagator).after(work)[0].tolist() for work in works]
    assert in_order[0] == [] != in_order[-1]
    shared, found = Probing(propagator), {}
    threads = [
        threading.Thread(target=lambda w=w: found.update({w: shared.after(w)[0].tolist()}))
        for w in [*works[::-1], *works]
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[work] for work in works] == in_order
    assert shared.after(10**9)[1]
    whole = probe(propagator.model)
    assert shared.result().kept.tolist() == whole.kept.tolist()
    assert shared.result().fixed.tolist() == whole.fixed.tolist()
    assert propagator.domains.alive.sum() > shared.propagator.domains.alive.sum()


@settings(max_examples=60)
@given(model=models(), chains=..., seed=st.integers(0, 9))
def test_a_run_goes_on_without_the_values_that_went(model, chains: bool, seed):
    presolved = propagate(model)
    if presolved.contradiction is not None or not presolved.model.choices:
        return
    model = presolved.model
    form = annealing_form(model, chains=chains)
    state, probing = State(form, np.random.default_rng(seed)), Probing(form.propagator)
    hot = AnnealingParameters(0.3, increment=0.0, focus=0.0)
    state.run(5, hot, target=-1)
    state.narrow(probing.after(10**9)[0])
    if probing.broken is not None:
        assert all(violation(model, x) for x in assignments(model))
        return
    for parameters in (hot, AnnealingParameters(2.0)):
        for _ in range(20):
            state.run(3, parameters, target=-1)
            x = form.literals(state.value)
            assert probing.propagator.alive[x == 1].all()
            sums = [block.matrix @ x for block in model.linear]
            assert state.arrays.total.tolist() == np.concatenate([np.zeros(0), *sums]).tolist()
    assert state.energy == violation(model, form.literals(state.best))
    assert state.domains.alive.tolist() == probing.propagator.domains.alive.tolist()
    assert state.domains.size.tolist() == probing.propagator.domains.size.tolist()


@settings(max_examples=60)
@given(model=models(graphs=False))
def test_it_says_that_there_is_no_solution_only_where_there_is_none(model):
    solvable = any(violation(model, x) == 0 for x in assignments(model))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "_UPDATES_PER_SLICE", 1)
        patch.setattr(search, "_PROBED_PER_UPDATE", 10**6)
        result = solve(model, presolve="interleave", seed=1, reads=30, options={"sweeps": 30})
    assert result.status == "optimal" if solvable else result.status in ("infeasible", "unknown")
    assert not result.valid or violation(model, result.best.assignment) == 0


@pytest.mark.parametrize("seed", range(3))
def test_objectives_keep_their_best_value(seed, at_once):
    rng = np.random.default_rng(seed)
    b = ModelBuilder()
    bits = [b.bit(f"bit {i}") for i in range(9)]
    for _ in range(6):
        some = rng.choice(9, 3, replace=False)
        b.add(
            "some", sum(int(rng.integers(1, 4)) * bits[i] for i in some) >= int(rng.integers(1, 4))
        )
    b.add("equal", bits[0] + bits[1] == 1)
    b.add("equal", bits[1] + bits[2] == 1)
    b.objective([bit.literals[1] for bit in bits], rng.integers(-9, 10, 9))
    model = b.build()
    least = min(model.objective.value(x) for x in assignments(model) if violation(model, x) == 0)
    assert solve(model, seed=1, reads=20).objective == least


def test_a_narrowed_run_follows_the_boltzmann_distribution():
    """Over the states of the values that are left; chi-square at the 0.1 percent level."""
    b = ModelBuilder()
    one, two, three = (b.choice(name, range(4)) for name in "abc")
    b.linear(
        "sum",
        [0] * 4,
        [one[1], one[3], two[2], three[0]],
        [1, 2, 1, 1],
        lower=1,
        upper=2,
        shape=(1,),
    )
    form = annealing_form(b.build())
    removed = np.array([1, 4 + 3, 8, 9, 10])  # of one, two, and three
    state = State(form, np.random.default_rng(4))
    state.narrow(removed)
    assert state.value.tolist()[2] == 3
    beta, n = 0.7, 20_000
    fixed = AnnealingParameters(beta, increment=0.0, focus=0.0)
    states = [(v, w, 3) for v in (0, 2, 3) for w in (0, 1, 2)]
    mass = np.exp([-beta * form.energy(np.array(values)) for values in states])
    seen = Counter()
    for _ in range(n):
        state.run(4, fixed, target=-1)
        seen[tuple(state.value.tolist())] += 1
    assert set(seen) <= set(states)
    observed = np.array([seen[values] for values in states])
    assert chance(observed, n * mass / mass.sum()) > 0.001


def test_it_does_not_depend_on_threads(monkeypatch):
    monkeypatch.setattr(search, "_UPDATES_PER_SLICE", 20_000)
    model = propagate(HEYAWAKE.model()).model
    never = {"accepts": lambda _: False, "target_energy": -1, "seed": 3, "reads": 6, "sweeps": 60}
    one, four = (anneal(model, probing=True, threads=n, **never) for n in (1, 4))
    assert [r.value.tolist() for r in one.reads] == [r.value.tolist() for r in four.reads]
    plain = anneal(model, **never)
    assert [r.value.tolist() for r in one.reads] != [r.value.tolist() for r in plain.reads]
    assert plain.probing is None


def test_what_only_probing_proves_is_proved():
    model = parities().build()
    result = solve(model, seed=1)
    assert (result.status, result.complete) == ("infeasible", True)
    assert result.proved_by.startswith("probing: differ")
    assert result.presolve["method"] == "interleave"
    assert solve(model, seed=1, presolve="propagate", reads=3).status == "unknown"


def test_a_sampler_takes_what_has_no_solution():
    cqm = to_cqm(parities().build())
    samples = AnnealingSampler().sample_cqm(cqm, num_reads=3, seed=1)
    assert len(samples)
    assert not samples.record.is_feasible.any()


def test_its_numbers_are_those_at_the_end(at_once):
    (puzzle,) = load("https://puzz.link/p?kurodoko/9/9/h5g5q3i8t55g5h3j4j5l5k3i4r")
    result, first = solve(puzzle, seed=2), probe(puzzle.model("forest"), TURN)
    p = result.presolve
    assert p["method"] == "interleave"
    assert p["probes"] > first.probes > 0
    assert p["variables_after"] == 0 < first.model.n_literals
    assert "after probing (522 -> 0 variables, 81 of 81 cells decided)" in str(result)
    assert result.settings["portfolio"].startswith("for ")


@settings(max_examples=40)
@given(model=models(graphs=True))
def test_the_first_turn_keeps_exactly_the_solutions(model):
    begun = []
    first, whole = probe(model, TURN, lambda: begun.append(True)), probe(model)
    assert (first.contradiction is None) == (whole.contradiction is None)
    assert first.kept.tolist() == whole.kept.tolist()  # of so little nothing is left to probe
    assert bool(begun) == bool(first.probes)


def test_only_the_annealer_takes_turns():
    assert Settings().resolved()[1].presolve == "interleave"
    with pytest.raises(InputError, match="presolve interleave: solver sat cannot; use propagate"):
        Settings("sat", presolve="interleave")
    with pytest.raises(InputError, match="cannot"):
        solve(load("examples/sudoku.json")[0], "neal", presolve="interleave")


def test_reads_that_are_to_be_made_go_on_with_all_values_after_a_proof(at_once):
    """What was left out comes back: what breaks least is not among what probing left."""
    model = parities(5).build()
    annealed = anneal(
        model, seed=1, reads=7, probing=True, until_proof=False, accepts=lambda _: False
    )
    assert annealed.probing.broken is not None
    assert annealed.n_reads == 7
    assert {read.energy for read in annealed.reads} == {1}
    assert anneal(model, seed=1, reads=7, probing=True).n_reads == 1


@settings(max_examples=30)
@given(model=models())
def test_what_went_comes_back(model):
    presolved = propagate(model)
    if presolved.contradiction is not None or not presolved.model.choices:
        return
    form = annealing_form(presolved.model)
    state, fresh = (State(form, np.random.default_rng(0)) for _ in range(2))
    state.narrow(Probing(form.propagator).after(10**9)[0])
    state.widen()
    assert state.domains.alive.tolist() == fresh.domains.alive.tolist()
    assert state.domains.size.tolist() == fresh.domains.size.tolist()
    state.run(20, AnnealingParameters(1.0), target=-1)
    x = form.literals(state.value)
    sums = [block.matrix @ x for block in form.model.linear]
    assert state.arrays.total.tolist() == np.concatenate([np.zeros(0), *sums]).tolist()
