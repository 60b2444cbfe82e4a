"""A stand-in for the Amplify AE web service, as a process of its own on 127.0.0.1.

The SDK holds the GIL while it calls, so a server in the same process would deadlock.

    with stand_in() as url:
        client = amplify.AmplifyAEClient(token="any", url=f"{url}/tag/mine")
        ...
        requests_of(url, "mine")

The path prefix of ``client.url`` says what it does: ``/tag/NAME`` keeps the requests under
that name, ``/fault/NAME`` plays a fault instead of solving, ``/fault/health-NAME`` does so at
the health check. Of the Authorization header it keeps a SHA-256, never the token.
"""

import base64
import gzip
import hashlib
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.request
import zlib
from collections import Counter, defaultdict
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote

import qubopuzzle
from ae_solving import Malformed, check, prepare, solve

_PATH = re.compile(r"(?:/tag/(?P<tag>[^/]+))?(?:/fault/(?P<fault>[^/]+))?/v1/(?P<end>.+)")


@contextmanager
def stand_in():
    """Start the service; yields its base url."""
    source = str(Path(qubopuzzle.__file__).parents[1])
    process = subprocess.Popen(
        [sys.executable, __file__, str(os.getpid())],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": source},
    )
    try:
        url = process.stdout.readline().strip()
        assert url, "the stand-in did not start"
        yield url
    finally:
        process.kill()
        process.communicate()


def requests_of(url, tag):
    """The requests that came in under ``/tag/TAG``, in order, see ``Service.keep``."""
    with urllib.request.urlopen(f"{url}/requests/{tag}") as answer:  # noqa: S310
        return json.load(answer)


def _answer(*solutions, **more):
    return {
        "solutions": solutions,
        "version": "1.0.0",
        "execution_time_ms": 1.0,
        "queue_time_ms": 2.5,
        "submitted_at": "2026-11-21T12:00:00.000000+0000",
        "started_at": "2026-11-21T12:00:00.002500+0000",
        "num_gpus": 1,
        "num_samplings": 1,
        "num_flips": 1,
        **more,
    }


def _claimed(values):
    return {"values": values, "objective": 0.0, "time_stamp_ms": 1.0, "status": "Feasible"}


def _leak(authorization):
    """An error's body that repeats the token in every form in which one might leak."""
    token = authorization.removeprefix("Bearer ")
    half = len(token) // 2
    return {
        "message": f"refused: {authorization}",
        "token": token,
        "percent": quote(token, safe=""),
        "base64": base64.b64encode(token.encode()).decode(),
        "reversed": token[::-1],
        "halves": [token[:half], token[half:]],
    }


VALUES = {
    "not-binary-2": lambda n: [2] * n,
    "not-binary-half": lambda n: [0.5] * n,
    "not-binary-true": lambda n: [True] * n,
    "not-binary-nan": lambda n: [float("nan")] * n,
    "not-binary-text": lambda n: ["1"] * n,
    "short": lambda n: [0] * (n - 1),
    "long": lambda n: [0] * (n + 1),
    "wrong-answer": lambda n: [0] * n,
}
BODIES = {
    "garbage": lambda token: f"<html>no JSON for {token}".encode(),
    "empty": lambda _: b"",
    "wrong-types": lambda _: b'{"solutions": "x"}',
    "no-solutions": lambda _: json.dumps(_answer()).encode(),
    "huge": lambda _: b'{"solutions": [{"values": [' + b"0," * 25_000_000 + b"0]}]}",
    "oversized": lambda _: b" " * 70_000_000,
    "nested": lambda _: b"[" * 1_000_000,
    "no-list": lambda _: b'{"solutions": [{"values": {"a": 0}}]}',
}
STATUSES = (
    *("204", "301", "302", "400", "401", "402", "403", "404", "413"),
    *("429", "500", "502", "503", "504", "600"),
)
ON_THE_LINE = (
    *("truncated", "dropped", "silent", "drip", "redirect", "503-once", "429-once", "warned"),
    *("many", "bomb", "no-http"),
)
FAULTS = (*VALUES, *BODIES, *STATUSES, *ON_THE_LINE)


