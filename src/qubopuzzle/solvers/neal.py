"""``neal``: D-Wave's simulated annealing, single-flip Metropolis on the QUBO.

From the ``dwave-neal`` package, whose code now lies in ``dwave-samplers``. A read is cut into
calls, each going on from the last one's state, so that Ctrl-C acts inside long reads.
Without a time limit the cut depends on the model's size alone: the same seed gives
the same samples on every machine. A time limit that is too short for the sweeps asked for
shortens the schedule rather than breaking it off hot; the result says how many there were.
"""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.solvers.base import Option, Task, installed_version
from qubopuzzle.solvers.sampler import LATE_S, Batch, SamplerSolver, in_order

_UPDATES_PER_CALL = 30_000_000
_DENSE = 1_000_000  # couplings from which on an update is that much slower
_PROBE_UPDATES = 500_000


class _Neal(SamplerSolver):
    def versions(self) -> dict[str, str]:
        """Of dwave-samplers, too, where the code lies."""
        return {name: installed_version(name) for name in (self.package, "dwave-samplers")}

    def sample_batch(self, sampler: Any, batch: Batch) -> Iterator[Any]:
        task, compiled, bqm = batch.task, batch.task.compiled, batch.task.compiled.payload
        hot, cold, sweeps = (task.options[o] for o in ("beta_hot", "beta_cold", "sweeps"))
        if hot > cold:
            raise InputError(f"option beta_hot: {hot:g} is above beta_cold = {cold:g}")
        n = bqm.num_variables
        step = max(1, _UPDATES_PER_CALL // n // (1 + bqm.num_interactions // _DENSE))
        if task.budget.time_limit is not None:
            fitting, step, trial = _fitting(sampler, task, hot / compiled.gap, step)
            if fitting < sweeps:
                if batch.best.reads > 0 and fitting < 0.1 * sweeps:
                    return
                batch.notes["last_read_sweeps"] = sweeps = max(1, fitting)
            if fitting < 1:
                yield trial
                return
        # A penalty unit is what the cheapest broken constraint costs; an objective's is smaller.
        hot, cold = hot / compiled.gap, cold / compiled.unit
        betas = np.geomspace(hot, cold, sweeps) if sweeps > 1 else [cold]
        state: dict[str, Any] = {}
        for start in range(0, sweeps, step):
            batch.tick(start / sweeps)
            sampleset = sampler.sample(
                bqm,
                num_reads=batch.reads,
                beta_schedule_type="custom",
                beta_schedule=betas[start : start + step],
                seed=batch.seed(),
                **state,
            )
            batch.sweep, batch.beta = start + step, float(betas[start : start + step][-1])
            yield sampleset
            if task.seconds_left() <= -LATE_S:  # the machine has become slower
                return
            state = {"initial_states": (in_order(sampleset, n), range(n))}


def _fitting(sampler: Any, task: Task, beta: float, step: int) -> tuple[int, int, Any]:
    """How many sweeps fit into the time left, how many a call, and the samples of a short trial."""
    bqm = task.compiled.payload

    def seconds(sweeps: int) -> tuple[float, Any]:
        started = time.perf_counter()
        betas = np.full(sweeps, beta)
        samples = sampler.sample(bqm, beta_schedule_type="custom", beta_schedule=betas, seed=0)
        return time.perf_counter() - started, samples

    overhead, trial = seconds(1)
    if task.seconds_left() < overhead:
        return 0, step, trial
    sweeps = max(1, _PROBE_UPDATES // bqm.num_variables)
    both, trial = seconds(sweeps)
    per_sweep = max(both - overhead, both / 10) / sweeps
    # Calls of about a third of a second; each costs the overhead again.
    step = max(1, min(step, int(0.3 / per_sweep)))
    fitting = 0.95 * task.seconds_left() / (per_sweep + overhead / step)
    return int(fitting), step, trial


SOLVER = _Neal(
    "neal",
    "neal:SimulatedAnnealingSampler",
    package="dwave-neal",
    default_encoding="domain-wall",
    timely_couplings=1_000_000,
    options=[
        Option("sweeps", int, 10_000, "sweeps a read", minimum=1, maximum=10_000_000),
        Option("beta_hot", float, 0.5, "first inverse temperature, in penalty units", 1e-9),
        Option("beta_cold", float, 5.0, "last inverse temperature, in penalty units", 1e-9),
    ],
    about="simulated annealing by single flips (dwave-neal)",
)
