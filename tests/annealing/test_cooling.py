"""Falling temperatures, where an objective is all there is."""

from collections import Counter
from itertools import permutations, product

import numpy as np
import pytest
from scipy.stats import chisquare

from qubopuzzle import ModelBuilder, solve
from qubopuzzle.annealing import AnnealingParameters, State, anneal, annealing_form
from qubopuzzle.annealing.cooling import COLD, SMALL, TABU, Temperatures, Turns, temperatures
from qubopuzzle.annealing.kernels import LEAST
from qubopuzzle.errors import InputError


def coupled(seed, n=7, most=4, density=0.6, least=1):
    """Choices of so many values, whole costs, and couplings of some pairs of values."""
    rng = np.random.default_rng(seed)
    builder = ModelBuilder()
    sizes = rng.integers(least, most + 1, n)
    sizes[:2] = 2
    choices = [builder.choice(f"c{i}", range(k)) for i, k in enumerate(sizes)]
    literals = [literal for choice in choices for literal in choice.literals]
    builder.objective(literals, rng.integers(-5, 6, len(literals)), offset=3.0)
    builder.objective([choices[0].literals[1]], [4.0], [choices[1].literals[1]])
    for one, two in zip(*np.triu_indices(n, 1), strict=True):
        for first, second in product(choices[one].literals, choices[two].literals):
            if rng.random() < density:
                builder.objective([first], [float(rng.integers(-9, 10))], [second])
    return builder.build()


def worths(form):
    """What each state is worth, by its values."""
    states = product(*(range(k) for k in form.model.sizes.tolist()))
    return {state: form.objective(form.literals(np.array(state))) for state in states}


@pytest.mark.parametrize("most", [2, 4])
@pytest.mark.parametrize("seed", range(30))
def test_small_models_are_solved_and_sums_stay_true(seed, most):
    form = annealing_form(coupled(seed, most=most, least=2 if most == 2 else 1))
    assert (form.spins is not None) == (most == 2)
    found = anneal(form, seed=seed, reads=4, sweeps=50)
    assert found.portfolio == "couplings alone"
    assert found.reads[0].objective == pytest.approx(min(worths(form).values()))
    state = State(form, np.random.default_rng(seed))
    state.randomize()
    assert state.cool(0, 20, 30, (9.0, 0.1)) == 20
    x, best = form.literals(state.value), form.literals(state.best)
    pairs = form.model.objective.couplings + form.model.objective.couplings.T
    assert state.arrays.field == pytest.approx(pairs @ x)
    assert form.objective(best) == pytest.approx(state.arrays.worth[LEAST] + form.offset)
    assert form.objective(best) <= form.objective(x) + 1e-9


@pytest.mark.parametrize("most", [2, 3])
@pytest.mark.parametrize(("seed", "temperature"), [(1, 6.0), (2, 12.0), (3, 25.0)])
def test_states_at_one_temperature_are_of_the_boltzmann_distribution(seed, temperature, most):
    """Chi-square over all states at the 0.1 percent level."""
    form = annealing_form(coupled(seed, n=4, most=most, least=2 if most == 2 else 1))
    worth = worths(form)
    mass = np.exp(-np.array(list(worth.values())) / temperature)
    state, n, seen = State(form, np.random.default_rng(seed)), 20_000, Counter()
    for sweep in range(n):
        state.cool(10 * sweep, 10 * sweep + 10, 1 << 40, (temperature, temperature))
        seen[tuple(state.value.tolist())] += 1
    expected = n * mass / mass.sum()
    likely = expected > 5
    observed = np.array([seen[state] for state in worth])
    observed = np.append(observed[likely], observed[~likely].sum())
    expected = np.append(expected[likely], expected[~likely].sum())
    kept = expected > 0
    assert chisquare(observed[kept], expected[kept]).pvalue > 0.001


@pytest.mark.parametrize("most", [2, 4])
def test_sweeps_in_parts_are_those_in_one(most):
    form = annealing_form(coupled(5, n=12, most=most, least=2))
    whole, parts = (State(form, np.random.default_rng(5)) for _ in range(2))
    for state in (whole, parts):
        state.randomize()
    whole.cool(0, 40, 40, (9.0, 0.1))
    for begin in range(0, 40, 8):
        parts.cool(begin, begin + 8, 40, (9.0, 0.1))
    assert whole.value.tolist() == parts.value.tolist()
    assert whole.best.tolist() == parts.best.tolist()


