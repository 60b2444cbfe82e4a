"""The model: building, meaning, propagation."""

import pickle
from contextlib import suppress
from copy import copy, deepcopy
from dataclasses import replace
from itertools import product
from operator import index

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from qubopuzzle import InputError, jit
from qubopuzzle.annealing import annealing_form
from qubopuzzle.compile import compile_amplify, compile_qubo
from qubopuzzle.errors import ModelError
from qubopuzzle.model import (
    FALSE,
    TRUE,
    UNBOUNDED,
    Field,
    ModelBuilder,
    cuts,
    probe,
    propagate,
    violation,
    violations,
    with_cuts,
)
from qubopuzzle.model import propagator as propagation
from qubopuzzle.model.data import Connected, Linear
from qubopuzzle.model.propagator import Propagator
from qubopuzzle.model.segments import reachable
from qubopuzzle.puzzles import get_puzzle, puzzle_names
from strategies import assignments, literal_field, models


def refused(make, message):
    """A model with one choice of two values, and what ``make`` adds is refused at once."""
    b = ModelBuilder()
    b.choice("first", range(2))

    with pytest.raises(ModelError, match=message):
        make(b)


def test_violation_counts_each_kind_of_constraint():
    b = ModelBuilder()
    a, c = b.choice("a", range(3)), b.choice("b", range(3))
    b.linear("sum", [0, 0], [a[2], c[2]], [2, 3], lower=0, upper=0, shape=(1,))
    b.at_most_one("alone", [[a[1], c[1]]])
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
    assert list(a.literals) == [0, 1]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda b: b.choice("a", []), "has no values"),
        (lambda b: b.choice("a", [1, 1]), "lists a value twice"),
        (lambda b: b.linear("f", [0], [9], shape=(1,)), "literal outside"),
        (lambda b: b.linear("f", [1], [0], shape=(1,)), "row outside"),
        (lambda b: b.linear("f", [0], [0], lower=2, upper=1, shape=(1,)), r"f\[0\]: lower bound"),
        (lambda b: b.linear("f", [0], [0], 1 << 54, shape=(1,)), r"f\[0\]: .* add up"),
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
    assert found.whole is model
    assert reduced.n_literals <= model.n_literals
    assert all(len(choice.values) > 1 for choice in reduced.choices)
    again = propagate(reduced)
    assert again.model.n_literals == reduced.n_literals


@given(models(), st.integers(1, 30))
def test_probing_removes_exactly_what_propagation_refutes(model, work):
    propagator = Propagator(model)
    broken = propagator.run()
    method = "probing" if broken is None else "propagation"
    while broken is None and not propagator.probed_all:  # in bits, as in one go
        broken = propagator.probe(work)
    at_once = probe(model)
    solutions = [x for x in assignments(model) if violation(model, x) == 0]
    if broken is not None:
        assert at_once.contradiction == f"{method}: {broken}"
        assert not solutions
        return
    assert at_once.contradiction is None
    assert all(propagator.alive[x > 0].all() for x in solutions)
    assert (at_once.kept == np.flatnonzero(propagator.alive & (at_once.fixed == 0))).all()
    for literal in np.flatnonzero(propagator.alive).tolist():
        own = model.choice_of_literal == model.choice_of_literal[literal]
        own[literal] = False
        others = np.flatnonzero(own)
        b = replace(model, linear=(*model.linear, without(model, others)))
        assert propagate(b).contradiction is None


@given(models(graphs=True), st.integers(1, 30), st.booleans())
def test_no_solution_is_lost_where_graphs_propagate(model, work, pairs):
    propagator = Propagator(model)
    broken = propagator.run()
    solutions = [x for x in assignments(model) if violation(model, x) == 0]
    assert broken is None or not solutions
    ended = "probed_pairs" if pairs else "probed_all"
    while broken is None and not getattr(propagator, ended):
        broken = propagator.probe(work, pairs=pairs)
        assert broken is None or not solutions
        assert all(propagator.alive[x > 0].all() for x in solutions)


