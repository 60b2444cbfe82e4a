"""``tabu``: D-Wave's multistart tabu search on the QUBO.

It stops by the clock, so the same seed need not give the same samples twice.
"""

from collections.abc import Iterator
from math import inf
from typing import Any

from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.solvers.base import Option
from qubopuzzle.solvers.sampler import Batch, SamplerSolver

MAX_VARIABLES = 6_000
"""Beyond it a read fills hundreds of MB."""
_FILLING_S = 1.5e-7
"""Seconds that an entry of the matrix costs before the sampler looks at the clock."""


class _Tabu(SamplerSolver):
    def sample_batch(self, sampler: Any, batch: Batch) -> Iterator[Any]:
        task, bqm, options = batch.task, batch.task.compiled.payload, batch.task.options
        if bqm.num_variables > MAX_VARIABLES:
            raise TooLarge(
                f"solver tabu keeps a dense matrix and takes at most {MAX_VARIABLES:,} variables, "
                f"this model has {bqm.num_variables:,}; try --solver neal"
            )
        filling = _FILLING_S * bqm.num_variables**2
        if filling > (task.budget.time_limit or inf) + 0.5:
            raise TooLarge(
                f"solver tabu needs about {filling:.1f} s before a read of {bqm.num_variables:,} "
                f"variables begins, the time limit is {task.budget.time_limit:g} s; give more, or "
                "try --solver neal"
            )
        if not batch.fits():
            return
        tenure = options["tenure"]
        if tenure is not None and tenure >= bqm.num_variables:
            raise InputError(
                f"option tenure: {tenure} is not below the {bqm.num_variables} variables"
            )
        # Its own early stop leaves out the offset, so the threshold does too.
        yield sampler.sample(
            bqm,
            num_reads=batch.reads,
            seed=batch.seed(),
            timeout=max(1, int(min(options["timeout"], 1000 * task.seconds_left()))),
            tenure=tenure,
            energy_threshold=None if task.compiled.has_objective else -float(bqm.offset),
        )


SOLVER = _Tabu(
    "tabu",
    "dwave.samplers:TabuSampler",
    package="dwave-samplers",
    default_encoding="domain-wall",
    timely_couplings=MAX_VARIABLES**2,
    options=[
        Option("timeout", int, 500, "milliseconds a read", 1, 86_400_000),
        Option("tenure", int, None, "length of the tabu list, in variables", minimum=0),
    ],
    about="tabu search (dwave-samplers)",
)
