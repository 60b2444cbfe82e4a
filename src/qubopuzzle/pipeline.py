"""load -> model -> presolve -> compile -> solve -> decode -> judge."""

from __future__ import annotations

import platform
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from math import isfinite
from numbers import Real
from operator import index
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile import (
    ENCODINGS,
    Compiled,
    check_weights,
    compile_model,
    encode_choices,
)
from qubopuzzle.errors import InputError, SolverUnavailable
from qubopuzzle.exchange import (
    EXPORTS,
    PRESOLVES,
    decode,
    judge,
    load_one,
    read_field,
    to_amplify,
    to_bqm,
)
from qubopuzzle.formats import load, load_answers, match
from qubopuzzle.model import IntArray, Model, Propagation, propagate, with_cuts
from qubopuzzle.puzzles import Puzzle, Violation, get_puzzle, puzzle_names
from qubopuzzle.result import Result
from qubopuzzle.signals import uninterrupted
from qubopuzzle.solvers import (
    Budget,
    Outcome,
    Progress,
    ProgressCallback,
    Solver,
    all_solvers,
    get_solver,
    solve_lazily,
)

__all__ = [
    "DEFAULT_EXACT_SOLVER",
    "DEFAULT_SOLVER",
    "ENCODINGS",
    "EXPORTS",
    "PRESOLVES",
    "Progress",
    "Puzzle",
    "Result",
    "all_solvers",
    "check_run",
    "compile_model",
    "decode",
    "get_puzzle",
    "get_solver",
    "judge",
    "load",
    "load_answers",
    "match",
    "puzzle_names",
    "solve",
    "to_amplify",
    "to_bqm",
    "versions",
]

DEFAULT_SOLVER = "annealer"
DEFAULT_EXACT_SOLVER = "sat"
SOLUTION_LIMIT = 100_000
"""Most solutions of one puzzle that are kept: they all stay in memory."""
_VERSIONS = ("qubopuzzle", "numpy", "scipy", "dimod")


def solve(
    puzzle: Puzzle | str | PathLike[str],
    solver: Any = DEFAULT_SOLVER,
    *,
    formulation: str | None = None,
    encoding: str | None = None,
    presolve: str = "none",
    weights: Mapping[str, float] | None = None,
    reads: int | None = None,
    seed: int | None = None,
    time_limit: float | None = None,
    options: Mapping[str, Any] | None = None,
    solutions: int | None = 1,
    progress: ProgressCallback | None = None,
    load_s: float = 0.0,
) -> Result:
    """Solve one instance and judge the answer.

    Args:
        puzzle: an instance, or a file that holds exactly one.
        solver: a name that ``qubopuzzle solvers`` lists, ``dimod:module:Class``, or a
            dimod sampler.
        formulation: one of the puzzle's, such as ``blocks:rows=3``; without, its default
            for this solver.
        encoding: ``one-hot`` or ``domain-wall``; the solver's default without.
        presolve: ``none`` (the formulation is annealed as it is) or ``propagate``.
        weights: penalty weight by family, such as ``{"field": 2}``; 1 where not given.
        reads: attempts; without it 10, or as many as fit into ``time_limit``.
        seed: for everything random; drawn and recorded without.
        time_limit: seconds of solving (wall clock), building not counted.
        options: the solver's own, see ``qubopuzzle solvers``.
        solutions: how many different answers to look for, None for all, up to
            ``SOLUTION_LIMIT``; more than 1 only with exact solvers. ``result.complete``
            says whether there are no others.
        progress: called with the reads and the best energy so far.
        load_s: seconds that reading the instance took, for the record.

    Raises:
        InputError: for anything asked for that does not exist or cannot be used.
        TooLarge: if the model or the solver refuses this size.
        SolverUnavailable, SolverFailed: if the backend is missing or breaks off.
    """
    if not isinstance(puzzle, Puzzle):
        puzzle, load_s = load_one(puzzle)
    backend, chosen, budget = check_run(
        solver,
        encoding=encoding,
        presolve=presolve,
        reads=reads,
        seed=seed,
        time_limit=time_limit,
        options=options,
        solutions=solutions,
    )
    encoding = encoding or backend.default_encoding
    clock = _Clock({"load": load_s})
    name = formulation or puzzle.formulation_for(cuts=backend.cuts, exact=backend.exact)
    run = _Run(puzzle, backend, name, encoding, budget, clock, settings=chosen)

    with clock.stage("model"):
        model = puzzle.model(name)
    run.relaxed = (*model.omitted, *model.bounded)
    checked = check_weights(model.families, weights)
    run.weights = {family: checked[family] for family in weights or {}}
    if presolve == "propagate":
        with clock.stage("presolve"):
            reduced = propagate(model)
        run.presolve = _presolve_numbers(reduced, model, encoding)
        if reduced.contradiction is not None and not model.bounded:
            run.proved_by = f"propagation: {reduced.contradiction}"
            return run.result([])
        model = reduced.model
    with clock.stage("prepare"), uninterrupted():
        backend.prepare()
    cutting = bool(model.graphs) and not (backend.cuts or backend.exact)
    compiling = partial(compile_model, target=backend.target, encoding=encoding, weights=weights)
    with clock.stage("compile"):
        compiled = compiling(with_cuts(model, []) if cutting else model)
    with clock.stage("solve"):
        budget = replace(
            budget,
            accepts=partial(_accepts, puzzle, model, compiled),
            key=lambda sample: _key(read_field(model, compiled.decode(sample))[0]),
            started=time.perf_counter(),
        )
        if cutting:
            args = model, compiling, budget, chosen, progress
            compiled, outcome = solve_lazily(backend, *args)
        else:
            outcome = backend.solve(compiled, budget, chosen, progress)
    run.sizes, run.encoding = compiled.sizes, compiled.encoding
    with clock.stage("decode"):
        judged, rejected = _judge(puzzle, model, compiled, outcome, budget.solutions)
    # A sample that the rules reject means that the model is not the puzzle: no proof of it.
    run.complete = outcome.complete and not compiled.bounded and not rejected
    if outcome.infeasible and not compiled.bounded:
        run.proved_by = backend.name if compiled.sizes.get("variables") else "compilation"
    return run.result(judged, outcome)


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
        raise InputError(f"unknown encoding {encoding!r}; choose from {', '.join(ENCODINGS)}")
    if presolve not in PRESOLVES:
        raise InputError(f"unknown presolve {presolve!r}; choose from {', '.join(PRESOLVES)}")
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


