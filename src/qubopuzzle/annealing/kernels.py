"""The annealer's inner loops and the arrays that they read; plain Python with NUMBA_DISABLE_JIT=1.

``a`` is the model, ``ModelArrays``; ``s`` is what changes, ``StateArrays``. ``x`` is what only some
models have, ``ExtraArrays``, else None: what is behind ``x is not None`` is then not compiled.
``p`` and ``d`` are the propagator's arrays of the same model. numba compiles a function anew for
each combination of types that it is called with, plain numbers counting as types of their own: few
combinations, and no slices, which bring their error messages along, keep the first use short.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.jit import called, inlined, kernel, pointers, version_of
from qubopuzzle.model import IntArray, propagator
from qubopuzzle.model.data import MOST_MISSED
from qubopuzzle.model.propagator import (
    FIXED_POINT,
    REMOVED,
    WORK,
    DomainArrays,
    PropagatorArrays,
    keep_only,
    propagate,
    restore,
)

FloatArray = NDArray[np.float64]

_FAR = 1 << 60
_LEAST = 1e-290  # below it, a chain's mass has underflowed
_SMALL, _LARGE = 1e-100, 1e100
_NEVER = 1e300  # cost of a value that propagation removed
_TOURNAMENT = 3
BLOCK = 16
"""Exponentials at once."""
ALL, ALIVE, LISTED = np.int64(0), np.int64(1), np.int64(2)
"""Values that a redraw is among: all, those that are ``alive``, or those in ``left``."""
_OUT, _BACK = np.int64(-1), np.int64(1)  # no plain numbers: one compilation for both
PASSES, SAVED, SEEN, CHANGED, BROKEN, ENERGY, FIRST_REMOVED, CHANGES = range(8)
"""Places in ``StateArrays.counts``."""
SHARE, LEAST = range(2)
"""Places in ``StateArrays.worth``."""
_ROUNDS = 4
"""Of a descent from a valid state, at most."""
_DESCENTS = 0.1
"""Share of the passes ending valid from which there is a descent though they are not the best."""
LESS = 1e-9
"""What an objective must be less by to be better."""
UNLIKELY = 20.0
"""What costs so many temperatures more is not drawn where the temperature falls."""
DESCENT_ROUNDS = 100
"""Of the descent that ends such a read, at most."""


class ModelArrays(NamedTuple):
    """A model. Literal l of choice c is ``first[c] + v`` for its v-th value.

    Attributes:
        n_choices, n_units, n_rows, n_loose: how many there are.
        first: first literal of each choice, and one past the last, shape (choices + 1,).
        number: value of each literal where precedences need it, else 0, (literals,).
        term_start, term_row, term_coefficient: the rows of each literal.
        slot_start, slot_row, slot_amount: by unit, the rows that its values have terms in and by
            how much.
        step_start, step_slot, step_sign: a value's cost is the sum of its steps' slots
            (numbered within the unit) with their signs; where ``cumulative`` (choices,)
            it adds to the cost of the value before.
        lower, upper: bounds of the rows, (rows,).
        unit_start, unit_choice: units that are redrawn at once: single choices or chains.
        place: where in ``StateArrays.mass`` the values of a unit's choices begin, (choices in
            units,).
        gap: at a chain's later choices, the least distance to the one before, (choices in
            units,).
        reach: at a chain's later choices, how many values of the one before each value
            allows; 1 elsewhere, (literals,).
        earliest: index of the first value of each choice that its chain allows, (choices,).
        half: units before this one make the first half of a sweep.
        touching_start, touching_unit: the units that have terms in each row.
        unit_of_choice: the unit of each choice, (choices,).
        loose_first, loose_second, loose_gap: the precedences outside chains.
        loose_start, loose: which of them each choice is in.
    """

    n_choices: int
    n_units: int
    n_rows: int
    n_loose: int
    first: IntArray
    number: IntArray
    term_start: IntArray
    term_row: IntArray
    term_coefficient: IntArray
    slot_start: IntArray
    slot_row: IntArray
    slot_amount: IntArray
    step_start: IntArray
    step_slot: IntArray
    step_sign: FloatArray
    cumulative: NDArray[np.bool_]
    lower: IntArray
    upper: IntArray
    unit_start: IntArray
    unit_choice: IntArray
    place: IntArray
    gap: IntArray
    reach: IntArray
    earliest: IntArray
    half: int
    touching_start: IntArray
    touching_unit: IntArray
    unit_of_choice: IntArray
    loose_first: IntArray
    loose_second: IntArray
    loose_gap: IntArray
    loose_start: IntArray
    loose: IntArray


class ExtraArrays(NamedTuple):
    """What a model with an objective has besides, or one with rows whose coefficients are large.

    Attributes:
        scale: 0 where a row costs its penalty; elsewhere a broken row costs 1/2 and what it is
            missed by over ``scale``, shape (rows,). ``n_scaled`` rows are such.
        exchanging: 1 if choices exchange values, too.
        cost: what each literal adds to the objective, (literals,), all 0 without one;
            ``has_objective`` is 1 with one.
        guide: what redraws and exchanges take in its place, (literals,), see ``Relaxation``.
        pair_start, pair_other, pair_cost: what each literal adds with other ones, by literal, each
            pair twice; ``n_pairs`` of them.
        share: what the objective's share of the costs begins with, as one number, (1,); it goes
            back to that beyond ``most_share``, (1,).
    """

    n_scaled: int
    exchanging: int
    n_pairs: int
    has_objective: int
    scale: FloatArray
    cost: FloatArray
    guide: FloatArray
    pair_start: IntArray
    pair_other: IntArray
    pair_cost: FloatArray
    share: FloatArray
    most_share: FloatArray


class StateArrays(NamedTuple):
    """One annealing run.

    Attributes:
        value: index of each choice's value, shape (choices,); best: those of the lowest
            energy so far, and at energy 0 of the least objective; before_descent: scratch.
        total: each row's sum, (rows,).
        missed: each row's penalty after the last pass, (rows,).
        changed: scratch, the rows whose sums were changed in this pass; is_changed: whether each
            is among them, (rows,).
        broken: the rows with a penalty; broken_at: where each of them is in it, (rows,).
        row_base, row_weight: weights that rows decay to, and weights now, (rows,).
        loose_base, loose_weight: the same for precedences outside chains.
        disturbed: whether a unit is in a broken constraint, (units,).
        open: whether a choice of a unit has more than one value left, (units,).
        left, n_left: the literals that are left of each choice, from its first place on,
            (literals,) where ``exchanging``, else none; and how many, (choices,).
        counts: ordinary passes so far; their redraws, less a sweep for each propagating pass; in
            such a pass, how many of the removed values it has heeded; how many rows are in
            ``changed``, how many in ``broken``; the sum of ``missed``; how many values were
            removed when the run began; and how often redraws changed a value.
        field: what each literal adds to the objective with the values that are taken,
            (literals,), without pairs one number.
        worth: the objective's share of the costs, and the least objective at energy 0.
        order: scratch, the units that a pass redraws, or the choices of a move, (units,).
        before: scratch, the values of a unit's choices before it is redrawn.
        slot, mass: scratch, for the most slots of a unit, and for the literals and choices
            of the largest and ``BLOCK`` more.
    """

    value: IntArray
    best: IntArray
    before_descent: IntArray
    total: IntArray
    missed: IntArray
    changed: IntArray
    is_changed: NDArray[np.bool_]
    broken: IntArray
    broken_at: IntArray
    row_base: FloatArray
    row_weight: FloatArray
    loose_base: FloatArray
    loose_weight: FloatArray
    disturbed: NDArray[np.bool_]
    open: NDArray[np.bool_]
    left: IntArray
    n_left: IntArray
    counts: IntArray
    field: FloatArray
    worth: FloatArray
    order: IntArray
    before: IntArray
    slot: FloatArray
    mass: FloatArray


@inlined
def penalty(lower: int, upper: int, total: int) -> int:
    """d**2 for an equality missed by d, d (d + 1) / 2 for a range.

    It fits up to a d of 2**31; of rows that miss more, ``charge`` and ``settle_rows`` go without.
    """
    missed = lower - total if total < lower else total - upper if total > upper else 0
    return missed * missed if lower == upper else missed * (missed + 1) // 2


@inlined
def add_literal(a: Any, s: Any, literal: int, sign: int) -> None:
    """Add the terms of a literal to the rows, or take them away with sign -1."""
    for e in range(a.term_start[literal], a.term_start[literal + 1]):
        s.total[a.term_row[e]] += sign * a.term_coefficient[e]


@inlined
def add_terms(a: Any, s: Any, choice: int, sign: int) -> None:
    """Add the terms of a choice's value to the rows, or take them away with sign -1."""
    add_literal(a, s, a.first[choice] + s.value[choice], sign)


