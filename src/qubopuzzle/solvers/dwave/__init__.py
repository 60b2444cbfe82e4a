"""``dwave``: D-Wave's quantum annealer, or any sampler with a graph of its own.

A model is embedded on the graph and sampled there, all reads in one call (``sampling``). D-Wave's
client runs in a process of its own and speaks to a relay of ours (``call``); a sampler that is
given, or named as ``dwave:module:Class``, is called here. With ``dry_run`` the embedding is
searched on an ideal graph and written with an estimate of the QPU's time, with ``replay`` a
recorded answer takes the place of the call.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
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
    from qubopuzzle.solvers.dwave.call import Question
    from qubopuzzle.solvers.dwave.sampling import OnQubits

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
    """D-Wave's QPU, or a sampler that a user has or names."""

    name = "dwave"
    default_encoding = "domain-wall"
    default_reads = 100
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
    reserved = {"num_reads": "the reads of the run"}  # noqa: RUF012, of the class

    def __init__(self, given: DimodSampler | None = None) -> None:
        """Around a sampler with a graph of its own, without one for D-Wave's service."""
        self._given = given
        if given is not None:
            self.name, self.remote = f"dwave:{given.sampler}", False  # type: ignore[misc]

    @property
    def needs_token(self) -> bool:
        """Whether it asks D-Wave's service, and no sampler here."""
        return self._given is None

    def may_overrun(self, task: Task) -> bool:
        """Whether a sampler here does the work, which nobody can stop."""
        return self._given is not None

    def known_parameters(self) -> tuple[str, ...]:
        """Those of D-Wave's QPUs, or of the sampler."""
        return self.parameters if self._given is None else tuple(self._sampler.parameters or ())

    @cached_property
    def _sampler(self) -> Any:
        """The sampler, made once; None for D-Wave's service."""
        if self._given is None:
            return None
        made = self._given.built()
        if not has_graph(made):
            what = "has no graph of its own to embed models on"
            raise InputError(f"{self.name} {what}; use --solver dimod:{self._given.sampler}")
        return made

    def question(self, task: Task, asked: Compiled) -> OnQubits:
        """Without a time limit the search for an embedding has its own."""
        from qubopuzzle.solvers.dwave.sampling import OnQubits

        options, left = task.options, max(0.001, task.seconds_left())
        searching = min(options["embedding_s"], left)
        parameters = self.own_parameters(options)
        if options["annealing_time"] is not None:
            parameters["annealing_time"] = options["annealing_time"]
        deadline = (left if isfinite(left) else searching) + options["patience"]
        return OnQubits(
            bqm=asked.payload,
            terms=Terms(self.where(options), None, deadline),
            reads=task.budget.reads or self.default_reads,
            seed=task.budget.seed,
            solver=options["solver"] or self._usual(options),
            parameters=parameters,
            **embedding_settings(task),
        )

    def _usual(self, options: Mapping[str, Any]) -> str | None:
        """The QPU of the user's profile, if there is one and D-Wave is asked."""
        asks = self.needs_token and not options["replay"] and not options["dry_run"]
        return profile().get("solver") if asks else None

    def where(self, options: Mapping[str, Any]) -> str:
        """Who answers, for messages."""
        here = self._given is not None and not options["replay"]
        return self.name if here else super().where(options)

    def ask_here(self, question: Question) -> bytes | None:
        """The samples of a sampler that was given."""
        from qubopuzzle.solvers.dwave.sampling import OnQubits, sample

        if self._given is None or not isinstance(question, OnQubits):
            return None
        token = token_in(self._sampler)
        try:
            with backend_errors(self.name, question.bqm.num_variables):
                return sample(question, self._sampler)
        except SolverFailed as error:
            if token is None:
                raise
            kind, words = type(error), token.mask(str(error))
        raise kind(words)  # without the error behind it, which may quote the token

    def rehearse(self, question: Question, options: Mapping[str, Any]) -> tuple[bytes, str]:
        """An embedding on an ideal graph, or the sampler's, and what it costs."""
        from qubopuzzle.embedding import Hardware
        from qubopuzzle.solvers.dwave.sampling import access_us, hardware_of

        question, sampler = cast("OnQubits", question), self._sampler
        if sampler is None:
            hardware = Hardware.of(options["topology"])
            qubits: Sequence[Any] = range(max(hardware.graph) + 1)  # their names are numbers
        else:
            hardware, qubits = hardware_of(sampler)
        embedding, search_s = question.embed(hardware)
        strength = question.strength(question.bqm.spin)
        access = access_us(question, embedding.qubits, sampler)
        told = {
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
        return json.dumps(told).encode(), figures


def embedding_settings(task: Task) -> dict[str, Any]:
    """The options of ``EMBEDDING_OPTIONS``; the search ends at the time limit, too."""
    own = {option.name: task.options[option.name] for option in EMBEDDING_OPTIONS}
    return own | {"embedding_s": min(own["embedding_s"], max(0.001, task.seconds_left()))}


SOLVER = DWaveSolver()
