"""Ours beside the solvers of others, each with its best formulation of ours.

Seven puzzles, three sizes each, one board a size that was not used to choose settings, one
thread. Times are those of ``compare``: building included, imports and kernels apart. The local
searches, ours among them, have five seeds; exact solvers one. ``neal`` and ``tabu`` are
D-Wave's, ``dimod:openjij:SASampler`` is OpenJij's.
"""

from __future__ import annotations

from math import inf
from statistics import median

from data.instances import GENERATED
from harness import Args, Benchmark, Cases, Row, Rows, compared, grouped, markdown
from qubopuzzle import Puzzle, all_solvers, load

NUMBER = 3
"""Of the boards of a size."""
BOARDS = {
    "nonogram": ("10x10", "20x20", "40x40"),
    "sudoku": ("9x9", "12x12", "16x16"),
    "heyawake": ("8x8", "12x12", "17x17"),
    "hitori": ("8x8", "12x12", "15x15"),
    "kurodoko": ("9x9", "13x13", "17x17"),
    "easyasabc": ("5x5", "6x6", "8x8"),
    "numberlink": ("6x6", "10x10", "15x15"),
}
OPENJIJ = "dimod:openjij:SASampler"
OURS = ("annealer", "annealer, probe")
SEARCHES = (*OURS, "localmip", "cpsat-ls", "tempering", "neal", "tabu", OPENJIJ)
EXACT = ("sat", "cpsat", "clingo", "mip")
NAMES = {OPENJIJ: "openjij"}


def _cases(args: Args) -> Cases:
    named = {name.partition(",")[0] for name in (*SEARCHES, *EXACT)} - {OPENJIJ}
    missing = [name for name in named if not all_solvers()[name].available().ok]
    yield from ((f"solver {name}", None) for name in missing)
    for kind, sizes in BOARDS.items():
        files = [GENERATED / f"{name}.jsonl" for name in (kind, "frontier")]
        boards = {each.id: each for file in files for each in load(file)}
        for size in sizes:
            board = boards[f"{kind}-{size}-2026-{NUMBER}"]
            yield board.id, _rows, board, args


def _rows(board: Puzzle, args: Args) -> list[Row]:
    ways = {
        name: {"solver": name.partition(",")[0]}
        | ({"presolve": "probe"} if name.endswith("probe") else {})
        for name in (*SEARCHES, *EXACT)
    }
    found = compared(board, ways, args.repeat, args.time_limit)
    kept = ("instance", "cells", "configuration", "exact", "seed", "status", "why", "solved")
    kept += ("seconds", "formulation", "encoding", "presolve", "sizes", "time_limit_s")
    return [{name: row.get(name) for name in kept} for own in found.values() for row in own]


def _middle(rows: Rows) -> float:
    """The median seconds of runs; infinite where the median run failed."""
    return median(row["seconds"] if row["solved"] else inf for row in rows)


def _cell(rows: Rows) -> str:
    middle, solved = _middle(rows), sum(row["solved"] for row in rows)
    seconds = f"{middle:.3f}" if middle < inf else f"> {rows[0]['time_limit_s']:g}"
    return seconds if solved == len(rows) else f"{seconds} ({solved}/{len(rows)})"


def _times(rows: Rows, names: tuple[str, ...]) -> str:
    lines = []
    for (instance,), own in grouped(rows, "instance").items():
        by_name = grouped(own, "configuration")
        lines.append([instance, *(_cell(by_name[(name,)]) for name in names)])
    return markdown(["board", *(NAMES.get(name, name) for name in names)], lines)


def _losses(rows: Rows) -> str:
    """By name where a local search of others is faster than ours, and by how much."""
    lines = []
    for (instance,), own in grouped(rows, "instance").items():
        by_name = {name: _middle(runs) for (name,), runs in grouped(own, "configuration").items()}
        for name in SEARCHES[len(OURS) :]:
            theirs = by_name[name]
            if theirs < by_name[OURS[0]]:
                ours = [f"{by_name[each]:.3f} ({by_name[each] / theirs:.2f})" for each in OURS]
                lines.append([instance, NAMES.get(name, name), f"{theirs:.3f}", *ours])
    if not lines:
        return "None."
    return markdown(
        ["board", "faster", "its seconds", *(f"{name} (ratio)" for name in OURS)], lines
    )


def _settings(rows: Rows) -> str:
    lines = []
    for (name,), own in grouped(rows, "configuration").items():
        used = [", ".join(dict.fromkeys(str(row[key] or "-") for row in own)) for key in
                ("formulation", "encoding", "presolve")]  # fmt: skip
        failed = {row["instance"] for row in own if not row["solved"]}
        lines.append([NAMES.get(name, name), *used, f"{len(failed)}"])
    return markdown(
        ["solver", "formulations", "encoding", "presolve", "boards with a failure"], lines
    )


BENCHMARKS = (
    Benchmark(
        "peers",
        _cases,
        tables={
            "peers": lambda rows: _times(rows, SEARCHES),
            "peers_exact": lambda rows: _times(rows, ("annealer", *EXACT)),
            "peers_losses": _losses,
            "peers_settings": _settings,
        },
        packages=("localmip", "ortools", "clingo", "openjij"),
    ),
)
SETTINGS = {"repeat": (5, "seeds of local searches"), "time_limit": (10.0, "seconds a run")}
