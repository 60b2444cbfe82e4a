"""Heyawake: shade cells so that no straight run of white crosses two room borders.

The rules of shading hold: no two black cells touch by a side, and the white cells hang
together. Some rooms say how many of their cells are black. Families:

- [room] ``sum of black over the room = clue``;
- [span] on each line, of the last cell of a room, all cells of the next room and the first
  cell of the one after, at least one is black;
- [adjacent], and connectivity as in the formulation: ``forest`` ([pair], [parent], see
  docs/formulations.md) or ``lazy`` ([connected]).

A room with the clue 0 has no choices. Energy gap: each family's penalty is 0 where its rule
holds and at least 1 where not.
"""

from qubopuzzle.puzzles.heyawake.formulations import FORMULATIONS
from qubopuzzle.puzzles.heyawake.links import LINKS
from qubopuzzle.puzzles.heyawake.rules import Heyawake

__all__ = ["Heyawake"]

Heyawake.formulations = FORMULATIONS
Heyawake.links = LINKS
Heyawake.generator = "qubopuzzle.puzzles.heyawake.generator:HeyawakeGenerator"
