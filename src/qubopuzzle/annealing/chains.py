"""Chains: paths of precedences whose choices can be redrawn together, exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.annealing.layout import rows_disjoint
from qubopuzzle.model import IntArray, IntMatrix, Model
from qubopuzzle.model.order import Precedences


@dataclass(frozen=True, slots=True, eq=False)
class Chains:
    """Paths of choices that can be redrawn at once.

    Attributes:
        paths: the choices of each, in order.
        loose: which precedences are in none, shape (precedences,).
        earliest: index of the first value of each choice that its chain allows, (choices,).
        gap: at a chain's later choices, the least distance to the one before, (choices,).
        reach: at a chain's later choices, how many values of the one before each value
            allows; 1 elsewhere, (literals,).
    """

    paths: list[list[int]]
    loose: NDArray[np.bool_]
    earliest: IntArray
    gap: IntArray
    reach: IntArray


def find_chains(model: Model, terms: IntMatrix, order: Precedences, *, enabled: bool) -> Chains:
    """Find them; none where not ``enabled``.

    A path has at most one precedence into each choice and one out of it, no other between
    its choices, some values that keep all of them, and no two choices with terms in one row.
    Only then is its energy a sum over its choices, and redrawing it exact.
    """
    n = len(model.choices)
    loose = np.ones(len(order.first), dtype=bool)
    earliest = np.zeros(n, dtype=np.int64)
    paths, edges = order.paths() if enabled else ([], [])
    if paths:
        earliest = _earliest(model, order, edges)
        loose[np.concatenate(edges)] = False
        good = _rows_disjoint(model, terms, paths, order, _gaps(n, order, loose))
        path_of = np.full(n, -1)
        path_of[np.concatenate(paths)] = np.repeat(np.arange(len(paths)), [len(p) for p in paths])
        one, two = path_of[order.first[loose]], path_of[order.second[loose]]
        good[one[(one == two) & (one >= 0)]] = False
        good[path_of[(earliest == model.sizes) & (path_of >= 0)]] = False
        for i in np.flatnonzero(~good).tolist():
            loose[edges[i]] = True
            earliest[paths[i]] = 0
        paths = [path for i, path in enumerate(paths) if good[i]]
    gap = _gaps(n, order, loose)
    return Chains(paths, loose, earliest, gap, _reach(model, order, loose, gap))


def _gaps(n: int, order: Precedences, loose: NDArray[np.bool_]) -> IntArray:
    """The gap before each choice that comes second in a chain, else 0, (choices,)."""
    gap = np.zeros(n, dtype=np.int64)
    gap[order.second[~loose]] = order.gap[~loose]
    return gap


def _earliest(model: Model, order: Precedences, edges: list[list[int]]) -> IntArray:
    """Index of each choice's first value that its path allows, (choices,); its size for none."""
    starts, sizes = model.first_literal[:-1], model.sizes
    index = np.zeros(len(starts), dtype=np.int64)
    for depth in range(max(len(through) for through in edges)):
        at = np.array([through[depth] for through in edges if len(through) > depth])
        one, two = order.first[at], order.second[at]
        limit = order.number[starts[one] + np.minimum(index[one], sizes[one] - 1)] + order.gap[at]
        index[two] = order.below(two, limit)
        index[two[index[one] == sizes[one]]] = sizes[two[index[one] == sizes[one]]]
    return np.clip(index, 0, sizes)


def _reach(model: Model, order: Precedences, loose: NDArray[np.bool_], gap: IntArray) -> IntArray:
    """How many values of the choice before each literal's value allows, (literals,)."""
    owner = model.choice_of_literal
    before = np.full(len(model.choices), -1)
    before[order.second[~loose]] = order.first[~loose]
    reach = np.ones(model.n_literals, dtype=np.int64)
    (later,) = np.nonzero(before[owner] >= 0)
    one = before[owner[later]]
    reach[later] = order.below(one, order.number[later] - gap[owner[later]] + 1)
    return reach


def _rows_disjoint(
    model: Model, terms: IntMatrix, paths: list[list[int]], order: Precedences, gap: IntArray
) -> NDArray[np.bool_]:
    """By path: whether no two choices, at values that the gaps allow, have terms in one row."""
    lengths = np.array([len(path) for path in paths])
    choices = np.concatenate(paths)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    total = np.cumsum(gap[choices])
    ahead = np.zeros(len(model.choices), dtype=np.int64)
    ahead[choices] = total - np.repeat(total[starts[:-1]], lengths)
    slack = order.number - ahead[model.choice_of_literal]
    term_start, term_row = terms.indptr.astype(np.int64), terms.indices.astype(np.uint64)
    found: NDArray[np.bool_] = rows_disjoint(
        term_start, term_row, model.first_literal, starts, choices, slack, terms.shape[1]
    )
    return found