@st.composite
def connected_bits(draw):
    """A graph over bits, some of them with one value."""
    b = ModelBuilder()
    several = st.sampled_from([(0, 1), (0, 1), (0, 1), (0,), (1,)])
    bits = [b.choice(f"node {i}", draw(several)) for i in range(draw(st.integers(1, 7)))]
    true = [bit.literals[-1] for bit in bits if 1 in bit.values]
    ends = st.integers(0, max(0, len(true) - 1))
    edges = draw(st.lists(st.tuples(ends, ends), max_size=10)) if true else []
    b.connected("together", true, np.array(edges, dtype=int).reshape(-1, 2))
    return b.build()


@given(connected_bits())
def test_a_graph_alone_keeps_exactly_what_is_in_a_solution(model):
    propagator = Propagator(model)
    solutions = [x for x in assignments(model) if violation(model, x) == 0]
    if propagator.run() is not None:
        assert not solutions
        return
    assert propagator.alive.tolist() == np.any(solutions, axis=0).tolist()


def test_what_would_cut_nodes_off_stays_and_what_cannot_reach_them_goes():
    b = ModelBuilder()
    path = [b.bit(f"bit {i}") for i in range(5)]
    b.connected("path", [bit.literals[1] for bit in path], [(0, 1), (1, 2), (2, 3), (3, 4)])
    for place, value in ((0, 1), (2, 1), (3, 0)):
        b.exactly_one("known", [[path[place].literals[value]]])
    propagator = Propagator(b.build())
    assert propagator.run() is None
    assert propagator.alive.reshape(5, 2).argmax(axis=1).tolist() == [1, 1, 1, 0, 0]
    assert (propagator.domains.size == 1).all()
    b.exactly_one("known", [[path[4].literals[1]]])
    assert Propagator(b.build()).run() == "path"


def test_deferred_connectivity_propagates_the_same():
    puzzle = get_puzzle("nurikabe").examples()[0]
    model = puzzle.model("cuts")
    deferred = with_cuts(model, [])
    assert not deferred.graphs
    one, other = (probe(each) for each in (model, deferred))
    assert one.fixed.tolist() == other.fixed.tolist()
    assert one.cells_decided == other.cells_decided > 0


def test_pairs_show_what_single_values_do_not():
    b = ModelBuilder()
    x, y, z = (b.bit(name) for name in "xyz")
    for one, two in product((y, 1 - y), (z, 1 - z)):  # of each pair of values there is none with x
        b.add("some", one + two + (1 - x) >= 1)
    single, both = Propagator(b.build()), Propagator(b.build())
    for propagator, pairs in ((single, False), (both, True)):
        assert propagator.run() is None
        assert propagator.probe(10**6, pairs=pairs) is None
    assert single.probed_all
    assert both.probed_pairs
    assert not single.probed_pairs
    assert single.alive.all()
    assert both.alive[:2].tolist() == [True, False]


def example_models():
    for name in puzzle_names():
        puzzle = get_puzzle(name).examples()[0]
        for by_cuts in (False, True):
            yield puzzle.model(puzzle.formulation_for(cuts=by_cuts))


def test_plain_python_removes_the_same(monkeypatch):
    """In the same order, at once and where the compiled kernel goes on from what it left."""
    monkeypatch.setattr(propagation, "_done_plain", 0)
    for model in example_models():
        compiled = Propagator(model)
        compiled.run_compiled()
        for work, unfinished in (10**9, False), (propagation._done_plain + 50, True):
            monkeypatch.setattr(propagation, "_PLAIN_WORK", work)
            plain = Propagator(model)
            assert (plain._run_plain() == propagation._UNFINISHED) == unfinished
            if unfinished:
                plain.run_compiled()
            for one, other in zip(plain.domains, compiled.domains, strict=True):
                assert one.tolist() == other.tolist()
        a, d = jit.as_lists(plain.arrays), jit.as_lists(plain.domains)
        pair_work = propagation.PAIR_WORK
        assert propagation.probe.plain(a, d, 9_000, pair_work) == propagation.FIXED_POINT
        compiled.probe(9_000, pairs=True)
        assert d.removed == compiled.domains.removed.tolist()
        assert d.counts == compiled.domains.counts.tolist()


