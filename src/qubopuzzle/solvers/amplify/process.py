"""The process of one request, started by ``call.py``, and what its failures mean.

The SDK holds the interpreter's lock while it waits for a service, and its clients know no
deadline; a process can be ended at any time. The process says ``calling`` when the model is
built; in answers and errors every trace of the token is masked.

The SDK raises RuntimeError with texts such as ``401: Unauthorized`` and the server's body,
``maximum retries exceeded: Connection failed`` or ``Failed to parse JSON response: ...``, and
prints a line when it waits before a retry. Version 1.7.3 was read.
"""

import json
import re
import socket
import ssl
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import reduce
from http import HTTPStatus
from math import ceil
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile.amplify import AmplifyProgram
from qubopuzzle.errors import (
    AuthenticationError,
    InputError,
    ModelError,
    ProtocolError,
    QubopuzzleError,
    QuotaError,
    ServiceUnavailable,
    SolverFailed,
    TooLarge,
)
from qubopuzzle.processes import say
from qubopuzzle.solvers.amplify.clients import Client, parameter_names
from qubopuzzle.solvers.amplify.credentials import Token, quotable, redact, secrets_in

_FIRST_PAUSE_S = 0.5
_MOST = 20
_HIDDEN = "(a text that is not shown)"
_PASSING = (502, 503, 504)
_DIAGNOSIS_S = 2.0
TOO_MANY = "takes no more requests for now (429); wait, or give --option patience=90 for retries"
_STATUS: Mapping[int, tuple[type[QubopuzzleError], str]] = {
    401: (AuthenticationError, "refuses the token (401 Unauthorized)"),
    402: (QuotaError, "wants payment (402); the plan is used up"),
    403: (AuthenticationError, "does not let this token in (403 Forbidden)"),
    404: (ServiceUnavailable, "is not at this url (404 Not Found)"),
    413: (TooLarge, "takes no request of this size (413); try a smaller form of the puzzle"),
    429: (QuotaError, TOO_MANY),
}


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """What is sent, to whom, and how long to wait.

    Attributes:
        client: whom it is for.
        program: the model.
        token: None for a client that needs none, and where nothing is sent.
        seconds: the service's time limit; None leaves it to the service.
        deadline: seconds until the answer must be there, once the model is built.
        where: whom it goes to, for messages.
        url: where to, if not the client's own; no names or passwords in it.
        proxy: address of what to go through, with its password.
        library: of a client that loads one.
        parameters: of the client, by its own names.
        request_file: where the SDK writes the request's body, which is not sent then.
        answer_file: where it writes the answer's, if anywhere.
    """

    client: Client
    program: AmplifyProgram
    token: Token | None
    seconds: float | None
    deadline: float
    where: str = ""
    url: str = ""
    proxy: str = field(default="", repr=False)
    library: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    request_file: str = ""
    answer_file: str = ""

    @property
    def secrets(self) -> tuple[str, ...]:
        """What may be shown nowhere."""
        return (*([self.token.reveal()] if self.token else []), *secrets_in(self.proxy))

    def quoted(self, text: str) -> str:
        """Words of the other side behind a colon; nothing if they may hold a secret."""
        words = quotable(text, *self.secrets)
        return f": {words}" if words else ""


@dataclass(frozen=True, slots=True, eq=False)
class ServiceReply:
    """What a service sent back.

    Attributes:
        samples: 0/1, shape (samples, variables).
        seconds: by part: ``queue`` and ``execution`` by the service's own clock, ``network``
            the rest of the time from the request to the answer, and ``process``, the rest of
            the whole call: starting the process, building and serialising the model.
        service: what else the service says of itself, such as its version and GPUs.
    """

    samples: NDArray[np.int8]
    seconds: Mapping[str, float]
    service: Mapping[str, Any]


def ask(request: Request, token: tuple[str, str] | None) -> ServiceReply:
    """The answer; of a dry run an empty one.

    Args:
        request: without a token, which is not pickled.
        token: the secret, and where it comes from.

    Raises:
        QubopuzzleError: whatever goes wrong; see ``_fault_of``.
    """
    request = replace(request, token=token and Token(*token))
    try:
        return _solve(request)
    except Exception as error:
        known = error if isinstance(error, QubopuzzleError) else _fault_of(error, request)
        raise type(known)(redact(str(known), *request.secrets)) from None


