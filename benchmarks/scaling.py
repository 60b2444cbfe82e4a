"""A million instances over a thousand workers: simulated, from overheads that are measured here.

    python benchmarks/scaling.py [--runs 2000]

Measured: what the process of a comparison spends on a run (its plan and key, submitting it,
writing its row to the disk), by an executor that answers at once; what a run costs its worker
beside its own time; the processor time of Dask's client and scheduler for a task; bytes of a row
in memory and on the disk. Durations of runs are those of the published comparison with others
(``peers``), drawn with a fixed seed.

Simulated: comparison and scheduler each do one thing at a time; a worker takes the next task that
waits at the scheduler, of which the comparison keeps as many there as ``executors.calls`` does.
"""

from __future__ import annotations

import heapq
import io
import time
import tracemalloc
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import matplotlib as mpl
import numpy as np
import psutil
from matplotlib.figure import Figure

from cluster import cluster
from qubopuzzle import Nonogram
from qubopuzzle.bench.comparison import Row, run
from qubopuzzle.bench.plan import make_plan
from qubopuzzle.bench.runner import execute
from qubopuzzle.executors import AHEAD, calls, open_executor
from qubopuzzle.processes import WarmWorkers
from record import Args, Benchmark, Cases, Rows, main, published

WORKERS = (1, 10, 100, 1000)
RUNS = (1_000, 10_000, 100_000, 1_000_000)
SETTINGS_OF_RUNS = ({"solver": "annealer", "reads": 1},)


class Instant(Executor):
    """Answers at once with the row of a run that was made before."""

    def __init__(self, row: Row) -> None:
        self.row = row

    def submit(self, _: Any, job: Any) -> Future[Row]:  # type: ignore[override]
        """What runs nothing."""
        future: Future[Row] = Future()
        # A row from elsewhere is an object of its own.
        future.set_result({**self.row, **job.columns(), "sizes": dict(self.row["sizes"])})
        return future


def _cases(args: Args) -> Cases:
    yield "all", _rows, args.runs


