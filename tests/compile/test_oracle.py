"""Statements that do not go together, against enumeration."""

from itertools import pairwise, product

import numpy as np
import pytest

from qubopuzzle import ModelBuilder
from qubopuzzle.compile.oracle import Oracle
from qubopuzzle.errors import OutOfTime
from qubopuzzle.model.cuts import cuts_of
from qubopuzzle.model.statements import StatedModel, Statement


def random_model(rng):
    b = ModelBuilder()
    choices = []
    for i in range(rng.integers(1, 5)):
        size = int(rng.integers(1, 5))
        bit = size == 2 and rng.random() < 0.5
        choices.append(b.bit(f"b{i}") if bit else b.choice(f"c{i}", range(size)))
    n = b.n_literals
    for _ in range(rng.integers(1, 7)):
        length = int(rng.integers(1, 6))
        signs = rng.choice([1, -1], length)
        coefficients = rng.integers(-3, 4, length) if rng.random() < 0.5 else signs
        low = int(rng.integers(-4, 3))
        bounds = {"lower": low, "upper": low + int(rng.integers(0, 4))}
        bounds.pop(*rng.choice([["lower"], ["upper"], ["none"]]), None)
        literals = rng.integers(0, n, length)
        b.rows(f"f{rng.integers(0, 3)}").add(literals, coefficients, **bounds)
    numbers = [choice for choice in choices if not choice.choice.is_bit]
    for _ in range(rng.integers(0, 3) if len(numbers) > 1 else 0):
        i, j = rng.choice(len(numbers), 2, replace=False)
        b.precedence("order", [numbers[i]], [numbers[j]], int(rng.integers(-1, 3)))
    if rng.random() < 0.3:
        b.connected("connected", rng.integers(0, n, 4), [[0, 1], [1, 2], [2, 3]])
    if rng.random() < 0.3:
        b.acyclic("acyclic", rng.integers(0, n, 3), [[0, 1], [1, 2], [2, 0]])
    return b.build()


def broken_statements(stated, x):
    """Numbers of the statements that an assignment breaks, straight from the constraints."""
    model, broken = stated.model, []
    for block in model.linear:
        broken += (block.cost(x) > 0).tolist()
    value = [int(np.flatnonzero(part)[0]) for part in np.split(x, model.first_literal[1:-1])]
    for block in model.precedence:
        ends = zip(block.first, block.second, block.gap, strict=True)
        broken += [value[second] < value[first] + gap for first, second, gap in ends]
    broken += [bool(cuts_of(graph, x)) for graph in model.graphs]
    return {*stated.owner[broken].tolist()}


@pytest.fixture(params=["cadical195", "cpsat", "turns"])
def backend(request):
    if request.param != "cadical195":
        pytest.importorskip("ortools")
    return request.param


@pytest.mark.parametrize("seed", range(150))
def test_statements_that_go_together_are_told_from_those_that_do_not(seed, backend):
    rng = np.random.default_rng(seed)
    model = random_model(rng)
    stated = StatedModel.by_label(model)
    if seed % 3 == 0:  # some always hold
        kept = np.where(rng.random(len(stated.owner)) < 0.3, -1, stated.owner)
        stated = StatedModel(model, stated.statements, kept)
    every = [model.assignment(v) for v in product(*[c.values for c in model.choices])]
    broken = [(broken_statements(stated, x), x) for x in every]

    def go_together(statements, literals):
        held = {*statements, -1}
        return any(not each & held and all(x[literals]) for each, x in broken)

    with Oracle(stated, backend=backend) as oracle:
        for _ in range(6):
            chosen = [i for i in range(len(stated.statements)) if rng.random() < 0.6]
            literals = rng.integers(0, model.n_literals, rng.integers(0, 2)).tolist()
            variables = [oracle.variable(literal) for literal in literals]
            x = oracle.solve(chosen, variables)
            assert (x is not None) == go_together(chosen, literals)
            if x is not None:
                assert not broken_statements(stated, x) & {*chosen, -1}
                assert stated.broken(x) == broken_statements(stated, x) - {-1}
                assert all(x[literals])
                continue
            assert not go_together(oracle.core()[0], literals)
            needed = oracle.minimal(chosen, variables)
            assert {*needed} <= {*chosen}
            assert not go_together(needed, literals)
            for number in needed:
                assert go_together([n for n in needed if n != number], literals)


