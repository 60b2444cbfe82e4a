"""Sudoku: the rules, native JSON and picture."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isqrt
from typing import Any, ClassVar

import numpy as np

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import PuzzleError
from qubopuzzle.model import IntArray
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles.base import Puzzle, Violation, check_shape
from qubopuzzle.puzzles.vocabulary.grids import (
    Cell,
    cells_of,
    groups,
    read_grid,
    read_numbers,
    repeats,
    words_of,
)

SIZE_LIMIT = 36
"""Most rows and columns."""


@dataclass(frozen=True)
class Sudoku(Puzzle):
    """Every row, column and box holds each digit once.

    A square grid of givens, 0 or None where a cell is empty, and its boxes. Rows may be text,
    ``.`` for empty; so may the grid, which may then be a single line.

    ``box`` is the rows and columns of a box; without it the squarest, lying rather than
    standing. Boxes of one row or column (a latin square) have to be asked for. Givens
    that contradict each other are a puzzle without a solution.

    >>> Sudoku(grid=[[0, 2, 0, 4], [0] * 4, [0] * 4, [4, 0, 2, 0]]).box
    (2, 2)
    >>> Sudoku(".2.4........4.2.").grid[0]
    (0, 2, 0, 4)

    Raises:
        PuzzleError: for a grid that is not square, givens that are no digits 1 to n, or
            boxes that do not fit.
    """

    name: ClassVar[str] = "sudoku"
    aliases: ClassVar[str] = "nanpure numberplace solo"
    default_formulation: ClassVar[str] = "places"
    hint_formulation: ClassVar[str] = "full"

    grid: tuple[tuple[int, ...], ...]
    box: tuple[int, int] = None  # type: ignore[assignment]  # __post_init__ fills it in

    def __post_init__(self) -> None:
        super().__post_init__()
        rows = read_grid("grid", _square(self.grid), 0, None, side=SIZE_LIMIT)
        if rows.shape[1] != len(rows):
            raise PuzzleError(f"grid: {len(rows)} rows of {rows.shape[1]} cells are no square")
        vars(self).update(grid=tuple(map(tuple, rows.tolist())), box=_read_box(self.box, len(rows)))
        self.check_solution()

    def parse_answer(self, data: Any) -> IntArray:
        """Read rows of digits 1 to n, 0 for an empty cell, or lines of text, see ``read_grid``."""
        answer = read_grid("solution", data, 0, len(self.grid))
        check_shape(answer, self.shape)
        return answer

    def violations(self, answer: IntArray) -> list[Violation]:
        """Empty cells, changed givens, and digits that a row, column or box has more than once."""
        n = len(self.grid)
        check_shape(answer, self.shape, range(n + 1))
        digits, givens = answer.astype(np.int64), np.array(self.grid)
        broken = []
        if len(empty := cells_of(np.flatnonzero(digits == 0), n)):
            shown = " ".join(f"({r},{c})" for r, c in empty[:6]) + " ..." * (len(empty) > 6)
            what = "1 cell is" if len(empty) == 1 else f"{len(empty)} cells are"
            broken.append(Violation("empty", f"{what} empty: {shown}", empty))
        for r, c in np.argwhere((givens > 0) & (givens != digits) & (digits > 0)).tolist():
            message = f"row[{r}] column[{c}] is {digits[r, c]}, given is {givens[r, c]}"
            broken.append(Violation("given", message, ((r, c),)))
        for rule, units in units_of(self).items():
            held = np.sort(digits.ravel()[np.argsort(units, kind="stable")].reshape(n, n))
            if (held == np.arange(1, n + 1)).all():
                continue
            for i, unit in enumerate(groups(units)):
                for digit, cells in repeats(digits, unit):
                    times = "twice" if len(cells) == 2 else f"{len(cells)} times"
                    message = f"{rule}[{i}] has {digit} {times}"
                    broken.append(Violation(rule, message, cells_of(cells, n)))
        return broken

    def picture(self, answer: IntArray | None = None, broken: Iterable[Cell] = ()) -> Picture:
        """The grid with its boxes; givens belong to the puzzle, other digits to the answer."""
        rooms = units_of(self)["box"].reshape(self.shape)
        words = words_of(np.array(self.grid), answer)
        return Picture(*self.shape, **words, rooms=rooms, broken=frozenset(broken))


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


def _square(grid: Any) -> Any:
    """A single line of as many characters as a square has cells, as its rows; else as it is."""
    if not isinstance(grid, str) or len(grid.split()) != 1:
        return grid
    line, n = grid.strip(), isqrt(len(grid.strip()))
    if ";" in line or "/" in line:
        return grid
    if n * n != len(line):
        what = f"{len(line)} cells are no square such as 16 or 81"
        raise PuzzleError(f"grid: {brief(line)}: {what}; rows are divided by ; or /")
    return [line[r : r + n] for r in range(0, n * n, n)]


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