def _solve(request: Request) -> ServiceReply:
    import amplify

    client = _client(request)
    with warnings.catch_warnings():
        # A constraint that cannot hold is dropped by the SDK, with no more than a warning.
        warnings.filterwarnings("error", message="infeasible constraint")
        try:
            model, variables = request.program.build()
        except Warning as warning:
            raise ModelError(f"the SDK would drop a constraint: {warning}") from None
    say("calling")
    dry_run = bool(request.request_file)
    how: dict[str, Any] = {"dry_run": dry_run, "filter_solution": False, "sort_solution": False}
    result = _answered(lambda: amplify.solve(model, client, **how), request.deadline)
    if dry_run:
        return ServiceReply(np.zeros((0, request.program.n_variables), dtype=np.int8), {}, {})
    return ServiceReply(
        _samples(result, variables, request),
        _seconds(result),
        _said(result.client_result, request.secrets),
    )


def _client(request: Request) -> Any:
    """A client of the SDK with all settings of a request; InputError for wrong parameters."""
    import amplify

    kind = request.client
    made = getattr(amplify, kind.kind)
    client = made(request.library) if kind.needs_library else made()
    if kind.tokens:
        client.token = request.token.reveal() if request.token else "none"
    for name, value in (
        ("url", request.url),
        ("proxy", request.proxy),
        ("write_request_data", request.request_file),
        ("write_response_data", request.answer_file),
    ):
        if value:
            setattr(client, name, value)
    if kind.is_ae:
        client.solver = "Constraint" if request.program.mode == "constraint" else "Qubo"
    if request.seconds is not None:
        whole = kind.time_limit == "time_limit_sec"
        seconds = max(1, ceil(request.seconds)) if whole else request.seconds
        setattr(client.parameters, kind.time_limit, timedelta(seconds=seconds))
    _set_parameters(client, request.parameters)
    return client


def _set_parameters(client: Any, parameters: Mapping[str, Any]) -> None:
    """Set ``client.parameters``; a dot in a name leads further in."""
    kind, known = type(client), parameter_names(type(client).Parameters)
    for name, value in parameters.items():
        *path, last = name.split(".")
        if name.partition(".")[0] not in known:
            names = ", ".join(known)
            raise InputError(f"{kind.__name__} has no parameter {name!r}; it has: {names}")
        try:
            setattr(reduce(getattr, path, client.parameters), last, value)
        except (AttributeError, TypeError, ValueError):
            raise InputError(f"parameter {name} of {kind.__name__}: not {value!r}") from None


def _answered(solve: Callable[[], Any], deadline_s: float) -> Any:
    """The answer; a service that is away for a moment is asked again while there is time."""
    ends = time.monotonic() + deadline_s
    pause = _FIRST_PAUSE_S
    while True:
        try:
            return solve()
        except RuntimeError as error:
            if _status(str(error)) not in _PASSING or time.monotonic() + pause > ends:
                raise
        time.sleep(pause)
        pause *= 2


def _samples(result: Any, variables: Any, request: Request) -> NDArray[np.int8]:
    """Each solution as a row of 0 and 1, in the order of our variables."""
    if request.client.is_ae and result.client_result is not None:
        # The SDK fills what is missing with 0, without a word.
        expected = result.intermediate.num_variables
        for solution in result.client_result.solutions:
            if len(solution.values) != expected:
                raise ProtocolError(
                    f"the answer has {len(solution.values)} values, the request {expected}"
                )
    n = request.program.n_variables
    rows = [np.asarray(variables.evaluate(solution.values)) for solution in result]
    if any(len(row) != n for row in rows):
        raise ProtocolError(f"{request.where} answered for other variables than the model's")
    if not np.isin(rows, (0, 1)).all():
        raise ProtocolError("the answer has values that are not binary")
    return np.array(rows, dtype=np.int8).reshape(-1, n)


