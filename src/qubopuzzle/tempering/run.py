"""All reads of one call: each on the ladder that the first one makes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.reads import Reads, generator
from qubopuzzle.tempering.form import TemperingForm
from qubopuzzle.tempering.kernels import FloatArray
from qubopuzzle.tempering.ladder import respaced
from qubopuzzle.tempering.replicas import Replicas

_BURN_IN = 0.25
_MOST_BURN_IN = 2000
_FIRST_STAGE = 16
_FROZEN = 0.2
"""The hot end is frozen where a sweep changes less than this share of what it could."""
_UPDATES_PER_SLICE = 400_000


@dataclass(slots=True, eq=False)
class Run:
    """The reads of one call.

    The burn-in of the first read spaces the ladder, which is the same for all reads and fixed
    from then on: a read depends on the seed and its number alone.

    Attributes:
        reads: how many there are at most; ``search`` says when to stop them.
        sweeps: of every replica in a read.
        starts: samples that the first reads start from, shape (at most reads, variables).
        beta: the ladder that the burn-in starts from, shape (rungs,).
        replicas: how many rungs to have; None for as many as it takes.
        hotter: whether the hot end may go up, where it turns out to be frozen.
        target: an energy that ends a read, and with it the search.
    """

    form: TemperingForm
    search: Reads
    reads: int
    sweeps: int
    seed: int
    starts: NDArray[np.int8]
    beta: FloatArray
    replicas: int | None
    hotter: bool
    target: float
    _found: dict[int, Replicas] = field(init=False, default_factory=dict)

    @property
    def burn_in(self) -> int:
        """Sweeps of the first read that make the ladder."""
        return min(_MOST_BURN_IN, int(_BURN_IN * self.sweeps))

    def run(self, threads: int) -> list[Replicas]:
        """The reads that count, in order; at least the first."""
        self._begin(0)
        self.search.run(self._make_ladder, 1, 1)
        if not self.search.done:  # neither the target nor the clock ended it
            self.search.run(self._read, self.reads, threads)
        return [self._found[i] for i in sorted(self._found) if i <= self.search.last]

    def info(self, found: list[Replicas]) -> dict[str, Any]:
        """What there is to know besides the samples."""
        exchanges = max(1, sum(read.exchanges for read in found))
        accepted = np.sum([read.accepted for read in found], axis=0) / exchanges
        return {
            "seed": self.seed,
            "betas": found[0].beta.tolist(),
            "acceptance": accepted.tolist(),
            "sweeps": [read.done for read in found],
            "burn_in": min(self.burn_in, found[0].done),
            "timed_out": self.search.timed_out,
            "interrupted": self.search.stopped,
        }

    def _begin(self, number: int) -> Replicas:
        rng = generator(self.seed, number)
        start = self.form.state(self.starts[number], rng) if number < len(self.starts) else None
        self._found[number] = Replicas(self.form, self.beta, rng, start)
        return self._found[number]

    def _read(self, number: int) -> None:
        read = self._found.get(number) or self._begin(number)
        self._sweep(number, read, self.sweeps)
        self._end(number, read)

    def _end(self, number: int, read: Replicas) -> None:
        if not read.reached(self.target):
            read.quench()
        self.search.end(number, search=read.reached(self.target))

    def _sweep(self, number: int, read: Replicas, until: int) -> bool:
        """Up to so many sweeps in short slices; False if the target or the search ended it."""
        a = self.form.arrays
        work = len(read.beta) * (len(a.linear) + len(a.column) // 8)
        at_once = max(1, _UPDATES_PER_SLICE // max(1, work))
        while read.done < until:
            if read.reached(self.target):
                return False
            read.run(min(at_once, until - read.done), self.target)
            if not self.search.note(number, read.done / self.sweeps, read.best_energy):
                return False
        return not read.reached(self.target)

    def _make_ladder(self, number: int) -> None:
        """Space the rungs by what exchanges measure, in stages that double in length."""
        read, stage = self._found[number], _FIRST_STAGE
        while read.done < self.burn_in:
            rest = self.burn_in - read.done
            stage = rest if rest < 3 * stage else stage
            going = self._sweep(number, read, read.done + stage - 1)
            hottest = read.replica[0]
            before = read.value[hottest].copy()
            if not (going and self._sweep(number, read, read.done + 1)):
                return self._end(number, read)
            beta = respaced(read.beta, read.acceptance, self.replicas)
            moved = float(np.mean(read.value[hottest] != before)) if len(before) else 1.0
            hotter = self.hotter and 2 * read.done < self.burn_in and len(beta) > 1
            if hotter and moved < _FROZEN * self.form.most_changes:
                beta = np.concatenate([[beta[0] / 2], beta[1:] if self.replicas else beta])
            read.set_ladder(beta)
            stage *= 2
        self.beta = read.beta
        return None
