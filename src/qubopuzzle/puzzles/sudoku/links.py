"""Sudoku in the players: ``sudoku``, and ``solo`` in Simon Tatham's collection."""

from __future__ import annotations

from typing import Any

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.puzzles.links import WHOLE, Data, FileText, Link, Numbers, Shape
from qubopuzzle.puzzles.sudoku.rules import squarest_box


class _Digits:
    """The digits of an answer where none is given; small ones stand in brackets beside them."""

    def read(self, text: FileText, shape: Shape, data: Data) -> None:
        words = text.read_answer(shape)
        digits = [word.partition("[")[0] for word in words or ()]
        answer = [int(digit) if WHOLE.fullmatch(digit) else 0 for digit in digits]
        if any(answer):
            given = np.array(data["grid"])
            data["solution"] = np.where(given, given, np.reshape(answer, shape))

    def write(self, text: FileText, puzzle: Any) -> None:
        given = np.array(puzzle.grid)
        answer = given if puzzle.solution is None else puzzle.solution
        found = np.where(given, 0, answer).ravel().tolist()
        text.write_numbers([digit or None for digit in found], puzzle.shape)


def _check_box(puzzle: Any) -> None:
    """Boards tell no boxes: they are the squarest, lying rather than standing."""
    n = len(puzzle.grid)
    lines = puzzle.box[0] == 1 < n  # which no player takes for boxes
    if lines or puzzle.box != squarest_box(n):
        raise InputError(f"its boxes of {puzzle.box[0]} x {puzzle.box[1]} have no place here")


_GRID = Numbers("grid")
LINKS = (
    Link(
        "sudoku",
        body=[_GRID],
        file=[_GRID, _Digits()],
        square=True,
        sizes=1,
        givens="grid",
        check=_check_box,
    ),
)
