"""What formats of lines share."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from qubopuzzle.errors import at
from qubopuzzle.puzzles import Puzzle


def lines_of(text: str) -> list[str]:
    """The lines of a text, whichever of the three ends they have."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def read_lines(text: str, read: Callable[[str], Iterable[Puzzle]]) -> list[Puzzle]:
    """The puzzles of each line that is not blank.

    Raises:
        InputError: naming the line.
    """
    puzzles: list[Puzzle] = []
    for number, line in enumerate(lines_of(text), start=1):
        if line.strip():
            with at(f"line {number}"):
                puzzles += read(line.strip())
    return puzzles
