"""``.mk`` (Olsak): a line with height and width, the rows, a line ``#``, the columns."""

from __future__ import annotations

from collections.abc import Sequence

from qubopuzzle.formats._clues import PlainLayout
from qubopuzzle.puzzles import Puzzle

NAME = "mk"
ABOUT = "nonogram solver of Olsak: height and width, rows, #, columns"
PUZZLES = ("nonogram",)

_LAYOUT = PlainLayout(NAME, head=(("height", "width"),), divider="#")


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