@inlined
def note_row(s: Any, row: int) -> None:
    """Note that a row's sum changed."""
    if not s.is_changed[row]:
        s.is_changed[row] = True
        s.changed[s.counts[CHANGED]] = row
        s.counts[CHANGED] += 1


@inlined
def note_rows(a: Any, s: Any, literal: int) -> None:
    """Note the rows of a literal."""
    for e in range(a.term_start[literal], a.term_start[literal + 1]):
        note_row(s, a.term_row[e])


@called
def change_field(x: Any, s: Any, old: int, new: int) -> None:
    """Bring ``field`` up to date after one literal took another's place."""
    for e in range(x.pair_start[old], x.pair_start[old + 1]):
        s.field[x.pair_other[e]] -= x.pair_cost[e]
    for e in range(x.pair_start[new], x.pair_start[new + 1]):
        s.field[x.pair_other[e]] += x.pair_cost[e]


@inlined
def note_change(a: Any, s: Any, x: Any, choice: int, before: int) -> None:
    """Note the rows whose sums changed if a choice has another value than before."""
    if s.value[choice] != before:
        old, new = a.first[choice] + before, a.first[choice] + s.value[choice]
        note_rows(a, s, old)
        note_rows(a, s, new)
        s.counts[CHANGES] += 1
        if x is not None and x.n_pairs:
            change_field(x, s, old, new)


@inlined
def find_slot_costs(a: Any, s: Any, x: Any, unit: int) -> None:
    """Weighted energy of each slot of a unit that is taken out."""
    start = a.slot_start[unit]
    for k in range(start, a.slot_start[unit + 1]):
        row = a.slot_row[k]
        lower, upper, total = a.lower[row], a.upper[row], s.total[row]
        changed = penalty(lower, upper, total + a.slot_amount[k]) - penalty(lower, upper, total)
        s.slot[k - start] = s.row_weight[row] * changed
    if x is not None and x.n_scaled:
        rescale_slots(a, s, x, unit)


