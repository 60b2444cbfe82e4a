"""One request, in a process of its own, under a hard deadline."""

import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingTCPServer
from threading import Thread
from typing import Any

from qubopuzzle.errors import DeadlineExceeded, QuotaError, ServiceUnavailable, SolverFailed
from qubopuzzle.files.writing import write_whole
from qubopuzzle.processes import Crashed, Worker
from qubopuzzle.solvers.amplify.credentials import redact
from qubopuzzle.solvers.amplify.process import TOO_MANY, Request, ServiceReply, ask

_LOOK_S = 0.03
_BUILDING_S, _BUILDING_S_A_TERM = 60.0, 2e-5


def call(
    request: Request,
    tick: Callable[[], None] = lambda: None,
    record: Path | None = None,
) -> ServiceReply:
    """Send a request and wait for the answer.

    Args:
        tick: called every few hundredths of a second while waiting.
        record: file for the answer's text, token masked, whatever it is worth; only of
            Amplify AE. It passes through a temporary file.

    Raises:
        AuthenticationError, QuotaError, ServiceUnavailable, ProtocolError, TooLarge: see
            ``process.py``.
        DeadlineExceeded: if the answer is not there in time; the process is ended.
        SolverFailed: if the process dies, or the SDK fails otherwise.
        KeyboardInterrupt: on Ctrl-C; the process is ended.
    """
    if record is None:
        return _run(request, tick)
    with _folder() as folder:
        file = Path(folder, "answer.json")
        try:
            return _run(replace(request, answer_file=str(file)), tick)
        finally:
            if file.exists():
                text = redact(file.read_text(errors="replace"), *request.secrets)
                write_whole(record, text.encode())


def dry_run(request: Request) -> bytes:
    """The body of the request as the SDK would send it; nothing leaves this machine.

    Raises:
        SolverFailed: if the SDK makes no request of it.
    """
    with _folder() as folder, _replay_server(b"{}") as url:
        file = Path(folder, "request.json")
        _run(replace(_local(request, url), request_file=str(file)))
        body = file.read_bytes() if file.exists() else b""
        if not body.endswith(b"}"):
            raise SolverFailed("the SDK did not write its request; is there room for it?")
        return body


def replay(request: Request, answer: bytes) -> ServiceReply:
    """Decode a stored answer to this request with the SDK; nothing leaves this machine.

    Raises:
        ProtocolError: if it is no answer to this request.
    """
    with _replay_server(answer) as url:
        return _run(_local(request, url))


def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="qubopuzzle-", ignore_cleanup_errors=True)


def _local(request: Request, url: str) -> Request:
    """The same to a server on this machine, without anything secret."""
    where, deadline = "the stored answer", _building_s(request)
    return replace(request, url=url, where=where, deadline=deadline, token=None, proxy="")


def _building_s(request: Request) -> float:
    return _BUILDING_S + _BUILDING_S_A_TERM * request.program.n_terms


def _run(request: Request, tick: Callable[[], None] = lambda: None) -> ServiceReply:
    """The answer of a process of its own; every other ending becomes an error."""
    began = time.perf_counter()
    waits: list[tuple[str, float]] = []

    def overhear(line: str) -> None:
        found = re.search(r"WARNING\] (.*?)[,:] retrying after sleep (?:for )?(\d+)", line)
        if found:
            waits.append((found[1], time.monotonic() + float(found[2])))

    bare = replace(request, program=request.program.unlabelled(), token=None)
    token = request.token and (request.token.reveal(), request.token.source)
    with Worker(overhear=overhear) as worker:
        coming = worker.submit(ask, bare, token)
        _wait(request, coming, worker.said, waits, tick)
    try:
        answer = coming.result()
    except Crashed as crash:
        words = request.quoted(crash.last_line)
        raise SolverFailed(f"{request.where}: its process {crash.what}{words}") from None
    rest = time.perf_counter() - began - sum(answer.seconds.values())
    return replace(answer, seconds={**answer.seconds, "process": max(0.0, rest)})


def _wait(
    request: Request,
    coming: Future[ServiceReply],
    said: Sequence[Any],
    waits: Sequence[tuple[str, float]],
    tick: Callable[[], None],
) -> None:
    """Until the process answers; the deadline begins when it has built the model.

    Args:
        said: grows when the model is built.
        waits: grows when the SDK begins to wait for its next try: what it says, and until when.
    """
    where, building = request.where, _building_s(request)
    ends, calling = time.monotonic() + building, False
    while True:
        with suppress(TimeoutError):
            coming.exception(_LOOK_S)
            return
        tick()
        if not calling and said:
            calling, ends = True, time.monotonic() + request.deadline
        what, until = waits[-1] if waits else ("", 0.0)
        if until > ends and "Too Many Requests" in what:
            raise QuotaError(f"{where} {TOO_MANY}")
        if until > ends:
            raise ServiceUnavailable(f"{where}: {what[:1].lower()}{what[1:]}, at every try")
        late = time.monotonic() >= ends
        if late and not calling:
            raise DeadlineExceeded(f"building the model took longer than {building:.3g} s")
        if late:
            limit = f", {request.seconds:g} s of them its time limit" if request.seconds else ""
            raise DeadlineExceeded(
                f"{where} gave no answer in {request.deadline:.3g} s{limit}; "
                "--option patience=SECONDS waits longer for queue and network"
            )


class _Server(ThreadingTCPServer):
    """Not the one for HTTP, which asks for this machine's name."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever asked has gone away; it is known elsewhere."""


@contextmanager
def _replay_server(answer: bytes) -> Iterator[str]:
    """A server on this machine in Amplify AE's place; yields its url.

    The SDK asks for the service's version before it writes or reads anything. Another process
    of ours talks to it, so that a thread is enough.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            body = answer if self.command == "POST" else b'{"version": "1.0.0"}'
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with _Server(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()
