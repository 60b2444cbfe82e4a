"""Propagation: its arrays, its loops, which are kernels, and their front, ``Propagator``.

``a`` is the model, ``PropagatorArrays``; ``d`` is what is left of it, ``DomainArrays``. Rows,
precedences, chains and graphs are **constraints**, numbered in this order. Whether a chain has a
term in a row is a choice of its own, a **touch**, with two values: it has none, or it has.
"""

from copy import copy
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.jit import as_lists, called, inlined, kernel, pointers
from qubopuzzle.model.chains import Chains, find_chains
from qubopuzzle.model.data import IntArray, Model, starts
from qubopuzzle.model.order import Precedences, path_terms, separable
from qubopuzzle.model.segments import Segments, all_rows

FAR = 1 << 60
"""Further than any work, and than the sum of any row."""
_CLOSED = 1 << 40
_NONE = np.int64(-1)  # no plain number, which would be a type of its own
REMOVED, _HEAD, _QUEUED, WORK, _NEXT, _IN_VAIN, _PROBES, _NEXT_PAIRS, _PAIRS_IN_VAIN = range(9)
"""Places in ``DomainArrays.counts``; ``counts[REMOVED]`` is how many values are gone."""
FIXED_POINT, _UNFINISHED = -1, -2
"""What ``propagate`` returns where no constraint is broken, at the end or so far."""
_PLAIN_WORK = 100_000
"""What Python alone looks at in a process before numba is imported and kernels compiled."""
PAIR_WORK = 1_000_000
"""Most work of probing the others once a value is assumed; some milliseconds."""
_LOOKS = 4
"""How often propagation looks at each term, mostly."""
_done_plain = 0


class PropagatorArrays(NamedTuple):
    """A model. Literal l of choice c is ``first[c] + v`` for its v-th value.

    Touches are choices behind the model's, in the order of their chains. A **walk** along a chain
    takes a value of each choice and keeps the chain's precedences. The values have **places** in
    scratch arrays: 0 stands for both ends of the chain, and one place is free before and after the
    values of each choice. A **stretch** is the values of a choice that make a touch, which are next
    to each other.

    Attributes:
        n_choices, n_rows, n_constraints: how many there are; ``n_others`` of the constraints are
            rows and precedences, ``n_local`` all but graphs.
        first: first literal of each choice, and one past the last, shape (choices + 1,).
        choice: the choice of each literal, (literals,).
        number: value of each literal of the model where precedences need it, else 0; it rises
            within a choice.
        part_start: by row, its parts: its terms of one choice each, (rows + 1,).
        part_choice: the choice of each part, (parts,).
        term_start: the terms of each part, (parts + 1,); their literals rise.
        literal, coefficient: of each term, (terms,).
        lower, upper: bounds of the rows, (rows,).
        before, after, gap: the precedences, (precedences,) each.
        watch_start, watch: the constraints that each choice is in.
        chain_start, chain_choice: the choices of each chain, in order, (chains + 1,), (members,).
        chain_place: place of the first value of each of them, (members,).
        room: places of each chain, (chains,).
        back, ahead: by literal, the place of the last value of the choice before that allows it,
            and of the first value of the next choice that it allows, (literals,).
        touch_start: the first touch of each chain, (chains + 1,).
        untouched: the first value of each touch, (touches,); the second one is the next literal.
        unsure: whether there may be walks without the touch that ``narrow_touches`` cannot see,
            (touches,).
        stretch_start: the stretches of each touch, in the order of their choices, (touches + 1,).
        low, high: first and last place of each stretch, (stretches,).
        begin, end: those of its choice's first value, and behind its last one, (stretches,).
        node_start, node_stop: the first node of each graph, and one past the last, (graphs,).
        node: the literal of each node, (nodes,).
        near_start, near: the neighbours of each node, (nodes + 1,), (2 * edges,).
    """

    n_choices: int
    n_rows: int
    n_others: int
    n_local: int
    n_constraints: int
    first: IntArray
    choice: IntArray
    number: IntArray
    part_start: IntArray
    part_choice: IntArray
    term_start: IntArray
    literal: IntArray
    coefficient: IntArray
    lower: IntArray
    upper: IntArray
    before: IntArray
    after: IntArray
    gap: IntArray
    watch_start: IntArray
    watch: IntArray
    chain_start: IntArray
    chain_choice: IntArray
    chain_place: IntArray
    room: IntArray
    back: IntArray
    ahead: IntArray
    touch_start: IntArray
    untouched: IntArray
    unsure: NDArray[np.bool_]
    stretch_start: IntArray
    low: IntArray
    high: IntArray
    begin: IntArray
    end: IntArray
    node_start: IntArray
    node_stop: IntArray
    node: IntArray
    near_start: IntArray
    near: IntArray


