"""Make the puzzles of `generated/`, which the benchmarks and tests use; always the same.

A file a puzzle, and `frontier` with those that are hard for annealing; five boards a size, or
twenty of the usual one, each with one solution, proved by `sat`. Nothing in them comes from
elsewhere. They stay the same while this package, numpy and PySAT do.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from data.instances import GENERATED
from qubopuzzle.base.writing import write_whole
from qubopuzzle.files.puzzles import write_text
from qubopuzzle.puzzles import get_puzzle, puzzle_names
from qubopuzzle.puzzles.generator import find_generator
from qubopuzzle.reasons.generate import Order, generate_each

SEED = 2026
Part = tuple[str, tuple[int, int], int, dict[str, int], str]
"""A puzzle, rows and columns, how many, options, and what is put behind the id."""


def squares(name: str, *sizes: int, ending: str = "", **options: int) -> list[Part]:
    return [(name, (n, n), 5, options, ending) for n in sizes]


SETS: dict[str, list[Part]] = {
    "nonogram": squares("nonogram", 10, 15, 20, 30, 40),
    "sudoku": squares("sudoku", 4, 6, 9, 12, 16),
    "heyawake": squares("heyawake", 6, 8, 10, 12, 15),
    "hitori": squares("hitori", 5, 8, 10, 12, 15),
    "kurodoko": squares("kurodoko", 6, 9, 11, 13),
    "easyasabc": [
        *squares("easyasabc", 4, 5, letters=3),
        *squares("easyasabc", 6, 8, letters=4),
    ],
    "numberlink": [
        part
        for n in (5, 6, 7, 8, 10)
        for cover, ending in ((1, ""), (0, "-free"))
        for part in squares("numberlink", n, ending=ending, cover=cover)
    ],
    "frontier": [
        *(("heyawake", size, 5, {}, "") for size in ((13, 13), (10, 18), (17, 17), (14, 24))),
        *squares("kurodoko", 17),
        *squares("numberlink", 12, 15),
        ("sudoku", (25, 25), 1, {}, ""),
    ],
}
"""By file."""
SETS |= {
    name: [(name, find_generator(name).usual, 20, {}, "")]
    for name in puzzle_names()
    if name not in SETS and get_puzzle(name).generator
}


def main(argv: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", metavar="FILE", help="these (default: all)")
    names = parser.parse_args(argv).files or list(SETS)
    GENERATED.mkdir(exist_ok=True)
    for name in names:
        puzzles = []
        for kind, size, count, options, ending in SETS[name]:
            asked = Order(kind, size=size, seed=SEED, count=count, options=options, anneal=False)
            made = [each.puzzle for each in generate_each(asked)]
            puzzles += [replace(puzzle, id=puzzle.id + ending) for puzzle in made]
            print(f"{kind} {size[0]} x {size[1]}{ending}: {len(made)}", flush=True)
        write_whole(GENERATED / f"{name}.jsonl", write_text(puzzles, "json").encode())
