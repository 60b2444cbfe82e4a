"""``exact``: all assignments, one by one (dimod's ExactSolver); for small models only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from qubopuzzle.compile import Compiled
from qubopuzzle.errors import TooLarge
from qubopuzzle.solvers.base import Budget, Outcome, ProgressCallback
from qubopuzzle.solvers.sampler import Best, SamplerSolver, empty_outcome, in_order

MAX_VARIABLES = 20
"""2**20 assignments; every further variable doubles time and memory."""


class _Exact(SamplerSolver):
    exact = True

    def solve(
        self,
        compiled: Compiled,
        budget: Budget,
        options: Mapping[str, Any],
        progress: ProgressCallback | None = None,
    ) -> Outcome:
        n = compiled.payload.num_variables
        if n == 0:
            found = empty_outcome(compiled)
            refused = bool(compiled.omitted) and not budget.judge.accepts(found.samples[0])
            return replace(found, infeasible=found.infeasible or refused, complete=True)
        if n > MAX_VARIABLES:
            fewer = "" if compiled.encoding == "domain-wall" else "--encoding domain-wall or "
            raise TooLarge(
                f"solver exact tries all assignments of at most {MAX_VARIABLES} variables, this "
                f"model has {n}; try {fewer}--solver sat, which proves as much"
            )
        samples = in_order(self.make().sample(compiled.payload), n)
        best = Best.of_bqm(compiled)
        best.add(samples, 1)
        if best.energy > 0:
            found = best.outcome(False, {})
            return Outcome(found.samples, found.energies, 1, infeasible=True, complete=True)
        energies = compiled.payload.energies((samples, range(n)))
        met = samples[energies < 0.5 * compiled.gap]
        answers = {
            budget.judge.key(sample): sample
            for sample in met
            if not compiled.omitted or budget.judge.accepts(sample)
        }
        chosen = list(answers.values())[: budget.solutions]
        return Outcome(
            np.array(chosen, dtype=np.int8).reshape(len(chosen), n),
            np.zeros(len(chosen)),
            reads=1,
            infeasible=not chosen,
            complete=len(chosen) == len(answers),
        )


SOLVER = _Exact(
    "exact",
    "dimod:ExactSolver",
    package="dimod",
    default_encoding="domain-wall",
    about=f"enumeration of all assignments (dimod), up to {MAX_VARIABLES} variables; proves",
)
