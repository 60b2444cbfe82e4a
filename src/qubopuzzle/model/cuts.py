"""Connectivity and no cycles, lazily: what to ask for when an assignment breaks them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from qubopuzzle.model.data import UNBOUNDED, Acyclic, Connected, IntArray, Linear, Model, summed


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """A clause that every solution meets: a literal of ``true`` is 1 or one of ``false`` is 0."""

    family: str
    true: IntArray
    false: IntArray

    def meets(self, x: NDArray[Any]) -> bool:
        """Whether an assignment, shape (literals,), meets it."""
        return bool((x[self.true] > 0).any() or (x[self.false] == 0).any())


def cuts(model: Model, x: NDArray[Any]) -> list[Cut]:
    """Clauses that solutions meet and this assignment does not; none if the graphs are right.

    Connectivity: for every component but the largest, one node u of it, one node w of the largest,
    and the false nodes S that keep them apart, a minimal separator: "u is false, or w is false, or
    one of S is true". Connectivity follows from all such clauses (Carvajal et al.,
    Operations Research Letters 41, 1, 2013).

    Cycles: for every cycle, "one of its edges is false".

    Args:
        x: literal values, shape (literals,).
    """
    return [cut for graph in model.graphs for cut in cuts_of(graph, x)]


def cuts_of(
    graph: Connected | Acyclic, x: NDArray[Any], fixed: NDArray[np.bool_] | None = None
) -> list[Cut]:
    """The same of one graph, whatever else there is.

    Nodes that are true anyway, ``fixed`` (nodes,), are u and w of a cut where they can be: then it
    holds of more assignments, and fewer rounds of cuts are needed.
    """
    if isinstance(graph, Connected):
        return _cuts(graph, graph.components(x), 1 if fixed is None else 1 + fixed)
    none = np.zeros(0, dtype=np.int64)
    cycles = map(graph.literals.__getitem__, graph.cycles(x))
    return [Cut(graph.family, none, np.unique(literals)) for literals in cycles]


def with_cuts(model: Model, added: Sequence[Cut]) -> Model:
    """The model with cuts as linear rows in place of connectivity and cycles.

    Propagation still knows of the connectivity.
    """
    linear = []
    for family in dict.fromkeys(graph.family for graph in model.graphs):
        of_family = [cut for cut in added if cut.family == family]
        parts = [part for cut in of_family for part in (cut.true, cut.false)]
        sizes = np.array([len(part) for part in parts], dtype=np.int64)
        signs = np.repeat(np.tile([1, -1], len(of_family)), sizes)
        columns = np.concatenate([np.zeros(0, dtype=np.int64), *parts])
        starts = np.append(0, np.cumsum(sizes))[::2]
        matrix = summed(
            scipy.sparse.csr_array(
                (signs, columns, starts), shape=(len(of_family), model.n_literals)
            )
        )
        lower, upper = 1 - sizes[1::2], np.full(len(of_family), UNBOUNDED)
        linear.append(Linear(family, matrix, lower, upper, partial("{}.cut[{}]".format, family)))
    rows = (*model.linear, *linear)
    return replace(model, linear=rows, connected=(), acyclic=(), deferred=model.connected)


def _cuts(graph: Connected, component: IntArray, weight: IntArray | int) -> list[Cut]:
    """``weight`` (nodes,): of the nodes of a component the first that weighs most is named."""
    sizes = np.bincount(component[component >= 0])
    if len(sizes) < 2:
        return []
    w = int(np.argmax((component == np.argmax(sizes)) * weight))
    result = []
    for other in set(range(len(sizes))) - {int(component[w])}:
        inside = component == other
        around = _beyond(graph, inside)
        reached = graph.joined(~around)
        apart = around & _beyond(graph, reached == reached[w])
        ends = [int(np.argmax(inside * weight)), w]
        parts = np.unique(graph.literals[apart]), np.unique(graph.literals[ends])
        result.append(Cut(graph.family, *parts))
    return result


def _beyond(graph: Connected, inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Nodes next to some nodes, not among them, (nodes,)."""
    out = np.zeros(len(inside), dtype=bool)
    for one, other in (graph.edges.T, graph.edges.T[::-1]):
        out[other[inside[one]]] = True
    return out & ~inside
