"""Connectivity as rows of a MIP: a tree over the true nodes, kept from cycles by serial numbers.

For a graph with n nodes, 0/1 value x_j of node j, and every edge as two arcs i -> j:

- r_j = 1 if j is the root; at most one is: sum r_j <= 1
- f_ij = 1 if i is the parent of j; a true node is the root or has one parent:
  r_j + sum_i f_ij = x_j, and the parent is true: f_ij <= x_i
- o_j in 0 .. n - 1 counts along the tree: f_ij = 1 -> o_j >= o_i + 1, with n as big M

Following parents, serial numbers fall, so that every true node ends at the only root;
conversely depths in a breadth-first tree are such numbers. (Miller, Tucker and Zemlin,
J. ACM 7, 326, 1960, order tours in this way.)

A graph without cycles needs no root: each true edge e is one of its two arcs, f_e + f'_e = x_e,
at most one arc arrives at a node, and serial numbers rise along arcs. On a cycle every node
would have to have its one arc from the cycle, all in one direction, and numbers would rise
around; conversely any forest can be hung up by one node of each piece.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from qubopuzzle.compile.encoding import Encoding
from qubopuzzle.model import UNBOUNDED, Acyclic, Connected, IntArray, IntMatrix

MoreRows: TypeAlias = tuple[IntMatrix, IntArray, IntArray, list[str], IntArray, list[str]]
"""What ``Mip.with_rows`` takes: matrix, lower, upper, labels, tops, names."""


def connected_rows(bits: Encoding, graph: Connected, n_before: int) -> MoreRows:
    """The rows of one constraint; its variables are numbered from ``n_before``."""
    n, own = len(graph.literals), graph.family
    edges = np.unique(np.sort(graph.edges[graph.edges[:, 0] != graph.edges[:, 1]]), axis=0)
    parent, child = np.concatenate([edges, edges[:, ::-1]]).T
    arcs = list(zip(parent.tolist(), child.tolist(), strict=True))
    node, arc = np.arange(n), np.arange(len(arcs))
    root, joined, serial = n_before + node, n_before + n + arc, n_before + n + len(arc) + node
    truth, base = bits.matrix[graph.literals], bits.base[graph.literals]
    names = [f"{own}.root[{j}]" for j in range(n)]
    names += [f"{own}.parent[{j}]={i}" for i, j in arcs]
    arrival = [f"{own}.arrival[{j}]" for j in range(n)]
    true, order = ([f"{own}.{rule}[{i},{j}]" for i, j in arcs] for rule in ("parent_true", "order"))
    above = (arc, serial[child], 1), (arc, serial[parent], -1)
    return _more_rows(
        n_before,
        names,
        [f"{own}.serial[{j}]" for j in range(n)],
        ([f"{own}.one_root"], -UNBOUNDED, 1, (0, root, 1)),
        (arrival, base, base, (node, root, 1), (child, joined, 1), _terms(-truth)),
        (true, -base[parent], UNBOUNDED, _terms(truth[parent]), (arc, joined, -1)),
        (order, 1 - n, UNBOUNDED, *above, (arc, joined, -n)),
    )


def acyclic_rows(bits: Encoding, graph: Acyclic, n_before: int) -> MoreRows:
    """The rows of one constraint; its variables are numbered from ``n_before``."""
    n, own = int(graph.edges.max()) + 1, graph.family
    proper = np.flatnonzero(graph.edges[:, 0] != graph.edges[:, 1])
    edge = np.tile(proper, 2)
    parent, child = np.concatenate([graph.edges[proper], graph.edges[proper][:, ::-1]]).T
    arcs = list(zip(edge.tolist(), parent.tolist(), child.tolist(), strict=True))
    arc = np.arange(len(arcs))
    joined, serial = n_before + arc, n_before + len(arcs) + np.arange(n)
    truth, base = bits.matrix[graph.literals], bits.base[graph.literals]
    true = [f"{own}.arc[{e}]" for e in range(len(base))]
    arrival = [f"{own}.arrival[{j}]" for j in range(n)]
    order = [f"{own}.order[{e},{i},{j}]" for e, i, j in arcs]
    above = (arc, serial[child], 1), (arc, serial[parent], -1)
    return _more_rows(
        n_before,
        [f"{own}.edge[{e}]from[{i}]to[{j}]" for e, i, j in arcs],
        [f"{own}.serial[{j}]" for j in range(n)],
        (true, base, base, (edge, joined, 1), _terms(-truth)),
        (arrival, -UNBOUNDED, 1, (child, joined, 1)),
        (order, 1 - n, UNBOUNDED, *above, (arc, joined, -n)),
    )


def _terms(matrix: Any) -> tuple[IntArray, IntArray, IntArray]:
    found = matrix.tocoo()
    return found.row, found.col, found.data


def _more_rows(n_before: int, bits: list[str], serials: list[str], *blocks: Any) -> MoreRows:
    """Blocks of rows over the variables before, then 0/1 variables, then serial numbers.

    Of each block: the rows' labels, lower and upper, and terms of row in it, variable, value;
    numbers stand for as many as there are others.
    """
    labels: list[str] = []
    lower, upper, terms = [], [], []
    for own, low, high, *parts in blocks:
        terms += [np.broadcast_arrays(len(labels) + row, *rest) for row, *rest in parts]
        labels += own
        lower.append(np.broadcast_to(low, len(own)))
        upper.append(np.broadcast_to(high, len(own)))
    row, variable, value = (np.concatenate(columns) for columns in zip(*terms, strict=True))
    shape = len(labels), n_before + len(bits) + len(serials)
    matrix = csr_array((value, (row, variable)), shape=shape, dtype=np.int64)
    tops = np.repeat([1, len(serials) - 1], [len(bits), len(serials)])
    return matrix, np.concatenate(lower), np.concatenate(upper), labels, tops, [*bits, *serials]
