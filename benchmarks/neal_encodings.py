"""What the encoding does to plain simulated annealing: domain-wall against one-hot.

    python benchmarks/neal_encodings.py [--seeds 10] [--sweeps 10000]

Solver ``neal``, formulation ``window``, one read a seed, the same sweeps for both
encodings (30 times as many for the last instance); an answer counts when the checker of
the rules accepts it. Failures are shown with the energy that they stopped at. The 20x20
picture is read from a local collection and left out, by name, where that is not at hand.
"""

from __future__ import annotations

from statistics import median

from instances import collected, noise_picture, smooth_picture
from qubopuzzle import Nonogram, solve
from qubopuzzle.compile import ENCODINGS
from record import Args, Benchmark, Cases, Row, main


def _cases(args: Args) -> Cases:
    instances: list[tuple[str, Nonogram | None, int]] = [
        ("12x9 picture (nonogram-12x9)", Nonogram.examples()[1], 1),
        ("20x20 picture (webpbn-00006)", collected("webpbn-00006"), 1),
        ("30x30 picture (smooth-30x30-1)", smooth_picture(30, 30), 1),
        ("40x40 picture (smooth-40x40-1)", smooth_picture(40, 40), 1),
        ("60x60 picture (smooth-60x60-1)", smooth_picture(60, 60), 1),
        ("30x30 noise (noise-30x30-1)", noise_picture(30, 30), 1),
        ("30x30 noise (noise-30x30-1)", noise_picture(30, 30), 30),
    ]
    for name, puzzle, longer in instances:
        for encoding in reversed(ENCODINGS):
            sweeps = longer * args.sweeps
            label = f"{name}, {encoding}, {sweeps:,} sweeps"
            yield label, _row, puzzle, name, encoding, args.seeds, sweeps


def _row(puzzle: Nonogram, name: str, encoding: str, seeds: int, sweeps: int) -> Row:
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


COLUMNS = {
    "instance": "{instance}",
    "encoding": "{encoding}",
    "variables": "{variables:,}",
    "couplings": "{couplings:,}",
    "sweeps": "{sweeps:,}",
    "solved": lambda row: f"{row['solved']} of {len(row['seeds'])}",
    "energy": lambda row: f"{median(row['energies']):g} ({min(row['energies']):g})",
    "s a read": lambda row: f"{median(row['solve_s']):.2f}",
}
BENCHMARKS = (Benchmark("neal_encodings", _cases, {"neal_encodings": COLUMNS}),)
SETTINGS = {"seeds": (10, "reads of each"), "sweeps": (10_000, "of a read")}

if __name__ == "__main__":
    main(__doc__, BENCHMARKS, SETTINGS)
