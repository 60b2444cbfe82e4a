"""``tempering``: replica exchange on the QUBO, one-hot groups kept exactly.

See docs/tempering.md. With the one-hot encoding the model's choices are the groups; with
domain walls there are none. A read makes its own ladder and ends at a solution.
"""

from collections.abc import Iterator
from math import inf
from typing import Any

from qubopuzzle.model import Model
from qubopuzzle.solvers.base import Option
from qubopuzzle.solvers.sampler import Batch, SamplerSolver


class _Tempering(SamplerSolver):
    def prepare(self, _: Model) -> None:
        """Compile the kernels, or load them from numba's cache."""
        from qubopuzzle.tempering import compile_kernels

        compile_kernels()

    def sample_batch(self, sampler: Any, batch: Batch) -> Iterator[Any]:
        task, options, compiled = batch.task, batch.task.options, batch.task.compiled
        left = task.seconds_left()
        # Options are in penalty units, what the cheapest broken constraint costs.
        ends = [options["beta_hot"], options["beta_cold"]]
        sampleset = sampler.sample(
            compiled.payload,
            num_reads=batch.reads,
            num_sweeps=options["sweeps"],
            num_replicas=options["replicas"],
            beta_range=[
                None if beta is None else beta / unit
                for beta, unit in zip(ends, (compiled.gap, compiled.unit), strict=True)
            ],
            one_hot_groups=compiled.groups,
            seed=batch.seed(),
            time_limit=None if left == inf else max(0.0, left),
            # Energies are 0 or at least the gap; between them there is only rounding.
            target_energy=-inf if compiled.has_objective else 0.5 * compiled.gap,
            progress=lambda done, _energy: batch.tick(done),
            track=task.track,
        )
        batch.sweep, batch.beta = sampleset.info["sweeps"][-1], sampleset.info["betas"][-1]
        batch.notes["last_read_replicas"] = len(sampleset.info["betas"])
        yield sampleset
        if sampleset.info["interrupted"]:
            raise KeyboardInterrupt


SOLVER = _Tempering(
    "tempering",
    "qubopuzzle.tempering:OneHotTemperingSampler",
    package="numba",
    default_encoding="one-hot",
    timely_couplings=3_000_000,
    options=[
        Option("sweeps", int, 10_000, "sweeps a read, of every replica", 1, 10**9),
        Option("replicas", int, None, "replicas (default: as many as it takes)", 1, 1000),
        Option("beta_hot", float, None, "lowest inverse temperature, in penalty units", 1e-9),
        Option("beta_cold", float, None, "highest inverse temperature, in penalty units", 1e-9),
    ],
    about="replica exchange, one-hot groups kept exactly",
)
