"""How much one text may hold: a short one may stand for many boards, or for large ones."""

from __future__ import annotations

from dataclasses import dataclass

from qubopuzzle.errors import InputError

CELL_LIMIT = 250_000
"""Most cells of all boards of a text."""
LEAST_CELLS = 100
"""What a small board counts for, as each costs some time; so there are at most 2,500."""


@dataclass
class Allowance:
    """What has been read of a text; to be asked before a board is made."""

    used: int = 0

    def spend(self, cells: int) -> None:
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