@pytest.mark.parametrize("most", [2, 4])
def test_a_read_ends_where_no_choice_alone_is_better(most):
    form = annealing_form(coupled(6, n=12, most=most, least=2))
    state = State(form, np.random.default_rng(6))
    state.randomize()
    state.cool(0, 1, 1, (1e6, 1e6))
    reached = form.objective(form.literals(state.value))
    for choice, size in enumerate(form.model.sizes.tolist()):
        for value in range(size):
            other = state.value.copy()
            other[choice] = value
            assert form.objective(form.literals(other)) >= reached - 1e-9


@pytest.mark.parametrize("most", [2, 4])
def test_answers_depend_on_neither_threads_nor_spectators(most):
    model = coupled(7, n=12, most=most, least=2)
    one, three = (anneal(model, seed=7, reads=6, threads=n) for n in (1, 3))
    assert [(r.number, r.value.tolist(), r.sweeps) for r in one.reads] == [
        (r.number, r.value.tolist(), r.sweeps) for r in three.reads
    ]
    traced = [solve(model, "annealer", seed=7, reads=6, trace=trace) for trace in (None, 30)]
    assert traced[0].values == traced[1].values
    assert traced[0].objective == traced[1].objective
    betas = [state.beta for state in traced[1].trace.states if state.read == 1]
    assert betas == sorted(betas)
    assert betas[-1] > 10 * betas[0]


def test_the_temperature_falls_from_the_spread_of_couplings():
    """Four bits in a ring of couplings 6 and one of 2: spreads of 6 sqrt 2, but for two bits."""
    builder = ModelBuilder()
    bits = [builder.bit(name) for name in "abcd"]
    builder.objective(bits, [6.0] * 4, [*bits[1:], bits[0]])
    builder.objective([bits[0]], [2.0], [bits[2]])
    form = annealing_form(builder.build())
    found = temperatures(form.extras, form.model.sizes)
    spread = (np.sqrt(72) + np.sqrt(76)) / 2
    assert found.hot == pytest.approx(0.4 * spread)
    assert found.cold == pytest.approx(0.03 * spread)
    assert found.small == pytest.approx(0.1 * 2)
    assert found.of(COLD) == (found.hot, found.cold)
    assert found.of(COLD, given=True)[0] == pytest.approx(np.sqrt(found.hot * found.cold))


def test_large_couplings_do_not_hide_small_ones():
    """As where penalties are part of the model: some reads end colder."""
    builder = ModelBuilder()
    bits = [builder.bit(f"b{i}") for i in range(12)]
    for i in range(12):
        for j in range(i):
            builder.objective([bits[i]], [1000.0 if (i + j) % 2 else 1.0], [bits[j]])
    form = annealing_form(builder.build())
    found = temperatures(form.extras, form.model.sizes)
    assert found.small == pytest.approx(0.1)
    assert found.of(SMALL) == (found.hot, found.small)


def test_ways_that_came_lowest_take_the_next_turn():
    turns = Turns(Temperatures(hot=9.0, cold=1.0, small=0.1), n_bits=8)
    assert turns.begin(0) == 1
    assert turns.way(0) == COLD
    turns.note(0, -99.0)  # a short read does not count
    assert turns.begin(1) == 3
    assert [turns.way(read) for read in (1, 2, 3)] == [COLD, SMALL, TABU]
    for read, objective in enumerate([-5.0, -7.0, -7.0], 1):
        turns.note(read, objective)
    assert turns.begin(4) == 2
    assert [turns.way(read) for read in (4, 5)] == [SMALL, TABU]
    turns.note(4, -8.0)
    assert turns.begin(6) == 1
    assert turns.way(6) == SMALL
    assert [turns.begin(7), turns.begin(8)] == [1, 3]


@pytest.mark.parametrize(
    ("small", "n_bits", "ways"), [(1.0, 0, 1), (1.0, 8, 2), (0.5, 0, 2), (1.0, 10**6, 1)]
)
def test_a_way_that_would_be_another_one_is_none(small, n_bits, ways):
    turns = Turns(Temperatures(9.0, 1.0, small), n_bits)
    turns.begin(0)
    assert turns.begin(1) == ways