def _presolve_numbers(found: Propagation, before: Model, encoding: str | None) -> dict[str, Any]:
    sizes = [encode_choices(model, encoding or "one-hot").n_bits for model in (before, found.model)]
    return {
        "method": "propagate",
        "contradiction": found.contradiction,
        "variables_before": sizes[0],
        "variables_after": sizes[1],
        "cells": found.cells,
        "cells_decided": found.cells_decided,
        "passes": found.passes,
    }


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    answer: IntArray
    violations: tuple[Violation, ...]
    energy: float


def _judge_sample(
    puzzle: Puzzle, model: Model, compiled: Compiled, sample: NDArray[np.int8]
) -> tuple[IntArray, tuple[Violation, ...]]:
    """Decode one sample by field reconstruction and ask the rules."""
    answer, broken = read_field(model, compiled.decode(sample))
    return answer, (*broken, *puzzle.violations(answer))


def _accepts(puzzle: Puzzle, model: Model, compiled: Compiled, sample: NDArray[np.int8]) -> bool:
    return not _judge_sample(puzzle, model, compiled, sample)[1]


def _judge(
    puzzle: Puzzle, model: Model, compiled: Compiled, outcome: Outcome, solutions: int
) -> tuple[list[_Judged], bool]:
    """Different answers that the rules accept, in order of energy; else the first of all.

    And whether the rules rejected a sample on the way.
    """
    first: list[_Judged] = []
    valid: dict[bytes, _Judged] = {}
    rejected = False
    for sample, energy in zip(outcome.samples, outcome.energies.tolist(), strict=True):
        judged = _Judged(*_judge_sample(puzzle, model, compiled, sample), energy)
        if not judged.violations:
            valid.setdefault(_key(judged.answer), judged)
            if len(valid) == solutions:
                break
        rejected |= bool(judged.violations)
        first = first or [judged]
    return list(valid.values()) or first, rejected


def _key(answer: IntArray) -> bytes:
    """The same for the same grid, in few bytes."""
    small = abs(answer).max(initial=0) < 2**7
    return answer.astype(np.int8 if small else np.int64).tobytes()


@dataclass
class _Clock:
    """Seconds by stage, in the order of the stages."""

    seconds: dict[str, float]

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = time.perf_counter() - started


@dataclass
class _Run:
    """What is known of a run so far; ``result`` freezes it."""

    puzzle: Puzzle
    solver: Solver
    formulation: str
    encoding: str | None
    budget: Budget
    clock: _Clock
    sizes: Mapping[str, int] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    presolve: Mapping[str, Any] | None = None
    relaxed: tuple[str, ...] = ()
    proved_by: str | None = None
    complete: bool = False

    def result(self, found: list[_Judged], outcome: Outcome | None = None) -> Result:
        judged = found[0] if found else None
        solved = judged is not None and not judged.violations
        if self.proved_by and not solved:
            judged = None
        stages = ("load", "model", "presolve", "compile", "prepare", "solve", "decode")
        return Result(
            puzzle=self.puzzle,
            solver=self.solver.name,
            formulation=self.formulation,
            encoding=self.encoding,
            weights=self.weights,
            status="solved" if solved else "unsatisfiable" if self.proved_by else "unknown",
            answer=None if judged is None else judged.answer,
            violations=() if judged is None else judged.violations,
            energy=None if judged is None else judged.energy,
            sizes=self.sizes or {"variables": 0, "couplings": 0},
            timings_s={stage: self.clock.seconds.get(stage, 0.0) for stage in stages},
            seed=self.budget.seed,
            reads=0 if outcome is None else outcome.reads,
            relaxed=self.relaxed,
            presolve=self.presolve,
            settings={**self.settings, **({} if outcome is None else outcome.settings)},
            versions={**versions(), **self.solver.versions()},
            interrupted=outcome is not None and outcome.interrupted,
            proved_by=None if solved else self.proved_by,
            solutions=tuple(each.answer for each in found) if solved else (),
            complete=self.complete or bool(self.proved_by and not solved),
            proof=outcome.proof if outcome is not None and self.complete else None,
        )


@cache
def versions() -> Mapping[str, str]:
    """Versions of what a result depends on."""
    found = {"python": platform.python_version()}
    for name in _VERSIONS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found
