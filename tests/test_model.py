"""The model: building, meaning, propagation."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from qubopuzzle import ModelError
from qubopuzzle.model import ModelBuilder, propagate, violation, violations
from qubopuzzle.model.bounds import reachable
from strategies import assignments, literal_field, models


def test_violation_counts_each_kind_of_constraint():
    b = ModelBuilder()
    a, c = b.choice("a", range(3)), b.choice("b", range(3))
    b.linear(
        "sum", [0, 0], [b.literal(a, 2), b.literal(c, 2)], [2, 3], lower=0, upper=0, shape=(1,)
    )
    b.at_most_one("alone", [[b.literal(a, 1), b.literal(c, 1)]])
    b.precedence("order", [a], [c], [1])
    model = b.build()
    assert violations(model, model.assignment([0, 1])) == {
        "once": 0,
        "sum": 0,
        "alone": 0,
        "order": 0,
    }
    assert violations(model, model.assignment([2, 2])) == {
        "once": 0,
        "sum": 25,
        "alone": 0,
        "order": 1,
    }
    assert violations(model, model.assignment([1, 1])) == {
        "once": 0,
        "sum": 0,
        "alone": 1,
        "order": 1,
    }
    assert violations(model, np.zeros(6, int))["once"] == 2


def test_names_are_readable():
    b = ModelBuilder()
    a = b.choice("row[0].start[1]", range(2, 4))
    b.linear("field", [0, 5], [0, 1], lower=0, upper=0, shape=(2, 3))
    model = b.build()
    assert model.linear[0].labels(5) == "field[1,2]"
    assert model.values(model.assignment([3])) == {"row[0].start[1]": 3}
    assert list(b.literals(a)) == [0, 1]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda b: b.choice("a", []), "has no values"),
        (lambda b: b.choice("a", [1, 1]), "lists a value twice"),
        (lambda b: b.linear("f", [0], [9], shape=(1,)), "literal outside"),
        (lambda b: b.linear("f", [1], [0], shape=(1,)), "row outside"),
        (lambda b: b.linear("f", [0], [0], lower=2, upper=1, shape=(1,)), r"f\[0\]: lower bound"),
        (lambda b: b.linear("f", [0], [0], 1 << 30, shape=(1,)), "add up"),
        (lambda b: b.precedence("f", [0], [7], [1]), "no choice 7"),
        (lambda b: b.precedence("f", [0], [0, 0], [1]), "differ in length"),
        (lambda b: b.precedence("f", [b.choice("w", "xy")], [0], [1]), "no ascending integers"),
    ],
)
def test_wrong_models_are_refused(make, message):
    b = ModelBuilder()
    b.choice("first", range(2))

    def build():
        make(b)
        b.build()

    with pytest.raises(ModelError, match=message):
        build()


@given(models())
def test_reachable_is_exact_over_valid_choices(model):
    x = assignments(model)
    for block in model.linear:
        low, high = reachable(model, block.matrix)
        values = block.matrix @ x.T
        assert (low == values.min(axis=1)).all()
        assert (high == values.max(axis=1)).all()


@given(models())
def test_propagation_keeps_exactly_the_solutions(model):
    model = replace(model, field=literal_field(model))
    before = {x.tobytes() for x in assignments(model) if violation(model, x) == 0}
    found = propagate(model)
    if found.contradiction:
        assert not before
        return
    reduced = found.model
    after = {
        reduced.field.read(x)[0].astype(np.int64).tobytes()
        for x in assignments(reduced)
        if violation(reduced, x) == 0
    }
    assert after == before
    assert found.literals_after == reduced.n_literals <= found.literals_before
    assert all(len(choice.values) > 1 for choice in reduced.choices)
    again = propagate(reduced)
    assert again.literals_after == reduced.n_literals


@given(models())
def test_a_reduced_model_writes_and_reads_its_solutions(model):
    model = replace(model, field=literal_field(model))
    reduced = propagate(model).model
    for x in assignments(model):
        if violation(model, x) == 0:
            small = reduced.assignment(reduced.field.write(x))
            assert violation(reduced, small) == 0
            assert (reduced.field.read(small)[0] == x).all()
