"""Heyawake: the rules, native JSON and picture."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from qubopuzzle.errors import PuzzleError
from qubopuzzle.model import IntArray
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles.base import Violation
from qubopuzzle.puzzles.vocabulary.grids import (
    NUMBER_LIMIT,
    Cell,
    cells_of,
    groups,
    lines_of,
    read_grid,
    read_numbers,
    regions,
)
from qubopuzzle.puzzles.vocabulary.shading import ShadingPuzzle

_NO_CLUE = -1


@dataclass(frozen=True, eq=False)
class Heyawake(ShadingPuzzle):
    """Shade cells: clues count those of a room, and no white run crosses two room borders.

    Rooms are a number a cell, shape (rows, columns), with a clue or None by room number.

    >>> puzzle = Heyawake(rooms=[[0, 0], [1, 1]], clues=[1, None])
    >>> puzzle.violations(np.array([[1, 0], [0, 0]]))
    []

    Raises:
        PuzzleError: for rooms in several pieces or without a number, and clues that are
            no whole numbers.
    """

    name: ClassVar[str] = "heyawake"
    aliases: ClassVar[str] = "heyawacky"

    rooms: IntArray
    clues: tuple[int | None, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        rooms = read_grid("rooms", self.rooms, 0, NUMBER_LIMIT)
        numbers = read_numbers("clues", self.clues, 0, NUMBER_LIMIT, {None: _NO_CLUE})
        size = np.bincount(rooms.ravel(), minlength=len(numbers))
        if len(size) != len(numbers):
            raise PuzzleError(f"clues: {len(numbers)} clues for rooms 0 to {len(size) - 1}")
        if not size.all():
            raise PuzzleError(f"rooms: no cell belongs to room {int(np.argmin(size))}")
        component = regions(rooms)
        _, first = np.unique(component, return_index=True)
        count = np.bincount(rooms.ravel()[first])
        if (count > 1).any():
            raise PuzzleError(f"rooms: room {int(np.argmax(count > 1))} is in several pieces")
        clues = tuple(None if clue == _NO_CLUE else clue for clue in numbers)
        vars(self).update(rooms=rooms, clues=clues)
        self.check_solution()

    @property
    def contradiction(self) -> str | None:
        """A clue that is larger than its room."""
        sizes = np.bincount(self.rooms.ravel()).tolist()
        for room, (clue, cells) in enumerate(zip(self.clues, sizes, strict=True)):
            if clue is not None and clue > cells:
                return f"room {room} has {cells} cells, and its clue is {clue}"
        return None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the grid."""
        rows, columns = self.rooms.shape
        return rows, columns

    def broken_clues(self, answer: IntArray) -> list[Violation]:
        """Rooms with another number of black cells, and white runs through three rooms."""
        broken = []
        columns, black, rooms = self.shape[1], answer.ravel(), self.rooms.ravel()
        for room, (clue, cells) in enumerate(zip(self.clues, groups(self.rooms), strict=True)):
            count = int(black[cells].sum())
            if clue is not None and count != clue:
                message = f"room {room} has {count} black cells, its clue is {clue}"
                broken.append(Violation("room", message, cells_of(cells, columns)))
        for axis, i, line in lines_of(self.shape):
            for run, crossed in _long_runs((black[line] == 0).tolist(), rooms[line].tolist()):
                along = cells_of(line[run], columns)
                ends = f"white from {along[0]} to {along[-1]}"
                message = f"{axis}[{i}]: {ends} crosses {crossed} borders"
                broken.append(Violation("span", message, along))
        return broken

    def picture(self, answer: IntArray | None = None, broken: Iterable[Cell] = ()) -> Picture:
        """Thick lines around rooms, their clues in the first cell."""
        first = cells_of(np.unique(self.rooms, return_index=True)[1], self.shape[1])
        clues = zip(first, self.clues, strict=True)
        corners = {cell: str(clue) for cell, clue in clues if clue is not None}
        return Picture(
            *self.shape, black=answer, rooms=self.rooms, corners=corners, broken=frozenset(broken)
        )


def _long_runs(white: Sequence[bool], rooms: Sequence[int]) -> Iterator[tuple[slice, int]]:
    """The runs of white of a line that cross two borders of rooms or more, and how many."""
    start = crossed = 0
    for i, shown in enumerate([*white, False]):
        if shown:
            crossed += i > start and rooms[i] != rooms[i - 1]
            continue
        if crossed > 1:
            yield slice(start, i), crossed
        start, crossed = i + 1, 0
