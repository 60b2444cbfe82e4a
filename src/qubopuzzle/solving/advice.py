"""Which formulations, encodings and presolves of a problem have few enough variables."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from operator import itemgetter

from qubopuzzle.compile import ENCODINGS
from qubopuzzle.errors import PlanExceeded, QubopuzzleError
from qubopuzzle.model import Problem
from qubopuzzle.solving.recipe import PRESOLVES, Recipe, presolve_model


@contextmanager
def naming_what_fits(problem: Problem, recipe: Recipe, target: str) -> Iterator[None]:
    """Add to a ``PlanExceeded`` of the block which recipe of the problem the plan holds."""
    try:
        yield
    except PlanExceeded as error:
        remedy = what_fits(problem, recipe, target, error.limit)
        raise PlanExceeded(f"{error}; {remedy}", error.limit) from None


def what_fits(problem: Problem, recipe: Recipe, target: str, limit: int) -> str:
    """What to change for a model of at most ``limit`` variables, as little as can be; one line."""
    others = [
        replace(recipe, formulation=formulation, encoding=encoding, presolve=how)
        for how in PRESOLVES
        for formulation in problem.formulations
        for encoding in ENCODINGS
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
        model = presolve_model(problem.model(recipe.formulation), recipe.presolve).model
        return recipe.compile(model, target).sizes["variables"]
    except QubopuzzleError:
        return None
