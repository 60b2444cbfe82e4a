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

``arms`` is ``lazy`` with a choice for each of the four directions, [arm], in place of one for
the view, and [view] as the equation ``sum of their lengths = number - 1``. It is the smaller the
larger the numbers are, and best for exact solvers; a step of an annealer, however, changes the
sum, and a view keeps it. Energy gap: each family's penalty is 0 where its rule holds and at
least 1 where not.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.model import TRUE, ChoiceHandle, IntArray, Model
from qubopuzzle.puzzles.kurodoko.links import LINKS
from qubopuzzle.puzzles.kurodoko.rules import Kurodoko, arms, reach
from qubopuzzle.puzzles.vocabulary.grids import BoolArray
from qubopuzzle.puzzles.vocabulary.shaded import Shaded, shading_formulations

__all__ = ["Kurodoko"]

VIEW_LIMIT = 500_000
"""Most views of all numbers together."""
LENGTH_LIMIT = 5_000_000
"""Most pairs of a length and a cell of all arms together."""
DIRECTIONS = ("up", "right", "down", "left")


def _never_black(puzzle: Kurodoko) -> BoolArray:
    return np.not_equal(puzzle.grid, 0)


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """The ``arms`` of a number, and its views: how far it sees along each, (views, 4)."""

    name: str
    arms: list[IntArray]
    views: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """Literals ``first + i``, or ``TRUE``, by which ``lengths[i]`` cells of an arm are seen."""

    first: int
    arm: IntArray
    lengths: Sequence[int] | IntArray


def number_at(puzzle: Kurodoko, r: int, c: int) -> Number:
    """The number of a cell and its views, given where the others stand."""
    around, blank = arms(puzzle.shape, r, c), puzzle.grid.ravel() == 0
    lengths = [_lengths(blank[arm]) for arm in around]
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


def _lengths(blank: BoolArray) -> IntArray:
    """How far one may see along cells: to the edge, or to before one that can be black."""
    return np.flatnonzero(np.append(blank, True))


def _constrain(puzzle: Kurodoko, shaded: Shaded) -> Model:
    numbers = [number_at(puzzle, r, c) for r, c in np.argwhere(puzzle.grid > 0).tolist()]
    if sum(len(number.views) for number in numbers) > VIEW_LIMIT:
        raise TooLarge(f"the numbers have more than {VIEW_LIMIT:,} views")
    for number in numbers:
        if not len(number.views):  # nothing adds up to it
            shaded.builder.at_least_one("view", [[]])
        elif len(number.views) == 1:
            add_sights(shaded, _sights(TRUE, number))
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
    choices = []
    for number in numbers:
        values = [*map(tuple, number.views.tolist()), *others]
        view = shaded.builder.choice(number.name, values, family="view")
        add_sights(shaded, _sights(view.first, number))
        choices.append(view)
    return choices


def _sights(first: int, number: Number) -> list[Sight]:
    """The arms of a number, with the length of each view, by the literals of the views."""
    along = zip(number.arms, number.views.T, strict=True)
    return [Sight(first, arm, lengths) for arm, lengths in along]


