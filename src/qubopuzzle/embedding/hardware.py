"""The graphs of quantum annealers: D-Wave's three topologies, or a file's, less what is dead."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qubopuzzle.base.checks import brief, whole
from qubopuzzle.base.writing import read_bounded
from qubopuzzle.errors import InputError, SolverUnavailable, at, did_you_mean

if TYPE_CHECKING:
    import networkx as nx

DEFAULT_TOPOLOGY = "pegasus:16"
"""That of D-Wave's Advantage; Advantage2 is ``zephyr:12``."""
TOPOLOGIES: Mapping[str, int] = {"pegasus": 50, "zephyr": 50, "chimera": 64}
"""D-Wave's topologies, and how large a graph of each is made at most."""
_LARGEST_FILE = 64 * 2**20
_MOST_QUBITS = 10**6


@dataclass(frozen=True, slots=True, eq=False)
class Hardware:
    """Qubits, and the pairs of them that couplers join.

    Attributes:
        name: as it was asked for, such as ``zephyr:12`` or the file's name.
        graph: the qubits are its nodes, numbered as D-Wave does; ``graph.graph["family"]`` is
            the topology, where it is known.
    """

    name: str
    graph: nx.Graph

    @classmethod
    def of(cls, text: str, working: float = 1.0, seed: int = 0) -> Hardware:
        """The graph that a text names.

        >>> Hardware.of("zephyr:2").describe()
        'zephyr:2: 160 qubits of degree up to 19, 1,224 couplers'

        Args:
            text: ``pegasus:16``, ``zephyr:12``, ``chimera:16`` (ideal, of that size), or a file:
                JSON of a QPU's properties, as ``json.dump(DWaveSampler().properties, ...)`` writes
                it (``topology``, ``qubits``, ``couplers``), or lines of two numbers, a coupler
                each.
            working: the fraction of qubits, and of the couplers between these, that work; which
                do is drawn.
            seed: for that.

        Raises:
            InputError: for anything else.
            SolverUnavailable: if the packages of the extra ``dwave`` are missing.
        """
        if not 0 < working <= 1:
            raise InputError(f"yield: expected a number above 0 and up to 1, got {brief(working)}")
        seed = whole("seed", seed, 0, 2**63 - 1)
        require()
        kind, colon, size = text.partition(":")
        if colon and kind in TOPOLOGIES:
            graph = _ideal(kind, size)
        elif Path(text).is_file():
            graph = _read(Path(text))
        else:
            other = "such as zephyr:12"
            hint = other if kind in TOPOLOGIES else did_you_mean(kind, TOPOLOGIES, other)
            known = "pegasus:N, zephyr:N, chimera:N or a file"
            raise InputError(f"topology {text[:60]!r}: expected {known}; {hint}")
        if working < 1:
            graph = _without_dead(graph, working, seed)
        return cls(text, graph)

    def describe(self) -> str:
        """Its size in one line."""
        degree = max((d for _, d in self.graph.degree), default=0)
        qubits, couplers = len(self.graph), self.graph.number_of_edges()
        return f"{self.name}: {qubits:,} qubits of degree up to {degree}, {couplers:,} couplers"


def require() -> None:
    """SolverUnavailable if the packages for graphs and embeddings are missing."""
    for name in ("networkx", "dwave.graphs", "dwave.system", "minorminer"):
        try:
            import_module(name)
        except ImportError:
            what = f"embeddings need {name}"
            raise SolverUnavailable(f"{what}: pip install 'qubopuzzle[dwave]'") from None


def _ideal(kind: str, size: str) -> nx.Graph:
    import dwave.graphs

    makers: Mapping[str, Callable[[int], nx.Graph]] = {
        "pegasus": dwave.graphs.pegasus_graph,
        "zephyr": dwave.graphs.zephyr_graph,
        "chimera": dwave.graphs.chimera_graph,
    }
    least = 2 if kind == "pegasus" else 1
    if not (re.fullmatch(r"[0-9]{1,3}", size) and least <= int(size) <= TOPOLOGIES[kind]):
        limits = f"a size from {least} to {TOPOLOGIES[kind]}"
        raise InputError(f"topology {kind}: expected {limits}, got {size[:20]!r}")
    return makers[kind](int(size))


def _read(file: Path) -> nx.Graph:
    with at(str(file)):
        try:
            text = read_bounded(file, _LARGEST_FILE).decode()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(getattr(error, "strerror", None) or "it is no text") from None
        return _of_properties(text) if text.lstrip().startswith("{") else _of_lines(text)


def _of_properties(text: str) -> nx.Graph:
    """From the JSON of a QPU's properties."""
    from dwave.system import qpu_graph

    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError("it begins like JSON and is none") from None
    qubits, couplers = _numbers(data, "qubits", 1), _numbers(data, "couplers", 2)
    known = set(qubits)
    for u, v in couplers:
        if u == v or u not in known or v not in known:
            raise InputError(f"couplers: {u} and {v} are not two of the qubits")
    topology = data.get("topology")
    if not isinstance(topology, dict):
        return _plain(couplers, qubits)
    try:
        return qpu_graph(topology["type"], topology["shape"], qubits, couplers)
    except Exception as error:  # of whatever the shape does not allow
        raise InputError(f"topology: {brief(topology)} does not hold these qubits") from error


def _numbers(data: Any, key: str, width: int) -> list[Any]:
    """A list of whole numbers, or of pairs of them."""
    value = data.get(key)
    try:
        numbers = np.array(value)
        shape = (len(value),) if width == 1 else (len(value), width)
        if numbers.dtype.kind not in "iu" or numbers.shape != shape or not len(value):
            raise ValueError
    except (TypeError, ValueError):
        what = "qubits' numbers" if width == 1 else "pairs of qubits' numbers"
        raise InputError(f"{key}: expected a list of {what}") from None
    if numbers.min() < 0 or numbers.max() >= _MOST_QUBITS:
        raise InputError(f"{key}: expected numbers from 0 to {_MOST_QUBITS - 1:,}")
    return numbers.tolist() if width == 1 else [*map(tuple, numbers.tolist())]


def _of_lines(text: str) -> nx.Graph:
    """From lines of two numbers; what follows a # is passed over."""
    couplers = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        pair = [int(word) for word in words[:3] if re.fullmatch(r"[0-9]{1,6}", word)]
        if len(words) != 2 or len(pair) != 2 or pair[0] == pair[1]:
            raise InputError(f"line {number}: expected two qubits' numbers, got {brief(line)}")
        couplers.append((pair[0], pair[1]))
    if not couplers:
        raise InputError("it names no coupler")
    return _plain(couplers)


def _plain(couplers: Iterable[tuple[int, int]], qubits: Iterable[int] = ()) -> nx.Graph:
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(qubits)
    graph.add_edges_from(couplers)
    return graph


def _without_dead(graph: nx.Graph, working: float, seed: int) -> nx.Graph:
    """A copy without some qubits and then some of the couplers that are left."""
    rng = np.random.default_rng(seed)
    graph = graph.copy()
    graph.remove_nodes_from(_drawn(sorted(graph.nodes), 1 - working, rng))
    graph.remove_edges_from(_drawn(sorted(map(sorted, graph.edges)), 1 - working, rng))
    return graph


def _drawn(parts: Sequence[Any], fraction: float, rng: np.random.Generator) -> list[Any]:
    """So many of the parts, without replacement."""
    return [parts[i] for i in rng.permutation(len(parts))[: round(fraction * len(parts))].tolist()]
