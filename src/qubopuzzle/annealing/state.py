"""The state of one read: values, row sums and learning weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.annealing.form import AnnealingForm, annealing_form
from qubopuzzle.annealing.kernels import StateArrays, sweeps
from qubopuzzle.model import ModelBuilder

_HUGE = 1 << 60


@dataclass(frozen=True, slots=True)
class AnnealingParameters:
    """How to anneal.

    ``beta`` is the inverse temperature in units of a penalty, ``increment`` what half a
    sweep adds to a broken constraint's weight, ``decay`` what it leaves of the added
    weight, ``focus`` the share of units under no broken constraint that it leaves out.
    """

    beta: float
    increment: float = 0.15
    decay: float = 0.98
    focus: float = 0.97


class State:
    """Values, row sums and learning weights of one read.

    ``value`` is the index of each choice's value, shape (choices,); ``best`` has those of the
    lowest unweighted energy so far, which is ``energy``.
    """

    def __init__(self, form: AnnealingForm, rng: np.random.Generator) -> None:
        a = form.arrays
        # A unit's running sums: for each value, and a 0 before those of each choice.
        room = np.bincount(a.unit_of_choice, form.model.sizes + 1, form.n_units)
        self.form, self.rng, self.energy = form, rng, _HUGE
        self.arrays = StateArrays(
            value=a.earliest.copy(),
            best=a.earliest.copy(),
            total=np.zeros(len(a.lower), dtype=np.int64),
            row_base=form.row_weight,
            row_weight=form.row_weight.copy(),
            loose_base=form.loose_weight,
            loose_weight=form.loose_weight.copy(),
            disturbed=np.ones(form.n_units, dtype=bool),
            slot=np.zeros(np.diff(a.slot_start).max(initial=1)),
            mass=np.zeros(int(room.max(initial=0)) + 3),
        )
        self.value, self.best = self.arrays.value, self.arrays.best
        self._passes = 0
        self.set_values(a.earliest)

    def set_values(self, value: NDArray[np.integer]) -> None:
        """Start from the values with these indices, shape (choices,); they must exist.

        A chain with a broken precedence starts at its lowest values instead.
        """
        a, own = self.form.arrays, self.value
        own[:] = value
        number = a.number[a.first[:-1] + own]
        later = np.ones(len(a.unit_choice), dtype=bool)
        later[a.unit_start[:-1]] = False
        (at,) = np.nonzero(later)
        before, after = a.unit_choice[at - 1], a.unit_choice[at]
        broken = a.unit_of_choice[after[number[after] < number[before] + a.gap[at]]]
        reset = np.isin(a.unit_of_choice, broken)
        own[reset] = a.earliest[reset]
        self.arrays.total[:] = self.form.row_sums(own)
        energy = self.form.energy(own)
        if energy < self.energy:
            self.energy = energy
            self.best[:] = own

    def randomize(self) -> None:
        """Redraw every unit at infinite temperature."""
        everything = AnnealingParameters(beta=0.0, increment=0.0, decay=1.0, focus=0.0)
        self.run(1, everything, target=-1)

    def run(self, n: int, parameters: AnnealingParameters, target: int = 0) -> int:
        """About ``n`` sweeps, as many redraws as there are units each; returns the redraws.

        An energy of ``target`` or less ends them.
        """
        self._passes, done, self.energy = sweeps(
            self.form.arrays,
            self.arrays,
            self.rng,
            self._passes,
            n * self.form.n_units,
            float(parameters.beta),
            float(parameters.increment),
            float(parameters.decay),
            float(parameters.focus),
            self.energy,
            target,
        )
        return int(done)


@cache
def compile_kernels() -> None:
    """Compile the kernels, or load them from numba's cache: a few seconds once, then little."""
    builder = ModelBuilder()
    choices = [builder.choice(name, range(2)) for name in "abc"]
    builder.precedence("order", choices[:1], choices[1:2], [1])
    builder.at_most_one("one", [[0, 4]])
    State(annealing_form(builder.build()), np.random.default_rng(0)).run(1, AnnealingParameters(1))
