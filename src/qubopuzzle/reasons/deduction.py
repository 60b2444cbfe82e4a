"""What a statement says by itself once some values are gone, by propagation."""

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.jit.packing import addresses
from qubopuzzle.model import UNBOUNDED, IntArray
from qubopuzzle.model.propagator import (
    FIXED_POINT,
    WORK,
    Propagator,
    look_at,
    propagate_some,
    refute_each,
)
from qubopuzzle.model.statements import StatedModel

_NOTHING = np.zeros(0, dtype=np.int64)
_NONE = np.zeros(0, dtype=bool)
_A_QUESTION = 10_000
"""Terms that are looked at in the time that a question takes besides."""
Traced: TypeAlias = tuple[NDArray[np.bool_], NDArray[np.bool_]]
"""Which constraints take part in a propagation, and which literals."""
_NEVER = -(1 << 40)
"""A gap that every two values keep."""


class Deduction:
    """A model of which one statement at a time is propagated, or some of its constraints.

    ``constraints``: those of each statement, by number; ``work``: terms and the like that were
    looked at so far, and as many as ``_A_QUESTION`` takes the time of for each question.

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
        model, self.work = stated.model, 0
        n = int(model.row_ends[-1]) if len(model.row_ends) else 0
        n_precedences = sum(len(block.first) for block in model.precedence)
        rows, precedences, graphs = np.split(stated.owner, [n, n + n_precedences])
        # Precedences that always hold propagate together, as chains.
        self._propagator = Propagator(model, chains=bool((precedences < 0).all()))
        self._every = every = self._propagator.arrays
        graphs = graphs[: len(model.connected)]  # no cycles: nothing follows
        # Two copies of what always holds: others are put in force in the first one. Kernels have
        # only their addresses.
        self._held = [
            every._replace(
                lower=np.where(rows < 0, every.lower, -UNBOUNDED),
                upper=np.where(rows < 0, every.upper, UNBOUNDED),
                gap=np.where(precedences < 0, every.gap, _NEVER),
                node_stop=np.where(graphs < 0, every.node_stop, every.node_start),
            )
            for _ in range(2)
        ]
        some, always = map(addresses, self._held)
        self._models = some, addresses(every), always
        self._domains = self._propagator.copy_domains()
        look_at(self._domains, _NOTHING)
        self._packed_domains = addresses(self._domains)
        chains = np.full(every.n_local - every.n_others, -1)
        owner = np.concatenate([rows, precedences, chains, graphs])
        self._always = np.flatnonzero(owner < 0)
        self._chains = np.arange(every.n_others, every.n_local)
        of_each = np.argsort(owner, kind="stable")
        ends = np.searchsorted(owner[of_each], np.arange(len(stated.statements) + 1))
        self.constraints = [of_each[a:b] for a, b in pairwise(ends)]

    def alive(
        self, constraints: IntArray, gone: IntArray, start: NDArray[np.bool_] | None = None
    ) -> NDArray[np.bool_] | None:
        """The literals that constraints leave, (literals,); None: they cannot hold.

        What always holds is among them. ``gone`` are literals that are taken away before, (n,).
        ``start``: what the same constraints leave without these, which saves time.
        """
        if start is not None:
            return self._propagated((start.copy(), gone), (constraints, self._chains))
        return self._propagated((self._but(gone), _NOTHING), self._anew(constraints))

    def left(self, constraints: IntArray, alive: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
        """What constraints leave of these literals, (literals,); None: they cannot hold."""
        return self._propagated((alive.copy(), _NOTHING), self._anew(constraints))

    def always(self, alive: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
        """What always holds leaves of these literals, (literals,); None: it cannot hold."""
        return self.left(_NOTHING, alive)

    def traced(self, constraints: IntArray, gone: IntArray, wanted: IntArray) -> Traced:
        """What it takes of constraints and of what is gone for these not to hold.

        Or, where they hold, for the literals ``wanted`` to be gone, too. A superset, by one
        propagation: which constraints, (constraints,), and which literals, (literals,).
        """
        arrays = self._every
        parts = np.zeros(arrays.n_constraints, dtype=bool), np.zeros(len(arrays.choice), dtype=bool)
        parts[1][wanted] = True
        self._propagated((self._but(gone), _NOTHING), self._anew(constraints), parts)
        return parts

    def refuted(
        self,
        constraints: IntArray,
        gone: IntArray,
        tried: Sequence[IntArray],
        start: NDArray[np.bool_],
    ) -> NDArray[np.bool_]:
        """Whether ``alive`` is None where further literals are gone, each of these, (tried,)."""
        counts, answer = self._domains.counts, np.zeros(len(tried), dtype=np.bool_)
        counts[WORK] = 0
        literals = np.concatenate([_NOTHING, *tried])
        ends = np.cumsum([len(each) for each in tried], dtype=np.int64)
        left, looked_at = (start.copy(), gone), (constraints, self._chains)
        parts = self._models, self._packed_domains, left, looked_at
        refute_each(*parts, (literals, ends), answer)
        self.work += _A_QUESTION * len(tried) + int(counts[WORK])
        return answer

    def _but(self, gone: IntArray) -> NDArray[np.bool_]:
        left = np.ones(self._propagator.model.n_literals, dtype=np.bool_)
        left[gone] = False
        return left

    def _anew(self, constraints: IntArray) -> tuple[IntArray, IntArray]:
        """These put in force, and all that is in force looked at."""
        return constraints, np.concatenate((constraints, self._always))

    def _propagated(
        self,
        left: tuple[NDArray[np.bool_], IntArray],
        constraints: tuple[IntArray, IntArray],
        parts: Traced = (_NONE, _NONE),
    ) -> NDArray[np.bool_] | None:
        counts = self._domains.counts
        counts[WORK] = 0
        broken = propagate_some(self._models, self._packed_domains, left, constraints, parts)
        self.work += _A_QUESTION + int(counts[WORK])
        return left[0] if broken == FIXED_POINT else None

    def choices_of(self, constraints: IntArray) -> IntArray:
        """The choices of the model that constraints but graphs are about, ascending."""
        n, every = self._every.n_local, self._choices
        several = (every[number] for number in constraints.tolist() if number < n)
        return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *several]))

    @cached_property
    def _choices(self) -> list[IntArray]:
        """The choices of the model in each constraint."""
        a, n = self._every, len(self._propagator.model.choices)
        watching = np.repeat(np.arange(len(a.watch_start) - 1), np.diff(a.watch_start))
        inside = watching < n
        watched, watching = a.watch[inside], watching[inside]
        order = np.argsort(watched, kind="stable")
        ends = np.searchsorted(watched[order], np.arange(a.n_constraints + 1))
        return [watching[order[start:end]] for start, end in pairwise(ends)]
