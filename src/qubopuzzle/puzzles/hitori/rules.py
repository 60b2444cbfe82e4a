"""Hitori: the rules, native JSON and picture."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.base import Violation
from qubopuzzle.puzzles.vocabulary.grids import cells_of, lines_of, repeats
from qubopuzzle.puzzles.vocabulary.shading import NumberGrid


@dataclass(frozen=True, eq=False)
class Hitori(NumberGrid):
    """Shade cells so that no number is left twice in a row or column.

    There is a number in each cell of the grid, shape (rows, columns); None for a cell without.

    >>> puzzle = Hitori(grid=[[1, 1], [1, 2]])
    >>> puzzle.violations(np.array([[1, 0], [0, 0]]))
    []

    Raises:
        PuzzleError: for a grid of anything but whole numbers.
    """

    name: ClassVar[str] = "hitori"
    aliases: ClassVar[str] = "hitorinishitekure singles"

    def broken_clues(self, answer: IntArray) -> list[Violation]:
        """Numbers that stand twice on white cells of a line."""
        left = np.where(answer == 0, self.grid, 0)
        return [
            Violation(
                "repeat",
                f"{axis}[{i}] has {number} on {len(cells)} white cells",
                cells_of(cells, self.shape[1]),
            )
            for axis, i, line in lines_of(self.shape)
            for number, cells in repeats(left, line)
        ]
