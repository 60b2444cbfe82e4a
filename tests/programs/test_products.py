"""Bits that two others decide: found in rows, put into the objective, and said in answers."""

import itertools
import json

import dimod
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qubopuzzle import AnnealingSampler, InputError, Program, form, load, solve
from qubopuzzle.model import violation
from qubopuzzle.model.native import model_from_dict, model_to_dict
from qubopuzzle.programs.grouping import grouped_model, n_groupings
from qubopuzzle.programs.summary import summary
from strategies import meaning


def linearised(n, pairs, prices, costs=0.0, *, sides=("up", "down"), **parts):
    """A program of ``n`` bits and one for each product; rows are its bounds on some sides."""
    rows, low = [], []
    for k, (one, other) in enumerate(pairs, n):
        for terms in ({one: 1, k: -1}, {other: 1, k: -1}) if "up" in sides else ():
            rows.append(terms)
            low.append(0)
        if "down" in sides:
            rows.append({one: -1, other: -1, k: 1})
            low.append(-1)
    matrix = np.zeros((len(rows), n + len(pairs)))
    for row, terms in enumerate(rows):
        matrix[row, [*terms]] = [*terms.values()]
    cost = np.append(np.broadcast_to(costs, n), prices)
    return Program.of(matrix, np.array(low), cost=cost, **parts)


def read(model):
    """Of each valid assignment the values, and the model's objective."""
    for values in itertools.product(*(choice.values for choice in model.choices)):
        x = model.assignment(values)
        if not violation(model, x):
            yield tuple(model.field.read(x)[0].tolist()), model.objective.value(x)


@st.composite
def small_rows(draw):
    """Programs of bits with rows of two and three of them, and mostly with costs."""
    n, number = draw(st.integers(3, 6)), st.sampled_from([-2, -1, -1, 1, 1, 3])
    matrix = np.zeros((draw(st.integers(1, 5)), n))
    for row in matrix:
        columns = draw(st.lists(st.integers(0, n - 1), min_size=2, max_size=3, unique=True))
        row[columns] = [draw(number) for _ in columns]
    ends = np.stack([np.minimum(matrix, 0).sum(axis=1), np.maximum(matrix, 0).sum(axis=1)])
    side = np.array([draw(st.integers(int(low), int(high))) for low, high in ends.T])
    kind = np.array([draw(st.sampled_from("<>>=")) for _ in side])
    low = np.where(kind == "<", -np.inf, side)
    high = np.where(kind == ">", np.inf, side)
    cost = [draw(st.sampled_from([0, 0, 1, -1, 2.5])) for _ in range(n)]
    squares = np.zeros((n, n))
    if draw(st.booleans()):
        squares[0, 1] = draw(st.sampled_from([-3, 2]))
    maximize = draw(st.booleans())
    return Program.of(matrix, low, high, cost=cost, quadratic=squares, maximize=maximize)


@given(small_rows())
def test_the_best_values_stay_and_no_wrong_ones_come(program):
    expected, sign = meaning(program), -1 if program.maximize else 1
    for grouping in range(n_groupings(program)):
        model = grouped_model(program, grouping)
        if model.objective is None:
            continue
        found = dict(read(model))
        for values, objective in found.items():
            assert sign * objective == pytest.approx(expected[values])
        best = min((sign * value for value in expected.values()), default=None)
        assert min(found.values(), default=None) == pytest.approx(best)


@pytest.mark.parametrize("maximize", [False, True])
def test_rows_that_say_a_product_leave_all_solutions(maximize):
    pairs = [(0, 1), (1, 2), (0, 3), (2, 3)]
    program = linearised(4, pairs, [3, -2, 5, -1], [0, 1, 0, -1], maximize=maximize)
    model = grouped_model(program, 0)
    assert (len(model.choices), len(model.linear), n_groupings(program)) == (4, 0, 1)
    assert dict(read(model)).keys() == meaning(program).keys()


@pytest.mark.parametrize(("sides", "price"), [("up", -2.0), ("down", 2.0)])
def test_the_side_that_the_objective_works_against_is_enough(sides, price):
    program = linearised(4, [(0, 1), (1, 2), (2, 3)], [price] * 3, sides=sides)
    assert not grouped_model(program, 0).linear
    against = linearised(4, [(0, 1), (1, 2), (2, 3)], [-price] * 3, sides=sides)
    for each in (program, against):
        best = min(meaning(each).values())
        assert solve(each, seed=1, reads=4).objective == solve(each, "sat").objective == best


def test_few_products_leave_a_linear_objective():
    program = linearised(4, [(0, 1)], [3], [1, 1, -1, -1])
    model = grouped_model(program, 0)
    assert not model.objective.couplings.nnz
    assert model.linear or len(model.choices) > 4
    # With products of its own, nothing is lost.
    squares = np.zeros((5, 5))
    squares[0, 2] = -1
    quadratic = Program.of(program.matrix, program.row_lower, cost=program.cost, quadratic=squares)
    assert grouped_model(quadratic, 0).objective.couplings.nnz == 2
    assert not grouped_model(quadratic, 0).linear


