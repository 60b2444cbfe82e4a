"""Sudoku in the players: ``sudoku``, and ``solo`` in Simon Tatham's collection."""

from typing import Any

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles import links, penpa
from qubopuzzle.puzzles.links import Board, Game, Link
from qubopuzzle.puzzles.penpa import PenpaText
from qubopuzzle.puzzles.sudoku.rules import SIZE_LIMIT, squarest_box


def _boxes(text: PenpaText, board: Board) -> None:
    """Borders of boxes; those that no border is drawn of are the squarest."""
    n = text.shape[0]
    high, wide = board.get("box", (n, n))
    drawn: Board = {"rooms": _boxes_of(n, high, wide)}
    links.rooms(text, drawn)
    if text.reading:
        boxes = np.array(drawn["rooms"])
        high, wide = (int((line == 0).sum()) for line in (boxes[:, 0], boxes[0]))
        if (high, wide) == (n, n):
            high, wide = squarest_box(n)
        elif not np.array_equal(boxes, _boxes_of(n, high, wide)):
            raise InputError("its regions are no boxes, all of one size; no such puzzle here")
        board["box"] = [high, wide]


def _boxes_of(n: int, high: int, wide: int) -> IntArray:
    """The box of each cell."""
    row, column = np.indices((n, n))
    return row // high * (n // wide) + column // wide


def _check_box(puzzle: Any) -> None:
    """A board without boxes has the squarest, wider than high; InputError for other boxes."""
    n = len(puzzle.grid)
    lines = puzzle.box[0] == 1 < n  # which no player takes for boxes
    if lines or puzzle.box != squarest_box(n):
        raise InputError(f"its boxes of {puzzle.box[0]} x {puzzle.box[1]} have no place here")


def _read_solo(body: str, high: int, wide: int) -> Board:
    if min(high, wide) < 2:
        raise InputError(f"boxes of {high} x {wide}; both must be 2 at least")
    if high * wide > SIZE_LIMIT:
        raise InputError(f"boxes of {high} x {wide} have more than {SIZE_LIMIT} cells")
    n = high * wide
    return {"grid": links.read_runs(body, n, n, n), "box": [high, wide]}


def _write_solo(puzzle: Any) -> str:
    high, wide = puzzle.box
    if min(high, wide) < 2 or high * wide > 31:
        limits = "2 x 2 at least and 31 digits at most"
        raise InputError(f"boxes of {high} x {wide} cells; solo has {limits}; write json")
    return f"{high}x{wide}:" + links.write_runs(np.ravel(puzzle.grid).tolist())


LINKS = (
    Link(
        "sudoku",
        body=[links.grid],
        file=[links.grid, links.digits_filled],
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
        givens="grid",
    ),
    penpa.Penpa(("classic",), [links.grid, _boxes, links.digits_filled]),
)
