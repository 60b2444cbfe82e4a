"""What is seen from the sides of a square: how many heights of a line, or which value first."""

import operator
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from typing import Any, TypeAlias

import numpy as np

from qubopuzzle.base.places import listed
from qubopuzzle.errors import InputError, PuzzleError, TooLarge
from qubopuzzle.model import FALSE, TRUE, IntArray, ModelBuilder
from qubopuzzle.puzzles.base import Violation
from qubopuzzle.puzzles.vocabulary.cells import At, Cells, Part, Write, add_by_key
from qubopuzzle.puzzles.vocabulary.grids import BoolArray, CanArray, cells_of
from qubopuzzle.puzzles.vocabulary.kind import Kind, clues_of
from qubopuzzle.puzzles.vocabulary.rules import Rule
from qubopuzzle.puzzles.vocabulary.words import counted, wrongly

SIDE_LIMIT = 16
"""Most heights of a line of which there is a model."""
MOST_OPEN = 6
"""Open cells of a line whose orders are tried for words."""
SIDES = ("top", "bottom", "left", "right")
"""Fields with a clue a line, seen from there."""
View: TypeAlias = tuple[IntArray, int, tuple[str, int]]
"""The cells of a line from its clue on, the clue, and its tag: the side, and its place there."""


def lines_from(grid: IntArray) -> dict[str, IntArray]:
    """The lines of a grid as each side sees them, (lines, cells).

    >>> [lines.tolist() for lines in lines_from(np.array([[1, 2], [3, 4]])).values()]
    [[[1, 3], [2, 4]], [[3, 1], [4, 2]], [[1, 2], [3, 4]], [[2, 1], [4, 3]]]
    """
    return dict(zip(SIDES, (grid.T, grid.T[:, ::-1], grid, grid[:, ::-1]), strict=True))


def views_of(puzzle: Kind) -> list[View]:
    """The views of all clues at the sides of a puzzle."""
    lines, blank = lines_from(np.arange(puzzle.cells).reshape(puzzle.shape)), _blank(puzzle)
    return [
        (lines[side][i], number, (side, i))
        for side in SIDES
        for i, number in enumerate(getattr(puzzle, side).tolist())
        if number != blank
    ]


def fit_sides(puzzle: Kind) -> None:
    """Sides that are missing have no clues; PuzzleError for those of another length."""
    for side, count in zip(SIDES, np.repeat(puzzle.shape[::-1], 2).tolist(), strict=True):
        line = getattr(puzzle, side)
        if line is None:
            object.__setattr__(puzzle, side, np.full(count, _blank(puzzle)))
        elif len(line) != count:
            raise PuzzleError(f"{side} has {len(line)} values, expected {count}")


def line_of(lines: Sequence[View], at: At) -> IntArray:
    """The cells along which a clue sees."""
    return next(line for line, _, tag in lines if tag == at)


def clue_of(lines: Sequence[View], at: At) -> int:
    """The clue itself."""
    return next(clue for _, clue, tag in lines if tag == at)


def words_beside(puzzle: Kind, show: Callable[[int], str] = str) -> dict[str, Any]:
    """The clues at the sides as a picture has them."""
    lines = {side: getattr(puzzle, side).tolist() for side in SIDES}
    return {side: tuple((show(n),) * (n > 0) for n in line) for side, line in lines.items()}


def _blank(puzzle: Kind) -> int | None:
    return clues_of(type(puzzle))[SIDES[0]].blank


def seen(heights: Any) -> int:
    """How many of some heights are seen from the first."""
    return len({*np.maximum.accumulate(heights).tolist()})


def _steps(n: int, place: int) -> IntArray:
    """What there can be at a place of a line, (steps, 3), places from 0 on.

    The highest and how many are seen before it, 0 at the first place, and its height.
    """
    highest, count = np.mgrid[place : n + 1, min(place, 1) : place + 1].reshape(2, -1)
    there = (count <= highest) & ((highest > 0) == (place > 0))
    before = np.repeat(np.column_stack([highest, count])[there], n, axis=0)
    height = np.arange(len(before)) % n + 1
    steps: IntArray = np.column_stack([before, height])[height != before[:, 0]]
    return steps


def _after(steps: IntArray) -> tuple[IntArray, IntArray]:
    """The highest behind each step, and how many are seen."""
    highest, count, height = steps.T
    return np.maximum(highest, height), count + (height > highest)


