"""Linear rows as clauses: units, groups of them that exclude each other, one literal a group.

See ``cnf`` for the idea and its source.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile.clauses import FALSE, TRUE, Clauses
from qubopuzzle.compile.encoding import Encoding
from qubopuzzle.model import IntArray, IntMatrix, Linear, Model
from qubopuzzle.model.order import Precedences
from qubopuzzle.model.propagation import reachable


def at_least(bits: Encoding, choice: IntArray, index: IntArray) -> IntArray:
    """The literal "a choice on walls takes its index-th value or a later one", any shape."""
    variable = bits.first_bit[choice] + index
    constant = np.where(index <= 0, TRUE, FALSE)
    inside = (index > 0) & (index < bits.model.sizes[choice])
    return np.where(inside, variable, constant)


def value_of(bits: Encoding, literal: IntArray) -> IntArray:
    """The variable of a value of a choice that is not on walls."""
    choice = bits.model.choice_of_literal[literal]
    return bits.first_bit[choice] + literal - bits.model.first_literal[choice] + 1


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Where each choice stands: its path, its number there, the gaps before it; (choices,)."""

    path: IntArray
    position: IntArray
    ahead: IntArray
    number: IntArray

    @classmethod
    def of(cls, model: Model, order: Precedences) -> Places:
        """Find them."""
        n = len(model.choices)
        position, ahead = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        paths, edges = order.paths()
        path = np.arange(n) + len(paths)  # a choice on no path is one of its own
        if paths:
            lengths = np.array([len(members) for members in paths])
            choices, through = np.concatenate(paths), np.concatenate(edges)
            gap = np.zeros(n, dtype=np.int64)
            gap[order.second[through]] = order.gap[through]
            path[choices] = np.repeat(np.arange(len(paths)), lengths)
            starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
            position[choices] = np.arange(len(choices)) - starts
            total = np.cumsum(gap[choices])
            ahead[choices] = total - total[starts]
        return cls(path, position, ahead, order.number)


@dataclass(frozen=True, slots=True, eq=False)
class _Units:
    """The choice's value is among these: terms of a row with one coefficient; (units,) each.

    On walls the values lie from index ``low`` to ``high`` without a hole. Of others
    ``members[low : high + 1]`` are the literals. Sorted by row, coefficient, path and place.
    """

    row: IntArray
    coefficient: IntArray
    choice: IntArray
    low: IntArray
    high: IntArray
    members: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """Units ``first`` to ``last``, one row and coefficient, no two of them true together.

    ``literal`` is true exactly if one of the units is: one that is there, or 0 for none yet.
    (groups,) each, sorted by row.
    """

    row: IntArray
    coefficient: IntArray
    first: IntArray
    last: IntArray
    literal: IntArray


def add_rows(
    bits: Encoding, place: Places, block: Linear, clauses: Clauses, *, all_rows: bool = True
) -> IntArray:
    """Add a block of linear constraints.

    With ``all_rows`` false, only those that are one group or "group = group" and those that
    nothing can meet; returns the numbers of the rows left to do.
    """
    low, high = reachable(bits.model, block.matrix)
    if ((low > block.upper) | (high < block.lower)).any():
        clauses.add_few([[]])
        return np.zeros(0, dtype=np.int64)
    (rows,) = np.nonzero((low < block.lower) | (high > block.upper))
    units = _units(bits, place, block.matrix[rows])
    groups = _groups(bits, place, units)
    named = _Rows(groups, block.lower[rows], block.upper[rows], clauses)
    named.equal_pairs()
    named.single()
    if all_rows:
        named.others(units)
    (defined,) = np.nonzero((groups.literal == 0) & (named.literal != 0))
    _define(bits, units, groups, defined, named.literal[defined], clauses)
    left: IntArray = rows[named.left]
    return left


def rows_of(matrix: IntMatrix) -> IntArray:
    """The row of each term of a sparse matrix, (terms,)."""
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))


