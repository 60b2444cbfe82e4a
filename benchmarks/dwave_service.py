"""D-Wave's client and the stand-in of the tests: what each fault of the service ends in, and when.

Nothing leaves this machine. Each call has a process of its own, whose start counts; the deadline
runs from the client's first message on.

Usage: python benchmarks/dwave_service.py
"""

from __future__ import annotations

import atexit
import io
import logging
import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from qubopuzzle import Nonogram, QubopuzzleError, solve
from record import Args, Benchmark, Cases, Row, Rows, main, table

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from leaks import everything_of, leaked

TIME_LIMIT_S = 1.0
PATIENCE_S = 4.0
TOKEN = "DEV/a-token+of=the-benchmark"  # noqa: S105
SHOWN = 100
"""Characters of a message that the table has."""


def _cases(_: Args) -> Cases:
    if not find_spec("dwave.system"):
        yield "the extra dwave", None
        return
    from sapi_stand_in import FAULTS, stand_in
    from wire import certificate, tls_front

    running = ExitStack()
    atexit.register(running.close)
    _configure(Path(running.enter_context(TemporaryDirectory())) / "dwave.conf")
    sapi = running.enter_context(stand_in())
    front = running.enter_context(tls_front(certificate("private")[0], sapi.server_port))
    at = {words: f"{sapi.url}/fault/{fault}" for fault, (words, *_) in FAULTS.items()}
    at["nobody listens"] = "http://127.0.0.1:9"
    at["a certificate of nobody's"] = f"https://localhost:{front.port}"
    yield from ((words, _fault, words, url) for words, url in at.items())


def _configure(file: Path) -> None:
    """The token in the environment, and nothing of the user's."""
    for name in [name for name in os.environ if name.startswith("DWAVE_")]:
        del os.environ[name]
    file.write_text("[defaults]\n")
    os.environ |= {"DWAVE_CONFIG_FILE": str(file), "DWAVE_API_TOKEN": TOKEN}


def _fault(words: str, url: str) -> Row:
    options = {"url": url, "tries": 1, "patience": PATIENCE_S}
    puzzle, message, seen = Nonogram.examples()[0], "", ""
    began = time.perf_counter()
    with _heard() as heard:
        try:
            result = solve(
                puzzle, "dwave", reads=20, time_limit=TIME_LIMIT_S, seed=1, options=options
            )
            ending = result.verdict
        except QubopuzzleError as error:
            ending, message, seen = type(error).__name__, str(error), everything_of(error)
    seconds = time.perf_counter() - began
    return {
        "fault": words,
        "ends in": ending,
        "deadline s": TIME_LIMIT_S + PATIENCE_S,
        "after s": round(seconds, 2),
        "words": message.replace(url, "URL").replace("|", "/"),
        "token seen": leaked(f"{seen}\n{heard.getvalue()}", TOKEN),
    }


@contextmanager
def _heard() -> Iterator[io.StringIO]:
    """All that is printed and logged in this process."""
    text, log = io.StringIO(), logging.getLogger()
    handler, level = logging.StreamHandler(text), log.level
    log.addHandler(handler)
    log.setLevel(logging.NOTSET)
    try:
        with redirect_stdout(text), redirect_stderr(text):
            yield text
    finally:
        log.removeHandler(handler)
        log.setLevel(level)


def _table(rows: Rows) -> str:
    columns = {
        "fault": "{fault}",
        "ends in": "{ends in}",
        "after s": "{after s:.2f}",
        "words": lambda row: _short(row["words"]),
    }
    (deadline,) = {row["deadline s"] for row in rows}
    told = ", ".join(row["fault"] for row in rows if row["token seen"]) or "none"
    end = f"Deadline: {deadline:g} s from the client's first message. The token told by: {told}."
    return f"{table(columns, rows)}\n\n{end}"


def _short(words: str) -> str:
    return words if len(words) <= SHOWN else f"{words[:SHOWN]}..."


PACKAGES = ("dwave-system", "dwave-cloud-client", "minorminer")
BENCHMARKS = (Benchmark("dwave_faults", _cases, {"dwave_faults": _table}, packages=PACKAGES),)

if __name__ == "__main__":
    main(__doc__, BENCHMARKS)
