"""Cells flipped until a picture is told by its runs, after Batenburg et al.

"Constructing simple nonograms of varying difficulty" (PU.M.A. 20, 1, 2009) changes a grey
picture cell by cell, each time where line by line solving then leaves fewest cells open.
"""

from __future__ import annotations

import numpy as np

from qubopuzzle.compile.incremental import Random
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.nonogram.lines import UNKNOWN, told, untold_after

MANY = 500
"""A cell more is flipped at once for each that many that are open."""


def untold(grid: IntArray) -> IntArray:
    """The cells, row by row, that line by line solving leaves open."""
    return np.flatnonzero(told(grid) == UNKNOWN)


def flipped(grid: IntArray, cells: IntArray) -> IntArray:
    """The picture with these cells flipped, row by row; -1 is none."""
    flat = grid.ravel().copy()
    flat[cells[cells >= 0]] ^= 1
    return flat.reshape(grid.shape)


def best_flip(grid: IntArray, flips: IntArray) -> IntArray:
    """The one of some flips, shape (flips, cells), that leaves fewest cells open; the first."""
    best: IntArray = flips[np.argmin(untold_after(grid, flips))]
    return best


def told_by_lines(
    grid: IntArray, rng: Random, tries: int, steps: int, *, mirrored: bool
) -> IntArray | None:
    """A picture near this one that line by line solving finds; None after too many flips.

    Args:
        grid: shape (rows, columns), 0 and 1.
        rng: for the cells that are tried.
        tries: how many cells are tried for each flip.
        steps: how many flips are made at most.
        mirrored: whether each cell is flipped together with its image left to right.
    """
    for _ in range(steps):
        open_cells = untold(grid)
        if not len(open_cells):
            return grid
        grid = flipped(grid, best_flip(grid, some_flips(grid, open_cells, rng, tries, mirrored)))
    return None


def some_flips(
    grid: IntArray, cells: IntArray, rng: Random, tries: int, mirrored: bool
) -> IntArray:
    """Flips of some of these cells, mostly none that leaves a line empty.

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
    flips = rng.permutation(cells)[: min(tries, len(cells) // at_once) * at_once]
    if mirrored:
        return with_images(flips.reshape(-1, at_once), grid.shape[1])
    return flips.reshape(-1, at_once)


def with_images(cells: IntArray, n_cols: int) -> IntArray:
    """Flips with the images of their cells left to right; -1 where those flip already."""
    rows, cols = np.divmod(cells, n_cols)
    images = rows * n_cols + n_cols - 1 - cols
    there = (images[:, :, None] == cells[:, None, :]).any(axis=2)
    return np.concatenate([cells, np.where(there, -1, images)], axis=1)
