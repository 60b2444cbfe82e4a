"""Easy as ABC: the rules, native JSON and picture."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import numpy as np

from qubopuzzle.base.checks import brief, whole
from qubopuzzle.errors import PuzzleError
from qubopuzzle.model import IntArray
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles.base import Puzzle, Violation, check_shape
from qubopuzzle.puzzles.vocabulary.grids import (
    Cell,
    cells_of,
    lines_of,
    listed,
    read_numbers,
    words_of,
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
        PuzzleError: for clues and givens that are none of the letters.
    """

    name: ClassVar[str] = "easyasabc"
    aliases: ClassVar[str] = "abc abcplace abcendview endview"
    default_formulation: ClassVar[str] = "forbidden"
    at_once: ClassVar[str] = "clues at the side, and what is given"

    size: int
    letters: int
    top: Marks = ()
    bottom: Marks = ()
    left: Marks = ()
    right: Marks = ()
    grid: tuple[Marks, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        size = whole("size", self.size, 1, SIZE_LIMIT, PuzzleError)
        letters = whole("letters", self.letters, 1, 26, PuzzleError)
        none = (0,) * size
        for side in SIDES:
            given = listed(getattr(self, side))
            marks = none if given in (None, ()) else _read_letters(side, given, size, letters)
            object.__setattr__(self, side, marks)
        rows = listed(self.grid)
        grid = _read_rows("grid", (none,) * size if rows in (None, ()) else rows, size, letters)
        vars(self).update(size=size, letters=letters, grid=grid)
        self.check_solution()

    @property
    def contradiction(self) -> str | None:
        """More letters than a line has cells."""
        if self.letters <= self.size:
            return None
        return f"{self.letters} letters do not fit a line of {self.size} cells"

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

    def violations(self, answer: IntArray) -> list[Violation]:
        """Letters missing or repeated in a line, clues that see another, changed givens."""
        check_shape(answer, self.shape, range(self.letters + 1))
        values, givens = answer.astype(np.int64).ravel(), np.ravel(self.grid)
        broken = []
        for axis, i, line in lines_of(self.shape):
            for letter in range(1, self.letters + 1):
                cells = line[values[line] == letter]
                if len(cells) != 1:
                    times = {0: "nowhere", 2: "twice"}.get(len(cells), f"{len(cells)} times")
                    message = f"{axis}[{i}] has {letter_of(letter)} {times}"
                    broken.append((axis, message, cells if len(cells) else line))
        for name, clue, line in clues_of(self):
            first = next(filter(None, values[line].tolist()), 0)
            if clue != first:
                message = f"{name} sees {letter_of(first)}, its clue is {letter_of(clue)}"
                broken.append(("seen", message, line))
        for cells in np.argwhere((givens > 0) & (values != givens)):
            where = "row[{}] column[{}]".format(*divmod(cells[0], self.size))
            actual, given = letter_of(values[cells[0]]), letter_of(givens[cells[0]])
            broken.append(("given", f"{where} is {actual}, given is {given}", cells))
        return [Violation(rule, text, cells_of(cells, self.size)) for rule, text, cells in broken]

    def picture(self, answer: IntArray | None = None, broken: Iterable[Cell] = ()) -> Picture:
        """The grid, the letters in it, and the clues around it."""
        parts = words_of(np.array(self.grid), answer, letter_of)
        for side in SIDES:
            parts[side] = tuple((letter_of(v),) if v else () for v in getattr(self, side))
        return Picture(*self.shape, **parts, broken=frozenset(broken))


def letter_of(value: int) -> str:
    """A for 1, B for 2, ... and ``.`` for 0."""
    return chr(ord("A") + value - 1) if value else "."


def views(size: int) -> IntArray:
    """The cells of each line as each side sees them, row-major numbers, (4 * size, size)."""
    cells = np.arange(size * size).reshape(size, size)
    return np.concatenate([cells.T, cells.T[:, ::-1], cells, cells[:, ::-1]])


def clues_of(puzzle: EasyAsABC) -> Iterator[tuple[str, int, IntArray]]:
    """Each clue's name, its letter, and the cells seen from it, shape (size,)."""
    places = product(SIDES, range(puzzle.size))
    for (side, i), line in zip(places, views(puzzle.size), strict=True):
        if letter := getattr(puzzle, side)[i]:
            yield f"{side}[{i}]", letter, line


def _read_rows(key: str, rows: Any, size: int, letters: int) -> tuple[Marks, ...]:
    if not isinstance(listed(rows), list | tuple) or len(rows) != size:
        raise PuzzleError(f"{key}: expected {size} rows, got {brief(rows)}")
    return tuple(_read_letters(f"{key}[{r}]", row, size, letters) for r, row in enumerate(rows))


def _read_letters(key: str, data: Any, count: int, high: int) -> Marks:
    """A line of letters: A or 1 up to ``high``; ``.``, 0 or None for none."""
    marks = list(data) if isinstance(data, str) else listed(data)
    if not isinstance(marks, list | tuple):
        raise PuzzleError(f"{key}: expected a list, got {brief(data)}")
    if len(marks) != count:
        raise PuzzleError(f"{key} has {len(marks)} values, expected {count}")
    words = {None: 0} | {letter_of(value): value for value in range(high + 1)}
    for i, mark in enumerate(marks):
        if isinstance(mark, str) and mark not in words:
            raise PuzzleError(f"{key}[{i}]: {brief(mark)} is not in A .. {letter_of(high)}")
    return tuple(read_numbers(key, marks, 0, high, words))
