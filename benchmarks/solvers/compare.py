"""The README's comparison: ten nonograms, three annealers, three exact solvers.

The same as ``qubopuzzle compare examples/ten.jsonl --solvers annealer,tempering,neal,sat,
cpsat,mip --plot docs/images/compare.svg``, with its tables as Markdown.
"""

from __future__ import annotations

from harness import ROOT, Args, Benchmark, Cases, Row, Rows, compared, markdown
from qubopuzzle import Puzzle, all_solvers, load
from qubopuzzle.bench.comparison import Comparison
from qubopuzzle.bench.configurations import Configuration
from qubopuzzle.bench.merge import comparison_of
from qubopuzzle.bench.plan import Instance
from qubopuzzle.bench.profile import draw
from qubopuzzle.bench.tables import instance_table, total_table

SOLVERS = ("annealer", "tempering", "neal", "sat", "cpsat", "mip")
TEN = ROOT / "examples" / "ten.jsonl"


def _cases(args: Args) -> Cases:
    here = [name for name in SOLVERS if all_solvers()[name].available().ok]
    yield from ((f"solver {name}", None) for name in SOLVERS if name not in here)
    for puzzle in load(TEN):
        yield puzzle.id, _rows, puzzle, here, args


def _rows(puzzle: Puzzle, solvers: list[str], args: Args) -> list[Row]:
    ways = {name: {"solver": name} for name in solvers}
    found = compared(puzzle, ways, args.repeat, args.time_limit)
    return [row for own in found.values() for row in own]


def _comparison(rows: Rows) -> Comparison:
    """As it was when these rows were measured."""
    named = [dict(row) | {"configuration": row["solver"]} for row in rows]
    configurations = {
        row["solver"]: Configuration(
            row["solver"], row["solver"], row["exact"], row["presolve"], row["time_limit_s"]
        )
        for row in rows
    }
    instances = {puzzle.id: Instance(puzzle.id, puzzle) for puzzle in load(TEN)}
    there = [instances[name] for name in dict.fromkeys(row["instance"] for row in rows)]
    return comparison_of(there, configurations.values(), named)


BENCHMARKS = (
    Benchmark(
        "compare",
        _cases,
        tables={
            "compare": lambda rows: markdown(*instance_table(_comparison(rows))),
            "compare_totals": lambda rows: markdown(*total_table(_comparison(rows))),
        },
        images={"compare": lambda rows: draw(_comparison(rows), "svg")},
        packages=("ortools",),
    ),
)
SETTINGS = {"repeat": (5, "seeds of the annealers"), "time_limit": (10.0, "seconds a run")}
