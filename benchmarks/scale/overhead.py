"""What a comparison adds to a run.

A run of a tiny puzzle takes next to nothing, so the time between two rows is the comparison's own:
in processes that are warm already, at ``--jobs 1`` and 2, and in a fresh one each.
"""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from harness import Args, Benchmark, Cases
from qubopuzzle import Nonogram
from qubopuzzle.bench.comparison import Row, run
from qubopuzzle.bench.plan import Job, make_plan
from qubopuzzle.bench.runner import execute
from qubopuzzle.processes import WarmWorkers

DOT = Nonogram(rows=[[1], []], cols=[[1], []], id="dot")
FRESH = 5
"""Runs in fresh processes: they take seconds each."""


def _cases(args: Args) -> Cases:
    yield "fresh", _fresh
    for jobs in (1, 2):
        yield f"jobs {jobs}", _warm, f"warm, --jobs {jobs}", jobs, args.runs


def _plan(runs: int) -> Any:
    settings = {"reads": 1, "solver": "annealer"}
    return make_plan(DOT, configurations=[settings], repeat=runs, time_limit=10)


def _fresh() -> Row:
    seconds = []
    for job in _plan(FRESH).jobs():
        workers, started = WarmWorkers(), time.perf_counter()
        row = execute(job, workers)
        workers.close()
        seconds.append(time.perf_counter() - started - row["seconds"])
    return {"what": "a fresh process each", "runs": FRESH, **_milliseconds(seconds)}


def _warm(what: str, jobs: int, runs: int) -> Row:
    """By the moments at which rows arrive, the first few, of processes that start, left out."""
    moments: list[tuple[float, float]] = []

    def note(_: Job, row: Row) -> None:
        moments.append((time.perf_counter(), row["seconds"]))

    with TemporaryDirectory() as folder:
        run(_plan(runs), journal=Path(folder) / "runs.jsonl", jobs=jobs, progress=note)
    warm = moments[10 * jobs :]
    between = np.diff([moment for moment, _ in warm])
    own = np.array([seconds for _, seconds in warm[1:]]) / jobs
    return {"what": what, "runs": runs, **_milliseconds(between - own)}


def _milliseconds(seconds: Any) -> Row:
    median, low, high = (1e3 * np.quantile(seconds, [0.5, 0.1, 0.9])).tolist()
    mean = 1e3 * float(np.mean(seconds))
    return {"median_ms": median, "low_ms": low, "high_ms": high, "mean_ms": mean}


BENCHMARKS = (
    Benchmark(
        "overhead",
        _cases,
        tables={
            "overhead": {
                "runs in": "{what}",
                "runs": "{runs:,}",
                "median ms a run": "{median_ms:.1f}",
                "10 to 90 percent": "{low_ms:.1f} to {high_ms:.1f}",
                "mean": "{mean_ms:.1f}",
            }
        },
    ),
)
SETTINGS = {
    "runs": (300, "runs of each measurement"),
}
