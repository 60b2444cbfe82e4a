"""Which runs a comparison is made of, all of it checked before the first one starts."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import Any, TypeAlias, TypedDict, Unpack

from qubopuzzle.base.checks import check_names, positive, whole
from qubopuzzle.bench.configurations import (
    Configuration,
    Given,
    grid,
    make_configurations,
    named,
    read_configurations,
)
from qubopuzzle.bench.objectives import BestKnown, with_best_known
from qubopuzzle.errors import InputError, at, printable
from qubopuzzle.files.sets import best_known
from qubopuzzle.model import Model
from qubopuzzle.problem import Problem
from qubopuzzle.solvers import all_solvers
from qubopuzzle.solvers.base import installed_version
from qubopuzzle.solving.loading import Source, load, problem_of
from qubopuzzle.solving.settings import Settings

DEFAULT_HEURISTICS = ("annealer", "tempering", "neal")
START_S = 30.0
"""What the hard limit leaves for imports, kernels and the model."""

_LIMITS = ("repeat", "repeat_exact", "seed", "hard_limit", "memory_limit_gib")
"""What all runs of a plan share."""

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
        configuration = self.configuration
        return {
            "digest": self.instance.digest,
            "solver": configuration.solver,
            "options": dict(configuration.options),
            "formulation": configuration.formulation_of(self.instance.puzzle),
            "encoding": configuration.encoding,
            "presolve": configuration.presolve,
            "weights": dict(configuration.weights),
            "seed": self.seed,
            "reads_limit": configuration.reads,
            "time_limit_s": configuration.time_limit,
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
    """Instances, configurations and what all runs share; see ``make_plan``.

    ``left_out`` says by name what keeps a solver from running here, ``repeated`` names
    instances that were given more than once.

    Raises:
        InputError: for numbers that cannot be.
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

    def __post_init__(self) -> None:
        most = max(whole("repeat", self.repeat, 1), whole("repeat exact", self.repeat_exact, 1))
        Settings(seed=self.seed)
        Settings(seed=self.seed + most - 1)  # the last one, too
        if self.memory_limit_gib is not None:
            positive("memory limit", self.memory_limit_gib, "GiB")
        if self.hard_limit is None:
            return
        limit = positive("hard limit", self.hard_limit, "seconds")
        longest = max((each.time_limit for each in self.configurations), default=0.0)
        if limit < longest:
            raise InputError(f"hard limit {limit:g} s is below the time limit {longest:g} s")

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


class Asked(TypedDict, total=False):
    """What a plan is made of beside sources and solvers, as keywords, see ``compare``."""

    configurations: Sequence[Given | Settings] | str | PathLike[str] | None
    time_limit: float
    formulation: str | Sequence[str] | None
    encoding: str | Sequence[str] | None
    presolve: str | Sequence[str] | None
    weights: Mapping[str, Any] | None
    options: Mapping[str, Mapping[str, Any]] | None
    puzzle: str | None
    format: str | None
    best_known: BestKnown | None
    repeat: int
    repeat_exact: int
    seed: int
    hard_limit: float | None
    memory_limit_gib: float | None


def make_plan(
    sources: Sources, solvers: Sequence[str] | None = None, **asked: Unpack[Asked]
) -> ComparisonPlan:
    """Check everything that can be checked before a run; arguments as ``compare``.

    Raises:
        InputError: for anything that does not exist or cannot be used, or if no solver is left.
    """
    check_names(asked, Asked.__annotations__)
    limits: Any = {name: value for name, value in asked.items() if name in _LIMITS}
    plan = ComparisonPlan((), (), **limits)
    time_limit = positive("time limit", asked.get("time_limit", 10.0), "seconds")
    made, left_out = make_configurations(_given(solvers, asked), time_limit)
    plan = replace(plan, configurations=made, left_out=left_out)
    instances, repeated = _instances(sources, asked.get("puzzle"), asked.get("format"))
    for formulation in dict.fromkeys(each.formulation for each in made):
        for instance in instances if formulation is not None else ():
            with at(instance.label):
                instance.puzzle.check_formulation(str(formulation))
    instances = with_best_known(instances, asked.get("best_known"))
    return replace(plan, instances=instances, repeated=repeated)


def _given(solvers: Sequence[str] | None, asked: Asked) -> Sequence[Given]:
    """The configurations that are asked for, as mappings."""
    axes = {name: asked.get(name) for name in ("formulation", "encoding", "presolve", "weights")}
    options, configurations = asked.get("options"), asked.get("configurations")
    if configurations is None:
        names = _solvers(solvers)
        return list(grid(names, options, **axes)) if names else []
    if solvers is not None or options or any(axes.values()):
        raise InputError("configurations name their own solvers and settings")
    if isinstance(configurations, str | PathLike):
        return read_configurations(configurations)
    return [named(each) if isinstance(each, Settings) else each for each in configurations]


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
    given: list[Instance] = []
    for source in sources:
        if isinstance(source, str | PathLike):
            known = best_known(source)
            given += [
                Instance(problem.id, problem, str(source), known.get(problem.id))
                for problem in load(source, kind, named)
            ]
        else:
            problem = problem_of(source)
            given.append(Instance(problem.id, problem))
    if not given:
        raise InputError("no puzzle to compare solvers on")
    return told_apart(given)


def told_apart(given: Iterable[Instance]) -> tuple[tuple[Instance, ...], tuple[str, ...]]:
    """The same under names that are printable and differ, each once.

    Also returns the names of those that were there before; what they know of the best objective
    is kept.
    """
    by_digest: dict[str, Instance] = {}
    labels: set[str] = set()
    repeated = []
    for number, each in enumerate(given, start=1):
        name = printable(each.label) or f"instance {number}"
        label = name
        while label in labels:
            label = f"{label} ({number})"
        instance = replace(each, label=label)
        before = by_digest.get(instance.digest)
        if before is None:
            labels.add(label)
            by_digest[instance.digest] = instance
            continue
        repeated.append(name)
        if each.best_known is not None:
            by_digest[instance.digest] = replace(before, best_known=each.best_known)
    return tuple(by_digest.values()), tuple(repeated)


def _digest(data: Any) -> str:
    text = json.dumps(data, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
