"""Kurodoko as models: one choice a number over its views."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.model import TRUE, ChoiceHandle, IntArray, Model, Rows
from qubopuzzle.puzzles.kinds.cells import BoolArray
from qubopuzzle.puzzles.kinds.forest import shading_formulations
from qubopuzzle.puzzles.kinds.shaded import Shaded
from qubopuzzle.puzzles.kurodoko.rules import Kurodoko

VIEW_LIMIT = 500_000
"""Most views of all numbers together."""


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
    return shaded.build(partial(_write, free))


def _fix(shaded: Shaded, number: Number) -> None:
    """A number that has one view only."""
    for arm, length in zip(number.arms, number.views[0].tolist(), strict=True):
        seen, end = arm[:length, None], arm[length : length + 1, None]
        shaded.count("open", list(seen), most=[0] * len(seen))
        shaded.count("end", list(end), least=[1] * len(end))


def _write(numbers: Sequence[Number], answer: IntArray) -> list[Hashable]:
    return [number.view(answer) for number in numbers]


def add_views(shaded: Shaded, numbers: Sequence[Number], *others: Hashable) -> list[ChoiceHandle]:
    """For each number the choice of a view, or of another value; [open] and [end] of the views."""
    opens, ends = shaded.builder.rows("open"), shaded.builder.rows("end")
    choices = []
    for number in numbers:
        values = [*map(tuple, number.views.tolist()), *others]
        choices.append(shaded.builder.choice(number.name, values, family="view"))
        first = choices[-1].first
        along = [len(arm) for arm in number.arms]
        arm, distance = np.repeat(np.arange(4), along), np.concatenate([*map(np.arange, along)])
        white = shaded.white.ravel()[np.concatenate(number.arms)]
        lengths, free = number.views[:, arm].T, white != TRUE
        _bound(opens, lengths[free] > distance[free, None], first, white[free], -1)
        ending = lengths == distance[:, None]
        _bound(ends, ending[free], first, white[free], 1)
        # A view cannot end at a cell that is white anyhow.
        excluded = np.flatnonzero(ending[~free].any(axis=0))
        ends.add(first + excluded[:, None], upper=0)
    return choices


def _bound(rows: Rows, taken: BoolArray, first: int, white: IntArray, sign: int) -> None:
    """For each cell, with the views of ``taken`` (cells, views), and whether it is white.

    ``sum of views <= white`` for sign -1, ``sum of views + white <= 1`` for 1.
    """
    cell, view = np.nonzero(taken)
    rows.add(
        np.append(first + view, white),
        np.repeat([1, sign], [len(view), len(white)]),
        rows=np.append(cell, np.arange(len(white))),
        upper=max(sign, 0),
    )


FORMULATIONS = shading_formulations(_constrain, _never_black)
