"""Clauses in batches of arrays, and the parts of a CNF that every row is made of.

A literal of a clause is a variable's number, 1 .. n, or its negative, as in DIMACS;
``TRUE`` and ``FALSE`` may stand for constants until a clause is stored.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations, pairwise, product

import numpy as np
from numpy.typing import ArrayLike

from qubopuzzle.compile.encoding import FALSE, TRUE
from qubopuzzle.errors import TooLarge
from qubopuzzle.model import IntArray

CLAUSE_LIMIT = 30_000_000
"""Most literals in all clauses together: about 1 GB in a solver."""
NODE_LIMIT = 200_000
"""Most partial sums of one row."""
PAIRWISE = 5
"""Up to so many literals, "at most one" is a clause a pair; above, a ladder is smaller."""
_COUNTER = 5_000
"""Up to so many states a sum is counted one by one; above, a network is smaller."""

Alternatives = Sequence[tuple[int, int]]
"""(coefficient, literal) of which at most one literal is true."""


@dataclass(frozen=True, slots=True, eq=False)
class Ordered:
    """A number in clauses: ``reach[i]`` says "at least ``values[i]``", which ascend.

    It has no value but these; the first ``reach`` is ``TRUE``.
    """

    values: Sequence[int]
    reach: Sequence[int]

    @property
    def stay(self) -> list[int]:
        """The literals "at most ``values[i]``"."""
        return [*(-literal for literal in self.reach[1:]), TRUE]


class Clauses:
    """A formula that grows. ``batches`` are arrays of shape (clauses, width)."""

    def __init__(self, n_variables: int = 0) -> None:
        self.n_variables = n_variables
        self.batches: list[IntArray] = []
        self.contradiction = False
        self._unless = FALSE
        self._few: dict[int, list[Sequence[int]]] = defaultdict(list)
        self._n_literals = 0

    def fresh(self, count: int) -> IntArray:
        """New variables, shape (count,)."""
        first = self.n_variables + 1
        self.n_variables += count
        return np.arange(first, first + count)

    def add(self, *columns: ArrayLike) -> None:
        """Clauses from columns of literals, shape (clauses,) each or one number for all."""
        given = [np.asarray(column, dtype=np.int64) for column in columns]
        count = next((column.size for column in given if column.ndim), 1)
        rows = np.empty((count, len(given)), dtype=np.int64)  # faster than broadcasting them
        for i, column in enumerate(given):
            rows[:, i] = column
        self.add_rows(rows)

    @contextmanager
    def unless(self, literal: int) -> Iterator[None]:
        """Clauses that are added meanwhile have one literal more."""
        self._unless = literal
        try:
            yield
        finally:
            self._unless = FALSE

    def add_rows(self, rows: IntArray) -> None:
        """Clauses of shape (clauses, width); constants are taken out."""
        if self._unless != FALSE:
            rows = np.column_stack([rows, np.full(len(rows), self._unless)])
        if not (np.abs(rows) == TRUE).any():
            self._store(rows)
            return
        rows = rows[~(rows == TRUE).any(axis=1)]
        is_open = rows != FALSE
        widths = is_open.sum(axis=1)
        for width in range(rows.shape[1] + 1):
            chosen = widths == width
            self._store(rows[chosen][is_open[chosen]].reshape(int(chosen.sum()), width))

    def add_parts(self, clause: IntArray, literals: IntArray) -> None:
        """Clauses of any width: literals, and the number of the clause of each, (literals,) each.

        >>> clauses = Clauses(3)
        >>> clauses.add_parts(np.array([0, 1, 0]), np.array([1, 2, -3]))
        >>> [rows.tolist() for rows in clauses.finish()]
        [[[2]], [[1, -3]]]
        """
        width = np.bincount(clause)[clause]
        ordered = np.lexsort((clause, width))
        for size in np.unique(width).tolist():
            chosen = ordered[width[ordered] == size]
            self.add_rows(literals[chosen].reshape(-1, size))

    def add_few(self, clauses: Iterable[Sequence[int]]) -> None:
        """Clauses one by one."""
        n_literals = 0
        for clause in clauses:
            if TRUE in clause:
                continue
            if FALSE in clause:
                clause = [literal for literal in clause if literal != FALSE]
            if self._unless != FALSE:
                clause = [*clause, self._unless]
            self._few[len(clause)].append(clause)
            n_literals += len(clause)
            self.contradiction |= not clause
        self._count(n_literals)

    def finish(self) -> tuple[IntArray, ...]:
        """All clauses."""
        few = (np.array(rows, dtype=np.int64) for width, rows in self._few.items() if width)
        return (*self.batches, *few)

    def _store(self, rows: IntArray) -> None:
        if not len(rows):
            return
        self._count(rows.size)
        if rows.shape[1]:
            self.batches.append(rows)
        else:
            self.contradiction = True

    def _count(self, n_literals: int) -> None:
        self._n_literals += n_literals
        if self._n_literals > CLAUSE_LIMIT:
            raise TooLarge(
                f"the formula would have over {CLAUSE_LIMIT:,} literals; try another "
                "formulation, or --presolve propagate"
            )

    # --- whole rows --------------------------------------------------------------------

    def exactly_one(self, groups: IntArray) -> None:
        """Exactly one literal of each group, shape (groups, size).

        Above ``PAIRWISE`` by a ladder: bit v says "one of the literals from v on", the
        order encoding of the group's number (Tamura et al., Constraints 14, 254, 2009).
        """
        self.add_rows(groups)
        n, size = groups.shape
        if size <= PAIRWISE:
            pairs = np.array([*combinations(range(size), 2)], dtype=np.int64).reshape(-1, 2)
            self.add_rows(-groups.T[pairs].swapaxes(1, 2).reshape(-1, 2))
            return
        ladder = self.fresh(n * (size - 1)).reshape(n, size - 1)
        edge = np.full((n, 1), TRUE)
        above, below = np.hstack([edge, ladder]).ravel(), np.hstack([ladder, -edge]).ravel()
        self.add(-ladder[:, 1:].ravel(), ladder[:, :-1].ravel())
        self.add(-groups.ravel(), above)
        self.add(-groups.ravel(), -below)
        self.add(-above, below, groups.ravel())

    def linear(self, blocks: Sequence[Alternatives], lower: int, upper: int) -> None:
        """``lower <= sum of coefficient * literal <= upper``.

        At most one literal of each block is true; blocks are independent of each other.
        """
        constant, open_blocks = 0, []
        for block in blocks:
            constant += sum(coefficient for coefficient, literal in block if literal == TRUE)
            open_block = [pair for pair in block if abs(pair[1]) != TRUE]
            open_blocks += [open_block] if open_block else []
        lower, upper = lower - constant, upper - constant
        sizes = {abs(coefficient) for block in open_blocks for coefficient, _ in block}
        if len(sizes) == 1 and all(len(block) == 1 for block in open_blocks):
            pairs = [block[0] for block in open_blocks]
            (size,) = sizes
            # -x is (1 - x) - 1: every coefficient becomes +size.
            shift = sum(size for coefficient, _ in pairs if coefficient < 0)
            literals = [literal if coefficient > 0 else -literal for coefficient, literal in pairs]
            self.count(literals, -((-lower - shift) // size), (upper + shift) // size)
        else:
            self._sum(open_blocks, lower, upper)

    def count(self, literals: Sequence[int], lower: int, upper: int) -> None:
        """Between ``lower`` and ``upper`` of the literals are true."""
        n = len(literals)
        lower, upper = max(lower, 0), min(upper, n)
        if lower > upper:
            self.add_few([[]])
            return
        if lower in (1, n):
            self.add_few([literals] if lower == 1 else [[literal] for literal in literals])
            lower = 0
        if upper in (0, n - 1):
            negated = [-literal for literal in literals]
            self.add_few([[literal] for literal in negated] if upper == 0 else [negated])
            upper = n
        elif upper == 1 and n <= PAIRWISE:
            self.add_few([-one, -other] for one, other in combinations(literals, 2))
            upper = n
        elif upper == 1:
            numbers, ladder = np.asarray(literals), self.fresh(n - 1)
            self.add(-ladder[1:], ladder[:-1])
            self.add(-numbers[1:], ladder)
            self.add(-numbers[:-1], -ladder)
            upper = n
        if lower == 0 and upper == n:
            return
        if n * min(upper + 1, n - lower + 1) <= _COUNTER:
            self._sum([[(1, literal)] for literal in literals], lower, upper)
        else:
            self._network(literals, lower, upper)

    def _network(self, literals: Sequence[int], lower: int, upper: int) -> None:
        """Cardinality networks (Asín et al., Constraints 16, 195, 2011), by PySAT."""
        from pysat.card import CardEnc, EncType

        kind, inputs = EncType.cardnetwrk, list(literals)
        for build, bound, needed in (
            (CardEnc.atleast, lower, lower > 0),
            (CardEnc.atmost, upper, upper < len(inputs)),
        ):
            if needed:
                formula = build(inputs, bound=bound, top_id=self.n_variables, encoding=kind)
                self.n_variables = max(self.n_variables, formula.nv)
                self.add_few(formula.clauses)

    # --- sums of ordered numbers -------------------------------------------------------

    def ordered(self, values: Sequence[int]) -> Ordered:
        """A new number of these values, which ascend."""
        reach = self.fresh(max(len(values) - 1, 0)).tolist()
        self.add_few([-later, earlier] for earlier, later in pairwise(reach))
        return Ordered(values, [TRUE, *reach][: len(values)])

    def ordered_sum(self, numbers: Iterable[Ordered], lower: int, upper: int) -> None:
        """``lower <= sum of the numbers <= upper``: the sum of two is a number, and so on.

        A totalizer (Bailleux and Boufkhad, CP 2003, 108) of the sums that can be.
        """
        rest = [*numbers]
        rest += [Ordered([0], [TRUE])] * (2 - len(rest))
        while len(rest) > 2:
            rest.sort(key=lambda number: -len(number.values))
            one, two = rest.pop(), rest.pop()
            least, most = (sum(number.values[end] for number in rest) for end in (0, -1))
            rest.append(self._add_two(one, two, lower - most, upper - least))
            if not rest[-1].values:
                return
        self._bound_two(rest[0], rest[1], lower, upper)

    def _add_two(self, one: Ordered, two: Ordered, lower: int, upper: int) -> Ordered:
        """The sum of two numbers, which is from ``lower`` to ``upper``."""
        _check_sums(len(one.values) * len(two.values))
        self._bound_two(one, two, lower, upper)
        sums = {a + b for a in one.values for b in two.values}
        both = self.ordered(sorted(total for total in sums if lower <= total <= upper))
        reach, stay = (
            dict(zip(both.values, literals, strict=True)) for literals in (both.reach, both.stay)
        )
        firsts, seconds = (zip(n.values, n.reach, n.stay, strict=True) for n in (one, two))
        pairs = [
            (up, down, also_up, also_down, a + b)
            for (a, up, down), (b, also_up, also_down) in product(firsts, seconds)
            if a + b in reach
        ]
        self.add_few([-up, -also, reach[total]] for up, _, also, _, total in pairs)
        self.add_few([-down, -also, stay[total]] for _, down, _, also, total in pairs)
        return both

    def _bound_two(self, one: Ordered, two: Ordered, lower: int, upper: int) -> None:
        """``lower <= one + two <= upper``: for each value of one the first of two beyond."""
        stay = two.stay
        for value, up, down in zip(one.values, one.reach, one.stay, strict=True):
            over = bisect_right(two.values, upper - value)
            under = bisect_left(two.values, lower - value)
            if over < len(two.values):
                self.add_few([[-up, -two.reach[over]]])
            if under > 0:
                self.add_few([[-down, -stay[under - 1]]])

    def _sum(self, blocks: Sequence[Alternatives], lower: int, upper: int) -> None:
        """A decision diagram over partial sums: node s after i blocks says "s so far".

        A node is true if the diagram is entered and every step was taken; one from which
        the bounds are out of reach is no node but forbidden (Abío et al., JAIR 45, 443, 2012).
        """
        least = [min(0, *(a for a, _ in block)) for block in blocks]
        most = [max(0, *(a for a, _ in block)) for block in blocks]
        rest_low, rest_high = sum(least), sum(most)
        if rest_low > upper or rest_high < lower:
            self.add_few([[]])
            return
        nodes, after, n_nodes = {0: TRUE}, {}, 0

        def step(total: int) -> int:
            """The node for a sum so far, with what the blocks that are left can add."""
            if total + rest_low > upper or total + rest_high < lower:
                return FALSE
            if total + rest_low >= lower and total + rest_high <= upper:
                return TRUE
            if total not in after:
                after[total] = int(self.fresh(1)[0])
            return after[total]

        for block, low, high in zip(blocks, least, most, strict=True):
            rest_low, rest_high = rest_low - low, rest_high - high
            after = {}
            n_nodes += len(nodes)
            _check_sums(n_nodes)
            stay = [literal for _, literal in block]
            for total, node in nodes.items():
                self.add_few([-node, -literal, step(total + a)] for a, literal in block)
                self.add_few([[-node, *stay, step(total)]])
            nodes = after


class GroupedClauses(Clauses):
    """Clauses that keep "exactly one" as it is, in ``groups`` of shape (groups, size)."""

    def __init__(self) -> None:
        super().__init__()
        self.groups: list[IntArray] = []

    def exactly_one(self, groups: IntArray) -> None:
        """Keep them."""
        self.groups.append(groups)


def _check_sums(count: int) -> None:
    if count > NODE_LIMIT:
        raise TooLarge(
            f"a sum has over {NODE_LIMIT:,} partial sums; use an exact solver that counts, mip "
            "or cpsat"
        )