@inlined
def charge(a: Any, x: Any, row: int, total: int) -> float:
    """What a row costs at weight 1, scaled or not."""
    lower, upper = a.lower[row], a.upper[row]
    if x.scale[row] > 0.0:
        missed = max(lower - total, total - upper, 0)
        return 0.5 + missed / x.scale[row] if missed else 0.0
    return float(penalty(lower, upper, total))


@called
def rescale_slots(a: Any, s: Any, x: Any, unit: int) -> None:
    """The costs of slots in rows with large coefficients."""
    start = a.slot_start[unit]
    for k in range(start, a.slot_start[unit + 1]):
        row = a.slot_row[k]
        if x.scale[row] > 0.0:
            total = s.total[row]
            changed = charge(a, x, row, total + a.slot_amount[k]) - charge(a, x, row, total)
            s.slot[k - start] = s.row_weight[row] * changed


@inlined
def add_steps(a: Any, s: Any, literal: int, energy: float) -> float:
    """Add what a literal's steps cost."""
    for e in range(a.step_start[literal], a.step_start[literal + 1]):
        energy += a.step_sign[e] * s.slot[a.step_slot[e]]
    return energy


@inlined
def worth_of(x: Any, s: Any, costs: Any, literal: int) -> float:
    """What a literal costs by itself and with the values that are taken."""
    worth: float = costs[literal]
    if x.n_pairs:
        worth += s.field[literal]
    return worth


@inlined
def guided(x: Any, s: Any, literal: int) -> float:
    """The same as a search counts it: by the guide, and the objective's share."""
    worth: float = s.worth[SHARE] * worth_of(x, s, x.guide, literal)
    return worth


@inlined
def find_value_costs(a: Any, s: Any, x: Any, choice: int, at: int) -> None:
    """Weighted energy of each value of a choice, from ``mass[at]`` on.

    A precedence outside chains costs its weight times what its gap falls short by.
    """
    first = a.first[choice]
    size = a.first[choice + 1] - first
    if a.cumulative[choice]:  # asked once, not within a loop: LLVM would write both loops, too
        energy = 0.0
        for i in range(size):
            energy = add_steps(a, s, first + i, energy)
            s.mass[at + i] = energy
    else:
        for i in range(size):
            s.mass[at + i] = add_steps(a, s, first + i, 0.0)
    if x is not None and x.has_objective:
        for i in range(size):
            s.mass[at + i] += guided(x, s, first + i)
    for e in range(a.loose_start[choice], a.loose_start[choice + 1]):
        p = a.loose[e]
        comes_first = a.loose_first[p] == choice
        other = a.loose_second[p] if comes_first else a.loose_first[p]
        there = a.number[a.first[other] + s.value[other]]
        weight, gap = s.loose_weight[p], a.loose_gap[p]
        for i in range(size):
            here = a.number[first + i]
            short = here + gap - there if comes_first else there + gap - here
            if short > 0:
                s.mass[at + i] += weight * short


@inlined
def find_exponents(a: Any, s: Any, choice: int, at: int, beta: float) -> None:
    """A choice's costs from ``mass[at]`` on become exponents, 0 the greatest.

    The least of what its chain allows counts as 0, and so do values that cost less but that the
    chain does not allow.
    """
    mass, least, stop = s.mass, math.inf, at + a.first[choice + 1] - a.first[choice]
    for i in range(at + a.earliest[choice], stop):
        least = mass[i] if mass[i] < least else least
    for i in range(at, stop):
        exponent = beta * (least - mass[i])
        mass[i] = exponent if exponent < 0.0 else 0.0


@inlined
def exponentiate(s: Any, stop: int) -> None:
    """``exp`` of all of ``mass`` from 2 to ``stop``, of many in whole blocks.

    In blocks of a fixed length and without branches or calls, the compiler does several at once:
    exp(x) = exp(x / 1024) ** 1024, with exp(x / 1024) by its series. The relative error is below
    1e-12 for x > -50, 1e-8 for x > -150, and 0.003 for x > -700; below it is 0.
    """
    mass = s.mass
    if stop < BLOCK:  # one by one is quicker
        for i in range(2, stop):
            mass[i] = math.exp(mass[i]) if mass[i] < 0.0 else 1.0
        return
    for i in range(stop, stop + BLOCK):
        mass[i] = 0.0
    for block in range(2, stop, BLOCK):
        for i in range(block, block + BLOCK):
            x = mass[i] if mass[i] > -700.0 else -700.0
            y = x * (1.0 / 1024.0)
            p = 1.0 + y * (1.0 / 7.0)
            p = 1.0 + p * y * (1.0 / 6.0)
            p = 1.0 + p * y * (1.0 / 5.0)
            p = 1.0 + p * y * (1.0 / 4.0)
            p = 1.0 + p * y * (1.0 / 3.0)
            p = 1.0 + p * y * (1.0 / 2.0)
            p = 1.0 + p * y
            p = p * p
            p = p * p
            p = p * p
            p = p * p
            p = p * p
            p = p * p
            p = p * p
            p = p * p
            p = p * p
            p = p * p
            mass[i] = p if mass[i] > -700.0 else 0.0


