"""Moves of several choices that repair what the first one breaks."""

from math import inf

import numpy as np
import pytest
from hypothesis import given, settings

from qubopuzzle import ModelBuilder
from qubopuzzle.annealing import State, anneal, annealing_form, relax
from qubopuzzle.annealing.kernels import CHANGED, LEAST
from qubopuzzle.errors import InputError
from qubopuzzle.model import violation
from qubopuzzle.programs.grouping import grouped_model
from strategies import assignments, programs


@settings(max_examples=150)
@given(programs(max_variables=7, max_rows=4))
def test_all_rows_hold_and_sums_stay_true(program):
    """From each valid state, with products and all kinds of rows."""
    model = grouped_model(program, 0)
    if model.objective is None:
        return
    form = annealing_form(model)
    valid = [x for x in assignments(model) if violation(model, x) == 0]
    if not form.extras.exchanging or not valid:
        return
    first = model.first_literal[:-1]
    for at, x in enumerate(valid[:6]):
        state = State(form, np.random.default_rng(at))
        state.set_values(np.array([np.flatnonzero(x[i:])[0] for i in first]))
        assert state.repair(300, at / 6) == 300
        reached = form.literals(state.value)
        assert violation(model, reached) == form.energy(state.value) == 0
        assert state.arrays.total.tolist() == (form.propagator.rows @ reached).tolist()
        assert state.arrays.counts[CHANGED] == 0
        assert not state.arrays.is_changed.any()
        if form.extras.n_pairs:
            pairs = model.objective.couplings + model.objective.couplings.T
            assert state.arrays.field == pytest.approx(pairs @ reached)
        best = form.literals(state.best)
        assert violation(model, best) == 0
        assert form.objective(best) == pytest.approx(state.arrays.worth[LEAST] + form.offset)
        assert form.objective(best) <= min(form.objective(x), form.objective(reached)) + 1e-9


def ring(n):
    """Jobs on machines with room for one each: all must move on by one, and any two may not."""
    builder = ModelBuilder()
    jobs = [builder.choice(f"job {j}", [j, (j + 1) % n]) for j in range(n)]
    builder.at_most_one("machine", [[j == m for j in jobs if m in j.values] for m in range(n)])
    builder.objective([j.literals[1] for j in jobs], [-1.0] * n)
    return builder.build()


def test_a_move_of_many_choices_is_found():
    """Of one state to the other with nothing valid between: from the first one, at once."""
    form = annealing_form(ring(6))
    state = State(form, np.random.default_rng(0))
    state.set_values(np.zeros(6, dtype=np.int64))
    state.repair(1_000, 0.5)
    assert state.best.tolist() == [1] * 6
    assert state.arrays.worth[LEAST] == -6.0


def test_what_is_left_out_is_not_taken():
    form = annealing_form(ring(6))
    state = State(form, np.random.default_rng(0))
    state.set_values(np.zeros(6, dtype=np.int64))
    state.narrow(np.array([form.arrays.first[3] + 1]))
    state.repair(1_000, 0.5)
    assert state.value.tolist() == [0] * 6


def test_a_state_that_breaks_something_begins_at_the_best_one():
    form = annealing_form(ring(4))
    state = State(form, np.random.default_rng(0))
    state.set_values(np.zeros(4, dtype=np.int64))
    state.set_values(np.array([1, 0, 0, 0]))
    assert form.energy(state.value) > 0
    state.repair(1_000, 0.5)
    assert state.best.tolist() == [1] * 4


def test_precedences_turn_them_off():
    """Also in the reads before the first core."""
    builder, rng = ModelBuilder(), np.random.default_rng(2)
    tasks = [builder.choice(f"task {i}", range(30)) for i in range(20)]
    builder.precedence("order", tasks[:-1], tasks[1:], 1)
    builder.at_most_one("day", [[t == day for t in tasks] for day in range(30)])
    literals = np.ravel([t.literals for t in tasks])
    builder.objective(literals, rng.integers(1, 99, len(literals)).astype(float))
    form = annealing_form(builder.build()).with_relaxation(relax(builder.build()))
    assert len(form.relaxation.cores(form.arrays.n_rows)) > 1
    found = anneal(form, seed=1, reads=8, sweeps=50)
    assert found.reads[0].energy == 0
    with pytest.raises(InputError, match="exchange"):
        State(form, np.random.default_rng(0)).repair(1, 1.0)


def test_reads_of_repairs_do_not_depend_on_threads():
    builder, rng = ModelBuilder(), np.random.default_rng(3)
    jobs = [builder.choice(f"job {j}", range(4)) for j in range(24)]
    literals = [j.literals for j in jobs]
    for machine in range(4):
        weights = rng.integers(5, 15, 24)
        row = [each[machine] for each in literals]
        builder.linear(f"room {machine}", [0] * 24, row, weights, upper=65, shape=(1,))
    costs = rng.integers(10, 40, (24, 4)).astype(float)
    builder.objective(np.ravel(literals), np.ravel(costs))
    model = builder.build()
    one, two = (anneal(model, seed=1, reads=14, sweeps=30, threads=n) for n in (1, 2))
    assert [r.value.tolist() for r in one.reads] == [r.value.tolist() for r in two.reads]
    assert one.reads[0].objective < inf
    assert one.incumbents[-1].value == two.incumbents[-1].value
