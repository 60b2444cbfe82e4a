"""The annealer: energies, distributions, and what a user may ask of it."""

import re
import threading
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from chances import chance
from kernels import compiled_and_plain, optimising_model
from qubopuzzle import InputError, ModelBuilder, Nonogram, solve
from qubopuzzle.annealing import (
    AnnealingParameters,
    State,
    anneal,
    anneal_best,
    annealing_form,
    kernels,
)
from qubopuzzle.annealing.kernels import (
    BROKEN,
    ENERGY,
    LEAST,
    ModelArrays,
    StateArrays,
    add_terms,
    backward,
    exponentiate,
    find_slot_costs,
    find_value_costs,
    forward,
)
from qubopuzzle.annealing.portfolio import luby
from qubopuzzle.jit import kernel, pointers, version_of
from qubopuzzle.jit.packing import addresses
from qubopuzzle.model import propagator, violation
from qubopuzzle.model.propagator import WORK, DomainArrays
from strategies import assignments, models

VERSION = version_of(kernels) ^ version_of(propagator)
"""Kernels of tests are compiled anew when those that they call change."""
FIXED = AnnealingParameters(beta=0.7, increment=0.0, decay=0.98, focus=0.0)


def energy(model, weights, values):
    """Weighted energy from scratch: a precedence costs its weight for each missing step."""
    x = model.assignment(values)
    total = 0.0
    for block in model.linear:
        for row, (lower, upper) in enumerate(zip(block.lower, block.upper, strict=True)):
            value = int((block.matrix[[row]] @ x)[0])
            miss = max(lower - value, value - upper, 0)
            cost = miss**2 if lower == upper else miss * (miss + 1) / 2
            total += weights.get(block.family, 1) * cost
    for block in model.precedence:
        for first, second, gap in zip(block.first, block.second, block.gap, strict=True):
            total += weights.get(block.family, 1) * max(0, values[first] + gap - values[second])
    return total


@kernel
def find_costs(model, state, choice, _version=VERSION):
    a, s = pointers(ModelArrays, model), pointers(StateArrays, state)
    add_terms(a, s, choice, -1)
    find_slot_costs(a, s, None, a.unit_of_choice[choice])
    find_value_costs(a, s, None, choice, 0)
    add_terms(a, s, choice, 1)


@kernel
def draw_by_logarithms(model, state, domains, unit, beta, rng, _version=VERSION):
    a, s = pointers(ModelArrays, model), pointers(StateArrays, state)
    d = pointers(DomainArrays, domains)
    find_slot_costs(a, s, None, unit)
    forward(a, s, None, d, unit, beta, False, True)
    backward(a, s, unit, True, rng)


@kernel
def exponentials(state, stop, _version=VERSION):
    exponentiate(pointers(StateArrays, state), stop)


def test_weights_are_exponentials_as_exactly_as_they_say():
    b = ModelBuilder()
    b.choice("one of many", range(5000))
    state = State(annealing_form(b.build()), np.random.default_rng(0))
    mass = state.arrays.mass
    for low, error in [(-50, 1e-12), (-150, 1e-8), (-699.9, 0.003)]:
        x = np.linspace(low, 0, 4990)
        mass[2:4992] = x
        exponentials(addresses(state.arrays), 4992)
        np.testing.assert_allclose(mass[2:4992], np.exp(x), rtol=error)
    mass[2:34] = -1e300, *[-701] * 31
    exponentials(addresses(state.arrays), 34)
    assert not mass[2:34].any()
    mass[2:5] = -1e300, -1, 0
    exponentials(addresses(state.arrays), 5)
    np.testing.assert_allclose(mass[2:5], [0, np.exp(-1), 1])


@settings(max_examples=30)
@given(model=models(max_values=4))
def test_costs_of_a_choice_are_differences_of_energies(model):
    weights = {"red": 2.0, "order": 3.0}
    form = annealing_form(model, weights, chains=False)
    rng = np.random.default_rng(0)
    state = State(form, rng)
    value = np.array([rng.integers(len(c.values)) for c in model.choices])
    state.set_values(value)
    for c, choice in enumerate(model.choices):
        find_costs(addresses(form.arrays), addresses(state.arrays), c)
        out = state.arrays.mass[: len(choice.values)].copy()
        expected = []
        for v in range(len(choice.values)):
            other = value.copy()
            other[c] = v
            expected.append(
                energy(
                    model, weights, [m.values[i] for m, i in zip(model.choices, other, strict=True)]
                )
            )
        assert out - out[0] == pytest.approx(np.array(expected) - expected[0])