def test_python_alone_propagates_small_models_until_it_has_done_enough(monkeypatch):
    small, *_, large = sorted(example_models(), key=lambda model: model.n_literals)
    monkeypatch.setattr(propagation, "propagate_all", jit.Kernel(propagation.propagate_all.plain))
    monkeypatch.setattr(propagation, "_done_plain", 0)
    monkeypatch.setattr(propagation, "_PLAIN_WORK", 4 * large.n_literals)
    assert propagation.runs_plain(small)
    assert not propagation.runs_plain(large)
    propagate(small)
    assert not propagation.propagate_all.is_compiled
    monkeypatch.setattr(propagation, "_PLAIN_WORK", propagation._done_plain)
    assert not propagation.runs_plain(small)
    propagate(small)
    assert propagation.propagate_all.is_compiled


def without(model, literals):
    """A row that says that some literals are false."""
    ones = np.ones(len(literals), dtype=np.int64)
    matrix = csr_array((ones, (np.zeros_like(literals), literals)), shape=(1, model.n_literals))
    return Linear("none", matrix, np.array([0]), np.array([0]), str)


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
            lambda b: b.linear("f", [0], [0], lower=2**55, upper=2**55, shape=(1,)),
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
    b.linear("f", [0], [a[np.int64(1)]], -1, lower=-np.inf, upper=2**63 - 1, shape=(1,))
    model = b.build()
    assert model.choices[0].values == (0, 1, 2)
    assert model.n_literals == 5
    assert not propagate(model).contradiction
    assert all(violation(model, x) == 0 for x in assignments(model))


def test_labels_survive_propagation():
    b = ModelBuilder()
    first = [b.choice(name, range(2)).literals[0] for name in "abc"]
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
    field = Field((1, n), 0, 1, (b.view("x", range(n), range(n), n_cells=n),), list)
    free = propagate(b.build(field))
    assert (free.cells, free.cells_decided) == (3, 0)
    b.linear("not", [0], [a[2]], upper=0, shape=(1,))
    assert propagate(b.build(field)).cells_decided == 1


def test_a_reading_out_of_range_is_broken():
    b = ModelBuilder()
    b.choice("a", range(2))
    b.choice("b", range(2))
    view = b.view("sum", [0, 0], [0, 2], n_cells=1)
    field = Field((1, 1), 0, 1, (view,), list)
    grid, broken = field.read(np.array([1, 0, 1, 0]))
    assert grid.tolist() == [[1]]
    assert broken.tolist() == [[0, 0]]


def test_families_are_kept_when_their_constraints_are_gone():
    b = ModelBuilder()
    b.choice("a", range(1))
    assert propagate(b.build()).model.families == ("once",)


def test_a_range_missed_by_more_costs_more_than_its_distance():
    b = ModelBuilder()
    bits = [b.bit(f"b{i}").literals[1] for i in range(4)]
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
    with pytest.raises(ModelError, match="sum: an equality needs a finite number"):
        b.linear("sum", [0], [a[0]], lower=np.inf, upper=np.inf, shape=(1,))


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
    bits = [b.bit(f"cell[{i}]").literals[1] for i in range(3)]
    b.connected("white", bits, [(0, 1), (1, 2)])
    model = b.build()
    assert violation(model, model.assignment([1, 0, 1])) == 1
    assert violation(model, model.assignment([0, 0, 0])) == 0
    for refuse in (compile_qubo, compile_amplify, annealing_form):
        with pytest.raises(ModelError, match=r"has no form for connectivity \(white\)"):
            refuse(model)
    for nodes, edges in (([9], []), ([0], [(0, 1)])):
        b = ModelBuilder()
        b.bit("only")
        with pytest.raises(ModelError, match=r"white: a (literal|node) outside"):
            b.connected("white", nodes, edges)


def test_annealers_refuse_graphs_without_cycles():
    b = ModelBuilder()
    edges = [b.bit(f"edge[{i}]").literals[1] for i in range(4)]
    b.acyclic("loop", edges, [(0, 1), (1, 2), (2, 0), (3, 3)])
    model = b.build()
    assert violation(model, model.assignment([1, 1, 1, 1])) == 2
    assert violation(model, model.assignment([1, 0, 1, 0])) == 0
    for refuse in (compile_qubo, compile_amplify, annealing_form):
        with pytest.raises(ModelError, match=r"has no form for cycles \(loop\)"):
            refuse(model)
    for literals, pairs, what in (
        ([9], [(0, 1)], "a literal outside"),
        ([0], [(0, -1)], "a node outside"),
        ([0, 1], [(0, 1)], "literals and edges differ in length"),
    ):
        b = ModelBuilder()
        b.bit("only")
        with pytest.raises(ModelError, match=f"loop: {what}"):
            b.acyclic("loop", literals, pairs)


