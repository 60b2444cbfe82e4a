"""``exact``: all assignments, one by one; for small models only."""

from collections.abc import Mapping
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.base.incumbents import Incumbents
from qubopuzzle.base.signals import defer_interrupt
from qubopuzzle.errors import TooLarge
from qubopuzzle.solvers.base import Budget, Outcome, Solver, Task
from qubopuzzle.solvers.sampler import Best

MAX_VARIABLES = 20
"""2**20 assignments; every further variable doubles the time."""
_BLOCK = 1 << 12
"""So many assignments are looked at before the clock is, and Ctrl-C heard."""


class _Exact(Solver):
    name = "exact"
    exact = True
    default_encoding = "domain-wall"
    default_reads = 1
    about = f"enumeration of all assignments, up to {MAX_VARIABLES} variables; proves"

    def takes_turns(self, budget: Budget, options: Mapping[str, Any]) -> bool:
        """It looks at all assignments, to know whether there is another solution."""
        return False

    def solve(self, task: Task) -> Outcome:
        """Enumerate until there is one answer more than asked for, or no assignment left."""
        compiled, n = task.compiled, task.compiled.sizes["variables"]
        if n > MAX_VARIABLES:
            fewer = "" if compiled.encoding == "domain-wall" else "--encoding domain-wall or "
            raise TooLarge(
                f"solver exact tries all assignments of at most {MAX_VARIABLES} variables, this "
                f"model has {n}; try {fewer}--solver sat, which proves as much"
            )
        enumeration = _Enumeration(task, n)
        interrupted = False
        try:
            enumeration.run()
        except KeyboardInterrupt:
            interrupted = True
        return enumeration.outcome(interrupted=interrupted)


class _Enumeration:
    """What the assignments so far brought: answers by key, and the lowest of each block.

    With an objective, the answers are the best of all, and only the last assignment proves that.
    """

    def __init__(self, task: Task, n: int) -> None:
        self._task, self._n = task, n
        self._best = Best(task.compiled)
        self._best.reads = 1
        self._answers: dict[bytes, NDArray[np.int8]] = {}
        self._least = inf
        """The objective of the answers, which are the best so far; without one, 0."""
        self._exhausted = False
        self._incumbents = Incumbents()

    def run(self) -> None:
        """Block after block."""
        count = 1 << self._n
        for first in range(0, count, _BLOCK):
            if self._enough() or (first and self._task.seconds_left() <= 0):
                return
            self._task.report(first / count, self._best.energy)
            with defer_interrupt():
                self._look_at(np.arange(first, min(first + _BLOCK, count)))
        self._exhausted = not self._enough()

    def _enough(self) -> bool:
        """Whether there are more answers than asked for, and no better ones to look for."""
        optimizing = self._task.compiled.has_objective
        return not optimizing and len(self._answers) > self._task.budget.solutions

    def _look_at(self, numbers: NDArray[np.int64]) -> None:
        """The assignments whose bits, first variable first, are those of the numbers."""
        compiled: Any = self._task.compiled  # a QUBO
        samples = (numbers[:, None] >> np.arange(self._n)[::-1] & 1).astype(np.int8)
        energies = np.asarray(compiled.energies(samples))
        self._best.add(samples[[np.argmin(energies)]], [1], 0)
        worth = compiled.objectives(samples)
        (met,) = np.nonzero(energies - worth < 0.5 * compiled.gap)
        # The best first, of equals the first.
        for at in met[np.argsort(worth[met], kind="stable")].tolist():
            if self._enough() or worth[at] > self._least:
                return
            self._keep(samples[at], float(worth[at]))

    def _keep(self, sample: NDArray[np.int8], worth: float) -> None:
        """An assignment that meets the model, and is no worse than the answers so far."""
        if not self._task.is_answer(sample):
            return
        if worth < self._least:
            self._answers, self._least = {}, worth
            self._incumbents.note(worth)
        if len(self._answers) <= self._task.budget.solutions:
            self._answers.setdefault(self._task.key(sample), sample)

    def outcome(self, *, interrupted: bool) -> Outcome:
        """The answers, or the lowest assignments where there is none."""
        if not self._answers:
            proved = self._exhausted
            return self._best.outcome(infeasible=proved, complete=proved, interrupted=interrupted)
        optimizing = self._task.compiled.has_objective
        chosen = [*self._answers.values()][: self._task.budget.solutions]
        return Outcome(
            np.array(chosen, dtype=np.int8).reshape(len(chosen), self._n),
            np.full(len(chosen), self._least),
            reads=1,
            interrupted=interrupted,
            complete=self._exhausted and not optimizing,
            bound=self._least if self._exhausted and optimizing else None,
            optimal=self._exhausted and optimizing,
            incumbents=self._incumbents if optimizing else (),
        )


SOLVER = _Exact()
