"""Everything about a run that does not depend on the puzzle, checked before it begins."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from math import isfinite
from numbers import Real
from operator import index
from typing import Any

from qubopuzzle.compile import ENCODINGS
from qubopuzzle.errors import InputError, SolverUnavailable, did_you_mean
from qubopuzzle.solvers import Budget, Solver, all_solvers, get_solver
from qubopuzzle.solving.exchange import PRESOLVES

DEFAULT_SOLVER = "annealer"
SOLUTION_LIMIT = 100_000
"""Most solutions of one puzzle that are kept: they all stay in memory."""


def check_run(
    solver: Any = DEFAULT_SOLVER,
    *,
    encoding: str | None = None,
    presolve: str = "none",
    reads: int | None = None,
    seed: int | None = None,
    time_limit: float | None = None,
    options: Mapping[str, Any] | None = None,
    solutions: int | None = 1,
) -> tuple[Solver, dict[str, Any], Budget]:
    """Everything about a run that does not depend on the puzzle, checked.

    Returns the solver, its options with defaults, and the budget.

    Raises:
        InputError: for anything that does not exist or cannot be used; see ``solve``.
    """
    backend = get_solver(solver)
    if encoding is not None and encoding not in ENCODINGS:
        raise InputError(f"unknown encoding {encoding!r}; {did_you_mean(encoding, ENCODINGS)}")
    if presolve not in PRESOLVES:
        raise InputError(f"unknown presolve {presolve!r}; {did_you_mean(presolve, PRESOLVES)}")
    here = backend.available()
    if not here.ok and backend.name in all_solvers():
        raise SolverUnavailable(f"solver {backend.name} cannot run here: {here.why}")
    limit = SOLUTION_LIMIT if solutions is None else solutions
    solutions = _whole("solutions", limit, 1, SOLUTION_LIMIT)
    if solutions > 1 and not backend.exact:
        proving = ", ".join(name for name, other in sorted(all_solvers().items()) if other.exact)
        raise InputError(
            f"solver {backend.name} cannot say that there is no other solution; use {proving}"
        )
    budget = _budget(backend, reads, time_limit, seed, solutions)
    return backend, backend.parse_options(options or {}), budget


def _budget(
    solver: Solver,
    reads: int | None,
    time_limit: float | None,
    seed: int | None,
    solutions: int,
) -> Budget:
    if reads is not None:
        reads = _whole("reads", reads, 1, 10**9)
    if seed is not None:
        seed = _whole("seed", seed, 0, 2**63 - 1)
    if time_limit is not None:
        number = isinstance(time_limit, Real) and not isinstance(time_limit, bool)
        if not (number and isfinite(time_limit) and time_limit > 0):
            raise InputError(f"time limit must be a positive number of seconds, got {time_limit!r}")
    if reads is None and time_limit is None:
        reads = solver.default_reads
    seed = secrets.randbits(31) if seed is None else seed
    return Budget(reads, time_limit, seed, solutions=solutions)


def _whole(name: str, value: Any, low: int, high: int) -> int:
    try:
        number = index(value)
    except TypeError:
        number = low - 1
    if isinstance(value, bool) or not low <= number <= high:
        raise InputError(f"{name} must be a whole number from {low} to {high:,}, got {value!r:.40}")
    return number