@inlined
def add_up(a: Any, s: Any, choice: int, before: int, at: int) -> bool:
    """A choice's weights from ``mass[at]`` on become running sums, see ``forward``."""
    mass, first, running = s.mass, a.first[choice], 0.0
    stop = at + a.first[choice + 1] - first
    for i in range(at, stop):
        running += mass[i] * mass[before + a.reach[first + i - at]]
        mass[i] = running
    if not _SMALL < running < _LARGE:
        scale = running if running > _LEAST else _LEAST
        for i in range(at, stop):
            mass[i] /= scale
    return running > _LEAST


@inlined
def add_up_logs(a: Any, s: Any, choice: int, before: int, at: int, beta: float) -> None:
    """The same as logarithms."""
    mass, first, running = s.mass, a.first[choice], -math.inf
    for i in range(at, at + a.first[choice + 1] - first):
        log = mass[before + a.reach[first + i - at]] - beta * mass[i]
        high, low = (running, log) if running > log else (log, running)
        running = high
        if low > -math.inf:
            running += math.log1p(math.exp(low - high))
        mass[i] = running


@called
def forward(
    a: Any, s: Any, x: Any, d: Any, unit: int, beta: float, narrowed: bool, logs: bool
) -> bool:
    """Running sums of the weights of all values of a chain up to each choice and value.

    mass(k, v) = sum over v' <= v of exp(-beta cost) * mass(k - 1, v' - gap), scaled where
    it grows or shrinks much; ``reach`` says where v' - gap is. False if it underflows: then their
    logarithms, with ``logs``, are slower, but nothing underflows. If ``narrowed``, values that
    propagation removed cost too much to be drawn.
    """
    nothing, possible = -math.inf if logs else 0.0, True
    start, stop = a.unit_start[unit], a.unit_start[unit + 1]
    end = a.place[start]
    for q in range(start, stop):
        choice, at = a.unit_choice[q], a.place[q]
        first = a.first[choice]
        find_value_costs(a, s, x, choice, at)
        if narrowed:
            for i in range(a.first[choice + 1] - first):
                if not d.alive[first + i]:
                    s.mass[at + i] = _NEVER
        s.mass[at - 1] = 0.0
        end = at + a.first[choice + 1] - first
        if not logs:
            find_exponents(a, s, choice, at, beta)
    if not logs:
        exponentiate(s, end)
    # Every choice's sums follow a 0; before the first choice stands a 1.
    s.mass[0], s.mass[1] = nothing, 0.0 if logs else 1.0
    for q in range(start, stop):
        choice, at = a.unit_choice[q], a.place[q]
        before = a.place[q - 1] - 1 if q > start else 0
        s.mass[at - 1] = nothing
        if logs:
            add_up_logs(a, s, choice, before, at, beta)
        elif possible:
            possible = add_up(a, s, choice, before, at)
    return possible


@inlined
def backward(a: Any, s: Any, unit: int, logs: bool, rng: Any) -> None:
    """Draw the values of a unit, last choice first, from running sums or their logarithms."""
    start, allowed = a.unit_start[unit], _FAR
    for q in range(a.unit_start[unit + 1] - 1, start - 1, -1):
        choice, at = a.unit_choice[q], a.place[q]
        first = a.first[choice]
        size = a.first[choice + 1] - first
        allowed = allowed if allowed < size else size
        # The first index whose running sum exceeds a random share of the whole. Counting
        # is quicker than a binary search, whose branches cannot be predicted.
        target = s.mass[at + allowed - 1]
        if logs:
            target += math.log1p(-rng.random())
        else:
            target *= rng.random()
        index = 0
        for i in range(at, at + allowed - 1):
            index += 1 if s.mass[i] <= target else 0
        s.value[choice] = index
        allowed = a.reach[first + index]


@inlined
def is_alone(a: Any, unit: int) -> bool:
    """Whether a unit is one choice whose values are priced one by one."""
    start = a.unit_start[unit]
    return a.unit_start[unit + 1] == start + 1 and not a.cumulative[a.unit_choice[start]]


@called
def redraw_left(a: Any, s: Any, x: Any, choice: int, beta: float, rng: Any) -> None:
    """Draw the value of a choice among those in ``left``, where others need not be priced."""
    first, n, before, mass = a.first[choice], s.n_left[choice], s.value[choice], s.mass
    add_terms(a, s, choice, _OUT)
    find_slot_costs(a, s, x, a.unit_of_choice[choice])
    least = math.inf
    for k in range(n):
        literal = s.left[first + k]
        cost = add_steps(a, s, literal, 0.0)
        if x.has_objective:
            cost += guided(x, s, literal)
        mass[2 + k] = cost
        least = cost if cost < least else least
    for k in range(2, 2 + n):
        mass[k] = beta * (least - mass[k])
    exponentiate(s, 2 + n)
    for k in range(3, 2 + n):
        mass[k] += mass[k - 1]
    target, index = rng.random() * mass[1 + n], 0
    for k in range(2, 1 + n):
        index += 1 if mass[k] <= target else 0
    s.value[choice] = s.left[first + index] - first
    add_terms(a, s, choice, _BACK)
    note_change(a, s, x, choice, before)