class Service(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    kept: ClassVar = defaultdict(list)
    played: ClassVar = Counter()

    def log_message(self, *_):
        pass

    def do_GET(self):
        if self.path.startswith("/requests/"):
            return self.reply(200, self.kept[self.path.removeprefix("/requests/")])
        return self.handle_request(b"", "health", lambda _: {"version": "1.0.0"})

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.handle_request(raw, "sync/solve", lambda body: _answer(solve(body)))

    def handle_request(self, raw, end, work):
        path = _PATH.fullmatch(self.path)
        body = self.parsed(raw)
        if path and path["tag"]:
            self.keep(path["tag"], raw, body)
        fault = (path and path["fault"]) or ""
        known = not fault or fault.removeprefix("health-") in FAULTS
        if not path or path["end"] != end or not known:
            return self.reply(404, {"message": f"there is no {self.path}"})
        name = fault.removeprefix("health-")
        hit = fault.startswith("health-") == (end == "health") and name
        try:
            n = check(body) if end != "health" else 0
            if hit and self.play(name, n, path["tag"]):
                return None
            if not self.token():
                return self.reply(401, {"message": "Unauthorized"})
            return self.reply(200, work(body) | (self.warned() if hit == "warned" else {}))
        except (Malformed, qubopuzzle.QubopuzzleError) as error:
            return self.reply(400, {"message": f"malformed request: {error}"})

    def warned(self):
        """What an answer may say besides, with the token in it."""
        warnings = ["a warning of the service", f"for {self.token()}", "<b>no</b>"]
        return {"warnings": warnings, "version": f"1.0.0 {self.token()}", "echo": self.token()}

    def token(self):
        return self.headers.get("Authorization", "").removeprefix("Bearer").strip()

    def parsed(self, raw):
        """The body's JSON, None where there is none."""
        with suppress(OSError, EOFError, ValueError):
            packed = self.headers.get("Content-Encoding") == "gzip"
            return json.loads(gzip.decompress(raw) if packed else raw)

    def keep(self, tag, raw, body):
        authorization = self.headers.get("Authorization", "")
        headers = {k: v for k, v in self.headers.items() if k.lower() != "authorization"}
        request = {
            "method": self.command,
            "path": self.path,
            "headers": headers,
            "authorization_sha256": hashlib.sha256(authorization.encode()).hexdigest(),
            "body": body,
            "bytes": len(raw),
        }
        self.kept[tag].append(request)

    def play(self, fault, n, tag):
        """Play a fault; False where the answer is to be a good one after all."""
        self.played[tag, fault] += 1
        again = {"Retry-After": 1} if fault == "429-once" else {}
        if fault.endswith("-once") and self.played[tag, fault] == 1:
            fault = fault.removesuffix("-once")
        if fault.endswith("-once") or fault == "warned":
            return False
        if fault in STATUSES:
            self.reply(int(fault), _leak(self.headers.get("Authorization", "")), **again)
        elif fault in VALUES:
            self.reply(200, _answer(_claimed(VALUES[fault](n))))
        elif fault in BODIES:
            self.reply(200, BODIES[fault](self.token()))
        elif fault == "redirect":
            port = tag if tag and tag.isdigit() else 9
            self.reply(302, b"", Location=f"https://127.0.0.1:{port}/v1/sync/solve")
        elif fault == "many":
            self.reply(200, _answer(*[_claimed([0] * n)] * int(tag or 1000)))
        elif fault == "bomb":
            packer = zlib.compressobj(1, zlib.DEFLATED, 31)
            first, more = (
                packer.compress(b" " * 2**20) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2)
            )
            self.reply(200, first + 500 * more, **{"Content-Encoding": "gzip"})
        else:
            self.break_off(fault)
        return True

    def break_off(self, fault):
        """Answers that do not end as they should; the connection is of no use afterwards."""
        self.close_connection = True
        if fault == "silent":
            self.rfile.read(1)  # until the client goes away
        elif fault == "no-http":
            self.wfile.write(b"\x1b[31mhello\r\n\r\n")
        elif fault == "truncated":
            self.reply(200, b'{"solu', length=1000)
        elif fault == "drip":
            self.reply(200, b"{", length=10**6)
            while True:
                self.wfile.write(b" ")
                time.sleep(0.3)
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def reply(self, status, body, length=None, **headers):
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Length": length or len(raw), **headers}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(raw)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def _end_with(parent):
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(0)


def main():
    parent = int(sys.argv[1]) if len(sys.argv) > 1 else os.getppid()
    threading.Thread(target=_end_with, args=[parent], daemon=True).start()
    prepare()
    server = Server(("127.0.0.1", 0), Service)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
