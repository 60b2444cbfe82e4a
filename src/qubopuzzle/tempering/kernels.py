"""Tempering's inner loops and the arrays that they read; plain Python with NUMBA_DISABLE_JIT=1.

Units come in two kinds: the first ``n_groups`` are one-hot groups, whose ``value`` is the
variable that is 1; the others are free variables, whose ``value`` is 0 or 1. ``field[i]``
is what variable i at 1 costs more than at 0, couplings inside its own group left out. One
row of ``value``, ``field`` and one entry of ``energy`` is a replica; ``replica[k]`` says
which of them is at rung k of the ladder, hot to cold.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.jit import kernel

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

NEGLIGIBLE = 36.0
"""exp(-36) is the least that 1 + exp(-x) still shows in a double; beyond it lies 2**-52."""


class BQMArrays(NamedTuple):
    """A BQM. Variables are numbered group by group, then the free ones.

    Attributes:
        first: first variable of each unit, and one past the last, shape (units + 1,).
        n_groups: how many units, from the front, are one-hot groups.
        linear: bias of each variable, (variables,), int64 or float64.
        start, column, coupling: each variable's couplings, rows of a symmetric CSR matrix;
            int64, int32, and int32 or float64.
        constant: energy of the variables that are fixed.
    """

    first: IntArray
    n_groups: int
    linear: NDArray[Any]
    start: IntArray
    column: NDArray[np.int32]
    coupling: NDArray[Any]
    constant: Any


@kernel
def recompute_fields(a: Any, value: Any, field: Any) -> Any:
    """Fields of a state from scratch, written to ``field``; returns its energy."""
    first, start, column, coupling = a.first, a.start, a.column, a.coupling
    energy = a.constant
    field[:] = a.linear
    n_groups = a.n_groups
    for u in range(len(value)):
        if u < n_groups or value[u]:
            i = value[u] if u < n_groups else first[u]
            energy += field[i]
            for e in range(start[i], start[i + 1]):
                field[column[e]] += coupling[e]
    return energy


@kernel
def sweep_groups(  # noqa: C901
    a: Any, value: Any, field: Any, beta: float, table: Any, cut: float, mass: Any, rng: Any
) -> Any:
    """Draw every group's variable from its conditional distribution, in order.

    Returns the energy's change. ``mass`` is scratch for the running sums of one group.
    """
    # Written out: numba counts references for every array handed to a function, which in
    # this loop costs more than the draws do.
    units, start, column, coupling = a.first, a.start, a.column, a.coupling
    change = a.constant - a.constant
    last = len(table) - 1
    covered = last >= cut  # the table's last entry is 0 then
    for u in range(a.n_groups):
        first = units[u]
        size = units[u + 1] - first
        least = field[first]
        for i in range(1, size):
            least = min(least, field[first + i])
        running = 0.0
        if covered:
            for i in range(size):
                running += table[np.uint64(min(int(field[first + i] - least), last))]
                mass[i] = running
        else:
            for i in range(size):
                above = field[first + i] - least
                if above < cut:
                    running += math.exp(-beta * above)
                mass[i] = running
        # The least alone has mass 1: no random number where the others are negligible.
        target = rng.random() * running if running > 1.0 else 0.0
        index = 0
        while index < size - 1 and mass[index] <= target:
            index += 1
        old, new = value[u], first + index
        if new != old:
            change += field[new] - field[old]
            for e in range(start[old], start[old + 1]):
                field[column[e]] -= coupling[e]
            for e in range(start[new], start[new + 1]):
                field[column[e]] += coupling[e]
            value[u] = new
    return change


@kernel
def sweep_free(a: Any, value: Any, field: Any, beta: float, cut: float, rng: Any) -> Any:
    """Draw every free variable from its conditional distribution, in order.

    Returns the energy's change.
    """
    units, start, column, coupling = a.first, a.start, a.column, a.coupling
    change = a.constant - a.constant
    for u in range(a.n_groups, len(value)):
        i = units[u]
        cost = field[i]
        new = 1 if cost < 0 else 0
        if -cut < cost < cut:
            new = 1 if rng.random() * (1.0 + math.exp(beta * cost)) < 1.0 else 0
        sign = new - value[u]
        if sign != 0:
            change += sign * cost
            for e in range(start[i], start[i + 1]):
                field[column[e]] += sign * coupling[e]
            value[u] = new
    return change


@kernel
def exchange(beta: Any, replica: Any, energy: Any, parity: int, accepted: Any, rng: Any) -> None:
    """Swap neighbours whose lower rung has this parity; note every pair's chance."""
    for k in range(len(beta) - 1):
        better = (beta[k + 1] - beta[k]) * (energy[replica[k + 1]] - energy[replica[k]])
        chance = 1.0 if better >= 0.0 else math.exp(better)
        accepted[k] += chance
        if k % 2 == parity and (chance >= 1.0 or rng.random() < chance):
            replica[k], replica[k + 1] = replica[k + 1], replica[k]


@kernel
def temper(
    a: Any,
    ladder: Any,
    replicas: Any,
    best: Any,
    best_energy: Any,
    target: float,
    done: int,
    n: int,
    refresh: int,
    accepted: Any,
    mass: Any,
    rng: Any,
) -> int:
    """Up to ``n`` sweeps of every replica, an exchange after each; returns how many.

    ``ladder`` is ``beta``, ``table`` and ``cut`` by rung, ``replicas`` are ``replica``,
    ``value``, ``field`` and ``energy``. ``done`` sweeps came before. Ends where
    ``best_energy[0]`` is at most ``target``. Every ``refresh`` sweeps, if that is not 0, fields
    are computed anew against rounding.
    """
    beta, table, cut = ladder
    replica, value, field, energy = replicas
    for t in range(done, done + n):
        for k in range(len(beta)):
            r = replica[k]
            if refresh and t % refresh == 0:
                energy[r] = recompute_fields(a, value[r], field[r])
            x, f = value[r], field[r]
            energy[r] += sweep_groups(a, x, f, beta[k], table[k], cut[k], mass, rng)
            energy[r] += sweep_free(a, x, f, beta[k], cut[k], rng)
            if energy[r] < best_energy[0]:
                best_energy[0] = energy[r]
                best[:] = value[r]
        exchange(beta, replica, energy, t % 2, accepted, rng)
        if best_energy[0] <= target:
            return t + 1 - done
    return n
