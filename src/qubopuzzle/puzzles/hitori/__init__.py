"""Hitori: shade cells so that no number is left twice in a row or column.

The rules of shading hold: no two black cells touch by a side, and the white cells are
connected. Families:

- [repeat] of the cells of a line with the same number at most one is white;
- [adjacent], and connectivity as in the formulation: ``forest`` ([pair], [parent], see
  docs/formulations.md) or ``lazy`` ([connected]).

Of two equal numbers one is black, so all cells beside both of them are white and have no
choice: those between the two of a line, say. Energy gap: each family's penalty is 0 where
its rule holds and at least 1 where not.
"""

import numpy as np

from qubopuzzle.model import Model
from qubopuzzle.puzzles.hitori.links import LINKS
from qubopuzzle.puzzles.hitori.rules import Hitori
from qubopuzzle.puzzles.vocabulary.grids import BoolArray, lines_of, repeats
from qubopuzzle.puzzles.vocabulary.shaded import Shaded, shading_formulations

__all__ = ["Hitori"]


def _never_black(puzzle: Hitori) -> BoolArray:
    """Cells with two equal numbers of one line beside them."""
    white = np.zeros(puzzle.shape, dtype=bool)
    for view, grid in ((white, puzzle.grid), (white.T, puzzle.grid.T)):
        view[:, 1:-1] |= (grid[:, 2:] == grid[:, :-2]) & (grid[:, 2:] > 0)
    return white


def _constrain(puzzle: Hitori, shaded: Shaded) -> Model:
    lines = lines_of(puzzle.shape)
    groups = [cells for _, _, line in lines for _, cells in repeats(puzzle.grid, line)]
    shaded.count("repeat", groups, least=[len(cells) - 1 for cells in groups])
    return shaded.build()


Hitori.formulations = shading_formulations(_constrain, _never_black)
Hitori.links = LINKS
Hitori.generator = "qubopuzzle.puzzles.hitori.generator:HitoriGenerator"