class DomainArrays(NamedTuple):
    """What is left of the choices' values.

    Attributes:
        alive: whether each literal can still be true, shape (literals,).
        size: how many values each choice has left, (choices,).
        removed: the literals that are not alive in the order in which they went, (literals,).
        cause: the constraint that propagation removed each of them by, (literals,).
        queue, waiting: a ring of constraints to look at again, and which are in it,
            (constraints,).
        counts: how many literals are removed; the head of the queue; how many wait in it; the
            terms, precedences, places of chains, nodes and edges looked at so far; the literal to
            probe next; how many were probed in vain since a value went; the probes so far; and the
            literal whose pairs are probed next, and how many of these were in vain.
        least, greatest: scratch, for the most parts of a row.
        cost, before, behind, next: scratch, for the most places of a chain.
        order, low, up, at, holds, cuts: scratch, for the nodes, see ``search_graph``.
    """

    alive: NDArray[np.bool_]
    size: IntArray
    removed: IntArray
    cause: IntArray
    queue: IntArray
    waiting: NDArray[np.bool_]
    counts: IntArray
    least: IntArray
    greatest: IntArray
    cost: IntArray
    before: IntArray
    behind: IntArray
    next: IntArray
    order: IntArray
    low: IntArray
    up: IntArray
    at: IntArray
    holds: NDArray[np.bool_]
    cuts: NDArray[np.bool_]


@inlined
def remove(a: Any, d: Any, literal: int) -> None:
    """Take a value from its choice, if it is still there."""
    if d.alive[literal]:
        d.alive[literal] = False
        d.removed[d.counts[REMOVED]] = literal
        d.counts[REMOVED] += 1
        d.size[a.choice[literal]] -= 1


@inlined
def enqueue(a: Any, d: Any, constraint: int) -> None:
    """Put a constraint into the queue that is not in it."""
    d.waiting[constraint] = True
    at = d.counts[_HEAD] + d.counts[_QUEUED]
    d.queue[at if at < a.n_constraints else at - a.n_constraints] = constraint
    d.counts[_QUEUED] += 1


@inlined
def touch(a: Any, d: Any, choice: int, done: int) -> None:
    """Queue what a choice is in that values were taken from, but for one constraint."""
    start, stop = a.watch_start[choice], a.watch_start[choice + 1]
    d.counts[WORK] += stop - start
    for e in range(start, stop):
        constraint = a.watch[e]
        if not d.waiting[constraint] and constraint != done:
            enqueue(a, d, constraint)


@inlined
def dequeue(a: Any, d: Any) -> int:
    """The constraint that has waited longest, and a graph, which takes longer, after others."""
    while True:
        constraint: int = d.queue[d.counts[_HEAD]]
        d.waiting[constraint] = False
        d.counts[_HEAD] = d.counts[_HEAD] + 1 if d.counts[_HEAD] + 1 < a.n_constraints else 0
        d.counts[_QUEUED] -= 1
        # With so many left they are not all graphs.
        if constraint < a.n_local or d.counts[_QUEUED] < a.n_constraints - a.n_local:
            return constraint
        enqueue(a, d, constraint)


@inlined
def part_bounds(a: Any, d: Any, part: int) -> tuple[int, int]:
    """The least and the greatest that a part of a row can be."""
    least, greatest, present = FAR, -FAR, 0
    coefficients = a.coefficient  # LLVM would load it anew within the condition
    for e in range(a.term_start[part], a.term_start[part + 1]):
        if d.alive[a.literal[e]]:
            present += 1
            coefficient = coefficients[e]
            least = coefficient if coefficient < least else least
            greatest = coefficient if coefficient > greatest else greatest
    if present < d.size[a.part_choice[part]]:  # the other values add nothing
        least, greatest = least if least < 0 else 0, greatest if greatest > 0 else 0
    return least, greatest


@inlined
def narrow(a: Any, d: Any, part: int, fewest: int, most: int) -> bool:
    """Remove the values of a part's choice that add less or more than this; False if all do."""
    choice = a.part_choice[part]
    term, stop = a.term_start[part], a.term_start[part + 1]
    for literal in range(a.first[choice], a.first[choice + 1]):
        has_term = term < stop and a.literal[term] == literal
        added = a.coefficient[term] if has_term else 0
        term += has_term
        if added < fewest or added > most:
            remove(a, d, literal)
    d.counts[WORK] += a.first[choice + 1] - a.first[choice]
    return bool(d.size[choice] > 0)


@inlined
def propagate_row(a: Any, d: Any, row: int) -> bool:
    """Remove the values that leave a row no way to meet its bounds; False if there is none."""
    start, stop = a.part_start[row], a.part_start[row + 1]
    lower, upper = a.lower[row], a.upper[row]
    if lower <= -FAR and upper >= FAR:
        return True  # not in force
    d.counts[WORK] += a.term_start[stop] - a.term_start[start]
    low, high = 0, 0
    for part in range(start, stop):
        least, greatest = part_bounds(a, d, part)
        d.least[part - start], d.greatest[part - start] = least, greatest
        low += least
        high += greatest
    possible = low <= upper and high >= lower
    if low < lower or high > upper:
        for part in range(start, stop):
            least, greatest = d.least[part - start], d.greatest[part - start]
            # What the part may add once the rest of the row is at its best.
            most, fewest = upper - low + least, lower - high + greatest
            if possible and (greatest > most or least < fewest):
                possible = narrow(a, d, part, fewest, most)
    return bool(possible)


