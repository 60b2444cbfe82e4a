"""``dwave``: D-Wave's quantum annealer, or any sampler with a graph of its own.

A model is embedded on the graph and sampled there, all reads in one call (``sampling``). D-Wave's
client runs in a process of its own and speaks to a relay of ours (``call``); a sampler that is
given, or named as ``dwave:module:Class``, is called here. With ``dry_run`` the embedding is
searched on an ideal graph and written with an estimate of the QPU's time, with ``replay`` a
recorded answer takes the place of the call.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qubopuzzle.embedding.hardware import DEFAULT_TOPOLOGY
from qubopuzzle.embedding.search import DEFAULT_SECONDS, DEFAULT_TRIES
from qubopuzzle.errors import InputError, SolverUnavailable, did_you_mean
from qubopuzzle.files.writing import write_whole
from qubopuzzle.solvers.base import (
    Option,
    Outcome,
    Solver,
    Task,
    backend_errors,
    installed_version,
    literal,
)
from qubopuzzle.solvers.dimod_sampler import DimodSampler, has_graph
from qubopuzzle.solvers.dwave.settings import address_of, features, profile, token_of
from qubopuzzle.solvers.sampler import Best
from qubopuzzle.solvers.services.call import Terms
from qubopuzzle.solvers.services.credentials import check_address
from qubopuzzle.solvers.services.files import check_files, stored

if TYPE_CHECKING:
    from qubopuzzle.solvers.dwave.replies import Reply
    from qubopuzzle.solvers.dwave.sampling import Question

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
PARAMETERS = (
    *("anneal_offsets", "anneal_schedule", "answer_mode", "auto_scale", "fast_anneal"),
    *("flux_biases", "flux_drift_compensation", "h_gain_schedule", "initial_state", "label"),
    *("max_answers", "programming_thermalization", "readout_thermalization"),
    *("reduce_intersample_correlation", "reinitialize_state"),
)
"""Parameters of D-Wave's QPUs that are no option of ours; which a QPU has, it says itself."""


