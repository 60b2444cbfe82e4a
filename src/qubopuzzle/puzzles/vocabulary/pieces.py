"""Pieces of four cells, one a room."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.base import Violation
from qubopuzzle.puzzles.vocabulary.cells import Cells, Write
from qubopuzzle.puzzles.vocabulary.grids import cells_of, windows
from qubopuzzle.puzzles.vocabulary.rules import Placements


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
    """All sets of four connected cells of a room but squares."""
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
    """A tetromino in each room; two side by side in different rooms have other shapes."""

    rooms: IntArray | None = None

    @cached_property
    def _borders(self) -> list[tuple[int, int]]:
        """Pairs of cells side by side in different rooms."""
        rooms = np.asarray(self.rooms)
        pairs = np.concatenate([windows(rooms.shape, 1, 2), windows(rooms.shape, 2, 1)])
        flat = rooms.ravel()
        return [(u, v) for u, v in pairs.tolist() if flat[u] != flat[v]]

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
        yield from super().broken(answer)
        flat, rooms = np.asarray(answer).ravel(), np.asarray(self.rooms).ravel()
        seen = set()
        for u, v in self._borders:
            pieces = [np.flatnonzero((rooms == rooms[cell]) & (flat == 1)) for cell in (u, v)]
            if flat[u] == flat[v] == 1 and all(len(piece) == 4 for piece in pieces):
                shapes = [shape_of(piece, answer.shape[1]) for piece in pieces]
                pair = frozenset((int(rooms[u]), int(rooms[v])))
                if shapes[0] == shapes[1] and pair not in seen:
                    seen.add(pair)
                    where = cells_of(np.concatenate(pieces), answer.shape[1])
                    yield Violation("alike", f"two {shapes[0]} touch at {where[0]}", where)
