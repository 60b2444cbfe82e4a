"""Hitori in the players: ``hitori``, and ``singles`` in Simon Tatham's collection."""

from functools import partial
from string import ascii_letters
from typing import Any

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.puzzles import links, penpa
from qubopuzzle.puzzles.links import Board, Code, Game, Lines, Link, Rows

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
    return links.write_cells([[number or None for number in row] for row in puzzle.grid.tolist()])


_GRID = partial(links.grid, code=BASE36, unknown="blank")
LINKS = (
    Link("hitori", body=[_GRID], file=[_GRID, links.shading], percent=True),
    penpa.Penpa(("hitori",), [_GRID, links.shading]),
    Game("singles", _read_singles, _write_singles, suffix="(?:d[a-z])?"),
    Lines(links.read_cells, _write_lines, tells=_full),
)