@settings(max_examples=30)
@given(model=models(), chains=...)
def test_sums_and_energies_stay_true_while_it_runs(model, chains: bool):
    form = annealing_form(model, chains=chains)
    state = State(form, np.random.default_rng(1))
    state.run(300, AnnealingParameters(2.0), target=-1)
    assert state.domains.alive.tolist() == form.propagator.domains.alive.tolist()
    assert state.domains.size.tolist() == form.propagator.domains.size.tolist()
    x = form.literals(state.value)
    sums = [block.matrix @ x for block in model.linear]
    assert state.arrays.total.tolist() == np.concatenate([np.zeros(0), *sums]).tolist()
    missed = np.concatenate([np.zeros(0), *(block.cost(x) for block in model.linear)])
    assert state.arrays.missed.tolist() == missed.tolist()
    broken = state.arrays.broken[: state.arrays.counts[BROKEN]]
    assert sorted(broken.tolist()) == np.flatnonzero(missed).tolist()
    assert state.energy == violation(model, form.literals(state.best)) == form.energy(state.best)
    assert form.energy(state.value) == violation(model, x)
    assert (state.arrays.row_weight >= form.row_weight).all()


@pytest.mark.parametrize("seed", range(6))
def test_valid_states_descend_and_the_run_goes_on_from_where_it_was(seed):
    """The best state is valid, and no single choice nor exchange of two makes it better."""
    model = optimising_model(seed)
    form = annealing_form(model)
    state = State(form, np.random.default_rng(seed))
    state.run(300, AnnealingParameters(6.0, focus=0.5, raised=1.1, lowered=0.999), target=-1)
    x = form.literals(state.value)
    assert state.arrays.total.tolist() == (form.propagator.rows @ x).tolist()
    pairs = model.objective.couplings + model.objective.couplings.T
    assert state.arrays.field == pytest.approx(pairs @ x)
    best, least = form.literals(state.best), state.arrays.worth[LEAST]
    assert state.energy == violation(model, best) == 0
    assert form.objective(best) == pytest.approx(least + form.offset)

    def worth(value):
        literals = form.literals(value)
        return form.objective(literals) if violation(model, literals) == 0 else np.inf

    for one in range(len(model.choices)):
        for index in range(model.sizes[one]):
            other = state.best.copy()
            other[one] = index
            assert worth(other) >= worth(state.best) - 1e-6
        other = state.best.copy()
        other[[one, one - 1]] = other[[one - 1, one]]
        assert worth(other) >= worth(state.best) - 1e-6


def chain_model():
    """Three runs on nine cells, as in a nonogram, with targets for some cells."""
    b = ModelBuilder()
    lengths, cells = (2, 1, 2), 9
    runs = [b.choice(f"run[{k}]", range(cells - h + 1)) for k, h in enumerate(lengths)]
    b.precedence("order", runs[:-1], runs[1:], [3, 2])
    rows, literals = [], []
    for run, h in zip(runs, lengths, strict=True):
        for v in range(cells - h + 1):
            rows += range(v, v + h)
            literals += [run[v]] * h
    target = np.array([1, 0, 1, 1, 0, 0, 1, 0, 1])
    b.linear("field", rows, literals, lower=target, upper=target, shape=(cells,))
    return b.build()


def loose_model():
    b = ModelBuilder()
    one, two = b.choice("one", range(3)), b.choice("two", range(0, 6, 2))
    b.bit("bit")
    b.precedence("order", [one], [two], [2])
    b.linear("sum", [0, 0, 0], [1, 4, 7], [1, 2, 1], lower=1, upper=2, shape=(1,))
    return b.build()


