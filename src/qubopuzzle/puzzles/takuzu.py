"""Takuzu, or binairo: as many 0 as 1 in every row and column, and no three of one in a row."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase
from typing import Any, ClassVar, Self

import numpy as np

from qubopuzzle.errors import InputError, PuzzleError
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles import penpa
from qubopuzzle.puzzles.links import Game, Gaps
from qubopuzzle.puzzles.vocabulary import clues
from qubopuzzle.puzzles.vocabulary.grids import lines_of, windows
from qubopuzzle.puzzles.vocabulary.kind import Formulations, Kind, Rng, by_cells, by_groups
from qubopuzzle.puzzles.vocabulary.rules import DifferentLines, Given, Pairs, Rule, Total

BLANK, EQUAL, OPPOSITE = -1, 1, 2
_MARKS = {"=": EQUAL, "x": OPPOSITE}
_CIRCLES = {("circle_M", 1): 0, ("circle_M", 2): 1}
_GAPS = Gaps(
    {c: (i, 0) for i, c in enumerate(ascii_lowercase[:25])}
    | {c: (i, 1) for i, c in enumerate(ascii_uppercase[:25])}
    | {"z": (25, None), "Z": (25, None)}
)


def _read_unruly(body: str, columns: int, rows: int) -> dict[str, Any]:
    return {"grid": np.reshape(_GAPS.read(body, rows * columns, BLANK), (rows, columns))}


def _check_signs(puzzle: Any) -> None:
    if puzzle.right is not None or puzzle.down is not None:
        raise InputError("signs between cells have no place there; write json")


def _write_unruly(puzzle: Any) -> str:
    _check_signs(puzzle)
    rows, columns = puzzle.shape
    body = _GAPS.write(puzzle.grid.ravel().tolist(), BLANK)
    return f"{columns}x{rows}{'u' * puzzle.unique}:{body}"


@dataclass(frozen=True, eq=False)
class Takuzu(Kind):
    """Fill the grid with 0 and 1: half of each line, no three side by side, no two lines the same.

    ``grid`` has 0, 1 or None; ``right`` has a sign between each cell and the next of its row and
    ``down`` one to the cell below, ``=`` for equal, ``x`` for opposite, or None. Lines may be the
    same without ``unique``: so in Tango, which has these signs.

    >>> puzzle = Takuzu(grid=["0.", ".."], right=["x", "."])
    >>> puzzle.violations(np.array([[0, 1], [1, 0]]))
    []

    Raises:
        PuzzleError: for a grid with an odd side, and signs that do not fit it.
    """

    name: ClassVar[str] = "takuzu"
    aliases: ClassVar[str] = "binairo binary binarypuzzle binaro unruly tango tohu tohuwavohu"
    formulations: ClassVar[Formulations] = {
        "cells": by_cells,
        "rows": by_groups(
            lambda puzzle: [c for a, _, c in lines_of(puzzle.shape) if a == "row"], "row"
        ),
    }
    default_formulation: ClassVar[str] = "rows"
    lazy_formulation: ClassVar[str] = "cells"
    marks: ClassVar[Mapping[int, str]] = {0: "0", 1: "1"}
    value_names = marks
    links = (
        Game(
            "unruly",
            _read_unruly,
            _write_unruly,
            suffix="u?(?:d[a-z])?",
            flags={"": {"unique": False}, "u": {"unique": True}},
        ),
        penpa.Penpa(
            ("takuzu",),
            [penpa.symbols(_CIRCLES, blank=BLANK), penpa.symbols(_CIRCLES, "solution", BLANK)],
            fields={"unique": True},
            check=_check_signs,
        ),
    )

    grid: IntArray = clues.numbers(0, 1, {None: BLANK})
    right: IntArray | None = clues.between(_MARKS)
    down: IntArray | None = clues.between(_MARKS)
    unique: bool = clues.flag(default=True)

    def fit(self) -> None:
        """Even sides, and a sign between any two cells."""
        rows, columns = self.shape
        if rows % 2 or columns % 2:
            raise PuzzleError(f"grid: {rows} x {columns} cells; half of a line needs even sides")
        clues.check_between(self.shape, self.right, self.down)

    def rules(self) -> Iterator[Rule]:
        """Givens, halves, threes, lines that differ, and signs."""
        yield Given("given", self.grid, self.grid != BLANK, field="grid")
        lines = [*lines_of(self.shape)]
        half = [len(cells) // 2 for _, _, cells in lines]
        names = [f"{axis}[{i}]" for axis, i, _ in lines]
        yield Total("half", [c for _, _, c in lines], half, half, names, counted="ones")
        threes = [*windows(self.shape, 1, 3), *windows(self.shape, 3, 1)]
        places = [f"three cells from {divmod(int(three[0]), self.shape[1])}" for three in threes]
        says = "no three cells side by side are the same"
        yield Total("three", threes, 1, 2, places, counted="ones", says=says)
        if self.unique:
            cells = np.arange(self.cells).reshape(self.shape)
            yield DifferentLines("unique", cells, "row")
            yield DifferentLines("unique", cells.T, "column")
        same = np.eye(2, dtype=bool)
        for field, *size in (("right", 1, 2), ("down", 2, 1)):
            for family, sign, right, wrong in (
                ("equal", EQUAL, same, "are not equal"),
                ("opposite", OPPOSITE, ~same, "are equal"),
            ):
                if (signs := getattr(self, field)) is not None:
                    (at,) = np.nonzero(signs.ravel() == sign)
                    pairs, signed = (
                        windows(self.shape, *size)[at],
                        [(field, i) for i in at.tolist()],
                    )
                    says = f"the cells beside {{}} are {family}"
                    yield Pairs(family, pairs, (0, 1), right, wrong, clues=signed, says=says)

    @classmethod
    def drawn(cls, shape: tuple[int, int], rng: Rng) -> Self:
        """Any filled grid."""
        from qubopuzzle.puzzles.vocabulary.generator import random_solution

        solution = random_solution(cls(grid=np.full(shape, BLANK)), rng)
        return cls(grid=solution, solution=solution)
