"""Makes examples/ten.jsonl, the instances of the README's comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from data.instances import noise_picture, smooth_picture
from harness import ROOT
from qubopuzzle import Nonogram, load, solve
from qubopuzzle.base.writing import write_whole
from qubopuzzle.files.puzzles import write_text


def main(_: Sequence[str]) -> None:
    noise = noise_picture(15, 15)
    # Two clues changed places, which leaves the sums and takes the solution away.
    swapped = (noise.rows[1], noise.rows[0], *noise.rows[2:])
    (piece,) = load(ROOT / "examples" / "puzzle-piece.json", "nonogram")
    ten = [
        *Nonogram.examples(),
        noise,
        Nonogram(rows=swapped, cols=noise.cols, id="noise-15x15-swapped"),
        smooth_picture(20, 20),
        noise_picture(20, 20),
        piece,
        smooth_picture(30, 30),
        noise_picture(30, 30),
        smooth_picture(45, 60),
    ]
    text = write_text([_counted(puzzle) for puzzle in ten], "json")
    write_whole(ROOT / "examples" / "ten.jsonl", text.encode())


def _counted(puzzle: Nonogram) -> Nonogram:
    """Without its solution, and marked 1 for one solution, 2 for several."""
    proof = solve(puzzle, "sat", solutions=2)
    found = (1 if proof.unique else 2) if proof.valid else None
    return replace(puzzle, solution=None, n_solutions=found)
