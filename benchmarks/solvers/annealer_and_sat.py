"""Whole collections of nonograms: the annealer against two SAT encodings, in one run.

Seconds from the clues to a checked picture, one thread: for ``annealer`` model, form and
annealing (mean over seeds), for ``sat`` model, formula and CaDiCaL, for "plain SAT" a
block-start encoding in Python lists and CaDiCaL. A run that does not end within the limit is
a failure, counted with the limit and listed by name. The collections lie beside the project
and are left out, by name, where they are not at hand; knotty and faase are in ``frontier.py``.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from statistics import mean, median

from data.instances import (
    COLLECTION,
    collected_nonograms,
    noise_picture,
    smooth_picture,
)
from data.sat_baseline import sat_seconds
from harness import Args, Benchmark, Cases, Row, Rows, compared, grouped, markdown
from qubopuzzle import Nonogram
from solvers.frontier import FRONTIER

DRAWINGS = "drawings and generated, 5x5 to 60x55, and n-Dom 2 to 10"
HARD_DOMINOES = "n-Dom 11 to 16"
BOARDS = "TAAI 2011 tournament, 25x25"


def _cases(args: Args) -> Cases:
    sat_seconds(smooth_picture(5, 5))
    seeds = {HARD_DOMINOES: args.hard_seeds, BOARDS: 1}
    for file in ("nonogram.jsonl", "nonogram_taai2011.txt.gz"):
        if not (COLLECTION / file).exists():
            yield file, None
    for group, puzzle in _instances(args.boards):
        limit = args.hard_limit if group == HARD_DOMINOES else args.limit
        what = (puzzle, seeds.get(group, args.seeds), limit)
        yield f"{group}: {puzzle.id}", _measure, group, *what


def _instances(boards: int) -> Iterator[tuple[str, Nonogram]]:
    for puzzle in collected_nonograms():
        if puzzle.id.startswith("dom-"):
            small = int(puzzle.id.removeprefix("dom-")) <= 10
            yield (DRAWINGS if small else HARD_DOMINOES), puzzle
        elif puzzle.id not in FRONTIER:
            yield DRAWINGS, puzzle
    path = COLLECTION / "nonogram_taai2011.txt.gz"
    if path.exists():
        # Spread over the whole tournament: later boards are harder.
        every = list(_tournament(gzip.decompress(path.read_bytes()).decode()))
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


def _measure(group: str, puzzle: Nonogram, seeds: int, limit: float) -> Row:
    ways = {name: {"solver": name} for name in ("annealer", "sat")}
    runs, (exact,) = compared(puzzle, ways, seeds, limit).values()
    assert exact["solved"]
    return {
        "group": group,
        "limit_s": limit,
        "id": puzzle.id,
        "seeds": list(range(seeds)),
        "annealer_s": [row["seconds"] for row in runs],
        "failed": sum(not row["solved"] for row in runs),
        "best_energy": min(row["energy"] for row in runs),
        "sat_s": exact["seconds"],
        "plain_sat_s": sat_seconds(puzzle),
    }


def _table(rows: Rows) -> str:
    groups = grouped(rows, "group")
    columns = ["instances", "number", "runs solved", "annealer s", "slowest s", "plain SAT s"]
    columns += ["sat s", "annealer / plain", "annealer / sat", "median of annealer / sat"]
    text = markdown(columns, [_cells(*name, group) for name, group in groups.items()])
    failed = [
        f"{row['id']} ({row['failed']} of {len(row['seeds'])} in {row['limit_s']:g} s, best energy "
        f"{row['best_energy']:g})"
        for row in rows
        if row["failed"]
    ]
    text += f"\n\nNot solved within the limit: {', '.join(failed) or 'none'}."
    text += "\n\nThe annealer is behind `sat` on (the worst: mean s, `sat` s) "
    return text + "; ".join(_behind(*name, group) for name, group in groups.items()) + "."


def _cells(name: str, rows: Rows) -> list[str]:
    annealer = [mean(row["annealer_s"]) for row in rows]
    sat, plain = ([row[key] for row in rows] for key in ("sat_s", "plain_sat_s"))
    runs = sum(len(row["seeds"]) for row in rows)
    solved = runs - sum(row["failed"] for row in rows)
    return [
        name,
        f"{len(rows):,}",
        f"{solved:,} of {runs:,}",
        f"{sum(annealer):.2f}",
        f"{max(max(row['annealer_s']) for row in rows):.2f}",
        f"{sum(plain):.2f}",
        f"{sum(sat):.2f}",
        f"{sum(annealer) / sum(plain):.2f}",
        f"{sum(annealer) / sum(sat):.2f}",
        f"{median(a / s for a, s in zip(annealer, sat, strict=True)):.2f}",
    ]


def _behind(name: str, rows: Rows) -> str:
    """How often the solver sat is faster, and where most."""
    lost = [(mean(row["annealer_s"]) - row["sat_s"], row) for row in rows]
    worst = sorted((pair for pair in lost if pair[0] > 0), key=lambda pair: -pair[0])
    names = [f"{m['id']} ({mean(m['annealer_s']):.2f}, {m['sat_s']:.2f})" for _, m in worst[:4]]
    return ", ".join([f"{name}: {len(worst)} of {len(lost)}", *names])


BENCHMARKS = (Benchmark("annealer_and_sat", _cases, {"annealer_and_sat": _table}),)
SETTINGS = {
    "seeds": (10, "runs of the annealer"),
    "hard_seeds": (3, f"of {HARD_DOMINOES}"),
    "limit": (30.0, "seconds a run"),
    "hard_limit": (120.0, f"of {HARD_DOMINOES}"),
    "boards": (1000, "of the tournament, one seed"),
}
