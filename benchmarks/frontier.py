"""Two nonograms that no solver of an old survey solved: how far annealing comes in ten minutes.

    python benchmarks/frontier.py [--minutes 10] [--seed 1]

One thread. The energy is the number of cells on which the picture painted by the rows and
the one painted by the columns differ; 0 would be a solution.
"""

from __future__ import annotations

from instances import collected
from qubopuzzle import Nonogram, solve
from record import Args, Benchmark, Cases, Row, main

FRONTIER = ("knotty", "faase")


def _cases(args: Args) -> Cases:
    for name in FRONTIER:
        yield name, _row, collected(name), args.seed, 60 * args.minutes


def _row(puzzle: Nonogram, seed: int, seconds: float) -> Row:
    result = solve(puzzle, "annealer", seed=seed, time_limit=seconds)
    return {
        "id": puzzle.id,
        "shape": list(puzzle.shape),
        "seed": seed,
        "reads": result.reads,
        "solved": result.valid,
        "energy": result.energy,
        "literals": result.sizes["variables"],
        "solve_s": result.timings_s["solve"],
    }


COLUMNS = {
    "instance": "{id}",
    "size": lambda row: "x".join(map(str, row["shape"])),
    "literals": "{literals:,}",
    "reads": "{reads}",
    "s": "{solve_s:.0f}",
    "best energy": "{energy:g}",
    "solved": lambda row: "yes" if row["solved"] else "no",
}
BENCHMARKS = (Benchmark("frontier", _cases, {"frontier": COLUMNS}),)

if __name__ == "__main__":
    main(__doc__, BENCHMARKS, {"minutes": (10.0, "minutes a run"), "seed": (1, "of the run")})
