"""Values that a best solution does not need."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from qubopuzzle import ModelBuilder, solve
from qubopuzzle.annealing import dominance, relax
from qubopuzzle.annealing.dominance import dominated
from qubopuzzle.model import violation
from qubopuzzle.model.data import Objective
from qubopuzzle.model.segments import all_rows
from strategies import assignments, models


def gone(model):
    return dominated(model, all_rows(model), model.objective.linear)


@st.composite
def covers(draw):
    """Bits, some of them turned, and choices that are to cover rows; coefficients beyond 1, too."""
    n, n_rows = draw(st.integers(2, 6)), draw(st.integers(1, 4))
    b = ModelBuilder()
    each = [b.choice(f"x{i}", range(draw(st.sampled_from([2, 2, 2, 3])))) for i in range(n)]
    for r in range(n_rows):
        terms = [
            (x.literals[v], draw(st.sampled_from([1, 1, 1, 2, -1])))
            for x in each
            for v in range(len(x.literals))
            if draw(st.integers(0, 2)) == 0
        ]
        if terms:
            literals, amounts = zip(*terms, strict=True)
            most = draw(st.sampled_from([None, None, None, 3]))
            low = {"lower": draw(st.integers(0, 2))}
            high = {} if most is None else {"upper": most}
            b.linear(f"r{r}", [0] * len(terms), literals, amounts, shape=(1,), **low, **high)
    model = b.build()
    costs = draw(st.lists(st.integers(-2, 4), min_size=3, max_size=model.n_literals))
    b.objective(np.arange(model.n_literals), np.resize(np.array(costs, float), model.n_literals))
    return b.build()


def check(model):
    """Some best assignment has none of what is dominated, and each choice keeps a value."""
    out = gone(model)
    valid = [x for x in assignments(model) if violation(model, x) == 0]
    assert not np.logical_and.reduceat(out, model.first_literal[:-1]).any()
    if valid:
        least = min(map(model.objective.value, valid))
        best = [x for x in valid if model.objective.value(x) <= least + 1e-9]
        assert any(not x[out].any() for x in best)
    return out


@settings(max_examples=200, deadline=None)
@given(model=covers())
def test_some_best_cover_has_nothing_that_is_dominated(model):
    check(model)


@settings(max_examples=100, deadline=None)
@given(model=models(graphs=False), costs=st.lists(st.integers(0, 2), min_size=2, max_size=9))
def test_some_best_assignment_has_nothing_that_is_dominated(model, costs):
    n = model.n_literals
    objective = Objective(np.resize(np.array(costs, float), n), csr_array((n, n)), 0.0)
    check(replace(model, objective=objective))


def columns(sets, costs, lower=1):
    """A set cover of bits."""
    b = ModelBuilder()
    bits = [b.bit(f"x{i}") for i in range(len(sets))]
    for row in sorted(set().union(*sets)):
        b.add(
            f"row {row}", sum(x for x, own in zip(bits, sets, strict=True) if row in own) >= lower
        )
    b.objective([x.literals[1] for x in bits], costs)
    return b.build()


@pytest.mark.parametrize(
    ("sets", "costs", "lower", "left"),
    [
        (({1, 2, 3}, {1, 2}, {4}), (2, 2, 1), 1, {0, 2}),  # within a set as cheap
        (({1, 2, 3}, {1, 2}, {4}), (2, 1, 1), 1, {0, 1, 2}),  # cheaper
        (({1, 2}, {1, 2}, {1, 2}), (3, 2, 2), 1, {1}),  # equal ones: the first of the cheapest
        (({1, 2}, {1, 2}, {1, 2}), (3, 2, 2), 2, {0, 1, 2}),  # two are needed
        (({1}, {1, 2}, {1, 2, 3}, {3, 4}), (1, 1, 1, 1), 1, {2, 3}),  # chains of them
    ],
)
def test_columns_of_covers(sets, costs, lower, left):
    model = columns(sets, costs, lower)
    assert set(np.flatnonzero(~check(model).reshape(-1, 2)[:, 1])) == left


def test_values_with_the_terms_of_a_cheaper_one():
    b = ModelBuilder()
    x, y = b.choice("x", range(5)), b.choice("y", range(2))
    literals = [*x.literals[:4], y.literals[1]]
    b.linear("sum", [0] * 5, literals, [1, 1, 2, 1, 1], lower=1, upper=2, shape=(1,))
    b.objective(x.literals, [3.0, 2.0, 1.0, 2.0, 0.0])
    assert np.flatnonzero(check(b.build())).tolist() == [0, 3]
    b.precedence("order", [x], [y], 0)
    assert not gone(b.build()).any()


def test_columns_are_compared_if_there_is_time():
    model = columns(({1, 2}, {1}, {2}), (1, 1, 1))
    rows, cost = all_rows(model), model.objective.linear
    assert dominated(model, rows, cost, 1.0).any()
    assert not dominated(model, rows, cost, 0.0).any()


def test_columns_are_compared_in_parts(monkeypatch):
    rng = np.random.default_rng(5)
    sets = [set(rng.choice(9, rng.integers(1, 5), replace=False).tolist()) for _ in range(80)]
    model = columns([*sets, set(range(9))], [*rng.integers(1, 4, 80).astype(float), 9.0])
    whole = gone(model)
    monkeypatch.setattr(dominance, "_AT_ONCE", 3)
    assert (gone(model) == whole).all()
    assert 20 < whole.sum() < 80


def test_what_is_dominated_is_neither_relaxed_nor_searched():
    rng = np.random.default_rng(3)
    sets = [set(rng.choice(12, rng.integers(1, 5), replace=False).tolist()) for _ in range(60)]
    model = columns([*sets, set(range(12))], [*rng.integers(1, 9, 60).astype(float), 40.0])
    relaxed = relax(model)
    assert set(relaxed.dominated) == set(np.flatnonzero(gone(model)))
    assert len(relaxed.dominated) > 10
    result = solve(model, seed=1, reads=40)
    assert not result.best.assignment[relaxed.dominated].any()
    assert result.objective == solve(model, "mip").objective
    assert result.bound <= result.objective
