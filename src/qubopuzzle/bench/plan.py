"""Which runs a comparison is made of, all of it checked before the first one starts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from os import PathLike
from typing import Any, TypeAlias

from qubopuzzle.checks import positive, whole
from qubopuzzle.errors import InputError
from qubopuzzle.files.puzzles import load
from qubopuzzle.model import Model, Problem
from qubopuzzle.solvers import all_solvers, get_solver
from qubopuzzle.solving.check import check_run
from qubopuzzle.solving.recipe import Source, problem_of

DEFAULT_REPEAT = 5
DEFAULT_TIME_LIMIT = 10.0
DEFAULT_HEURISTICS = ("annealer", "tempering", "neal")
START_S = 30.0
"""What the hard limit leaves for imports, kernels and the model."""

Sources: TypeAlias = Source | Iterable[Source]
"""A puzzle, a model, a file of them, or several of these."""


@dataclass(frozen=True)
class Instance:
    """A puzzle and the name that it goes by in this comparison."""

    label: str
    puzzle: Problem

    @cached_property
    def data(self) -> dict[str, Any]:
        """The native JSON object."""
        return self.puzzle.to_dict()

    @cached_property
    def digest(self) -> str:
        """Of the native JSON object: the same puzzle under another file name is the same."""
        return _digest(self.data)

    @property
    def cells(self) -> int:
        """Size of the grid, for plots against size."""
        return self.puzzle.cells


@dataclass(frozen=True)
class Contender:
    """A solver by its name, and the options that it runs with."""

    name: str
    exact: bool
    cuts: bool
    options: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """In one word."""
        return "exact" if self.exact else "heuristic"


@dataclass(frozen=True)
class Job:
    """One run: an instance, a solver, a seed."""

    plan: ComparisonPlan
    instance: Instance
    solver: Contender
    seed: int

    @property
    def formulation(self) -> str:
        """The one asked for, or the puzzle's for this solver."""
        solver = self.solver
        return self.plan.formulation or self.instance.puzzle.formulation_for(
            cuts=solver.cuts, exact=solver.exact
        )

    def about(self) -> dict[str, Any]:
        """What makes this run the one it is; a resumed comparison looks for the same."""
        return {
            "digest": self.instance.digest,
            "solver": self.solver.name,
            "options": dict(self.solver.options),
            "formulation": self.formulation,
            "presolve": self.plan.presolve,
            "seed": self.seed,
            "time_limit_s": self.plan.time_limit,
            "hard_limit_s": self.plan.hard_limit,
            "memory_limit_gib": self.plan.memory_limit_gib,
            "qubopuzzle": version("qubopuzzle"),
        }

    @cached_property
    def key(self) -> str:
        """Of ``about``."""
        return _digest(self.about())


