"""Ways of paths through cells, with headings that no closed loop can have: see ``numberlink``."""

import numpy as np
import scipy

from qubopuzzle.errors import TooLarge
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.numberlink.rules import Numberlink
from qubopuzzle.puzzles.vocabulary.paths import neighbours

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
        rows = self._that_go_on(np.argwhere(ways))
        left = np.isin(np.arange(self.n_cells), rows[:, 0])
        (unused,) = np.nonzero(~(self.used & left))
        rest = np.column_stack(np.broadcast_arrays(unused, UNUSED, NONE, NONE))
        rows = np.concatenate([rows, rest])
        return rows[np.argsort(rows[:, 0], kind="stable")]

    def _that_go_on(self, rows: IntArray) -> IntArray:
        """The ways, sorted by cell, whose neighbours have ways that fit them."""
        (cell, pair, into, out), n, k = rows.T, self.n_cells, len(self.ends)
        taken, begins, ends = sides(into, out), into == NONE, out == NONE
        # How many ways enter or leave a cell, by pair and heading; the last place fits all.
        enter, leave = ((cell * k + pair) * 8 + heading for heading in (into, out))
        last = (n + 1) * k * 8
        before = (self.near[cell, (into + 2) % 4] % (n + 1) * k + pair) * 8 + into
        after = (self.near[cell, out % 4] % (n + 1) * k + pair) * 8 + out
        enter[begins] = before[begins] = leave[ends] = after[ends] = last
        enters, leaves = (np.bincount(each, minlength=last + 1) for each in (enter, leave))
        enters[last] = leaves[last] = len(rows) + 1
        # A side that all ways of a cell take is needed, if the cell is used.
        every_side = np.append(np.where(self.used, 15, 0), 0)
        needed, look, kept = every_side.copy(), every_side >= 0, np.ones(len(rows), dtype=bool)
        while True:
            (here,) = np.nonzero(kept & look[cell])
            needed[look] = every_side[look]
            np.bitwise_and.at(needed, cell[here], taken[here])
            asked = ((needed[self.near] >> (_SIDE + 2) % 4 & 1) @ (1 << _SIDE))[cell[here]]
            fits = (enters[after[here]] > 0) & (leaves[before[here]] > 0)
            gone = here[~fits | (taken[here] & asked != asked)]
            if not len(gone):
                return rows[kept]
            kept[gone] = False
            np.subtract.at(enters, enter[gone], 1)
            np.subtract.at(leaves, leave[gone], 1)
            look[:] = False
            look[self.near[cell[gone]]] = look[cell[gone]] = True


def sides(into: IntArray, out: IntArray) -> IntArray:
    """The sides that a way through a cell takes."""
    entered = np.where(into < NONE, 1 << (into + 2) % 4, 0)
    return np.asarray(entered + np.where(out < NONE, 1 << out % 4, 0))
