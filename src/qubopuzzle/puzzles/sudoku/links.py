"""Sudoku in the players: ``sudoku``, and ``solo`` in Simon Tatham's collection."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.games import Game, read_runs, write_runs
from qubopuzzle.puzzles.links import WHOLE, Data, FileText, Link, Numbers, Shape
from qubopuzzle.puzzles.sudoku.rules import SIZE_LIMIT, squarest_box


class _Digits:
    """The digits of an answer where none is given; small ones stand in brackets beside them."""

    def read(self, text: FileText, shape: Shape, data: Data) -> None:
        words = text.read_answer(shape)
        digits = [word.partition("[")[0] for word in (() if words is None else words.ravel())]
        answer = [int(digit) if WHOLE.fullmatch(digit) else 0 for digit in digits]
        if any(answer):
            given = np.array(data["grid"])
            data["solution"] = np.where(given, given, np.reshape(answer, shape))

    def write(self, text: FileText, puzzle: Any) -> None:
        given = np.array(puzzle.grid)
        answer = given if puzzle.solution is None else puzzle.solution
        found = np.where(given, 0, answer).ravel().tolist()
        text.write_numbers([digit or None for digit in found], len(given))


def _check_box(puzzle: Any) -> None:
    """Boards tell no boxes: they are the squarest, lying rather than standing."""
    n = len(puzzle.grid)
    lines = puzzle.box[0] == 1 < n  # which no player takes for boxes
    if lines or puzzle.box != squarest_box(n):
        raise InputError(f"its boxes of {puzzle.box[0]} x {puzzle.box[1]} have no place here")


def _read_solo(body: str, high: int, wide: int) -> Data:
    if min(high, wide) < 2:
        raise InputError(f"boxes of {high} x {wide}; both must be 2 at least")
    if high * wide > SIZE_LIMIT:
        raise InputError(f"boxes of {high} x {wide} have more than {SIZE_LIMIT} cells")
    n = high * wide
    return {"grid": read_runs(body, n, n, n), "box": [high, wide]}


def _write_solo(puzzle: Any) -> str:
    high, wide = puzzle.box
    if min(high, wide) < 2 or high * wide > 31:
        raise InputError(
            f"boxes of {high} x {wide} cells; solo has 2 x 2 at least and 31 digits at most; "
            "write json"
        )
    return f"{high}x{wide}:" + write_runs(chain.from_iterable(puzzle.grid))


def _solved_solo(puzzle: Any, answer: IntArray) -> str:
    grid = tuple(map(tuple, answer.tolist()))
    return _write_solo(replace(puzzle, grid=grid, solution=None))


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
    Game(
        "solo",
        _read_solo,
        _write_solo,
        suffix="(?:d[tbiaeu]|md?[0-9]|r[0-9]|a)*",
        variants={"x": "solo X (diagonals)", "j": "jigsaw solo", "k": "killer solo"},
        solved=_solved_solo,
    ),
)
