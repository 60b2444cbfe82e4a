"""How large the QUBOs are, by puzzle, size, formulation and encoding.

The first instance of each size of `generated/`; nothing is solved. One table: qubo_sizes.
"""

from __future__ import annotations

from dataclasses import asdict
from itertools import chain
from typing import Any

from data.instances import GENERATED, PUZZLES
from harness import Args, Benchmark, Cases, Row, Rows, markdown
from qubopuzzle import Nonogram, Puzzle, load
from qubopuzzle.solving.info import info


def _cases(_: Args) -> Cases:
    others = [name for name in PUZZLES if name != "nonogram"]
    for puzzle in (*Nonogram.examples(), *chain.from_iterable(map(_of_each_size, others))):
        yield puzzle.id, _rows, puzzle


def _of_each_size(name: str) -> list[Puzzle]:
    first: dict[Any, Puzzle] = {}
    for puzzle in load(GENERATED / f"{name}.jsonl"):
        first.setdefault(puzzle.shape, puzzle)
    return [first[shape] for shape in sorted(first, key=lambda shape: (shape[0] * shape[1], shape))]


def _rows(puzzle: Puzzle) -> list[Row]:
    """Without the formulations for solvers that cut."""
    return [
        {"id": puzzle.id, "puzzle": puzzle.name, **asdict(size), "free_plan": size.fits_free_plan}
        for size in info(puzzle)
        if "has no form for" not in size.refused
    ]


def _cells(row: Row) -> list[str]:
    start = [row[key] for key in ("puzzle", "id", "formulation", "encoding")]
    total = row["total"]
    if total is None:
        return [*start, "refused", "", "", ""]
    coefficients = f"{total['least_coefficient']:g} to {total['greatest_coefficient']:g}"
    fits = "yes" if row["free_plan"] else "no"
    return [*start, f"{row['variables']:,}", f"{total['couplings']:,}", coefficients, fits]


def _table(rows: Rows) -> str:
    columns = ["puzzle", "instance", "formulation", "encoding", "variables", "couplings"]
    columns += ["coefficients", "free plan"]
    return markdown(columns, [_cells(row) for row in rows])


BENCHMARKS = (Benchmark("qubo_sizes", _cases, {"qubo_sizes": _table}),)
