"""Moves of several choices that repair what the first one breaks, as a kernel.

From a valid state one choice takes another value; then, as long as a row is broken, that choice in
it moves whose new value costs and breaks least. What ends valid is kept by the rule of Metropolis,
all else is taken back: ejection chains (Glover, "Ejection chains, reference structures and
alternating path methods for traveling salesman problems", Discrete Applied Mathematics 65, 1996).
"""

import math
from typing import Any

from qubopuzzle.annealing import kernels
from qubopuzzle.annealing.kernels import (
    CHANGED,
    ExtraArrays,
    ModelArrays,
    StateArrays,
    is_broken,
    keep_if_better,
    note_rows,
    objective_of,
    replace_literal,
    swap_terms,
    worth_of,
)
from qubopuzzle.jit import called, inlined, kernel, pointers, version_of
from qubopuzzle.model import propagator
from qubopuzzle.model.propagator import PropagatorArrays

_LONGEST = 8
"""Choices that one move changes, at most."""
_PARTS, _VALUES = 48, 4
"""Choices of a broken row, and values of each, that are looked at, at most."""
_NOISE = 0.1
"""The price of a broken row varies by this share, so that ties are broken at random."""


@inlined
def n_broken(a: Any, s: Any, literal: int) -> int:
    """How many rows of a literal are broken."""
    n = 0
    for e in range(a.term_start[literal], a.term_start[literal + 1]):
        if is_broken(a, s, a.term_row[e]):
            n += 1
    return n


@called
def breaks(a: Any, s: Any, old: int, new: int) -> int:
    """How many more rows are broken with one literal in another's place."""
    before = n_broken(a, s, old) + n_broken(a, s, new)
    swap_terms(a, s, old, new)
    after = n_broken(a, s, old) + n_broken(a, s, new)
    swap_terms(a, s, new, old)
    return int(after - before)


@called
def change(a: Any, s: Any, x: Any, n: int, choice: int, new: int) -> float:
    """Give a choice a value, as the ``n``-th of a move; what that adds to the objective."""
    old = a.first[choice] + s.value[choice]
    s.order[n], s.before_descent[n] = choice, s.value[choice]
    s.value[choice] = new - a.first[choice]
    swap_terms(a, s, old, new)
    note_rows(a, s, old)
    note_rows(a, s, new)
    added: float = replace_literal(x, s, old, new)
    return added


@called
def broken_row(a: Any, s: Any) -> int:
    """The last of the rows that a move changed that is broken; -1 if none is."""
    for i in range(s.counts[CHANGED] - 1, -1, -1):
        row = s.changed[i]
        if is_broken(a, s, row):
            return int(row)
    return -1


@called
def coefficient_in(p: Any, part: int, literal: int) -> int:
    """The coefficient of a literal in a part of a row."""
    low, high = p.term_start[part], p.term_start[part + 1]
    while low < high:  # literals rise
        middle = (low + high) >> 1
        if p.literal[middle] < literal:
            low = middle + 1
        else:
            high = middle
    if low < p.term_start[part + 1] and p.literal[low] == literal:
        return int(p.coefficient[low])
    return 0


@called
def can_move(a: Any, s: Any, choice: int, n: int) -> bool:
    """Whether a choice is one of the model's, and none of the ``n`` that moved."""
    possible = choice < a.n_choices
    for i in range(n):
        possible = possible and s.order[i] != choice
    return bool(possible)


@called
def best_repair(a: Any, s: Any, x: Any, p: Any, row: int, n: int, rng: Any) -> int:
    """The literal that brings a row nearer to its bounds and costs least; -1 for none.

    A row that it breaks costs what a value typically does, with a little noise. Choices and values
    are looked at from random ones on.
    """
    sign = 1 if s.total[row] < a.lower[row] else -1
    start, size = p.part_start[row], p.part_start[row + 1] - p.part_start[row]
    begin, best, least = int(rng.random() * size), -1, math.inf
    for k in range(min(size, _PARTS)):
        part = start + (begin + k) % size
        choice = p.part_choice[part]
        if not can_move(a, s, choice, n):
            continue
        first, n_left = a.first[choice], s.n_left[choice]
        old = first + s.value[choice]
        here = sign * coefficient_in(p, part, old)
        at = int(rng.random() * n_left)
        for i in range(min(n_left, _VALUES)):
            new = s.left[first + (at + i) % n_left]
            if new != old and sign * coefficient_in(p, part, new) > here:
                costs = worth_of(x, s, x.cost, new) - worth_of(x, s, x.cost, old)
                price = (1.0 + _NOISE * rng.random()) / x.share[0]
                costs += price * breaks(a, s, old, new)
                if costs < least:
                    best, least = new, costs
    return int(best)


@called
def try_move(a: Any, s: Any, x: Any, p: Any, choice: int, new: int, most: float, rng: Any) -> float:
    """Change a choice and repair; what that adds to the objective, 0 if it is taken back."""
    added, n = change(a, s, x, 0, choice, new), 1
    while True:
        row = broken_row(a, s)
        if row < 0:
            break
        literal = -1
        if n < _LONGEST and added <= most + 1.0 / x.share[0]:
            literal = best_repair(a, s, x, p, row, n, rng)
        if literal < 0:
            added = math.inf
            break
        added += change(a, s, x, n, p.choice[literal], literal)
        n += 1
    for i in range(s.counts[CHANGED]):
        s.is_changed[s.changed[i]] = False
    s.counts[CHANGED] = 0
    if added <= most:
        return float(added)
    for i in range(n - 1, -1, -1):
        choice = s.order[i]
        now, before = a.first[choice] + s.value[choice], a.first[choice] + s.before_descent[i]
        swap_terms(a, s, now, before)
        replace_literal(x, s, now, before)
        s.value[choice] = s.before_descent[i]
    return 0.0


@kernel
def run_repairs(
    arrays: tuple[Any, Any, Any, Any],
    extras: Any,
    rng: Any,
    tries: int,
    temperature: float,
    _version: int = version_of(kernels),
    _rules_version: int = version_of(propagator),
) -> None:
    """Try so many moves from a valid state; ``best`` is the best state that they come to.

    ``temperature`` is in typical costs of a value, one over the objective's first share.
    """
    model, state, rules, _ = arrays
    a, s = pointers(ModelArrays, model), pointers(StateArrays, state)
    p = pointers(PropagatorArrays, rules)
    x = pointers(ExtraArrays, extras)
    objective = objective_of(a, s, x)
    for _ in range(tries if a.n_choices else 0):
        choice = int(rng.random() * a.n_choices)
        # A state may begin at a value that is not left.
        new = s.left[a.first[choice] + int(rng.random() * s.n_left[choice])]
        if new == a.first[choice] + s.value[choice]:
            continue
        most = -temperature / x.share[0] * math.log(1.0 - rng.random())
        objective += try_move(a, s, x, p, choice, new, most, rng)
        keep_if_better(a, s, objective)
