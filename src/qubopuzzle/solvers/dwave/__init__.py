"""``dwave``: D-Wave's quantum annealer, or any sampler with a graph of its own.

A model is embedded on the graph and sampled there, all reads in one call (``sampling``). D-Wave's
client runs in a process of its own and speaks to a relay of ours (``call``); a sampler that is
given, or named as ``dwave:module:Class``, is called here. A dry run searches an embedding on an
ideal graph and writes it with an estimate of the QPU's time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, cast

from qubopuzzle.compile import Compiled
from qubopuzzle.embedding.hardware import DEFAULT_TOPOLOGY
from qubopuzzle.embedding.search import DEFAULT_SECONDS, DEFAULT_TRIES
from qubopuzzle.errors import InputError, SolverFailed
from qubopuzzle.solvers.base import Option, Task, backend_errors
from qubopuzzle.solvers.dimod_sampler import DimodSampler, has_graph
from qubopuzzle.solvers.dwave.sapi import OPTIONS, SapiSolver
from qubopuzzle.solvers.dwave.settings import profile, token_in
from qubopuzzle.solvers.services.call import Terms

if TYPE_CHECKING:
    from qubopuzzle.embedding import Hardware
    from qubopuzzle.solvers.dwave.call import Question
    from qubopuzzle.solvers.dwave.sampling import OnQubits
    from qubopuzzle.solvers.services.call import Reply
    from qubopuzzle.solvers.services.credentials import Token

DEFAULT_READS = 100
_STRENGTHS = {
    "torque": "D-Wave's uniform torque compensation",
    "scaled": "the largest bias of the model",
}
_REPAIRS = {
    "majority": "the value that most qubits of the chain have",
    "weighted": "drawn by how many qubits have it",
    "minimize-energy": "what lowers the energy, chain by chain",
    "discard": "reads with a broken chain are dropped",
}
EMBEDDING_OPTIONS = (
    Option("tries", int, DEFAULT_TRIES, "embeddings searched, of which one is taken", 1, 10**4),
    Option("embedding_s", float, DEFAULT_SECONDS, "seconds for that, at most", 0.001, 86_400),
    Option("chain_strength", str, "torque", "rule for chains' couplings", choices=_STRENGTHS),
    Option("chain_multiple", float, 1.0, "times what the rule says", 1e-6, 1e6),
    Option("chain_break", str, "majority", "value of a broken chain", choices=_REPAIRS),
    Option("gauges", int, 0, "spin-reversal transforms, which share the reads", 0, 100),
)


class DWaveSolver(SapiSolver):
    """D-Wave's QPU."""

    name = "dwave"
    default_encoding = "domain-wall"
    default_reads = DEFAULT_READS
    about = "D-Wave's quantum annealer, with a token in DWAVE_API_TOKEN (docs/quantum.md)"
    options = (
        Option("solver", str, None, "name of a QPU; without, the one with most qubits"),
        Option("topology", str, DEFAULT_TOPOLOGY, "graph for dry runs, such as zephyr:12"),
        *EMBEDDING_OPTIONS,
        Option("annealing_time", float, None, "microseconds of a read", 0.0005, 1e6),
        *OPTIONS,
    )
    parameters = (
        *("anneal_offsets", "anneal_schedule", "answer_mode", "auto_scale", "fast_anneal"),
        *("flux_biases", "flux_drift_compensation", "h_gain_schedule", "initial_state", "label"),
        *("max_answers", "programming_thermalization", "readout_thermalization"),
        *("reduce_intersample_correlation", "reinitialize_state"),
    )
    reserved = ("num_reads",)

    def question(self, task: Task, asked: Compiled) -> OnQubits:
        """Without a time limit the search for an embedding has its own."""
        options, left = task.options, task.seconds_left()
        parameters = self.own_parameters(options)
        if options["annealing_time"] is not None:
            parameters["annealing_time"] = options["annealing_time"]
        working = max(0.001, left) if isfinite(left) else options["embedding_s"]
        terms = Terms(self.where(options), None, working + options["patience"])
        return on_qubits(task, terms, parameters, options["solver"])

    def answer(
        self, question: Question, options: Mapping[str, Any], tick: Callable[[], None]
    ) -> tuple[Reply, bytes]:
        """Of the QPU that the options name, else of that of the user's profile."""
        solver = question.solver or profile().get("solver")
        return super().answer(replace(question, solver=solver), options, tick)

    def rehearse(
        self, question: OnQubits, options: Mapping[str, Any]
    ) -> tuple[bytes, dict[str, Any]]:
        """An embedding on an ideal graph, and what it costs."""
        from qubopuzzle.embedding import Hardware

        hardware = Hardware.of(options["topology"])
        qubits = range(max(hardware.graph) + 1)  # their names are numbers
        return _rehearsed(question, hardware, qubits)


