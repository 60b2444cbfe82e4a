"""What addresses of puzz.link and its board files share: names, sizes, rooms and clues.

Boards become native JSON objects here. The numbers that both formats know and the package
does not:

- A clue of unknown value says nothing in heyawake and hitori, where it is read as no clue.
  In kurodoko its cell is white, as here. Everywhere else it is refused.
- 0 is a clue in heyawake alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.errors import InputError
from qubopuzzle.files.puzzles._allowance import Allowance
from qubopuzzle.files.puzzles._number16 import UNKNOWN, Value
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.puzzles.easyasabc import EasyAsABC
from qubopuzzle.puzzles.heyawake import Heyawake
from qubopuzzle.puzzles.hitori import Hitori
from qubopuzzle.puzzles.kinds.cells import pieces
from qubopuzzle.puzzles.kurodoko import Kurodoko
from qubopuzzle.puzzles.nonogram import Nonogram
from qubopuzzle.puzzles.numberlink import Numberlink
from qubopuzzle.puzzles.sudoku.rules import Sudoku, squarest_box

PIDS: dict[str, type[Puzzle]] = {
    "sudoku": Sudoku,
    "heyawake": Heyawake,
    "hitori": Hitori,
    "kurodoko": Kurodoko,
    "numlin": Numberlink,
    "arukone": Numberlink,
    "easyasabc": EasyAsABC,
    "nonogram": Nonogram,
}
"""The player's names of puzzles, and what they are here."""
PUZZLES = tuple(dict.fromkeys(puzzle.name for puzzle in PIDS.values()))

CELL_LIMIT = 250_000
"""Most cells of a board."""
SIDE_LIMIT = 10_000
"""Most rows or columns of a board."""
LETTER_LIMIT = 52
"""Most letters of arukone."""

Grid = list[list[int]]


def class_of(pid: str) -> type[Puzzle]:
    """What a puzzle of the player is here.

    Raises:
        InputError: for one that the package does not have.
    """
    if pid not in PIDS:
        known = ", ".join(PIDS)
        raise InputError(f"{pid[:30]!r}: this package has no such puzzle; it reads {known}")
    return PIDS[pid]


def size(pid: str, columns: str, rows: str, allowance: Allowance) -> tuple[int, int]:
    """Rows and columns of a board, from their text; to be asked before it is made.

    Raises:
        InputError: for what is no size, too large, or not square where it must be.
    """
    for name, text in (("columns", columns), ("rows", rows)):
        if not re.fullmatch("[0-9]{1,9}", text) or int(text) == 0:
            raise InputError(f"{pid}: {text[:20]!r} is no number of {name}")
    shape = int(rows), int(columns)
    cells = shape[0] * shape[1]
    what = f"{pid} of {columns} columns and {rows} rows"
    if cells > CELL_LIMIT or max(shape) > SIDE_LIMIT:
        raise InputError(
            f"{what}: too large; the limits are {CELL_LIMIT:,} cells and {SIDE_LIMIT:,} a side"
        )
    allowance.spend(cells)
    if pid in ("sudoku", "easyasabc") and shape[0] != shape[1]:
        raise InputError(f"{what}: only square boards have rules here")
    return shape


def clues_of_side(side: str, marks: Sequence[Value]) -> list[int]:
    """The clues of a side, 0 where there is none.

    Raises:
        InputError: for a 0 or an unknown letter, naming its place.
    """
    for i, mark in enumerate(marks):
        if mark in (0, UNKNOWN):
            what = "the number 0" if mark == 0 else "a letter of unknown value"
            raise InputError(f"{side} {i + 1} has {what}; no such puzzle here")
    return [mark or 0 for mark in marks]


def givens(values: Sequence[Value], columns: int, *, untold: bool = False) -> Grid:
    """Rows of numbers, 0 where a cell is blank.

    Raises:
        InputError: for a 0, and for an unknown number unless ``untold``, naming its cell.
    """
    for wrong, what in ((UNKNOWN, "a number of unknown value"), (0, "the number 0")):
        if wrong in values and not (wrong == UNKNOWN and untold):
            r, c = divmod(list(values).index(wrong), columns)
            raise InputError(f"row {r + 1} column {c + 1} has {what}; no such puzzle here")
    return in_rows([value or 0 for value in values], columns)


def in_rows(values: list[Any], columns: int) -> list[list[Any]]:
    """The same values in rows."""
    return [values[i : i + columns] for i in range(0, len(values), columns)]