@inlined
def redraw_all(
    a: Any, s: Any, x: Any, d: Any, unit: int, beta: float, narrowed: bool, rng: Any
) -> None:
    """The same of any unit; all values are priced, see ``forward``."""
    start, stop = a.unit_start[unit], a.unit_start[unit + 1]
    for q in range(start, stop):
        s.before[q - start] = s.value[a.unit_choice[q]]
        add_terms(a, s, a.unit_choice[q], _OUT)
    find_slot_costs(a, s, x, unit)
    tries = 0
    while not forward(a, s, x, d, unit, beta, narrowed, tries > 0):
        tries += 1  # far from what the choices before allow
    backward(a, s, unit, tries > 0, rng)
    for q in range(start, stop):
        add_terms(a, s, a.unit_choice[q], _BACK)
        note_change(a, s, x, a.unit_choice[q], s.before[q - start])


@inlined
def redraw(a: Any, s: Any, x: Any, d: Any, unit: int, beta: float, among: int, rng: Any) -> None:
    """Draw the values of a unit from their conditional distribution, ``among`` those that are left.

    Where ``left`` has these and the unit is one choice, others are not priced.
    """
    if x is not None and among == LISTED and is_alone(a, unit):
        redraw_left(a, s, x, a.unit_choice[a.unit_start[unit]], beta, rng)
    else:
        redraw_all(a, s, x, d, unit, beta, among != ALL, rng)


@called
def move_terms(a: Any, s: Any, x: Any, literal: int, sign: int) -> float:
    """Add a literal's terms to the rows, or take them away; what that changes the costs by."""
    changed = 0.0
    for e in range(a.term_start[literal], a.term_start[literal + 1]):
        row = a.term_row[e]
        changed -= s.row_weight[row] * charge(a, x, row, s.total[row])
        s.total[row] += sign * a.term_coefficient[e]
        changed += s.row_weight[row] * charge(a, x, row, s.total[row])
    return changed


@inlined
def replace_literal(x: Any, s: Any, old: int, new: int) -> float:
    """Put one literal in another's place in the objective; what that adds."""
    added: float = worth_of(x, s, x.cost, new) - worth_of(x, s, x.cost, old)
    if x.n_pairs:
        change_field(x, s, old, new)
    return added


@called
def move(a: Any, s: Any, x: Any, old: int, new: int) -> float:
    """Put one literal in another's place; what that changes the costs by."""
    changed: float = move_terms(a, s, x, old, _OUT) + move_terms(a, s, x, new, _BACK)
    changed += guided(x, s, new) - guided(x, s, old)
    if x.n_pairs:
        change_field(x, s, old, new)
    return changed


@called
def other_choice(a: Any, s: Any, one: int, rng: Any) -> int:
    """A random choice that is in a row of the value of this one, and may exchange values with it.

    It has as many values and another one of them now; -1 where what was drawn has not.
    """
    literal = a.first[one] + s.value[one]
    n_terms = a.term_start[literal + 1] - a.term_start[literal]
    if n_terms == 0:
        return -1
    row = a.term_row[a.term_start[literal] + int(rng.random() * n_terms)]
    start = a.touching_start[row]
    n_units = a.touching_start[row + 1] - start
    unit = a.touching_unit[start + int(rng.random() * n_units)]
    two: int = a.unit_choice[a.unit_start[unit]]
    same = a.first[one + 1] - a.first[one] == a.first[two + 1] - a.first[two]
    return two if same and one != two and s.value[one] != s.value[two] else -1


@called
def exchange(a: Any, s: Any, x: Any, one: int, two: int, beta: float, rng: Any) -> None:
    """Let two choices of as many values exchange them, by the rule of Metropolis."""
    v, w = s.value[one], s.value[two]
    old_one, old_two = a.first[one] + v, a.first[two] + w
    new_one, new_two = a.first[one] + w, a.first[two] + v
    changed = move(a, s, x, old_one, new_one) + move(a, s, x, old_two, new_two)
    if changed <= 0.0 or rng.random() < math.exp(-beta * changed):
        s.value[one], s.value[two] = w, v
        for literal in (old_one, old_two, new_one, new_two):
            note_rows(a, s, literal)
    else:
        move(a, s, x, new_two, old_two)
        move(a, s, x, new_one, old_one)


@called
def exchange_values(
    a: Any, s: Any, x: Any, d: Any, n: int, beta: float, narrowed: bool, rng: Any
) -> None:
    """As many tries of an exchange as the ``n`` units that a pass redrew, between choices of a row.

    Where capacities are tight, no single choice can move: each value is full.
    """
    for k in range(n):
        one = a.unit_choice[a.unit_start[s.order[k]]]
        two = other_choice(a, s, one, rng)
        if two >= 0:
            new_one, new_two = a.first[one] + s.value[two], a.first[two] + s.value[one]
            if not narrowed or (d.alive[new_one] and d.alive[new_two]):
                exchange(a, s, x, one, two, beta, rng)


@inlined
def settle_rows(a: Any, s: Any) -> None:
    """Bring ``missed`` and ``broken`` up to date after the rows' sums changed."""
    for i in range(s.counts[CHANGED]):
        row = s.changed[i]
        s.is_changed[row] = False
        lower, upper = a.lower[row], a.upper[row]
        total = min(max(s.total[row], lower - MOST_MISSED), upper + MOST_MISSED)
        before, now = s.missed[row], penalty(lower, upper, total)
        s.missed[row] = now
        s.counts[ENERGY] += now - before
        if now and not before:
            s.broken[s.counts[BROKEN]], s.broken_at[row] = row, s.counts[BROKEN]
            s.counts[BROKEN] += 1
        elif before and not now:  # the last one takes its place
            s.counts[BROKEN] -= 1
            last = s.broken[s.counts[BROKEN]]
            s.broken[s.broken_at[row]], s.broken_at[last] = last, s.broken_at[row]
    s.counts[CHANGED] = 0


