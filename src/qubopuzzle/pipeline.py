"""load -> model -> presolve -> compile -> solve -> decode -> judge."""

from __future__ import annotations

import platform
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from math import isfinite
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile import (
    ENCODINGS,
    Compiled,
    compile_model,
    compile_qubo,
    encode_choices,
)
from qubopuzzle.errors import InputError
from qubopuzzle.formats import load, load_answers, match
from qubopuzzle.model import IntArray, Model, Propagation, propagate
from qubopuzzle.puzzles import Puzzle, Violation, get_puzzle, puzzle_names
from qubopuzzle.result import Result, disagreement
from qubopuzzle.solvers import (
    Budget,
    Outcome,
    Progress,
    ProgressCallback,
    Solver,
    all_solvers,
    get_solver,
)

if TYPE_CHECKING:
    import dimod

    from qubopuzzle.compile.amplify import AmplifyModel

__all__ = [
    "DEFAULT_SOLVER",
    "ENCODINGS",
    "PRESOLVES",
    "Progress",
    "Puzzle",
    "Result",
    "all_solvers",
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

DEFAULT_SOLVER = "neal"
PRESOLVES = ("none", "propagate")
_VERSIONS = ("qubopuzzle", "numpy", "scipy", "dimod")


def solve(
    puzzle: Puzzle | str | PathLike[str],
    solver: str = DEFAULT_SOLVER,
    *,
    formulation: str | None = None,
    encoding: str | None = None,
    presolve: str = "none",
    weights: Mapping[str, float] | None = None,
    reads: int | None = None,
    seed: int | None = None,
    time_limit: float | None = None,
    options: Mapping[str, Any] | None = None,
    progress: ProgressCallback | None = None,
    load_s: float = 0.0,
) -> Result:
    """Solve one instance and judge the answer.

    Args:
        puzzle: an instance, or a file that holds exactly one.
        solver: a name of ``all_solvers()`` or ``dimod:module:Class``.
        formulation: one of the puzzle's; its default without.
        encoding: ``one-hot`` or ``domain-wall``; the solver's default without.
        presolve: ``none`` (the formulation is annealed as it is) or ``propagate``.
        weights: penalty weight by family, such as ``{"field": 2}``; 1 where not given.
        reads: attempts; without it 10, or as many as fit into ``time_limit``.
        seed: for everything random; drawn and recorded without.
        time_limit: seconds of solving (wall clock).
        options: the solver's own, see ``qubopuzzle solvers``.
        progress: called with the reads and the best energy so far.
        load_s: seconds that reading the instance took, for the record.

    Raises:
        InputError: for anything asked for that does not exist or cannot be used.
        TooLarge: if the model or the solver refuses this size.
        SolverUnavailable, SolverFailed: if the backend is missing or breaks off.

    """
    if not isinstance(puzzle, Puzzle):
        puzzle, load_s = _load_one(puzzle)
    backend = get_solver(solver)
    chosen = backend.parse_options(options or {})
    budget = _budget(backend, reads, time_limit, seed)
    if presolve not in PRESOLVES:
        raise InputError(f"unknown presolve {presolve!r}; choose from {', '.join(PRESOLVES)}")

    clock = _Clock({"load": load_s})
    with clock.stage("model"):
        model = puzzle.model(formulation)
    encoding = encoding or backend.default_encoding
    name = formulation or puzzle.default_formulation
    run = _Run(puzzle, backend, name, encoding, budget, clock)
    with clock.stage("presolve"):
        reduced = propagate(model) if presolve == "propagate" else None
    if reduced is not None:
        run.presolve = _presolve_numbers(reduced, model, encoding)
        if reduced.contradiction and not model.relaxed:
            run.proved_by = f"propagation: {reduced.contradiction}"
            return run.result(None, model.relaxed)
        model = reduced.model
    with clock.stage("compile"):
        compiled = compile_model(model, backend.target, encoding, weights)
    run.sizes, run.weights, run.encoding = compiled.sizes, dict(weights or {}), compiled.encoding
    with clock.stage("solve"):
        accepts = partial(_accepts, puzzle, model, compiled)
        budget = Budget(budget.reads, budget.time_limit, budget.seed, accepts)
        outcome = backend.solve(compiled, budget, chosen, progress)
    run.settings = chosen
    with clock.stage("decode"):
        judged = _judge(puzzle, model, compiled, outcome)
    if outcome.proved_unsatisfiable:
        run.proved_by = solver
    return run.result(judged, compiled.relaxed, outcome)


def to_bqm(
    puzzle: Puzzle,
    *,
    formulation: str | None = None,
    encoding: str = "one-hot",
    weights: Mapping[str, float] | None = None,
    presolve: str = "none",
) -> dimod.BinaryQuadraticModel:
    """The puzzle's QUBO as a dimod model with readable labels; valid answers have energy 0."""
    model = _model(puzzle, formulation, presolve)
    return compile_qubo(model, encoding).to_bqm(weights)


def to_amplify(
    puzzle: Puzzle,
    *,
    formulation: str | None = None,
    encoding: str = "one-hot",
    weights: Mapping[str, float] | None = None,
    presolve: str = "none",
    mode: str = "constraint",
) -> AmplifyModel:
    """The puzzle as an Amplify model; see ``qubopuzzle.compile.amplify.to_amplify``."""
    from qubopuzzle.compile import amplify

    model = _model(puzzle, formulation, presolve)
    return amplify.to_amplify(model, encoding=encoding, weights=weights, mode=mode)


def read_field(model: Model, x: IntArray) -> tuple[IntArray, list[Violation]]:
    """Field reconstruction of literal values: the grid, and where its readings disagree."""
    if model.field is None:
        raise InputError("this model paints no field")
    grid, cells = model.field.read(x)
    return grid, [disagreement(cells)] if len(cells) else []


def _model(puzzle: Puzzle, formulation: str | None, presolve: str) -> Model:
    model = puzzle.model(formulation)
    if presolve == "none":
        return model
    if presolve not in PRESOLVES:
        raise InputError(f"unknown presolve {presolve!r}; choose from {', '.join(PRESOLVES)}")
    reduced = propagate(model)
    if reduced.contradiction:
        raise InputError(f"the puzzle has no solution (propagation: {reduced.contradiction})")
    return reduced.model


def _load_one(source: str | PathLike[str]) -> tuple[Puzzle, float]:
    started = time.perf_counter()
    puzzles = load(source)
    if len(puzzles) != 1:
        raise InputError(f"{source}: it holds {len(puzzles)} puzzles; use load() and solve each")
    return puzzles[0], time.perf_counter() - started


def _budget(
    solver: Solver, reads: int | None, time_limit: float | None, seed: int | None
) -> Budget:
    if reads is not None and not 1 <= reads <= 10**9:
        raise InputError(f"reads must be 1 to 1,000,000,000, got {reads}")
    if time_limit is not None and not (isfinite(time_limit) and time_limit > 0):
        raise InputError(f"time limit must be a positive number of seconds, got {time_limit}")
    if seed is not None and not 0 <= seed < 2**63:
        raise InputError(f"seed must be 0 to 2**63 - 1, got {seed}")
    if reads is None and time_limit is None:
        reads = solver.default_reads
    return Budget(reads, time_limit, secrets.randbits(31) if seed is None else seed)


def _presolve_numbers(found: Propagation, before: Model, encoding: str) -> dict[str, Any]:
    return {
        "method": "propagate",
        "variables_before": encode_choices(before, encoding).n_bits,
        "variables_after": encode_choices(found.model, encoding).n_bits,
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


def _judge(puzzle: Puzzle, model: Model, compiled: Compiled, outcome: Outcome) -> _Judged | None:
    """The first answer, in order of energy, that the rules accept; else the first of all."""
    first = None
    for sample, energy in zip(outcome.samples, outcome.energies.tolist(), strict=True):
        judged = _Judged(*_judge_sample(puzzle, model, compiled, sample), energy)
        if not judged.violations:
            return judged
        first = first or judged
    return first


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
    proved_by: str | None = None

    def result(
        self, judged: _Judged | None, relaxed: tuple[str, ...], outcome: Outcome | None = None
    ) -> Result:
        solved = judged is not None and not judged.violations
        stages = ("load", "model", "presolve", "compile", "solve", "decode")
        return Result(
            puzzle=self.puzzle,
            solver=self.solver.name,
            formulation=self.formulation,
            encoding=self.encoding,
            weights=self.weights,
            status="solved" if solved else "unsatisfiable" if self.proved_by else "unknown",
            answer=None if judged is None or (self.proved_by and not solved) else judged.answer,
            violations=() if judged is None else judged.violations,
            energy=None if judged is None else judged.energy,
            sizes={"variables": 0, "couplings": 0, **self.sizes},
            timings_s={stage: self.clock.seconds.get(stage, 0.0) for stage in stages},
            seed=self.budget.seed,
            reads=0 if outcome is None else outcome.reads,
            relaxed=relaxed,
            presolve=self.presolve,
            settings=self.settings,
            versions={**versions(), **self.solver.versions()},
            interrupted=outcome is not None and outcome.interrupted,
            proved_by=None if solved else self.proved_by,
        )


def versions() -> dict[str, str]:
    """Versions of what a result depends on."""
    found = {"python": platform.python_version()}
    for name in _VERSIONS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def judge(puzzle: Puzzle, answer: Any) -> tuple[IntArray, list[Violation]]:
    """Judge an answer that somebody gives: an array, or its native JSON form."""
    grid = answer if isinstance(answer, np.ndarray) else puzzle.parse_answer(answer)
    return grid, puzzle.violations(grid)
