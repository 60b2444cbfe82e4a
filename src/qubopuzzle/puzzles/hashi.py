"""Hashi, hashiwokakero or bridges: islands joined by bridges that do not cross."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from qubopuzzle.model import IntArray
from qubopuzzle.picture import Picture
from qubopuzzle.picture.description import TWICE
from qubopuzzle.puzzles import links, penpa
from qubopuzzle.puzzles.base import Edges
from qubopuzzle.puzzles.links import Board, FileText, Link
from qubopuzzle.puzzles.vocabulary import clues
from qubopuzzle.puzzles.vocabulary.bridges import UNKNOWN, Bridges, between, joined_by, seen, sides
from qubopuzzle.puzzles.vocabulary.grids import BoolArray, Cell
from qubopuzzle.puzzles.vocabulary.kind import Formulations, Kind, Rng, by_cuts, by_placements
from qubopuzzle.puzzles.vocabulary.paths import neighbours
from qubopuzzle.puzzles.vocabulary.rules import Rule

DRAWN, GROWTH, JOINED, SHORT = 5, 4, 0.3, 0.6
"""Boards of which one is taken, tries a cell to go on from an island, how many of these
lead back to another, if they can, and how many take the next cell of those that are left."""
_CELLS = links.cells({0: 0, links.UNKNOWN: UNKNOWN})


def _bridges(text: FileText, board: Board) -> None:
    """How many there are between the cells of rows, and between rows."""
    given: Any = board.get("solution")
    answer = np.zeros(text.shape, dtype=np.int64) if given is None else np.array(given)
    right, down = text.answer(answer[:, :-1] % 3), text.answer(answer[:-1] // 3)
    answer[:] = 0
    for count in (1, 2):
        answer[:, :-1] += count * np.equal(right, str(count))
        answer[:-1] += 3 * count * np.equal(down, str(count))
    board["solution"] = answer if answer.any() else None


@dataclass(frozen=True, eq=False)
class Hashi(Kind):
    """Join all islands by bridges, each island by as many as its number says.

    Bridges are straight and cross neither each other nor islands; two islands have two at most.
    ``grid`` has the numbers 1 to 8, ``?`` for an island whose number is not known, or None. An
    answer is, in each cell, how many bridges leave it to the right, and three times as many as
    leave it downwards, cells between islands included.

    >>> puzzle = Hashi(grid=[[3, None, 2], [1, None, 2]])
    >>> puzzle.violations(np.array([[4, 1, 3], [1, 1, 0]]))[0].message
    'the island on (0,0) has 2 bridges, not 3'

    Raises:
        PuzzleError: for other numbers.
    """

    name: ClassVar[str] = "hashi"
    least: ClassVar[int] = 3
    aliases: ClassVar[str] = "hashiwokakero hashikake bridges chopsticks"
    formulations: ClassVar[Formulations] = {"islands": by_placements, "cuts": by_cuts}
    default_formulation: ClassVar[str] = "islands"
    lazy_formulation: ClassVar[str] = "cuts"
    values: ClassVar[Sequence[int]] = range(9)
    links = (
        Link("hashi", body=[_CELLS], file=[_CELLS, _bridges]),
        penpa.Penpa(("hashiwokakero (hashi/bridges)",), [_CELLS, _bridges], style=6),
        links.sign_game(
            "bridges",
            {str(number): number for number in range(1, 9)},
            0,
            kind="m2",
            suffix="(?:i[0-9]+)?(?:e[0-9]+)?m2(?:d[0-9])?",
            variants={"m1": "single bridges", "m3": "triple bridges", "m4": "four bridges"}
            | {"L": "no loop of bridges"},
        ),
    )

    grid: IntArray = clues.numbers(1, 8, {"?": UNKNOWN})

    @property
    def edges(self) -> Edges:
        """Bridges from island to island."""
        return Edges((1, 3, 0, 0), most=2, ends=self.grid != 0)

    def rules(self) -> Iterator[Rule]:
        """One for all."""
        yield Bridges("bridge", self.grid)

    def describe(self, cells: Mapping[Cell, int], marks: Mapping[Cell, int] = {}) -> str:
        """The islands that are joined, and how."""
        return joined_by(cells, self.grid != 0, marks)

    def picture(self, answer: IntArray | None = None, broken: Iterable[Cell] = ()) -> Picture:
        """Islands in circles, and bridges."""
        picture = super().picture(None, broken)
        if answer is None:
            return replace(picture, circled=picture.given)
        out = sides(np.asarray(answer))
        paths = (np.minimum(out, 1) + (out // 2 << TWICE)) @ (1, 2, 4, 8)
        return replace(picture, circled=picture.given, paths=paths.reshape(self.shape))

    @classmethod
    def drawn(cls, shape: tuple[int, int], rng: Rng) -> Self:
        """Of some boards that have grown the one that fills the grid best."""
        return max((cls._grown(shape, rng) for _ in range(DRAWN)), key=cls._filled)

    def _filled(self) -> tuple[int, int]:
        """How many sides of the grid islands reach, and how many islands there are."""
        edges = self.grid[0], self.grid[-1], self.grid[:, 0], self.grid[:, -1]
        return sum(bool(edge.any()) for edge in edges), int(np.count_nonzero(self.grid))

    @classmethod
    def _grown(cls, shape: tuple[int, int], rng: Rng) -> Self:
        """From one island on, each two cells away at least; some bridges lead back."""
        near, solution = neighbours(shape), np.zeros(shape, dtype=np.int64)
        islands, island = [int(rng.integers(solution.size))], np.zeros(solution.size, dtype=bool)
        island[islands] = True
        for _ in range(GROWTH * solution.size):
            cell, d = islands[int(rng.integers(len(islands)))], int(rng.integers(4))
            free, end = [], int(near[cell, d])
            while end >= 0 and not island[end] and not solution.flat[end]:
                free.append(end)
                end = int(near[end, d])
            room = [c for c in free[1:] if not island[near[c][near[c] >= 0]].any()]
            if free and end >= 0 and island[end] and (not room or rng.random() < JOINED):
                room = [end]
            if free and room:
                end = room[min(int(rng.geometric(SHORT)), len(room)) - 1]
                islands += [end] * (not island[end])
                island[end] = True
                between(solution, cell, end)[:] += (1, 3, 1, 3)[d] * int(rng.integers(1, 3))
        return cls._of(island.reshape(shape), solution)

    @classmethod
    def _of(cls, island: BoolArray, solution: IntArray) -> Self:
        """The board of a solution."""
        number = sides(solution).sum(axis=1).reshape(island.shape)
        return cls(grid=np.where(island, number, 0), solution=solution)

    def excluding(self, other: IntArray, rng: Rng) -> Self | None:
        """Two islands have as many bridges as there, or 1 in place of 2, or 2 in place of 1."""
        island, near, solution = self.grid != 0, seen(self.grid != 0), np.array(self.solution)
        here, there = sides(solution)[:, :2], sides(other)[:, :2]
        for cell, d in rng.permutation(np.argwhere(island.reshape(-1, 1) & (here != there))):
            span = between(solution, cell, near[cell, d])
            if here[cell, d] or not span[1:].any():
                span += (1, 3)[d] * ((there[cell, d] or 3 - here[cell, d]) - here[cell, d])
                return self._of(island, solution)
        return None