@called
def update_weights(a: Any, s: Any, increment: float, decay: float) -> int:
    """Raise the weights of broken constraints, let all decay; returns the unweighted energy.

    A weight stays below base + increment / (1 - decay): nothing overflows. Marks the units
    in broken constraints as disturbed.
    """
    settle_rows(a, s)
    for unit in range(a.n_units):
        s.disturbed[unit] = False
    for i in range(s.counts[BROKEN]):
        row = s.broken[i]
        s.row_weight[row] += increment
        for e in range(a.touching_start[row], a.touching_start[row + 1]):
            s.disturbed[a.touching_unit[e]] = True
    for row in range(a.n_rows):  # by itself, so that the compiler does several at once
        s.row_weight[row] = s.row_base[row] + (s.row_weight[row] - s.row_base[row]) * decay
    energy: int = s.counts[ENERGY]
    for i in range(a.n_loose):
        one, two = a.loose_first[i], a.loose_second[i]
        here = a.number[a.first[one] + s.value[one]]
        there = a.number[a.first[two] + s.value[two]]
        raised = s.loose_weight[i] - s.loose_base[i]
        if there < here + a.loose_gap[i]:
            energy += 1
            raised += increment
            s.disturbed[a.unit_of_choice[one]] = True
            s.disturbed[a.unit_of_choice[two]] = True
        s.loose_weight[i] = s.loose_base[i] + raised * decay
    return energy


@inlined
def is_broken(a: Any, s: Any, row: int) -> bool:
    """Whether a row's sum is out of its bounds."""
    return bool(s.total[row] < a.lower[row] or s.total[row] > a.upper[row])


@called
def holds(a: Any, s: Any, literal: int) -> bool:
    """Whether all rows of a literal hold."""
    for e in range(a.term_start[literal], a.term_start[literal + 1]):
        if is_broken(a, s, a.term_row[e]):
            return False
    return True


@called
def swap_terms(a: Any, s: Any, old: int, new: int) -> None:
    """Put one literal's terms in another's place in the rows' sums."""
    add_literal(a, s, old, _OUT)
    add_literal(a, s, new, _BACK)


@called
def note_new_values(a: Any, s: Any) -> None:
    """Bring rows up to date after values took the places of those in ``before_descent``."""
    for choice in range(a.n_choices):
        old, new = a.first[choice] + s.before_descent[choice], a.first[choice] + s.value[choice]
        if old != new:
            swap_terms(a, s, old, new)
            note_rows(a, s, old)
            note_rows(a, s, new)


@called
def replace_terms(a: Any, s: Any, old: int, new: int) -> bool:
    """The same; whether all rows of both hold then."""
    swap_terms(a, s, old, new)
    return bool(holds(a, s, old) and holds(a, s, new))


@called
def improve_choice(a: Any, s: Any, x: Any, choice: int) -> float:
    """Give a choice values that are better and break nothing; what that adds to the objective.

    Rows are looked at before products, which are many more in dense models.
    """
    added, first = 0.0, a.first[choice]
    for k in range(s.n_left[choice]):
        old, new = first + s.value[choice], s.left[first + k]
        if worth_of(x, s, x.cost, new) - worth_of(x, s, x.cost, old) < -LESS:
            if replace_terms(a, s, old, new):
                added += replace_literal(x, s, old, new)
                s.value[choice] = new - first
            else:
                swap_terms(a, s, new, old)
    return added


@called
def improve_pair(a: Any, s: Any, x: Any, d: Any, one: int, rng: Any) -> float:
    """Exchange a choice's value with another's if that is better and breaks nothing."""
    two = other_choice(a, s, one, rng)
    if two < 0:
        return 0.0
    v, w = s.value[one], s.value[two]
    old_one, old_two = a.first[one] + v, a.first[two] + w
    new_one, new_two = a.first[one] + w, a.first[two] + v
    if not (d.alive[new_one] and d.alive[new_two]):
        return 0.0
    swap_terms(a, s, old_one, new_one)
    hold = replace_terms(a, s, old_two, new_two)
    if hold and holds(a, s, old_one) and holds(a, s, new_one):
        added: float = replace_literal(x, s, old_one, new_one)
        added += replace_literal(x, s, old_two, new_two)
        if added < -LESS:
            s.value[one], s.value[two] = w, v
            return added
        replace_literal(x, s, new_two, old_two)
        replace_literal(x, s, new_one, old_one)
    swap_terms(a, s, new_two, old_two)
    swap_terms(a, s, new_one, old_one)
    return 0.0


@called
def descend(a: Any, s: Any, x: Any, d: Any, rng: Any) -> float:
    """From a valid state to better ones, by single choices and exchanges; what that adds."""
    added, n = 0.0, a.n_choices
    for _ in range(_ROUNDS):
        before, begin = added, int(rng.random() * n)
        for k in range(n):
            choice = begin + k if begin + k < n else begin + k - n
            if s.n_left[choice] > 1:
                added += improve_choice(a, s, x, choice)
        for _ in range(n):
            choice = int(rng.random() * n)
            if s.n_left[choice] > 1:
                added += improve_pair(a, s, x, d, choice, rng)
        if added == before:
            break
    return added


