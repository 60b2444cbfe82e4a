"""Hints from the empty board to the end: how many steps, how wide, and how long each takes.

Twenty generated boards of the usual size of each kind. Every step is checked apart, by a
fresh solver of another family: its reasons and the marks that it names leave its cells these
values. No cell is decided twice, and the last board obeys the rules. One table: hints, with the
ten easier and the ten harder boards of each kind apart.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from statistics import median
from typing import Any

import numpy as np

from data.instances import GENERATED
from harness import Args, Benchmark, Cases, Row, Rows, table
from qubopuzzle import Puzzle, generate, load, steps
from qubopuzzle.compile.oracle import Oracle
from qubopuzzle.model import TRUE
from qubopuzzle.puzzles import puzzle_names
from qubopuzzle.puzzles.generator import find_generator
from qubopuzzle.reasons.difficulty import Difficulty

BOARDS, SEED = 20, 45
BACKEND = "glucose4"


def _cases(_: Args) -> Cases:
    for name in puzzle_names():
        shape = find_generator(name).usual
        boards = [each for each in load(GENERATED / f"{name}.jsonl") if each.shape == shape]
        if missing := max(BOARDS - len(boards), 0):
            boards += generate(name, count=missing, seed=SEED)
        for puzzle in boards[:BOARDS]:
            yield puzzle.id, _row, puzzle


def _row(puzzle: Puzzle) -> Row:
    widths, seconds, marks = [], [], {}
    chains = decided = minimal = 0
    steps(puzzle).__next__()  # kernels and imports
    with Oracle(puzzle.stated_on_board(), backend=BACKEND) as oracle:
        board = _shown(oracle, puzzle)
        started = time.perf_counter()
        for step in steps(puzzle):
            seconds.append(time.perf_counter() - started)
            assert step.cells
            assert not step.cells.keys() & marks.keys()
            known = {cell: (board | marks)[cell] for cell in step.because}
            for cell, value in step.cells.items():
                assert _entails(oracle, puzzle, step.statements, known, cell, value), step.text
            marks |= step.cells
            decided += len(step.cells)
            widths.append(step.width)
            chains += bool(step.chain) and step.width > 1
            minimal += step.is_minimal
            started = time.perf_counter()
    answer = np.zeros(puzzle.shape, dtype=np.int64)
    for cell, value in (board | marks).items():
        answer[cell] = value
    assert puzzle.violations(answer) == []
    return {
        "puzzle": puzzle.name,
        "id": puzzle.id,
        "size": "x".join(map(str, puzzle.shape)),
        "steps": len(widths),
        "cells": decided,
        "widths": widths,
        "chains": chains,
        "minimal": minimal,
        "first_s": seconds[0],
        "slowest_s": max(seconds),
        "all_s": sum(seconds),
    }


def _shown(oracle: Oracle, puzzle: Puzzle) -> dict[tuple[int, ...], int]:
    """What the grid and the givens say by themselves."""
    stated: Any = oracle.stated
    given = [s.literal for s in stated.statements if s.is_clue and s.literal is not None]
    shown = np.argwhere(np.isin(stated.literals, [TRUE, *given]))
    return {divmod(cell, puzzle.shape[1]): int(stated.values[at]) for cell, at in shown.tolist()}


def _entails(
    oracle: Oracle,
    puzzle: Puzzle,
    statements: tuple[int, ...],
    known: Mapping[tuple[int, ...], int],
    cell: tuple[int, ...],
    value: int,
) -> bool:
    """Whether statements and marks leave a cell one value."""
    stated: Any = oracle.stated

    def variable(cell: tuple[int, ...], value: int) -> int:
        (place,) = np.flatnonzero(stated.values == value)
        return oracle.variable(int(stated.literals[cell[0] * puzzle.shape[1] + cell[1], place]))

    marks = [variable(*mark) for mark in known.items()]
    return oracle.solve(statements, [*marks, -variable(cell, value)]) is None


def _table(rows: Rows) -> str:
    names = dict.fromkeys(row["puzzle"] for row in rows)
    return table(COLUMNS, [_kind([row for row in rows if row["puzzle"] == n]) for n in names])


def _kind(rows: Rows) -> Row:
    widths = [width for row in rows for width in row["widths"]]
    rows = sorted(rows, key=_difficulty)
    half = len(rows) // 2
    return {
        "puzzle": rows[0]["puzzle"],
        "size": rows[0]["size"],
        "boards": len(rows),
        "steps": median(row["steps"] for row in rows),
        "cells": median(row["cells"] for row in rows),
        "minimal": sum(row["minimal"] for row in rows) / len(widths),
        "single": sum(width <= 1 for width in widths) / len(widths),
        "easier": _span([max(row["widths"]) for row in rows[:half]]),
        "harder": _span([max(row["widths"]) for row in rows[half:]]),
        "chains": sum(row["chains"] for row in rows) / max(1, sum(w > 1 for w in widths)),
        "first_s": median(row["first_s"] for row in rows),
        "easier_s": max(row["slowest_s"] for row in rows[:half]),
        "harder_s": max(row["slowest_s"] for row in rows[half:]),
        "all_s": median(row["all_s"] for row in rows),
    }


def _difficulty(row: Row) -> Difficulty:
    return Difficulty(max(row["widths"]), sum(row["widths"]), row["steps"])


def _span(numbers: list[int]) -> str:
    return f"{min(numbers)} to {max(numbers)}"


COLUMNS = {
    "puzzle": "{puzzle}",
    "size": "{size}",
    "boards": "{boards}",
    "steps": "{steps:g}",
    "cells": "{cells:g}",
    "by one clue or rule": "{single:.0%}",
    "proved minimal": "{minimal:.0%}",
    "hardest step, easier half": "{easier}",
    "harder half": "{harder}",
    "of several a chain": "{chains:.0%}",
    "first step, s": "{first_s:.2f}",
    "slowest step, s, easier half": "{easier_s:.2f}",
    "harder half, s": "{harder_s:.2f}",
    "all steps, s": "{all_s:.1f}",
}

BENCHMARKS = (Benchmark("hints", _cases, {"hints": _table}),)