@inlined
def propagate_precedence(a: Any, d: Any, i: int) -> bool:
    """Remove the values of both choices that leave the other none; False if all do."""
    before, after, gap = a.before[i], a.after[i], a.gap[i]
    low, high = a.first[before], a.first[after + 1] - 1
    while not d.alive[low]:
        low += 1
    while not d.alive[high]:
        high -= 1
    least, greatest = a.number[low] + gap, a.number[high] - gap
    literal = a.first[after]
    while literal < a.first[after + 1] and a.number[literal] < least:
        remove(a, d, literal)
        literal += 1
    literal = a.first[before + 1] - 1
    while literal >= a.first[before] and a.number[literal] > greatest:
        remove(a, d, literal)
        literal -= 1
    d.counts[WORK] += 1
    return bool(d.size[before] > 0 and d.size[after] > 0)


@called
def price_chain(a: Any, d: Any, chain: int) -> int:
    """The cost of a chain's values, as changes from one to the next; the least that is possible.

    A value costs -1 for each touch that is needed and that it makes, and much for each that is not
    allowed.
    """
    least = 0
    for place in range(a.room[chain]):
        d.cost[place] = 0
    for t in range(a.touch_start[chain], a.touch_start[chain + 1]):
        allowed = d.alive[a.untouched[t] + 1]
        if not (allowed and d.alive[a.untouched[t]]):
            cost = -1 if allowed else _CLOSED
            least -= allowed
            for e in range(a.stretch_start[t], a.stretch_start[t + 1]):
                d.cost[a.low[e]] += cost
                d.cost[a.high[e] + 1] -= cost
    return least


@called
def walk_chain(a: Any, d: Any, chain: int) -> int:
    """The least cost of the chain up to each value or one before it; returns that of the whole.

    ``cost`` becomes that of each value.
    """
    best: int = 0
    d.before[0] = d.behind[0] = 0
    for q in range(a.chain_start[chain], a.chain_start[chain + 1]):
        choice, place = a.chain_choice[q], a.chain_place[q]
        cost, best = 0, FAR
        d.before[place - 1] = FAR
        for literal in range(a.first[choice], a.first[choice + 1]):
            cost += d.cost[place]
            d.cost[place] = cost if d.alive[literal] else FAR
            through = d.cost[place] + d.before[a.back[literal]]
            best = through if through < best else best
            d.before[place] = best
            place += 1
        d.before[place] = FAR
    return best


@called
def narrow_chain(a: Any, d: Any, chain: int, least: int) -> None:
    """Remove the values of a chain that are on no walk of least cost."""
    for q in range(a.chain_start[chain + 1] - 1, a.chain_start[chain] - 1, -1):
        choice = a.chain_choice[q]
        first, stop = a.first[choice], a.first[choice + 1]
        place = a.chain_place[q] + stop - first
        best = d.behind[place] = FAR
        d.next[place] = place
        for literal in range(stop - 1, first - 1, -1):
            place -= 1
            through = d.cost[place] + d.behind[a.ahead[literal]]
            best = through if through < best else best
            d.behind[place] = best
            if through + d.before[a.back[literal]] > least:
                remove(a, d, literal)
            d.next[place] = place if d.alive[literal] else d.next[place + 1]


@called
def narrow_touches(a: Any, d: Any, chain: int, least: int) -> None:
    """Decide the touches of a chain that no walk of least cost makes, or all of them.

    A walk without a touch has choices that pass its stretches early, up to some choice, and late
    from there on.
    """
    for t in range(a.touch_start[chain], a.touch_start[chain + 1]):
        literal = a.untouched[t]
        if d.alive[literal] and d.alive[literal + 1]:
            start, stop = a.stretch_start[t], a.stretch_start[t + 1]
            made = False
            late, early = d.next[a.high[start] + 1], d.next[a.begin[stop - 1]]
            missed = a.unsure[t] or late < a.end[start] or early < a.low[stop - 1]
            for e in range(start, stop):
                made |= d.next[a.low[e]] <= a.high[e]
                if e > start:
                    missed |= d.before[a.low[e - 1] - 1] + d.behind[a.high[e] + 1] <= least
            if not made:
                remove(a, d, literal + 1)
            elif not missed:
                remove(a, d, literal)


@inlined
def propagate_chain(a: Any, d: Any, chain: int) -> bool:
    """Remove what is in no walk along a chain, given its touches; False if there is no walk.

    The recursion of the annealer's redraws, at temperature 0. For the line of a nonogram this is
    what is called line solving.
    """
    d.counts[WORK] += a.room[chain]
    least = price_chain(a, d, chain)
    possible = walk_chain(a, d, chain) <= least
    if possible:
        narrow_chain(a, d, chain, least)
        narrow_touches(a, d, chain, least)
    return bool(possible)


@inlined
def keep_only(a: Any, d: Any, literal: int) -> None:
    """Remove the other values of a literal's choice."""
    choice = a.choice[literal]
    for other in range(a.first[choice], a.first[choice + 1]):
        if other != literal:
            remove(a, d, other)