class SamplerOnGraph(DWaveSolver):
    """A sampler with a graph of its own that a user has or names: it takes the QPU's place."""

    remote = False

    def __init__(self, given: DimodSampler) -> None:
        self._given = given
        self.name = f"dwave:{given.sampler}"

    @cached_property
    def _sampler(self) -> Any:
        """The sampler, made once."""
        made = self._given.built()
        if not has_graph(made):
            what = "has no graph of its own to embed models on"
            raise InputError(f"{self.name} {what}; use --solver dimod:{self._given.sampler}")
        return made

    def token(self, options: Mapping[str, Any]) -> Token | None:
        """None: it is asked here."""
        return None

    def may_overrun(self, task: Task) -> bool:
        """It works in this process, where nobody can stop it."""
        return True

    def known_parameters(self) -> tuple[str, ...]:
        """The sampler's."""
        return tuple(self._sampler.parameters or ())

    def where(self, options: Mapping[str, Any]) -> str:
        """Who answers, for messages."""
        return super().where(options) if options["replay"] else self.name

    def answer(
        self, question: Question, options: Mapping[str, Any], tick: Callable[[], None]
    ) -> tuple[Reply, bytes]:
        """Of the sampler, whose client's token is masked in errors."""
        from qubopuzzle.solvers.dwave.sampling import sample

        asked, token = cast("OnQubits", question), token_in(self._sampler)
        try:
            with backend_errors(self.name, asked.bqm.num_variables):
                body = sample(asked, self._sampler)
                return asked.read(body), body
        except SolverFailed as error:
            if token is None:
                raise
            kind, words = type(error), token.mask(str(error))
        raise kind(words)  # without the error behind it, which may quote the token

    def rehearse(
        self, question: OnQubits, options: Mapping[str, Any]
    ) -> tuple[bytes, dict[str, Any]]:
        """An embedding on the sampler's graph, and what it costs."""
        from qubopuzzle.solvers.dwave.sampling import hardware_of

        return _rehearsed(question, *hardware_of(self._sampler), self._sampler)


def _rehearsed(
    question: OnQubits, hardware: Hardware, qubits: Sequence[Any], sampler: Any = None
) -> tuple[bytes, dict[str, Any]]:
    """What a dry run writes and says: an embedding, chain strength, and the QPU's time."""
    from qubopuzzle.solvers.dwave.sampling import access_us

    embedding, search_s = question.embed(hardware)
    strength = question.strength(question.bqm.spin)
    access = access_us(question, embedding.qubits, sampler)
    summary = {
        "variables": question.bqm.num_variables,
        "couplings": question.bqm.num_interactions,
        "topology": hardware.name,
        "qubits": embedding.qubits,
        "longest_chain": embedding.longest,
        "mean_chain": embedding.mean,
        "chain_strength": strength,
        "reads": question.reads,
        "parameters": dict(question.parameters),
        "qpu_access_us": access,
        "search_s": search_s,
        "embedding": [[qubits[i] for i in chain] for chain in embedding.chains],
    }
    figures = (
        f"{hardware.name}: {embedding.qubits:,} qubits, chains of up to {embedding.longest}, "
        f"chain strength {strength:.4g}, {question.reads:,} reads take the QPU about "
        f"{access:,.0f} µs"
    )
    return json.dumps(summary).encode(), {"request": figures}


def on_qubits(
    task: Task, terms: Terms, parameters: Mapping[str, Any], solver: str | None = None
) -> OnQubits:
    """A task, with ``EMBEDDING_OPTIONS``, for a graph of qubits; the search ends in time, too."""
    from qubopuzzle.solvers.dwave.sampling import OnQubits

    options = {option.name: task.options[option.name] for option in EMBEDDING_OPTIONS}
    options["embedding_s"] = min(options["embedding_s"], max(0.001, task.seconds_left()))
    return OnQubits(
        bqm=task.compiled.payload,
        terms=terms,
        reads=task.budget.reads or DEFAULT_READS,
        seed=task.budget.seed,
        solver=solver,
        parameters=parameters,
        **options,
    )


SOLVER = DWaveSolver()
