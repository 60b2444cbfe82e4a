"""Whole collections of nonograms: the annealer against a SAT solver, in one run.

    python benchmarks/annealers.py [--seeds 2] [--limit 10] [--boards 100] [--only NAME]

Seconds from the clues to a checked picture, one thread: for ``annealer`` model, form and
annealing (median over seeds), for SAT the encoding in Python and CaDiCaL. A run that does
not end within the limit is a failure, counted with the limit and listed by name. The
collections lie beside the project and are left out, by name, where they are not at hand.
"""

from __future__ import annotations

import argparse
import gzip
import time
from collections.abc import Iterator
from itertools import islice
from statistics import median
from typing import Any

from instances import COLLECTION, noise_picture, smooth_picture
from qubopuzzle import Nonogram, load, solve
from record import save, table
from sat_baseline import sat_solve

UNSOLVED_BY_ALL = ("knotty", "faase")
"""Left out: no solver of the survey that they come from solved them."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--limit", type=float, default=10, help="seconds a run")
    parser.add_argument("--boards", type=int, default=100, help="of the tournament's 1,000")
    parser.add_argument("--only", help="only groups whose name contains this")
    args = parser.parse_args()
    solve(smooth_picture(5, 5), "annealer", seed=0)  # kernels compiled, imports done
    sat_solve(smooth_picture(5, 5))
    groups: dict[str, list[Nonogram]] = {}
    for name, puzzle in _instances(args.boards):
        if args.only is None or args.only in name:
            groups.setdefault(name, []).append(puzzle)
    rows = []
    for name, puzzles in groups.items():
        measured = []
        for puzzle in puzzles:
            measured.append(_measure(puzzle, args.seeds, args.limit))
            if measured[-1]["failed"] or max(measured[-1]["annealer_s"]) > 1:
                print(measured[-1], flush=True)
        rows.append({"group": name, "limit_s": args.limit, "instances": measured})
    columns = ["instances", "number", "runs solved", "annealer s", "SAT s", "sum ratio"]
    columns += ["median ratio", "slowest s"]
    text = table(columns, [_cells(row) for row in rows])
    failed = [
        f"{m['id']} ({m['failed']} of {args.seeds}, best energy {m['best_energy']:g})"
        for row in rows
        for m in row["instances"]
        if m["failed"]
    ]
    text += f"\n\nNot solved within {args.limit:g} s: {', '.join(failed) or 'none'}."
    save("annealers", rows, text)


def _instances(boards: int) -> Iterator[tuple[str, Nonogram]]:
    path = COLLECTION / "nonogram.jsonl"
    if path.exists():
        for puzzle in load(path):
            if puzzle.id.startswith("dom-"):
                small = int(puzzle.id.removeprefix("dom-")) <= 10
                yield ("n-Dom 2 to 10" if small else "n-Dom 11 to 16"), puzzle  # type: ignore[misc]
            elif puzzle.id not in UNSOLVED_BY_ALL:
                yield "drawings and generated, 5x5 to 60x55", puzzle  # type: ignore[misc]
    path = COLLECTION / "nonogram_taai2011.txt.gz"
    if path.exists():
        tournament = _tournament(gzip.decompress(path.read_bytes()).decode())
        for puzzle in islice(tournament, boards):
            yield "TAAI 2011 tournament, 25x25", puzzle
    for seed in range(1, 6):
        yield "blobs 45x60", smooth_picture(45, 60, seed=seed)
        yield "blobs 100x100", smooth_picture(100, 100, seed=seed)
        yield "noise 30x30", noise_picture(30, 30, seed=seed)


def _tournament(text: str) -> Iterator[Nonogram]:
    """``$n``, then 25 lines of column clues and 25 of row clues, numbers between tabs."""
    for block in text.split("$")[1:]:
        name, *lines = block.strip("\n").split("\n")
        clues = [[int(number) for number in line.split()] for line in lines[:50]]
        yield Nonogram(rows=clues[25:], cols=clues[:25], id=f"taai-{name.strip()}")


def _measure(puzzle: Nonogram, seeds: int, limit: float) -> dict[str, Any]:
    seconds, energies, failed = [], [], 0
    for seed in range(seeds):
        start = time.perf_counter()
        result = solve(puzzle, "annealer", seed=seed, time_limit=limit)
        seconds.append(time.perf_counter() - start)
        energies.append(0.0 if result.valid else result.energy)
        failed += not result.valid
    start = time.perf_counter()
    answer = sat_solve(puzzle)
    sat_s = time.perf_counter() - start
    assert answer is not None
    assert not puzzle.violations(answer)
    return {
        "id": puzzle.id,
        "seeds": list(range(seeds)),
        "annealer_s": seconds,
        "failed": failed,
        "best_energy": min(energies),
        "sat_s": sat_s,
    }


def _cells(row: dict[str, Any]) -> list[str]:
    measured = row["instances"]
    annealer = [median(m["annealer_s"]) for m in measured]
    sat = [m["sat_s"] for m in measured]
    runs = sum(len(m["seeds"]) for m in measured)
    solved = runs - sum(m["failed"] for m in measured)
    return [
        row["group"],
        f"{len(measured):,}",
        f"{solved:,} of {runs:,}",
        f"{sum(annealer):.2f}",
        f"{sum(sat):.2f}",
        f"{sum(annealer) / sum(sat):.2f}",
        f"{median(a / s for a, s in zip(annealer, sat, strict=True)):.2f}",
        f"{max(max(m['annealer_s']) for m in measured):.2f}",
    ]


if __name__ == "__main__":
    main()
