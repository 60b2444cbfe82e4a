"""How much one text may hold: a short one may stand for many boards, or for large ones."""

from __future__ import annotations

import re
from dataclasses import dataclass

from qubopuzzle.errors import InputError

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
        """Count one more board.

        Raises:
            InputError: if it is one too many.
        """
        self.used += max(cells, LEAST_CELLS)
        if self.used > CELL_LIMIT:
            raise InputError(
                f"over {CELL_LIMIT:,} cells in all, a board counting for {LEAST_CELLS} at least; "
                "divide the text"
            )

    def shape(self, name: str, columns: str, rows: str) -> tuple[int, int]:
        """Rows and columns of one more board from their text.

        Raises:
            InputError: for what is no size, or too large.
        """
        for side, text in (("columns", columns), ("rows", rows)):
            if not re.fullmatch("[0-9]{1,9}", text) or int(text) == 0:
                raise InputError(f"{name}: {text[:20]!r} is no number of {side}")
        shape = int(rows), int(columns)
        cells = shape[0] * shape[1]
        if cells > CELL_LIMIT or max(shape) > SIDE_LIMIT:
            raise InputError(
                f"{name} of {columns} columns and {rows} rows: too large; the limits are "
                f"{CELL_LIMIT:,} cells and {SIDE_LIMIT:,} a side"
            )
        self.count(cells)
        return shape
