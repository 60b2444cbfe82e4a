"""What numbers see: the cells along their row and column up to the first black one."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np

from qubopuzzle.base.places import TOWARDS, listed
from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.model import TRUE, IntArray
from qubopuzzle.puzzles.base import Violation
from qubopuzzle.puzzles.vocabulary.cells import At, Cells, Write
from qubopuzzle.puzzles.vocabulary.grids import BoolArray, Cell, cells_of
from qubopuzzle.puzzles.vocabulary.rules import Rule, cell_of
from qubopuzzle.puzzles.vocabulary.words import counted, wrongly

UNKNOWN = -1
"""A number that is there, but not known."""
VIEW_LIMIT = 500_000
"""Most views of all numbers together."""
LENGTH_LIMIT = 5_000_000
"""Most pairs of a length and a cell of all arms together."""
DIRECTIONS = ("up", "right", "down", "left")
_NAMED = 100
_UNUSED = "unused"


@dataclass(frozen=True, eq=False)
class Sights(Rule):
    """Each number sees so many white cells, of the value 0, along its row and column.

    It is white, and counts itself once. ``grid`` has the numbers, (rows, columns), 0 for none and
    -1 for one that is not known. In the model

    - [view] one choice for each number over its views: how far it sees up, right, down and left,
      together the number less one;
    - [open] what a view sees is white: ``sum of [views beyond distance a] <= white``;
    - [end] a view ends at a black cell, or at the edge: ``sum of [views to a] + white <= 1``.

    ``by_arms``: a choice for each of the four directions, [arm], in place of one for the view, and
    [view] as the equation ``sum of their lengths = number - 1``. It is the smaller the larger the
    numbers are, and best for exact solvers; a step of an annealer, however, changes the sum, and a
    view keeps it.
    """

    family: str
    grid: IntArray
    by_arms: bool = False
    field: str = "grid"
    is_clue = True

    def about(self, at: At) -> IntArray:
        """The cell of a number, and those of its row and column."""
        if not isinstance(at, tuple):
            return super().about(at)
        cell = divmod(at[1], self.grid.shape[1])
        return np.concatenate([cell_of(at), *arms(self.grid.shape, *cell)])

    def asks(self, at: At, grid: IntArray, known: BoolArray) -> str:
        """How many cells a number sees, and how many as far as they are known."""
        if not isinstance(at, tuple):
            return self.says
        number, cell = int(self.grid.flat[at[1]]), divmod(at[1], self.grid.shape[1])
        if number == UNKNOWN:
            return "{} is on a white cell"
        asked = f"has to see {counted(number, 'white cells')}, itself included"
        asked = f"{{}} {'' if known.flat[at[1]] else 'is on a white cell, and '}{asked}"
        around = arms(grid.shape, *cell)
        if not known.ravel()[[at[1], *np.concatenate(around)]].any():
            return asked
        if not known.flat[at[1]]:
            return "{} is on a white cell"
        arms_see = [_can_see(grid, known, arm) for arm in around]
        least = 1 + sum(min(see) for see in arms_see)
        if least >= number:
            return f"{asked}: it sees {least} already"
        more, others = list[str](), 0
        for see, side in zip(arms_see, (TOWARDS[-1], *TOWARDS[:-1]), strict=True):
            can = [n - min(see) for n in see if n - min(see) <= number - least]
            is_any = len(can) > 1 and can == [*range(len(can))]
            if see[1:] and can[-1:] > [0]:
                more.append(f"{f'up to {can[-1]}' if is_any else listed(can, 'or')} {side}")
            others += bool(see[1:]) and can[-1:] <= [0]
        if more:
            where = f": {listed(more)}{', and none elsewhere' * (others > 0)}"
        else:
            where = f", but {'each side adds none or too many' if others else 'can see no more'}"
        needs = f", and needs {number - least} more{where}" if number > least else " and no more"
        return f"{asked}: it sees {least} so far{needs}"

    def why(self, at: At, grid: IntArray, known: BoolArray, cell: int | None) -> str:
        """How much a number would see if a cell were not as it is."""
        if not isinstance(at, tuple) or cell in {None, at[1]} or self.grid.flat[at[1]] == UNKNOWN:
            return ""
        other, there = grid.copy(), known.copy()
        other.flat[cell], there.flat[cell] = 1 - grid.flat[cell], True
        around = arms(grid.shape, *divmod(at[1], grid.shape[1]))
        sums = {1 + sum(see) for see in product(*(_can_see(other, there, arm) for arm in around))}
        number = int(self.grid.flat[at[1]])
        would = wrongly(number, sums)
        return f"otherwise it would see {would}" if would else ""

    def narrow(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """Numbers are white."""
        allowed[self.grid != 0] &= np.asarray(values) == 0

    def constrain(self, cells: Cells) -> Write:
        """Views or arms; with switches, each number's views or none."""
        if cells.stated:
            return self._stated(cells)
        if cells.switched:
            return self._switched(cells)
        if self.by_arms:
            known = [(r, c) for r, c in np.argwhere(self.grid > 0).tolist()]
            return partial(_write_arms, self._arms(cells, known, self.grid.ravel() == 0))
        numbers = [number_at(self.grid, r, c) for r, c in np.argwhere(self.grid > 0).tolist()]
        if sum(len(number.views) for number in numbers) > VIEW_LIMIT:
            raise TooLarge(f"the numbers have more than {VIEW_LIMIT:,} views")
        for number in numbers:
            if not len(number.views):  # nothing adds up to it
                cells.builder.at_least_one(self.family, [[]])
            elif len(number.views) == 1:
                _add_sights(cells, number.sights(TRUE))
        free = [number for number in numbers if len(number.views) > 1]
        self._views(cells, free)
        return partial(_write_views, free)

    def _views(self, cells: Cells, numbers: Sequence["Number"], *others: Hashable) -> list[int]:
        """For each number the choice of a view, or of another value; the last literal of each."""
        last = []
        for number in numbers:
            values = [*map(tuple, number.views.tolist()), *others]
            view = cells.builder.choice(number.name, values, self.family)
            _add_sights(cells, number.sights(view.first))
            last.append(view.literals[-1])
        return last

    def _switched(self, cells: Cells) -> Write:
        """A number is in force if "unused" is not chosen: it has a view, and its cell is white."""
        places = np.argwhere(self.grid)
        numbers = []
        for r, c in places.tolist():  # the views of a number if no other is in force
            alone = np.zeros_like(self.grid)
            alone[r, c] = self.grid[r, c]
            numbers.append(number_at(alone, r, c))
        unused = self._views(cells, numbers, _UNUSED)
        (given,) = np.nonzero(self.grid.ravel())
        shown = np.array(
            [cells.switch((self.field, cell)) for cell in given.tolist()], dtype=np.int64
        )
        cells.builder.at_most_one("shown", np.column_stack([shown, unused]))
        white = cells.of(0)[given]
        cells.builder.rows("white").add(np.column_stack([shown, white]), [1, -1], upper=0)
        return partial(_write_unused, len(numbers))

    def _stated(self, cells: Cells) -> Write:
        """Each number sees so far, and its cell is white, where it is not left out."""
        for r, c in np.argwhere(self.grid).tolist():
            cell = r * self.grid.shape[1] + c
            with cells.stating((self.field, cell)):
                cells.literal_rows("white", cells.of(0)[[cell]][:, None], low=1)
                if self.grid[r, c] != UNKNOWN:
                    self._arms(cells, [(r, c)], np.ones(self.grid.size, dtype=bool))
        return partial(_write_arms, [])

    def _arms(self, cells: Cells, numbers: Sequence[Cell], blank: BoolArray) -> list["Sight"]:
        """The arms of numbers, where these cells are not known to be white; those of choices."""
        sights: list[Sight] = []
        rest = np.array([self.grid[cell] - 1 for cell in numbers], dtype=np.int64)
        for (r, c), total in zip(numbers, rest.tolist(), strict=True):
            around = arms(self.grid.shape, r, c)
            every = _that_add_up([_lengths(blank[arm]).tolist() for arm in around], total)
            for direction, arm, lengths in zip(DIRECTIONS, around, every, strict=True):
                first = TRUE  # an arm of one length is no choice
                if len(lengths) > 1:
                    name = f"{direction}[{r},{c}]"
                    first = cells.builder.choice(name, lengths, family="arm").first
                sights.append(Sight(first, arm[: lengths[-1] + 1], lengths))
        if sum(len(s.arm) * len(s.lengths) for s in sights) > LENGTH_LIMIT:
            raise TooLarge(f"the arms have more than {LENGTH_LIMIT:,} pairs of a length and a cell")
        sight, length, literal = _lengths_of(sights)
        cells.builder.rows(self.family).add(
            literal, length, rows=sight // 4, lower=rest, upper=rest
        )
        _add_sights(cells, sights)
        return [sight for sight in sights if sight.first != TRUE]

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Numbers on black cells, and numbers that see more or fewer cells.

        The first hundred of these name the cells that they see, the others their own only.
        """
        answer = np.asarray(answer)
        white, seen, columns = answer == 0, seen_from(answer), answer.shape[1]
        right = white & ((seen == self.grid) | (self.grid == UNKNOWN))
        wrong = np.argwhere((self.grid != 0) & ~right).tolist()
        for i, (r, c) in enumerate(wrong):
            rule, what = "number", "is black"
            cells: list[Cell] = [(r, c)]
            if white[r, c]:
                rule, what = "sight", f"sees {seen[r, c]} white cells"
                for arm in arms(answer.shape, r, c) if i < _NAMED else ():
                    cells += cells_of(arm[: reach(answer, arm)], columns)
            number = self.grid[r, c]
            named = "the circle" if number == UNKNOWN else f"the number {number}"
            yield Violation(rule, f"{named} on ({r},{c}) {what}", tuple(cells))


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """The ``arms`` of a number, and its views: how far it sees along each, (views, 4)."""

    name: str
    arms: list[IntArray]
    views: IntArray

    def sights(self, first: int) -> list["Sight"]:
        """The arms, with the length of each view, by the literals of the views."""
        along = zip(self.arms, self.views.T, strict=True)
        return [Sight(first, arm, lengths) for arm, lengths in along]


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """Literals ``first + i``, or ``TRUE``, by which ``lengths[i]`` cells of an arm are seen."""

    first: int
    arm: IntArray
    lengths: Sequence[int] | IntArray


def number_at(grid: IntArray, r: int, c: int) -> Number:
    """The number of a cell and its views, given where the others stand."""
    around, blank = arms(grid.shape, r, c), grid.ravel() == 0
    lengths = [_lengths(blank[arm]) for arm in around]
    columns, rows = (
        np.stack(np.meshgrid(lengths[k], lengths[k + 2]), axis=-1).reshape(-1, 2) for k in (0, 1)
    )
    along, across = rows.sum(axis=1), columns.sum(axis=1)
    order = np.argsort(along, kind="stable")
    wanted = int(grid[r, c]) - 1 - across
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


def _write_views(numbers: Sequence[Number], answer: IntArray) -> list[Hashable]:
    """The view of each number."""
    views = [tuple(reach(answer, arm) for arm in number.arms) for number in numbers]
    for number, view in zip(numbers, views, strict=True):
        if not (number.views == view).all(axis=1).any():
            raise InputError("the answer breaks a number, so it is no choice of views")
    return [*views]


def _write_unused(count: int, _: IntArray) -> list[Hashable]:
    """Of boards with switches, whose answers are told by their cells."""
    return [_UNUSED] * count


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


def _add_sights(cells: Cells, sights: Sequence[Sight]) -> None:
    """[open] and [end] of all sights."""
    arm, cell, distance = _joined([s.arm for s in sights])
    sight, length, literal = _lengths_of(sights)
    # Each cell of an arm with each length of it.
    count = np.bincount(sight, minlength=len(sights))
    each, start = count[arm], (np.cumsum(count) - count)[arm]
    row = np.repeat(np.arange(len(cell)), each)
    pair = np.arange(len(row)) + np.repeat(start - np.cumsum(each) + each, each)
    white = cells.of(0)[cell]
    free, beyond = (white != TRUE)[row], length[pair] - distance[row]
    for family, taken, sign in (
        ("open", free & (beyond > 0), -1),
        ("end", free & (beyond == 0), 1),
    ):
        # sum of what sees beyond <= white; sum of what ends there + white <= 1
        rows, number = np.unique(row[taken], return_inverse=True)
        cells.builder.rows(family).add(
            np.append(literal[pair[taken]], white[rows]),
            np.repeat([1, sign], [len(number), len(rows)]),
            rows=np.append(number, np.arange(len(rows))),
            upper=max(sign, 0),
        )
    # Nothing ends at a cell that is white anyhow.
    never = np.unique(literal[pair[~free & (beyond == 0)]])
    cells.builder.rows("end").add(never[:, None], upper=0)


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


def arms(shape: tuple[int, int], r: int, c: int) -> list[IntArray]:
    """The cells above one, right of it, below and left, nearest first, by row-major number."""
    cells = np.arange(shape[0] * shape[1]).reshape(shape)
    return [cells[:r, c][::-1], cells[r, c + 1 :], cells[r + 1 :, c], cells[r, :c][::-1]]


def _can_see(grid: IntArray, known: BoolArray, arm: IntArray) -> list[int]:
    """How many cells of an arm can be seen, by what is known."""
    is_known, black = known.ravel()[arm], (known & (grid != 0)).ravel()[arm]
    ends = [*(black | ~is_known), True]  # where it can be
    return [n for n in range(int(np.argmax([*black, True])) + 1) if ends[n]]


def reach(answer: IntArray, arm: IntArray) -> int:
    """How many cells of an arm there are before the first black one."""
    return int(np.argmax([*answer.ravel()[arm], 1]))


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
