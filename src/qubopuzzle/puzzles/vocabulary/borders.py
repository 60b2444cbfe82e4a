"""One loop along the sides of cells, between those inside, of the value 1, and those outside."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.model import FALSE, IntArray
from qubopuzzle.puzzles.base import Violation
from qubopuzzle.puzzles.vocabulary.cells import At, Cells
from qubopuzzle.puzzles.vocabulary.grids import BoolArray, cells_of
from qubopuzzle.puzzles.vocabulary.paths import neighbours
from qubopuzzle.puzzles.vocabulary.rules import Rule, cell_of
from qubopuzzle.puzzles.vocabulary.words import counted, wrongly

BLANK = -1


def _across(grid: NDArray[Any], outside: int) -> NDArray[Any]:
    """The values of the cells beside each cell, ``outside`` beyond the grid, (cells, 4)."""
    return np.append(grid, outside)[neighbours(grid.shape)]


def sides(answer: IntArray) -> IntArray:
    """How many sides of each cell the loop takes, (rows, columns)."""
    differs = _across(answer, 0) != answer.reshape(-1, 1)
    return np.asarray(differs.sum(axis=1).reshape(answer.shape), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Sides(Rule):
    """The loop takes as many sides of a cell as its number in ``grid`` says, -1 for none.

    With x = 1 inside and 0 outside, n sides differ: those beside add up to n + (4 - 2 n) x.
    """

    family: str
    grid: IntArray

    def constrain(self, cells: Cells) -> None:
        """A row a number."""
        (numbered,) = np.nonzero(self.grid.ravel() != BLANK)
        number, inside = self.grid.ravel()[numbered], np.append(cells.of(1), FALSE)
        near = inside[neighbours(cells.shape)[numbered]]
        literals = np.column_stack([near, inside[numbered]])
        factors = np.ones_like(literals)
        factors[:, 4] = 2 * number - 4
        tags = [("grid", cell) for cell in numbered.tolist()]
        cells.literal_rows(self.family, literals, factors, low=number, high=number, tags=tags)

    def about(self, at: At) -> IntArray:
        """The cell of a number, and those beside it."""
        cell = cell_of(at)
        near = neighbours(self.grid.shape)[cell].ravel()
        return np.concatenate([cell, near[near >= 0]])

    def asks(self, at: At, grid: IntArray, known: BoolArray) -> str:
        """How many more sides a number needs; one is known where the cells on both sides are."""
        (cell,) = cell_of(at)
        beside, inside = _across(known, outside=True)[cell], _across(grid, outside=0)[cell]
        number, is_known = int(self.grid.flat[cell]), known.flat[cell] & beside
        if not known.flat[cell] and (wrong := _either_way(number, inside[beside])):
            return wrong
        has = int(np.count_nonzero(is_known & (inside != grid.flat[cell])))
        left = int(np.count_nonzero(~is_known))
        if not (number or has):
            return "the loop takes no side of {}"
        if has >= number:
            return f"{{}} has {counted(has, 'sides of the loop')} already"
        if left == 4:
            return f"{{}} needs {counted(number, 'sides of the loop')}"
        need = counted(number - has, "more sides of the loop" if has else "sides of the loop")
        sides_left = f"{left or 'none'} of its sides {'are' if left > 1 else 'is'} open"
        return f"{{}} needs {need}, and {sides_left}"

    def why(self, at: At, grid: IntArray, known: BoolArray, cell: int | None) -> str:
        """How many there would be otherwise; of a cell beside it, inside as well as outside."""
        (numbered,) = cell_of(at)
        if cell not in self.about(at) or known.flat[numbered]:
            return ""
        beside, inside = _across(known, outside=True)[numbered], _across(grid, outside=0)[numbered]
        number, left = int(self.grid.flat[numbered]), int(np.count_nonzero(~beside))
        if cell == numbered:
            has = int(np.count_nonzero(beside & (inside == grid.flat[numbered])))
            would = wrongly(number, range(has, has + left + 1))
            return f"otherwise the loop would take {would} of its sides" if would else ""
        each, is_at_edge = [], bool((neighbours(self.grid.shape)[numbered] < 0).any())
        for value, where in (1, "inside"), (0, "outside"):
            has = int(np.count_nonzero(beside & (inside != value)))
            if wrong := wrongly(number, range(has, has + left + 1)):
                is_why = is_at_edge and value and has > number
                why = ", as outside the grid is outside the loop" if is_why else ""
                would = f"where the loop would take {wrong} of its sides{why}"
                each.append(f"its cell is not {where}, {would}")
            elif has == number == 0:
                each.append(f"if its cell is {where}, so are all cells beside it")
            elif has == number:
                each.append(f"if its cell is {where}, it has {counted(has, 'sides')} already")
            elif has + left == number:
                all_left = ("the one that is", "both that are", f"all {left} that are")
                each.append(f"if its cell is {where}, it needs {all_left[min(left, 3) - 1]} open")
        return "; ".join(each) if len(each) == 2 else ""

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Numbers that count other than they say."""
        count = sides(answer)
        for r, c in np.argwhere((self.grid != BLANK) & (self.grid != count)).tolist():
            message = f"the loop takes {count[r, c]} sides of ({r},{c}), not {self.grid[r, c]}"
            yield Violation(self.family, message, ((r, c),))


def _either_way(number: int, beside: IntArray) -> str:
    """How many sides the loop would take inside and outside, by some cells, if both is wrong.

    >>> _either_way(2, np.array([0, 0, 0, 1]))
    'inside the loop {} would have 3 of its sides on it, outside 1'
    >>> _either_way(0, np.array([0, 1])), _either_way(2, np.array([0, 1]))
    ('inside the loop {} would have 1 at least of its sides on it, outside 1 at least', '')
    """
    left = 4 - len(beside)
    inside, outside = (
        wrongly(number, range(has, has + left + 1))
        for has in (np.count_nonzero(beside == 0), np.count_nonzero(beside))
    )
    if not (inside and outside):
        return ""
    if not left:
        inside, outside = (each.partition(" ")[0] for each in (inside, outside))
    return f"inside the loop {{}} would have {inside} of its sides on it, outside {outside}"


@dataclass(frozen=True, eq=False)
class SomeInside(Rule):
    """There is a loop. ``implied``: numbers say so, and rows only where these can be left out."""

    family: str
    implied: bool
    says = "there is one loop: cells inside are connected, and cells outside with the border"

    def constrain(self, cells: Cells) -> None:
        """A cell inside at least."""
        if cells.stated or not self.implied:
            cells.rows(self.family, [np.arange(len(cells.literals))], {1: 1}, low=1)

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Nothing inside."""
        if not (self.implied or np.any(answer)):
            cells = cells_of(np.arange(answer.size), answer.shape[1])
            yield Violation(self.family, "it has 0 cells inside, 1 at least", cells)