@called
def search_graph(a: Any, d: Any, root: int) -> None:
    """Number the nodes that may be connected with one depth first, in ``order``, from 1.

    ``low`` is the least number beside a node or one behind it, ``holds`` whether one of these is
    true, ``cuts`` whether without the node true ones behind it were cut off from the root. Source:
    Tarjan, "Depth-first search and linear graph algorithms" (1972).
    """
    clock: int = 1
    v: Any = root
    d.order[v] = d.low[v] = clock
    d.up[v], d.at[v] = _NONE, a.near_start[v]
    while v >= 0:
        u = d.up[v]
        if d.at[v] < a.near_start[v + 1]:
            w = a.near[d.at[v]]
            d.at[v] += 1
            if d.order[w]:
                d.low[v] = min(d.low[v], d.order[w])
            elif d.alive[a.node[w]]:
                clock += 1
                d.order[w] = d.low[w] = clock
                d.up[w], d.at[w] = v, a.near_start[w]
                v = w
        else:
            if u >= 0:
                d.cuts[u] |= d.holds[v] and d.low[v] >= d.order[u]
                d.holds[u] |= d.holds[v]
                d.low[u] = min(d.low[u], d.low[v])
            v = u


@inlined
def propagate_graph(a: Any, d: Any, graph: int) -> bool:
    """Remove what would leave true nodes unconnected; False if they are.

    Nodes out of reach of a true one go, and those that cut true ones off from it become true.
    """
    start, stop = a.node_start[graph], a.node_stop[graph]
    root: Any = _NONE
    d.counts[WORK] += a.near_start[stop] - a.near_start[start] + stop - start
    for v in range(start, stop):
        literal = a.node[v]
        d.order[v], d.cuts[v] = 0, False
        d.holds[v] = d.alive[literal] and d.size[a.choice[literal]] == 1
        if d.holds[v]:
            root = v
    possible = True
    if root >= 0:
        search_graph(a, d, root)
        for v in range(start, stop):
            literal = a.node[v]
            if d.cuts[v]:
                keep_only(a, d, literal)
                possible &= d.alive[literal] != 0
            elif d.order[v] == 0:
                remove(a, d, literal)
                possible &= d.size[a.choice[literal]] > 0
    return bool(possible)


@inlined
def propagate_one(a: Any, d: Any, constraint: int) -> bool:
    """Remove what a constraint allows in no case; False if it cannot be met."""
    if constraint < a.n_rows:
        possible = propagate_row(a, d, constraint)
    elif constraint < a.n_others:
        possible = propagate_precedence(a, d, constraint - a.n_rows)
    elif constraint < a.n_local:
        possible = propagate_chain(a, d, constraint - a.n_others)
    else:
        possible = propagate_graph(a, d, constraint - a.n_local)
    return bool(possible)


@called
def propagate(a: Any, d: Any, since: int, until: int) -> int:
    """Look at the constraints in the queue until none is left.

    And at those of the choices that lost a value after the first ``since`` that are gone. Returns
    ``FIXED_POINT``, or the number of a constraint that cannot be met; the queue is empty then, too.
    Or ``_UNFINISHED`` once ``counts[WORK]`` is ``until``: a further call goes on.
    """
    broken: int = FIXED_POINT
    touched = done = constraint = _NONE
    while True:
        for i in range(since, d.counts[REMOVED]):
            choice = a.choice[d.removed[i]]
            d.cause[d.removed[i]] = constraint
            if choice != touched:  # values of one choice mostly go together
                touch(a, d, choice, done)
            touched = choice
        since, touched = d.counts[REMOVED], _NONE
        if d.counts[_QUEUED] == 0:
            return broken
        if d.counts[WORK] >= until and broken == FIXED_POINT:
            return _UNFINISHED
        constraint = dequeue(a, d)
        # Nothing more follows from a chain at once; from a row with gaps, or a graph, it may.
        done = constraint if a.n_others <= constraint < a.n_local else _NONE
        if broken == FIXED_POINT and not propagate_one(a, d, constraint):
            broken = constraint


@inlined
def restore(a: Any, d: Any, n_removed: int) -> None:
    """Put back what was removed after the first ``n_removed`` values."""
    while d.counts[REMOVED] > n_removed:
        d.counts[REMOVED] -= 1
        literal = d.removed[d.counts[REMOVED]]
        d.alive[literal] = True
        d.size[a.choice[literal]] += 1


@kernel
def propagate_all(model: Any, domains: Any, until: int) -> int:
    """Look at the constraints in the queue until none is left; returns what ``propagate`` does."""
    a, d = pointers(PropagatorArrays, model), pointers(DomainArrays, domains)
    broken: int = propagate(a, d, d.counts[REMOVED], until)
    return broken


@inlined
def put_in_force(a: Any, others: Any, constraint: int) -> None:
    """Give a constraint, but for chains, what bounds it in another model of the same shape."""
    if constraint < a.n_rows:
        a.lower[constraint] = others.lower[constraint]
        a.upper[constraint] = others.upper[constraint]
    elif constraint < a.n_others:
        a.gap[constraint - a.n_rows] = others.gap[constraint - a.n_rows]
    elif constraint >= a.n_local:
        graph = constraint - a.n_local
        a.node_stop[graph] = others.node_stop[graph]


