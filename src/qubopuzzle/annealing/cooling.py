"""Simulated annealing where an objective is all there is: nothing can be broken.

The temperature falls geometrically from sweep to sweep, as no weights of rows can lead out of a
local minimum: Kirkpatrick, Gelatt and Vecchi, "Optimization by simulated annealing", Science 220
(1983). Its ends are measured in the spread of what a value is worth among random states.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from qubopuzzle.annealing import kernels
from qubopuzzle.annealing.kernels import (
    DESCENT_ROUNDS,
    LESS,
    UNLIKELY,
    ExtraArrays,
    ModelArrays,
    StateArrays,
    change_field,
    improve_choice,
    keep_if_better,
    objective_of,
    temperature_of,
    worth_of,
)
from qubopuzzle.jit import called, kernel, pointers, version_of
from qubopuzzle.model import IntArray

_HOT, _COLD = 0.4, 0.03
"""Temperatures at which a read begins and ends, in spreads."""
_SMALL = 0.1
"""Where a read ends that looks for small gains, in small couplings."""
_QUANTILE = 0.1
"""So small a share of the couplings is smaller."""
_MOST_BITS = 5_000
"""Of which a tabu search looks at each for every move."""
_EVERY = 4
"""So many turns have one of all ways."""
COLD, SMALL, TABU = range(3)
"""What a read does: its temperature falls to one or the other, or it is a tabu search."""


class Temperatures(NamedTuple):
    """Where reads begin, ``hot``, and where they end: at ``cold``, or where small gains count."""

    hot: float
    cold: float
    small: float

    def of(self, way: int, *, given: bool = False) -> tuple[float, float]:
        """First and last of a read; one from a state that is ``given`` begins halfway."""
        cold = self.cold if way == COLD else self.small
        return (math.sqrt(self.hot * cold) if given else self.hot), cold


class Turns:
    """What successive reads do: a turn has one of each way that came to the least so far.

    The first turn is one read, and the next one and every fourth one have all ways.
    """

    def __init__(self, temperatures: Temperatures, n_bits: int) -> None:
        """``n_bits`` is 0 where there is more than bits."""
        self.temperatures, self.number = temperatures, -1
        ways = [COLD]
        if temperatures.small < temperatures.cold:
            ways.append(SMALL)
        if 0 < n_bits <= _MOST_BITS:
            ways.append(TABU)
        self._least = dict.fromkeys(ways, math.inf)
        self._now, self._first = [COLD], 0

    def begin(self, index: int) -> int:
        """Begin a turn with the read of this number; how many reads it has."""
        self.number, self._first = self.number + 1, index
        least = min(self._least.values())
        if self.number % _EVERY == 1:
            self._now = [*self._least]
        elif self.number:
            self._now = [way for way, reached in self._least.items() if reached == least]
        return len(self._now)

    def way(self, index: int) -> int:
        """What a read does, by its number."""
        return self._now[(index - self._first) % len(self._now)]

    def note(self, index: int, objective: float) -> None:
        """Take note of what a read came to; the first one may be short."""
        if self.number > 0:
            self._least[self.way(index)] = min(self._least[self.way(index)], objective)


def temperatures(extras: ExtraArrays, sizes: IntArray) -> Temperatures:
    """Those that suit couplings; ``sizes`` has the number of values of each choice, (choices,).

    The spread of a value is twice the standard deviation of its couplings' sum, if the others have
    random values: for bits the square root of the couplings' squares. The mean of all is taken.
    """
    owner = np.repeat(np.arange(len(sizes)), sizes)
    share = 1 / sizes[owner[extras.pair_other]]
    literal = np.repeat(np.arange(len(owner)), np.diff(extras.pair_start))
    squares = 4 * share * (1 - share) * extras.pair_cost**2
    spread = np.sqrt(np.bincount(literal, squares))
    mean = float(spread[spread > 0].mean()) if spread.any() else 1.0
    couplings = np.abs(extras.pair_cost[extras.pair_cost != 0])
    small = _SMALL * float(np.quantile(couplings, _QUANTILE)) if len(couplings) else mean
    return Temperatures(_HOT * mean, _COLD * mean, min(_COLD * mean, small))


@called
def draw_value(a: Any, s: Any, x: Any, choice: int, beta: float, rng: Any) -> float:
    """Draw a choice's value from its conditional Boltzmann distribution; what that adds."""
    first, n, mass = a.first[choice], a.first[choice + 1] - a.first[choice], s.mass
    least = math.inf
    for k in range(n):
        mass[2 + k] = worth_of(x, s, x.cost, first + k)
        least = min(least, mass[2 + k])
    before, total = mass[2 + s.value[choice]], 0.0
    for k in range(n):
        over = beta * (mass[2 + k] - least)
        total += math.exp(-over) if over < UNLIKELY else 0.0
        mass[2 + k] = total
    target, value = rng.random() * total, 0
    while value < n - 1 and mass[2 + value] <= target:
        value += 1
    if value == s.value[choice]:
        return 0.0
    after: float = worth_of(x, s, x.cost, first + value)
    change_field(x, s, first + s.value[choice], first + value)
    s.value[choice] = value
    return float(after - before)


@kernel
def run_cooling(
    arrays: tuple[Any, Any, Any, Any],
    extras: Any,
    rng: Any,
    sweeps: tuple[int, int, int],
    ends: tuple[float, float],
    _version: int = version_of(kernels),
) -> None:
    """Some of a read's sweeps; ``best`` is the best state after one of them.

    ``sweeps`` are the number of the first, of the one behind the last, and how many there are. The
    first of all is at the first temperature of ``ends``, the last at the second, in units of the
    objective; a descent follows.
    """
    model, state, _, _ = arrays
    a, s = pointers(ModelArrays, model), pointers(StateArrays, state)
    x = pointers(ExtraArrays, extras)
    begin, end, n_sweeps = sweeps
    objective = objective_of(a, s, x)
    for sweep in range(begin, end):
        beta = 1.0 / temperature_of(ends, sweep, n_sweeps)
        for choice in range(a.n_choices):
            objective += draw_value(a, s, x, choice, beta, rng)
        keep_if_better(a, s, objective)
    added = -1.0 if end >= n_sweeps else 0.0
    for _ in range(DESCENT_ROUNDS):
        if added >= -LESS:
            break
        added = 0.0
        for choice in range(a.n_choices):
            added += improve_choice(a, s, x, choice)
        objective += added
    keep_if_better(a, s, objective)
