"""Heyawake in the players, and as lines of cells: rooms by letters, and their clues."""

import re
from string import ascii_letters
from typing import Any

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.puzzles import links, penpa
from qubopuzzle.puzzles.links import BLANKS, ZERO, Board, Lines, Link, Rows
from qubopuzzle.puzzles.vocabulary.grids import regions

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
    names = named
    if len(tables) == 1 and named is tables[0]:
        names = [[_name(word, r, c) for c, word in enumerate(row)] for r, row in enumerate(named)]
    rooms = regions(np.array(names))
    shown = np.zeros_like(rooms)
    for r, row in enumerate(clued):
        for c, word in enumerate(row):
            clue = named[r][c][len(names[r][c]) :] or word
            if clue not in BLANKS:
                if not _CLUE.fullmatch(clue):
                    place = f"row {r + 1} column {c + 1}"
                    raise InputError(f"{place}: {clue[:20]!r} is no clue of a room")
                shown[r, c] = int(clue) or ZERO
    return {"rooms": rooms, "clues": links.room_clues(rooms, shown)}


def _name(word: str, r: int, c: int) -> str:
    """The name of a room in a cell, without a clue."""
    match = _NAME.fullmatch(word)
    if match is None:
        raise InputError(f"row {r + 1} column {c + 1}: {word[:20]!r} is no name of a room")
    return match[1] or word


def _write_lines(puzzle: Any) -> list[Rows]:
    """Clues in the first cells of their rooms, then the rooms, by letters if there are enough."""
    few = len(puzzle.clues) <= len(ascii_letters)
    names = np.array([*ascii_letters] if few else [*map(str, range(1, len(puzzle.clues) + 1))])
    shown = links.show_clues(puzzle.rooms, puzzle.clues).tolist()
    words = {0: ".", ZERO: "0"}
    clues = [[words.get(number, str(number)) for number in row] for row in shown]
    return [clues, names[puzzle.rooms].tolist()]


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
    return letters and 2 * (int(regions(np.array(names)).max()) + 1) <= len(words)


LINKS = (
    Link(
        "heyawake",
        body=[links.rooms_with_clues],
        file=[links.rooms_with_clues, links.shading],
        version="pzprv3.1",
    ),
    penpa.Penpa(("heyawake",), [links.rooms_with_clues, links.shading]),
    Lines(_read_lines, _write_lines, tells=_are_rooms, tables=2),
)
