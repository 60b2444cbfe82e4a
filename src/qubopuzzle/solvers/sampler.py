"""One adapter for every dimod sampler: seeds, budget, early stop, energies recomputed."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from importlib import import_module
from importlib.util import find_spec
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.base.incumbents import Incumbents
from qubopuzzle.base.reads import kept_samples
from qubopuzzle.base.signals import defer_interrupt
from qubopuzzle.compile import Compiled
from qubopuzzle.compile.qubo import Qubo
from qubopuzzle.errors import SolverFailed, SolverUnavailable
from qubopuzzle.model.semantics import violation
from qubopuzzle.solvers.base import (
    Availability,
    Option,
    Outcome,
    Solver,
    Task,
    backend_errors,
)

_TERMS_OF_A_CALL = 100_000
"""Variables and couplings of the largest model that gets all of ``reads_per_call``."""
LATE_S = 0.5
"""Nothing is begun, nor judged, that would end later than this after the time limit."""


class Best:
    """The best distinct samples so far, with energies recomputed from the model."""

    def __init__(self, compiled: Compiled) -> None:
        self._compiled = compiled
        self._n = compiled.sizes["variables"]
        self._kept = kept_samples(self._n)
        self._samples: dict[bytes, tuple[float, int]] = {}  # energy and occurrences
        self.energy = inf
        """The lowest energy so far; infinite before the first sample."""
        self.reads = 0
        self._incumbents = Incumbents()

    def is_solution(self) -> bool:
        """Whether some sample meets every constraint of a model that leaves no rule out."""
        known = not (self._compiled.omitted or self._compiled.has_objective)
        return known and self.energy == 0

    def add(
        self, samples: NDArray[np.int8], occurrences: Sequence[int], reads: int
    ) -> NDArray[np.int8]:
        """Merge samples, shape (samples, variables); returns the best of them."""
        energies = np.asarray(self._compiled.energies(samples), dtype=np.float64)
        # An energy below the gap is 0 but for rounding in float weights.
        if not self._compiled.has_objective:
            energies[np.abs(energies) < 0.5 * self._compiled.gap] = 0
        self._note(samples)
        best: NDArray[np.int8] = samples[np.argmin(energies)]
        self.energy = min(self.energy, float(energies.min()))
        for sample, energy, times in zip(samples, energies.tolist(), occurrences, strict=True):
            key = sample.tobytes()
            before = self._samples[key][1] if key in self._samples else 0
            self._samples[key] = energy, before + times
        if len(self._samples) > 2 * self._kept:
            self._samples = dict(self._ranked())
        self.reads += reads
        return best

    def _note(self, samples: NDArray[np.int8]) -> None:
        """Keep the best objective of samples that break nothing, if there is one."""
        compiled = self._compiled
        if not isinstance(compiled, Qubo) or not compiled.has_objective or compiled.omitted:
            return
        worth = compiled.objectives(samples)
        better = np.flatnonzero(worth < self._incumbents.best)
        met = better[compiled.penalties(samples[better]) == 0]
        if len(met):
            self._incumbents.note(float(worth[met].min()))

    def _ranked(self) -> list[tuple[bytes, tuple[float, int]]]:
        return sorted(self._samples.items(), key=lambda item: item[1][0])[: self._kept]

    def of_nothing(self) -> Outcome:
        """The outcome for a model without variables: what it means says whether it is solved."""
        nothing = np.zeros((1, 0), dtype=np.int8)
        self.add(nothing, [1], 0)
        x = self._compiled.decode(nothing)[0]
        return self.outcome(infeasible=violation(self._compiled.source, x) > 0)

    def outcome(self, **more: Any) -> Outcome:
        """What there is, with further fields of ``Outcome``."""
        ranked = self._ranked()
        samples = np.array(bytearray().join(key for key, _ in ranked), dtype=np.int8)
        numbers = [number for _, number in ranked]
        return Outcome(
            samples.reshape(len(ranked), self._n),
            np.array([energy for energy, _ in numbers], dtype=np.float64),
            self.reads,
            np.array([times for _, times in numbers], dtype=np.int64),
            incumbents=self._incumbents,
            **more,
        )


@dataclass(slots=True, eq=False)
class Batch:
    """A call of a sampler for ``reads`` reads, and where to say how far it is.

    ``best`` is what earlier calls brought, ``read_s`` the seconds that a read took in the last one;
    ``notes`` are settings that differ from the options. ``sweep`` and ``beta`` say where the
    samples of the last sample set are, if the sampler knows.
    """

    task: Task
    best: Best
    rng: np.random.Generator
    reads: int = 0
    read_s: float = 0.0
    notes: dict[str, Any] = field(default_factory=dict)
    sweep: int = 0
    beta: float = nan

    def fits(self) -> bool:
        """Whether the time left is enough for it; the first call is always made."""
        return not self.best.reads or self.read_s * self.reads <= self.task.seconds_left() + LATE_S

    def seed(self) -> int:
        """A fresh seed below 2**31."""
        return int(self.rng.integers(2**31))

    def record(self, samples: NDArray[np.int8]) -> None:
        """Keep the best of the samples of a sample set, if somebody wants states on the way."""
        track = self.task.track
        if track is not None:
            energies = np.asarray(self.task.compiled.energies(samples))
            best = int(np.argmin(energies))
            energy = float(energies[best])
            track.record(self.best.reads, self.sweep, self.beta, samples[best], energy=energy)

    def tick(self, done: float) -> None:
        """Tell the fraction of the call that is done, 0 to 1."""
        self.task.report(self.best.reads + done * self.reads, self.best.energy)


@dataclass(eq=False)
class SamplerSolver(Solver):
    """Any class with dimod's ``sample(bqm, **parameters)``.

    Args:
        name: the solver's name.
        sampler: where its class is, ``module:Class``.
        package: the distribution to install.
        options: options handed to ``sample`` under their own names, but for those that are None.
        reads_per_call: reads asked for in one call, of large models fewer; None asks for all
            at once.
        timely_couplings: couplings up to which it keeps a time limit to within a second.
        settings: further arguments for every call.
    """

    name: str
    sampler: str
    _: KW_ONLY
    package: str = ""
    options: Sequence[Option] = ()
    default_encoding: str = "one-hot"
    reads_per_call: int | None = 1
    timely_couplings: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    about: str = ""

    def available(self) -> Availability:
        """Whether the sampler's package is there, without importing it."""
        module = self.sampler.partition(":")[0]
        with suppress(Exception, SystemExit):  # of the packages that the module is in
            if find_spec(module) is not None:
                return super().available() if self.package else Availability(True)
        return Availability(False, f"pip install {self.package or module.partition('.')[0]}")

    def make(self) -> Any:
        """The sampler, ready to sample."""
        return self.found()()

    def found(self) -> Any:
        """The sampler's class; SolverUnavailable if it cannot be imported."""
        module, _, name = self.sampler.partition(":")
        remedy = f"pip install {self.package}" if self.package else f"is {module} installed?"
        try:
            return getattr(import_module(module), name)
        except (ImportError, AttributeError) as error:
            raise SolverUnavailable(f"{self.name}: {error} ({remedy})") from error

    def may_overrun(self, task: Task) -> bool:
        """Whether the model is too large for calls that end in time."""
        return bool(task.compiled.payload.num_interactions > self.timely_couplings)

    def solve(self, task: Task) -> Outcome:
        """Sample call by call until the reads or the time are spent or a solution is found."""
        compiled, budget, best = task.compiled, task.budget, Best(task.compiled)
        n = compiled.payload.num_variables
        if n == 0:
            return best.of_nothing()
        sampler = self.make()
        batch = Batch(task, best, np.random.default_rng(budget.seed))
        accepted = interrupted = False
        latest: tuple[NDArray[np.int8], list[int]] | None = None
        try:
            while not (best.is_solution() or accepted):
                left = inf if budget.reads is None else budget.reads - best.reads
                if left <= 0 or (best.reads and task.seconds_left() <= 0):
                    break
                batch.reads = int(min(left, self.batch_size(batch)))
                started = time.perf_counter()
                with backend_errors(self.name, n):
                    for sampleset in self.sample_batch(sampler, batch):
                        samples = in_order(sampleset, n)
                        latest = samples, sampleset.record.num_occurrences.tolist()
                        batch.record(samples)
                batch.read_s = (time.perf_counter() - started) / batch.reads
                if latest is None:  # the sampler sees that nothing more fits into the time
                    break
                # Ctrl-C amid numpy's comparisons would end as a TypeError of them.
                with defer_interrupt():
                    tried, latest = best.add(*latest, batch.reads), None
                accepted = not compiled.has_objective and task.accepts(tried)
                batch.tick(0.0)
        except KeyboardInterrupt:
            interrupted = True
            if latest is not None:
                best.add(*latest, 1)
        return best.outcome(interrupted=interrupted, settings=batch.notes)

    def batch_size(self, batch: Batch) -> int:
        """How many reads to ask for in the next call; ``batch`` is the last one."""
        if self.reads_per_call is None:
            return batch.task.budget.reads or self.default_reads
        bqm = batch.task.compiled.payload
        calls = (bqm.num_variables + bqm.num_interactions) / _TERMS_OF_A_CALL
        return max(1, int(self.reads_per_call / max(1, calls)))

    def sample_batch(self, sampler: Any, batch: Batch) -> Iterator[Any]:
        """The sample sets of one call. The last sample set that it yields is the result.

        Those before it are intermediate states, kept if the call is broken off. A
        call after the first may yield nothing where the time left is too short for it.
        """
        if not batch.fits():
            return
        options = {k: value for k, value in batch.task.options.items() if value is not None}
        yield sampler.sample(
            batch.task.compiled.payload,
            num_reads=batch.reads,
            seed=batch.seed(),
            **self.settings,
            **options,
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