def stretches(
    row: IntArray,
    literal: IntArray,
    choice: IntArray,
    coefficient: IntArray,
    wall: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Where terms of another row, choice or coefficient begin, or a hole ends; (terms,) each."""
    new = np.ones(len(row), dtype=bool)
    new[1:] = wall[1:] & (literal[1:] != literal[:-1] + 1)
    for column in (row, choice, coefficient):
        new[1:] |= column[1:] != column[:-1]
    return new


def _units(bits: Encoding, place: Places, matrix: IntMatrix) -> _Units:
    model = bits.model
    row, literal = rows_of(matrix), matrix.indices
    coefficient, choice = matrix.data, model.choice_of_literal[literal]
    wall = bits.walls[choice]
    if not wall.all():  # a choice that is not on walls may have its members anywhere
        ordered = np.lexsort((literal, np.where(wall, 0, coefficient), choice, row))
        row, literal, coefficient, choice, wall = (
            values[ordered] for values in (row, literal, coefficient, choice, wall)
        )
    first = np.flatnonzero(stretches(row, literal, choice, coefficient, wall))
    last = np.append(first, len(row))[1:] - 1
    own, on_wall = choice[first], wall[first]
    low, high = (
        np.where(on_wall, literal[ends] - model.first_literal[own], ends) for ends in (first, last)
    )
    columns = row[first], coefficient[first], own, low, high
    keys = low, place.position[own], place.path[own], coefficient[first], row[first]
    ordered = np.lexsort(keys)
    row, coefficient, own, low, high = (column[ordered] for column in columns)
    return _Units(row, coefficient, own, low, high, literal)


def _groups(bits: Encoding, place: Places, units: _Units) -> _Groups:
    path = place.path[units.choice]
    same = np.zeros(len(path), dtype=bool)  # as the unit before
    same[1:] = path[1:] == path[:-1]
    for column in (units.row, units.coefficient):
        same[1:] &= column[1:] == column[:-1]
    apart = ~same
    apart[1:] |= _exclusive(bits, place, units)
    first = np.flatnonzero(~same)
    if len(first):
        # Units that do not exclude the next one spoil their group: each is one by itself.
        spoiled = ~np.logical_and.reduceat(apart, first)
        first = np.flatnonzero(~same | spoiled[np.cumsum(~same) - 1])
    last = np.append(first, len(path))[1:] - 1
    literal = np.where(first == last, _ready(bits, units, first), 0)
    return _Groups(units.row[first], units.coefficient[first], first, last, literal)


def _exclusive(bits: Encoding, place: Places, units: _Units) -> NDArray[np.bool_]:
    """Whether each unit, on walls of the same path as the next, excludes it, (units - 1,).

    For the next choice's value is at least this one's and the gaps between them.
    """
    one, two = units.choice[:-1], units.choice[1:]
    wall = bits.walls[one] & bits.walls[two] & (one != two)
    first = bits.model.first_literal
    own = place.number[np.where(wall, first[one] + units.low[:-1], 0)]
    others = place.number[np.where(wall, first[two] + units.high[1:], 0)]
    found: NDArray[np.bool_] = wall & (own + place.ahead[two] - place.ahead[one] > others)
    return found


def _ready(bits: Encoding, units: _Units, chosen: IntArray) -> IntArray:
    """The literal that is a unit by itself, or 0 where there is none."""
    choice, low, high = units.choice[chosen], units.low[chosen], units.high[chosen]
    wall = bits.walls[choice]
    below = -at_least(bits, choice, high + 1)
    above = at_least(bits, choice, low)
    on_wall = np.where(low == 0, below, np.where(below == TRUE, above, 0))
    alone = value_of(bits, units.members[np.where(wall, 0, low)])
    return np.where(wall, on_wall, np.where(low == high, alone, 0))


class _Rows:
    """Rows over groups: each gets its clauses, and its groups the literals that these need.

    ``literal`` (groups,) starts as ``groups.literal``; ``left`` (rows,) are still to do.
    """

    def __init__(self, groups: _Groups, lower: IntArray, upper: IntArray, clauses: Clauses) -> None:
        self.groups, self.lower, self.upper, self.clauses = groups, lower, upper, clauses
        self.literal = groups.literal.copy()
        self.count = np.bincount(groups.row, minlength=len(lower))
        self.start = np.cumsum(self.count) - self.count
        self.left = np.ones(len(lower), dtype=bool)

    def equal_pairs(self) -> None:
        """Rows "this group = that group": one literal for both."""
        (row,) = np.nonzero((self.count == 2) & (self.lower == 0) & (self.upper == 0))
        one = self.start[row]
        opposite = self.groups.coefficient[one] == -self.groups.coefficient[one + 1]
        row, one = row[opposite], one[opposite]
        self.left[row] = False
        two, literal = one + 1, self.literal
        free = one[(literal[one] == 0) & (literal[two] == 0)]
        literal[free] = self.clauses.fresh(len(free))
        for here, there in ((one, two), (two, one)):
            missing = literal[here] == 0
            literal[here[missing]] = literal[there[missing]]
        differ = literal[one] != literal[two]
        self.clauses.add(-literal[one][differ], literal[two][differ])
        self.clauses.add(literal[one][differ], -literal[two][differ])

    def single(self) -> None:
        """Rows of one group: it is true, or false, or free and then needs no literal."""
        (row,) = np.nonzero(self.left & (self.count == 1))
        self.left[row] = False
        one = self.start[row]
        coefficient, lower, upper = self.groups.coefficient[one], self.lower[row], self.upper[row]
        off = (lower <= 0) & (upper >= 0)
        on = (lower <= coefficient) & (upper >= coefficient)
        if (~off & ~on).any():
            self.clauses.add_few([[]])
        fixed = off ^ on
        one, value = one[fixed], np.where(on, TRUE, FALSE)[fixed]
        there = self.literal[one] != 0
        self.clauses.add(np.where(value == TRUE, self.literal[one], -self.literal[one])[there])
        self.literal[one[~there]] = value[~there]

    def others(self, units: _Units) -> None:
        """All other rows, one by one; groups of one choice exclude each other, too."""
        nameless = np.flatnonzero((self.literal == 0) & self.left[self.groups.row])
        self.literal[nameless] = self.clauses.fresh(len(nameless))
        alone = self.groups.first == self.groups.last
        # A group of several choices gets a number of its own instead of a choice.
        block = np.where(alone, units.choice[self.groups.first], -1 - np.arange(len(alone)))
        columns = (self.groups.coefficient, self.literal, block)
        for row in np.flatnonzero(self.left).tolist():
            own = slice(self.start[row], self.start[row] + self.count[row])
            blocks: dict[int, list[tuple[int, int]]] = {}
            for coefficient, literal, number in zip(
                *(c[own].tolist() for c in columns), strict=True
            ):
                blocks.setdefault(number, []).append((coefficient, literal))
            low, high = int(self.lower[row]), int(self.upper[row])
            self.clauses.linear(list(blocks.values()), low, high)
        self.left[:] = False


def _define(
    bits: Encoding,
    units: _Units,
    groups: _Groups,
    chosen: IntArray,
    literal: IntArray,
    clauses: Clauses,
) -> None:
    """``literal`` is true exactly if one of the units of its group is, (chosen,)."""
    wall = bits.walls[units.choice[groups.first[chosen]]]
    _define_on_walls(bits, units, groups, chosen[wall], literal[wall], clauses)
    for group, own in zip(chosen[~wall].tolist(), literal[~wall].tolist(), strict=True):
        unit = groups.first[group]
        members = value_of(bits, units.members[units.low[unit] : units.high[unit] + 1])
        first, stop = bits.first_bit[units.choice[unit] : units.choice[unit] + 2].tolist()
        rest = np.setdiff1d(np.arange(first + 1, stop + 1), members)
        clauses.add(-members, own)
        clauses.add(-rest, -own)
        clauses.add_rows(np.append(members, -own)[None])
        clauses.add_rows(np.append(rest, own)[None])


def _define_on_walls(
    bits: Encoding,
    units: _Units,
    groups: _Groups,
    chosen: IntArray,
    literal: IntArray,
    clauses: Clauses,
) -> None:
    sizes = groups.last[chosen] - groups.first[chosen] + 1
    starts = np.cumsum(sizes) - sizes
    unit = np.repeat(groups.first[chosen] - starts, sizes) + np.arange(int(sizes.sum()))
    own = np.repeat(literal, sizes)
    choice = units.choice[unit]
    reached = at_least(bits, choice, units.low[unit])
    passed = at_least(bits, choice, units.high[unit] + 1)
    clauses.add(-reached, passed, own)
    # Not all before it below and all after it above: one clause in front of each unit ...
    before = np.full(len(unit), FALSE)
    inner = np.ones(len(unit), dtype=bool)
    inner[starts] = False
    before[inner] = reached[np.flatnonzero(inner) - 1]
    clauses.add(-own, before, -passed)
    # ... and one behind the last.
    clauses.add(-literal, reached[starts + sizes - 1])
