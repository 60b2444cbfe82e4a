"""Cells that are shaded, in a model: apart, and with the white ones connected by cuts.

- [adjacent] ``white_u + white_v >= 1`` for cells that share a side;
- [connected] the white cells are connected, which solvers meet by cuts.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.model import TRUE, UNBOUNDED, Field, IntArray, Model, ModelBuilder
from qubopuzzle.puzzles.kinds.cells import BoolArray

CELL_LIMIT = 250_000
"""Most cells of a model."""

Write: TypeAlias = Callable[[IntArray], Sequence[Hashable]]
Step: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Shaded:
    """Cells in a builder, of which some become black.

    ``white`` (rows, columns) says by which literal a cell is white; ``TRUE`` where it is white
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
        size = np.array([len(group) for group in groups], dtype=np.int64)
        self.builder.linear(
            family,
            np.repeat(np.arange(len(groups)), size),
            self.white.ravel()[np.concatenate([*groups, np.zeros(0, dtype=np.int64)])],
            lower=-UNBOUNDED if most is None else size - most,
            upper=UNBOUNDED if least is None else size - least,
            shape=size.shape,
        )

    def build(self, rest: Write | Sequence[Hashable] = ()) -> Model:
        """The model; ``rest`` is ``write`` for the choices that came after the cells."""
        n = self.white.size
        reading = self.builder.reading(
            "cells", np.arange(n), self.white.ravel(), -1, base=1, n_cells=n
        )
        write = partial(_write, self.white == TRUE, self.write, rest)
        return self.builder.build(Field(self.white.shape, 0, 1, (reading,), write))


def _write(
    never_black: BoolArray, write: Write, rest: Write | Sequence[Hashable], answer: IntArray
) -> list[Hashable]:
    if answer[never_black].any():
        raise InputError("the answer has a black cell where none can be")
    return [*write(answer), *(rest(answer) if callable(rest) else rest)]


def check_size(never_black: BoolArray) -> None:
    """Raise TooLarge for more than ``CELL_LIMIT`` cells."""
    if never_black.size > CELL_LIMIT:
        raise TooLarge(f"a model of {never_black.size:,} cells; at most {CELL_LIMIT:,} fit")


def lazy(never_black: BoolArray) -> Shaded:
    """One bit a cell, and white cells connected."""
    check_size(never_black)
    builder = ModelBuilder()
    white = np.full(never_black.shape, TRUE)
    for r, c in np.argwhere(~never_black).tolist():
        white[r, c] = builder.bit(f"black[{r},{c}]").first
    keep_apart(builder, white)
    nodes = white
    if never_black.any():  # a cell that is white anyhow is a node all the same
        nodes = np.where(never_black, builder.choice("white", ["white"]).first, white)
    sides = side_by_side(np.arange(white.size).reshape(white.shape))
    builder.connected("connected", nodes.ravel(), sides)
    return Shaded(builder, white, partial(_bits, never_black))


def _bits(never_black: BoolArray, answer: IntArray) -> list[Hashable]:
    return [*answer[~never_black].tolist(), *["white"] * bool(never_black.any())]


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
    builder.at_least_one("adjacent", sides[(sides != TRUE).all(axis=1)])
