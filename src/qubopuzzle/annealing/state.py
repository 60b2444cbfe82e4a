"""One annealing run of a model: values, sums and learning weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.annealing.form import AnnealingForm, annealing_form
from qubopuzzle.annealing.kernels import Moving, sweeps
from qubopuzzle.model import IntArray, ModelBuilder

_HUGE = 1 << 60


@dataclass(frozen=True, slots=True)
class Setting:
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
    """One annealing run: values, row sums and learning weights."""

    def __init__(self, form: AnnealingForm, rng: np.random.Generator) -> None:
        a = form.arrays
        self.form, self.rng, self.energy = form, rng, _HUGE
        self.moving = Moving(
            value=a.earliest.copy(),
            best=a.earliest.copy(),
            total=np.zeros(len(a.lower), dtype=np.int64),
            row_base=form.row_weight,
            row_weight=form.row_weight.copy(),
            tie_base=form.tie_weight,
            tie_weight=form.tie_weight.copy(),
            disturbed=np.ones(form.n_units, dtype=bool),
            slot=np.zeros(max(1, form.most_slots)),
            mass=np.zeros(form.largest_unit + 3),
        )
        self._passes = 0
        self.set_values(a.earliest)

    @property
    def value(self) -> IntArray:
        """The place of each choice's value, shape (choices,)."""
        return self.moving.value

    @property
    def best(self) -> IntArray:
        """The values of the lowest energy so far, shape (choices,)."""
        return self.moving.best

    def set_values(self, value: NDArray[np.integer]) -> None:
        """Start from given values, shape (choices,), as places in each choice.

        Chains that they break start at their earliest places instead. Places must exist.
        """
        a, own = self.form.arrays, self.moving.value
        own[:] = value
        number = a.number[a.first[:-1] + own]
        later = np.ones(len(a.unit_choice), dtype=bool)
        later[a.unit_start[:-1]] = False
        places = np.flatnonzero(later)
        before, after = a.unit_choice[places - 1], a.unit_choice[places]
        broken = a.unit_of_choice[after[number[after] < number[before] + a.gap[places]]]
        mended = np.isin(a.unit_of_choice, broken)
        own[mended] = a.earliest[mended]
        x = self.form.literals(own)
        sums = [block.matrix @ x for block in self.form.model.linear]
        self.moving.total[:] = np.concatenate([np.zeros(0, np.int64), *sums])
        energy = self.form.energy(own)
        if energy < self.energy:
            self.energy = energy
            self.moving.best[:] = own

    def scatter(self) -> None:
        """Every unit at random, at infinite temperature."""
        everything = Setting(beta=0.0, increment=0.0, decay=1.0, focus=0.0)
        self.run(1, everything, target=-1)

    def run(self, n: int, setting: Setting, target: int = 0) -> int:
        """About ``n`` sweeps, as many redraws as there are units each; returns the redraws.

        An energy of ``target`` or less ends them.
        """
        self._passes, done, self.energy = sweeps(
            self.form.arrays,
            self.moving,
            self.rng,
            self._passes,
            n * self.form.n_units,
            float(setting.beta),
            float(setting.increment),
            float(setting.decay),
            float(setting.focus),
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
    State(annealing_form(builder.build()), np.random.default_rng(0)).run(1, Setting(1))
