"""Penalty weights that follow from rules and runs, around a sampler: rivals of the annealer.

Each is a few lines, ``rounds``. What it spends on weights counts: the time limit is that of all
runs together. Slack bits of a sample are set to their best: a state that meets a row counts.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile.qubo import OBJECTIVE, Qubo
from qubopuzzle.model import Model
from qubopuzzle.solvers.base import Option, Outcome, Solver, Task, backend_errors
from qubopuzzle.solvers.sampler import Best, in_order

if TYPE_CHECKING:
    import dimod

SAMPLERS = {
    "neal": "simulated annealing by single flips (dwave-neal)",
    "tempering": "replica exchange, one-hot groups kept exactly",
}
_ANY = 0.1, 1.0
"""Inverse temperatures where all energies are the same."""
_LARGEST = 2.0**49
"""What weighted penalties may add up to, so that double precision bears them."""


def options_of(sweeps: int, *others: Option) -> tuple[Option, ...]:
    """What samples, how many sweeps at a time, and more."""
    sampler = Option("sampler", str, "neal", "what samples", choices=SAMPLERS)
    each = Option("sweeps", int, sweeps, "sweeps from one sample to the next", 1, 10_000_000)
    return (*others, sampler, each)


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """What to sample: a BQM over 0 .. n - 1, the QUBO's bits or its first ones, those of choices.

    From a state, shape (n,), or a random one; between two inverse temperatures, or those that the
    sampler chooses by itself.
    """

    bqm: dimod.BinaryQuadraticModel
    state: NDArray[np.int8] | None = None
    betas: tuple[float, float] | None = None


Rounds: TypeAlias = Generator[Round, NDArray[np.int8], None]
"""Yields rounds, and is sent the sample of each, shape (n,), with the slack at its best."""


class Weighting(Solver):
    """A sampler that is run again and again, each time with the weights that ``rounds`` chooses."""

    default_encoding = "one-hot"
    weighs = True
    package = "dwave-neal"

    @abstractmethod
    def rounds(self, qubo: Qubo, options: Mapping[str, Any]) -> Rounds:
        """What to sample, the next one after the sample of the last one has come."""

    def prepare(self, model: Model) -> None:
        """That of the samplers."""
        for name in SAMPLERS:
            _solver(name).prepare(model)

    def may_overrun(self, task: Task) -> bool:
        """Whether the QUBO is larger than what the sampler keeps a limit with."""
        limit = _solver(task.options["sampler"]).timely_couplings
        return bool(task.compiled.sizes["couplings"] > limit)

    def solve(self, task: Task) -> Outcome:
        """Round by round until reads or time are spent, or there is a solution."""
        qubo, best = cast("Qubo", task.compiled), Best(task.compiled)
        if qubo.n_bits == 0:
            return best.of_nothing()
        sampler = _solver(task.options["sampler"]).make()
        rng = np.random.default_rng(task.budget.seed)
        rounds = self.rounds(qubo, task.options)
        interrupted = False
        try:
            current = next(rounds)
            while task.budget.reads is None or best.reads < task.budget.reads:
                with backend_errors(self.name, qubo.n_bits):
                    bits = _sampled(sampler, current, task, int(rng.integers(2**31)))
                sample = _with_slack(qubo, bits)
                if _add(task, best, sample) or task.seconds_left() <= 0:
                    break
                current = rounds.send(sample[: len(bits)])
        except KeyboardInterrupt:
            interrupted = True
        return best.outcome(interrupted=interrupted)


def _add(task: Task, best: Best, sample: NDArray[np.int8]) -> bool:
    """Keep a sample; whether it is a solution."""
    qubo = cast("Qubo", task.compiled)
    best.add(sample[None], [1], 1)
    if task.track is not None:
        energy = float(qubo.energies(sample[None])[0])
        task.track.record(best.reads, 0, nan, sample, energy=energy)
    task.report(best.reads, best.energy)
    return best.is_solution() or (not qubo.has_objective and task.accepts(sample))


def _with_slack(qubo: Qubo, bits: NDArray[np.int8]) -> NDArray[np.int8]:
    """All bits, shape (bits,), with the slack at its best, of those of choices, or more, (n,)."""
    padded = np.pad(bits, (0, qubo.n_bits - len(bits)))
    return np.asarray(qubo.encode(qubo.decode(padded)), dtype=np.int8)


def _solver(name: str) -> Any:
    from qubopuzzle.solvers import get_solver

    return get_solver(name)


def _sampled(sampler: Any, current: Round, task: Task, seed: int) -> NDArray[np.int8]:
    """A sample of a round, (n,)."""
    options, n = task.options, current.bqm.num_variables
    how: dict[str, Any] = {"num_sweeps": options["sweeps"], "beta_range": current.betas}
    if current.state is not None:
        how["initial_states"] = current.state[None], range(n)
    if options["sampler"] == "tempering":
        how["one_hot_groups"] = task.compiled.groups
    sample: NDArray[np.int8] = in_order(
        sampler.sample(current.bqm, num_reads=1, seed=seed, **how), n
    )[0]
    return sample


def weighted(qubo: Qubo, weights: float | Mapping[str, float]) -> Round:
    """The QUBO with one weight for all families of constraints, or one for each.

    Weights larger than double precision would bear beside the others are made smaller.
    """
    by_family = weights if isinstance(weights, Mapping) else dict.fromkeys(qubo.parts, weights)
    penalties = {name: part for name, part in qubo.parts.items() if name != OBJECTIVE}
    least = min([1.0, *(by_family[name] for name in penalties)])
    size = sum(part.magnitude() for part in penalties.values())
    most = _LARGEST * max(least, 1e-9) / max(size, 1.0)
    chosen = {name: max(min(by_family[name], most), 1e-9) for name in penalties}
    chosen |= dict.fromkeys(qubo.parts.keys() & {OBJECTIVE}, 1)
    bqm = qubo.to_bqm(chosen, labelled=False)
    biases: Any = bqm.to_numpy_vectors()
    is_flat = not (biases.linear_biases.any() or biases.quadratic.biases.any())
    return Round(bqm, betas=_ANY if is_flat else None)


def broken_by(qubo: Qubo, sample: NDArray[np.int8]) -> dict[str, float]:
    """What a sample breaks: the penalty of each family that has one, unweighted."""
    parts = {name: part for name, part in qubo.parts.items() if name != OBJECTIVE}
    energies = {name: float(part.energies(sample[None])[0]) for name, part in parts.items()}
    return {name: energy for name, energy in energies.items() if energy > 0}


def largest_changes(qubo: Qubo) -> NDArray[np.float64]:
    """The most by which flipping each bit can change the objective, (bits,); 0 without one.

    Bounded bit by bit from the signs of its couplings (A. Verma and M. Lewis, "Penalty and
    partitioning techniques to improve performance of QUBO solvers", Discrete Optimization 44,
    2022).
    """
    if OBJECTIVE not in qubo.parts:
        return np.zeros(qubo.n_bits)
    objective = qubo.parts[OBJECTIVE]
    both = objective.couplings + objective.couplings.T
    up = objective.linear + both.maximum(0).sum(axis=1)
    down = -objective.linear - both.minimum(0).sum(axis=1)
    return np.asarray(np.maximum(up, down), dtype=np.float64)
