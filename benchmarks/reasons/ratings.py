"""Difficulty against published ratings: rank correlations of what ``generate`` measures.

LISTS is a folder of lists, or one of them: in each line the rating of a puzzle and, behind a blank,
the puzzle in any form that ``load`` takes. Lists are not part of this project. Spearman's rho of
the ratings and each measure, with an interval that holds 95 % of 2,000 bootstrap samples (BCa):
the difficulty (the hardest step, then the reasons of all steps), each of these by itself, the
number of steps, the conflicts of MiniSat in proving that there is no second solution, and the
cells. One table: ratings.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from pysat.solvers import Solver
from scipy.stats import bootstrap, rankdata

from harness import Args, Benchmark, Cases, Row, Rows, grouped, table
from qubopuzzle import Puzzle, load
from qubopuzzle.compile.cnf import compile_cnf
from qubopuzzle.reasons.difficulty import Difficulty, measure

MEASURES = ("hardest", "reasons", "steps", "conflicts", "cells")
RESAMPLES = 2_000


def _cases(args: Args) -> Cases:
    lists = sorted(args.LISTS.glob("*.txt")) if args.LISTS.is_dir() else [args.LISTS]
    for path in lists:
        if not path.exists():
            yield str(path), None
            continue
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            rating, puzzle = line.split(maxsplit=1)
            yield f"{path.stem} {number}", _row, path.stem, number, float(rating), puzzle


def _row(name: str, number: int, rating: float, text: str) -> Row:
    (puzzle,) = load(text)
    assert isinstance(puzzle, Puzzle)
    started = time.perf_counter()
    found = measure(puzzle)
    seconds = time.perf_counter() - started
    return {
        "list": name,
        "number": number,
        "rating": rating,
        "cells": puzzle.cells,
        "hardest": found.hardest,
        "reasons": found.reasons,
        "steps": found.steps,
        "conflicts": _conflicts(puzzle),
        "seconds": seconds,
    }


def _conflicts(puzzle: Puzzle) -> int:
    """Of a solver that does nothing before and between its searches."""
    formula = compile_cnf(puzzle.model(puzzle.formulation_for(cuts=True)))
    with Solver("cadical153", bootstrap_with=formula.clauses()) as solver:
        assert solver.solve()
        first = solver.get_model()[: formula.bits.n_bits]
    with Solver(
        "minisat22", bootstrap_with=[*formula.clauses(), [-bit for bit in first]]
    ) as others:
        assert not others.solve()
        return int(others.accum_stats()["conflicts"])


def _list(rows: Rows) -> Row:
    ratings = np.array([row["rating"] for row in rows])
    found = {"list": rows[0]["list"], "puzzles": len(rows)}
    found["ratings"] = f"{ratings.min():g} to {ratings.max():g}"
    ways = [Difficulty(row["hardest"], row["reasons"], row["steps"]) for row in rows]
    order = sorted(set(ways))
    values = {name: [row[name] for row in rows] for name in MEASURES}
    for name, numbers in {"difficulty": [*map(order.index, ways)], **values}.items():
        found[name] = _correlation(ratings, np.array(numbers))
    found["median_s"] = float(np.median([row["seconds"] for row in rows]))
    return found


def _correlation(ratings: np.ndarray, values: np.ndarray) -> str:
    """Spearman's rho and its interval."""
    if len({*values.tolist()}) == 1:
        return "none"

    def rho(x: np.ndarray, y: np.ndarray, axis: int = -1) -> np.ndarray:
        """The same of many samples at once, (..., puzzles) each."""
        ranks = (rankdata(each, axis=axis) for each in (x, y))
        a, b = (each - each.mean(axis=axis, keepdims=True) for each in ranks)
        product = (a * b).sum(axis=axis)
        return product / np.sqrt((a * a).sum(axis=axis) * (b * b).sum(axis=axis))

    interval = bootstrap(
        (ratings, values),
        rho,
        n_resamples=RESAMPLES,
        paired=True,
        vectorized=True,
        rng=np.random.default_rng(0),
    ).confidence_interval
    return f"{rho(ratings, values):.2f} ({interval.low:.2f} to {interval.high:.2f})"


def _table(rows: Rows) -> str:
    return table(COLUMNS, [_list(group) for group in grouped(rows, "list").values()])


def _column(name: str) -> Callable[[Row], str]:
    return lambda row: row[name]


COLUMNS = {
    "list": "{list}",
    "puzzles": "{puzzles}",
    "ratings": "{ratings}",
    **{name: _column(name) for name in ("difficulty", *MEASURES)},
    "s, median": "{median_s:.2f}",
}

BENCHMARKS = (Benchmark("ratings", _cases, {"ratings": _table}),)
SETTINGS = {"LISTS": (Path("rated"), "a folder of lists, or one list")}
