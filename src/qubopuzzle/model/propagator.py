"""Propagation in compiled code: its arrays, its loops, and their front, ``Propagator``.

``a`` is the model, ``PropagatorArrays``; ``d`` is what is left of it, ``DomainArrays``. Rows
and precedences are **constraints**, numbered rows first.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from qubopuzzle.jit import kernel
from qubopuzzle.model.data import IntArray, Model, starts
from qubopuzzle.model.order import Precedences
from qubopuzzle.model.segments import Segments

_NOTHING = np.zeros(0, dtype=np.int64)
_FAR = 1 << 60
_REMOVED, _HEAD, _QUEUED = range(3)
"""Places in ``DomainArrays.ends``."""
FIXED_POINT = -1
"""What ``propagate`` returns where no constraint is broken."""


class PropagatorArrays(NamedTuple):
    """A model. Literal l of choice c is ``first[c] + v`` for its v-th value.

    Attributes:
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
        ends: how many literals are removed; the head of the queue; how many wait in it.
        least, greatest: scratch, for the most parts of a row.
    """

    alive: NDArray[np.bool_]
    size: IntArray
    removed: IntArray
    queue: IntArray
    waiting: NDArray[np.bool_]
    ends: IntArray
    least: IntArray
    greatest: IntArray


@kernel
def remove(a: Any, d: Any, literal: int) -> bool:
    """Take a value from its choice, and queue what the choice is in; False if none is left."""
    choice = a.choice[literal]
    d.alive[literal] = False
    d.removed[d.ends[_REMOVED]] = literal
    d.ends[_REMOVED] += 1
    d.size[choice] -= 1
    for e in range(a.watch_start[choice], a.watch_start[choice + 1]):
        enqueue(d, a.watch[e])
    return bool(d.size[choice] > 0)


@kernel
def enqueue(d: Any, constraint: int) -> None:
    """Look at a constraint again."""
    if not d.waiting[constraint]:
        d.waiting[constraint] = True
        d.queue[(d.ends[_HEAD] + d.ends[_QUEUED]) % len(d.queue)] = constraint
        d.ends[_QUEUED] += 1


@kernel
def dequeue(d: Any) -> int:
    """The constraint that has waited longest."""
    constraint = d.queue[d.ends[_HEAD]]
    d.waiting[constraint] = False
    d.ends[_HEAD] = (d.ends[_HEAD] + 1) % len(d.queue)
    d.ends[_QUEUED] -= 1
    return int(constraint)


@kernel
def restore(a: Any, d: Any, n_removed: int) -> None:
    """Put back what was removed after the first ``n_removed`` values."""
    while d.ends[_REMOVED] > n_removed:
        d.ends[_REMOVED] -= 1
        literal = d.removed[d.ends[_REMOVED]]
        d.alive[literal] = True
        d.size[a.choice[literal]] += 1


@kernel
def propagate(a: Any, d: Any) -> int:
    """Look at the constraints in the queue until none is left.

    Returns ``FIXED_POINT``, or the number of a constraint that cannot be met; the queue is empty
    then, too.
    """
    n_rows = len(a.lower)
    while d.ends[_QUEUED] > 0:
        constraint = dequeue(d)
        if constraint < n_rows:
            possible = propagate_row(a, d, constraint)
        else:
            possible = propagate_precedence(a, d, constraint - n_rows)
        if not possible:
            while d.ends[_QUEUED] > 0:
                dequeue(d)
            return int(constraint)
    return FIXED_POINT


@kernel
def propagate_row(a: Any, d: Any, row: int) -> bool:
    """Remove the values that leave a row no way to meet its bounds; False if there is none."""
    start, stop = a.part_start[row], a.part_start[row + 1]
    lower, upper = a.lower[row], a.upper[row]
    low, high = 0, 0
    for part in range(start, stop):
        least, greatest = part_bounds(a, d, part)
        d.least[part - start], d.greatest[part - start] = least, greatest
        low += least
        high += greatest
    if low > upper or high < lower:
        return False
    if low >= lower and high <= upper:
        return True
    for part in range(start, stop):
        least, greatest = d.least[part - start], d.greatest[part - start]
        # What the part may add once the rest of the row is at its best.
        most, fewest = upper - low + least, lower - high + greatest
        if (greatest > most or least < fewest) and not narrow(a, d, part, fewest, most):
            return False
    return True


@kernel
def part_bounds(a: Any, d: Any, part: int) -> tuple[int, int]:
    """The least and the greatest that a part of a row can be."""
    least, greatest, present = _FAR, -_FAR, 0
    for e in range(a.term_start[part], a.term_start[part + 1]):
        if d.alive[a.literal[e]]:
            present += 1
            least, greatest = min(least, a.coefficient[e]), max(greatest, a.coefficient[e])
    if present < d.size[a.part_choice[part]]:  # the other values add nothing
        least, greatest = min(least, 0), max(greatest, 0)
    return least, greatest


@kernel
def narrow(a: Any, d: Any, part: int, fewest: int, most: int) -> bool:
    """Remove the values of a part's choice that add less or more than this; False if all do."""
    choice = a.part_choice[part]
    term, stop = a.term_start[part], a.term_start[part + 1]
    for literal in range(a.first[choice], a.first[choice + 1]):
        own = term < stop and a.literal[term] == literal
        added = a.coefficient[term] if own else 0
        term += own
        out = added < fewest or added > most
        if out and d.alive[literal] and not remove(a, d, literal):
            return False
    return True


