"""The linear relaxation, and the search that it guides."""

import itertools
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_array

from chances import chance
from qubopuzzle import ModelBuilder, Program, solve
from qubopuzzle.annealing import (
    AnnealingParameters,
    State,
    anneal,
    annealing_form,
    relax,
    relaxation,
    search,
)
from qubopuzzle.annealing.kernels import LEAST, SHARE
from qubopuzzle.errors import InputError
from qubopuzzle.model import propagate, violation
from qubopuzzle.model.data import Objective
from qubopuzzle.model.propagator import Propagator
from qubopuzzle.model.segments import all_rows
from strategies import assignments, models


def with_costs(model, costs, offset=0.0):
    """The model with the costs of its literals, which are repeated."""
    n = model.n_literals
    linear = np.resize(np.array(costs, dtype=np.float64), n)
    return replace(model, objective=Objective(linear, csr_array((n, n)), offset))


COSTS = st.lists(st.integers(-9, 9), min_size=3, max_size=12)
FRACTIONS = st.lists(st.floats(-9, 9, width=16), min_size=3, max_size=12)


@settings(max_examples=120)
@given(model=models(graphs=False), costs=st.one_of(COSTS, FRACTIONS))
def test_nothing_is_below_the_bound(model, costs):
    """Of the whole, and of all that has a literal; no bound is above what rounding allows."""
    model = with_costs(model, costs, offset=3.5)
    relaxed = relax(model)
    valid = [x for x in assignments(model) if violation(model, x) == 0]
    if relaxed is None or not valid:
        return
    worth = np.array([model.objective.value(x) for x in valid])
    least = min(worth)
    assert relaxed.bound <= least + 1e-9
    assert relaxed.least <= least + 1e-9
    kept = np.isfinite(relaxed.reduced)
    for x, objective in zip(valid, worth.tolist(), strict=True):
        assert (relaxed.bound + relaxed.reduced[kept & (x > 0)] <= objective + 1e-6).all()
    better = np.array([x for x, w in zip(valid, worth, strict=True) if w < max(worth) - 1e-3])
    needed = kept & (better > 0).any(axis=0) if len(better) else []
    assert not relaxed.useless(max(worth))[needed].any()
    assert not relaxed.is_optimal(max(worth)) or max(worth) <= least + 1e-5
    matrix, lower, upper = all_rows(model)
    meeting = [x for x in valid if ((matrix @ x)[lower == upper] == lower[lower == upper]).all()]
    shift = [model.objective.value(x) - relaxed.guide @ x for x in meeting]
    assert np.ptp(shift) < 1e-6


def test_choices_of_numbers_are_numbers():
    """Values that are in line, and others, give the same bound as values by themselves."""
    b = ModelBuilder()
    x, y, z = b.choice("x", range(5)), b.choice("y", range(4)), b.bit("z")
    literals = np.concatenate([x.literals, y.literals])
    b.linear("sum", [0] * 9, literals, [3, 5, 7, 9, 11, 0, 2, 2, 5], lower=12, shape=(1,))
    b.linear("both", [0] * 2, [x.literals[4], z.literals[1]], [1, 1], upper=1, shape=(1,))
    b.add("z", z >= 0)
    b.objective(literals, [1, 2, 3, 4, 5, 7.0, 8, 8, 9])
    b.objective([z.literals[1]], [-1.0])
    model = b.build()
    matrix, lower, upper = all_rows(model)
    one = np.repeat(np.eye(3), model.sizes, axis=1)
    whole = linprog(
        model.objective.linear,
        np.vstack([-matrix.toarray()[lower > 0], matrix.toarray()[upper < 9]]),
        np.append(-lower[lower > 0], upper[upper < 9]),
        one,
        np.ones(3),
    )
    assert relax(model).bound == pytest.approx(whole.fun)


def test_what_has_no_relaxation():
    b = ModelBuilder()
    x, y = b.bit("x"), b.bit("y")
    assert relax(b.build()) is None  # nothing is minimised
    b.objective([x.literals[1]], [1.0])
    assert relax(b.build()) is None  # no rows
    b.add("one", x + y >= 1)
    assert relax(b.build()).least == 0.0
    assert relax(b.build(), seconds=0.0) is None
    b.objective([x.literals[1]], [1.0], [y.literals[1]])
    assert relax(b.build()) is None  # products


