"""Hitori in the players: ``hitori``, and ``singles`` in Simon Tatham's collection."""

from __future__ import annotations

from functools import partial
from string import ascii_letters
from typing import Any

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.puzzles.games import Game
from qubopuzzle.puzzles.links import Board, Code, Link, grid, shading

BASE36 = Code(
    base=36,
    forms={"-": (0, 2)},
    blanks=".",
    unknown="@%",
    where="an address of hitori",
)
"""One character a cell, three from 36 on."""


def _read_singles(body: str, columns: int, rows: int) -> Board:
    known = _cells(rows, columns)
    if len(body) != rows * columns:
        raise InputError(f"{len(body)} characters, but {rows} x {columns} cells")
    number_of = dict(zip(known[1:], range(1, len(known)), strict=True))
    numbers = [number_of.get(character, 0) for character in body]
    if 0 in numbers:
        i = numbers.index(0)
        raise InputError(f"character {i + 1}: {body[i]!r} is no number 1 .. {len(known) - 1}")
    return {"grid": np.reshape(numbers, (rows, columns)).tolist()}


def _write_singles(puzzle: Any) -> str:
    rows, columns = puzzle.shape
    known = _cells(rows, columns)
    numbers = puzzle.grid.ravel().tolist()
    for i, number in enumerate(numbers):
        if not 0 < number < len(known):
            what = f"has {number}" if number else "is blank"
            raise InputError(
                f"grid[{i // columns}][{i % columns}] {what}; a cell of singles has 1 .. "
                f"{len(known) - 1}; write json"
            )
    return f"{columns}x{rows}:" + "".join(known[number] for number in numbers)


def _cells(rows: int, columns: int) -> str:
    """The characters of a grid of this size, from 0 on."""
    if min(rows, columns) < 2 or max(rows, columns) > 62:
        raise InputError(f"a grid of {rows} x {columns}; singles has 2 to 62 rows and columns")
    return f"0123456789{ascii_letters}"[: max(rows, columns) + 1]


_GRID = partial(grid, code=BASE36, unknown="blank")
LINKS = (
    Link("hitori", body=[_GRID], file=[_GRID, shading], percent=True),
    Game("singles", _read_singles, _write_singles, suffix="(?:d[a-z])?"),
)
