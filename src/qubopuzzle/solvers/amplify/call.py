"""One call of the SDK, in a process of its own, through a relay, under a hard deadline.

The SDK (1.7.3) does not verify certificates, knows no deadline and repeats what it is sent in its
messages. So it speaks to a server on this machine, with a token that is good for this call alone;
who answers there, such as ``service.Service``, speaks to the world.
"""

import gzip
import json
import os
import time
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import reduce
from http.server import BaseHTTPRequestHandler
from itertools import chain
from math import ceil
from secrets import compare_digest, token_urlsafe
from socketserver import ThreadingTCPServer
from threading import Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle import errors
from qubopuzzle.compile.amplify import AmplifyModel
from qubopuzzle.processes import Crashed, Worker
from qubopuzzle.solvers.amplify.clients import CLIENTS, Client
from qubopuzzle.solvers.amplify.credentials import Token, quoted

ANSWER_LIMIT = 64 * 2**20
"""Bytes of an answer; 256 samples of the largest plan."""
_LOOK_S = 0.03
_TOLD = ("version", "num_gpus", "num_samplings", "num_flips", "warnings")


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """What is asked of a client; ``where`` names it in messages.

    ``seconds``: the service's time limit, if any; ``deadline``: when the answer must be there, in
    seconds from sending the model.
    """

    client: Client
    model: AmplifyModel
    seconds: float | None
    deadline: float
    where: str
    library: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def building_s(self) -> float:
        """Seconds that sending may take to begin; Gurobi's client sends nothing at all."""
        own = self.deadline if self.client.needs_library else 0.0
        return 60 + 2e-5 * self.model.n_terms + own

    def late(self, *, sent: bool) -> errors.DeadlineExceeded:
        """The error for no answer in time."""
        limit = f", {self.seconds:g} s of them its time limit" if self.seconds else ""
        hint = "--option patience=SECONDS waits longer for queue and network"
        what = f"gave no answer in {self.deadline:.3g} s{limit}; {hint}"
        built = f"got no model in {self.building_s:.3g} s; it is too large"
        return errors.DeadlineExceeded(f"{self.where} {what if sent else built}")


@dataclass(frozen=True, slots=True, eq=False)
class ServiceReply:
    """What a service sent back: 0/1 of shape (samples, variables), and what it says of itself.

    ``seconds``, by part: ``queue`` and ``execution`` by the service's own clock, ``network`` the
    rest of the time from the request to the answer, and ``process``, the rest of the whole call:
    starting the process, building and serialising the model.
    """

    samples: NDArray[np.int8]
    seconds: Mapping[str, float]
    service: Mapping[str, Any]


class Message(BaseHTTPRequestHandler):
    """A request of the SDK: ``command``, ``path``, ``headers`` and ``body``."""

    server: "Relay"
    body: bytes

    def do_POST(self) -> None:  # noqa: D102
        self.server.answer(self)

    do_GET = do_PUT = do_DELETE = do_POST  # noqa: N815, names of http.server

    def log_message(self, *_: object) -> None:
        """Say nothing."""


Respond = Callable[[Message], tuple[int, bytes]]
"""The status and the body of the answer; TimeoutError if there is none in time."""


