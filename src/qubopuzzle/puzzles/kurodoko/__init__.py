"""Kurodoko: shade cells so that each number sees that many white cells.

The rules of shading hold: no two black cells touch by a side, and the white cells hang
together. A cell with a number is white; it sees the white cells above, below, left and
right of it up to the first black cell, and itself once. Families:

- [view] one choice for each number over its views: how far it sees up, right, down and
  left, together the number less one;
- [open] what a view sees is white: ``sum of [views beyond distance a] <= white``;
- [end] a view ends at a black cell, or at the edge: ``sum of [views to a] + white <= 1``;
- [adjacent], and connectivity as in the formulation: ``forest`` ([pair], [parent], see
  docs/formulations.md) or ``lazy`` ([connected]).

Four choices for the four directions and an equation for their sum would say the same with
fewer variables, but a step of an annealer then changes the sum; a view keeps it.
Energy gap: each family's penalty is 0 where its rule holds and at least 1 where not.
"""

from qubopuzzle.puzzles.kurodoko.formulations import FORMULATIONS
from qubopuzzle.puzzles.kurodoko.links import LINKS
from qubopuzzle.puzzles.kurodoko.rules import Kurodoko

__all__ = ["Kurodoko"]

Kurodoko.formulations = FORMULATIONS
Kurodoko.links = LINKS
Kurodoko.generator = "qubopuzzle.puzzles.kurodoko.generator:KurodokoGenerator"
