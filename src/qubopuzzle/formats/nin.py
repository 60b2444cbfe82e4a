"""``.nin`` (Wilk): a line with width and height, then a line a clue: rows, columns; 0 is empty."""

from __future__ import annotations

from collections.abc import Sequence

from qubopuzzle.formats._clues import PlainLayout
from qubopuzzle.puzzles import Puzzle

NAME = "nin"
ABOUT = "nonogram solver of Jakub Wilk: width and height, rows, columns"
PUZZLES = ("nonogram",)

_LAYOUT = PlainLayout(NAME, head=(("width", "height"),), divider=None)


def sniff(text: str) -> bool:
    """Whether the whole text is numbers in this shape, as many lines as the sizes say."""
    return _LAYOUT.sniff(text)


def read(text: str, puzzle: str | None = None) -> list[Puzzle]:
    """Read the one puzzle of a file.

    Raises:
        InputError: naming the line.
    """
    return _LAYOUT.read(text, puzzle)


def write(puzzles: Sequence[Puzzle]) -> str:
    """The text of one nonogram; the format holds its clues and nothing else.

    Raises:
        InputError: naming the puzzle, for other kinds and for more than one puzzle.
    """
    return _LAYOUT.write(puzzles)
