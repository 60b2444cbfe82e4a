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
A row that is a clause, such as ``x + y >= 1`` or ``x <= y + z``, needs no variable of its own.
A row "exactly one of these" has order variables of its own for the number of the one. A row that
adds up choices with order variables is a totalizer; other rows become at-most-one ladders,
counters or decision diagrams (``clauses``).
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile.clauses import Clauses, Ordered
from qubopuzzle.compile.compiled import Compiled
from qubopuzzle.compile.cost import Cost, cost_of
from qubopuzzle.compile.encoding import FALSE, TRUE, Encoding, lay_out
from qubopuzzle.compile.lowering import ranges
from qubopuzzle.errors import TooLarge, printable
from qubopuzzle.model import Cut, IntArray, IntMatrix, Linear, Model
from qubopuzzle.model.data import as_before, row_of_entry
from qubopuzzle.model.order import Paths, Precedences
from qubopuzzle.model.segments import reachable
from qubopuzzle.model.statements import StatedModel


@dataclass(frozen=True, eq=False, repr=False)
class ClauseModel(Compiled):
    """What a formula and a CP-SAT model share: variables 1 .. ``bits.n_bits`` are the choices'.

    ``node`` (literals,) is the clause literal for each literal that cuts, and cells of a
    ``StatedModel``, speak of; 0 for others. ``cost`` is what to minimise, if anything. ``guards``
    (statements,) are the variables that put statements in force; none where all are.
    """

    n_variables: int
    node: IntArray
    cost: Cost | None
    guards: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64), kw_only=True)

    def clause_of(self, cut: Cut) -> list[int]:
        """A cut as a clause of DIMACS literals."""
        clause = np.concatenate([self.node[cut.true], -self.node[cut.false]])
        return [literal for literal in dict.fromkeys(clause.tolist()) if literal != FALSE]


@dataclass(frozen=True, eq=False, repr=False)
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
        """All clauses as lists of DIMACS literals, the empty one last."""
        yield from chain.from_iterable(batch.tolist() for batch in self.batches)
        if self.contradiction:
            yield []

    def to_dimacs(self, more: Sequence[Sequence[int]] = ()) -> str:
        """The formula as a DIMACS file, with the names of the choices' variables as comments."""
        labels = (printable(" ".join(label.split())) for label in self.labels())
        names = [f"c {v} {label}" for v, label in enumerate(labels, start=1)]
        clauses = [*self.clauses(), *more]
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
    cost, n = add_cost(bits, clauses), clauses.n_variables
    return Cnf(bits, n, node, cost, clauses.finish(), clauses.contradiction)


def compile_stated(stated: StatedModel) -> Cnf:
    """Compile so that each statement holds where its guard is true; objectives are left out.

    Clauses of cuts are added with the guard of their graph, see ``StatedModel.owner``.

    Raises:
        TooLarge: if the formula would not fit in memory.
    """
    clauses = Clauses()
    bits, node, _ = add_model(stated.model, clauses, stated=stated)
    parts = clauses.finish(), clauses.contradiction
    return Cnf(bits, clauses.n_variables, node, None, *parts, guards=guards_of(bits, stated))


def guards_of(bits: Encoding, stated: StatedModel) -> IntArray:
    """The variables behind the choices' own, one a statement."""
    return bits.n_bits + 1 + np.arange(len(stated.statements))


def unless_of(bits: Encoding, stated: StatedModel) -> IntArray:
    """A literal for each constraint that, where it is true, does away with it, (constraints,)."""
    return np.append(-guards_of(bits, stated), FALSE)[stated.owner]


