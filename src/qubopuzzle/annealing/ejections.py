"""A search among valid states alone, where all rows are conflicts, as a kernel.

A literal is taken in place of its choice's none, and what it is in conflict with becomes none:
nothing is ever broken, and no weights are needed. Tabu search of several neighbourhoods: Wu, Hao
and Glover, "Multi-neighborhood tabu search for the maximum weight clique problem", Annals of
Operations Research 196 (2012).
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.annealing import conflicts, kernels
from qubopuzzle.annealing.conflicts import ConflictArrays
from qubopuzzle.annealing.kernels import (
    LEAST,
    ExtraArrays,
    ModelArrays,
    StateArrays,
    keep_if_better,
    note_new_values,
    objective_of,
)
from qubopuzzle.jit import called, inlined, kernel, pointers, version_of
from qubopuzzle.model import IntArray

FREE, ONE, TAKEN = range(3)
"""Lists of nodes: without a neighbour that is taken, with one such neighbour, and taken."""
MOVES = 3
"""A place in ``EjectionArrays.counts`` behind their lengths."""
_TENURE = 7
"""Moves for which what was put out does not come back, at least."""
_LOOKED_AT = 400
"""Nodes of a list that a move chooses among, at most."""


class EjectionArrays(NamedTuple):
    """The nodes of a conflict graph in one run.

    Attributes:
        listed: the nodes of each list, a list behind the other, (3 * nodes,); place: where in its
            list a node is, (nodes,).
        is_taken, n_against, against: whether a node is taken, how many of its neighbours are, and
            the sum of their numbers, (nodes,).
        until, often: the move up to which a node is tabu, and how often it was taken, (nodes,).
        counts: the lengths of the lists, and moves so far.
    """

    listed: IntArray
    place: IntArray
    is_taken: NDArray[np.bool_]
    n_against: IntArray
    against: IntArray
    until: IntArray
    often: IntArray
    counts: IntArray


def nothing_taken(n_nodes: int) -> EjectionArrays:
    """What a run of a conflict graph with so many nodes begins with."""
    nodes = np.arange(n_nodes)
    return EjectionArrays(
        listed=np.tile(nodes, 3),
        place=nodes,
        is_taken=np.zeros(n_nodes, dtype=bool),
        n_against=np.zeros(n_nodes, dtype=np.int64),
        against=np.zeros(n_nodes, dtype=np.int64),
        until=np.zeros(n_nodes, dtype=np.int64),
        often=np.zeros(n_nodes, dtype=np.int64),
        counts=np.array([n_nodes, 0, 0, 0]),
    )


@inlined
def put(c: Any, e: Any, which: int, node: int) -> None:
    """Add a node to a list."""
    e.listed[which * c.n_nodes + e.counts[which]] = node
    e.place[node] = e.counts[which]
    e.counts[which] += 1


@inlined
def remove(c: Any, e: Any, which: int, node: int) -> None:
    """Take a node from a list; the last one takes its place."""
    e.counts[which] -= 1
    last = e.listed[which * c.n_nodes + e.counts[which]]
    e.listed[which * c.n_nodes + e.place[node]] = last
    e.place[last] = e.place[node]


@called
def take(a: Any, s: Any, c: Any, e: Any, node: int) -> None:
    """Take a node that is free in place of its choice's none."""
    remove(c, e, FREE, node)
    put(c, e, TAKEN, node)
    e.is_taken[node] = True
    e.often[node] += 1
    choice = c.choice[node]
    s.value[choice] = c.literal[node] - a.first[choice]
    for k in range(c.near_start[node], c.near_start[node + 1]):
        other = c.near[k]
        before = e.n_against[other]
        if before < 2:
            remove(c, e, before, other)
        if before == 0:
            put(c, e, ONE, other)
        e.n_against[other] = before + 1
        e.against[other] += node


@called
def eject(a: Any, s: Any, c: Any, e: Any, node: int, until: int) -> None:
    """Put a node's choice back to none, and keep it there up to a move."""
    remove(c, e, TAKEN, node)
    put(c, e, FREE, node)
    e.is_taken[node], e.until[node] = False, until
    choice = c.choice[node]
    s.value[choice] = c.none[choice] - a.first[choice]
    for k in range(c.near_start[node], c.near_start[node + 1]):
        other = c.near[k]
        after = e.n_against[other] - 1
        if after == 0:
            remove(c, e, ONE, other)
        if after < 2:
            put(c, e, after, other)
        e.n_against[other] = after
        e.against[other] -= node


@inlined
def gain_of(c: Any, e: Any, node: int) -> float:
    """What a move of a node gains: it is taken, after what is against it, or it is put out."""
    gain: float = c.gain[node]
    if e.is_taken[node]:
        return -gain
    return gain - c.gain[e.against[node]] if e.n_against[node] else gain


