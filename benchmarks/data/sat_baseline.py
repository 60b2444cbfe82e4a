"""A plain SAT solver for nonograms, to compare with: block starts in Python lists, CaDiCaL.

One variable a number and start, a ladder of "starts at v or later" for the order, one
variable a cell; the encoding is built in Python and its time counts.
"""

from __future__ import annotations

import time
from itertools import count, pairwise

import numpy as np
from pysat.solvers import Solver

from qubopuzzle import Nonogram


def sat_seconds(puzzle: Nonogram) -> float:
    """Seconds of encoding and solving; the answer is checked."""
    start = time.perf_counter()
    n_rows, n_cols = puzzle.shape
    fresh = count(1 + n_rows * n_cols)
    clauses: list[list[int]] = []
    for axis, clues, length in ((0, puzzle.rows, n_cols), (1, puzzle.cols, n_rows)):
        for i, clue in enumerate(clues):
            cells = [1 + (i * n_cols + j if axis == 0 else j * n_cols + i) for j in range(length)]
            _line(clue, cells, fresh, clauses)
    with Solver("cadical195", bootstrap_with=clauses) as solver:
        assert solver.solve()
        found = np.array(solver.get_model()[: n_rows * n_cols]) > 0
    seconds = time.perf_counter() - start
    assert not puzzle.violations(found.astype(np.int64).reshape(n_rows, n_cols))
    return seconds


def _line(clue: tuple[int, ...], cells: list[int], fresh: count, clauses: list[list[int]]) -> None:
    slack = len(cells) - sum(clue) - (len(clue) - 1)
    covers: list[list[int]] = [[] for _ in cells]
    ladders = []
    first = 0
    for h in clue:
        starts = [next(fresh) for _ in range(slack + 1)]
        ladder = [next(fresh) for _ in range(slack)]  # ladder[t]: starts at first + t + 1 or later
        clauses.append(starts)
        clauses += [[-later, earlier] for earlier, later in pairwise(ladder)]
        for t, start in enumerate(starts):
            if t > 0:
                clauses.append([-start, ladder[t - 1]])
            if t < slack:
                clauses.append([-start, -ladder[t]])
            for j in range(first + t, first + t + h):
                clauses.append([-start, cells[j]])
                covers[j].append(start)
        ladders.append(ladder)
        first += h + 1
    for before, after in pairwise(ladders):
        clauses += [[-b, a] for b, a in zip(before, after, strict=True)]
    clauses += [[-cell, *covering] for cell, covering in zip(cells, covers, strict=True)]
