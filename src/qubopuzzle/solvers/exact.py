"""``exact``: all assignments, one by one (dimod's ExactSolver); for small models only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
            return empty_outcome(compiled)
        if n > MAX_VARIABLES:
            raise TooLarge(
                f"solver exact tries all assignments of at most {MAX_VARIABLES} variables, this "
                f"model has {n}; try --encoding domain-wall, --presolve propagate or --solver neal"
            )
        best = Best(compiled)
        best.add(in_order(self.make().sample(compiled.payload), n), 1)
        found = best.outcome(False, {})
        return Outcome(found.samples, found.energies, 1, infeasible=best.energy > 0)


SOLVER = _Exact(
    "exact",
    "dimod:ExactSolver",
    package="dimod",
    default_encoding="domain-wall",
    about=f"enumeration of all assignments (dimod), up to {MAX_VARIABLES} variables; proves",
)