def row_of(model):
    """Coefficients by literal, and the bounds, of a model's only row."""
    (block,) = model.linear
    dense = block.matrix.toarray()[0].tolist()
    return dense, int(block.lower[0]), int(block.upper[0])


def test_handles_and_expressions_say_rows():
    b = ModelBuilder()
    x, y, z = b.choice("x", range(3)), b.choice("y", "ab"), b.bit("z")
    assert (x.number, list(x.literals), index(x == 2), (y == "b").number) == (0, [0, 1, 2], 2, 4)
    assert (x[2].number, index(z), index(~z), index(~y["a"])) == (2, 6, 5, 4)
    relation = 2 * (x == 2) + (y == "a") - z + True <= 3
    assert str(relation) == "+2 (x == 2) +1 (y == 'a') -1 (z == 1) <= 2"
    b.add("f", relation)
    assert row_of(b.build()) == ([0, 0, 2, 1, 0, 0, -1], -UNBOUNDED, 2)
    assert len({x, y, z, x == 1, x == 1}) == 5
    assert np.array([10, 20, 30])[x == 1] == 20


@pytest.mark.parametrize(
    ("make", "row"),
    [
        (lambda x, z: x[0] + z == 1, ([1, 0, 0, 1], 1, 1)),
        (lambda x, z: -z <= 3 - x[0], ([1, 0, 0, -1], -UNBOUNDED, 3)),
        (lambda x, z: 2 - x[1] <= 2 * z, ([0, -1, 0, -2], -UNBOUNDED, -2)),
        (lambda x, z: (x != 1) >= z, ([0, -1, 0, -1], -1, UNBOUNDED)),
        (lambda x, z: -(x[0] + x[0]) >= -np.int64(1), ([-2, 0, 0, 0], -1, UNBOUNDED)),
        (lambda x, z: np.int64(2) * x[1] == 2, ([0, 2, 0, 0], 2, 2)),
        (lambda x, z: sum([x[1], z, 1]) <= 2, ([0, 1, 0, 1], -UNBOUNDED, 1)),
        (lambda x, z: sum([]) >= 1, ([0] * 4, 1, UNBOUNDED)),
    ],
)
def test_comparisons_as_rows(make, row):
    b = ModelBuilder()
    x, z = b.choice("x", range(2)), b.bit("z")
    b.add("f", make(x, z), "the row")
    model = b.build()
    assert row_of(model) == row
    assert model.linear[0].labels(0) == "the row"


