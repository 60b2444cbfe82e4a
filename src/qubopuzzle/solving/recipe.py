"""How a problem becomes a model: formulation, encoding, presolve and weights, in one place."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any, TypeAlias

from qubopuzzle.compile import Compiled, compile_model, encode_choices
from qubopuzzle.errors import InputError, Unsatisfiable, did_you_mean
from qubopuzzle.files.puzzles import load
from qubopuzzle.model import IntArray, Model, ModelProblem, Problem, propagate

PRESOLVES = ("none", "propagate")

Source: TypeAlias = Problem | Model | str | PathLike[str]
"""What is solved: a puzzle, a model, or a file that holds exactly one."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a problem becomes a model for a target; None is the default of problem or target.

    Attributes:
        formulation: one of the problem's, such as ``blocks:rows=3``.
        encoding: ``one-hot`` or ``domain-wall``, for targets of bits.
        presolve: one of ``PRESOLVES``.
        weights: penalty weight by family, 1 where not given; for QUBOs and annealers.
    """

    formulation: str | None = None
    encoding: str | None = None
    presolve: str = "none"
    weights: Mapping[str, float] | None = None

    def presolved(self, problem: Problem) -> Presolved:
        """The problem's model, for tools of one's own, after presolving.

        Raises:
            InputError: for a formulation or presolve that there is not.
            TooLarge: if the formulation refuses this size.
            Unsatisfiable: if propagation proves that there is no solution.
        """
        found = presolve(problem.model(self.formulation), self.presolve)
        if found.contradiction is not None:
            why = found.contradiction
            raise Unsatisfiable(f"no solution in this model (propagation: {why})")
        return found

    def compile(self, model: Model, target: str) -> Compiled:
        """Compile for a target; raises as ``compile_model``."""
        return compile_model(model, target, self.encoding, self.weights)


@dataclass(frozen=True, slots=True, eq=False)
class Presolved:
    """A model before and after presolving.

    Attributes:
        whole: as the formulation makes it.
        model: what is left to solve.
        restore: from literal values of ``model`` to those of ``whole``, shape (literals,) each.
        contradiction: the constraint that proves that there is no solution.
        cells, cells_decided, passes: see ``Propagation``; 0 without presolving.
    """

    whole: Model
    model: Model
    restore: Callable[[IntArray], IntArray]
    contradiction: str | None = None
    cells: int = 0
    cells_decided: int = 0
    passes: int = 0

    def report(self, encoding: str | None) -> dict[str, Any]:
        """What propagation did, in numbers."""
        before, after = (
            encode_choices(model, encoding or "one-hot").n_bits
            for model in (self.whole, self.model)
        )
        return {
            "method": "propagate",
            "contradiction": self.contradiction,
            "variables_before": before,
            "variables_after": after,
            "cells": self.cells,
            "cells_decided": self.cells_decided,
            "passes": self.passes,
        }


def presolve(model: Model, how: str) -> Presolved:
    """Presolve a model: ``none`` leaves it as it is, ``propagate`` removes impossible values.

    Raises:
        InputError: for another presolve.
    """
    check_presolve(how)
    if how == "none":
        return Presolved(model, model, lambda x: x)
    found = propagate(model)
    return Presolved(
        model,
        found.model,
        found.restore,
        found.contradiction,
        found.cells,
        found.cells_decided,
        found.passes,
    )


def check_presolve(how: str) -> None:
    """Raise InputError for a presolve that there is not."""
    if how not in PRESOLVES:
        raise InputError(f"unknown presolve {how!r}; {did_you_mean(how, PRESOLVES)}")


def problem_of(source: Source) -> Problem:
    """What a source holds: a puzzle or a model itself, or the only one of a file."""
    if isinstance(source, Problem):
        return source
    return ModelProblem(source) if isinstance(source, Model) else load_one(source)[0]


def load_one(source: str | PathLike[str]) -> tuple[Problem, float]:
    """The only problem of a file, and the seconds that reading it took.

    Raises:
        InputError: for a file that holds none or several, and for what is no source.
    """
    started = time.perf_counter()
    if not isinstance(source, str | PathLike):
        raise InputError(f"expected a puzzle, a model or a file, got {type(source).__name__}")
    problems = load(source)
    if len(problems) != 1:
        raise InputError(f"{source}: it holds {len(problems)} puzzles; use load() and solve each")
    return problems[0], time.perf_counter() - started
