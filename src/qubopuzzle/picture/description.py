"""What a puzzle looks like, without saying how it is drawn."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Cell = tuple[int, ...]

BoolArray = NDArray[np.bool_]

RIGHT, DOWN, LEFT, UP = 1, 2, 4, 8
"""How a line leaves a cell or a corner, as in ``PictureData.paths``."""
STEP = 0.7
"""From one clue outside to the next, in widths of a cell."""


@dataclass(frozen=True, slots=True, eq=False)
class PictureData:
    """A grid, what stands in its cells, and clues around it.

    Attributes:
        rows, columns: size of the grid.
        black: 0/1, shape (rows, columns): shaded cells; None for none.
        left, right, top, bottom: clues outside as words, one tuple a row or column; those
            of ``left`` and ``top`` end at the grid, those of ``right`` and ``bottom`` begin
            there.
        words: what is written in a cell, by cell.
        given: cells whose words belong to the puzzle; the others are the answer's.
        circled: cells with a circle around the word.
        corners: small words in the upper left corner, by cell.
        rooms: a number a cell, shape (rows, columns): a thick line between different ones.
        paths: how lines pass, shape (rows, columns): the sum of 1 to the right, 2 down, 4
            to the left and 8 up; None for none.
        colors: a number a cell: cells of one number have their path in one colour.
        broken: cells to mark in red.
        thick_every: every such grid line is thick; 0 for none but the frame.
    """

    rows: int
    columns: int
    black: NDArray[np.int64] | None = None
    left: tuple[tuple[str, ...], ...] = ()
    top: tuple[tuple[str, ...], ...] = ()
    broken: frozenset[Cell] = frozenset()
    thick_every: int = 0
    right: tuple[tuple[str, ...], ...] = ()
    bottom: tuple[tuple[str, ...], ...] = ()
    words: Mapping[Cell, str] = field(default_factory=dict)
    given: frozenset[Cell] = frozenset()
    circled: frozenset[Cell] = frozenset()
    corners: Mapping[Cell, str] = field(default_factory=dict)
    rooms: NDArray[np.int64] | None = None
    paths: NDArray[np.int64] | None = None
    colors: NDArray[np.int64] | None = None

    def size_in(self) -> tuple[float, float]:
        """A comfortable figure size, (width, height) in inches."""
        cell = min(0.4, 16 / max(self.rows, self.columns))
        left, right, top, bottom = self.outside()
        return (
            max(1.5, cell * (left + self.columns + right)),
            max(1.5, cell * (top + self.rows + bottom)),
        )

    def outside(self) -> tuple[float, float, float, float]:
        """Space on the left, right, top and bottom of the grid, in widths of a cell."""
        clues = (self.left, self.right, self.top, self.bottom)
        left, right, top, bottom = (max(map(len, words), default=0) * STEP for words in clues)
        return left + 0.5, right + 0.5, top + 0.5, bottom + 0.5

    def borders(self) -> tuple[BoolArray, BoolArray]:
        """The frame and what divides rooms, as lines on the left of cells and lines above.

        Returns:
            Arrays of shape (rows, columns + 1) and (rows + 1, columns).
        """
        beside = np.zeros((self.rows, self.columns + 1), dtype=bool)
        above = np.zeros((self.rows + 1, self.columns), dtype=bool)
        beside[:, [0, -1]], above[[0, -1]] = True, True
        if self.rooms is not None:
            beside[:, 1:-1] = self.rooms[:, 1:] != self.rooms[:, :-1]
            above[1:-1] = self.rooms[1:] != self.rooms[:-1]
        return beside, above

    def thick_lines(self) -> tuple[BoolArray, BoolArray]:
        """The same, and every ``thick_every``-th line of the grid."""
        beside, above = self.borders()
        if self.thick_every:
            beside[:, :: self.thick_every] = True
            above[:: self.thick_every] = True
        return beside, above
