"""Make the puzzles of `generated/`, which the benchmarks and tests use; always the same.

A file a puzzle, five boards a size, each with one solution, proved by `sat`. Nothing in
them comes from elsewhere. They stay the same while this package, numpy and PySAT do.

Usage: python benchmarks/generated.py [PUZZLE ...]
"""

from __future__ import annotations

import argparse
from dataclasses import replace

from instances import GENERATED
from qubopuzzle import write_text
from qubopuzzle.files.writing import write_whole
from qubopuzzle.generation.generate import Order, generate_each

SEED = 2026
COUNT = 5
SETS: dict[str, list[tuple[int, dict[str, int], str]]] = {
    "nonogram": [(n, {}, "") for n in (10, 15, 20, 30, 40)],
    "sudoku": [(n, {}, "") for n in (4, 6, 9, 12, 16)],
    "heyawake": [(n, {}, "") for n in (6, 8, 10, 12, 15)],
    "hitori": [(n, {}, "") for n in (5, 8, 10, 12, 15)],
    "kurodoko": [(n, {}, "") for n in (6, 9, 11, 13)],
    "easyasabc": [(n, {"letters": m}, "") for n, m in ((4, 3), (5, 3), (6, 4), (8, 4))],
    "numberlink": [
        (n, {"cover": cover}, ending)
        for n in (5, 6, 7, 8, 10)
        for cover, ending in ((1, ""), (0, "-free"))
    ],
}
"""Rows and columns, options, and what is put behind the id."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("puzzles", nargs="*", metavar="PUZZLE", help="these (default: all)")
    names = parser.parse_args().puzzles or list(SETS)
    GENERATED.mkdir(exist_ok=True)
    for name in names:
        puzzles = []
        for n, options, ending in SETS[name]:
            asked = Order(name, size=(n, n), seed=SEED, count=COUNT, options=options, anneal=False)
            made = [each.puzzle for each in generate_each(asked)]
            puzzles += [replace(puzzle, id=puzzle.id + ending) for puzzle in made]
            print(f"{name} {n} x {n}{ending}: {len(made)}", flush=True)
        write_whole(GENERATED / f"{name}.jsonl", write_text(puzzles, "json").encode())


if __name__ == "__main__":
    main()
