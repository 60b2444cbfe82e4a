"""Hitori: shade cells so that no number is left twice in a row or column.

The rules of shading hold: no two black cells touch by a side, and the white cells hang
together. Families:

- [repeat] of the cells of a line with the same number at most one is white;
- [adjacent], and connectivity as in the formulation: ``forest`` ([pair], [parent], see
  docs/formulations.md) or ``lazy`` ([connected]).

Of two equal numbers one is black, so all cells beside both of them are white and have no
choice: those between the two of a line, say. Energy gap: each family's penalty is 0 where
its rule holds and at least 1 where not.
"""

from qubopuzzle.puzzles.hitori.formulations import FORMULATIONS
from qubopuzzle.puzzles.hitori.links import LINKS
from qubopuzzle.puzzles.hitori.rules import Hitori

__all__ = ["Hitori"]

Hitori.formulations = FORMULATIONS
Hitori.links = LINKS
Hitori.generator = "qubopuzzle.puzzles.hitori.generator:HitoriGenerator"
