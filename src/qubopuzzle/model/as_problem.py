"""A model of one's own as a problem: judged by its constraints, answered by its values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.model.data import IntArray, Model
from qubopuzzle.model.native import model_from_dict, model_to_dict
from qubopuzzle.model.problem import Problem, Violation, disagreement
from qubopuzzle.model.semantics import broken


@dataclass(frozen=True, slots=True, eq=False)
class ModelProblem(Problem):
    """A model where a problem is asked for."""

    name: ClassVar[str] = "model"
    default_formulation: ClassVar[str] = "model"
    rule_word: ClassVar[str] = "constraint"

    own: Model
    solution: None = None
    n_solutions: None = None

    @property
    def id(self) -> str:  # type: ignore[override]  # the model's
        """The model's."""
        return self.own.id

    @property
    def title(self) -> str:  # type: ignore[override]
        """The model's."""
        return self.own.title

    @property
    def extent(self) -> str:
        """Its choices and literals."""
        return f"{len(self.own.choices):,} choices, {self.own.n_literals:,} literals"

    @property
    def cells(self) -> int:
        """The number of its choices."""
        return len(self.own.choices)

    def read(self, model: Model, x: IntArray) -> tuple[IntArray | None, list[Violation]]:
        """The field's grid, if the model has one, and the constraints that are broken."""
        found = [Violation(each.family, each.label) for each in broken(model, x)]
        if model.field is None:
            return None, found
        grid, cells = model.field.read(x)
        return grid, [*disagreement(cells), *found]

    def check(self, given: Any) -> tuple[IntArray | None, list[Violation]]:
        """Judge values by the choices' names, all of them."""
        if not isinstance(given, Mapping):
            raise InputError(f"expected values by choice, got a {type(given).__name__}")
        names = [choice.name for choice in self.own.choices]
        missing = set(names) ^ set(given)
        if missing:
            raise InputError(f"the answer has other choices than the model: {min(missing)}")
        x = np.zeros(self.own.n_literals, dtype=np.int64)
        for start, choice in zip(self.own.first_literal.tolist(), self.own.choices, strict=False):
            value = given[choice.name]
            own = tuple(value) if isinstance(value, list) else value
            if own not in choice.values:
                raise InputError(f"choice {choice.name} has no value {value!r:.40}")
            x[start + choice.values.index(own)] = 1
        return self.read(self.own, x)

    def format_answer(self, answer: Any) -> Any:
        """A grid as rows; values by choice as they are."""
        return answer.tolist() if isinstance(answer, np.ndarray) else dict(answer)

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of the model."""
        return model_to_dict(self.own)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read the JSON object of a model."""
        return cls(model_from_dict(data))


ModelProblem.formulations = {"model": lambda problem: problem.own}
