"""Published numberlinks that do not say whether every cell is used: sat and the annealer.

As their addresses are read, cells may stay unused (``cover`` false). ``sat`` and ``annealer``
first try that every cell is used, for half of the time limit; "as it is" is ``sat`` without that,
its formulation named. Seconds are those of building, searching and judging, one thread, without
imports and kernels; a run that ends without a valid answer is a failure, named below the table.
The boards are published elsewhere and no part of this project.
"""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Any

from data.instances import warm_up
from harness import Args, Benchmark, Cases, Row, Rows, grouped, markdown, median_s, timed
from qubopuzzle import Puzzle, load, solve


def _cases(args: Args) -> Cases:
    if not args.boards.exists():
        yield f"the boards at {args.boards}", None
        return
    warm_up("sat", "annealer")
    files = sorted(args.boards.iterdir()) if args.boards.is_dir() else [args.boards]
    found = [p for file in files for p in load(file) if p.name == "numberlink" and not p.cover]
    for puzzle in sorted(found, key=lambda p: (p.cells, p.id)):
        yield puzzle.id, _measured, puzzle, args


def _measured(puzzle: Puzzle, args: Args) -> Row:
    def run(solver: str, seed: int, **more: Any) -> dict[str, Any]:
        seconds, result = timed(
            solve, puzzle, solver, seed=seed, time_limit=args.time_limit, **more
        )
        first = result.attempt is not None and result.attempt.status == "optimal"
        return {"seconds": seconds if result.valid else None, "first": first}

    return {
        "id": puzzle.id,
        "size": "x".join(map(str, puzzle.shape)),
        "limit_s": args.time_limit,
        "sat": run("sat", 0),
        "as_it_is": run("sat", 0, formulation=puzzle.formulation_for(cuts=True)),
        "annealer": [run("annealer", seed) for seed in range(args.seeds)],
    }


def _table(rows: Rows) -> str:
    columns = ["size", "boards", "sat: solved", "by the attempt", "median s", "slowest s"]
    columns += ["sat as it is: solved", "median s", "annealer: solved", "median s"]
    lines = [_line(*size, group) for size, group in grouped(rows, "size").items()]
    text = markdown(columns, [*lines, _line("all", rows)])
    limit = rows[0]["limit_s"]
    failed = [row["id"] for row in rows if row["sat"]["seconds"] is None]
    alone = [row["id"] for row in rows if row["as_it_is"]["seconds"] is None]
    annealed = [
        f"{row['id']} ({missed} of {len(row['annealer'])})"
        for row in rows
        if (missed := sum(run["seconds"] is None for run in row["annealer"]))
    ]
    text += f"\n\nNot solved in {limit:g} s: by `sat` {', '.join(failed) or 'none'}; by `sat` as "
    text += f"it is {', '.join(alone) or 'none'}; by `annealer` {', '.join(annealed) or 'none'}."
    return text


def _line(size: str, rows: Rows) -> list[str]:
    sat, alone = ([row[key] for row in rows] for key in ("sat", "as_it_is"))
    annealed = [run for row in rows for run in row["annealer"]]
    first = sum(run["first"] in (True, "solved") for run in sat)  # as it was, and older rows
    slowest = max(inf if run["seconds"] is None else run["seconds"] for run in sat)
    return [
        size,
        str(len(rows)),
        _solved(sat),
        str(first),
        _seconds(sat),
        "-" if slowest == inf else f"{slowest:.2f}",
        _solved(alone),
        _seconds(alone),
        _solved(annealed),
        _seconds(annealed),
    ]


def _solved(runs: Rows) -> str:
    return f"{sum(run['seconds'] is not None for run in runs)} of {len(runs)}"


def _seconds(runs: Rows) -> str:
    middle = median_s(run["seconds"] for run in runs)
    return "-" if middle == inf else f"{middle:.2f}"


BENCHMARKS = (Benchmark("numberlinks", _cases, {"numberlinks": _table}),)
SETTINGS = {
    "boards": (Path("numberlink25.jsonl"), "a file of puzzles, or a folder of files"),
    "seeds": (1, "runs of the annealer"),
    "time_limit": (10.0, "seconds a run"),
}
