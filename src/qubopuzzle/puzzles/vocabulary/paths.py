"""Paths through side-adjacent cells, as arrays: each cell the sum of the sides it leaves by.

Direction d is 0 right, 1 down, 2 left, 3 up, and its side counts ``1 << d``.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import PuzzleError
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.base import check_shape, need
from qubopuzzle.puzzles.vocabulary.grids import (
    NUMBER_LIMIT,
    BoolArray,
    Cell,
    lines_of_text,
    listed,
    read_grid,
)

SIDES = ("right", "down", "left", "up")
NONE = 8
"""No heading, which is 0 to 7, mod 4 a direction: before a path begins, and after it ends."""
_STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
CORNERS = ((-1, -1), (-1, 1), (1, 1), (1, -1))
"""From a cell to the cells at its corners, clockwise from the one above and left of it."""


@lru_cache(maxsize=16)
def neighbours(shape: tuple[int, ...], steps: tuple[Cell, ...] = _STEPS) -> IntArray:
    """The number of the cell that is a step from each cell, -1 beyond the grid, (cells, steps).

    By default those on its sides. The array cannot be written: whoever asks again has it, too.
    """
    (rows, columns), inside = shape, np.arange(shape[0] * shape[1]).reshape(shape)
    number = np.pad(inside, 1, constant_values=-1)
    near = [number[1 + r : 1 + r + rows, 1 + c : 1 + c + columns] for r, c in steps]
    result = np.stack(near, axis=-1).reshape(-1, len(steps))
    result.flags.writeable = False
    return result


def leaves(paths: IntArray) -> BoolArray:
    """Whether a path leaves each cell by each of its sides, (cells, 4)."""
    return np.asarray(paths.reshape(-1, 1) >> np.arange(4) & 1 > 0)


def keep_inside(allowed: BoolArray, values: Sequence[int]) -> None:
    """Take values below 16 with a side out of the grid out of ``allowed``, as ``Rule.narrow``."""
    leads = leaves(np.array([value if 0 <= value < 16 else 0 for value in values]))
    edges = allowed[:, -1], allowed[-1], allowed[:, 0], allowed[0]
    for leading, edge in zip(leads.T, edges, strict=True):
        edge &= ~leading


def edges_of(shape: tuple[int, int]) -> tuple[IntArray, IntArray]:
    """The cell of each edge between two, and the side that leads to the other: 0 or 1; by cell."""
    cell, side = np.nonzero(neighbours(shape)[:, :2] >= 0)
    return cell, side


def parted(paths: IntArray, known: BoolArray, on: BoolArray) -> str:
    """Which cells of a line nothing can join any more, in a sentence; nothing if all can be.

    Args:
        paths: the sides of cells, (rows, columns); any where they are not ``known``.
        known: where they are, (rows, columns).
        on: cells that are on the line, (rows, columns).

    >>> two, both = np.array([[3, 6, 0], [9, 12, 0]]), np.array([[True, True, False]] * 2)
    >>> parted(two, both, np.ones((2, 3), dtype=bool))
    'the loop through (0,0) is cut off from (0,2)'
    """
    columns, held = paths.shape[1], on.ravel()
    joined = [cells for cells, _ in components(np.where(known, paths, 15))]
    alone = {*range(paths.size)}.difference(*map(np.ndarray.tolist, joined))
    every = [*joined, *(np.array([cell]) for cell in alone)]
    parts = sorted((np.sort(cells[held[cells]]) for cells in every if held[cells].any()), key=len)
    if len(parts) < 2:
        return ""
    ended = known.ravel() & (leaves(paths).sum(axis=1) == 2)
    closed = [part for part in parts if ended[part].all()]
    first = (closed or parts)[0]
    one = divmod(int(first[0]), columns)
    two = next(divmod(int(part[0]), columns) for part in parts[::-1] if part is not first)
    what = "the loop through " if closed else ""
    return f"{what}({one[0]},{one[1]}) is cut off from ({two[0]},{two[1]})"


def would_part(paths: IntArray, on: BoolArray) -> str:
    """What would be cut off, as in ``parted``, if lines could only leave by these sides."""
    everywhere = np.ones(paths.shape, dtype=bool)
    return parted(paths, everywhere, on).replace(" is cut off", " would be cut off")


def edges_taken(paths: IntArray) -> IntArray:
    """Whether a path takes each of these, 0 or 1."""
    cell, side = edges_of(paths.shape)
    return np.asarray(paths.ravel()[cell] >> side & 1)


def sides(into: IntArray, out: IntArray) -> IntArray:
    """The sides that a way through a cell takes, by its headings."""
    entered = np.where(into < NONE, 1 << (into + 2) % 4, 0)
    return np.asarray(entered + np.where(out < NONE, 1 << out % 4, 0))


def directions(cells: IntArray, shape: tuple[int, int]) -> IntArray:
    """By which side each cell of a walk is left for the next one."""
    return np.asarray(np.argmax(neighbours(shape)[cells[:-1]] == cells[1:, None], axis=1))


def turned(directions: IntArray) -> IntArray:
    """The same as headings that are not mod 8: each a quarter turn from the last at most."""
    return np.cumsum([directions[0], *((np.diff(directions) + 1) % 4 - 1)])


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


def labels_of(paths: IntArray, grid: IntArray) -> IntArray:
    """The number of each cell's path by those in a grid, 0 where it joins none, (rows, columns)."""
    labels = np.ravel(grid).copy()
    for cells, _ in components(paths):
        part = labels[cells]
        labels[cells] = np.where(part, part, next(filter(None, part.tolist()), 0))
    return labels.reshape(paths.shape)


