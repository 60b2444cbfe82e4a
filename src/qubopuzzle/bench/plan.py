"""Which runs a comparison is made of, all of it checked before the first one starts."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import version
from os import PathLike
from typing import Any, TypeAlias

from qubopuzzle.checks import positive, whole
from qubopuzzle.errors import InputError, at
from qubopuzzle.model import Model, Problem
from qubopuzzle.solvers import all_solvers, get_solver
from qubopuzzle.solving.loading import load
from qubopuzzle.solving.recipe import Recipe, Source, problem_of
from qubopuzzle.solving.solve import check_run

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
    def digest(self) -> str:
        """Of the native JSON object: the same puzzle under another file name is the same."""
        return _digest(self.puzzle.to_dict())


@dataclass(frozen=True)
class SolverConfig:
    """A solver by its name, and the presolve and the options that it runs with."""

    name: str
    exact: bool
    supports_cuts: bool
    presolve: str
    options: Mapping[str, Any]


def kind_of(exact: bool) -> str:
    """A solver's kind in one word."""
    return "exact" if exact else "heuristic"


@dataclass(frozen=True)
class Job:
    """One run: an instance, a solver, a seed."""

    plan: "ComparisonPlan"
    instance: Instance
    solver: SolverConfig
    seed: int

    @property
    def formulation(self) -> str:
        """The one asked for, or the puzzle's for this solver."""
        default = self.instance.puzzle.formulation_for(cuts=self.solver.supports_cuts)
        return self.plan.formulation or default

    def identity(self) -> dict[str, Any]:
        """What makes this run the one it is; a resumed comparison looks for the same."""
        return {
            "digest": self.instance.digest,
            "solver": self.solver.name,
            "options": dict(self.solver.options),
            "formulation": self.formulation,
            "presolve": self.solver.presolve,
            "seed": self.seed,
            "time_limit_s": self.plan.time_limit,
            "hard_limit_s": self.plan.hard_limit,
            "memory_limit_gib": self.plan.memory_limit_gib,
            "qubopuzzle": version("qubopuzzle"),
        }

    @cached_property
    def key(self) -> str:
        """Of ``identity``."""
        return _digest(self.identity())

    def columns(self) -> dict[str, Any]:
        """What its row says of it, whatever comes of it."""
        return {
            "key": self.key,
            "instance": self.instance.label,
            "puzzle": self.instance.puzzle.name,
            "cells": self.instance.puzzle.cells,
            **self.identity(),
            "exact": self.solver.exact,
        }


@dataclass(frozen=True)
class ComparisonPlan:
    """Instances, solvers and the settings that all runs share; see ``compare``.

    ``left_out`` says by name what keeps a solver from running here.
    """

    instances: tuple[Instance, ...]
    solvers: tuple[SolverConfig, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    repeated: tuple[str, ...] = ()
    repeat: int = 5
    repeat_exact: int = 1
    seed: int = 0
    time_limit: float = 10.0
    hard_limit: float | None = None
    memory_limit_gib: float | None = None
    formulation: str | None = None
    presolve: str | None = None

    def jobs(self) -> Iterator[Job]:
        """Instance by instance, solver by solver: what is done is comparable at any time."""
        for instance in self.instances:
            for solver in self.solvers:
                for i in range(self.repeat_exact if solver.exact else self.repeat):
                    yield Job(self, instance, solver, self.seed + i)


def make_plan(
    sources: Sources,
    solvers: Sequence[str] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    puzzle: str | None = None,
    format: str | None = None,  # noqa: A002, the word that users expect
    **settings: Any,
) -> ComparisonPlan:
    """Check everything that can be checked before a run.

    Args:
        sources, solvers, options, puzzle, format: see ``compare``.
        settings: the further fields of the plan; see there, too.

    Raises:
        InputError: for anything that does not exist or cannot be used, or if no solver is left.
    """
    plan = ComparisonPlan((), (), **settings)
    most = max(whole("repeat", plan.repeat, 1), whole("repeat exact", plan.repeat_exact, 1))
    if plan.presolve is not None:
        Recipe(presolve=plan.presolve)
    check_run(seed=plan.seed, time_limit=plan.time_limit)
    check_run(seed=plan.seed + most - 1)  # the last one, too
    time_limit, hard_limit, memory = float(plan.time_limit), plan.hard_limit, plan.memory_limit_gib
    if hard_limit is None:
        hard_limit = 2 * time_limit + START_S
    hard_limit = positive("hard limit", hard_limit, "seconds")
    if hard_limit < time_limit:
        raise InputError(f"hard limit {hard_limit:g} s is below the time limit {time_limit:g} s")
    if memory is not None:
        memory = positive("memory limit", memory, "GiB")
    contenders, left_out = _contenders(solvers, options, plan.presolve)
    instances, repeated = _instances(sources, puzzle, format)
    if plan.formulation is not None:
        for instance in instances:
            with at(instance.label):
                instance.puzzle.check_formulation(plan.formulation)
    return replace(
        plan,
        instances=instances,
        solvers=contenders,
        left_out=left_out,
        repeated=repeated,
        time_limit=time_limit,
        hard_limit=hard_limit,
        memory_limit_gib=memory,
    )


def _contenders(
    names: Sequence[str] | None, options: Any, presolve: str | None
) -> tuple[tuple[SolverConfig, ...], dict[str, str]]:
    """Those that can run here, and by name why others cannot."""
    given = {} if options is None else options
    if not isinstance(given, Mapping) or not all(isinstance(v, Mapping) for v in given.values()):
        raise InputError("options: expected a mapping for each solver, as {'sat': {...}}")
    if names is None:
        exact = [s.name for s in all_solvers().values() if s.exact and s.available().ok]
        names = [*DEFAULT_HEURISTICS, *sorted(exact)]
    if isinstance(names, str):
        raise InputError(f"solvers: expected a list of names, got {names!r:.40}")
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"solvers: expected names, got a {type(name).__name__}")
    # An unknown name comes before one that is not installed.
    solvers = {name: get_solver(name) for name in names}
    if strange := [name for name in given if name not in solvers]:
        raise InputError(f"options for {strange[0]!r}, which is not compared")
    here = {name: solver.available() for name, solver in solvers.items()}
    left_out = {name: found.why for name, found in here.items() if not found.ok}
    if len(left_out) == len(solvers):
        why = "; ".join(f"{name}: {why}" for name, why in left_out.items())
        raise InputError(f"no solver to compare{f' ({why})' if why else ''}")
    contenders = (
        SolverConfig(
            name,
            s.exact,
            s.supports_cuts,
            presolve or s.default_presolve,
            s.parse_options(given.get(name, {})),
        )
        for name, s in solvers.items()
        if name not in left_out
    )
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