@pytest.mark.parametrize(
    ("model", "chains", "n_chains"),
    [(chain_model(), True, 1), (chain_model(), False, 0), (loose_model(), False, 0)],
    ids=["chain", "no chain", "loose"],
)
def test_samples_follow_the_boltzmann_distribution(model, chains, n_chains):
    """At fixed weights and temperature, chi-square over all states at the 0.1 percent level."""
    form = annealing_form(model, chains=chains)
    assert form.n_chains == n_chains
    states = [
        values
        for values in product(*(choice.values for choice in model.choices))
        if not chains or energy(model, {"field": 0}, values) == 0
    ]
    mass = np.exp([-FIXED.beta * energy(model, {}, values) for values in states])
    state = State(form, np.random.default_rng(5))
    seen, n, thin = Counter(), 20_000, 4 if chains else 25
    for _ in range(n):
        state.run(thin, FIXED, target=-1)
        seen[state.value.tobytes()] += 1
    counts = {}
    for value, times in seen.items():
        numbers = np.frombuffer(value, state.value.dtype).tolist()
        counts[tuple(c.values[i] for c, i in zip(model.choices, numbers, strict=True))] = times
    assert set(counts) <= set(states)
    expected = n * mass / mass.sum()
    likely = expected > 5
    observed = np.array([counts.get(s, 0) for s in states])
    observed = np.append(observed[likely], n - observed[likely].sum())
    expected = np.append(expected[likely], n - expected[likely].sum())
    kept = expected > 0
    assert chance(observed[kept], expected[kept]) > 0.001


def test_chains_that_meet_in_a_row_are_left_alone():
    b = ModelBuilder()
    first, second = b.choice("a", range(4)), b.choice("b", range(4))
    b.precedence("order", [first], [second], [1])
    b.linear("both", [0, 0], [first[0], second[3]], upper=1, shape=(1,))
    assert annealing_form(b.build()).n_chains == 0
    c = ModelBuilder()
    first, second = c.choice("a", range(4)), c.choice("b", range(4))
    c.precedence("order", [first], [second], [1])
    c.linear("never both", [0, 0], [first[3], second[0]], upper=1, shape=(1,))
    assert annealing_form(c.build()).n_chains == 1


@settings(max_examples=20)
@given(model=models())
def test_every_small_model_that_has_a_solution_is_solved(model):
    if not any(violation(model, x) == 0 for x in assignments(model)):
        return
    form = annealing_form(model)
    best = anneal(form, seed=1, sweeps=200, reads=60).reads[0]
    assert best.energy == violation(model, form.literals(best.value)) == 0


def test_sweeps_propagate_as_often_as_asked():
    puzzle = Nonogram.from_picture(np.random.default_rng(1).integers(0, 2, (15, 15)))
    work = {}
    for share, focus in [(3, 0.9), (0.5, 0.9), (0, 0.9), (3, 0)]:
        state = State(annealing_form(puzzle.model()), np.random.default_rng(0))
        state.run(1000, AnnealingParameters(3.0, focus=focus, propagation=share), target=-1)
        work[share, focus] = state.domains.counts[WORK]
    assert work[3, 0.9] > 1.5 * work[0.5, 0.9] > 0
    assert work[0, 0.9] == work[3, 0] == 0


def test_a_broken_start_is_mended():
    model = chain_model()
    state = State(annealing_form(model), np.random.default_rng(0))
    state.set_values(np.array([7, 3, 0]))
    assert [int(v) for v in state.value] == [0, 3, 5]


def test_a_chain_that_cannot_be_kept_is_no_chain():
    b = ModelBuilder()
    first, second = b.choice("a", range(2)), b.choice("b", range(2))
    b.precedence("order", [first], [second], [5])
    form = annealing_form(b.build())
    assert form.n_chains == 0
    state = State(form, np.random.default_rng(0))
    state.run(5, AnnealingParameters(3.0))
    assert state.energy == 1


def test_weights_stay_bounded():
    b = ModelBuilder()
    a = b.choice("a", range(2))
    b.linear("never", [0, 0], a.literals, lower=5, upper=5, shape=(1,))
    state = State(annealing_form(b.build()), np.random.default_rng(0))
    state.run(100_000, AnnealingParameters(1.0, increment=0.3, decay=0.98))
    assert 1 < state.arrays.row_weight[0] <= 1 + 0.3 / 0.02


def test_a_start_is_where_it_starts():
    puzzle = Nonogram.examples()[1]
    model = puzzle.model()
    form = annealing_form(model)
    values = model.field.write(puzzle.solution)
    start = np.array([c.values.index(v) for c, v in zip(model.choices, values, strict=True)])
    first = anneal(
        form, seed=1, initial_states=start, portfolio=[AnnealingParameters(50.0)], sweeps=1
    ).reads[0]
    assert (first.number, first.energy) == (0, 0)


