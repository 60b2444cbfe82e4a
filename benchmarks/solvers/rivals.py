"""Weights that learn against rules and loops that set weights, in the same seconds.

FOLDER may have instances of others: ``jeu_*.txt``, quadratic knapsacks of Billionnet and Soutif,
and ``mknapcb*.txt``, multi-dimensional ones of Chu and Beasley (OR-Library), of each file
``--count``; as many are drawn by the rules of both papers. Each run goes on for 10 s from the
compiled model on, one thread, and what it has at 1 s is read off its course. The best known value
is the best of all runs and of what the file says; two tables, rivals and rivals_by_instance.
Exact solvers run once. Then the programs of ``planted.py``, 20 kinds, ``--cqms`` of each, as in the
benchmark ``cqms``: which are feasible after a second; one table, rivals_cqms. And ``SETS``, which
``qubopuzzle fetch --folder FOLDER`` puts there: how far from the best known; one, rivals_sets.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from functools import partial
from math import inf
from operator import itemgetter
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from data.planted import PLANTED, planted
from harness import Args, Benchmark, Cases, Row, Rows, grouped, table
from qubopuzzle import Program, load, load_model, solve
from qubopuzzle.errors import QubopuzzleError
from qubopuzzle.files.models.orlib import knapsack, knapsacks, quadratic_knapsack
from qubopuzzle.files.sets import named

LIMITS = (1.0, 10.0)
METHODS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "annealer": ("annealer", {"threads": 1}),
    "self-adaptive": ("self-adaptive", {}),
    "self-adaptive, tempering": ("self-adaptive", {"sampler": "tempering"}),
    "augmented Lagrangian": ("augmented-lagrangian", {}),
    "augmented Lagrangian, tempering": ("augmented-lagrangian", {"sampler": "tempering"}),
    "broken families times 2": ("outer-loop", {"loop": "families"}),
    "bisection": ("outer-loop", {"loop": "bisection"}),
    "static: VLM": ("static-weights", {"rule": "vlm"}),
    "static: VLM, tempering": ("static-weights", {"rule": "vlm", "sampler": "tempering"}),
    "static: MOMC": ("static-weights", {"rule": "momc"}),
    "static: cqm_to_bqm": ("static-weights", {"rule": "dimod"}),
    "static: sum": ("static-weights", {"rule": "sum"}),
    "CP-SAT": ("cpsat", {"workers": 1}),
    "HiGHS": ("mip", {}),
}
SETS = ("qoblib:05/Middle_002_Tiny", "qoblib:06/bqp_a010_t10_orig_b004_l0.0001", "qoblib:07/C500-9")
SETS += ("qoblib:07/brock200-2", "orlib:gap1#1", "orlib:gap10#1", "qaplib:chr12a", "qaplib:nug12")
SETS += ("dimacs:huck", "dimacs:david")
"""One or two of each set that has rows, small enough for all methods."""
EXACT = ("CP-SAT", "HiGHS")
PLANTED_LIMIT = 1.0
RESAMPLES = 2_000


def drawn_quadratic(seed: int, density: float, n: int = 300) -> Program:
    """As A. Billionnet and E. Soutif draw them (European Journal of Operational Research, 2004)."""
    rng = np.random.default_rng([2501, seed])
    profit = np.triu(rng.integers(1, 101, (n, n)) * (rng.random((n, n)) < density))
    weight = rng.integers(1, 51, n)
    return quadratic_knapsack(profit, weight, rng.integers(50, weight.sum() + 1, 1))


def drawn_several(seed: int, rows: int, tightness: float, n: int = 250) -> Program:
    """As P. C. Chu and J. E. Beasley draw them (Journal of Heuristics 4, 1998)."""
    rng = np.random.default_rng([4971, seed])
    weight = rng.integers(0, 1001, (rows, n))
    profit = (weight.sum(axis=0) / rows + 500 * rng.random(n)).astype(np.int64)
    return knapsack(profit, weight, (tightness * weight.sum(axis=1)).astype(np.int64))


def _read_quadratic(path: Path) -> Program:
    return load_model(path, "qkp")


def _read_several(path: Path) -> list[tuple[float, Program]]:
    """With the values that the file says."""
    return [*knapsacks(path.read_bytes())]


def _nth(path: Path, number: int) -> Program:
    return _read_several(path)[number][1]


def _instances(args: Args) -> Iterator[tuple[str, str, float, Any]]:
    """Set, name, best value that a file says or 0, and what makes the program."""
    for path in sorted(args.FOLDER.glob("jeu_*.txt")):
        yield "quadratic", path.stem, 0.0, partial(_read_quadratic, path)
    for path in sorted(args.FOLDER.glob("mknapcb*.txt")):
        every = _read_several(path)
        for number in np.linspace(0, len(every) - 1, args.count).astype(int).tolist():
            make = partial(_nth, path, number)
            yield "several rows", f"{path.stem}-{number}", every[number][0], make
    for seed in range(args.count):
        density, tightness = (0.25, 0.5)[seed % 2], (0.25, 0.5, 0.75)[seed % 3]
        name = f"quadratic-{density:.0%}-{seed}"
        yield "quadratic, drawn", name, 0.0, partial(drawn_quadratic, seed, density)
        rows = (10, 30)[seed % 2]
        name = f"several-{rows}-{seed}"
        yield "several rows, drawn", name, 0.0, partial(drawn_several, seed, rows, tightness)


def _cases(args: Args) -> Cases:
    _warm_up()
    for kind, name, best, make in _instances(args):
        for method in METHODS:
            for seed in range(1 if method in EXACT else args.seeds):
                yield f"{name}, {method}, {seed}", _run, kind, name, best, make, method, seed


def _planted_cases(args: Args) -> Cases:
    _warm_up()
    for kind in PLANTED:
        for number in range(args.cqms):
            for method in METHODS:
                yield f"{kind} {number}, {method}", _run_planted, kind, number, method


def _set_cases(args: Args) -> Cases:
    _warm_up()
    os.environ["QUBOPUZZLE_INSTANCES"] = str(args.FOLDER.absolute())
    for name in SETS:
        entry = named(name)
        if entry is None or not (args.FOLDER / entry.file).is_file():
            yield name, None
            continue
        for method in METHODS:
            for seed in range(1 if method in EXACT else args.seeds):
                make = partial(_named, name)
                best = entry.best or 0.0
                yield f"{name}, {method}, {seed}", _run_set, name, best, make, method, seed


def _named(name: str) -> Any:
    """The program of ``SET:NAME``."""
    (program,) = load(name)
    return program


def _run_set(name: str, best: float, make: Any, method: str, seed: int) -> Row:
    """As ``_run``, or why a solver refuses."""
    try:
        return _run(name.partition("/")[0], name, best, make, method, seed)
    except QubopuzzleError as error:  # such as of a QUBO that is too large
        row = {"set": name.partition("/")[0], "instance": name, "published": best, "method": method}
        return row | {"seed": seed, "course": [], "value": None, "error": str(error)}


def _warm_up() -> None:
    program = drawn_several(1, 3, 0.5, n=12)
    for method, (solver, options) in METHODS.items():
        if method == "HiGHS":  # its threads do not outlive the fork of a process
            continue
        solve(program, solver, options=dict(options), seed=0, time_limit=0.2)


def _run_planted(kind: str, number: int, method: str) -> Row:
    """How soon a program without an objective is feasible, from the compiled model on."""
    solver, options = METHODS[method]
    row: Row = {"kind": kind, "instance": f"{kind} {number}", "method": method, "seed": 0}
    program = planted(kind, number)
    how: Any = {"options": dict(options), "seed": 0, "time_limit": PLANTED_LIMIT}
    try:
        result = solve(program, solver, **how)
    except QubopuzzleError as error:  # such as of a QUBO that is too large
        return row | {"feasible": False, "s": None, "error": str(error)}
    seconds = result.timings_s["solve"] + result.timings_s["decode"]
    return row | {"feasible": result.valid, "s": seconds, "error": None}


def _run(kind: str, name: str, best: float, make: Any, method: str, seed: int) -> Row:
    solver, options = METHODS[method]
    program = make()
    started = time.perf_counter()
    result = solve(program, solver, options=dict(options), seed=seed, time_limit=LIMITS[-1])
    seconds = time.perf_counter() - started
    course = [[each.seconds, each.value] for each in result.incumbents if each.feasible]
    built = sum(result.timings_s[name] for name in ("model", "presolve", "compile"))
    return {
        "set": kind,
        "instance": name,
        "published": best,
        "method": method,
        "seed": seed,
        "course": [[max(0.0, s - built), value] for s, value in course],
        "value": (result.objective or 0.0) if result.valid else None,  # without an objective 0
        "status": result.status,
        "seconds": seconds,
    }


def _best(rows: Rows) -> dict[str, float]:
    """The best known value of each instance."""
    best: dict[str, float] = {}
    for row in rows:
        known = max(row["published"], row["value"] or 0.0)
        best[row["instance"]] = max(known, best.get(row["instance"], 0.0))
    return best


def _gap(row: Row, limit: float, best: Mapping[str, float]) -> float:
    """In percent; 100 without an answer."""
    values = [value for s, value in row["course"] if s <= limit + 0.5 * (limit == LIMITS[-1])]
    return 100 * (1 - max(values, default=0.0) / best[row["instance"]])


def _time(row: Row, best: Mapping[str, float]) -> float:
    """Seconds to within 1 percent; infinite if it was not reached."""
    near = [s for s, value in row["course"] if value >= 0.99 * best[row["instance"]]]
    return min(near, default=inf)


def _table(rows: Rows) -> str:
    best, shown = _best(rows), []
    for of_kind in grouped(rows, "set").values():
        for runs in grouped(of_kind, "method").values():
            gaps = {limit: [_gap(row, limit, best) for row in runs] for limit in LIMITS}
            times = [_time(row, best) for row in runs]
            shown.append(
                {
                    "set": runs[0]["set"],
                    "method": runs[0]["method"],
                    "runs": len(runs),
                    "feasible": " / ".join(str(sum(g < 100 for g in gaps[at])) for at in LIMITS),
                    "gap_1": _median(gaps[LIMITS[0]]),
                    "gap_10": _median(gaps[LIMITS[1]]),
                    "near": sum(t <= LIMITS[1] + 0.5 for t in times),
                    "time": _median(times),
                }
            )
    return table(COLUMNS, shown)


def _median(values: list[float]) -> str:
    """With an interval that holds 95 percent of medians of samples drawn anew."""
    rng = np.random.default_rng(0)
    drawn = rng.choice(np.array(values), (RESAMPLES, len(values)))
    low, high = np.sort(np.median(np.nan_to_num(drawn, posinf=1e9), axis=1))[[50, -51]]
    ends = [median(values), low, high]
    if min(ends) >= 1e8:
        return "never"
    middle, low_, high_ = ("never" if end >= 1e8 else f"{end:.3g}" for end in ends)
    return f"{middle} ({low_} to {high_})"


def _by_instance(rows: Rows) -> str:
    best, shown = _best(rows), []
    for runs in grouped(rows, "instance").values():
        name = runs[0]["instance"]
        chosen = {
            method: f"{median(_gap(row, LIMITS[1], best) for row in several):.2f}"
            for (method,), several in grouped(runs, "method").items()
        }
        left_out = dict.fromkeys(METHODS, "")
        shown.append({"instance": name, "best": f"{best[name]:g}"} | left_out | chosen)
    names = [method for method in METHODS if any(row[method] for row in shown)]
    columns = {"instance": "{instance}", "best": "{best}"}
    shown_by: dict[str, Any] = {name: itemgetter(name) for name in names}
    return table(columns | shown_by, shown)


def _planted_table(rows: Rows) -> str:
    shown = []
    for (method,), runs in grouped(rows, "method").items():
        kinds = {
            kind: sum(row["feasible"] for row in some)
            for (kind,), some in grouped(runs, "kind").items()
        }
        shown.append(
            {
                "method": method,
                "runs": len(runs),
                "feasible": sum(kinds.values()),
                "time": _median([row["s"] if row["feasible"] else inf for row in runs]),
                "missed": ", ".join(kind for kind, n in kinds.items() if not n) or "none",
            }
        )
    return table(PLANTED_COLUMNS, shown)


def _sets_table(rows: Rows) -> str:
    """By method how far each instance is from the best known, and how many runs are valid."""
    names = [*dict.fromkeys(row["instance"] for row in rows)]
    shown = []
    for (method,), runs in grouped(rows, "method").items():
        cells = {name: [row for row in runs if row["instance"] == name] for name in names}
        shown.append({"method": method} | {name: _distance(each) for name, each in cells.items()})
    columns = {"method": "{method}"}
    by_name: dict[str, Any] = {name: itemgetter(name) for name in names}
    return table(columns | by_name, shown)


def _distance(runs: Rows) -> str:
    """The median of the runs that are valid, in percent, with how many are, if not all."""
    valid = [row for row in runs if row["value"] is not None]
    if not valid:
        return "none"
    best = runs[0]["published"]
    far = median(abs(row["value"] - best) / max(1.0, abs(best)) for row in valid)
    few = "" if len(valid) == len(runs) else f" ({len(valid)} of {len(runs)})"
    return ("valid" if not best and not far else f"{100 * far:.2g}") + few


PLANTED_COLUMNS = {
    "method": "{method}",
    "programs": "{runs}",
    "feasible in 1 s": "{feasible}",
    "s, median": "{time}",
    "kinds of which none": "{missed}",
}
COLUMNS = {
    "set": "{set}",
    "method": "{method}",
    "runs": "{runs}",
    "feasible at 1 / 10 s": "{feasible}",
    "gap at 1 s, %": "{gap_1}",
    "gap at 10 s, %": "{gap_10}",
    "within 1 % in 10 s": "{near}",
    "s to 1 %": "{time}",
}

BENCHMARKS = (
    Benchmark("rivals", _cases, {"rivals": _table, "rivals_by_instance": _by_instance}),
    Benchmark("rivals_sets", _set_cases, {"rivals_sets": _sets_table}),
    Benchmark("rivals_cqms", _planted_cases, {"rivals_cqms": _planted_table}),
)
SETTINGS = {
    "FOLDER": (Path("knapsacks"), "a folder of published instances, or none"),
    "count": (4, "instances of a file, and drawn ones a set"),
    "cqms": (5, "planted programs a kind"),
    "seeds": (3, "runs of each"),
}
