"""The server on this machine that a service's client speaks to, and nobody else."""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from secrets import compare_digest, token_urlsafe
from socketserver import ThreadingTCPServer
from threading import Thread
from typing import Any, NamedTuple

from qubopuzzle.errors import QubopuzzleError

JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Message:
    """A request of the client, which has the relay's token among its headers.

    It is to be answered until ``ends``, by ``time.monotonic``.
    """

    command: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    token: str
    ends: float


class _Handler(BaseHTTPRequestHandler):
    """A connection of the client."""

    server: "Relay"

    def do_POST(self) -> None:
        self.server.answer(self)

    do_GET = do_PUT = do_DELETE = do_POST  # noqa: N815, names of http.server

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class HttpResponse(NamedTuple):
    """The status of an answer, its body, and the type that it says its body has."""

    status: int
    body: bytes
    content_type: str = JSON


Respond = Callable[[Message], HttpResponse]
"""The answer to a message; TimeoutError if there is none in time."""


class Relay(ThreadingTCPServer):
    """A server on the loopback address (HTTPServer would ask for this machine's name).

    The client goes to ``url`` with ``token``; who has another does not get to ``respond``. It has
    ``deadline`` seconds from its first message on: until ``ends``, by ``time.monotonic``.
    ``failed`` has the error that ended the call; ``answered``: whether a post was answered.
    """

    daemon_threads = True

    def __init__(self, respond: Respond, deadline: float) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url, self.token = f"http://127.0.0.1:{self.server_address[1]}", token_urlsafe()
        self.ends, self.answered = 0.0, False
        self.failed: Future[None] = Future()
        self._respond, self._deadline = respond, deadline
        Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def answer(self, asked: BaseHTTPRequestHandler) -> None:
        """Answer a message; where there is no answer, the connection ends without one."""
        words = " ".join(asked.headers.values()).encode(errors="replace").split()
        if not any(compare_digest(word, self.token.encode()) for word in words):
            return asked.send_error(403)
        body = asked.rfile.read(int(asked.headers.get("Content-Length", 0)))
        self.ends = self.ends or time.monotonic() + self._deadline
        headers = dict(asked.headers.items())
        message = Message(asked.command, asked.path, headers, body, self.token, self.ends)
        try:
            status, body, content_type = self._respond(message)
        except TimeoutError:  # whoever waits for the call knows it
            return None
        except QubopuzzleError as error:
            if not self.failed.done():
                self.failed.set_exception(error)
            return None
        self.answered |= message.command == "POST"
        asked.send_response(status)
        asked.send_header("Content-Type", content_type)
        asked.send_header("Content-Length", str(len(body)))
        asked.end_headers()
        asked.wfile.write(body)
        return None

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever asked has gone away; it is known elsewhere."""
