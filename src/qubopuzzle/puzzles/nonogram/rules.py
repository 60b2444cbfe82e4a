"""Nonograms: the rules, native JSON and picture."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import PuzzleError
from qubopuzzle.model import IntArray
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles.base import Puzzle, Violation, check_shape
from qubopuzzle.puzzles.vocabulary.grids import (
    Cell,
    cells_of,
    lines_of,
    lines_of_text,
    listed,
    read_numbers,
    read_shading,
    runs,
)

LINE_LIMIT = 1_000
"""Most rows or columns."""
GENERATED_SIDE = 100
"""Most rows or columns of a generated one."""

Clue = tuple[int, ...]


@dataclass(frozen=True)
class Nonogram(Puzzle):
    """Shade cells in runs as long as the clues of rows and columns say.

    There is one clue a row (top to bottom) and one a column (left to right): lists of numbers,
    numbers, or text, all clues in a text being divided by ``;``, ``/`` or line ends.

    >>> puzzle = Nonogram(rows=[[2], [1]], cols=[[2], [1]])
    >>> puzzle.violations(np.array([[1, 1], [1, 0]]))
    []
    >>> Nonogram(rows="1;1 1;1 1;5;1 1", cols=[2, 3, "1 1", 3, 2]).rows[:2]
    ((1,), (1, 1))

    Raises:
        PuzzleError: for clues that are no positive whole numbers.
    """

    name: ClassVar[str] = "nonogram"
    aliases: ClassVar[str] = (
        "nonograms crucipixel griddler griddlers hanjie japanesecrossword oekaki oekakilogic "
        "paintbynumber paintbynumbers pattern picross"
    )
    default_formulation: ClassVar[str] = "window"
    is_shaded: ClassVar[bool] = True
    at_once: ClassVar[str] = "the runs of its line, which have no other place"

    rows: tuple[Clue, ...]
    cols: tuple[Clue, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        rows, cols = _read_clues("rows", self.rows), _read_clues("cols", self.cols)
        vars(self).update(rows=rows, cols=cols)
        self.check_solution()

    @property
    def contradiction(self) -> str | None:
        """A clue that does not fit its line, or sums of rows and columns that differ."""
        lines = ("rows", self.rows, len(self.cols)), ("cols", self.cols, len(self.rows))
        for key, clues, length in lines:
            for i, clue in enumerate(clues):
                needed = sum(clue) + len(clue) - 1
                if needed > length:
                    clue_of = f"clue {_words(clue)} of {key}[{i}]"
                    return f"{clue_of} needs {needed} cells, the line has {length}"
        black = [sum(map(sum, clues)) for clues in (self.rows, self.cols)]
        if black[0] == black[1]:
            return None
        return f"the rows add up to {black[0]} black cells but the cols to {black[1]}"

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the grid."""
        return len(self.rows), len(self.cols)

    @classmethod
    def from_picture(cls, picture: Any, **about: Any) -> Self:
        """The nonogram of a picture, given as lines of ``#`` and ``.`` or as rows of 0 and 1."""
        _check_count("picture", picture)
        grid = read_shading("picture", picture)
        clues: Any = [[runs(line) for line in lines.tolist()] for lines in (grid, grid.T)]
        return cls(*clues, solution=grid, **about)

    def violations(self, answer: IntArray) -> list[Violation]:
        """Lines whose runs differ from their clue."""
        return [*self.each_violation(answer)]

    def each_violation(self, answer: IntArray) -> Iterator[Violation]:
        """The same one by one."""
        check_shape(answer, self.shape, range(2))
        clues, cells = [*self.rows, *self.cols], np.ravel(answer)
        for (axis, i, line), clue in zip(lines_of(self.shape), clues, strict=True):
            actual = tuple(runs(cells[line].tolist()))
            if actual != clue:
                message = f"{axis}[{i}] reads {_words(actual)}, its clue is {_words(clue)}"
                yield Violation(axis, message, cells_of(line, self.shape[1]))

    def picture(self, answer: IntArray | None = None, broken: Iterable[Cell] = ()) -> Picture:
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


def _read_clues(key: str, data: Any) -> tuple[Clue, ...]:
    lines = lines_of_text(data) if isinstance(data, str) else listed(data)
    if not isinstance(lines, list | tuple):
        raise PuzzleError(f"{key}: expected a list of clues, got {brief(data)}")
    _check_count(key, lines)
    clues = []
    for i, line in enumerate(lines):
        clue = read_numbers(f"{key}[{i}]", _listed_clue(line), 0, LINE_LIMIT, {})
        if 0 in clue and len(clue) > 1:
            raise PuzzleError(f"{key}[{i}][{clue.index(0)}]: 0 is no length of a run")
        clues.append(() if clue == [0] else tuple(clue))
    return tuple(clues)


def _listed_clue(line: Any) -> Any:
    """A clue that is text or a number as a list; anything else as it is."""
    if isinstance(line, str):
        return [
            int(w) if w.isascii() and w.isdecimal() and len(w) < 10 else w
            for w in line.replace(",", " ").split()
        ]
    return [line] if isinstance(line, int | np.integer) else line


def _check_count(key: str, lines: Any) -> None:
    if isinstance(lines, list | tuple | np.ndarray) and not 1 <= len(lines) <= LINE_LIMIT:
        raise PuzzleError(f"{key}: {len(lines)} lines; a nonogram here has 1 to {LINE_LIMIT}")
