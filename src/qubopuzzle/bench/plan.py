"""Which runs a comparison is made of, all of it checked before the first one starts."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import Any, TypeAlias

from qubopuzzle.bench.configurations import (
    Configuration,
    Settings,
    grid,
    make_configurations,
    read_configurations,
)
from qubopuzzle.bench.objectives import BestKnown, with_best_known
from qubopuzzle.checks import positive, whole
from qubopuzzle.errors import InputError, at, printable
from qubopuzzle.model import Model, Problem
from qubopuzzle.solvers import all_solvers
from qubopuzzle.solvers.base import installed_version
from qubopuzzle.solving.loading import Source, load, problem_of
from qubopuzzle.solving.settings import Settings as Run

DEFAULT_HEURISTICS = ("annealer", "tempering", "neal")
START_S = 30.0
"""What the hard limit leaves for imports, kernels and the model."""

Sources: TypeAlias = Source | Iterable[Source]
"""A puzzle, a model, a file of them, or several of these."""


@dataclass(frozen=True)
class Instance:
    """A puzzle and the name that it goes by in this comparison.

    ``source`` is the file that it was read from, or nothing; ``best_known`` an objective that is
    known before the comparison, or None.
    """

    label: str
    puzzle: Problem
    source: str = ""
    best_known: float | None = None

    @cached_property
    def digest(self) -> str:
        """Of the native JSON object: the same puzzle under another file name is the same."""
        return _digest(self.puzzle.to_dict())


@dataclass(frozen=True)
class Job:
    """One run: an instance, a configuration, a seed, and its limits."""

    instance: Instance
    configuration: Configuration
    seed: int
    hard_limit_s: float
    memory_limit_gib: float | None

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What makes this run the one it is; a resumed comparison looks for the same."""
        own = self.configuration
        return {
            "digest": self.instance.digest,
            "solver": own.solver,
            "options": dict(own.options),
            "formulation": own.formulation_of(self.instance.puzzle),
            "encoding": own.encoding,
            "presolve": own.presolve,
            "weights": dict(own.weights),
            "seed": self.seed,
            "reads_limit": own.reads,
            "time_limit_s": own.time_limit,
            "hard_limit_s": self.hard_limit_s,
            "memory_limit_gib": self.memory_limit_gib,
            "qubopuzzle": installed_version("qubopuzzle"),
        }

    @cached_property
    def key(self) -> str:
        """Of ``identity``."""
        return _digest(self.identity)

    def columns(self) -> dict[str, Any]:
        """What its row says of it, whatever comes of it."""
        return {
            "key": self.key,
            "instance": self.instance.label,
            "puzzle": self.instance.puzzle.name,
            "cells": self.instance.puzzle.cells,
            "configuration": self.configuration.name,
            **self.identity,
            "exact": self.configuration.exact,
        }


