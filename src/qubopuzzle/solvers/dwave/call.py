"""D-Wave's client in a process of its own: what is asked, what may answer, and how that is read."""

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle import errors
from qubopuzzle.solvers.dwave.settings import features
from qubopuzzle.solvers.sampler import in_order
from qubopuzzle.solvers.services.call import Reply, Terms, call_client
from qubopuzzle.solvers.services.credentials import Token, quoted
from qubopuzzle.solvers.services.relay import HttpResponse, Message, Respond

_CANCELLING_S = 1.0
_TYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint32", "float32", "float64")
"""Of numbers in arrays; another one could ask for any memory."""

Build = Callable[[NDArray[np.int8], list[int], Mapping[str, Any]], Reply]
"""A reply of samples, how often each was read, and the info of a sample set."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Question(ABC):
    """What is asked of a solver of D-Wave's.

    ``solver`` is the name of one, or features of one as D-Wave's configuration has them;
    ``parameters`` are the solver's own.
    """

    terms: Terms
    solver: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @abstractmethod
    def ask(self, url: str, token: str) -> bytes:
        """The answer by D-Wave's client, in a process of its own; raises what that raises."""

    @abstractmethod
    def read(self, body: bytes) -> Reply:
        """The reply that ``ask`` has written; ProtocolError if that is none."""

    def client_settings(self, url: str, token: str) -> dict[str, Any]:
        """Arguments of D-Wave's samplers: nothing of the user's is read, nothing is kept."""
        selection: dict[str, Any] = {}
        if self.solver is not None:
            wanted = features(self.solver)
            # All solvers are listed, so that an unknown name is known as such.
            selection["solver"] = wanted if isinstance(wanted, dict) else {"name__in": [wanted]}
        return {
            **selection,
            "endpoint": url,
            "token": token,
            "config_file": False,
            "cache_enabled": False,
            "request_timeout": self.terms.deadline + 5,
            "http_retry_total": 0,
        }

    def check_parameters(self, sampler: Any) -> None:
        """InputError for parameters that the solver has not."""
        unknown = [name for name in self.parameters if name not in sampler.parameters]
        if unknown:
            known = ", ".join(sorted(sampler.parameters))
            raise errors.InputError(f"{sampler.solver.name} has no {unknown[0]}; it has: {known}")


@dataclass(slots=True, eq=False)
class Problems:
    """Passes messages on to ``respond`` and looks at answers on problems, which the client trusts.

    ``began`` and ``ended``, by ``time.perf_counter``: the first problem was sent, the last answer
    on one came. ``solving``: seconds from submitted to solved by problem, by the service's clock.
    """

    respond: Respond
    terms: Terms
    began: float = 0.0
    ended: float = 0.0
    solving: dict[str, float] = field(default_factory=dict)
    _ids: set[str] = field(default_factory=set)
    _latest: Message | None = None

    def __call__(self, message: Message) -> HttpResponse:
        """The answer; ProtocolError for one that is no JSON, or on a problem of somebody else's."""
        about = message.path.partition("?")[0].strip("/").partition("/")[0] == "problems"
        if about:
            self.began = self.began or time.perf_counter()
            self._latest = message
        answer = self.respond(message)
        if about and message.command != "DELETE":
            self.ended = time.perf_counter()
            self._look(answer.body, new=message.command == "POST")
        return answer

    def cancel(self) -> None:
        """Tell the service that nobody waits for the problems; it may not hear."""
        if self._latest is None or not self._ids:
            return
        body, ends = json.dumps(sorted(self._ids)).encode(), time.monotonic() + _CANCELLING_S
        message = replace(self._latest, command="DELETE", path="/problems/", body=body, ends=ends)
        with suppress(errors.QubopuzzleError, TimeoutError):
            self.respond(message)

    def _look(self, body: bytes, *, new: bool) -> None:
        try:
            answer = json.loads(body)
            several = answer if isinstance(answer, list) else [answer]
            problems = [each for each in several if "id" in each]
            ids = {each["id"] for each in problems}
        except (ValueError, TypeError, KeyError, RecursionError):
            raise errors.ProtocolError(f"{self.terms.where}: the answer cannot be read") from None
        if new:
            self._ids |= ids
        if not ids <= self._ids:
            raise errors.ProtocolError(f"{self.terms.where}: the answer is on another problem")
        for each in problems:
            with suppress(KeyError, TypeError, ValueError):  # not solved, or not said
                taken, done = map(datetime.fromisoformat, (each["submitted_on"], each["solved_on"]))
                self.solving[each["id"]] = max(0.0, (done - taken).total_seconds())


