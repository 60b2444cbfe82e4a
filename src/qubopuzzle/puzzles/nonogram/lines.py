"""What the runs of single lines tell of a picture, compiled by numba.

A cell is told if all paintings of its row, or of its column, that keep the line's runs and
agree with the cells told so far agree in it (Batenburg and Kosters, Pattern Recognition 42,
1672, 2009). Each line takes O(runs x cells): which beginnings and which ends can be painted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from qubopuzzle.model import IntArray

UNKNOWN, WHITE, BLACK = 0, 1, 2


def told(grid: Any) -> Any:
    """The cells that line by line solving finds, shape of the grid: UNKNOWN, WHITE or BLACK."""
    known = np.zeros(grid.size, dtype=np.int8)
    n_rows, n_cols = grid.shape
    _settle(np.array(grid, dtype=np.int8).ravel(), n_rows, n_cols, known)
    return known.reshape(grid.shape)


def untold_after(grid: Any, flips: IntArray) -> IntArray:
    """How many cells line by line solving leaves open after each of some flips.

    Args:
        grid: shape (rows, columns), 0 and 1.
        flips: shape (flips, cells), the cells that each flips, row by row; -1 is none.

    Returns:
        Shape (flips,).
    """
    flat = np.array(grid, dtype=np.int8).ravel()
    n_rows, n_cols = grid.shape
    counts: IntArray = _after(flat, n_rows, n_cols, np.array(flips, dtype=np.int64, order="C"))
    return counts


@njit(nogil=True, cache=True)
def _after(grid: Any, n_rows: int, n_cols: int, flips: Any) -> Any:
    counts = np.zeros(len(flips), dtype=np.int64)
    known = np.zeros(len(grid), dtype=np.int8)
    for i in range(len(flips)):
        for cell in flips[i]:
            if cell >= 0:
                grid[cell] = 1 - grid[cell]
        known[:] = UNKNOWN
        counts[i] = _settle(grid, n_rows, n_cols, known)
        for cell in flips[i]:
            if cell >= 0:
                grid[cell] = 1 - grid[cell]
    return counts


@njit(nogil=True, cache=True)
def _settle(grid: Any, n_rows: int, n_cols: int, known: Any) -> int:
    """Solve line by line until nothing follows; returns how many cells are unknown."""
    longest, n_lines = max(n_rows, n_cols), n_rows + n_cols
    clues, n_runs = _clues(grid, n_rows, n_cols)
    front = np.zeros((longest // 2 + 2, longest + 1), dtype=np.bool_)
    back = np.zeros_like(front)
    mark = np.zeros(longest + 1, dtype=np.int64)
    states = np.zeros(longest, dtype=np.int8)
    dirty = np.ones(n_lines, dtype=np.bool_)
    unknown = len(grid)
    while unknown and dirty.any():
        for line in np.flatnonzero(dirty):
            dirty[line] = False
            length, first, step = _place(int(line), n_rows, n_cols)
            for i in range(length):
                states[i] = known[first + i * step]
            _line(states[:length], clues[line, : n_runs[line]], front, back, mark)
            crossing = n_rows if line < n_rows else 0
            for i in range(length):
                if states[i] != known[first + i * step]:
                    known[first + i * step] = states[i]
                    dirty[crossing + i] = True
                    unknown -= 1
    return unknown


@njit(nogil=True, cache=True)
def _clues(grid: Any, n_rows: int, n_cols: int) -> Any:
    """The runs of rows and columns, shape (lines, most runs), and how many each has."""
    clues = np.zeros((n_rows + n_cols, max(n_rows, n_cols) // 2 + 1), dtype=np.int64)
    n_runs = np.zeros(n_rows + n_cols, dtype=np.int64)
    for line in range(n_rows + n_cols):
        length, first, step = _place(line, n_rows, n_cols)
        previous = 0
        for i in range(length):
            cell = grid[first + i * step]
            n_runs[line] += cell and not previous
            if cell:
                clues[line, n_runs[line] - 1] += 1
            previous = cell
    return clues, n_runs


@njit(nogil=True, cache=True)
def _place(line: int, n_rows: int, n_cols: int) -> tuple[int, int, int]:
    """Length, first cell and step of a line: rows, then columns."""
    if line < n_rows:
        return n_cols, line * n_cols, 1
    return n_rows, line - n_rows, n_cols


@njit(nogil=True, cache=True)
def _line(states: Any, runs: Any, front: Any, back: Any, mark: Any) -> None:
    """Solve one line in place.

    ``front[k, p]``: the first p cells can be painted with the first k runs, and ``back[k, p]``
    the last p cells with the last k runs; only where the other runs fit the other cells.
    ``mark``, added up, counts the runs that may cover a cell.
    """
    if (states != UNKNOWN).all():
        return
    length, n = len(states), len(runs)
    slack = length - runs.sum() - n + 1
    _paint(front, states, runs, slack)
    _paint(back, states[::-1], runs[::-1], slack)
    mark[:] = 0
    least = 0  # where the run starts with all before it as far in front as they can
    for k in range(n):
        free = 0  # cells from there on that may be black, as far as the last
        for end in range(least + 1, least + slack + runs[k] + 1):
            free = 0 if states[end - 1] == WHITE else free + 1
            start = end - runs[k]
            if (
                free >= runs[k]
                and _before(front, k, start, states)
                and _before(back, n - 1 - k, length - end, states[::-1])
            ):
                mark[start] += 1
                mark[end] -= 1
        least += runs[k] + 1
    black = 0
    for i in range(length):
        black += mark[i]
        if states[i] == UNKNOWN:
            white = _white(i, length, runs, slack, front, back)
            if white != (black > 0):
                states[i] = WHITE if white else BLACK


@njit(nogil=True, cache=True)
def _white(i: int, length: int, runs: Any, slack: int, front: Any, back: Any) -> bool:
    """Whether cell i can be white."""
    least, n = 0, len(runs)
    for k in range(n + 1):
        if (
            least - 1 <= i < least + slack
            and front[k, i]
            and back[n - k, length - 1 - i]
        ):  # fmt: skip
            return True
        if k < n:
            least += runs[k] + 1
    return False


@njit(nogil=True, cache=True)
def _before(can: Any, k: int, p: int, states: Any) -> bool:
    """Whether the p cells before a run can be painted with k runs, the last cell white."""
    if p == 0:
        return k == 0
    return bool(states[p - 1] != BLACK and can[k, p - 1])


@njit(nogil=True, cache=True)
def _paint(can: Any, states: Any, runs: Any, slack: int) -> None:
    """Fill ``can[k, p]`` of ``_line`` where the first k runs fit and so do the others."""
    length = len(states)
    can[0, 0] = True
    for p in range(1, min(slack, length) + 1):
        can[0, p] = can[0, p - 1] and states[p - 1] != BLACK
    least = 0
    for k in range(1, len(runs) + 1):
        run = runs[k - 1]
        free = 0
        for p in range(least + 1, min(least + run + slack + 1, length) + 1):
            state = states[p - 1]
            free = 0 if state == WHITE else free + 1
            if p >= least + run:
                can[k, p] = (state != BLACK and p > least + run and can[k, p - 1]) or (
                    free >= run and _before(can, k - 1, p - run, states)
                )
        least += run + 1
