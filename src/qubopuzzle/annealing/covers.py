"""A search for small covers, where every row asks for some of its literals, as a kernel.

Each choice is **in** the cover or out of it. One that is in goes out, where least is lost, then
rows that ask for more take others in, as long as the cover stays better than the best one; rows
that are short for long weigh more. After Gao, Weise and Li, "An efficient local search heuristic
with row weighting for the unicost set covering problem", European Journal of Operational Research
246 (2015), here also with costs, and for rows that ask for several.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from qubopuzzle.annealing import kernels
from qubopuzzle.annealing.conflicts import Packing
from qubopuzzle.annealing.kernels import (
    LEAST,
    LESS,
    ExtraArrays,
    FloatArray,
    ModelArrays,
    StateArrays,
    keep_if_better,
    note_new_values,
)
from qubopuzzle.jit import called, inlined, kernel, pointers, version_of
from qubopuzzle.model import IntArray
from qubopuzzle.model.data import row_of_entry

INSIDE, SHORT, MOVES, LAST = range(4)
"""Places in ``CoverSearch.counts``."""
_LOOKED_AT = 1_000
"""Choices in the cover among which the one that goes out is chosen, at most."""


class CoverArrays(NamedTuple):
    """Rows that ask for some of their nodes, which are the choices that cost anything inside.

    Attributes:
        n_nodes, n_rows: how many there are.
        none: the literal of each choice with all of its nodes inside, (choices,).
        outside, choice: the literal of each node that is outside, and its choice, (nodes,); at most
            one of a choice is.
        cost: what the objective is greater by inside, (nodes,).
        row_start, row: the rows of each node, (nodes + 1,), (entries,).
        node_start, node: the nodes of each row, (rows + 1,), (entries,).
        need: how many of its nodes a row asks for, (rows,).
    """

    n_nodes: int
    n_rows: int
    none: IntArray
    outside: IntArray
    choice: IntArray
    cost: FloatArray
    row_start: IntArray
    row: IntArray
    node_start: IntArray
    node: IntArray
    need: IntArray


def covers_of(packing: Packing) -> CoverArrays | None:
    """The rows of a model all of which ask for some of their choices; None for other models.

    >>> from qubopuzzle import ModelBuilder
    >>> from qubopuzzle.annealing.conflicts import packing_of
    >>> b = ModelBuilder()
    >>> bits = [b.bit(name) == 1 for name in "xyz"]
    >>> b.linear("two of", [0, 0, 0], bits, [1, 1, 1], lower=2, shape=(1,))
    >>> b.objective(bits, [1.0, 2.0, 3.0])
    >>> covers = covers_of(packing_of(b.build()))
    >>> covers.need.tolist(), covers.node.tolist(), covers.cost.tolist()
    ([2], [0, 1, 2], [1.0, 2.0, 3.0])
    """
    choice, n = packing.owner[packing.literal], len(packing.literal)
    owned = csr_array((np.ones(n, dtype=np.int64), (choice, np.arange(n))))  # one is outside
    rows = csr_array(vstack([packing.excess[:, packing.literal], owned]))
    room = np.concatenate([packing.room, np.ones(owned.shape[0], dtype=np.int64)])
    asked = rows.sum(axis=1) - room
    rows, asked = rows[asked > 0], asked[asked > 0]
    of_row, worth = row_of_entry(rows), np.ones(len(asked), dtype=np.int64)
    rows.data = np.minimum(rows.data, asked[of_row])
    worth[of_row] = rows.data
    if not len(asked) or (rows.data != worth[of_row]).any():
        return None
    by_node = csr_array(rows.T)
    return CoverArrays(
        n_nodes=n,
        n_rows=len(asked),
        none=packing.none,
        outside=packing.literal,
        choice=choice,
        cost=packing.gain,
        row_start=by_node.indptr.astype(np.int64),
        row=by_node.indices.astype(np.int64),
        node_start=rows.indptr.astype(np.int64),
        node=rows.indices.astype(np.int64),
        need=-(-asked // worth),
    )


def covers_among(covers: CoverArrays, left: NDArray[np.bool_]) -> CoverArrays:
    """The same where only some choices may have all of their nodes inside, ``left`` (choices,).

    The node of another choice that has one alone stays outside.
    """
    is_kept = left[covers.choice] | (np.bincount(covers.choice)[covers.choice] > 1)
    if is_kept.all():
        return covers
    kept, gone = np.flatnonzero(is_kept), np.flatnonzero(~is_kept)
    none = covers.none.copy()
    none[covers.choice[gone]] = covers.outside[gone]
    entries = np.ones(len(covers.row), dtype=np.int64)
    by_node = csr_array((entries, covers.row, covers.row_start))[kept]
    rows = csr_array(by_node.T)
    return covers._replace(
        n_nodes=len(kept),
        none=none,
        outside=covers.outside[kept],
        choice=covers.choice[kept],
        cost=covers.cost[kept],
        row_start=by_node.indptr.astype(np.int64),
        row=by_node.indices.astype(np.int64),
        node_start=rows.indptr.astype(np.int64),
        node=rows.indices.astype(np.int64),
    )


def nothing_in(covers: CoverArrays) -> IntArray:
    """The literals of a state with no more inside than there must be, (choices,)."""
    literals = covers.none.copy()
    literals[covers.choice] = covers.outside
    return literals


class CoverSearch(NamedTuple):
    """What a run of a search for covers keeps.

    Attributes:
        is_inside: whether a node is in the cover, (nodes,); listed, place: those inside, and where
            in that list a node is, (nodes,).
        n_inside: how many nodes of a row are inside, (rows,); short, short_at: the rows that ask
            for more, and where in that list a row is, (rows,).
        weight: of each row, (rows,); score: the weights of the rows that would be less short with
            a node, or shorter without it, (nodes,).
        moved: the move in which a node came in or went out last, (nodes,); changed: in which a
            node of a row did, (rows,).
        counts: the lengths of the lists, moves so far, and the node that came in last.
    """

    is_inside: NDArray[np.bool_]
    listed: IntArray
    place: IntArray
    n_inside: IntArray
    short: IntArray
    short_at: IntArray
    weight: IntArray
    score: IntArray
    moved: IntArray
    changed: IntArray
    counts: IntArray


def nothing_inside(covers: CoverArrays) -> CoverSearch:
    """What a run begins with."""
    nodes, rows = np.zeros(covers.n_nodes, dtype=np.int64), np.arange(covers.n_rows)
    return CoverSearch(
        is_inside=np.zeros(covers.n_nodes, dtype=bool),
        listed=nodes,
        place=nodes.copy(),
        n_inside=np.zeros(covers.n_rows, dtype=np.int64),
        short=rows,
        short_at=rows.copy(),
        weight=np.ones(covers.n_rows, dtype=np.int64),
        score=np.diff(covers.row_start),
        moved=nodes - 1,
        changed=np.ones(covers.n_rows, dtype=np.int64),
        counts=np.array([0, covers.n_rows, 0, -1]),
    )


@inlined
def add_to_scores(c: Any, e: Any, row: int, those_inside: bool, weight: int) -> None:
    """Add to the scores of a row's nodes that are in the cover, or of those that are not."""
    for k in range(c.node_start[row], c.node_start[row + 1]):
        if e.is_inside[c.node[k]] == those_inside:
            e.score[c.node[k]] += weight