def test_pictures_that_single_flips_find_hard():
    noise = Nonogram.from_picture(np.random.default_rng(1).integers(0, 2, (20, 20)))
    for seed in range(3):
        result = solve(noise, "annealer", seed=seed, presolve="none")
        assert result.valid
        assert result.encoding is None
        assert result.to_dict()["couplings"] is None


def test_options_fix_the_portfolio():
    puzzle = Nonogram.examples()[1]
    options = {"beta": 4.5, "increment": 0.1, "decay": 0.9, "focus": 0.5, "sweeps": 50, "chains": 0}
    assert solve(puzzle, "annealer", seed=1, options=options, presolve="none").valid
    with pytest.raises(InputError, match="takes no encoding"):
        solve(puzzle, "annealer", encoding="one-hot")
    with pytest.raises(InputError, match=r"option decay: expected a number from 0 to 0\.9999"):
        solve(puzzle, "annealer", options={"decay": 1})


def test_plain_python_draws_the_same():
    """Without numba's compiler the same seed gives the same states."""
    code = (
        "import warnings\n"
        "import numpy as np\n"
        "from qubopuzzle import Nonogram\n"
        "from qubopuzzle.annealing import annealing_form, anneal\n"
        "warnings.simplefilter('error', RuntimeWarning)\n"
        "puzzle = Nonogram.from_picture(np.random.default_rng(1).integers(0, 2, (8, 8)))\n"
        "for chains in (True, False):\n"
        "    form = annealing_form(puzzle.model(), chains=chains)\n"
        "    read = anneal(form, seed=7, sweeps=230, reads=1, target_energy=-1).reads[0]\n"
        "    print(read.value.tolist(), read.energy, read.sweeps)\n"
    )
    compiled, plain = compiled_and_plain(code)
    assert compiled == plain


def test_ctrl_c_inside_a_restart_keeps_its_best_state():
    noise = Nonogram.from_picture(np.random.default_rng(1).integers(0, 2, (30, 30)))

    def interrupt(_):
        raise KeyboardInterrupt

    options = {"sweeps": 10**6, "beta": 0.1}
    result = solve(noise, "annealer", seed=1, presolve="none", options=options, progress=interrupt)
    assert result.interrupted
    assert result.reads == 1
    assert result.grid is not None


def test_threads_change_nothing():
    noise = Nonogram.from_picture(np.random.default_rng(1).integers(0, 2, (20, 20)))
    arguments = {"reads": 40, "presolve": "none"}
    runs = [
        solve(noise, seed=seed, options={"sweeps": 3, "threads": threads}, **arguments)
        for seed in (1, 2)
        for threads in (1, 2, 5)
    ]
    for same in (runs[:3], runs[3:]):
        assert same[0].reads > 1
        assert len({(r.energy, r.reads, r.grid.tobytes()) for r in same}) == 1


def test_every_read_is_made_if_that_is_asked_for():
    puzzle, arguments = Nonogram.examples()[0], {"seed": 1, "reads": 5, "presolve": "none"}
    assert solve(puzzle, **arguments).reads == 1
    found = solve(puzzle, options={"every_read": 1}, **arguments)
    assert found.valid
    assert found.reads == found.samples.record.num_occurrences.sum() == 5


def test_it_stops_when_told():
    b = ModelBuilder()
    a = b.choice("a", range(2))
    b.linear("never", [0, 0], a.literals, lower=5, upper=5, shape=(1,))
    form = annealing_form(b.build())
    asked = []

    def enough():
        asked.append(1)
        return len(asked) > 2

    for stopped in (
        anneal(form, seed=1, interrupt_function=enough, threads=2),
        anneal(form, seed=1, time_limit=0.1),
        anneal(form, seed=1, reads=2, sweeps=3),
        anneal(form, seed=1, target_energy=16),
        anneal(form, seed=1, accepts=lambda x: x.sum() == 1, sweeps=3),
    ):
        assert stopped.reads[0].energy == 16
        assert not stopped.interrupted
    assert stopped.n_reads == 1