def test_a_sum_of_nothing_that_holds_is_no_row():
    b = ModelBuilder()
    b.add("f", sum([]) <= 1)
    assert b.build().linear == ()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda b, x, z: b.at_most_one("f", [[x, z]]), r"f: choice x of 3 values stands where"),
        (lambda b, x, z: b.at_most_one("f", [x == 1, z]), r"f: expected groups of literals"),
        (lambda b, x, z: b.at_most_one("f", x), r"f: expected groups of literals"),
        (lambda b, x, z: b.exactly_one("f", [["x"]]), "f: expected whole numbers or literals"),
        (lambda b, x, z: b.exactly_one("f", [[0, 5]]), r"f: a literal outside 0 .. 4"),
        (lambda b, x, z: b.exactly_one("f", [[-3]]), r"f: a literal outside 0 .. 4"),
        (lambda b, x, z: b.exactly_one("f", [[z]], labels=[]), "f: 0 labels for 1 rows"),
        (lambda b, x, z: x + 1, "choice x of 3 values stands where a literal belongs"),
        (lambda b, x, z: x == 7, r"choice x has no value 7; it has range\(0, 3\)"),
        (lambda b, x, z: x["a"], "choice x has no value 'a'"),
        (lambda b, x, z: x + z <= 3, r"its number is sum\(v \* \(x == v\) for v in x.values\)$"),
        (lambda b, x, z: x < 2, "such as x == 0; its number is sum"),
        (lambda b, x, z: b.choice("y", "ab") + z, "say which value, such as y == 'a'$"),
        (lambda b, x, z: x == z, "x == z: a choice is compared with one of its values; for equal"),
        (lambda b, x, z: x != z, "x != z: a choice is compared with .*; for different ones at_m"),
        (lambda b, x, z: x != x[1], "x != x == 1: a choice is compared with one of its values$"),
        (lambda b, x, z: x[1] != z + 1, "of two literals a \\+ b == 1 says that they differ"),
        (lambda b, x, z: x == x[1], "a choice is compared with one of its values"),
        (lambda b, x, z: bool(x == 1), "neither true nor false"),
        (lambda b, x, z: x == 1 or z, "neither true nor false"),
        (lambda b, x, z: 0 <= x[1] + z <= 1, "one comparison each"),
        (lambda b, x, z: x[1] + z < 2, "< 2: sums are whole numbers, so use <= 1$"),
        (lambda b, x, z: x[1] + z > 0, "> 0: sums are whole numbers, so use >= 1$"),
        (lambda b, x, z: np.int64(0) < ~z, "> 0: sums are whole numbers, so use >= 1$"),
        (lambda b, x, z: x[1] < z, r"so use <= \(\+1 \(z == 1\)\) -1$"),
        (lambda b, x, z: x[1] & z, r"^\(x == 1\) & \(z\): in a row a \+ b >= 2 says that both"),
        (lambda b, x, z: x[1] & (z + 1), r"for an objective: ModelBuilder.objective\(\[a\], 1, \["),
        (lambda b, x, z: x[1] | z, r"at_least_one\(family, \[\[a, b\]\]\) says that one of them"),
        (lambda b, x, z: 1 ^ z, r"exactly_one\(family, \[\[a, b\]\]\) says that one of them alone"),
        (lambda b, x, z: (z <= 1) & (x[1] >= 0), "both hold if each is added by itself"),
        (lambda b, x, z: (z <= 1) | (x[1] >= 0), "that one of two rows holds is no row"),
        (lambda b, x, z: b.minimize(x[1] * z), r"for ModelBuilder.objective\(literals, coeff"),
        (lambda b, x, z: x[1] ** 2, r"\(x == 1\) \*\* 2: a row is a sum of literals, without pro"),
        (lambda b, x, z: x[1] / 2, "coefficients are whole; fractions are for ModelBuilder.obj"),
        (lambda b, x, z: b.minimize(0.5 * z), "got 0.5; fractions are for ModelBuilder.objective"),
        (lambda b, x, z: x[1] + "a", "expected a literal, a sum or a whole number, got 'a'$"),
        (lambda b, x, z: x[1] * z, "without products"),
        (lambda b, x, z: 0.5 * x[1], "expected a literal, a sum or a whole number, got 0.5"),
        (lambda b, x, z: ~x[1], "is no literal"),
        (lambda b, x, z: b.add("f", x == 1), "f: expected a comparison"),
        (lambda b, x, z: b.precedence("f", x, x, 1), "f: expected a sequence of choices"),
        (lambda b, x, z: b.precedence("f", [x[1]], [x], 1), "f: expected choices, got the literal"),
        (
            lambda b, x, z: b.choice("y", 5),
            r"choice y: expected a sequence .*, got 5; range\(5\)\?",
        ),
        (lambda b, x, z: b.choice("y", [[1]]), "choice y: expected a sequence of values"),
        (lambda b, x, z: b.bit("y", values=(0, 0)), "choice y lists a value twice"),
        (lambda b, x, z: b.bit("y", values=(0, 1, 2)), "bit y has 3 values, not two"),
        (lambda b, x, z: b.linear("f", 0, z, shape=(1,)), "f: expected a sequence of literals"),
        (lambda b, x, z: b.linear("f", [0], [x], shape=(1,)), "where a literal belongs"),
        (lambda b, x, z: b.rows("f").add([z], lower=2, upper=1), r"f\[0\]: lower bound above"),
        (lambda b, x, z: b.rows("f").add([z], [1, 2]), "f: expected 1 or 1 numbers"),
        (lambda b, x, z: b.connected("f", [z, z], [0, 1]), "f: expected pairs of nodes"),
        (lambda b, x, z: list(x), "not iterable"),
    ],
)
def test_wrong_use_is_an_error_at_its_line(wrong, message):
    b = ModelBuilder()
    x, z = b.choice("x", range(3)), b.bit("z")
    with pytest.raises((ModelError, TypeError), match=message):
        wrong(b, x, z)


