"""All puzzles: sat proves each solution unique, annealer solves, checked by the rules.

Every instance of `generated/` but the nonograms, which `annealer_and_sat` has, and, in tables of
their own, those of a local collection that are marked as having one solution. annealer: the default
formulation, several seeds with a time limit each; times are those of solving, without imports and
kernels. A run that ends without a valid answer is a failure, listed by its instance with the lowest
energy. Three tables of each: puzzles_totals, puzzles_sat, puzzles_annealer, and ..._collection.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from math import inf
from pathlib import Path
from statistics import median
from typing import Any

from data.instances import COLLECTION, GENERATED, PUZZLES, warm_up
from harness import Args, Benchmark, Cases, Row, Rows, compared, grouped, markdown, median_s, timed
from qubopuzzle import Puzzle, load, solve

LARGEST_ANNEALED = {"numberlink": 8}
"""Rows or columns beyond which only sat is asked."""


def _cases(source: Path, args: Args) -> Cases:
    if not source.exists():
        yield f"the collection at {source}", None
        return
    warm_up("sat")
    seeds = args.seeds if source == GENERATED else args.collection_seeds
    names = [name for name in PUZZLES if name != "nonogram" and (source / f"{name}.jsonl").exists()]
    puzzles = [puzzle for name in names for puzzle in _load(source, name)]
    for puzzle in puzzles:
        yield f"{puzzle.name}, {puzzle.id}, sat", _proof, puzzle
    for puzzle in puzzles:
        if max(puzzle.shape) <= LARGEST_ANNEALED.get(puzzle.name, 10**6):
            label = f"{puzzle.name}, {puzzle.id}, annealer"
            yield label, _runs, puzzle, seeds, args.time_limit


def _load(source: Path, name: str) -> list[Puzzle]:
    """The instances of a source, by size; a collection's have reference instances beside."""
    if source == GENERATED:
        found = load(GENERATED / f"{name}.jsonl")
    else:
        found = [p for p in load(COLLECTION / "seed.json") if p.name == name] + _marked(name)
    return sorted(found, key=lambda p: (p.shape[0] * p.shape[1], p.shape, "free" in p.id, p.id))


def _marked(name: str) -> list[Puzzle]:
    path = COLLECTION / f"{name}.jsonl"
    puzzles = [puzzle for puzzle in load(path) if puzzle.n_solutions == 1]
    return puzzles + list(_free(name)) if name == "numberlink" else puzzles


def _free(name: str) -> Iterator[Puzzle]:
    """Those with one solution also where cells may stay unused."""
    for line in (COLLECTION / f"{name}.jsonl").read_text().splitlines():
        data = json.loads(line)
        if data["n_solutions_free"] == 1:
            data |= {"cover": False, "id": f"{data['id']}-free", "n_solutions": 1}
            yield from load(json.dumps(data))


def _proof(puzzle: Puzzle) -> Row:
    """From the model to the proof that there is no second solution."""
    seconds, result = timed(solve, puzzle, "sat", seed=0, solutions=2, time_limit=60)
    known = puzzle.solution is None or (result.valid and (result.grid == puzzle.solution).all())
    return _about(puzzle, "sat") | {"proved": bool(result.unique and known), "seconds": seconds}


def _runs(puzzle: Puzzle, seeds: int, time_limit: float) -> Row:
    found = compared(puzzle, {"annealer": {"solver": "annealer"}}, seeds, time_limit)["annealer"]
    return _about(puzzle, "annealer") | {
        "formulation": found[0]["formulation"],
        "variables": found[0]["sizes"]["variables"],
        "seconds": [row["solve_s"] if row["solved"] else None for row in found],
        "energies": [row["energy"] for row in found],
    }


def _about(puzzle: Puzzle, solver: str) -> dict[str, Any]:
    size = "x".join(map(str, puzzle.shape))
    return {"puzzle": puzzle.name, "id": puzzle.id, "size": size, "solver": solver}


# --- tables ----------------------------------------------------------------------------


def _groups(rows: Rows, solver: str, *keys: str) -> dict[tuple[str, ...], list[Row]]:
    """The rows of a solver, by the values of keys."""
    return grouped([row for row in rows if row["solver"] == solver], *keys)


def _sat_table(rows: Rows) -> str:
    lines = []
    for (name,), group in _groups(rows, "sat", "puzzle").items():
        worst = max(group, key=lambda row: row["seconds"])
        total = sum(row["seconds"] for row in group)
        lines.append(
            [name, _proved(group), f"{total:.2f}", f"{worst['seconds']:.3f} ({worst['id']})"]
        )
    return markdown(["puzzle", "proved unique", "s together", "s of the slowest"], lines)


def _annealer_table(rows: Rows) -> str:
    lines = []
    for values, group in _groups(rows, "annealer", "puzzle", "size", "formulation").items():
        literals = median(row["variables"] for row in group)
        medians = [median_s(row["seconds"]) for row in group]
        numbers = [str(len(group)), f"{literals:,.0f}", _solved(group)]
        seconds = [_seconds(median(medians)), _seconds(max(medians))]
        lines.append([*values, *numbers, *seconds, _failures(group)])
    columns = ["puzzle", "size", "formulation", "instances", "literals", "runs solved"]
    columns += ["median s", "largest median s of an instance", "failed runs"]
    return markdown(columns, lines)


def _totals_table(rows: Rows) -> str:
    proofs = _groups(rows, "sat", "puzzle")
    lines = []
    for name, own in _groups(rows, "annealer", "puzzle").items():
        sizes = sorted({row["size"] for row in own}, key=_area)
        annealed = [_solved(own), _seconds(median(median_s(row["seconds"]) for row in own))]
        slowest = max((row["seconds"] for row in proofs.get(name, ())), default=inf)
        proved = [_proved(proofs.get(name, ())), _seconds(slowest)]
        instances = f"{len(own)}, {sizes[0]} to {sizes[-1]}"
        lines.append([*name, instances, *annealed, *proved, _failures(own)])
    columns = ["puzzle", "instances", "annealer: runs solved", "median s"]
    columns += ["sat: proved unique", "slowest s", "what annealer missed"]
    return markdown(columns, lines)


def _proved(rows: Rows) -> str:
    return f"{sum(row['proved'] for row in rows)} of {len(rows)}"


def _solved(rows: Rows) -> str:
    runs = [s for row in rows for s in row["seconds"]]
    return f"{len(runs) - runs.count(None)} of {len(runs)}"


def _failures(rows: Rows) -> str:
    """By name: runs that failed, and their lowest energy."""
    named = []
    for row in rows:
        failed = [e for s, e in zip(row["seconds"], row["energies"], strict=True) if s is None]
        if failed:
            named.append(f"{row['id']}: {len(failed)} (energy {min(failed):g})")
    return "; ".join(named) or "none"


def _seconds(seconds: float) -> str:
    return "-" if seconds == inf else f"{seconds:.3f}"


def _area(size: str) -> int:
    rows, columns = size.split("x")
    return int(rows) * int(columns)


def _benchmark(source: Path, ending: str) -> Benchmark:
    tables = {"sat": _sat_table, "annealer": _annealer_table, "totals": _totals_table}
    named = {f"puzzles_{name}{ending}": table for name, table in tables.items()}
    return Benchmark(f"puzzles{ending}", partial(_cases, source), named)


BENCHMARKS = (_benchmark(GENERATED, ""), _benchmark(COLLECTION, "_collection"))
SETTINGS = {
    "seeds": (5, "runs of the annealer"),
    "collection_seeds": (10, "the same on a puzzle of the collection"),
    "time_limit": (10.0, "seconds a run"),
}
