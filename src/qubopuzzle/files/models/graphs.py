"""Graphs in DIMACS's format, as the problem that the file's suffix is customary for.

``.gph`` asks for a maximum independent set, as QOBLIB's class 07 does, ``.clq`` for a maximum
clique, ``.col`` for a colouring with the fewest colours. Format: Johnson and Trick, "Cliques,
Coloring, and Satisfiability" (1996): comments ``c``, a line ``p edge n m``, edges ``e i j``.
"""

from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import count

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.files.models.words import text_of, whole
from qubopuzzle.programs.program import Program

MOST_ROWS = 5_000_000
"""Rows of a program at most: their terms alone take a few hundred MB."""


@dataclass(frozen=True, slots=True)
class Graph:
    """Vertices 0 to n - 1; edges (edges, 2), i < j, in order, each once."""

    n: int
    edges: NDArray[np.int64]

    @property
    def names(self) -> list[str]:
        """The vertices' numbers in the file, from 1."""
        return [str(v) for v in range(1, self.n + 1)]


def read_graph(data: bytes) -> Graph:
    """Read a graph; edges from a vertex to itself say nothing.

    Files of DIMACS have each edge once or in both directions, and count them in ``p`` either way.

    Raises:
        InputError: naming the line that is none of this format, and for other numbers of edges.
    """
    n, m, edges, line = -1, 0, list[tuple[int, int]](), 0
    for line, text in enumerate(text_of(data).split("\n"), start=1):
        words = text.split()
        if not words or words[0] in ("n", "x", "d") or words[0].startswith("c"):
            continue
        if words[0] == "p" and n < 0 and len(words) == 4:
            n, m = whole(words[2], line, 1, 10**6), whole(words[3], line, 0, 2**40)
        elif words[0] == "e" and n >= 0 and len(words) == 3:
            edges.append((whole(words[1], line, 1, n), whole(words[2], line, 1, n)))
        else:
            expected = "p edge n m" if n < 0 else "e i j"
            raise InputError(f"line {line}: expected {expected}, got {text.strip()[:40]}")
    if n < 0:
        raise InputError(f"line {line}: it breaks off: expected p edge n m")
    pairs = np.array(edges, dtype=np.int64).reshape(-1, 2) - 1
    pairs = np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0)
    if m not in (len(edges), 2 * len(edges), len(pairs), 2 * len(pairs)):
        raise InputError(f"line p says {m:,} edges, there are {len(edges):,}: is it whole?")
    return Graph(n, pairs)


def read_gph(data: bytes) -> Program:
    """A maximum independent set: as many vertices as possible, of each edge at most one.

    A bit a vertex, a row ``edge`` an edge. Raises as ``read_graph``.
    """
    graph = read_graph(data)
    return _packing(graph, graph.edges, "edge")