@pytest.mark.parametrize("seed", range(30))
def test_answers_that_are_excluded_do_not_come_again(seed, backend):
    model = random_model(np.random.default_rng(seed))
    stated = StatedModel.by_label(model)
    every = [model.assignment(v) for v in product(*[c.values for c in model.choices])]
    expected = [x.tolist() for x in every if not broken_statements(stated, x)]
    answers = []
    with Oracle(stated, backend=backend) as oracle:
        while (x := oracle.solve(range(len(stated.statements)))) is not None:
            answers.append(x.tolist())
            oracle.exclude(x)
    assert sorted(answers) == sorted(expected)


@pytest.mark.parametrize("seed", range(30))
def test_clauses_can_be_added_to_a_model_of_which_nothing_can_be_left_out(seed, backend):
    """Over variables of its literals, for as long as a variable of its own is assumed."""
    rng = np.random.default_rng(seed)
    model = random_model(rng)
    every = [model.assignment(v) for v in product(*[c.values for c in model.choices])]
    expected = [x for x in every if not broken_statements(StatedModel.by_label(model), x)]
    literals = np.arange(model.n_literals)
    stated = StatedModel.whole(model, literals[literals % 2 == 0])
    assert len(stated.owner) == len(StatedModel.by_label(model).owner)
    with Oracle(stated, backend=backend) as oracle:
        chosen = rng.integers(0, model.n_literals, rng.integers(0, 4)).tolist()
        switch = oracle.fresh()
        oracle.add([-switch, *map(oracle.variable, chosen)])
        answers = []
        while (x := oracle.solve((), [switch])) is not None:
            answers.append(x.tolist())
            oracle.add(-oracle.variable(literal) for literal in np.flatnonzero(x).tolist())
        assert sorted(answers) == sorted(x.tolist() for x in expected if x[chosen].any())
        other = oracle.solve((), [-switch])
        assert (other is None) == (len(answers) == len(expected))


@pytest.mark.parametrize("seed", range(30))
def test_sets_shrink_to_the_minimal_one_and_never_go_together(seed, backend):
    stated = StatedModel.by_label(random_model(np.random.default_rng(seed)))
    every = range(len(stated.statements))
    with Oracle(stated, backend=backend) as oracle:
        sets = [*oracle.shrinking(every)]
        assert all({*after} < {*before} for before, after in pairwise(sets))
        assert [oracle.solve(each) for each in sets] == [None] * len(sets)
        for left_out in sets[-1] if sets else ():
            assert oracle.solve({*sets[-1]} - {left_out}) is not None


def test_a_literal_puts_a_statement_in_force(backend):
    b = ModelBuilder()
    switch, x = b.bit("switch"), b.bit("x")
    b.add("on", switch <= x)
    b.add("off", x <= 0)
    statements = Statement("on", "on", literal=switch.literals[1]), Statement("off", "off")
    stated = StatedModel(b.build(), statements, np.array([-1, 1]))
    with Oracle(stated, backend=backend) as oracle:
        assert oracle.solve([0])[x.literals[1]] == 1
        assert oracle.solve([1]) is not None
        assert oracle.minimal([0, 1]) == [0, 1]
    assert stated.broken(stated.model.assignment([0, 1])) == {0, 1}


def test_the_time_limit_is_kept(backend):
    b = ModelBuilder()
    holes = [b.choice(f"pigeon{i}", range(12)) for i in range(13)]
    b.at_most_one("hole", [[pigeon == hole for pigeon in holes] for hole in range(12)])
    stated = StatedModel.by_label(b.build())
    # What takes a SAT solver for ever CP-SAT sees at once.
    limits = {"cadical195": 0.5, "cpsat": 1e-4, "turns": 1e-4}
    limits = {"time_limit": limits[backend], "backend": backend}
    with Oracle(stated, **limits) as oracle, pytest.raises(OutOfTime):
        oracle.solve(range(len(stated.statements)))
