"""Embed a model on the graph of a structured sampler, sample it there, and unembed the samples.

This is the same for D-Wave's QPU, whose client runs it in a process of its own, and for any other
sampler with a graph of its own, such as D-Wave's ``MockDWaveSampler``, which runs here.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from types import SimpleNamespace
from typing import Any

import dimod
import networkx as nx
import numpy as np
from numpy.typing import NDArray

from qubopuzzle.embedding import Embedding, Hardware, find_embedding
from qubopuzzle.errors import InputError, ProtocolError, TooLarge, first_line
from qubopuzzle.solvers.dwave.call import Question, number, read
from qubopuzzle.solvers.services.call import Reply
from qubopuzzle.solvers.services.credentials import quoted

Chains = Mapping[Any, Sequence[Any]]
"""The qubits that stand for each variable."""
_PARTS = {
    "qpu_access": "qpu_access_time",
    "programming": "qpu_programming_time",
    "sampling": "qpu_sampling_time",
}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OnQubits(Question):
    """Samples of ``bqm``, which is over the variables 0 .. n - 1, on a graph of qubits.

    The others are the options of the same names, see ``DWaveSolver``.
    """

    bqm: dimod.BinaryQuadraticModel
    reads: int
    seed: int
    tries: int
    embedding_s: float
    chain_strength: str
    chain_multiple: float
    chain_break: str
    gauges: int = 0

    def ask(self, url: str, token: str) -> bytes:
        """What D-Wave's client makes of a QPU's samples."""
        from dwave.system import DWaveSampler

        sampler = DWaveSampler(**self.client_settings(url, token))
        if not isinstance(sampler.properties.get("topology"), dict):
            raise ProtocolError(f"{self.terms.where}: its QPU has no topology")
        self.check_parameters(sampler)
        return sample(self, sampler)

    def read(self, body: bytes) -> Reply:
        """The reply that ``sample`` has written; ProtocolError if that is none."""
        return read(body, self.bqm.num_variables, self.terms.where, _reply)

    def strength(self, bqm: dimod.BinaryQuadraticModel, embedding: Chains | None = None) -> float:
        """The chains' coupling strength for a model over spins, as D-Wave's rules are called."""
        from dwave.embedding import chain_strength

        rules = {
            "torque": chain_strength.uniform_torque_compensation,
            "scaled": chain_strength.scaled,
        }
        return self.chain_multiple * float(rules[self.chain_strength](bqm, embedding))

    def embed(self, hardware: Hardware) -> tuple[Embedding, float]:
        """The best embedding that is found, and the seconds of the search; TooLarge for none."""
        search = find_embedding(
            self.bqm, hardware, tries=self.tries, seed=self.seed, time_limit=self.embedding_s
        )
        if search.best is not None:
            return search.best, search.seconds
        n, couplings = self.bqm.num_variables, self.bqm.num_interactions
        why = f"it {search.impossible}" if search.impossible else f"{search.tries} tries found none"
        remedy = (
            "another formulation, --encoding or --presolve may make it smaller, --option tries= or "
            "embedding_s= searches longer; `qubopuzzle embed` compares"
        )
        raise TooLarge(
            f"the model ({n:,} variables, {couplings:,} couplings) has no embedding on "
            f"{hardware.describe()}: {why}; {remedy}"
        )

    def repair(self, chains: Chains) -> Callable[..., Any]:
        """D-Wave's function that makes a value of the values of a chain."""
        from dwave import embedding

        repairs = {
            "majority": embedding.majority_vote,
            "weighted": embedding.weighted_random,
            "minimize-energy": embedding.MinimizeEnergy(self.bqm, chains),
            "discard": embedding.discard,
        }
        function: Callable[..., Any] = repairs[self.chain_break]
        return function


class _Kept(dimod.ComposedSampler):  # type: ignore[misc, name-defined]
    """Passes calls on and keeps their answers, of which composites lose a part."""

    children = parameters = properties = None

    def __init__(self, child: Any) -> None:
        self.answers: list[Any] = []
        self.children, self.parameters = [child], dict(child.parameters or {})
        self.properties = dict(child.properties or {})

    def sample(self, bqm: dimod.BinaryQuadraticModel, **parameters: Any) -> Any:
        """The child's answer, perhaps one that is still to come."""
        self.answers.append(self.child.sample(bqm, **parameters))
        return self.answers[-1]