def call(
    question: Question, respond: Respond, tick: Callable[[], None], token: Token
) -> tuple[Reply, bytes]:
    """The reply to a question, and its bytes; errors as ``call_client``.

    Problems that are not waited for any more are cancelled. The reply's seconds begin with
    ``queue`` and end with ``network``, what the service's clock and ours say beyond the solver's
    time, and ``process``, the rest of the call but for the search.
    """
    started, problems = time.perf_counter(), Problems(respond, question.terms)
    try:
        body = call_client(_ask, question, question.terms, problems, tick, token)
    except (errors.DeadlineExceeded, KeyboardInterrupt):
        problems.cancel()
        raise
    spent, waited = time.perf_counter() - started, problems.ended - problems.began
    solving, reply = sum(problems.solving.values()), question.read(body)
    working = reply.seconds.get("execution", reply.seconds.get("qpu_access", 0.0))
    search = reply.settings.get("embedding_search_s", 0.0)
    seconds = {
        "queue": max(0.0, solving - working),
        **reply.seconds,
        "network": max(0.0, waited - max(solving, working)),
        "process": max(0.0, spent - waited - search),
    }
    return replace(reply, seconds=seconds), body


# Answers, from that process or a file, read with suspicion.


def read(body: bytes, n: int, where: str, build: Build) -> Reply:
    """The reply over n variables; ProtocolError if that is none.

    Args:
        body: dimod's serialized sample set as JSON.
        build: raises ValueError, TypeError, KeyError for an info that is none.
    """
    from dimod import SampleSet

    try:
        data = json.loads(body)
        info = data.pop("info")
        arrays = (data["sample_data"], *data["vectors"].values())
        kinds = {data["sample_type"], *(array["data_type"] for array in arrays)}
        if data["num_variables"] != n or not kinds <= set(_TYPES):
            raise errors.SolverFailed(f"the answer is not of a model of {n:,} variables")
        sample_set = SampleSet.from_serializable({**data, "info": {}})  # type: ignore[no-untyped-call]
        samples = in_order(sample_set, n) if len(sample_set) else np.zeros((0, n), dtype=np.int8)
        occurrences = [int(times) for times in sample_set.record.num_occurrences]
        if min(occurrences, default=1) < 1 or not _are_fractions(sample_set):
            raise ValueError
        return build(samples, occurrences, info)
    except errors.SolverFailed as error:
        raise errors.ProtocolError(f"{where}: {error}") from None
    except Exception:  # of whatever a file holds
        raise errors.ProtocolError(f"{where}: the answer cannot be read") from None


def number(value: Any) -> float:
    """A finite number that is not negative; ValueError, TypeError for others."""
    result = float(value)
    if isinstance(value, bool | str) or not isfinite(result) or result < 0:
        raise ValueError
    return result


def _are_fractions(sample_set: Any) -> bool:
    """Whether what there is of fractions of broken chains is such."""
    if "chain_break_fraction" not in sample_set.record.dtype.names:
        return True
    fractions = np.asarray(sample_set.record.chain_break_fraction, dtype=np.float64)
    return bool(((fractions >= 0) & (fractions <= 1)).all())


# The process of D-Wave's client.


def _ask(question: Question, url: str, token: str) -> bytes:
    """What D-Wave's client makes of the answers of the relay at ``url``."""
    with client_errors(question.terms.where):
        return question.ask(url, token)


@contextmanager
def client_errors(where: str) -> Iterator[None]:
    """What D-Wave's client raises becomes an error of ours, in one line; others pass."""
    from dwave.cloud import exceptions as theirs

    try:
        yield
    except theirs.SolverNotFoundError:
        what = "has no solver of this name or kind that is online for this token"
        raise errors.ServiceUnavailable(f"{where} {what}; see --option solver=") from None
    except theirs.SolverOfflineError as error:
        raise errors.ServiceUnavailable(f"{where}: the solver is offline{_quote(error)}") from None
    except theirs.CanceledFutureError:
        raise errors.SolverFailed(f"{where}: the problem was cancelled") from None
    except theirs.InvalidAPIResponseError as error:
        raise errors.ProtocolError(f"{where}: the answer cannot be read{_quote(error)}") from None
    except theirs.SolverFailureError as error:
        raise errors.SolverFailed(f"{where} gave up on the problem{_quote(error)}") from None
    except (errors.QubopuzzleError, MemoryError):
        raise
    except Exception as error:  # of whatever it did not expect to be sent
        quote = quoted(errors.first_line(error), ": ")
        raise errors.ProtocolError(f"{where}: the answer cannot be read{quote}") from None


def _quote(error: Any) -> str:
    return quoted(str(error), ": ")
