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

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, vstack

from qubopuzzle.compile.encoding import Encoding
from qubopuzzle.model import UNBOUNDED, Acyclic, Connected, IntArray, IntMatrix


@dataclass(frozen=True, slots=True, eq=False)
class Forest:
    """``lower <= matrix @ values <= upper`` over the bits, variables before, and its own.

    ``matrix`` has shape (rows, variables up to the last of its own), ``tops`` (own,) says how
    large each of its own integers may be, ``names`` and ``labels`` name variables and rows.
    """

    matrix: IntMatrix
    lower: IntArray
    upper: IntArray
    tops: IntArray
    names: list[str]
    labels: list[str]


def forest_rows(bits: Encoding, graph: Connected, n_before: int) -> Forest:
    """The rows of one constraint; its variables are numbered from ``n_before``."""
    n = len(graph.literals)
    edges = np.unique(np.sort(graph.edges[graph.edges[:, 0] != graph.edges[:, 1]]), axis=0)
    parent, child = np.concatenate([edges, edges[:, ::-1]]).T
    m = len(parent)
    node, arc = np.arange(n), np.arange(m)
    root, joined, serial = n_before + node, n_before + n + arc, n_before + n + m + node
    total = n_before + 2 * n + m
    one = np.ones(m, dtype=np.int64)

    def rows(count: int, *terms: tuple[IntArray, IntArray, IntArray]) -> IntMatrix:
        row, variable, value = (np.concatenate(columns) for columns in zip(*terms, strict=True))
        return csr_array((value, (row, variable)), shape=(count, total), dtype=np.int64)

    truth = _widened(csr_array(bits.matrix[graph.literals]), total)
    base = bits.base[graph.literals]
    matrices = [
        rows(1, (np.zeros(n, dtype=np.int64), root, np.ones(n, dtype=np.int64))),
        rows(n, (node, root, np.ones(n, dtype=np.int64)), (child, joined, one)) - truth,
        truth[parent] - rows(m, (arc, joined, one)),
        rows(m, (arc, serial[child], one), (arc, serial[parent], -one), (arc, joined, -n * one)),
    ]
    lower = [np.array([-UNBOUNDED]), base, -base[parent], np.full(m, 1 - n)]
    upper = [np.array([1]), base, np.full(2 * m, UNBOUNDED)]
    own = graph.family
    pairs = list(zip(parent.tolist(), child.tolist(), strict=True))
    names = [f"{own}.root[{j}]" for j in range(n)]
    names += [f"{own}.parent[{j}]={i}" for i, j in pairs]
    names += [f"{own}.serial[{j}]" for j in range(n)]
    labels = [f"{own}.one_root", *(f"{own}.arrival[{j}]" for j in range(n))]
    labels += [f"{own}.{rule}[{i},{j}]" for rule in ("parent_true", "order") for i, j in pairs]
    return Forest(
        csr_array(vstack(matrices)),
        np.concatenate(lower),
        np.concatenate(upper),
        np.concatenate([np.ones(n + m, dtype=np.int64), np.full(n, n - 1, dtype=np.int64)]),
        names,
        labels,
    )


def acyclic_rows(bits: Encoding, graph: Acyclic, n_before: int) -> Forest:
    """The rows of one constraint; its variables are numbered from ``n_before``."""
    n_edges, n = len(graph.literals), int(graph.edges.max()) + 1
    proper = np.flatnonzero(graph.edges[:, 0] != graph.edges[:, 1])
    edge = np.concatenate([proper, proper])
    parent, child = np.concatenate([graph.edges[proper], graph.edges[proper][:, ::-1]]).T
    m = len(edge)
    arc, joined, serial = np.arange(m), n_before + np.arange(m), n_before + m + np.arange(n)
    total = n_before + m + n
    row = np.concatenate([edge, n_edges + child, *[n_edges + n + arc] * 3])
    column = np.concatenate([joined, joined, serial[child], serial[parent], joined])
    value = np.repeat([1, 1, 1, -1, -n], m)
    shape = n_edges + n + m, total
    own_rows = csr_array((value, (row, column)), shape=shape, dtype=np.int64)
    truth = _widened(csr_array(bits.matrix[graph.literals]), total)
    truth.resize(shape)
    base = bits.base[graph.literals]
    own, none = graph.family, np.full(n, -UNBOUNDED)
    pairs = list(zip(edge.tolist(), parent.tolist(), child.tolist(), strict=True))
    labels = [f"{own}.arc[{e}]" for e in range(n_edges)]
    labels += [f"{own}.arrival[{j}]" for j in range(n)]
    labels += [f"{own}.order[{e},{i},{j}]" for e, i, j in pairs]
    names = [f"{own}.edge[{e}]from[{i}]to[{j}]" for e, i, j in pairs]
    return Forest(
        csr_array(own_rows - truth),
        np.concatenate([base, none, np.full(m, 1 - n)]),
        np.concatenate([base, np.ones(n, dtype=np.int64), np.full(m, UNBOUNDED)]),
        np.concatenate([np.ones(m, dtype=np.int64), np.full(n, n - 1, dtype=np.int64)]),
        [*names, *(f"{own}.serial[{j}]" for j in range(n))],
        labels,
    )


def _widened(matrix: IntMatrix, n_columns: int) -> IntMatrix:
    parts = matrix.data, matrix.indices, matrix.indptr
    return csr_array(parts, shape=(matrix.shape[0], n_columns))
