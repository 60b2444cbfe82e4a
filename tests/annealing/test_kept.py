"""Costs that are kept up to date: what they are, and that sweeps with them are the same search."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings

from chances import chance
from kernels import compiled_and_plain, optimising_model
from qubopuzzle import ModelBuilder
from qubopuzzle.annealing import AnnealingParameters, State, anneal, annealing_form
from qubopuzzle.annealing.kept import can_be_kept
from qubopuzzle.annealing.kernels import PASSES
from qubopuzzle.model import violation
from strategies import models

LEARNING = AnnealingParameters(1.5, 0.3, 0.9, 0.5)


@pytest.fixture(autouse=True)
def _always(monkeypatch):
    """Costs are kept after two sweeps of every read."""
    monkeypatch.setattr("qubopuzzle.annealing.state._KEPT_FROM", (1, 2))
    monkeypatch.setattr("qubopuzzle.annealing.state.is_less_work", lambda *_: True)


def tournament(n=6):
    """Who meets whom in each round, without an objective: all rows have coefficients of 1."""
    b = ModelBuilder()
    meets = {(i, j): b.choice(f"{i}-{j}", range(n - 1)) for i in range(n) for j in range(i)}
    for team in range(n):
        for round_ in range(n - 1):
            games = [choice[round_] for pair, choice in meets.items() if team in pair]
            b.linear("one", [0] * len(games), games, lower=1, upper=1, shape=(1,))
    home = [b.bit(f"home {i}") for i in range(n)]
    for i in range(n - 1):
        b.linear("apart", [0] * 2, [home[i][1], home[i + 1][1]], upper=1, shape=(1,))
    return b.build()


def charge(form, row, total):
    """What a row costs at weight 1."""
    a, x = form.arrays, form.extras
    missed = max(a.lower[row] - total, total - a.upper[row], 0)
    if x is not None and x.scale[row] > 0:
        return 0.5 + missed / x.scale[row] if missed else 0.0
    return missed**2 if a.lower[row] == a.upper[row] else missed * (missed + 1) / 2


def costs(state):
    """What each literal costs more than nothing in its choice's place, from scratch, (literals,).

    Without the objective.
    """
    form, s, found = state.form, state.arrays, []
    rows = form.propagator.rows.toarray()
    total = rows @ form.literals(state.value)
    for literal, choice in enumerate(form.model.choice_of_literal):
        rest = total - rows[:, form.arrays.first[choice] + state.value[choice]]
        more = [
            charge(form, row, rest[row] + rows[row, literal]) - charge(form, row, rest[row])
            for row in range(len(rows))
        ]
        found.append(s.row_weight @ more)
    return np.array(found)


def expect_true(state):
    kept = state._kept
    if kept is None or kept.scale[0] == 0:
        return False
    have = kept.cost.reshape(-1, 2) @ [1, kept.scale[0]]
    left = np.ones(len(have), dtype=bool)
    if state.n_open < state.form.n_units:  # what is left out has no costs
        left = state.domains.alive[: len(have)]
    np.testing.assert_allclose(have[left], costs(state)[left], rtol=1e-9, atol=1e-9)
    x = state.form.literals(state.value)
    assert (state.arrays.total == state.form.propagator.rows @ x).all()
    return True


@settings(max_examples=40)
@given(model=models())
def test_costs_stay_true_while_it_runs(model):
    form = annealing_form(model, {"red": 2.0}, chains=False)
    state = State(form, np.random.default_rng(1))
    seen = False
    for _ in range(12):
        state.run(3, LEARNING, target=-1)
        seen |= expect_true(state)
    assert seen == can_be_kept(form.arrays)
    assert state.energy == violation(model, form.literals(state.best))


@pytest.mark.parametrize("seed", range(6))
def test_costs_stay_true_with_an_objective(seed):
    """With rows that are scaled, exchanges, descents, products, and values that are left out."""
    form = annealing_form(optimising_model(seed))
    state = State(form, np.random.default_rng(seed))
    for number in range(30):
        state.run(2, LEARNING, target=-1)
        assert expect_true(state) or number == 0
        x = form.literals(state.value)
        both = form.model.objective.couplings + form.model.objective.couplings.T
        np.testing.assert_allclose(state.arrays.field, both @ x)
        if number == 15:
            state.narrow(np.flatnonzero(x == 0)[:2])
        if number == 20:
            state.set_values(state.best)


def test_values_that_come_back_end_it():
    form = annealing_form(tournament())
    state = State(form, np.random.default_rng(1))
    state.run(10, LEARNING, target=-1)
    state.narrow(np.array([0]))
    state.run(10, LEARNING, target=-1)
    assert expect_true(state)
    assert state.value[0] != 0
    state.widen()
    state.run(10, LEARNING, target=-1)
    assert not expect_true(state)


def test_costs_are_found_anew():
    """Within 70 passes a scale that decays by half falls below 1e-20."""
    form = annealing_form(tournament())
    state = State(form, np.random.default_rng(1))
    scales = []
    while state.arrays.counts[PASSES] < 500:
        state.run(1, AnnealingParameters(1, 0.5, 0.5, 0.5), target=-1)
        scales += [state._kept.scale[0]] if expect_true(state) else []
    assert min(scales) < 1e-15
    assert (np.diff(scales) > 0).sum() > 1


def test_at_no_temperature_the_best_value_stays():
    """Even where a temperature is less than the last digit of a cost."""
    b = ModelBuilder()
    choice, bit = b.choice("choice", range(3)), b.bit("bit")
    b.linear("both", [0, 1], [choice[2], bit[1]], lower=1, upper=1, shape=(2,))
    state = State(annealing_form(b.build()), np.random.default_rng(1))
    for _ in range(30):
        state.run(1, AnnealingParameters(1e17, 0.3, 0.9, 0.0), target=-1)
    assert expect_true(state)
    assert state.value.tolist() == [2, 1]


def test_weights_that_nothing_decays():
    """They grow without limit: what they cost is not kept, and is found anew after it."""
    form = annealing_form(tournament())
    state = State(form, np.random.default_rng(1))
    state.run(10, LEARNING, target=-1)
    state.run(10, AnnealingParameters(1.5, 3.0, 1.0, 0.5), target=-1)
    assert not expect_true(state)
    assert state.arrays.row_weight.max() > 5
    state.run(10, LEARNING, target=-1)
    assert expect_true(state)


def test_samples_follow_the_boltzmann_distribution():
    """At fixed weights and temperature, chi-square over all states at the 0.1 percent level."""
    b = ModelBuilder()
    one, two = b.choice("one", range(3)), b.choice("two", range(3))
    bit = b.bit("bit")
    b.linear("sum", [0, 0, 0], [one[1], two[2], bit[1]], [1, 2, 1], lower=1, upper=1, shape=(1,))
    b.linear("few", [0, 0, 0], [one[0], two[0], bit[1]], upper=1, shape=(1,))
    form = annealing_form(b.build())
    states = [*product(range(3), range(3), range(2))]
    mass = np.exp([-0.7 * form.energy(np.array(values)) for values in states])
    state = State(form, np.random.default_rng(5))
    n, seen = 20_000, dict.fromkeys(states, 0)
    for _ in range(n):
        state.run(4, AnnealingParameters(0.7, 0.0, 0.98, 0.0), target=-1)
        seen[tuple(state.value.tolist())] += 1
    assert expect_true(state)
    assert chance(np.array([*seen.values()]), n * mass / mass.sum()) > 0.001


def test_states_do_not_depend_on_how_a_run_is_cut():
    form, values = annealing_form(tournament()), []
    for steps in ([2000], range(1, 2001), [7, 13, 40, 1333, 2000]):
        state = State(form, np.random.default_rng(3))
        state.randomize()
        done = 0
        for end in steps:
            done += state.redraw(end - done, LEARNING, target=-1)
        assert expect_true(state)
        values.append((state.value.tolist(), state.arrays.row_weight.tolist()))
    assert values[0] == values[1] == values[2]


def test_it_solves_and_stops():
    model = tournament()
    read = anneal(model, seed=1, reads=20, sweeps=2000).reads[0]
    x = annealing_form(model).literals(read.value)
    assert violation(model, x) == read.energy == 0


@pytest.mark.parametrize("seed", range(4))
def test_the_least_objective_is_found(seed):
    model = optimising_model(seed)
    plain = [np.array(values) for values in product(range(3), repeat=len(model.choices))]
    form = annealing_form(model)
    least = min(form.objective(form.literals(v)) for v in plain if form.energy(v) == 0)
    assert anneal(model, seed=1, reads=2, sweeps=100).reads[0].objective == least


def test_plain_python_draws_the_same():
    code = (
        "from kernels import optimising_model\n"
        "from qubopuzzle.annealing import anneal, state\n"
        "state._KEPT_FROM, state.is_less_work = (1, 2), lambda *_: True\n"
        "found = anneal(optimising_model(), seed=3, reads=2, sweeps=20)\n"
        "print([(r.value.tolist(), r.objective, r.sweeps) for r in found.reads])\n"
    )
    compiled, plain = compiled_and_plain(code)
    assert compiled == plain


def test_costs_are_kept_where_that_is_less_work(monkeypatch):
    """Cold, where next to nothing changes; hot, every other redraw changes something."""
    monkeypatch.undo()
    form = annealing_form(tournament(12))
    for beta, is_kept in [(10.0, True), (0.01, False)]:
        state = State(form, np.random.default_rng(1))
        state.run(99, AnnealingParameters(beta), target=-1)
        assert state._kept is None
        state.run(2, AnnealingParameters(beta), target=-1)
        assert (state._kept is not None) == is_kept


def test_costs_of_nothing_are_not_kept():
    assert not can_be_kept(annealing_form(ModelBuilder().build()).arrays)
    b = ModelBuilder()
    b.precedence("order", [b.choice("a", range(3))], [b.choice("b", range(3))], [1])
    assert not can_be_kept(annealing_form(b.build(), chains=False).arrays)
