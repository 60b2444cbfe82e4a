"""What assignments are worth: decoded, read by field reconstruction, judged. The one judge."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from html import escape
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.base import html
from qubopuzzle.base.renamed import Renamed
from qubopuzzle.errors import printable
from qubopuzzle.model import IntArray, Model, Propagation, Violation
from qubopuzzle.model.semantics import BrokenConstraint, broken
from qubopuzzle.picture import Picture
from qubopuzzle.problem import Problem

if TYPE_CHECKING:
    from qubopuzzle.compile import Compiled
    from qubopuzzle.compile.encoding import Encoding

SHOWN = 20
"""Variables of a program of which all are printed, 0 or not."""
_SAID = 10
"""Violations of which all are printed."""


class Energies(dict[str, int]):
    """What broken constraints cost by family, at weights of 1; families that hold cost 0.

    ``constraints`` are those that are broken, each with its family, label and energy.
    """

    def __init__(self, families: Iterable[str], constraints: Iterable[BrokenConstraint]) -> None:
        super().__init__(dict.fromkeys(families, 0))
        self.constraints = tuple(constraints)
        for constraint in self.constraints:
            self[constraint.family] += constraint.energy


@dataclass(frozen=True, eq=False, repr=False)
class Answer(Renamed):
    """What the rules say of one state: its grid or values, and what is wrong with it.

    Attributes:
        problem: what it answers.
        grid: that it paints, int64, shape of the puzzle; None for a model without a field.
        violations: what is wrong: rules of a puzzle, constraints of a model; empty if valid.
        energy: of the sample behind it, offset included; None if there was none.
        model: the problem's model, whole, and ``assignment``, 0/1 by literal of it, shape
            (literals,); None for an answer that came as a grid.
    """

    problem: Problem
    grid: IntArray | None
    violations: tuple[Violation, ...]
    energy: float | None = None
    model: Model | None = None
    assignment: IntArray | None = None

    @property
    def valid(self) -> bool:
        """Whether nothing is wrong."""
        return not self.violations

    @property
    def verdict(self) -> str:
        """For people: whether it is valid, and what it is worth."""
        if self.valid:
            worth = "" if self.objective is None else f", objective {self.objective:.12g}"
            return f"valid{worth}"
        would = self.invalid_objective
        return "not valid" + ("" if would is None else f", would be worth {would:.12g}")

    @cached_property
    def values(self) -> dict[str, Hashable]:
        """The value of each variable or choice by its name; None where it has none, or several."""
        named = None if self.grid is None else self.problem.values_of(self.grid)
        if named is not None:
            return named
        if self.model is None or self.assignment is None:
            return {}
        return self.model.values(self.assignment)

    @cached_property
    def energies(self) -> Energies:
        """What the model's broken constraints cost, by the reference meaning of a model."""
        if self.model is None or self.assignment is None:
            return Energies((), ())
        return Energies(self.model.families, broken(self.model, self.assignment))

    @property
    def objective(self) -> float | None:
        """What a valid answer is worth; None for another one, and without an objective."""
        return self._worth if self.valid else None

    @property
    def invalid_objective(self) -> float | None:
        """What an answer that is not valid would be worth; None for a valid one."""
        return None if self.valid else self._worth

    @cached_property
    def _worth(self) -> float | None:
        return self.problem.objective_at(self.grid, self.assignment)

    @property
    def solution(self) -> Any:
        """The grid; the values of a model that paints none."""
        return self.values if self.grid is None else self.grid

    def format(self) -> Any:
        """The native form of the solution, fit for JSON."""
        return self.problem.format_answer(self.solution)

    def to_dict(self) -> dict[str, Any]:
        """For JSON: the verdict, the solution, and what it costs."""
        return {
            "id": self.problem.id,
            "puzzle": self.problem.name,
            "valid": self.valid,
            "energy": self.energy,
            "energies": self.energies,
            "objective": self.objective,
            "invalid_objective": self.invalid_objective,
            "violations": [violation.to_dict() for violation in self.violations],
            "solution": self.format(),
        }

    def picture(self, marked: Iterable[tuple[int, ...]] | None = None) -> Picture | None:
        """The answer with cells marked, those of violations without; None for a model."""
        return self.problem.picture(self.grid, self.cells if marked is None else marked)

    def text(self) -> str:
        """The answer of a model, which has no picture: each name and its value, in lines.

        Of a program with more than ``SHOWN`` variables, those that are 0 are only counted.
        """
        shown = self.values
        if len(shown) > SHOWN and self.grid is not None and not self.grid.all():
            shown = {name: value for name, value in shown.items() if value != 0}
        lines = [printable(f"{name} = {value}") for name, value in shown.items()]
        zeros = len(self.values) - len(shown)
        others = f"{zeros:,} other variables = 0" if shown else f"all {zeros:,} variables = 0"
        return "\n".join([*lines, others] if zeros else lines)

    @cached_property
    def cells(self) -> frozenset[tuple[int, ...]]:
        """The cells of all violations."""
        return frozenset(cell for violation in self.violations for cell in violation.cells)

    def drawing(self) -> str:
        """The picture as SVG; the values of a model as HTML."""
        picture = self.picture()
        if picture is None:
            return f"<pre>{escape(self.text())}</pre>"
        return html.inline(picture.image("svg"))

    def faults(self) -> str:
        """HTML tables of what is wrong; nothing if nothing is."""
        parts = []
        if self.energies.constraints:
            parts.append(html.table(["family", "energy"], self.energies.items()))
        if rows := self._said():
            parts.append(html.table([f"broken {self.problem.rule_word}", "what is wrong"], rows))
        return "".join(parts)

    def _said(self) -> list[tuple[str, str]]:
        """Rule and message of the first violations, and how many more there are."""
        rows = [(violation.rule, violation.message) for violation in self.violations[:_SAID]]
        if len(self.violations) > _SAID:
            rows.append(("...", f"and {len(self.violations) - _SAID} more, see .violations"))
        return rows

    def __repr__(self) -> str:
        return f"<Answer to {self.problem.name} {self.problem.id!r}: {self.verdict}>"

    def _repr_html_(self) -> str:
        return self.drawing() + html.paragraph("", self.verdict) + self.faults()

    def __str__(self) -> str:
        picture = self.picture()
        lines = [printable(f"{rule}: {message}") for rule, message in self._said()]
        return "\n".join([picture.text() if picture else self.text(), self.verdict, *lines])


