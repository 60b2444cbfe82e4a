"""Propagation in compiled code: its arrays, its loops, and their front, ``Propagator``.

``a`` is the model, ``PropagatorArrays``; ``d`` is what is left of it, ``DomainArrays``. Rows
and precedences are **constraints**, numbered rows first.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.jit import addresses, called, inlined, kernel, pointers
from qubopuzzle.model.data import IntArray, Model, starts
from qubopuzzle.model.order import Precedences
from qubopuzzle.model.segments import Segments, all_rows

_FAR = 1 << 60
REMOVED, _HEAD, _QUEUED, WORK, _NEXT, _IN_VAIN, _PROBES = range(7)
"""Places in ``DomainArrays.counts``; ``counts[REMOVED]`` is how many values are gone."""
FIXED_POINT = -1
"""What ``propagate`` returns where no constraint is broken."""


class PropagatorArrays(NamedTuple):
    """A model. Literal l of choice c is ``first[c] + v`` for its v-th value.

    Attributes:
        n_choices, n_rows, n_constraints: how many there are.
        first: first literal of each choice, and one past the last, shape (choices + 1,).
        choice: the choice of each literal, (literals,).
        number: value of each literal where precedences need it, else 0, (literals,); it rises
            within a choice.
        part_start: by row, its parts: its terms of one choice each, (rows + 1,).
        part_choice: the choice of each part, (parts,).
        term_start: the terms of each part, (parts + 1,); their literals rise.
        literal, coefficient: of each term, (terms,).
        lower, upper: bounds of the rows, (rows,).
        before, after, gap: the precedences, (precedences,) each.
        watch_start, watch: the constraints that each choice is in.
    """

    n_choices: int
    n_rows: int
    n_constraints: int
    first: IntArray
    choice: IntArray
    number: IntArray
    part_start: IntArray
    part_choice: IntArray
    term_start: IntArray
    literal: IntArray
    coefficient: IntArray
    lower: IntArray
    upper: IntArray
    before: IntArray
    after: IntArray
    gap: IntArray
    watch_start: IntArray
    watch: IntArray


class DomainArrays(NamedTuple):
    """What is left of the choices' values.

    Attributes:
        alive: whether each literal can still be true, shape (literals,).
        size: how many values each choice has left, (choices,).
        removed: the literals that are not alive in the order in which they went, (literals,).
        queue, waiting: a ring of constraints to look at again, and which are in it,
            (constraints,).
        counts: how many literals are removed; the head of the queue; how many wait in it; the
            terms and precedences looked at so far; the choice to probe next; how many choices
            were probed in vain since a value went; the probes so far.
        least, greatest: scratch, for the most parts of a row.
    """

    alive: NDArray[np.bool_]
    size: IntArray
    removed: IntArray
    queue: IntArray
    waiting: NDArray[np.bool_]
    counts: IntArray
    least: IntArray
    greatest: IntArray


@inlined
def remove(a: Any, d: Any, literal: int) -> None:
    """Take a value from its choice, if it is still there."""
    if d.alive[literal]:
        d.alive[literal] = False
        d.removed[d.counts[REMOVED]] = literal
        d.counts[REMOVED] += 1
        d.size[a.choice[literal]] -= 1


@inlined
def touch(a: Any, d: Any, choice: int) -> None:
    """Queue what a choice is in that values were taken from."""
    start, stop = a.watch_start[choice], a.watch_start[choice + 1]
    d.counts[WORK] += stop - start
    for e in range(start, stop):
        constraint = a.watch[e]
        if not d.waiting[constraint]:
            d.waiting[constraint] = True
            at = d.counts[_HEAD] + d.counts[_QUEUED]
            d.queue[at if at < a.n_constraints else at - a.n_constraints] = constraint
            d.counts[_QUEUED] += 1


@inlined
def dequeue(a: Any, d: Any) -> int:
    """The constraint that has waited longest."""
    constraint: int = d.queue[d.counts[_HEAD]]
    d.waiting[constraint] = False
    d.counts[_HEAD] = d.counts[_HEAD] + 1 if d.counts[_HEAD] + 1 < a.n_constraints else 0
    d.counts[_QUEUED] -= 1
    return constraint


@inlined
def part_bounds(a: Any, d: Any, part: int) -> tuple[int, int]:
    """The least and the greatest that a part of a row can be."""
    least, greatest, present = _FAR, -_FAR, 0
    for e in range(a.term_start[part], a.term_start[part + 1]):
        if d.alive[a.literal[e]]:
            present += 1
            coefficient = a.coefficient[e]
            least = coefficient if coefficient < least else least
            greatest = coefficient if coefficient > greatest else greatest
    if present < d.size[a.part_choice[part]]:  # the other values add nothing
        least, greatest = least if least < 0 else 0, greatest if greatest > 0 else 0
    return least, greatest


@inlined
def narrow(a: Any, d: Any, part: int, fewest: int, most: int) -> bool:
    """Remove the values of a part's choice that add less or more than this; False if all do."""
    choice = a.part_choice[part]
    term, stop = a.term_start[part], a.term_start[part + 1]
    for literal in range(a.first[choice], a.first[choice + 1]):
        own = term < stop and a.literal[term] == literal
        added = a.coefficient[term] if own else 0
        term += own
        if added < fewest or added > most:
            remove(a, d, literal)
    d.counts[WORK] += a.first[choice + 1] - a.first[choice]
    return bool(d.size[choice] > 0)


