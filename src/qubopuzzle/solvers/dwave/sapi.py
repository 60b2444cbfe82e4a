"""What solvers share that D-Wave runs: options, token, files, one call, and what came of it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from qubopuzzle.compile import Compiled
from qubopuzzle.errors import InputError, SolverUnavailable, did_you_mean
from qubopuzzle.files.writing import write_whole
from qubopuzzle.solvers.base import Option, Outcome, Solver, Task, installed_version, literal
from qubopuzzle.solvers.dwave.settings import address_of, profile, token_of
from qubopuzzle.solvers.sampler import Best
from qubopuzzle.solvers.services.credentials import check_address
from qubopuzzle.solvers.services.files import check_files, stored
from qubopuzzle.solvers.services.options import SERVICE_OPTIONS

if TYPE_CHECKING:
    from qubopuzzle.solvers.dwave.call import Question
    from qubopuzzle.solvers.dwave.replies import Reply

OPTIONS = (
    Option("patience", float, 30.0, "seconds for queue and network besides", 0.1, 86_400),
    *SERVICE_OPTIONS,
)


class SapiSolver(Solver):
    """A solver behind D-Wave's interface (SAPI); one call has all reads."""

    package = "dwave-system"
    extra = "dwave"
    remote = True
    parameters: ClassVar[tuple[str, ...]] = ()
    """Parameters of D-Wave's solvers that are no option of ours."""
    reserved: ClassVar[Mapping[str, str]] = {}
    """Parameters that are given otherwise, and how."""

    @property
    def needs_token(self) -> bool:
        """Whether it asks D-Wave's service."""
        return True

    def parse_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Check options, and that there is a token if one is needed.

        What is no option of ours is a parameter of D-Wave's solver.

        Raises:
            InputError: for options that do not fit together, too.
            AuthenticationError: if there is no token.
        """
        if "token" in options:
            what = "a token does not belong into an option"
            raise InputError(f"{what}: set DWAVE_API_TOKEN or use --token-file FILE")
        names = {option.name for option in self.options}
        mine = {name: value for name, value in options.items() if name in names}
        parsed = super().parse_options(mine)
        theirs = {k: literal(v) for k, v in options.items() if k not in mine and v is not None}
        for name in theirs:
            self._check_parameter(name, names)
        for name in ("url", "proxy"):
            parsed[name] = parsed[name] and check_address(name, parsed[name])
        check_files(parsed)
        if self.needs_token and not parsed["replay"] and not parsed["dry_run"]:
            token_of(parsed)
        return {**parsed, **theirs}

    def solve(self, task: Task) -> Outcome:
        """Ask once."""
        asked = self.asked(task)
        outcome = self._outcome(task, asked, Best(asked))
        if asked is task.compiled:
            return outcome
        return replace(outcome, samples=asked.decode(outcome.samples).astype(np.int8))

    def _outcome(self, task: Task, asked: Compiled, best: Best) -> Outcome:
        """With samples of what is asked about."""
        options = task.options
        if not asked.sizes["variables"]:
            return best.of_nothing()
        here = self.available()
        if not here.ok:
            raise SolverUnavailable(f"solver {self.name} cannot run here: {here.why}")
        question = self.question(task, asked)
        if options["dry_run"]:
            body, figures = self.rehearse(question, options)
            write_whole(Path(options["dry_run"]), body)
            return best.outcome(settings={"request_bytes": len(body), "request": figures})
        try:
            reply, body = self._ask(task, question)
        except KeyboardInterrupt:
            return best.outcome(interrupted=True)
        if options["record"]:
            write_whole(Path(options["record"]), body)
        if len(reply.samples):
            best.add(reply.samples, reply.occurrences, 0)
        told = reply.figures
        best.reads = told.reads
        return best.outcome(settings=told.settings, service_s=told.seconds)

    def versions(self) -> dict[str, str]:
        """Versions of D-Wave's packages."""
        names = ("dwave-system", "dwave-cloud-client", "minorminer")
        return {name: installed_version(name) for name in names}

    def asked(self, task: Task) -> Compiled:
        """What the samples are of: the compiled model, or one that decodes to its variables."""
        return task.compiled

    @abstractmethod
    def question(self, task: Task, asked: Compiled) -> Question:
        """What is asked for a task."""

    @abstractmethod
    def rehearse(self, question: Question, options: Mapping[str, Any]) -> tuple[bytes, str]:
        """What a dry run writes, and its figures in a line."""

    def ask_here(self, question: Question) -> bytes | None:
        """The answer of a sampler in this process, if there is one."""
        return None

    def where(self, options: Mapping[str, Any]) -> str:
        """Who answers, for messages."""
        if options["replay"]:
            return "the stored answer"
        return "D-Wave" + (f" at {options['url']}" if options["url"] else "")

    def own_parameters(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Those of the options that are parameters of D-Wave's solver."""
        names = {option.name for option in self.options}
        return {name: value for name, value in options.items() if name not in names}

    def known_parameters(self) -> tuple[str, ...]:
        """Parameters that there may be."""
        return self.parameters

    def _check_parameter(self, name: str, options: set[str]) -> None:
        if name in self.reserved:
            raise InputError(f"solver {self.name}: give {name} as {self.reserved[name]}")
        known = self.known_parameters()
        if name not in known:
            hint = did_you_mean(name, [*known, *options], f"it has: {', '.join(known)}")
            raise InputError(f"solver {self.name} has no option {name!r}; {hint}")

    def _ask(self, task: Task, question: Question) -> tuple[Reply, bytes]:
        """The reply, and the bytes that ``record`` keeps."""
        from qubopuzzle.solvers.dwave.call import call
        from qubopuzzle.solvers.services.service import Service

        options = task.options
        own = stored(Path(options["replay"])) if options["replay"] else self.ask_here(question)
        if own is not None:
            return question.read(own), own
        found = profile()
        token, url = token_of(options), address_of(options)
        proxy, where = options["proxy"] or found.get("proxy", ""), question.terms.where
        tick = partial(task.report, 0, inf)
        with Service(where, url, token, proxy, options["ca"] or "", once=True) as service:
            return call(question, service, tick, token)
