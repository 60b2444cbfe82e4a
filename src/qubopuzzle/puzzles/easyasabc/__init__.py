"""Easy as ABC: each of the letters A, B, ... once in every row and column, the rest blank.

A letter outside an edge is the first one seen from there. On an n x n grid with m letters a
cell is one choice over {blank, 1 .. m} [cell], ``x_{c,v}`` for "cell c holds v", and each
line holds each letter once [row] [column]: sum of ``x_{c,v}`` over the line = 1. Two
formulations of the clues; cell t of a clue's line is the t-th from its edge, k its letter:

- ``forbidden`` (default): another letter stands on cell t only if k stands before it, so
  "another at t" and "k at t or later" exclude each other [seen]:
  sum over v != blank, k of ``x_{t,v}`` + sum over s >= t of ``x_{s,k}`` <= 1.
- ``positions``: one choice a clue, p, over the cells 0 .. n - m on which the letter seen
  may stand [clue]. It stands where p says, ``x_{p,k} = 1`` [seen], and what is before it is
  blank [blank]: ``[p = t] <= x_{t,k}`` and ``[p > t] <= x_{t,blank}`` for each t.

Givens are substituted. A value that a given or a single clue excludes is no value of its
cell: a letter given in the same line, another letter than k on cell 0, k where fewer than
m - 1 cells follow, and blanks if m = n. A choice that would be left without values keeps all,
and each of them breaks a row: such a puzzle has a model without solutions.

Energy gap: each family's penalty is 0 where its rule holds and at least 1 where not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.errors import InputError, PuzzleError
from qubopuzzle.model import Field, IntArray, Model, ModelBuilder
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles.base import Puzzle, Violation, about_from, brief, check_shape
from qubopuzzle.puzzles.kinds.grids import (
    check_values,
    is_list,
    letter_of,
    need,
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

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read ``{"puzzle": "easyasabc", "size": 5, "letters": 3, "top": [2, 0, ...], ...}``."""
        size, letters = need(data, "size", "letters")
        optional: dict[str, Any] = {key: data.get(key) for key in (*SIDES, "grid", "solution")}
        return cls(size=size, letters=letters, **optional, **about_from(data))

    def to_dict(self) -> dict[str, Any]:
        """The native JSON object."""
        data = {"puzzle": self.name, **self.about(), "size": self.size, "letters": self.letters}
        data |= {side: list(getattr(self, side)) for side in SIDES}
        if any(map(any, self.grid)):
            data["grid"] = [list(row) for row in self.grid]
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

    # --- picture and examples ----------------------------------------------------------

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

    @classmethod
    def examples(cls) -> list[Self]:
        """A 5x5, a 4x4, and a 5x5 with givens; each has one solution."""
        return [cls.from_dict({"n_solutions": 1, **example}) for example in _EXAMPLES]


def _times(count: int) -> str:
    return {0: "nowhere", 2: "twice"}.get(count, f"{count} times")


def _missing(given: Any) -> bool:
    return given is None or (isinstance(given, tuple) and not given)


def _read_rows(key: str, rows: Any, size: int, letters: int) -> tuple[Marks, ...]:
    if not is_list(rows) or len(rows) != size:
        raise PuzzleError(f"{key}: expected {size} rows, got {brief(rows)}")
    return tuple(read_letters(f"{key}[{r}]", row, size, letters) for r, row in enumerate(rows))


# --- formulations ----------------------------------------------------------------------


def _clues(puzzle: EasyAsABC) -> Iterator[tuple[str, int, IntArray]]:
    """Each clue's name, its letter, and the cells seen from it, (size,), as row * size + column."""
    cells = np.arange(puzzle.size**2).reshape(puzzle.shape)
    views = {"top": cells.T, "bottom": cells.T[:, ::-1], "left": cells, "right": cells[:, ::-1]}
    for side, lines in views.items():
        for i, letter in enumerate(getattr(puzzle, side)):
            if letter:
                yield f"{side}[{i}]", letter, lines[i]


