"""Hitori: shade cells so that no number is left twice in a row or column.

The rules of shading hold: no two black cells touch by a side, and the white cells hang
together. Families:

- [repeat] of the cells of a line with the same number at most one is white;
- [adjacent], and connectivity as in the formulation: ``forest`` ([pair], [parent], see
  docs/formulations.md) or ``lazy`` ([connected]).

Of two equal numbers one is black, so all cells beside both of them are white and have no
choice: those between the two of a line, say. Energy gap: each family's penalty is 0 where
its rule holds and at least 1 where not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from qubopuzzle.model import IntArray, Model
from qubopuzzle.puzzles.base import Violation
from qubopuzzle.puzzles.kinds.forest import shading_formulations
from qubopuzzle.puzzles.kinds.shaded import BoolArray, Shaded
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
                for along in _repeated(line):
                    cells = tuple((i, j) if axis == "row" else (j, i) for j in along.tolist())
                    message = f"{axis}[{i}] has {line[along[0]]} on {len(along)} white cells"
                    broken.append(Violation("repeat", message, cells))
        return broken

    # --- examples ----------------------------------------------------------------------

    @classmethod
    def examples(cls) -> list[Self]:
        """A 5x5 board and one of 8x8; each has one solution."""
        return [cls.from_dict({"n_solutions": 1, **example}) for example in _EXAMPLES]


def _repeated(line: IntArray) -> Iterator[IntArray]:
    """The places of each number that a line has twice or more."""
    numbers = line.tolist()
    if len(set(numbers)) < len(numbers):
        for number, count in sorted(Counter(numbers).items()):
            if number and count > 1:
                yield np.flatnonzero(line == number)


# --- formulations ----------------------------------------------------------------------


def _equal(grid: IntArray) -> list[IntArray]:
    """Cells of one line with the same number, two or more, by row-major number."""
    cells = np.arange(grid.size).reshape(grid.shape)
    return [
        along[places]
        for lines, numbers in ((grid, cells), (grid.T, cells.T))
        for line, along in zip(lines, numbers, strict=True)
        for places in _repeated(line)
    ]


def _never_black(puzzle: Hitori) -> BoolArray:
    """Cells with two equal numbers of one line beside them."""
    rows, columns = puzzle.shape
    white = np.zeros((rows, columns), dtype=bool)
    for axis, grid in ((0, puzzle.grid), (1, puzzle.grid.T)):
        view = white if axis == 0 else white.T
        view[:, 1:-1] |= (grid[:, 2:] == grid[:, :-2]) & (grid[:, 2:] > 0)
    return white


def _constrain(puzzle: Hitori, shaded: Shaded) -> Model:
    groups = _equal(puzzle.grid)
    shaded.count("repeat", groups, least=[len(group) - 1 for group in groups])
    return shaded.build()


Hitori.formulations = shading_formulations(_constrain, _never_black)

_EXAMPLES: list[dict[str, Any]] = [
    {
        "id": "hitori-5x5",
        "grid": [
            [2, 1, 3, 1, 2],
            [3, 3, 2, 1, 5],
            [2, 3, 5, 4, 4],
            [5, 1, 1, 1, 4],
            [5, 5, 4, 2, 3],
        ],
        "solution": [
            "#..#.",
            ".#...",
            "....#",
            ".#.#.",
            "#....",
        ],
    },
    {
        "id": "hitori-8x8",
        "grid": [
            [4, 1, 1, 3, 5, 2, 5, 1],
            [2, 3, 7, 8, 5, 8, 3, 6],
            [4, 5, 2, 4, 8, 2, 6, 7],
            [5, 8, 3, 4, 1, 4, 7, 5],
            [1, 1, 7, 7, 5, 6, 2, 3],
            [7, 2, 6, 8, 3, 1, 1, 3],
            [1, 3, 8, 2, 2, 7, 7, 5],
            [6, 7, 5, 5, 2, 3, 8, 1],
        ],
        "solution": [
            ".#..#..#",
            "...#..#.",
            "#....#..",
            "...#...#",
            "#.#.#...",
            ".....#.#",
            ".#..#.#.",
            "..#.....",
        ],
    },
]
