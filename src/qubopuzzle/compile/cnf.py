"""CNF: a formula whose models are exactly the assignments that meet the model.

Choices under a precedence, or asked for stretches of values, get **order variables** ("at
least the v-th value", the bits of a domain wall; Tamura et al., Constraints 14, 254, 2009),
others one variable a value. A precedence is then one clause of two literals a value, and "the
value lies in lo .. hi" is two literals. What makes nonograms small: a row's terms along a
path of precedences that exclude each other, such as the runs that may cover a cell, become
one variable y with

- ``c_k in lo_k .. hi_k -> y`` for each choice k of the path, and
- ``y -> not (c_k < lo_k and c_{k+1} > hi_{k+1})`` for each two neighbours and both ends,

complete because the precedences make "below" and "above" change sides only once. A row
"terms of one path = terms of another" is one y for both, so that a cell costs no equation.
Other rows become clauses, at-most-one ladders, counters or decision diagrams (``clauses``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile.clauses import Clauses
from qubopuzzle.compile.compiled import Compiled
from qubopuzzle.compile.encoding import FALSE, TRUE, Encoding, lay_out
from qubopuzzle.model import Cut, IntArray, IntMatrix, Linear, Model
from qubopuzzle.model.data import as_before
from qubopuzzle.model.order import Paths, Precedences
from qubopuzzle.model.propagation import reachable


@dataclass(frozen=True, eq=False)
class ClauseModel(Compiled):
    """What a formula and a CP-SAT model share: variables 1 .. ``bits.n_bits`` are the choices'.

    ``node`` (literals,) is the clause literal for each literal that cuts speak of, 0 for others.
    """

    n_variables: int
    node: IntArray

    def clause_of(self, cut: Cut) -> list[int]:
        """A cut as a clause of DIMACS literals."""
        clause = np.concatenate([self.node[cut.true], -self.node[cut.false]])
        return [literal for literal in dict.fromkeys(clause.tolist()) if literal != FALSE]


@dataclass(frozen=True, eq=False)
class Cnf(ClauseModel):
    """A formula; variables 1 .. ``bits.n_bits`` are the choices', the others auxiliary.

    ``batches`` are arrays of clauses, shape (clauses, width) each. ``contradiction`` says
    that it holds the empty clause, too.
    """

    batches: tuple[IntArray, ...]
    contradiction: bool

    @property
    def sizes(self) -> dict[str, int]:
        """Variables and clauses."""
        return {"variables": self.n_variables, "clauses": self.n_clauses}

    @property
    def n_clauses(self) -> int:
        """Number of clauses, the empty one included."""
        return sum(map(len, self.batches)) + self.contradiction

    def clauses(self) -> Iterator[list[int]]:
        """All clauses but the empty one, as lists of DIMACS literals."""
        return chain.from_iterable(batch.tolist() for batch in self.batches)

    def to_dimacs(self, more: Sequence[Sequence[int]] = ()) -> str:
        """The formula as a DIMACS file, with the names of the choices' variables as comments."""
        labels = (" ".join(label.split()) for label in self.labels())
        names = [f"c {v} {label}" for v, label in enumerate(labels, start=1)]
        clauses = [*self.clauses(), *more, *([[]] if self.contradiction else [])]
        head = f"p cnf {self.n_variables} {len(clauses)}"
        lines = (" ".join(map(str, [*clause, 0])) for clause in clauses)
        return "\n".join([*names, head, *lines, ""])


def compile_cnf(model: Model) -> Cnf:
    """Compile.

    Raises:
        TooLarge: if the formula would not fit in memory.
    """
    clauses = Clauses()
    bits, node, _ = add_model(model, clauses)
    return Cnf(bits, clauses.n_variables, node, clauses.finish(), clauses.contradiction)


