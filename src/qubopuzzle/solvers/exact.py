"""``exact``: all assignments, one by one (dimod's ExactSolver); for small models only."""

from dataclasses import replace

import numpy as np

from qubopuzzle.errors import TooLarge
from qubopuzzle.solvers.base import Outcome, Task
from qubopuzzle.solvers.sampler import KEPT_SAMPLES, Best, SamplerSolver, in_order

MAX_VARIABLES = 20
"""2**20 assignments; every further variable doubles time and memory."""


class _Exact(SamplerSolver):
    exact = True

    def solve(self, task: Task) -> Outcome:
        compiled, bqm, n = task.compiled, task.compiled.payload, task.compiled.sizes["variables"]
        if n == 0:
            found = Best(compiled).of_nothing()
            refused = not task.is_answer(found.samples[0])
            return replace(found, infeasible=found.infeasible or refused, complete=True)
        if n > MAX_VARIABLES:
            fewer = "" if compiled.encoding == "domain-wall" else "--encoding domain-wall or "
            raise TooLarge(
                f"solver exact tries all assignments of at most {MAX_VARIABLES} variables, this "
                f"model has {n}; try {fewer}--solver sat, which proves as much"
            )
        samples = in_order(self.make().sample(bqm), n)
        energies = bqm.energies((samples, range(n)))
        met = samples[energies < 0.5 * compiled.gap]
        if not len(met):
            lowest = np.lexsort([*samples.T[::-1], energies])[:KEPT_SAMPLES]
            return Outcome(samples[lowest], energies[lowest], 1, infeasible=True, complete=True)
        answers = {task.judge.key(sample): sample for sample in met if task.is_answer(sample)}
        chosen = list(answers.values())[: task.budget.solutions]
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
