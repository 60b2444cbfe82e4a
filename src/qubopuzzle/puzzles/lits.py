"""LITS: a tetromino in every room, all connected, no two alike side by side, and no pools."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from qubopuzzle.errors import SolverFailed
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles import links, penpa
from qubopuzzle.puzzles.links import Link
from qubopuzzle.puzzles.vocabulary import clues
from qubopuzzle.puzzles.vocabulary.drawing import moved, spread
from qubopuzzle.puzzles.vocabulary.grids import groups, windows
from qubopuzzle.puzzles.vocabulary.kind import Formulations, Kind, Rng, by_cuts, by_headings
from qubopuzzle.puzzles.vocabulary.paths import neighbours
from qubopuzzle.puzzles.vocabulary.pieces import Tetrominoes, shape_of
from qubopuzzle.puzzles.vocabulary.regions import Connected
from qubopuzzle.puzzles.vocabulary.rules import Rule, Total

TRIES = 500
"""Pieces that do not fit, one after the other, before a board has as many as it can."""


def _piece(room: IntArray, near: IntArray, rng: Rng) -> IntArray:
    """Up to four connected cells that are in no room, beside one that is, if any is."""
    held = near[room >= 0]
    starts = held[held >= 0] if len(held) else np.arange(len(room))
    front, cells = starts[room[starts] < 0].tolist(), list[int]()
    while front and len(cells) < 4:
        cells.append(front.pop(int(rng.integers(len(front)))))
        if len(cells) == 1:
            front = []
        front += [c for c in near[cells[-1]].tolist() if c >= 0 and room[c] < 0]
        front = [c for c in front if c not in cells]
    return np.array(sorted(cells), dtype=np.int64)


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
    usual: ClassVar[tuple[int, int]] = (5, 5)
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
        says = "no square of two by two cells is black"
        yield Total("pool", squares, high=3, names=places, says=says)
        yield Connected("connected", 1, "black cells")

    @classmethod
    def drawn(cls, shape: tuple[int, int], rng: Rng) -> Self:
        """Pieces beside those that are there, as long as one fits, and rooms grown around them."""
        rooms, near = np.full(shape, -1), neighbours(shape)
        shapes: list[str] = []
        misses = 0
        while misses < TRIES:
            cells = _piece(rooms.ravel(), near, rng)
            letter = shape_of(cells, shape[1])
            black = rooms >= 0
            black.flat[cells] = True
            beside = {int(room) for room in rooms.ravel()[near[cells]][near[cells] >= 0]} - {-1}
            alike = any(shapes[room] == letter for room in beside)
            if (
                letter in ("", "O")
                or alike
                or black.ravel()[windows(shape, 2, 2)].all(axis=1).any()
            ):
                misses += 1
                continue
            rooms.flat[cells] = len(shapes)
            shapes.append(letter)
            misses = 0
        if not shapes:
            raise SolverFailed("no piece fits {} x {}".format(*shape))
        return cls(rooms=spread(rooms, rng), solution=(rooms >= 0).astype(np.int64))

    def excluding(self, other: IntArray, rng: Rng) -> Self | None:
        """A cell of one of the two goes to the next room, and the board has the other one."""
        kept, wrong = rng.permutation([np.asarray(self.solution), other])
        rooms = moved(self.rooms, np.flatnonzero(wrong > kept), rng)
        return None if rooms is None else type(self)(rooms=rooms, solution=kept)