@kernel
def propagate_precedence(a: Any, d: Any, i: int) -> bool:
    """Remove the values of both choices that leave the other none; False if all do."""
    before, after, gap = a.before[i], a.after[i], a.gap[i]
    low = a.first[before]
    while not d.alive[low]:
        low += 1
    high = a.first[after + 1] - 1
    while not d.alive[high]:
        high -= 1
    least, greatest = a.number[low] + gap, a.number[high] - gap
    literal = a.first[after]
    while literal < a.first[after + 1] and a.number[literal] < least:
        if d.alive[literal] and not remove(a, d, literal):
            return False
        literal += 1
    literal = a.first[before + 1] - 1
    while literal >= a.first[before] and a.number[literal] > greatest:
        if d.alive[literal] and not remove(a, d, literal):
            return False
        literal -= 1
    return True


@kernel
def assume(a: Any, d: Any, literal: int) -> int:
    """Let a literal be true, and propagate; returns what ``propagate`` does."""
    choice = a.choice[literal]
    for other in range(a.first[choice], a.first[choice + 1]):
        if other != literal and d.alive[other]:
            remove(a, d, other)
    return int(propagate(a, d))


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
    """

    def __init__(self, model: Model) -> None:
        rows = csr_array((0, model.n_literals), dtype=np.int64)
        if model.linear:
            rows = csr_array(vstack([block.matrix for block in model.linear], dtype=np.int64))
        parts, order = Segments(model, rows), Precedences(model)
        n_rows, n_precedences, n = rows.shape[0], len(order.first), len(model.choices)
        precedence = n_rows + np.arange(n_precedences)
        choice = np.concatenate([parts.choice, order.first, order.second])
        constraint = np.concatenate([parts.row, precedence, precedence])
        part_start = starts(parts.row, n_rows)
        self.model = model
        self.arrays = PropagatorArrays(
            first=model.first_literal,
            choice=model.choice_of_literal,
            number=order.number,
            part_start=part_start,
            part_choice=parts.choice,
            term_start=np.append(parts.start, len(parts.literal)),
            literal=parts.literal,
            coefficient=parts.data,
            lower=np.concatenate([_NOTHING, *(block.lower for block in model.linear)]),
            upper=np.concatenate([_NOTHING, *(block.upper for block in model.linear)]),
            before=order.first,
            after=order.second,
            gap=order.gap,
            watch_start=starts(choice, n),
            watch=constraint[np.argsort(choice, kind="stable")],
        )
        most = int(np.diff(part_start).max(initial=0))
        n_constraints = n_rows + n_precedences
        self.domains = DomainArrays(
            alive=np.ones(model.n_literals, dtype=bool),
            size=model.sizes.copy(),
            removed=np.zeros(model.n_literals, dtype=np.int64),
            queue=np.arange(n_constraints),
            waiting=np.ones(n_constraints, dtype=bool),
            ends=np.array([0, 0, n_constraints]),
            least=np.zeros(most, dtype=np.int64),
            greatest=np.zeros(most, dtype=np.int64),
        )

    @property
    def alive(self) -> NDArray[np.bool_]:
        """Whether each literal can still be true, shape (literals,)."""
        return self.domains.alive

    def run(self) -> str | None:
        """Remove values to a fixed point; returns the constraint that proves that there is none."""
        broken = propagate(self.arrays, self.domains)
        return None if broken == FIXED_POINT else self._label(broken)

    def _label(self, constraint: int) -> str:
        for block in self.model.linear:
            if constraint < len(block.lower):
                return block.labels(constraint)
            constraint -= len(block.lower)
        ends = self.arrays.before[constraint], self.arrays.after[constraint]
        one, two = (self.model.choices[end].name for end in ends)
        return f"{Precedences(self.model).family[constraint]} of {one} and {two}"
