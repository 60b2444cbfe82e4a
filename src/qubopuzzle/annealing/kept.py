"""Sweeps as ``run_sweeps`` makes them, with the costs of all values kept up to date.

``run_sweeps`` finds what each value of a unit costs whenever it redraws the unit, from the rows
that its values have terms in. Where most redraws change nothing, as in large models far below
their first temperature, it is less work to keep these costs, and to bring them up to date when a
value changes: for each row of the old and the new value, those of the values with terms in it.

A learned weight would change the costs in its row with every pass, as it decays. So there are two
costs of each value, by the weights that rows decay to and by what was learned on top; the second
is in units that shrink as the learned weights decay, so that a pass only looks at broken rows.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.annealing import kernels
from qubopuzzle.annealing.kernels import (
    ALL,
    BROKEN,
    SAVED,
    ExtraArrays,
    FloatArray,
    ModelArrays,
    StateArrays,
    adapt_share,
    change_field,
    charge,
    choose_units,
    guided,
    keep_lower,
    literals_a_unit,
    move,
    note_row,
    other_choice,
    penalty,
    propagating_pass,
    update_weights,
    values_of_redraws,
)
from qubopuzzle.jit import called, inlined, kernel, pointers, version_of
from qubopuzzle.model import IntArray, propagator
from qubopuzzle.model.data import starts
from qubopuzzle.model.propagator import REMOVED, WORK, DomainArrays, PropagatorArrays

_SMALLEST = 1e-100
"""Below such a scale learned costs are written anew with a scale of 1."""
_MOST_TERMS = 2_000_000
"""Costs of models with more terms are not kept: a read would take some 60 MB more."""
_UNLIKELY = 20.1
"""What costs so many temperatures more is not drawn. Many costs differ by just 20 or 30."""
_WORK_OF_A_TERM = 1.2
"""To bring a cost up to date takes as long as to look at so many terms."""


class KeptArrays(NamedTuple):
    """The terms of a model by row, and the costs of its values in one read.

    A unit is a single choice. A pair is one of a row and a unit that has terms in it, numbered as
    in ``ModelArrays.touching_unit``.

    Attributes:
        row_start, literal, coefficient, pair: the terms of each row, (rows + 1,) and (terms,).
        term_pair: the pair of each term as ``ModelArrays`` has them, by literal, (terms,).
        most: the largest size of a coefficient of a row, 0 if all are 1 and it is not scaled,
            (rows,).
        part: what a unit's value adds to a row, (pairs,).
        cost: of each literal by the weights that rows decay to, and of each by what was learned
            on top, over ``scale``, in turn, (2 * literals,).
        before, drawn: scratch, the costs of one choice, and some of its values.
        scale: as one number, 0 as long as ``part`` and ``cost`` are those of no state, (1,).
    """

    row_start: IntArray
    literal: NDArray[np.int32]
    coefficient: IntArray
    pair: NDArray[np.int32]
    term_pair: NDArray[np.int32]
    most: IntArray
    part: IntArray
    cost: FloatArray
    before: FloatArray
    drawn: IntArray
    scale: FloatArray


def can_be_kept(a: ModelArrays) -> bool:
    """Whether all units are single choices without precedences, and terms not too many."""
    is_small = len(a.term_row) <= _MOST_TERMS
    return 0 < a.n_units == a.n_choices and not a.n_loose and is_small


def largest_sizes(a: ModelArrays) -> IntArray:
    """The largest size of a coefficient of each row, (rows,)."""
    most = np.zeros(a.n_rows, dtype=np.int64)
    np.maximum.at(most, a.term_row, np.abs(a.term_coefficient))
    return most


def kept_costs(a: ModelArrays, extras: ExtraArrays | None, left: NDArray[np.bool_]) -> KeptArrays:
    """The terms of the literals that are ``left``, (literals,), and room for the costs."""
    n_literals, n_rows = int(a.first[-1]), a.n_rows
    literal = np.repeat(np.arange(n_literals), np.diff(a.term_start))
    choice = np.repeat(np.arange(a.n_choices), np.diff(a.first))
    unit = a.unit_of_choice[choice[literal]]
    row_of_pair = np.repeat(np.arange(n_rows), np.diff(a.touching_start))
    pair = np.searchsorted((row_of_pair << 32) | a.touching_unit, (a.term_row << 32) | unit)
    by_row = np.lexsort((literal, a.term_row))
    by_row = by_row[left[literal[by_row]]]
    most = largest_sizes(a)
    general = np.zeros(n_rows, dtype=bool)
    general[a.term_row[a.term_coefficient != 1]] = True
    if extras is not None:
        general |= extras.scale > 0
    most[~general] = 0
    largest = int(np.diff(a.first).max(initial=0))
    return KeptArrays(
        row_start=starts(a.term_row[by_row], n_rows),
        literal=literal[by_row].astype(np.int32),
        coefficient=a.term_coefficient[by_row],
        pair=pair[by_row].astype(np.int32),
        term_pair=pair.astype(np.int32),
        most=most,
        part=np.zeros(len(a.touching_unit), dtype=np.int64),
        cost=np.zeros(2 * n_literals),
        before=np.zeros(2 * largest),
        drawn=np.zeros(largest, dtype=np.int64),
        scale=np.zeros(1),
    )


def is_less_work(a: ModelArrays, s: StateArrays, passes: int, redraws: int, changes: int) -> bool:
    """Whether to keep costs is less work, by so many passes, redraws and changes of values.

    What is compared is how many terms a redraw looks at, and how many are brought up to date for a
    change and for a broken row. A change does nothing to rows far from their bounds.
    """
    of_row, most = np.bincount(a.term_row, minlength=a.n_rows), largest_sizes(a)
    near = (s.total + most > a.upper) | (s.total - most < a.lower)
    by_change = 2.0 * float(of_row[near] @ of_row[near]) / int(a.first[-1])
    by_pass = float(of_row[s.broken[: s.counts[BROKEN]]].sum())
    looked_at = redraws * (len(a.slot_row) + len(a.step_slot)) / a.n_units
    return _WORK_OF_A_TERM * (changes * by_change + passes * by_pass) < looked_at


@inlined
def added(a: Any, x: Any, row: int, rest: int, amount: int) -> float:
    """What a row costs more at weight 1 with an amount added to the rest of its sum."""
    if x is not None and x.n_scaled and x.scale[row] > 0.0:
        return float(charge(a, x, row, rest + amount) - charge(a, x, row, rest))
    lower, upper = a.lower[row], a.upper[row]
    return float(penalty(lower, upper, rest + amount) - penalty(lower, upper, rest))


@called
def find_costs(a: Any, s: Any, x: Any, k: Any) -> None:
    """The costs of all values, from scratch."""
    k.scale[0] = 1.0
    for i in range(2 * a.first[a.n_choices]):
        k.cost[i] = 0.0
    for i in range(a.touching_start[a.n_rows]):
        k.part[i] = 0
    for choice in range(a.n_choices):
        literal = a.first[choice] + s.value[choice]
        for e in range(a.term_start[literal], a.term_start[literal + 1]):
            k.part[k.term_pair[e]] += a.term_coefficient[e]
    for row in range(a.n_rows):
        base, learned = s.row_base[row], s.row_weight[row] - s.row_base[row]
        for q in range(k.row_start[row], k.row_start[row + 1]):
            cost = added(a, x, row, s.total[row] - k.part[k.pair[q]], k.coefficient[q])
            at = 2 * k.literal[q]
            k.cost[at] += base * cost
            k.cost[at + 1] += learned * cost


@inlined
def add_costs(k: Any, row: int, base: float, learned: float, free: float, taken: float) -> None:
    """Add to the costs in a row of coefficients 1, where a unit has a value in it ``taken``."""
    more = taken - free
    for q in range(k.row_start[row], k.row_start[row + 1]):
        cost = free + more * k.part[k.pair[q]]
        at = 2 * k.literal[q]
        k.cost[at] += base * cost
        k.cost[at + 1] += learned * cost


@called
def change_row(a: Any, s: Any, x: Any, k: Any, row: int, amount: int) -> None:
    """Add to a row's sum, and to the costs of the values with terms in it."""
    before, lower, upper = s.total[row], a.lower[row], a.upper[row]
    after = before + amount
    s.total[row] = after
    base = s.row_base[row]
    learned = (s.row_weight[row] - base) / k.scale[0]
    if k.most[row] == 0:
        free = added(a, None, row, after, 1) - added(a, None, row, before, 1)
        taken = added(a, None, row, after - 1, 1) - added(a, None, row, before - 1, 1)
        if free != 0.0 or taken != 0.0:
            add_costs(k, row, base, learned, free, taken)
        return
    high, low = (after, before) if after > before else (before, after)
    if high + k.most[row] <= upper and low - k.most[row] >= lower:
        return
    for q in range(k.row_start[row], k.row_start[row + 1]):
        rest, coefficient = after - k.part[k.pair[q]], k.coefficient[q]
        cost = added(a, x, row, rest, coefficient) - added(a, x, row, rest - amount, coefficient)
        at = 2 * k.literal[q]
        k.cost[at] += base * cost
        k.cost[at + 1] += learned * cost


