"""One adapter for every dimod sampler: seeds, budget, early stop, energies recomputed."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile import Compiled
from qubopuzzle.errors import InputError, SolverUnavailable
from qubopuzzle.solvers.base import (
    Availability,
    Budget,
    Option,
    Outcome,
    Progress,
    ProgressCallback,
    Solver,
)

KEPT_SAMPLES = 100
"""Best samples that an outcome keeps."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a sampler: what is asked of it, and where to say how far it is.

    ``tick`` takes the fraction of the call that is done, 0 to 1.
    """

    reads: int
    rng: np.random.Generator
    budget: Budget
    options: Mapping[str, Any]
    tick: Callable[[float], None]

    def seed(self) -> int:
        """A fresh seed below 2**31."""
        return int(self.rng.integers(2**31))


class SamplerSolver(Solver):
    """Any class with dimod's ``sample(bqm, **parameters)``.

    Args:
        name: the solver's name.
        sampler: where its class is, ``module:Class``.
        package: the distribution to install.
        options: options handed to ``sample`` under their own names when they are set.
        reads_per_call: reads asked for in one call; None asks for all at once.
        settings: further arguments for every call.

    """

    def __init__(
        self,
        name: str,
        sampler: str,
        *,
        package: str = "",
        options: Sequence[Option] = (),
        default_encoding: str = "one-hot",
        reads_per_call: int | None = 1,
        settings: Mapping[str, Any] | None = None,
        about: str = "",
    ) -> None:
        self.name, self.sampler, self.package = name, sampler, package
        self.options, self.default_encoding = tuple(options), default_encoding
        self.reads_per_call, self.settings = reads_per_call, dict(settings or {})
        self.about = about

    def available(self) -> Availability:
        """Whether the sampler's class can be imported."""
        try:
            self.sampler_class()
        except SolverUnavailable as error:
            return Availability(False, str(error))
        return super().available() if self.package else Availability(True)

    def sampler_class(self) -> Any:
        """Import the sampler's class; SolverUnavailable if that fails for any reason."""
        module, _, name = self.sampler.partition(":")
        remedy = f"pip install {self.package}" if self.package else f"is {module} installed?"
        try:
            return getattr(import_module(module), name)
        except (ImportError, AttributeError) as error:
            raise SolverUnavailable(f"{self.name}: {error} ({remedy})") from error

    def make(self) -> Any:
        """The sampler, ready to sample."""
        found = self.sampler_class()
        if not callable(getattr(found, "sample", None)):
            raise InputError(f"{self.name}: {self.sampler} has no method sample, so is no sampler")
        return found() if inspect.isclass(found) else found

    def solve(
        self,
        compiled: Compiled,
        budget: Budget,
        options: Mapping[str, Any],
        progress: ProgressCallback | None = None,
    ) -> Outcome:
        """Sample call by call until the reads or the time are spent or energy 0 is reached."""
        bqm = compiled.payload
        if bqm.num_variables == 0:
            return empty_outcome(compiled)
        sampler = self.make()
        rng = np.random.default_rng(budget.seed)
        best = Best(compiled)
        accepted = interrupted = False
        try:
            while not (best.is_solution() or accepted):
                left = math.inf if budget.reads is None else budget.reads - best.reads
                if left == 0 or (best.reads and budget.seconds_left() <= 0):
                    break
                wanted = self.reads_per_call or budget.reads or self.default_reads
                reads = int(min(wanted, left))

                def tick(done: float, reads: int = reads) -> None:
                    if progress is not None:
                        progress(Progress(best.reads + done * reads, best.energy))

                sampleset = self.call(sampler, compiled, Call(reads, rng, budget, options, tick))
                accepted = budget.accepts(best.add(sampleset, reads))
                tick(0.0)
        except KeyboardInterrupt:
            interrupted = True
        return best.outcome(interrupted, {**self.settings, **options})

    def call(self, sampler: Any, compiled: Compiled, call: Call) -> Any:
        """One call of the sampler, with the arguments that it takes; returns its sample set."""
        return sampler.sample(
            compiled.payload,
            num_reads=call.reads,
            seed=call.seed(),
            **self.settings,
            **call.options,
        )


class Best:
    """The best samples so far, in variable order, with energies recomputed from the model."""

    def __init__(self, compiled: Compiled) -> None:
        self._bqm, self._gap = compiled.payload, compiled.gap
        self._samples = np.zeros((0, self._bqm.num_variables), dtype=np.int8)
        self._energies = np.zeros(0)
        self.reads = 0

    @property
    def energy(self) -> float:
        """The lowest energy so far; infinite before the first sample."""
        return float(self._energies[0]) if len(self._energies) else float("inf")

    def is_solution(self) -> bool:
        """Whether some sample meets every constraint: its energy is 0, below the gap."""
        return self.energy < 0.5 * self._gap

    def add(self, sampleset: Any, reads: int) -> NDArray[np.int8]:
        """Merge a sample set over the variables 0 .. n - 1 in any order; returns its best."""
        samples = in_order(sampleset, self._bqm.num_variables)
        energies = self._bqm.energies((samples, range(samples.shape[1])))
        best: NDArray[np.int8] = samples[np.argmin(energies)]
        samples = np.concatenate([self._samples, samples])
        energies = np.concatenate([self._energies, energies])
        order = np.argsort(energies, kind="stable")[:KEPT_SAMPLES]
        self._samples, self._energies = samples[order], energies[order]
        self.reads += reads
        return best

    def outcome(self, interrupted: bool, settings: Mapping[str, Any]) -> Outcome:
        """Freeze."""
        return Outcome(
            self._samples, self._energies, self.reads, interrupted=interrupted, settings=settings
        )


def in_order(sampleset: Any, n: int) -> NDArray[np.int8]:
    """Samples as 0/1 with columns in variable order 0 .. n - 1, shape (samples, n)."""
    sampleset = sampleset.change_vartype("BINARY", inplace=False)
    samples = np.zeros((len(sampleset), n), dtype=np.int8)
    samples[:, list(sampleset.variables)] = sampleset.record.sample
    return samples


def empty_outcome(compiled: Compiled) -> Outcome:
    """The outcome for a model without variables: its offset says whether it is solved."""
    energy = float(compiled.payload.offset)
    return Outcome(
        np.zeros((1, 0), dtype=np.int8),
        np.array([energy]),
        reads=0,
        proved_unsatisfiable=energy >= compiled.gap and not compiled.relaxed,
    )
