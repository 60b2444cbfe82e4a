"""Hitori: shade cells so that no number is left twice in a row or column."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from string import ascii_letters
from typing import Any, ClassVar

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles import links, penpa
from qubopuzzle.puzzles.lines import Lines, Rows, read_cells, write_cells
from qubopuzzle.puzzles.links import Board, Code, Game, Link
from qubopuzzle.puzzles.vocabulary import clues
from qubopuzzle.puzzles.vocabulary.kind import Formulations, Kind, by_cells, by_cuts
from qubopuzzle.puzzles.vocabulary.regions import Uncut
from qubopuzzle.puzzles.vocabulary.rules import Repeats, Rule

BASE36 = Code(
    base=36,
    forms={"-": (0, 2)},
    blanks=".",
    unknown="@%",
    where="an address of hitori",
)
"""One character a cell, three from 36 on."""


def _read_singles(body: str, columns: int, rows: int) -> Board:
    known = _characters(rows, columns)
    if len(body) != rows * columns:
        raise InputError(f"{len(body)} characters, but {rows} x {columns} cells")
    numbers = [known.find(character) + 1 for character in body]
    if 0 in numbers:
        i = numbers.index(0)
        raise InputError(f"character {i + 1}: {body[i]!r} is no number 1 .. {len(known)}")
    return {"grid": np.reshape(numbers, (rows, columns)).tolist()}


def _write_singles(puzzle: Any) -> str:
    rows, columns = puzzle.shape
    known = _characters(rows, columns)
    for r, c in np.argwhere((puzzle.grid < 1) | (puzzle.grid > len(known)))[:1].tolist():
        what = f"has {puzzle.grid[r, c]}" if puzzle.grid[r, c] else "is blank"
        cells = f"a cell of singles has 1 .. {len(known)}"
        raise InputError(f"grid[{r}][{c}] {what}; {cells}; write json")
    return f"{columns}x{rows}:" + "".join([known[n - 1] for n in puzzle.grid.ravel().tolist()])


def _characters(rows: int, columns: int) -> str:
    """Those of the numbers of a grid of this size."""
    if min(rows, columns) < 2 or max(rows, columns) > 62:
        raise InputError(f"a grid of {rows} x {columns}; singles has 2 to 62 rows and columns")
    return f"123456789{ascii_letters}"[: max(rows, columns)]


def _full(tables: list[Rows]) -> bool:
    """Whether there is a number in each cell."""
    return all(word.isdecimal() and word.strip("0") for row in tables[0] for word in row)


def _write_lines(puzzle: Any) -> list[Rows]:
    return write_cells(puzzle.to_dict()["grid"])


_GRID = partial(links.grid, code=BASE36, unknown="blank")


@dataclass(frozen=True, eq=False)
class Hitori(Kind):
    """Shade cells so that no number is left twice in a row or column.

    No two black cells touch by a side, and the white cells are connected. ``grid`` has a number a
    cell; None for a cell without.

    >>> puzzle = Hitori(grid=[[1, 1], [1, 2]])
    >>> puzzle.violations(np.array([[1, 0], [0, 0]]))
    []

    Raises:
        PuzzleError: for a grid of anything but whole numbers.
    """

    name: ClassVar[str] = "hitori"
    aliases: ClassVar[str] = "hitorinishitekure singles"
    formulations: ClassVar[Formulations] = {"forest": by_cells, "lazy": by_cuts}
    default_formulation: ClassVar[str] = "forest"
    lazy_formulation: ClassVar[str] = "lazy"
    generator: ClassVar[str] = "qubopuzzle.puzzles.generators.hitori:HitoriGenerator"
    links = (
        Link("hitori", body=[_GRID], file=[_GRID, links.shading], percent=True),
        penpa.Penpa(("hitori",), [_GRID, links.shading]),
        Game("singles", _read_singles, _write_singles, suffix="(?:d[a-z])?"),
        Lines(read_cells, _write_lines, tells=_full),
    )

    grid: IntArray = clues.numbers()

    def rules(self) -> Iterator[Rule]:
        """Shading, and no repeats."""
        yield Uncut()
        yield Repeats("repeat", self.grid)
