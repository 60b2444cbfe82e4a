"""Answers of black and white cells, and the rules that heyawake, hitori and kurodoko share.

No two black cells touch by a side, and the white cells hang together by their sides.
Nothing here knows of models; those are built in ``_forest``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeAlias

import numpy as np
from scipy.ndimage import label

from qubopuzzle.model import IntArray
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles.base import Puzzle, Violation, check_shape
from qubopuzzle.puzzles.kinds.cells import groups, shading_to_rows
from qubopuzzle.puzzles.kinds.grids import SIDE_LIMIT, check_values, read_grid, read_shading

Cell: TypeAlias = tuple[int, ...]
Cells: TypeAlias = tuple[Cell, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Painting(Puzzle):
    """A puzzle whose answer is 1 where a cell is black and 0 where it is white."""

    def parse_answer(self, data: Any) -> IntArray:
        """Read lines of ``#`` and ``.``, or rows of 0 and 1."""
        answer = read_shading("solution", data)
        check_shape(answer, self.shape)
        return answer

    def format_answer(self, answer: IntArray) -> list[str]:
        """Lines of ``#`` and ``.``."""
        return shading_to_rows(answer)


@dataclass(frozen=True, kw_only=True, eq=False)
class ShadingPuzzle(Painting):
    """A painting under the two rules, and others.

    Its fields may be arrays; subclasses are dataclasses with ``eq=False`` and compared here.
    """

    default_formulation: ClassVar[str] = "forest"
    lazy_formulation: ClassVar[str] = "lazy"

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

    def violations(self, answer: IntArray) -> list[Violation]:
        """Black cells that touch, white cells cut off, and what the clues say."""
        check_shape(answer, self.shape)
        check_values(answer, 0, 1)
        return [*_touching(answer), *_cut_off(answer), *self.broken_clues(answer)]

    @abstractmethod
    def broken_clues(self, answer: IntArray) -> list[Violation]:
        """Violations of the rules that this puzzle has to itself."""


UNTOLD = -1
"""A number that is there, but not told; ``?`` in JSON and pictures."""


@dataclass(frozen=True, eq=False)
class NumberGrid(ShadingPuzzle):
    """A shading puzzle with numbers in its cells, 0 where there is none."""

    circled: ClassVar[bool] = False
    """Whether the picture has them in circles."""
    least: ClassVar[int] = 0
    """The least number that may stand in the grid: ``UNTOLD`` where that says something."""

    grid: IntArray

    def __post_init__(self) -> None:
        super().__post_init__()
        told = _read_untold(self.grid) if self.least == UNTOLD else self.grid
        object.__setattr__(self, "grid", read_grid("grid", told, self.least, SIDE_LIMIT**2))
        self.check_numbers()
        self.check_solution()

    def check_numbers(self) -> None:
        """Raise PuzzleError for a number that the puzzle cannot have."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the grid."""
        rows, columns = self.grid.shape
        return rows, columns

    def picture(
        self, answer: IntArray | None = None, broken: Iterable[tuple[int, ...]] = ()
    ) -> Picture:
        """The numbers in their cells, or in circles."""
        places = np.argwhere(self.grid).tolist()
        numbers: dict[Cell, str] = {(r, c): str(_shown(self.grid[r, c])) for r, c in places}
        return Picture(
            *self.shape,
            black=answer,
            words=numbers,
            given=frozenset(numbers),
            circled=frozenset(numbers if self.circled else ()),
            broken=frozenset(broken),
        )

    def to_dict(self) -> dict[str, Any]:
        """The native JSON object; cells without a number are null."""
        grid = [[_shown(number) or None for number in row] for row in self.grid.tolist()]
        return {**super().to_dict(), "grid": grid}


def _read_untold(grid: Any) -> Any:
    if not isinstance(grid, list | tuple):
        return grid
    return [
        [UNTOLD if isinstance(value, str) and value == "?" else value for value in row]
        if isinstance(row, list | tuple) and "?" in row
        else row
        for row in grid
    ]


def _shown(number: int) -> int | str:
    return "?" if number == UNTOLD else number


def _touching(answer: IntArray) -> list[Violation]:
    """One violation for each group of black cells that touch."""
    return [
        Violation("adjacent", f"black cells touch: {_names(cells)}", cells)
        for cells in _pieces(answer)
        if len(cells) > 1
    ]


def _cut_off(answer: IntArray) -> list[Violation]:
    """One violation for each piece of white but the largest."""
    pieces = _pieces(answer == 0)
    largest = max(pieces, key=len, default=())
    return [
        Violation("connected", f"white cells are cut off: {_names(cells)}", cells)
        for cells in pieces
        if cells is not largest
    ]


def _pieces(where: Any) -> list[Cells]:
    """The cells of each piece that hangs together by sides."""
    return [cells_of(group, where.shape[1]) for group in groups(label(where)[0])[1:]]


def cells_of(numbers: IntArray, columns: int) -> Cells:
    """Row and column of cells by row-major number."""
    return tuple(divmod(number, columns) for number in numbers.tolist())


def _names(cells: Cells) -> str:
    """Cells for a message, the first few."""
    shown = " ".join(f"({r},{c})" for r, c in cells[:6])
    return shown if len(cells) <= 6 else f"{shown} ... ({len(cells)} cells)"
