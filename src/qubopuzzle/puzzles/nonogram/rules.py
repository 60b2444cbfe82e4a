"""Nonograms: the rules, native JSON and picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, ClassVar, Self

import numpy as np

from qubopuzzle.checks import brief
from qubopuzzle.errors import PuzzleError
from qubopuzzle.model import IntArray
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles.base import Violation, check_shape
from qubopuzzle.puzzles.kinds.cells import runs
from qubopuzzle.puzzles.kinds.grids import check_values, read_shading
from qubopuzzle.puzzles.kinds.shading import Painting

LINE_LIMIT = 1_000
"""Most rows or columns."""
GENERATED_SIDE = 100
"""Most rows or columns of a generated one."""

Clue = tuple[int, ...]


@dataclass(frozen=True)
class Nonogram(Painting):
    """Shade cells in runs as long as the clues of rows and columns say.

    There is one clue a row (top to bottom) and one a column (left to right).

    >>> puzzle = Nonogram(rows=[[2], [1]], cols=[[2], [1]])
    >>> puzzle.violations(np.array([[1, 1], [1, 0]]))
    []

    Raises:
        PuzzleError: for clues that are no positive whole numbers, do not fit their line
            or do not add up to the same number of black cells.
    """

    name: ClassVar[str] = "nonogram"
    default_formulation: ClassVar[str] = "window"

    rows: tuple[Clue, ...]
    cols: tuple[Clue, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        rows, cols = _clues("rows", self.rows), _clues("cols", self.cols)
        _check_fit("rows", rows, len(cols))
        _check_fit("cols", cols, len(rows))
        black = [sum(map(sum, clues)) for clues in (rows, cols)]
        if black[0] != black[1]:
            raise PuzzleError(
                f"the rows add up to {black[0]} black cells but the cols to {black[1]}"
            )
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "cols", cols)
        self.check_solution()

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the grid."""
        return len(self.rows), len(self.cols)

    @classmethod
    def from_picture(cls, picture: Any, **about: Any) -> Self:
        """The nonogram of a picture, given as lines of ``#`` and ``.`` or as rows of 0 and 1."""
        grid = read_shading("picture", picture)
        rows = tuple(tuple(runs(line)) for line in grid.tolist())
        cols = tuple(tuple(runs(line)) for line in grid.T.tolist())
        return cls(rows=rows, cols=cols, solution=grid, **about)

    # --- native JSON -------------------------------------------------------------------

    # --- rules -------------------------------------------------------------------------

    def violations(self, answer: IntArray) -> list[Violation]:
        """Lines whose runs differ from their clue."""
        check_shape(answer, self.shape)
        check_values(answer, 0, 1)
        broken = []
        for rule, clues, lines in (("row", self.rows, answer), ("column", self.cols, answer.T)):
            for i, (clue, line) in enumerate(zip(clues, lines.tolist(), strict=True)):
                found = tuple(runs(line))
                if found != clue:
                    message = f"{rule}[{i}] reads {_words(found)}, its clue is {_words(clue)}"
                    along = [(i, j) if rule == "row" else (j, i) for j in range(len(line))]
                    broken.append(Violation(rule, message, tuple(along)))
        return broken

    # --- picture -----------------------------------------------------------------------

    def picture(
        self, answer: IntArray | None = None, broken: Iterable[tuple[int, ...]] = ()
    ) -> Picture:
        """The grid with its clues on the left and on top."""
        left, top = (
            tuple(tuple(map(str, clue)) or ("0",) for clue in clues)
            for clues in (self.rows, self.cols)
        )
        return Picture(
            *self.shape, black=answer, left=left, top=top, broken=frozenset(broken), thick_every=5
        )


def _words(clue: Sequence[int]) -> str:
    words = " ".join(map(str, clue[:20])) or "0"
    return words if len(clue) <= 20 else f"{words} ... ({len(clue)} runs)"


def _clues(key: str, clues: Any) -> tuple[Clue, ...]:
    if not isinstance(clues, list | tuple | np.ndarray):
        raise PuzzleError(f"{key}: expected a list of clues, got {brief(clues)}")
    if not 1 <= len(clues) <= LINE_LIMIT:
        raise PuzzleError(f"{key}: {len(clues)} lines; a nonogram here has 1 to {LINE_LIMIT}")
    return tuple(_clue(f"{key}[{i}]", clue) for i, clue in enumerate(clues))


def _clue(place: str, clue: Any) -> Clue:
    vector = isinstance(clue, np.ndarray) and clue.ndim == 1
    if isinstance(clue, str) or not (vector or isinstance(clue, Sequence)):
        raise PuzzleError(f"{place}: expected a list of numbers, got {brief(clue)}")
    if len(clue) > LINE_LIMIT:
        raise PuzzleError(f"{place}: {len(clue)} numbers do not fit any line")
    numbers = []
    for i, number in enumerate(clue):
        try:
            if isinstance(number, bool):
                raise TypeError
            numbers.append(index(number))
        except TypeError:
            raise PuzzleError(
                f"{place}[{i}]: expected a whole number, got {brief(number)}"
            ) from None
        if numbers[-1] < 0 or (numbers[-1] == 0 and len(clue) > 1):
            raise PuzzleError(f"{place}[{i}]: {brief(number)} is no length of a run")
    return () if numbers == [0] else tuple(numbers)


def _check_fit(key: str, clues: tuple[Clue, ...], length: int) -> None:
    for i, clue in enumerate(clues):
        needed = sum(clue) + len(clue) - 1
        if needed > length:
            what = (
                f"clue {_words(clue)} needs {needed}" if needed < 10**6 else "the clue needs more"
            )
            raise PuzzleError(f"{key}[{i}]: {what} cells, the line has {length}")
