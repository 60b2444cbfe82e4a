"""Heyawake: shade cells so that no straight run of white crosses two room borders.

The rules of shading hold: no two black cells touch by a side, and the white cells hang
together. Some rooms say how many of their cells are black. Families:

- [room] ``sum of black over the room = clue``;
- [span] on each line, of the last cell of a room, all cells of the next room and the first
  cell of the one after, at least one is black;
- [adjacent], and connectivity as in the formulation: ``forest`` ([pair], [parent], see
  docs/formulations.md) or ``lazy`` ([connected]).

A room with the clue 0 has no choices. Energy gap: each family's penalty is 0 where its rule
holds and at least 1 where not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np

from qubopuzzle.errors import PuzzleError
from qubopuzzle.model import IntArray, Model
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles.base import Violation, about_from
from qubopuzzle.puzzles.kinds.cells import groups, pieces
from qubopuzzle.puzzles.kinds.forest import shading_formulations
from qubopuzzle.puzzles.kinds.grids import SIDE_LIMIT, need, read_grid, read_numbers
from qubopuzzle.puzzles.kinds.shaded import BoolArray, Shaded
from qubopuzzle.puzzles.kinds.shading import ShadingPuzzle, cells_of

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
            no whole numbers or larger than their room.
    """

    name: ClassVar[str] = "heyawake"

    rooms: IntArray
    clues: tuple[int | None, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        rooms = read_grid("rooms", self.rooms, 0, SIDE_LIMIT**2)
        numbers = read_numbers("clues", self.clues, 0, SIDE_LIMIT**2, empty=_NO_CLUE)
        size = np.bincount(rooms.ravel(), minlength=len(numbers))
        if len(size) != len(numbers):
            raise PuzzleError(f"clues: {len(numbers)} clues for rooms 0 to {len(size) - 1}")
        for room, (cells, clue) in enumerate(zip(size.tolist(), numbers.tolist(), strict=True)):
            if cells == 0:
                raise PuzzleError(f"rooms: no cell belongs to room {room}")
            if clue > cells:
                raise PuzzleError(f"clues[{room}]: {clue} black cells, the room has {cells} cells")
        _check_pieces(rooms)
        clues = tuple(None if clue == _NO_CLUE else clue for clue in numbers.tolist())
        object.__setattr__(self, "rooms", rooms)
        object.__setattr__(self, "clues", clues)
        self.check_solution()

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the grid."""
        rows, columns = self.rooms.shape
        return rows, columns

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read ``{"puzzle": "heyawake", "rooms": [[0, 0, 1]], "clues": [2, null]}``."""
        rooms, clues = need(data, "rooms", "clues")
        return cls(rooms=rooms, clues=clues, solution=data.get("solution"), **about_from(data))

    def to_dict(self) -> dict[str, Any]:
        """The native JSON object."""
        own = {"rooms": self.rooms.tolist(), "clues": list(self.clues)}
        return {"puzzle": self.name, **self.about(), **own}

    # --- rules -------------------------------------------------------------------------

    def broken_clues(self, answer: IntArray) -> list[Violation]:
        """Rooms with another number of black cells, and white runs through three rooms."""
        broken = []
        columns = self.shape[1]
        for room, (clue, cells) in enumerate(zip(self.clues, groups(self.rooms), strict=True)):
            black = int(answer.ravel()[cells].sum())
            if clue is not None and black != clue:
                message = f"room {room} has {black} black cells, its clue is {clue}"
                broken.append(Violation("room", message, cells_of(cells, columns)))
        white = answer == 0
        for name, lines in (("row", (white, self.rooms)), ("column", (white.T, self.rooms.T))):
            for i, (line, rooms) in enumerate(zip(*(a.tolist() for a in lines), strict=True)):
                for run, crossed in _long_runs(line, rooms):
                    along = tuple((i, j) if name == "row" else (j, i) for j in run)
                    ends = f"white from {along[0]} to {along[-1]}"
                    message = f"{name}[{i}]: {ends} crosses {crossed} borders"
                    broken.append(Violation("span", message, along))
        return broken

    # --- picture and examples ----------------------------------------------------------

    def picture(
        self, answer: IntArray | None = None, broken: Iterable[tuple[int, ...]] = ()
    ) -> Picture:
        """Thick lines around rooms, their clues in the first cell."""
        rooms = zip(self.clues, groups(self.rooms), strict=True)
        first = {cells_of(cells[:1], self.shape[1])[0]: clue for clue, cells in rooms}
        corners = {cell: str(clue) for cell, clue in first.items() if clue is not None}
        return Picture(
            *self.shape, black=answer, rooms=self.rooms, corners=corners, broken=frozenset(broken)
        )

    @classmethod
    def examples(cls) -> list[Self]:
        """A 6x6 board, and two of 10x10; each has one solution."""
        return [cls.from_dict({"n_solutions": 1, **example}) for example in _EXAMPLES]


def _long_runs(white: Sequence[bool], rooms: Sequence[int]) -> Iterator[tuple[range, int]]:
    """The runs of white of a line that cross two borders of rooms or more, and how many."""
    start = crossed = 0
    for i, shown in enumerate([*white, False]):
        if shown:
            crossed += i > start and rooms[i] != rooms[i - 1]
            continue
        if crossed > 1:
            yield range(start, i), crossed
        start, crossed = i + 1, 0


def _check_pieces(rooms: IntArray) -> None:
    """Each room must be one piece."""
    piece = pieces(rooms[:, 1:] == rooms[:, :-1], rooms[1:] == rooms[:-1])
    _, first = np.unique(piece, return_index=True)
    count = np.bincount(rooms.ravel()[first])
    if (count > 1).any():
        raise PuzzleError(f"rooms: room {int(np.argmax(count > 1))} is in several pieces")


# --- formulations ----------------------------------------------------------------------


def _never_black(puzzle: Heyawake) -> BoolArray:
    return np.isin(puzzle.rooms, [room for room, clue in enumerate(puzzle.clues) if clue == 0])


def _constrain(puzzle: Heyawake, shaded: Shaded) -> Model:
    rooms = [(cells, n) for cells, n in zip(groups(puzzle.rooms), puzzle.clues, strict=True) if n]
    counts = [clue for _, clue in rooms]
    shaded.count("room", [cells for cells, _ in rooms], least=counts, most=counts)
    add_spans(shaded, puzzle.rooms)
    return shaded.build()


def add_spans(shaded: Shaded, rooms: IntArray) -> None:
    """[span]: no white run crosses two borders of the rooms, shape (rows, columns)."""
    spans = _spans(rooms)
    shaded.count("span", spans, least=[1] * len(spans))


def _spans(rooms: IntArray) -> list[IntArray]:
    """The stretches of cells, row-major numbers, of which one must be black."""
    numbers = np.arange(rooms.size).reshape(rooms.shape)
    spans = []
    for lines, along in ((rooms, numbers), (rooms.T, numbers.T)):
        for line, cells in zip(lines, along, strict=True):
            borders = np.flatnonzero(line[1:] != line[:-1])
            spans += [cells[before : after + 2] for before, after in pairwise(borders)]
    return spans


Heyawake.formulations = shading_formulations(_constrain, _never_black)

_EXAMPLES: list[dict[str, Any]] = [
    {
        "id": "heyawake-6x6",
        "rooms": [
            [0, 0, 1, 1, 1, 2],
            [0, 0, 1, 1, 1, 2],
            [0, 0, 1, 1, 1, 3],
            [4, 4, 4, 5, 5, 3],
            [4, 4, 4, 5, 5, 3],
            [4, 4, 4, 6, 6, 7],
        ],
        "clues": [2, 3, 1, None, 3, 0, None, 1],
        "solution": [
            "#..#.#",
            ".#....",
            "..#.#.",
            "#....#",
            "..#...",
            "#..#.#",
        ],
    },
    {
        "id": "heyawake-p01",
        "rooms": [
            [0, 0, 1, 2, 2, 2, 3, 3, 3, 3],
            [0, 0, 1, 4, 4, 4, 4, 5, 5, 6],
            [7, 7, 8, 9, 9, 9, 10, 5, 5, 6],
            [7, 7, 8, 9, 9, 9, 11, 11, 12, 6],
            [13, 13, 8, 14, 14, 14, 11, 11, 15, 15],
            [13, 13, 16, 16, 17, 18, 18, 19, 15, 15],
            [20, 20, 16, 16, 17, 18, 18, 19, 21, 22],
            [20, 20, 16, 16, 17, 23, 23, 19, 24, 24],
            [20, 20, 16, 16, 25, 25, 25, 19, 24, 24],
            [26, 26, 26, 27, 28, 28, 28, 29, 29, 30],
        ],
        "clues": [
            2,
            None,
            2,
            None,
            1,
            2,
            1,
            0,
            2,
            3,
            None,
            None,
            None,
            None,
            None,
            1,
            0,
            2,
            2,
            1,
            3,
            1,
            None,
            1,
            1,
            None,
            None,
            1,
            1,
            1,
            None,
        ],
        "solution": [
            "#..#.#....",
            ".#....#.#.",
            "..#.#..#..",
            "...#.#...#",
            "#.#.....#.",
            "....#.#...",
            ".#...#..#.",
            "#...#.#..#",
            ".#.....#..",
            "...#.#..#.",
        ],
    },
    {
        "id": "heyawake-p02",
        "rooms": [
            [0, 0, 0, 0, 0, 1, 1, 1, 2, 2],
            [3, 3, 4, 4, 4, 5, 5, 5, 2, 2],
            [3, 3, 4, 4, 4, 5, 5, 5, 2, 2],
            [3, 3, 6, 6, 6, 7, 7, 7, 2, 2],
            [8, 8, 8, 8, 9, 7, 7, 7, 10, 10],
            [8, 8, 8, 8, 9, 11, 11, 12, 10, 10],
            [8, 8, 8, 8, 9, 11, 11, 12, 10, 10],
            [13, 13, 14, 14, 9, 11, 11, 12, 15, 15],
            [16, 16, 14, 14, 17, 17, 18, 18, 15, 15],
            [16, 16, 14, 14, 17, 17, 18, 18, 15, 15],
        ],
        "clues": [3, 1, 1, 2, None, None, 2, 2, None, None, 0, 1, 2, None, 0, 2, 2, None, 2],
        "solution": [
            "#.#.#..#..",
            ".....#....",
            ".#.#...#..",
            "#.#.#.#.#.",
            ".....#....",
            ".#..#..#..",
            "#..#..#...",
            "....#..#.#",
            ".#....#...",
            "#...#..#.#",
        ],
    },
]
