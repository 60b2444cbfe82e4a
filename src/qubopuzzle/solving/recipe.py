"""How a problem becomes a model, and which other ways need few enough variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from operator import itemgetter
from os import PathLike
from typing import TYPE_CHECKING, TypeAlias

from qubopuzzle.checks import brief
from qubopuzzle.errors import InputError, QubopuzzleError, Unsatisfiable, did_you_mean
from qubopuzzle.model import Model, ModelProblem, Problem, Propagation, probe, propagate
from qubopuzzle.model.propagation import prepare
from qubopuzzle.solving.loading import load

if TYPE_CHECKING:
    from qubopuzzle.compile import Compiled

PRESOLVES: Mapping[str, Callable[[Model], Propagation]] = {
    "none": Propagation.none,
    "propagate": propagate,
    "probe": probe,
}

Source: TypeAlias = Problem | Model | str | PathLike[str]
"""What is solved: a puzzle, a model, or a file that holds exactly one."""
_REMEDIES = {
    "dimod.ConstrainedQuadraticModel": "make a program of it with qubopuzzle.from_cqm",
    "dimod.BinaryQuadraticModel": "make a program of it with qubopuzzle.from_bqm",
    "ommx.Instance": "make a program of it with qubopuzzle.from_ommx",
    "amplify.Model": "use amplify.solve(model, qubopuzzle.amplify_client())",
}
"""What to do with models of other packages, by package and class."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a problem becomes a model for a target; None is the default of problem or target.

    Attributes:
        formulation: one of the problem's, such as ``blocks:rows=3``.
        encoding: ``one-hot`` or ``domain-wall``, for targets of bits.
        presolve: one of ``PRESOLVES``.
        weights: penalty weight by family, 1 where not given; for QUBOs and annealers.

    Raises:
        InputError: for an encoding or presolve that there is not, and weights that are no mapping.
    """

    formulation: str | None = None
    encoding: str | None = None
    presolve: str = "none"
    weights: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        from qubopuzzle.compile import ENCODINGS  # imports scipy.sparse, which judging needs not

        code, how = self.encoding, self.presolve
        if code is not None and not (isinstance(code, str) and code in ENCODINGS):
            raise InputError(f"unknown encoding {brief(code)}; {did_you_mean(code, ENCODINGS)}")
        if not (isinstance(how, str) and how in PRESOLVES):
            raise InputError(f"unknown presolve {brief(how)}; {did_you_mean(how, PRESOLVES)}")
        if not isinstance(self.weights, Mapping | None):
            given = brief(self.weights)
            raise InputError(f"weights: expected numbers by family, as {{'field': 2}}, got {given}")

    def prepare(self, model: Model) -> None:
        """Import and compile what presolving a model needs, once a process."""
        prepare(PRESOLVES[self.presolve], model)

    def presolved(self, problem: Problem) -> Propagation:
        """The problem's model, for tools of one's own, after presolving.

        Raises:
            InputError: for a formulation that there is not.
            TooLarge: if the formulation refuses this size.
            Unsatisfiable: if presolving proves that there is no solution.
        """
        found = self.presolve_model(problem.model(self.formulation))
        if (why := found.contradiction) is not None:
            raise Unsatisfiable(f"no solution in this model ({why})")
        return found

    def presolve_model(self, model: Model) -> Propagation:
        """A model as it is, or without values that presolving finds impossible."""
        return PRESOLVES[self.presolve](model)

    def compile(self, model: Model, target: str) -> Compiled:
        """Compile for a target; raises as ``compile_model``."""
        from qubopuzzle.compile import compile_model

        return compile_model(model, target, self.encoding, self.weights)


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
        kinds = [f"{t.__module__.partition('.')[0]}.{t.__name__}" for t in type(source).__mro__]
        remedy = "".join(f"; {_REMEDIES[kind]}" for kind in kinds if kind in _REMEDIES)
        what = type(source).__name__
        raise InputError(f"expected a puzzle, a model or a file, got {what}{remedy}")
    problems = load(source)
    if len(problems) != 1:
        raise InputError(f"{source}: it holds {len(problems)} puzzles; use load() and solve each")
    return problems[0]


def forms_of(source: Source, recipe: Recipe) -> list[Recipe]:
    """A recipe with every formulation and encoding where it names none.

    Raises:
        InputError: for a formulation that the problem does not have.
    """
    from qubopuzzle.compile import ENCODINGS

    problem = problem_of(source)
    if recipe.formulation is not None:
        problem.check_formulation(recipe.formulation)
    return [
        replace(recipe, formulation=formulation, encoding=encoding)
        for formulation in ([recipe.formulation] if recipe.formulation else problem.formulations)
        for encoding in ([recipe.encoding] if recipe.encoding else ENCODINGS)
    ]


def what_fits(problem: Problem, recipe: Recipe, target: str, limit: int) -> str:
    """What to change for a model of at most ``limit`` variables, as little as can be; one line."""
    others = [
        form
        for how in ("none", "propagate")
        for form in forms_of(
            problem, replace(recipe, formulation=None, encoding=None, presolve=how)
        )
    ]
    smallest: list[tuple[int, str]] = []
    for n_changes in range(1, 4):
        counted = [
            (n, changes)
            for other in others
            if len(changes := _changes(recipe, other)) == n_changes
            and (n := _variables(problem, other, target)) is not None
        ]
        if counted:  # of equals, the first
            n, changes = min(counted, key=itemgetter(0))
            if n <= limit:
                return f"{' '.join(changes)} fits, with {n:,} variables"
            smallest.append((n, " ".join(changes)))
    if not smallest:
        return "no other form of this problem can be built"
    n, words = min(smallest, key=itemgetter(0))
    return f"no form of this problem fits: the smallest, {words}, has {n:,} variables"


def _changes(recipe: Recipe, other: Recipe) -> list[str]:
    """The command-line options that lead from a recipe to another."""
    parts = ("formulation", "encoding", "presolve")
    return [f"--{p} {getattr(other, p)}" for p in parts if getattr(recipe, p) != getattr(other, p)]


def _variables(problem: Problem, recipe: Recipe, target: str) -> int | None:
    """The number of variables; None for a recipe that cannot be built."""
    try:
        model = recipe.presolve_model(problem.model(recipe.formulation)).model
        return recipe.compile(model, target).sizes["variables"]
    except QubopuzzleError:
        return None
