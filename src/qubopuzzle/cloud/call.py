"""One request, in a process of its own, under a hard deadline."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from qubopuzzle import errors
from qubopuzzle.cloud.clients import CLIENTS
from qubopuzzle.cloud.faults import waited_in_vain, waiting_of
from qubopuzzle.cloud.loopback import loopback
from qubopuzzle.cloud.token import Token, redact
from qubopuzzle.compile.amplify import AmplifyProgram
from qubopuzzle.errors import DeadlineExceeded, ProtocolError, QubopuzzleError, SolverFailed
from qubopuzzle.processes import end, ending, start_python

_LOOK_S = 0.03
_NOISE = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """What is sent, to whom, and how long to wait.

    Attributes:
        client: a name of ``CLIENTS``.
        program: the model.
        token: None for a client that needs none.
        seconds: the service's time limit; None leaves it to the service.
        deadline: seconds until the answer must be there, once the model is built.
        url, proxy: where to, if not the client's own; no names or passwords in them.
        secrets: further texts that must not appear anywhere.
        library: of a client that loads one.
        parameters: of the client, by its own names.
        keep: whether the answer's text is wanted; it passes through a temporary file.
    """

    client: str
    program: AmplifyProgram
    token: Token | None
    seconds: float | None
    deadline: float
    url: str = ""
    proxy: str = ""
    secrets: tuple[str, ...] = ()
    library: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    keep: bool = False

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
        text: the answer as it came, token masked, if the request keeps it.
    """

    samples: NDArray[np.int8]
    seconds: Mapping[str, float]
    service: Mapping[str, Any]
    text: str


def call(request: Request, tick: Callable[[], None] = lambda: None) -> Answer:
    """Send a request and wait for the answer.

    Args:
        tick: called every few hundredths of a second while waiting.

    Raises:
        AuthenticationError, QuotaError, ServiceUnavailable, ProtocolError, TooLarge: see
            ``faults.py``.
        DeadlineExceeded: if the answer is not there in time; the process is ended.
        SolverFailed: if the process dies, or the SDK fails otherwise.
        KeyboardInterrupt: on Ctrl-C; the process is ended.
    """
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="qubopuzzle-", ignore_cleanup_errors=True) as folder:
        file = Path(folder, "answer.json")
        answer_file = str(file) if request.keep else ""
        came = _run(request, _job(request, answer_file=answer_file), tick)
        text = file.read_text(errors="replace") if file.exists() else ""
    return _answer(request, came, redact(text, *_secrets(request)), time.perf_counter() - began)


def dry_run(request: Request) -> bytes:
    """The body of the request as the SDK would send it; nothing leaves this machine.

    Raises:
        SolverFailed: if the SDK makes no request of it.
    """
    with (
        tempfile.TemporaryDirectory(prefix="qubopuzzle-", ignore_cleanup_errors=True) as folder,
        loopback(b"{}") as url,
    ):
        file = Path(folder, "request.json")
        job = _job(request, request_file=str(file), dry_run=True)
        _run(request, job | _without_token(url), lambda: None)
        if not file.exists():
            raise SolverFailed(f"{request.client} writes no request on a dry run")
        return file.read_bytes()


def replay(request: Request, answer: bytes) -> Answer:
    """Decode a stored answer to this request with the SDK; nothing leaves this machine.

    Raises:
        ProtocolError: if it is no answer to this request.
    """
    began = time.perf_counter()
    with loopback(answer) as url:
        job = _job(request) | _without_token(url)
        came = _run(request, job, lambda: None)
    return _answer(request, came, "", time.perf_counter() - began)


def _without_token(url: str) -> dict[str, Any]:
    return {
        "url": url,
        "deadline_s": inf,
        "proxy": "",
        "token": "none",
        "secrets": (),
        "token_source": "nowhere",
    }


def _secrets(request: Request) -> tuple[str, ...]:
    own = () if request.token is None else (request.token.reveal(),)
    return (*own, *request.secrets)


def _job(
    request: Request,
    *,
    request_file: str = "",
    answer_file: str = "",
    dry_run: bool = False,
) -> dict[str, Any]:
    return {
        "parent": os.getpid(),
        "program": request.program.unlabelled(),
        "mode": request.program.mode,
        "client": request.client,
        "where": request.where,
        "token": "" if request.token is None else request.token.reveal(),
        "token_source": "" if request.token is None else request.token.source,
        "secrets": _secrets(request),
        "url": request.url,
        "proxy": request.proxy,
        "library": request.library,
        "seconds": request.seconds,
        "deadline_s": request.deadline,
        "parameters": dict(request.parameters),
        "request_file": request_file,
        "answer_file": answer_file,
        "dry_run": dry_run,
    }


