"""How long the generator takes: 20 puzzles of each kind, each proved by two solvers.

Each row is one command, `qubopuzzle generate`, from its start to its end, in one process: 20
puzzles of the usual size, each proved unique by `sat` and confirmed by `cpsat`; then Easy as
ABC at larger sizes, one by one. Every puzzle is read back and its solution judged. Two tables:
generation and generation_large.

Usage: python benchmarks/generation.py [--usual] [--count N] [--seed N]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from qubopuzzle import Puzzle, load
from record import save, table

PUZZLES = ("nonogram", "sudoku", "heyawake", "hitori", "kurodoko", "easyasabc", "numberlink")
LARGE = (("8x8", 10), ("10x10", 5))
"""Easy as ABC with 4 letters: size and how many."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--usual", action="store_true", help="the first table only")
    args = parser.parse_args()
    _timed("nonogram", args.seed, ["--size", "5x5"])  # compiles the kernels, once a machine
    rows = [_timed(name, args.seed, ["--count", str(args.count)]) for name in PUZZLES]
    total = {"puzzle": "together", "seconds": sum(row["seconds"] for row in rows)}
    save("generation", rows, table(*_usual([*rows, total])), ("ortools",))
    if args.usual:
        return
    rows = [
        _timed("easyasabc", args.seed + number, ["--size", size, "--option", "letters=4"])
        for size, count in LARGE
        for number in range(count)
    ]
    save("generation_large", rows, table(*_large(rows)), ("ortools",))


def _timed(name: str, seed: int, more: list[str]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "made.jsonl"
        arguments = ["generate", name, "--seed", str(seed), "--confirm", "cpsat", *more]
        started = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "qubopuzzle", *arguments, "-o", str(file)],
            check=True,
            capture_output=True,
            text=True,
        )
        seconds = time.perf_counter() - started
        puzzles = load(file)  # a wrong solution is refused
    levels = [line.split(": ")[1] for line in done.stderr.splitlines()]
    row = {
        "puzzle": name,
        "size": "x".join(map(str, puzzles[0].shape)),
        "seed": seed,
        "made": len(puzzles),
        "unique": sum(puzzle.n_solutions == 1 for puzzle in puzzles),
        "clues": [_clues(puzzle) for puzzle in puzzles],
        "levels": [levels.count(level) for level in ("easy", "medium", "hard")],
        "seconds": seconds,
    }
    print(row, flush=True)
    return row


def _clues(puzzle: Puzzle) -> int:
    """Numbers and letters that are shown."""
    data = puzzle.to_dict()
    shown = [data.get(key, ()) for key in ("grid", "clues", "top", "bottom", "left", "right")]
    flat = [value for part in shown for value in part]
    cells = [v for value in flat for v in (value if isinstance(value, list) else [value])]
    zero = puzzle.name == "heyawake"  # where 0 is a clue
    return sum(value is not None and (zero or value != 0) for value in cells)


def _usual(rows: list[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    columns = ["puzzle", "size", "made", "proved unique", "clues", "easy, medium, hard", "seconds"]
    lines = []
    for row in rows:
        if "size" not in row:
            lines.append([row["puzzle"], *[""] * 5, f"{row['seconds']:.1f}"])
            continue
        clues = row["clues"]
        shown = f"{min(clues)} to {max(clues)}" if max(clues) else "all"
        levels = ", ".join(map(str, row["levels"]))
        made = [str(row["made"]), str(row["unique"]), shown, levels]
        lines.append([row["puzzle"], row["size"], *made, f"{row['seconds']:.1f}"])
    return columns, lines


def _large(rows: list[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    columns = ["Easy as ABC, 4 letters", "made", "clues", "seconds each", "the slowest"]
    lines = []
    for size, _ in LARGE:
        own = [row for row in rows if row["size"] == size]
        clues = [row["clues"][0] for row in own]
        seconds = sorted(row["seconds"] for row in own)
        shown = " ".join(f"{s:.1f}" for s in seconds)
        made = f"{sum(row['unique'] for row in own)} of {len(own)}"
        lines.append([size, made, f"{min(clues)} to {max(clues)}", shown, f"{seconds[-1]:.1f}"])
    return columns, lines


if __name__ == "__main__":
    main()
