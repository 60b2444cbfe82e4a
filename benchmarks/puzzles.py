"""Six puzzles: sat proves each solution unique, annealer solves, checked by the rules.

Every instance of `generated/`; with --collection those of a local collection that are marked
as having one solution, into tables of their own. annealer: the default formulation,
several seeds with a time limit each; times are those of
solving, without imports and kernels. A run that ends without a valid answer is a failure,
listed by its instance with the lowest energy. Three tables: puzzles_totals, puzzles_sat,
puzzles_annealer.

Usage: python benchmarks/puzzles.py [--collection] [--seeds N] [--time-limit S] [--only P,P]
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import Any

from instances import COLLECTION, GENERATED
from qubopuzzle import Puzzle, load, solve
from qubopuzzle.files.puzzles import native
from record import save, table

PUZZLES = ("sudoku", "heyawake", "hitori", "kurodoko", "easyasabc", "numberlink")
LARGEST_ANNEALED = {"numberlink": 8}
"""Rows or columns beyond which only sat is asked."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--time-limit", type=float, default=10.0, help="seconds a run")
    parser.add_argument("--only", default=",".join(PUZZLES), help="these puzzles")
    parser.add_argument("--collection", action="store_true", help="the local collection")
    args = parser.parse_args()
    source = COLLECTION if args.collection else GENERATED
    ending = "_collection" if args.collection else ""
    if args.collection and not COLLECTION.exists():
        parser.error(f"there is no collection at {COLLECTION}; set QUBOPUZZLE_COLLECTION")
    names = args.only.split(",")
    for name in names:
        for solver in ("sat", "annealer"):
            solve(_load(source, name)[0], solver, seed=0, time_limit=args.time_limit)  # warms up
    proofs = [_proof(puzzle) for name in names for puzzle in _load(source, name)]
    runs = [
        _runs(puzzle, args.seeds, args.time_limit)
        for name in names
        for puzzle in _load(source, name)
        if max(puzzle.shape) <= LARGEST_ANNEALED.get(name, 10**6)
    ]
    save(f"puzzles_sat{ending}", proofs, _sat_table(proofs))
    save(f"puzzles_annealer{ending}", runs, _annealer_table(runs))
    save(f"puzzles_totals{ending}", [*proofs, *runs], _totals_table(proofs, runs))


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
            yield from native.read(json.dumps(data))


def _proof(puzzle: Puzzle) -> dict[str, Any]:
    """From the model to the proof that there is no second solution."""
    started = time.perf_counter()
    result = solve(puzzle, "sat", seed=0, solutions=2, time_limit=60)
    seconds = time.perf_counter() - started
    known = puzzle.solution is None or (result.valid and (result.answer == puzzle.solution).all())
    row = {**_about(puzzle), "proved": bool(result.unique and known), "seconds": seconds}
    print(row, flush=True)
    return row


def _runs(puzzle: Puzzle, seeds: int, time_limit: float) -> dict[str, Any]:
    results = [solve(puzzle, "annealer", seed=seed, time_limit=time_limit) for seed in range(seeds)]
    row = {
        **_about(puzzle),
        "formulation": results[0].formulation,
        "variables": results[0].sizes["variables"],
        "seconds": [r.timings_s["solve"] if r.valid else None for r in results],
        "energies": [r.energy for r in results],
    }
    print(row, flush=True)
    return row


def _about(puzzle: Puzzle) -> dict[str, Any]:
    return {"puzzle": puzzle.name, "id": puzzle.id, "size": "x".join(map(str, puzzle.shape))}


def _groups(rows: list[dict[str, Any]], *keys: str) -> Iterator[tuple[list[str], list[Any]]]:
    for values, group in groupby(rows, key=lambda row: [row[key] for key in keys]):
        yield values, list(group)


def _sat_table(proofs: list[dict[str, Any]]) -> str:
    rows = []
    for (name,), group in _groups(proofs, "puzzle"):
        worst = max(group, key=lambda row: row["seconds"])
        proved = sum(row["proved"] for row in group)
        total = sum(row["seconds"] for row in group)
        slowest = f"{worst['seconds']:.3f} ({worst['id']})"
        rows.append([name, f"{proved} of {len(group)}", f"{total:.2f}", slowest])
    return table(["puzzle", "proved unique", "s together", "s of the slowest"], rows)


def _median(row: dict[str, Any]) -> float:
    """Seconds, counting a failure as endless."""
    return median(float("inf") if s is None else s for s in row["seconds"])


def _seconds(seconds: float) -> str:
    return "-" if seconds == float("inf") else f"{seconds:.3f}"


def _solved(group: list[dict[str, Any]]) -> str:
    all_runs = [s for row in group for s in row["seconds"]]
    return f"{sum(s is not None for s in all_runs)} of {len(all_runs)}"


def _failures(group: list[dict[str, Any]]) -> str:
    """By name: runs that failed, and their lowest energy."""
    named = []
    for row in group:
        failed = [e for s, e in zip(row["seconds"], row["energies"], strict=True) if s is None]
        if failed:
            named.append(f"{row['id']}: {len(failed)} (energy {min(failed):g})")
    return "; ".join(named) or "none"


def _annealer_table(runs: list[dict[str, Any]]) -> str:
    rows = []
    for (name, size, formulation), group in _groups(runs, "puzzle", "size", "formulation"):
        literals = median(row["variables"] for row in group)
        medians = [_median(row) for row in group]
        rows.append(
            [
                name,
                size,
                formulation,
                str(len(group)),
                f"{literals:,.0f}",
                _solved(group),
                _seconds(median(medians)),
                _seconds(max(medians)),
                _failures(group),
            ]
        )
    columns = ["puzzle", "size", "formulation", "instances", "literals", "runs solved"]
    columns += ["median s", "largest median s of an instance", "failed runs"]
    return table(columns, rows)


def _totals_table(proofs: list[dict[str, Any]], runs: list[dict[str, Any]]) -> str:
    annealed = {name: group for (name,), group in _groups(runs, "puzzle")}
    rows = []
    for (name,), group in _groups(proofs, "puzzle"):
        own = annealed[name]
        sizes = sorted({row["size"] for row in own}, key=_area)
        rows.append(
            [
                name,
                f"{len(own)}, {sizes[0]} to {sizes[-1]}",
                _solved(own),
                _seconds(median(map(_median, own))),
                f"{sum(row['proved'] for row in group)} of {len(group)}",
                f"{max(row['seconds'] for row in group):.3f}",
                _failures(own),
            ]
        )
    columns = ["puzzle", "instances", "annealer: runs solved", "median s"]
    columns += ["sat: proved unique", "slowest s", "what annealer missed"]
    return table(columns, rows)


def _area(size: str) -> int:
    rows, columns = size.split("x")
    return int(rows) * int(columns)


if __name__ == "__main__":
    main()
