"""What a program is, and what structure was found in it, in numbers."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from qubopuzzle.model import Model
from qubopuzzle.programs.program import Program


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of a program, and of its model in choices.

    Attributes:
        variables, rows: of the program.
        objective: ``none``, ``linear`` or ``quadratic``, and ``maximize`` which way.
        choices: how many choices there are of so many values, by rows that say "exactly one" or,
            with a value more, "at most one".
        in_choices: the share of variables that these decide, 0 to 1.
        bits, integers: variables of two values, and of more, beside them.
        decided: bits that others decide, such as products: they are in the objective alone.
        rows_left: rows that choices do not say.
    """

    variables: int
    rows: int
    objective: str
    maximize: bool
    choices: Mapping[int, int]
    in_choices: float
    bits: int
    integers: int
    decided: int
    rows_left: int

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    def lines(self) -> list[str]:
        """For people."""
        way = "maximised" if self.maximize else "minimised"
        goal = "no objective" if self.objective == "none" else f"{self.objective}, {way}"
        n_choices = sum(self.choices.values())
        sizes = "; ".join(f"{n:,} of {size} values" for size, n in self.choices.items())
        return [
            f"  {_count(self.variables, 'variable')}, {_count(self.rows, 'row')}, {goal}",
            f"  {_count(n_choices, 'choice')} for {self.in_choices:.0%} of the variables"
            + (f": {sizes}" if sizes else ""),
            f"  beside them: {_count(self.bits, 'bit')}, {_count(self.integers, 'integer')}, "
            f"{_count(self.rows_left, 'row')}",
            *([f"  {_count(self.decided, 'bit')} decided by others"] if self.decided else []),
        ]


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def summary(program: Program, formulation: str = "choices") -> Summary:
    """What a formulation finds; raises as ``Program.model``.

    >>> for line in summary(Program.of([[1, 1, 1, 0], [0, 0, 1, 2]], 1, [1, 2])).lines():
    ...     print(line)
      4 variables, 2 rows, no objective
      1 choice for 75% of the variables: 1 of 3 values
      beside them: 1 bit, 0 integers, 1 row
    """
    model = program.model(formulation)
    kinds = Counter(choice.family for choice in model.choices)
    sizes = Counter(len(choice.values) for choice in model.choices if choice.family == "choice")
    quadratic, has_one = program.quadratic.nnz, program.has_objective
    n = len(program.variables)
    open_ones = int((program.lower < program.upper).sum())
    alone = kinds["bit"] + kinds["integer"]
    decided = model.field.decided if model.field else None
    n_decided = 0 if decided is None else len(decided.cell)
    return Summary(
        variables=n,
        rows=len(program.rows),
        objective="quadratic" if quadratic else "linear" if has_one else "none",
        maximize=program.maximize,
        choices=dict(sorted(sizes.items())),
        in_choices=(open_ones - alone - n_decided) / n if sizes else 0.0,
        bits=kinds["bit"],
        integers=kinds["integer"],
        decided=n_decided,
        rows_left=_rows(model),
    )


def _rows(model: Model) -> int:
    linear, ordered = (len(part.lower) for part in model.linear), model.precedence
    return sum(linear) + sum(len(part.first) for part in ordered)
