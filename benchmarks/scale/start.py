"""What starting costs: commands that have next to nothing to do, and kernels at their first use.

Everything runs ``--runs`` times here and as often ``--against`` another checkout, in turn, so that
whatever else the machine does falls on both. Two tables, medians. ``start``: seconds of the
processor, user and system, of whole processes, after a run that fills the caches (Python's of
modules, numba's of kernels). ``first_use``: seconds of the wall clock to compile each set of
kernels, in a process with an empty cache, and to load them in the next one. `against.py` has the
same beside all solvers and readers, but nothing is published by it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from itertools import product
from pathlib import Path
from statistics import median

from harness import ROOT, Args, Benchmark, Cases, Row, Rows, grouped, markdown, timed

COMMANDS = (
    "--help",
    "solve examples/picross-a.json",
    "solve examples/picross-a.json --solver sat",
    "solve examples/sudoku.json",
    "check examples/picross-a.json examples/picross-a.wrong.txt",
    "convert examples/picross-a.json --to puzzlink",
    "info examples/picross-a.json",
)
FIRST = {
    "annealer": "solve examples/picross-a.json --presolve none --reads 1",
    "tempering": "solve examples/picross-a.json --solver tempering --presolve none --reads 1",
    "presolve": "solve examples/picross-a.json --solver sat --presolve propagate",
}
"""By kernels, what a user does first."""
BEFORE = "e81c80d"
"""The last revision whose solvers, compilers and kernels were all imported at once."""


def cases(args: Args) -> Cases:
    yield "all commands", measure, args.runs, args.against


def first_cases(args: Args) -> Cases:
    yield "all kernels", measure_first, args.runs, args.against


def measure(runs: int, against: str) -> list[Row]:
    rows = []
    with tempfile.TemporaryDirectory(prefix="start-") as cache, checkout(against) as folder:
        sources = {"here": ROOT, "there": folder}
        for run, words, (name, source) in product(range(runs + 1), COMMANDS, sources.items()):
            taken = seconds(words, source, cache)
            if run:  # the first one fills the caches
                rows.append({"command": words, "source": name, "run": run, "cpu_s": taken})
    return rows


def measure_first(runs: int, against: str) -> list[Row]:
    rows = []
    with checkout(against) as folder:
        sources = {"here": ROOT, "there": folder}
        for run, (name, words), (at, source) in product(
            range(runs), FIRST.items(), sources.items()
        ):
            with tempfile.TemporaryDirectory(prefix="start-") as cache:
                for state in ("empty", "filled"):
                    taken, _ = timed(seconds, words, source, cache)
                    about = {"kernels": name, "source": at, "run": run, "cache": state}
                    rows.append(about | {"s": taken})
    return rows


@contextmanager
def checkout(against: str) -> Iterator[Path]:
    """A folder as it is, or what git knows by this name, in a folder of its own."""
    if Path(against).is_dir():
        yield Path(against).resolve()
        return
    command = ["git", "archive", against, "src", "examples"]
    packed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    with tempfile.TemporaryDirectory(prefix="start-") as folder:
        with tarfile.open(fileobj=BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
        yield Path(folder)


def seconds(words: str, folder: Path, cache: str) -> float:
    """Of the processor, user and system, by a process and those that it waited for."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "PYTHONPATH": str(folder / "src")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    process = subprocess.Popen(
        [sys.executable, "-m", "qubopuzzle", *words.split()],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 1), words  # 1: a wrong answer
    return used.ru_utime + used.ru_stime


def show(rows: Rows) -> str:
    lines = []
    for (words,), own in grouped(rows, "command").items():
        medians = [median(row["cpu_s"] for row in g) for g in grouped(own, "source").values()]
        ratio = medians[0] / medians[1]
        lines.append([f"`{words}`", *(f"{s:.2f}" for s in medians), f"{ratio:.2f}"])
    return markdown(["command", "s here", "s there", "ratio"], lines)


def show_first(rows: Rows) -> str:
    sources = [source for (source,) in grouped(rows, "source")]
    heads = ["kernels"]
    for state in ("empty", "filled"):
        heads += [f"{state} cache: s" + f" {source}" * (len(sources) > 1) for source in sources]
    lines = []
    for (name,), own in grouped(rows, "kernels").items():
        groups = grouped(own, "cache", "source")
        cells = [groups[state, source] for state in ("empty", "filled") for source in sources]
        lines.append([name, *(f"{median(row['s'] for row in group):.2f}" for group in cells)])
    return markdown(heads, lines)


BENCHMARKS = (
    Benchmark("start", cases, {"start": show}),
    Benchmark("first_use", first_cases, {"first_use": show_first}),
)
SETTINGS = {
    "runs": (5, "runs of each command, of both"),
    "against": (BEFORE, "another checkout, or a revision of this one"),
}
