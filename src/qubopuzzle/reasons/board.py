"""A board with marks on it, and what each mark rules out in a model of the puzzle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.errors import InputError
from qubopuzzle.model import FALSE, TRUE, IntArray
from qubopuzzle.puzzles.base import Puzzle

Cell = tuple[int, ...]
_NONE = np.zeros(0, dtype=np.int64)


class Board:
    """Marks and givens of a puzzle, by the row-major numbers of their cells.

    Attributes:
        puzzle, stated: the puzzle, and its rules and clues as statements.
        literals, values: by which each cell has each value, (cells, values), and the values.
        marks: what is on the board but for the givens, by (row, column).
        known: the value of each cell that has a mark or a given.
        gone: the literals that each of them rules out, (n,).
        near: the cells that each statement is about; none where that is the whole grid.
        rules: the statements but for the givens, which are on the board, by number.
        closed: the cells that givens and the grid itself decide.
    """

    def __init__(self, puzzle: Puzzle, marks: Mapping[Cell, int], *, bits: bool = False) -> None:
        """Of marks that say which lines leave their cell at least, with ``bits``.

        Raises:
            InputError: for cells and values that the grid does not have, and for a model.
        """
        self.puzzle, self.stated, self.bits = puzzle, puzzle.stated_on_board(), bits
        if self.stated.literals is None or self.stated.values is None:
            raise InputError("a model has no board")
        self.literals, self.values = self.stated.literals, self.stated.values
        self.marks: dict[Cell, int] = {}
        self.known: dict[int, int] = {}
        self.gone: dict[int, IntArray] = {}
        statements = self.stated.statements
        self.near = [dict.fromkeys(map(self.number, each.cells)).keys() for each in statements]
        self.rules = [*self._rules()]
        self.closed = {*self.known, *np.argwhere(self.literals == TRUE)[:, 0].tolist()}
        self.put(marks)

    def put(self, marks: Mapping[Cell, int]) -> None:
        """Put marks on the board."""
        for cell, value in marks.items():
            self._put(cell, value)
            self.marks[cell] = value

    def _rules(self) -> Iterator[int]:
        """All statements but clues that are values of cells, which are put on the board."""
        cell_of = {int(lit): place for place, lit in np.ndenumerate(self.literals) if lit >= 0}
        for i, statement in enumerate(self.stated.statements):
            literal = -1 if statement.literal is None else statement.literal
            if statement.is_clue and literal in cell_of:
                cell, place = cell_of[literal]
                self._put(self.place(cell), int(self.values[place]))
            else:
                yield i

    def _put(self, cell: Cell, value: int) -> None:
        inside = len(cell) == 2 and all(
            0 <= place < side for place, side in zip(cell, self.puzzle.shape, strict=True)
        )
        field = self.stated.model.field
        if not inside or (field is not None and not field.low <= value <= field.high):
            raise InputError(f"no mark of this board: cell {list(cell)}, value {value}")
        number = self.number(cell)
        self.known[number] = value
        self.gone[number] = self.without(number, value)

    def allowed(self, value: int) -> NDArray[np.bool_]:
        """The values of a cell that a mark allows, (values,)."""
        if not self.bits:
            return np.asarray(self.values == value)
        allowed, factor = np.ones(len(self.values), dtype=bool), 1
        base = 1 + self.puzzle.edges.most
        while factor <= value:
            allowed &= self.values // factor % base >= value // factor % base
            factor *= base
        return allowed

    def wrong(self) -> list[Cell]:
        """The marked cells that can never have their value."""
        return [
            cell
            for cell, value in self.marks.items()
            if (self.literals[self.number(cell)][self.allowed(value)] == FALSE).all()
        ]

    def without(self, cell: int, value: int) -> IntArray:
        """The literals that a mark rules out."""
        literals: IntArray = self.literals[cell][~self.allowed(value)]
        return literals[literals >= 0]

    def of(self, cell: int, value: int) -> IntArray:
        """The literal by which a cell has a value; none if that is decided by the grid."""
        literals: IntArray = self.literals[cell][self.values == value]
        return literals[literals >= 0]

    def gone_by(self, marks: Iterable[int]) -> IntArray:
        """The literals that some marks rule out together."""
        return together(self.gone[mark] for mark in marks)

    def decided(self, alive: NDArray[np.bool_], cells: Iterable[int]) -> dict[int, int]:
        """The values of those cells that have one left; ``alive`` are literals, (literals,)."""
        every = [*cells]
        may = self.may(alive)[np.array(every, dtype=np.int64)]
        value, one = self.values[may.argmax(axis=1)], may.sum(axis=1) == 1
        return {every[i]: int(value[i]) for i in np.flatnonzero(one).tolist()}

    def may(self, alive: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether each cell can have each value, (cells, values)."""
        return np.asarray(np.append(alive, [True, False])[self.literals])  # TRUE is -2, FALSE -1

    @cached_property
    def counts(self) -> dict[int, tuple[dict[int, int], int]]:
        """Of the statements that only say how many of some cells have a value, by number.

        The value of each of these cells, and how many.
        """
        stated = self.stated
        at = {int(lit): (c, int(self.values[v])) for (c, v), lit in np.ndenumerate(self.literals)}
        times = np.bincount(stated.owner[stated.owner >= 0], minlength=len(stated.statements))
        counts, owners = dict[int, tuple[dict[int, int], int]](), iter(stated.owner.tolist())
        for block in stated.model.linear:
            for row, owner in zip(range(len(block.lower)), owners, strict=False):
                is_one = owner >= 0 and times[owner] == 1 and block.lower[row] == block.upper[row]
                if not is_one or stated.statements[owner].value is not None:
                    continue
                terms = block.matrix[[row]]
                if (terms.data == 1).all() and {*terms.indices.tolist()} <= at.keys():
                    cells = dict(at[literal] for literal in terms.indices.tolist())
                    counts[owner] = cells, int(block.lower[row])
        return counts

    def grid(self) -> tuple[IntArray, NDArray[np.bool_]]:
        """The known values, (rows, columns), and where they are."""
        shape = self.puzzle.shape
        grid, is_known = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=bool)
        for cell, value in self.known.items():
            grid.flat[cell], is_known.flat[cell] = value, not self.bits
        return grid, is_known

    def number(self, cell: Cell) -> int:
        """The row-major number of a cell."""
        return int(np.ravel_multi_index(cell, self.puzzle.shape))

    def place(self, cell: int) -> Cell:
        """Its inverse: row and column."""
        return tuple(int(part) for part in np.unravel_index(cell, self.puzzle.shape))

    def distance(self, cell: int) -> Callable[[int], int]:
        """How many steps other cells are from a cell."""
        columns = self.puzzle.shape[1]
        r, c = divmod(cell, columns)
        return lambda other: abs(other // columns - r) + abs(other % columns - c)


def together(parts: Iterable[IntArray]) -> IntArray:
    """Several of them as one array; none of none."""
    return np.concatenate([_NONE, *parts])