@inlined
def trace(a: Any, d: Any, since: int, broken: int, parts: Any) -> None:
    """Mark what took part in breaking a constraint, or else in removing some literals.

    ``since``: literals that were removed before are without a cause. ``parts``: constraints,
    (constraints,), and literals, (literals,), which are marked; of these those that are asked for
    are marked before. Of the choices of a constraint that takes part so do all literals that were
    removed before it removed something.
    """
    constraints, literals = parts
    if broken != FIXED_POINT:
        literals[:] = False
        constraints[broken] = True
    for i in range(d.counts[REMOVED] - 1, -1, -1):
        literal = d.removed[i]
        choice = a.choice[literal]
        for e in range(a.watch_start[choice], a.watch_start[choice + 1]):
            literals[literal] |= constraints[a.watch[e]]
        if literals[literal] and i >= since:
            constraints[d.cause[literal]] = True


@inlined
def assume(a: Any, d: Any, every: Any, left: Any, constraints: Any) -> tuple[int, int]:
    """Propagate what ``propagate_some`` is told.

    Returns how many values were removed before that, and what ``propagate`` does.
    """
    for literal in range(len(left[0])):
        if not left[0][literal]:
            remove(a, d, literal)
    since = d.counts[REMOVED]
    for literal in left[1]:
        remove(a, d, literal)
    for constraint in constraints[0]:
        put_in_force(a, every, constraint)
    for constraint in constraints[1]:
        if not d.waiting[constraint]:
            enqueue(a, d, constraint)
    return since, propagate(a, d, since, FAR)


@inlined
def undo(a: Any, d: Any, always: Any, constraints: Any, n_removed: int) -> None:
    """Take constraints out of force again, and put back what was removed after the first values."""
    for constraint in constraints[0]:
        put_in_force(a, always, constraint)
    restore(a, d, n_removed)


@kernel
def propagate_some(
    models: tuple[Any, Any, Any],
    domains: Any,
    left: tuple[NDArray[np.bool_], IntArray],
    constraints: tuple[IntArray, IntArray],
    parts: tuple[NDArray[np.bool_], NDArray[np.bool_]],
) -> int:
    """What some constraints leave of literals if further ones are gone.

    In the model and the domains all comes back.
    ``models``: with some constraints in force, which is changed and comes back, with all, and with
    those that always are. ``left``: whether each literal is, (literals,), which becomes what is
    left; and further ones that are gone, whose choices' constraints are looked at.
    ``constraints``: those that are put in force, and those that are looked at besides. ``parts``:
    see ``trace``, with no further literals gone; nothing is marked where these are empty. Returns
    what ``propagate`` does.
    """
    a, d = pointers(PropagatorArrays, models[0]), pointers(DomainArrays, domains)
    every, always = pointers(PropagatorArrays, models[1]), pointers(PropagatorArrays, models[2])
    before = d.counts[REMOVED]
    since, broken = assume(a, d, every, left, constraints)
    if len(parts[0]):
        trace(a, d, since, broken, parts)
    for literal in range(len(left[0])):
        left[0][literal] = d.alive[literal]
    undo(a, d, always, constraints, before)
    return int(broken)


@kernel
def refute_each(
    models: tuple[Any, Any, Any],
    domains: Any,
    left: tuple[NDArray[np.bool_], IntArray],
    constraints: tuple[IntArray, IntArray],
    tried: tuple[IntArray, IntArray],
    refuted: NDArray[np.bool_],
) -> None:
    """Whether something is broken by some constraints if further literals are gone, in turn.

    The first arguments as in ``propagate_some``, but that ``left`` stays. ``tried``: the further
    literals of each turn, one behind the other, and where each turn's end, (turns,).
    ``refuted``, (turns,), is the answer.
    """
    a, d = pointers(PropagatorArrays, models[0]), pointers(DomainArrays, domains)
    every, always = pointers(PropagatorArrays, models[1]), pointers(PropagatorArrays, models[2])
    before, start = d.counts[REMOVED], 0
    _, broken = assume(a, d, every, left, constraints)
    for turn in range(len(tried[1])):
        since = d.counts[REMOVED]
        for i in range(start, tried[1][turn]):
            remove(a, d, tried[0][i])
        refuted[turn] = broken != FIXED_POINT or propagate(a, d, since, FAR) != FIXED_POINT
        restore(a, d, since)
        start = tried[1][turn]
    undo(a, d, always, constraints, before)


@called
def probe_values(a: Any, d: Any, work: int) -> int:
    """Assume each value that is left, choice by choice, and remove what breaks a constraint.

    Until a round of all choices removed nothing, or so much work is done; a further call goes on.
    Returns what ``propagate`` does.
    """
    until, broken = d.counts[WORK] + work, FIXED_POINT
    n_literals = a.first[a.n_choices]
    while broken == FIXED_POINT and d.counts[_IN_VAIN] < n_literals and d.counts[WORK] < until:
        literal, choice = d.counts[_NEXT], a.choice[d.counts[_NEXT]]
        # A choice of very many values is left in the middle.
        while literal < a.first[choice + 1] and d.counts[WORK] < until + work:
            before = d.counts[REMOVED]
            if broken == FIXED_POINT and d.alive[literal] and d.size[choice] > 1:
                keep_only(a, d, literal)
                refuted = propagate(a, d, before, FAR)
                restore(a, d, before)
                d.counts[_PROBES] += 1
                if refuted != FIXED_POINT:
                    remove(a, d, literal)
                    broken = propagate(a, d, before, FAR)
            d.counts[_IN_VAIN] = d.counts[_IN_VAIN] + 1 if d.counts[REMOVED] == before else 0
            literal += 1
        d.counts[_NEXT] = literal if literal < n_literals else 0
    return broken


