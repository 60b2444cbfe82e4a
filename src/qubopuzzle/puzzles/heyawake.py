"""Heyawake: shade cells so that no straight run of white crosses two room borders."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar

import numpy as np

from qubopuzzle.base.places import listed
from qubopuzzle.errors import PuzzleError
from qubopuzzle.model import IntArray
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles import lines, links, penpa
from qubopuzzle.puzzles.base import Violation
from qubopuzzle.puzzles.links import Link
from qubopuzzle.puzzles.vocabulary import clues
from qubopuzzle.puzzles.vocabulary.cells import At, Cells
from qubopuzzle.puzzles.vocabulary.grids import BoolArray, Cell, cells_of, groups, lines_of
from qubopuzzle.puzzles.vocabulary.kind import Formulations, Kind, by_cells, by_cuts
from qubopuzzle.puzzles.vocabulary.regions import Uncut
from qubopuzzle.puzzles.vocabulary.rules import Rule, Total


@dataclass(frozen=True, eq=False)
class _Spans(Rule):
    """No straight run of white cells crosses two borders of the rooms.

    On each line, of the last cell of a room, all cells of the next one and the first cell of the
    one after, at least one is black.
    """

    family: str
    rooms: IntArray
    says = "no straight line of white cells crosses two borders of rooms"

    def constrain(self, cells: Cells) -> None:
        """A row for each such stretch of a line."""
        spans = []
        for _, _, line in lines_of(cells.shape):
            along = self.rooms.ravel()[line]
            borders = np.flatnonzero(along[1:] != along[:-1])
            spans += [line[before : after + 2] for before, after in pairwise(borders)]
        most = np.array([len(span) - 1 for span in spans], dtype=np.int64)
        cells.rows(self.family, spans, {0: 1}, high=most)

    def why(self, at: At, grid: IntArray, known: BoolArray, cell: int | None) -> str:  # noqa: ARG002
        """The first line that does."""
        first = next(self.broken(np.where(known, grid, 1)), None) if cell is None else None
        return f"{listed(first.cells)} do" if first else ""

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """White runs through three rooms."""
        white, rooms = np.asarray(answer).ravel() == 0, self.rooms.ravel()
        for axis, i, line in lines_of(answer.shape):
            for run, crossed in _long_runs(white[line].tolist(), rooms[line].tolist()):
                along = cells_of(line[run], answer.shape[1])
                ends = f"white from {along[0]} to {along[-1]}"
                message = f"{axis}[{i}]: {ends} crosses {crossed} borders"
                yield Violation(self.family, message, along)


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


@dataclass(frozen=True, eq=False)
class Heyawake(Kind):
    """Shade cells: clues count those of a room, and no white run crosses two room borders.

    No two black cells touch by a side, and the white cells are connected. ``rooms`` is a number a
    cell, from 0 on, and ``clues`` a number or None by room number.

    >>> puzzle = Heyawake(rooms=[[0, 0], [1, 1]], clues=[1, None])
    >>> puzzle.violations(np.array([[1, 0], [0, 0]]))
    []

    Raises:
        PuzzleError: for rooms in several pieces or without a number, and clues that are
            no whole numbers.
    """

    name: ClassVar[str] = "heyawake"
    aliases: ClassVar[str] = "heyawacky"
    formulations: ClassVar[Formulations] = {"forest": by_cells, "lazy": by_cuts}
    default_formulation: ClassVar[str] = "forest"
    lazy_formulation: ClassVar[str] = "lazy"
    generator: ClassVar[str] = "qubopuzzle.puzzles.generators.heyawake:HeyawakeGenerator"
    links = (
        Link(
            "heyawake",
            body=[links.rooms_with_clues],
            file=[links.rooms_with_clues, links.shading],
            version="pzprv3.1",
        ),
        penpa.Penpa(("heyawake",), [links.rooms_with_clues, links.shading]),
        lines.ROOM_LINES,
    )

    rooms: IntArray = clues.rooms(numbered=True)
    clues: tuple[int | None, ...] = clues.per_room()

    def fit(self) -> None:
        """A clue a room."""
        count, rooms = len(self.clues), int(self.rooms.max()) + 1
        if count < rooms:
            raise PuzzleError(f"clues: {count} clues for rooms 0 to {rooms - 1}")
        if count > rooms:
            raise PuzzleError(f"rooms: no cell belongs to room {rooms}")

    @property
    def contradiction(self) -> str | None:
        """A clue that is larger than its room."""
        sizes = np.bincount(self.rooms.ravel()).tolist()
        for room, (clue, cells) in enumerate(zip(self.clues, sizes, strict=True)):
            if clue is not None and clue > cells:
                return f"room {room} has {cells} cells, and its clue is {clue}"
        return None

    def rules(self) -> Iterator[Rule]:
        """Shading, clues and spans."""
        yield Uncut()
        every = zip(groups(self.rooms), self.clues, strict=True)
        known = [(i, cells, n) for i, (cells, n) in enumerate(every) if n is not None]
        counts, names = [n for _, _, n in known], [f"room {i}" for i, _, _ in known]
        rooms, places = [cells for _, cells, _ in known], [("clues", i) for i, _, _ in known]
        yield Total("room", rooms, counts, counts, names, wanted="its clue is", clues=places)
        yield _Spans("span", self.rooms)

    def picture(self, answer: IntArray | None = None, broken: Iterable[Cell] = ()) -> Picture:
        """Thick lines around rooms, their clues in the first cell."""
        first = cells_of(np.unique(self.rooms, return_index=True)[1], self.shape[1])
        numbers = zip(first, self.clues, strict=True)
        corners = {cell: str(clue) for cell, clue in numbers if clue is not None}
        return replace(super().picture(answer, broken), corners=corners)
