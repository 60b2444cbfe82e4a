"""How a problem becomes a model: formulation, encoding, presolve and weights, in one place."""

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import TypeAlias

from qubopuzzle.compile import Compiled, compile_model
from qubopuzzle.errors import InputError, Unsatisfiable, did_you_mean
from qubopuzzle.files.puzzles import load
from qubopuzzle.model import Model, ModelProblem, Problem, Propagation, propagate

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

    def presolved(self, problem: Problem) -> Propagation:
        """The problem's model, for tools of one's own, after presolving.

        Raises:
            InputError: for a formulation or presolve that there is not.
            TooLarge: if the formulation refuses this size.
            Unsatisfiable: if propagation proves that there is no solution.
        """
        found = presolve_model(problem.model(self.formulation), self.presolve)
        if (why := found.contradiction) is not None:
            raise Unsatisfiable(f"no solution in this model (propagation: {why})")
        return found

    def compile(self, model: Model, target: str) -> Compiled:
        """Compile for a target; raises as ``compile_model``."""
        return compile_model(model, target, self.encoding, self.weights)


def presolve_model(model: Model, how: str) -> Propagation:
    """Presolve a model: ``none`` leaves it as it is, ``propagate`` removes impossible values.

    Raises:
        InputError: for another presolve.
    """
    check_presolve(how)
    return Propagation.none(model) if how == "none" else propagate(model)


def check_presolve(how: str) -> None:
    """Raise InputError for a presolve that there is not."""
    if how not in PRESOLVES:
        raise InputError(f"unknown presolve {how!r}; {did_you_mean(how, PRESOLVES)}")


def problem_of(source: Source) -> Problem:
    """What a source holds: a puzzle or a model itself, or the only one of a file.

    Raises:
        InputError: for a file that holds none or several, and for what is no source.
    """
    if isinstance(source, Problem):
        return source
    if isinstance(source, Model):
        return ModelProblem(source)
    if not isinstance(source, str | PathLike):
        raise InputError(f"expected a puzzle, a model or a file, got {type(source).__name__}")
    problems = load(source)
    if len(problems) != 1:
        raise InputError(f"{source}: it holds {len(problems)} puzzles; use load() and solve each")
    return problems[0]
