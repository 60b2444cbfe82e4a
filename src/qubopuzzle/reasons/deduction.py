"""What a statement says by itself once some values are gone, by propagation."""

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
    """A model of which one statement at a time is propagated.

    >>> from qubopuzzle import ModelBuilder
    >>> b = ModelBuilder()
    >>> x, y = b.bit("x"), b.bit("y")
    >>> b.add("or", x + y >= 1)
    >>> deduction = Deduction(StatedModel.by_label(b.build()))
    >>> deduction.alive(0, np.array([x.literals[1]])).tolist()  # x is 0, so y is 1
    [True, False, False, True]
    """

    def __init__(self, stated: StatedModel) -> None:
        model = stated.model
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
        chains = np.full(on.n_local - on.n_others, -1)
        owner = np.concatenate([rows, precedences, chains, graphs])
        self._always = np.flatnonzero(owner < 0)
        of_each = np.argsort(owner, kind="stable")
        ends = np.searchsorted(owner[of_each], np.arange(len(stated.statements) + 1))
        self._constraints = [of_each[a:b] for a, b in pairwise(ends)]

    def alive(self, statement: int | None, gone: IntArray) -> NDArray[np.bool_] | None:
        """The literals that a statement leaves, (literals,); None: it cannot hold.

        Without one, those that what always holds leaves. ``gone`` are literals that are taken away
        before, (n,).
        """
        domains = self._propagator.copy_domains()
        leave_out(self._on, domains, gone)
        constraints = self._always[:0] if statement is None else self._constraints[statement]
        look_at(domains, np.append(constraints, self._always))
        self._switch(constraints, on=True)
        broken = propagate_all(self._packed, addresses(domains), FAR)
        self._switch(constraints, on=False)
        n_literals = self._propagator.model.n_literals
        return domains.alive[:n_literals] if broken == FIXED_POINT else None

    def _switch(self, constraints: IntArray, *, on: bool) -> None:
        """Put constraints in force, or out of it."""
        a, off = self._on, self._off
        ends = np.searchsorted(np.sort(constraints), [a.n_rows, a.n_others, a.n_local])
        row, precedence, _, graph = np.split(np.sort(constraints), ends)
        off.lower[row] = a.lower[row] if on else -UNBOUNDED
        off.upper[row] = a.upper[row] if on else UNBOUNDED
        at = precedence - a.n_rows
        off.gap[at] = a.gap[at] if on else _NEVER
        at = graph - a.n_local
        off.node_stop[at] = a.node_stop[at] if on else a.node_start[at]
