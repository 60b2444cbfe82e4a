"""Hitori: the rules, native JSON and picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.base import Violation
from qubopuzzle.puzzles.kinds.shading import NumberGrid


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

    # --- rules -------------------------------------------------------------------------

    def broken_clues(self, answer: IntArray) -> list[Violation]:
        """Numbers that stand twice on white cells of a line."""
        broken = []
        left = np.where(answer == 0, self.grid, 0)
        for axis, lines in (("row", left), ("column", left.T)):
            for i, line in enumerate(lines):
                for along in repeated(line):
                    cells = tuple((i, j) if axis == "row" else (j, i) for j in along.tolist())
                    message = f"{axis}[{i}] has {line[along[0]]} on {len(along)} white cells"
                    broken.append(Violation("repeat", message, cells))
        return broken


def repeated(line: IntArray) -> Iterator[IntArray]:
    """The places of each number that a line has twice or more."""
    numbers = line.tolist()
    if len(set(numbers)) < len(numbers):
        for number, count in sorted(Counter(numbers).items()):
            if number and count > 1:
                yield np.flatnonzero(line == number)
