"""Sweeps as ``run_sweeps`` makes them, with the costs of all values kept up to date.

``run_sweeps`` finds what each value of a unit costs whenever it redraws the unit, from the rows
that its values have terms in. Where most redraws change nothing, as in large models far below
their first temperature, it is less work to keep these costs, and to bring them up to date when a
value changes: for each row of the old and the new value, those of the values with terms in it.

A learned weight changes the costs in its row with every pass. But as long as the row holds it
tends to its base, and as long as it is broken to ``base + increment * decay / (1 - decay)``; what
it is away from there shrinks by ``decay`` a pass. So there are two costs of each value, by what
weights tend to and by how far they are away, the second in units that shrink with every pass:
then a pass in which no value changes changes no cost.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.annealing import kernels
from qubopuzzle.annealing.kernels import (
    ALIVE,
    ALL,
    BROKEN,
    LISTED,
    SAVED,
    SEEN,
    ExtraArrays,
    FloatArray,
    ModelArrays,
    StateArrays,
    adapt_share,
    assume_unit,
    change_field,
    charge,
    choose_units,
    decided_value,
    guided,
    keep_lower,
    literals_a_unit,
    move,
    next_unit,
    note_row,
    other_choice,
    penalty,
    update_weights,
    values_of_redraws,
)
from qubopuzzle.jit import called, inlined, kernel, pointers, version_of
from qubopuzzle.model import IntArray, propagator
from qubopuzzle.model.data import starts
from qubopuzzle.model.propagator import REMOVED, WORK, DomainArrays, PropagatorArrays, restore

_SCALE, _RAISED = range(2)
"""Places in ``KeptArrays.scale``."""
_SMALLEST = 1e-20
"""Below such a scale all costs are found anew, with a scale of 1, so that errors do not add up."""
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
        row_start, pair_start, literal, coefficient, pair: the terms of each row, and in it of each
            pair, (rows + 1,), (pairs + 1,) and (terms,).
        term_pair: the pair of each term as ``ModelArrays`` has them, by literal, (terms,).
        most: the largest size of a coefficient of each row, (rows,).
        part: what a unit's value adds to a row, (pairs,).
        cost: of each literal by the weights that rows tend to, and by how far they are from them,
            over the scale, in turn, (2 * literals,).
        drawn: scratch, some values of a choice.
        scale: the scale, 0 as long as ``part`` and ``cost`` are those of no state; and by how
            much more than its base the weight of a broken row tends to, (2,).
    """

    row_start: IntArray
    pair_start: IntArray
    literal: NDArray[np.int32]
    coefficient: IntArray
    pair: NDArray[np.int32]
    term_pair: NDArray[np.int32]
    most: IntArray
    part: IntArray
    cost: FloatArray
    drawn: IntArray
    scale: FloatArray


def can_be_kept(a: ModelArrays) -> bool:
    """Whether all units are single choices without precedences, and terms not too many."""
    is_small = len(a.term_row) <= _MOST_TERMS
    return 0 < a.n_units == a.n_choices and not a.n_loose and is_small


def tend_somewhere(increment: float, decay: float) -> bool:
    """Whether the weights of broken rows have a limit: else costs cannot be kept."""
    return not increment or decay < 1.0


def largest_sizes(a: ModelArrays) -> IntArray:
    """The largest size of a coefficient of each row, (rows,)."""
    most = np.zeros(a.n_rows, dtype=np.int64)
    np.maximum.at(most, a.term_row, np.abs(a.term_coefficient))
    return most


