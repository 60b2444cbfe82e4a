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
around; conversely any forest can be hung up by one node of each component.
"""

from typing import Any, TypeAlias

import numpy as np
import scipy

from qubopuzzle.compile.encoding import AffineRows, Encoding
from qubopuzzle.model import Acyclic, Connected, IntArray

Tree: TypeAlias = tuple[AffineRows, IntArray, list[str]]
"""Rows of one constraint, and the tops and names of the variables that it adds."""


def connected_rows(bits: Encoding, graph: Connected, first: int) -> Tree:
    """The rows of one constraint; its variables are numbered from ``first``."""
    n = len(graph.literals)
    edges = np.unique(np.sort(graph.edges[graph.edges[:, 0] != graph.edges[:, 1]]), axis=0)
    parent, child = np.concatenate([edges, edges[:, ::-1]]).T
    arcs = list(zip(parent.tolist(), child.tolist(), strict=True))
    node, arc = np.arange(n), np.arange(len(arcs))
    root, joined = first + node, first + n + arc
    truth, base = bits.matrix[graph.literals], bits.base[graph.literals]
    names = [*(f"root[{j}]" for j in range(n)), *(f"parent[{j}]={i}" for i, j in arcs)]
    arrival = [f"arrival[{j}]" for j in range(n)]
    true, order = ([f"{rule}[{i},{j}]" for i, j in arcs] for rule in ("parent_true", "order"))
    rows = (
        (["one_root"], 0, 1, (0, root, 1)),
        (arrival, -base, 0, (node, root, 1), (child, joined, 1), _terms(-truth)),
        (true, base[parent], 1, _terms(truth[parent]), (arc, joined, -1)),
    )
    return _tree(graph.family, first, names, rows, n, (order, parent, child, joined))


def acyclic_rows(bits: Encoding, graph: Acyclic, first: int) -> Tree:
    """The rows of one constraint; its variables are numbered from ``first``."""
    n = int(graph.edges.max()) + 1
    proper = np.flatnonzero(graph.edges[:, 0] != graph.edges[:, 1])
    edge = np.tile(proper, 2)
    parent, child = np.concatenate([graph.edges[proper], graph.edges[proper][:, ::-1]]).T
    arcs = list(zip(edge.tolist(), parent.tolist(), child.tolist(), strict=True))
    joined = first + np.arange(len(arcs))
    truth, base = bits.matrix[graph.literals], bits.base[graph.literals]
    names = [f"edge[{e}]from[{i}]to[{j}]" for e, i, j in arcs]
    order = [f"order[{e},{i},{j}]" for e, i, j in arcs]
    arrival = [f"arrival[{j}]" for j in range(n)]
    true = [f"arc[{e}]" for e in range(len(base))]
    rows = (
        (true, -base, 0, (edge, joined, 1), _terms(-truth)),
        (arrival, 0, 1, (child, joined, 1)),
    )
    return _tree(graph.family, first, names, rows, n, (order, parent, child, joined))


def _terms(matrix: Any) -> tuple[IntArray, IntArray, IntArray]:
    coo = matrix.tocoo()
    return coo.row, coo.col, coo.data


def _tree(family: str, first: int, names: list[str], rows: Any, n: int, arcs: Any) -> Tree:
    """Rows over the variables before, then 0/1 variables, then the serial numbers of n nodes.

    Of each block of rows: labels, base and width, and terms of row in it, variable, value;
    numbers stand for as many as there are others. Of arcs: labels, ends, variables; serial
    numbers rise along them.
    """
    order, parent, child, joined = arcs
    arc, serial = np.arange(len(order)), first + len(names) + np.arange(n)
    above = (arc, serial[child], 1), (arc, serial[parent], -1)
    labels: list[str] = []
    base, width, terms = [], [], []
    for block_labels, low, wide, *parts in (
        *rows,
        (order, n - 1, 2 * n - 2, *above, (arc, joined, -n)),
    ):
        terms += [np.broadcast_arrays(len(labels) + row, *rest) for row, *rest in parts]
        labels += [f"{family}.{label}" for label in block_labels]
        base.append(np.broadcast_to(low, len(block_labels)))
        width.append(np.broadcast_to(wide, len(block_labels)))
    row, variable, value = (np.concatenate(columns) for columns in zip(*terms, strict=True))
    shape = len(labels), first + len(names) + n
    matrix = scipy.sparse.csr_array((value, (row, variable)), shape=shape, dtype=np.int64)
    ends = np.concatenate(base), np.concatenate(width)
    tops = np.repeat([1, n - 1], [len(names), n])
    names = [f"{family}.{name}" for name in (*names, *(f"serial[{j}]" for j in range(n)))]
    return AffineRows(family, matrix, *ends, labels.__getitem__), tops, names
