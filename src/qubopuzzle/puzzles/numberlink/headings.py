"""Ways of paths through cells, with headings that no closed loop can have: see ``numberlink``."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import label

from qubopuzzle.errors import TooLarge
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.kinds.grids import BoolArray
from qubopuzzle.puzzles.kinds.paths import neighbours
from qubopuzzle.puzzles.numberlink.rules import Numberlink

LABEL_LIMIT = 100_000
"""Most cells times numbers of a model: about 1 GB."""
NONE = 8
"""No heading: before a path begins, and after it ends."""
UNUSED = -1
"""Stands for a pair where no path is."""
_HEADING = np.arange(8)


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """Cells in row-major order, K pairs of them to be joined.

    Attributes:
        near: see ``neighbours``.
        number: the pair that a cell belongs to, 0 .. K - 1, or -1, (cells,).
        ends: the two cells of each pair, in order, (K, 2).
        reached: which pairs' paths reach a cell past the ends of other pairs, (cells, K).
        cover: whether every cell is used.
    """

    shape: tuple[int, int]
    near: IntArray
    number: IntArray
    ends: IntArray
    reached: BoolArray
    cover: bool

    @classmethod
    def of(cls, puzzle: Numberlink) -> Board:
        """The board of a puzzle; TooLarge for too many cells and numbers."""
        grid = np.array(puzzle.grid)
        numbers = np.unique(grid[grid > 0])
        n, n_pairs = grid.size, len(numbers)
        if n * n_pairs > LABEL_LIMIT:
            raise TooLarge(f"{n} cells and {n_pairs} numbers: over {LABEL_LIMIT:,} together")
        number = np.where(grid > 0, np.searchsorted(numbers, grid), -1)
        ends = np.argsort(number, axis=None, kind="stable")[n - 2 * n_pairs :].reshape(-1, 2)
        reached = np.zeros((n, n_pairs), dtype=bool)
        for pair, start in enumerate(ends[:, 0].tolist()):
            piece = label((number < 0) | (number == pair))[0].ravel()
            reached[:, pair] = piece == piece[start]
        near = neighbours(puzzle.shape)
        return cls(puzzle.shape, near, number.ravel(), ends, reached, puzzle.cover)

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return len(self.number)

    def name(self, what: str, cell: int) -> str:
        """Something of a cell, for people."""
        return f"{what}[{cell // self.shape[1]},{cell % self.shape[1]}]"

    def first_headings(self, pair: int) -> IntArray:
        """With which heading a path begins, by direction: least turned from the other end."""
        row, below = (self.ends[pair] // self.shape[1]).tolist()
        middle = 1 if below > row else 0
        return np.asarray(((np.arange(4) - middle + 1) % 4 - 1 + middle) % 8)

    def headings(self) -> IntArray:
        """Ways through cells: rows of cell, pair, heading in and heading out, sorted.

        Those that a neighbour cannot go on from are left out, and those that leave out a
        side that the neighbour there cannot do without, until nothing changes.
        """
        ways = np.zeros((*self.reached.shape, 9, 9), dtype=bool)
        for turn in (-1, 0, 1):
            ways[:, :, _HEADING, (_HEADING + turn) % 8] = True
        ways &= self.reached[:, :, None, None]
        ways[self.number >= 0] = False
        for pair, (first, second) in enumerate(self.ends.tolist()):
            ways[first, pair, NONE, self.first_headings(pair)] = True
            ways[second, pair, :NONE, NONE] = True
        used = (self.number >= 0) | self.cover
        takes = [sides(*np.indices((9, 9))) >> d & 1 == 1 for d in range(4)]
        before = -1
        while before != (before := int(ways.sum())):
            # What the cells before and after can take up.
            out = np.asarray(ways[..., :NONE].any(axis=2))
            into = np.asarray(ways[:, :, :NONE].any(axis=3))
            ways[..., :NONE] &= self._beside(into, _HEADING % 4)[:, :, None, :]
            ways[:, :, :NONE] &= self._beside(out, (_HEADING + 2) % 4)[..., None]
            # Where all ways of a cell that is used take a side, the neighbour takes it, too.
            for d in range(4):
                needed = used & ~ways[:, :, ~takes[d]].any(axis=(1, 2))
                other = self.near[needed, d]
                ways[other[other >= 0]] &= takes[(d + 2) % 4]
        return np.argwhere(ways)

    def _beside(self, found: BoolArray, side: IntArray) -> BoolArray:
        """What the cell on a side of each heading has there, (cells, K, headings)."""
        cell = self.near[:, side]  # (cells, headings)
        there = found.swapaxes(1, 2)[cell, _HEADING] & (cell >= 0)[..., None]
        return np.asarray(there.swapaxes(1, 2))


def sides(into: IntArray, out: IntArray) -> IntArray:
    """The sides that a way through a cell takes."""
    entered = np.where(into < NONE, 1 << (into + 2) % 4, 0)
    return np.asarray(entered + np.where(out < NONE, 1 << out % 4, 0))
