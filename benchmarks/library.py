"""The instance library, measured: what neal, annealer and sat need, and the tiers that follow.

Each row is an instance as ``qubopuzzle instances --set library --measure neal,annealer,sat``
writes it. A quarter of an hour.

Usage: python benchmarks/library.py [--repeat N] [--limit SECONDS]
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from qubopuzzle.bench.instances import write_instances
from qubopuzzle.bench.library import SETS, Origin
from qubopuzzle.bench.tiers import Measuring
from qubopuzzle.solving.settings import Settings
from record import Args, Benchmark, Cases, Row, Rows, main, markdown

SOLVERS = ("neal", "annealer", "sat")


def _cases(args: Args) -> Cases:
    measuring = Measuring(SOLVERS, args.repeat, args.limit)
    for origin in SETS["library"]:
        yield f"{origin.puzzle} {origin.size}", _row, origin, measuring


def _row(origin: Origin, measuring: Measuring) -> Row:
    puzzle = origin.make()
    with tempfile.TemporaryDirectory() as folder:
        written = write_instances(
            Path(folder),
            [puzzle],
            ["bqm"],
            Settings(),
            seed=0,
            time_limit=60,
            origins={puzzle.id: origin},
            measuring=measuring,
        )
    (entry,) = written["instances"]
    assert entry["generated"]["as_published"], f"{puzzle.id} is another puzzle here"
    left = {name: value for name, value in entry.items() if name != "files"}
    return {**left, "limit_s": measuring.time_limit}


def _library(rows: Rows) -> str:
    columns = ["instance", "variables", "couplings", "tier", *(f"{name} s" for name in SOLVERS)]
    return markdown([*columns, "best known s"], [_line(row) for row in rows])


def _line(row: Row) -> list[str]:
    solved = [
        (own["seconds"], name)
        for name, own in row["measured"].items()
        if own["seconds"] is not None
    ]
    best = "{:.3f} ({})".format(*min(solved)) if solved else "-"
    sizes = [f"{row[name]:,}" for name in ("variables", "couplings")]
    return [row["name"], *sizes, row["tier"], *(_cell(row, name) for name in SOLVERS), best]


def _cell(row: Row, solver: str) -> str:
    """The median, and how many runs solved if not all did."""
    own = row["measured"][solver]
    seconds = f"> {row['limit_s']:g}" if own["seconds"] is None else f"{own['seconds']:.3f}"
    all_solved = own["solved"] == own["runs"]
    return seconds if all_solved else f"{seconds} ({own['solved']} of {own['runs']})"


BENCHMARKS = (Benchmark("library", _cases, {"library": _library}),)
SETTINGS = {"repeat": (3, "seeds of a heuristic"), "limit": (10.0, "seconds a run")}

if __name__ == "__main__":
    main(__doc__, BENCHMARKS, SETTINGS)
