"""Kurodoko: the rules, native JSON and picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from qubopuzzle.errors import PuzzleError
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.base import Violation
from qubopuzzle.puzzles.kinds.cells import BoolArray
from qubopuzzle.puzzles.kinds.shading import UNTOLD, NumberGrid

_DIRECTIONS = ((-1, 0), (0, 1), (1, 0), (0, -1))
_SIGHTS = 100


@dataclass(frozen=True, eq=False)
class Kurodoko(NumberGrid):
    """Shade cells so that each number sees that many white cells.

    The grid has numbers, shape (rows, columns); None or 0 for a cell without, ``"?"`` or -1
    for one whose number is not told: it is white, and that is all.

    >>> puzzle = Kurodoko(grid=[[None, None], [None, 2]])
    >>> puzzle.violations(np.array([[0, 0], [1, 0]]))
    []

    Raises:
        PuzzleError: for a grid of anything but whole numbers, and a number larger than its
            row and column together.
    """

    name: ClassVar[str] = "kurodoko"
    circled: ClassVar[bool] = True
    least: ClassVar[int] = UNTOLD

    def check_numbers(self) -> None:
        """No cell sees more than its row and its column."""
        most = sum(self.shape) - 1
        for r, c in np.argwhere(self.grid > most).tolist():
            number = self.grid[r, c]
            raise PuzzleError(f"grid[{r}][{c}]: {number}, but no cell sees more than {most}")

    # --- rules -------------------------------------------------------------------------

    def broken_clues(self, answer: IntArray) -> list[Violation]:
        """Numbers on black cells, and numbers that see more or fewer cells.

        The first hundred of these name the cells that they see, the others their own only.
        """
        white, seen = answer == 0, seen_from(answer)
        broken: list[Violation] = []
        right = white & ((seen == self.grid) | (self.grid == UNTOLD))
        for r, c in np.argwhere((self.grid != 0) & ~right).tolist():
            rule, what, cells = "number", "is black", [(r, c)]
            if white[r, c]:
                rule, what = "sight", f"sees {seen[r, c]} white cells"
                cells += self._seen(answer, r, c) if len(broken) < _SIGHTS else ()
            message = f"{self._named(r, c)} on ({r},{c}) {what}"
            broken.append(Violation(rule, message, tuple(cells)))
        return broken

    def _named(self, r: int, c: int) -> str:
        number = self.grid[r, c]
        return "the circle" if number == UNTOLD else f"the number {number}"

    def _seen(self, answer: IntArray, r: int, c: int) -> Iterator[tuple[int, int]]:
        rows, columns = self.shape
        for down, right in _DIRECTIONS:
            i, j = r + down, c + right
            while 0 <= i < rows and 0 <= j < columns and not answer[i, j]:
                yield i, j
                i, j = i + down, j + right


def seen_from(answer: IntArray) -> IntArray:
    """How many white cells each white cell sees, itself too, shape of the answer."""
    white = answer == 0
    return _run_lengths(white) + _run_lengths(white.T).T - 1


def _run_lengths(white: BoolArray) -> IntArray:
    """For each white cell, how many there are in its row without a black one between."""
    closed = np.pad(~white, ((0, 0), (0, 1)), constant_values=True)
    run = np.cumsum(closed.ravel())
    length = np.bincount(run[~closed.ravel()], minlength=int(run[-1]) + 1)
    return length[run].reshape(closed.shape)[:, :-1]