def add_model(
    model: Model, clauses: Clauses, *, all_rows: bool = True, stated: StatedModel | None = None
) -> tuple[Encoding, IntArray, list[tuple[Linear, IntArray]]]:
    """Add a model to no clauses yet; with ``stated``, constraints hold where their guards are true.

    Returns the choices' variables, ``ClauseModel.node``, and for each block the numbers of the
    rows that are left to do: none if ``all_rows``, else all that are neither one group nor
    "group = group".
    """
    order = Precedences(model)
    bits = order_bits(model)
    clauses.fresh(bits.n_bits)
    unless = none = np.zeros(0, dtype=np.int64)
    if stated is not None and stated.statements:
        clauses.fresh(len(stated.statements))
        unless = unless_of(bits, stated)
        _switches(bits, stated, clauses)
    _choices(bits, clauses)
    n_rows = int(model.row_ends[-1]) if len(model.row_ends) else 0
    which, index, too_low = order.thresholds()  # first >= v -> second >= v + gap
    reached = bits.at_least(order.first[which], index)
    guard = [unless[n_rows:][which]] if len(unless) else []
    clauses.add(-reached, bits.at_least(order.second[which], too_low), *guard)
    # What a path says of its choices holds only where its precedences do.
    plain = len(unless) and (unless[n_rows : n_rows + len(order.first)] != FALSE).any()
    paths = order.apart() if plain else order.paths()
    left, end = [], 0
    for block in model.linear:
        end += len(block.lower)
        of_block = unless[end - len(block.lower) : end]
        low, high = reachable(model, block.matrix)
        never = (low > block.upper) | (high < block.lower)
        if never.any():
            clauses.add_rows(of_block[never][:, None] if len(unless) else np.array([[FALSE]]))
            if not len(unless):
                continue
        (needed,) = np.nonzero(((low < block.lower) | (high > block.upper)) & ~never)
        rows = _Rows(bits, paths, block, needed, clauses)
        rows.unless = of_block[needed] if len(unless) else unless
        rows.equal_pairs()
        rows.single()
        if all_rows:
            rows.plain()
            rows.one_each()
            rows.sums()
            rows.others()
        rows.define()
        left.append((block, needed[rows.left]))
    cells = none if stated is None or stated.literals is None else stated.literals
    return bits, _nodes(bits, clauses, cells[cells >= 0]), left


def _switches(bits: Encoding, stated: StatedModel, clauses: Clauses) -> None:
    """A guard makes the literal true that puts its statement in force."""
    for guard, statement in zip(guards_of(bits, stated).tolist(), stated.statements, strict=True):
        if statement.literal is not None:
            literals = bits.clause_literals(np.array([statement.literal]))
            clauses.add_few([-guard, literal] for literal in literals)


def add_cost(bits: Encoding, clauses: Clauses) -> Cost | None:
    """The model's objective, if it has one; its products are defined in the clauses."""
    cost = cost_of(bits, clauses.fresh)
    for batch in cost.definitions if cost else ():
        clauses.add_rows(batch)
    return cost


def order_bits(model: Model) -> Encoding:
    """Order variables for choices under a precedence, of two values, or asked for stretches.

    The last are choices of whole numbers that rows ask for stretches of values, not for one,
    or for a number, by several coefficients.
    """
    terms, asked = np.zeros((2, len(model.choices)), dtype=np.int64)
    for block in model.linear:
        choice, first = _stretches(model, block.matrix)
        same = as_before(row_of_entry(block.matrix), choice)
        summed = same & ~as_before(block.matrix.data)
        part = np.cumsum(~same)
        first &= np.bincount(part[summed], minlength=len(part) + 1)[part] == 0
        terms += np.bincount(choice, minlength=len(terms))
        asked += np.bincount(choice[first], minlength=len(terms))
    every = (choice.values for choice in model.choices)
    whole = [
        isinstance(values, range) or all(isinstance(v, int) for v in values) for values in every
    ]
    by_stretches = (2 * terms >= 3 * np.maximum(asked, 1)) & np.array(whole, dtype=bool)
    return lay_out(model, model.is_numbered | (model.sizes <= 2) | by_stretches, "order")