def _seconds(result: Any) -> dict[str, float]:
    """All parts of ``ServiceReply.seconds`` but the process."""
    queue = getattr(result.client_result, "queue_time_ms", None)
    times = {"queue": queue or timedelta(), "execution": result.execution_time}
    parts = {name: max(0.0, spent.total_seconds()) for name, spent in times.items()}
    whole = result.response_time.total_seconds()
    return {**parts, "network": max(0.0, whole - sum(parts.values()))}


def _said(answer: Any, secrets: Sequence[str]) -> dict[str, Any]:
    """What else the service says of itself; texts may echo the token."""
    said = {
        name: getattr(answer, name, None) for name in ("num_gpus", "num_samplings", "num_flips")
    }
    version = getattr(answer, "version", None)
    if isinstance(version, str):
        said["version"] = quotable(version, *secrets)
    warned = getattr(answer, "warnings", None) or []
    said["warnings"] = [quotable(str(text), *secrets) or _HIDDEN for text in warned[:_MOST]]
    return {name: value for name, value in said.items() if value}


def _fault_of(error: Exception, request: Request) -> QubopuzzleError:
    """The typed error for what the SDK raised.

    Of the server's own words only what ``quotable`` lets pass.
    """
    text, where = str(error).strip(), request.where
    status = _status(text)
    if status is None and "Authentication" in type(error).__name__:  # D-Wave's own error
        status = 401
    if status is not None:
        return _by_status(status, text, request)
    if "onnection failed" in text:
        return ServiceUnavailable(f"{where} cannot be reached: {_diagnosis(request)}")
    if "Response error" in text:
        return ServiceUnavailable(f"{where} broke the connection off before the answer was whole")
    if "Failed to parse JSON" in text or isinstance(error, UnicodeError | OverflowError):
        keeps = request.token is None or request.answer_file
        hint = "" if keeps else "; --record FILE keeps it"
        return ProtocolError(f"{where}: the answer cannot be read{hint}")
    if "values array" in text:
        return ProtocolError(f"{where}: the answer has more values than the request variables")
    return SolverFailed(f"{where}: {type(error).__name__}{request.quoted(text)}")


def _by_status(status: int, text: str, request: Request) -> QubopuzzleError:
    where = request.where
    if status in _STATUS:
        kind, what = _STATUS[status]
        source = f"; check what is in {request.token.source}" if request.token else ""
        return kind(f"{where} {what}{source if kind is AuthenticationError else ''}")
    name = HTTPStatus(status).phrase if status in set(HTTPStatus) else "unknown status"
    said = f"({status} {name}){request.quoted(_message(text))}"
    if status < 500:
        return ProtocolError(f"{where} does not take the request {said}")
    return ServiceUnavailable(f"{where} fails {said}")


def _message(text: str) -> str:
    """What the server's body says in words, if it is JSON as one would expect."""
    start = text.find("{")
    try:
        body = json.loads(text[start:]) if start >= 0 else {}
    except (ValueError, RecursionError):
        return ""
    words = (body.get(key) for key in ("message", "error", "detail"))
    return next((text for text in words if isinstance(text, str)), "")


def _status(text: str) -> int | None:
    found = re.search(r"(?:^|(?:exceeded|failed): )([45]\d\d):", text)
    return int(found[1]) if found else None


def _diagnosis(request: Request) -> str:
    """Why a connection fails; the SDK does not say. Nothing is sent."""
    parts = urlsplit(request.proxy or request.url or request.client.url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    name = f"the proxy {parts.hostname}" if request.proxy else str(parts.hostname)
    try:
        with socket.create_connection((parts.hostname, port), timeout=_DIAGNOSIS_S) as plain:
            if parts.scheme == "https":
                secure = ssl.create_default_context()
                secure.wrap_socket(plain, server_hostname=parts.hostname).close()
            return "the connection broke off"
    except (socket.gaierror, UnicodeError):
        return f"no address is known for {name} (DNS); is the url right, and the network there?"
    except ssl.SSLCertVerificationError as error:
        return f"the certificate of {name} is not valid (TLS): {error.verify_message}"
    except ssl.SSLError as error:
        return f"{name} does not speak TLS there: {error.reason}"
    except TimeoutError:
        return f"{name}, port {port}, does not answer"
    except OSError as error:
        return f"{name}, port {port}: {error.strerror or error}"
