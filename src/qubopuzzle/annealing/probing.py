"""Probing in turns with annealing: what it removes is out of the running reads."""

import threading
from bisect import bisect_left
from copy import copy

from qubopuzzle.model import IntArray
from qubopuzzle.model.propagation import (
    PROBING_WORK,
    TURN,
    Propagation,
    compile_kernels,
    left_by,
    probe,
)
from qubopuzzle.model.propagator import REMOVED, WORK, Propagator


class Probing:
    """Probing of a model, as far as its reads get, of pairs, too, see ``Propagator.probe``.

    It ends where ``PROBING_WORK`` removed nothing. What has been removed after so much work does
    not depend on who asked for it, nor in which order threads did.

    Attributes:
        propagator: of its own, at the fixed point that probing has come to.
        broken: the constraint that proves that there is no solution, if one does.
        begun: the work that earlier searches asked for, which this one goes on from.
    """

    def __init__(self, propagator: Propagator) -> None:
        self.propagator = copy(propagator)
        self.propagator.domains = propagator.copy_domains()
        self.broken: str | None = None
        self.begun = 0
        self._lock = threading.Lock()
        self._first = int(self.propagator.domains.counts[REMOVED])
        self._works, self._removed = [0], [self._first]

    @property
    def ended(self) -> bool:
        """Whether more work removes nothing."""
        last = self._works[bisect_left(self._removed, self._removed[-1])]
        in_vain = self._works[-1] - last >= PROBING_WORK
        return in_vain or self.broken is not None or self.propagator.probed_pairs

    def result(self) -> Propagation | None:
        """What it left, as a model; None if it has not begun."""
        if not self.propagator.probes:
            return None
        broken = None if self.broken is None else f"probing: {self.broken}"
        return left_by(self.propagator, broken, complete=self.propagator.probed_all)

    def after(self, work: int) -> tuple[IntArray, bool]:
        """The literals that are removed, in order, once so much work is done; and if that is all.

        The work is done here where it is not done yet. What was ``begun`` comes before it.
        """
        work += self.begun
        counts = self.propagator.domains.counts
        if work:
            compile_kernels(probe)
        with self._lock:
            while self._works[-1] < work and not self.ended:
                self.broken = self.propagator.probe(TURN, pairs=True)
                self._works.append(int(counts[WORK]))
                self._removed.append(int(counts[REMOVED]))
            turn = min(bisect_left(self._works, work), len(self._works) - 1)
            removed = self.propagator.domains.removed[self._first : self._removed[turn]]
            return removed.copy(), self.ended and turn == len(self._works) - 1