@called
def take_in(c: Any, e: Any, node: int) -> None:
    """Take a node into the cover."""
    e.place[node] = e.counts[INSIDE]
    e.listed[e.counts[INSIDE]] = node
    e.counts[INSIDE] += 1
    e.moved[node] = e.counts[MOVES]
    score = 0
    for k in range(c.row_start[node], c.row_start[node + 1]):
        row = c.row[k]
        e.changed[row] = e.counts[MOVES]
        before, weight = e.n_inside[row], e.weight[row]
        e.n_inside[row] = before + 1
        if before == c.need[row]:
            add_to_scores(c, e, row, True, -weight)
        elif before < c.need[row]:
            score += weight
            if before + 1 == c.need[row]:
                add_to_scores(c, e, row, False, -weight)
                e.counts[SHORT] -= 1
                last = e.short[e.counts[SHORT]]
                e.short[e.short_at[row]] = last
                e.short_at[last] = e.short_at[row]
    e.is_inside[node], e.score[node] = True, score


@called
def put_out(c: Any, e: Any, node: int) -> None:
    """Put a node out of the cover."""
    e.counts[INSIDE] -= 1
    last = e.listed[e.counts[INSIDE]]
    e.listed[e.place[node]] = last
    e.place[last] = e.place[node]
    e.moved[node] = e.counts[MOVES]
    e.is_inside[node] = False
    score = 0
    for k in range(c.row_start[node], c.row_start[node + 1]):
        row = c.row[k]
        e.changed[row] = e.counts[MOVES]
        after, weight = e.n_inside[row] - 1, e.weight[row]
        e.n_inside[row] = after
        if after == c.need[row]:
            add_to_scores(c, e, row, True, weight)
        elif after < c.need[row]:
            score += weight
            if after + 1 == c.need[row]:
                add_to_scores(c, e, row, False, weight)
                e.short[e.counts[SHORT]] = row
                e.short_at[row] = e.counts[SHORT]
                e.counts[SHORT] += 1
    e.score[node] = score


@called
def goes_out(c: Any, e: Any, but: int, rng: Any) -> int:
    """The node inside that loses least for its cost, of equals what moved least lately; or -1."""
    best, least, size = -1, math.inf, e.counts[INSIDE]
    at = int(rng.random() * size)
    for _ in range(min(size, _LOOKED_AT)):
        at = at + 1 if at + 1 < size else 0
        node = e.listed[at]
        loss = e.score[node] / c.cost[node]
        older = best >= 0 and e.moved[node] < e.moved[best]
        if node != but and (loss < least or (loss == least and older)):
            best, least = node, loss
    return int(best)


