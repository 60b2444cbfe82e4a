"""LITS: a tetromino in every room, all connected, no two alike side by side, and no pools."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from qubopuzzle.model import IntArray
from qubopuzzle.puzzles import links, penpa
from qubopuzzle.puzzles.links import Link
from qubopuzzle.puzzles.vocabulary import clues
from qubopuzzle.puzzles.vocabulary.grids import groups, windows
from qubopuzzle.puzzles.vocabulary.kind import Formulations, Kind, by_cuts, by_headings
from qubopuzzle.puzzles.vocabulary.pieces import Tetrominoes
from qubopuzzle.puzzles.vocabulary.regions import Connected
from qubopuzzle.puzzles.vocabulary.rules import Rule, Total


@dataclass(frozen=True, eq=False)
class Lits(Kind):
    """Shade four connected cells in each room, so that all black cells are connected.

    They have the shape of an L, I, T or S. No square of two by two cells is black, and no two of
    one shape touch by a side, however they are turned. ``rooms`` is a number or letter a cell.

    >>> puzzle = Lits(rooms=["aaaa", "bbbb", "bbbb"])
    >>> puzzle.violations(np.array([[1, 1, 1, 1], [1, 0, 0, 0], [1, 1, 1, 0]]))
    []

    Raises:
        PuzzleError: for rooms that are in several pieces.
    """

    name: ClassVar[str] = "lits"
    aliases: ClassVar[str] = "nuruomino"
    formulations: ClassVar[Formulations] = {"headings": by_headings, "cuts": by_cuts}
    default_formulation: ClassVar[str] = "headings"
    lazy_formulation: ClassVar[str] = "cuts"
    anneals_by_cuts: ClassVar[bool] = True
    generator: ClassVar[str] = ""  # rooms that leave one solution are not found by chance
    links = (
        Link("lits", [links.rooms], [links.rooms, links.shading]),
        penpa.Penpa(("lits",), [links.rooms, links.shading]),
    )

    rooms: IntArray = clues.rooms()

    @property
    def contradiction(self) -> str | None:
        """A room of less than four cells."""
        size = np.bincount(self.rooms.ravel())
        room = int(size.argmin())
        return f"room {room} has {size[room]} cells, and a piece four" if size[room] < 4 else None

    def rules(self) -> Iterator[Rule]:
        """Pieces, no pools, and all connected."""
        rooms = groups(self.rooms)
        yield Tetrominoes("piece", [1] * len(rooms), rooms, rooms=self.rooms)
        squares = [*windows(self.shape, 2, 2)]
        places = [f"the square from {divmod(int(four[0]), self.shape[1])}" for four in squares]
        yield Total("pool", squares, high=3, names=places)
        yield Connected("connected", 1, "black cells")
