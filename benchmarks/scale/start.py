"""What starting costs: commands that have next to nothing to do, and kernels at their first use.

Everything runs ``--runs`` times here and as often in a checkout of another revision, in turn, so
that whatever else the machine does falls on both. Two tables, medians. ``start``: seconds of the
processor, user and system, of whole processes, after a run that fills the caches (Python's of
modules, numba's of kernels). ``first_use``: seconds of the wall clock with an empty cache of
numba's, where kernels are compiled, and with the cache that this leaves.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from statistics import median

from against import Tree, checkout
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
    "presolve": "solve examples/heyawake.json --solver sat --presolve probe",
}
"""By kernels, what a user does first."""
BEFORE = "e81c80d"
"""The last revision whose solvers, compilers and kernels were all imported at once."""


def cases(args: Args) -> Cases:
    yield "all commands", measure, args.runs, args.against


def first_cases(args: Args) -> Cases:
    yield "all kernels", measure_first, args.runs, args.against


@contextmanager
def sources(against: str) -> Iterator[tuple[dict[str, Path], Path]]:
    """Folders by what rows call them, and one for caches."""
    with (
        tempfile.TemporaryDirectory(prefix="start-") as place,
        checkout(against, Path(place)) as own,
    ):
        yield {"here": ROOT, "there": own}, Path(place)


def measure(runs: int, against: str) -> list[Row]:
    rows = []
    with sources(against) as (folders, place):
        trees = [Tree(name, folder, place) for name, folder in folders.items()]
        for run, words, tree in product(range(runs + 1), COMMANDS, trees):
            taken = tree.start(f"-m qubopuzzle {words}")
            assert taken["answer"] in ("status 0", "status 1"), words  # 1: a wrong answer
            if run:  # the first one fills the caches
                rows.append(
                    {"command": words, "source": tree.name, "run": run, "cpu_s": taken["s"]}
                )
    return rows


def measure_first(runs: int, against: str) -> list[Row]:
    rows = []
    with sources(against) as (folders, _):
        for run, (kernels, words), name in product(range(runs), FIRST.items(), folders):
            with tempfile.TemporaryDirectory(prefix="start-") as cache:
                tree = Tree(name, folders[name], Path(cache))
                for state in ("empty", "filled"):
                    taken, _ = timed(tree.start, f"-m qubopuzzle {words}")
                    about = {"kernels": kernels, "source": name, "run": run, "cache": state}
                    rows.append(about | {"s": taken})
    return rows


def show(rows: Rows) -> str:
    lines = []
    for (words,), own in grouped(rows, "command").items():
        medians = [median(row["cpu_s"] for row in g) for g in grouped(own, "source").values()]
        ratio = medians[0] / medians[1]
        lines.append([f"`{words}`", *(f"{s:.2f}" for s in medians), f"{ratio:.2f}"])
    return markdown(["command", "s here", "s there", "ratio"], lines)


def show_first(rows: Rows) -> str:
    several = len(grouped(rows, "source")) > 1
    groups = grouped(rows, "cache", "source")
    heads = [f"{cache} cache: s{f' {name}' * several}" for cache, name in groups]
    lines = []
    for (kernels,), own in grouped(rows, "kernels").items():
        found = grouped(own, "cache", "source")
        lines.append(
            [kernels, *(f"{median(row['s'] for row in found[key]):.2f}" for key in groups)]
        )
    return markdown(["kernels", *heads], lines)


BENCHMARKS = (
    Benchmark("start", cases, {"start": show}),
    Benchmark("first_use", first_cases, {"first_use": show_first}),
)
SETTINGS = {"runs": (5, "runs of each, of both"), "against": (BEFORE, "a revision")}