def sample(question: OnQubits, sampler: Any) -> bytes:
    """All reads of a model on a structured sampler, unembedded; ``OnQubits.read`` takes them.

    They are dimod's serialized sample set as JSON, with a vector ``chain_break_fraction``. Its info
    has ``qpu``, ``topology``, ``embedding_context`` as D-Wave's composites have it, and of each
    problem that was sent its ``timings`` and ``problem_ids``.

    Raises:
        TooLarge: if no embedding is found.
        ProtocolError: for samples over other qubits, or values or energies that are none.
    """
    from dwave.embedding import broken_chains
    from dwave.preprocessing import SpinReversalTransformComposite
    from dwave.system import FixedEmbeddingComposite

    hardware, qubits = hardware_of(sampler)
    embedding, search_s = question.embed(hardware)
    chains = {v: [qubits[i] for i in chain] for v, chain in enumerate(embedding.chains)}
    sent = whole = _Kept(sampler)
    parameters = {"num_reads": question.reads, **question.parameters}
    if question.gauges:
        whole = _Kept(SpinReversalTransformComposite(sent, seed=question.seed))
        parameters["num_spin_reversal_transforms"] = question.gauges
        parameters["num_reads"] = ceil(question.reads / question.gauges)
    sample_set = FixedEmbeddingComposite(whole, chains).sample(
        question.bqm,
        chain_strength=question.strength,
        chain_break_method=question.repair(chains),
        **parameters,
    )
    used = [qubit for chain in chains.values() for qubit in chain]
    for answer in sent.answers:
        answer.resolve()
        _check(answer, used, question.terms.where)
    (answer,) = whole.answers
    times, fractions = answer.record.num_occurrences, broken_chains(answer, [*chains.values()])
    fractions = fractions.mean(axis=1)
    strength = question.strength(question.bqm.spin, chains) if embedding.longest > 1 else None
    sample_set.info.clear()
    sample_set.info.update(
        qpu=_name(sampler),
        topology=hardware.name,
        reads=int(times.sum()),
        broken_reads=int(times[fractions > 0].sum()),
        chain_break_fraction=float(np.average(fractions, weights=times)),
        embedding_context={
            "embedding": {str(v): chain for v, chain in chains.items()},
            "chain_strength": strength,
            "chain_break_method": question.chain_break,
            "search_s": search_s,
        },
        timings=[dict(each.info.get("timing") or {}) for each in sent.answers],
        problem_ids=[str(each.info.get("problem_id", "")) for each in sent.answers],
    )
    return json.dumps(sample_set.to_serializable()).encode()


def _reply(samples: NDArray[np.int8], occurrences: list[int], info: Mapping[str, Any]) -> Reply:
    """Of what ``sample`` has written: ``qpu_access`` is ``programming`` and ``sampling``."""
    context = info["embedding_context"]
    chains = [len(chain) for chain in context["embedding"].values()]
    strength = context["chain_strength"]
    settings = {
        "qpu": quoted(info["qpu"]),
        "qpu_topology": quoted(info["topology"]),
        "problem_ids": [quoted(each) for each in info["problem_ids"]],
        "qubits": sum(chains),
        "longest_chain": max(chains),
        "embedding_search_s": round(number(context["search_s"]), 3),
        "chain_strength_used": strength if strength is None else number(strength),
        "chain_break_fraction": number(info["chain_break_fraction"]),
        "broken_reads": int(number(info["broken_reads"])),
        "repaired_by": quoted(context["chain_break_method"]),
    }
    seconds: dict[str, float] = {}
    for timing in info["timings"]:  # of a sampler that is no QPU there may be none
        for part, name in _PARTS.items():
            if name in timing:
                seconds[part] = seconds.get(part, 0.0) + number(timing[name]) / 1e6
    return Reply(samples, occurrences, int(number(info["reads"])), seconds, settings)


def hardware_of(sampler: Any) -> tuple[Hardware, list[Any]]:
    """The graph of a structured sampler, its qubits by place, and their names in this order."""
    qubits = list(sampler.nodelist)
    places = {qubit: place for place, qubit in enumerate(qubits)}
    graph = nx.Graph()
    graph.add_nodes_from(range(len(qubits)))
    graph.add_edges_from((places[u], places[v]) for u, v in sampler.edgelist)
    topology = (sampler.properties or {}).get("topology")
    name = type(sampler).__name__
    if isinstance(topology, Mapping):
        shape: Any = topology.get("shape") or "?"
        name = f"{topology.get('type')}:{shape[0]}"
    return Hardware(name, graph), qubits


def _name(sampler: Any) -> str:
    """The QPU's name, as D-Wave calls it."""
    name = getattr(getattr(sampler, "solver", None), "name", None)
    return str(name or (sampler.properties or {}).get("chip_id") or type(sampler).__name__)


def _check(answer: Any, used: Sequence[Any], where: str) -> None:
    """ProtocolError for an answer over other qubits, or with what is no value or energy."""
    record: Any = answer.record
    values = (-1, 1) if answer.vartype is dimod.SPIN else (0, 1)
    times: NDArray[Any] = record.num_occurrences
    wrong = {
        "has no samples": not len(record),
        "is over other qubits than were asked for": not set(used) <= set(answer.variables),
        f"has values that are not {values[0]} or {values[1]}": not np.isin(
            record.sample, values
        ).all(),
        "has energies that are no numbers": not np.isfinite(record.energy).all(),
        "has samples that were never read": len(record) and times.min() < 1,
    }
    for what, it_is in wrong.items():
        if it_is:
            raise ProtocolError(f"{where}: the answer {what}")


def access_us(question: OnQubits, qubits: int, sampler: Any = None) -> float:
    """Microseconds of QPU access that a question takes, as D-Wave's client estimates them.

    With the timing data of a sampler's QPU, or those that D-Wave's client has of an Advantage.
    """
    from dwave.cloud.solver import StructuredSolver
    from dwave.cloud.testing.mocks import qpu_problem_timing_data

    known = (getattr(sampler, "properties", None) or {}).get("problem_timing_data")
    qpu = SimpleNamespace(properties={"problem_timing_data": known or qpu_problem_timing_data()})
    problems = max(1, question.gauges)
    try:
        each = StructuredSolver.estimate_qpu_access_time(
            qpu, qubits, num_reads=ceil(question.reads / problems), **question.parameters
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"the QPU's time cannot be estimated: {first_line(error)}") from None
    return problems * float(each)
