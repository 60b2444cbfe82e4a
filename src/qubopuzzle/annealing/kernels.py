"""The inner loops, compiled by numba; plain Python with NUMBA_DISABLE_JIT=1.

``a`` is the model, ``form.Arrays``; ``s`` is what changes, ``Moving``.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from numba import njit

from qubopuzzle.annealing.borrowing import borrowed
from qubopuzzle.annealing.form import FloatArray
from qubopuzzle.model import IntArray

_FAR = 1 << 60
_LEAST = 1e-290  # below it, a chain's mass has underflowed
_SMALL, _LARGE = 1e-100, 1e100


class Moving(NamedTuple):
    """One annealing run.

    Attributes:
        value: the place of each choice's value, shape (choices,); best: that of the
            lowest energy so far.
        total: each row's sum, (rows,).
        row_base, row_weight: weights that rows decay to, and weights now, (rows,).
        tie_base, tie_weight: the same for loose precedences, (ties,).
        disturbed: whether a broken constraint touches a unit, (units,).
        slot, mass: scratch, for the most slots of a unit, and for the literals and choices
            of the largest.
    """

    value: IntArray
    best: IntArray
    total: IntArray
    row_base: FloatArray
    row_weight: FloatArray
    tie_base: FloatArray
    tie_weight: FloatArray
    disturbed: Any
    slot: FloatArray
    mass: FloatArray


@njit(inline="always")
def penalty(lower: int, upper: int, total: int) -> int:
    """d**2 for an equality missed by d, d (d + 1) / 2 for a range."""
    missed = max(lower - total, total - upper, 0)
    return missed * missed if lower == upper else missed * (missed + 1) // 2


@njit(nogil=True, cache=True, inline="always")
def put(a: Any, s: Any, literal: int, sign: int) -> None:
    """Add a literal's terms to the rows, or take them away with sign -1."""
    for e in range(a.term_start[literal], a.term_start[literal + 1]):
        s.total[a.term_row[e]] += sign * a.term_coefficient[e]


@njit(nogil=True, cache=True, inline="always")
def price(a: Any, s: Any, unit: int) -> None:
    """Weighted energy of each slot of a unit that is taken out."""
    start = a.slot_start[unit]
    for k in range(start, a.slot_start[unit + 1]):
        row = a.slot_row[k]
        lower, upper, own = a.lower[row], a.upper[row], s.total[row]
        changed = penalty(lower, upper, own + a.slot_amount[k]) - penalty(lower, upper, own)
        s.slot[k - start] = s.row_weight[row] * changed


@njit(nogil=True, cache=True, inline="always")
def costs(a: Any, s: Any, choice: int, at: int) -> None:
    """Weighted energy of each value of a choice, from ``mass[at]`` on.

    Loose precedences cost their weight for every step that is missing.
    """
    first = a.first[choice]
    size = a.first[choice + 1] - first
    cumulative = a.cumulative[choice]
    energy = 0.0
    for i in range(size):
        if not cumulative:
            energy = 0.0
        for e in range(a.step_start[first + i], a.step_start[first + i + 1]):
            energy += a.step_sign[e] * s.slot[a.step_slot[e]]
        s.mass[at + i] = energy
    for e in range(a.tie_start[choice], a.tie_start[choice + 1]):
        other = a.tie_other[e]
        there = a.number[a.first[other] + s.value[other]]
        weight, gap = s.tie_weight[a.tie[e]], a.tie_gap[e]
        for i in range(size):
            here = a.number[first + i]
            short = here + gap - there if a.tie_after[e] else there + gap - here
            if short > 0:
                s.mass[at + i] += weight * short


@njit(nogil=True, cache=True, inline="always")
def forward(a: Any, s: Any, unit: int, beta: float) -> bool:
    """Running sums of the weights of all ways to place a chain up to each choice and value.

    mass(k, v) = sum over v' <= v of exp(-beta cost) * mass(k - 1, v' - gap), scaled where
    it grows or shrinks much; ``reach`` says where v' - gap is. False if it underflows.
    """
    mass = s.mass
    # Every choice's sums follow a 0; before the first choice stands a 1.
    before, offset = 0, 3
    mass[0], mass[1] = 0.0, 1.0
    for q in range(a.unit_start[unit], a.unit_start[unit + 1]):
        choice = a.unit_choice[q]
        first = a.first[choice]
        size = a.first[choice + 1] - first
        mass[offset - 1] = 0.0
        costs(a, s, choice, offset)
        least = math.inf
        for i in range(offset + a.earliest[choice], offset + size):
            if mass[i] < least:
                least = mass[i]
        for i in range(offset, offset + size):
            mass[i] = math.exp(-beta * max(mass[i] - least, 0.0))
        running = 0.0
        for i in range(size):
            running += mass[offset + i] * mass[before + a.reach[first + i]]
            mass[offset + i] = running
        if not running > _LEAST:
            return False  # far from what the choices before allow: see forward_logs
        if not _SMALL < running < _LARGE:
            for i in range(offset, offset + size):
                mass[i] /= running
        before = offset - 1
        offset += size + 1
    return True


