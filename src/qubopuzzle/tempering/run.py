"""All reads of one call: threads, limits, callbacks, and which reads count."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.tempering.chain import Chain, Tick
from qubopuzzle.tempering.form import Form
from qubopuzzle.tempering.ladder import FloatArray

_BURN_IN = 0.25
_MOST_BURN_IN = 2000

ProgressFunction = Callable[[float, float], None]


class Control:
    """When to stop. Shared by the threads; an error of a callback is kept for the caller."""

    def __init__(
        self,
        deadline: float = float("inf"),
        interrupt: Callable[[], bool] | None = None,
        progress: ProgressFunction | None = None,
        reads: int = 1,
    ) -> None:
        self._deadline, self._interrupt, self._progress = deadline, interrupt, progress
        self._fractions, self._best = np.zeros(reads), float("inf")
        self._lock = threading.Lock()
        self.first_reached = reads
        self.timed_out = self.interrupted = False
        self.error: BaseException | None = None

    @property
    def stopped(self) -> bool:
        """Whether every read is to end."""
        return self.timed_out or self.interrupted or self.error is not None

    def reached(self, read: int) -> None:
        """A read came down to the target: those after it no longer count."""
        with self._lock:
            self.first_reached = min(self.first_reached, read)

    def goes_on(self, read: int) -> bool:
        """Whether a read still counts."""
        return not self.stopped and read <= self.first_reached

    def tick(self, read: int, fraction: float, energy: float) -> bool:
        """Between two slices of a read: look at the clock, call back; False ends the read."""
        with self._lock:
            if not self.goes_on(read):
                return False
            self._fractions[read] = min(1.0, fraction)
            self._best = min(self._best, energy)
            try:
                if self._progress is not None:
                    self._progress(float(self._fractions.mean()), self._best)
                if self._interrupt is not None and self._interrupt():
                    self.interrupted = True
            except KeyboardInterrupt:
                self.interrupted = True
            except BaseException as error:  # handed on from the caller's own thread
                self.error = error
            if time.perf_counter() >= self._deadline:
                self.timed_out = True
            return not self.stopped


class Run:
    """The reads of one call.

    The first read's burn-in spaces the ladder, which is the same for all reads and fixed
    from then on: a read depends on the seed and its number alone.
    """

    def __init__(
        self,
        form: Form,
        *,
        reads: int,
        sweeps: int,
        seed: int,
        starts: NDArray[np.int8],
        beta: FloatArray,
        replicas: int | None,
        target: float,
        control: Control,
        hotter: bool = False,
    ) -> None:
        self.form, self.reads, self.sweeps, self.seed = form, reads, sweeps, seed
        self.starts, self.beta, self.replicas = starts, beta, replicas
        self.target, self.control, self.hotter = target, control, hotter
        self.burn_in = min(_MOST_BURN_IN, int(_BURN_IN * sweeps))

    def run(self, threads: int) -> list[Chain]:
        """The reads that count, in order; at least the first."""
        first = self._chain(0)
        chains: dict[int, Chain] = {0: first}
        pool: ThreadPoolExecutor | None = None
        try:
            going = first.tune(
                self.burn_in,
                self.sweeps,
                self.replicas,
                self.target,
                self._tick(0),
                hotter=self.hotter,
            )
            self.beta = first.beta
            if not going:  # by the target, or by the clock
                self._ended(0, first)
            if threads == 1 or self.reads == 1:
                for read in range(self.reads):
                    self._read(read, chains)
            else:
                pool = ThreadPoolExecutor(min(threads, self.reads))
                for future in [pool.submit(self._read, i, chains) for i in range(self.reads)]:
                    future.result()
        except KeyboardInterrupt:
            self.control.interrupted = True
        finally:
            if pool is not None:
                pool.shutdown(cancel_futures=True)
        if self.control.error is not None:
            raise self.control.error
        return [chains[i] for i in sorted(chains) if i <= self.control.first_reached]

    def info(self, chains: list[Chain]) -> dict[str, Any]:
        """What there is to know besides the samples."""
        exchanges = max(1, sum(chain.exchanges for chain in chains))
        accepted = np.sum([chain.accepted for chain in chains], axis=0) / exchanges
        return {
            "seed": self.seed,
            "betas": chains[0].beta.tolist(),
            "acceptance": accepted.tolist(),
            "sweeps": [chain.done for chain in chains],
            "burn_in": min(self.burn_in, chains[0].done),
            "timed_out": self.control.timed_out,
            "interrupted": self.control.interrupted,
        }

    def _chain(self, read: int) -> Chain:
        rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence([self.seed, read])))
        start = self.form.state(self.starts[read], rng) if read < len(self.starts) else None
        return Chain(self.form, self.beta, rng, start)

    def _tick(self, read: int) -> Tick:
        return lambda fraction, energy: self.control.tick(read, fraction, energy)

    def _read(self, read: int, chains: dict[int, Chain]) -> None:
        try:
            self._go(read, chains)
        except Exception as error:
            self.control.error = error  # the other reads need not go on
            raise

    def _go(self, read: int, chains: dict[int, Chain]) -> None:
        if not self.control.goes_on(read):
            return
        chain = chains[read] if read in chains else chains.setdefault(read, self._chain(read))
        chain.go_on(self.sweeps, self.sweeps, self.target, self._tick(read))
        self._ended(read, chain)

    def _ended(self, read: int, chain: Chain) -> None:
        if not chain.reached(self.target):
            chain.quench()
        if chain.reached(self.target):
            self.control.reached(read)
