"""Why lines pass a side between two cells, or do not, by the sides that are left to all cells."""

from collections.abc import Callable, Collection, Sequence
from typing import TypeAlias

import numpy as np

from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.vocabulary.grids import BoolArray, CanArray, Cell
from qubopuzzle.puzzles.vocabulary.paths import leaves, neighbours

Joined: TypeAlias = Callable[[Sequence[int], Sequence[int]], str]
"""What would be joined if two lines were, by their cells from there on; nothing if they may be."""
Closed: TypeAlias = Callable[[Sequence[int]], str]
"""What would be closed if a line were, by its cells; nothing if it may be."""
Parted: TypeAlias = Callable[[IntArray], str]
"""What would be cut off if lines could only leave by these, (rows, columns); nothing if that is."""


class Sides:
    """By which sides lines may leave each cell, and by which they do, (cells, 4) each.

    Of the values that each cell ``can`` have, (rows, columns), as in ``paths``; those that are no
    sum of sides leave by none. Where one of two cells is certain, the other one agrees.
    """

    def __init__(self, can: CanArray) -> None:
        self.shape = can.shape
        self.near = neighbours((can.shape[0], can.shape[1]))
        inside, back = self.near >= 0, [2, 3, 0, 1]
        both = np.array([_sides(values) for values in can.ravel().tolist()])
        self._first, does = both[:, 0] & inside, both[:, 1] & inside
        self.may = self._first & self._first[self.near, back]
        self.does = (does | does[self.near, back]) & self.may

    def place(self, cell: int) -> Cell:
        """Its row and column."""
        r, c = divmod(int(cell), self.shape[1])
        return r, c

    def why(
        self,
        cell: int,
        left: Collection[int],
        joined: Joined | None = None,
        closed: Closed | None = None,
        parted: Parted | None = None,
    ) -> str:
        """Why a cell keeps only some values; without one (-1) what cannot hold."""
        if cell < 0:
            pairs = np.argwhere(self.does[:, :2]).tolist()
            each = (self._if_joined(one, side, joined, closed) for one, side in pairs)
            whole = parted(self._paths(self.may)) if parted else ""
            return next(filter(None, each), whole.replace(" would be cut", " is cut"))
        may, does = _sides(left) & (self.near[cell] >= 0)
        gained, lost = (
            np.flatnonzero(sides).tolist()
            for sides in (does & ~self.does[cell], ~may & self._first[cell])
        )
        several = [self._if_joined(cell, side, joined, closed) for side in lost]
        if parted and not any(several):
            several = [parted(self._without(cell, side)) for side in gained]
        reasons = [*dict.fromkeys(filter(None, several))]
        return f"otherwise {', or '.join(reasons[:2])}" if reasons else ""

    def closed(self, cells: Sequence[int]) -> str:
        """That any loop is wrong, as ``why`` takes it."""
        return f"a loop through {self.place(cells[0])} would be closed"

    def _if_joined(self, cell: int, side: int, joined: Joined | None, closed: Closed | None) -> str:
        """What would be if lines passed a side, which they may do already."""
        one, other = self._line(cell, side), self._line(int(self.near[cell, side]), side + 2)
        if {*one} & {*other}:
            return closed(one) if closed else ""
        return joined(one, other) if joined else ""

    def _without(self, cell: int, side: int) -> IntArray:
        """By which sides lines may leave each cell, but not this one."""
        may = self.may.copy()
        may[cell, side] = may[self.near[cell, side], (side + 2) % 4] = False
        return self._paths(may)

    def reached(self, cell: int) -> list[int]:
        """The cells to which lines may lead from one, the nearest first."""
        reached = [cell]
        for one in reached:  # grows on the way
            reached += [c for c in self.near[one][self.may[one]].tolist() if c not in reached]
        return reached

    def _line(self, cell: int, but: int) -> list[int]:
        """The cells that are joined with one, the nearest first, but not by one of its sides."""
        line = [cell]
        for one in line:  # grows on the way
            leads = self.does[one] & ((one != cell) | (np.arange(4) != but % 4))
            line += [c for c in self.near[one][leads].tolist() if c not in line]
        return line

    def _paths(self, sides: BoolArray) -> IntArray:
        """The same as sums of sides, (rows, columns)."""
        return np.asarray(sides @ (1 << np.arange(4))).reshape(self.shape)


def met(
    grid: IntArray, one: Sequence[int], other: Sequence[int], wrong: Callable[[int, int], bool]
) -> str:
    """The first numbers of a grid on two lines, if it is wrong to join them."""
    a, b = (next(filter(None, grid.ravel()[[*line]].tolist()), 0) for line in (one, other))
    is_wrong = a and b and wrong(a, b)
    return f"the {min(a, b)} and the {max(a, b)} would be joined" if is_wrong else ""


def _sides(values: Collection[int]) -> BoolArray:
    """The sides by which some value leaves, and those by which all do, (2, 4)."""
    every = leaves(np.array([v if 0 <= v < 16 else 0 for v in values] or [0]))
    return np.array([every.any(axis=0), every.all(axis=0)])
