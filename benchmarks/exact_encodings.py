"""How should a puzzle be written for CP-SAT and for a MIP solver? Building counts.

Nonograms, whose rules are choices, precedences and the equations between rows and columns.
Each program finds one picture, on one thread, with three seeds.

    python benchmarks/exact_encodings.py [--table NAME]
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from instances import noise_picture, smooth_picture
from qubopuzzle import Nonogram
from qubopuzzle.compile import encode_choices
from qubopuzzle.compile.cpsat import compile_cpsat, ortools
from qubopuzzle.compile.mip import Mip, compile_mip
from qubopuzzle.model import UNBOUNDED, Model
from qubopuzzle.solvers import get_solver
from qubopuzzle.solvers.base import Budget, Task
from record import Args, Benchmark, Cases, Row, Rows, grouped, main, markdown, timed

LIMIT_S = 15.0
SEEDS = (1, 2, 3)
PACKAGES = ("ortools",)
Solve = Callable[[int], float | None]
"""Seconds with a seed, None where the limit came first."""


def _cpsat_cases(_: Args) -> Cases:
    ortools()  # imported before anything is timed
    large = (noise_picture(30, 30), noise_picture(40, 40), smooth_picture(45, 60))
    for form, build in CPSAT_FORMS.items():
        for puzzle in (noise_picture(20, 20), *large):
            about = {"form": form, "puzzle": puzzle.id}
            yield ", ".join(about.values()), _timed, about, _solve_cpsat, puzzle, build


def _mip_cases(_: Args) -> Cases:
    large = (noise_picture(25, 25), smooth_picture(30, 30), smooth_picture(45, 60))
    for form, rows in MIP_FORMS.items():
        for puzzle in (noise_picture(20, 20), *large):
            about = {"form": form, "puzzle": puzzle.id}
            yield ", ".join(about.values()), _timed, about, _solve_mip, puzzle, rows


def _timed(about: Row, build: Callable[..., Solve], *what: Any) -> Row:
    """Seconds of building, and of solving by seed."""
    building, solve = timed(build, *what)
    return {**about, "building_s": building, "solving_s": [solve(seed) for seed in SEEDS]}


def _table(keys: Sequence[str], rows: Rows) -> str:
    puzzles = dict.fromkeys(row["puzzle"].removesuffix("-1") for row in rows)
    lines = [[*key, *map(_cell, own)] for key, own in grouped(rows, *keys).items()]
    return markdown([*keys, *puzzles], lines)


def _cell(row: Row) -> str:
    seconds = [s for s in row["solving_s"] if s is not None]
    if len(seconds) < len(row["solving_s"]):
        return f"{len(seconds)}/{len(row['solving_s'])} in {LIMIT_S:.0f} s"
    return f"{row['building_s']:.2f} + {median(seconds):.2f}"


# --- CP-SAT ----------------------------------------------------------------------------


def _solve_cpsat(puzzle: Nonogram, build: Callable[[Nonogram], Any]) -> Solve:
    from ortools.sat.python.cp_model import CpSolver

    built = build(puzzle)

    def solve(seed: int) -> float | None:
        solver = CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = seed
        solver.parameters.max_time_in_seconds = LIMIT_S
        seconds, status = timed(solver.solve, built)
        return seconds if solver.status_name(status) in ("OPTIMAL", "FEASIBLE") else None

    return solve


def _rows_as_they_are(mip: Mip) -> Any:
    """The rows of a MIP, all linear, in CP-SAT."""
    from ortools.sat.python.cp_model import CpModel

    built = CpModel()
    text = ["variables{domain:[0,1]}\n" * mip.n_variables]
    matrix, *ends = mip.arrays[:3]
    start, bits = matrix.indptr.tolist(), matrix.indices.tolist()
    coefficients = matrix.data.tolist()
    bounds = (end.clip(-UNBOUNDED, UNBOUNDED).astype(int).tolist() for end in ends)
    for row, (low, high) in enumerate(zip(*bounds, strict=True)):
        own = slice(start[row], start[row + 1])
        terms = f"vars:{bits[own]} coeffs:{coefficients[own]} domain:[{low},{high}]"
        text.append(f"constraints{{linear{{{terms}}}}}\n")
    assert built.proto.parse_text_format("".join(text))
    return built


def _automata(puzzle: Nonogram) -> Any:
    """One variable a cell and an automaton a line, straight from the clues."""
    from ortools.sat.python.cp_model import CpModel

    n_rows, n_cols = puzzle.shape
    built = CpModel()
    cells = np.array([[built.new_bool_var("") for _ in range(n_cols)] for _ in range(n_rows)])
    for clues, lines in ((puzzle.rows, cells), (puzzle.cols, cells.T)):
        for clue, line in zip(clues, lines, strict=True):
            state, arcs = 0, [(0, 0, 0)]
            for number, run in enumerate(clue):
                if number:
                    arcs += [(state, 0, state + 1), (state + 1, 0, state + 1)]
                    state += 1
                arcs += [(state + i, 1, state + i + 1) for i in range(run)]
                state += run
            if clue:
                arcs.append((state, 0, state))
            built.add_automaton(line.tolist(), 0, [state], arcs)
    return built


# --- MIP -------------------------------------------------------------------------------


def _assignment(model: Model) -> Mip:
    return compile_mip(model, encode_choices(model, "one-hot"))


def _solve_mip(puzzle: Nonogram, rows: Callable[[Model], Mip]) -> Solve:
    model = puzzle.model()
    mip = rows(model)
    solver = get_solver("mip")

    def solve(seed: int) -> float | None:
        task = Task(mip, Budget(None, LIMIT_S, seed), solver.parse_options({}))
        outcome = solver.solve(task)
        return time.perf_counter() - task.started if len(outcome.samples) else None

    return solve


CPSAT_FORMS: dict[str, Callable[[Nonogram], Any]] = {
    "one variable a value, linear rows": lambda p: _rows_as_they_are(_assignment(p.model())),
    "order variables, linear rows": lambda p: _rows_as_they_are(compile_mip(p.model())),
    "order variables, clauses, one variable a cell (ours)": lambda p: (
        compile_cpsat(p.model()).model
    ),
    "an automaton a line": _automata,
}
MIP_FORMS: dict[str, Callable[[Model], Mip]] = {
    "one variable a value": _assignment,
    "order variables (ours)": compile_mip,
}


CPSAT_TABLES = {"exact_cpsat": partial(_table, ["form"])}
MIP_TABLES = {"exact_mip": partial(_table, ["form"])}
BENCHMARKS = (
    Benchmark("exact_cpsat", _cpsat_cases, CPSAT_TABLES, packages=PACKAGES),
    Benchmark("exact_mip", _mip_cases, MIP_TABLES, packages=PACKAGES),
)

if __name__ == "__main__":
    main(__doc__, BENCHMARKS)
