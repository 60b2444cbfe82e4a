"""The inner loops, compiled by numba; plain Python with NUMBA_DISABLE_JIT=1.

``value`` holds the place of each choice's value, ``total`` each row's sum, ``row_weight``
and ``tie_weight`` the weights of the constraints. ``work`` and ``mass`` are scratch of the
size of the largest unit, ``place`` of the number of its choices.
"""

from __future__ import annotations

import math
from typing import Any

from numba import njit

_HUGE = 1 << 60


@njit(inline="always")
def penalty(lower: int, upper: int, total: int) -> int:
    """d**2 for an equality missed by d, d (d + 1) / 2 for a range."""
    missed = max(lower - total, total - upper, 0)
    return missed * missed if lower == upper else missed * (missed + 1) // 2


@njit(nogil=True, cache=True)
def put(a: Any, literal: int, sign: int, total: Any) -> None:
    """Add a literal's terms to the rows, or take them away with sign -1."""
    for e in range(a.term_start[literal], a.term_start[literal + 1]):
        total[a.term_row[e]] += sign * a.term_coefficient[e]


@njit(nogil=True, cache=True)
def costs(a: Any, choice: int, total: Any, row_weight: Any, out: Any) -> Any:
    """Weighted energy of each value of a choice that is taken out; returns how many."""
    first = a.first[choice]
    size = a.first[choice + 1] - first
    energy = 0.0
    for i in range(size):
        if not a.cumulative[choice]:
            energy = 0.0
        for e in range(a.step_start[first + i], a.step_start[first + i + 1]):
            row = a.step_row[e]
            lower, upper, own = a.lower[row], a.upper[row], total[row]
            energy += row_weight[row] * (
                penalty(lower, upper, own + a.step_after[e])
                - penalty(lower, upper, own + a.step_before[e])
            )
        out[i] = energy
    return size


@njit(nogil=True, cache=True)
def add_ties(a: Any, choice: int, value: Any, tie_weight: Any, out: Any) -> None:
    """Add what loose precedences cost: their weight for every step that is missing."""
    first = a.first[choice]
    for e in range(a.tie_start[choice], a.tie_start[choice + 1]):
        other = a.tie_other[e]
        there = a.number[a.first[other] + value[other]]
        weight, gap = tie_weight[a.tie[e]], a.tie_gap[e]
        for i in range(a.first[choice + 1] - first):
            here = a.number[first + i]
            short = here + gap - there if a.tie_after[e] else there + gap - here
            if short > 0:
                out[i] += weight * short


@njit(nogil=True, cache=True)
def draw(mass: Any, offset: int, size: int, rng: Any) -> int:
    """A place with probability proportional to its mass; ``mass`` holds running sums."""
    target = rng.random() * mass[offset + size - 1]
    low, high = 0, size - 1
    while low < high:
        middle = (low + high) // 2
        if mass[offset + middle] > target:
            high = middle
        else:
            low = middle + 1
    return low


@njit(nogil=True, cache=True)
def redraw_choice(
    a: Any,
    choice: int,
    value: Any,
    total: Any,
    row_weight: Any,
    tie_weight: Any,
    beta: float,
    work: Any,
    mass: Any,
    rng: Any,
) -> None:
    """Draw a choice from its conditional Boltzmann distribution (heat bath)."""
    first = a.first[choice]
    put(a, first + value[choice], -1, total)
    size = costs(a, choice, total, row_weight, work)
    add_ties(a, choice, value, tie_weight, work)
    least = work[:size].min()
    running = 0.0
    for i in range(size):
        running += math.exp(-beta * (work[i] - least))
        mass[i] = running
    value[choice] = draw(mass, 0, size, rng)
    put(a, first + value[choice], 1, total)


@njit(nogil=True, cache=True)
def forward(
    a: Any,
    start: int,
    stop: int,
    value: Any,
    total: Any,
    row_weight: Any,
    tie_weight: Any,
    beta: float,
    work: Any,
    mass: Any,
) -> bool:
    """Running sums of the weights of all ways to place a chain up to each choice and value.

    mass(k, v) = sum over v' <= v of exp(-beta cost) * mass(k - 1, v' - gap), scaled by
    choice. False if nothing is left, which only underflow can do.
    """
    offset = before = before_first = before_size = 0
    for q in range(start, stop):
        choice = a.unit_choice[q]
        first = a.first[choice]
        size = costs(a, choice, total, row_weight, work)
        add_ties(a, choice, value, tie_weight, work)
        # How much comes before each value; then the least cost among those reachable.
        least, j = math.inf, 0
        for i in range(size):
            mass[offset + i] = 1.0
            if q > start:
                limit = a.number[first + i] - a.gap[q]
                while j < before_size and a.number[before_first + j] <= limit:
                    j += 1
                mass[offset + i] = mass[before + j - 1] if j else 0.0
            if mass[offset + i] > 0.0 and work[i] < least:
                least = work[i]
        running = 0.0
        for i in range(size):
            if mass[offset + i] > 0.0:
                running += mass[offset + i] * math.exp(-beta * (work[i] - least))
            mass[offset + i] = running
        if not running > 1e-290:
            return False
        for i in range(size):
            mass[offset + i] /= running
        before, before_first, before_size = offset, first, size
        offset += size
    return True


