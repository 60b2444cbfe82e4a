"""``static-weights``: one penalty weight for all constraints, by a rule of the literature.

- ``sum``: what the objective's coefficients add up to, the sizes of all: no broken constraint pays.
- ``dimod``: ten times its largest coefficient, as ``dimod.cqm_to_bqm`` takes by default.
- ``vlm``: the most that a flip can change the objective (A. Verma and M. Lewis, Discrete
  Optimization 44, 2022).
- ``momc``: that, by the least that a flip can change a penalty that it does change (M. Ayodele,
  "Penalty weights in QUBO formulations: permutation problems", EvoCOP 2022).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from qubopuzzle.compile.qubo import OBJECTIVE, Quadratic, Qubo
from qubopuzzle.solvers.base import Option
from qubopuzzle.solvers.weighting import Rounds, Weighting, largest_changes, options_of, weighted


def _sum(qubo: Qubo) -> float:
    objective = qubo.parts[OBJECTIVE]
    return float(np.abs(objective.linear).sum() + np.abs(objective.couplings.data).sum())


def _dimod(qubo: Qubo) -> float:
    return 10 * qubo.parts[OBJECTIVE].coefficient_range()[1]


def _vlm(qubo: Qubo) -> float:
    return float(largest_changes(qubo).max())


def _momc(qubo: Qubo) -> float:
    penalties = [part for name, part in qubo.parts.items() if name != OBJECTIVE]
    form = Quadratic.weighted_sum(qubo.n_bits, [(1, part) for part in penalties])
    both = form.couplings + form.couplings.T
    least = np.minimum(
        np.abs(form.linear + both.minimum(0).sum(axis=1)),
        np.abs(form.linear + both.maximum(0).sum(axis=1)),
    )
    return _vlm(qubo) / float(min(least[least > 0], default=1))


RULES: Mapping[str, tuple[Callable[[Qubo], float], str]] = {
    "vlm": (_vlm, "the most that a flip can change the objective"),
    "momc": (_momc, "that, by the least that a flip changes a penalty"),
    "dimod": (_dimod, "ten times the largest coefficient, as cqm_to_bqm"),
    "sum": (_sum, "what the objective's coefficients add up to"),
}


class _Static(Weighting):
    name = "static-weights"
    about = "penalty weights by a rule of the literature, over neal or tempering"
    options = options_of(
        1_000, Option("rule", str, "vlm", "the weight", choices={k: v[1] for k, v in RULES.items()})
    )

    def rounds(self, qubo: Qubo, options: Mapping[str, Any]) -> Rounds:
        rule, _ = RULES[options["rule"]]
        chosen = weighted(qubo, max(1.0, rule(qubo)) if OBJECTIVE in qubo.parts else 1)
        while True:
            yield chosen


SOLVER = _Static()