def add_model(
    model: Model, clauses: Clauses, *, all_rows: bool = True
) -> tuple[Encoding, IntArray, list[tuple[Linear, IntArray]]]:
    """Add a model to no clauses yet.

    Returns the choices' variables, ``ClauseModel.node``, and for each block the numbers of the
    rows that are left to do: none if ``all_rows``, else all that are neither one group nor
    "group = group".
    """
    order = Precedences(model)
    bits = order_bits(model, order)
    clauses.fresh(bits.n_bits)
    _choices(bits, clauses)
    which, index, too_low = order.thresholds()  # first >= v -> second >= v + gap
    reached = bits.at_least(order.first[which], index)
    clauses.add(-reached, bits.at_least(order.second[which], too_low))
    place = order.paths()
    left = [
        (block, _add_rows(bits, place, block, clauses, all_rows=all_rows)) for block in model.linear
    ]
    return bits, _nodes(bits, clauses), left


def order_bits(model: Model, order: Precedences) -> Encoding:
    """Order variables for choices under a precedence, of two values, or asked for stretches.

    The last are choices of whole numbers that rows ask for stretches of values, not for one.
    """
    terms, asked = np.zeros((2, len(model.choices)), dtype=np.int64)
    for block in model.linear:
        literal, coefficient = block.matrix.indices, block.matrix.data
        choice = model.choice_of_literal[literal]
        stretch = literal - np.arange(len(literal))
        new = ~as_before(block.matrix.tocoo(copy=False).row, stretch, choice, coefficient)
        terms += np.bincount(choice, minlength=len(terms))
        asked += np.bincount(choice[new], minlength=len(terms))
    by_intervals = 2 * terms >= 3 * np.maximum(asked, 1)
    for number in np.flatnonzero(by_intervals).tolist():
        values = model.choices[number].values
        whole = isinstance(values, range) or all(isinstance(v, int) for v in values)
        by_intervals[number] = whole
    return lay_out(model, order.numbered | (model.sizes <= 2) | by_intervals, "order")


def _choices(bits: Encoding, clauses: Clauses) -> None:
    """Order variables fall from value to value; of others exactly one is true."""
    owner = np.repeat(np.arange(len(bits.domain_wall)), np.diff(bits.first_bit))
    (earlier,) = np.nonzero((owner[1:] == owner[:-1]) & bits.domain_wall[owner[1:]])
    clauses.add(-(earlier + 2), earlier + 1)
    sizes = bits.model.sizes
    for size in np.unique(sizes[~bits.domain_wall]).tolist():
        chosen = np.flatnonzero(~bits.domain_wall & (sizes == size))
        clauses.exactly_one(bits.first_bit[chosen][:, None] + np.arange(1, size + 1))


def _nodes(bits: Encoding, clauses: Clauses) -> IntArray:
    """One literal for each literal that cuts speak of, (literals,)."""
    model = bits.model
    node = np.zeros(model.n_literals, dtype=np.int64)
    for graph in model.graphs:
        literal = np.unique(graph.literals[node[graph.literals] == 0])
        choice = model.choice_of_literal[literal]
        index, wall = literal - model.first_literal[choice], bits.domain_wall[choice]
        reached, passed = bits.at_least(choice, index), bits.at_least(choice, index + 1)
        alone = np.where(reached == TRUE, -passed, reached)
        own = np.where(wall, alone, bits.value_of(literal))
        inner = wall & (np.abs(reached) != TRUE) & (np.abs(passed) != TRUE)
        own[inner] = clauses.fresh(int(inner.sum()))
        clauses.add(-own[inner], reached[inner])
        clauses.add(-own[inner], -passed[inner])
        clauses.add(own[inner], -reached[inner], passed[inner])
        node[literal] = own
    return node


# --- rows: units, groups of them that exclude each other, one literal a group ---


