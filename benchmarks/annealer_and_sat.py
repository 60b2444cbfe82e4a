"""Whole collections of nonograms: the annealer against two SAT encodings, in one run.

    python benchmarks/annealer_and_sat.py [--seeds 10] [--limit 30] [--only NAME]

Seconds from the clues to a checked picture, one thread: for ``annealer`` model, form and
annealing (mean over seeds), for ``sat`` model, formula and CaDiCaL, for "plain SAT" a
block-start encoding in Python lists and CaDiCaL. A run that does not end within the limit is
a failure, counted with the limit and listed by name. The collections lie beside the project
and are left out, by name, where they are not at hand; knotty and faase are in ``frontier.py``.
"""

from __future__ import annotations

import argparse
import gzip
import time
from collections.abc import Iterator
from statistics import mean, median
from typing import Any

from frontier import FRONTIER
from instances import COLLECTION, noise_picture, smooth_picture
from qubopuzzle import Nonogram, load, solve
from record import save, table
from sat_baseline import sat_seconds

DRAWINGS = "drawings and generated, 5x5 to 60x55, and n-Dom 2 to 10"
HARD_DOMINOES = "n-Dom 11 to 16"
BOARDS = "TAAI 2011 tournament, 25x25"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--hard-seeds", type=int, default=3, help=f"of {HARD_DOMINOES}")
    parser.add_argument("--limit", type=float, default=30, help="seconds a run")
    parser.add_argument("--hard-limit", type=float, default=120, help=f"of {HARD_DOMINOES}")
    parser.add_argument("--boards", type=int, default=1000, help="of the tournament, one seed")
    parser.add_argument("--only", default="", help="only groups whose name contains this")
    args = parser.parse_args()
    solve(smooth_picture(5, 5), "annealer", seed=0)  # kernels compiled, imports done
    solve(smooth_picture(5, 5), "sat", seed=0)
    sat_seconds(smooth_picture(5, 5))
    groups: dict[str, list[Nonogram]] = {}
    for name, puzzle in _instances(args.boards):
        if args.only in name:
            groups.setdefault(name, []).append(puzzle)
    rows = []
    for name, puzzles in groups.items():
        hard = name == HARD_DOMINOES
        seeds = {HARD_DOMINOES: args.hard_seeds, BOARDS: 1}.get(name, args.seeds)
        limit = args.hard_limit if hard else args.limit
        measured = []
        for puzzle in puzzles:
            measured.append(_measure(puzzle, seeds, limit))
            if measured[-1]["failed"] or mean(measured[-1]["annealer_s"]) > 2:
                print(measured[-1], flush=True)
        rows.append({"group": name, "limit_s": limit, "instances": measured})
        print(_cells(rows[-1]), flush=True)
    columns = ["instances", "number", "runs solved", "annealer s", "slowest s", "plain SAT s"]
    columns += ["sat s", "annealer / plain", "annealer / sat", "median of annealer / sat"]
    text = table(columns, [_cells(row) for row in rows])
    failed = [
        f"{m['id']} ({m['failed']} of {len(m['seeds'])} in {row['limit_s']:g} s, best energy "
        f"{m['best_energy']:g})"
        for row in rows
        for m in row["instances"]
        if m["failed"]
    ]
    text += f"\n\nNot solved within the limit: {', '.join(failed) or 'none'}."
    text += "\n\nThe annealer is behind `sat` on (the worst: mean s, `sat` s) "
    text += "; ".join(_behind(row) for row in rows)
    save("annealer_and_sat", rows, text + ".")


def _behind(row: dict[str, Any]) -> str:
    """How often the solver sat is faster, and where most."""
    lost = [(mean(m["annealer_s"]) - m["sat_s"], m) for m in row["instances"]]
    worst = sorted((pair for pair in lost if pair[0] > 0), key=lambda pair: -pair[0])
    names = [f"{m['id']} ({mean(m['annealer_s']):.2f}, {m['sat_s']:.2f})" for _, m in worst[:4]]
    return ", ".join([f"{row['group']}: {len(worst)} of {len(lost)}", *names])


def _instances(boards: int) -> Iterator[tuple[str, Nonogram]]:
    path = COLLECTION / "nonogram.jsonl"
    if path.exists():
        for puzzle in load(path):
            assert isinstance(puzzle, Nonogram)
            if puzzle.id.startswith("dom-"):
                small = int(puzzle.id.removeprefix("dom-")) <= 10
                yield (DRAWINGS if small else HARD_DOMINOES), puzzle
            elif puzzle.id not in FRONTIER:
                yield DRAWINGS, puzzle
    path = COLLECTION / "nonogram_taai2011.txt.gz"
    if path.exists():
        tournament = _tournament(gzip.decompress(path.read_bytes()).decode())
        # Spread over the whole tournament: later boards are harder.
        every = list(tournament)
        for puzzle in every[:: max(1, len(every) // boards)]:
            yield BOARDS, puzzle
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
    exact = solve(puzzle, "sat", seed=0)
    exact_s = time.perf_counter() - start
    assert exact.valid
    return {
        "id": puzzle.id,
        "seeds": list(range(seeds)),
        "annealer_s": seconds,
        "failed": failed,
        "best_energy": min(energies),
        "sat_s": exact_s,
        "plain_sat_s": sat_seconds(puzzle),
    }


def _cells(row: dict[str, Any]) -> list[str]:
    measured = row["instances"]
    annealer = [mean(m["annealer_s"]) for m in measured]
    sat, plain = ([m[name] for m in measured] for name in ("sat_s", "plain_sat_s"))
    runs = sum(len(m["seeds"]) for m in measured)
    solved = runs - sum(m["failed"] for m in measured)
    return [
        row["group"],
        f"{len(measured):,}",
        f"{solved:,} of {runs:,}",
        f"{sum(annealer):.2f}",
        f"{max(max(m['annealer_s']) for m in measured):.2f}",
        f"{sum(plain):.2f}",
        f"{sum(sat):.2f}",
        f"{sum(annealer) / sum(plain):.2f}",
        f"{sum(annealer) / sum(sat):.2f}",
        f"{median(a / s for a, s in zip(annealer, sat, strict=True)):.2f}",
    ]


if __name__ == "__main__":
    main()
