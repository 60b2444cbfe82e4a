"""What solvers behind a service share: options, a token, files in its place, calls."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.base.writing import check_place, naming, read_bounded, write_whole
from qubopuzzle.compile import Compiled
from qubopuzzle.errors import InputError, SolverFailed, SolverUnavailable
from qubopuzzle.solvers.base import ANSWER_FILES, Option, Outcome, Solver, Task, literal
from qubopuzzle.solvers.sampler import Best
from qubopuzzle.solvers.services.credentials import check_address

if TYPE_CHECKING:
    from qubopuzzle.solvers.services.call import Reply
    from qubopuzzle.solvers.services.credentials import Token

ANSWER_LIMIT = 64 * 2**20
"""Bytes of an answer; 256 samples of the largest plan of Amplify AE."""
SERVICE_OPTIONS = (
    Option("token_file", str, None, "file that holds the token"),
    Option("url", str, None, "address of the service"),
    Option("proxy", str, None, "address of a proxy; without, HTTPS_PROXY's"),
    Option("ca", str, None, "file of certificates (PEM) to trust besides the usual ones"),
    Option("record", str, None, "file for the answer"),
    Option("replay", str, None, "file with such an answer, to decode and judge again"),
    Option("dry_run", str, None, "file for what would be asked; nothing is sent"),
)


class ServiceSolver(Solver):
    """A solver whose options hold a service's parameters, too, and that asks it call by call.

    With ``dry_run`` what would be asked is written to a file and nothing is sent, with ``replay`` a
    recorded answer takes the service's place.
    """

    remote = True
    variable: ClassVar[str]
    """Of the environment, which may hold the token."""

    def parse_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Check options, and that there is a token if one is needed.

        What is no option of ours is a parameter of the service.

        Raises:
            InputError: for options that do not fit together, too.
            AuthenticationError: if there is no token.
        """
        if "token" in options:
            what = "a token does not belong into an option"
            raise InputError(f"{what}: set {self.variable} or use --token-file FILE")
        theirs = self.own_parameters(options)
        parsed = super().parse_options({k: v for k, v in options.items() if k not in theirs})
        theirs = {name: literal(value) for name, value in theirs.items() if value is not None}
        self.check_parameters(parsed, theirs)
        for name in ("url", "proxy"):
            parsed[name] = parsed[name] and check_address(name, parsed[name])
        if sum(parsed[name] is not None for name in ANSWER_FILES) > 1:
            raise InputError("options record, dry_run and replay exclude each other")
        for name in ("record", "dry_run"):
            if parsed[name] is not None:
                check_place(Path(parsed[name]))
        if not parsed["replay"] and not parsed["dry_run"]:
            self.token(parsed)
        return {**parsed, **theirs}

    def own_parameters(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Those of the options that are parameters of the service."""
        names = {option.name for option in self.options}
        return {name: value for name, value in options.items() if name not in names}

    @abstractmethod
    def check_parameters(self, options: Mapping[str, Any], parameters: Mapping[str, Any]) -> None:
        """InputError for parameters that the service has not, and options that it does not take."""

    @abstractmethod
    def token(self, options: Mapping[str, Any]) -> Token | None:
        """The token, None if none is needed; AuthenticationError if there is none."""

    def asked(self, task: Task) -> Compiled:
        """What the samples are of: the compiled model, or one that decodes to its variables."""
        return task.compiled

    @abstractmethod
    def question(self, task: Task, asked: Compiled) -> Any:
        """What is asked for a task."""

    @abstractmethod
    def rehearse(self, question: Any, options: Mapping[str, Any]) -> tuple[bytes, dict[str, Any]]:
        """What a dry run writes, and what the result says of it."""

    @abstractmethod
    def ask(self, question: Any, options: Mapping[str, Any], tick: Callable[[], None]) -> Reply:
        """The service's reply, or what ``replay`` has in its place; ``record`` is written."""

    def asks_again(self, task: Task, best: Best, sample: NDArray[np.int8] | None) -> bool:
        """Whether to ask once more; ``sample`` is the best of the last reply, if it had any."""
        return False

    def solve(self, task: Task) -> Outcome:
        """Ask, and again while ``asks_again`` says so; what replies bring is kept."""
        asked = self.asked(task)
        outcome = self._outcome(task, asked, Best(asked))
        if asked is task.compiled:
            return outcome
        return replace(outcome, samples=asked.decode(outcome.samples).astype(np.int8))

    def _outcome(self, task: Task, asked: Compiled, best: Best) -> Outcome:
        """With samples of what is asked about."""
        if not asked.sizes["variables"]:
            return best.of_nothing()
        here, options = self.available(), task.options
        if not here.ok:
            raise SolverUnavailable(f"solver {self.name} cannot run here: {here.why}")
        question = self.question(task, asked)
        if options["dry_run"]:
            body, notes = self.rehearse(question, options)
            write_whole(Path(options["dry_run"]), body)
            return best.outcome(settings={"request_bytes": len(body), **notes})
        limit, seconds = question.terms.seconds, dict[str, float]()
        notes = {} if limit is None else {"time_limit_s": limit}
        again, interrupted = True, False
        try:
            while again:
                reply = self.ask(question, options, partial(task.report, best.reads, best.energy))
                seconds |= {part: seconds.get(part, 0.0) + s for part, s in reply.seconds.items()}
                notes |= reply.settings
                best.reads += reply.reads
                some = len(reply.samples) > 0
                sample = best.add(reply.samples, reply.occurrences, 0) if some else None
                again = self.asks_again(task, best, sample)
        except KeyboardInterrupt:
            interrupted = True
        except SolverFailed as error:
            if not best.reads:
                raise
            notes["ended_by"] = str(error)  # what earlier calls brought is kept
        return best.outcome(interrupted=interrupted, settings=notes, service_s=seconds)


def stored(file: str) -> bytes:
    """A recorded answer; InputError if there is none."""
    path = Path(file)
    with naming(path):
        return read_bounded(path, ANSWER_LIMIT)