@njit(nogil=True, cache=True)
def redraw_chain(
    a: Any,
    start: int,
    stop: int,
    value: Any,
    total: Any,
    row_weight: Any,
    tie_weight: Any,
    beta: float,
    work: Any,
    mass: Any,
    rng: Any,
) -> None:
    """Draw a whole chain from its conditional distribution: forward sums, backward draws.

    Block Gibbs sampling of a chain-structured part: Hamze and de Freitas, "From fields to
    trees", UAI 2004.
    """
    for q in range(start, stop):
        choice = a.unit_choice[q]
        put(a, a.first[choice] + value[choice], -1, total)
    if forward(a, start, stop, value, total, row_weight, tie_weight, beta, work, mass):
        end = 0
        for q in range(start, stop):
            end += a.first[a.unit_choice[q] + 1] - a.first[a.unit_choice[q]]
        limit = _HUGE
        for q in range(stop - 1, start - 1, -1):
            choice = a.unit_choice[q]
            first = a.first[choice]
            size = a.first[choice + 1] - first
            end -= size
            allowed = size
            while a.number[first + allowed - 1] > limit:
                allowed -= 1
            value[choice] = draw(mass, end, allowed, rng)
            limit = a.number[first + value[choice]] - a.gap[q]
    for q in range(start, stop):
        choice = a.unit_choice[q]
        put(a, a.first[choice] + value[choice], 1, total)


@njit(nogil=True, cache=True)
def learn(
    a: Any,
    value: Any,
    total: Any,
    row_base: Any,
    row_weight: Any,
    tie_base: Any,
    tie_weight: Any,
    increment: float,
    decay: float,
) -> int:
    """Raise the weights of broken constraints, let all decay; returns the unweighted energy.

    A weight stays below base + increment / (1 - decay): nothing overflows.
    """
    energy = 0
    for row in range(len(total)):
        missed = penalty(a.lower[row], a.upper[row], total[row])
        energy += missed
        raised = row_weight[row] + (increment if missed else 0.0)
        row_weight[row] = row_base[row] + (raised - row_base[row]) * decay
    for i in range(len(a.tie_first)):
        one, two = a.tie_first[i], a.tie_second[i]
        here = a.number[a.first[one] + value[one]]
        there = a.number[a.first[two] + value[two]]
        broken = there < here + a.tie_distance[i]
        energy += 1 if broken else 0
        raised = tie_weight[i] + (increment if broken else 0.0)
        tie_weight[i] = tie_base[i] + (raised - tie_base[i]) * decay
    return energy


@njit(nogil=True, cache=True)
def sweeps(
    a: Any,
    order: Any,
    n: int,
    value: Any,
    total: Any,
    row_base: Any,
    row_weight: Any,
    tie_base: Any,
    tie_weight: Any,
    beta: float,
    increment: float,
    decay: float,
    best: Any,
    best_energy: int,
    work: Any,
    mass: Any,
    rng: Any,
) -> tuple[int, int]:
    """Up to ``n`` sweeps over all units in random order; stops at energy 0.

    Returns the sweeps done and the lowest unweighted energy, whose state is in ``best``.
    """
    for done in range(n):
        for i in range(len(order) - 1, 0, -1):
            j = int(rng.random() * (i + 1))
            order[i], order[j] = order[j], order[i]
        for i in range(len(order)):
            start, stop = a.unit_start[order[i]], a.unit_start[order[i] + 1]
            if stop - start == 1:
                redraw_choice(
                    a,
                    a.unit_choice[start],
                    value,
                    total,
                    row_weight,
                    tie_weight,
                    beta,
                    work,
                    mass,
                    rng,
                )
            else:
                redraw_chain(
                    a, start, stop, value, total, row_weight, tie_weight, beta, work, mass, rng
                )
        energy = learn(
            a, value, total, row_base, row_weight, tie_base, tie_weight, increment, decay
        )
        if energy < best_energy:
            best_energy = energy
            best[:] = value
            if energy == 0:
                return done + 1, 0
    return n, best_energy
