"""Makes examples/ten.jsonl, the instances of the README's comparison.

Usage: python benchmarks/ten.py. How many solutions each has is proved, not assumed.
"""

from __future__ import annotations

from dataclasses import replace

from instances import noise_picture, smooth_picture
from qubopuzzle import Nonogram, load, solve
from qubopuzzle.files.puzzles import get_format
from qubopuzzle.files.writing import write_whole
from record import ROOT

native = get_format("json")

SWAPPED = "noise-15x15-swapped"


def main() -> None:
    noise = noise_picture(15, 15)
    # Two clues changed places, which leaves the sums and takes the solution away.
    swapped = (noise.rows[1], noise.rows[0], *noise.rows[2:])
    (piece,) = load(ROOT / "examples" / "puzzle-piece.json", "nonogram")
    ten = [
        *Nonogram.examples(),
        noise,
        Nonogram(rows=swapped, cols=noise.cols, id=SWAPPED),
        smooth_picture(20, 20),
        noise_picture(20, 20),
        piece,
        smooth_picture(30, 30),
        noise_picture(30, 30),
        smooth_picture(45, 60),
    ]
    text = native.write([_counted(puzzle) for puzzle in ten])
    write_whole(ROOT / "examples" / "ten.jsonl", text.encode())


def _counted(puzzle: Nonogram) -> Nonogram:
    """Without its solution, and marked 1 for one solution, 2 for several."""
    unique = solve(puzzle, "sat", solutions=2).unique
    found = {True: 1, False: 2}[unique] if puzzle.id != SWAPPED else None
    return replace(puzzle, solution=None, n_solutions=found)


if __name__ == "__main__":
    main()
