"""Heyawake as models: rooms counted, and spans through three rooms broken."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from qubopuzzle.model import IntArray, Model
from qubopuzzle.puzzles.heyawake.rules import Heyawake
from qubopuzzle.puzzles.kinds.cells import BoolArray, groups
from qubopuzzle.puzzles.kinds.forest import shading_formulations
from qubopuzzle.puzzles.kinds.shaded import Shaded


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
    spans = _spans(rooms)
    shaded.count("span", spans, least=[1] * len(spans))


def _spans(rooms: IntArray) -> list[IntArray]:
    """The stretches of cells, row-major numbers, of which one must be black."""
    numbers = np.arange(rooms.size).reshape(rooms.shape)
    spans = []
    for lines, along in ((rooms, numbers), (rooms.T, numbers.T)):
        for line, cells in zip(lines, along, strict=True):
            borders = np.flatnonzero(line[1:] != line[:-1])
            spans += [cells[before : after + 2] for before, after in pairwise(borders)]
    return spans


FORMULATIONS = shading_formulations(_constrain, _never_black)
