"""A stand-in for D-Wave's Solver API (SAPI) on 127.0.0.1, for the real client.

    with stand_in() as sapi:
        solve(puzzle, "dwave", options={"url": f"{sapi.url}/tag/mine"})
        sapi.kept["mine"]

It announces a QPU with a small Zephyr graph, and anneals what that is sent, and a hybrid solver,
whose CQMs go to solver sat. The path prefix of the
url says what it does: ``/tag/NAME`` keeps the requests under that name, ``/fault/STAGE-NAME`` plays
a fault at a stage: ``solvers`` (the list of QPUs), ``post`` (a problem is sent), ``poll`` (its
status) or ``answer``; ``FAULTS`` lists them. Of the token it keeps a SHA-256.
"""

import base64
import hashlib
import io
import json
import re
import socket
import time
import zlib
from collections import Counter, defaultdict
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import dimod
import numpy as np
from dwave.cloud.testing.mocks import qpu_problem_timing_data, qpu_zephyr_solver_data
from dwave.samplers import SimulatedAnnealingSampler

from qubopuzzle import from_cqm, solve
from qubopuzzle.errors import (
    AuthenticationError,
    DeadlineExceeded,
    ProtocolError,
    QuotaError,
    ServiceUnavailable,
    SolverFailed,
    TooLarge,
)

NAME, HYBRID = "Stand_in_system1.1", "hybrid_stand_in_version1"
TIMING = {"qpu_access_time": 30_000, "qpu_programming_time": 14_000, "qpu_sampling_time": 16_000}
BEGAN = datetime(2026, 11, 24, 12, tzinfo=UTC)
_PATH = re.compile(
    r"(?:/tag/(?P<tag>[^/]+))?(?:/fault/(?P<fault>[^/]+))?(?P<end>/(solvers|problems|bqm)/.*)"
)
_KINDS = {
    "solvers": "solver-definition-list",
    "post": "problems",
    "poll": "problems",
    "answer": "problem",
}


def description():
    """What SAPI says of a QPU."""
    qpu = qpu_zephyr_solver_data(2, name=NAME)
    qpu["avg_load"] = 0.1
    parameters = ("num_reads", "annealing_time", "answer_mode", "auto_scale", "label")
    qpu["properties"] |= {
        "parameters": dict.fromkeys(parameters, ""),
        "chip_id": NAME,
        "problem_timing_data": qpu_problem_timing_data(),
    }
    return qpu


def hybrid():
    """What SAPI says of Leap's hybrid solver for CQMs."""
    most = ("variables", "constraints", "biases", "quadratic_variables")
    return {
        "identity": {"name": HYBRID},
        "status": "ONLINE",
        "description": "a stand-in",
        "avg_load": 0.1,
        "properties": {
            "category": "hybrid",
            "supported_problem_types": ["cqm"],
            "parameters": dict.fromkeys(("time_limit", "label"), ""),
            "version": "1.0",
            "minimum_time_limit_s": 5,
            **{f"maximum_number_of_{what}": 10_000 for what in most},
        },
    }


def _coded(array, kind):
    return base64.b64encode(np.ascontiguousarray(array).astype(kind).tobytes()).decode()


def _decoded(text):
    return np.frombuffer(base64.b64decode(text), "<f8")


def _whole(text):
    return np.frombuffer(base64.b64decode(text), "<i4")