def _choices(bits: Encoding, clauses: Clauses) -> None:
    """Order variables fall from value to value; of others exactly one is true."""
    owner = np.repeat(np.arange(len(bits.domain_wall)), np.diff(bits.first_bit))
    (earlier,) = np.nonzero((owner[1:] == owner[:-1]) & bits.domain_wall[owner[1:]])
    clauses.add(-(earlier + 2), earlier + 1)
    sizes = bits.model.sizes
    for size in np.unique(sizes[~bits.domain_wall]).tolist():
        chosen = np.flatnonzero(~bits.domain_wall & (sizes == size))
        clauses.exactly_one(bits.first_bit[chosen][:, None] + np.arange(1, size + 1))


def _nodes(bits: Encoding, clauses: Clauses, literals: IntArray) -> IntArray:
    """One literal for each literal that cuts speak of, and for these, (literals,)."""
    model = bits.model
    node = np.zeros(model.n_literals, dtype=np.int64)
    for several in (*(graph.literals for graph in model.graphs), literals):
        literal = np.unique(several[node[several] == 0])
        choice = model.choice_of_literal[literal]
        index = literal - model.first_literal[choice]
        between = bits.between(choice, index, index)
        inner = between == 0
        between[inner] = clauses.fresh(int(inner.sum()))
        reached = bits.at_least(choice, index)[inner]
        passed = bits.at_least(choice, index + 1)[inner]
        clauses.add(-between[inner], reached)
        clauses.add(-between[inner], -passed)
        clauses.add(between[inner], -reached, passed)
        node[literal] = between
    return node


# --- rows: units, groups of them that exclude each other, one literal a group ---


def _stretches(model: Model, matrix: IntMatrix) -> tuple[IntArray, NDArray[np.bool_]]:
    """The choice of each entry, and where stretches begin, (entries,) each.

    A stretch has one row, choice and coefficient, and values without a hole.
    """
    choice = model.choice_of_literal[matrix.indices]
    following = matrix.indices - np.arange(len(choice))
    row = row_of_entry(matrix)
    return choice, ~as_before(row, following, choice, matrix.data)