def _add_rows(
    bits: Encoding, place: Paths, block: Linear, clauses: Clauses, *, all_rows: bool
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
    own = _Rows(bits, place, block.matrix[rows], block.lower[rows], block.upper[rows], clauses)
    own.equal_pairs()
    own.single()
    if all_rows:
        own.others()
    own.define()
    left: IntArray = rows[own.left]
    return left


class _Rows:
    """Rows as sums of groups: each gets its clauses, and its groups the literals that these need.

    A **unit** is "the choice's value is among these", terms of a row with one coefficient. With
    order variables the values lie from index ``low`` to ``high`` without a hole, else they are
    the literals ``members[low : high + 1]``. (units,) each, by row, coefficient, path and place.

    A **group** is the units ``first`` to ``last``, of one ``row`` and ``coefficient``, of which no
    two are true together. ``literal`` is true exactly if one of them is: one that is there
    (``ready``), a new one, or 0 for none yet. (groups,) each; ``left`` (rows,) are still to do.
    """

    def __init__(
        self,
        bits: Encoding,
        place: Paths,
        matrix: IntMatrix,
        lower: IntArray,
        upper: IntArray,
        clauses: Clauses,
    ) -> None:
        self.bits, self.place, self.clauses = bits, place, clauses
        self.lower, self.upper = lower, upper
        self.row, self.coefficient = self._find_units(matrix)
        self.first, self.last = self._find_groups()
        self.row, self.coefficient = self.row[self.first], self.coefficient[self.first]
        self.ready = np.where(self.first == self.last, self._ready(), 0)
        self.literal = self.ready.copy()
        self.count = np.bincount(self.row, minlength=len(lower))
        self.start = np.cumsum(self.count) - self.count
        self.left = np.ones(len(lower), dtype=bool)

    def _find_units(self, matrix: IntMatrix) -> tuple[IntArray, IntArray]:
        """Row and coefficient of each unit; sets what else describes units."""
        model, place = self.bits.model, self.place
        row, literal = matrix.tocoo(copy=False).row, matrix.indices
        coefficient, choice = matrix.data, model.choice_of_literal[literal]
        wall = self.bits.domain_wall[choice]
        if not wall.all():  # without order variables members may lie anywhere
            ordered = np.lexsort((literal, np.where(wall, 0, coefficient), choice, row))
            row, literal, coefficient, choice, wall = (
                values[ordered] for values in (row, literal, coefficient, choice, wall)
            )
        hole = wall & ~as_before(literal - np.arange(len(literal)))
        first = np.flatnonzero(hole | ~as_before(row, choice, coefficient))
        last = np.append(first, len(row))[1:] - 1
        row, coefficient, choice, wall = (
            column[first] for column in (row, coefficient, choice, wall)
        )
        low, high = (
            np.where(wall, literal[ends] - model.first_literal[choice], ends)
            for ends in (first, last)
        )
        ordered = np.lexsort((low, place.position[choice], place.path[choice], coefficient, row))
        self.choice, self.low, self.high = choice[ordered], low[ordered], high[ordered]
        self.members = literal
        return row[ordered], coefficient[ordered]

    def _find_groups(self) -> tuple[IntArray, IntArray]:
        """First and last unit of each group."""
        same = as_before(self.place.path[self.choice], self.row, self.coefficient)
        apart = ~same
        apart[1:] |= self._exclusive()
        first = np.flatnonzero(~same)
        if len(first):
            # Units that do not exclude the next one spoil their group: each is one by itself.
            spoiled = ~np.logical_and.reduceat(apart, first)
            first = np.flatnonzero(~same | spoiled[np.cumsum(~same) - 1])
        return first, np.append(first, len(same))[1:] - 1

    def _exclusive(self) -> NDArray[np.bool_]:
        """Whether each unit, of a choice of the same path as the next, excludes it, (units - 1,).

        For the next choice's value is at least this one's and the gaps between them.
        """
        one, two = self.choice[:-1], self.choice[1:]
        wall = self.bits.domain_wall[one] & self.bits.domain_wall[two] & (one != two)
        first, place = self.bits.model.first_literal, self.place
        own = place.slack[np.where(wall, first[one] + self.low[:-1], 0)]
        others = place.slack[np.where(wall, first[two] + self.high[1:], 0)]
        return np.asarray(wall & (own > others))

    def _ready(self) -> IntArray:
        """The literal that is the first unit of each group by itself, or 0 for none."""
        bits, low, high = self.bits, self.low[self.first], self.high[self.first]
        choice = self.choice[self.first]
        wall = bits.domain_wall[choice]
        below, above = -bits.at_least(choice, high + 1), bits.at_least(choice, low)
        on_wall = np.where(low == 0, below, np.where(below == TRUE, above, 0))
        alone = bits.value_of(self.members[np.where(wall, 0, low)])
        return np.where(wall, on_wall, np.where(low == high, alone, 0))

    def equal_pairs(self) -> None:
        """Rows "this group = that group": one literal for both."""
        (row,) = np.nonzero((self.count == 2) & (self.lower == 0) & (self.upper == 0))
        one = self.start[row]
        opposite = self.coefficient[one] == -self.coefficient[one + 1]
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
        coefficient, lower, upper = self.coefficient[one], self.lower[row], self.upper[row]
        off = (lower <= 0) & (upper >= 0)
        on = (lower <= coefficient) & (upper >= coefficient)
        if (~off & ~on).any():
            self.clauses.add_few([[]])
        fixed = off ^ on
        one, value = one[fixed], np.where(on, TRUE, FALSE)[fixed]
        there = self.literal[one] != 0
        self.clauses.add(np.where(value == TRUE, self.literal[one], -self.literal[one])[there])
        self.literal[one[~there]] = value[~there]

    def others(self) -> None:
        """All other rows, one by one; groups of one choice exclude each other, too."""
        nameless = np.flatnonzero((self.literal == 0) & self.left[self.row])
        self.literal[nameless] = self.clauses.fresh(len(nameless))
        # A group of several choices gets a number of its own instead of a choice.
        several = -1 - np.arange(len(self.first))
        block = np.where(self.first == self.last, self.choice[self.first], several)
        columns = (self.coefficient, self.literal, block)
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

    def define(self) -> None:
        """Each new literal is true exactly if one of the units of its group is."""
        bits, clauses = self.bits, self.clauses
        (chosen,) = np.nonzero((self.ready == 0) & (self.literal != 0))
        wall = bits.domain_wall[self.choice[self.first[chosen]]]
        self._define_by_order(chosen[wall])
        for group in chosen[~wall].tolist():
            unit, own = self.first[group], self.literal[group]
            members = bits.value_of(self.members[self.low[unit] : self.high[unit] + 1])
            first, stop = bits.first_bit[self.choice[unit] : self.choice[unit] + 2].tolist()
            rest = np.delete(np.arange(first + 1, stop + 1), members - first - 1)
            clauses.add(-members, own)
            clauses.add(-rest, -own)
            clauses.add_rows(np.append(members, -own)[None])
            clauses.add_rows(np.append(rest, own)[None])

    def _define_by_order(self, chosen: IntArray) -> None:
        first, literal = self.first[chosen], self.literal[chosen]
        sizes = self.last[chosen] - first + 1
        starts = np.cumsum(sizes) - sizes
        unit = np.repeat(first - starts, sizes) + np.arange(int(sizes.sum()))
        own = np.repeat(literal, sizes)
        reached = self.bits.at_least(self.choice[unit], self.low[unit])
        passed = self.bits.at_least(self.choice[unit], self.high[unit] + 1)
        self.clauses.add(-reached, passed, own)
        # Not all before it below and all after it above: one clause in front of each unit ...
        before = np.append(FALSE, reached)[:-1]
        before[starts] = FALSE
        self.clauses.add(-own, before, -passed)
        # ... and one behind the last.
        self.clauses.add(-literal, reached[starts + sizes - 1])