@called
def learn(a: Any, s: Any, x: Any, k: Any, row: int, increment: float) -> None:
    """Add what a broken row's weight was raised by, over the scale, to the costs in it."""
    total = s.total[row]
    if k.most[row] == 0:
        free, taken = added(a, None, row, total, 1), added(a, None, row, total - 1, 1)
        more = taken - free
        for q in range(k.row_start[row], k.row_start[row + 1]):
            cost = free + more * k.part[k.pair[q]]
            k.cost[2 * k.literal[q] + 1] += increment * cost
        return
    for q in range(k.row_start[row], k.row_start[row + 1]):
        cost = added(a, x, row, total - k.part[k.pair[q]], k.coefficient[q])
        k.cost[2 * k.literal[q] + 1] += increment * cost


@called
def take(a: Any, s: Any, x: Any, k: Any, choice: int, value: int) -> None:
    """Give a choice another value, and bring rows and costs up to date."""
    first, end = a.first[choice], a.first[choice + 1]
    old, new = first + s.value[choice], first + value
    s.value[choice] = value
    # What a choice adds to rows does not change what its own values cost.
    for i in range(2 * first, 2 * end):
        k.before[i - 2 * first] = k.cost[i]
    one, two = a.term_start[old], a.term_start[new]
    while one < a.term_start[old + 1] or two < a.term_start[new + 1]:
        # Rows rise.
        leaves = one < a.term_start[old + 1] and (
            two == a.term_start[new + 1] or a.term_row[one] <= a.term_row[two]
        )
        row = a.term_row[one] if leaves else a.term_row[two]
        amount = 0
        pair = np.int64(k.term_pair[one] if leaves else k.term_pair[two])
        if leaves:
            amount -= a.term_coefficient[one]
            one += 1
        if two < a.term_start[new + 1] and a.term_row[two] == row:
            amount += a.term_coefficient[two]
            two += 1
        if amount:
            k.part[pair] += amount
            note_row(s, row)
            change_row(a, s, x, k, row, amount)
    for i in range(2 * first, 2 * end):
        k.cost[i] = k.before[i - 2 * first]
    if x is not None and x.n_pairs:
        change_field(x, s, old, new)


