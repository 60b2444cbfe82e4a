"""The replicas of one read on their ladder, and the lowest state that they saw."""

from functools import cache

import dimod
import numpy as np
from numpy.typing import NDArray

from qubopuzzle.jit import compiling
from qubopuzzle.jit.packing import addresses
from qubopuzzle.tempering.form import TemperingForm, tempering_form
from qubopuzzle.tempering.kernels import FloatArray, ReplicaArrays, temper
from qubopuzzle.tempering.ladder import geometric, tables

_REFRESH = 256
"""Sweeps after which fields that are not whole numbers are computed anew, against rounding."""
_COLDEST = 1e200


class Replicas:
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
        form: TemperingForm,
        beta: FloatArray,
        rng: np.random.Generator,
        start: NDArray[np.int32] | None = None,
    ) -> None:
        a = form.arrays
        self.form, self.rng, self.done = form, rng, 0
        self.best, self._best_energy = np.zeros(a.n_units, dtype=np.int32), np.full(1, np.inf)
        self._rounding = 1e-12 * (np.abs(a.linear).sum() + np.abs(a.coupling).sum())
        states = [form.random_state(rng) if start is None else start for _ in beta]
        self._place(beta, np.array(states, dtype=np.int32).reshape(len(beta), -1))
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

    def run(self, n: int, target: float = -np.inf) -> None:
        """Up to ``n`` sweeps; fewer where the lowest energy reaches ``target``."""
        model, state = addresses(self.form.arrays), addresses(self._arrays)
        before, bound = self.done, self._scaled(target)
        while self.done < before + n:
            step = before + n - self.done
            if not self.form.exact:
                if self.done % _REFRESH == 0:
                    self.field[:], self.energy[:] = self.form.fields(self.value)
                step = min(step, _REFRESH - self.done % _REFRESH)
            self.done += temper(model, state, self.done, step, bound, self.rng)
            if self.reached(target):
                break
        self.exchanges += self.done - before

    def reached(self, target: float) -> bool:
        """Whether the lowest energy is at most the target."""
        return bool(self._best_energy[0] <= self._scaled(target))

    def quench(self) -> None:
        """Bring the lowest state to a local minimum by sweeps at temperature 0."""
        cold = np.array([_COLDEST * self.form.scale])
        end = Replicas(self.form, cold, self.rng, self.best)
        lowest = np.inf
        while end.best_energy < lowest:
            lowest = end.best_energy
            end.run(1)
        self.best[:], self._best_energy[:] = end.best, end._best_energy

    def set_ladder(self, beta: FloatArray) -> None:
        """Put the replicas on another ladder, on each rung a copy of the nearest one before."""
        nearest = np.abs(np.log(beta)[:, None] - np.log(self.beta)).argmin(axis=1)
        self._place(beta, self.value[self.replica[nearest]])

    def _place(self, beta: FloatArray, value: NDArray[np.int32]) -> None:
        form, n, scaled = self.form, len(beta), beta / self.form.scale
        table, cut = tables(scaled, exact=form.exact)
        self.beta, self.value = beta, np.ascontiguousarray(value)
        self.field, self.energy = form.fields(self.value)
        self.replica, self.accepted = np.arange(n), np.zeros(max(0, n - 1))
        self.exchanges = 0
        self._arrays = ReplicaArrays(
            n_rungs=n,
            n_entries=table.shape[1],
            beta=scaled,
            table=table.reshape(-1),
            cut=cut,
            replica=self.replica,
            value=self.value.reshape(-1),
            field=self.field.reshape(-1),
            energy=self.energy,
            accepted=self.accepted,
            best=self.best,
            best_energy=self._best_energy,
            mass=np.zeros(np.diff(form.arrays.first)[: form.arrays.n_groups].max(initial=1)),
        )

    def _scaled(self, target: float) -> float:
        """A target in the form's units, with room for rounding."""
        scaled = (target - self.form.offset) * self.form.scale
        return scaled + self._rounding if np.isfinite(scaled) else float(scaled)


@cache
def compile_kernels() -> None:
    """Compile the kernels, or load them from numba's cache: seconds once, then little."""
    bqm = dimod.BinaryQuadraticModel({"c": 1}, {"ac": 1, "bc": 1}, 0, dimod.BINARY)
    form = tempering_form(bqm, ["ab"])
    with compiling("the kernels of tempering", seconds=1):
        Replicas(form, geometric(0.1, 1, 2), np.random.Generator(np.random.PCG64(0))).run(2)
