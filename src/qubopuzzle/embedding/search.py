"""Embeddings, a chain of qubits for each variable, and the search for them.

Minorminer searches, in a process that can be ended: it does not hear Ctrl-C amid a try, takes up
to three times its time limit, and for some cliques never ends.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.base import processes
from qubopuzzle.errors import InputError

if TYPE_CHECKING:
    import dimod
    import networkx as nx

    from qubopuzzle.embedding.hardware import Hardware

DEFAULT_TRIES = 10
DEFAULT_SECONDS = 60.0
_MEMORY = 4 * 2**30
_CLIQUE_S = 30.0
_workers = processes.WarmWorkers()


@dataclass(frozen=True, slots=True)
class Embedding:
    """A chain of connected qubits for each variable, ``chains[v]`` for variable v.

    ``seed`` is that of the try that found it, ``seconds`` what the try took.
    """

    chains: tuple[tuple[int, ...], ...]
    seed: int = 0
    seconds: float = 0.0

    @property
    def qubits(self) -> int:
        """How many qubits there are in all chains."""
        return sum(map(len, self.chains))

    @property
    def longest(self) -> int:
        """Qubits of the longest chain."""
        return max(map(len, self.chains), default=0)

    @property
    def mean(self) -> float:
        """Qubits of a chain, on average."""
        return self.qubits / max(1, len(self.chains))

    @property
    def sizes(self) -> dict[str, float]:
        """The three numbers, for JSON."""
        return {"qubits": self.qubits, "longest": self.longest, "mean": self.mean}

    def check(self, pairs: Iterable[Sequence[int]], graph: nx.Graph) -> None:
        """InputError unless it is an embedding: chains apart, connected, and joined by couplers."""
        import networkx as nx

        owner = {qubit: v for v, chain in enumerate(self.chains) for qubit in chain}
        if len(owner) < self.qubits or not set(owner) <= set(graph):
            raise InputError("the embedding has a qubit twice, or one that does not work")
        for v, chain in enumerate(self.chains):
            if not chain or not nx.is_connected(graph.subgraph(chain)):
                raise InputError(f"the embedding's chain of variable {v} is not connected")
        for u, v in pairs:
            if not any(owner.get(other) == v for q in self.chains[u] for other in graph[q]):
                raise InputError(f"the embedding has no coupler between variables {u} and {v}")


@dataclass(frozen=True, eq=False)
class Search:
    """What came of some tries.

    Attributes:
        embeddings: one a try that came to one.
        tries: how many there were.
        seconds: of all of them.
        impossible: why there can be none, if that is known; then nothing was tried.
    """

    embeddings: tuple[Embedding, ...] = ()
    tries: int = 0
    seconds: float = 0.0
    impossible: str = ""

    @cached_property
    def best(self) -> Embedding | None:
        """The one with the shortest longest chain, and of those with the fewest qubits."""
        return min(self.embeddings, key=lambda e: (e.longest, e.qubits), default=None)


def find_embedding(
    model: dimod.BinaryQuadraticModel | tuple[int, NDArray[Any]],
    hardware: Hardware,
    *,
    tries: int = DEFAULT_TRIES,
    seed: int = 0,
    time_limit: float | None = DEFAULT_SECONDS,
) -> Search:
    """Search for embeddings of a model's graph.

    >>> import dimod
    >>> from qubopuzzle.embedding import Hardware
    >>> triangle = dimod.BQM({}, {(0, 1): 1, (1, 2): 1, (0, 2): 1}, "BINARY")
    >>> find_embedding(triangle, Hardware.of("chimera:2"), tries=2).best.qubits
    4

    Args:
        model: a BQM over the variables 0 .. n - 1, or n and the pairs that are coupled, shape
            (couplings, 2).
        tries: independent searches, with seeds drawn from ``seed``.
        time_limit: seconds for all of them; what they have found until then counts.

    Raises:
        processes.Crashed: if minorminer does.
    """
    n, pairs = model if isinstance(model, tuple) else graph_of(model)
    degrees = np.bincount(pairs.ravel(), minlength=n)
    least = least_qubits(degrees, hardware)
    if n == 0:
        return Search((Embedding(()),), tries=1)
    qubits, couplers = len(hardware.graph), hardware.graph.number_of_edges()
    if least > qubits:
        return Search(impossible=f"takes {least:,} qubits at least, there are {qubits:,}")
    if len(pairs) > couplers:
        return Search(impossible=f"has {len(pairs):,} couplings, there are {couplers:,} couplers")
    seeds = np.random.SeedSequence(seed).generate_state(tries).tolist()
    ends = np.array([*hardware.graph.edges], dtype=np.int32)
    embeddings: list[Embedding] = []
    made: list[int] = []

    def hear(event: Embedding | int) -> None:
        if isinstance(event, int):
            made.append(event)
        else:
            embeddings.append(event)

    with _workers.borrow(_MEMORY) as worker:
        worker.call(_prepare)  # not of the time limit
        started = time.perf_counter()
        try:
            worker.call(_search, n, pairs, ends, seeds, deadline=time_limit, hear=hear)
        except processes.Overrun:
            made.append(0)
    return Search(tuple(embeddings), len(made), time.perf_counter() - started)


def clique_embedding(n: int, hardware: Hardware) -> Embedding | None:
    """Chains for n variables that are all coupled, which hold for any model of n variables.

    By minorminer's algorithm for D-Wave's topologies (Boothby, King and Roy, Quantum Information
    Processing 15, 495, 2016); None where it finds no such clique, or the topology is not known.
    """
    if "family" not in hardware.graph.graph or n > len(hardware.graph):
        return None
    # minorminer 0.2.22 searches forever for 5 to 8 on Zephyr.
    size = 9 if hardware.graph.graph["family"] == "zephyr" and 5 <= n <= 8 else n
    with _workers.borrow(_MEMORY) as worker:
        worker.call(_prepare)
        try:
            chains = worker.call(_clique, size, hardware.graph, deadline=_CLIQUE_S)
        except processes.Overrun:
            return None
    return Embedding(chains[:n]) if chains else None


def least_qubits(degrees: NDArray[Any], hardware: Hardware) -> int:
    """No embedding of variables with these degrees, shape (variables,), takes fewer qubits.

    A chain of k qubits, each with at most D couplers, is held together by k - 1 of them, which
    leaves at most ``k D - 2 (k - 1)`` couplers to other chains; so a variable of degree d takes at
    least ``(d - 2) / (D - 2)`` qubits, rounded up.

    >>> from qubopuzzle.embedding import Hardware
    >>> least_qubits(np.array([3, 14, 15, 28]), Hardware.of("chimera:4"))  # D = 6: 1, 3, 4 and 7
    15
    """
    most = max((degree for _, degree in hardware.graph.degree), default=0)
    if most <= 2:
        return len(degrees)
    return int(np.maximum(1, np.ceil((degrees - 2) / (most - 2))).sum())


def graph_of(bqm: dimod.BinaryQuadraticModel) -> tuple[int, NDArray[Any]]:
    """The number of a BQM's variables, and its couplings, shape (couplings, 2), by place."""
    vectors = bqm.to_numpy_vectors(bqm.variables)
    quadratic = vectors.quadratic
    return bqm.num_variables, np.column_stack([quadratic.row_indices, quadratic.col_indices])


# In the process.


def _prepare() -> None:
    import minorminer.busclique  # noqa: F401


def _clique(n: int, graph: nx.Graph) -> tuple[tuple[int, ...], ...]:
    from minorminer import busclique

    chains = busclique.find_clique_embedding(n, graph, use_cache=False, seed=0)
    return tuple(tuple(chains[v]) for v in range(n)) if len(chains) == n else ()


def _search(n: int, pairs: NDArray[Any], couplers: NDArray[Any], seeds: Sequence[int]) -> None:
    """Say each embedding that is found, and the number of each try when it ends."""
    import minorminer

    # Variables without couplings are passed on as loops.
    source = [*map(tuple, pairs.tolist()), *((v, v) for v in range(n))]
    target = [*map(tuple, couplers.tolist())]
    for number, seed in enumerate(seeds):
        started = time.perf_counter()
        embedding = minorminer.find_embedding(source, target, random_seed=seed % 2**31)
        if len(embedding) == n:
            chains = tuple(tuple(embedding[v]) for v in range(n))
            processes.say(Embedding(chains, seed, time.perf_counter() - started))
        processes.say(number)