@inlined
def cost_of(s: Any, x: Any, k: Any, literal: int) -> float:
    """What a value costs."""
    cost: float = k.cost[2 * literal] + k.scale[0] * k.cost[2 * literal + 1]
    if x is not None and x.has_objective:
        cost += guided(x, s, literal)
    return cost


@inlined
def redraw_kept(a: Any, s: Any, x: Any, d: Any, k: Any, choice: int, beta: float, rng: Any) -> None:
    """Draw a choice's value by the heat bath, among those that cost little enough to be drawn."""
    narrowed = values_of_redraws(s, x, d.counts[REMOVED]) != ALL
    first, now, n = a.first[choice], s.value[choice], 0
    least = cost_of(s, x, k, first + now)
    limit = least + _UNLIKELY / beta if beta > 0.0 else math.inf
    if x is not None and x.exchanging:
        for i in range(s.n_left[choice]):
            literal = s.left[first + i]
            cost = cost_of(s, x, k, literal)
            if cost < limit:
                s.mass[n], k.drawn[n] = cost, literal - first
                least, n = cost if cost < least else least, n + 1
    else:
        for i in range(a.first[choice + 1] - first):
            cost = cost_of(s, x, k, first + i)
            if cost < limit and (not narrowed or d.alive[first + i]):
                s.mass[n], k.drawn[n] = cost, i
                least, n = cost if cost < least else least, n + 1
    if n == 0 or (n == 1 and k.drawn[0] == now):
        return
    running = 0.0
    for i in range(n):
        running += math.exp(beta * (least - s.mass[i]))
        s.mass[i] = running
    target, i = rng.random() * running, 0
    while i < n - 1 and s.mass[i] <= target:
        i += 1
    if k.drawn[i] != now:
        take(a, s, x, k, choice, k.drawn[i])


