"""What a puzzle looks like, without saying how it is drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.picture.shapes import Shape

Cell = tuple[int, ...]

BoolArray = NDArray[np.bool_]

RIGHT, DOWN, LEFT, UP = 1, 2, 4, 8
"""How a line leaves a cell or a corner, as in ``PictureData.paths``."""
TWICE = 4
"""By how many bits the ways of two lines stand above those of one."""
PALETTE = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#444444")
"""Okabe and Ito's colours, which nearly everyone can distinguish; yellow is too pale for a line."""
PAPER, INK = "#ffffff", "#222222"
DISCS = {"○": PAPER, "●": INK}
"""Words that are drawn as discs, and their colours."""
NOTES = {"decided": (">", "#2e9e5b"), "because": ("+", "#2f7fd6"), "near": (":", "#2f7fd6")}
"""Of each kind of note its sign in text and its colour."""
_GAP, _LETTER = 0.38, 0.32
"""Between two clues outside, and a letter of one, in widths of a cell."""


def places(clue: Sequence[str], *, across: bool) -> tuple[list[float], float]:
    """How far from the grid the middle of each word is, from the grid outwards; where they end.

    In widths of a cell; ``across`` if the words stand side by side, so that long ones take more.

    >>> places(["7", "10"], across=True), places(["7", "10"], across=False)
    (([0.35, 1.21], 1.72), ([0.35, 1.05], 1.4))
    """
    middles, end = [], 0.0
    for word in clue:
        size = _LETTER * (len(word) if across else 1)
        middles.append(round(end + (_GAP + size) / 2, 6))
        end = round(end + _GAP + size, 6)
    return middles, end


@dataclass(frozen=True, slots=True, eq=False)
class PictureData:
    """A grid, what stands in its cells, and clues around it.

    Attributes:
        rows, columns: size of the grid.
        black: 0/1, shape (rows, columns): shaded cells; None for none.
        left, right, top, bottom: clues outside as words, one tuple a row or column; those
            of ``left`` and ``top`` end at the grid, those of ``right`` and ``bottom`` begin
            there.
        words: what is written in a cell, by cell; those of ``DISCS`` are drawn.
        given: cells whose words belong to the puzzle; the others are the answer's.
        circled: cells with a circle around the word.
        corners: small words in the upper left corner, by cell.
        rooms: a number a cell, shape (rows, columns): a thick line between different ones.
        walls: 0/1 between the cells of a row, shape (rows, columns - 1), and below cells, shape
            (rows - 1, columns): a thick line; None for none.
        paths: how lines pass, shape (rows, columns): the sum of 1 to the right, 2 down, 4
            to the left and 8 up, and 16 times those where two lines pass; None for none.
        colors: a number a cell: cells of one number have their path in one colour, of ``PALETTE``,
            or are shaded in it, where there is a ``palette``.
        palette: a sign for each colour of shaded cells, and what it looks like, such as #ff0000;
            a clue that ends with a sign is in its colour. Without, shaded cells are black.
        paper: what cells look like that are not shaded.
        broken: cells to mark in red.
        crossed: cells that are known not to be black, or to hold nothing, where others are open.
        notes: what a hint has to say of cells, a key of ``NOTES``: that it decides them, that it
            takes what they hold, or that its reasons are about them.
        loop: 0/1, shape (rows, columns): a thick line between different ones, with 0 around the
            grid, which has no frame then, and none beside -1, what is not known; None for none.
        shapes: what is drawn over several cells, such as cages, lines and dots.
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
    loop: NDArray[np.int64] | None = None
    walls: tuple[NDArray[np.int64] | None, NDArray[np.int64] | None] = (None, None)
    palette: Mapping[str, str] = field(default_factory=dict)
    paper: str = PAPER
    shapes: tuple[Shape, ...] = ()
    crossed: frozenset[Cell] = frozenset()
    notes: Mapping[Cell, str] = field(default_factory=dict)

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
        sides = ((self.left, True), (self.right, True), (self.top, False), (self.bottom, False))
        ends = [[places(clue, across=across)[1] for clue in clues] for clues, across in sides]
        left, right, top, bottom = (max(side, default=0.0) + 0.5 for side in ends)
        return left, right, top, bottom

    def borders(self) -> tuple[BoolArray, BoolArray]:
        """The frame, or a loop, what divides rooms, and walls, on the left of cells and above.

        Returns:
            Arrays of shape (rows, columns + 1) and (rows + 1, columns).
        """
        beside = np.zeros((self.rows, self.columns + 1), dtype=bool)
        above = np.zeros((self.rows + 1, self.columns), dtype=bool)
        beside[:, [0, -1]], above[[0, -1]] = True, True
        if self.loop is not None:
            inside = np.pad(self.loop, 1)
            for lines, one, other in (
                (beside, inside[1:-1, 1:], inside[1:-1, :-1]),
                (above, inside[1:, 1:-1], inside[:-1, 1:-1]),
            ):
                lines[:] = (one != other) & (one >= 0) & (other >= 0)
        elif self.rooms is not None:
            beside[:, 1:-1] = self.rooms[:, 1:] != self.rooms[:, :-1]
            above[1:-1] = self.rooms[1:] != self.rooms[:-1]
        for inner, walls in zip((beside[:, 1:-1], above[1:-1]), self.walls, strict=True):
            inner |= walls is not None and walls > 0
        return beside, above

    def thick_lines(self) -> tuple[BoolArray, BoolArray]:
        """The same, and every ``thick_every``-th line of the grid."""
        beside, above = self.borders()
        if self.thick_every:
            beside[:, :: self.thick_every] = True
            above[:: self.thick_every] = True
        return beside, above
