"""What readers share: the lines of a text, and how much a text may hold.

A short text may stand for many boards, or for large ones.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from qubopuzzle.errors import InputError, at
from qubopuzzle.puzzles import Puzzle

CELL_LIMIT = 250_000
"""Most cells of a board, and of all boards of a text."""
SIDE_LIMIT = 10_000
"""Most rows or columns of a board."""
LEAST_CELLS = 100
"""What a small board counts for, as each costs some time; so there are at most 2,500."""


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


def lines_of(text: str) -> list[str]:
    """The lines of a text, whichever of the three ends they have."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def read_lines(text: str, read: Callable[[str, ReadLimit], Iterable[Puzzle]]) -> list[Puzzle]:
    """The puzzles of each line that is not blank; InputError naming the line."""
    puzzles: list[Puzzle] = []
    limit = ReadLimit()
    for number, line in enumerate(lines_of(text), start=1):
        if line.strip():
            with at(f"line {number}"):
                puzzles += read(line.strip(), limit)
    return puzzles
