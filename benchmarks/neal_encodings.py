"""What the encoding does to plain simulated annealing: domain-wall against one-hot.

    python benchmarks/neal_encodings.py [--seeds 10] [--sweeps 10000]

Solver ``neal``, formulation ``window``, one read a seed, the same sweeps for both
encodings (30 times as many for the last instance); an answer counts when the checker of
the rules accepts it. Failures are shown with the energy that they stopped at. The 20x20
picture is read from a local collection and left out, by name, where that is not at hand.
"""

from __future__ import annotations

import argparse
from statistics import median
from typing import Any

from instances import from_collection, noise_picture, smooth_picture
from qubopuzzle import Nonogram, solve
from qubopuzzle.solving.solve import ENCODINGS
from record import save, table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--sweeps", type=int, default=10_000)
    args = parser.parse_args()
    instances: list[tuple[str, Nonogram | None, int]] = [
        ("12x9 picture (nonogram-12x9)", Nonogram.examples()[1], 1),
        ("20x20 picture (webpbn-00006)", from_collection("nonogram.jsonl", "webpbn-00006"), 1),
        ("30x30 picture (smooth-30x30-1)", smooth_picture(30, 30), 1),
        ("40x40 picture (smooth-40x40-1)", smooth_picture(40, 40), 1),
        ("60x60 picture (smooth-60x60-1)", smooth_picture(60, 60), 1),
        ("30x30 noise (noise-30x30-1)", noise_picture(30, 30), 1),
        ("30x30 noise (noise-30x30-1)", noise_picture(30, 30), 30),
    ]
    rows = []
    for name, puzzle, longer in instances:
        if puzzle is None:
            print(f"left out, not at hand: {name}")
            continue
        for encoding in reversed(ENCODINGS):
            rows.append(_row(name, puzzle, encoding, args.seeds, longer * args.sweeps))
            print(rows[-1], flush=True)
    columns = ["instance", "encoding", "variables", "couplings", "sweeps", "solved"]
    columns += ["energy", "s a read"]
    save("neal_encodings", rows, table(columns, [_cells(row) for row in rows]))


def _row(name: str, puzzle: Nonogram, encoding: str, seeds: int, sweeps: int) -> dict[str, Any]:
    results = [
        solve(puzzle, "neal", encoding=encoding, reads=1, seed=s, options={"sweeps": sweeps})
        for s in range(seeds)
    ]
    return {
        "instance": name,
        "encoding": encoding,
        "seeds": list(range(seeds)),
        "sweeps": sweeps,
        **results[0].sizes,
        "solved": sum(result.valid for result in results),
        "energies": [result.energy for result in results],
        "solve_s": [result.timings_s["solve"] for result in results],
    }


def _cells(row: dict[str, Any]) -> list[str]:
    return [
        row["instance"],
        row["encoding"],
        f"{row['variables']:,}",
        f"{row['couplings']:,}",
        f"{row['sweeps']:,}",
        f"{row['solved']} of {len(row['seeds'])}",
        f"{median(row['energies']):g} ({min(row['energies']):g})",
        f"{median(row['solve_s']):.2f}",
    ]


if __name__ == "__main__":
    main()