@inlined
def probe_pairs(a: Any, d: Any, literal: int, work: int) -> int:
    """Assume a value, probe the others, its neighbours first, and remove it if that refutes it.

    Returns what ``propagate`` does.
    """
    before, choice, broken = d.counts[REMOVED], a.choice[literal], FIXED_POINT
    if d.alive[literal] and d.size[choice] > 1:
        keep_only(a, d, literal)
        refuted = propagate(a, d, before, FAR)
        if refuted == FIXED_POINT:
            following, d.counts[_NEXT] = d.counts[_NEXT], a.first[choice]
            in_vain, d.counts[_IN_VAIN] = d.counts[_IN_VAIN], 0
            refuted = probe_values(a, d, work)
            d.counts[_NEXT], d.counts[_IN_VAIN] = following, in_vain
        restore(a, d, before)
        if refuted != FIXED_POINT:
            remove(a, d, literal)
            broken = propagate(a, d, before, FAR)
            d.counts[_IN_VAIN] = 0
    d.counts[_PAIRS_IN_VAIN] = d.counts[_PAIRS_IN_VAIN] + 1 if d.counts[REMOVED] == before else 0
    return broken


@kernel
def probe(model: Any, domains: Any, work: int, pairs: int) -> int:
    """Probe values, and those that are left in pairs, with so much work at most for each.

    Until neither removes anything, or so much work is done; a further call goes on. Returns what
    ``propagate`` does.
    """
    a, d = pointers(PropagatorArrays, model), pointers(DomainArrays, domains)
    until, n_literals = d.counts[WORK] + work, a.first[a.n_choices]
    broken: int = probe_values(a, d, work)
    while pairs and broken == FIXED_POINT and d.counts[WORK] < until:
        if d.counts[_PAIRS_IN_VAIN] >= n_literals:
            break
        if d.counts[_IN_VAIN] < n_literals:
            broken = probe_values(a, d, until - d.counts[WORK])
        else:
            literal = d.counts[_NEXT_PAIRS]
            d.counts[_NEXT_PAIRS] = literal + 1 if literal + 1 < n_literals else 0
            broken = probe_pairs(a, d, literal, pairs)
    return broken