def parts(n: int, width: int) -> Iterator[slice]:
    """Slices of ``n`` states of ``width`` values, as many at a time as 128 MB of int64 hold."""
    size = max(1, (1 << 24) // max(1, width))
    for start in range(0, n, size):
        yield slice(start, start + size)


@dataclass(frozen=True, slots=True, eq=False)
class Judge:
    """Judges samples of a compiled model; solvers ask it whether to stop, see ``Task``.

    ``bits`` is what decodes them: the compiled model, or its map from variables to literals.
    """

    problem: Problem
    presolved: Propagation
    bits: Compiled | Encoding

    def judge(self, sample: NDArray[Any], energy: float | None = None) -> Answer:
        """Decode a sample, shape (variables,), and judge it."""
        x = self.presolved.restore(self.bits.decode(sample))
        grid, violations = self.problem.read(self.presolved.whole, x)
        return Answer(self.problem, grid, tuple(violations), energy, self.presolved.whole, x)

    def accepts(self, sample: NDArray[np.int8]) -> bool:
        """Whether nothing is wrong with the answer of a sample."""
        return self.judge(sample).valid

    def key(self, sample: NDArray[np.int8]) -> bytes:
        """The same for samples of the same answer, in few bytes."""
        x = self.bits.decode(sample)
        field = self.presolved.model.field
        values = x if field is None else field.read(x)[0]
        small = abs(values).max(initial=0) < 2**7
        return values.astype(np.int8 if small else np.int64).tobytes()

    def judge_all(
        self, samples: Iterable[tuple[NDArray[np.int8], float]], most: int, until: float = inf
    ) -> tuple[list[Answer], bool]:
        """Different valid answers, the best first, ``most`` at most; else the first of all.

        The best is the one with the best objective; without objectives, of the lowest energy.

        And whether every sample on the way was valid. ``samples`` come with their energies; those
        after the first are left out once ``time.perf_counter`` is at ``until``.
        """
        first: list[Answer] = []
        valid: dict[bytes, Answer] = {}
        all_valid = True
        for sample, energy in samples:
            if first and time.perf_counter() >= until:
                all_valid = False
                break
            answer = self.judge(sample, energy)
            if answer.valid:
                valid.setdefault(self.key(sample), answer)
                if len(valid) == most and answer.objective is None:
                    break
            all_valid &= answer.valid
            first = first or [answer]
        sign = -1 if self.problem.maximize else 1
        ordered = sorted(valid.values(), key=lambda answer: sign * (answer.objective or 0))
        return ordered[:most] or first, all_valid
