"""One read: replicas on a ladder, its burn-in, and its best state."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import dimod
import numpy as np
from numpy.typing import NDArray

from qubopuzzle.tempering.form import Form, form_of
from qubopuzzle.tempering.kernels import settle, temper
from qubopuzzle.tempering.ladder import FloatArray, geometric, respaced, tables

_UPDATES_PER_SLICE = 400_000
_FRESH = 256
"""Sweeps after which fields of floats are computed anew."""
_FIRST_STAGE = 16
_FROZEN = 0.2
"""The hot end is frozen where a sweep changes less than this share of what it could."""
_COLDEST = 1e200

Tick = Callable[[float, float], bool]
"""Takes the fraction of a read that is done and its lowest energy; False ends the read."""


class Chain:
    """Replicas of one read.

    Args:
        form: the model.
        beta: inverse temperatures in the BQM's units, hot to cold, shape (rungs,).
        rng: the only source of randomness.
        start: a state to begin all replicas from, shape (units,); else they are random.

    Attributes:
        value, field, energy: the replicas, shapes (rungs, units), (rungs, variables),
            (rungs,); energies in the form's units.
        replica: which replica is at which rung, (rungs,).
        best: the lowest state seen, shape (units,).
        done: sweeps of every replica so far.
        accepted, exchanges: sum of the chances of exchange of neighbours, and of how many
            sweeps, since the ladder last changed.
    """

    def __init__(
        self,
        form: Form,
        beta: FloatArray,
        rng: np.random.Generator,
        start: NDArray[np.int32] | None = None,
    ) -> None:
        a = form.arrays
        self.form, self.rng = form, rng
        size = np.diff(a.first)[: a.n_groups].max(initial=1)
        self._mass = np.zeros(size)
        self._best_energy = np.full(1, np.inf)
        self.best = np.zeros(len(a.first) - 1, dtype=np.int32)
        self._rounding = 1e-12 * (np.abs(a.linear).sum() + np.abs(a.coupling).sum())
        self.done = 0
        states = [form.random_state(rng) if start is None else start for _ in beta]
        self._lay_out(beta, np.array(states, dtype=np.int32).reshape(len(beta), -1))
        k = int(np.argmin(self.energy))
        self.best[:], self._best_energy[0] = self.value[k], self.energy[k]

    @property
    def best_energy(self) -> float:
        """The lowest energy seen, in the BQM's units, offset included."""
        return float(self._best_energy[0]) / self.form.scale + self.form.offset

    @property
    def acceptance(self) -> FloatArray:
        """Mean chance of exchange of neighbours on this ladder, shape (rungs - 1,)."""
        return self.accepted / max(1, self.exchanges)

    def run(self, n: int, target: float = -np.inf) -> int:
        """Up to ``n`` sweeps; fewer where the energy comes down to ``target``."""
        done = int(
            temper(
                self.form.arrays,
                self._beta,
                self._table,
                self._cut,
                self.replica,
                self.value,
                self.field,
                self.energy,
                self.best,
                self._best_energy,
                self._inner(target),
                self.done,
                n,
                0 if self.form.exact else _FRESH,
                self.accepted,
                self._mass,
                self.rng,
            )
        )
        self.done += done
        self.exchanges += done
        return done

    def reached(self, target: float) -> bool:
        """Whether the lowest energy is down to the target."""
        return bool(self._best_energy[0] <= self._inner(target))

    def go_on(self, until: int, wanted: int, target: float, tick: Tick) -> bool:
        """Run on to ``until`` sweeps in short slices; False if ``tick`` or the target ended it.

        ``wanted`` is what counts as all of the read.
        """
        while self.done < until:
            if self.reached(target):
                return False
            self.run(min(self.slice, until - self.done), target)
            if not tick(self.done / wanted, self.best_energy):
                return False
        return not self.reached(target)

    def tune(
        self, burn_in: int, wanted: int, n: int | None, target: float, tick: Tick, *, hotter: bool
    ) -> bool:
        """Space the rungs by what exchanges measure, in stages that double in length.

        Args:
            burn_in: sweeps to take for it.
            n: how many rungs to have; None for as many as it takes.
            hotter: whether the hot end may go up, where it turns out to be frozen.
            wanted, target, tick: see ``go_on``.
        """
        stage = _FIRST_STAGE
        while self.done < burn_in:
            rest = burn_in - self.done
            stage = rest if rest < 3 * stage else stage
            if not self.go_on(self.done + stage - 1, wanted, target, tick):
                return False
            hottest = self.replica[0]
            before = self.value[hottest].copy()
            if not self.go_on(self.done + 1, wanted, target, tick):
                return False
            beta = respaced(self.beta, self.acceptance, n)
            moved = float(np.mean(self.value[hottest] != before)) if len(before) else 1.0
            more = hotter and 2 * self.done < burn_in and len(beta) > 1
            if more and moved < _FROZEN * self.form.liveliest:
                beta = np.concatenate([[beta[0] / 2], beta[1:] if n else beta])
            self.set_ladder(beta)
            stage *= 2
        return True

    def quench(self) -> None:
        """Let the best state slide downhill until it stays where it is."""
        end = Chain(self.form, np.array([_COLDEST * self.form.scale]), self.rng, self.best)
        lowest = np.inf
        while end.best_energy < lowest:
            lowest = end.best_energy
            end.run(1)
        self.best[:], self._best_energy[0] = end.best, end._best_energy[0]

    def set_ladder(self, beta: FloatArray) -> None:
        """Put the replicas on another ladder, each rung's from the nearest one before."""
        nearest = np.abs(np.log(beta)[:, None] - np.log(self.beta)).argmin(axis=1)
        self._lay_out(beta, self.value[self.replica[nearest]])

    def _lay_out(self, beta: FloatArray, value: NDArray[np.int32]) -> None:
        form = self.form
        rungs, kind = len(beta), form.arrays.linear.dtype
        # Rungs in the form's units, and what the sampler reports.
        self.beta, self._beta = beta, beta / form.scale
        self._table, self._cut = tables(self._beta, exact=form.exact)
        self.value = np.ascontiguousarray(value)
        self.field = np.zeros((rungs, len(form.arrays.linear)), dtype=kind)
        self.energy = np.zeros(rungs, dtype=kind)
        self.replica = np.arange(rungs)
        for r in range(rungs):
            self.energy[r] = settle(form.arrays, self.value[r], self.field[r])
        self.accepted = np.zeros(max(0, rungs - 1))
        self.exchanges = 0
        work = rungs * (len(form.arrays.linear) + len(form.arrays.column) // 8)
        self.slice = max(1, _UPDATES_PER_SLICE // max(1, work))

    def _inner(self, target: float) -> float:
        """A target in the form's units, with room for rounding."""
        form = self.form
        inner = (target - form.offset) * form.scale
        return inner + self._rounding if np.isfinite(inner) else float(inner)


@cache
def compile_kernels() -> None:
    """Compile the kernels, or load them from numba's cache: seconds once, then little."""
    for bias in (1, 0.1):
        bqm = dimod.BinaryQuadraticModel({"c": bias}, {"ac": bias, "bc": 1}, 0, dimod.BINARY)
        form = form_of(bqm, ["ab"])
        chain = Chain(form, geometric(0.1, 1, 2), np.random.Generator(np.random.PCG64(0)))
        chain.run(2)