class Relay(ThreadingTCPServer):
    """A server on the loopback address (HTTPServer would ask for this machine's name).

    The SDK goes to ``url`` with ``token``; who has another does not get to ``respond``. It has
    ``deadline`` seconds from its first message on: until ``ends``, by ``time.monotonic``.
    ``failed`` has the error that ended the call; ``answered``: whether a post was answered.
    """

    daemon_threads = True

    def __init__(self, respond: Respond, deadline: float) -> None:
        super().__init__(("127.0.0.1", 0), Message)
        self.url, self.token = f"http://127.0.0.1:{self.server_address[1]}", token_urlsafe()
        self.ends, self.answered = 0.0, False
        self.failed: Future[None] = Future()
        self._respond, self._deadline = respond, deadline
        Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def answer(self, message: Message) -> None:
        """Answer a message; where there is no answer, the connection ends without one."""
        words = " ".join(message.headers.values()).encode(errors="replace").split()
        if not any(compare_digest(word, self.token.encode()) for word in words):
            return message.send_error(403)
        message.body = message.rfile.read(int(message.headers.get("Content-Length", 0)))
        self.ends = self.ends or time.monotonic() + self._deadline
        try:
            status, body = self._respond(message)
        except TimeoutError:  # whoever waits for the call knows it
            return None
        except errors.QubopuzzleError as error:
            if not self.failed.done():
                self.failed.set_exception(error)
            return None
        self.answered |= message.command == "POST"
        message.send_response(status)
        message.send_header("Content-Length", str(len(body)))
        message.end_headers()
        message.wfile.write(body)
        return None

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever asked has gone away; it is known elsewhere."""


def call(
    request: Request,
    respond: Respond,
    tick: Callable[[], None] = lambda: None,
    token: Token | None = None,
) -> ServiceReply:
    """Have the SDK send a request to ``respond``, such as a ``Service``, and read the answer.

    ``tick`` is called while waiting; ``token`` is kept out of the SDK's process.

    Raises:
        QubopuzzleError: what ``respond`` raises; ProtocolError for an answer that is none.
        DeadlineExceeded: if the answer is not there in time; the process is ended.
        SolverFailed: if the process dies, or the SDK fails otherwise.
        KeyboardInterrupt: on Ctrl-C; the process is ended.
    """
    began, started = time.perf_counter(), time.monotonic()

    def checked(message: Message) -> tuple[int, bytes]:
        status, body = respond(message)
        if request.client.is_ae and message.command == "POST":
            _check_answer(body, request.where)
        return status, body

    hidden = _secret_variables(token)
    with Relay(checked, request.deadline) as relay, Worker(environment=hidden) as worker:
        coming = worker.submit(_ask, request, relay.url, relay.token)
        endings: list[Future[Any]] = [coming, relay.failed]
        while not wait(endings, _LOOK_S, FIRST_COMPLETED).done:
            tick()
            if time.monotonic() > (relay.ends or started + request.building_s):
                raise request.late(sent=relay.ends > 0)
    if relay.failed.done():
        relay.failed.result()
    try:
        reply = coming.result()
    except Crashed as crash:
        kind, how = errors.SolverFailed, f"its process {crash.what}"
        if relay.answered:
            kind, how = errors.ProtocolError, "the answer cannot be read"
        raise kind(f"{request.where}: {how}{quoted(crash.last_line, ': ')}") from None
    spent = time.perf_counter() - began - sum(reply.seconds.values())
    return replace(reply, seconds={**reply.seconds, "process": max(0.0, spent)})


def rehearse(request: Request, answer: bytes = b'{"solutions": []}') -> tuple[ServiceReply, bytes]:
    """A call with a stored answer in the service's place; nothing leaves this machine.

    Returns the reply and the body of the request, byte for byte; ProtocolError as ``call``.
    """
    sent: list[bytes] = []

    def respond(message: Message) -> tuple[int, bytes]:
        if message.command != "POST":
            return 200, b'{"version": "1.0.0"}'
        packed = message.headers.get("Content-Encoding") == "gzip"
        sent.append(gzip.decompress(message.body) if packed else message.body)
        return 200, answer

    reply = call(replace(request, where="the stored answer", deadline=request.building_s), respond)
    return reply, sent[-1]


def _secret_variables(token: Token | None) -> dict[str, None]:
    """Variables of the environment that hold tokens, of any service, or a proxy's password."""
    known = set(chain.from_iterable(client.tokens for client in CLIENTS.values()))
    return {
        name: None
        for name, value in os.environ.items()
        if name in known
        or name.lower().endswith("_proxy")
        or (token is not None and token.mask(value) != value)
    }


