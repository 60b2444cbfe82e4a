"""Heyawake: shade cells so that no straight run of white crosses two room borders.

The rules of shading hold: no two black cells touch by a side, and the white cells are
connected. Some rooms say how many of their cells are black. Families:

- [room] ``sum of black over the room = clue``;
- [span] on each line, of the last cell of a room, all cells of the next room and the first
  cell of the one after, at least one is black;
- [adjacent], and connectivity as in the formulation: ``forest`` ([pair], [parent], see
  docs/formulations.md) or ``lazy`` ([connected]).

A room with the clue 0 has no choices. Energy gap: each family's penalty is 0 where its rule
holds and at least 1 where not.
"""

from itertools import pairwise

import numpy as np

from qubopuzzle.model import IntArray, Model
from qubopuzzle.puzzles.heyawake.links import LINKS
from qubopuzzle.puzzles.heyawake.rules import Heyawake
from qubopuzzle.puzzles.vocabulary.grids import BoolArray, groups, lines_of
from qubopuzzle.puzzles.vocabulary.shaded import Shaded, shading_formulations

__all__ = ["Heyawake"]


def _never_black(puzzle: Heyawake) -> BoolArray:
    return np.isin(puzzle.rooms, [room for room, clue in enumerate(puzzle.clues) if clue == 0])


def _constrain(puzzle: Heyawake, shaded: Shaded) -> Model:
    rooms = [(cells, n) for cells, n in zip(groups(puzzle.rooms), puzzle.clues, strict=True) if n]
    counts = [clue for _, clue in rooms]
    shaded.count("room", [cells for cells, _ in rooms], least=counts, most=counts)
    add_spans(shaded, puzzle.rooms)
    return shaded.build()


def add_spans(shaded: Shaded, rooms: IntArray) -> None:
    """[span]: no white run crosses two borders of the rooms, shape (rows, columns)."""
    spans = []  # stretches of cells of which one must be black
    for _, _, line in lines_of((len(rooms), len(rooms.T))):
        along = rooms.ravel()[line]
        borders = np.flatnonzero(along[1:] != along[:-1])
        spans += [line[before : after + 2] for before, after in pairwise(borders)]
    shaded.count("span", spans, least=[1] * len(spans))


Heyawake.formulations = shading_formulations(_constrain, _never_black)
Heyawake.links = LINKS
Heyawake.generator = "qubopuzzle.puzzles.heyawake.generator:HeyawakeGenerator"
