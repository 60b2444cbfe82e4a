"""What can be solved: a model, or a puzzle, which is a model with rules, a grid and a picture."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any, ClassVar, Self

import numpy as np

from qubopuzzle.base.checks import check_values
from qubopuzzle.errors import InputError, Unsatisfiable, did_you_mean
from qubopuzzle.model.data import Compilable, IntArray, Model
from qubopuzzle.model.native import model_from_dict, model_to_dict
from qubopuzzle.model.semantics import Violation, broken, disagreement
from qubopuzzle.model.statements import StatedModel
from qubopuzzle.picture import Picture


class Problem(Compilable, ABC):
    """The interface of everything that ``solve``, ``to_bqm``, ``export``, ``compare`` ... take.

    ``name`` is the kind of problem, ``id`` and ``title`` name the instance. Formulations are
    functions from an instance to its model; their settings are keyword-only arguments
    annotated as int. ``solution`` is a known answer, ``n_solutions`` 1 for proved unique, 2 for
    at least two; None where that is not known.
    """

    name: ClassVar[str]
    formulations: ClassVar[Mapping[str, Callable[..., Model]]]
    default_formulation: ClassVar[str]
    rule_word: ClassVar[str] = "rule"
    """What a violation is a breach of, for messages."""
    anneals_by_cuts: ClassVar[bool] = False
    """Whether the annealer, too, is better at connectivity and loops by cuts, round by round."""
    names_values: ClassVar[bool] = False
    """Whether an answer is values by name, and no grid that is drawn."""
    maximize: bool = False
    """Whether a larger objective is better."""
    id: str
    title: str
    solution: IntArray | None
    n_solutions: int | None

    @property
    @abstractmethod
    def extent(self) -> str:
        """How large it is, for people: "5 x 5 cells", "12 choices"."""

    @property
    @abstractmethod
    def cells(self) -> int:
        """How large it is as a number: cells of the grid, choices of a model."""

    @property
    def has_objective(self) -> bool:
        """Whether some solutions are better than others."""
        return False

    @abstractmethod
    def read(self, model: Model, x: IntArray) -> tuple[IntArray | None, list[Violation]]:
        """The answer grid of literal values of one of its models, and what is wrong with it.

        Args:
            model: what ``self.model`` returned.
            x: 0/1 by literal, shape (literals,), not necessarily one value a choice.

        Returns:
            The grid, None for a model that paints none, and an empty list if all is right.
        """

    @abstractmethod
    def check(self, given: Any) -> tuple[IntArray | None, list[Violation]]:
        """The same for an answer in its native form, or a grid; InputError if it is none."""

    @property
    def contradiction(self) -> str | None:
        """Why no answer can be right, where the instance itself says so; None elsewhere.

        Such an instance is made, read, drawn and judged as any other; it has no model.
        """
        return None

    def assignment(self, given: Any) -> IntArray | None:  # noqa: ARG002 - for others
        """The literals of an answer in its native form, (literals,); None of a puzzle's."""
        return None

    def objective_at(self, answer: IntArray | None, x: IntArray | None) -> float | None:  # noqa: ARG002
        """The objective of an answer grid, or of literals of its model; None if it has none."""
        return None

    def values_of(self, answer: Any) -> dict[str, Hashable] | None:  # noqa: ARG002
        """An answer grid as values by name, for problems that name what is in it."""
        return None

    @abstractmethod
    def format_answer(self, answer: Any) -> Any:
        """The native form of an answer, fit for JSON, of a grid or of values by choice."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The native JSON object; ``from_dict`` reads it back."""

    @classmethod
    @abstractmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read the native JSON object; InputError naming what cannot be used."""

    def model(self, formulation: str | None = None) -> Model:
        """The constraint model in a named formulation (the default one without a name).

        Settings follow the name: ``blocks:rows=2,columns=3``.

        Raises:
            InputError: for a formulation or setting that there is not.
            TooLarge: if the formulation refuses an instance of this size.
            Unsatisfiable: for an instance with a ``contradiction``.
        """
        name, settings = self.check_formulation(formulation or self.default_formulation)
        if (why := self.contradiction) is not None:
            raise Unsatisfiable(f"no solution, because {why}")
        return self.formulations[name](self, **settings)

    def stated(self) -> StatedModel:
        """A model of which any statement, a clue or a rule, can be left out."""
        return StatedModel.by_label(self.model(self.formulation_for(cuts=True)))

    def stated_on_board(self) -> StatedModel:
        """The same as ``stated``, but clues that one sees to be kept always hold."""
        return self.stated()

    def formulation_for(self, *, cuts: bool) -> str:  # noqa: ARG002 - for others
        """The default of a solver, which meets connectivity and cycles by ``cuts`` or does not."""
        return self.default_formulation

    def as_rows(self) -> Any:
        """Itself, if it is linear rows over whole numbers, its formulation ``bits``; else None."""
        return None

    def alternatives(self, formulation: str) -> list[str]:  # noqa: ARG002 - for others
        """Formulations that a solver may try beside this one, which it was not told to take."""
        return []

    def likely_formulation(self, formulation: str) -> tuple[str, str] | None:  # noqa: ARG002
        """A formulation that asks for more and mostly has a solution: tried before this one.

        Its name, and what it asks for, as after "that" ("every cell is used"). Its solutions are
        solutions of the problem, which has no objective; its model names the rule as
        ``restricted``, as nothing that is proved of it is proved of the problem.
        """
        return None

    def picture(
        self,
        answer: IntArray | None = None,  # noqa: ARG002 - for others
        broken: Iterable[tuple[int, ...]] = (),  # noqa: ARG002
    ) -> Picture | None:
        """What to draw: the problem, an answer, and broken cells in red; None for a model."""
        return None

    @classmethod
    def check_formulation(cls, formulation: str) -> tuple[str, dict[str, int]]:
        """Name and settings of a formulation; InputError if there is no such one."""
        name, *rest = formulation.split(":", 1)
        if name not in cls.formulations:
            hint = did_you_mean(name, cls.formulations)
            raise InputError(f"{cls.name} has no formulation {name!r}; {hint}")
        parameters = signature(cls.formulations[name]).parameters.values()
        whole = [p for p in parameters if p.annotation in (int, "int")]
        allowed = [p.name for p in whole if p.kind is Parameter.KEYWORD_ONLY]
        settings: dict[str, int] = {}
        for part in rest[0].split(",") if rest else ():
            key, _, value = part.partition("=")
            if key not in allowed:
                names = ", ".join(allowed) or "none"
                raise InputError(f"formulation {name} has no setting {key!r}; it has: {names}")
            if not (value.isascii() and value.isdigit() and len(value) < 10):
                raise InputError(f"formulation {name}: {key}=N takes a whole number")
            settings[key] = int(value)
        return name, settings


@dataclass(frozen=True, slots=True, eq=False)
class ModelProblem(Problem):
    """A model where a problem is asked for."""

    name: ClassVar[str] = "model"
    default_formulation: ClassVar[str] = "model"
    rule_word: ClassVar[str] = "constraint"
    names_values: ClassVar[bool] = True

    wrapped: Model
    solution: None = None
    n_solutions: None = None

    @property
    def id(self) -> str:  # type: ignore[override]  # the model's
        """The model's."""
        return self.wrapped.id

    @property
    def title(self) -> str:  # type: ignore[override]
        """The model's."""
        return self.wrapped.title

    @property
    def extent(self) -> str:
        """Its choices and literals."""
        return f"{len(self.wrapped.choices):,} choices, {self.wrapped.n_literals:,} literals"

    @property
    def cells(self) -> int:
        """The number of its choices."""
        return len(self.wrapped.choices)

    @property
    def has_objective(self) -> bool:
        """Whether the model has one."""
        return self.wrapped.objective is not None

    def read(self, model: Model, x: IntArray) -> tuple[IntArray | None, list[Violation]]:
        """The field's grid, if the model has one, and the constraints that are broken."""
        violations = [Violation(each.family, each.label) for each in broken(model, x)]
        if model.field is None:
            return None, violations
        grid, cells = model.field.read(x)
        return grid, [*disagreement(cells), *violations]

    def check(self, given: Any) -> tuple[IntArray | None, list[Violation]]:
        """Judge values by the choices' names, all of them."""
        return self.read(self.wrapped, self.assignment(given))

    def assignment(self, given: Any) -> IntArray:
        """The literals of values by the choices' names, shape (literals,)."""
        if not isinstance(given, Mapping):
            raise InputError(f"expected values by choice, got a {type(given).__name__}")
        names = [choice.name for choice in self.wrapped.choices]
        check_values(given, names, "the model has no choice")
        values = []
        for choice in self.wrapped.choices:
            value = given[choice.name]
            values.append(tuple(value) if isinstance(value, list) else value)
            if values[-1] not in choice.values:
                raise InputError(f"choice {choice.name} has no value {value!r:.40}")
        return self.wrapped.assignment(values)

    def objective_at(self, answer: IntArray | None, x: IntArray | None) -> float | None:  # noqa: ARG002
        """The model's objective."""
        return (
            None if self.wrapped.objective is None or x is None else self.wrapped.objective.value(x)
        )

    def format_answer(self, answer: Any) -> Any:
        """A grid as rows; values by choice as they are."""
        return answer.tolist() if isinstance(answer, np.ndarray) else dict(answer)

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of the model."""
        return model_to_dict(self.wrapped)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read the JSON object of a model."""
        return cls(model_from_dict(data))


ModelProblem.formulations = {"model": lambda problem: problem.wrapped}