@inlined
def propagate_row(a: Any, d: Any, row: int) -> bool:
    """Remove the values that leave a row no way to meet its bounds; False if there is none."""
    start, stop = a.part_start[row], a.part_start[row + 1]
    lower, upper = a.lower[row], a.upper[row]
    d.counts[WORK] += a.term_start[stop] - a.term_start[start]
    low, high = 0, 0
    for part in range(start, stop):
        least, greatest = part_bounds(a, d, part)
        d.least[part - start], d.greatest[part - start] = least, greatest
        low += least
        high += greatest
    possible = low <= upper and high >= lower
    if low < lower or high > upper:
        for part in range(start, stop):
            least, greatest = d.least[part - start], d.greatest[part - start]
            # What the part may add once the rest of the row is at its best.
            most, fewest = upper - low + least, lower - high + greatest
            if possible and (greatest > most or least < fewest):
                possible = narrow(a, d, part, fewest, most)
    return bool(possible)


@inlined
def propagate_precedence(a: Any, d: Any, i: int) -> bool:
    """Remove the values of both choices that leave the other none; False if all do."""
    before, after, gap = a.before[i], a.after[i], a.gap[i]
    low, high = a.first[before], a.first[after + 1] - 1
    while not d.alive[low]:
        low += 1
    while not d.alive[high]:
        high -= 1
    least, greatest = a.number[low] + gap, a.number[high] - gap
    literal = a.first[after]
    while literal < a.first[after + 1] and a.number[literal] < least:
        remove(a, d, literal)
        literal += 1
    literal = a.first[before + 1] - 1
    while literal >= a.first[before] and a.number[literal] > greatest:
        remove(a, d, literal)
        literal -= 1
    d.counts[WORK] += 1
    return bool(d.size[before] > 0 and d.size[after] > 0)


@called
def propagate(a: Any, d: Any, since: int) -> int:
    """Look at the constraints in the queue until none is left.

    And at those of the choices that lost a value after the first ``since`` that are gone. Returns
    ``FIXED_POINT``, or the number of a constraint that cannot be met; the queue is empty then, too.
    """
    broken: int = FIXED_POINT
    touched = -1
    while True:
        for i in range(since, d.counts[REMOVED]):
            choice = a.choice[d.removed[i]]
            if choice != touched:  # values of one choice mostly go together
                touch(a, d, choice)
            touched = choice
        since, touched = d.counts[REMOVED], -1
        if d.counts[_QUEUED] == 0:
            return broken
        constraint = dequeue(a, d)
        if broken == FIXED_POINT:
            if constraint < a.n_rows:
                possible = propagate_row(a, d, constraint)
            else:
                possible = propagate_precedence(a, d, constraint - a.n_rows)
            if not possible:
                broken = constraint


@called
def assume(a: Any, d: Any, literal: int) -> int:
    """Let a literal be true, and propagate; returns what ``propagate`` does."""
    choice, since = a.choice[literal], d.counts[REMOVED]
    for other in range(a.first[choice], a.first[choice + 1]):
        if other != literal:
            remove(a, d, other)
    broken: int = propagate(a, d, since)
    return broken


@inlined
def restore(a: Any, d: Any, n_removed: int) -> None:
    """Put back what was removed after the first ``n_removed`` values."""
    while d.counts[REMOVED] > n_removed:
        d.counts[REMOVED] -= 1
        literal = d.removed[d.counts[REMOVED]]
        d.alive[literal] = True
        d.size[a.choice[literal]] += 1


@kernel
def propagate_all(model: Any, domains: Any) -> int:
    """Look at the constraints in the queue until none is left; returns what ``propagate`` does."""
    a, d = pointers(PropagatorArrays, model), pointers(DomainArrays, domains)
    broken: int = propagate(a, d, d.counts[REMOVED])
    return broken


@kernel
def probe(model: Any, domains: Any, work: int) -> int:
    """Assume each value that is left, choice by choice, and remove what breaks a constraint.

    Until a round of all choices removed nothing, or so much work is done; a further call goes on.
    Returns what ``propagate`` does.
    """
    a, d = pointers(PropagatorArrays, model), pointers(DomainArrays, domains)
    until, broken = d.counts[WORK] + work, FIXED_POINT
    while broken == FIXED_POINT and d.counts[_IN_VAIN] < a.n_choices and d.counts[WORK] < until:
        choice, before = d.counts[_NEXT], d.counts[REMOVED]
        for literal in range(a.first[choice], a.first[choice + 1]):
            if broken == FIXED_POINT and d.alive[literal] and d.size[choice] > 1:
                n_removed = d.counts[REMOVED]
                refuted = assume(a, d, literal)
                restore(a, d, n_removed)
                d.counts[_PROBES] += 1
                if refuted != FIXED_POINT:
                    remove(a, d, literal)
                    broken = propagate(a, d, n_removed)
        d.counts[_IN_VAIN] = d.counts[_IN_VAIN] + 1 if d.counts[REMOVED] == before else 0
        d.counts[_NEXT] = (choice + 1) % a.n_choices
    return broken