class Problem:
    """One that was sent: its model, and the answer in SAPI's format ``qp``."""

    def __init__(self, body, qpu):
        self.id = f"problem-{hashlib.sha256(repr(body).encode()).hexdigest()[:12]}"
        self.body = body
        properties = qpu["properties"]
        linear = _decoded(body["data"]["lin"])
        fields = dict(zip(properties["qubits"], linear.tolist(), strict=True))
        fields = {qubit: field for qubit, field in fields.items() if field == field}
        couplers = [c for c in properties["couplers"] if set(c) <= fields.keys()]
        quadratic = _decoded(body["data"]["quad"]).tolist()
        couplings = dict(zip(map(tuple, couplers), quadratic, strict=True))
        vartype = {"ising": "SPIN", "qubo": "BINARY"}[body["type"]]
        self.bqm = dimod.BQM(fields, couplings, vartype)
        self.n_qubits = properties["num_qubits"]

    def answer(self):
        sampler = SimulatedAnnealingSampler()
        reads = self.body["params"]["num_reads"]
        found = sampler.sample(self.bqm, num_reads=reads, num_sweeps=500, seed=1).aggregate()
        record, active = found.record, list(found.variables)
        return {
            "format": "qp",
            "active_variables": _coded(active, "<i4"),
            "energies": _coded(record.energy, "<f8"),
            "num_occurrences": _coded(record.num_occurrences, "<i4"),
            "solutions": _coded(np.packbits(record.sample > 0, axis=1), "u1"),
            "num_variables": self.n_qubits,
            "timing": dict(TIMING),
        }

    def status(self, status, **more):
        on = {"submitted_on": BEGAN.isoformat()}
        if status == "COMPLETED":
            on["solved_on"] = (BEGAN + timedelta(seconds=0.25)).isoformat()
        own = {name: self.body[name] for name in ("solver", "type")}
        return {"id": self.id, "status": status, **own, **on, **more}


class Hybrid:
    """A CQM that was sent: an assignment of zeros, and one that is right."""

    def __init__(self, body, uploads):
        self.id, self.body = f"problem-{len(uploads)}-cqm", body
        self.cqm = dimod.CQM.from_file(io.BytesIO(uploads[body["data"]["data"]]))

    def answer(self):
        found = solve(from_cqm(self.cqm), "sat", seed=1).grid
        samples = np.array([np.zeros(len(self.cqm.variables)), found], dtype=float)
        given = dimod.SampleSet.from_samples(
            (samples, self.cqm.variables),
            "INTEGER",
            energy=[0.0, 0.0],
            is_feasible=[False, True],
            info={"run_time": 5_100_000, "charge_time": 5_000_000, "qpu_access_time": 40_000},
        )
        return {"format": "bq", "data": given.to_serializable()}

    status = Problem.status


def _lacking(key):
    def fault(qpus, _):
        qpus[0].get("properties", {}).pop(key, None)
        return qpus

    return fault


def _answered(**changed):
    def fault(problem, _):
        for key, change in changed.items():
            problem["answer"][key] = change(problem["answer"][key])
        return problem

    return fault


def _ended(status):
    def fault(statuses, token):
        statuses[0] |= {"status": status, "error_message": f"no calibration for token {token}"}
        return statuses

    return fault


def _another(found, _):
    (found[0] if isinstance(found, list) else found)["id"] = "somebody-elses"
    return found


