"""How large a problem's QUBO is, by formulation, encoding and family."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from operator import itemgetter
from typing import Any

from qubopuzzle.compile import ENCODINGS, compile_qubo
from qubopuzzle.compile.qubo import Quadratic
from qubopuzzle.errors import QubopuzzleError
from qubopuzzle.problem import Problem
from qubopuzzle.solvers.amplify.clients import PLANS
from qubopuzzle.solving.loading import Source, problem_of
from qubopuzzle.solving.settings import Settings

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
    target = problem_of(problem)
    return [
        _size(target, form)
        for form in forms_of(target, Settings(formulation=formulation, encoding=encoding))
    ]


def _size(problem: Problem, settings: Settings) -> QuboSize:
    formulation, encoding = str(settings.formulation), str(settings.encoding)
    try:
        qubo = compile_qubo(problem.model(formulation), encoding)
        total, n = qubo.form, qubo.n_bits
    except QubopuzzleError as error:
        return QuboSize(formulation, encoding, refused=str(error))
    density = total.n_couplings / (n * (n - 1) / 2) if n > 1 else 0.0
    families = {family: _measure(part) for family, part in qubo.parts.items()}
    return QuboSize(formulation, encoding, n, density, _measure(total), families)


def _measure(form: Quadratic) -> QuadraticSize:
    return QuadraticSize(form.n_couplings, form.n_terms, *form.coefficient_range())


def forms_of(source: Source, settings: Settings) -> list[Settings]:
    """Settings with every formulation and encoding where it names none.

    Raises:
        InputError: for a formulation that the problem does not have.
    """
    problem = problem_of(source)
    if settings.formulation is not None:
        problem.check_formulation(settings.formulation)
    return [
        replace(settings, formulation=formulation, encoding=encoding)
        for formulation in (
            [settings.formulation] if settings.formulation else problem.formulations
        )
        for encoding in ([settings.encoding] if settings.encoding else ENCODINGS)
    ]


def what_fits(problem: Problem, settings: Settings, target: str, limit: int) -> str:
    """What to change for a model of at most ``limit`` variables, as little as can be; one line."""
    others = [
        form
        for how in ("none", "propagate")
        for form in forms_of(
            problem, replace(settings, formulation=None, encoding=None, presolve=how)
        )
    ]
    smallest: list[tuple[int, str]] = []
    for n_changes in range(1, 4):
        counted = [
            (n, changes)
            for other in others
            if len(changes := _changes(settings, other)) == n_changes
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


def _changes(settings: Settings, other: Settings) -> list[str]:
    """The command-line options that lead from settings to others."""
    parts = ("formulation", "encoding", "presolve")
    return [
        f"--{p} {getattr(other, p)}" for p in parts if getattr(settings, p) != getattr(other, p)
    ]


def _variables(problem: Problem, settings: Settings, target: str) -> int | None:
    """The number of variables; None for settings that cannot be built."""
    try:
        model = settings.presolve_model(problem.model(settings.formulation)).model
        return settings.compile(model, target).sizes["variables"]
    except QubopuzzleError:
        return None
