"""The way to Amplify AE and back, against the stand-in of the tests: sizes, times and faults.

Nothing leaves this machine. Three tables: ``amplify_modes``, what each mode sends for the
example of each puzzle and what came of it; ``amplify_plan``, which puzzles the free plan
holds; ``amplify_faults``, what each fault of the service ends in, and when.

Usage: python benchmarks/amplify_service.py [--table NAME]
"""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from instances import COLLECTION, noise_picture, smooth_picture
from qubopuzzle import Nonogram, Puzzle, QubopuzzleError, load, solve
from qubopuzzle.compile import AMPLIFY_MODES, compile_model
from qubopuzzle.model import propagate
from qubopuzzle.puzzles import get_puzzle, puzzle_names
from qubopuzzle.solvers.amplify.clients import PLANS
from record import Args, Benchmark, Cases, Row, Rows, main, markdown

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from ae_stand_in import requests_of, stand_in

FAULTS = (
    *("301", "400", "401", "402", "403", "404", "413", "429", "429-once"),
    *("500", "503", "503-once", "600"),
    *("204", "garbage", "empty", "wrong-types", "nested", "oversized", "bomb", "many"),
    *("short", "long", "not-binary-2", "not-binary-half", "not-binary-true"),
    *("no-http", "truncated", "dropped", "redirect", "silent", "drip"),
)
TIME_LIMIT_S = 1.0
PATIENCE_S = 4.0
TOKEN = "a-token-of-the-benchmark"  # noqa: S105
EXAMPLE = Path(__file__).parents[1] / "examples" / "picross-a.json"


@cache
def _service() -> str:
    """The url of a stand-in that runs until this process ends."""
    os.environ["AMPLIFY_TOKEN"] = TOKEN
    running = ExitStack()
    atexit.register(running.close)
    return running.enter_context(stand_in())


def _mode_cases(_: Args) -> Cases:
    for name, mode in product(puzzle_names(), AMPLIFY_MODES):
        yield f"{name}, {mode}", _mode, _service(), name, mode


def _fault_cases(_: Args) -> Cases:
    url = _service()
    at = {fault: f"{url}/fault/{fault}" for fault in FAULTS}
    at["many"] = f"{url}/tag/200000/fault/many"
    at |= {"refused": "http://127.0.0.1:9", "no DNS": "https://no-such-host.invalid"}
    at["no TLS"] = url.replace("http:", "https:")
    yield from ((name, _fault, name, address) for name, address in at.items())
    yield "command line", _command_line, url
    yield "Ctrl-C", _interrupted, url


def _table(rows: Rows) -> str:
    """The rows as they are."""
    return markdown(list(rows[0]), [list(map(_text, row.values())) for row in rows])


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _mode(url: str, name: str, mode: str) -> Row:
    tag = f"{name}-{mode}"
    puzzle = get_puzzle(name).examples()[0]
    options = {"url": f"{url}/tag/{tag}", "mode": mode}
    result = solve(puzzle, "amplify", time_limit=3.0, seed=0, options=options)
    sent = requests_of(url, tag)[-1]
    body = sent["body"]
    parts = [*body.get("constraints", []), *body.get("penalties", [])]
    terms = len(body.get("sparse_objective", [])) + sum(len(p["expression"]) for p in parts)
    return {
        "puzzle": f"{name} {' x '.join(map(str, puzzle.shape))}",
        "formulation": result.formulation,
        "mode": mode,
        "variables": result.sizes["variables"],
        "constraints": len(parts),
        "terms": terms,
        "bytes": sent["bytes"],
        "answer": result.verdict,
        "s": round(result.timings_s["solve"], 2),
    }


def _fault(name: str, url: str) -> Row:
    puzzle = Nonogram.examples()[0]
    options = {"url": url, "patience": PATIENCE_S}
    began = time.perf_counter()
    try:
        result = solve(puzzle, "amplify", time_limit=TIME_LIMIT_S, seed=0, options=options)
        ending, words = result.verdict, ""
    except QubopuzzleError as error:
        ending, words = type(error).__name__, str(error).replace(url, "URL").replace("|", "/")
        assert TOKEN not in words
    return _row(name, ending, words, TIME_LIMIT_S + PATIENCE_S, time.perf_counter() - began)