# --- reading ---------------------------------------------------------------------------------


def read_paths(data: Any, grid: IntArray) -> IntArray:
    """Paths by ``{"right": ["101", ...], "down": [...]}``, 0 and 1 as ``split`` has them.

    There may be ``labels``, those of ``labels_of`` by the numbers of a grid.

    Raises:
        PuzzleError: naming the place of what is none.
    """
    if not isinstance(data, Mapping):
        raise PuzzleError(f'solution: expected {{"right": ..., "down": ...}}, got {brief(data)}')
    (right, down), (rows, columns) = need(data, "right", "down"), grid.shape
    answer = join(
        _read_bits("right", right, rows, columns - 1), _read_bits("down", down, rows - 1, columns)
    )
    if data.get("labels") is not None:
        labels = read_grid("labels", data["labels"], 0, NUMBER_LIMIT)
        check_shape(labels, (rows, columns))
        for r, c in np.argwhere(labels != labels_of(answer, grid)).tolist():
            raise PuzzleError(f"labels[{r}][{c}]: {labels[r, c]} is not what the path joins")
    return answer


def show_paths(paths: IntArray, grid: IntArray) -> dict[str, list[Any]]:
    """The inverse, with labels."""
    right, down = (["".join(map(str, row)) for row in part.tolist()] for part in split(paths))
    return {"right": right, "down": down, "labels": labels_of(paths, grid).tolist()}


def _read_bits(key: str, lines: Any, count: int, length: int) -> IntArray:
    if not isinstance(lines, list | tuple) or len(lines) != count:
        raise PuzzleError(f"{key}: expected {count} lines of 0 and 1, got {brief(lines)}")
    for r, line in enumerate(lines):
        good = isinstance(line, str | list | tuple) and len(line) == length
        if not good or any(str(bit) not in ("0", "1") for bit in line):
            raise PuzzleError(f"{key}[{r}]: expected {length} of 0 and 1, got {brief(line)}")
    bits = [int(bit) for line in lines for bit in line]
    return np.array(bits, dtype=np.int64).reshape(count, length)


def read_signs(data: Any, grid: IntArray) -> IntArray:
    """Paths by a sign for each, ``.`` or 0 for none, as lines of text or rows.

    Cells side by side of the same sign are joined; PuzzleError where that does not tell how the
    path goes between two numbers of a grid.
    """
    lines = lines_of_text(data) if isinstance(data, str) else data
    rows = [line.split() if isinstance(line, str) else listed(line) for line in lines]
    cells = [
        [*row[0]] if len(row) == 1 and isinstance(row[0], str) else [*map(str, row)]
        for row in rows
        if isinstance(row, list | tuple)
    ]
    if len(cells) != len(grid) or {*map(len, cells)} != {grid.shape[1]}:
        expected = f"{len(grid)} rows of {grid.shape[1]} cells"
        raise PuzzleError(f'solution: expected {expected}, or {{"right": ..., "down": ...}}')
    signs, ends = np.array(cells, dtype=object), grid > 0
    used = ~np.isin(signs.astype(str), [".", "0", "-", "None"])
    right = (signs[:, 1:] == signs[:, :-1]) & used[:, 1:]
    down = (signs[1:] == signs[:-1]) & used[1:]
    answer = join(right.astype(np.int64), down.astype(np.int64))
    named = {*zip(grid[ends].tolist(), signs[ends].tolist(), strict=True)}
    if not len(named) == len(dict(named)) == len({sign for _, sign in named}):
        return answer  # wrong anyhow: numbers that have several signs, or one of another
    degree = leaves(answer).sum(axis=1).reshape(grid.shape)
    for r, c in np.argwhere(degree > 2 - ends)[:1].tolist():
        what = f"solution: signs do not tell how the path of {signs[r, c][:20]!r} goes"
        raise PuzzleError(f"{what} at ({r},{c}), where it touches itself; give right and down")
    return answer
