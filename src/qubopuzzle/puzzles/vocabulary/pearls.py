"""Pearls on a loop: white ones that it goes straight through, and black ones where it turns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.base import Violation
from qubopuzzle.puzzles.vocabulary.cells import At, Cells
from qubopuzzle.puzzles.vocabulary.grids import BoolArray, cells_of
from qubopuzzle.puzzles.vocabulary.loops import STRAIGHT, TURNS
from qubopuzzle.puzzles.vocabulary.paths import neighbours
from qubopuzzle.puzzles.vocabulary.rules import Rule, cell_of

WHITE, BLACK = 1, 2
_NAMES = {WHITE: "white", BLACK: "black"}


@dataclass(frozen=True, eq=False)
class Pearls(Rule):
    """At a black pearl the loop turns, and goes on straight in the next cell on both sides.

    At a white one it goes straight, and turns in the next cell on one side at least. ``grid`` has
    the pearls, (rows, columns), 0 where there is none.
    """

    family: str
    grid: IntArray

    def narrow(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """Only turns, or only straight ones."""
        for pearl, shapes in ((WHITE, STRAIGHT), (BLACK, TURNS)):
            allowed[self.grid == pearl] &= np.isin(values, shapes)

    def fix(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """Nothing: its rows say the same."""

    def constrain(self, cells: Cells) -> None:
        """Of shapes beside each other."""
        near, flat = neighbours(cells.shape), self.grid.ravel()
        for cell in np.flatnonzero(flat).tolist():
            shapes = STRAIGHT if flat[cell] == WHITE else TURNS
            with cells.stating(("grid", cell)):
                if cells.stated:
                    rows = np.array([[cells.of(shape)[cell] for shape in shapes]])
                    cells.literal_rows(self.family, rows, low=1)
                for shape in shapes:
                    self._turn_beside(cells, near[cell], cell, shape)

    def _turn_beside(self, cells: Cells, near: IntArray, cell: int, shape: int) -> None:
        """What the cells beside a pearl are, where the loop passes it in this shape."""
        beside = [near[d] for d in range(4) if shape >> d & 1]
        if min(beside) < 0:  # it leads out of the grid
            return
        turning = [[cells.of(t)[other] for t in TURNS] for other in beside]
        here = cells.of(shape)[cell]
        if self.grid.flat[cell] == BLACK:
            rows = np.array([[here, *turns] for turns in turning])
            cells.literal_rows(self.family, rows, high=1)
        else:
            rows = np.array([[here, *chain(*turning)]])
            cells.literal_rows(self.family, rows, [1, *[-1] * (rows.size - 1)], high=0)

    # --- words -----------------------------------------------------------------------------

    def about(self, at: At) -> IntArray:
        """The cell of a pearl."""
        return cell_of(at)

    def name_at(self, at: At) -> str:
        """A pearl by its colour."""
        if not isinstance(at, tuple):
            return self.says
        r, c = divmod(at[1], self.grid.shape[1])
        return f"the {_NAMES[self.grid[r, c]]} pearl in ({r},{c})"

    def asks(self, at: At, grid: IntArray, known: BoolArray) -> str:
        """How the loop passes a pearl, and through which cells, if that is known."""
        (cell,) = cell_of(at)
        is_white, shape = self.grid.flat[cell] == WHITE, int(grid.flat[cell] * known.flat[cell])
        near = neighbours(grid.shape)[cell]
        beside = sorted(int(near[d]) for d in range(4) if shape >> d & 1 and near[d] >= 0)
        but = ""
        if is_white:
            turns = [c for c in beside if known.flat[c] and grid.flat[c] in TURNS]
            straight = [c for c in beside if known.flat[c] and c not in turns]
            if straight and not turns:
                but = f", as it does not in {divmod(straight[0], grid.shape[1])}"
            beside = turns or [c for c in beside if not known.flat[c]]
        cells = cells_of(np.array(beside, dtype=np.int64), grid.shape[1])
        where = (" or " if is_white else " and ").join(map(str, cells))
        if is_white:
            where = where or "the next cell on one side at least"
            return f"the loop goes straight through {{}} and turns in {where}{but}"
        where = where or "the next cell on both sides"
        return f"the loop turns at {{}} and goes straight through {where}"

    def why(self, at: At, grid: IntArray, known: BoolArray, cell: int | None) -> str:  # noqa: ARG002
        """Of a white pearl at an edge, that the loop would leave the grid."""
        if cell is None or cell not in cell_of(at) or self.grid.flat[cell] != WHITE:
            return ""
        at_edge = (neighbours(grid.shape)[cell] < 0).any()
        return "otherwise it would leave the grid" if at_edge else ""

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Pearls that the loop passes otherwise."""
        near = neighbours(answer.shape)
        for r, c in np.argwhere(self.grid).tolist():
            shape, columns = int(answer[r, c]), answer.shape[1]
            beside = [near[r * columns + c, d] for d in range(4) if shape >> d & 1]
            turns = [int(answer.flat[cell]) in TURNS for cell in beside if cell >= 0]
            wanted = (TURNS, not any(turns)) if self.grid[r, c] == BLACK else (STRAIGHT, any(turns))
            if shape not in wanted[0] or not wanted[1]:
                message = f"the loop does not pass the {_NAMES[self.grid[r, c]]} pearl on ({r},{c})"
                yield Violation(self.family, f"{message} as it should", ((r, c),))
