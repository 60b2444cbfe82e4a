"""Tempering's inner loops and the arrays that they read; plain Python with NUMBA_DISABLE_JIT=1.

Units come in two kinds: the first ``n_groups`` are one-hot groups, whose ``value`` is the
variable that is 1; the others are free variables, whose ``value`` is 0 or 1. ``field`` is, for
each variable, what it costs more at 1 than at 0, couplings inside its own group left out.
``a`` is the model, ``BQMArrays``; ``s`` is what changes, ``ReplicaArrays``.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.jit import inlined, kernel, pointers

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

NEGLIGIBLE = 36.0
"""exp(-36) is the least that 1 + exp(-x) still shows in a double; beyond it lies 2**-52."""


class BQMArrays(NamedTuple):
    """A BQM. Variables are numbered group by group, then the free ones.

    Attributes:
        n_groups: how many units, from the front, are one-hot groups.
        n_units, n_variables: how many there are, those of one-hot groups of one left out.
        first: first variable of each unit, and one past the last, shape (units + 1,).
        linear: bias of each variable, (variables,).
        start, column, coupling: each variable's couplings, rows of a symmetric CSR matrix;
            columns are int32.
    """

    n_groups: int
    n_units: int
    n_variables: int
    first: IntArray
    linear: FloatArray
    start: IntArray
    column: NDArray[np.int32]
    coupling: FloatArray


class ReplicaArrays(NamedTuple):
    """Replicas on a ladder, hot to cold.

    Attributes:
        n_rungs, n_entries: rungs, and entries of ``table`` for each.
        beta: inverse temperature of each rung, shape (rungs,).
        table: exp(-beta d) for d = 0, 1, ..., rung by rung, (rungs * entries,); none if
            energies are not whole numbers.
        cut: energies from which on exp(-beta d) is negligible, (rungs,).
        replica: which replica is at each rung, (rungs,).
        value: replica by replica, (rungs * units,), int32.
        field: replica by replica, (rungs * variables,).
        energy: of each replica, (rungs,).
        accepted: sums of the chances of exchange of neighbours, (rungs - 1,).
        best, best_energy: the lowest state seen, (units,), and its energy, (1,).
        mass: scratch, for the variables of the largest group.
    """

    n_rungs: int
    n_entries: int
    beta: FloatArray
    table: FloatArray
    cut: FloatArray
    replica: IntArray
    value: NDArray[np.int32]
    field: FloatArray
    energy: FloatArray
    accepted: FloatArray
    best: NDArray[np.int32]
    best_energy: FloatArray
    mass: FloatArray


@inlined
def add_couplings(a: Any, s: Any, variable: int, at: int, sign: int) -> None:
    """Add a variable's couplings to the fields of a replica, from ``field[at]`` on."""
    for e in range(a.start[variable], a.start[variable + 1]):
        s.field[at + a.column[e]] += sign * a.coupling[e]


@inlined
def sweep_groups(a: Any, s: Any, rung: int, replica: int, rng: Any) -> float:
    """Draw every group's variable from its conditional distribution, in order.

    Returns the energy's change.
    """
    base, at = replica * a.n_units, replica * a.n_variables
    beta, cut = s.beta[rung], s.cut[rung]
    table, last = rung * s.n_entries, s.n_entries - 1
    covered = last >= cut  # the table's last entry is 0 then
    change = 0.0
    for u in range(a.n_groups):
        first, stop = a.first[u], a.first[u + 1]
        least = s.field[at + first]
        for i in range(first + 1, stop):
            least = min(least, s.field[at + i])
        running = 0.0
        for i in range(first, stop):
            above = s.field[at + i] - least
            if covered:
                running += s.table[table + min(int(above), last)]
            elif above < cut:
                running += math.exp(-beta * above)
            s.mass[i - first] = running
        # The least alone has mass 1: no random number where the others are negligible.
        target = rng.random() * running if running > 1.0 else 0.0
        new = first
        while new < stop - 1 and s.mass[new - first] <= target:
            new += 1
        old = s.value[base + u]
        if new != old:
            change += s.field[at + new] - s.field[at + old]
            add_couplings(a, s, old, at, -1)
            add_couplings(a, s, new, at, 1)
            s.value[base + u] = new
    return change


@inlined
def sweep_free(a: Any, s: Any, rung: int, replica: int, rng: Any) -> float:
    """Draw every free variable from its conditional distribution, in order.

    Returns the energy's change.
    """
    base, at = replica * a.n_units, replica * a.n_variables
    beta, cut = s.beta[rung], s.cut[rung]
    change = 0.0
    for u in range(a.n_groups, a.n_units):
        i = a.first[u]
        cost = s.field[at + i]
        new = 1 if cost < 0 else 0
        if -cut < cost < cut:
            new = 1 if rng.random() * (1.0 + math.exp(beta * cost)) < 1.0 else 0
        sign = new - s.value[base + u]
        if sign != 0:
            change += sign * cost
            add_couplings(a, s, i, at, sign)
            s.value[base + u] = new
    return change


@inlined
def exchange(s: Any, parity: int, rng: Any) -> None:
    """Swap neighbours whose lower rung has this parity; note every pair's chance."""
    for k in range(s.n_rungs - 1):
        one, two = s.replica[k], s.replica[k + 1]
        better = (s.beta[k + 1] - s.beta[k]) * (s.energy[two] - s.energy[one])
        chance = 1.0 if better >= 0.0 else math.exp(better)
        s.accepted[k] += chance
        if k % 2 == parity and (chance >= 1.0 or rng.random() < chance):
            s.replica[k], s.replica[k + 1] = two, one


@kernel
def temper(model: Any, state: Any, done: int, n: int, target: float, rng: Any) -> int:
    """Up to ``n`` sweeps of every replica, an exchange after each; returns how many.

    ``done`` sweeps came before. Ends where ``best_energy[0]`` is at most ``target``.
    """
    a, s = pointers(BQMArrays, model), pointers(ReplicaArrays, state)
    for t in range(done, done + n):
        for rung in range(s.n_rungs):
            r = s.replica[rung]
            s.energy[r] += sweep_groups(a, s, rung, r, rng)
            s.energy[r] += sweep_free(a, s, rung, r, rng)
            if s.energy[r] < s.best_energy[0]:
                s.best_energy[0] = s.energy[r]
                for u in range(a.n_units):
                    s.best[u] = s.value[r * a.n_units + u]
        exchange(s, t % 2, rng)
        if s.best_energy[0] <= target:
            return t + 1 - done
    return n
