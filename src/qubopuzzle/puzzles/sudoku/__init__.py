"""Sudoku: every row, column and box of an n x n grid holds the digits 1 to n once each.

Boxes have ``b_r`` rows and ``b_c`` columns, ``b_r b_c = n``. With ``x_{c,v}`` for "empty cell
c holds digit v", there are four families of sums:

    [cell]                  sum over v of x_{c,v}                       =  1
    [row] [column] [box]    sum over the empty cells c of a unit U of x_{c,v}
                                                          =  1 - (givens v in U)

One family are the choices, exact in every encoding; the others are constraints.

- ``places`` (default): [box], where in its box does a digit stand, ``x_{c,v}`` only where no
  given in the units of c excludes v. An annealer's moves keep every box complete.
- ``candidates`` (exact solvers' default): [cell], which of its candidates does a cell hold,
  with the same ``x_{c,v}``.
- ``full``: [cell] over all n digits, the form of the textbooks of integer programming; sums
  of a digit that is given are 0.

Givens are substituted in all, never penalised. Where they contradict each other, a sum of no
literals would have to be 1, or a sum -1: the puzzle has a model, but no solution.

Boxes of a single row or column say what [row] or [column] says; there is no [box] then, and
``places`` asks where in its row a digit stands.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import isqrt
from typing import Any, ClassVar, Self

import numpy as np

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import PuzzleError
from qubopuzzle.model import IntArray, Model
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles.sudoku.links import LINKS
from qubopuzzle.puzzles.sudoku.links import squarest_box as squarest_box
from qubopuzzle.puzzles.sudoku.variants import FLAGS, LISTS, rules_of, shapes_of
from qubopuzzle.puzzles.vocabulary import clues
from qubopuzzle.puzzles.vocabulary.clues import CELL, NUMBERS, Clues, several, whole_number
from qubopuzzle.puzzles.vocabulary.grids import Cell, groups, read_grid, read_numbers, words_of
from qubopuzzle.puzzles.vocabulary.kind import (
    Formulations,
    Kind,
    Rng,
    by_cells,
    by_every_value,
    by_rows,
)
from qubopuzzle.puzzles.vocabulary.rules import Different, Given, Rule

SIZE_LIMIT = 36
"""Most rows and columns."""


def _read_grid(key: str, given: Any) -> IntArray:
    """A single line of as many characters as a square has cells is cut into its rows."""
    line = given.strip() if isinstance(given, str) else ""
    if line and len(line.split()) == 1 and not {*line} & {*";/"}:
        n = isqrt(len(line))
        if n * n != len(line):
            what = f"{len(line)} cells are no square such as 16 or 81"
            raise PuzzleError(f"{key}: {brief(line)}: {what}; rows are divided by ; or /")
        given = [line[r : r + n] for r in range(0, n * n, n)]
    rows = read_grid(key, given, 0, None, side=SIZE_LIMIT)
    if rows.shape[1] != len(rows):
        raise PuzzleError(f"{key}: {len(rows)} rows of {rows.shape[1]} cells are no square")
    return rows


def _by_places(puzzle: "Sudoku") -> Model:
    return by_rows(puzzle, [family for family in puzzle.units if family != "column"][-1])


@dataclass(frozen=True, eq=False)
class Sudoku(Kind):
    """Every row, column and box holds each digit once.

    ``grid`` is a square of givens, 0 or None where a cell is empty. Rows may be text, ``.`` for
    empty; so may the grid, which may then be a single line.

    ``box`` is the rows and columns of a box; without it the squarest, lying rather than
    standing: one of one row or column (a latin square) has to be asked for. ``regions``, a
    number or a letter a cell, take the place of boxes (jigsaw). Variants, of which any go
    together, with cells as ``[row, column]`` from 0 on:

    - true or false: ``diagonals`` (X), ``disjoint`` groups, ``antiknight``, ``antiking``;
      ``nonconsecutive`` and ``nonratio`` of cells side by side without a dot;
    - ``cages`` of different digits, ``{"cells": [...], "sum": 12}``, or without a sum; ``sums``,
      where digits may be the same (little killer, X and V);
    - ``arrows``, ``{"circle": [...], "cells": [...]}``; lists of cells: ``thermometers`` from the
      bulb on, ``palindromes``, ``renbans``, (German) ``whispers``;
    - ``differences`` and ``ratios`` of two cells, ``{"cells": [...], "difference": 1}``, which are
      white and black dots of 1 and 2 without a number; ``quadruples``,
      ``{"cells": [...], "digits": [...]}``; ``even`` and ``odd`` cells.

    >>> Sudoku(grid=[[0, 2, 0, 4], [0] * 4, [0] * 4, [4, 0, 2, 0]]).box
    (2, 2)
    >>> Sudoku(".2.4........4.2.", diagonals=True, cages=[{"cells": [[0, 0], [0, 2]], "sum": 4}])
    ... # doctest: +ELLIPSIS
    Sudoku(...)

    Raises:
        PuzzleError: for a grid that is not square, givens that are no digits 1 to n, boxes that
            do not fit, and clues of cells that are not there.
    """

    name: ClassVar[str] = "sudoku"
    aliases: ClassVar[str] = "nanpure numberplace solo killersudoku jigsawsudoku"
    is_square: ClassVar[bool] = True
    default_formulation: ClassVar[str] = "places"
    lazy_formulation: ClassVar[str] = "candidates"
    formulations: ClassVar[Formulations] = {
        "places": _by_places,
        "candidates": by_cells,
        "full": by_every_value,
    }
    links = LINKS
    generator = "qubopuzzle.puzzles.sudoku.generator:SudokuGenerator"
    usual: ClassVar[tuple[int, int]] = (9, 9)

    grid: Any = field(metadata={"clues": Clues(_read_grid, np.ndarray.tolist, 0, 0)})
    box: tuple[int, int] | None = field(
        default=None, metadata={"clues": Clues(lambda _, box: box, lambda box: box and [*box])}
    )
    regions: IntArray | None = clues.rooms(optional=True)
    diagonals: bool = clues.flag(default=False)
    disjoint: bool = clues.flag(default=False)
    antiknight: bool = clues.flag(default=False)
    antiking: bool = clues.flag(default=False)
    nonconsecutive: bool = clues.flag(default=False)
    nonratio: bool = clues.flag(default=False)
    cages: tuple[Any, ...] = several(cells=clues.cells(), sum=whole_number(None))
    sums: tuple[Any, ...] = several(cells=clues.cells(), sum=whole_number())
    arrows: tuple[Any, ...] = several(circle=clues.cells(1, 3), cells=clues.cells())
    thermometers: tuple[Any, ...] = several(cells=clues.cells(2))
    palindromes: tuple[Any, ...] = several(cells=clues.cells(2))
    renbans: tuple[Any, ...] = several(cells=clues.cells(2))
    whispers: tuple[Any, ...] = several(cells=clues.cells(2))
    differences: tuple[Any, ...] = several(cells=clues.cells(2, 2), difference=whole_number(1))
    ratios: tuple[Any, ...] = several(cells=clues.cells(2, 2), ratio=whole_number(2))
    quadruples: tuple[Any, ...] = several(cells=clues.cells(), digits=NUMBERS)
    even: tuple[Any, ...] = several(cell=CELL)
    odd: tuple[Any, ...] = several(cell=CELL)

    @property
    def values(self) -> Sequence[int]:  # type: ignore[override]
        """The digits."""
        return range(1, len(self.grid) + 1)

    def fit(self) -> None:
        """Boxes, or as many regions as rows and columns; digits that there are."""
        n = len(self.grid)
        if self.regions is None:
            object.__setattr__(self, "box", _read_box(self.box, n))
        elif self.box is not None or self.disjoint:
            raise PuzzleError(
                f"{'disjoint' if self.disjoint else 'box'}: there are regions instead"
            )
        elif self.regions.shape != (n, n) or (np.bincount(self.regions.ravel()) != n).any():
            raise PuzzleError(f"regions: expected {n} of {n} cells in {n} x {n}")
        for i, (_, digits) in enumerate(self.quadruples):
            if not {*digits} <= {*self.values}:
                raise PuzzleError(f"quadruples[{i}]: expected digits from 1 to {n}")

    @property
    def variants(self) -> list[str]:
        """The keys of all that is no plain sudoku."""
        names = [*FLAGS, *LISTS]
        return ["regions"] * (self.regions is not None) + [n for n in names if getattr(self, n)]

    @property
    def units(self) -> dict[str, list[IntArray]]:
        """By family, the cells that hold each digit once."""
        n = len(self.grid)
        cells = np.arange(n * n).reshape(n, n)
        units = {"row": [*cells], "column": [*cells.T]}
        if self.regions is not None:
            units["region"] = groups(self.regions)
        elif self.box is not None and 1 not in self.box:
            units["box"] = groups(self.rooms)
        return units

    def rules(self) -> Iterator[Rule]:
        """Givens, units, and variants."""
        yield Given("given", self.grid, self.grid > 0, field="grid")
        for family, units in self.units.items():
            yield Different(family, units, self.values, noun="digit", given=self.grid)
        yield from rules_of(self)

    def picture(self, answer: IntArray | None = None, broken: Iterable[Cell] = ()) -> Picture:
        """The grid with its boxes; givens belong to the puzzle, other digits to the answer."""
        words, shapes = words_of(self.grid, answer), shapes_of(self)
        marked = frozenset(broken)
        return Picture(*self.shape, **words, rooms=self.rooms, shapes=shapes, broken=marked)

    @property
    def rooms(self) -> IntArray:
        """The box or the region of each cell."""
        return (
            boxes_of(self.box or (1, 1), len(self.grid)) if self.regions is None else self.regions
        )

    def excluding(self, other: IntArray, rng: Rng) -> Self:
        """Three digits are given where the other solution has others."""
        cells = rng.permutation(np.flatnonzero(np.asarray(self.solution) != other))[:3]
        at = np.isin(np.arange(self.cells), cells).reshape(self.shape)
        return replace(self, grid=np.where(at, np.asarray(self.solution), self.grid))


def boxes_of(box: tuple[int, int], n: int) -> IntArray:
    """The box of each cell, (rows, columns)."""
    row, column = np.indices((n, n))
    return np.asarray(row // box[0] * (n // box[1]) + column // box[1])


def _read_box(box: Any, n: int) -> tuple[int, int]:
    if box is None:
        high, wide = squarest_box(n)
        if high == 1 < n:
            raise PuzzleError(
                f'box: a grid of {n} x {n} has no boxes but whole lines; for those give "box": '
                f"[1, {n}]"
            )
        return high, wide
    sides = read_numbers("box", box, 0, SIZE_LIMIT)
    if len(sides) != 2 or sides[0] * sides[1] != n:
        size = " x ".join(map(str, sides[:4])) or "nothing"
        raise PuzzleError(f"box: {size} does not make {n} cells; give [rows, columns]")
    return sides[0], sides[1]
