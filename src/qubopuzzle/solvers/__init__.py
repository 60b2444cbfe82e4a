"""The solvers: found by themselves, one file each, through entry points, or by address.

``dimod:module:Class`` names any dimod sampler that is installed, such as
``dimod:openjij:SASampler``, and ``dwave:module:Class`` one with a graph of its own, such as
``dwave:dwave.system.testing:MockDWaveSampler``.
"""

from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from qubopuzzle.errors import InputError, SolverUnavailable, did_you_mean, first_line
from qubopuzzle.solvers.base import Availability, Outcome, Solver, Task

if TYPE_CHECKING:
    from qubopuzzle.solvers.dimod_sampler import DimodSampler

ENTRY_POINTS = "qubopuzzle.solvers"
ADDRESSED = {
    "dimod": "any dimod sampler that is installed",
    "dwave": "any with a graph of its own: models are embedded",
}
"""Kinds of samplers that ``KIND:module:Class`` names."""


def all_solvers() -> dict[str, Solver]:
    """Every solver by name: what of this folder defines SOLVER, then entry points.

    An entry point that cannot be loaded is listed, as not available; own names win.
    """
    theirs = {entry.name: _load(entry) for entry in entry_points(group=ENTRY_POINTS)}
    built_in = map(_own_solver, _modules())
    return theirs | {solver.name: solver for solver in built_in if solver is not None}


def get_solver(solver: Any) -> Solver:
    """A solver by name or address, around a dimod sampler or an Amplify client.

    Raises:
        InputError: naming the solvers that there are.
        SolverUnavailable: for an entry point that cannot be loaded.
    """
    if not isinstance(solver, str):
        return _around(solver)
    kind, _, address = solver.partition(":")
    if kind in ADDRESSED and address:
        module, _, name = address.partition(":")
        if not (module and name) or ":" in name:
            raise InputError(f"solver {solver!r}: write {kind}:module:Class")
        from qubopuzzle.solvers.dimod_sampler import DimodSampler

        named = DimodSampler(address, kind=kind)
        return named if kind == "dimod" else _embedding(named)
    built_in = _own_solver(solver.replace("-", "_"))
    if built_in is not None and built_in.name == solver:
        return built_in
    for entry in entry_points(group=ENTRY_POINTS, name=solver):
        return _load(entry)
    solvers = all_solvers()
    if solver in solvers:  # in a file of another name
        return solvers[solver]
    known = [*sorted(solvers), *(f"{kind}:module:Class" for kind in ADDRESSED)]
    raise InputError(f"unknown solver {solver[:60]!r}; {did_you_mean(solver, known)}")


def _around(given: Any) -> Solver:
    """A solver around a client of the Amplify SDK or a dimod sampler."""
    from qubopuzzle.solvers.amplify import AmplifySolver
    from qubopuzzle.solvers.amplify.clients import settings_of
    from qubopuzzle.solvers.dimod_sampler import DimodSampler, has_graph

    settings = settings_of(given)
    if settings:
        return AmplifySolver(settings)
    named = DimodSampler.of(given)
    return _embedding(named) if has_graph(given) else named


def _embedding(sampler: "DimodSampler") -> Solver:
    from qubopuzzle.solvers.dwave import SamplerOnGraph

    return SamplerOnGraph(sampler)


@cache
def _modules() -> tuple[str, ...]:
    """The modules of this folder; looking for them takes longer than some solves."""
    return tuple(module.name for module in iter_modules(__path__))


def _own_solver(module: str) -> Solver | None:
    """The solver that a module of this folder defines, which has its name; None without one."""
    if module not in _modules():
        return None
    return getattr(import_module(f"{__name__}.{module}"), "SOLVER", None)


class _Broken(Solver):
    """An entry point that cannot be loaded."""

    def __init__(self, name: str, why: str) -> None:
        self.name, self.why = name, why

    def available(self) -> Availability:
        return Availability(False, self.why)

    def solve(self, task: Task) -> Outcome:
        raise SolverUnavailable(f"{self.name}: {self.why}")


def _load(entry: EntryPoint) -> Solver:
    try:
        loaded = entry.load()
    except Exception as error:
        return _Broken(entry.name, f"entry point {entry.value}: {first_line(error)}")
    if not isinstance(loaded, Solver):
        named = getattr(loaded, "__name__", "Greedy")
        remedy = f"name an instance, such as SOLVER = {named}()"
        return _Broken(entry.name, f"entry point {entry.value} is no Solver object; {remedy}")
    return loaded
