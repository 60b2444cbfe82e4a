"""Zip: one path through all cells, past numbers in their order and through no wall."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from qubopuzzle.errors import PuzzleError
from qubopuzzle.model import IntArray
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles.vocabulary import clues
from qubopuzzle.puzzles.vocabulary.grids import Cell
from qubopuzzle.puzzles.vocabulary.kind import Formulations, Kind, Rng, by_cuts, by_headings
from qubopuzzle.puzzles.vocabulary.paths import split
from qubopuzzle.puzzles.vocabulary.routes import SHAPES, Route, Walls, along, drawn_route
from qubopuzzle.puzzles.vocabulary.rules import Rule


@dataclass(frozen=True, eq=False)
class Zip(Kind):
    """Draw one path through all cells: from number 1 past the others in their order to the last.

    It passes no wall. ``grid`` has the numbers 1 to the last, each once, or None; ``right`` has
    ``|`` for a wall between a cell and the next of its row, ``down`` has ``-`` for one below a
    cell. An answer is, in each cell, the sum of the sides that the path leaves by: 1 right, 2 down,
    4 left, 8 up.

    >>> puzzle = Zip(grid=["1..", ".3.", "..2"], right=["..", "..", "|."])
    >>> puzzle.violations(np.array([[2, 3, 6], [10, 8, 10], [9, 5, 12]]))[0].message
    'there is a wall between (2, 0) and (2, 1)'

    Raises:
        PuzzleError: for numbers that are missing or stand there twice, and walls that do not fit
            the grid.
    """

    name: ClassVar[str] = "zip"
    least: ClassVar[int] = 2
    aliases: ClassVar[str] = "linkedinzip zipgame zippath"
    formulations: ClassVar[Formulations] = {"headings": by_headings, "cuts": by_cuts}
    default_formulation: ClassVar[str] = "headings"
    lazy_formulation: ClassVar[str] = "cuts"
    anneals_by_cuts: ClassVar[bool] = True
    values: ClassVar[Sequence[int]] = SHAPES
    usual: ClassVar[tuple[int, int]] = (7, 7)

    grid: IntArray = clues.numbers(1)
    right: IntArray | None = clues.between({"|": 1}, {1: "wall"})
    down: IntArray | None = clues.between({"-": 1}, {1: "wall"})

    def fit(self) -> None:
        """Each number once, and a wall between any two cells."""
        numbers, times = np.unique(self.grid[self.grid > 0], return_counts=True)
        if len(numbers) < 2:
            raise PuzzleError("grid: a path has the numbers 1 and 2 at least")
        for number in numbers[times > 1].tolist():
            raise PuzzleError(f"grid: {number} stands there more than once")
        for i in np.flatnonzero(numbers != np.arange(1, len(numbers) + 1))[:1].tolist():
            raise PuzzleError(f"grid: there is no {i + 1}, but a {numbers[i]}")
        clues.check_between(self.shape, self.right, self.down)

    def rules(self) -> Iterator[Rule]:
        """Walls, and the path."""
        yield Walls("wall", self.right, self.down)
        yield Route("path", self.grid, field="grid")

    def picture(self, answer: IntArray | None = None, broken: Iterable[Cell] = ()) -> Picture:
        """Numbers in circles, walls, and the path."""
        picture = super().picture(None, broken)
        shown = np.zeros(self.shape, dtype=np.int64) if answer is None else np.asarray(answer)
        walls = (self.right, self.down)
        return replace(picture, circled=picture.given, paths=shown, walls=walls)

    def with_clues(self, **fields: Any) -> Self:
        """The same with these clues; numbers close up."""
        grid = fields.get("grid", self.grid)
        closed = np.searchsorted(np.unique(np.append(0, grid)), grid)
        return super().with_clues(**{**fields, "grid": closed})

    @classmethod
    def drawn(cls, shape: tuple[int, int], rng: Rng) -> Self:
        """A path through all cells, a number every few of them, and some walls, or none."""
        cells, grid = drawn_route(shape, rng), np.zeros(shape, dtype=np.int64)
        inner = rng.permutation(np.arange(1, len(cells) - 1))[: len(cells) // 3]
        numbered = cells[np.sort([0, *inner, len(cells) - 1])]
        grid.flat[numbered] = np.arange(1, len(numbered) + 1)
        solution, share = along(cells, shape), max(0, rng.uniform(-0.3, 0.6))
        right, down = ((way < (rng.random(way.shape) < share)) * 1 for way in split(solution))
        return cls(grid=grid, right=right, down=down, solution=solution)

    def excluding(self, other: IntArray, rng: Rng) -> Self | None:
        """A wall more, where the other one passes."""
        ours, theirs = (np.append(*split(np.asarray(way))) for way in (self.solution, other))
        walls = np.append(np.asarray(self.right), np.asarray(self.down))
        walls[rng.choice(np.flatnonzero(theirs > ours))] = 1
        high, wide = self.shape
        right, down = np.split(walls, [high * (wide - 1)])
        return replace(self, right=right.reshape(high, -1), down=down.reshape(-1, wide))
