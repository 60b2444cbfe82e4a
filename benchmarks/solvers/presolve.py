"""What presolving does for the annealer: none, propagation, probing before or in turns with it.

The two largest sizes of each puzzle in `generated/`, the annealer's default formulation (what it
refuses is left out), several seeds with a time limit each, one thread. Seconds are those of
building, solving and judging together, without imports and kernels. A run that ends without a
valid answer counts as endless. One table: presolve.
"""

from __future__ import annotations

from math import inf
from statistics import median

from data.instances import GENERATED
from harness import Args, Benchmark, Cases, Row, Rows, Ways, compared, grouped, markdown, median_s
from qubopuzzle import Puzzle, QubopuzzleError, load
from qubopuzzle.puzzles import puzzle_names

WAYS: Ways = {how: {"presolve": how} for how in ("none", "propagate", "probe", "interleave")}
SIZES = 2


def cases(args: Args) -> Cases:
    for kind in puzzle_names():
        puzzles = load(GENERATED / f"{kind}.jsonl")
        largest = sorted({puzzle.cells for puzzle in puzzles})[-SIZES:]
        for puzzle in sorted(puzzles, key=lambda p: p.cells):
            if puzzle.cells in largest and is_annealed(puzzle):
                yield f"{kind}, {puzzle.id}", runs, puzzle, args.seeds, args.time_limit


def is_annealed(puzzle: Puzzle) -> bool:
    try:
        puzzle.model(puzzle.formulation_for(cuts=False))
    except QubopuzzleError:  # too large for the formulation
        return False
    return True


def runs(puzzle: Puzzle, seeds: int, time_limit: float, ways: Ways = WAYS) -> list[Row]:
    """A row a way."""
    found = compared(
        puzzle, {how: {"solver": "annealer", **own} for how, own in ways.items()}, seeds, time_limit
    )
    size = "x".join(map(str, puzzle.shape))
    return [
        {
            "puzzle": puzzle.name,
            "id": puzzle.id,
            "size": size,
            "how": how,
            "runs": [*map(_run, own)],
        }
        for how, own in found.items()
    ]


def _run(row: Row) -> Row:
    seconds = row["seconds"] if row["solved"] else None
    return {"seconds": seconds, "energy": row["energy"], "literals": row["sizes"]["variables"]}


def show(rows: Rows) -> str:
    lines, ways = [], list(grouped(rows, "how"))
    for (kind, size), own in grouped(rows, "puzzle", "size").items():
        groups = list(grouped(own, "how").values())
        line = [kind, size, str(len(groups[0]))]
        for group in groups:
            seconds = [run["seconds"] for row in group for run in row["runs"]]
            solved = f"{len(seconds) - seconds.count(None)} of {len(seconds)}"
            literals = median(run["literals"] for row in group for run in row["runs"])
            typical = median_s(seconds)
            line += [f"{literals:,.0f}", solved, "-" if typical == inf else f"{typical:.3f}"]
        lines.append(line)
    heads = ["puzzle", "size", "instances"]
    for (how,) in ways:
        heads += [f"{how}: literals", "solved", "median s"]
    failed = [
        f"{row['id']} with {row['how']}: {misses} of {len(row['runs'])}"
        for row in rows
        if (misses := sum(run["seconds"] is None for run in row["runs"]))
    ]
    return f"{markdown(heads, lines)}\n\nNot solved: {'; '.join(failed) or 'none'}."


BENCHMARKS = (Benchmark("presolve", cases, {"presolve": show}),)
SETTINGS = {"seeds": (3, "runs an instance"), "time_limit": (5.0, "seconds a run")}