def _row(name: str, ending: str, words: str, deadline: float, seconds: float) -> Row:
    return {
        "fault": name,
        "ends in": ending,
        "deadline s": deadline,
        "after s": round(seconds, 2),
        "words": words if len(words) <= 150 else f"{words[:150]}...",
    }


def _command(url: str, *more: str) -> subprocess.Popen[str]:
    words = [sys.executable, "-m", "qubopuzzle", "solve", str(EXAMPLE), "--solver", "amplify"]
    return subprocess.Popen(
        [*words, "--option", f"url={url}", *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _command_line(url: str) -> Row:
    """A silent service, from the start of the command to its end."""
    silent = f"{url}/fault/silent"
    began = time.perf_counter()
    run = _command(silent, "--time-limit", "2")
    _, err = run.communicate()
    words = err.strip().replace(silent, "URL")
    name = "silent, command line, --time-limit 2"
    return _row(name, f"status {run.returncode}", words, 7.0, time.perf_counter() - began)


def _interrupted(url: str) -> Row:
    """Ctrl-C while the service is silent: seconds from the signal to the end."""
    run = _command(f"{url}/tag/interrupted/fault/silent", "--time-limit", "9")
    while not any(r["method"] == "POST" for r in requests_of(url, "interrupted")):
        time.sleep(0.01)
    began = time.perf_counter()
    run.send_signal(signal.SIGINT)
    out, _ = run.communicate()
    words = out.strip().splitlines()[-1].rpartition("| ")[2]
    seconds = time.perf_counter() - began
    return _row("silent, then Ctrl-C", f"status {run.returncode}", words, 14.0, seconds)


def _plan_cases(_: Args) -> Cases:
    for n in (20, 30, 40, 50):
        for puzzle in (smooth_picture(n, n), noise_picture(n, n)):
            yield puzzle.id, _sizes, puzzle
    for name in puzzle_names():
        if name != "nonogram":
            yield f"the largest {name} of the collection", _sizes, _largest(name)


def _sizes(puzzle: Puzzle) -> Row:
    """Variables in the form that is sent, and in the smallest one."""
    default = puzzle.formulation_for(cuts=False)
    row = {
        "puzzle": puzzle.name,
        "instance": puzzle.id,
        "formulation": default,
        "constraint": _variables(puzzle, default, "one-hot"),
        "qubo, objective": _variables(puzzle, default, "one-hot", "objective"),
        "domain-wall": _variables(puzzle, default, "domain-wall"),
        "propagated": _variables(puzzle, default, "one-hot", presolve=True),
    }
    limit = PLANS["free"].variables
    fitting = [k for k, n in row.items() if isinstance(n, int) and n <= limit]
    return row | {"free plan": ", ".join(fitting) or "no"}


def _largest(name: str) -> Puzzle | None:
    path = COLLECTION / f"{name}.jsonl"
    if not path.exists():
        return None
    return max(load(path), key=lambda puzzle: puzzle.shape[0] * puzzle.shape[1])


def _variables(
    puzzle: Puzzle,
    formulation: str,
    encoding: str,
    mode: str = "constraint",
    presolve: bool = False,
) -> int | str:
    try:
        model = puzzle.model(formulation)
        model = propagate(model).model if presolve else model
        return int(compile_model(model, f"amplify-{mode}", encoding).sizes["variables"])
    except QubopuzzleError:
        return "refused"


BENCHMARKS = (
    Benchmark("amplify_modes", _mode_cases, {"amplify_modes": _table}),
    Benchmark("amplify_faults", _fault_cases, {"amplify_faults": _table}),
    Benchmark("amplify_plan", _plan_cases, {"amplify_plan": _table}),
)

if __name__ == "__main__":
    main(__doc__, BENCHMARKS)
