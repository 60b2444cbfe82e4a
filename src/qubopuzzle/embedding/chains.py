"""An embedding: a chain of qubits for each variable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qubopuzzle.errors import InputError

if TYPE_CHECKING:
    import networkx as nx


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
