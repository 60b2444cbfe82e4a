"""Kurodoko: the rules, native JSON and picture."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.base import Violation
from qubopuzzle.puzzles.vocabulary.grids import BLANK, BoolArray, Cell, cells_of
from qubopuzzle.puzzles.vocabulary.shading import NumberGrid

UNKNOWN_NUMBER = -1
"""A number that is there, but not known; ``?`` in JSON and pictures."""
_SIGHTS = 100


@dataclass(frozen=True, eq=False)
class Kurodoko(NumberGrid):
    """Shade cells so that each number sees that many white cells.

    The grid has numbers, shape (rows, columns); None or 0 for a cell without, ``"?"`` or -1
    for one whose number is not known: it is white, and that is all.

    >>> puzzle = Kurodoko(grid=[[None, None], [None, 2]])
    >>> puzzle.violations(np.array([[0, 0], [1, 0]]))
    []

    Raises:
        PuzzleError: for a grid of anything but whole numbers.
    """

    name: ClassVar[str] = "kurodoko"
    aliases: ClassVar[str] = "kuromasu kuromasuwadokoda range"
    lazy_formulation: ClassVar[str] = "arms"
    circled: ClassVar[bool] = True
    marks: ClassVar[Mapping[str | None, int]] = {**BLANK, "?": UNKNOWN_NUMBER}

    @property
    def contradiction(self) -> str | None:
        """A number that is larger than its row and column together."""
        most = sum(self.shape) - 1
        for r, c in np.argwhere(self.grid > most).tolist():
            return f"grid[{r}][{c}] is {self.grid[r, c]}, and no cell sees more than {most}"
        return None

    def broken_clues(self, answer: IntArray) -> Iterator[Violation]:
        """Numbers on black cells, and numbers that see more or fewer cells.

        The first hundred of these name the cells that they see, the others their own only.
        """
        white, seen, columns = answer == 0, seen_from(answer), self.shape[1]
        right = white & ((seen == self.grid) | (self.grid == UNKNOWN_NUMBER))
        wrong = np.argwhere((self.grid != 0) & ~right).tolist()
        for i, (r, c) in enumerate(wrong):
            rule, what = "number", "is black"
            cells: list[Cell] = [(r, c)]
            if white[r, c]:
                rule, what = "sight", f"sees {seen[r, c]} white cells"
                for arm in arms(self.shape, r, c) if i < _SIGHTS else ():
                    cells += cells_of(arm[: reach(answer, arm)], columns)
            number = self.grid[r, c]
            named = "the circle" if number == UNKNOWN_NUMBER else f"the number {number}"
            yield Violation(rule, f"{named} on ({r},{c}) {what}", tuple(cells))


def arms(shape: tuple[int, int], r: int, c: int) -> list[IntArray]:
    """The cells above one, right of it, below and left, nearest first, by row-major number."""
    cells = np.arange(shape[0] * shape[1]).reshape(shape)
    return [cells[:r, c][::-1], cells[r, c + 1 :], cells[r + 1 :, c], cells[r, :c][::-1]]


def reach(answer: IntArray, arm: IntArray) -> int:
    """How many cells of an arm there are before the first black one."""
    return int(np.argmax([*answer.ravel()[arm], 1]))


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
