"""Grids of cells: pure functions over numpy arrays, shared by all puzzles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import label

from qubopuzzle.errors import InputError

BoolArray: TypeAlias = NDArray[np.bool_]
BLACK, WHITE = "#", "."
_CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]])


def runs(line: Iterable[int]) -> list[int]:
    """Lengths of the maximal runs of black cells of a line, in order.

    >>> runs([1, 1, 0, 1])
    [2, 1]
    >>> runs([0, 0])
    []
    """
    lengths: list[int] = []
    previous = 0
    for cell in line:
        if cell:
            if previous:
                lengths[-1] += 1
            else:
                lengths.append(1)
        previous = cell
    return lengths


def shading_from_rows(rows: Sequence[str]) -> NDArray[np.int64]:
    """Read ``#`` and ``.`` into a 0/1 array of shape (rows, columns).

    >>> shading_from_rows(["#.", ".#"]).tolist()
    [[1, 0], [0, 1]]

    Raises:
        InputError: for lines of different lengths or any other character.
    """
    width = len(rows[0]) if rows else 0
    for r, row in enumerate(rows):
        if len(row) != width:
            raise InputError(f"row[{r}] has {len(row)} cells, row[0] has {width}")
        for c, cell in enumerate(row):
            if cell not in (BLACK, WHITE):
                raise InputError(
                    f"row[{r}] column[{c}] is {cell!r}, expected {BLACK!r} or {WHITE!r}"
                )
    return np.array([[cell == BLACK for cell in row] for row in rows], dtype=np.int64).reshape(
        len(rows), width
    )


def shading_to_rows(shading: NDArray[np.int64]) -> list[str]:
    """Write a 0/1 array of shape (rows, columns) as strings of ``#`` and ``.``.

    >>> shading_to_rows(np.array([[1, 0], [0, 1]]))
    ['#.', '.#']
    """
    return ["".join(BLACK if cell else WHITE for cell in row) for row in shading.tolist()]


def groups(numbers: NDArray[np.integer]) -> list[NDArray[np.int64]]:
    """The cells of each number 0 .. max of a grid, by row-major number, in order.

    >>> [group.tolist() for group in groups(np.array([[0, 2], [2, 0]]))]
    [[0, 3], [], [1, 2]]
    """
    flat = numbers.ravel()
    order = np.argsort(flat, kind="stable")
    ends = np.cumsum(np.bincount(flat))[:-1]
    return np.split(order, ends)


def pieces(right: NDArray[np.bool_], down: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The piece that each cell of a grid belongs to, numbered by their first cells.

    Args:
        right: whether a cell hangs together with the next of its row, (rows, columns - 1).
        down: the same with the cell below, (rows - 1, columns).

    >>> pieces(np.array([[True], [False]]), np.array([[False, True]])).tolist()
    [[0, 0], [1, 0]]
    """
    rows, columns = right.shape[0], down.shape[1]
    # Cells stand at even places, and between two of them a wall or a way.
    ways = np.zeros((2 * rows - 1, 2 * columns - 1), dtype=np.bool_)
    ways[::2, ::2] = True
    ways[::2, 1::2] = right
    ways[1::2, ::2] = down
    # Labels come in the order in which scipy meets them, row by row, as a test holds.
    piece: NDArray[np.int64] = label(ways, _CROSS)[0][::2, ::2].astype(np.int64) - 1
    return piece
