"""Which formulations, encodings and presolves of a problem have few enough variables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby

from qubopuzzle.compile import ENCODINGS
from qubopuzzle.errors import PlanExceeded, QubopuzzleError
from qubopuzzle.model import Problem
from qubopuzzle.solving.recipe import PRESOLVES, Recipe, presolve


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
    smallest: tuple[int, Recipe] | None = None
    for _, same in groupby(
        _others(problem, recipe), key=lambda other: len(_changes(recipe, other))
    ):
        counted = [(n, r) for r in same if (n := _variables(problem, r, target)) is not None]
        # Recipes of the same number come in order: of equals, the first.
        best = min(counted, key=lambda pair: pair[0], default=None)
        if best is not None and best[0] <= limit:
            return f"{' '.join(_changes(recipe, best[1]))} fits, with {best[0]:,} variables"
        if best is not None and (smallest is None or best[0] < smallest[0]):
            smallest = best
    if smallest is None:
        return "no other form of this problem can be built"
    words = " ".join(_changes(recipe, smallest[1]))
    return f"no form of this problem fits: the smallest, {words}, has {smallest[0]:,} variables"


def _changes(recipe: Recipe, other: Recipe) -> list[str]:
    """The command-line options that lead from a recipe to another."""
    parts = ("formulation", "encoding", "presolve")
    return [f"--{p} {getattr(other, p)}" for p in parts if getattr(recipe, p) != getattr(other, p)]


def _others(problem: Problem, recipe: Recipe) -> Iterator[Recipe]:
    """All other recipes, those with the fewest changes first."""
    recipes = [
        replace(recipe, formulation=formulation, encoding=encoding, presolve=how)
        for how in PRESOLVES
        for formulation in problem.formulations
        for encoding in ENCODINGS
    ]
    others = (other for other in recipes if other != recipe)
    yield from sorted(others, key=lambda other: len(_changes(recipe, other)))


def _variables(problem: Problem, recipe: Recipe, target: str) -> int | None:
    """The number of variables; None for a recipe that cannot be built."""
    try:
        model = presolve(problem.model(recipe.formulation), recipe.presolve).model
        return recipe.compile(model, target).sizes["variables"]
    except QubopuzzleError:
        return None