class DWaveSolver(Solver):
    """D-Wave's QPU, or a sampler that a user has or names."""

    name = "dwave"
    package = "dwave-system"
    extra = "dwave"
    remote = True
    default_encoding = "domain-wall"
    default_reads = 100
    about = "D-Wave's quantum annealer, with a token in DWAVE_API_TOKEN (docs/quantum.md)"
    options = (
        Option("solver", str, None, "name of a QPU; without, the one with most qubits"),
        Option("topology", str, DEFAULT_TOPOLOGY, "graph for dry runs, such as zephyr:12"),
        Option("tries", int, DEFAULT_TRIES, "embeddings searched, of which one is taken", 1, 10**4),
        Option("embedding_s", float, DEFAULT_SECONDS, "seconds for that, at most", 0.001, 86_400),
        Option("chain_strength", str, "torque", "rule for chains' couplings", choices=_STRENGTHS),
        Option("chain_multiple", float, 1.0, "times what the rule says", 1e-6, 1e6),
        Option("chain_break", str, "majority", "value of a broken chain", choices=_REPAIRS),
        Option("annealing_time", float, None, "microseconds of a read", 0.0005, 1e6),
        Option("gauges", int, 0, "spin-reversal transforms, which share the reads", 0, 100),
        Option("patience", float, 30.0, "seconds for queue, network and QPU", 0.1),
        Option("token_file", str, None, "file that holds the token"),
        Option("url", str, None, "address of the service"),
        Option("proxy", str, None, "address of a proxy; without, HTTPS_PROXY's"),
        Option("ca", str, None, "file of certificates (PEM) to trust besides the usual ones"),
        Option("record", str, None, "file for the unembedded samples"),
        Option("replay", str, None, "file with such samples, to decode and judge again"),
        Option("dry_run", str, None, "file for the embedding; nothing is sent"),
    )

    _names = frozenset(option.name for option in options)

    def __init__(self, given: DimodSampler | None = None) -> None:
        """Around a sampler with a graph of its own, without one for D-Wave's service."""
        self._given = given
        if given is not None:
            self.name, self.remote = f"dwave:{given.sampler}", False  # type: ignore[misc]

    def parse_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Check options, and that there is a token if one is needed.

        What is no option of ours is a parameter of the QPU, or of the sampler.

        Raises:
            InputError: for options that do not fit together, too.
            AuthenticationError: if there is no token.
        """
        if "token" in options:
            what = "a token does not belong into an option"
            raise InputError(f"{what}: set DWAVE_API_TOKEN or use --token-file FILE")
        mine = {name: value for name, value in options.items() if name in self._names}
        parsed = super().parse_options(mine)
        theirs = {k: literal(v) for k, v in options.items() if k not in mine and v is not None}
        self._check_parameters(theirs)
        for name in ("url", "proxy"):
            parsed[name] = parsed[name] and check_address(name, parsed[name])
        check_files(parsed)
        if self._given is None and not parsed["replay"] and not parsed["dry_run"]:
            token_of(parsed)
        return {**parsed, **theirs}

    def solve(self, task: Task) -> Outcome:
        """Ask once for all reads."""
        options, best = task.options, Best(task.compiled)
        n = task.compiled.payload.num_variables
        if not n:
            return best.of_nothing()
        here = self.available()
        if not here.ok:
            raise SolverUnavailable(f"solver {self.name} cannot run here: {here.why}")
        question = self._question(task)
        if options["dry_run"]:
            return best.outcome(settings=self._rehearse(question, options))
        try:
            body, parts = self._ask(task, question)
        except KeyboardInterrupt:
            return best.outcome(interrupted=True)
        from qubopuzzle.solvers.dwave.replies import read

        reply = read(body, n, question.terms.where)
        if options["record"]:
            write_whole(Path(options["record"]), body)
        if len(reply.samples):
            best.add(reply.samples, reply.occurrences, 0)
        best.reads = reply.reads
        return best.outcome(settings=reply.settings, service_s=parts(reply))

    def versions(self) -> dict[str, str]:
        """Versions of D-Wave's packages."""
        names = ("dwave-system", "dwave-cloud-client", "minorminer")
        return {name: installed_version(name) for name in names}

    def _check_parameters(self, parameters: Mapping[str, Any]) -> None:
        """InputError for what the QPU, or the sampler, does not know."""
        if not parameters:
            return
        own = PARAMETERS if self._given is None else tuple(self._sampler.parameters or ())
        for name in parameters:
            if name == "num_reads":
                raise InputError(f"solver {self.name}: give num_reads as the reads of the run")
            if name not in own:
                hint = did_you_mean(name, [*own, *self._names], f"it has: {', '.join(own)}")
                raise InputError(f"solver {self.name} has no option {name!r}; {hint}")

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

    def _question(self, task: Task) -> Question:
        from qubopuzzle.solvers.dwave.sampling import Question

        options, budget = task.options, task.budget
        searching = min(options["embedding_s"], budget.time_limit or options["embedding_s"])
        own = {k: value for k, value in options.items() if k not in self._names}
        if options["annealing_time"] is not None:
            own["annealing_time"] = options["annealing_time"]
        where = self.name
        if options["replay"]:
            where = "the stored answer"
        elif self._given is None:
            where = "D-Wave" + (f" at {options['url']}" if options["url"] else "")
        limit = budget.time_limit or searching
        return Question(
            bqm=task.compiled.payload,
            terms=Terms(where, None, limit + options["patience"]),
            reads=budget.reads or self.default_reads,
            seed=budget.seed,
            embedding_s=searching,
            qpu=options["solver"],
            parameters=own,
            **{name: options[name] for name in ("tries", "chain_strength", "chain_multiple")},
            **{name: options[name] for name in ("chain_break", "gauges")},
        )

    def _ask(
        self, task: Task, question: Question
    ) -> tuple[bytes, Callable[[Reply], Mapping[str, float]]]:
        """The answer as ``sampling.sample`` writes it, and what makes ``service_s`` of it."""
        options = task.options
        if options["replay"]:
            return stored(Path(options["replay"])), lambda reply: reply.seconds
        if self._given is not None:
            from qubopuzzle.solvers.dwave.sampling import sample

            with backend_errors(self.name, question.bqm.num_variables):
                return sample(question, self._sampler), lambda reply: reply.seconds
        from qubopuzzle.solvers.dwave.call import call
        from qubopuzzle.solvers.services.service import Service

        if question.qpu is None and "solver" in profile():
            question = replace(question, qpu=features(profile()["solver"]))
        token, url = token_of(options), address_of(options)
        proxy = options["proxy"] or profile().get("proxy", "")
        where = question.terms.where
        with Service(where, url, token, proxy, options["ca"] or "", once=True) as service:
            return call(question, service, lambda: task.report(0, float("inf")), token)

    def _rehearse(self, question: Question, options: Mapping[str, Any]) -> dict[str, Any]:
        """Write what would be sent, on an ideal graph; the figures for the result's settings."""
        from qubopuzzle.embedding import Hardware
        from qubopuzzle.solvers.dwave.sampling import access_us, hardware_of

        sampler = self._sampler
        hardware = Hardware.of(options["topology"]) if sampler is None else hardware_of(sampler)[0]
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
            "embedding": embedding.chains,
        }
        body = json.dumps(told).encode()
        write_whole(Path(options["dry_run"]), body)
        figures = (
            f"{hardware.name}: {embedding.qubits:,} qubits, chains of up to {embedding.longest}, "
            f"chain strength {strength:.4g}, {question.reads:,} reads take the QPU about "
            f"{access:,.0f} µs"
        )
        return {"request_bytes": len(body), "request": figures}


SOLVER = DWaveSolver()
