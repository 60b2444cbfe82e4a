"""Kurodoko: shade cells so that each number sees that many white cells.

The rules of shading hold: no two black cells touch by a side, and the white cells are
connected. A cell with a number is white; it sees the white cells above, below, left and
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

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.model import TRUE, ChoiceHandle, IntArray, Model, Rows
from qubopuzzle.puzzles.kinds.grids import BoolArray
from qubopuzzle.puzzles.kinds.shaded import Shaded, shading_formulations
from qubopuzzle.puzzles.kurodoko.links import LINKS
from qubopuzzle.puzzles.kurodoko.rules import Kurodoko, arms, reach

__all__ = ["Kurodoko"]

VIEW_LIMIT = 500_000
"""Most views of all numbers together."""


def _never_black(puzzle: Kurodoko) -> BoolArray:
    return np.not_equal(puzzle.grid, 0)


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """The ``arms`` of a number, and its views: how far it sees along each, (views, 4)."""

    name: str
    arms: list[IntArray]
    views: IntArray


def number_at(puzzle: Kurodoko, r: int, c: int) -> Number:
    """The number of a cell and its views, given where the others stand."""
    around, blank = arms(puzzle.shape, r, c), puzzle.grid.ravel() == 0
    # An arm ends at the edge, or before a cell that can be black.
    lengths = [np.flatnonzero([*blank[arm], True]) for arm in around]
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
    return Number(f"view[{r},{c}]", around, views)


def _constrain(puzzle: Kurodoko, shaded: Shaded) -> Model:
    numbers = [number_at(puzzle, r, c) for r, c in np.argwhere(puzzle.grid > 0).tolist()]
    if sum(len(number.views) for number in numbers) > VIEW_LIMIT:
        raise TooLarge(f"the numbers have more than {VIEW_LIMIT:,} views")
    for number in numbers:
        if not len(number.views):  # nothing adds up to it
            shaded.builder.at_least_one("view", [[]])
        elif len(number.views) == 1:
            for arm, length in zip(number.arms, number.views[0].tolist(), strict=True):
                seen, end = arm[:length, None], arm[length : length + 1, None]
                shaded.count("open", list(seen), most=[0] * len(seen))
                shaded.count("end", list(end), least=[1] * len(end))
    free = [number for number in numbers if len(number.views) > 1]
    add_views(shaded, free)
    return shaded.build(partial(_write, free))


def _write(numbers: Sequence[Number], answer: IntArray) -> list[Hashable]:
    """The view of each number."""
    views = [tuple(reach(answer, arm) for arm in number.arms) for number in numbers]
    for number, view in zip(numbers, views, strict=True):
        if not (number.views == view).all(axis=1).any():
            raise InputError("the answer breaks a number, so it is no choice of views")
    return [*views]


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


Kurodoko.formulations = shading_formulations(_constrain, _never_black)
Kurodoko.links = LINKS
Kurodoko.generator = "qubopuzzle.puzzles.kurodoko.generator:KurodokoGenerator"
