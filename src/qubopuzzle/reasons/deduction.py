"""What a statement says by itself once some values are gone, by propagation."""

from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.jit.packing import addresses
from qubopuzzle.model import UNBOUNDED, IntArray
from qubopuzzle.model.propagator import (
    FAR,
    FIXED_POINT,
    Propagator,
    leave_out,
    look_at,
    propagate_all,
)
from qubopuzzle.model.statements import StatedModel

_NEVER = -(1 << 40)
"""A gap that every two values keep."""


class Deduction:
    """A model of which one statement at a time is propagated, or some of its constraints.

    ``constraints``: those of each statement, by number; ``calls``: questions so far.

    >>> from qubopuzzle import ModelBuilder
    >>> b = ModelBuilder()
    >>> x, y = b.bit("x"), b.bit("y")
    >>> b.add("or", x + y >= 1)
    >>> deduction = Deduction(StatedModel.by_label(b.build()))
    >>> x_is_1 = np.array([x.literals[1]])
    >>> deduction.alive(deduction.constraints[0], x_is_1).tolist()  # without it y is 1
    [True, False, False, True]
    """

    def __init__(self, stated: StatedModel) -> None:
        model, self.calls = stated.model, 0
        n = int(model.row_ends[-1]) if len(model.row_ends) else 0
        n_precedences = sum(len(block.first) for block in model.precedence)
        rows, precedences, graphs = np.split(stated.owner, [n, n + n_precedences])
        # Precedences that always hold propagate together, as chains.
        self._propagator = Propagator(model, chains=bool((precedences < 0).all()))
        self._on = on = self._propagator.arrays
        graphs = graphs[: len(model.connected)]  # no cycles: nothing follows
        self._off = on._replace(
            lower=np.where(rows < 0, on.lower, -UNBOUNDED),
            upper=np.where(rows < 0, on.upper, UNBOUNDED),
            gap=np.where(precedences < 0, on.gap, _NEVER),
            node_stop=np.where(graphs < 0, on.node_stop, on.node_start),
        )
        self._packed = addresses(self._off)
        # One copy of what is left, which each question begins with as it was: packed once.
        self._domains = self._propagator.copy_domains()
        self._packed_domains = addresses(self._domains)
        chains = np.full(on.n_local - on.n_others, -1)
        owner = np.concatenate([rows, precedences, chains, graphs])
        self._always = np.flatnonzero(owner < 0)
        of_each = np.argsort(owner, kind="stable")
        ends = np.searchsorted(owner[of_each], np.arange(len(stated.statements) + 1))
        self.constraints = [of_each[a:b] for a, b in pairwise(ends)]

    def alive(self, constraints: IntArray, gone: IntArray) -> NDArray[np.bool_] | None:
        """The literals that constraints leave, (literals,); None: they cannot hold.

        What always holds is among them. ``gone`` are literals that are taken away before, (n,).
        """
        self.calls += 1
        domains = self._domains
        for ours, at_first in zip(domains, self._propagator.domains, strict=True):
            np.copyto(ours, at_first)
        leave_out(self._on, domains, gone)
        look_at(domains, np.append(constraints, self._always))
        self._switch(constraints, on=True)
        broken = propagate_all(self._packed, self._packed_domains, FAR)
        self._switch(constraints, on=False)
        n_literals = self._propagator.model.n_literals
        return domains.alive[:n_literals].copy() if broken == FIXED_POINT else None

    def always(self, alive: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
        """What always holds leaves of these literals, (literals,); None: it cannot hold."""
        return self.alive(np.zeros(0, dtype=np.int64), np.flatnonzero(~alive))

    def _switch(self, constraints: IntArray, *, on: bool) -> None:
        """Put constraints in force, or out of it."""
        a, off = self._on, self._off
        row = constraints[constraints < a.n_rows]
        behind = constraints[constraints >= a.n_rows]
        precedence, graph = behind[behind < a.n_others], behind[behind >= a.n_local]
        off.lower[row] = a.lower[row] if on else -UNBOUNDED
        off.upper[row] = a.upper[row] if on else UNBOUNDED
        at = precedence - a.n_rows
        off.gap[at] = a.gap[at] if on else _NEVER
        at = graph - a.n_local
        off.node_stop[at] = a.node_stop[at] if on else a.node_start[at]

    def choices_of(self, constraints: IntArray) -> IntArray:
        """The choices of the model that constraints but graphs are about, ascending."""
        n, every = self._on.n_local, self._choices
        several = (every[number] for number in constraints.tolist() if number < n)
        return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *several]))

    @cached_property
    def _choices(self) -> list[IntArray]:
        """The choices of the model in each constraint."""
        a, n = self._on, len(self._propagator.model.choices)
        watching = np.repeat(np.arange(len(a.watch_start) - 1), np.diff(a.watch_start))
        inside = watching < n
        watched, watching = a.watch[inside], watching[inside]
        order = np.argsort(watched, kind="stable")
        ends = np.searchsorted(watched[order], np.arange(a.n_constraints + 1))
        return [watching[order[start:end]] for start, end in pairwise(ends)]