@dataclass(frozen=True)
class ComparisonPlan:
    """Instances, solvers and the settings that all runs share; see ``compare``.

    ``left_out`` says by name what keeps a solver from running here.
    """

    instances: tuple[Instance, ...]
    solvers: tuple[Contender, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    repeated: tuple[str, ...] = ()
    repeat: int = DEFAULT_REPEAT
    repeat_exact: int = 1
    seed: int = 0
    time_limit: float = DEFAULT_TIME_LIMIT
    hard_limit: float = 2 * DEFAULT_TIME_LIMIT + START_S
    memory_limit_gib: float | None = None
    formulation: str | None = None
    presolve: str = "none"

    def jobs(self) -> Iterator[Job]:
        """Instance by instance, solver by solver: what is done is comparable at any time."""
        for instance in self.instances:
            for solver in self.solvers:
                for i in range(self.repeat_exact if solver.exact else self.repeat):
                    yield Job(self, instance, solver, self.seed + i)


def make_plan(
    sources: Sources,
    solvers: Sequence[str] | None = None,
    *,
    repeat: int = DEFAULT_REPEAT,
    repeat_exact: int = 1,
    seed: int = 0,
    time_limit: float = DEFAULT_TIME_LIMIT,
    hard_limit: float | None = None,
    memory_limit_gib: float | None = None,
    formulation: str | None = None,
    presolve: str = "none",
    options: Mapping[str, Mapping[str, Any]] | None = None,
    puzzle: str | None = None,
    format: str | None = None,  # noqa: A002, the word that users expect
) -> ComparisonPlan:
    """Check everything that can be checked before a run; see ``compare`` for the arguments.

    Raises:
        InputError: for anything that does not exist or cannot be used, or if no solver is left.
    """
    repeat, repeat_exact = whole("repeat", repeat, 1), whole("repeat exact", repeat_exact, 1)
    check_run(presolve=presolve, seed=seed, time_limit=time_limit)
    check_run(seed=seed + max(repeat, repeat_exact) - 1)  # the last one, too
    if hard_limit is None:
        hard_limit = 2 * time_limit + START_S
    hard_limit = positive("hard limit", hard_limit, "seconds")
    if hard_limit < time_limit:
        raise InputError(f"hard limit {hard_limit:g} s is below the time limit {time_limit:g} s")
    if memory_limit_gib is not None:
        memory_limit_gib = positive("memory limit", memory_limit_gib, "GiB")
    contenders, left_out = _contenders(solvers, _by_solver(options))
    instances, repeated = _instances(sources, puzzle, format)
    for instance in instances:
        if formulation is not None:
            try:
                instance.puzzle.check_formulation(formulation)
            except InputError as error:
                raise InputError(f"{instance.label}: {error}") from None
    return ComparisonPlan(
        instances=instances,
        solvers=contenders,
        left_out=left_out,
        repeated=repeated,
        repeat=repeat,
        repeat_exact=repeat_exact,
        seed=seed,
        time_limit=float(time_limit),
        hard_limit=hard_limit,
        memory_limit_gib=memory_limit_gib,
        formulation=formulation,
        presolve=presolve,
    )


def default_solvers() -> list[str]:
    """Our two annealers and D-Wave's, and every exact solver that can run here."""
    exact = [s.name for s in all_solvers().values() if s.exact and s.available().ok]
    return [*DEFAULT_HEURISTICS, *sorted(exact)]


def _by_solver(options: Any) -> dict[str, Mapping[str, Any]]:
    """Options by solver, checked to be that."""
    given = {} if options is None else options
    if not isinstance(given, Mapping) or not all(isinstance(v, Mapping) for v in given.values()):
        raise InputError("options: expected a mapping for each solver, as {'sat': {...}}")
    return dict(given)


def _contenders(
    names: Sequence[str] | None, options: dict[str, Mapping[str, Any]]
) -> tuple[tuple[Contender, ...], dict[str, str]]:
    names = default_solvers() if names is None else list(dict.fromkeys(names))
    left_out: dict[str, str] = {}
    found = []
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"solvers: expected names, got a {type(name).__name__}")
        solver = get_solver(name)  # an unknown name comes before one that is not installed
        found.append((name, solver, options.pop(name, {})))
    if options:
        raise InputError(f"options for {next(iter(options))!r}, which is not compared")
    contenders = []
    for name, solver, given in found:
        here = solver.available()
        if here.ok:
            contenders.append(
                Contender(name, solver.exact, solver.cuts, solver.parse_options(given))
            )
        else:
            left_out[name] = here.why
    if not contenders:
        why = "; ".join(f"{name}: {why}" for name, why in left_out.items())
        raise InputError(f"no solver to compare{f' ({why})' if why else ''}")
    return tuple(contenders), left_out


def _instances(
    sources: Sources, kind: str | None, named: str | None
) -> tuple[tuple[Instance, ...], tuple[str, ...]]:
    """Puzzles under names that are printable and differ; the same puzzle only once."""
    if isinstance(sources, Problem | Model | str | PathLike):
        sources = [sources]
    puzzles: list[Problem] = []
    for source in sources:
        if isinstance(source, str | PathLike):
            puzzles += load(source, kind, named)
        else:
            puzzles.append(problem_of(source))
    found: dict[str, Instance] = {}
    labels: set[str] = set()
    repeated = []
    for number, puzzle in enumerate(puzzles, start=1):
        name = "".join(c if c.isprintable() else "?" for c in puzzle.id) or f"instance {number}"
        label = name
        while label in labels:
            label = f"{label} ({number})"
        instance = Instance(label, puzzle)
        if instance.digest in found:
            repeated.append(name)
            continue
        labels.add(label)
        found[instance.digest] = instance
    if not found:
        raise InputError("no puzzle to compare solvers on")
    return tuple(found.values()), tuple(repeated)


def _digest(data: Any) -> str:
    text = json.dumps(data, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
