"""A thousand runs by several executors, and what is left when parts of a cluster are killed.

    python benchmarks/cluster.py [--repeat 84]

The cluster is Dask's, on this machine: a scheduler and two workers, processes of their own. Rows
are compared but for times. First a worker is killed in the middle; then the scheduler, after
which the comparison is resumed with ``--jobs 2``.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import loky

from qubopuzzle import Nonogram, load
from qubopuzzle.bench.comparison import Comparison, Row, compare
from qubopuzzle.executors import open_executor
from record import ROOT, Args, Benchmark, Cases, main

TIMES = {"seconds", "build_s", "solve_s", "wall_s", "timings_s", "started", "machine", "peak_mib"}
CONFIGURATIONS = (
    {"solver": "annealer", "reads": 3},
    {"solver": "random", "reads": 20},
    {"solver": "steepest-descent", "reads": 5},
    {"solver": "sat"},
)
PUZZLES = (
    Nonogram(rows=[[1], []], cols=[[1], []], id="dot"),
    Nonogram(rows=[[2], []], cols=[[1], [1]], id="bar"),
    *load(ROOT / "examples" / "picross-a.json"),
)


def _cases(args: Args) -> Cases:
    yield "all", _drill, args.repeat


def _drill(repeat: int) -> list[Row]:
    with TemporaryDirectory() as folder:
        return list(_rows(Path(folder), repeat))


def _rows(folder: Path, repeat: int) -> Iterator[Row]:
    expected, row = _compared("`--jobs 2`", repeat)
    yield row

    def same(what: str, **more: Any) -> Row:
        found, row = _compared(what, repeat, **more)
        return row | {"same": _plain(found) == _plain(expected)}

    spawned = ProcessPoolExecutor(2, mp_context=get_context("spawn"))
    in_processes = {
        "ProcessPoolExecutor(2)": spawned,
        "loky.ProcessPoolExecutor(2)": loky.ProcessPoolExecutor(2),
    }
    for what, executor in in_processes.items():
        with executor:
            yield same(what, executor=executor)
    with cluster(folder) as (address, scheduler, workers), open_executor(f"dask:{address}") as dask:
        yield same("Dask, two workers", executor=dask)
        killer = _at(len(expected.rows) // 4, lambda: _end(workers[0]))
        yield same("Dask, one of two workers killed amid", executor=dask, progress=killer)
        journal = folder / "runs.jsonl"
        killer = _at(len(expected.rows) // 4, lambda: _end(scheduler))
        killed = {"executor": dask, "journal": journal, "progress": killer}
        broken, row = _compared("Dask, scheduler killed amid", repeat, **killed)
        yield row | {"same": broken.stopped}
    before = _keys(journal)
    resumed = same("the same resumed, `--jobs 2`", journal=journal, resume=True)
    after = _keys(journal)
    assert after[: len(before)] == before, "a finished row is lost"
    assert len(set(after)) == len(after) == len(expected.rows), "a run is there twice"
    yield resumed


def _compared(what: str, repeat: int, **more: Any) -> tuple[Comparison, Row]:
    started = time.perf_counter()
    found = compare(
        PUZZLES,
        configurations=CONFIGURATIONS,
        repeat=repeat,
        repeat_exact=repeat,
        time_limit=20,
        jobs=2,
        **more,
    )
    row = {
        "what": what,
        "rows": len(found.rows),
        "resumed": found.resumed,
        "seconds": time.perf_counter() - started,
        "lost": len(found.lost),
        "same": "",
    }
    return found, row


def _plain(comparison: Comparison) -> list[Row]:
    return [{k: v for k, v in row.items() if k not in TIMES} for row in comparison.rows]


def _keys(journal: Path) -> list[str]:
    lines = map(json.loads, journal.read_text().splitlines())
    return [line["key"] for line in lines if "key" in line]


def _at(number: int, act: Callable[[], None]) -> Callable[..., None]:
    """A callback that acts once so many runs are done."""
    done = iter(range(1, 10**9))

    def called(*_: Any) -> None:
        if next(done) == number:
            act()

    return called


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, Any, list[Any]]]:
    """The address of a scheduler, its process, and those of two workers."""
    file = folder / "scheduler.json"
    scheduler = _start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", file)
    processes = [scheduler]
    try:
        while not file.exists() or not file.read_text():
            time.sleep(0.05)
        address = json.loads(file.read_text())["address"]
        processes += [_start("worker", address, "--nthreads", "1") for _ in range(2)]
        yield address, scheduler, processes[1:]
    finally:
        for process in processes:
            _end(process)


def _start(what: str, *words: Any) -> Any:
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.dask_{what}", "--no-dashboard", *map(str, words)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _end(process: Any) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


BENCHMARKS = (
    Benchmark(
        "cluster",
        _cases,
        tables={
            "cluster": {
                "where": "{what}",
                "rows": "{rows:,}",
                "of them resumed": "{resumed:,}",
                "seconds": "{seconds:.1f}",
                "lost": "{lost}",
                "same rows but for times": lambda row: {True: "yes", False: "NO"}.get(
                    row["same"], str(row["same"]) or "-"
                ),
            }
        },
        packages=("distributed", "loky"),
    ),
)
SETTINGS = {"repeat": (84, "seeds: 12 runs each, so that there are 1,008")}

if __name__ == "__main__":
    main(__doc__, BENCHMARKS, SETTINGS)
