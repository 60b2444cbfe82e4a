"""What readers share: the lines of a text, and how much a text may hold.

A short text may stand for many boards, or for large ones, and is perhaps nothing but line ends.
"""

import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from qubopuzzle.errors import InputError, at

T = TypeVar("T")
Found = TypeVar("Found")

LINES_LIMIT = 2_000_000
"""Most lines of a text that is read line by line."""
CELL_LIMIT = 250_000
"""Most cells of a board, and of all boards of a text."""
SIDE_LIMIT = 10_000
"""Most rows or columns of a board."""
LEAST_CELLS = 100
"""What a small board counts for, as each costs some time; so there are at most 2,500."""

Line = tuple[int, str]
"""A line's number in the text, from 1, and what it says without spaces around."""


@dataclass
class ReadLimit:
    """The cells that have been read of a text; to be asked before a board is made."""

    used: int = 0

    def count(self, cells: int) -> None:
        """Count one more board; InputError if it is one too many."""
        self.used += max(cells, LEAST_CELLS)
        if self.used > CELL_LIMIT:
            raise InputError(
                f"over {CELL_LIMIT:,} cells in all, a board counting for {LEAST_CELLS} at least; "
                "divide the text"
            )


def lines_of(text: str) -> Iterator[Line]:
    r"""The lines of a text one by one, whichever of the three ends they have.

    Raises:
        InputError: for one line too many, when it is reached.

    >>> list(lines_of("a\r\n\r b"))
    [(1, 'a'), (2, ''), (3, 'b')]
    """
    lines = io.StringIO(text + "\n", newline=None)
    yield from enumerate(map(str.strip, islice(lines, LINES_LIMIT)), start=1)
    if lines.read(1):
        raise InputError(f"over {LINES_LIMIT:,} lines; divide the text")


def head_of(text: str) -> Iterator[Line]:
    """The first lines, all that is looked at to tell a format."""
    return islice(lines_of(text[: 2**20]), 10_000)


def said(lines: Iterable[Line]) -> Iterator[Line]:
    """Lines that are neither blank nor a comment, which begins with ``#``."""
    return (line for line in lines if line[1] and line[1][0] != "#")


def first_said(text: str) -> str:
    """The first line that says something; nothing if there is none."""
    return next(said(head_of(text)), (0, ""))[1]


def read_boards(
    boards: Iterable[tuple[str, T]], read: Callable[[T, ReadLimit], Iterable[Found]]
) -> list[Found]:
    """What is read of the boards of a text, each given with its place, which errors name.

    Raises:
        InputError: for one board too many, before any is read; for one cell too many.
    """
    most = CELL_LIMIT // LEAST_CELLS
    given = [*islice(boards, most + 1)]
    if len(given) > most:
        raise InputError(f"{given[most][0]}: over {most:,} boards; divide the text")
    results: list[Found] = []
    limit = ReadLimit()
    for place, board in given:
        with at(place):
            results += read(board, limit)
    return results


def said_lines(text: str) -> Iterator[tuple[str, str]]:
    """The place and the text of each line that says something, for ``read_boards``."""
    return ((f"line {number}", line) for number, line in said(lines_of(text)))
