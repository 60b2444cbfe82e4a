"""Star battle: so many stars in every row, column and region, and no two that touch."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from qubopuzzle.errors import InputError, PuzzleError
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles import links, penpa
from qubopuzzle.puzzles.links import Board, Link, Text
from qubopuzzle.puzzles.penpa import PenpaText
from qubopuzzle.puzzles.vocabulary import clues
from qubopuzzle.puzzles.vocabulary.drawing import grown, moved
from qubopuzzle.puzzles.vocabulary.grids import groups, lines_of
from qubopuzzle.puzzles.vocabulary.kind import Formulations, Kind, Rng, by_cells, by_groups
from qubopuzzle.puzzles.vocabulary.rules import Rule, Total, apart


def _stars(text: Text, board: Board) -> None:
    board["stars"] = links.whole(text.word(str(board.get("stars", ""))), "stars")


def _stars_beside(text: PenpaText, board: Board) -> None:
    """How many stars is the only number outside the grid; it is written above, on the right."""
    if not text.reading:
        text.given.numbers[-1, text.shape[1] - 1] = str(board["stars"])
    numbers = [word for cell, word in text.given.numbers.items() if not text.inside(cell)]
    if len(numbers) != 1:
        raise InputError("how many stars there are does not stand outside the grid, as one number")
    board["stars"] = links.whole(numbers[0], "stars")


_STARS = penpa.symbols({("star", 2): 1, ("star", 1): 1, ("star", 3): 1}, "solution")


@dataclass(frozen=True, eq=False)
class StarBattle(Kind):
    """Put equally many stars in each row, column and room, none beside another, nor at a corner.

    ``stars`` is how many. ``rooms`` is a number, or a letter, a cell by which it belongs to a room.
    With one star a room this is Queens.

    >>> puzzle = StarBattle(rooms=["aabb", "aabb", "aadb", "ccdd"])
    >>> stars = np.array([[0, 1, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 0, 1, 0]])
    >>> puzzle.violations(stars)[0].rule
    'room'

    Raises:
        PuzzleError: for rooms that are in several pieces, or not as many as rows and columns.
    """

    name: ClassVar[str] = "starbattle"
    least: ClassVar[int] = 4
    is_square: ClassVar[bool] = True
    aliases: ClassVar[str] = "queens starsudoku doppelstern"
    formulations: ClassVar[Formulations] = {
        "cells": by_cells,
        "rooms": by_groups(lambda puzzle: groups(puzzle.rooms), "room"),
        "rows": by_groups(lambda puzzle: np.arange(puzzle.cells).reshape(puzzle.shape), "row"),
    }
    default_formulation: ClassVar[str] = "rooms"
    lazy_formulation: ClassVar[str] = "cells"
    marks: ClassVar[Mapping[int, str]] = {1: "*"}
    value_names: ClassVar[Mapping[int, str]] = {0: "empty", 1: "a star"}
    links = (
        Link(
            "starbattle", [_stars, links.rooms], [_stars, links.rooms, links.shading], square=True
        ),
        penpa.Penpa(("starbattle",), [_stars_beside, links.rooms, _STARS]),
    )

    rooms: IntArray = clues.rooms()
    stars: int = clues.number(1, 100, default=1)

    def fit(self) -> None:
        """As many rooms as rows and columns."""
        rows, columns, rooms = *self.shape, int(self.rooms.max()) + 1
        if not rows == columns == rooms:
            raise PuzzleError(f"rooms: {rooms} rooms in {rows} rows and {columns} columns")

    def rules(self) -> Iterator[Rule]:
        """Counts of lines and rooms, and stars apart."""
        lines = [*lines_of(self.shape)]
        for axis in ("row", "column"):
            cells = [line for name, _, line in lines if name == axis]
            yield Total(axis, cells, self.stars, self.stars, counted="stars")
        yield Total("room", groups(self.rooms), self.stars, self.stars, counted="stars")
        yield apart("touch", self.shape, "stars")

    @classmethod
    def drawn(cls, shape: tuple[int, int], rng: Rng) -> Self:
        """Rooms that have grown around random stars."""
        from qubopuzzle.puzzles.vocabulary.generator import random_solution

        n = shape[0]
        stars = 1 + (n > 8) + (n > 13)
        rows = np.repeat(np.arange(n), n).reshape(n, n)
        solution = random_solution(cls(rooms=rows, stars=stars), rng)
        return cls(rooms=grown(solution, stars, rng), stars=stars, solution=solution)

    def excluding(self, other: IntArray, rng: Rng) -> Self | None:
        """One of the other solution's stars goes to the next room."""
        wrong = np.flatnonzero((other == 1) & (self.solution == 0))
        rooms = moved(self.rooms, wrong, rng)
        if rooms is None:
            return None
        return type(self)(rooms=rooms, stars=self.stars, solution=self.solution)
