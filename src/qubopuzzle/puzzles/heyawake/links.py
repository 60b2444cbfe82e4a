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
    """The table of rooms and that of clues, which may be halves of a table with blanks.

    The rooms are the second of two that could be clues, and the only table where there is one.
    """
    if len(tables) == 1 and len(tables[0]) % 2 == 0 and _has_blanks(tables[0]):
        half = len(tables[0]) // 2
        tables = [tables[0][:half], tables[0][half:]]
    if len(tables) == 1:
        return tables[0], [["."] * len(row) for row in tables[0]]
    swapped = not _are_clues(tables[0]) or (_has_blanks(tables[1]) and _are_clues(tables[1]))
    return (tables[0], tables[1]) if swapped else (tables[1], tables[0])


def _has_blanks(rows: Rows) -> bool:
    return any(word in BLANKS for row in rows for word in row)


def _are_clues(rows: Rows) -> bool:
    return all(word in BLANKS or _CLUE.fullmatch(word) for row in rows for word in row)


def _read_lines(tables: list[Rows]) -> Board:
    """Cells of a room have its name; other rooms may have the same if they are elsewhere.

    Where there is but one table, names are letters or numbers, and a clue may follow on letters.
    A clue stands in any cell of its room.
    """
    named, clued = _tables(tables)
    clue_of: dict[int, int] = {}
    names = named
    if len(tables) == 1 and named is tables[0]:
        names = [[_name(word, r, c) for c, word in enumerate(row)] for r, row in enumerate(named)]
    found = _components(names)
    for r, row in enumerate(clued):
        for c, word in enumerate(row):
            clue = named[r][c][len(names[r][c]) :] or word
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
    if len(tables) > 1:
        return _are_clues(clued)
    if len(named) < len(tables[0]):
        return _are_clues(clued) and not _has_blanks(named)
    words = [word for row in named for word in row]
    letters = all(word[0].isalpha() and _NAME.fullmatch(word) for word in words)
    names = [[_name(word, 0, 0) for word in row] for row in named] if letters else []
    return letters and 2 * (int(_components(names).max()) + 1) <= len(words)


LINKS = (
    Link("heyawake", body=[rooms], file=[rooms, shading], version="pzprv3.1"),
    Lines(_read_lines, _write_lines, tells=_are_rooms, tables=2),
)
