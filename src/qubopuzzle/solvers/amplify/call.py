"""One call of the SDK, in a process of its own, under a hard deadline."""

import gzip
import json
import os
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import replace
from itertools import chain
from typing import Any

from qubopuzzle.errors import DeadlineExceeded, ProtocolError, SolverFailed
from qubopuzzle.processes import Crashed, Worker
from qubopuzzle.solvers.amplify.clients import CLIENTS
from qubopuzzle.solvers.amplify.credentials import Token, quoted
from qubopuzzle.solvers.amplify.process import Request, ServiceReply, ask
from qubopuzzle.solvers.amplify.relay import Message, Relay, Respond

_LOOK_S = 0.03
_BUILDING_S, _BUILDING_S_A_TERM = 60.0, 2e-5
_HEALTHY = b'{"version": "1.0.0"}'
"""What Amplify AE says where nothing is posted."""
_NOTHING = b'{"solutions": []}'


def call(
    request: Request,
    respond: Respond,
    tick: Callable[[], None] = lambda: None,
    token: Token | None = None,
) -> ServiceReply:
    """Have the SDK send a request and read the answer.

    Args:
        respond: who answers, such as a ``Service``.
        tick: called every few hundredths of a second while waiting.
        token: is kept out of the environment of the SDK's process.

    Raises:
        QubopuzzleError: what ``respond`` raises.
        ProtocolError: for an answer that is none to this request.
        DeadlineExceeded: if the answer is not there in time; the process is ended.
        SolverFailed: if the process dies, or the SDK fails otherwise.
        KeyboardInterrupt: on Ctrl-C; the process is ended.
    """
    began = time.perf_counter()
    bare = replace(request, program=request.program.unlabelled())

    def checked(message: Message) -> tuple[int, bytes]:
        status, body = respond(message)
        if request.client.is_ae and message.method == "POST":
            _check_answer(body, request.where)
        return status, body

    hidden = _secret_variables(token)
    with Relay(checked, request.deadline) as relay, Worker(environment=hidden) as worker:
        coming = worker.submit(ask, bare, relay.url, relay.token)
        _wait(request, relay, coming, tick)
    try:
        reply = coming.result()
    except Crashed as crash:
        kind, how = SolverFailed, f"its process {crash.what}"
        if relay.answered:
            kind, how = ProtocolError, "the answer cannot be read"
        raise kind(f"{request.where}: {how}{quoted(crash.last_line, ': ')}") from None
    spent = time.perf_counter() - began - sum(reply.seconds.values())
    return replace(reply, seconds={**reply.seconds, "process": max(0.0, spent)})


def dry_run(request: Request) -> bytes:
    """The body of the request as the SDK would send it; nothing leaves this machine.

    Raises:
        SolverFailed: if the SDK makes no request of it.
    """
    bodies: list[bytes] = []

    def keep(message: Message) -> tuple[int, bytes]:
        if message.method != "POST":
            return 200, _HEALTHY
        packed = message.headers.get("Content-Encoding") == "gzip"
        bodies.append(gzip.decompress(message.body) if packed else message.body)
        return 200, _NOTHING

    call(replace(request, deadline=_building_s(request)), keep)
    if not bodies:
        raise SolverFailed("the SDK sent no request")
    return bodies[-1]


def replay(request: Request, answer: bytes) -> ServiceReply:
    """Read a stored answer to this request with the SDK; nothing leaves this machine.

    Raises:
        ProtocolError: if it is no answer to this request.
    """
    stored = replace(request, where="the stored answer", deadline=_building_s(request))
    return call(stored, lambda message: (200, answer if message.method == "POST" else _HEALTHY))


def _building_s(request: Request) -> float:
    return _BUILDING_S + _BUILDING_S_A_TERM * request.program.n_terms


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


def _wait(
    request: Request, relay: Relay, coming: Future[ServiceReply], tick: Callable[[], None]
) -> None:
    """Until there is an answer; the deadline begins when the model is sent."""
    where, building = request.where, _building_s(request)
    if request.client.needs_library:  # and nothing is sent
        building += request.deadline
    built_by = time.monotonic() + building
    endings: list[Future[Any]] = [coming, relay.failed]
    while not wait(endings, _LOOK_S, FIRST_COMPLETED).done:
        tick()
        if time.monotonic() < (relay.ends or built_by):
            continue
        if not relay.ends:
            raise DeadlineExceeded(f"{where}: building the model took longer than {building:.3g} s")
        limit = f", {request.seconds:g} s of them its time limit" if request.seconds else ""
        raise DeadlineExceeded(
            f"{where} gave no answer in {request.deadline:.3g} s{limit}; "
            "--option patience=SECONDS waits longer for queue and network"
        )
    if relay.failed.done():
        relay.failed.result()


def _check_answer(body: bytes, where: str) -> None:
    """That it is JSON with solutions of 0 and 1; the SDK takes 0.5 and true for numbers, too."""
    try:
        answer = json.loads(body)
        rows = [solution["values"] for solution in answer["solutions"]]
        kinds = {kind for row in rows for kind in set(map(type, row))}
        values = {value for row in rows for value in set(row)}
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ProtocolError(f"{where}: the answer cannot be read; --record FILE keeps it") from None
    if not (kinds <= {int, float} and values <= {0, 1}):
        raise ProtocolError(f"{where}: the answer has values that are not 0 or 1")
