"""A server on this machine in Amplify AE's place, for requests that are not to be sent.

The SDK asks for the service's version before it writes or reads anything. Another process of
ours talks to it, so that a thread is enough.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from threading import Thread
from typing import Any

_VERSION = b'{"version": "1.0.0"}'


class _Server(ThreadingTCPServer):
    """Not the one for HTTP, which asks for this machine's name."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever asked has gone away; it is known elsewhere."""


@contextmanager
def replay_server(answer: bytes) -> Iterator[str]:
    """Serve ``answer`` to every request to solve; yields the url."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._reply(_VERSION)

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self._reply(answer)

        def _reply(self, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

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
