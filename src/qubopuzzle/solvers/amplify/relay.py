"""A server on this machine that the Amplify SDK takes for the service, for one call.

The SDK (1.7.3) does not verify certificates, knows no deadline and repeats what it is sent in its
messages. So it speaks to the relay, with a token that is good for one call of the relay alone;
``service.py`` speaks to the service.
"""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from secrets import compare_digest, token_urlsafe
from socketserver import ThreadingTCPServer
from threading import Thread
from typing import Any

from qubopuzzle.errors import QubopuzzleError

ANSWER_LIMIT = 64 * 2**20
"""Bytes of an answer; 256 samples of the largest plan."""


@dataclass(frozen=True, slots=True)
class Message:
    """A request of the SDK.

    Attributes:
        path: with its query.
        token: the relay's own, which stands in one of the headers.
        ends: when an answer is of no more use, by ``time.monotonic``.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    token: str
    ends: float


Respond = Callable[[Message], tuple[int, bytes]]
"""The status and the body of the answer; TimeoutError if there is none in time."""


class Relay(AbstractContextManager["Relay"]):
    """A server on the loopback address.

    Args:
        respond: answers messages; only those that carry the relay's token get here.
        deadline: seconds from the first message to the last answer.

    Attributes:
        url, token: where the SDK goes, and with what.
        ends: when the deadline is over, by ``time.monotonic``; 0 before the first message.
        failed: has the error that ended the call, if one did.
        answered: whether an answer was given to something posted.
    """

    def __init__(self, respond: Respond, deadline: float) -> None:
        self.token, self.ends, self.answered = token_urlsafe(), 0.0, False
        self.failed: Future[None] = Future()
        self._respond, self._deadline = respond, deadline
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.answer = self._answer
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _answer(self, asked: BaseHTTPRequestHandler) -> None:
        """Answer a request; where there is no answer, the connection ends without one."""
        words = " ".join(asked.headers.values()).encode(errors="replace").split()
        if not any(compare_digest(word, self.token.encode()) for word in words):
            asked.send_error(403)
            return
        body = asked.rfile.read(int(asked.headers.get("Content-Length", 0)))
        self.ends = self.ends or time.monotonic() + self._deadline
        headers = dict(asked.headers.items())
        message = Message(asked.command, asked.path, headers, body, self.token, self.ends)
        try:
            status, answer = self._respond(message)
        except TimeoutError:  # whoever waits for the call knows it
            return
        except QubopuzzleError as error:
            if not self.failed.done():
                self.failed.set_exception(error)
            return
        self.answered |= message.method == "POST"
        asked.send_response(status)
        asked.send_header("Content-Type", "application/json")
        asked.send_header("Content-Length", str(len(answer)))
        asked.end_headers()
        asked.wfile.write(answer)


class _Server(ThreadingTCPServer):
    """Not the one for HTTP, which asks for this machine's name."""

    daemon_threads = True
    answer: Callable[[BaseHTTPRequestHandler], None]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever asked has gone away; it is known elsewhere."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        self.server.answer(self)

    do_GET = do_PUT = do_DELETE = do_POST  # noqa: N815, names of http.server

    def log_message(self, *_: object) -> None:
        """Say nothing."""