def _choice_of(builder: ModelBuilder, name: str, family: str, steps: IntArray) -> IntArray:
    """The literals of a choice over steps; of none of them there is no solution."""
    if not len(steps):
        builder.at_least_one(family, [[]])
        return np.zeros(0, dtype=np.int64)
    return np.array(builder.choice(name, [*map(tuple, steps.tolist())], family).literals)


@dataclass(frozen=True, eq=False)
class Views(Rule):
    """So many are seen along each line.

    In the model a choice for each place of a line, over its height with the highest before it and
    how many are seen before it. These lead to the same of the next place, so that a line is a walk
    through the states of an automaton. At most n^3 / 2 values a place; an order has one assignment.
    """

    family: str
    lines: Sequence[View]

    def about(self, at: At) -> IntArray:
        """The line of a clue."""
        return line_of(self.lines, at)

    def asks(self, at: At, grid: IntArray, known: BoolArray) -> str:
        """How many are seen, the last of them the highest, and what that says of those before."""
        line, number = self.about(at), clue_of(self.lines, at)
        heights, is_known = grid.ravel()[line], known.ravel()[line]
        highest, before = len(line), number - 1
        asked = "{} is how many buildings are seen from there"
        if is_known.all():
            return f"{asked}: {seen(heights)} are"
        if number == 1:
            return f"{asked}: the {highest} comes first"
        place = int(np.argmax(is_known & (heights == highest)))
        if not (is_known[place] and heights[place] == highest):
            first = f"one of the first {before}" if before > 1 else "first"
            return f"{asked}, the last of them the {highest}, which is not {first}"
        (there,) = cells_of(line[[place]], grid.shape[1])
        asked = f"{asked}, the last of them the {highest} in {there}"
        if place < before:
            return f"{asked}: {place + 1} at most are"
        if place == before:
            return f"{asked}, so all before it rise" if before > 1 else asked
        are = "is" if before == 1 else "are"
        return f"{asked}, so {before} of the {place} before it {are} seen"

    def why(self, at: At, grid: IntArray, known: BoolArray, cell: int | None) -> str:
        """How many would be seen if a cell were not as it is."""
        line, number = self.about(at), clue_of(self.lines, at)
        if cell not in line or np.count_nonzero(~known.ravel()[line]) > MOST_OPEN:
            return ""
        heights = np.where(known.ravel()[line], grid.ravel()[line], 0)
        left, (place,) = np.flatnonzero(heights == 0), np.flatnonzero(line == cell)
        missing = sorted({*range(1, len(line) + 1)} - {*heights.tolist()})
        orders = [*permutations(missing, len(left))]
        every = np.tile(heights, (len(orders), 1))
        every[:, left] = orders
        others = every[every[:, place] != grid.flat[line[place]]]
        would = wrongly(number, {seen(each) for each in others})
        return f"otherwise {would} would be seen" if would else ""

    def fits(self, at: At, can: CanArray, cell: int, left: Collection[int]) -> str:
        """How many would be seen if a cell were not as it is, of the heights that are left.

        And which heights it cannot have as they stand elsewhere in the line.
        """
        line, number = self.about(at), clue_of(self.lines, at)
        if cell not in line:
            return ""
        those, (place,) = [can.flat[one] for one in line.tolist()], np.flatnonzero(line == cell)
        pairs = zip(line.tolist(), those, strict=True)
        at_one = {h: c for c, (h, *more) in pairs if not more and c != cell}
        lost = {*those[place]} - {*left}
        there = [
            f"the {h} is in {divmod(at_one[h], can.shape[1])}" for h in sorted(lost & {*at_one})
        ]
        once = f"each height stands once, and {listed(there)}" if there else ""
        if len(line) <= MOST_OPEN:
            others = (
                order
                for order in permutations(range(1, len(line) + 1))
                if order[place] not in left and all(map(operator.contains, those, order))
            )
            if would := wrongly(number, {*map(seen, others)}):
                so = f"; {once}" if once else ""
                return f"{{}}: otherwise {would} would be seen, with what is left{so}"
        return once

    def constrain(self, cells: Cells) -> Write:
        """Steps have the height that stands there, and go on where the step before ended."""
        n = len(cells.values)
        if n > SIDE_LIMIT:
            raise TooLarge(f"lines of {n} heights; at most {SIDE_LIMIT} have a model")
        for line, number, tag in self.lines:
            with cells.stating(tag):
                self._add(cells, line, number, tag)
        return partial(self._written, any_number=cells.switched)

    def _add(self, cells: Cells, line: IntArray, number: int, tag: tuple[str, int]) -> None:
        n, family, builder = len(line), self.family, cells.builder
        left: list[Part] = []  # the states behind the last place, by the literals of their steps
        for place, cell in enumerate(line.tolist()):
            steps = _steps(n, place)
            steps = steps[cells.literals[cell, steps[:, 2] - 1] != FALSE]
            if not cells.switched:  # the rest of the line can still make it the number
                highest, count = _after(steps)
                more, least = number - count, (highest < n).astype(int)
                steps = steps[(more >= least) & (more <= np.minimum(n - highest, n - 1 - place))]
            (before, seen_before, height), (highest, count) = steps.T, _after(steps)
            literals = _choice_of(builder, f"{tag[0]}[{tag[1]}] {place}", family, steps)
            shown: list[Part] = [(np.arange(n), cells.literals[cell], -1)]
            add_by_key(builder, family, [(height - 1, literals, 1), *shown], 0, 0)
            if place:
                entered = before * (n + 1) + seen_before
                add_by_key(builder, family, [(entered, literals, 1), *left], 0, 0)
            left = [(highest * (n + 1) + count, literals, -1)]
        cells.literal_rows(family, literals[count != number][None], high=0, tags=[tag])

    def _written(self, answer: IntArray, *, any_number: bool) -> list[Hashable]:
        if not any_number:
            self.require(answer)
        written: list[Hashable] = []
        for line, _, _ in self.lines:
            heights = np.asarray(answer).ravel()[line].tolist()
            for place, height in enumerate(heights):
                before = heights[:place]
                written.append((max(before, default=0), seen(before), height))
        return written

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Lines along which another number is seen."""
        for line, number, (side, i) in self.lines:
            count = seen(np.asarray(answer).ravel()[line])
            if count != number:
                message = f"{side}[{i}] sees {count}, not {number}"
                yield Violation(self.family, message, cells_of(line, answer.shape[1]))


@dataclass(frozen=True, eq=False)
class FirstSeen(Rule):
    """Of some values, each of which stands once in a line, the first along it is this one.

    In the model another of them stands on a cell only if this one does not stand there or later.
    ``by_place``: it has a choice a line instead, over the places where its value may stand first:
    there it stands, and none of them before. ``show``: what a value is called in messages.
    """

    family: str
    lines: Sequence[View]
    values: Sequence[int]
    show: Callable[[int], str] = str
    by_place: bool = False

    def about(self, at: At) -> IntArray:
        """The line of a clue."""
        return line_of(self.lines, at)

    def asks(self, at: At, grid: IntArray, known: BoolArray) -> str:
        """Which is first, and where it can be, as all other letters stand behind it."""
        line, value = self.about(at), clue_of(self.lines, at)
        is_known, has = known.ravel()[line], np.isin(grid.ravel()[line], self.values)
        end = int(np.argmax([*(is_known & has), True])) + 1
        may = line[: min(end, self._last(line) + 1)]
        may = may[~(is_known & ~has)[: len(may)]]
        there = line[is_known & (grid.ravel()[line] == value)]
        left = cells_of(there if len(there) else may, grid.shape[1])
        where = f": it can only be in {listed(left, 'or')}" if left else ""
        return f"{{}} comes first from there, all others behind it{where}"

    def fits(self, at: At, can: CanArray, cell: int, left: Collection[int]) -> str:
        """Where it can only be, as it is the first; or that no other one stands before it."""
        line, first = self.about(at), clue_of(self.lines, at)
        places = []
        for place in line[: self._last(line) + 1].tolist():
            places += [place] * (first in can.flat[place])
            if {*can.flat[place]} <= {*self.values}:
                break  # what stands here is the first
        if not places:
            return "no cell is left for {}, with all other letters behind it"
        columns = can.shape[1]
        lost = {*can[divmod(cell, columns)]} - {*left}
        there = listed(cells_of(np.array(places), columns), "or")
        behind = counted(len(self.values) - 1, "letters")
        if places == [cell] and [*left] == [first]:
            return f"{{}} comes first, {behind} behind it: only there is left"
        if lost == {first} and cell not in places:
            return f"{{}} comes first, {behind} behind it: it can only be in {there}"
        order, others = line.tolist(), {*self.values} - {first}
        is_before = cell in order and order.index(cell) < min(map(order.index, places))
        if is_before and lost <= others:
            return f"{{}} comes first, and it can only be in {there}, behind this cell"
        return ""

    @property
    def is_clue(self) -> bool:
        """Each line is one."""
        return True

    def narrow(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """No other one stands on the first cell, and all of them follow."""
        cells = allowed.reshape(-1, len(values))
        for line, value, _ in self.lines:
            cells[line[0], np.isin(values, self.values) & (np.asarray(values) != value)] = False
            cells[line[self._last(line) + 1 :], values.index(value)] = False

    def _last(self, line: IntArray) -> int:
        """The last place where a value can be the first."""
        return max(0, len(line) - len(self.values))

    def constrain(self, cells: Cells) -> Write | None:
        """One at most is true of "another on a cell" and "this one there or later"."""
        if self.by_place:
            return self._choose_places(cells)
        among = np.isin(cells.values, self.values)
        for line, value, tag in self.lines:
            others = cells.literals[line][:, among & (np.array(cells.values) != value)]
            later = np.where(np.tri(len(line), dtype=bool).T, cells.of(value)[line], FALSE)
            says = (others != FALSE).any(axis=1) & np.triu(later != FALSE, 1).any(axis=1)
            rows = np.column_stack([others, later])[says]
            labels = [f"{tag[0]}[{tag[1]}] cell {t}" for t in np.flatnonzero(says).tolist()]
            with cells.stating(tag):  # which may ask for nothing
                if labels:
                    tags, how = [tag] * len(rows), {"low": 0, "high": 1}
                    cells.literal_rows(self.family, rows, tags=tags, labels=labels, **how)
                if cells.stated:  # as the words say: before each other one, and all stand behind it
                    before = np.where(
                        np.tri(len(line), k=-1, dtype=bool), cells.of(value)[line], FALSE
                    )
                    signs = np.repeat([1, -1], [len(line), others.shape[1]])
                    cells.literal_rows(self.family, np.hstack([before, others]), signs, low=0)
                    behind = cells.of(value)[line[self._last(line) + 1 :]]
                    cells.literal_rows(self.family, behind[None], high=0)
                    front = cells.of(value)[line[: self._last(line) + 1]]
                    cells.literal_rows(self.family, front[None], low=1)
        return None

    def _choose_places(self, cells: Cells) -> Write:
        """``[place = t] <= it stands on t`` and ``[place > t] <= none of them stands on t``."""
        among, every = np.isin(cells.values, self.values), []
        for line, value, (side, i) in self.lines:
            there, literals = cells.of(value)[line], cells.literals[line]
            # It is seen at the first value that is given, or before it.
            given = (literals[: self._last(line), among] == TRUE).any(axis=1)
            end = int(np.argmax([*given, True]))
            places = np.flatnonzero(there[: end + 1] != FALSE).tolist() or [end]
            chosen = cells.builder.choice(f"{side}[{i}]", places, "clue").literals
            labels = [f"{side}[{i}] cell {t}" for t in range(places[-1] + 1)]
            rows = np.column_stack([there[places], chosen])
            at = [labels[t] for t in places]
            cells.literal_rows(self.family, rows, [1, -1], low=0, high=1, labels=at)
            before = np.arange(places[-1])[:, None]
            rest = literals[: places[-1], ~among]
            rows = np.column_stack([rest, np.where(np.array(places) > before, chosen, FALSE)])
            signs = np.repeat([1, -1], [rest.shape[1], len(places)])
            cells.literal_rows("blank", rows, signs, low=0, high=1, labels=labels[:-1])
            every.append(places)
        return partial(self._written, every)

    def _written(self, places: Sequence[Sequence[int]], answer: IntArray) -> list[Hashable]:
        """Where each clue sees a value first."""
        flat = np.isin(answer, self.values).ravel()
        first = [int(np.argmax(flat[line])) for line, _, _ in self.lines]
        if any(place not in known for place, known in zip(first, places, strict=True)):
            raise InputError("a clue sees its value where it cannot stand")
        return [*first]

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Lines along which another one is first, or none."""
        flat = np.asarray(answer).ravel()
        for line, value, (side, i) in self.lines:
            first = next((v for v in flat[line].tolist() if v in self.values), 0)
            if first != value:
                message = f"{side}[{i}] sees {self.show(first)}, its clue is {self.show(value)}"
                yield Violation(self.family, message, cells_of(line, answer.shape[1]))