@pytest.mark.parametrize("size", [10**3, 10**7, 10**14])
def test_energies_of_rows_that_are_missed_by_much_fit_and_are_those_of_the_model(size):
    rng, b = np.random.default_rng(size), ModelBuilder()
    numbers = np.concatenate([b.choice(f"c{i}", range(3)).literals for i in range(20)])
    terms = rng.integers(-size, size, (30, 60))
    low = (terms * rng.integers(0, 2, 60)).sum(axis=1)
    b.rows("row").add(np.tile(numbers, (30, 1)), terms, lower=low, upper=low + rng.integers(0, 2))
    form = annealing_form(b.build())
    state = State(form, rng)
    assert state.energy == form.energy(state.value) > 0
    for _ in range(20):
        state.run(200, AnnealingParameters(1))
        assert state.arrays.counts[ENERGY] == form.energy(state.value)
        assert state.energy == form.energy(state.best) >= 0


def test_reads_are_kept_by_energy(monkeypatch):
    monkeypatch.setattr("qubopuzzle.base.reads.MOST_KEPT", 100)
    noise = Nonogram.from_picture(np.random.default_rng(1).integers(0, 2, (20, 20)))
    form = annealing_form(noise.model())
    settings = [AnnealingParameters(beta) for beta in np.linspace(1, 2, 120)]
    found = anneal(form, seed=1, reads=120, sweeps=1, portfolio=settings, target_energy=-1)
    energies = [read.energy for read in found.reads]
    assert energies == sorted(energies)
    assert (len(energies), found.n_reads) == (100, 120)
    assert all(form.energy(read.value) == read.energy for read in found.reads)


def test_the_read_that_ends_the_search_is_kept_whatever_its_energy(monkeypatch):
    monkeypatch.setattr("qubopuzzle.base.reads.MOST_KEPT", 100)
    b = ModelBuilder()
    a = b.choice("a", range(2))
    b.linear("never", [0, 0], a.literals, lower=5, upper=5, shape=(1,))
    asked = []

    def accepts(_):
        asked.append(1)
        return len(asked) == 105  # all energies are equal, and earlier reads go first

    found = anneal(b.build(), seed=1, sweeps=1, accepts=accepts)
    assert (len(found.reads), found.n_reads) == (100, 105)
    assert found.reads[-1].number == 104


def test_reads_beyond_the_last_take_the_place_of_none(monkeypatch):
    """Read 1 ends the search when 2 to 5, which are better than 0, are finished."""
    b = ModelBuilder()
    a = b.choice("a", range(6))
    b.linear("low", [0] * 6, a.literals, coefficients=[5, 4, 3, 2, 1, 0], upper=0, shape=(1,))
    monkeypatch.setattr("qubopuzzle.base.reads.MOST_KEPT", 2)
    later, four_more = [], threading.Event()

    def accepts(x):
        if x[1]:
            return four_more.wait(60)
        if not x[0]:
            later.append(x)
            if len(later) == 4:
                four_more.set()
        return False

    arguments = {"target_energy": 10**6, "only_accepted": True, "accepts": accepts}
    states = [[0], [1], [2], [3], [4], [5]]
    found = anneal(b.build(), seed=1, initial_states=states, threads=2, reads=1000, **arguments)
    assert [read.number for read in found.reads] == [1, 0]
    assert found.n_reads == 2


@pytest.mark.parametrize(
    ("forms", "reads", "given", "swept"),
    [
        (1, 2, None, [1000, 1000]),
        (2, 3, None, [1000, 1600]),
        (4, 7, None, [1000, 1000, 3200]),
        (1, 2, 30, [30, 30]),
        (2, 3, 30, [30, 30]),
    ],
)
def test_reads_of_one_of_several_forms_are_longer_once_it_is_chosen(forms, reads, given, swept):
    b = ModelBuilder()
    one, two, *_ = (b.bit(f"bit{i}") for i in range(200))
    b.linear("sum", [0, 0], [one, two], lower=1, upper=1, shape=(1,))
    b.linear("difference", [0, 0], [one, two], [1, -1], lower=0, upper=0, shape=(1,))
    _, found = anneal_best(
        [lambda: annealing_form(b.build())] * forms, seed=1, reads=reads, sweeps=given
    )
    made = [read.sweeps for read in sorted(found.reads, key=lambda r: r.number)]
    assert made == pytest.approx(swept, abs=1)  # they end with a whole pass


def test_restarts_have_the_lengths_of_luby():
    lengths = [luby(i) for i in range(1, 16)]
    assert lengths == [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]