@called
def exchange_kept(a: Any, s: Any, x: Any, d: Any, k: Any, n: int, beta: float, rng: Any) -> None:
    """As ``exchange_values``."""
    narrowed = values_of_redraws(s, x, d.counts[REMOVED]) != ALL
    for i in range(n):
        one = a.unit_choice[s.order[i]]
        two = other_choice(a, s, one, rng)
        if two < 0:
            continue
        v, w = s.value[one], s.value[two]
        old_one, old_two = a.first[one] + v, a.first[two] + w
        new_one, new_two = a.first[one] + w, a.first[two] + v
        if not narrowed or (d.alive[new_one] and d.alive[new_two]):
            changed = move(a, s, x, old_one, new_one) + move(a, s, x, old_two, new_two)
            move(a, s, x, new_two, old_two)
            move(a, s, x, new_one, old_one)
            if changed <= 0.0 or rng.random() < math.exp(-beta * changed):
                take(a, s, x, k, one, w)
                take(a, s, x, k, two, v)


@inlined
def learn_all(a: Any, s: Any, x: Any, k: Any, increment: float, decay: float) -> None:
    """Bring the costs up to date once the weights of broken rows were raised and all decayed."""
    for i in range(s.counts[BROKEN]):
        learn(a, s, x, k, s.broken[i], increment / k.scale[0])
    k.scale[0] *= decay
    if k.scale[0] < _SMALLEST:
        for literal in range(a.first[a.n_choices]):
            k.cost[2 * literal + 1] *= k.scale[0]
        k.scale[0] = 1.0


@kernel
def run_kept(
    arrays: tuple[Any, Any, Any, Any, Any],
    extras: Any,
    rng: Any,
    redraws: int,
    parameters: tuple[float, float, float, float, float, float, float],
    energies: tuple[int, int],
    _version: int = version_of(kernels),
    _rules_version: int = version_of(propagator),
) -> tuple[int, int]:
    """As ``run_sweeps``, whose ``lowest`` and ``target`` are ``energies``; costs come last."""
    model, state, rules, domains, costs = arrays
    a, s = pointers(ModelArrays, model), pointers(StateArrays, state)
    p, d = pointers(PropagatorArrays, rules), pointers(DomainArrays, domains)
    k = pointers(KeptArrays, costs)
    x = None if extras is None else pointers(ExtraArrays, extras)
    beta, increment, decay, focus, propagation, raised, lowered = parameters
    lowest, target = energies
    n_units, done = a.n_units, 0
    root = values_of_redraws(s, x, d.counts[REMOVED])
    share = propagation * literals_a_unit(a, s, root) if focus > 0.0 and n_units else 0.0
    while done < redraws:
        propagating = d.counts[WORK] < share * s.counts[SAVED]
        n = choose_units(a, s, propagating, focus, rng)
        if propagating:
            propagating_pass(a, s, x, p, d, n, beta, rng)
        if propagating or k.scale[0] == 0.0:
            find_costs(a, s, x, k)
        if not propagating:
            for i in range(n):
                redraw_kept(a, s, x, d, k, a.unit_choice[s.order[i]], beta, rng)
        if x is not None and x.exchanging and focus > 0.0:
            exchange_kept(a, s, x, d, k, n, beta, rng)
        done += n if n > n_units // 64 else 1 + n_units // 64
        energy = update_weights(a, s, increment, decay)
        learn_all(a, s, x, k, increment, decay)
        if x is not None and x.has_objective:
            adapt_share(s, x, lowered if energy else raised)
        lowest = keep_lower(a, s, x, d, energy, lowest, rng)
        if lowest <= target:
            break
    return done, lowest
