"""All grids, all bits and all choices of what is small enough, tried one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import prod

import numpy as np

from qubopuzzle.compile import compile_qubo
from qubopuzzle.model import IntArray, Model
from qubopuzzle.model.data import Field
from qubopuzzle.model.semantics import violations_of
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.puzzles.base import obeys as obeys
from qubopuzzle.testing.demands import demand

MOST_BITS = 16
MOST_GRIDS = 1 << 13
MOST_CHOICES = 1 << 16


def all_bits(n: int) -> IntArray:
    """All 0/1 vectors, shape (2**n, n).

    >>> all_bits(2).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    vectors: IntArray = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    return vectors


@lru_cache(maxsize=64)
def right_grids(puzzle: Puzzle, most: int = MOST_GRIDS) -> list[bytes] | None:
    """All grids that the rules accept, sorted, as bytes; None where there are too many to try.

    >>> from qubopuzzle import Nonogram
    >>> len(right_grids(Nonogram(rows=[[1], [1]], cols=[[1], [1]])))
    2
    """
    grids = all_grids(field_of(puzzle.model()), most, getattr(puzzle, "values", None))
    return None if grids is None else sorted(g.tobytes() for g in grids if obeys(puzzle, g))


def field_of(model: Model) -> Field:
    """The field of a puzzle's model."""
    demand(model.field is not None, "a model paints no answer: build(field)")
    assert model.field is not None  # noqa: S101 - for mypy
    return model.field


def all_grids(
    field: Field, most: int, values: Sequence[int] | None = None
) -> Iterator[IntArray] | None:
    """All grids of these values, by default a field's; None where there are more than ``most``."""
    known = np.array(values if values is not None else range(field.low, field.high + 1))
    n_values, n_cells = len(known), prod(field.shape)
    if n_values**n_cells > most:
        return None
    numbers = np.arange(n_values**n_cells, dtype=np.int64)
    return (
        known[number // n_values ** np.arange(n_cells) % n_values].reshape(field.shape)
        for number in numbers
    )


def zero_energy_grids(
    model: Model, encoding: str = "one-hot", most_bits: int = MOST_BITS
) -> list[bytes] | None:
    """What the bit strings of energy 0 paint, sorted, as bytes; None for too many bits.

    Grids stand there as often as there are such strings.

    Raises:
        AssertionError: for an energy below 0 or between 0 and 1, and for views that disagree.
    """
    qubo = compile_qubo(model, encoding)
    if qubo.n_bits > most_bits:
        return None
    bits = all_bits(qubo.n_bits)
    energies = qubo.total().energies(bits)
    between = energies[(energies != 0) & (energies < 1)]
    demand(not len(between), f"{encoding} has energies such as {between[:1]}: neither 0 nor >= 1")
    return painted(model, qubo.decode(bits[energies == 0]))


def met_grids(model: Model, most: int = MOST_CHOICES) -> list[bytes] | None:
    """What all valid choices that meet a model paint, sorted, as bytes; None for too many."""
    sizes = [len(choice.values) for choice in model.choices]
    if prod(sizes) > most:
        return None
    taken = np.indices(sizes).reshape(len(sizes), prod(sizes)).T + model.first_literal[:-1]
    rows = np.zeros((len(taken), model.n_literals), dtype=np.int64)
    np.put_along_axis(rows, taken, 1, axis=1)
    costs = sum(violations_of(model, rows).values(), np.zeros(len(rows), dtype=np.int64))
    return painted(model, rows[costs == 0])


def painted(model: Model, assignments: IntArray) -> list[bytes]:
    """The grids of assignments, sorted; where the model leaves nothing out their views agree."""
    grids, broken = field_of(model).read_all(assignments)
    torn = np.argwhere(broken)[:, 1:].tolist()
    demand(not torn or bool(model.omitted), f"views of a solution disagree on {torn[:1]}")
    return sorted(grid.tobytes() for grid in grids)