def read_clq(data: bytes) -> Program:
    """A maximum clique: as many vertices as possible, of each pair without an edge at most one.

    A bit a vertex, a row ``pair`` a pair. Raises as ``read_graph``; TooLarge for more than
    ``MOST_ROWS`` pairs.
    """
    graph = read_graph(data)
    _check_rows(graph.n * (graph.n - 1) // 2 - len(graph.edges))
    apart = np.triu(np.ones((graph.n, graph.n), dtype=bool), 1)
    apart[tuple(graph.edges.T)] = False
    return _packing(graph, np.argwhere(apart), "pair")


def read_col(data: bytes) -> Program:
    """A colouring: each vertex one colour, the ends of an edge different ones, the fewest colours.

    There are as many colours as a greedy colouring takes (DSATUR, D. Brelaz 1979). Bits ``v:c``
    say that vertex v has colour c, in a row ``vertex`` exactly one; ``used:c`` is 1 if any vertex
    has it, by a row ``edge`` for each edge and colour, ``x_u + x_v <= used``, and rows ``lonely``
    for those without an edge. Rows ``order`` let colours be used in order. Minimised is the number
    of used ones: the assignment model, as in Malaguti and Toth (2010).

    Raises as ``read_graph``; TooLarge for more than ``MOST_ROWS`` edges times colours.
    """
    graph = read_graph(data)
    n, k = graph.n, int(greedy_colours(graph).max()) + 1
    lonely = np.setdiff1d(np.arange(n), graph.edges)
    _check_rows((len(graph.edges) + len(lonely)) * k)
    used, colour = n * k, np.arange(k)
    one = [(np.repeat(np.arange(n), k), np.arange(n * k), np.ones(n * k))]
    first = n
    at_most = []
    for ends in (graph.edges, lonely[:, None]):
        row = first + np.arange(len(ends) * k)
        at_most += [(row, (end[:, None] * k + colour).ravel(), np.ones(len(row))) for end in ends.T]
        at_most.append((row, used + np.tile(colour, len(ends)), -np.ones(len(row))))
        first += len(row)
    later = [(first + colour[1:] - 1, used + colour[1:] - i, np.full(k - 1, v)) for i, v in _ORDER]
    row, column, value = map(np.concatenate, zip(*one, *at_most, *later, strict=True))
    n_rows = first + k - 1
    names = [f"{v}:{c}" for v in graph.names for c in range(1, k + 1)]
    families = [("edge", len(graph.edges) * k), ("lonely", len(lonely) * k), ("order", k - 1)]
    return Program.of(
        csr_array((value, (row, column)), shape=(n_rows, used + k)),
        np.append(np.ones(n), np.full(n_rows - n, -np.inf)),
        np.append(np.ones(n), np.zeros(n_rows - n)),
        cost=np.append(np.zeros(used), np.ones(k)),
        variables=[*names, *(f"used:{c}" for c in range(1, k + 1))],
        rows=[f"{name}{i}" for name, size in [("vertex", n), *families] for i in range(size)],
    )


_ORDER = ((0, 1.0), (1, -1.0))
"""A colour that is used, less the one before it, is at most 0."""


def greedy_colours(graph: Graph) -> NDArray[np.int64]:
    """The colour of each vertex, from 0, shape (n,): DSATUR, ties by degree, then by number.

    >>> greedy_colours(Graph(3, np.array([[0, 1], [1, 2]]))).tolist()
    [1, 0, 1]
    """
    ends = np.concatenate([graph.edges, graph.edges[:, ::-1]])
    near = csr_array((np.ones(len(ends)), ends.T), shape=(graph.n, graph.n))
    colour = np.full(graph.n, -1)
    seen: list[set[int]] = [set() for _ in range(graph.n)]
    degree = np.diff(near.indptr).tolist()
    queue = [(0, -degree[v], v) for v in range(graph.n)]  # some of it outdated
    heapify(queue)
    while queue:
        v = heappop(queue)[2]
        if colour[v] >= 0:
            continue
        colour[v] = chosen = next(c for c in count() if c not in seen[v])
        for u in near.indices[near.indptr[v] : near.indptr[v + 1]].tolist():
            if colour[u] < 0 and chosen not in seen[u]:
                seen[u].add(chosen)
                heappush(queue, (-len(seen[u]), -degree[u], u))
    return colour


def _packing(graph: Graph, pairs: NDArray[np.int64], name: str) -> Program:
    _check_rows(len(pairs))
    start = np.arange(0, 2 * len(pairs) + 1, 2)
    parts = np.ones(2 * len(pairs)), pairs.ravel(), start
    return Program.of(
        csr_array(parts, shape=(len(pairs), graph.n)),
        -np.inf,
        1,
        cost=1,
        maximize=True,
        variables=graph.names,
        rows=[f"{name}{i}" for i in range(len(pairs))],
    )


def _check_rows(n: int) -> None:
    if n > MOST_ROWS:
        raise TooLarge(f"{n:,} rows, more than {MOST_ROWS:,}: take a smaller graph")