def test_no_core_is_the_whole_and_each_is_within_the_next():
    reduced = np.array([0, 5, 0, 1, np.inf, 2, 3.0] * 20)
    relaxed = relaxation.Relaxation(0.0, reduced, np.zeros(140), 0, 0)
    cores = relaxed.cores(2)
    assert len(cores) > 1
    assert set(relaxed.dominated) == set(np.flatnonzero(reduced == np.inf))
    assert set(relaxed.dominated) < set(cores[-1])
    for small, large in itertools.pairwise(cores):
        assert set(large) < set(small)
    assert relaxed.reduced[cores[0]].min() >= 1
    assert len(cores[0]) == 140 - 40 - 5


@settings(max_examples=60)
@given(model=models(graphs=False), seed=st.integers(0, 9))
def test_what_goes_with_literals_is_what_propagation_removes(model, seed):
    propagator = Propagator(model)
    if propagator.run() is not None:
        return
    rng = np.random.default_rng(seed)
    out = np.flatnonzero(rng.random(model.n_literals) < 0.3)
    before = propagator.alive.copy()
    gone, broken = propagator.without(out)
    assert (propagator.alive == before).all()
    valid = [x for x in assignments(model) if violation(model, x) == 0 and not x[out].any()]
    assert not (valid and broken)
    inside = gone[gone < model.n_literals]
    assert not any(x[inside].any() for x in valid)
    assert set(out[before[out]]) <= set(gone)
    assert len(set(gone.tolist())) == len(gone)


@settings(max_examples=60, deadline=None)
@given(model=models(graphs=False), costs=COSTS, reads=st.integers(1, 40))
def test_what_is_optimal_is_and_what_is_valid_is(model, costs, reads):
    model = with_costs(model, costs)
    worth = [model.objective.value(x) for x in assignments(model) if violation(model, x) == 0]
    result = solve(model, seed=1, reads=reads, options={"sweeps": 20})
    assert result.bound is None or not worth or result.bound <= min(worth) + 1e-9
    if result.valid:
        assert violation(model, result.best.assignment) == 0
        assert result.objective in worth
    assert result.status != "optimal" or result.objective == min(worth)
    assert result.status != "infeasible" or not worth


def covering(seed=0, n=60, rows=25):
    """A set partition with a solution that is hidden in many columns."""
    rng = np.random.default_rng(seed)
    columns = np.zeros((rows, n), dtype=np.int64)
    for part in np.array_split(rng.permutation(rows), 8):
        columns[part, rng.integers(n)] = 1
    for column in columns.T:
        column[rng.choice(rows, 3, replace=False)] |= column.sum() == 0
    cost = columns.sum(axis=0) * 10 + rng.integers(0, 9, n)
    return Program.of(columns, 1, 1, cost=cost)


@pytest.mark.parametrize("seed", range(3))
def test_a_partition_is_solved_and_proved(seed):
    program = covering(seed)
    best, here = solve(program, solver="mip"), solve(program, seed=1, reads=60)
    assert here.status in ("optimal", "feasible")
    assert here.objective == best.objective
    assert here.bound <= best.objective
    plain = solve(program, seed=1, reads=60, options={"relaxation": 0})
    assert plain.bound in (None, best.objective)  # propagation alone may decide all
    assert plain.objective >= best.objective


