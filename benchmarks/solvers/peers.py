"""Ours beside the solvers of others, each with its best formulation of ours.

Seven puzzles, three sizes each, and the usual size of all others: one board a size, which was not
used to choose settings, one thread. Times are those of ``compare``: building included, imports and
kernels apart. The local searches, ours among them, have several seeds; exact solvers one. ``neal``
and ``tabu`` are D-Wave's, ``dimod:openjij:SASampler`` is OpenJij's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import inf
from statistics import median

from data.instances import GENERATED, PUZZLES
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
USUAL: dict[str, tuple[str, ...]] = {name: ("",) for name in PUZZLES if name not in BOARDS}
"""Others, with the one size that they have."""
OPENJIJ = "dimod:openjij:SASampler"
OURS = ("annealer", "annealer, probe")
FEW = (*OURS, "localmip", "cpsat-ls", "tempering", "neal")
SEARCHES = (*FEW, "tabu", OPENJIJ)
EXACT = ("sat", "cpsat", "clingo", "mip")
NAMES = {OPENJIJ: "openjij"}


def _cases(
    sizes: Mapping[str, Sequence[str]], searches: Sequence[str], seeds: str, args: Args
) -> Cases:
    named = {name.partition(",")[0] for name in (*searches, *EXACT)} - {OPENJIJ}
    missing = [name for name in named if not all_solvers()[name].available().ok]
    yield from ((f"solver {name}", None) for name in missing)
    for kind in sizes:
        files = [GENERATED / f"{name}.jsonl" for name in (kind, "frontier")]
        boards = [each for file in files for each in load(file) if each.name == kind]
        for size in sizes[kind]:
            ending = f"{size}-2026-{NUMBER}"
            board = next(each for each in boards if each.id.endswith(ending))
            yield board.id, _rows, board, searches, getattr(args, seeds), args.time_limit


def _rows(board: Puzzle, searches: Sequence[str], seeds: int, limit: float) -> list[Row]:
    ways = {
        name: {"solver": name.partition(",")[0]}
        | ({"presolve": "probe"} if name.endswith("probe") else {})
        for name in (*searches, *EXACT)
    }
    found = compared(board, ways, seeds, limit)
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


def _times(rows: Rows, names: Sequence[str]) -> str:
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
        partial(_cases, BOARDS, SEARCHES, "repeat"),
        tables={
            "peers": lambda rows: _times(rows, SEARCHES),
            "peers_exact": lambda rows: _times(rows, ("annealer", *EXACT)),
            "peers_losses": _losses,
            "peers_settings": _settings,
        },
        packages=("localmip", "ortools", "clingo", "openjij"),
    ),
    Benchmark(
        "peers_usual",
        partial(_cases, USUAL, FEW, "usual_repeat"),
        tables={"peers_usual": lambda rows: _times(rows, (*FEW, *EXACT))},
        packages=("localmip", "ortools", "clingo"),
    ),
)
SETTINGS = {
    "repeat": (5, "seeds of local searches"),
    "usual_repeat": (3, "the same on one size a puzzle"),
    "time_limit": (10.0, "seconds a run"),
}
