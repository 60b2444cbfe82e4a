"""Cells that are shaded, in a model: apart, and with the white ones connected by cuts.

- [adjacent] ``white_u + white_v >= 1`` for cells that share a side;
- [connected] the white cells hang together, which solvers meet by cuts.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.model import UNBOUNDED, Field, IntArray, Model, ModelBuilder
from qubopuzzle.puzzles.kinds.cells import BoolArray

CELL_LIMIT = 250_000
"""Most cells of a model."""

Write: TypeAlias = Callable[[IntArray], Sequence[Hashable]]
Step: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Shaded:
    """Cells in a builder, of which some become black.

    ``white`` (rows, columns) says by which literal a cell is white; -1 where it is white
    anyhow and has no choice. ``write`` gives the value of each cell's choice for an answer.
    """

    builder: ModelBuilder
    white: IntArray
    write: Write

    def count(
        self,
        family: str,
        groups: Sequence[IntArray],
        *,
        least: Sequence[int] | None = None,
        most: Sequence[int] | None = None,
    ) -> None:
        """Bounds for the number of black cells in each group; cells by row-major number."""
        cells = np.concatenate([*groups, np.zeros(0, dtype=np.int64)])
        literals = self.white.ravel()[cells]
        free = literals >= 0
        rows = np.repeat(np.arange(len(groups)), [len(group) for group in groups])[free]
        n_free = np.bincount(rows, minlength=len(groups))
        self.builder.linear(
            family,
            rows,
            literals[free],
            lower=-UNBOUNDED if most is None else n_free - np.array(most, dtype=np.int64),
            upper=UNBOUNDED if least is None else n_free - np.array(least, dtype=np.int64),
            shape=(len(groups),),
        )

    def build(self, write_rest: Write = lambda _: ()) -> Model:
        """The model; ``write_rest`` is ``write`` for the choices that came after the cells."""
        free = np.flatnonzero(self.white.ravel() >= 0)
        base = (self.white.ravel() >= 0).astype(np.int64)
        reading = self.builder.reading(
            "cells", free, self.white.ravel()[free], -1, base=base, n_cells=self.white.size
        )
        write = partial(_write, self, write_rest)
        return self.builder.build(Field(self.white.shape, 0, 1, (reading,), write))


def _write(shaded: Shaded, write_rest: Write, answer: IntArray) -> list[Hashable]:
    if (answer[shaded.white < 0] != 0).any():
        raise InputError("the answer has a black cell where none can be")
    return [*shaded.write(answer), *write_rest(answer)]


def check_size(never_black: BoolArray) -> None:
    """Raise TooLarge for more than ``CELL_LIMIT`` cells."""
    if never_black.size > CELL_LIMIT:
        raise TooLarge(f"a model of {never_black.size:,} cells; at most {CELL_LIMIT:,} fit")


def lazy(never_black: BoolArray) -> Shaded:
    """One bit a cell, and white cells connected."""
    check_size(never_black)
    builder = ModelBuilder()
    white = np.full(never_black.shape, -1, dtype=np.int64)
    for r, c in np.argwhere(~never_black).tolist():
        white[r, c] = builder.bit(f"black[{r},{c}]").literals[0]
    keep_apart(builder, white)
    # A cell that is white anyhow is a node all the same.
    nodes = white.copy()
    if (white < 0).any():
        nodes[white < 0] = builder.choice("white", ["white"]).literals[0]
    sides = side_by_side(np.arange(white.size).reshape(white.shape))
    builder.connected("connected", nodes.ravel(), sides)
    free = ~never_black
    rest = ["white"] if (white < 0).any() else []
    return Shaded(builder, white, lambda answer: [*answer[free].tolist(), *rest])


def step_by(step: Step) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
    """The cells that have a neighbour by a step, and those neighbours, as parts of a grid."""
    here = tuple(slice(max(0, -d), -d if d > 0 else None) for d in step)
    there = tuple(slice(max(0, d), d if d < 0 else None) for d in step)
    return (here[0], here[1]), (there[0], there[1])


def side_by_side(numbers: IntArray) -> IntArray:
    """The numbers of any two cells that share a side, shape (n, 2)."""
    pairs = [(numbers[here], numbers[there]) for here, there in map(step_by, ((0, 1), (1, 0)))]
    return np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in pairs])


def keep_apart(builder: ModelBuilder, white: IntArray) -> None:
    """[adjacent]: of two cells that share a side one is white."""
    sides = side_by_side(white)
    sides = sides[(sides >= 0).all(axis=1)]
    rows = np.repeat(np.arange(len(sides)), 2)
    builder.linear("adjacent", rows, sides.ravel(), lower=1, shape=(len(sides),))
