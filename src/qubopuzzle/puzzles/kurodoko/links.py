"""Kurodoko in the players: ``kurodoko``, and ``range`` in Simon Tatham's collection."""

from functools import partial
from typing import Any

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.puzzles import links, penpa
from qubopuzzle.puzzles.links import Board, Game, Lines, Link, Rows


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
    return links.write_cells(puzzle.to_dict()["grid"])


def _has_unknown(tables: list[Rows]) -> bool:
    return any("?" in row for row in tables[0])


_GRID = partial(links.grid, unknown="kept")
LINKS = (
    Link("kurodoko", body=[_GRID], file=[_GRID, links.shading]),
    *(penpa.Penpa((tag,), [_GRID, links.shading], style=6) for tag in ("kurodoko", "kuromasu")),
    Game("range", _read_range, _write_range),
    Lines(links.read_cells, _write_lines, tells=_has_unknown),
)
