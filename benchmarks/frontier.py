"""Two nonograms that no solver of an old survey solved: how far annealing comes in ten minutes.

    python benchmarks/frontier.py [--minutes 10] [--seed 1]

One thread. The energy is the number of cells on which the picture painted by the rows and
the one painted by the columns differ; 0 would be a solution.
"""

from __future__ import annotations

import argparse

from instances import from_collection
from qubopuzzle import solve
from record import save, table

FRONTIER = ("knotty", "faase")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rows = []
    for name in FRONTIER:
        puzzle = from_collection("nonogram.jsonl", name)
        if puzzle is None:
            print(f"{name}: the collection is not at hand")
            continue
        result = solve(puzzle, "annealer", seed=args.seed, time_limit=60 * args.minutes)
        rows.append(
            {
                "id": name,
                "shape": list(puzzle.shape),
                "seed": args.seed,
                "reads": result.reads,
                "solved": result.valid,
                "energy": result.energy,
                "literals": result.sizes["variables"],
                "solve_s": result.timings_s["solve"],
            }
        )
        print(rows[-1], flush=True)
    columns = ["instance", "size", "literals", "reads", "s", "best energy", "solved"]
    cells = [
        [
            row["id"],
            "x".join(map(str, row["shape"])),
            f"{row['literals']:,}",
            str(row["reads"]),
            f"{row['solve_s']:.0f}",
            f"{row['energy']:g}",
            "yes" if row["solved"] else "no",
        ]
        for row in rows
    ]
    save("frontier", rows, table(columns, cells))


if __name__ == "__main__":
    main()