def _constrain_arms(puzzle: Kurodoko, shaded: Shaded) -> Model:
    blank, sights = puzzle.grid.ravel() == 0, []
    rest = puzzle.grid[puzzle.grid > 0] - 1
    for (r, c), total in zip(np.argwhere(puzzle.grid > 0).tolist(), rest.tolist(), strict=True):
        around = arms(puzzle.shape, r, c)
        every = _that_add_up([_lengths(blank[arm]).tolist() for arm in around], total)
        for direction, arm, lengths in zip(DIRECTIONS, around, every, strict=True):
            first = TRUE  # an arm of one length is no choice
            if len(lengths) > 1:
                first = shaded.builder.choice(f"{direction}[{r},{c}]", lengths, family="arm").first
            sights.append(Sight(first, arm[: lengths[-1] + 1], lengths))
    if sum(len(s.arm) * len(s.lengths) for s in sights) > LENGTH_LIMIT:
        raise TooLarge(f"the arms have more than {LENGTH_LIMIT:,} pairs of a length and a cell")
    sight, length, literal = _lengths_of(sights)
    shaded.builder.rows("view").add(literal, length, rows=sight // 4, lower=rest, upper=rest)
    add_sights(shaded, sights)
    return shaded.build(partial(_write_arms, [s for s in sights if s.first != TRUE]))


def _that_add_up(lengths: list[list[int]], total: int) -> list[list[int]]:
    """Without the lengths that are too small or too large for the total, if any are left."""
    while True:
        least, most = (sum(arm[end] for arm in lengths) for end in (0, -1))
        kept = [
            [length for length in arm if arm[-1] - most <= length - total <= arm[0] - least]
            for arm in lengths
        ]
        if kept == lengths or not all(kept):
            return lengths
        lengths = kept


def _write_arms(sights: Sequence[Sight], answer: IntArray) -> list[Hashable]:
    """The length of each arm."""
    lengths = [reach(answer, sight.arm) for sight in sights]
    if not all(length in sight.lengths for sight, length in zip(sights, lengths, strict=True)):
        raise InputError("the answer breaks a number, so it is no choice of arms")
    return [*lengths]


def add_sights(shaded: Shaded, sights: Sequence[Sight]) -> None:
    """[open] and [end] of all sights."""
    arm, cell, distance = _joined([s.arm for s in sights])
    sight, length, literal = _lengths_of(sights)
    # Each cell of an arm with each length of it.
    count = np.bincount(sight, minlength=len(sights))
    each, start = count[arm], (np.cumsum(count) - count)[arm]
    row = np.repeat(np.arange(len(cell)), each)
    pair = np.arange(len(row)) + np.repeat(start - np.cumsum(each) + each, each)
    white = shaded.white.ravel()[cell]
    free, beyond = (white != TRUE)[row], length[pair] - distance[row]
    for family, taken, sign in (
        ("open", free & (beyond > 0), -1),
        ("end", free & (beyond == 0), 1),
    ):
        # sum of what sees beyond <= white; sum of what ends there + white <= 1
        rows, number = np.unique(row[taken], return_inverse=True)
        shaded.builder.rows(family).add(
            np.append(literal[pair[taken]], white[rows]),
            np.repeat([1, sign], [len(number), len(rows)]),
            rows=np.append(number, np.arange(len(rows))),
            upper=max(sign, 0),
        )
    # Nothing ends at a cell that is white anyhow.
    never = np.unique(literal[pair[~free & (beyond == 0)]])
    shaded.builder.rows("end").add(never[:, None], upper=0)


def _lengths_of(sights: Sequence[Sight]) -> tuple[IntArray, IntArray, IntArray]:
    """The number of its sight, the length and the literal of all lengths, (lengths,) each."""
    sight, length, place = _joined([s.lengths for s in sights])
    return sight, length, np.array([s.first for s in sights], dtype=np.int64)[sight] + place


def _joined(parts: Sequence[Sequence[int] | IntArray]) -> tuple[IntArray, IntArray, IntArray]:
    """The number of its part, the value, and its place in the part, of all, (values,) each."""
    sizes = np.array([len(part) for part in parts], dtype=np.int64)
    number = np.repeat(np.arange(len(parts)), sizes)
    values = np.concatenate([np.zeros(0, dtype=np.int64), *parts])
    return number, values, np.arange(len(number)) - (np.cumsum(sizes) - sizes)[number]


Kurodoko.formulations = {
    **shading_formulations(_constrain, _never_black),
    "arms": shading_formulations(_constrain_arms, _never_black)["lazy"],
}
Kurodoko.links = LINKS
Kurodoko.generator = "qubopuzzle.puzzles.kurodoko.generator:KurodokoGenerator"
