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

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from qubopuzzle.model import IntArray, Model
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles._forest import shading_formulations
from qubopuzzle.puzzles._grids import SIDE_LIMIT, need, read_grid
from qubopuzzle.puzzles._shaded import BoolArray, Shaded
from qubopuzzle.puzzles._shading import Cell, ShadingPuzzle
from qubopuzzle.puzzles.base import Violation, about_from


@dataclass(frozen=True, eq=False)
class Hitori(ShadingPuzzle):
    """A number in each cell of the grid, shape (rows, columns); None for a cell without.

    >>> puzzle = Hitori(grid=[[1, 1], [1, 2]])
    >>> puzzle.violations(np.array([[1, 0], [0, 0]]))
    []

    Raises:
        PuzzleError: for a grid of anything but whole numbers.
    """

    name: ClassVar[str] = "hitori"
    default_formulation: ClassVar[str] = "forest:modulus=5"
    lazy_formulation: ClassVar[str] = "lazy"

    grid: IntArray

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "grid", read_grid("grid", self.grid, 0, SIDE_LIMIT**2))
        self.check_solution()

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the grid."""
        rows, columns = self.grid.shape
        return rows, columns

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read ``{"puzzle": "hitori", "grid": [[4, 4], [1, 2]]}``; null or 0 is no number."""
        (grid,) = need(data, "grid")
        return cls(grid=grid, solution=data.get("solution"), **about_from(data))

    def to_dict(self) -> dict[str, Any]:
        """The native JSON object."""
        return {"puzzle": self.name, **self.about(), "grid": self.grid.tolist()}

    # --- rules -------------------------------------------------------------------------

    def broken_clues(self, answer: IntArray) -> list[Violation]:
        """Numbers that stand twice on white cells of a line."""
        broken = []
        left = np.where(answer == 0, self.grid, 0)
        for axis, lines in (("row", left), ("column", left.T)):
            for i, line in enumerate(lines):
                for number in np.unique(line[line > 0]).tolist():
                    along = np.flatnonzero(line == number).tolist()
                    if len(along) > 1:
                        cells = tuple((i, j) if axis == "row" else (j, i) for j in along)
                        message = f"{axis}[{i}] has {number} on {len(along)} white cells"
                        broken.append(Violation("repeat", message, cells))
        return broken

    # --- picture and examples ----------------------------------------------------------

    def picture(
        self, answer: IntArray | None = None, broken: Iterable[tuple[int, ...]] = ()
    ) -> Picture:
        """The numbers in their cells."""
        words: dict[Cell, str] = {
            (r, c): str(self.grid[r, c]) for r, c in np.argwhere(self.grid).tolist()
        }
        return Picture(
            *self.shape, black=answer, words=words, given=frozenset(words), broken=frozenset(broken)
        )

    @classmethod
    def examples(cls) -> list[Self]:
        """A 5x5 board and one of 8x8; each has one solution."""
        return [cls.from_dict({"n_solutions": 1, **example}) for example in _EXAMPLES]


# --- formulations ----------------------------------------------------------------------


def _equal(grid: IntArray) -> Iterator[IntArray]:
    """Cells of one line with the same number, two or more, by row-major number."""
    numbers = np.arange(grid.size).reshape(grid.shape)
    for lines, along in ((grid, numbers), (grid.T, numbers.T)):
        for line, cells in zip(lines, along, strict=True):
            for number in np.unique(line[line > 0]):
                own = cells[line == number]
                if len(own) > 1:
                    yield own


def _never_black(puzzle: Hitori) -> BoolArray:
    """Cells with two equal numbers of one line beside them."""
    rows, columns = puzzle.shape
    white = np.zeros((rows, columns), dtype=bool)
    for axis, grid in ((0, puzzle.grid), (1, puzzle.grid.T)):
        view = white if axis == 0 else white.T
        view[:, 1:-1] |= (grid[:, 2:] == grid[:, :-2]) & (grid[:, 2:] > 0)
    return white


def _constrain(puzzle: Hitori, shaded: Shaded) -> Model:
    groups = list(_equal(puzzle.grid))
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
