"""The rows of board files, and what their words say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from qubopuzzle.errors import InputError
from qubopuzzle.files.puzzles._number16 import UNKNOWN, Value

HEADER = re.compile(r"pzprv3(\.[0-9]{1,3})?(?![\w.])")
"""How a board begins."""
WHOLE = re.compile("[0-9]{1,9}")
_NOTES = re.compile("TrialData|history:|info:|__HISTORY__")


@dataclass
class Board:
    """The rows of a board, read from the top."""

    rows: list[str]
    first: int
    """Number of its first line."""
    strokes: bool
    """Whether strokes divide its rows; lines do otherwise."""
    at: int = 0

    def place(self) -> str:
        """The row that was read last, for an error."""
        row = max(self.at, 1)
        return f"line {self.first} part {row}" if self.strokes else f"line {self.first + row - 1}"

    def row(self) -> str:
        """The next row."""
        self.at += 1
        if self.at > len(self.rows):
            raise InputError("the board ends too early")
        return self.rows[self.at - 1].strip()

    def grid(self, rows: int, columns: int) -> list[str]:
        """The words of so many rows of the same length, one row after the other."""
        words: list[str] = []
        for _ in range(rows):
            row = self.row().split()
            if len(row) != columns:
                raise InputError(f"{len(row)} cells where there should be {columns}")
            words += row
        return words

    def numbers(self, rows: int, columns: int, letters: Sequence[str] = ()) -> list[Value]:
        """The clues of so many rows."""
        known: dict[str, Value] = {".": None, "-": UNKNOWN}
        known |= {letter: i for i, letter in enumerate(letters, start=1)}
        return [known[word] if word in known else whole(word) for word in self.grid(rows, columns)]

    def answer(self, rows: int, columns: int) -> list[str] | None:
        """The words of an answer, or None where the file has none."""
        rest = self.rows[self.at :]
        if not any(row.strip() for row in rest) and columns:
            return None
        if not rest or _NOTES.match(rest[0]):
            return None
        return self.grid(rows, columns)


def boards(text: str) -> Iterator[Board]:
    """The boards of a text; each begins on a line of its own."""
    lines = re.split(r"\r\n|\r|\n", text)
    starts = [i for i, line in enumerate(lines) if HEADER.match(line.lstrip())]
    if not starts or any(line.strip() for line in lines[: starts[0]]):
        raise InputError("line 1: expected pzprv3")
    for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True):
        strokes = "/" in lines[start]
        rows = lines[start:stop]
        if strokes:
            rows = "".join(row if row.endswith("/") else f"{row}/" for row in rows).split("/")
        yield Board(rows, start + 1, strokes)


def whole(word: str) -> int:
    """A whole number; InputError if it is none."""
    if not WHOLE.fullmatch(word):
        raise InputError(f"{word[:20]!r} is no clue")
    return int(word)
