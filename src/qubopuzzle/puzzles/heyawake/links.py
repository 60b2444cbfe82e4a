"""Heyawake in the players, and as lines of cells: rooms by letters, and their clues."""

import re
from string import ascii_letters
from typing import Any

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.kinds.grids import components
from qubopuzzle.puzzles.links import BLANKS, Board, Lines, Link, Rows, rooms, shading

_NAME = re.compile("([A-Za-z]{1,8})([0-9]{1,6})?|[0-9]{1,6}")
_CLUE = re.compile("[0-9]{1,6}")


def _tables(tables: list[Rows]) -> tuple[Rows, Rows]:
    """The table of rooms, which is full, and that of clues, which may be its halves or not there.

    The rooms are the second of two that are full.
    """
    if len(tables) == 1 and len(tables[0]) % 2 == 0 and not _is_full(tables[0]):
        half = len(tables[0]) // 2
        tables = [tables[0][:half], tables[0][half:]]
    if len(tables) == 2 and _is_full(tables[0]) and not _is_full(tables[1]):
        tables = tables[::-1]
    rows = tables[-1]
    return rows, tables[0] if len(tables) == 2 else [["."] * len(row) for row in rows]


def _is_full(rows: Rows) -> bool:
    return not any(word in BLANKS for row in rows for word in row)


def _read_lines(tables: list[Rows]) -> Board:
    """Cells of a room have its name, in which its clue may follow; the same names may be elsewhere.

    A clue stands in any cell of its room.
    """
    named, clued = _tables(tables)
    clue_of: dict[int, int] = {}
    names = [[_name(word, r, c) for c, word in enumerate(row)] for r, row in enumerate(named)]
    found = _components(names)
    for r, row in enumerate(clued):
        for c, word in enumerate(row):
            clue = (_NAME.fullmatch(named[r][c]) or [""] * 3)[2] or word
            if clue in BLANKS:
                continue
            if not _CLUE.fullmatch(clue):
                raise InputError(f"row {r + 1} column {c + 1}: {clue[:20]!r} is no clue of a room")
            room, number = int(found[r, c]), int(clue)
            if clue_of.setdefault(room, number) != number:
                raise InputError(f"a room has two clues, {clue_of[room]} and {number}")
    return {"rooms": found, "clues": [clue_of.get(room) for room in range(int(found.max()) + 1)]}


def _name(word: str, r: int, c: int) -> str:
    """The name of a room in a cell, without a clue."""
    match = _NAME.fullmatch(word)
    if match is None:
        raise InputError(f"row {r + 1} column {c + 1}: {word[:20]!r} is no name of a room")
    return match[1] or word


def _components(names: Rows) -> IntArray:
    """The rooms, numbered by their first cells."""
    _, room = np.unique(np.array(names), return_inverse=True)
    room = room.reshape(len(names), -1)
    return components(room[:, 1:] == room[:, :-1], room[1:] == room[:-1])


def _write_lines(puzzle: Any) -> list[Rows]:
    """Clues in the first cells of their rooms, then the rooms, by letters if there are enough."""
    few = len(puzzle.clues) <= len(ascii_letters)
    names = np.array([*ascii_letters] if few else [*map(str, range(1, len(puzzle.clues) + 1))])
    clues = np.full(puzzle.rooms.size, ".", dtype=object)
    first = np.unique(puzzle.rooms, return_index=True)[1]
    clues[first] = ["." if clue is None else str(clue) for clue in puzzle.clues]
    return [clues.reshape(puzzle.shape).tolist(), names[puzzle.rooms].tolist()]


def _are_rooms(tables: list[Rows]) -> bool:
    """Whether names and clues are apart; or there are but letters, mostly beside their like."""
    named, clued = _tables(tables)
    if clued is tables[0] or len(named) < len(tables[0]):
        full = all(_NAME.fullmatch(word) for row in named for word in row)
        clues = (word for row in clued for word in row if word not in BLANKS)
        return full and all(map(_CLUE.fullmatch, clues))
    words = [word for row in named for word in row]
    letters = all(word[0].isalpha() and _NAME.fullmatch(word) for word in words)
    names = [[_name(word, 0, 0) for word in row] for row in named] if letters else []
    return letters and 2 * (int(_components(names).max()) + 1) <= len(words)


LINKS = (
    Link("heyawake", body=[rooms], file=[rooms, shading], version="pzprv3.1"),
    Lines(_read_lines, _write_lines, tells=_are_rooms, tables=2),
)
