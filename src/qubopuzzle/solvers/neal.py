"""``neal``: D-Wave's simulated annealing, single-flip Metropolis on the QUBO.

The annealer of the ``dwave-neal`` package, which is now ``dwave-samplers``. A read is cut
into calls of about half a second, each going on from the last one's state, so that a time limit
and Ctrl-C are kept inside long reads; the cut depends on the model's size alone, so the
same seed gives the same samples on every machine.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from qubopuzzle.compile import Compiled
from qubopuzzle.errors import InputError
from qubopuzzle.solvers.base import Option
from qubopuzzle.solvers.sampler import Call, SamplerSolver, in_order

_UPDATES_PER_CALL = 30_000_000


class _Neal(SamplerSolver):
    def call(self, sampler: Any, compiled: Compiled, call: Call) -> Any:
        hot, cold, sweeps = (call.options[o] for o in ("beta_hot", "beta_cold", "sweeps"))
        if hot > cold:
            raise InputError(f"option beta_hot: {hot:g} is above beta_cold = {cold:g}")
        bqm = compiled.payload
        # A penalty unit is what the cheapest broken constraint costs.
        betas = np.geomspace(hot, cold, sweeps) / compiled.gap
        step = max(1, _UPDATES_PER_CALL // bqm.num_variables)
        state: dict[str, Any] = {}
        for start in range(0, sweeps, step):
            sampleset = sampler.sample(
                bqm,
                num_reads=call.reads,
                beta_schedule_type="custom",
                beta_schedule=betas[start : start + step],
                seed=call.seed(),
                **state,
            )
            if call.budget.seconds_left() <= 0:
                break
            call.tick(start / sweeps)
            state = {"initial_states": (in_order(sampleset, bqm.num_variables), bqm.variables)}
        return sampleset


SOLVER = _Neal(
    "neal",
    "dwave.samplers:SimulatedAnnealingSampler",
    package="dwave-samplers",
    default_encoding="domain-wall",
    options=[
        Option("sweeps", int, 10_000, "sweeps a read", minimum=1),
        Option("beta_hot", float, 0.5, "first inverse temperature, in penalty units", 1e-9),
        Option("beta_cold", float, 5.0, "last inverse temperature, in penalty units", 1e-9),
    ],
    about="simulated annealing by single flips (dwave-samplers, once dwave-neal)",
)
