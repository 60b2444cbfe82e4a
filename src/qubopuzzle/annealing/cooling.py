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
    LESS,
    ExtraArrays,
    ModelArrays,
    StateArrays,
    change_field,
    improve_choice,
    keep_if_better,
    objective_of,
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
_NEVER = 20.0
"""What costs so many temperatures more is not drawn."""
_ROUNDS = 100
"""Of the descent that ends a read, at most."""


class Temperatures(NamedTuple):
    """Those that reads begin and end at: at ``cold`` every third one, the others at ``small``."""

    hot: float
    cold: float
    small: float

    def of(self, read: int, *, given: bool = False) -> tuple[float, float]:
        """First and last of a read; one from a state that is ``given`` begins halfway."""
        cold = self.small if read % 3 else self.cold
        return (math.sqrt(self.hot * cold) if given else self.hot), cold


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
def take(a: Any, s: Any, x: Any, choice: int, value: int) -> None:
    """Give a choice a value."""
    first = a.first[choice]
    change_field(x, s, first + s.value[choice], first + value)
    s.value[choice] = value


@called
def draw_bit(a: Any, s: Any, x: Any, choice: int, beta: float, rng: Any) -> float:
    """Flip a choice of two values by the rule of Metropolis; what that adds to the objective."""
    first, value = a.first[choice], s.value[choice]
    other = 1 - value
    added: float = worth_of(x, s, x.cost, first + other) - worth_of(x, s, x.cost, first + value)
    if added > 0.0:
        over = added * beta
        if over > _NEVER:
            return 0.0
        drawn = rng.random()
        # By the first terms of its series exp(over) is at least so much, found sooner.
        if drawn * (1.0 + over * (1.0 + 0.5 * over)) >= 1.0 or drawn >= math.exp(-over):
            return 0.0
    elif added == 0.0 and rng.random() < 0.5:
        return 0.0
    take(a, s, x, choice, other)
    return added


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
        total += math.exp(-over) if over < _NEVER else 0.0
        mass[2 + k] = total
    target, value = rng.random() * total, 0
    while value < n - 1 and mass[2 + value] <= target:
        value += 1
    if value == s.value[choice]:
        return 0.0
    after: float = worth_of(x, s, x.cost, first + value)
    take(a, s, x, choice, value)
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
    hot, cold = ends
    objective = objective_of(a, s, x)
    fall = math.log(cold / hot) / max(1, n_sweeps - 1)
    for sweep in range(begin, end):
        beta = 1.0 / (hot * math.exp(fall * sweep))
        for choice in range(a.n_choices):
            n = a.first[choice + 1] - a.first[choice]
            if n == 2:
                objective += draw_bit(a, s, x, choice, beta, rng)
            elif n > 2:
                objective += draw_value(a, s, x, choice, beta, rng)
        keep_if_better(a, s, objective)
    added = -1.0 if end >= n_sweeps else 0.0
    for _ in range(_ROUNDS):
        if added >= -LESS:
            break
        added = 0.0
        for choice in range(a.n_choices):
            added += improve_choice(a, s, x, choice)
        objective += added
    keep_if_better(a, s, objective)
