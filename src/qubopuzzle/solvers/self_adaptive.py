"""``self-adaptive``: Lagrange multipliers that move while the sampler goes on from its state.

The idea is that of C. Delacour, "Self-adaptive Ising machines for constrained optimization" (arXiv
2501.04971): a quadratic penalty that is too small by itself, and a multiplier for each row that
every sample moves by what it misses. It differs from the paper in what made it better on generated
knapsacks: the sampler goes on from the last sample, after 50 sweeps in place of 1,000, steps get
shorter, and inequalities have a target in place of slack bits, see ``multipliers.Lagrangian``.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any

from qubopuzzle.compile.qubo import Qubo
from qubopuzzle.solvers.base import Option
from qubopuzzle.solvers.multipliers import Lagrangian
from qubopuzzle.solvers.weighting import Round, Rounds, Weighting, options_of

_HALVED = 100
"""Samples after which steps are half as long."""


class _SelfAdaptive(Weighting):
    name = "self-adaptive"
    about = "multipliers that move while neal or tempering goes on"
    default_reads = 1_000
    options = options_of(
        50,
        Option("penalty", float, 0.003, "quadratic penalty, in units of the objective", 1e-9, 1e9),
        Option("step", float, 0.03, "first step of a multiplier, in the same units", 0, 1e9),
    )

    def rounds(self, qubo: Qubo, options: Mapping[str, Any]) -> Rounds:
        lagrangian, state = Lagrangian(qubo, options["penalty"]), None
        for number in count():
            state = yield Round(lagrangian.bqm, state, lagrangian.betas)
            lagrangian.move(state, options["step"] / (1 + number / _HALVED))


SOLVER = _SelfAdaptive()