@dataclass(frozen=True)
class ComparisonPlan:
    """Instances, configurations and what all runs share; see ``compare``.

    ``left_out`` says by name what keeps a solver from running here, ``repeated`` names
    instances that were given more than once.
    """

    instances: tuple[Instance, ...]
    configurations: tuple[Configuration, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    repeated: tuple[str, ...] = ()
    repeat: int = 5
    repeat_exact: int = 1
    seed: int = 0
    hard_limit: float | None = None
    memory_limit_gib: float | None = None

    def seeds(self, configuration: Configuration) -> range:
        """Of its runs on an instance."""
        count = self.repeat_exact if configuration.exact else self.repeat
        return range(self.seed, self.seed + count)

    def jobs(self) -> Iterator[Job]:
        """Instance by instance, configuration by configuration: what is done is comparable."""
        for instance in self.instances:
            for each in self.configurations:
                limit = self.hard_limit or 2 * each.time_limit + START_S
                for seed in self.seeds(each):
                    yield Job(instance, each, seed, limit, self.memory_limit_gib)

    def planned(self) -> dict[str, int]:
        """How many runs each configuration has, by its name."""
        return {c.name: len(self.instances) * len(self.seeds(c)) for c in self.configurations}


def make_plan(
    sources: Sources,
    solvers: Sequence[str] | None = None,
    options: Mapping[str, Settings] | None = None,
    *,
    configurations: Sequence[Settings] | str | PathLike[str] | None = None,
    time_limit: float = 10.0,
    puzzle: str | None = None,
    format: str | None = None,  # noqa: A002, the word that users expect
    formulation: Any = None,
    encoding: Any = None,
    presolve: Any = None,
    weights: Mapping[str, Any] | None = None,
    best_known: BestKnown | None = None,
    **settings: Any,
) -> ComparisonPlan:
    """Check everything that can be checked before a run.

    Args:
        sources, solvers, options, puzzle, format, best_known: see ``compare``, as for the next.
        configurations, time_limit, formulation, encoding, presolve, weights: there, too.
        settings: the further fields of the plan.

    Raises:
        InputError: for anything that does not exist or cannot be used, or if no solver is left.
    """
    axes = {
        "formulation": formulation,
        "encoding": encoding,
        "presolve": presolve,
        "weights": weights,
    }
    plan = ComparisonPlan((), (), **settings)
    most = max(whole("repeat", plan.repeat, 1), whole("repeat exact", plan.repeat_exact, 1))
    Run(seed=plan.seed, time_limit=time_limit)
    Run(seed=plan.seed + most - 1)  # the last one, too
    if plan.hard_limit is not None:
        positive("hard limit", plan.hard_limit, "seconds")
    if plan.memory_limit_gib is not None:
        positive("memory limit", plan.memory_limit_gib, "GiB")
    if configurations is None:
        named = _solvers(solvers)
        given: Sequence[Settings] = list(grid(named, options, **axes)) if named else []
    elif solvers is not None or options or any(axes.values()):
        raise InputError("configurations name their own solvers and settings")
    elif isinstance(configurations, str | PathLike):
        given = read_configurations(configurations)
    else:
        given = list(configurations)
    made, left_out = make_configurations(given, time_limit)
    for each in made:
        if plan.hard_limit is not None and plan.hard_limit < each.time_limit:
            raise InputError(
                f"hard limit {plan.hard_limit:g} s is below the time limit {each.time_limit:g} s"
            )
    instances, repeated = _instances(sources, puzzle, format)
    for formulation in dict.fromkeys(each.formulation for each in made):
        for instance in instances if formulation is not None else ():
            with at(instance.label):
                instance.puzzle.check_formulation(formulation)
    return replace(
        plan,
        instances=with_best_known(instances, best_known),
        configurations=made,
        left_out=left_out,
        repeated=repeated,
    )


def _solvers(names: Sequence[str] | None) -> list[str]:
    """Those named, or the default heuristics and every exact solver that can run here."""
    if names is None:
        exact = [s.name for s in all_solvers().values() if s.exact and s.available().ok]
        return [*DEFAULT_HEURISTICS, *sorted(exact)]
    if isinstance(names, str):
        raise InputError(f"solvers: expected a list of names, got {names!r:.40}")
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"solvers: expected names, got a {type(name).__name__}")
    return list(names)


def _instances(
    sources: Sources, kind: str | None, named: str | None
) -> tuple[tuple[Instance, ...], tuple[str, ...]]:
    """Puzzles under names that are printable and differ; the same puzzle only once."""
    if isinstance(sources, Problem | Model | str | PathLike):
        sources = [sources]
    puzzles: list[tuple[Problem, str]] = []
    for source in sources:
        if isinstance(source, str | PathLike):
            puzzles += [(puzzle, str(source)) for puzzle in load(source, kind, named)]
        else:
            puzzles.append((problem_of(source), ""))
    if not puzzles:
        raise InputError("no puzzle to compare solvers on")
    found, repeated = told_apart(puzzles)
    return found, repeated


def told_apart(
    puzzles: Iterable[tuple[Problem, str]],
) -> tuple[tuple[Instance, ...], tuple[str, ...]]:
    """Puzzles and their sources as instances under names that differ, each once.

    Also returns the names of those that were there before.
    """
    found: dict[str, Instance] = {}
    labels: set[str] = set()
    repeated = []
    for number, (puzzle, source) in enumerate(puzzles, start=1):
        name = printable(puzzle.id) or f"instance {number}"
        label = name
        while label in labels:
            label = f"{label} ({number})"
        instance = Instance(label, puzzle, source)
        if instance.digest in found:
            repeated.append(name)
            continue
        labels.add(label)
        found[instance.digest] = instance
    return tuple(found.values()), tuple(repeated)


def _digest(data: Any) -> str:
    text = json.dumps(data, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
