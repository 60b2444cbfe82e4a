"""The model: building, meaning, propagation."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from qubopuzzle import ModelError
from qubopuzzle.annealing import annealing_form
from qubopuzzle.compile import compile_qubo
from qubopuzzle.compile.amplify import to_amplify
from qubopuzzle.model import Field, ModelBuilder, cuts, propagate, violation, violations
from qubopuzzle.model.bounds import reachable
from strategies import assignments, literal_field, models


def refused(make, message):
    """A model with one choice of two values, and what ``make`` adds, cannot be built."""
    b = ModelBuilder()
    b.choice("first", range(2))

    def build():
        make(b)
        b.build()

    with pytest.raises(ModelError, match=message):
        build()


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
    refused(make, message)


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


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda b: b.linear("f", [0], [0], 0.5, shape=(1,)), "got fractions"),
        (lambda b: b.linear("f", [0], [0], lower=0.9, shape=(1,)), "got fractions"),
        (lambda b: b.linear("f", [0], [0], lower=np.nan, shape=(1,)), "expected whole numbers"),
        (lambda b: b.linear("f", [0], ["x"], shape=(1,)), "expected whole numbers"),
        (lambda b: b.linear("f", [0, 0], [0], shape=(1,)), "differ in length"),
        (lambda b: b.linear("f", [0], [0], lower=[1, 2], shape=(1,)), "expected 1 or 1 numbers"),
        (
            lambda b: b.linear("f", [0], [0], lower=2**32, upper=2**32, shape=(1,)),
            "a bound is over",
        ),
        (lambda b: b.precedence("f", [0], [0], [1.7]), "got fractions"),
        (lambda b: b.choice("first", [1, 2]), "two choices named first"),
    ],
)
def test_numbers_are_never_rounded_or_wrapped(make, message):
    refused(make, message)


def test_infinite_bounds_and_numpy_values():
    b = ModelBuilder()
    a = b.choice("a", np.arange(3))
    values = [0, 1]
    b.choice("b", values)
    values.append(2)
    b.linear("f", [0], [b.literal(a, np.int64(1))], -1, lower=-np.inf, upper=2**63 - 1, shape=(1,))
    model = b.build()
    assert model.choices[0].values == (0, 1, 2)
    assert model.n_literals == 5
    assert not propagate(model).contradiction
    assert all(violation(model, x) == 0 for x in assignments(model))


def test_labels_survive_propagation():
    b = ModelBuilder()
    first = [b.literals(b.choice(name, range(2)))[0] for name in "abc"]
    b.linear("f", [0, 1, 1, 1], [first[0], *first], lower=[1, 2], upper=[1, 2], shape=(2,))
    reduced = propagate(b.build()).model
    assert [choice.name for choice in reduced.choices] == ["b", "c"]
    (left,) = reduced.linear
    assert [left.labels(i) for i in range(len(left.lower))] == ["f[1]"]
    assert (left.lower.tolist(), left.upper.tolist()) == ([1], [1])


def test_decided_cells_are_those_that_cannot_change():
    b = ModelBuilder()
    a = b.choice("a", range(3))
    n = b.build().n_literals
    field = Field((1, n), 0, 1, (b.reading("x", range(n), range(n), n_cells=n),), list)
    free = propagate(b.build(field))
    assert (free.cells, free.cells_decided) == (3, 0)
    b.linear("not", [0], [b.literal(a, 2)], upper=0, shape=(1,))
    assert propagate(b.build(field)).cells_decided == 1


def test_a_reading_out_of_range_is_broken():
    b = ModelBuilder()
    b.choice("a", range(2))
    b.choice("b", range(2))
    reading = b.reading("sum", [0, 0], [0, 2], n_cells=1)
    field = Field((1, 1), 0, 1, (reading,), list)
    grid, broken = field.read(np.array([1, 0, 1, 0]))
    assert grid.tolist() == [[1]]
    assert broken.tolist() == [[0, 0]]


def test_families_are_kept_when_their_constraints_are_gone():
    b = ModelBuilder()
    b.choice("a", range(1))
    assert propagate(b.build()).model.families == ("once",)


def test_a_range_missed_by_more_costs_more_than_its_distance():
    b = ModelBuilder()
    bits = [b.literals(b.bit(f"b{i}"))[1] for i in range(4)]
    b.linear("few", [0] * 4, bits, upper=1, shape=(1,))
    model = b.build()
    assert violation(model, model.assignment([1, 1, 1, 1])) == 6


def test_a_gap_beyond_all_values_is_never_kept():
    b = ModelBuilder()
    choices = [b.choice(name, range(3)) for name in "ab"]
    b.precedence("order", choices[:1], choices[1:], [2**63 - 1])
    model = b.build()
    assert all(violation(model, x) > 0 for x in assignments(model))
    assert propagate(model).contradiction


def test_an_equality_needs_a_number():
    b = ModelBuilder()
    a = b.choice("a", range(3))
    b.linear("sum", [0], [b.literal(a, 0)], lower=np.inf, upper=np.inf, shape=(1,))
    with pytest.raises(ModelError, match="sum: an equality needs a finite number"):
        b.build()


@given(model=models(graphs=True))
def test_cuts_exclude_what_breaks_a_graph_and_no_solution(model):
    every = assignments(model)
    alone = replace(model, linear=(), precedence=())
    whole = [x for x in every if violation(alone, x) == 0]
    for x in every:
        found = cuts(model, x)
        broken = violations(model, x)
        assert {cut.family for cut in found} == {
            family for family in ("together", "forest") if broken.get(family, 0)
        }
        assert sum(cut.family == "forest" for cut in found) == broken.get("forest", 0)
        for cut in found:
            assert not x[cut.true].any()
            assert x[cut.false].all()
            assert all(y[cut.true].any() or not y[cut.false].all() for y in whole)


@given(model=models(graphs=True))
def test_propagation_keeps_connectivity_and_cycles(model):
    reduced = propagate(model)
    met = sum(violation(model, x) == 0 for x in assignments(model))
    if reduced.contradiction is not None:
        assert met == 0
    else:
        assert met == sum(violation(reduced.model, x) == 0 for x in assignments(reduced.model))


def test_annealers_refuse_connectivity():
    b = ModelBuilder()
    bits = [b.literals(b.bit(f"cell[{i}]"))[1] for i in range(3)]
    b.connected("white", bits, [(0, 1), (1, 2)])
    model = b.build()
    assert violation(model, model.assignment([1, 0, 1])) == 1
    assert violation(model, model.assignment([0, 0, 0])) == 0
    for refuse in (compile_qubo, to_amplify, annealing_form):
        with pytest.raises(ModelError, match=r"has no form for connectivity \(white\)"):
            refuse(model)
    for nodes, edges in (([9], []), ([0], [(0, 1)])):
        b = ModelBuilder()
        b.bit("only")
        b.connected("white", nodes, edges)
        with pytest.raises(ModelError, match=r"white: a (literal|node) outside"):
            b.build()


def test_annealers_refuse_graphs_without_cycles():
    b = ModelBuilder()
    edges = [b.literals(b.bit(f"edge[{i}]"))[1] for i in range(4)]
    b.acyclic("loop", edges, [(0, 1), (1, 2), (2, 0), (3, 3)])
    model = b.build()
    assert violation(model, model.assignment([1, 1, 1, 1])) == 2
    assert violation(model, model.assignment([1, 0, 1, 0])) == 0
    for refuse in (compile_qubo, to_amplify, annealing_form):
        with pytest.raises(ModelError, match=r"has no form for cycles \(loop\)"):
            refuse(model)
    for literals, pairs, what in (
        ([9], [(0, 1)], "a literal outside"),
        ([0], [(0, -1)], "a node outside"),
        ([0, 1], [(0, 1)], "literals and edges differ in length"),
    ):
        b = ModelBuilder()
        b.bit("only")
        b.acyclic("loop", literals, pairs)
        with pytest.raises(ModelError, match=f"loop: {what}"):
            b.build()
