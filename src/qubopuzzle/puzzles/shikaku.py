"""Shikaku: the grid is divided into rectangles, each around one number, which is its size."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from qubopuzzle.model import IntArray
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles import links, penpa
from qubopuzzle.puzzles.links import Link
from qubopuzzle.puzzles.vocabulary import clues
from qubopuzzle.puzzles.vocabulary.grids import Cell
from qubopuzzle.puzzles.vocabulary.kind import Formulations, Kind, Rng, by_cells, by_placements
from qubopuzzle.puzzles.vocabulary.pieces import UNKNOWN, Rectangles
from qubopuzzle.puzzles.vocabulary.rules import Given, Rule

_CELLS = links.cells({0: 0, links.UNKNOWN: UNKNOWN})


@dataclass(frozen=True, eq=False)
class Shikaku(Kind):
    """Divide the grid into rectangles, each with one number in it, which is how many cells it has.

    ``grid`` has numbers, ``?`` for one that is not known, or None. An answer has in each cell which
    number its rectangle belongs to: 0 for the first in reading order, and so on.

    >>> puzzle = Shikaku(grid=[[2, None], [None, 2]])
    >>> puzzle.violations(np.array([[0, 0], [1, 1]]))
    []

    Raises:
        PuzzleError: for numbers below 1.
    """

    name: ClassVar[str] = "shikaku"
    aliases: ClassVar[str] = "rect rectangles divisionbysquares shikakunikire"
    formulations: ClassVar[Formulations] = {"cells": by_cells, "rectangles": by_placements}
    default_formulation: ClassVar[str] = "rectangles"
    lazy_formulation: ClassVar[str] = "rectangles"
    links = (
        Link("shikaku", body=[_CELLS], file=[_CELLS, links.areas]),
        penpa.Penpa(("shikaku",), [_CELLS, links.areas], style=7, answers_are_borders=True),
    )

    grid: IntArray = clues.numbers(1, signs={"?": UNKNOWN})

    @property
    def values(self) -> Sequence[int]:  # type: ignore[override]
        """A value for each number."""
        return range(max(1, int(np.count_nonzero(self.grid))))

    @property
    def contradiction(self) -> str | None:
        """Numbers that do not add up to the cells."""
        numbers = self.grid[self.grid != 0]
        if not len(numbers):
            return "there is no number"
        if (numbers > 0).all() and numbers.sum() != self.cells:
            return f"the numbers add up to {numbers.sum()}, and there are {self.cells} cells"
        return None

    @cached_property
    def value_names(self) -> Mapping[int, str]:  # type: ignore[override]
        """By the number of each rectangle."""
        places = np.flatnonzero(self.grid).tolist()
        return {
            value: f"in the rectangle of {self.clue_name('grid', place)}"
            for value, place in enumerate(places)
        }

    def rules(self) -> Iterator[Rule]:
        """Each number has its own value, and each value is a rectangle."""
        values = np.full(self.shape, -1)
        values[self.grid != 0] = np.arange(np.count_nonzero(self.grid))
        yield Given("number", values, values >= 0, "the number's own")
        yield Rectangles("rectangle", self.values, grid=self.grid)

    def describe_narrowed(
        self, cells: Mapping[Cell, tuple[Sequence[int], Sequence[int]]], two: Sequence[Cell] = ()
    ) -> str:
        """Nothing of numbers that are too small for a cell: one sees that."""
        if not super().describe_narrowed(cells, two):
            return ""
        places = np.argwhere(self.grid)

        def is_near(cell: Cell, value: int) -> bool:
            size = int(self.grid[tuple(places[value])])
            return size < 0 or int(np.prod(np.abs(places[value] - cell) + 1)) <= size

        some = {}
        for cell, (before, after) in cells.items():
            near = [value for value in before if value in after or is_near(cell, value)]
            if len(near) > len(after):
                some[cell] = near, after
        return super().describe_narrowed(some, two)

    def picture(self, answer: IntArray | None = None, broken: Iterable[Cell] = ()) -> Picture:
        """The borders of rectangles."""
        picture = super().picture(None, broken)
        return picture if answer is None else replace(picture, rooms=np.asarray(answer))

    def board(self, marks: Mapping[Cell, int]) -> Picture:
        """With the cells of the numbers, which are in their own rectangles; others say in which."""
        places = np.argwhere(self.grid != 0).tolist() if marks else []
        picture = super().board({**{(r, c): i for i, (r, c) in enumerate(places)}, **marks})
        signs = ["?" if self.grid[r, c] == UNKNOWN else str(self.grid[r, c]) for r, c in places]
        others = {cell: signs[value] for cell, value in marks.items() if not self.grid[cell]}
        is_whole = len(others) + len(places) == self.cells  # then its borders say enough
        return replace(picture, corners={} if is_whole else others)

    @classmethod
    def drawn(cls, shape: tuple[int, int], rng: Rng) -> Self:
        """Rectangles cut in two until they are small, and a number in a random cell of each."""
        room, waiting = np.zeros(shape, dtype=np.int64), [(0, 0, *shape)]
        grid, count = np.zeros(shape, dtype=np.int64), 0
        while waiting:
            top, left, high, wide = waiting.pop()
            size, upright = high * wide, bool(rng.random() * (high + wide) < high)
            length = high if upright else wide
            if size > 9 or (size > 3 and rng.random() < 0.3):
                if length < 2:
                    upright, length = not upright, wide if upright else high
                at = int(rng.integers(1, length))
                parts = ((top, left, at, wide), (top + at, left, high - at, wide))
                if not upright:
                    parts = ((top, left, high, at), (top, left + at, high, wide - at))
                waiting += parts
                continue
            room[top : top + high, left : left + wide] = count
            count += 1
            grid[top + int(rng.integers(high)), left + int(rng.integers(wide))] = size
        order = {int(k): i for i, k in enumerate(room[grid > 0].tolist())}
        return cls(grid=grid, solution=np.vectorize(order.__getitem__)(room))