class _Rows:
    """Rows as sums of groups: each gets its clauses, and its groups the literals that these need.

    A **unit** is "the value of ``choice`` has an index from ``low`` to ``high``", a stretch of
    terms of a row with one coefficient; without order variables it is one value. (units,) each,
    by row, coefficient, path and place.

    A **group** is the units ``first`` to ``last``, of one ``row`` and ``coefficient``, of which no
    two are true together. ``literal`` is true exactly if one of them is: one that is there
    (``ready``), a new one, or 0 for none yet. (groups,) each; ``left`` (rows,) are still to do.

    ``unless`` (rows,) are literals that, where they are true, do away with a row; none without.
    """

    def __init__(
        self, bits: Encoding, paths: Paths, block: Linear, rows: IntArray, clauses: Clauses
    ) -> None:
        self.bits, self.paths, self.clauses = bits, paths, clauses
        self.block, self.number = block, rows
        self.lower, self.upper = block.lower[rows], block.upper[rows]
        self.row, self.coefficient = self._find_units(block.matrix[rows])
        self.first, self.last = self._find_groups()
        self.row, self.coefficient = self.row[self.first], self.coefficient[self.first]
        alone = bits.between(self.choice[self.first], self.low[self.first], self.high[self.first])
        self.ready = np.where(self.first == self.last, alone, 0)
        self.literal = self.ready.copy()
        self.count = np.bincount(self.row, minlength=len(rows))
        self.start = np.cumsum(self.count) - self.count
        self.left = np.ones(len(rows), dtype=bool)
        self.unless = np.zeros(0, dtype=np.int64)

    def _find_units(self, matrix: IntMatrix) -> tuple[IntArray, IntArray]:
        """Row and coefficient of each unit; sets what else describes units."""
        choice, new = _stretches(self.bits.model, matrix)
        first = np.flatnonzero(new | ~self.bits.domain_wall[choice])
        last = np.append(first, len(choice))[1:] - 1
        choice = choice[first]
        low, high = (
            matrix.indices[ends] - self.bits.model.first_literal[choice] for ends in (first, last)
        )
        row, coefficient = row_of_entry(matrix)[first], matrix.data[first]
        path, position = self.paths.path[choice], self.paths.position[choice]
        ordered = np.lexsort((low, position, path, coefficient, row))
        self.choice, self.low, self.high = choice[ordered], low[ordered], high[ordered]
        return row[ordered], coefficient[ordered]

    def _find_groups(self) -> tuple[IntArray, IntArray]:
        """First and last unit of each group."""
        same = as_before(self.paths.path[self.choice], self.row, self.coefficient)
        start = self.bits.model.first_literal[self.choice]
        least, greatest = (self.paths.slack[start + ends] for ends in (self.low, self.high))
        # Of one choice single values exclude each other; else the precedences do.
        of_one, wall = as_before(self.choice), self.bits.domain_wall[self.choice]
        apart = ~same | np.where(of_one, ~wall, np.roll(least, 1) > greatest)
        first = np.flatnonzero(~same)
        if len(first):
            # Units that do not exclude the next one spoil their group: each is one by itself.
            spoiled = ~np.logical_and.reduceat(apart, first)
            first = np.flatnonzero(~same | spoiled[np.cumsum(~same) - 1])
        return first, np.append(first, len(same))[1:] - 1

    def equal_pairs(self) -> None:
        """Rows "this group = that group": one literal for both."""
        (row,) = np.nonzero((self.count == 2) & (self.lower == 0) & (self.upper == 0))
        one = self.start[row]
        opposite = self.coefficient[one] == -self.coefficient[one + 1]
        row, one = row[opposite], one[opposite]
        self.left[row] = False
        two, literal = one + 1, self.literal
        if len(self.unless):  # each its own: one literal for both says that they are equal
            self._name(np.append(one, two))
        free = one[(literal[one] == 0) & (literal[two] == 0)]
        literal[free] = self.clauses.fresh(len(free))
        literal[one] = np.where(literal[one] == 0, literal[two], literal[one])
        literal[two] = np.where(literal[two] == 0, literal[one], literal[two])
        differ = literal[one] != literal[two]
        guard = self._guard(row[differ])
        self.clauses.add(-literal[one][differ], literal[two][differ], *guard)
        self.clauses.add(literal[one][differ], -literal[two][differ], *guard)

    def _name(self, groups: IntArray) -> None:
        """New literals for those of these groups that have none."""
        nameless = groups[self.literal[groups] == 0]
        self.literal[nameless] = self.clauses.fresh(len(nameless))

    def _guard(self, row: IntArray) -> list[IntArray]:
        """What clauses of these rows have besides, (clauses,)."""
        return [self.unless[row]] if len(self.unless) else []

    def single(self) -> None:
        """Rows of one group: it is true, or false, or free and then needs no literal."""
        (row,) = np.nonzero(self.left & (self.count == 1))
        self.left[row] = False
        one = self.start[row]
        coefficient, lower, upper = self.coefficient[one], self.lower[row], self.upper[row]
        off = (lower <= 0) & (upper >= 0)
        on = (lower <= coefficient) & (upper >= coefficient)
        if (never := ~off & ~on).any():
            guard = self._guard(row[never])
            self.clauses.add_rows(guard[0][:, None] if guard else np.array([[FALSE]]))
        fixed = off ^ on
        row, one, value = row[fixed], one[fixed], np.where(on, TRUE, FALSE)[fixed]
        if len(self.unless):
            self._name(one)
        there = self.literal[one] != 0
        literal = np.where(value == TRUE, self.literal[one], -self.literal[one])
        self.clauses.add(literal[there], *self._guard(row[there]))
        self.literal[one[~there]] = value[~there]

    def plain(self) -> None:
        """Rows that are clauses: one setting of the groups breaks a bound, all others meet it."""
        a, start = self.coefficient, self.start
        below = self.lower - np.add.reduceat(np.minimum(a, 0), start)
        above = np.add.reduceat(np.maximum(a, 0), start) - self.upper
        step = np.minimum.reduceat(np.abs(a), start)
        plain = self.left & (below <= step) & (above <= step)
        self.left &= ~plain
        (up,), (down,) = (np.nonzero((plain & (out > 0))[self.row]) for out in (below, above))
        group = np.append(up, down)
        clause = np.append(self.row[up], self.row[down] + len(plain))
        self._clauses(clause, group, np.append(a[up] > 0, a[down] < 0))

    def _clauses(self, clause: IntArray, group: IntArray, true: NDArray[np.bool_]) -> None:
        """Clauses of "the group is true" or "it is not", (parts,) each, if need be by units."""
        first, sizes = self.first[group], self.last[group] - self.first[group] + 1
        unit, part = ranges(first, sizes), np.repeat(np.arange(len(group)), sizes)
        choice, low, high = self.choice[unit], self.low[unit], self.high[unit]
        between = self.bits.between(choice, low, high)
        nameless = self.literal[group] == 0
        spread = nameless & true & (np.bincount(part[between == 0], minlength=len(group)) == 0)
        stretch = nameless & ~true & (sizes == 1)
        unnamed = np.unique(group[nameless & ~spread & ~stretch])
        self.literal[unnamed] = self.clauses.fresh(len(unnamed))
        named = ~(spread | stretch)
        literal = np.where(true, self.literal[group], -self.literal[group])
        reached, passed = self.bits.at_least(choice, low), self.bits.at_least(choice, high + 1)
        each, both = spread[part], stretch[part]
        clauses = clause[np.concatenate([named.nonzero()[0], part[each], part[both], part[both]])]
        literals = np.concatenate([literal[named], between[each], -reached[both], passed[both]])
        if len(self.unless):
            guarded, at = np.unique(clause, return_index=True)
            clauses = np.append(clauses, guarded)
            literals = np.append(literals, self.unless[self.row[group[at]]])
        self.clauses.add_parts(clauses, literals)

    def one_each(self) -> None:
        """Rows that say, whatever else holds, that exactly one of their groups is true."""
        if len(self.unless):
            return
        ones = np.logical_and.reduceat(self.coefficient == 1, self.start)
        chosen = self.left & ones & (self.lower == 1) & (self.upper == 1)
        self.left &= ~chosen
        self._name(np.flatnonzero(chosen[self.row]))
        for size in np.unique(self.count[chosen]).tolist():
            first = self.start[chosen & (self.count == size)]
            self.clauses.exactly_one(self.literal[first[:, None] + np.arange(size)])

    def sums(self) -> None:
        """Rows in which a choice with order variables has several coefficients."""
        choice = self.choice[self.first]
        wall = self.bits.domain_wall[choice]
        alone = choice == self.choice[self.last]
        mixed = np.bincount(self.row[~alone], minlength=len(self.left)) > 0
        order = np.lexsort((choice, self.row))
        again = as_before(self.row[order], choice[order]) & wall[order]
        several = np.bincount(self.row[order][again], minlength=len(self.left)) > 0
        (chosen,) = np.nonzero(self.left & several & ~mixed)
        self.left[chosen] = False
        for row in chosen.tolist():
            groups = np.arange(self.start[row], self.start[row] + self.count[row])
            numbers = [
                self._number(c, groups[choice[groups] == c]) for c in np.unique(choice[groups])
            ]
            with self._named(row), self._guarded(row):
                self.clauses.ordered_sum(numbers, int(self.lower[row]), int(self.upper[row]))

    def _guarded(self, row: int) -> AbstractContextManager[None]:
        """Give each clause that is added the literal of a row, if it has one."""
        return self.clauses.unless(int(self.unless[row])) if len(self.unless) else nullcontext()

    @contextmanager
    def _named(self, row: int) -> Iterator[None]:
        """Put the row's name before what is too large about it."""
        try:
            yield
        except TooLarge as error:
            raise TooLarge(f"{self.block.labels(int(self.number[row]))}: {error}") from None

    def _number(self, choice: int, groups: IntArray) -> Ordered:
        """What a choice adds to a row, by its groups there."""
        first, size = int(self.bits.first_bit[choice]), int(self.bits.model.sizes[choice])
        adds = [0] * size
        for group in groups.tolist():
            for unit in range(self.first[group], self.last[group] + 1):
                for index in range(self.low[unit], self.high[unit] + 1):
                    adds[index] = int(self.coefficient[group])
        values, wall = sorted(set(adds)), self.bits.domain_wall[choice]
        at_least = [TRUE, *range(first + 1, first + size), FALSE]
        if wall and adds == sorted(adds):
            return Ordered(values, [at_least[adds.index(value)] for value in values])
        if wall and adds == sorted(adds, reverse=True):
            return Ordered(values, [-at_least[size - adds[::-1].index(v)] for v in values])
        number = self.clauses.ordered(values)
        for index, place in enumerate(map(values.index, adds)):
            negated = [-at_least[index], at_least[index + 1]] if wall else [-(first + index + 1)]
            self.clauses.add_few([[*negated, number.reach[place]], [*negated, number.stay[place]]])
        return number

    def others(self) -> None:
        """All other rows, one by one; groups of one choice exclude each other, too."""
        nameless = np.flatnonzero((self.literal == 0) & self.left[self.row])
        self.literal[nameless] = self.clauses.fresh(len(nameless))
        # A group of several choices gets a number of its own instead of a choice.
        several = -1 - np.arange(len(self.first))
        choice = self.choice[self.first]
        block = np.where(choice == self.choice[self.last], choice, several)
        columns = (block, self.coefficient, self.literal)
        for row in np.flatnonzero(self.left).tolist():
            entries = slice(self.start[row], self.start[row] + self.count[row])
            groups = zip(*(column[entries].tolist() for column in columns), strict=True)
            blocks: dict[int, list[tuple[int, int]]] = {}
            for number, coefficient, literal in groups:
                blocks.setdefault(number, []).append((coefficient, literal))
            low, high = int(self.lower[row]), int(self.upper[row])
            with self._named(row), self._guarded(row):
                self.clauses.linear(list(blocks.values()), low, high)
        self.left[:] = False

    def define(self) -> None:
        """Each new literal is true exactly if one of the units of its group is."""
        (chosen,) = np.nonzero((self.ready == 0) & (self.literal != 0))
        wall = self.bits.domain_wall[self.choice[self.first[chosen]]]
        self._define_by_order(chosen[wall])
        self._define_by_value(chosen[~wall])

    def _define_by_value(self, chosen: IntArray) -> None:
        """Of one choice without order variables each: one of these values, none of the rest."""
        bits, first = self.bits, self.first[chosen]
        sizes, literal = self.last[chosen] - first + 1, self.literal[chosen]
        choice = self.choice[first]
        every = bits.first_bit[choice + 1] - bits.first_bit[choice]
        group = np.repeat(np.arange(len(chosen)), every)
        value = ranges(bits.first_bit[choice] + 1, every)
        inside = np.zeros(len(value), dtype=bool)
        unit = ranges(first, sizes)
        inside[np.repeat(np.cumsum(every) - every, sizes) + self.low[unit]] = True
        self.clauses.add(-value, np.where(inside, literal[group], -literal[group]))
        for taken, name in ((inside, -literal), (~inside, literal)):
            clause = np.append(group[taken], np.arange(len(chosen)))
            self.clauses.add_parts(clause, np.append(value[taken], name))

    def _define_by_order(self, chosen: IntArray) -> None:
        first, literal = self.first[chosen], self.literal[chosen]
        sizes = self.last[chosen] - first + 1
        unit, unit_literal = ranges(first, sizes), np.repeat(literal, sizes)
        reached = self.bits.at_least(self.choice[unit], self.low[unit])
        passed = self.bits.at_least(self.choice[unit], self.high[unit] + 1)
        self.clauses.add(-reached, passed, unit_literal)
        # Not all before it below and all after it above: one clause in front of each unit ...
        before = np.where(unit == np.repeat(first, sizes), FALSE, np.roll(reached, 1))
        self.clauses.add(-unit_literal, before, -passed)
        # ... and one behind the last.
        self.clauses.add(-literal, reached[np.cumsum(sizes) - 1])
