"""Models whose valid states are the independent sets of a graph: all rows are conflicts.

In such a model each choice has a value that no row minds, its **none**, and no two of the other
literals of a row can be taken together: rows "at most one", pairs that exclude each other, covers
of edges by vertices. A valid state then is a set of literals, none two of which are neighbours in
the **conflict graph**, where the literals of a choice are neighbours, too, and its objective is
the sum of what each **gains** over its choice's none.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from qubopuzzle.annealing.kernels import LESS, FloatArray
from qubopuzzle.annealing.relaxation import can_be_relaxed
from qubopuzzle.model import IntArray, Model
from qubopuzzle.model.data import row_of_entry
from qubopuzzle.model.segments import Segments, all_rows, reachable

_MOST_PAIRS = 20_000_000
"""Of a graph, each in both directions: they take some 300 MB."""


class ConflictArrays(NamedTuple):
    """A conflict graph; its nodes are the literals that gain anything and that may be taken.

    Attributes:
        n_nodes: how many there are.
        none: the literal of each choice that no row minds, (choices,).
        literal, choice: those of each node, (nodes,).
        gain: what the objective loses if a node takes the place of its choice's none, (nodes,).
        near_start, near: the neighbours of each node, (nodes + 1,), (2 * edges,).
        fractional: what a state of fractions gains, as one number, (1,): of each node one over the
            nodes of its longest row. No relaxation's bound is below that.
    """

    n_nodes: int
    none: IntArray
    literal: IntArray
    choice: IntArray
    gain: FloatArray
    near_start: IntArray
    near: NDArray[np.int32]
    fractional: FloatArray


class Packing(NamedTuple):
    """A model each of whose choices has a none, a value that no row minds.

    Attributes:
        excess: what literals add to rows above the least that their choice may add, a matrix
            (rows, literals), a row for each bound that may be broken; of possible ones alone.
        room: how much all together may add to each, (rows,).
        none: the literal of each choice that no row minds, the cheapest one, (choices,).
        literal, gain: those that may be taken and gain anything over their choice's none.
        owner: the choice of every literal, (literals,).
    """

    excess: Any
    room: IntArray
    none: IntArray
    literal: IntArray
    gain: FloatArray
    owner: IntArray


def packing_of(model: Model) -> Packing | None:
    """What a model that minimises something linear allows over nones; None without nones."""
    objective, owner = model.objective, model.choice_of_literal
    if objective is None or not can_be_relaxed(model) or model.precedence or model.graphs:
        return None
    (excess, room), cost = _excess(model), objective.linear
    (free,) = np.nonzero(np.bincount(excess.indices, minlength=model.n_literals) == 0)
    free = free[np.lexsort((cost[free], owner[free]))]
    having, at = np.unique(owner[free], return_index=True)
    if not excess.nnz or (room < 0).any() or len(having) < len(model.choices):
        return None
    none, row = free[at], row_of_entry(excess)
    possible = np.ones(model.n_literals, dtype=bool)
    possible[excess.indices[excess.data > room[row]]] = False
    gain = cost[none[owner]] - cost
    (literal,) = np.nonzero(possible & (gain > LESS))
    excess.data[~possible[excess.indices]] = 0
    excess.eliminate_zeros()
    return Packing(excess, room, none, literal, gain[literal], owner) if len(literal) else None


def conflicts_of(packing: Packing) -> ConflictArrays | None:
    """The conflict graph of a model; None where not all it says is conflicts, or it is too large.

    >>> from qubopuzzle import ModelBuilder
    >>> b = ModelBuilder()
    >>> x, y = b.choice("x", ["none", 1, 2]), b.choice("y", ["none", 1, 2])
    >>> b.at_most_one("different", [[x == 1, y == 1], [x == 2, y == 2]])
    >>> b.objective([x == 1, y == 1, y == 2], [-1.0, -2.0, -1.0])
    >>> graph = conflicts_of(packing_of(b.build()))
    >>> graph.literal.tolist(), graph.gain.tolist()  # x is 1, y is 1, y is 2
    ([1, 4, 5], [1.0, 2.0, 1.0])
    >>> graph.near_start.tolist(), graph.near.tolist()
    ([0, 1, 3, 4], [1, 0, 2, 1])
    """
    owner, none, literal = packing.owner, packing.none, packing.literal
    if not _excludes_all_pairs(Segments(owner, packing.excess), packing.room):
        return None
    rows = _together(packing.excess[:, literal], owner[literal])
    size = np.diff(rows.indptr)
    if (size.astype(np.float64) ** 2).sum() > _MOST_PAIRS:
        return None
    near = csr_array(rows.T @ rows)
    near.setdiag(0)
    near.eliminate_zeros()
    near.sort_indices()
    longest = np.ones(len(literal))
    np.maximum.at(longest, rows.indices, np.repeat(size, size))
    return ConflictArrays(
        n_nodes=len(literal),
        none=none,
        literal=literal,
        choice=owner[literal],
        gain=packing.gain,
        near_start=near.indptr.astype(np.int64),
        near=near.indices.astype(np.int32),
        fractional=(packing.gain / longest).sum(keepdims=True),
    )


def _excess(model: Model) -> tuple[Any, IntArray]:
    """What literals add to rows above the least that their choice may add, and room for that.

    A matrix (rows, literals) and (rows,), of each bound of a row that may be broken, from above.
    """
    matrix, lower, upper = all_rows(model)
    least, most = reachable(model, matrix)
    low, high = lower > least, upper < most
    rows = csr_array(vstack([matrix[high], -matrix[low]]))
    room = np.concatenate([upper[high], -lower[low]]) - reachable(model, rows)[0]
    parts, n = Segments(model.choice_of_literal, rows), model.n_literals
    lowest = np.minimum.reduceat(parts.data, parts.start)
    some = parts.count < model.sizes[parts.choice]  # its other values add nothing
    lowest[some] = np.minimum(lowest[some], 0)
    shape = len(room), len(model.choices)
    base = csr_array((lowest, (parts.row, parts.choice)), shape=shape)
    base.eliminate_zeros()
    owned = csr_array((np.ones(n, dtype=np.int64), (model.choice_of_literal, np.arange(n))))
    excess = csr_array(rows - base @ owned)
    excess.eliminate_zeros()
    return excess, room


def _excludes_all_pairs(parts: Segments, room: IntArray) -> bool:
    """Whether any two choices' literals of a row exceed its room."""
    lowest = np.minimum.reduceat(parts.data, parts.start)
    order = np.lexsort((lowest, parts.row))
    row, lowest = parts.row[order], lowest[order]
    (second,) = np.nonzero((row[1:] == row[:-1]) & np.append(True, row[1:-1] != row[:-2]))
    return bool((lowest[second] + lowest[second + 1] > room[row[second]]).all())


def _together(rows: Any, choice: IntArray) -> Any:
    """Which nodes exclude each other, (rows, nodes): those of a row, and those of a choice."""
    n = len(choice)
    owned = csr_array((np.ones(n), (choice, np.arange(n))))
    return csr_array(vstack([abs(rows).sign(), owned]), dtype=np.float32)
