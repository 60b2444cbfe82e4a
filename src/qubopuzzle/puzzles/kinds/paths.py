"""Paths through side-adjacent cells, as arrays: each cell the sum of the sides it leaves by.

Direction d is 0 right, 1 down, 2 left, 3 up, and its side counts ``1 << d``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qubopuzzle.checks import brief
from qubopuzzle.errors import PuzzleError
from qubopuzzle.model import IntArray

STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""Row and column to the next cell, by direction."""
SIDES = ("right", "down", "left", "up")

Cell = tuple[int, int]


def neighbours(shape: tuple[int, int]) -> IntArray:
    """The number of the cell on each side of each cell, -1 beyond the grid, (cells, 4)."""
    number = np.pad(np.arange(shape[0] * shape[1]).reshape(shape), 1, constant_values=-1)
    shifted = [np.roll(number, (-r, -c), (0, 1))[1:-1, 1:-1].ravel() for r, c in STEPS]
    return np.stack(shifted, axis=1)


def degrees(paths: IntArray) -> IntArray:
    """How many sides a path leaves each cell by, same shape."""
    return np.asarray(sum(paths >> d & 1 for d in range(4)))


def one_sided(paths: IntArray) -> list[tuple[Cell, int]]:
    """Cells and directions where the neighbour does not agree, or there is none."""
    padded = np.pad(paths, 1)
    found = []
    rows, columns = paths.shape
    for d, (r, c) in enumerate(STEPS):
        beyond = padded[1 + r : 1 + r + rows, 1 + c : 1 + c + columns]
        alone = (paths >> d & 1) & ~(beyond >> (d + 2) % 4) & 1
        found += [((i, j), d) for i, j in np.argwhere(alone).tolist()]
    return sorted(found)


@dataclass(frozen=True, slots=True)
class Piece:
    """Cells that hang together, in the order of the walk; ``closed`` if each has two sides."""

    cells: tuple[Cell, ...]
    closed: bool


def pieces(paths: IntArray) -> list[Piece]:
    """What hangs together by connections that both cells agree on, cells without any left out.

    A piece without branches that is not closed begins at one of its ends.
    """
    mutual = paths.copy()
    for (r, c), d in one_sided(paths):
        mutual[r, c] -= 1 << d
    degree = degrees(mutual)
    ends, rest = ((degree == 1), (degree > 1))
    # Cell by cell, arrays are slow.
    leaves: list[list[int]] = mutual.tolist()
    sides: list[list[int]] = degree.tolist()
    seen: set[Cell] = set()
    found = []
    for r, c in [*np.argwhere(ends).tolist(), *np.argwhere(rest).tolist()]:
        if (r, c) not in seen:
            cells = _walk(leaves, (r, c), seen)
            closed = all(sides[i][j] == 2 for i, j in cells)
            found.append(Piece(tuple(cells), closed))
    return found


def _walk(leaves: list[list[int]], start: Cell, seen: set[Cell]) -> list[Cell]:
    seen.add(start)
    order, waiting = [], [start]
    while waiting:
        r, c = waiting.pop()
        order.append((r, c))
        for d, (dr, dc) in enumerate(STEPS):
            other = r + dr, c + dc
            if leaves[r][c] >> d & 1 and other not in seen:
                seen.add(other)
                waiting.append(other)
    return order


def read_paths(right: Any, down: Any, shape: tuple[int, int]) -> IntArray:
    """Paths from 0/1 between the cells of each row, and between each row and the next.

    Raises:
        PuzzleError: naming the place of what is no such line.
    """
    rows, columns = shape
    across = _read_lines("right", right, rows, columns - 1)
    along = _read_lines("down", down, rows - 1, columns)
    paths = np.zeros(shape, dtype=np.int64)
    paths[:, :-1] += across
    paths[:, 1:] += 4 * across
    paths[:-1] += 2 * along
    paths[1:] += 8 * along
    return paths


def write_paths(paths: IntArray) -> dict[str, list[str]]:
    """The inverse of ``read_paths``: strings of 0 and 1 by row."""
    parts = {"right": paths[:, :-1] & 1, "down": paths[:-1] >> 1 & 1}
    return {key: ["".join(map(str, row)) for row in part.tolist()] for key, part in parts.items()}


def _read_lines(key: str, lines: Any, rows: int, columns: int) -> IntArray:
    if not isinstance(lines, list | tuple) or len(lines) != rows:
        raise PuzzleError(f"{key}: expected {rows} lines of 0 and 1, got {brief(lines)}")
    for r, line in enumerate(lines):
        good = isinstance(line, str | list | tuple) and len(line) == columns
        if not good or any(str(bit) not in ("0", "1") for bit in line):
            raise PuzzleError(f"{key}[{r}]: expected {columns} of 0 and 1, got {brief(line)}")
    return np.array([[int(bit) for bit in line] for line in lines], np.int64).reshape(rows, columns)