def _run(request: Request, job: dict[str, Any], tick: Callable[[], None]) -> dict[str, Any]:
    """The child's answer; every other ending becomes an error."""
    with tempfile.TemporaryDirectory(prefix="qubopuzzle-", ignore_cleanup_errors=True) as folder:
        said, noise = Path(folder, "said"), Path(folder, "noise")
        with said.open("wb") as answers, noise.open("wb") as errors_out:
            process = start_python("qubopuzzle.cloud.process", subprocess.PIPE, answers, errors_out)
        try:
            _hand_over(process, job)
            _wait(request, job, process, said, noise, tick)
        finally:
            end(process)
        last = (_messages(said) or [{}])[-1]
        if "answer" in last:
            came: dict[str, Any] = last["answer"]
            return came
        if "error" in last:
            raise _error(last["error"], last["message"])
        words = redact(_tail(noise), *job["secrets"]).strip().splitlines()[-1:]
        hint = f": {words[0][:200]}" if words else ""
        raise SolverFailed(f"{request.where}: its process {ending(process.returncode)}{hint}")


def _hand_over(process: subprocess.Popen[bytes], job: dict[str, Any]) -> None:
    """Through a pipe: the job has the token in it, which is written to no disk."""
    assert process.stdin is not None  # noqa: S101
    with suppress(BrokenPipeError):  # then it has ended, which is seen later
        process.stdin.write(pickle.dumps(job))
    with suppress(BrokenPipeError):
        process.stdin.close()


def _wait(
    request: Request,
    job: dict[str, Any],
    process: subprocess.Popen[bytes],
    said: Path,
    noise: Path,
    tick: Callable[[], None],
) -> None:
    """Until the process ends; the deadline begins when it has built the model."""
    ends: float | None = None
    while True:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_LOOK_S)
            return
        tick()
        if ends is None:
            if any("calling" in message for message in _messages(said)):
                ends = time.monotonic() + job["deadline_s"]
            continue
        left = ends - time.monotonic()
        waiting = waiting_of(_tail(noise))
        if waiting is not None and left < waiting[1]:
            raise waited_in_vain(waiting[0], request.where)
        if left <= 0:
            limit = f", {request.seconds:g} s of them its time limit" if request.seconds else ""
            raise DeadlineExceeded(
                f"{request.where} gave no answer in {request.deadline:.3g} s{limit}; "
                "--option patience=SECONDS waits longer for queue and network"
            )


def _messages(said: Path) -> list[dict[str, Any]]:
    """What the process has said so far, in whole lines."""
    return [json.loads(line) for line in said.read_bytes().split(b"\n")[:-1]]


def _tail(noise: Path) -> str:
    with noise.open("rb") as stream:
        stream.seek(max(0, stream.seek(0, os.SEEK_END) - _NOISE))
        return stream.read().decode(errors="replace")


def _error(kind: str, message: str) -> QubopuzzleError:
    known = getattr(errors, kind, SolverFailed)
    made: QubopuzzleError = known(message)
    return made


def _answer(request: Request, came: dict[str, Any], text: str, seconds: float) -> Answer:
    n = request.program.n_variables
    rows = [np.frombuffer(sample.encode(), dtype=np.int8) - ord("0") for sample in came["samples"]]
    if any(len(row) != n for row in rows):
        raise ProtocolError(f"{request.where} answered for other variables than the model's")
    samples = np.array(rows, dtype=np.int8).reshape(len(rows), n)
    queue, execution = came["queue_s"], came["execution_s"]
    response = came["response_s"]
    parts = {
        "queue": queue,
        "execution": execution,
        "network": max(0.0, response - queue - execution),
        "process": max(0.0, seconds - response),
    }
    return Answer(samples, parts, came["service"], text)


def check_address(name: str, address: str) -> str:
    """A url without user and password in it.

    Raises:
        InputError: if it has them: a command line and a result are no place for them.
    """
    try:
        parts = urlsplit(address)
        hidden = parts.username is not None or parts.password is not None
        _ = parts.port  # the SDK crashes on one that is none
    except ValueError:
        raise errors.InputError(f"option {name}: {address[:40]!r} is no url") from None
    if hidden:
        raise errors.InputError(
            f"option {name}: user and password do not belong into options; "
            "set HTTPS_PROXY in the environment"
        )
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise errors.InputError(f"option {name}: expected http(s)://HOST, got {address[:60]!r}")
    return address.rstrip("/")
