"""Does the annealer find the largest known independent sets, and how soon? QOBLIB's class 07.

FOLDER has ``NAME.gph`` of ``07-independentset/instances`` of github.com/ZIB-AOPT/QOBLIB, of which
nothing is shipped; ``qubopuzzle fetch qoblib`` brings them, too. All graphs have at most 5,000
vertices. The annealer runs with its defaults on one thread, each seed for a 60th of the seconds,
then again for a sixth and for all of them, until it is at the best known size; and one seed for ten
times as long where some seed missed it. CP-SAT and Local-MIP have the same seconds on ``SAMPLE``.
Settings were chosen on ``CHOSEN_ON``, which the summary counts apart. Each set is checked against
the edges. ``--resume`` takes what a run of the same commit left. Tables: independent,
independent_by_instance.
"""

from __future__ import annotations

import time
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from data.instances import warm_up
from harness import Args, Benchmark, Cases, Row, Rows, grouped, markdown, median_s, resumed
from qubopuzzle import all_solvers, load_model, solve
from qubopuzzle.files.models.graphs import read_graph
from qubopuzzle.files.sets import sets

ANNEALER, OTHERS = "annealer", {"cpsat": {"workers": 1}, "localmip": {}}
SAMPLE = ("brock800-1", "C500-9", "frb53-24-1", "hamming10-4", "keller6", "p_hat1500-3")
SAMPLE += ("R_1000_005_1", "socfb-trinity100", "sorrell4", "sorrell7")
CHOSEN_ON = ("brock200-2", "brock400-1", "C500-9", "frb45-21-3", "frb53-24-1")
CHOSEN_ON += ("R_500_005_1", "R_1000_005_1", "socfb-trinity100", "sorrell7")
"""Moves, lengths of reads and what restarts begin with were compared on these alone."""
PARTS, LONGER = (60, 6, 1), 10
"""Of the seconds that a run has, one after the other, and how many times as many one seed has."""
ABS2 = {
    "R_1000_005_1": 115,
    "R_500_005_1": 90,
    "frb100-40": 93,
    "frb45-21-3": 43,
    "frb50-23-3": 49,
    "frb53-24-1": 51,
    "frb59-26-2": 56,
    "sorrell7": 189,
}
"""What ABS2 found in two hours on four A40s, where it is less than the best known.

QOBLIB, 07-independentset/submissions/20250715_Abs2_Schicker.
"""

PARALLEL_ILS = {"frb53-24-1": 53, "frb100-40": 96}
"""What parallel local search found in ten trials on 18 cores, where it is more than the best known.

It met that everywhere else: QOBLIB, pull request 33, August 2026; the best known are of January.
"""


def _cases(args: Args) -> Cases:
    warm_up(ANNEALER)
    yield from (
        (f"solver {name}", None) for name in OTHERS if not all_solvers()[name].available().ok
    )
    for name, entry in sets()["qoblib"].entries.items():
        if name.startswith("07/") and entry.best is not None:
            path = args.FOLDER / f"{name.removeprefix('07/')}.gph"
            yield path.stem, *((_rows, path, entry.best, args) if path.exists() else (None,))


def _rows(path: Path, best: float, args: Args) -> list[Row]:
    """A row a run."""

    def independent(*run: Any) -> Row:
        return _run(path, *run[1:])

    def until_best(seed: int) -> Row:
        row: Row = {}
        for part in PARTS:
            row = resumed(independent, path.stem, ANNEALER, seed, args.seconds / part)
            if row["size"] >= best:
                break
        return row | {"limit_s": args.seconds}

    rows = [until_best(seed) for seed in range(args.seeds)]
    if any(row["size"] < best for row in rows):
        rows.append(resumed(independent, path.stem, ANNEALER, 0, LONGER * args.seconds))
    if path.stem in SAMPLE:
        rows += [resumed(independent, path.stem, name, 0, args.seconds) for name in OTHERS]
    return [{"id": path.stem, "best": best, **row} for row in rows]