class Propagator:
    """The values that are left of a model's choices, and what follows from removing some.

    Bounds propagation on linear rows, with each choice's values as one group, and on precedences;
    everything that a chain, see ``find_chains``, or connectivity alone implies; acyclic edges
    propagate nothing. Source: bounds consistency of linear constraints,
    e.g. Schulte and Stuckey, "When do bounds and domain propagation lead to the same search
    space?" (2005).

    >>> from qubopuzzle import ModelBuilder
    >>> b = ModelBuilder()
    >>> x, y = b.choice("x", range(3)), b.choice("y", range(3))
    >>> b.precedence("order", [x], [y], [1])
    >>> propagator = Propagator(b.build())
    >>> propagator.run()  # no constraint is broken
    >>> propagator.alive.tolist()  # x is 0 or 1, y is 1 or 2
    [True, True, False, False, True, True]

    Attributes:
        model, rows, order: what it propagates: the matrix of all linear rows, the precedences.
        paths, exact, chains: the paths of the precedences, which of them are ``separable``, and
            the chains among them, or none.
        graphs: the nodes that are connected, of the model or deferred to cuts.
        arrays, domains: the same for compiled code, and what is left.
    """

    def __init__(self, model: Model, *, chains: bool = True) -> None:
        self.model = model
        self.graphs = (*model.connected, *model.deferred)
        self.rows, lower, upper = all_rows(model)
        parts, self.order = Segments(model.choice_of_literal, self.rows), Precedences(model)
        self.paths = self.order.paths()
        terms = path_terms(parts, self.paths)
        self.exact = separable(self.order, self.paths, terms)
        exact = self.exact & chains
        self.chains = find_chains(self.order, self.paths, parts, terms, exact)
        # A chain sees to its own precedences.
        one, two = (self.chains.chain_of[end] for end in (self.order.first, self.order.second))
        (apart,) = np.nonzero((one < 0) | (one != two))
        self.arrays = self._arrays(parts, lower, upper, apart)
        self.domains = _everything(self.arrays, apart)

    def _arrays(
        self, parts: Segments, lower: IntArray, upper: IntArray, apart: IntArray
    ) -> PropagatorArrays:
        """The model for kernels, with the bounds of its rows and the precedences in no chain."""
        model, order, chains, along = self.model, self.order, self.chains, self.chains.arrays
        n, n_rows, n_others = len(model.choices), len(lower), len(lower) + len(order.first)
        n_local, graphs = n_others + len(along["room"]), self.graphs
        node = np.concatenate([np.zeros(0, dtype=np.int64), *(g.literals for g in graphs)])
        node_start = np.cumsum([0, *(len(g.literals) for g in graphs)])
        edges = [g.edges + first for g, first in zip(graphs, node_start, strict=False)]
        ends = np.concatenate([np.zeros((0, 2), dtype=np.int64), *edges])
        ends = np.concatenate([ends, ends[:, ::-1]])
        touch, chain = np.arange(len(chains.touch_row)), n_others + np.arange(len(along["room"]))
        row, choice, count, literal, coefficient = _with_touches(parts, chains, model)
        precedence = n_rows + apart
        inside = np.repeat(chain, np.diff(along["chain_start"]))
        about = np.repeat(chain, np.diff(along["touch_start"]))
        graph = n_local + np.repeat(np.arange(len(graphs)), np.diff(node_start))
        of_graph = np.unique(np.column_stack([graph, model.choice_of_literal[node]]), axis=0)
        watched = np.concatenate([row, precedence, precedence, inside, about, of_graph[:, 0]])
        both = order.first[apart], order.second[apart]
        watching = np.concatenate([choice, *both, along["chain_choice"], n + touch, of_graph[:, 1]])
        return PropagatorArrays(
            n_choices=n + len(touch),
            n_rows=n_rows,
            n_others=n_others,
            n_local=n_local,
            n_constraints=n_local + len(graphs),
            first=np.append(model.first_literal, model.n_literals + 2 * (touch + 1)),
            choice=np.append(model.choice_of_literal, np.repeat(n + touch, 2)),
            number=order.number,
            part_start=starts(row, n_rows),
            part_choice=choice,
            term_start=np.append(0, np.cumsum(count)),
            literal=literal,
            coefficient=coefficient,
            lower=lower,
            upper=upper,
            before=order.first,
            after=order.second,
            gap=order.gap,
            watch_start=starts(watching, n + len(touch)),
            watch=watched[np.argsort(watching, kind="stable")],
            untouched=model.n_literals + 2 * touch,
            **along,
            node_start=node_start[:-1],
            node_stop=node_start[1:],
            node=node,
            near_start=starts(ends[:, 0], len(node)),
            near=ends[np.argsort(ends[:, 0], kind="stable"), 1],
        )

    @cached_property
    def packed(self) -> Any:
        """What kernels take of the arrays."""
        return _packed(self.arrays)

    def copy_domains(self) -> DomainArrays:
        """What is left now, for somebody else to change; no work was done on it yet."""
        copies: Any = (array.copy() for array in self.domains)
        copied = DomainArrays(*copies)
        copied.counts[WORK] = 0
        return copied

    @property
    def alive(self) -> NDArray[np.bool_]:
        """Whether each literal of the model can still be true, shape (literals,)."""
        return self.domains.alive[: self.model.n_literals]

    def run(self) -> str | None:
        """Remove values to a fixed point; returns the constraint that proves that there is none."""
        if not runs_plain(self.model):
            return self.run_compiled()
        broken = self._run_plain()
        return self.run_compiled() if broken == _UNFINISHED else self._broken(broken)

    def run_compiled(self) -> str | None:
        """The same, by the compiled kernel, whether it is at hand or not."""
        return self._broken(propagate_all(self.packed, _packed(self.domains), FAR))

    def _run_plain(self) -> int:
        """The same kernel as Python runs it, as far as little work leads; as ``propagate``."""
        global _done_plain
        a, d = as_lists(self.arrays), as_lists(self.domains)
        before, left = d.counts[WORK], _PLAIN_WORK - _done_plain
        broken: int = propagate_all.plain(a, d, before + left)
        _done_plain += d.counts[WORK] - before
        for array, values in zip(self.domains, d, strict=True):
            array[:] = values
        return broken

    def without(self, literals: IntArray) -> tuple[IntArray, str | None]:
        """What goes, in order, if these literals are left out, after ``run``; and what that breaks.

        Nothing is left out here: there may be solutions with these literals.
        """
        other = copy(self)
        other.domains = domains = self.copy_domains()
        before = domains.counts[REMOVED]
        leave_out(self.arrays, domains, literals)
        look_at(domains, np.arange(self.arrays.n_constraints))
        broken = other.run_compiled()
        return domains.removed[before : domains.counts[REMOVED]], broken

    def probe(self, work: int, *, pairs: bool = False) -> str | None:
        """Remove what failed literals show, after ``run``; returns as it does.

        A value that breaks a constraint when it is taken and propagated is in no solution. With
        ``pairs`` nor is one that is refuted by probing the others once it is taken, as far as
        ``PAIR_WORK`` leads. Ends where no value does, or after ``work`` terms of rows, precedences,
        places of chains and edges of graphs were looked at; then it goes on when it is called
        again. Source: failed literal probing, e.g.
        Lynce and Marques-Silva, "Probing-based preprocessing techniques for propositional
        satisfiability" (2003).
        """
        pair_work = PAIR_WORK if pairs else 0
        return self._broken(probe(self.packed, _packed(self.domains), work, pair_work))

    @property
    def probes(self) -> int:
        """Values probed so far, those of touches included."""
        return int(self.domains.counts[_PROBES])

    @property
    def probed_all(self) -> bool:
        """Whether no value that is left would be removed by a further probe."""
        return bool(self.domains.counts[_IN_VAIN] >= len(self.domains.alive))

    @property
    def probed_pairs(self) -> bool:
        """The same with ``pairs``."""
        return self.probed_all and bool(
            self.domains.counts[_PAIRS_IN_VAIN] >= len(self.domains.alive)
        )

    def _broken(self, constraint: int) -> str | None:
        return None if constraint == FIXED_POINT else self.label(constraint)

    def label(self, constraint: int) -> str:
        """What a constraint is called, by its number: rows come first, chains last.

        A chain has the family of its last precedence.
        """
        if constraint < self.arrays.n_rows:
            return self.model.row_label(constraint)
        if constraint >= self.arrays.n_local:
            return self.graphs[constraint - self.arrays.n_local].family
        if constraint < self.arrays.n_others:
            number = constraint - self.arrays.n_rows
            first, last, word = self.order.first[number], self.order.second[number], "and"
        else:
            chain, start = constraint - self.arrays.n_others, self.arrays.chain_start
            first, last = self.arrays.chain_choice[[start[chain], start[chain + 1] - 1]]
            number, word = self.paths.entry[last], "to"
        one, two = (self.model.choices[end].name for end in (first, last))
        return f"{self.order.family[number]} of {one} {word} {two}"