def test_there_is_an_answer_before_the_relaxation(monkeypatch):
    """Also where that takes all its time; a first read of a few sweeps is enough."""
    seen = []

    def slow(model, seconds):
        seen.append(seconds)

    monkeypatch.setattr(search, "relax", slow)
    bits = ModelBuilder()
    x = [bits.bit(f"x{i}") for i in range(30)]
    for i in range(29):
        bits.add(f"edge {i}", x[i] + x[i + 1] >= 1)
    bits.objective([each.literals[1] for each in x], np.ones(30))
    model = bits.build()
    result = solve(model, seed=1, reads=1)
    assert result.valid
    assert not result.interrupted
    assert seen == [search._RELAXING_S]
    solve(model, seed=1, reads=1, options={"relaxation": 0})
    assert len(seen) == 1
    with pytest.raises(InputError, match="minimise"):
        annealing_form(ModelBuilder().build()).with_relaxation(relax(model))

    def interrupted(model, seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr(search, "relax", interrupted)
    result = solve(model, seed=1, reads=9)
    assert result.valid
    assert result.interrupted
    assert result.reads == 1


@pytest.mark.parametrize("reads", [1, 2, 3, 4])
def test_what_is_sought_cold_and_then_hot_counts_as_reads(reads):
    """Rows with large coefficients that no state meets, though propagation does not see it."""
    b = ModelBuilder()
    bits = [b.bit(f"x{i}").literals[1] for i in range(8)]
    even = [20, 22, 24, 26, 28, 30, 32, 34]
    for r, odd in enumerate((61, 83)):
        bounds = {"lower": odd, "upper": odd}
        b.linear(f"row {r}", [0] * 8, bits, even[r:] + even[:r], shape=(1,), **bounds)
    b.objective(bits, [1.0] * 8)
    found = anneal(b.build(), seed=1, reads=reads, relaxing=True)
    assert found.n_reads == reads
    assert sorted(read.number for read in found.reads) == list(range(reads))
    assert all(read.energy for read in found.reads)


def test_a_guided_search_does_not_depend_on_threads(monkeypatch):
    monkeypatch.setattr(search, "_UPDATES_PER_SLICE", 20_000)
    model = propagate(covering(4).model("choices")).model
    form = annealing_form(model).with_relaxation(relax(model))
    one, four = (anneal(form, seed=3, reads=11, sweeps=60, threads=n) for n in (1, 4))
    assert [r.value.tolist() for r in one.reads] == [r.value.tolist() for r in four.reads]
    assert one.n_reads == four.n_reads
    assert one.optimal == four.optimal


def test_all_reads_are_made_where_all_are_wanted():
    model = propagate(covering(1).model("choices")).model
    form = annealing_form(model).with_relaxation(relax(model))
    found = anneal(form, seed=1, reads=9, sweeps=50, only_accepted=True)
    assert found.n_reads == 9
    assert not found.optimal
    result = solve(covering(1), seed=1, reads=60, presolve="none", options={"every_read": 1})
    assert result.reads == 60
    assert result.status == "feasible"
    assert result.bound <= result.objective


def test_listed_values_follow_the_boltzmann_distribution():
    """With an objective, of values that are left; chi-square at the 0.1 percent level."""
    b = ModelBuilder()
    one, two, three = (b.choice(name, range(4)) for name in "abc")
    b.linear("sum", [0] * 3, [one[1], two[2], three[0]], [1, 1, 1], lower=1, upper=2, shape=(1,))
    b.linear("row", [0] * 3, [one[2], two[1], two[3]], [1, 1, 1], lower=1, upper=1, shape=(1,))
    costs = np.array([0, 2, 1, 0.5, 1, 0, 2, 1.5, 0, 1, 2, 3])
    b.objective(range(12), costs)
    model = b.build()
    form = annealing_form(model).with_relaxation(relax(model))
    state = State(form, np.random.default_rng(5))
    state.narrow(np.array([3, 4, 10, 11]))
    beta, n, share = 0.8, 20_000, state.arrays.worth[SHARE]
    fixed = AnnealingParameters(beta, increment=0.0, focus=0.0, raised=1.0, lowered=1.0)
    states = [(v, w, u) for v in (0, 1, 2) for w in (1, 2, 3) for u in (0, 1)]
    xs = [form.literals(np.array(values)) for values in states]
    energy = [
        form.energy(np.array(v)) + share * form.extras.guide @ x
        for v, x in zip(states, xs, strict=True)
    ]
    mass = np.exp(-beta * np.array(energy))
    seen = Counter()
    for _ in range(n):
        state.run(4, fixed, target=-1)
        seen[tuple(state.value.tolist())] += 1
    assert state.arrays.worth[SHARE] == share
    assert state.arrays.worth[LEAST] < np.inf
    assert set(seen) <= set(states)
    observed = np.array([seen[values] for values in states])
    assert chance(observed, n * mass / mass.sum()) > 0.001
