"""Random small instances and models, and their brute force."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import strategies as st

from qubopuzzle import Nonogram, Program
from qubopuzzle.model import UNBOUNDED, ChoiceHandle, Field, Model, ModelBuilder
from qubopuzzle.puzzles.nonogram.rules import clue_of


@st.composite
def models(
    draw: st.DrawFn, max_choices: int = 4, max_values: int = 4, graphs: bool = False
) -> Model:
    """Random models of a few choices, linear constraints, precedences, graphs and likely bits."""
    builder = ModelBuilder()
    numbered = []
    for c in range(draw(st.integers(1, max_choices))):
        if draw(st.booleans()) and draw(st.booleans()):
            numbered.append(builder.bit(f"bit[{c}]"))
            continue
        size = draw(st.integers(1, max_values))
        start, step = draw(st.integers(-3, 3)), draw(st.integers(1, 2))
        numbered.append(builder.choice(f"c[{c}]", range(start, start + step * size, step)))
    n = builder.build().n_literals
    for family in draw(st.lists(st.sampled_from(["red", "green"]), max_size=3)):
        rows = draw(st.integers(1, 2))
        terms = draw(
            st.lists(
                st.tuples(st.integers(0, rows - 1), st.integers(0, n - 1), st.integers(-3, 3)),
                min_size=1,
                max_size=6,
            )
        )
        lower, upper = draw(bounds())
        builder.linear(family, *np.array(terms).T, lower=lower, upper=upper, shape=(rows,))
    for _ in range(draw(st.integers(0, 2)) if numbered else 0):
        first, second = draw(st.sampled_from(numbered)), draw(st.sampled_from(numbered))
        if first is not second:
            builder.precedence("order", [first], [second], [draw(st.integers(-2, 3))])
    if draw(st.booleans()):
        _chained(draw, builder, numbered)
    for _ in range(draw(st.integers(0, 2)) if graphs else 0):
        nodes = draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=8))
        ends = st.integers(0, len(nodes) - 1)
        edges = draw(st.lists(st.tuples(ends, ends), max_size=10))
        builder.connected("together", nodes, np.array(edges, dtype=int).reshape(-1, 2))
    for _ in range(draw(st.integers(0, 2)) if graphs else 0):
        ends = st.integers(0, 4)
        edges = draw(st.lists(st.tuples(st.integers(0, n - 1), ends, ends), max_size=8))
        numbers = np.array(edges, dtype=int).reshape(-1, 3)
        builder.acyclic("forest", numbers[:, 0], numbers[:, 1:])
    bits = [handle.choice.name for handle in numbered if handle.choice.is_bit]
    return builder.build(likely=tuple(name for name in bits if draw(st.booleans())))


def _chained(draw: st.DrawFn, builder: ModelBuilder, numbered: list[ChoiceHandle]) -> None:
    """Choices one after another, and rows that ask for stretches of their values, as cells do."""
    gaps = [draw(st.integers(0, 3)) for _ in numbered[1:]]
    cut = draw(st.integers(0, len(numbered)))  # two chains, as of a row and a column
    kept = [i for i in range(1, len(numbered)) if i != cut]
    builder.precedence(
        "order",
        [numbered[i - 1] for i in kept],
        [numbered[i] for i in kept],
        [gaps[i - 1] for i in kept],
    )
    for _ in range(draw(st.integers(1, 2))):
        literals, coefficients = [], []
        for i, choice in enumerate(numbered):
            own = list(choice.literals)
            start, stop = draw(st.integers(0, len(own))), draw(st.integers(0, len(own)))
            literals += own[start:stop]
            coefficients += [1 if i < cut else -1] * len(own[start:stop])
        low = draw(st.sampled_from([0, 0, 0, -1, 1]))
        high = low + draw(st.sampled_from([0, 0, 1]))
        rows = [0] * len(literals)
        builder.linear("field", rows, literals, coefficients, lower=low, upper=high, shape=(1,))


@st.composite
def bounds(draw: st.DrawFn) -> tuple[int, int]:
    low = draw(st.integers(-3, 3))
    high = low + draw(st.integers(0, 5))
    open_end = draw(st.sampled_from(["none", "none", "low", "high"]))
    return (-UNBOUNDED if open_end == "low" else low), (UNBOUNDED if open_end == "high" else high)


@st.composite
def nonograms(draw: st.DrawFn, max_rows: int = 3, max_cols: int = 4, signs: str = ".#") -> Nonogram:
    """Random clues with equal sums, from one picture or, often unsolvable, from two."""
    shape = draw(st.integers(1, max_rows)), draw(st.integers(1, max_cols))
    cells = draw(
        st.lists(st.integers(0, len(signs) - 1), min_size=shape[0] * shape[1], max_size=9999).map(
            lambda numbers: numbers[: shape[0] * shape[1]]
        )
    )
    by_rows = np.array(cells, dtype=int).reshape(shape)
    shuffled = draw(st.permutations(cells)) if draw(st.booleans()) else cells
    by_cols = np.array(shuffled, dtype=int).reshape(shape)
    return Nonogram(
        rows=[clue_of(line, signs) for line in by_rows.tolist()],
        cols=[clue_of(line, signs) for line in by_cols.T.tolist()],
        colours=dict.fromkeys(signs[1:]),
    )


NAMES = ("a", "a b", "a,b", "e5", "free", "row[1]=2", "x1", "-y")


@st.composite
def programs(
    draw: st.DrawFn, max_variables: int = 4, max_rows: int = 3, bits: bool = False
) -> Program:
    """Programs: rows of ones, fractions, ranges, numbers below zero, products, odd names."""

    def several(numbers: st.SearchStrategy, count: int) -> np.ndarray:
        return np.array(draw(st.lists(numbers, min_size=count, max_size=count)))

    n, m = draw(st.integers(1, max_variables)), draw(st.integers(0, max_rows))
    others = [(1, 1)] if bits else [(0, 3), (-2, 0), (-1, 0), (2, 2)]
    ends = several(st.sampled_from([(0, 1)] * 12 + others), n)
    number = st.sampled_from([0, 0, 1, 1, -1, 2, -0.5, 2.25, -3])
    matrix, low, high = np.zeros((m, n)), np.full(m, -np.inf), np.full(m, np.inf)
    for row in range(m):
        if draw(st.sampled_from([True, True, False])):
            matrix[row] = several(st.sampled_from([1, 1, 1, 1, 0, 0, -1]), n)
            side = 1 - (matrix[row] < 0).sum()
        else:
            matrix[row] = several(number, n) * draw(st.sampled_from([1, 1 / 3]))
            side = matrix[row] @ [draw(st.integers(*pair)) for pair in ends.tolist()]
        kind = draw(st.sampled_from(["equal", "equal", "most", "least", "between"]))
        if kind != "most":
            low[row] = side - (kind == "between") * draw(st.sampled_from([0.5, 2]))
        if kind != "least":
            high[row] = side
    return Program.of(
        matrix,
        low,
        high,
        lower=ends[:, 0],
        upper=ends[:, 1],
        cost=several(number, n) if draw(st.sampled_from([True, True, False])) else 0,
        quadratic=several(number, n * n).reshape(n, n) if draw(st.booleans()) else None,
        offset=draw(st.sampled_from([0, -1.5, 7])),
        maximize=draw(st.booleans()),
        variables=draw(st.permutations(NAMES))[:n],
        rows=draw(st.permutations(NAMES))[:m],
    )


def points(program: Program) -> np.ndarray:
    """All values within bounds, shape (points, variables)."""
    ranges = (range(*ends) for ends in zip(program.lower, program.upper + 1, strict=True))
    return np.array(list(product(*ranges)))


def meaning(program: Program) -> dict[tuple[int, ...], float]:
    """A program's solutions with their objectives."""
    return {
        tuple(values): round(program.objective_of(values), 9)
        for values in points(program).tolist()
        if not program.broken(np.array(values))
    }


def assignments(model: Model) -> np.ndarray:
    """All valid literal vectors, shape (assignments, literals)."""
    found = [model.assignment(values) for values in product(*(c.values for c in model.choices))]
    return np.array(found).reshape(len(found), model.n_literals)


def literal_field(model: Model) -> Field:
    """A field whose cells are the literals themselves."""
    builder = ModelBuilder()
    for choice in model.choices:
        builder.choice(choice.name, choice.values)
    n = model.n_literals
    view = builder.view("literals", np.arange(n), np.arange(n), n_cells=n)

    def write(x: np.ndarray) -> list:
        return list(model.values(x).values())

    return Field((1, n), 0, 1, (view,), write)