@inlined
def replaces(e: Any, node: int, best: int, ties: int, by_number: bool, rng: Any) -> bool:
    """Whether a node is taken rather than the best one so far, whose move gains as much."""
    if by_number and best >= 0:
        return bool(e.often[node] < e.often[best])
    return bool(rng.random() * ties < 1.0)


@called
def best_of(
    c: Any, e: Any, which: int, most: float, wanted: float, by_number: bool, rng: Any
) -> int:
    """The node of a list whose move gains most and at least ``most``; -1 for none.

    Among equals a random one, or ``by_number`` one that was taken least often. A tabu one only if
    it gains more than ``wanted``. Nodes are looked at from a random one on.
    """
    size, best, ties = e.counts[which], -1, 1
    at = int(rng.random() * size)
    for _ in range(min(size, _LOOKED_AT)):
        at = at + 1 if at + 1 < size else 0
        node = e.listed[which * c.n_nodes + at]
        gain = gain_of(c, e, node)
        if gain < most or (e.until[node] >= e.counts[MOVES] and gain <= wanted):
            continue
        ties = ties + 1 if gain == most else 1
        if gain > most or replaces(e, node, best, ties, by_number, rng):
            best, most = node, gain
    return int(best)


@called
def begin(a: Any, s: Any, c: Any, e: Any, rng: Any) -> None:
    """Take what the values take and no conflict forbids, then random free nodes."""
    for choice in range(a.n_choices):
        s.order[choice] = a.first[choice] + s.value[choice]
        s.value[choice] = c.none[choice] - a.first[choice]
    for node in range(c.n_nodes):
        if s.order[c.choice[node]] == c.literal[node] and e.n_against[node] == 0:
            take(a, s, c, e, node)
    while e.counts[FREE]:
        take(a, s, c, e, e.listed[int(rng.random() * e.counts[FREE])])


@called
def next_node(c: Any, e: Any, wanted: float, by_number: bool, rng: Any) -> int:
    """The node whose move gains most, even if it loses: free, to be swapped or to be put out.

    -1 if all that might move is tabu.
    """
    best, most = -1, -math.inf
    for which in (FREE, ONE, TAKEN):
        if which < TAKEN or most < 0.0:
            node = best_of(c, e, which, most, wanted, by_number, rng)
            if node >= 0:
                best, most = node, gain_of(c, e, node)
    return best


@called
def move(a: Any, s: Any, c: Any, e: Any, node: int, rng: Any) -> None:
    """Put a node out that is taken, or take it and eject what is against it."""
    until = e.counts[MOVES] + _TENURE
    if e.is_taken[node]:
        eject(a, s, c, e, node, until)
    else:
        if e.n_against[node]:
            eject(a, s, c, e, e.against[node], until + int(rng.random() * e.counts[ONE]))
        take(a, s, c, e, node)


@kernel
def run_ejections(
    arrays: tuple[Any, Any, Any, Any],
    extras: Any,
    graph: tuple[Any, Any],
    rng: Any,
    moves: int,
    by_number: bool,
    _version: int = version_of(kernels),
    _graphs_version: int = version_of(conflicts),
) -> None:
    """So many moves among valid states; ``best`` is the best state that they come to.

    A run begins with the values that the state has, those left out that are in conflict with
    earlier ones or gain nothing. The move that gains most is made, also if that is a loss: a node
    that is free is taken, or one with a single neighbour that is taken, which it ejects, or one is
    put out. What is put out stays out for ``_TENURE`` moves, after a swap for a random number more
    up to the number of possible swaps, but where it leads to something better than ever. Among
    equals ``by_number`` prefers what was taken least often in the run, else chance.
    """
    model, state, _, _ = arrays
    a, s = pointers(ModelArrays, model), pointers(StateArrays, state)
    x = pointers(ExtraArrays, extras)
    nodes, lists = graph
    c, e = pointers(ConflictArrays, nodes), pointers(EjectionArrays, lists)
    for choice in range(a.n_choices):
        s.before_descent[choice] = s.value[choice]
    if e.counts[MOVES] == 0:
        begin(a, s, c, e, rng)
    objective = objective_of(a, s, x)
    for _ in range(moves):
        e.counts[MOVES] += 1
        node = next_node(c, e, objective - s.worth[LEAST], by_number, rng)
        if node >= 0:
            gain = gain_of(c, e, node)
            if gain <= 0.0:
                keep_if_better(a, s, objective)
            objective -= gain
            move(a, s, c, e, node, rng)
    keep_if_better(a, s, objective)
    note_new_values(a, s)
