"""Ways of paths through cells, with headings that no closed loop can have: see ``numberlink``."""

import numpy as np
import scipy

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
_HEADING, _SIDE = np.arange(8), np.arange(4)


class Board:
    """Cells in row-major order, K pairs of them to be joined; TooLarge for too many of both.

    Attributes:
        near: see ``neighbours``.
        number: the pair that a cell belongs to, 0 .. K - 1, or -1, (cells,).
        used: whether a path has to pass, (cells,).
        ends: the two cells of each pair, in order, (K, 2).
        first: with which heading a path begins, by pair and direction, (K, 4): the one that
            is least turned from the other end.
        reached: which pairs' paths reach a cell past the ends of other pairs, (cells, K).
    """

    def __init__(self, puzzle: Numberlink) -> None:
        grid = np.array(puzzle.grid)
        numbers = np.unique(grid[grid > 0])
        n, n_pairs = grid.size, len(numbers)
        if n * n_pairs > LABEL_LIMIT:
            raise TooLarge(f"{n} cells and {n_pairs} numbers: over {LABEL_LIMIT:,} together")
        number = np.where(grid > 0, np.searchsorted(numbers, grid), -1)
        self.shape, self.n_cells, self.near = puzzle.shape, n, neighbours(puzzle.shape)
        self.number = number.ravel()
        self.used = (self.number >= 0) | puzzle.cover
        self.ends = np.argsort(self.number, kind="stable")[n - 2 * n_pairs :].reshape(-1, 2)
        row, below = self.ends.T[..., None] // self.shape[1]
        middle = (below > row).astype(np.int64)
        self.first = ((_SIDE - middle + 1) % 4 - 1 + middle) % 8
        self.reached = np.zeros((n, n_pairs), dtype=bool)
        for pair, start in enumerate(self.ends[:, 0].tolist()):
            component = scipy.ndimage.label((number < 0) | (number == pair))[0].ravel()
            self.reached[:, pair] = component == component[start]

    def name(self, what: str, cell: int) -> str:
        """Something of a cell, for people."""
        return f"{what}[{cell // self.shape[1]},{cell % self.shape[1]}]"

    def ways(self) -> IntArray:
        """Ways through cells: rows of cell, pair, heading in and heading out, by cell.

        Those that a neighbour cannot go on from are left out, and those that leave out a
        side that the neighbour there cannot do without, until nothing changes. A cell's last
        row is ``UNUSED, NONE, NONE`` where no path has to pass, or no way is left: so a puzzle
        without a solution has a model, too.
        """
        ways = np.zeros((*self.reached.shape, 9, 9), dtype=bool)
        for turn in (-1, 0, 1):
            ways[:, :, _HEADING, (_HEADING + turn) % 8] = True
        ways &= self.reached[:, :, None, None]
        ways[self.number >= 0] = False
        pairs = np.arange(len(self.ends))
        ways[self.ends[:, :1], pairs[:, None], NONE, self.first] = True
        ways[self.ends[:, 1], pairs, :NONE, NONE] = True
        rows, kept = np.argwhere(ways), np.zeros(1, dtype=bool)
        while not kept.all():
            kept = self._goes_on(*rows.T)
            rows = rows[kept]
        left = np.isin(np.arange(self.n_cells), rows[:, 0])
        (unused,) = np.nonzero(~(self.used & left))
        rest = np.column_stack(np.broadcast_arrays(unused, UNUSED, NONE, NONE))
        rows = np.concatenate([rows, rest])
        return rows[np.argsort(rows[:, 0], kind="stable")]

    def _goes_on(self, cell: IntArray, pair: IntArray, into: IntArray, out: IntArray) -> BoolArray:
        """Whether the neighbours of each way have one that fits it, (ways,)."""
        enters = np.zeros((self.n_cells + 1, len(self.ends), 9), dtype=bool)  # the last: beyond
        leaves = enters.copy()
        enters[cell, pair, into] = leaves[cell, pair, out] = True
        fits = (out == NONE) | enters[self.near[cell, out % 4], pair, out]
        fits &= (into == NONE) | leaves[self.near[cell, (into + 2) % 4], pair, into]
        # A side that all ways of a cell take is needed, if the cell is used.
        taken, needed = sides(into, out), np.append(np.where(self.used, 15, 0), 0)
        np.bitwise_and.at(needed, cell, taken)
        for d in range(4):
            fits &= taken >> d & 1 >= needed[self.near[cell, d]] >> (d + 2) % 4 & 1
        return np.asarray(fits)


def sides(into: IntArray, out: IntArray) -> IntArray:
    """The sides that a way through a cell takes."""
    entered = np.where(into < NONE, 1 << (into + 2) % 4, 0)
    return np.asarray(entered + np.where(out < NONE, 1 << out % 4, 0))
