"""How long the generator takes: 20 puzzles of each kind, each proved by two solvers.

Each row is one command, `qubopuzzle generate`, from its start to its end, in as many processes as
it takes by default, up to the machine's cores: 20 puzzles of the usual size, each proved unique by
`sat` and confirmed by `cpsat`. Every puzzle is read back and its solution judged. One table:
generation.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness import Args, Benchmark, Cases, Row, Rows, table
from qubopuzzle import load
from qubopuzzle.puzzles import puzzle_names
from qubopuzzle.puzzles.generator import find_generator


def _cases(args: Args) -> Cases:
    _timed("nonogram", args.seed, ["--size", "5x5"])  # compiles the kernels, once a machine
    for name in puzzle_names():
        yield name, _timed, name, args.seed, ["--count", str(args.count)]


def _timed(name: str, seed: int, more: list[str]) -> Row:
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
    hardest = [re.search(r"by up to (\d+) clues", line) for line in done.stderr.splitlines()]
    return {
        "puzzle": name,
        "size": "x".join(map(str, puzzles[0].shape)),
        "seed": seed,
        "made": len(puzzles),
        "unique": sum(puzzle.n_solutions == 1 for puzzle in puzzles),
        "clues": [find_generator(name).clues(puzzle) for puzzle in puzzles],
        "hardest": [int(match[1]) if match else 1 for match in hardest],
        "seconds": seconds,
    }


def _span(numbers: list[int]) -> str:
    return f"{min(numbers)} to {max(numbers)}"


COLUMNS = {
    "puzzle": "{puzzle}",
    "size": "{size}",
    "made": "{made}",
    "proved unique": "{unique}",
    "clues": lambda row: _span(row["clues"]) if max(row["clues"]) else "all",
    "clues and rules of the hardest step": lambda row: _span(row["hardest"]),
    "seconds": "{seconds:.1f}",
}


def _usual(rows: Rows) -> str:
    together = ["together", *[""] * 5, f"{sum(row['seconds'] for row in rows):.1f}"]
    return f"{table(COLUMNS, rows)}\n| {' | '.join(together)} |"


BENCHMARKS = (Benchmark("generation", _cases, {"generation": _usual}, packages=("ortools",)),)
SETTINGS = {"count": (20, "puzzles of each kind"), "seed": (1, "of the first")}
