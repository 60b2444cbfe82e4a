"""Pictures that are found line by line: what lines determine, and flips until that is all.

A cell is determined if all paintings of its row, or of its column, that keep the line's runs and
agree with the cells determined so far agree in it (Batenburg and Kosters, Pattern Recognition 42,
1672, 2009). The flips are after Batenburg et al., "Constructing simple nonograms of varying
difficulty" (PU.M.A. 20, 1, 2009): cell by cell, each time the one of some after which line by
line solving leaves fewest cells open. A **flip** is a cell and its new colour, as one number:
``colour * cells + cell``.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile.incremental import Random
from qubopuzzle.jit import called, kernel
from qubopuzzle.model import IntArray

COLOURS = 7
"""Most colours besides white."""
WHITE = 1
"""What a cell can be: a bit a colour, ``1 << colour``, and 0 is white."""
TRIES = 20
"""Flips that are compared for each that is made."""
MANY = 500
"""A cell more is flipped at once for each that many that are open."""


def solve_lines(grid: IntArray) -> NDArray[np.uint8]:
    """What line by line solving finds that each cell can be, shape of the grid: a bit a colour."""
    known = np.full(grid.shape, (2 << int(grid.max(initial=1))) - 1, dtype=np.uint8)
    _settle(grid.astype(np.uint8, order="C"), known)
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


@called
def _pattern(picture: Any, pattern: Any, passes: Any) -> Any:
    """Write the runs of a line with a white cell before, between and behind them, from place 1 on.

    Returns:
        The last place, and how many places there are, in ``passes``, that may follow the one
        before the white one before them: between two colours none need be white.
    """
    last, passed = 1, 0
    for cell in picture:
        colour = 1 << cell
        if cell or pattern[last] != WHITE:
            last += 1 + (WHITE != colour != pattern[last] != WHITE)
            pattern[last] = colour
            passes[passed] = last
            passed += WHITE != colour != pattern[last - 2] != WHITE
    return last + (pattern[last] != WHITE), passed


@kernel
def _line(picture: Any, known: Any, crossing: Any) -> None:
    """Solve one line in place, and mark in ``crossing`` where it finds a cell.

    Each painting is a walk along ``pattern``: the next cell is as the next place, or white again,
    or one of ``passes``. ``can[i, s]``: a walk can be at place s after i cells, and go on from
    there to the end.
    """
    if not (known & (known - 1)).any():
        return
    length = len(picture)
    pattern = np.full(2 * length + 3, WHITE, dtype=np.uint8)
    passes, onwards = np.zeros(length + 1, np.int64), np.zeros(length + 1, np.bool_)
    last, passed = _pattern(picture, pattern, passes)
    stays = pattern == WHITE
    can = np.zeros((length + 2, last + 2), dtype=np.bool_)
    can[0, 1] = can[length + 1, last] = True
    # After i cells a walk is no further than place i + 1, but for those that it passed, and not
    # too far behind for the rest.
    for i in range(1, length + 1):
        for s in range(max(1, i + last - length - 1 - passed), min(i + 1 + passed, last) + 1):
            fits = known[i - 1] & pattern[s] != 0
            can[i, s] = fits & (can[i - 1, s - 1] | (stays[s] & can[i - 1, s]))
        for s in passes[:passed]:
            can[i, s] |= (known[i - 1] & pattern[s] != 0) & can[i - 1, s - 2]
    for i in range(length, 0, -1):
        colours = 0
        for k in range(passed):
            onwards[k] = can[i, passes[k] - 2] & can[i + 1, passes[k]]
        for s in range(max(1, i + last - length - 1 - passed), min(i + 1 + passed, last) + 1):
            can[i, s] &= can[i + 1, s + 1] | (stays[s] & can[i + 1, s])
            colours |= can[i, s] * pattern[s]
        for k in range(passed):
            can[i, passes[k] - 2] |= onwards[k]
            colours |= onwards[k] * pattern[passes[k] - 2]
        if colours != known[i - 1]:
            known[i - 1] = colours
            crossing[i - 1] = True


def undetermined(grid: IntArray) -> IntArray:
    """The cells, row by row, that line by line solving leaves open."""
    known = solve_lines(grid)
    return np.flatnonzero(known & (known - 1))


def flipped(grid: IntArray, flips: IntArray) -> IntArray:
    """The picture after some flips at once; -1 is none."""
    flat = grid.ravel().copy()
    colours, cells = np.divmod(flips[flips >= 0], grid.size)
    flat[cells] = colours
    return flat.reshape(grid.shape)


def flips_of(grid: IntArray, cells: IntArray, colours: int, rng: Random) -> IntArray:
    """A flip of each of these cells, to any other of the colours."""
    shift = 1 if colours == 1 else rng.integers(1, colours + 1, len(cells))
    return (grid.ravel()[cells] + shift) % (colours + 1) * grid.size + cells


def best_flipped(grid: IntArray, flips: IntArray) -> IntArray:
    """The picture after the one of some flips, (choices, flips), that leaves fewest cells open."""
    return min(
        (flipped(grid, flip) for flip in flips), key=lambda picture: len(undetermined(picture))
    )


def line_solvable(
    grid: IntArray, rng: Random, steps: int, colours: int = 1, *, mirrored: bool
) -> IntArray | None:
    """A picture near this one that line by line solving finds; None after so many flips.

    ``mirrored``: each cell is flipped together with its image left to right.
    """
    for _ in range(steps):
        open_cells = undetermined(grid)
        if not len(open_cells):
            return grid
        grid = best_flipped(grid, some_flips(grid, open_cells, rng, colours, mirrored=mirrored))
    return None


def some_flips(
    grid: IntArray, cells: IntArray, rng: Random, colours: int = 1, *, mirrored: bool
) -> IntArray:
    """Flips of some of these cells, mostly none that leaves a line empty, and of their images.

    Returns:
        Shape (choices, flips), a flip each or, of many cells, several; -1 is none.
    """
    rows, cols = np.divmod(cells, grid.shape[1])
    painted = grid > 0
    last = painted.ravel()[cells] & (
        (painted.sum(axis=1)[rows] <= 1 + mirrored) | (painted.sum(axis=0)[cols] == 1)
    )
    cells = cells if last.all() else cells[~last]
    # Where nearly all is open, single flips of a large picture hardly show which is best.
    at_once = 1 + len(cells) // MANY
    flips = rng.permutation(cells)[: min(TRIES, len(cells) // at_once) * at_once]
    flips = flips_of(grid, flips, colours, rng).reshape(-1, at_once)
    if not mirrored:
        return flips
    cols = flips % grid.shape[1]
    images = flips - cols + grid.shape[1] - 1 - cols
    there = (images[:, :, None] == flips[:, None, :]).any(axis=2)  # those flip already
    return np.concatenate([flips, np.where(there, -1, images)], axis=1)
