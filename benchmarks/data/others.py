"""Solvers of others on a program, one thread each, in a process of their own.

OR-Tools and highspy cannot be in one process. Imports are timed for nobody, building the solver's
model and its search are told apart, and answers are judged where they arrive, by the program.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy.sparse import csc_array

from qubopuzzle import solve
from qubopuzzle.base.processes import Overrun, Worker
from qubopuzzle.compile.mip import RowArrays
from qubopuzzle.compile.rows import whole_rows
from qubopuzzle.model import UNBOUNDED
from qubopuzzle.programs import Program
from qubopuzzle.solvers.localmip import search_rows

GRACE_S = 30.0
"""A solver that is so late is ended, and has no answer."""
_PROBE_S = 0.05
LOCAL_MIP = "Local-MIP"
_RESTART = 1_000_000
"""Steps of Local-MIP without a better state, after which it begins anew: its own default."""
LOCAL_SEARCH = "CP-SAT, local search only"


@dataclass(frozen=True)
class Answer:
    """What a solver said.

    Attributes:
        values: of the variables in their order; None without an answer.
        building_s, search_s: wall clock.
        proved: whether it says that no answer is better.
    """

    values: list[int] | None
    building_s: float
    search_s: float
    proved: bool = False


Solve = Callable[[Program, float, int], Answer]
"""Of a program, seconds and a seed."""


def ask(solver: Solve, program: Program, limit: float, seed: int) -> Answer:
    """In a process of its own, which is ended when it is late."""
    with Worker() as worker:
        try:
            return worker.call(solver, program, limit, seed, deadline=limit + GRACE_S)
        except Overrun:
            return Answer(None, 0.0, limit)


def within(solver: Solve, program: Program, limit: float, seed: int) -> Answer:
    """With a limit that building the solver's model is a part of; a run before says how long."""
    building = solver(program, _PROBE_S, seed).building_s
    left = limit - building
    return solver(program, left, seed) if left > _PROBE_S else Answer(None, building, 0.0)


def checked(program: Program, answer: Answer) -> list[str]:
    """What the program's rows say against an answer; nothing where there is none."""
    if answer.values is None:
        return []
    return [str(fault) for fault in program.check(answer.values)[1]]


# --- ours ------------------------------------------------------------------------------


def ours(
    program: Program, limit: float, seed: int, solver: str = "annealer", **settings: Any
) -> Answer:
    """Our pipeline, in this process: building is all that comes before the search."""
    result = solve(program, solver, seed=seed, time_limit=limit, **settings)
    seconds = result.timings_s
    building = sum(seconds[stage] for stage in ("model", "presolve", "compile"))
    values = None if result.grid is None or not result.valid else np.ravel(result.grid).tolist()
    return Answer(
        values, building, seconds["solve"] + seconds["decode"], result.status == "optimal"
    )


# --- OR-Tools --------------------------------------------------------------------------


def cpsat(program: Program, limit: float, seed: int, **parameters: Any) -> Answer:
    """CP-SAT with one worker, on whole rows."""
    from ortools.sat.python.cp_model import INT_MAX, INT_MIN, CpModel, CpSolver, LinearExpr

    started = time.perf_counter()
    rows, model = whole_rows(program), CpModel()
    bounds = zip(program.lower.tolist(), program.upper.tolist(), strict=True)
    x = [model.new_int_var(low, high, "") for low, high in bounds]
    ends, variables = rows.matrix.indptr.tolist(), rows.matrix.indices.tolist()
    factors = rows.matrix.data.tolist()
    lower = np.where(rows.lower <= -UNBOUNDED, INT_MIN, rows.lower).tolist()
    upper = np.where(rows.upper >= UNBOUNDED, INT_MAX, rows.upper).tolist()
    for at, both in enumerate(zip(lower, upper, strict=True)):
        own = slice(ends[at], ends[at + 1])
        total = LinearExpr.weighted_sum([x[v] for v in variables[own]], factors[own])
        model.add_linear_constraint(total, *both)
    if program.has_objective:
        assert not program.quadratic.nnz
        total = LinearExpr.weighted_sum(x, program.cost.tolist())
        (model.maximize if program.maximize else model.minimize)(total)
    solver = CpSolver()
    settings = {"num_workers": 1, "random_seed": seed, "max_time_in_seconds": limit, **parameters}
    for name, value in settings.items():
        setattr(solver.parameters, name, value)
    built = time.perf_counter()
    status = solver.status_name(solver.solve(model))
    ended = time.perf_counter()
    known = status in ("OPTIMAL", "FEASIBLE")
    values = [int(solver.value(v)) for v in x] if known else None
    return Answer(values, built - started, ended - built, status == "OPTIMAL")


# --- HiGHS and Local-MIP ---------------------------------------------------------------


def highs(program: Program, limit: float, seed: int) -> Answer:
    import highspy

    started = time.perf_counter()
    solver = _passed(program)
    for name, value in {"threads": 1, "random_seed": seed, "time_limit": limit}.items():
        solver.setOptionValue(name, value)
    built = time.perf_counter()
    solver.run()
    ended = time.perf_counter()
    found = solver.getSolution()
    status, feasible = solver.getModelStatus(), solver.getInfo().primal_solution_status
    values = np.rint(found.col_value).astype(int).tolist() if feasible == 2 else None
    proved = status == highspy.HighsModelStatus.kOptimal
    return Answer(values, built - started, ended - built, proved)


def local_mip(program: Program, limit: float, seed: int) -> Answer:
    """Its package; building its own model is part of the search."""
    import localmip_py  # noqa: F401

    started, left = time.perf_counter(), limit
    some = np.diff(program.matrix.indptr) > 0  # it takes no empty rows
    rows = program.matrix[some], program.row_lower[some], program.row_upper[some]
    cost = (-1.0 if program.maximize else 1.0) * program.cost
    model = RowArrays(*rows, program.lower, program.upper), cost
    built = time.perf_counter()
    found: list[float] | None = []
    while found == [] and left > 0:
        seed += 1
        found = search_rows(*model, left, seed, _RESTART)
        left = limit - (time.perf_counter() - built)
    ended = time.perf_counter()
    values = np.rint(found).astype(int).tolist() if found else None
    return Answer(values, built - started, ended - built)


def _passed(program: Program) -> Any:
    """HiGHS with a program, minimised, its variables x0 onwards."""
    import highspy

    assert not program.quadratic.nnz
    columns, lp = csc_array(program.matrix), highspy.HighsLp()
    lp.num_row_, lp.num_col_ = columns.shape
    lp.col_cost_ = (-1.0 if program.maximize else 1.0) * program.cost
    lp.col_lower_, lp.col_upper_ = program.lower.astype(float), program.upper.astype(float)
    lp.row_lower_, lp.row_upper_ = program.row_lower, program.row_upper
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = columns.indptr
    lp.a_matrix_.index_, lp.a_matrix_.value_ = columns.indices, columns.data
    lp.integrality_ = [highspy.HighsVarType.kInteger] * lp.num_col_
    lp.col_names_ = [f"x{v}" for v in range(lp.num_col_)]
    lp.row_names_ = [f"r{row}" for row in range(lp.num_row_)]
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.passModel(lp)
    return solver


def peers() -> dict[str, Solve | None]:
    """All of them; None for Local-MIP where its package is missing."""
    return {
        "CP-SAT": cpsat,
        LOCAL_SEARCH: partial(cpsat, use_ls_only=True),
        LOCAL_MIP: local_mip if find_spec("localmip_py") else None,
        "HiGHS": highs,
    }
