"""Sudokus with 2 to 200 solutions: how long counting them takes, and all their candidates.

1,000 boards of nine by nine: cells of solved ones, which a seed draws. Of each the solutions are
counted, then enumerated by the solver ``clingo``, and the candidates have to be the values that
these have. One table: counts.
"""

from __future__ import annotations

from statistics import median

import numpy as np

from data.instances import GENERATED
from harness import Args, Benchmark, Cases, Row, Rows, table, timed
from qubopuzzle import Sudoku, candidates, count, load, solve

LEAST, MOST = 2, 200
EACH = 25
"""Boards of a case."""


def _cases(args: Args) -> Cases:
    solved = [each for each in load(GENERATED / "sudoku.jsonl") if each.shape == (9, 9)]
    for first in range(0, args.boards, EACH):
        seeds = range(first, min(first + EACH, args.boards))
        boards = [_board(solved[seed % len(solved)], seed) for seed in seeds]
        yield f"sudoku {seeds[0]} to {seeds[-1]}", _rows, boards


def _board(solved: Sudoku, seed: int) -> Sudoku:
    """Of a solved board 26 to 32 cells, such that there are some solutions, and not too many."""
    rng = np.random.default_rng(seed)
    while True:
        kept = rng.permutation(solved.cells)[: rng.integers(26, 33)]
        grid = np.zeros_like(solved.grid)
        grid.flat[kept] = solved.solution.flat[kept]
        board = Sudoku(grid, id=f"sudoku-{seed}")
        if LEAST <= count(board, MOST, within=None).least <= MOST:
            return board


def _rows(boards: list[Sudoku]) -> list[Row]:
    return [_row(board) for board in boards]


def _row(board: Sudoku) -> Row:
    count_s, n = timed(count, board)
    candidates_s, possible = timed(candidates, board)
    result = solve(board, "clingo", solutions=None)
    assert result.complete
    assert n == len(result.solutions)
    for cell, values in possible.items():
        assert {*values} == {int(grid[cell]) for grid in result.solutions}
    return {
        "id": board.id,
        "givens": int((board.grid > 0).sum()),
        "solutions": int(n),
        "values": sum(map(len, possible.values())),
        "count_s": count_s,
        "candidates_s": candidates_s,
    }


def _table(rows: Rows) -> str:
    seconds = {name: [row[f"{name}_s"] for row in rows] for name in ("count", "candidates")}
    counts = [row["solutions"] for row in rows]
    about = {
        "boards": len(rows),
        "solutions": f"{min(counts)} to {max(counts)}, median {median(counts):g}",
    }
    return table(
        COLUMNS,
        [
            about | {"what": name, "all": sum(each), "median": median(each), "slowest": max(each)}
            for name, each in seconds.items()
        ],
    )


COLUMNS = {
    "of each board": "{what}",
    "boards": "{boards:,}",
    "solutions": "{solutions}",
    "s together": "{all:.1f}",
    "median s": "{median:.3f}",
    "slowest s": "{slowest:.3f}",
}
BENCHMARKS = (Benchmark("counts", _cases, {"counts": _table}, packages=("clingo",)),)
SETTINGS = {"boards": (1_000, "boards")}