@inlined
def keep_best(a: Any, s: Any) -> None:
    """The values are the best so far."""
    for choice in range(a.n_choices):
        s.best[choice] = s.value[choice]


@inlined
def keep_if_better(a: Any, s: Any, objective: float) -> None:
    """Keep the values if their objective is the least so far."""
    if objective < s.worth[LEAST] - LESS:
        s.worth[LEAST] = objective
        keep_best(a, s)


@inlined
def temperature_of(ends: tuple[float, float], sweep: int, n_sweeps: int) -> float:
    """That of a sweep, where it falls geometrically from the first to the last of so many."""
    hot, cold = ends
    return float(hot * (cold / hot) ** (sweep / max(1, n_sweeps - 1)))


@called
def objective_of(a: Any, s: Any, x: Any) -> float:
    """The objective of the values, without its offset."""
    objective = 0.0
    for choice in range(a.n_choices):
        literal = a.first[choice] + s.value[choice]
        objective += x.cost[literal]
        if x.n_pairs:
            objective += 0.5 * s.field[literal]
    return objective


@called
def keep_if_least(a: Any, s: Any, x: Any, d: Any, rng: Any) -> None:
    """Keep a valid state with the least objective so far, or where a descent from it leads to.

    The run goes on from the state itself.
    """
    objective = objective_of(a, s, x)
    descends = x.exchanging and (objective < s.worth[LEAST] or rng.random() < _DESCENTS)
    if descends:
        for choice in range(a.n_choices):
            s.before_descent[choice] = s.value[choice]
        objective += descend(a, s, x, d, rng)
    if objective < s.worth[LEAST]:
        s.worth[LEAST] = objective
        keep_best(a, s)
    if descends:
        for choice in range(a.n_choices):
            if s.value[choice] != s.before_descent[choice]:
                now = a.first[choice] + s.value[choice]
                before = a.first[choice] + s.before_descent[choice]
                swap_terms(a, s, now, before)
                replace_literal(x, s, now, before)
                s.value[choice] = s.before_descent[choice]


@inlined
def adapt_share(s: Any, x: Any, factor: float) -> None:
    """Raise or lower the objective's share after a pass.

    It grows while constraints hold and shrinks while some are broken, so that the search stays
    where they begin to break. Where none ever is, it grows from its first value to its largest
    again and again, as the temperature falls in simulated annealing.
    """
    s.worth[SHARE] *= factor
    if s.worth[SHARE] > x.most_share[0]:
        s.worth[SHARE] = x.share[0]


@inlined
def assume_unit(a: Any, s: Any, p: Any, d: Any, unit: int) -> bool:
    """Assume the values of a unit; False if they break a constraint."""
    possible, since = True, d.counts[REMOVED]
    for q in range(a.unit_start[unit], a.unit_start[unit + 1]):
        choice = a.unit_choice[q]
        literal = a.first[choice] + s.value[choice]
        possible = possible and d.alive[literal] != 0
        keep_only(p, d, literal)
    return possible and propagate(p, d, since, _FAR) == FIXED_POINT


@inlined
def decided_value(a: Any, s: Any, d: Any, choice: int) -> int:
    """The one value that propagation left a choice that has another one now; -1 without such."""
    # Behind the model's choices come the propagator's own.
    first = a.first[choice] if choice < a.n_choices else -1
    if first < 0 or d.size[choice] != 1 or d.alive[first + s.value[choice]]:
        return -1
    value = 0
    while not d.alive[first + value]:
        value += 1
    return value


@inlined
def set_decided(a: Any, s: Any, x: Any, p: Any, d: Any) -> None:
    """Give choices that propagation left one value that value."""
    for i in range(s.counts[SEEN], d.counts[REMOVED]):
        choice = p.choice[d.removed[i]]
        value = decided_value(a, s, d, choice)
        if value >= 0:
            before = s.value[choice]
            add_terms(a, s, choice, _OUT)
            s.value[choice] = value
            add_terms(a, s, choice, _BACK)
            note_change(a, s, x, choice, before)
    s.counts[SEEN] = d.counts[REMOVED]


@inlined
def next_unit(a: Any, s: Any, d: Any, at: int, n: int, rng: Any) -> bool:
    """Swap to ``order[at]`` the unit with the fewest values left of three that come at random.

    False if propagation decided it.
    """
    best, least = at, _FAR
    for _ in range(_TOURNAMENT):
        k = at + int(rng.random() * (n - at))
        left, unit = 0, s.order[k]
        for q in range(a.unit_start[unit], a.unit_start[unit + 1]):
            left += d.size[a.unit_choice[q]] - 1
        if left < least:
            best, least = k, left
    s.order[at], s.order[best] = s.order[best], s.order[at]
    return least > 0


@inlined
def n_left_out(focus: float, rng: Any) -> int:
    """How many units under no broken constraint are left out before one is redrawn.

    ``g`` of them with a probability of ``(1 - focus) * focus**g``: one number for all of these.
    """
    if focus >= 1.0:
        return _FAR
    return int(math.log1p(-rng.random()) / math.log(focus))


