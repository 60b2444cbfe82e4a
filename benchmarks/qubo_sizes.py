"""How large the QUBOs are, by puzzle, size, formulation and encoding.

The first instance of each size of `generated/`; nothing is solved. One table: qubo_sizes.

Usage: python benchmarks/qubo_sizes.py
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from itertools import chain
from typing import Any

from instances import GENERATED
from qubopuzzle import Nonogram, Puzzle, load
from qubopuzzle.solving.info import QuboSize, describe
from record import save, table

PUZZLES = ("sudoku", "heyawake", "hitori", "kurodoko", "easyasabc", "numberlink")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.parse_args()
    puzzles = [*Nonogram.examples(), *chain.from_iterable(map(_of_each_size, PUZZLES))]
    found = [(puzzle, size) for puzzle in puzzles for size in describe(puzzle) if _local(size)]
    records = [{"id": puzzle.id, "puzzle": puzzle.name, **asdict(size)} for puzzle, size in found]
    columns = ["puzzle", "instance", "formulation", "encoding", "variables", "couplings"]
    columns += ["coefficients", "free plan"]
    save("qubo_sizes", records, table(columns, [_row(puzzle, size) for puzzle, size in found]))


def _of_each_size(name: str) -> list[Puzzle]:
    first: dict[Any, Puzzle] = {}
    for puzzle in load(GENERATED / f"{name}.jsonl"):
        first.setdefault(puzzle.shape, puzzle)
    return [first[shape] for shape in sorted(first, key=lambda shape: (shape[0] * shape[1], shape))]


def _local(size: QuboSize) -> bool:
    """Not the formulations for solvers that cut."""
    return "has no form for" not in size.refused


def _row(puzzle: Puzzle, size: QuboSize) -> list[str]:
    start = [puzzle.name, puzzle.id, size.formulation, size.encoding]
    if size.total is None:
        return [*start, "refused", "", "", ""]
    least, greatest = size.total.least_coefficient, size.total.greatest_coefficient
    fits = "yes" if size.fits_free_plan else "no"
    numbers = [f"{size.variables:,}", f"{size.total.couplings:,}", f"{least:g} to {greatest:g}"]
    return [*start, *numbers, fits]


if __name__ == "__main__":
    main()
