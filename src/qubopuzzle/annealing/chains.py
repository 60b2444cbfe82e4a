"""Chains: paths of precedences whose choices can be redrawn together, exactly."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.jit import kernel
from qubopuzzle.model import IntArray, IntMatrix, Model
from qubopuzzle.model.order import Precedences


class Chains(NamedTuple):
    """Chains, and what ``ModelArrays`` has of them.

    Attributes:
        paths: the choices of each chain, in order.
        loose: which precedences are in none, shape (precedences,).
        earliest, reach: see ``ModelArrays``; gap: the same by choice, (choices,).
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
    n, owner = len(model.choices), model.choice_of_literal
    loose = np.ones(len(order.first), dtype=bool)
    earliest, gap = np.zeros((2, n), dtype=np.int64)
    paths, edges = order.paths() if enabled else ([], [])
    if paths:
        lengths, choices = [len(path) for path in paths], np.concatenate(paths)
        path_of = np.full(n, -1)
        path_of[choices] = np.repeat(np.arange(len(paths)), lengths)
        earliest, ahead = _along(model, order, edges)
        loose[np.concatenate(edges)] = False
        good = _rows_disjoint(
            terms.indptr.astype(np.int64),
            terms.indices.astype(np.uint64),
            model.first_literal,
            np.cumsum([0, *lengths]),
            choices,
            order.number - ahead[owner],
            terms.shape[1],
        )
        one, two = path_of[order.first[loose]], path_of[order.second[loose]]
        good[one[(one == two) & (one >= 0)]] = False
        good[path_of[(earliest == model.sizes) & (path_of >= 0)]] = False
        for i in np.flatnonzero(~good).tolist():
            loose[edges[i]] = True
            earliest[paths[i]] = 0
        paths = [path for i, path in enumerate(paths) if good[i]]
    before = np.full(n, -1)
    before[order.second[~loose]] = order.first[~loose]
    gap[order.second[~loose]] = order.gap[~loose]
    reach = np.ones(model.n_literals, dtype=np.int64)
    (later,) = np.nonzero(before[owner] >= 0)
    own = owner[later]
    reach[later] = order.below(before[own], order.number[later] - gap[own] + 1)
    return Chains(paths, loose, earliest, gap, reach)


def _along(model: Model, order: Precedences, edges: list[list[int]]) -> tuple[IntArray, IntArray]:
    """Index of each choice's first value that its path allows, and the sum of gaps before it.

    The index is the choice's size if there is no such value. Shape (choices,) each.
    """
    starts, sizes = model.first_literal[:-1], model.sizes
    index, ahead = np.zeros((2, len(starts)), dtype=np.int64)
    for depth in range(max(map(len, edges))):
        at = np.array([through[depth] for through in edges if len(through) > depth])
        one, two, gap = order.first[at], order.second[at], order.gap[at]
        limit = order.number[starts[one] + np.minimum(index[one], sizes[one] - 1)] + gap
        index[two] = np.where(index[one] == sizes[one], sizes[two], order.below(two, limit))
        ahead[two] = ahead[one] + gap
    return np.clip(index, 0, sizes), ahead


@kernel
def _rows_disjoint(
    term_start: Any,
    term_row: Any,
    first: Any,
    path_start: Any,
    path_choice: Any,
    slack: Any,
    n_rows: int,
) -> Any:
    """By path: whether no two choices, at values that the gaps allow, have terms in one row.

    Args:
        term_start, term_row, first: see ``ModelArrays``.
        path_start, path_choice: the choices of each path, in order.
        slack: each literal's number with the gaps before its choice taken out, (literals,).
            At allowed values it never falls along a path.
    """
    n_paths = len(path_start) - 1
    good = np.ones(n_paths, np.bool_)
    # The path and the slack of the last term in each row.
    seen, lowest = np.full(n_rows, -1), np.zeros(n_rows, np.int64)
    for path in range(n_paths):
        for q in range(path_start[path], path_start[path + 1]):
            choice = path_choice[q]
            for literal in range(first[choice + 1] - 1, first[choice] - 1, -1):
                for e in range(term_start[literal], term_start[literal + 1]):
                    row = term_row[e]
                    if seen[row] == path and lowest[row] <= slack[literal]:
                        good[path] = False
                    seen[row], lowest[row] = path, slack[literal]
    return good