def _run(path: Path, solver: str, seed: int, limit: float) -> Row:
    """The size of the set, 0 without one, and the seconds from the file until it was there."""
    program, graph = load_model(path), read_graph(path.read_bytes())
    started = time.perf_counter()
    options = OTHERS.get(solver, {"threads": 1})
    result = solve(program, solver, seed=seed, time_limit=limit, options=options)
    wall = time.perf_counter() - started
    taken = np.ravel(result.grid).astype(bool) if result.valid else np.zeros(graph.n, dtype=bool)
    assert not taken[graph.edges].all(axis=1).any(), f"{path.stem}: not independent"
    found = [each.seconds for each in result.incumbents if (each.value or 0) >= taken.sum()]
    about = {"vertices": graph.n, "edges": len(graph.edges), "solver": solver, "seed": seed}
    size = {
        "size": int(taken.sum()),
        "seconds": min(found, default=wall),
        "proved": result.status == "optimal",
    }
    return about | {"limit_s": limit} | size


# --- tables ----------------------------------------------------------------------------


def _summary(rows: Rows) -> str:
    """How many of the graphs, by what found the best known."""
    lines = []
    for label, chosen in (("settings chosen on", True), ("others", False)):
        own = [row for row in rows if (row["id"] in CHOSEN_ON) == chosen]
        every = [row for row in own if row["solver"] == ANNEALER]
        limit = min(row["limit_s"] for row in every) if every else 0.0
        short = grouped([row for row in every if row["limit_s"] == limit], "id")
        n, n_runs = len(short), sum(map(len, short.values()))
        met = {key: [row["size"] >= row["best"] for row in runs] for key, runs in short.items()}
        any_met = {row["id"] for row in every if row["size"] >= row["best"]}
        abs2 = sum(ABS2.get(key, inf) >= runs[0]["best"] for (key,), runs in short.items())
        counts = [f"{sum(map(sum, met.values()))} of {n_runs}", f"{sum(map(any, met.values()))}"]
        lines.append([label, str(n), *counts, str(len(any_met)), str(abs2)])
    heads = ["graphs", "number", "runs at the best known", "in some run", "or in ten times as long"]
    return markdown([*heads, "ABS2, published"], lines)


def _by_instance(rows: Rows) -> str:
    lines = []
    for (name, best), own in grouped(rows, "id", "best").items():
        limit = min(row["limit_s"] for row in own)
        runs = [r for r in own if r["solver"] == ANNEALER and r["limit_s"] == limit]
        longer = [r for r in own if r["limit_s"] > limit]
        met = [r["seconds"] if r["size"] >= best else None for r in runs]
        middle = median_s(met)
        others = {r["solver"]: str(r["size"]) for r in own if r["solver"] != ANNEALER}
        lines.append(
            [
                name,
                f"{own[0]['vertices']:,}",
                f"{own[0]['edges']:,}",
                f"{best:g}",
                "/".join(str(r["size"]) for r in runs),
                "-" if middle == inf else f"{middle:.2f}",
                str(longer[0]["size"]) if longer else "",
                *(others.get(solver, "") for solver in OTHERS),
                str(ABS2.get(name, f"{best:g}")),
                str(PARALLEL_ILS.get(name, f"{best:g}")),
            ]
        )
    heads = ["graph", "vertices", "edges", "best known", "annealer", "median s"]
    return markdown([*heads, "ten times as long", *OTHERS, "ABS2", "ParallelILS"], lines)


BENCHMARKS = (
    Benchmark(
        "independent",
        _cases,
        {"independent": _summary, "independent_by_instance": _by_instance},
        packages=("numba", "ortools", "localmip"),
    ),
)
SETTINGS = {
    "FOLDER": (Path("07-independentset"), "with the graphs"),
    "seeds": (3, "of the annealer"),
    "seconds": (60.0, "a run"),
}