def _rows(runs: int) -> list[Row]:
    costs = {**_comparison_s(runs), **_worker_s(runs // 10), **_dask_s(runs)}
    durations = _durations()
    simulated = [
        {
            "workers": workers,
            "runs": count,
            **simulate(count, workers, durations, costs),
            "memory_gib": count * costs["row_bytes"] / 2**30,
            "disk_gib": count * costs["disk_bytes"] / 2**30,
        }
        for workers in WORKERS
        for count in RUNS
    ]
    return [{"measured": True, "mean_s": float(durations.mean()), **costs}, *simulated]


def _boards(count: int) -> Iterator[Nonogram]:
    """Small ones that differ."""
    for number in range(count):
        bits = np.array([[number >> (4 * i + j) & 1 for j in range(4)] for i in range(4)])
        yield Nonogram.from_picture(bits, id=f"board-{number}")


def _comparison_s(runs: int) -> Row:
    """Of each run in the process of the comparison; and the bytes of its row."""
    (job, *_) = make_plan(next(_boards(1)), configurations=SETTINGS_OF_RUNS, repeat=1).jobs()
    workers = WarmWorkers()
    row = execute(job, workers)
    workers.close()
    boards = list(_boards(runs))
    with TemporaryDirectory() as folder:
        journal = Path(folder) / "runs.jsonl"
        started = time.perf_counter()
        plan = make_plan(boards, configurations=SETTINGS_OF_RUNS, repeat=1)
        planned = time.perf_counter()
        tracemalloc.start()
        run(plan, executor=Instant(row))
        held = tracemalloc.get_traced_memory()[0]
        kept = run(plan, executor=Instant(row))
        row_bytes = tracemalloc.get_traced_memory()[0] - held
        tracemalloc.stop()
        before = time.perf_counter()
        run(plan, journal=journal, executor=Instant(row))
        seconds = time.perf_counter() - before
        disk = journal.stat().st_size
    assert kept.complete
    return {
        "plan_s": (planned - started) / runs,
        "run_s": seconds / runs,
        "row_bytes": row_bytes / runs,
        "disk_bytes": disk / runs,
    }


def _worker_s(runs: int) -> Row:
    """Of each run in its worker, beside its own seconds."""
    jobs = list(make_plan(list(_boards(runs)), configurations=SETTINGS_OF_RUNS, repeat=1).jobs())
    workers = WarmWorkers()
    execute(jobs[0], workers)
    started = time.perf_counter()
    own = sum(execute(job, workers)["seconds"] for job in jobs)
    seconds = time.perf_counter() - started
    workers.close()
    return {"worker_s": (seconds - own) / runs}


def _dask_s(runs: int) -> Row:
    """Processor time of a task that does nothing: of Dask's scheduler, and of its client here."""
    with (
        TemporaryDirectory() as folder,
        cluster(Path(folder)) as (address, scheduler, _),
        open_executor(f"dask:{address}") as executor,
    ):
        list(calls(executor, abs, range(200)))
        process = psutil.Process(scheduler.pid)

        def spent() -> Any:
            own = process.cpu_times()
            return np.array([own.user + own.system, time.process_time()])

        before = spent()
        list(calls(executor, abs, range(runs)))
        scheduler_s, client_s = ((spent() - before) / runs).tolist()
    return {"scheduler_s": scheduler_s, "client_s": client_s}


def _durations() -> Any:
    _, rows = published("peers")
    return np.array([row["seconds"] for row in rows if row["seconds"] is not None])


def simulate(count: int, workers: int, durations: Any, costs: Row) -> Row:
    """Seconds until the last row is written, and how busy each part is."""
    rng = np.random.default_rng(0)
    takes = cycle((rng.choice(durations, 10_000) + costs["worker_s"]).tolist())
    run_s, task_s = costs["run_s"] + costs["client_s"], costs["scheduler_s"]
    comparison = costs["plan_s"] * count  # when it is free; the plan comes first
    scheduler, submitted = comparison, 0
    waiting: deque[float] = deque()  # when each task that waits is at the scheduler
    running: list[float] = []  # when each run ends
    idle: list[float] = [comparison] * workers  # since when each worker waits
    busy, done, written = 0.0, 0, 0
    while submitted < min(count, AHEAD):
        submitted += 1
        comparison += run_s / 2
        waiting.append(comparison)
    while written < count:
        while waiting and idle:
            scheduler = max(scheduler, waiting.popleft(), heapq.heappop(idle)) + task_s / 2
            took = next(takes)
            busy += took
            heapq.heappush(running, scheduler + took)
        ended = heapq.heappop(running)
        done += 1
        scheduler = max(scheduler, ended) + task_s / 2
        heapq.heappush(idle, scheduler)
        comparison = max(comparison, scheduler) + run_s / 2
        written += 1
        if submitted < count:
            submitted += 1
            comparison += run_s / 2
            waiting.append(comparison)
    return {
        "seconds": comparison,
        "efficiency": busy / (workers * comparison),
        "comparison_busy": count * (run_s + costs["plan_s"]) / comparison,
        "scheduler_busy": count * task_s / comparison,
    }


def _figure(rows: Rows) -> bytes:
    simulated = [row for row in rows if "workers" in row]
    with mpl.rc_context({"svg.hashsalt": "qubopuzzle", "font.size": 9}):
        figure = Figure(figsize=(6.0, 3.6), layout="constrained")
        ax = figure.subplots()
        for workers, marker in zip(WORKERS, "osD^", strict=True):
            own = [row for row in simulated if row["workers"] == workers]
            hours = [row["seconds"] / 3600 for row in own]
            label = f"{workers:,} worker{'' if workers == 1 else 's'}"
            ax.plot([row["runs"] for row in own], hours, marker=marker, label=label)
        ax.set(xscale="log", yscale="log", xlabel="runs", ylabel="hours (simulated)")
        ax.grid(True, color="0.9")
        ax.legend(frameon=False)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()


def _measured(rows: Rows) -> str:
    row = next(row for row in rows if "measured" in row)
    return (
        f"Measured, of a run: {1e3 * row['plan_s']:.2f} ms for plan and key, "
        f"{1e3 * row['run_s']:.2f} ms to submit it and to write its row to the disk, "
        f"{1e3 * row['client_s']:.2f} ms of Dask's client, "
        f"{1e3 * row['scheduler_s']:.2f} ms of its scheduler, "
        f"{1e3 * row['worker_s']:.1f} ms of its worker beside the run's own "
        f"{row['mean_s']:.2f} s on average; a row is {row['row_bytes'] / 1024:.1f} "
        f"KiB in memory and {row['disk_bytes'] / 1024:.1f} KiB on the disk."
    )


def _simulated(rows: Rows) -> str:
    from record import table

    columns = {
        "workers": "{workers:,}",
        "runs": "{runs:,}",
        "hours": lambda row: f"{row['seconds'] / 3600:.3g}",
        "workers busy": "{efficiency:.1%}",
        "comparison busy": "{comparison_busy:.1%}",
        "scheduler busy": "{scheduler_busy:.1%}",
        "rows in memory, GiB": "{memory_gib:.2f}",
        "journal, GiB": "{disk_gib:.2f}",
    }
    return table(columns, [row for row in rows if "workers" in row])


BENCHMARKS = (
    Benchmark(
        "scaling",
        _cases,
        tables={"scaling_measured": _measured, "scaling": _simulated},
        images={"scaling": _figure},
        packages=("distributed",),
    ),
)
SETTINGS = {"runs": (2000, "runs whose overheads are measured")}

if __name__ == "__main__":
    main(__doc__, BENCHMARKS, SETTINGS)
