"""The solvers: found by themselves, one file each, through entry points, or by address.

``dimod:module:Class`` names any dimod sampler that is installed, such as
``dimod:openjij:SASampler``.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules

from qubopuzzle.errors import InputError
from qubopuzzle.solvers.base import (
    Availability,
    Budget,
    Option,
    Outcome,
    Progress,
    ProgressCallback,
    Solver,
)
from qubopuzzle.solvers.foreign import ForeignSampler
from qubopuzzle.solvers.sampler import SamplerSolver

__all__ = [
    "Availability",
    "Budget",
    "Option",
    "Outcome",
    "Progress",
    "ProgressCallback",
    "SamplerSolver",
    "Solver",
    "all_solvers",
    "get_solver",
]

ENTRY_POINTS = "qubopuzzle.solvers"


def all_solvers() -> dict[str, Solver]:
    """Every solver by name: files of this folder that define SOLVER, then entry points."""
    modules = [import_module(f"{__name__}.{m.name}") for m in iter_modules(__path__)]
    own: list[Solver] = [m.SOLVER for m in modules if hasattr(m, "SOLVER")]
    theirs = [entry.load() for entry in entry_points(group=ENTRY_POINTS)]
    return {solver.name: solver for solver in (*own, *theirs)}


def get_solver(name: str) -> Solver:
    """A solver by name, or by ``dimod:module:Class``.

    Raises:
        InputError: naming the solvers that there are.

    """
    kind, _, sampler = name.partition(":")
    if kind == "dimod" and sampler:
        if sampler.count(":") != 1:
            raise InputError(f"solver {name!r}: write dimod:module:Class")
        return ForeignSampler(sampler)
    solvers = all_solvers()
    if name not in solvers:
        known = ", ".join(sorted(solvers))
        raise InputError(f"unknown solver {name!r}; choose from {known} or dimod:module:Class")
    return solvers[name]