Term = tuple[int, int]
"""A literal and its coefficient."""


class _Board:
    """The choices of the cells, and rows over them with givens taken to the bounds."""

    def __init__(self, puzzle: EasyAsABC) -> None:
        self.builder = ModelBuilder()
        self.n, self.values = puzzle.size, range(puzzle.letters + 1)
        self.given = np.array(puzzle.grid).ravel()
        self.allowed = _allowed(puzzle, self.given)
        self._literal: dict[tuple[int, int], int] = {}
        self._rows: dict[str, list[tuple[str, list[Term], int, int]]] = {}
        for cell in np.flatnonzero(self.given == 0).tolist():
            values = np.flatnonzero(self.allowed[cell]).tolist()
            name = f"cell[{cell // self.n},{cell % self.n}]"
            literals = self.builder.literals(self.builder.choice(name, values, family="cell"))
            self._literal |= {(cell, v): i for v, i in zip(values, literals, strict=True)}

    def terms(self, cells: Iterable[int], values: Iterable[int]) -> tuple[list[Term], int]:
        """The sum of ``x_{c,v}`` over cells and values: its terms, and what givens add."""
        known = list(values)
        places = [(cell, v) for cell in cells for v in known]
        own = [(self._literal[place], 1) for place in places if place in self._literal]
        return own, sum(v == self.given[cell] for cell, v in places if self.given[cell])

    def places(self, cells: Sequence[int], letter: int) -> list[int]:
        """Where in a line a clue may see its letter; the last place if nowhere."""
        last = self.n - self.values[-1]
        end = next((t for t in range(last) if self.given[cells[t]]), last)
        return [t for t in range(end + 1) if any(self.terms([cells[t]], [letter]))] or [end]

    def add(self, family: str, label: str, sums: tuple[list[Term], int], low: int, up: int) -> None:
        """Keep the row ``low <= terms + constant <= up``, unless it holds without terms."""
        terms, constant = sums
        if terms or not low <= constant <= up:
            self._rows.setdefault(family, []).append((label, terms, low - constant, up - constant))

    def build(self, write: Callable[[IntArray], list[int]]) -> Model:
        """The model of all rows, family by family."""
        for family, rows in self._rows.items():
            labels, sums, lower, upper = zip(*rows, strict=True)
            row = np.repeat(np.arange(len(rows)), [len(terms) for terms in sums])
            literal, coefficient = _columns(chain.from_iterable(sums))
            self.builder.linear(
                family,
                row,
                literal,
                coefficient,
                lower=lower,
                upper=upper,
                shape=(len(rows),),
                labels=labels.__getitem__,
            )
        cells, values = _columns(self._literal)
        literal = list(self._literal.values())
        reading = self.builder.reading(
            "cells", cells, literal, values, base=self.given, n_cells=self.n**2
        )
        shape = self.n, self.n
        return self.builder.build(Field(shape, 0, self.values[-1], (reading,), write))


def _columns(pairs: Iterable[tuple[int, int]]) -> IntArray:
    """Pairs as an array of shape (2, pairs)."""
    return np.array(list(pairs), dtype=np.int64).reshape(-1, 2).T


def _allowed(puzzle: EasyAsABC, given: IntArray) -> NDArray[np.bool_]:
    """What a given or a single clue leaves to each cell, (cells, values); all if nothing."""
    n, m = puzzle.size, puzzle.letters
    allowed = np.ones((n * n, m + 1), dtype=bool)
    allowed[:, 0] = m < n
    for cell in np.flatnonzero(given).tolist():
        r, c = divmod(cell, n)
        allowed.reshape(n, n, -1)[r, :, given[cell]] = False
        allowed.reshape(n, n, -1)[:, c, given[cell]] = False
    for _, letter, line in _clues(puzzle):
        allowed[line[0], [v for v in range(1, m + 1) if v != letter]] = False
        allowed[line[n - m + 1 :], letter] = False
    allowed[~allowed.any(axis=1)] = True  # each value breaks a row: see above
    return allowed


