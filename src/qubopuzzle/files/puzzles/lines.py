"""What formats of lines share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from qubopuzzle.errors import at
from qubopuzzle.puzzles import Puzzle

LINE_END = re.compile(r"\r\n|\r|\n")


def read_lines(text: str, read: Callable[[str], Iterable[Puzzle]]) -> list[Puzzle]:
    """The puzzles of each line that is not blank.

    Raises:
        InputError: naming the line.
    """
    puzzles: list[Puzzle] = []
    for number, line in enumerate(LINE_END.split(text), start=1):
        if line.strip():
            with at(f"line {number}"):
                puzzles += read(line.strip())
    return puzzles
