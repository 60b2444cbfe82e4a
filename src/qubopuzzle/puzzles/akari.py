"""Akari, or light up: bulbs that light every white cell and do not shine on each other."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from qubopuzzle.base.places import listed
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles import links, penpa
from qubopuzzle.puzzles.links import Link
from qubopuzzle.puzzles.vocabulary import clues
from qubopuzzle.puzzles.vocabulary.cells import At
from qubopuzzle.puzzles.vocabulary.grids import BoolArray, cells_of, runs_of
from qubopuzzle.puzzles.vocabulary.kind import Formulations, Kind, Rng, by_cells, by_groups
from qubopuzzle.puzzles.vocabulary.paths import neighbours
from qubopuzzle.puzzles.vocabulary.rules import NAMED, Given, Rule, Total

WHITE, BLACK = -1, -2
_CELLS = links.cells({0: WHITE, links.UNKNOWN: BLACK, links.ZERO: 0}, links.FOUR, shaded=True)
_SIGNS = {"B": BLACK} | {str(digit): digit for digit in range(5)}


class _Lit(Total):
    """Each cell sees a bulb, or has one."""

    def name_at(self, at: At) -> str:
        """The light of a cell."""
        return f"the light in {super().name_at(at)}"

    def asks(self, at: At, grid: IntArray, known: BoolArray) -> str:
        """That it is lit, and which cells can still do that."""
        group, cell = self.about(at), super().name_at(at)
        is_known = known.ravel()[group]
        if (grid.ravel()[group[is_known]] == 1).any():
            return f"{cell} is lit already"
        left = cells_of(group[~is_known], grid.shape[1])
        if not left or len(left) > NAMED:
            return f"{cell} has to be lit" + ", and no cell is left for that" * (not left)
        return f"{cell} has to be lit, and only a bulb in {listed(left, 'or')} can do that"


@dataclass(frozen=True, eq=False)
class Akari(Kind):
    """Put bulbs on white cells: each white cell is lit, and no bulb shines on another.

    A bulb lights its row and column up to the next black cell. ``grid`` has None for a white cell,
    ``#`` for a black one and 0 to 4 for a black one with so many bulbs beside it.

    >>> puzzle = Akari(grid=["1.", ".#"])
    >>> len(puzzle.violations(np.array([[0, 1], [1, 0]])))
    1

    Raises:
        PuzzleError: for other signs and numbers.
    """

    name: ClassVar[str] = "akari"
    aliases: ClassVar[str] = "lightup bijutsukan"
    formulations: ClassVar[Formulations] = {
        "cells": by_cells,
        "runs": by_groups(lambda puzzle: runs_of(puzzle.grid == WHITE)[0], "run"),
    }
    default_formulation: ClassVar[str] = "runs"
    lazy_formulation: ClassVar[str] = "cells"
    marks: ClassVar[Mapping[int, str]] = {1: "o"}
    value_names: ClassVar[Mapping[int, str]] = {0: "empty", 1: "a bulb"}
    links = (
        Link("lightup", body=[_CELLS], file=[_CELLS]),
        links.sign_game(
            "lightup",
            _SIGNS,
            WHITE,
            suffix="(?:b[0-9]+)?(?:s[0-9])?r?(?:d[0-9])?",
            title="Light Up",
        ),
        penpa.Penpa(
            ("akari",),
            [_CELLS, penpa.symbols({("sun_moon", 3): 1}, "solution")],
            style=7,
            clued=penpa.BLACK,
        ),
    )

    grid: IntArray = clues.numbers(0, 4, {None: WHITE, "#": BLACK}, dropped=BLACK)

    def rules(self) -> Iterator[Rule]:
        """Bulbs on white cells, one a run at most, numbers, and light."""
        white = self.grid == WHITE
        yield Given("white", np.zeros_like(self.grid), ~white, "a black cell")
        across, down = runs_of(white)
        every = [(way, run) for way, runs in (("across", across), ("down", down)) for run in runs]
        names = [f"the run {way} from {divmod(int(run[0]), self.shape[1])}" for way, run in every]
        yield Total("run", across + down, high=1, names=names, counted="bulbs")
        near = neighbours(self.shape)
        numbered = np.flatnonzero(self.grid >= 0)
        number = self.grid.ravel()[numbered]
        yield Total(
            "number",
            [near[cell][near[cell] >= 0] for cell in numbered],
            number,
            number,
            [f"the number on {divmod(cell, self.shape[1])}" for cell in numbered.tolist()],
            counted="bulbs beside it",
            tags=[("grid", cell) for cell in numbered.tolist()],
        )
        lit: dict[int, list[IntArray]] = {}
        for run in across + down:
            for cell in run.tolist():
                lit.setdefault(cell, []).append(run)
        cells = sorted(lit)
        names = [f"{divmod(cell, self.shape[1])}" for cell in cells]
        seen = [np.unique(np.concatenate(lit[cell])) for cell in cells]
        yield _Lit("lit", seen, low=1, names=names, counted="bulbs in sight")

    @classmethod
    def drawn(cls, shape: tuple[int, int], rng: Rng) -> Self:
        """A fifth of the cells black, each with its number."""
        from qubopuzzle.puzzles.vocabulary.generator import random_solution

        grid = np.where(rng.random(shape) < 0.2, BLACK, WHITE)
        solution = random_solution(cls(grid=grid), rng)
        near = neighbours(shape)
        beside = np.where(near >= 0, solution.ravel()[near], 0).sum(axis=1).reshape(shape)
        return cls(grid=np.where(grid == BLACK, beside, WHITE), solution=solution)
