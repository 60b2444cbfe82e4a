"""``tabu``: D-Wave's multistart tabu search on the QUBO.

It stops by the clock, so the same seed need not give the same samples twice.
"""

from collections.abc import Iterator
from typing import Any

from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.solvers.base import Option
from qubopuzzle.solvers.sampler import Batch, SamplerSolver

MAX_VARIABLES = 6_000
"""Beyond it a read overruns its time limit by seconds and fills hundreds of MB."""


class _Tabu(SamplerSolver):
    def sample_batch(self, sampler: Any, batch: Batch) -> Iterator[Any]:
        bqm, options = batch.task.compiled.payload, batch.task.options
        if bqm.num_variables > MAX_VARIABLES:
            raise TooLarge(
                f"solver tabu keeps a dense matrix and takes at most {MAX_VARIABLES:,} variables, "
                f"this model has {bqm.num_variables:,}; try --solver neal"
            )
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
            timeout=max(1, int(min(options["timeout"], 1000 * batch.task.seconds_left()))),
            tenure=tenure,
            energy_threshold=-float(bqm.offset),
        )


SOLVER = _Tabu(
    "tabu",
    "dwave.samplers:TabuSampler",
    package="dwave-samplers",
    default_encoding="domain-wall",
    options=[
        Option("timeout", int, 500, "milliseconds a read", 1, 86_400_000),
        Option("tenure", int, None, "length of the tabu list, in variables", minimum=0),
    ],
    about="tabu search (dwave-samplers)",
)
