"""Kurodoko: shade cells so that each number sees that many white cells.

The rules of shading hold: no two black cells touch by a side, and the white cells hang
together. A cell with a number is white; it sees the white cells above, below, left and
right of it up to the first black cell, and itself once. Families:

- [view] one choice for each number over its views: how far it sees up, right, down and
  left, together the number less one;
- [open] what a view sees is white: ``sum of [views beyond distance a] <= white``;
- [end] a view ends at a black cell, or at the edge: ``sum of [views to a] + white <= 1``;
- [adjacent], and connectivity as in the formulation: ``forest`` ([pair], [parent], see
  docs/formulations.md) or ``lazy`` ([connected]).

Four choices for the four directions and an equation for their sum would say the same with
fewer variables, but a step of an annealer then changes the sum; a view keeps it.
Energy gap: each family's penalty is 0 where its rule holds and at least 1 where not.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from qubopuzzle.errors import InputError, PuzzleError, TooLarge
from qubopuzzle.model import IntArray, Model, ModelBuilder
from qubopuzzle.puzzles.base import Violation
from qubopuzzle.puzzles.kinds.forest import shading_formulations
from qubopuzzle.puzzles.kinds.shaded import BoolArray, Shaded
from qubopuzzle.puzzles.kinds.shading import UNTOLD, NumberGrid

VIEW_LIMIT = 500_000
"""Most views of all numbers together."""
_DIRECTIONS = ((-1, 0), (0, 1), (1, 0), (0, -1))
_SIGHTS = 100


@dataclass(frozen=True, eq=False)
class Kurodoko(NumberGrid):
    """Shade cells so that each number sees that many white cells.

    The grid has numbers, shape (rows, columns); None or 0 for a cell without, ``"?"`` or -1
    for one whose number is not told: it is white, and that is all.

    >>> puzzle = Kurodoko(grid=[[None, None], [None, 2]])
    >>> puzzle.violations(np.array([[0, 0], [1, 0]]))
    []

    Raises:
        PuzzleError: for a grid of anything but whole numbers, and a number larger than its
            row and column together.
    """

    name: ClassVar[str] = "kurodoko"
    circled: ClassVar[bool] = True
    least: ClassVar[int] = UNTOLD

    def check_numbers(self) -> None:
        """No cell sees more than its row and its column."""
        most = sum(self.shape) - 1
        for r, c in np.argwhere(self.grid > most).tolist():
            number = self.grid[r, c]
            raise PuzzleError(f"grid[{r}][{c}]: {number}, but no cell sees more than {most}")

    # --- rules -------------------------------------------------------------------------

    def broken_clues(self, answer: IntArray) -> list[Violation]:
        """Numbers on black cells, and numbers that see more or fewer cells.

        The first hundred of these name the cells that they see, the others their own only.
        """
        white, seen = answer == 0, seen_from(answer)
        broken: list[Violation] = []
        right = white & ((seen == self.grid) | (self.grid == UNTOLD))
        for r, c in np.argwhere((self.grid != 0) & ~right).tolist():
            rule, what, cells = "number", "is black", [(r, c)]
            if white[r, c]:
                rule, what = "sight", f"sees {seen[r, c]} white cells"
                cells += self._seen(answer, r, c) if len(broken) < _SIGHTS else ()
            message = f"{self._named(r, c)} on ({r},{c}) {what}"
            broken.append(Violation(rule, message, tuple(cells)))
        return broken

    def _named(self, r: int, c: int) -> str:
        number = self.grid[r, c]
        return "the circle" if number == UNTOLD else f"the number {number}"

    def _seen(self, answer: IntArray, r: int, c: int) -> Iterator[tuple[int, int]]:
        rows, columns = self.shape
        for down, right in _DIRECTIONS:
            i, j = r + down, c + right
            while 0 <= i < rows and 0 <= j < columns and not answer[i, j]:
                yield i, j
                i, j = i + down, j + right

    # --- examples ----------------------------------------------------------------------

    @classmethod
    def examples(cls) -> list[Self]:
        """A 6x6 board and one of 9x9; each has one solution."""
        return [cls.from_dict({"n_solutions": 1, **example}) for example in _EXAMPLES]


def seen_from(answer: IntArray) -> IntArray:
    """How many white cells each white cell sees, itself too, shape of the answer."""
    white = answer == 0
    return _run_lengths(white) + _run_lengths(white.T).T - 1


def _run_lengths(white: BoolArray) -> IntArray:
    """For each white cell, how many there are in its row without a black one between."""
    closed = np.pad(~white, ((0, 0), (0, 1)), constant_values=True)
    run = np.cumsum(closed.ravel())
    length = np.bincount(run[~closed.ravel()], minlength=int(run[-1]) + 1)
    return length[run].reshape(closed.shape)[:, :-1]


# --- formulations ----------------------------------------------------------------------


def _never_black(puzzle: Kurodoko) -> BoolArray:
    return np.not_equal(puzzle.grid, 0)


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """What a number may see: cells by direction, nearest first, and its views.

    ``views`` has shape (views, 4): how far it sees in each direction.
    """

    name: str
    arms: list[IntArray]
    views: IntArray

    def view(self, answer: IntArray) -> tuple[int, ...]:
        """Its view in an answer; InputError if it is none of them."""
        black = [np.flatnonzero(answer.ravel()[arm]) for arm in self.arms]
        view = [
            int(at[0]) if len(at) else len(arm) for at, arm in zip(black, self.arms, strict=True)
        ]
        if not (self.views == view).all(axis=1).any():
            raise InputError("the answer breaks a number, so it is no choice of views")
        return tuple(view)


def number_at(puzzle: Kurodoko, r: int, c: int) -> Number:
    """The number of a cell and its views, given where the others stand."""
    cells = np.arange(puzzle.grid.size).reshape(puzzle.shape)
    arms = [cells[:r, c][::-1], cells[r, c + 1 :], cells[r + 1 :, c], cells[r, :c][::-1]]
    numbers = puzzle.grid.ravel() != 0
    # An arm ends at the edge, or before a cell that can be black.
    lengths = [np.flatnonzero([*~numbers[arm], True]) for arm in arms]
    columns, rows = (
        np.stack(np.meshgrid(lengths[k], lengths[k + 2]), axis=-1).reshape(-1, 2) for k in (0, 1)
    )
    along, across = rows.sum(axis=1), columns.sum(axis=1)
    order = np.argsort(along, kind="stable")
    wanted = int(puzzle.grid[r, c]) - 1 - across
    begin, end = (np.searchsorted(along[order], wanted, side) for side in ("left", "right"))
    count = end - begin
    if count.sum() > VIEW_LIMIT:
        raise TooLarge(f"grid[{r}][{c}] has {count.sum():,} views, more than {VIEW_LIMIT:,}")
    column = np.repeat(np.arange(len(columns)), count)
    row = order[np.repeat(begin - np.cumsum(count) + count, count) + np.arange(len(column))]
    views = np.stack([columns[column], rows[row]], axis=2).reshape(-1, 4)
    return Number(f"view[{r},{c}]", arms, views)


def _constrain(puzzle: Kurodoko, shaded: Shaded) -> Model:
    numbers = [number_at(puzzle, r, c) for r, c in np.argwhere(puzzle.grid > 0).tolist()]
    if sum(len(number.views) for number in numbers) > VIEW_LIMIT:
        raise TooLarge(f"the numbers have more than {VIEW_LIMIT:,} views")
    for number in numbers:
        if not len(number.views):  # nothing adds up to it
            shaded.builder.at_least_one("view", [[]])
        elif len(number.views) == 1:
            _fix(shaded, number)
    free = [number for number in numbers if len(number.views) > 1]
    add_views(shaded, free)
    return shaded.build(lambda answer: [number.view(answer) for number in free])


def _fix(shaded: Shaded, number: Number) -> None:
    """A number that has one view only."""
    for arm, length in zip(number.arms, number.views[0].tolist(), strict=True):
        seen, end = arm[:length, None], arm[length : length + 1, None]
        shaded.count("open", list(seen), most=[0] * len(seen))
        shaded.count("end", list(end), least=[1] * len(end))


def add_views(shaded: Shaded, numbers: Sequence[Number], *others: Hashable) -> list[int]:
    """For each number the choice of a view, or of another value; [open] and [end] of the views.

    Returns the first literal of each choice, which is that of the first view.
    """
    builder = shaded.builder
    opens, ends = _Rows(), _Rows()
    starts = []
    for number in numbers:
        values = [*map(tuple, number.views.tolist()), *others]
        first = builder.literals(builder.choice(number.name, values, family="view")).start
        starts.append(first)
        along = [len(arm) for arm in number.arms]
        arm, distance = np.repeat(np.arange(4), along), np.concatenate([*map(np.arange, along)])
        white = shaded.white.ravel()[np.concatenate(number.arms)]
        lengths = number.views[:, arm].T
        free = white >= 0
        opens.add(lengths[free] > distance[free, None], first, white[free], -1)
        ending = lengths == distance[:, None]
        ends.add(ending[free], first, white[free], 1)
        # A view cannot end at a cell that is white anyhow.
        for view in np.flatnonzero(ending[~free].any(axis=0)).tolist():
            ends.exclude(first + view)
    opens.build(builder, "open")
    ends.build(builder, "end")
    return starts


class _Rows:
    """The rows of a family, collected: a call for each would cost more than its terms."""

    def __init__(self) -> None:
        self._parts: list[tuple[IntArray, IntArray, IntArray]] = []
        self._upper: list[int] = []

    def add(self, taken: BoolArray, first: int, white: IntArray, sign: int) -> None:
        """For each cell the views of ``taken`` (cells, views) that count, and whether it is white.

        ``sum of views <= white`` for sign -1, ``sum of views + white <= 1`` for 1.
        """
        row, view = np.nonzero(taken)
        n = len(self._upper)
        self._parts.append((n + row, first + view, np.ones(len(row), dtype=np.int64)))
        self._parts.append((n + np.arange(len(white)), white, np.full(len(white), sign)))
        self._upper += [int(sign > 0)] * len(white)

    def exclude(self, literal: int) -> None:
        """A literal that is false."""
        self._parts.append((np.array([len(self._upper)]), np.array([literal]), np.array([1])))
        self._upper.append(0)

    def build(self, builder: ModelBuilder, family: str) -> None:
        """Hand them over."""
        if self._upper:
            rows, literals, signs = map(np.concatenate, zip(*self._parts, strict=True))
            shape = (len(self._upper),)
            builder.linear(family, rows, literals, signs, upper=self._upper, shape=shape)


Kurodoko.formulations = shading_formulations(_constrain, _never_black)

_EXAMPLES: list[dict[str, Any]] = [
    {
        "id": "kurodoko-6x6",
        "grid": [
            [None, None, 5, None, None, None],
            [None, 2, None, 4, None, None],
            [None, None, None, None, None, None],
            [None, None, None, None, None, 6],
            [None, 3, None, None, None, None],
            [None, None, None, None, 11, None],
        ],
        "solution": [
            ".....#",
            "#.#...",
            ".#.#.#",
            "......",
            "#.#..#",
            "......",
        ],
    },
    {
        "id": "kurodoko-9x9",
        "grid": [
            [None, None, 3, None, 3, None, None, None, None],
            [None, None, None, 10, None, None, None, None, None],
            [7, 12, None, None, None, None, None, None, None],
            [None, None, None, None, None, None, None, None, 5],
            [None, None, None, None, 5, None, None, None, None],
            [None, None, None, None, None, None, None, 7, None],
            [None, None, None, None, None, None, None, None, 2],
            [3, 3, None, None, None, 4, None, None, None],
            [None, None, None, None, None, None, None, None, None],
        ],
        "solution": [
            "...#.#..#",
            "#.#......",
            ".......#.",
            "#...#.#..",
            "..#..#.#.",
            "#.......#",
            ".#.#.#.#.",
            "..#...#..",
            "#...#...#",
        ],
    },
]