# --- tabu search ----------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(30))
def test_tabu_search_solves_small_models_and_sums_stay_true(seed):
    form = annealing_form(coupled(seed, n=9, most=2, least=2))
    state = State(form, np.random.default_rng(seed))
    state.randomize()
    assert state.tabu(400) == 400
    x, best = form.literals(state.value), form.literals(state.best)
    assert form.objective(best) == pytest.approx(min(worths(form).values()))
    assert form.objective(best) == pytest.approx(state.arrays.worth[LEAST] + form.offset)
    pairs = form.model.objective.couplings + form.model.objective.couplings.T
    assert state.arrays.field == pytest.approx(pairs @ x)


def test_moves_in_parts_are_those_in_one():
    form = annealing_form(coupled(5, n=12, most=2, least=2))
    whole, parts = (State(form, np.random.default_rng(5)) for _ in range(2))
    for state in (whole, parts):
        state.randomize()
    whole.tabu(300)
    for _ in range(30):
        parts.tabu(10)
    assert whole.value.tolist() == parts.value.tolist()
    assert whole.best.tolist() == parts.best.tolist()


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_bits_are_no_trouble(n):
    builder = ModelBuilder()
    bits = [builder.bit(f"b{i}") for i in range(n)]
    builder.objective(bits, [-1.0] * n)
    builder.objective(bits[:1], [0.5], bits[-1:])
    form = annealing_form(builder.build())
    found = anneal(form, seed=1, reads=6, sweeps=3)
    assert found.reads[0].objective == pytest.approx(min(worths(form).values()))


def test_moves_that_cost_a_penalty_each_do_not_hide_a_round_trip():
    """Six towns: a bit for each town and time, and four flips from one round trip to another."""
    x, y = np.random.default_rng(3).random((2, 6))
    distance = np.rint(100 * np.hypot(x[:, None] - x, y[:, None] - y))
    builder = ModelBuilder()
    bits = [builder.bit(f"{town}@{time}") for town, time in product(range(6), repeat=2)]
    for one, two in product(range(36), repeat=2):
        (town, time), (other, later) = divmod(one, 6), divmod(two, 6)
        if one < two and (town == other) != (time == later):
            builder.objective([bits[one]], [800.0], [bits[two]])
        if later == (time + 1) % 6 and town != other:
            builder.objective([bits[one]], [distance[town, other]], [bits[two]])
    builder.objective(bits, [-800.0] * 36, offset=4800.0)
    found = anneal(annealing_form(builder.build()), seed=1, reads=4).reads[0]
    tours = [(0, *order) for order in permutations(range(1, 6))]
    shortest = min(distance[list(tour), np.roll(tour, -1)].sum() for tour in tours)
    assert found.objective == pytest.approx(shortest)


def test_tabu_search_is_for_bits_alone():
    state = State(annealing_form(coupled(1, most=4)), np.random.default_rng(0))
    with pytest.raises(InputError, match="tabu search is for couplings of bits alone"):
        state.tabu(1)


def test_a_start_is_made_better_not_lost():
    form = annealing_form(coupled(8, n=14, density=0.3))
    best = anneal(form, seed=8, reads=8).reads[0]
    again = anneal(form, seed=9, reads=1, sweeps=1, initial_states=[best.value])
    assert again.reads[0].objective == pytest.approx(best.objective)


@pytest.mark.parametrize(
    ("bounds", "swept"),
    [
        ({"reads": 3}, [2000, 2000, 2000]),
        ({"reads": 3, "sweeps": 7}, [7, 7, 7]),
        ({"reads": 1, "time_limit": 60.0}, [2000]),
        ({"interrupt_function": lambda: True}, [100]),
    ],
)
def test_the_first_read_is_short_where_only_time_bounds_them(bounds, swept):
    found = anneal(annealing_form(coupled(11)), seed=1, **bounds)
    first = sorted(found.reads, key=lambda read: read.number)[: len(swept)]
    assert [read.sweeps for read in first] == swept


def test_a_setting_that_is_asked_for_holds():
    model = coupled(10)
    for asked in ({"fixed": {"beta": 3.0}}, {"portfolio": [AnnealingParameters(3.0)]}):
        assert anneal(model, seed=1, reads=1, **asked).portfolio != "couplings alone"


def test_rows_need_weights():
    builder = ModelBuilder()
    one, two = builder.bit("one"), builder.bit("two")
    builder.objective([one], [1.0], [two])
    builder.at_most_one("row", [[one, two]])
    state = State(annealing_form(builder.build()), np.random.default_rng(0))
    with pytest.raises(InputError, match="the temperature falls where nothing can be broken"):
        state.cool(0, 1, 1, (1.0, 1.0))