def known(values: Sequence[Value]) -> list[Value]:
    """Clues without those of unknown value, where these say nothing."""
    return [None if value == UNKNOWN else value for value in values]


def blanks(grid: Any) -> list[Value]:
    """The numbers of a grid row by row, None for 0: what ``givens`` reads."""
    return [number or None for number in np.asarray(grid).ravel().tolist()]


# --- heyawake --------------------------------------------------------------------------


def rooms_between(right: str, down: str, shape: tuple[int, int]) -> IntArray:
    """Rooms, numbered by their first cells, from walls right of and below cells.

    Raises:
        InputError: for a wall with the same room on both sides.
    """
    rows, columns = shape
    across, below = _bits(right, (rows, columns - 1)), _bits(down, (rows - 1, columns))
    room = pieces(~across, ~below)
    loose = (
        (across & (room[:, 1:] == room[:, :-1]), (0, 1)),
        (below & (room[1:] == room[:-1]), (1, 0)),
    )
    for walls_within, (i, j) in loose:
        for r, c in np.argwhere(walls_within)[:1].tolist():
            places = f"row {r + 1} column {c + 1} and row {r + i + 1} column {c + j + 1}"
            raise InputError(f"the wall between {places} divides no rooms; no such puzzle here")
    return room


def _bits(text: str, shape: tuple[int, int]) -> NDArray[np.bool_]:
    bits = np.frombuffer(text.encode(), dtype=np.uint8)
    return np.equal(bits, ord("1")).reshape(shape)


def walls(rooms: IntArray) -> tuple[str, str]:
    """0 and 1 between the cells of each row, and between each row and the next."""
    right = rooms[:, 1:] != rooms[:, :-1]
    down = rooms[1:] != rooms[:-1]
    return _text(right), _text(down)


def in_order(puzzle: Heyawake) -> tuple[IntArray, list[Value]]:
    """Its rooms numbered by their first cells, and their clues in that order."""
    _, first, room = np.unique(puzzle.rooms, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rooms = np.argsort(order)[room.reshape(puzzle.rooms.shape)]
    return rooms, [puzzle.clues[old] for old in order.tolist()]


def _text(bits: Any) -> str:
    return bytes(np.where(bits, ord("1"), ord("0")).astype(np.uint8).ravel()).decode()


# --- the others ------------------------------------------------------------------------


def clues(lines: Sequence[Sequence[Value]], name: str) -> list[list[int]]:
    """The clues of a nonogram without blanks; a line without numbers is an empty one.

    Raises:
        InputError: for a 0 or an unknown number, naming its line.
    """
    for i, line in enumerate(lines):
        if UNKNOWN in line or 0 in line:
            what = "a number of unknown value" if UNKNOWN in line else "the number 0"
            raise InputError(f"{name} {i + 1} has {what}; no such puzzle here")
    return [[number for number in line if number] for line in lines]


def room_for_clue(length: int) -> int:
    """Most numbers of a line so long; as many have a place beside it."""
    return (length + 1) // 2


def pid_of(puzzle: Puzzle) -> str:
    """The player's name of a puzzle.

    ``numlin`` leaves cells unused; ``arukone`` is the same with every cell used.

    Raises:
        InputError: for a kind of puzzle, or boxes of a sudoku, that have no place here, and
            for more numbers than arukone has letters.
    """
    if isinstance(puzzle, Numberlink):
        most = max(map(max, puzzle.grid))
        if puzzle.cover and most > LETTER_LIMIT:
            raise InputError(
                f"every cell is used, so it is an arukone, which has letters 1 to {LETTER_LIMIT}, "
                f"not {most}"
            )
        return "arukone" if puzzle.cover else "numlin"
    if isinstance(puzzle, Sudoku):
        _check_box(puzzle)
    for pid, known_class in PIDS.items():
        if type(puzzle) is known_class:
            return pid
    raise InputError(f"{puzzle.name} has no form here; {', '.join(PUZZLES)} do")


def _check_box(puzzle: Sudoku) -> None:
    """Boards tell no boxes: they are the squarest, lying rather than standing."""
    n = len(puzzle.grid)
    lines = puzzle.box[0] == 1 < n  # which no player takes for boxes
    if lines or puzzle.box != squarest_box(n):
        raise InputError(f"its boxes of {puzzle.box[0]} x {puzzle.box[1]} have no place here")


@contextmanager
def naming(puzzle: Puzzle) -> Iterator[None]:
    """Put the puzzle's id before what is wrong with it."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{puzzle.id[:60] or puzzle.name}: {error}") from None
