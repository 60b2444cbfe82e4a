"""Sudoku: the rules, native JSON and picture."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isqrt
from typing import Any, ClassVar

import numpy as np

from qubopuzzle.checks import brief
from qubopuzzle.errors import PuzzleError
from qubopuzzle.model import IntArray
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles.base import Puzzle, Violation, check_shape
from qubopuzzle.puzzles.kinds.grids import (
    check_values,
    is_list,
    read_grid,
    read_numbered,
    read_numbers,
)

SIZE_LIMIT = 36
"""Most rows and columns."""


@dataclass(frozen=True)
class Sudoku(Puzzle):
    """Every row, column and box holds each digit once.

    A square grid of givens, 0 or None where a cell is empty, and its boxes.

    ``box`` is the rows and columns of a box; without it the squarest, lying rather than
    standing. Boxes of one row or column (a latin square) have to be asked for. Givens
    that contradict each other are a puzzle without a solution.

    >>> Sudoku(grid=[[0, 2, 0, 4], [0] * 4, [0] * 4, [4, 0, 2, 0]]).box
    (2, 2)

    Raises:
        PuzzleError: for a grid that is not square, givens that are no digits 1 to n, or
            boxes that do not fit.
    """

    name: ClassVar[str] = "sudoku"
    default_formulation: ClassVar[str] = "places"

    grid: tuple[tuple[int, ...], ...]
    box: tuple[int, int] = None  # type: ignore[assignment]  # __post_init__ fills it in

    def __post_init__(self) -> None:
        super().__post_init__()
        grid = _read_givens(self.grid)
        object.__setattr__(self, "grid", tuple(map(tuple, grid.tolist())))
        object.__setattr__(self, "box", _read_box(self.box, len(grid)))
        self.check_solution()

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the grid."""
        return len(self.grid), len(self.grid)

    # --- native JSON -------------------------------------------------------------------

    def parse_answer(self, data: Any) -> IntArray:
        """Read rows of digits 1 to n, or lines of text, see ``read_numbered``."""
        answer = read_numbered("solution", data, 1, len(self.grid))
        check_shape(answer, self.shape)
        return answer

    # --- rules -------------------------------------------------------------------------

    def violations(self, answer: IntArray) -> list[Violation]:
        """Digits that a row, column or box holds more than once, and changed givens."""
        check_shape(answer, self.shape)
        n = len(self.grid)
        check_values(answer, 1, n)
        digits = answer.astype(np.int64).tolist()
        high, wide = self.box
        units: dict[tuple[str, int], dict[int, list[tuple[int, int]]]] = {}
        broken = []
        for r, c in np.ndindex(n, n):
            box = r // high * (n // wide) + c // wide
            for unit in (("row", r), ("column", c), ("box", box)):
                units.setdefault(unit, {}).setdefault(digits[r][c], []).append((r, c))
            if self.grid[r][c] not in (0, digits[r][c]):
                message = f"row[{r}] column[{c}] is {digits[r][c]}, given is {self.grid[r][c]}"
                broken.append(Violation("given", message, ((r, c),)))
        for (rule, i), places in sorted(units.items(), key=_rule_order):
            for digit, cells in sorted(places.items()):
                if len(cells) > 1:
                    message = f"{rule}[{i}] has {digit} {_times(len(cells))}"
                    broken.append(Violation(rule, message, tuple(cells)))
        return broken

    # --- picture -----------------------------------------------------------------------

    def picture(
        self, answer: IntArray | None = None, broken: Iterable[tuple[int, ...]] = ()
    ) -> Picture:
        """The grid with its boxes; givens belong to the puzzle, other digits to the answer."""
        givens = np.array(self.grid)
        digits = givens if answer is None else np.asarray(answer)
        rows, columns = self.shape
        return Picture(
            rows,
            columns,
            words={(r, c): str(digits[r, c]) for r, c in np.argwhere(digits).tolist()},
            given=frozenset(map(tuple, np.argwhere((givens > 0) & (givens == digits)).tolist())),
            rooms=units_of(self)["box"].reshape(self.shape),
            broken=frozenset(broken),
        )


def _read_givens(data: Any) -> IntArray:
    if not is_list(data) or not 1 <= len(data) <= SIZE_LIMIT:
        raise PuzzleError(f"grid: expected 1 to {SIZE_LIMIT} rows, got {brief(data)}")
    grid = read_grid("grid", data, 0, len(data))
    if grid.shape[1] != len(grid):
        raise PuzzleError(f"grid: {len(grid)} rows of {grid.shape[1]} cells are no square")
    return grid


def units_of(puzzle: Sudoku) -> dict[str, IntArray]:
    """By family, the unit of each cell, shape (cells,)."""
    n = len(puzzle.grid)
    high, wide = puzzle.box
    row, column = np.arange(n * n) // n, np.arange(n * n) % n
    return {"row": row, "column": column, "box": row // high * (n // wide) + column // wide}


def squarest_box(n: int) -> tuple[int, int]:
    """The box of n cells whose sides differ least, lying rather than standing.

    >>> squarest_box(9), squarest_box(12), squarest_box(7)
    ((3, 3), (3, 4), (1, 7))
    """
    high = max(b for b in range(1, isqrt(n) + 1) if n % b == 0)
    return high, n // high


def _read_box(box: Any, n: int) -> tuple[int, int]:
    if box is None:
        high, wide = squarest_box(n)
        if high == 1 < n:
            raise PuzzleError(
                f'box: a grid of {n} x {n} has no boxes but whole lines; for those give "box": '
                f"[1, {n}]"
            )
        return high, wide
    plain = type(box) is tuple and all(type(side) is int and side > 0 for side in box)
    sides = list(box) if plain else read_numbers("box", box, 0, SIZE_LIMIT).tolist()
    if len(sides) != 2 or sides[0] * sides[1] != n:
        size = " x ".join(map(str, sides[:4])) or "nothing"
        raise PuzzleError(f"box: {size} does not make {n} cells; give [rows, columns]")
    return sides[0], sides[1]


def _times(count: int) -> str:
    return "twice" if count == 2 else f"{count} times"


def _rule_order(item: tuple[tuple[str, int], object]) -> tuple[int, int]:
    rule, i = item[0]
    return ("row", "column", "box").index(rule), i