@inlined
def has_changed(c: Any, e: Any, node: int) -> bool:
    """Whether another node of one of a node's rows moved since it did."""
    for k in range(c.row_start[node], c.row_start[node + 1]):
        if e.changed[c.row[k]] > e.moved[node]:
            return True
    return False


@called
def comes_in(c: Any, e: Any, row: int, most: float) -> int:
    """The node outside of a row that gains most for its cost, which is below ``most``; or -1.

    One whose rows have changed since it moved, if there is one; else what moved least lately.
    """
    best, oldest, gain = -1, -1, -1.0
    for k in range(c.node_start[row], c.node_start[row + 1]):
        node = c.node[k]
        if e.is_inside[node] or c.cost[node] >= most:
            continue
        if oldest < 0 or e.moved[node] < e.moved[oldest]:
            oldest = node
        score = e.score[node] / c.cost[node]
        older = best >= 0 and e.moved[node] < e.moved[best]
        if (score > gain or (score == gain and older)) and has_changed(c, e, node):
            best, gain = node, score
    return int(best if best >= 0 else oldest)


@called
def fill(s: Any, c: Any, e: Any, objective: float, rng: Any) -> float:
    """Take nodes in for rows that are short, at random, below the best cover; the objective.

    Rows weigh more for each node that comes in while they are short, once there is a cover.
    """
    is_first = s.worth[LEAST] == math.inf
    while e.counts[SHORT] > 0:
        row = e.short[int(rng.random() * e.counts[SHORT])]
        node = comes_in(c, e, row, s.worth[LEAST] - objective)
        if node < 0:
            return objective
        take_in(c, e, node)
        objective += c.cost[node]
        e.counts[LAST] = node
        if is_first:
            continue
        for k in range(e.counts[SHORT]):
            row = e.short[k]
            e.weight[row] += 1
            for i in range(c.node_start[row], c.node_start[row + 1]):
                e.score[c.node[i]] += 1
    return objective


@called
def keep_cover(a: Any, s: Any, c: Any, e: Any, objective: float) -> None:
    """Keep a cover if its objective is the least so far."""
    if objective < s.worth[LEAST] - LESS:
        for choice in range(a.n_choices):
            s.value[choice] = c.none[choice] - a.first[choice]
        for node in range(c.n_nodes):
            if not e.is_inside[node]:
                s.value[c.choice[node]] = c.outside[node] - a.first[c.choice[node]]
        keep_if_better(a, s, objective)


@called
def thin(a: Any, s: Any, c: Any, e: Any, objective: float, rng: Any) -> float:
    """Keep a cover without what it does not need, and put out one node more; the objective."""
    while e.counts[SHORT] == 0:
        node = goes_out(c, e, -1, rng)
        if node < 0 or e.score[node] > 0:
            keep_cover(a, s, c, e, objective)
        if node < 0:
            return objective
        put_out(c, e, node)
        objective -= c.cost[node]
    return objective


@called
def objective_of_cover(a: Any, x: Any, c: Any, e: Any) -> float:
    """The objective of what is in the cover, without its offset."""
    objective = 0.0
    for choice in range(a.n_choices):
        objective += x.cost[c.none[choice]]
    for node in range(c.n_nodes):
        if not e.is_inside[node]:
            objective -= c.cost[node]
    return objective


@called
def begin(a: Any, s: Any, c: Any, e: Any) -> None:
    """Take in what the values have inside."""
    for node in range(c.n_nodes):
        choice = c.choice[node]
        if a.first[choice] + s.value[choice] != c.outside[node]:
            take_in(c, e, node)


@kernel
def run_covers(
    arrays: tuple[Any, Any, Any, Any],
    extras: Any,
    graph: tuple[Any, Any],
    rng: Any,
    moves: int,
    _version: int = version_of(kernels),
) -> None:
    """So many moves among covers and what is short of one; ``best`` is the best cover.

    A run begins with the values that the state has, to which short rows add.
    """
    model, state, _, _ = arrays
    a, s = pointers(ModelArrays, model), pointers(StateArrays, state)
    x = pointers(ExtraArrays, extras)
    nodes, search = graph
    c, e = pointers(CoverArrays, nodes), pointers(CoverSearch, search)
    for choice in range(a.n_choices):
        s.before_descent[choice] = s.value[choice]
    if e.counts[MOVES] == 0:
        begin(a, s, c, e)
    objective = objective_of_cover(a, x, c, e)
    for _ in range(moves):
        e.counts[MOVES] += 1
        objective = thin(a, s, c, e, objective, rng)
        node = goes_out(c, e, e.counts[LAST], rng)
        if node >= 0 and e.counts[MOVES] > 1:
            put_out(c, e, node)
            objective -= c.cost[node]
        objective = fill(s, c, e, objective, rng)
    objective = thin(a, s, c, e, objective, rng)
    for choice in range(a.n_choices):
        s.value[choice] = s.best[choice]
    note_new_values(a, s)
