"""LITS: a tetromino in every room, all connected, no two alike side by side, and no pools."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from qubopuzzle.errors import SolverFailed
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles import links
from qubopuzzle.puzzles.links import Link
from qubopuzzle.puzzles.vocabulary import clues
from qubopuzzle.puzzles.vocabulary.grids import groups, windows
from qubopuzzle.puzzles.vocabulary.kind import Formulations, Kind, Rng, by_cuts, by_headings
from qubopuzzle.puzzles.vocabulary.paths import neighbours
from qubopuzzle.puzzles.vocabulary.pieces import Tetrominoes, shape_of, tetrominoes
from qubopuzzle.puzzles.vocabulary.regions import Connected, grown_around, moved
from qubopuzzle.puzzles.vocabulary.rules import Rule, Total

TRIES = 200
"""Sets of tetrominoes that are drawn before it is given up."""


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
    usual: ClassVar[tuple[int, int]] = (6, 6)
    links = (Link("lits", [links.rooms], [links.rooms, links.shading]),)

    rooms: IntArray = clues.rooms()

    @property
    def contradiction(self) -> str | None:
        """A room of less than four cells."""
        size = np.bincount(self.rooms.ravel())
        room = int(size.argmin())
        return f"room {room} has {size[room]} cells, and a piece four" if size[room] < 4 else None

    def rules(self) -> Iterator[Rule]:
        """Pieces, no pools, and all connected."""
        rooms, near = groups(self.rooms), neighbours(self.shape)
        pieces = [
            [p for p in tetrominoes(room, near) if shape_of(p, self.shape[1]) != "O"]
            for room in rooms
        ]
        names = [f"the piece of room {i}" for i in range(len(rooms))]
        yield Tetrominoes("piece", [1] * len(rooms), pieces, names, rooms, self.rooms)
        squares = [*windows(self.shape, 2, 2)]
        places = [f"the square from {divmod(int(four[0]), self.shape[1])}" for four in squares]
        yield Total("pool", squares, high=3, names=places)
        yield Connected("connected", 1, "black cells")

    @classmethod
    def drawn(cls, shape: tuple[int, int], rng: Rng) -> Self:
        """Tetrominoes put side by side, and rooms that have grown around them."""
        near, squares = neighbours(shape), windows(shape, 2, 2)
        for _ in range(TRIES):
            piece = np.full(shape[0] * shape[1], -1)
            for k in range(shape[0] * shape[1] // 7):
                edge = np.flatnonzero((piece < 0) & ((piece[near] >= 0) & (near >= 0)).any(axis=1))
                starts = edge if k else np.arange(piece.size)
                for _ in range(20):
                    new = [int(rng.choice(starts))]
                    while len(new) < 4:
                        beside = [
                            c for u in new for c in near[u].tolist() if c >= 0 and c not in new
                        ]
                        free = [c for c in beside if piece[c] < 0]
                        if not free:
                            break
                        new.append(free[int(rng.integers(len(free)))])
                    changed = piece.copy()
                    changed[new] = k
                    if len(new) == 4 and _fits(changed, k, squares, near, shape[1]):
                        piece = changed
                        break
                else:
                    break
            else:
                solution = (piece >= 0).astype(np.int64).reshape(shape)
                return cls(rooms=grown_around(piece.reshape(shape), rng), solution=solution)
        raise SolverFailed(f"found no tetrominoes for {shape[0]} x {shape[1]}")

    def excluding(self, other: IntArray, rng: Rng) -> Self | None:
        """A black cell of the other solution goes to the next room."""
        wrong = np.flatnonzero((np.asarray(other) == 1) & (np.asarray(self.solution) == 0))
        rooms = moved(self.rooms, wrong, rng)
        return None if rooms is None else type(self)(rooms=rooms, solution=self.solution)


def _fits(piece: IntArray, k: int, squares: IntArray, near: IntArray, columns: int) -> bool:
    """Whether piece k makes no pool and touches none of its shape, nor is a square."""
    shapes = [shape_of(np.flatnonzero(piece == j), columns) for j in range(k + 1)]
    beside = piece[near[piece == k]][near[piece == k] >= 0]
    alike = any(shapes[j] == shapes[k] for j in {*beside.tolist()} - {-1, k})
    return shapes[k] != "O" and not alike and not (piece[squares] >= 0).all(axis=1).any()
