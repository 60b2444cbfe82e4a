"""Everything about a run that does not depend on the problem, checked before it begins."""

import secrets
from collections.abc import Mapping
from typing import Any

from qubopuzzle.checks import positive, whole
from qubopuzzle.compile import ENCODINGS
from qubopuzzle.errors import InputError, SolverUnavailable, did_you_mean
from qubopuzzle.solvers import all_solvers, get_solver
from qubopuzzle.solvers.base import Budget, Solver
from qubopuzzle.solving.recipe import check_presolve

DEFAULT_SOLVER = "annealer"
SOLUTION_LIMIT = 100_000
"""Most solutions of one problem that are kept: they all stay in memory."""


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
    """The solver, its options with defaults, and the budget of a run; arguments as ``solve``.

    Raises:
        InputError: for anything that does not exist or cannot be used.
        SolverUnavailable: for a solver that cannot run here.
    """
    backend = get_solver(solver)
    if encoding is not None and encoding not in ENCODINGS:
        raise InputError(f"unknown encoding {encoding!r}; {did_you_mean(encoding, ENCODINGS)}")
    check_presolve(presolve)
    here = backend.available()
    if not here.ok and backend.name in all_solvers():
        raise SolverUnavailable(f"solver {backend.name} cannot run here: {here.why}")
    limit = SOLUTION_LIMIT if solutions is None else solutions
    solutions = whole("solutions", limit, 1, SOLUTION_LIMIT)
    if solutions > 1 and not backend.exact:
        proving = ", ".join(name for name, other in sorted(all_solvers().items()) if other.exact)
        raise InputError(
            f"solver {backend.name} cannot say that there is no other solution; use {proving}"
        )
    if reads is not None:
        reads = whole("reads", reads, 1, 10**9)
    seed = secrets.randbits(31) if seed is None else whole("seed", seed, 0, 2**63 - 1)
    if time_limit is not None:
        time_limit = positive("time limit", time_limit, "seconds")
    if reads is None and time_limit is None:
        reads = backend.default_reads
    budget = Budget(reads, time_limit, seed, solutions=solutions)
    return backend, backend.parse_options(options or {}), budget
