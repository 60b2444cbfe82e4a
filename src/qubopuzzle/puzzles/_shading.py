"""What heyawake, hitori and kurodoko share: cells are shaded, and two rules of five words.

No two black cells touch by a side, and the white cells hang together by their sides.
Nothing here knows of models; those are built in ``_forest``.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

import numpy as np
from scipy.ndimage import label

from qubopuzzle.grid import shading_to_rows
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles._grids import check_values, read_shading
from qubopuzzle.puzzles.base import Puzzle, Violation, check_shape

Cell: TypeAlias = tuple[int, ...]
Cells: TypeAlias = tuple[Cell, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class ShadingPuzzle(Puzzle):
    """A puzzle whose answer is 1 where a cell is black and 0 where it is white.

    Its fields may be arrays; subclasses are dataclasses with ``eq=False`` and compared here.
    """

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self._compared() == other._compared()

    def __hash__(self) -> int:
        return hash(self._compared())

    def _compared(self) -> tuple[Any, ...]:
        """The fields that make the puzzle, arrays as what can be hashed."""
        values = [getattr(self, f.name) for f in fields(self) if f.compare]
        return tuple((v.shape, v.tobytes()) if isinstance(v, np.ndarray) else v for v in values)

    def parse_answer(self, data: Any) -> IntArray:
        """Read lines of ``#`` and ``.``, or rows of 0 and 1."""
        answer = read_shading("solution", data)
        check_shape(answer, self.shape)
        return answer

    def format_answer(self, answer: IntArray) -> list[str]:
        """Lines of ``#`` and ``.``."""
        return shading_to_rows(answer)

    def violations(self, answer: IntArray) -> list[Violation]:
        """Black cells that touch, white cells cut off, and what the clues say."""
        check_shape(answer, self.shape)
        check_values(answer, 0, 1)
        return [*_touching(answer), *_cut_off(answer), *self.broken_clues(answer)]

    @abstractmethod
    def broken_clues(self, answer: IntArray) -> list[Violation]:
        """Violations of the rules that this puzzle has to itself."""


def _touching(answer: IntArray) -> list[Violation]:
    """One violation for each group of black cells that touch."""
    groups, count = label(answer)
    return [
        Violation("adjacent", f"black cells touch: {_names(cells)}", cells)
        for cells in (_cells(groups == group) for group in range(1, count + 1))
        if len(cells) > 1
    ]


def _cut_off(answer: IntArray) -> list[Violation]:
    """One violation for each piece of white but the largest."""
    pieces, count = label(answer == 0)
    sizes = np.bincount(pieces.ravel(), minlength=count + 1)[1:]
    return [
        Violation("connected", f"white cells are cut off: {_names(cells)}", cells)
        for cells in (
            _cells(pieces == piece + 1) for piece in range(count) if piece != sizes.argmax()
        )
    ]


def _cells(where: Any) -> Cells:
    return tuple((int(r), int(c)) for r, c in np.argwhere(where))


def _names(cells: Cells) -> str:
    """Cells for a message, the first few."""
    shown = " ".join(f"({r},{c})" for r, c in cells[:6])
    return shown if len(cells) <= 6 else f"{shown} ... ({len(cells)} cells)"
