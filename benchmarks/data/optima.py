"""Proofs of optima by complete search, for two kinds of small programs.

Nothing here uses a solver: what is proved is what all of them are measured by.
"""

from __future__ import annotations

from math import inf, isqrt

import numpy as np
from numba import njit
from numpy.typing import NDArray

from qubopuzzle.programs import Program


def best_arrangement(program: Program) -> float:
    """The least quadratic objective of permutations; variable ``k * n + l`` puts k at l.

    Depth first, the most connected first. What is still to come costs at least, for each of the
    rest, its cheapest place: what it costs with those in place, and half of its cheapest pairs.
    """
    n = isqrt(len(program.variables))
    assert len(program.variables) == n * n
    assert not program.cost.any()
    weight = (program.quadratic + program.quadratic.T).toarray().reshape(n, n, n, n)
    order = np.argsort(-weight.sum(axis=(1, 2, 3)), kind="stable")
    weight = np.ascontiguousarray(weight[order][:, :, order])
    return float(_least(weight, np.zeros(n, dtype=np.int64), 0, 0.0, inf)) + program.offset


@njit
def _least(
    weight: NDArray[np.float64], place: NDArray[np.int64], k: int, cost: float, best: float
) -> float:
    """``best``, or the least cost with ``place[:k]`` as it is, if that is less."""
    n = len(place)
    if k == n:
        return min(cost, best)
    free = np.ones(n, dtype=np.bool_)
    for i in range(k):
        free[place[i]] = False
    bound = cost
    for i in range(k, n):
        cheapest = inf
        for here in range(n):
            if free[here]:
                placed = _with_placed(weight, place, k, i, here)
                cheapest = min(cheapest, placed + _at_least(weight, free, k, i, here) / 2)
        bound += cheapest
    for here in range(n):
        if free[here] and bound < best - 1e-6:
            place[k] = here
            more = _with_placed(weight, place, k, k, here)
            best = _least(weight, place, k + 1, cost + more, best)
    return best


@njit
def _with_placed(
    weight: NDArray[np.float64], place: NDArray[np.int64], k: int, i: int, here: int
) -> float:
    """What i costs here with those that are in place."""
    total = 0.0
    for j in range(k):
        total += weight[i, here, j, place[j]]
    return total


@njit
def _at_least(
    weight: NDArray[np.float64], free: NDArray[np.bool_], k: int, i: int, here: int
) -> float:
    """What i costs here with the others that are not in place, each where it is cheapest."""
    total = 0.0
    for m in range(k, len(free)):
        if m != i:
            near = inf
            for there in range(len(free)):
                if free[there] and there != here:
                    near = min(near, weight[i, here, m, there])
            total += near
    return total


def best_cut(program: Program) -> float:
    """The largest objective without rows, vertex by vertex, for sparse graphs.

    A table has the best of all assignments of the vertices so far for each assignment of those
    that have neighbours to come, one axis each; the next vertex is one that leaves fewest.
    """
    weight = (program.quadratic + program.quadratic.T).toarray()
    axes: list[int] = []
    todo = set(range(len(weight)))
    table = np.zeros(())
    while todo:
        v = min(sorted(todo), key=lambda v: len(_open(weight, [*axes, v], todo - {v})))
        one = np.full(table.shape, program.cost[v])
        for axis, u in enumerate(axes):
            shape = [2 if other == axis else 1 for other in range(len(axes))]
            one += weight[u, v] * np.arange(2).reshape(shape)
        todo.remove(v)
        known = [*axes, v]
        axes = _open(weight, known, todo)
        gone = tuple(axis for axis, u in enumerate(known) if u not in axes)
        table = np.stack([table, table + one], axis=-1).max(axis=gone)
    return float(table) + program.offset


def _open(weight: NDArray[np.float64], known: list[int], todo: set[int]) -> list[int]:
    """Which of some vertices have neighbours among those to come."""
    coming = sorted(todo)
    return [u for u in known if weight[u, coming].any()]
