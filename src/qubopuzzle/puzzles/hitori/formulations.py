"""Hitori as models: of equal numbers in a line at most one is white."""

from __future__ import annotations

import numpy as np

from qubopuzzle.model import IntArray, Model
from qubopuzzle.puzzles.hitori.rules import Hitori, repeated
from qubopuzzle.puzzles.kinds.cells import BoolArray
from qubopuzzle.puzzles.kinds.forest import shading_formulations
from qubopuzzle.puzzles.kinds.shaded import Shaded


def _equal(grid: IntArray) -> list[IntArray]:
    """Cells of one line with the same number, two or more, by row-major number."""
    cells = np.arange(grid.size).reshape(grid.shape)
    return [
        along[places]
        for lines, numbers in ((grid, cells), (grid.T, cells.T))
        for line, along in zip(lines, numbers, strict=True)
        for places in repeated(line)
    ]


def _never_black(puzzle: Hitori) -> BoolArray:
    """Cells with two equal numbers of one line beside them."""
    rows, columns = puzzle.shape
    white = np.zeros((rows, columns), dtype=bool)
    for axis, grid in ((0, puzzle.grid), (1, puzzle.grid.T)):
        view = white if axis == 0 else white.T
        view[:, 1:-1] |= (grid[:, 2:] == grid[:, :-2]) & (grid[:, 2:] > 0)
    return white


def _constrain(puzzle: Hitori, shaded: Shaded) -> Model:
    groups = _equal(puzzle.grid)
    shaded.count("repeat", groups, least=[len(group) - 1 for group in groups])
    return shaded.build()


FORMULATIONS = shading_formulations(_constrain, _never_black)
