"""Pieces of four cells, one a room."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import scipy

from qubopuzzle.errors import TooLarge
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.base import Violation
from qubopuzzle.puzzles.vocabulary.cells import Cells, Write
from qubopuzzle.puzzles.vocabulary.grids import cells_of, groups, side_by_side
from qubopuzzle.puzzles.vocabulary.paths import neighbours
from qubopuzzle.puzzles.vocabulary.rules import Placements

CELL_LIMIT = 20_000
"""Most cells of rooms, of which all pieces are listed."""


def shape_of(cells: IntArray, columns: int) -> str:
    """The letter of four connected cells, without regard to turns and mirrors; O for a square."""
    r, c = np.divmod(cells, columns)
    high, wide = sorted((int(np.ptp(r)) + 1, int(np.ptp(c)) + 1))
    if (high, wide) != (2, 3):
        return "I" if high == 1 else "O"
    long = r if np.ptp(r) == 2 else c
    count = np.bincount(long - long.min())
    if count[1] == 1:  # three in one line, or one at each end of it
        return "L"
    short = c if long is r else r
    ends = short[long == long.min()], short[long == long.max()]
    if len(ends[0]) + len(ends[1]) == 2:
        return "T" if ends[0][0] == ends[1][0] else "S"
    return "L"


def tetrominoes(room: IntArray, near: IntArray) -> list[IntArray]:
    """All sets of four connected cells of a room."""
    inside = {*room.tolist()}
    pieces = {frozenset([cell]) for cell in inside}
    for _ in range(3):
        pieces = {
            piece | {beside}
            for piece in pieces
            for cell in piece
            for beside in near[cell].tolist()
            if beside in inside and beside not in piece
        }
    return [np.array(sorted(piece)) for piece in sorted(pieces, key=sorted)]


@dataclass(frozen=True, eq=False)
class Tetrominoes(Placements):
    """A tetromino in each room; two side by side in different rooms have other shapes.

    ``rooms``: a number a cell, (rows, columns), from 0 on. Cells of pieces have the value 1.
    """

    rooms: IntArray = field(kw_only=True)

    @cached_property
    def covers(self) -> list[list[IntArray]]:
        """All sets of four connected cells of a room but squares."""
        if self.rooms.size > CELL_LIMIT:
            raise TooLarge(f"pieces in {self.rooms.size:,} cells; at most {CELL_LIMIT:,} fit")
        near, columns = neighbours(self.rooms.shape), self.rooms.shape[1]
        every = [tetrominoes(room, near) for room in groups(self.rooms)]
        return [[p for p in pieces if shape_of(p, columns) != "O"] for pieces in every]

    @cached_property
    def _borders(self) -> list[tuple[int, int]]:
        """Pairs of cells side by side in different rooms."""
        shape, flat = self.rooms.shape, self.rooms.ravel()
        return [(u, v) for u, v in side_by_side(shape).tolist() if flat[u] != flat[v]]

    def constrain(self, cells: Cells) -> Write:
        """At most one of two like shapes that touch."""
        write = super().constrain(cells)
        columns = cells.shape[1]
        at: dict[tuple[int, str], list[int]] = {}
        for literal, cover in self.placed(cells):
            for cell in cover.tolist():
                at.setdefault((cell, shape_of(cover, columns)), []).append(literal)
        for u, v in self._borders:
            for shape in "LITS":
                if at.get((u, shape)) and at.get((v, shape)):
                    row = np.array([[*at[u, shape], *at[v, shape]]])
                    cells.literal_rows("alike", row, high=1)
        return write

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Rooms without a tetromino, and like ones that touch."""
        columns, rooms = answer.shape[1], self.rooms.ravel()
        shapes: dict[int, str] = {}
        for k in range(len(self.values)):
            cells = self.piece(answer, k)
            parts = scipy.ndimage.label((self.rooms == k) & (np.asarray(answer) == 1))[1]
            shapes[k] = shape_of(cells, columns) if (len(cells), parts) == (4, 1) else ""
            if shapes[k] in ("", "O"):
                where = cells_of(cells, columns)
                yield Violation(self.family, f"the piece of room {k} is no L, I, T or S", where)
        flat = np.asarray(answer).ravel()
        touching = [(u, v) for u, v in self._borders if flat[u] == flat[v] == 1]
        for one, two in dict.fromkeys(tuple(sorted(rooms[[u, v]].tolist())) for u, v in touching):
            if shapes[one] == shapes[two] != "":
                both = np.concatenate([self.piece(answer, one), self.piece(answer, two)])
                where = cells_of(both, columns)
                yield Violation("alike", f"two {shapes[one]} touch at {where[0]}", where)