def _board(puzzle: EasyAsABC) -> _Board:
    """The cells, and each letter once in every line."""
    board = _Board(puzzle)
    cells = np.arange(puzzle.size**2).reshape(puzzle.shape)
    for family, lines in (("row", cells), ("column", cells.T)):
        for i, line in enumerate(lines.tolist()):
            for v in board.values[1:]:
                board.add(family, f"{family}[{i}] {letter_of(v)}", board.terms(line, [v]), 1, 1)
    return board


def _by_forbidding(puzzle: EasyAsABC) -> Model:
    board = _board(puzzle)
    for clue, letter, line in _clues(puzzle):
        cells = line.tolist()
        for t in range(puzzle.size):
            others = board.terms([cells[t]], [v for v in board.values[1:] if v != letter])
            later = board.terms(cells[t:], [letter])
            if any(others) and any(board.terms(cells[t + 1 :], [letter])):
                sums = others[0] + later[0], others[1] + later[1]
                board.add("seen", f"{clue} cell {t}", sums, 0, 1)
    return board.build(partial(_write, board))


def _by_positions(puzzle: EasyAsABC) -> Model:
    board = _board(puzzle)
    places: list[tuple[IntArray, list[int]]] = []
    for clue, letter, line in _clues(puzzle):
        cells = line.tolist()
        place = board.places(cells, letter)
        first = board.builder.literals(board.builder.choice(clue, place, family="clue"))
        here = list(zip(place, first, strict=True))
        for t in range(place[-1] + 1):
            for family, value, own in (
                ("seen", letter, [(p, -1) for at, p in here if at == t]),
                ("blank", 0, [(p, -1) for at, p in here if at > t]),
            ):
                if own:
                    terms, fixed = board.terms([cells[t]], [value])
                    board.add(family, f"{clue} cell {t}", (terms + own, fixed), 0, 1)
        places.append((line, place))
    return board.build(partial(_write, board, places=places))


def _write(
    board: _Board, answer: IntArray, places: Sequence[tuple[IntArray, list[int]]] = ()
) -> list[int]:
    """The values of the cells that are not given, then what each clue sees first."""
    values, given = np.asarray(answer).ravel(), board.given
    there = np.where(given > 0, values == given, board.allowed[range(len(values)), values])
    if not there.all():
        cell = int(np.argmin(there))
        where = "row[{}] column[{}]".format(*divmod(cell, board.n))
        raise InputError(f"{where} is {letter_of(values[cell])}, which a given or a clue excludes")
    seen = [int(np.argmax(values[line] > 0)) for line, _ in places]
    if any(first not in place for first, (_, place) in zip(seen, places, strict=True)):
        raise InputError("a clue sees its letter where it cannot stand")
    return [*values[given == 0].tolist(), *seen]


EasyAsABC.formulations = {"forbidden": _by_forbidding, "positions": _by_positions}

_EXAMPLES: list[dict[str, Any]] = [
    {
        "id": "easyasabc-5x5",
        "size": 5,
        "letters": 3,
        "top": "B...C",
        "bottom": "C...A",
        "left": "....A",
        "right": "...CB",
        "solution": ["B..AC", "AC..B", "C.B.A", ".BAC.", ".ACB."],
    },
    {
        "id": "easyasabc-4x4",
        "size": 4,
        "letters": 3,
        "top": "...B",
        "bottom": "C...",
        "right": "A.A.",
        "solution": ["BCA.", "A.CB", "CB.A", ".ABC"],
    },
    {
        "id": "easyasabc-givens",
        "size": 5,
        "letters": 3,
        "top": ".AB..",
        "bottom": "A.CC.",
        "right": "BB...",
        "grid": [".....", ".....", "..A..", "A....", "....."],
        "solution": ["CAB..", ".C.AB", "B.A.C", "A.CB.", ".B.CA"],
    },
]