def test_a_reading_from_before_the_last_choice_is_refused():
    b = ModelBuilder()
    b.bit("a")
    field = Field((1, 1), 0, 1, (b.view("cells", [0], [1], n_cells=1),), list)
    b.bit("b")
    with pytest.raises(ModelError, match="view cells was made before the last choice"):
        b.build(field)


def test_known_literals_are_folded_in():
    b = ModelBuilder()
    x = b.choice("x", range(3))
    b.exactly_one("one", [[x == 0, True], [x == 1, False], [True], [True, True], []], "abcde")
    b.rows("sum").add(np.array([[0, TRUE, FALSE], [FALSE, TRUE, FALSE]]), [2, 3, 4], upper=4)
    model = b.build()
    one, total = model.linear
    assert [one.labels(i) for i in range(len(one.lower))] == ["a", "b", "d", "e"]
    assert one.lower.tolist() == one.upper.tolist() == [0, 1, -1, 1]
    assert total.matrix.toarray().tolist() == [[2, 0, 0]]
    assert (total.lower.tolist(), total.upper.tolist()) == ([-UNBOUNDED], [1])
    view = b.view("cells", [0, 0, 1, 2], [1, TRUE, TRUE, FALSE], [1, 2, 3, 4], n_cells=3)
    assert view.base.tolist() == [2, 3, 0]
    assert view.matrix.toarray().tolist() == [[0, 1, 0], [0] * 3, [0] * 3]


def test_known_nodes_and_edges_are_folded_in():
    b = ModelBuilder()
    first, second = b.bit("first"), b.bit("second")
    b.connected("white", [True, first, False, second, True], [(0, 1), (1, 2), (2, 3), (3, 4)])
    b.acyclic("loop", [first, True, True, False], [(0, 1), (1, 2), (2, 0), (0, 0)])
    model = b.build()
    assert model.values(model.assignment([0, 0, True])) == {"first": 0, "second": 0, "true": True}
    costs = [violations(model, x) for x in assignments(model)]
    assert [(cost["white"], cost["loop"]) for cost in costs] == [(1, 0), (1, 0), (1, 1), (1, 1)]


def test_rows_are_collected_in_blocks():
    b = ModelBuilder()
    x = b.choice("x", range(4))
    rows = b.rows("f")
    assert b.rows("f") is rows
    rows.add([x == 0, x == 1], [1, -1], lower=0)
    rows.add(np.array([[0, 1], [2, FALSE]]), upper=[1, 0], labels=["p", "q"])
    rows.add([1, 3, 2], rows=[0, 0, 1], upper=1)
    rows.add(np.array([[x[0], True], [x[1], False]]), upper=1)
    b.add("f", x[3] + x[2] <= 1)
    (block,) = b.build().linear
    assert [block.labels(i) for i in range(6)] == ["f[0]", "p", "q", "f[3]", "f[4]", "f[5]"]
    assert block.labels(7) == "f[7]"
    assert block.matrix.toarray().tolist() == [
        [1, -1, 0, 0],
        [1, 1, 0, 0],
        [0, 0, 1, 0],
        [0, 1, 0, 1],
        [0, 0, 1, 0],
        [1, 0, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 1, 1],
    ]
    assert block.upper.tolist() == [UNBOUNDED, 1, 0, 1, 1, 0, 1, 1]


def test_the_choices_of_literals_are_computed_once():
    b = ModelBuilder()
    b.choice("x", range(3))
    b.bit("y")
    model = b.build()
    assert model.choice_of_literal.tolist() == [0, 0, 0, 1, 1]
    assert model.choice_of_literal is model.choice_of_literal
    assert model.sizes is model.sizes


def test_half_a_million_couplings_take_no_loop():
    b = ModelBuilder()
    first = b.choice("x", range(1000)).literals
    literals = np.tile(np.array(first), 500)
    b.linear("f", np.repeat(np.arange(500), 1000), literals, upper=1, shape=(500,))
    assert b.build().linear[0].matrix.nnz == 500_000


@given(models(graphs=True))
def test_restored_solutions_are_those_of_the_whole_model(model):
    found = propagate(model)
    if found.contradiction is None:
        restored = [
            found.restore(x).tobytes()
            for x in assignments(found.model)
            if violation(found.model, x) == 0
        ]
        whole = {x.tobytes() for x in assignments(model) if violation(model, x) == 0}
        assert len(restored) == len(set(restored))
        assert set(restored) == whole
    else:
        assert all((found.restore(x) == x).all() for x in assignments(model)[:3])