def test_the_rows_of_a_picture_are_the_first_half():
    for shape in ((6, 6), (4, 9), (9, 4)):
        puzzle = Nonogram.from_picture(np.random.default_rng(1).integers(0, 2, shape))
        form = annealing_form(puzzle.model())
        assert form.arrays.half == sum(1 for clue in puzzle.rows if clue)


def test_an_error_in_a_thread_is_raised():
    form = annealing_form(chain_model())

    def accepts(_):
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        anneal(form, seed=1, accepts=accepts, target_energy=-1, sweeps=5, threads=2)


def test_a_model_without_a_form_and_a_seed_of_its_own():
    first = anneal(chain_model(), reads=3, target_energy=-1, sweeps=5)
    again = anneal(chain_model(), reads=3, target_energy=-1, sweeps=5, seed=first.seed)
    assert [r.value.tolist() for r in first.reads] == [r.value.tolist() for r in again.reads]


def test_focus_only_leaves_out_what_is_not_disturbed():
    """With focus 1 and everything satisfied but one row, only its units move."""
    b = ModelBuilder()
    bits = [b.choice(f"c{i}", range(3)) for i in range(6)]
    b.linear("never", [0, 0], [bits[0][v] for v in (0, 1)], lower=2, shape=(1,))
    b.linear("free", [0] * 3, [c[0] for c in bits[1:4]], upper=3, shape=(1,))
    state = State(annealing_form(b.build()), np.random.default_rng(0))
    state.randomize()
    before = state.value.copy()
    moved = np.zeros(6, dtype=bool)
    for _ in range(50):
        state.run(1, AnnealingParameters(1.0, focus=1.0))
        moved |= state.value != before
    assert moved.tolist() == [True, False, False, False, False, False]


def test_chains_far_from_what_their_choices_would_like():
    """Each choice's best places exclude each other: sums underflow, logarithms do not."""
    n = 200
    b = ModelBuilder()
    one, two = b.choice("one", range(n)), b.choice("two", range(n))
    b.precedence("order", [one], [two], [1])
    b.exactly_one("want", [[one[n - 2]], [two[2]]])
    form = annealing_form(b.build(), {"want": 150})
    assert form.n_chains == 1
    assert anneal(form, seed=0, reads=10, target_energy=1).reads[0].energy == 1


def test_logarithms_draw_from_the_same_distribution():
    model = chain_model()
    form = annealing_form(model)
    state = State(form, np.random.default_rng(3))
    unit, counts = 0, Counter()
    states = product(*(c.values for c in model.choices))
    states = [v for v in states if energy(model, {"field": 0}, v) == 0]
    mass = np.exp([-0.7 * energy(model, {}, v) for v in states])
    state.arrays.total[:] = 0  # the chain taken out
    packed = [addresses(arrays) for arrays in (form.arrays, state.arrays, state.domains)]
    for _ in range(5000):
        draw_by_logarithms(*packed, unit, 0.7, state.rng)
        counts[tuple(state.value.tolist())] += 1
    expected = 5000 * mass / mass.sum()
    observed = np.array([counts[s] for s in states])
    assert observed.sum() == 5000
    likely = expected > 5
    observed = np.append(observed[likely], observed[~likely].sum())
    expected = np.append(expected[likely], expected[~likely].sum())
    assert chance(observed[expected > 0], expected[expected > 0]) > 0.001


def test_a_chain_has_no_other_precedence_within():
    b = ModelBuilder()
    one, two, three = (b.choice(name, range(4)) for name in ("one", "two", "three"))
    b.precedence("order", [one, two], [two, three], [0, 0])
    b.precedence("span", [two], [one], [-1])
    assert annealing_form(b.build()).n_chains == 0


def test_a_choice_before_itself_is_never_kept():
    b = ModelBuilder()
    b.choice("one", range(4))
    b.precedence("order", [0], [0], [1])
    found = anneal(b.build(), seed=1, reads=1, sweeps=3)
    assert found.reads[0].energy == 1


@pytest.mark.parametrize(
    "states", [[3, 0, 0], [-1, 0, 0], [0.5, 0, 0], [0], [[0, 0, 0, 0]], [[[0, 0, 0]]]]
)
def test_initial_states_must_exist(states):
    with pytest.raises(InputError, match="initial_states"):
        anneal(loose_model(), initial_states=states)