def test_bits_that_are_others_or_their_negations_need_no_products():
    rows = [[1, -1, 0, 0], [0, 0, 1, 1]]  # x0 = x1, and x2 or x3 alone
    program = Program.of(rows, [0, 1], [0, 1], cost=[1, -3, 2, 5])
    model = grouped_model(program, 0)
    assert (len(model.choices), model.objective.couplings.nnz) == (2, 0)
    assert dict(read(model)) == meaning(program)


def test_a_cut_needs_no_rows():
    """The bit of an edge, between its ends if it is 1, as integer programs have it."""
    edges = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]
    matrix = np.zeros((2 * len(edges), 4 + len(edges)))
    for k, ends in enumerate(edges):
        matrix[2 * k, [*ends, 4 + k]] = [1, 1, -1]
        matrix[2 * k + 1, [*ends, 4 + k]] = [-1, -1, -1]
    low = np.tile([0, -2], len(edges))
    program = Program.of(matrix, low, cost=[0] * 4 + [1] * 5, maximize=True)
    assert summary(program).decided == 5
    assert summary(program).lines()[-1] == "  5 bits decided by others"
    made = form(program, "qubo")
    assert len(made.bqm.variables) == 4
    assert solve(program, "neal", seed=1).objective == max(meaning(program).values()) == 4


def test_the_form_says_the_values_of_all_variables():
    program = linearised(6, [(0, 1), (2, 3), (4, 5)], [-1, -1, 2], variables=[*"abcdefxyz"])
    made = form(program, "qubo")
    answer = made.decode(dict.fromkeys(made.bqm.variables, 1))
    assert answer.valid
    assert answer.values == dict.fromkeys("abcdefxyz", 1)
    result = solve(program, seed=1, reads=2)
    assert result.values["x"] == result.values["a"] * result.values["b"]
    assert made.decode(made.encode(result)).objective == result.objective


def test_samples_of_a_quadratic_model_that_was_made_linear():
    a, b, c, y = dimod.Binaries("abcy")
    cqm = dimod.ConstrainedQuadraticModel()
    cqm.set_objective(-3 * y)
    for label, row in {"one": y - a, "two": y - b}.items():
        cqm.add_constraint_from_model(row, "<=", 0, label=label)
    cqm.add_constraint_from_model(a + b - y, "<=", 1, label="both")
    cqm.add_constraint_from_model(a + b + c, "<=", 2, label="few")
    start = {"a": 1, "b": 0, "c": 1, "y": 1}
    for given_states in (None, start):
        samples = AnnealingSampler().sample_cqm(
            cqm, num_reads=3, seed=1, initial_states=given_states
        )
        assert samples.first.is_feasible
        assert samples.first.energy == -3
        assert all(row["y"] == row["a"] * row["b"] for row in samples.samples())


def test_presolving_decides_what_is_decided_by_decided_ones():
    program = linearised(3, [(0, 1), (1, 2)], [5, 5], [1, -3, 1])
    fixed = Program.of(
        np.vstack([program.matrix.toarray(), [[1, 0, 0, 0, 0]]]),
        np.append(program.row_lower, 1),
        cost=program.cost,
        quadratic=np.diag([0, 1, 0, 0], 1),
    )
    result = solve(fixed, "sat", presolve="propagate")
    assert result.objective == min(meaning(fixed).values())
    assert result.presolve["cells_decided"] == 1


# --- as JSON ---------------------------------------------------------------------------


def described():
    program = linearised(3, [(0, 1), (1, 2)], [5, -4], [0, 0, -1], maximize=True)
    return program, model_to_dict(grouped_model(program, 0))


def test_a_model_keeps_them_as_json(tmp_path):
    program, data = described()
    model = model_from_dict(json.loads(json.dumps(data)))
    assert dict(read(model)) == {x: -value for x, value in meaning(program).items()}
    path = tmp_path / "model.json"
    path.write_text(json.dumps(data))
    (again,) = load(path)
    assert solve(again, "sat").objective == -max(meaning(program).values())


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("cell", [], "whole numbers"),
        ("cell", [3.5, 4], "whole numbers"),
        ("cell", [3], "four values each"),
        ("cell", [3, 5], r"outside 0 \.\. 4"),
        ("others", [[0, 1], [1, 3]], "decide others"),
        ("others", [[0, 1], [1, -1]], r"outside 0 \.\. 4"),
        ("others", [0, 1], "four values each"),
        ("table", [[0, 0, 0, 2], [0, 0, 0, 1]], "other than 0 and 1"),
        ("table", [[0, 0, 0], [0, 0, 1]], "four values each"),
        ("table", [[0], [0, 0, 1]], "JSON of a model"),
    ],
)
def test_wrong_ones_are_named(key, value, why):
    data = described()[1]
    data["field"]["decided"][key] = value
    with pytest.raises(InputError, match=why):
        model_from_dict(data)