def kept_costs(a: ModelArrays, left: NDArray[np.bool_]) -> KeptArrays:
    """The terms of the literals that are ``left``, (literals,), and room for the costs."""
    n_literals, n_rows = int(a.first[-1]), a.n_rows
    literal = np.repeat(np.arange(n_literals), np.diff(a.term_start))
    choice = np.repeat(np.arange(a.n_choices), np.diff(a.first))
    unit = a.unit_of_choice[choice[literal]]
    row_of_pair = np.repeat(np.arange(n_rows), np.diff(a.touching_start))
    pair = np.searchsorted((row_of_pair << 32) | a.touching_unit, (a.term_row << 32) | unit)
    by_row = np.lexsort((literal, a.term_row))
    by_row = by_row[left[literal[by_row]]]
    largest = int(np.diff(a.first).max(initial=0))
    return KeptArrays(
        row_start=starts(a.term_row[by_row], n_rows),
        pair_start=starts(pair[by_row], len(a.touching_unit)),
        literal=literal[by_row].astype(np.int32),
        coefficient=a.term_coefficient[by_row],
        pair=pair[by_row].astype(np.int32),
        term_pair=pair.astype(np.int32),
        most=largest_sizes(a),
        part=np.zeros(len(a.touching_unit), dtype=np.int64),
        cost=np.zeros(2 * n_literals),
        drawn=np.zeros(largest, dtype=np.int64),
        scale=np.zeros(2),
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


@inlined
def limit_of(a: Any, s: Any, k: Any, row: int, total: int) -> float:
    """What the weight of a row with such a sum tends to."""
    limit: float = s.row_base[row]
    if total < a.lower[row] or total > a.upper[row]:
        limit += k.scale[_RAISED]
    return limit


@inlined
def settle_on(k: Any, increment: float, decay: float) -> None:
    """What weights of broken rows tend to; with another one all costs are found anew."""
    raised = increment * decay / (1.0 - decay) if increment else 0.0
    if k.scale[_RAISED] != raised:
        k.scale[_SCALE], k.scale[_RAISED] = 0.0, raised


@called
def find_costs(a: Any, s: Any, x: Any, k: Any) -> None:
    """The costs of all values, from scratch."""
    k.scale[_SCALE] = 1.0
    for i in range(2 * a.first[a.n_choices]):
        k.cost[i] = 0.0
    for i in range(a.touching_start[a.n_rows]):
        k.part[i] = 0
    for choice in range(a.n_choices):
        literal = a.first[choice] + s.value[choice]
        for e in range(a.term_start[literal], a.term_start[literal + 1]):
            k.part[k.term_pair[e]] += a.term_coefficient[e]
    for row in range(a.n_rows):
        limit = limit_of(a, s, k, row, s.total[row])
        beyond = s.row_weight[row] - limit
        for q in range(k.row_start[row], k.row_start[row + 1]):
            cost = added(a, x, row, s.total[row] - k.part[k.pair[q]], k.coefficient[q])
            at = 2 * k.literal[q]
            k.cost[at] += limit * cost
            k.cost[at + 1] += beyond * cost


@inlined
def changes_by(
    a: Any, x: Any, row: int, sums: tuple[int, int], weights: Any, part: int, coefficient: int
) -> tuple[float, float]:
    """What costs in a row change by with its sum and weights, for values with such terms."""
    was, now, beyond_was, beyond_now = weights
    one = added(a, x, row, sums[0] - part, coefficient)
    two = added(a, x, row, sums[1] - part, coefficient)
    return now * two - was * one, beyond_now * two - beyond_was * one


@called
def change_row(a: Any, s: Any, x: Any, k: Any, pair: int, row: int, amount: int) -> None:
    """Let a unit add so much more to a row, and bring the costs of the row's values up to date."""
    before, most = s.total[row], k.most[row]
    after = before + amount
    s.total[row] = after
    k.part[pair] += amount
    high, low = (after, before) if after > before else (before, after)
    if high + most <= a.upper[row] and low - most >= a.lower[row]:
        return
    was, now = limit_of(a, s, k, row, before), limit_of(a, s, k, row, after)
    over = 1.0 / k.scale[_SCALE]
    weights = was, now, (s.row_weight[row] - was) * over, (s.row_weight[row] - now) * over
    if was != now:  # what the unit's own values cost stays, in other parts
        for q in range(k.pair_start[pair], k.pair_start[pair + 1]):
            cost, at = added(a, x, row, after - k.part[pair], k.coefficient[q]), 2 * k.literal[q]
            k.cost[at] += (now - was) * cost
            k.cost[at + 1] += (weights[3] - weights[2]) * cost
    # Most values have the same coefficient, and their units nothing in the row or just that.
    sums, last = (before, after), 0
    free = taken = change = (0.0, 0.0)
    for q in range(k.row_start[row], k.row_start[row + 1]):
        if k.pair[q] != pair:
            part, coefficient, at = k.part[k.pair[q]], k.coefficient[q], 2 * k.literal[q]
            if coefficient != last:
                last = coefficient
                free = changes_by(a, x, row, sums, weights, 0, coefficient)
                taken = changes_by(a, x, row, sums, weights, coefficient, coefficient)
            if part == 0:
                change = free
            elif part == coefficient:
                change = taken
            else:
                change = changes_by(a, x, row, sums, weights, part, coefficient)
            k.cost[at] += change[0]
            k.cost[at + 1] += change[1]


@called
def take(a: Any, s: Any, x: Any, k: Any, choice: int, value: int) -> None:
    """Give a choice another value, and bring rows and costs up to date."""
    first = a.first[choice]
    old, new = first + s.value[choice], first + value
    s.value[choice] = value
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
            note_row(s, row)
            change_row(a, s, x, k, pair, row, amount)
    if x is not None and x.n_pairs:
        change_field(x, s, old, new)


@inlined
def cost_of(s: Any, x: Any, k: Any, literal: int) -> float:
    """What a value costs."""
    cost: float = k.cost[2 * literal] + k.scale[_SCALE] * k.cost[2 * literal + 1]
    if x is not None and x.has_objective:
        cost += guided(x, s, literal)
    return cost


@inlined
def list_likely(
    a: Any, s: Any, x: Any, d: Any, k: Any, choice: int, beta: float, among: int
) -> int:
    """List the values of a choice that cost little enough to be drawn, and costs; how many."""
    first, n = a.first[choice], 0
    now = first + s.value[choice]
    limit = math.inf
    if beta > 0.0 and (among != ALIVE or d.alive[now]):
        limit = cost_of(s, x, k, now) + _UNLIKELY / beta
    if x is not None and among == LISTED:
        for i in range(s.n_left[choice]):
            literal = s.left[first + i]
            cost = cost_of(s, x, k, literal)
            if cost <= limit:
                s.mass[n], k.drawn[n] = cost, literal - first
                n += 1
    else:
        for i in range(a.first[choice + 1] - first):
            cost = cost_of(s, x, k, first + i)
            if cost <= limit and (among == ALL or d.alive[first + i]):
                s.mass[n], k.drawn[n] = cost, i
                n += 1
    return n


@called
def draw_listed(a: Any, s: Any, x: Any, k: Any, choice: int, beta: float, n: int, rng: Any) -> None:
    """Draw one of the ``n`` values of a choice that are listed, by the heat bath."""
    least, running, i = math.inf, 0.0, 0
    if n > 1:
        for j in range(n):
            least = s.mass[j] if s.mass[j] < least else least
        for j in range(n):
            running += math.exp(beta * (least - s.mass[j]))
            s.mass[j] = running
        target = rng.random() * running
        while i < n - 1 and s.mass[i] <= target:
            i += 1
    if k.drawn[i] != s.value[choice]:
        take(a, s, x, k, choice, k.drawn[i])


@called
def propagating_pass_kept(
    a: Any, s: Any, x: Any, p: Any, d: Any, k: Any, beta: float, rng: Any
) -> int:
    """As ``propagating_pass``."""
    n_root, propagating = d.counts[REMOVED], True
    root = values_of_redraws(s, x, n_root)
    n: int = choose_units(a, s, propagating, 0.0, rng)
    for i in range(n):
        if propagating:
            for j in range(s.counts[SEEN], d.counts[REMOVED]):
                choice = p.choice[d.removed[j]]
                value = decided_value(a, s, d, choice)
                if value >= 0:
                    take(a, s, x, k, choice, value)
            s.counts[SEEN] = d.counts[REMOVED]
        if not propagating or next_unit(a, s, d, i, n, rng):
            choice = a.unit_choice[s.order[i]]
            among = ALIVE if propagating else root
            n_likely = list_likely(a, s, x, d, k, choice, beta, among)
            if n_likely > 1 or k.drawn[0] != s.value[choice]:
                draw_listed(a, s, x, k, choice, beta, n_likely, rng)
            propagating = propagating and assume_unit(a, s, p, d, s.order[i])
    restore(p, d, n_root)
    return n


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
    settle_on(k, increment, decay)
    while done < redraws:
        propagating = d.counts[WORK] < share * s.counts[SAVED]
        if k.scale[_SCALE] < _SMALLEST:
            find_costs(a, s, x, k)
        if propagating:
            n = propagating_pass_kept(a, s, x, p, d, k, beta, rng)
        else:
            n = choose_units(a, s, propagating, focus, rng)
            for i in range(n):
                choice = a.unit_choice[s.order[i]]
                n_likely = list_likely(a, s, x, d, k, choice, beta, root)
                if n_likely > 1 or k.drawn[0] != s.value[choice]:
                    draw_listed(a, s, x, k, choice, beta, n_likely, rng)
        if x is not None and x.exchanging and focus > 0.0:
            exchange_kept(a, s, x, d, k, n, beta, rng)
        done += n if n > n_units // 64 else 1 + n_units // 64
        energy = update_weights(a, s, increment, decay)
        k.scale[_SCALE] *= decay
        if x is not None and x.has_objective:
            adapt_share(s, x, lowered if energy else raised)
        lowest = keep_lower(a, s, x, d, energy, lowest, rng)
        if lowest <= target:
            break
    return done, lowest
