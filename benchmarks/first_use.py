"""What the first use costs: seconds to compile each set of kernels, and to load them afterwards.

Each is a process of its own with an empty cache of numba's, then another with the cache that it
left; seconds of the wall clock, of imports and compilation, medians over the runs. With
``--against FOLDER``, another checkout of the project, both take turns, and the ratio is that of
their medians. One table: first_use.

Usage: python benchmarks/first_use.py [--runs N] [--against FOLDER]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from record import ROOT, Args, Benchmark, Cases, Row, Rows, grouped, main, markdown

CODE = """
import time
start = time.perf_counter()
{code}
print(time.perf_counter() - start)
"""
SOLVE = """
from qubopuzzle import Nonogram, solve
solve(Nonogram(rows=[[1]], cols=[[1]]), {solver!r}, presolve={presolve!r}, reads=1)
"""
FIRST = {
    "annealer": SOLVE.format(solver="annealer", presolve="none"),
    "tempering": SOLVE.format(solver="tempering", presolve="none"),
    "presolve": """
from qubopuzzle.model.propagation import compile_kernels, propagate
compile_kernels(propagate)
""",
}
"""By kernels, what a user does first."""


def cases(args: Args) -> Cases:
    folders = {"here": ROOT} | ({"there": Path(args.against)} if args.against else {})
    for run in range(args.runs):
        for name in FIRST:
            for source, folder in folders.items():
                about = {"kernels": name, "source": source, "run": run}
                yield f"{name}, {source}, run {run + 1}", measure, about, folder


def measure(about: Row, folder: Path) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="first-use-") as cache:
        return [
            about | {"cache": state, "s": seconds(about["kernels"], folder, cache)}
            for state in ("empty", "filled")
        ]


def seconds(name: str, folder: Path, cache: str) -> float:
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(code=FIRST[name])],
        env={**os.environ, "NUMBA_CACHE_DIR": cache, "PYTHONPATH": str(folder / "src")},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def show(rows: Rows) -> str:
    lines = []
    for (name,), own in grouped(rows, "kernels").items():
        line = [name]
        for state in ("empty", "filled"):
            taken = [row for row in own if row["cache"] == state]
            medians = [median(row["s"] for row in g) for g in grouped(taken, "source").values()]
            line += [f"{s:.2f}" for s in medians]
            line += [f"{medians[0] / medians[1]:.2f}"] if len(medians) > 1 else []
        lines.append(line)
    several = len(grouped(rows, "source")) > 1
    heads = [
        f"{state} cache: {what}"
        for state in ("empty", "filled")
        for what in (["s here", "s there", "ratio"] if several else ["s"])
    ]
    return markdown(["kernels", *heads], lines)


BENCHMARKS = (Benchmark("first_use", cases, {"first_use": show}),)

if __name__ == "__main__":
    settings = {"runs": (3, "runs of each"), "against": ("", "another checkout, in turn")}
    main(__doc__, BENCHMARKS, settings)
