"""How many qubits an embedding takes at least, and how many the embedding of a clique takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.embedding.chains import Embedding

if TYPE_CHECKING:
    from qubopuzzle.embedding.hardware import Hardware


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


def clique_embedding(n: int, hardware: Hardware) -> Embedding | None:
    """Chains for n variables that are all coupled, which hold for any model of n variables.

    By D-Wave's algorithm for its topologies (Boothby, King and Roy, Quantum Information Processing
    15, 495, 2016); None where the graph holds no such clique, or is of no known topology.
    """
    from minorminer import busclique

    if "family" not in hardware.graph.graph or n > len(hardware.graph):
        return None
    found = busclique.find_clique_embedding(n, hardware.graph, use_cache=False, seed=0)
    return Embedding(tuple(tuple(found[v]) for v in range(n))) if len(found) == n else None
