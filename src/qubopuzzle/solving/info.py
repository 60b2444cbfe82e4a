"""How large a problem's QUBO is, by formulation, encoding and family."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from qubopuzzle.compile import compile_qubo
from qubopuzzle.compile.qubo import Quadratic
from qubopuzzle.errors import QubopuzzleError
from qubopuzzle.model import Problem
from qubopuzzle.solvers.amplify.clients import PLANS
from qubopuzzle.solving.recipe import Recipe, Source, forms_of, problem_of

FREE_PLAN_VARIABLES = int(PLANS["free"].variables)
"""Fully connected variables that Amplify AE's free plan holds."""


@dataclass(frozen=True, slots=True)
class QuadraticSize:
    """Size of a quadratic form; ``terms`` counts the constant, as the Amplify SDK does."""

    couplings: int
    terms: int
    least_coefficient: float
    greatest_coefficient: float


@dataclass(frozen=True, slots=True)
class QuboSize:
    """One row of ``qubopuzzle info``; ``refused`` says why there is no QUBO, if so.

    ``density`` is couplings per pair of variables, 0 to 1.
    """

    formulation: str
    encoding: str
    variables: int = 0
    density: float = 0.0
    total: QuadraticSize | None = None
    families: Mapping[str, QuadraticSize] | None = None
    refused: str = ""

    @property
    def fits_free_plan(self) -> bool:
        """Whether Amplify AE's free plan holds it."""
        return not self.refused and self.variables <= FREE_PLAN_VARIABLES

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "fits_free_plan": self.fits_free_plan}


def info(
    problem: Source, formulation: str | None = None, encoding: str | None = None
) -> list[QuboSize]:
    """Sizes for every formulation and encoding, or for those named.

    Raises:
        InputError: for a formulation or encoding that does not exist.
    """
    own = problem_of(problem)
    return [_size(own, form) for form in forms_of(own, Recipe(formulation, encoding))]


def _size(problem: Problem, recipe: Recipe) -> QuboSize:
    formulation, encoding = str(recipe.formulation), str(recipe.encoding)
    try:
        qubo = compile_qubo(problem.model(formulation), encoding)
    except QubopuzzleError as error:
        return QuboSize(formulation, encoding, refused=str(error))
    total, n = qubo.form, qubo.n_bits
    density = total.n_couplings / (n * (n - 1) / 2) if n > 1 else 0.0
    families = {family: _measure(part) for family, part in qubo.parts.items()}
    return QuboSize(formulation, encoding, n, density, _measure(total), families)


def _measure(form: Quadratic) -> QuadraticSize:
    return QuadraticSize(form.n_couplings, form.n_terms, *form.coefficient_range())
