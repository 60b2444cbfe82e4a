"""What presolving does for the annealer: none, propagation, failed-literal probing.

The two largest sizes of each puzzle in `generated/`, the annealer's default formulation (what it
refuses is left out), several seeds with a time limit each, one thread. Seconds are those of
presolving, compiling, solving and judging together, without imports and kernels; the limit is on
solving. A run that ends without a valid answer counts as endless. One table: presolve.

Usage: python benchmarks/presolve.py [--seeds N] [--time-limit S] [--only TEXT ...]
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from statistics import median
from typing import Any

from instances import GENERATED, warm_up
from qubopuzzle import Puzzle, QubopuzzleError, load, solve
from qubopuzzle.puzzles import puzzle_names
from qubopuzzle.solving.settings import PRESOLVES
from record import Args, Benchmark, Cases, Row, Rows, grouped, main, markdown, median_s

Ways = Mapping[str, Mapping[str, Any]]
"""Settings of ``solve`` by what the tables call them."""
WAYS: Ways = {how: {"presolve": how} for how in PRESOLVES}
STAGES = ("presolve", "compile", "solve", "decode")
SIZES = 2


def cases(args: Args) -> Cases:
    for how in PRESOLVES:
        warm_up("annealer", presolve=how)
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
    """A row a way; they take turns, so that a busy minute is everyone's."""
    found: dict[str, list[Row]] = {how: [] for how in ways}
    for seed in range(seeds):
        for how, own in found.items():
            result = solve(puzzle, "annealer", seed=seed, time_limit=time_limit, **ways[how])
            seconds = sum(map(result.timings_s.__getitem__, STAGES))
            own.append(
                {
                    "seconds": seconds if result.valid else None,
                    "energy": result.energy,
                    "literals": result.sizes["variables"],
                    "presolve": result.presolve,
                }
            )
    size = "x".join(map(str, puzzle.shape))
    return [
        {"puzzle": puzzle.name, "id": puzzle.id, "size": size, "how": how, "runs": own}
        for how, own in found.items()
    ]


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

if __name__ == "__main__":
    main(
        __doc__,
        BENCHMARKS,
        {"seeds": (3, "runs an instance"), "time_limit": (5.0, "seconds a run")},
    )
