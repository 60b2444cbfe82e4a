"""Kakuro: digits that differ within each run, and add up to the number before it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, ClassVar, Self

import numpy as np

from qubopuzzle.errors import InputError, PuzzleError
from qubopuzzle.model import IntArray
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles import links, penpa
from qubopuzzle.puzzles.links import Board, FileText, Link
from qubopuzzle.puzzles.vocabulary import clues
from qubopuzzle.puzzles.vocabulary.drawing import crossword
from qubopuzzle.puzzles.vocabulary.grids import BoolArray, Cell, runs_of
from qubopuzzle.puzzles.vocabulary.kind import Formulations, Kind, Rng, by_cells, by_digits
from qubopuzzle.puzzles.vocabulary.rules import Given, Rule
from qubopuzzle.puzzles.vocabulary.sums import DifferentSum, refilled

DIGITS, BLACK, MOST = range(1, 10), links.BLACK_CELL, links.MOST_SUM
GIVEN_UP = 0.02
"""Of boards with another solution, those that no digit is changed of."""
_FIRST = ((16, 3), (16, 0), (0, 3))
"""Which an error names."""
CLUES = {"#": BLACK} | {
    f"{down or ''}\\{across or ''}": BLACK + across + (MOST + 1) * down
    for down, across in (*_FIRST, *product(range(MOST + 1), repeat=2))
    if down or across
}


def _digits(text: FileText, board: Board) -> None:
    """The answer, 0 where there is none."""
    given, (rows, columns) = board.get("solution"), np.shape(board["grid"])
    answer = np.zeros((rows, columns), dtype=np.int64) if given is None else np.array(given)
    margin = rows - text.shape[0]
    shown = answer[margin:, margin:]
    digits = links.to_digits(text.answer(np.where(shown > 0, shown, ".")))
    board["solution"] = np.pad(digits, ((margin, 0), (margin, 0)))


def _check(puzzle: Any) -> None:
    """Players have no white cells in the first row and column, which are not part of a size."""
    if puzzle.white[0].any() or puzzle.white[:, 0].any() or min(puzzle.shape) < 2:
        raise InputError("players have black cells only above and on the left; write json")


@dataclass(frozen=True, eq=False)
class Kakuro(Kind):
    r"""Fill white cells with digits 1 to 9, no digit twice in a run of a row or column.

    A run adds up to the number before it. ``grid`` has None for white cells, and for black ones
    ``#``, or numbers of the run below and of that on the right, ``"16\\3"``, ``"16\\"`` or
    ``"\\3"``. An answer has 0 in black cells.

    >>> puzzle = Kakuro(grid=["# 3\\ 7\\", "\\4 . .", "\\6 . ."])
    >>> puzzle.violations(np.array([[0, 0, 0], [0, 1, 3], [0, 2, 4]]))
    []

    Raises:
        PuzzleError: for a number before no run.
    """

    name: ClassVar[str] = "kakuro"
    aliases: ClassVar[str] = "crosssums kakro kasankurosu"
    formulations: ClassVar[Formulations] = {"cells": by_digits, "sets": by_cells}
    default_formulation: ClassVar[str] = "sets"
    lazy_formulation: ClassVar[str] = "cells"
    values: ClassVar[Sequence[int]] = range(10)
    least: ClassVar[int] = 3
    links = (
        Link("kakuro", [links.sums], [links.sums, _digits], check=_check, margin=1),
        penpa.Penpa(("kakuro",), [penpa.sums, _digits], style=4),
    )

    grid: IntArray = clues.numbers(0, 0, CLUES)

    @property
    def white(self) -> BoolArray:
        """Whether each cell is white."""
        return np.asarray(self.grid == 0)

    @property
    def contradiction(self) -> str | None:
        """A run by itself that no digits fill."""
        return next((why for rule in self.sums if (why := rule.contradiction)), None)

    def fit(self) -> None:
        """Numbers stand before a run."""
        beyond = np.pad(self.white, (0, 1))
        after = (beyond[:-1, 1:], beyond[1:, :-1])
        for numbers, white in zip(links.sums_of(self.grid), after, strict=True):
            for r, c in np.argwhere((numbers > 0) & ~white).tolist():
                raise PuzzleError(f"grid[{r}][{c}]: the number {numbers[r, c]} is before no run")

    @cached_property
    def sums(self) -> tuple[DifferentSum, DifferentSum]:
        """The runs across and down, and their sums."""
        rows, columns = self.shape
        made = []
        for family, runs, numbers, way in zip(
            ("across", "down"),
            runs_of(self.white),
            links.sums_of(self.grid),
            ((0, 1), (1, 0)),
            strict=True,
        ):
            before = np.pad(numbers, [(n, 0) for n in way])[:rows, :columns].ravel()
            first = [int(run[0]) for run in runs]
            names = [f"the run {family} from {divmod(cell, columns)}" for cell in first]
            totals = [int(before[cell]) or None for cell in first]
            made.append(DifferentSum(family, runs, totals, DIGITS, names))
        return made[0], made[1]

    def rules(self) -> Iterator[Rule]:
        """Black cells have no digit; runs have different ones, and their sums."""
        yield Given("black", np.zeros_like(self.grid), ~self.white, "a black cell")
        yield from self.sums

    def picture(self, answer: IntArray | None = None, broken: Iterable[Cell] = ()) -> Picture:
        """Numbers in black cells."""
        return replace(super().picture(answer, broken), black=(~self.white).astype(np.int64))

    @classmethod
    def drawn(cls, shape: tuple[int, int], rng: Rng) -> Self:
        """A random layout, and random digits."""
        from qubopuzzle.puzzles.vocabulary.generator import random_solution

        white = np.pad(crossword((shape[0] - 1, shape[1] - 1), rng, len(DIGITS)), ((1, 0), (1, 0)))
        blank = cls(grid=np.where(white, 0, BLACK))
        return blank._of(random_solution(blank, rng))

    def _of(self, solution: IntArray) -> Self:
        """The board with the sums of a solution."""
        grid = np.where(self.white, 0, BLACK)
        for rule, step, unit in zip(self.sums, (1, self.shape[1]), (1, MOST + 1), strict=True):
            for run in rule.groups:
                grid.flat[run[0] - step] += unit * int(solution.ravel()[run].sum())
        return type(self)(grid=grid, solution=solution)

    def excluding(self, other: IntArray, rng: Rng) -> Self | None:
        """Digits change where the solutions differ; now and then none, for another layout."""
        given_up = rng.random() < GIVEN_UP
        changed = None if given_up else refilled(self.sums, np.array(self.solution), other, rng)
        return None if changed is None else self._of(changed)
