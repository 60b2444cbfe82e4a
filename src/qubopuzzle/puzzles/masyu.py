"""Masyu: one loop through all pearls, which turns at black ones and goes straight at white ones."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from qubopuzzle.model import IntArray
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles import links, penpa
from qubopuzzle.puzzles.links import AddressText, Board, Link, Text
from qubopuzzle.puzzles.vocabulary import clues
from qubopuzzle.puzzles.vocabulary.grids import Cell
from qubopuzzle.puzzles.vocabulary.kind import Formulations, Kind, Rng, by_cuts, by_headings
from qubopuzzle.puzzles.vocabulary.loops import (
    SHAPES,
    STRAIGHT,
    TURNS,
    Loop,
    changed_loop,
    drawn_loop,
)
from qubopuzzle.puzzles.vocabulary.paths import neighbours
from qubopuzzle.puzzles.vocabulary.pearls import BLACK, WHITE, Pearls
from qubopuzzle.puzzles.vocabulary.rules import Rule

_CIRCLES = {("circle_L", 1): WHITE, ("circle_L", 2): BLACK}


def _pearls(text: Text, board: Board) -> None:
    given = np.array(board.get("grid", np.zeros(text.shape, dtype=np.int64)))
    read = text.threes(given) if isinstance(text, AddressText) else text.numbers(given)
    board["grid"] = read


@dataclass(frozen=True, eq=False)
class Masyu(Kind):
    """Draw one loop through cells side by side, which passes every pearl.

    At a black pearl it turns, and goes straight through the next cell on both sides. At a white
    one it goes straight, and turns in the next cell on one side at least. ``grid`` has ``w``, ``b``
    or None. An answer is, in each cell, the sum of the sides that the loop leaves by: 1 right, 2
    down, 4 left, 8 up.

    >>> puzzle = Masyu(grid=["...", "w..", "..."])
    >>> puzzle.violations(np.array([[3, 5, 6], [10, 0, 10], [9, 5, 12]]))
    []

    Raises:
        PuzzleError: for other signs.
    """

    name: ClassVar[str] = "masyu"
    least: ClassVar[int] = 2
    aliases: ClassVar[str] = "mashu pearl pearls"
    formulations: ClassVar[Formulations] = {"headings": by_headings, "cuts": by_cuts}
    default_formulation: ClassVar[str] = "headings"
    lazy_formulation: ClassVar[str] = "cuts"
    anneals_by_cuts: ClassVar[bool] = True
    values: ClassVar[Sequence[int]] = SHAPES
    links = (
        Link("mashu", body=[_pearls], file=[_pearls, links.paths]),
        links.sign_game("pearl", {"W": WHITE, "B": BLACK}, 0, suffix="(?:d[a-z])?n?"),
        penpa.Penpa(("masyu",), [penpa.symbols(_CIRCLES), links.paths]),
    )

    grid: IntArray = clues.numbers(0, 0, {"w": WHITE, "b": BLACK}, words={WHITE: "○", BLACK: "●"})

    def rules(self) -> Iterator[Rule]:
        """Pearls, and one loop, which passes the first of them."""
        yield Pearls("pearl", self.grid)
        pearls = np.flatnonzero(self.grid)
        yield Loop("loop", on=int(pearls[0]) if len(pearls) else None)

    def picture(self, answer: IntArray | None = None, broken: Iterable[Cell] = ()) -> Picture:
        """Pearls, and the loop."""
        picture = super().picture(None, broken)
        shown = np.zeros(self.shape, dtype=np.int64) if answer is None else np.asarray(answer)
        return replace(picture, paths=shown)

    @classmethod
    def drawn(cls, shape: tuple[int, int], rng: Rng) -> Self:
        """A loop around a piece that has grown, and every pearl that it could have."""
        return cls._through(drawn_loop(shape, rng))

    @classmethod
    def _through(cls, loop: IntArray) -> Self:
        """The board of a loop."""
        near, flat = neighbours(loop.shape), loop.ravel()
        turn, straight = np.isin(flat, TURNS), np.isin(flat, STRAIGHT)
        beside = np.stack([(flat >> d & 1 > 0) & turn[near[:, d]] for d in range(4)]).sum(axis=0)
        grid = np.where(turn & (beside == 0), BLACK, np.where(straight & (beside > 0), WHITE, 0))
        return cls(grid=grid.reshape(loop.shape), solution=loop)

    def excluding(self, other: IntArray, rng: Rng) -> Self | None:
        """The loop goes another way around a square where the other one differs."""
        solution = np.asarray(self.solution)
        changed = changed_loop(solution, solution != other, rng)
        return None if changed is None else self._through(changed)
