"""Which forms of a puzzle have few enough variables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby

from qubopuzzle.compile import ENCODINGS, compile_model
from qubopuzzle.errors import PlanExceeded, QubopuzzleError
from qubopuzzle.model import propagate
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.solving.exchange import PRESOLVES


@dataclass(frozen=True, slots=True)
class Form:
    """A way to write a puzzle down; ``variables`` once they are counted."""

    formulation: str
    encoding: str | None
    presolve: str

    def changes(self, other: Form) -> list[str]:
        """The command-line options that lead from another form to this one."""
        parts = ("formulation", "encoding", "presolve")
        return [f"--{p} {getattr(self, p)}" for p in parts if getattr(self, p) != getattr(other, p)]


@contextmanager
def naming_what_fits(puzzle: Puzzle, form: Form, target: str) -> Iterator[None]:
    """Add to a ``PlanExceeded`` of the block which form of the puzzle the plan holds."""
    try:
        yield
    except PlanExceeded as error:
        remedy = what_fits(puzzle, form, target, error.limit)
        raise PlanExceeded(f"{error}; {remedy}", error.limit) from None


def what_fits(puzzle: Puzzle, form: Form, target: str, limit: int) -> str:
    """What to change for a model of at most ``limit`` variables, as little as can be; one line."""
    smallest: tuple[int, Form] | None = None
    for _, same in groupby(_others(puzzle, form), key=lambda other: len(other.changes(form))):
        counted = [(n, f) for f in same if (n := _variables(puzzle, f, target)) is not None]
        # Forms of the same number come in order: of equals, the first.
        best = min(counted, key=lambda pair: pair[0], default=None)
        if best is not None and best[0] <= limit:
            return f"{' '.join(best[1].changes(form))} fits, with {best[0]:,} variables"
        if best is not None and (smallest is None or best[0] < smallest[0]):
            smallest = best
    if smallest is None:
        return "no other form of this puzzle can be built"
    words = " ".join(smallest[1].changes(form))
    return f"no form of this puzzle fits: the smallest, {words}, has {smallest[0]:,} variables"


def _others(puzzle: Puzzle, form: Form) -> Iterator[Form]:
    """All other forms, those with the fewest changes first."""
    forms = [
        Form(formulation, encoding, presolve)
        for presolve in PRESOLVES
        for formulation in puzzle.formulations
        for encoding in ENCODINGS
    ]
    yield from sorted((f for f in forms if f != form), key=lambda f: len(f.changes(form)))


def _variables(puzzle: Puzzle, form: Form, target: str) -> int | None:
    """The number of variables; None for a form that cannot be built."""
    try:
        model = puzzle.model(form.formulation)
        if form.presolve == "propagate":
            model = propagate(model).model
        return int(compile_model(model, target, form.encoding).sizes["variables"])
    except QubopuzzleError:
        return None
