"""Kurodoko: shade cells so that each number sees that many white cells."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.model import IntArray, Model
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles import links, penpa
from qubopuzzle.puzzles.base import GeneratorOption
from qubopuzzle.puzzles.lines import Lines, Rows, read_cells, write_cells
from qubopuzzle.puzzles.links import Board, Game, Link
from qubopuzzle.puzzles.vocabulary import clues
from qubopuzzle.puzzles.vocabulary.drawing import random_shading
from qubopuzzle.puzzles.vocabulary.grids import Cell
from qubopuzzle.puzzles.vocabulary.kind import (
    Formulations,
    Kind,
    Rng,
    by_cells,
    by_cuts,
    cells_of_rules,
)
from qubopuzzle.puzzles.vocabulary.regions import Uncut
from qubopuzzle.puzzles.vocabulary.rules import Rule
from qubopuzzle.puzzles.vocabulary.sights import UNKNOWN, Sights, seen_from


def by_arms(puzzle: "Kurodoko") -> Model:
    """By cuts, and a choice for each direction in which a number sees."""
    rules = [Uncut(), Sights("view", puzzle.grid, by_arms=True)]
    return cells_of_rules(puzzle, rules, by_cuts=True).build()


def _read_range(body: str, columns: int, rows: int) -> Board:
    return {"grid": links.read_runs(body, rows, columns, rows + columns - 1)}


def _write_range(puzzle: Any) -> str:
    rows, columns = puzzle.shape
    if rows + columns - 1 > 127:
        raise InputError(f"a grid of {rows} x {columns}; numbers of range end at 127; write json")
    if puzzle.contradiction:
        raise InputError(f"{puzzle.contradiction}, nor is it a number of range; write json")
    for r, c in np.argwhere(puzzle.grid == links.UNKNOWN)[:1].tolist():
        raise InputError(f"grid[{r}][{c}] is not known; numbers of range are; write json")
    return f"{columns}x{rows}:" + links.write_runs(puzzle.grid.ravel().tolist())


def _write_lines(puzzle: Any) -> list[Rows]:
    return write_cells(puzzle.to_dict()["grid"])


def _has_unknown(tables: list[Rows]) -> bool:
    return any("?" in row for row in tables[0])


_GRID = partial(links.grid, unknown="kept")


@dataclass(frozen=True, eq=False)
class Kurodoko(Kind):
    """Shade cells so that each number sees that many white cells.

    A cell with a number is white; it sees the white cells above, below, left and right of it up to
    the first black cell, and itself once. No two black cells touch by a side, and the white cells
    are connected. ``grid`` has numbers, None or 0 for a cell without, ``"?"`` or -1 for one whose
    number is not known: it is white, and that is all.

    >>> puzzle = Kurodoko(grid=[[None, None], [None, 2]])
    >>> puzzle.violations(np.array([[0, 0], [1, 0]]))
    []

    Raises:
        PuzzleError: for a grid of anything but whole numbers.
    """

    name: ClassVar[str] = "kurodoko"
    aliases: ClassVar[str] = "kuromasu kuromasuwadokoda range"
    formulations: ClassVar[Formulations] = {"forest": by_cells, "lazy": by_cuts, "arms": by_arms}
    default_formulation: ClassVar[str] = "forest"
    lazy_formulation: ClassVar[str] = "arms"
    usual: ClassVar[tuple[int, int]] = (9, 9)
    options: ClassVar[tuple[GeneratorOption, ...]] = (
        GeneratorOption("black", 25, "percent of black cells, as far as the rules allow", 0, 50),
    )
    links = (
        Link("kurodoko", body=[_GRID], file=[_GRID, links.shading]),
        *(penpa.Penpa((tag,), [_GRID, links.shading], style=6) for tag in ("kurodoko", "kuromasu")),
        Game("range", _read_range, _write_range),
        Lines(read_cells, _write_lines, tells=_has_unknown),
    )

    grid: IntArray = clues.numbers(UNKNOWN, signs={"?": UNKNOWN})

    @property
    def contradiction(self) -> str | None:
        """A number that is larger than its row and column together."""
        most = sum(self.shape) - 1
        for r, c in np.argwhere(self.grid > most).tolist():
            return f"grid[{r}][{c}] is {self.grid[r, c]}, and no cell sees more than {most}"
        return None

    def rules(self) -> Iterator[Rule]:
        """Shading, and what numbers see."""
        yield Uncut()
        yield Sights("view", self.grid)

    def picture(self, answer: IntArray | None = None, broken: Iterable[Cell] = ()) -> Picture:
        """Numbers in circles."""
        picture = super().picture(answer, broken)
        return replace(picture, circled=picture.given)

    @classmethod
    def drawn(cls, shape: tuple[int, int], rng: Rng, *, black: int = 25) -> Self:
        """A shading with the number of each white cell.

        With all numbers there is one solution: a black cell has none, and if one were white, the
        white cells beside it would see more.
        """
        solution = random_shading(shape, rng, black / 100)
        return cls(grid=np.where(solution == 0, seen_from(solution), 0), solution=solution)
