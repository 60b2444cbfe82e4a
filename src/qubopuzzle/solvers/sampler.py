"""One adapter for every dimod sampler: seeds, budget, early stop, energies recomputed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile import Compiled
from qubopuzzle.errors import QubopuzzleError, SolverFailed, SolverUnavailable, TooLarge
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

    ``started`` counts the reads of earlier calls; ``tick`` takes the fraction of the call
    that is done, 0 to 1; ``note`` records a setting that differs from the options.
    """

    reads: int
    started: int
    rng: np.random.Generator
    budget: Budget
    options: Mapping[str, Any]
    tick: Callable[[float], None]
    note: Callable[[str, Any], None]

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
        """Whether the sampler's package is there, without importing it."""
        module = self.sampler.partition(":")[0]
        try:
            there = find_spec(module) is not None
        except (ImportError, ValueError):
            there = False
        if not there:
            return Availability(False, f"pip install {self.package or module.partition('.')[0]}")
        return super().available() if self.package else Availability(True)

    def make(self) -> Any:
        """The sampler, ready to sample."""
        return self.found()()

    def found(self) -> Any:
        """The sampler's class or factory; SolverUnavailable if it cannot be imported."""
        module, _, name = self.sampler.partition(":")
        remedy = f"pip install {self.package}" if self.package else f"is {module} installed?"
        try:
            return getattr(import_module(module), name)
        except (ImportError, AttributeError) as error:
            raise SolverUnavailable(f"{self.name}: {error} ({remedy})") from error

    def solve(
        self,
        compiled: Compiled,
        budget: Budget,
        options: Mapping[str, Any],
        progress: ProgressCallback | None = None,
    ) -> Outcome:
        """Sample call by call until the reads or the time are spent or a solution is found."""
        if compiled.payload.num_variables == 0:
            return empty_outcome(compiled)
        sampler = self.make()
        rng = np.random.default_rng(budget.seed)
        best = Best.of_bqm(compiled)
        notes: dict[str, Any] = {}
        accepted = interrupted = False
        reads = 0
        latest: NDArray[np.int8] | None = None
        try:
            while not (best.is_solution() or accepted):
                left = math.inf if budget.reads is None else budget.reads - best.reads
                if left <= 0 or (reads and budget.seconds_left() <= 0):
                    break
                reads = int(min(left, self.next_reads(reads, budget)))

                def tick(done: float, reads: int = reads) -> None:
                    if progress is not None:
                        progress(Progress(best.reads + done * reads, best.energy))

                call = Call(reads, best.reads, rng, budget, options, tick, notes.__setitem__)
                for latest in self._guarded(sampler, compiled, call):  # noqa: B007
                    pass
                if latest is None:  # the sampler sees that nothing more fits into the time
                    break
                accepted = budget.judge.accepts(best.add(latest, reads))
                latest = None
                tick(0.0)
        except KeyboardInterrupt:
            interrupted = True
            if latest is not None:
                best.add(latest, 1)
        return best.outcome(interrupted, notes)

    def next_reads(self, before: int, budget: Budget) -> int:
        """How many reads to ask for in the next call; ``before`` is the last call's number."""
        return self.reads_per_call or budget.reads or self.default_reads

    def call(self, sampler: Any, compiled: Compiled, call: Call) -> Iterator[Any]:
        """One call of the sampler. The last sample set that it yields is the result.

        Sample sets before it are states on the way, kept if the call is broken off. A
        call after the first may yield nothing where the time left is too short for it.
        """
        yield sampler.sample(
            compiled.payload,
            num_reads=call.reads,
            seed=call.seed(),
            **self.settings,
            **call.options,
        )

    def _guarded(self, sampler: Any, compiled: Compiled, call: Call) -> Iterator[NDArray[np.int8]]:
        """Samples of a call in variable order; a backend's own error becomes SolverFailed."""
        try:
            for sampleset in self.call(sampler, compiled, call):
                yield in_order(sampleset, compiled.payload.num_variables)
        except QubopuzzleError:
            raise
        except MemoryError as error:
            raise out_of_memory(self.name, compiled.payload.num_variables) from error
        except Exception as error:
            raise SolverFailed(f"{self.name}: {first_line(error)}") from error