def check_twins(model, answer=None):
    """Copies of a model, also of what propagation leaves, mean the same."""
    reduced = propagate(model)
    for twin in (copy(model), deepcopy(model), pickle.loads(pickle.dumps(model))):  # noqa: S301
        assert twin.families == model.families
        assert twin.choices == model.choices
        for block, own in zip(twin.linear, model.linear, strict=True):
            rows = range(min(3, len(own.lower)))
            assert [block.labels(i) for i in rows] == [own.labels(i) for i in rows]
        if answer is not None:
            x = twin.assignment(twin.field.write(answer))
            assert violation(twin, x) == 0
            assert (twin.field.read(x)[0] == answer).all()
        other = pickle.loads(pickle.dumps(reduced))  # noqa: S301
        assert other.model.n_literals == reduced.model.n_literals


@given(models(graphs=True))
def test_models_are_copied_and_pickled(model):
    check_twins(model)


OWN = [name for name in puzzle_names() if get_puzzle(name).__module__.startswith("qubopuzzle.")]


@pytest.mark.parametrize(
    ("name", "formulation"), [(n, f) for n in OWN for f in get_puzzle(n).formulations]
)
def test_models_of_puzzles_are_copied_and_pickled(name, formulation):
    done = 0
    for puzzle in get_puzzle(name).examples():
        with suppress(InputError):  # some are for some instances only
            model = puzzle.model(formulation)
            done += 1
            check_twins(model, puzzle.solution)
    assert done


def test_handles_of_another_builder_are_refused():
    one, other = ModelBuilder(), ModelBuilder()
    x = one.choice("x", range(4))
    w = other.choice("w", range(4))
    for wrong in (
        lambda: one.add("f", (x == 1) + (w == 2) <= 1),
        lambda: one.exactly_one("f", [[x == 1, w == 2]]),
        lambda: one.precedence("f", [x], [w], 1),
        lambda: one.connected("f", [x == 1, w == 2], [(0, 1)]),
        lambda: one.view("f", [0], [w == 1], n_cells=1),
    ):
        with pytest.raises(ModelError, match="choice w is of another builder"):
            wrong()
    twin = deepcopy(one)
    twin.add("f", (x == 1) + (x == 2) >= 1)
    assert len(twin.build().linear) == 1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda b, z: b.choice(None, [1]), "expected a choice's name, got None"),
        (lambda b, z: b.add(None, z <= 1), "expected a family's name, got None"),
        (lambda b, z: b.add("f", z <= 1, label=3), "f: expected labels, got 3"),
    ],
)
def test_names_are_texts(wrong, message):
    builder = ModelBuilder()
    with pytest.raises(ModelError, match=message):
        wrong(builder, builder.bit("z"))


def test_only_one_value_of_a_choice_counts_for_what_a_row_reaches():
    """And what is known counts each time."""
    b = ModelBuilder()
    x = b.choice("x", range(1000))
    b.rows("row").add(x.literals, np.arange(1000) * 2**43, upper=2**52)
    found = b.build()
    assert found.linear[0].cost(found.assignment([999])).item() == 2**21 * (2**22 + 1)
    refused(lambda b: b.rows("row").add([TRUE] * 65, 2**47, upper=1), r"row\[0\]: .* add up")


@pytest.mark.parametrize("n_edges", [0, 20, 60, 400])
def test_components_are_those_of_scipy(n_edges):
    rng = np.random.default_rng(n_edges)
    for _ in range(20):
        edges = rng.integers(0, 60, (n_edges, 2))
        true = rng.random(60) < 0.7
        graph = Connected("linked", np.arange(60), edges)
        inside = edges[true[edges].all(axis=1)]
        matrix = csr_array((np.ones(len(inside)), inside.T), shape=(60, 60))
        expected = connected_components(matrix, directed=False)[1]
        component = graph.components(true)
        assert (component[~true] == -1).all()
        assert (component[true] == np.unique(expected[true], return_inverse=True)[1]).all()
        assert graph.joined(true).tolist() == [np.argmax(expected == c) for c in expected]
