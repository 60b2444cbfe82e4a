"""load -> model -> presolve -> compile -> solve -> decode -> judge."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from os import PathLike
from typing import Any

from qubopuzzle.compile import ENCODINGS, check_weights, compile_model, encode_choices
from qubopuzzle.errors import Unsatisfiable
from qubopuzzle.files.puzzles import (
    all_formats,
    check_format,
    load,
    load_answers,
    match,
    solved_address,
    write_text,
)
from qubopuzzle.model import Model, Propagation, propagate, with_cuts
from qubopuzzle.puzzles import Puzzle, get_puzzle, puzzle_names
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
from qubopuzzle.solving.exchange import (
    PRESOLVES,
    decode,
    judge,
    load_one,
    read_field,
    to_amplify,
    to_bqm,
)
from qubopuzzle.solving.fitting import Form, naming_what_fits
from qubopuzzle.solving.judging import Judged, accepts, judge_outcome, key_of
from qubopuzzle.solving.result import Result
from qubopuzzle.solving.settings import DEFAULT_SOLVER, check_run

__all__ = [
    "DEFAULT_EXACT_SOLVER",
    "DEFAULT_SOLVER",
    "ENCODINGS",
    "PRESOLVES",
    "Progress",
    "Puzzle",
    "Result",
    "all_formats",
    "all_solvers",
    "check_format",
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
    "solved_address",
    "to_amplify",
    "to_bqm",
    "versions",
    "write_text",
]

DEFAULT_EXACT_SOLVER = "sat"
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
        solver: a name that ``qubopuzzle solvers`` lists, ``dimod:module:Class``, a
            dimod sampler, or a client of the Amplify SDK.
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
        TooLarge: if the model or the solver refuses this size; PlanExceeded, which is one,
            if the plan of a service does.
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
    target = backend.target_for(chosen)
    compiling = partial(compile_model, target=target, encoding=encoding, weights=weights)
    try:
        with clock.stage("compile"):
            compiled = compiling(with_cuts(model, []) if cutting else model)
    except Unsatisfiable as error:
        if model.bounded:
            raise
        run.proved_by = f"compilation: {error}"
        return run.result([])
    with naming_what_fits(puzzle, Form(name, encoding, presolve), target):
        backend.check_size(compiled, budget, chosen)
    with clock.stage("solve"):
        budget = replace(
            budget,
            accepts=partial(accepts, puzzle, model, compiled),
            key=lambda sample: key_of(read_field(model, compiled.decode(sample))[0]),
            started=time.perf_counter(),
        )
        if cutting:
            args = model, compiling, budget, chosen, progress
            compiled, outcome = solve_lazily(backend, *args)
        else:
            outcome = backend.solve(compiled, budget, chosen, progress)
    run.sizes, run.encoding = compiled.sizes, compiled.encoding
    with clock.stage("decode"):
        judged, rejected = judge_outcome(puzzle, model, compiled, outcome, budget.solutions)
    # A sample that the rules reject means that the model is not the puzzle: no proof of it.
    run.complete = outcome.complete and not compiled.bounded and not rejected
    if outcome.infeasible and not compiled.bounded:
        run.proved_by = backend.name if compiled.sizes.get("variables") else "compilation"
    return run.result(judged, outcome)


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

    def result(self, found: list[Judged], outcome: Outcome | None = None) -> Result:
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
            service_s={} if outcome is None else outcome.service_s,
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