def _check_answer(body: bytes, where: str) -> None:
    """That it is JSON with solutions of 0 and 1; the SDK takes 0.5 and true for numbers, too."""
    try:
        answer = json.loads(body)
        rows = [solution["values"] for solution in answer["solutions"]]
        kinds = {kind for row in rows for kind in set(map(type, row))}
        values = {value for row in rows for value in set(row)}
    except (ValueError, TypeError, KeyError, RecursionError):
        what = f"{where}: the answer cannot be read"
        raise errors.ProtocolError(f"{what}; --record FILE keeps it") from None
    if not (kinds <= {int, float} and values <= {0, 1}):
        raise errors.ProtocolError(f"{where}: the answer has values that are not 0 or 1")


# The process of the SDK, which can be ended while the SDK waits and holds the interpreter.


def _ask(request: Request, url: str, token: str) -> ServiceReply:
    """The answer of the relay at ``url``; InputError, ProtocolError, and what the SDK raises."""
    import amplify

    client = _client(request, url, token)
    # A constraint that cannot hold is dropped by the SDK, with a mere warning.
    warnings.filterwarnings("error", message="infeasible constraint")
    result = amplify.solve(request.model.model, client, filter_solution=False, sort_solution=False)
    told = {name: getattr(result.client_result, name, None) for name in _TOLD}
    told["warnings"] = [str(text) for text in (told["warnings"] or [])[:20]]
    said = {name: value for name, value in told.items() if value}
    return ServiceReply(_samples(result, request), _seconds(result), said)


def _client(request: Request, url: str, token: str) -> Any:
    """A client of the SDK with all settings of a request."""
    import amplify

    kind = request.client
    made = getattr(amplify, kind.kind)
    client = made(request.library) if kind.needs_library else made()
    if not kind.needs_library:
        client.url, client.token = url, token
    if kind.is_ae:
        client.solver = "Constraint" if request.model.mode == "constraint" else "Qubo"
    if request.seconds is not None:
        whole = kind.time_limit == "time_limit_sec"
        seconds = max(1, ceil(request.seconds)) if whole else request.seconds
        setattr(client.parameters, kind.time_limit, timedelta(seconds=seconds))
    for name, value in request.parameters.items():
        *path, last = name.split(".")
        try:
            setattr(reduce(getattr, path, client.parameters), last, value)
        except (AttributeError, TypeError, ValueError):
            raise errors.InputError(f"parameter {name} of {kind.kind}: not {value!r}") from None
    return client


def _samples(result: Any, request: Request) -> NDArray[np.int8]:
    """Each solution as a row of 0 and 1, in the order of our variables."""
    if request.client.is_ae and result.client_result is not None:
        # The SDK fills what is missing with 0, without a word.
        expected = result.intermediate.num_variables
        lengths = {len(solution.values) for solution in result.client_result.solutions}
        for length in lengths - {expected}:
            what = f"the answer has {length} values, the request {expected}"
            raise errors.ProtocolError(f"{request.where}: {what}")
    variables = request.model.variables
    rows = [np.asarray(variables.evaluate(solution.values)) for solution in result]
    if not np.isin(rows, (0, 1)).all():
        raise errors.ProtocolError(f"{request.where}: the answer has values that are not 0 or 1")
    return np.array(rows, dtype=np.int8).reshape(-1, request.model.n_bits)


def _seconds(result: Any) -> dict[str, float]:
    """All parts of ``ServiceReply.seconds`` but the process."""
    queue = getattr(result.client_result, "queue_time_ms", None)
    times = {"queue": queue or timedelta(), "execution": result.execution_time}
    parts = {name: max(0.0, spent.total_seconds()) for name, spent in times.items()}
    whole = result.response_time.total_seconds()
    return {**parts, "network": max(0.0, whole - sum(parts.values()))}
