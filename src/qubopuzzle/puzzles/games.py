"""Puzzles as games of Simon Tatham's collection: ids ``PARAMETERS:DESCRIPTION``.

A puzzle's class has its game among its ``links``, and is then read and written by the format
``tatham``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.links import Board


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
    """Numbers 1 to ``most``, ``a`` to ``z`` for 1 to 26 blanks, ``_`` between two numbers.

    Returns:
        Rows of numbers, 0 for a blank.

    Raises:
        InputError: naming the character.

    >>> read_runs("1_2b", 2, 2, 2)
    [[1, 2], [0, 0]]
    """
    cells: list[int] = []
    end = 0
    for match in re.finditer(r"[0-9]+|[a-z]|_", body):
        if match.start() != end:
            break
        end, word = match.end(), match[0]
        if word.isdigit():
            number = int(word) if len(word) < 10 else 0
            if not 1 <= number <= most:
                raise InputError(
                    f"character {match.start() + 1}: {word[:20]} is not in 1 .. {most}"
                )
            cells.append(number)
        elif word != "_":
            cells += [0] * (ord(word) - ord("a") + 1)
        if len(cells) > rows * columns:
            raise InputError(f"character {match.start() + 1} is beyond {rows} x {columns} cells")
    if end != len(body):
        raise InputError(f"character {end + 1}: {body[end]!r} is no number, blank or _")
    if len(cells) != rows * columns:
        raise InputError(f"{len(cells)} cells, but {rows} x {columns} are needed")
    return np.reshape(cells, (rows, columns)).tolist()


def write_runs(numbers: Iterable[int]) -> str:
    """The inverse of ``read_runs``, row by row.

    >>> write_runs([1, 2, 0, 0])
    '1_2b'
    """
    words: list[str] = []
    for blank, run in groupby(numbers, key=lambda number: not number):
        if blank:
            full, rest = divmod(len(list(run)), 26)
            words.append("z" * full + "abcdefghijklmnopqrstuvwxy"[rest - 1 : rest])
        else:
            words.append("_".join(map(str, run)))
    return "".join(words)
