"""Easy as ABC: the rules, native JSON and picture."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from qubopuzzle.checks import brief
from qubopuzzle.errors import PuzzleError
from qubopuzzle.model import IntArray
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles.base import Puzzle, Violation, check_shape
from qubopuzzle.puzzles.kinds.grids import (
    check_values,
    is_list,
    letter_of,
    read_letters,
    read_whole,
)

SIZE_LIMIT = 50
"""Most rows and columns."""
SIDES = ("top", "bottom", "left", "right")

Marks = tuple[int, ...]


@dataclass(frozen=True)
class EasyAsABC(Puzzle):
    """Each letter once in every row and column; those outside are the first seen from there.

    Letters are 1 .. ``letters`` (1 is A), 0 where there is none. Clues and givens may be numbers
    or letters, None for none. Sides that are missing have no clues. ``top`` and ``bottom`` go
    from left to right, ``left`` and ``right`` downwards.

    >>> puzzle = EasyAsABC(size=2, letters=1, top=["A", None])
    >>> puzzle.violations(np.array([[1, 0], [0, 1]]))
    []

    Raises:
        PuzzleError: for more letters than fit a line, or clues and givens that are none.
    """

    name: ClassVar[str] = "easyasabc"
    default_formulation: ClassVar[str] = "forbidden"

    size: int
    letters: int
    top: Marks = ()
    bottom: Marks = ()
    left: Marks = ()
    right: Marks = ()
    grid: tuple[Marks, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        size = read_whole("size", self.size, 1, SIZE_LIMIT)
        letters = read_whole("letters", self.letters, 1, 26)
        if letters > size:
            raise PuzzleError(f"letters: {letters} letters do not fit a line of {size} cells")
        none = (0,) * size
        for side in SIDES:
            given = getattr(self, side)
            marks = none if _missing(given) else read_letters(side, given, size, letters)
            object.__setattr__(self, side, marks)
        grid = (none,) * size if _missing(self.grid) else self.grid
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "letters", letters)
        object.__setattr__(self, "grid", _read_rows("grid", grid, size, letters))
        self.check_solution()

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the grid."""
        return self.size, self.size

    # --- native JSON -------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The native JSON object, without a grid if there are no givens."""
        data = super().to_dict()
        if not any(map(any, self.grid)):
            del data["grid"]
        return data

    def parse_answer(self, data: Any) -> IntArray:
        """Read lines of letters and ``.``, or rows of numbers, 0 where a cell is blank."""
        rows = _read_rows("solution", data, self.size, self.letters)
        return np.array(rows, dtype=np.int64)

    def format_answer(self, answer: IntArray) -> list[str]:
        """Lines of letters and ``.``."""
        return ["".join(map(letter_of, row)) for row in answer.tolist()]

    # --- rules -------------------------------------------------------------------------

    def violations(self, answer: IntArray) -> list[Violation]:
        """Letters missing or repeated in a line, clues that see another, changed givens."""
        check_shape(answer, self.shape)
        check_values(answer, 0, self.letters)
        values = answer.astype(np.int64)
        cells = np.arange(values.size).reshape(self.shape)
        broken = []
        for rule, lines, grid in (("row", cells, values), ("column", cells.T, values.T)):
            for i, (line, seen) in enumerate(zip(lines, grid.tolist(), strict=True)):
                for letter in range(1, self.letters + 1):
                    if (count := seen.count(letter)) != 1:
                        where = line[np.array(seen) == letter] if count else line
                        message = f"{rule}[{i}] has {letter_of(letter)} {_times(count)}"
                        broken.append(self._fault(rule, message, where))
        for side, lines in (
            ("top", cells.T),
            ("bottom", cells[::-1].T),
            ("left", cells),
            ("right", cells[:, ::-1]),
        ):
            for i, (clue, line) in enumerate(zip(getattr(self, side), lines, strict=True)):
                first = next(filter(None, values.flat[line].tolist()), 0) if clue else 0
                if clue != first:
                    message = f"{side}[{i}] sees {letter_of(first)}, its clue is {letter_of(clue)}"
                    broken.append(self._fault("seen", message, line))
        for r, c in np.argwhere(np.array(self.grid)).tolist():
            if values[r, c] != self.grid[r][c]:
                found, given = letter_of(values[r, c]), letter_of(self.grid[r][c])
                message = f"row[{r}] column[{c}] is {found}, given is {given}"
                broken.append(self._fault("given", message, cells[r, c : c + 1]))
        return broken

    def _fault(self, rule: str, message: str, cells: IntArray) -> Violation:
        return Violation(rule, message, tuple(divmod(c, self.size) for c in cells.tolist()))

    # --- picture -----------------------------------------------------------------------

    def picture(
        self, answer: IntArray | None = None, broken: Iterable[tuple[int, ...]] = ()
    ) -> Picture:
        """The grid, the letters in it, and the clues around it."""
        givens = np.array(self.grid)
        values = givens if answer is None else np.asarray(answer)
        top, bottom, left, right = (
            tuple((letter_of(v),) if v else () for v in getattr(self, side)) for side in SIDES
        )
        return Picture(
            *self.shape,
            words={(r, c): letter_of(values[r, c]) for r, c in np.argwhere(values).tolist()},
            given=frozenset(map(tuple, np.argwhere((givens > 0) & (givens == values)).tolist())),
            broken=frozenset(broken),
            top=top,
            bottom=bottom,
            left=left,
            right=right,
        )


def _times(count: int) -> str:
    return {0: "nowhere", 2: "twice"}.get(count, f"{count} times")


def _missing(given: Any) -> bool:
    return given is None or (isinstance(given, tuple) and not given)


def _read_rows(key: str, rows: Any, size: int, letters: int) -> tuple[Marks, ...]:
    if not is_list(rows) or len(rows) != size:
        raise PuzzleError(f"{key}: expected {size} rows, got {brief(rows)}")
    return tuple(read_letters(f"{key}[{r}]", row, size, letters) for r, row in enumerate(rows))