@pytest.mark.parametrize("wrong", [{"reads": 0}, {"sweeps": 0}, {"threads": 0}])
def test_numbers_must_be_positive(wrong):
    with pytest.raises(InputError, match="expected a whole number of at least 1, got 0"):
        anneal(loose_model(), **wrong)


def test_a_start_counts():
    puzzle = Nonogram.examples()[1]
    model = puzzle.model()
    values = model.field.write(puzzle.solution)
    start = np.array([c.values.index(v) for c, v in zip(model.choices, values, strict=True)])
    hot = anneal(
        model, seed=1, reads=1, sweeps=1, initial_states=start, portfolio=[AnnealingParameters(0.1)]
    )
    assert (hot.reads[0].energy, hot.reads[0].sweeps) == (0, 0)


def test_a_single_unit_starts_anywhere():
    b = ModelBuilder()
    b.choice("one", range(50))
    form = annealing_form(b.build())
    starts = set()
    for seed in range(20):
        state = State(form, np.random.default_rng(seed))
        state.randomize()
        starts.add(int(state.value[0]))
    assert len(starts) > 5


def test_the_page_runs(capsys):
    page = (Path(__file__).parents[2] / "docs/annealer.md").read_text()
    exec(re.search(r"```python\n(.*?)```", page, re.S)[1], {})  # noqa: S102
    assert capsys.readouterr().out == "0 [0 2 4]\n"


@settings(max_examples=30)
@given(model=models())
def test_slots_and_steps_say_what_every_value_does(model):
    """From the arrays alone, the terms of each literal again."""
    a = annealing_form(model).arrays
    rows = [block.matrix.toarray() for block in model.linear]
    expected = np.concatenate([np.zeros((0, model.n_literals), dtype=int), *rows])
    for choice in range(len(model.choices)):
        start = a.slot_start[a.unit_of_choice[choice]]
        taken = Counter()
        for literal in range(a.first[choice], a.first[choice + 1]):
            if not a.cumulative[choice]:
                taken.clear()
            for e in range(a.step_start[literal], a.step_start[literal + 1]):
                taken[int(a.step_slot[e])] += int(a.step_sign[e])
            column = np.zeros(len(expected), dtype=int)
            for slot, times in taken.items():
                assert times in (0, 1)
                column[a.slot_row[start + slot]] += times * a.slot_amount[start + slot]
            assert column.tolist() == expected[:, literal].tolist()


def test_fields_and_the_best_objective_stay_true_while_it_runs():
    form = annealing_form(optimising_model())
    assert form.extras.n_scaled == 3
    assert form.extras.exchanging
    state = State(form, np.random.default_rng(1))
    state.randomize()
    for _ in range(20):
        state.run(3, AnnealingParameters(2), target=-1)
        x = form.literals(state.value)
        both = form.model.objective.couplings + form.model.objective.couplings.T
        np.testing.assert_allclose(state.arrays.field, both @ x)
        assert (state.arrays.total == form.propagator.rows @ x).all()
    best = form.literals(state.best)
    assert violation(form.model, best) == state.energy == 0
    assert state.arrays.worth[LEAST] == form.objective(best) - form.offset


@pytest.mark.parametrize("seed", range(8))
def test_the_least_objective_is_found(seed):
    model = optimising_model(seed)
    valid = [x for x in assignments(model) if violation(model, x) == 0]
    found = anneal(model, seed=1, reads=2, sweeps=100).reads[0]
    assert found.energy == 0
    assert found.objective == min(map(model.objective.value, valid))


def test_plain_python_minimises_the_same():
    code = (
        "from kernels import optimising_model\n"
        "from qubopuzzle.annealing import anneal\n"
        "found = anneal(optimising_model(), seed=3, reads=2, sweeps=20)\n"
        "print([(r.value.tolist(), r.objective, r.sweeps) for r in found.reads])"
    )
    compiled, plain = compiled_and_plain(code)
    assert compiled == plain


def test_the_best_of_several_forms_is_annealed():
    hard, easy = loose_model(), chain_model()
    number, found = anneal_best(
        [lambda: annealing_form(hard), lambda: annealing_form(easy)], seed=1, reads=4, sweeps=5
    )
    assert found.solved
    assert found.form.model is (hard, easy)[number]
    assert found.n_reads <= 4
