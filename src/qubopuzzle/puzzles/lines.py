"""Boards as lines of cells, as people type them: those of a puzzle's ``links`` for ``text``."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from string import ascii_letters, ascii_uppercase, digits
from typing import Any, TypeAlias

import numpy as np

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import InputError
from qubopuzzle.puzzles.links import ZERO, Board, room_clues, show_clues
from qubopuzzle.puzzles.vocabulary.grids import NUMBER_LIMIT, letter_values, regions

Rows: TypeAlias = list[list[str]]
BLANKS = frozenset(".-_*+")
"""Words for a cell with nothing in it."""


@dataclass(frozen=True)
class Lines:
    """A puzzle as lines of cells, each a word or a character; of several tables all of one shape.

    Attributes:
        read: the native JSON object of its tables; InputError for what is none.
        write: the tables of a puzzle.
        tells: whether such tables are of no other puzzle.
        tables: the most tables of a board.
    """

    read: Callable[[list[Rows]], Board]
    write: Callable[[Any], list[Rows]]
    tells: Callable[[list[Rows]], bool]
    tables: int = 1


def read_cells(tables: list[Rows]) -> Board:
    """``grid`` of numbers; from A for 10 on they may be letters.

    >>> read_cells([[["1", "."], ["?", "A"]]])
    {'grid': [[1, None], ['?', 10]]}
    """
    letters = letter_values("")
    return {"grid": [[_number(word, letters) for word in row] for row in tables[0]]}


def write_cells(grid: Iterable[Iterable[Any]]) -> list[Rows]:
    """The inverse of ``read_cells``, of numbers and None."""
    return [[["." if cell is None else str(cell) for cell in row] for row in grid]]


def _number(word: str, letters: Mapping[str, int]) -> Any:
    """What a word stands for; the word itself, which puzzles refuse, if it is no number."""
    if word in BLANKS:
        return None
    if word.isascii() and word.isdecimal():
        return int(word[:10])
    return letters.get(word, word)


_ROOM = re.compile("([A-Za-z]{1,8})([0-9]{1,6})?|[0-9]{1,6}")
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


def _read_rooms(tables: list[Rows]) -> Board:
    """Cells of a room have its name; other rooms may have the same if they are elsewhere.

    Where there is but one table, names are letters or numbers, and a clue may follow on letters.
    A clue stands in any cell of its room.
    """
    named, clued = _tables(tables)
    names = named
    if len(tables) == 1 and named is tables[0]:
        names = [[_room(word, r, c) for c, word in enumerate(row)] for r, row in enumerate(named)]
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
    return {"rooms": rooms, "clues": room_clues(rooms, shown)}


def _room(word: str, r: int, c: int) -> str:
    """The name of a room in a cell, without a clue."""
    match = _ROOM.fullmatch(word)
    if match is None:
        raise InputError(f"row {r + 1} column {c + 1}: {word[:20]!r} is no name of a room")
    return match[1] or word


def _write_rooms(puzzle: Any) -> list[Rows]:
    """Clues in the first cells of their rooms, then the rooms, by letters if there are enough."""
    few = len(puzzle.clues) <= len(ascii_letters)
    names = np.array([*ascii_letters] if few else [*map(str, range(1, len(puzzle.clues) + 1))])
    shown = show_clues(puzzle.rooms, puzzle.clues).tolist()
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
    letters = all(word[0].isalpha() and _ROOM.fullmatch(word) for word in words)
    names = [[_room(word, 0, 0) for word in row] for row in named] if letters else []
    return letters and 2 * (int(regions(np.array(names)).max()) + 1) <= len(words)


ROOM_LINES = Lines(_read_rooms, _write_rooms, tells=_are_rooms, tables=2)
"""Rooms by letters or numbers, and their ``clues``."""


def _pairs(tables: list[Rows]) -> Counter[str]:
    """How often each sign stands there that is not blank; 0 is, if nothing else is."""
    words = Counter(chain.from_iterable(tables[0]))
    blanks = BLANKS if BLANKS & words.keys() else {"0"}
    return Counter({word: count for word, count in words.items() if word not in blanks})


def _read_pairs(tables: list[Rows]) -> Board:
    """Any signs or words, each twice; those that are no number and no letter get a number."""
    signs = _pairs(tables)
    for sign, times in signs.items():
        if times != 2:
            once = "once" if times == 1 else f"{times} times"
            raise InputError(f"{brief(sign)} stands there {once}, not twice")
    numbers = {sign: int(sign[:10]) for sign in signs if sign.isdecimal() and sign.strip("0")}
    letters = letter_values(sign for sign in signs if sign in ascii_letters)
    used = {*numbers.values()}
    free = (number for number in range(62, NUMBER_LIMIT) if number not in used)  # beyond letters
    for sign in signs:
        if sign not in numbers:
            letter = letters.get(sign)
            numbers[sign] = next(free) if letter is None or letter in used else letter
    return {"grid": [[numbers.get(word) for word in row] for row in tables[0]]}


def _write_pairs(puzzle: Any) -> list[Rows]:
    """Digits and capitals, else numbers."""
    if not puzzle.cover:
        raise InputError("cells may stay unused, for which lines of cells have no word")
    names = f".{digits[1:]}{ascii_uppercase}"
    if puzzle.grid.max() >= len(names):
        return write_cells(puzzle.to_dict()["grid"])
    return [[[names[number] for number in row] for row in puzzle.grid.tolist()]]


def _are_pairs(tables: list[Rows]) -> bool:
    """Whether some cells are blank, and the others are letters or each there twice."""
    signs = _pairs(tables)
    return signs.total() < sum(map(len, tables[0])) and (
        any(sign[0].isalpha() for sign in signs) or {*signs.values()} == {2}
    )


PAIR_LINES = Lines(_read_pairs, _write_pairs, tells=_are_pairs)
"""Signs of which each stands twice in ``grid``; what is left blank is used (``cover``)."""
