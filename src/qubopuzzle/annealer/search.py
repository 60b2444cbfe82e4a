"""Restarts over a portfolio of settings, within a budget.

What is annealed is a sequence of QUBOs: after every sweep the penalty weight of each
constraint grows by ``increment`` where it is broken and decays towards its base. The
landscape fills up under a local minimum instead of the state climbing out of it. Energies
are always those of the unweighted model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.annealer.form import AnnealingForm, annealing_form
from qubopuzzle.annealer.kernels import put, sweeps
from qubopuzzle.model import IntArray, ModelBuilder

_HUGE = 1 << 60
_UPDATES_PER_CALL = 200_000


@dataclass(frozen=True, slots=True)
class Setting:
    """Inverse temperature ``beta`` in units of a penalty, and how weights learn."""

    beta: float
    increment: float = 0.3
    decay: float = 0.98


PORTFOLIO = (Setting(3), Setting(6), Setting(4), Setting(12))
"""Settings of successive restarts, in a cycle."""


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """One restart: its best state as the place of each choice's value, and how it came about.

    ``interrupted`` says that Ctrl-C ended it; no other restart follows.
    """

    number: int
    value: IntArray
    energy: int
    sweeps: int
    setting: Setting
    interrupted: bool = False


class State:
    """One annealing run: values, row sums and learning weights."""

    def __init__(self, form: AnnealingForm, rng: np.random.Generator) -> None:
        a = form.arrays
        self.form, self.rng = form, rng
        self.value = form.earliest.copy()
        self.total = np.zeros(len(a.lower), dtype=np.int64)
        self.row_weight, self.tie_weight = form.row_weight.copy(), form.tie_weight.copy()
        self.best, self.energy = self.value.copy(), _HUGE
        self._order = np.arange(len(a.unit_start) - 1)
        self._work = np.zeros(max(1, form.largest_unit))
        self._mass = np.zeros(max(1, form.largest_unit))
        self.set_values(self.value)

    def set_values(self, value: NDArray[np.integer]) -> None:
        """Start from given values, shape (choices,), as places in each choice.

        Chains that they break start at their earliest places instead.
        """
        self.value[:] = value
        a = self.form.arrays
        number = a.number[a.first[:-1] + self.value]
        for start, stop in zip(a.unit_start[:-1], a.unit_start[1:], strict=True):
            chain = a.unit_choice[start:stop]
            if (number[chain[1:]] < number[chain[:-1]] + a.gap[start + 1 : stop]).any():
                self.value[chain] = self.form.earliest[chain]
        self.total[:] = 0
        for literal in (self.form.arrays.first[:-1] + self.value).tolist():
            put(self.form.arrays, literal, 1, self.total)

    def run(self, n: int, setting: Setting) -> int:
        """Up to ``n`` sweeps; returns how many there were. ``energy`` 0 ends them."""
        form = self.form
        done, self.energy = sweeps(
            form.arrays,
            self._order,
            n,
            self.value,
            self.total,
            form.row_weight,
            self.row_weight,
            form.tie_weight,
            self.tie_weight,
            float(setting.beta),
            float(setting.increment),
            float(setting.decay),
            self.best,
            self.energy,
            self._work,
            self._mass,
            self.rng,
        )
        return int(done)


def anneal(
    form: AnnealingForm,
    seed: int,
    *,
    portfolio: Sequence[Setting] = PORTFOLIO,
    first_sweeps: int = 1000,
    start: NDArray[np.integer] | None = None,
    tick: Callable[[float, int], bool] = lambda _done, _energy: True,
) -> Iterator[Read]:
    """Restart for ever; each restart's best state as it ends.

    Args:
        form: what to anneal.
        seed: restart i depends on the seed and i alone.
        portfolio: settings, in a cycle.
        first_sweeps: sweeps of a restart in the first cycle; doubled in each that follows.
        start: values to begin the first restart from, shape (choices,).
        tick: called every few milliseconds with the fraction of the restart that is done
            and its lowest energy; False ends the restart.
    """
    step = max(1, _UPDATES_PER_CALL // max(1, form.model.n_literals))
    for number in count():
        setting = portfolio[number % len(portfolio)]
        wanted = first_sweeps << min(number // len(portfolio), 20)
        rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, number])))
        state = State(form, rng)
        if number == 0 and start is not None:
            state.set_values(start)
        else:
            state.run(1, Setting(0.0, 0.0, 1.0))
        done, interrupted = 0, False
        try:
            while done < wanted and state.energy > 0:
                done += state.run(min(step, wanted - done), setting)
                if not tick(done / wanted, int(state.energy)):
                    break
        except KeyboardInterrupt:
            interrupted = True
        yield Read(number, state.best.copy(), int(state.energy), done, setting, interrupted)
        if interrupted:
            return


@cache
def compile_kernels() -> None:
    """Compile the kernels, or load them from numba's cache: a few seconds once, then little."""
    builder = ModelBuilder()
    choices = [builder.choice(name, range(2)) for name in "abc"]
    builder.precedence("order", choices[:1], choices[1:2], [1])
    builder.at_most_one("one", [[0, 4]])
    State(annealing_form(builder.build()), np.random.default_rng(0)).run(1, Setting(1))