@inlined
def choose_units(a: Any, s: Any, propagating: bool, focus: float, rng: Any) -> int:
    """Begin a pass: put the units that it redraws into ``order``; returns how many."""
    start, stop, n = 0, a.n_units, 0
    if propagating:
        focus = 0.0
        s.counts[SAVED] -= 2 * a.n_units
        s.counts[SEEN] = 0
    else:
        if s.counts[PASSES] % 2 == 0:
            stop = a.half
        else:
            start = a.half
        s.counts[PASSES] += 1
    left_out = n_left_out(focus, rng) if focus > 0.0 else 0
    for unit in range(start, stop):
        if s.open[unit] and (s.disturbed[unit] or left_out == 0):
            s.order[n] = unit
            n += 1
            if focus > 0.0 and not s.disturbed[unit]:
                left_out = n_left_out(focus, rng)
        elif s.open[unit]:
            left_out -= 1
    s.counts[SAVED] += n
    return n


@inlined
def values_of_redraws(s: Any, x: Any, n_removed: int) -> Any:
    """What redraws are among once so many values are removed."""
    if n_removed == s.counts[FIRST_REMOVED]:
        return ALL
    if x is not None and x.exchanging:
        return LISTED
    return ALIVE


@called
def literals_a_unit(a: Any, s: Any, among: int) -> float:
    """How many values a redraw looks at, on average."""
    if among != LISTED:
        return float(a.first[a.n_choices] / a.n_units)
    left = n_open = 0
    for unit in range(a.n_units):
        if s.open[unit]:
            n_open += 1
            for q in range(a.unit_start[unit], a.unit_start[unit + 1]):
                left += s.n_left[a.unit_choice[q]]
    return float(left / n_open) if n_open else 0.0


@called
def propagating_pass(a: Any, s: Any, x: Any, p: Any, d: Any, beta: float, rng: Any) -> int:
    """Redraw all units, each among the values that propagation leaves; returns how many."""
    n_root, propagating = d.counts[REMOVED], True
    root = values_of_redraws(s, x, n_root)
    n: int = choose_units(a, s, propagating, 0.0, rng)
    for k in range(n):
        if propagating:
            set_decided(a, s, x, p, d)
        if not propagating or next_unit(a, s, d, k, n, rng):
            among = ALIVE if propagating else root
            redraw(a, s, x, d, s.order[k], beta, among, rng)
            propagating = propagating and assume_unit(a, s, p, d, s.order[k])
    restore(p, d, n_root)
    return n


@inlined
def keep_lower(a: Any, s: Any, x: Any, d: Any, energy: int, lowest: int, rng: Any) -> int:
    """Keep the state after a pass if it is the best so far; returns the lowest energy."""
    if x is not None and x.has_objective and energy == 0:
        keep_if_least(a, s, x, d, rng)
        return 0
    if energy < lowest:
        keep_best(a, s)
        return energy
    return lowest


@kernel
def run_sweeps(
    arrays: tuple[Any, Any, Any, Any],
    extras: Any,
    rng: Any,
    redraws: int,
    parameters: tuple[float, float, float, float, float, float, float],
    lowest: int,
    target: int,
    _version: int = version_of(propagator),
) -> tuple[int, int]:
    """Redraw units, half of them in turn, until there were ``redraws``, or ``target`` is met.

    ``arrays`` are the model, the state, and the propagator's model and domains; ``extras`` may be
    None. ``parameters`` are those of ``AnnealingParameters``, in their order.

    A unit is drawn from its conditional Boltzmann distribution, a heat bath; for a chain by forward
    sums and backward draws, which is block Gibbs sampling of a chain-structured part: Hamze and de
    Freitas, "From fields to trees", UAI 2004.

    A pass redraws the disturbed units of its half, and of the others a share of
    1 - ``focus``; then weights learn. It counts as at least 1/64 of the units, which is
    about what looking at all of them costs.

    A propagating pass redraws all units, in an order of its own, each among the values that
    propagation of those before leaves; at the first broken constraint it goes on without. It comes
    when such passes have looked at fewer terms than ``propagation`` for each literal of a redrawn
    unit, and after a sweep at least. Unit propagation in a local search: Hirsch and Kojevnikov,
    "UnitWalk: a new SAT solver that uses local search guided by unit clause elimination" (2005).

    Returns the redraws of this call, and the lowest unweighted energy, whose state is in ``best``;
    of states without energy that of the least objective.
    """
    model, state, rules, domains = arrays
    a, s = pointers(ModelArrays, model), pointers(StateArrays, state)
    p, d = pointers(PropagatorArrays, rules), pointers(DomainArrays, domains)
    x = None if extras is None else pointers(ExtraArrays, extras)
    beta, increment, decay, focus, propagation, raised, lowered = parameters
    n_units = a.n_units
    root = values_of_redraws(s, x, d.counts[REMOVED])
    share = propagation * literals_a_unit(a, s, root) if focus > 0.0 and n_units else 0.0
    done = 0
    while done < redraws:
        propagating = d.counts[WORK] < share * s.counts[SAVED]
        if propagating:
            n = propagating_pass(a, s, x, p, d, beta, rng)
        else:
            n = choose_units(a, s, propagating, focus, rng)
            for k in range(n):
                redraw(a, s, x, d, s.order[k], beta, root, rng)
        if x is not None and x.exchanging and focus > 0.0:
            exchange_values(a, s, x, d, n, beta, root != ALL, rng)
        done += n if n > n_units // 64 else 1 + n_units // 64
        energy = update_weights(a, s, increment, decay)
        if x is not None and x.has_objective:
            adapt_share(s, x, lowered if energy else raised)
        lowest = keep_lower(a, s, x, d, energy, lowest, rng)
        if lowest <= target:
            break
    return done, lowest
