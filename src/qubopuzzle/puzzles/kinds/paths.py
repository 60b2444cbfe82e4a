"""Paths through side-adjacent cells, as arrays: each cell the sum of the sides it leaves by.

Direction d is 0 right, 1 down, 2 left, 3 up, and its side counts ``1 << d``.
"""

from __future__ import annotations

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
    rows, columns = paths.shape
    flat, d = np.append(paths, 0), np.arange(4)  # the last one: beyond the grid
    alone = flat[:-1, None] >> d & ~(flat[neighbours((rows, columns))] >> (d + 2) % 4) & 1
    return [(divmod(cell, columns), side) for cell, side in np.argwhere(alone).tolist()]


def pieces(paths: IntArray) -> list[tuple[tuple[Cell, ...], bool]]:
    """Connected cells, in the order of the walk, and whether they close: each has two sides.

    Connections count where both cells agree; cells without any are left out. A piece without
    branches that does not close begins at one of its ends.
    """
    mutual = paths.copy()
    for (r, c), d in one_sided(paths):
        mutual[r, c] -= 1 << d
    degree = degrees(mutual)
    starts = [*np.argwhere(degree == 1).tolist(), *np.argwhere(degree > 1).tolist()]
    # Cell by cell, arrays are slow.
    leaves: list[list[int]] = mutual.tolist()
    sides: list[list[int]] = degree.tolist()
    seen: set[Cell] = set()
    found = []
    for first, second in starts:
        if (first, second) in seen:
            continue
        cells, waiting = [], [(first, second)]
        seen.add((first, second))
        while waiting:
            r, c = waiting.pop()
            cells.append((r, c))
            for d, (down, right) in enumerate(STEPS):
                other = r + down, c + right
                if leaves[r][c] >> d & 1 and other not in seen:
                    seen.add(other)
                    waiting.append(other)
        found.append((tuple(cells), all(sides[r][c] == 2 for r, c in cells)))
    return found


def read_paths(right: Any, down: Any, shape: tuple[int, int]) -> IntArray:
    """Paths from 0/1 between the cells of each row, and between each row and the next.

    Raises:
        PuzzleError: naming the place of what is no such line.
    """
    rows, columns = shape
    parts = []
    for key, lines, count, length in (
        ("right", right, rows, columns - 1),
        ("down", down, rows - 1, columns),
    ):
        if not isinstance(lines, list | tuple) or len(lines) != count:
            raise PuzzleError(f"{key}: expected {count} lines of 0 and 1, got {brief(lines)}")
        for r, line in enumerate(lines):
            good = isinstance(line, str | list | tuple) and len(line) == length
            if not good or any(str(bit) not in ("0", "1") for bit in line):
                raise PuzzleError(f"{key}[{r}]: expected {length} of 0 and 1, got {brief(line)}")
        bits = [int(bit) for line in lines for bit in line]
        parts.append(np.array(bits, dtype=np.int64).reshape(count, length))
    across, along = parts
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