class Best:
    """The best distinct samples so far, with energies recomputed from the model."""

    def __init__(
        self,
        compiled: Compiled,
        energies_of: Callable[[NDArray[np.int8]], NDArray[np.float64]],
        n: int,
    ) -> None:
        self._energies_of, self._gap = energies_of, compiled.gap
        self._complete = not compiled.omitted
        self._samples = np.zeros((0, n), dtype=np.int8)
        self._energies = np.zeros(0)
        self.reads = 0

    @classmethod
    def of_bqm(cls, compiled: Compiled) -> Best:
        """For a payload that is a BQM."""
        bqm = compiled.payload
        n = bqm.num_variables
        return cls(compiled, lambda samples: bqm.energies((samples, range(n))), n)

    @property
    def energy(self) -> float:
        """The lowest energy so far; infinite before the first sample."""
        return float(self._energies[0]) if len(self._energies) else float("inf")

    def is_solution(self) -> bool:
        """Whether some sample meets every constraint of a model that leaves no rule out."""
        return self._complete and self.energy == 0

    def add(self, samples: NDArray[np.int8], reads: int) -> NDArray[np.int8]:
        """Merge samples, shape (samples, variables); returns the best of them."""
        energies = self._energies_of(samples).astype(np.float64)
        # An energy below the gap is 0 but for rounding in float weights.
        energies[np.abs(energies) < 0.5 * self._gap] = 0
        best: NDArray[np.int8] = samples[np.argmin(energies)]
        merged = np.concatenate([self._samples, samples])
        merged, first = np.unique(merged, axis=0, return_index=True)
        energies = np.concatenate([self._energies, energies])[first]
        order = np.argsort(energies, kind="stable")[:KEPT_SAMPLES]
        self._samples, self._energies = merged[order], energies[order]
        self.reads += reads
        return best

    def outcome(
        self,
        interrupted: bool,
        settings: Mapping[str, Any],
        service_s: Mapping[str, float] | None = None,
    ) -> Outcome:
        """Freeze."""
        return Outcome(
            self._samples,
            self._energies,
            self.reads,
            interrupted=interrupted,
            settings=settings,
            service_s=service_s or {},
        )


def in_order(sampleset: Any, n: int) -> NDArray[np.int8]:
    """Samples as 0/1 with columns in variable order 0 .. n - 1, shape (samples, n).

    Raises:
        SolverFailed: for anything but a sample set with rows over exactly these variables.
    """
    try:
        binary = sampleset.change_vartype("BINARY", inplace=False)
        columns, rows = list(binary.variables), binary.record.sample
    except AttributeError:
        raise SolverFailed(f"the sampler returned a {type(sampleset).__name__}") from None
    if not len(rows):
        raise SolverFailed("the sampler returned no sample")
    if len(columns) != n or set(columns) != set(range(n)):
        raise SolverFailed("the sampler returned samples over other variables than the model's")
    if not np.isin(rows, (0, 1)).all():
        raise SolverFailed("the sampler returned values that are not binary")
    samples = np.zeros((len(rows), n), dtype=np.int8)
    samples[:, columns] = rows
    return samples


def empty_outcome(compiled: Compiled) -> Outcome:
    """The outcome for a model without variables: its offset says whether it is solved."""
    energy = float(compiled.payload.offset)
    samples = np.zeros((1, 0), dtype=np.int8)
    infeasible = energy >= 0.5 * compiled.gap
    return Outcome(samples, np.array([energy]), reads=0, infeasible=infeasible)


def out_of_memory(name: str, n_variables: int) -> TooLarge:
    """The error for a solver that does not get the memory that it asks for."""
    return TooLarge(
        f"solver {name} needs more memory than there is for {n_variables:,} variables; "
        "try another one (the annealer and sat need little)"
    )


def first_line(error: Exception) -> str:
    """An error's type and the first line of its message, for a message of ours."""
    line = (str(error).splitlines() or [""])[0]
    return f"{type(error).__name__}: {line[:200]}"