class Propagator:
    """The values that are left of a model's choices, and what follows from removing some.

    Bounds propagation on linear rows, with each choice's values as one group, and on precedences;
    connectivity and cycles propagate nothing. Source: bounds consistency of linear constraints,
    e.g. Schulte and Stuckey, "When do bounds and domain propagation lead to the same search
    space?" (2005).

    >>> from qubopuzzle import ModelBuilder
    >>> b = ModelBuilder()
    >>> x, y = b.choice("x", range(3)), b.choice("y", range(3))
    >>> b.precedence("order", [x], [y], [1])
    >>> propagator = Propagator(b.build())
    >>> propagator.run()  # no constraint is broken
    >>> propagator.alive.tolist()  # x is 0 or 1, y is 1 or 2
    [True, True, False, False, True, True]

    Attributes:
        model, rows, parts, order: what it propagates: the matrix of all linear rows, their terms
            by choice, and the precedences.
        arrays, domains: the same for compiled code, and what is left.
        packed: what kernels take of the arrays.
    """

    def __init__(self, model: Model) -> None:
        rows, lower, upper = all_rows(model)
        parts, order = Segments(model.choice_of_literal, rows), Precedences(model)
        self.model, self.rows, self.parts, self.order = model, rows, parts, order
        n_rows, n_precedences, n = rows.shape[0], len(order.first), len(model.choices)
        precedence = n_rows + np.arange(n_precedences)
        choice = np.concatenate([parts.choice, order.first, order.second])
        constraint = np.concatenate([parts.row, precedence, precedence])
        part_start = starts(parts.row, n_rows)
        self.arrays = PropagatorArrays(
            n_choices=n,
            n_rows=n_rows,
            n_constraints=n_rows + n_precedences,
            first=model.first_literal,
            choice=model.choice_of_literal,
            number=order.number,
            part_start=part_start,
            part_choice=parts.choice,
            term_start=np.append(parts.start, len(parts.literal)),
            literal=parts.literal,
            coefficient=parts.data,
            lower=lower,
            upper=upper,
            before=order.first,
            after=order.second,
            gap=order.gap,
            watch_start=starts(choice, n),
            watch=constraint[np.argsort(choice, kind="stable")],
        )
        self.packed = addresses(self.arrays)
        most = int(np.diff(part_start).max(initial=0))
        n_constraints = self.arrays.n_constraints
        self.domains = DomainArrays(
            alive=np.ones(model.n_literals, dtype=bool),
            size=model.sizes.copy(),
            removed=np.zeros(model.n_literals, dtype=np.int64),
            queue=np.arange(n_constraints),
            waiting=np.ones(n_constraints, dtype=bool),
            counts=np.array([0, 0, n_constraints, 0, 0, 0, 0]),
            least=np.zeros(most, dtype=np.int64),
            greatest=np.zeros(most, dtype=np.int64),
        )

    def copy_domains(self) -> DomainArrays:
        """What is left now, for somebody else to change; no work was done on it yet."""
        copies: Any = (array.copy() for array in self.domains)
        copied = DomainArrays(*copies)
        copied.counts[WORK] = 0
        return copied

    @property
    def alive(self) -> NDArray[np.bool_]:
        """Whether each literal can still be true, shape (literals,)."""
        return self.domains.alive

    def run(self) -> str | None:
        """Remove values to a fixed point; returns the constraint that proves that there is none."""
        return self._broken(propagate_all(self.packed, addresses(self.domains)))

    def probe(self, work: int) -> str | None:
        """Remove what failed literals show, after ``run``; returns as it does.

        A value that breaks a constraint when it is taken and propagated is in no solution. Ends
        where no value does, or after ``work`` terms of rows and precedences were looked at; then
        it goes on when it is called again. Source: failed literal probing, e.g. Lynce and
        Marques-Silva, "Probing-based preprocessing techniques for propositional satisfiability"
        (2003).
        """
        return self._broken(probe(self.packed, addresses(self.domains), work))

    @property
    def probes(self) -> int:
        """Values probed so far."""
        return int(self.domains.counts[_PROBES])

    @property
    def probed_all(self) -> bool:
        """Whether no value that is left would be removed by a further probe."""
        return bool(self.domains.counts[_IN_VAIN] >= len(self.domains.size))

    def _broken(self, constraint: int) -> str | None:
        return None if constraint == FIXED_POINT else self.label(constraint)

    def label(self, constraint: int) -> str:
        """What a constraint is called, by its number: rows come first, then precedences."""
        if constraint < self.arrays.n_rows:
            return self.model.row_label(constraint)
        constraint -= self.arrays.n_rows
        ends = self.order.first[constraint], self.order.second[constraint]
        one, two = (self.model.choices[end].name for end in ends)
        return f"{self.order.family[constraint]} of {one} and {two}"
