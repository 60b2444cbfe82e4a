"""One request, in a process of its own, under a hard deadline."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile.amplify import AmplifyProgram
from qubopuzzle.errors import DeadlineExceeded, ProtocolError, QubopuzzleError, SolverFailed
from qubopuzzle.processes import Crashed, Worker
from qubopuzzle.solvers.amplify.address import Proxy
from qubopuzzle.solvers.amplify.clients import CLIENTS
from qubopuzzle.solvers.amplify.faults import waited_in_vain, waiting_of
from qubopuzzle.solvers.amplify.process import ask
from qubopuzzle.solvers.amplify.replay_server import replay_server
from qubopuzzle.solvers.amplify.token import Token, quotable, redact

_LOOK_S = 0.03
_BUILDING_S, _BUILDING_S_A_TERM = 60.0, 2e-5


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """What is sent, to whom, and how long to wait.

    Attributes:
        client: a name of ``CLIENTS``.
        program: the model.
        token: None for a client that needs none.
        seconds: the service's time limit; None leaves it to the service.
        deadline: seconds until the answer must be there, once the model is built.
        url: where to, if not the client's own; no names or passwords in it.
        proxy: what to go through.
        library: of a client that loads one.
        parameters: of the client, by its own names.
    """

    client: str
    program: AmplifyProgram
    token: Token | None
    seconds: float | None
    deadline: float
    url: str = ""
    proxy: Proxy = Proxy()  # noqa: RUF009, it is frozen
    library: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def where(self) -> str:
        """Whom it goes to, for messages."""
        return CLIENTS[self.client].title + (f" at {self.url}" if self.url else "")


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What came back.

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


def call(
    request: Request,
    tick: Callable[[], None] = lambda: None,
    keep: Callable[[str], None] | None = None,
) -> Answer:
    """Send a request and wait for the answer.

    Args:
        tick: called every few hundredths of a second while waiting.
        keep: called with the answer's text, token masked, whatever it is worth; only of
            Amplify AE. It passes through a temporary file.

    Raises:
        AuthenticationError, QuotaError, ServiceUnavailable, ProtocolError, TooLarge: see
            ``faults.py``.
        DeadlineExceeded: if the answer is not there in time; the process is ended.
        SolverFailed: if the process dies, or the SDK fails otherwise.
        KeyboardInterrupt: on Ctrl-C; the process is ended.
    """
    began = time.perf_counter()
    if keep is None:
        came = _run(request, _job(request), tick)
    else:
        with _folder() as folder:
            file = Path(folder, "answer.json")
            try:
                came = _run(request, _job(request, answer_file=str(file)), tick)
            finally:
                if file.exists():
                    keep(redact(file.read_text(errors="replace"), *_secrets(request)))
    return _answer(request, came, time.perf_counter() - began)


def dry_run(request: Request) -> bytes:
    """The body of the request as the SDK would send it; nothing leaves this machine.

    Raises:
        SolverFailed: if the SDK makes no request of it.
    """
    with _folder() as folder, replay_server(b"{}") as url:
        file = Path(folder, "request.json")
        job = _job(request, request_file=str(file), dry_run=True)
        _run(request, job | _without_token(url, job), lambda: None)
        body = file.read_bytes() if file.exists() else b""
        if not body.endswith(b"}"):
            raise SolverFailed("the SDK did not write its request; is there room for it?")
        return body


def replay(request: Request, answer: bytes) -> Answer:
    """Decode a stored answer to this request with the SDK; nothing leaves this machine.

    Raises:
        ProtocolError: if it is no answer to this request.
    """
    began = time.perf_counter()
    with replay_server(answer) as url:
        job = _job(request)
        came = _run(request, job | _without_token(url, job), lambda: None)
    return _answer(request, came, time.perf_counter() - began)


def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="qubopuzzle-", ignore_cleanup_errors=True)


def _without_token(url: str, job: dict[str, Any]) -> dict[str, Any]:
    return {
        "url": url,
        "where": "the stored answer",
        "deadline_s": job["building_s"],
        "proxy": "",
        "token": "none",
        "secrets": (),
        "token_source": "nowhere",
    }


def _secrets(request: Request) -> tuple[str, ...]:
    own = () if request.token is None else (request.token.reveal(),)
    return (*own, *request.proxy.secrets)


def _job(
    request: Request,
    *,
    request_file: str = "",
    answer_file: str = "",
    dry_run: bool = False,
) -> dict[str, Any]:
    return {
        "program": request.program.unlabelled(),
        "mode": request.program.mode,
        "client": request.client,
        "where": request.where,
        "token": "" if request.token is None else request.token.reveal(),
        "token_source": "" if request.token is None else request.token.source,
        "secrets": _secrets(request),
        "url": request.url,
        "proxy": request.proxy.address,
        "library": request.library,
        "seconds": request.seconds,
        "building_s": _BUILDING_S + _BUILDING_S_A_TERM * request.program.n_terms,
        "deadline_s": request.deadline,
        "parameters": dict(request.parameters),
        "request_file": request_file,
        "answer_file": answer_file,
        "dry_run": dry_run,
    }


def _run(request: Request, job: dict[str, Any], tick: Callable[[], None]) -> dict[str, Any]:
    """The answer of a process of its own; every other ending becomes an error."""
    waits: list[tuple[str, float]] = []

    def overhear(line: str) -> None:
        waiting = waiting_of(line)
        if waiting is not None:
            waits.append(waiting)

    with Worker(overhear=overhear) as worker:
        coming = worker.submit(ask, job)
        _wait(request, job, coming, worker.said, waits, tick)
    try:
        return coming.result()
    except Crashed as crash:
        words = quotable(crash.last_line, *job["secrets"])
        hint = f": {words}" if words else ""
        raise SolverFailed(f"{request.where}: its process {crash.what}{hint}") from None


def _wait(
    request: Request,
    job: dict[str, Any],
    coming: Future[Any],
    said: Sequence[Any],
    waits: Sequence[tuple[str, float]],
    tick: Callable[[], None],
) -> None:
    """Until the process answers; the deadline begins when it has built the model.

    Args:
        said: grows when the model is built.
        waits: grows when the SDK begins to wait for its next try: what it says, and seconds.
    """
    ends = time.monotonic() + job["building_s"]
    calling = False
    heard = 0
    while True:
        with suppress(TimeoutError):
            coming.exception(_LOOK_S)
            return
        tick()
        if not calling and said:
            calling, ends = True, time.monotonic() + job["deadline_s"]
        left = ends - time.monotonic()
        if len(waits) > heard:
            heard = len(waits)
            what, pause = waits[-1]
            if left < pause:
                raise waited_in_vain(what, request.where)
        if left <= 0:
            raise _too_late(request, job, calling)


def _too_late(request: Request, job: dict[str, Any], calling: bool) -> QubopuzzleError:
    if not calling:
        return DeadlineExceeded(f"building the model took longer than {job['building_s']:.3g} s")
    limit = f", {request.seconds:g} s of them its time limit" if request.seconds else ""
    return DeadlineExceeded(
        f"{request.where} gave no answer in {job['deadline_s']:.3g} s{limit}; "
        "--option patience=SECONDS waits longer for queue and network"
    )


def _answer(request: Request, came: dict[str, Any], seconds: float) -> Answer:
    n = request.program.n_variables
    rows = came["samples"]
    if any(len(row) != n for row in rows):
        raise ProtocolError(f"{request.where} answered for other variables than the model's")
    samples = np.array(rows, dtype=np.int8).reshape(len(rows), n)
    queue, execution, response = (
        max(0.0, came[part]) for part in ("queue_s", "execution_s", "response_s")
    )
    parts = {
        "queue": queue,
        "execution": execution,
        "network": max(0.0, response - queue - execution),
        "process": max(0.0, seconds - response),
    }
    return Answer(samples, parts, came["service"])
