"""Puzzles as games of Simon Tatham's collection: ids ``PARAMETERS:DESCRIPTION``.

A puzzle's class has its game among its ``links``, and is then read and written by the format
``tatham``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from string import ascii_lowercase
from typing import Any

from qubopuzzle.errors import InputError
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.links import Board, with_blanks


@dataclass(frozen=True)
class Game:
    """A game of the collection.

    Attributes:
        name: of the game there.
        read: the native JSON object of a description and the two sizes of its parameters, as
            they are written, width first as a rule; InputError naming the place.
        write: the id of a puzzle; InputError for what it cannot hold.
        suffix: a regular expression for what may follow the sizes; it says how an id was made.
        variants: names of variants that are refused, by their letter in the suffix.
        signs: characters that only descriptions of this game have.
        solved: the id of a puzzle with an answer on its board, where ids have a place for it.
    """

    name: str
    read: Callable[[str, int, int], Board]
    write: Callable[[Any], str]
    suffix: str = ""
    variants: Mapping[str, str] = field(default_factory=dict)
    signs: str = ""
    solved: Callable[[Any, IntArray], str] | None = None


def read_runs(body: str, rows: int, columns: int, most: int) -> list[list[int]]:
    """Rows of numbers, 0 for a blank; InputError naming the character.

    In the text are numbers 1 to ``most`` with ``_`` between, and ``a`` to ``z`` for 1 to 26 blanks.

    >>> read_runs("1_2b", 2, 2, 2)
    [[1, 2], [0, 0]]
    """
    cells: list[int] = []
    for match in re.finditer("[0-9]+|.", body, re.DOTALL):
        place, word = match.start() + 1, match[0]
        if word[0] in "0123456789":
            number = int(word) if len(word) < 10 else 0
            if not 1 <= number <= most:
                raise InputError(f"character {place}: {word[:20]} is not in 1 .. {most}")
            cells.append(number)
        elif "a" <= word <= "z":
            cells += [0] * (ord(word) - ord("a") + 1)
        elif word != "_":
            raise InputError(f"character {place}: {word!r} is no number, blank or _")
        if len(cells) > rows * columns:
            raise InputError(f"character {place} is beyond {rows} x {columns} cells")
    if len(cells) != rows * columns:
        raise InputError(f"{len(cells)} cells, but {rows} x {columns} are needed")
    return [cells[start : start + columns] for start in range(0, len(cells), columns)]


def write_runs(numbers: Iterable[int]) -> str:
    """The inverse of ``read_runs``, row by row.

    >>> write_runs([1, 2, 0, 0])
    '1_2b'
    """
    text = "_".join(str(number or " ") for number in numbers)
    return with_blanks(text.replace("_ ", " ").replace(" _", " "), ascii_lowercase)
