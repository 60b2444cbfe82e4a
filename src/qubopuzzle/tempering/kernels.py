"""The inner loops, compiled by numba; plain Python with NUMBA_DISABLE_JIT=1.

Units come in two kinds: the first ``n_groups`` are one-hot groups, whose ``value`` is the
variable that is 1; the others are free variables, whose ``value`` is 0 or 1. ``field[i]``
is what variable i at 1 costs more than at 0, couplings inside its own group left out. One
row of ``value``, ``field`` and one entry of ``energy`` is a replica; ``replica[k]`` says
which of them is at rung k of the ladder, hot to cold.
"""

from __future__ import annotations

import math
from typing import Any

from numba import njit

NEGLIGIBLE = 40.0
"""exp(-40) is below the 2**-53 that separates two random numbers: never drawn."""


@njit(nogil=True, cache=True)
def switch(a: Any, variable: int, sign: int, field: Any) -> None:
    """Add a variable's couplings to the fields of the others, or take them away."""
    for e in range(a.start[variable], a.start[variable + 1]):
        field[a.column[e]] += sign * a.coupling[e]


@njit(nogil=True, cache=True)
def settle(a: Any, value: Any, field: Any) -> Any:
    """Fields of a state from scratch, written to ``field``; returns its energy."""
    energy = a.constant
    field[:] = a.linear
    n_groups = a.n_groups
    for u in range(len(value)):
        if u < n_groups:
            energy += field[value[u]]
            switch(a, value[u], 1, field)
        elif value[u]:
            energy += field[a.first[u]]
            switch(a, a.first[u], 1, field)
    return energy


@njit(nogil=True, cache=True)
def redraw_group(
    a: Any, u: int, value: Any, field: Any, beta: float, table: Any, cut: float, mass: Any, rng: Any
) -> Any:
    """Draw a group's variable from its conditional distribution; returns the energy's change."""
    first, size = a.first[u], a.first[u + 1] - a.first[u]
    least = field[first]
    for i in range(1, size):
        least = min(least, field[first + i])
    running = 0.0
    known = len(table)
    for i in range(size):
        above = field[first + i] - least
        if above < known:
            running += table[int(above)]
        elif above < cut:
            running += math.exp(-beta * above)
        mass[i] = running
    new = 0
    if running > 1.0:
        target = rng.random() * running
        while mass[new] <= target:
            new += 1
    else:  # nothing but the least has any weight
        while mass[new] == 0.0:
            new += 1
    old = value[u]
    new += first
    if new == old:
        return least - least
    change = field[new] - field[old]
    switch(a, old, -1, field)
    switch(a, new, 1, field)
    value[u] = new
    return change


@njit(nogil=True, cache=True)
def redraw_free(a: Any, u: int, value: Any, field: Any, beta: float, cut: float, rng: Any) -> Any:
    """Draw a free variable from its conditional distribution; returns the energy's change."""
    i = a.first[u]
    cost = field[i]
    new = 0
    if -cut < cost < cut:
        new = 1 if rng.random() * (1.0 + math.exp(beta * cost)) < 1.0 else 0
    elif cost < 0:
        new = 1
    if new == value[u]:
        return cost - cost
    value[u] = new
    if new:
        switch(a, i, 1, field)
        return cost
    switch(a, i, -1, field)
    return -cost


@njit(nogil=True, cache=True)
def sweep(
    a: Any, value: Any, field: Any, beta: float, table: Any, cut: float, mass: Any, rng: Any
) -> Any:
    """Redraw every unit once, in order; returns the energy's change."""
    change = field[0] - field[0]
    n_groups = a.n_groups
    for u in range(n_groups):
        change += redraw_group(a, u, value, field, beta, table, cut, mass, rng)
    for u in range(n_groups, len(value)):
        change += redraw_free(a, u, value, field, beta, cut, rng)
    return change


@njit(nogil=True, cache=True)
def exchange(beta: Any, replica: Any, energy: Any, parity: int, accepted: Any, rng: Any) -> None:
    """Swap neighbours whose lower rung has this parity; note every pair's chance."""
    for k in range(len(beta) - 1):
        better = (beta[k + 1] - beta[k]) * (energy[replica[k + 1]] - energy[replica[k]])
        chance = 1.0 if better >= 0.0 else math.exp(better)
        accepted[k] += chance
        if k % 2 == parity and (chance >= 1.0 or rng.random() < chance):
            replica[k], replica[k + 1] = replica[k + 1], replica[k]


@njit(nogil=True, cache=True)
def temper(
    a: Any,
    beta: Any,
    table: Any,
    cut: Any,
    replica: Any,
    value: Any,
    field: Any,
    energy: Any,
    best: Any,
    best_energy: Any,
    target: float,
    done: int,
    n: int,
    fresh: int,
    accepted: Any,
    mass: Any,
    rng: Any,
) -> int:
    """Up to ``n`` sweeps of every replica, an exchange after each; returns how many.

    ``done`` sweeps came before. Ends where ``best_energy[0]`` is at most ``target``. Every
    ``fresh`` sweeps, if that is not 0, fields are computed anew against rounding.
    """
    for t in range(done, done + n):
        for k in range(len(beta)):
            r = replica[k]
            if fresh and t % fresh == 0:
                energy[r] = settle(a, value[r], field[r])
            energy[r] += sweep(a, value[r], field[r], beta[k], table[k], cut[k], mass, rng)
            if energy[r] < best_energy[0]:
                best_energy[0] = energy[r]
                best[:] = value[r]
        exchange(beta, replica, energy, t % 2, accepted, rng)
        if best_energy[0] <= target:
            return t + 1 - done
    return n