CHANGES = {
    "solvers-empty": lambda *_: [],
    "solvers-offline": lambda qpus, _: [{**qpus[0], "status": "OFFLINE"}],
    "solvers-no-topology": _lacking("topology"),
    "solvers-no-qubits": _lacking("qubits"),
    "solvers-nothing": lambda *_: [{}],
    "post-refused": lambda _, token: [{"error_code": 400, "error_msg": f"bad h for {token}"}],
    "post-empty": lambda *_: [],
    "poll-failed": _ended("FAILED"),
    "poll-cancelled": _ended("CANCELLED"),
    "poll-pending": _ended("PENDING"),
    "poll-other-id": _another,
    "answer-other-id": _another,
    "answer-short": _answered(solutions=lambda text: text[: len(text) // 8 * 4]),
    "answer-no-spins": _answered(active_variables=lambda text: _coded(_whole(text) - 1, "<i4")),
    "answer-nan": _answered(energies=lambda text: _coded(_decoded(text) * np.nan, "<f8")),
    "answer-never": _answered(num_occurrences=lambda text: _coded(_whole(text) * 0, "<i4")),
    "answer-no-list": _answered(energies=lambda _: {"a": 1}),
}
"""Faults that change what would be sent, given the token."""


FAULTS = {
    "solvers-401": (
        "QPUs: 401",
        AuthenticationError,
        "refuses the token .401.*check what is in DWAVE_API_TOK",
    ),
    "solvers-403": ("QPUs: 403", AuthenticationError, "does not let this token in"),
    "solvers-404": ("QPUs: 404", ServiceUnavailable, "is not at this url"),
    "solvers-503-once": ("QPUs: 503, once", None, ""),
    "solvers-redirect": ("QPUs: a redirect", ServiceUnavailable, "redirects"),
    "solvers-garbage": ("QPUs: no JSON", ProtocolError, "answer cannot be read"),
    "solvers-html": ("QPUs: a web page", ProtocolError, "answer cannot be read.*text/html"),
    "solvers-truncated": ("QPUs: half an answer", ServiceUnavailable, "broke off"),
    "solvers-empty": ("QPUs: none", ServiceUnavailable, "no solver of this name or kind"),
    "solvers-offline": ("QPUs: offline", ServiceUnavailable, "no solver of this name or kind"),
    "solvers-no-topology": ("QPUs: no topology", ProtocolError, "no topology"),
    "solvers-no-qubits": ("QPUs: no qubits", ServiceUnavailable, "no solver of this name or kind"),
    "solvers-nothing": ("QPUs: one without anything", ProtocolError, "answer cannot be read"),
    "post-400": (
        "problem: 400",
        ProtocolError,
        "take the request .400 Bad Request.: refused: .token.",
    ),
    "post-402": ("problem: 402", QuotaError, "plan is used up"),
    "post-413": ("problem: 413", TooLarge, "no request of this size"),
    "post-429": ("problem: 429, wait a minute", QuotaError, "no more requests for now"),
    "post-500": ("problem: 500", ServiceUnavailable, "fails .500"),
    "post-502": ("problem: 502", ServiceUnavailable, "is away .502"),
    "post-503-once": ("problem: 503, once", None, ""),
    "post-dropped": ("problem: connection lost", ServiceUnavailable, "broke off"),
    "post-blank": ("problem: an empty answer", ProtocolError, "answer cannot be read"),
    "post-endless": ("problem: an endless answer", ProtocolError, "larger than 64 MiB"),
    "post-refused": ("problem: refused", SolverFailed, "gave up on the problem: bad h for .token."),
    "post-empty": ("problem: no status", ProtocolError, "answer cannot be read"),
    "poll-failed": (
        "status: failed",
        SolverFailed,
        "gave up on the problem: no calibration for token .token.",
    ),
    "poll-cancelled": ("status: cancelled", SolverFailed, "problem was cancelled"),
    "poll-pending": ("status: pending forever", DeadlineExceeded, "gave no answer in"),
    "poll-silent": ("status: silence", DeadlineExceeded, "gave no answer in"),
    "poll-drip": ("status: a byte now and then", DeadlineExceeded, "gave no answer in"),
    "poll-other-id": ("status: of another problem", ProtocolError, "on another problem"),
    "answer-other-id": ("answer: to another problem", ProtocolError, "on another problem"),
    "answer-dropped": ("answer: connection lost", ServiceUnavailable, "broke off"),
    "answer-short": ("answer: too few samples", ProtocolError, "answer cannot be read"),
    "answer-no-spins": ("answer: other qubits", ProtocolError, "over other qubits"),
    "answer-nan": ("answer: NaN energies", ProtocolError, "energies that are no numbers"),
    "answer-never": ("answer: samples never read", ProtocolError, "never read"),
    "answer-no-list": ("answer: energies no list", ProtocolError, "answer cannot be read"),
}
"""Every fault in words, what solver dwave ends in (None: an answer all the same), and its words."""


class Sapi(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path, server = _PATH.fullmatch(self.path), self.server
        if not path:
            return self.reply(404, b'{"error_msg": "no such thing", "error_code": 404}')
        self.token = self.headers.get("X-Auth-Token", "")
        server.keep(path["tag"], self.command, path["end"], self.token, raw)
        end = path["end"].partition("?")[0].strip("/").split("/")
        if end[0] == "bqm":
            return self.reply(200, json.dumps(self.uploaded(end[2:], raw)).encode())
        stage = "solvers"
        if end[0] == "problems":
            stage = "post" if self.command == "POST" else "poll" if len(end) == 1 else "answer"
        if self.command == "DELETE":
            return self.reply(200, b"[]", "problems")
        fault = path["fault"] or ""
        if not fault.startswith(f"{stage}-"):
            fault = ""
        server.played[path["tag"], fault] += 1
        if fault.endswith("-once") and server.played[path["tag"], fault] == 1:
            return self.play(fault.removeprefix(f"{stage}-").removesuffix("-once"), stage)
        if fault and fault not in CHANGES and not fault.endswith("-once"):
            return self.play(fault.removeprefix(f"{stage}-"), stage)
        found = getattr(self, stage)(raw)
        if fault in CHANGES:
            found = CHANGES[fault](found, self.token)
        if fault == "poll-pending":
            time.sleep(0.1)  # a long poll
        return self.reply(200, json.dumps(found).encode(), _KINDS[stage])

    do_POST = do_DELETE = do_PUT = do_GET  # noqa: N815

    def solvers(self, _):
        if "none,+identity" in self.path.replace("%2B", "+").replace("%2C", ","):
            return [
                {name: each[name] for name in ("identity", "status", "avg_load")}
                for each in (self.server.qpu, self.server.hybrid)
            ]
        return [json.loads(json.dumps(self.server.qpu)), self.server.hybrid]

    def uploaded(self, path, raw):
        """A file comes in parts: announced, sent, and put together; asked for in between."""
        uploads = self.server.uploads
        if not path:
            uploads[f"upload-{len(uploads)}"] = b""
            return {"id": list(uploads)[-1]}
        if path[1] == "part":
            uploads[path[0]] += raw
        digest = hashlib.md5(uploads[path[0]], usedforsecurity=False).hexdigest()
        parts = [{"part_number": 1, "checksum": digest}] if uploads[path[0]] else []
        return {"status": "UPLOAD_IN_PROGRESS", "parts": parts}

    def post(self, raw):
        packed = self.headers.get("Content-Encoding") == "deflate"
        jobs = json.loads(zlib.decompress(raw) if packed else raw)
        server = self.server
        problems = [
            Hybrid(body, server.uploads) if body["type"] == "cqm" else Problem(body, server.qpu)
            for body in jobs
        ]
        self.server.problems.update((problem.id, problem) for problem in problems)
        return [problem.status("PENDING") for problem in problems]

    def poll(self, _):
        ids = re.findall(r"[?&]id=([^&]*)", self.path)[0].split(",")
        return [self.server.problems[each].status("COMPLETED") for each in ids]

    def answer(self, _):
        problem = self.server.problems[self.path.rstrip("/").rpartition("/")[2]]
        return problem.status("COMPLETED", answer=problem.answer())

    def play(self, fault, stage):
        """Faults of the line, and statuses, with bodies that repeat the token."""
        if fault.isdigit():
            more = {"Retry-After": "60"} if fault == "429" else {}
            text = json.dumps({"error_msg": f"refused: {self.token}", "error_code": int(fault)})
            return self.reply(int(fault), text.encode(), **more)
        bodies = {
            "garbage": b"[" + self.token.encode(),
            "html": f"<html>hello {self.token}</html>".encode(),
            "blank": b"",
        }
        if fault in bodies:
            kind = "text/html" if fault == "html" else _KINDS[stage]
            return self.reply(200, bodies[fault], kind)
        self.close_connection = True
        if fault == "redirect":
            return self.reply(302, b"", Location="https://127.0.0.1:9/")
        if fault == "silent":
            self.rfile.read(1)
        elif fault == "truncated":
            self.reply(200, b'[{"id', _KINDS[stage], length=1000)
        else:
            self.reply(200, b"[", _KINDS[stage], length=10**12)
            while fault in ("endless", "drip"):
                self.wfile.write(b" " * (2**20 if fault == "endless" else 1))
                time.sleep(0.0 if fault == "endless" else 0.2)
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)
        return None

    def reply(self, status, body, kind="", length=None, **headers):
        if kind and "/" not in kind:
            kind = f"application/vnd.dwave.sapi.{kind}+json; version=3.0.0"
        self.send_response(status)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {"Content-Type": kind or "application/json", "Content-Length": length or len(body)}
        for name, value in {**sent, **headers}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Sapi)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.qpu, self.hybrid, self.problems, self.uploads = description(), hybrid(), {}, {}
        self.kept, self.played = defaultdict(list), Counter()

    def keep(self, tag, method, path, token, raw):
        seen = {"method": method, "path": path, "raw": raw}
        self.kept[tag].append({**seen, "token": hashlib.sha256(token.encode()).hexdigest()})

    def handle_error(self, request, client_address):
        """Whoever asked has gone away."""


@contextmanager
def stand_in():
    """Serve from a thread; yields the server."""
    with Server() as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
