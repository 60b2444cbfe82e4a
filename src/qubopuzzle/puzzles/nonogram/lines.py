"""Pictures that are found line by line: what lines determine, and flips until that is all.

A cell is determined if all paintings of its row, or of its column, that keep the line's runs and
agree with the cells determined so far agree in it (Batenburg and Kosters, Pattern Recognition 42,
1672, 2009). The flips are after Batenburg et al., "Constructing simple nonograms of varying
difficulty" (PU.M.A. 20, 1, 2009): cell by cell, each time the one of some after which line by
line solving leaves fewest cells open.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile.incremental import Random
from qubopuzzle.jit import kernel
from qubopuzzle.model import IntArray

WHITE, BLACK, UNKNOWN = 1, 2, 3
"""What a cell can be: a bit a colour."""
TRIES = 20
"""Flips that are compared for each that is made."""
MANY = 500
"""A cell more is flipped at once for each that many that are open."""


def solve_lines(grid: IntArray) -> NDArray[np.int8]:
    """What line by line solving finds of each cell, shape of the grid: WHITE, BLACK or UNKNOWN."""
    known = np.full(grid.shape, UNKNOWN, dtype=np.int8)
    _settle(grid.astype(np.int8, order="C"), known)
    return known


@kernel
def _settle(grid: Any, known: Any) -> None:
    """Solve line by line until nothing follows."""
    n_rows, n_cols = grid.shape
    dirty = np.ones(n_rows + n_cols, dtype=np.bool_)
    while dirty.any():
        for line in np.flatnonzero(dirty):
            dirty[line] = False
            if line < n_rows:
                _line(grid[line], known[line], dirty[n_rows:])
            else:
                _line(grid[:, line - n_rows], known[:, line - n_rows], dirty[:n_rows])


@kernel
def _line(picture: Any, known: Any, crossing: Any) -> None:
    """Solve one line in place, and mark in ``crossing`` where it finds a cell.

    Each painting is a walk along ``pattern``, the runs with one white cell before, between and
    behind them, at places 1 to ``last``: the next cell is as the next place, or white again.
    ``can[i, s]``: a walk can be at place s after i cells, and go on from there to the end.
    """
    if (known != UNKNOWN).all():
        return
    length, last = len(picture), 1
    pattern = np.full(length + 3, WHITE, dtype=np.int8)
    for cell in picture:
        if cell or pattern[last] == BLACK:
            last += 1
            pattern[last] += cell
    last += pattern[last] == BLACK
    stays = pattern == WHITE
    can = np.zeros((length + 2, last + 2), dtype=np.bool_)
    can[0, 1] = can[length + 1, last] = True
    # After i cells a walk is no further than place i + 1, and not too far behind for the rest.
    for i in range(1, length + 1):
        for s in range(max(1, i + last - length - 1), min(i + 1, last) + 1):
            fits = known[i - 1] & pattern[s] != 0
            can[i, s] = fits & (can[i - 1, s - 1] | (stays[s] & can[i - 1, s]))
    for i in range(length, 0, -1):
        colours = 0
        for s in range(max(1, i + last - length - 1), min(i + 1, last) + 1):
            can[i, s] &= can[i + 1, s + 1] | (stays[s] & can[i + 1, s])
            colours |= can[i, s] * pattern[s]
        if colours != known[i - 1]:
            known[i - 1] = colours
            crossing[i - 1] = True


def undetermined(grid: IntArray) -> IntArray:
    """The cells, row by row, that line by line solving leaves open."""
    return np.flatnonzero(solve_lines(grid) == UNKNOWN)


def flipped(grid: IntArray, cells: IntArray) -> IntArray:
    """The picture with these cells flipped, row by row; -1 is none."""
    flat = grid.ravel().copy()
    flat[cells[cells >= 0]] ^= 1
    return flat.reshape(grid.shape)


def best_flipped(grid: IntArray, flips: IntArray) -> IntArray:
    """The picture after the one of some flips, (flips, cells), that leaves fewest cells open."""
    return min(
        (flipped(grid, flip) for flip in flips), key=lambda picture: len(undetermined(picture))
    )


def line_solvable(grid: IntArray, rng: Random, steps: int, *, mirrored: bool) -> IntArray | None:
    """A picture near this one that line by line solving finds; None after so many flips.

    ``mirrored``: each cell is flipped together with its image left to right.
    """
    for _ in range(steps):
        open_cells = undetermined(grid)
        if not len(open_cells):
            return grid
        grid = best_flipped(grid, some_flips(grid, open_cells, rng, mirrored=mirrored))
    return None


def some_flips(grid: IntArray, cells: IntArray, rng: Random, *, mirrored: bool) -> IntArray:
    """Flips of some of these cells, mostly none that leaves a line empty, and of their images.

    Returns:
        Shape (flips, cells), a cell each or, of many cells, several; -1 is none.
    """
    rows, cols = np.divmod(cells, grid.shape[1])
    last = (grid.ravel()[cells] == 1) & (
        (grid.sum(axis=1)[rows] <= 1 + mirrored) | (grid.sum(axis=0)[cols] == 1)
    )
    cells = cells if last.all() else cells[~last]
    # Where nearly all is open, single flips of a large picture hardly show which is best.
    at_once = 1 + len(cells) // MANY
    flips = rng.permutation(cells)[: min(TRIES, len(cells) // at_once) * at_once]
    flips = flips.reshape(-1, at_once)
    if not mirrored:
        return flips
    rows, cols = np.divmod(flips, grid.shape[1])
    images = rows * grid.shape[1] + grid.shape[1] - 1 - cols
    there = (images[:, :, None] == flips[:, None, :]).any(axis=2)  # those flip already
    return np.concatenate([flips, np.where(there, -1, images)], axis=1)
