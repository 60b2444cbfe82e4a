"""What a comparison adds to a run, and whether it keeps its memory flat.

    python benchmarks/overhead.py [--runs 300] [--many 10000]

A run of a tiny puzzle takes next to nothing, so the time between two rows is the comparison's own:
in processes that are warm already, at ``--jobs 1`` and 2, by Dask with two workers, and for
comparison with a fresh process a run. ``--many`` runs in one comparison show what grows: the
memory of the process that keeps the rows, before its rows and with them, and of the warm one.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from qubopuzzle import Nonogram
from qubopuzzle.bench.comparison import Row, run
from qubopuzzle.bench.plan import Job, make_plan
from qubopuzzle.bench.runner import execute
from qubopuzzle.executors import open_executor
from qubopuzzle.processes import WarmWorkers
from record import Args, Benchmark, Cases, main

DOT = Nonogram(rows=[[1], []], cols=[[1], []], id="dot")
FRESH = 5
"""Runs in fresh processes: they take seconds each."""


def _cases(args: Args) -> Cases:
    yield "fresh", _fresh
    for jobs in (1, 2):
        yield f"jobs {jobs}", _warm, f"warm, --jobs {jobs}", jobs, "", args.runs
    yield "dask", _warm, "warm, dask:local, 2 workers", 2, "dask:local", args.runs


def _cases_of_many(args: Args) -> Cases:
    yield "many", _many, args.many


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


def _warm(what: str, jobs: int, executor: str, runs: int) -> Row:
    """By the moments at which rows arrive, the first few, of processes that start, left out."""
    moments: list[tuple[float, float]] = []

    def note(_: Job, row: Row) -> None:
        moments.append((time.perf_counter(), row["seconds"]))

    named = open_executor(executor, jobs) if executor else nullcontext()
    with TemporaryDirectory() as folder, named as found:
        run(
            _plan(runs),
            journal=Path(folder) / "runs.jsonl",
            jobs=jobs,
            executor=found if isinstance(found, Executor) else None,
            progress=note,
        )
    warm = moments[10 * jobs :]
    between = np.diff([moment for moment, _ in warm])
    own = np.array([seconds for _, seconds in warm[1:]]) / jobs
    return {"what": what, "runs": runs, **_milliseconds(between - own)}


def _milliseconds(seconds: Any) -> Row:
    median, low, high = (1e3 * np.quantile(seconds, [0.5, 0.1, 0.9])).tolist()
    mean = 1e3 * float(np.mean(seconds))
    return {"median_ms": median, "low_ms": low, "high_ms": high, "mean_ms": mean}


def _many(runs: int) -> Row:
    """Resident memory every tenth of the runs, of this process and of the one of the runs."""
    here, there = [], []

    def note(_: Job, row: Row) -> None:
        done[0] += 1
        if done[0] % max(1, runs // 10) == 0:
            gc.collect()
            here.append(_resident_mib())
            there.append(row["peak_mib"])

    done = [0]
    started = time.perf_counter()
    with TemporaryDirectory() as folder:
        kept = run(_plan(runs), journal=Path(folder) / "runs.jsonl", progress=note)
    return {
        "what": f"{runs:,} runs",
        "runs": len(kept.rows),
        "seconds": time.perf_counter() - started,
        "here_mib": here,
        "there_mib": there,
    }


def _resident_mib() -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise OSError("no VmRSS")


def _memory(which: str) -> Callable[[Row], str]:
    return lambda row: " ".join(f"{mib:.0f}" for mib in row[which])


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
        packages=("distributed",),
    ),
    Benchmark(
        "overhead_memory",
        _cases_of_many,
        tables={
            "overhead_memory": {
                "runs": "{runs:,}",
                "seconds": "{seconds:.0f}",
                "MiB of the comparison, each tenth": _memory("here_mib"),
                "MiB of the warm process": _memory("there_mib"),
            }
        },
    ),
)
SETTINGS = {
    "runs": (300, "runs of each measurement"),
    "many": (10_000, "runs whose memory is looked at"),
}

if __name__ == "__main__":
    main(__doc__, BENCHMARKS, SETTINGS)
