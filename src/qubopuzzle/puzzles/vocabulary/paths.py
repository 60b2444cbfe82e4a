"""Paths through side-adjacent cells, as arrays: each cell the sum of the sides it leaves by.

Direction d is 0 right, 1 down, 2 left, 3 up, and its side counts ``1 << d``.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import PuzzleError
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.vocabulary.grids import BoolArray, Cell

SIDES = ("right", "down", "left", "up")
_STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
CORNERS = ((-1, -1), (-1, 1), (1, 1), (1, -1))
"""From a cell to the cells at its corners, clockwise from the one above and left of it."""


def neighbours(shape: tuple[int, int], steps: Sequence[Cell] = _STEPS) -> IntArray:
    """The number of the cell that is a step from each cell, -1 beyond the grid, (cells, steps).

    By default those on its sides.
    """
    (rows, columns), inside = shape, np.arange(shape[0] * shape[1]).reshape(shape)
    number = np.pad(inside, 1, constant_values=-1)
    near = [number[1 + r : 1 + r + rows, 1 + c : 1 + c + columns] for r, c in steps]
    return np.stack(near, axis=-1).reshape(-1, len(steps))


def leaves(paths: IntArray) -> BoolArray:
    """Whether a path leaves each cell by each of its sides, (cells, 4)."""
    return np.asarray(paths.reshape(-1, 1) >> np.arange(4) & 1 > 0)


def keep_inside(allowed: BoolArray, values: Sequence[int]) -> None:
    """Take values below 16 with a side out of the grid out of ``allowed``, as ``Rule.narrow``."""
    leads = leaves(np.array([value if 0 <= value < 16 else 0 for value in values]))
    edges = allowed[:, -1], allowed[-1], allowed[:, 0], allowed[0]
    for leading, edge in zip(leads.T, edges, strict=True):
        edge &= ~leading


def mutual(paths: IntArray) -> BoolArray:
    """The same where the neighbour agrees."""
    sides, near = leaves(paths), neighbours(paths.shape)
    return np.asarray(sides & (near >= 0) & sides[near, [2, 3, 0, 1]])


def components(paths: IntArray) -> list[tuple[IntArray, bool]]:
    """Connected cells, in the order of the walk, and whether they close: each has two sides.

    Cells are row-major numbers. Connections count where both cells agree; cells without any
    are left out. A path without branches that does not close begins at one of its ends.
    """
    joined = mutual(paths)
    degree = joined.sum(axis=1)
    near = np.where(joined, neighbours(paths.shape), -1).tolist()
    seen: set[int] = set()
    result = []
    for start in [*np.flatnonzero(degree == 1).tolist(), *np.flatnonzero(degree > 1).tolist()]:
        if start in seen:
            continue
        cells, waiting = [], [start]
        seen.add(start)
        while waiting:
            cells.append(waiting.pop())
            new = [cell for cell in near[cells[-1]] if cell >= 0 and cell not in seen]
            seen.update(new)
            waiting += new
        result.append((np.array(cells), bool((degree[cells] == 2).all())))
    return result


def join(right: IntArray, down: IntArray) -> IntArray:
    """Paths by where they pass: 1 or 0 between the cells of a row, and to those of the next.

    Shapes (rows, columns - 1) and (rows - 1, columns).
    """
    paths = np.zeros((len(right), down.shape[1]), dtype=np.int64)
    paths[:, :-1] += right
    paths[:, 1:] += 4 * right
    paths[:-1] += 2 * down
    paths[1:] += 8 * down
    return paths


def split(paths: IntArray) -> tuple[IntArray, IntArray]:
    """The inverse of ``join``."""
    return paths[:, :-1] & 1, paths[:-1] >> 1 & 1


def read_bits(key: str, lines: Any, count: int, length: int) -> IntArray:
    """Lines of 0 and 1 as text or lists; PuzzleError naming the place of what is no such line."""
    if not isinstance(lines, list | tuple) or len(lines) != count:
        raise PuzzleError(f"{key}: expected {count} lines of 0 and 1, got {brief(lines)}")
    for r, line in enumerate(lines):
        good = isinstance(line, str | list | tuple) and len(line) == length
        if not good or any(str(bit) not in ("0", "1") for bit in line):
            raise PuzzleError(f"{key}[{r}]: expected {length} of 0 and 1, got {brief(line)}")
    bits = [int(bit) for line in lines for bit in line]
    return np.array(bits, dtype=np.int64).reshape(count, length)
