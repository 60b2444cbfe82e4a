"""``augmented-lagrangian``: multipliers that move between whole runs of a sampler.

The method of multipliers (M. Hestenes, 1969; M. Powell, 1969), around an annealer as H. Djidjev,
"Quantum annealing with inequality constraints: the set cover problem" (arXiv 2302.11185) has it,
and S. Awai et al. on quadratic knapsacks (arXiv 2606.24241): each run starts anew, its sample moves
the multipliers by the penalty, and the penalty grows while rows are broken.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qubopuzzle.compile.qubo import Qubo
from qubopuzzle.solvers.base import Option
from qubopuzzle.solvers.multipliers import Lagrangian
from qubopuzzle.solvers.weighting import Round, Rounds, Weighting, options_of


class _AugmentedLagrangian(Weighting):
    name = "augmented-lagrangian"
    about = "multipliers that move between runs of neal or tempering"
    default_reads = 100
    options = options_of(
        1_000,
        Option(
            "penalty", float, 0.01, "first quadratic penalty, in units of the objective", 1e-9, 1e9
        ),
        Option("growth", float, 1.1, "by which the penalty grows where rows are broken", 1, 1e9),
    )

    def rounds(self, qubo: Qubo, options: Mapping[str, Any]) -> Rounds:
        lagrangian = Lagrangian(qubo, options["penalty"])
        while True:
            sample = yield Round(lagrangian.bqm, None, lagrangian.betas)
            if lagrangian.move(sample, lagrangian.penalty):
                lagrangian.weigh(min(lagrangian.penalty * options["growth"], 1e9))


SOLVER = _AugmentedLagrangian()