def runs_plain(model: Model) -> bool:
    """Whether a model is propagated by Python alone: numba would take longer to be imported."""
    size = model.n_literals + sum(block.matrix.nnz for block in model.linear)
    return not propagate_all.is_compiled and bool(_LOOKS * size <= _PLAIN_WORK - _done_plain)


def leave_out(a: PropagatorArrays, d: DomainArrays, literals: IntArray) -> None:
    """Remove literals, (n,), those that are gone already passed over."""
    going = np.zeros(len(d.alive), dtype=bool)
    going[literals] = True
    gone = np.flatnonzero(going & d.alive)
    before, n = d.counts[REMOVED], len(gone)
    d.alive[gone] = False
    d.removed[before : before + n] = gone
    d.counts[REMOVED] += n
    np.subtract.at(d.size, a.choice[gone], 1)


def look_at(d: DomainArrays, constraints: IntArray) -> None:
    """Put these constraints into the queue, and no others."""
    d.queue[: len(constraints)] = constraints
    d.waiting[:] = False
    d.waiting[constraints] = True
    d.counts[_HEAD], d.counts[_QUEUED] = 0, len(constraints)


def _packed(arrays: Any) -> Any:
    from qubopuzzle.jit.packing import addresses  # imports numba

    return addresses(arrays)


def _everything(a: PropagatorArrays, apart: IntArray) -> DomainArrays:
    """All values are left, and no constraint was looked at, but for precedences not ``apart``."""
    chain = np.arange(a.n_others, a.n_constraints)  # and graphs
    queue = np.concatenate([np.arange(a.n_rows), a.n_rows + apart, chain])
    waiting = np.zeros(a.n_constraints, dtype=bool)
    waiting[queue] = True
    order, low, up, at = np.zeros((4, len(a.node)), dtype=np.int64)
    holds, cuts = np.zeros((2, len(a.node)), dtype=bool)
    most_parts, most_places = np.diff(a.part_start).max(initial=0), a.room.max(initial=0)
    least, greatest = np.zeros((2, most_parts), dtype=np.int64)
    cost, before, behind, following = np.zeros((4, most_places), dtype=np.int64)
    return DomainArrays(
        alive=np.ones(len(a.choice), dtype=bool),
        size=np.diff(a.first),
        removed=np.zeros(len(a.choice), dtype=np.int64),
        cause=np.zeros(len(a.choice), dtype=np.int64),
        queue=np.resize(queue, a.n_constraints),
        waiting=waiting,
        counts=np.array([0, 0, len(queue), *[0] * 6]),
        least=least,
        greatest=greatest,
        cost=cost,
        before=before,
        behind=behind,
        next=following,
        order=order,
        low=low,
        up=up,
        at=at,
        holds=holds,
        cuts=cuts,
    )


def _with_touches(
    parts: Segments, chains: Chains, model: Model
) -> tuple[IntArray, IntArray, IntArray, IntArray, IntArray]:
    """The parts of rows, those of chains as one term of a touch each.

    Returns the row, choice and number of terms of each part, (parts,), and the literal and
    coefficient of each term, (terms,).
    """
    apart, touch = chains.chain_of[parts.choice] < 0, np.arange(len(chains.touch_row))
    kept = np.repeat(apart, parts.count)
    row = np.append(parts.row[apart], chains.touch_row)
    choice = np.append(parts.choice[apart], len(model.choices) + touch)
    count = np.append(parts.count[apart], np.ones_like(touch))
    literal = np.append(parts.literal[kept], model.n_literals + 2 * touch + 1)
    coefficient = np.append(parts.data[kept], chains.touch_amount)
    ordered, begin = np.argsort(row, kind="stable"), np.cumsum(count) - count
    row, choice, count, begin = (each[ordered] for each in (row, choice, count, begin))
    term = np.repeat(begin - np.cumsum(count) + count, count) + np.arange(len(literal))
    return row, choice, count, literal[term], coefficient[term]