@njit(nogil=True, cache=True, inline="always")
def forward_logs(a: Any, s: Any, unit: int, beta: float) -> None:
    """The logarithms of what ``forward`` finds: slower, but nothing underflows."""
    mass = s.mass
    before, offset = 0, 3
    mass[0], mass[1] = -math.inf, 0.0
    for q in range(a.unit_start[unit], a.unit_start[unit + 1]):
        choice = a.unit_choice[q]
        first = a.first[choice]
        size = a.first[choice + 1] - first
        mass[offset - 1] = -math.inf
        costs(a, s, choice, offset)
        running = -math.inf
        for i in range(size):
            log = mass[before + a.reach[first + i]] - beta * mass[offset + i]
            high, low = max(running, log), min(running, log)
            running = high
            if low > -math.inf:
                running += math.log1p(math.exp(low - high))
            mass[offset + i] = running
        before = offset - 1
        offset += size + 1


@njit(nogil=True, cache=True, inline="always")
def backward(a: Any, s: Any, unit: int, logs: bool, rng: Any) -> None:
    """Draw the values of a unit, last choice first, from running sums or their logarithms."""
    start, stop = a.unit_start[unit], a.unit_start[unit + 1]
    end = 3
    for q in range(start, stop):
        end += a.first[a.unit_choice[q] + 1] - a.first[a.unit_choice[q]] + 1
    allowed = _FAR
    for q in range(stop - 1, start - 1, -1):
        choice = a.unit_choice[q]
        first = a.first[choice]
        size = a.first[choice + 1] - first
        end -= size + 1
        allowed = min(allowed, size)
        # The first place whose running sum passes a random share of the whole; counting
        # is quicker than a search, whose branches nobody can foresee.
        target = s.mass[end + allowed - 1]
        if logs:
            target += math.log1p(-rng.random())
        else:
            target *= rng.random()
        place = 0
        for i in range(end, end + allowed - 1):
            place += 1 if s.mass[i] <= target else 0
        s.value[choice] = place
        allowed = a.reach[first + place]


@njit(nogil=True, cache=True, inline="always")
def redraw(a: Any, s: Any, unit: int, beta: float, rng: Any) -> None:
    """Draw a unit from its conditional Boltzmann distribution: a heat bath.

    For a chain: forward sums, backward draws. Block Gibbs sampling of a chain-structured
    part: Hamze and de Freitas, "From fields to trees", UAI 2004.
    """
    start, stop = a.unit_start[unit], a.unit_start[unit + 1]
    for q in range(start, stop):
        choice = a.unit_choice[q]
        put(a, s, a.first[choice] + s.value[choice], -1)
    price(a, s, unit)
    logs = not forward(a, s, unit, beta)
    if logs:
        forward_logs(a, s, unit, beta)
    backward(a, s, unit, logs, rng)
    for q in range(start, stop):
        choice = a.unit_choice[q]
        put(a, s, a.first[choice] + s.value[choice], 1)


@njit(nogil=True, cache=True, inline="always")
def learn(a: Any, s: Any, increment: float, decay: float) -> int:
    """Raise the weights of broken constraints, let all decay; returns the unweighted energy.

    A weight stays below base + increment / (1 - decay): nothing overflows. Marks the units
    that broken constraints touch as disturbed.
    """
    energy = 0
    s.disturbed[:] = False
    for row in range(len(s.total)):
        missed = penalty(a.lower[row], a.upper[row], s.total[row])
        raised = s.row_weight[row] - s.row_base[row]
        if missed:
            energy += missed
            raised += increment
            for e in range(a.touching_start[row], a.touching_start[row + 1]):
                s.disturbed[a.touching_unit[e]] = True
        s.row_weight[row] = s.row_base[row] + raised * decay
    for i in range(len(a.tie_first)):
        one, two = a.tie_first[i], a.tie_second[i]
        here = a.number[a.first[one] + s.value[one]]
        there = a.number[a.first[two] + s.value[two]]
        raised = s.tie_weight[i] - s.tie_base[i]
        if there < here + a.tie_distance[i]:
            energy += 1
            raised += increment
            s.disturbed[a.unit_of_choice[one]] = True
            s.disturbed[a.unit_of_choice[two]] = True
        s.tie_weight[i] = s.tie_base[i] + raised * decay
    return energy


@njit(nogil=True, cache=True)
def sweeps(
    model: Any,
    moving: Any,
    rng: Any,
    passes: int,
    redraws: int,
    beta: float,
    increment: float,
    decay: float,
    focus: float,
    lowest: int,
    target: int,
) -> tuple[int, int, int]:
    """Redraw units, half of them in turn, until there were ``redraws``, or ``target`` is met.

    A pass redraws the disturbed units of its half, and of the others a share of
    1 - ``focus``; then weights learn. It counts as at least 1/64 of the units, which is
    about what looking at all of them costs. Returns the passes ever done, the redraws of this
    call, and the lowest unweighted energy, whose state is in ``best``.
    """
    a, s = borrowed(model), borrowed(moving)
    n_units = len(a.unit_start) - 1
    done = 0
    while done < redraws:
        start, stop = (a.half, n_units) if passes % 2 else (0, a.half)
        passes += 1
        before = done
        for unit in range(start, stop):
            if s.disturbed[unit] or focus == 0.0 or rng.random() >= focus:
                redraw(a, s, unit, beta, rng)
                done += 1
        done = max(done, before + 1 + n_units // 64)
        energy = learn(a, s, increment, decay)
        if energy < lowest:
            lowest = energy
            s.best[:] = s.value
            if energy <= target:
                break
    return passes, done, lowest
