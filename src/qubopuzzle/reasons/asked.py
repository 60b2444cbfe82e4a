"""A problem and the oracle that is asked about it: what its answers and literals stand for."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property

from qubopuzzle.answer import Answer
from qubopuzzle.compile.oracle import Oracle
from qubopuzzle.model import FALSE, TRUE, IntArray
from qubopuzzle.model.statements import Statement
from qubopuzzle.problem import Problem
from qubopuzzle.reasons.explanation import Place


@dataclass(frozen=True, eq=False)
class Asked:
    """A problem, and an oracle over its ``Problem.stated()``."""

    problem: Problem
    oracle: Oracle

    @property
    def every(self) -> range:
        """The numbers of all statements."""
        return range(len(self.oracle.stated.statements))

    def statements(self, numbers: Iterable[int]) -> tuple[Statement, ...]:
        """The statements with these numbers."""
        return tuple(self.oracle.stated.statements[number] for number in numbers)

    def answer(self, x: IntArray) -> Answer:
        """Literals of the model, (literals,), as an answer, judged."""
        model = self.oracle.stated.model
        grid, violations = self.problem.read(model, x)
        return Answer(self.problem, grid, tuple(violations), None, model, x)

    @cached_property
    def literals(self) -> dict[Place, dict[Hashable, int]]:
        """The literal of each value of each open cell; for models of each variable or choice."""
        stated, model = self.oracle.stated, self.oracle.stated.model
        if stated.literals is None or stated.values is None or model.field is None:
            first = model.first_literal.tolist()
            return {
                model.choices[c].name: {
                    v: first[c] + i for i, v in enumerate(model.choices[c].values)
                }
                for c in model.answer_choices.tolist()
            }
        values, width = stated.values.tolist(), model.field.shape[1]
        return {
            divmod(cell, width): {v: at for v, at in zip(values, row, strict=True) if at != FALSE}
            for cell, row in enumerate(stated.literals.tolist())
            if TRUE not in row
        }
