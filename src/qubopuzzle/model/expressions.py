"""What people write rows with: handles of choices, their literals, and sums of these.

>>> from qubopuzzle.model import ModelBuilder
>>> b = ModelBuilder()
>>> x, y, z = b.choice("x", range(3)), b.choice("y", "ab"), b.bit("z")
>>> 2 * (x == 2) + (y == "a") - z <= 1
+2 (x == 2) +1 (y == 'a') -1 (z == 1) <= 1

In whole arrays a literal is its number, and a literal that is known is ``TRUE`` or ``FALSE``;
everywhere else Python's own True and False say the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from numbers import Real
from operator import index
from typing import Any, NoReturn

import numpy as np

from qubopuzzle.errors import ModelError
from qubopuzzle.model.data import Choice

TRUE, FALSE = -2, -1
"""In arrays of literals: one that is always true, and one that never is."""
_OBJECTIVE = "ModelBuilder.objective(literals, coefficients, others)"
_PRODUCTS = f"a row is a sum of literals, without products; an objective's are for {_OBJECTIVE}"
_FRACTIONS = f"fractions are for {_OBJECTIVE}"
_COMPARED = "a choice is compared with one of its values"


class Operand:
    """What can be added, multiplied by whole numbers, and compared with <= and >=."""

    __slots__ = ()
    __array_ufunc__ = None  # arrays leave the operators to this class

    def __add__(self, other: object) -> Expression:
        one, two = as_sum(self), as_sum(other)
        return Expression(one.terms + two.terms, one.constant + two.constant)

    __radd__ = __add__

    def __sub__(self, other: object) -> Expression:
        return self + -1 * as_sum(other)

    def __rsub__(self, other: object) -> Expression:
        return as_sum(other) + -1 * self

    def __mul__(self, factor: int) -> Expression:
        if isinstance(factor, Operand):
            raise ModelError(f"({self}) * ({factor}): {_PRODUCTS}")
        expression, n = as_sum(self), _whole(factor)
        return Expression(
            tuple((literal, n * a) for literal, a in expression.terms), n * expression.constant
        )

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> NoReturn:
        raise ModelError(f"({self}) / {other!s:.60}: coefficients are whole; {_FRACTIONS}")

    def __pow__(self, other: object) -> NoReturn:
        raise ModelError(f"({self}) ** {other!s:.60}: {_PRODUCTS}")

    def __neg__(self) -> Expression:
        return self * -1

    def __le__(self, other: object) -> Relation:
        return Relation(self - other, "<=")

    def __ge__(self, other: object) -> Relation:
        return Relation(self - other, ">=")

    def __eq__(self, other: object) -> Relation:  # type: ignore[override]
        return Relation(self - other, "==")

    def __ne__(self, other: object) -> NoReturn:
        what = f"({self}) != {_text(other)}: no row says that"
        raise ModelError(f"{what}; of two literals a + b == 1 says that they differ")

    def __lt__(self, other: object) -> NoReturn:
        raise ModelError(self._strict("<", other, -1))

    def __gt__(self, other: object) -> NoReturn:
        raise ModelError(self._strict(">", other, 1))

    def _strict(self, sign: str, other: object, step: int) -> str:
        """What is wrong with a strict comparison; another ModelError for what is no sum."""
        one, two = as_sum(self), as_sum(other)
        limit = f"{two.constant + step}" if not two.terms else f"({two}) {step:+}"
        return f"({one}) {sign} {_text(other)}: sums are whole numbers, so use {sign}= {limit}"

    def __and__(self, other: object) -> NoReturn:
        rows = "in a row a + b >= 2 says that both are true, a + b <= 1 that not both are"
        product = "their product is for an objective: ModelBuilder.objective([a], 1, [b])"
        raise ModelError(f"({self}) & {_text(other)}: {rows}; {product}")

    __rand__ = __and__

    def __or__(self, other: object) -> NoReturn:
        rows = "at_least_one(family, [[a, b]]) says that one of them is true, or a + b >= 1 in add"
        raise ModelError(f"({self}) | {_text(other)}: {rows}")

    __ror__ = __or__

    def __xor__(self, other: object) -> NoReturn:
        rows = "exactly_one(family, [[a, b]]) says that one of them alone is true"
        raise ModelError(f"({self}) ^ {_text(other)}: {rows}")

    __rxor__ = __xor__

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise ModelError(f"{self}: neither true nor false before the model is solved")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ChoiceHandle(Operand):
    """A choice of a model that is being built.

    ``x == value`` and ``x[value]`` are its literals; ``x.literals`` are all their numbers, in
    the order of the values. Where a literal belongs, a bit stands for "it takes the second of
    its values"; any other choice is an error there. So is ``x == y`` between two choices.
    Handles have the hash and the identity of objects.

    Attributes:
        number: its place among the model's choices.
        first: the number of its first literal.
        choice: its name, values and family.
    """

    number: int
    first: int
    choice: Choice

    @property
    def values(self) -> Sequence[Hashable]:
        """Its values, in order."""
        return self.choice.values

    @property
    def literals(self) -> range:
        """The numbers of its literals, in the order of its values."""
        return range(self.first, self.first + len(self.values))

    def __getitem__(self, value: object) -> Literal:
        try:
            return Literal(self, self.values.index(value))
        except ValueError:
            known = f"it has {self.values!r:.60}"
            raise ModelError(f"choice {self} has no value {value!r}; {known}") from None

    __iter__ = None

    def __eq__(self, value: object) -> Literal:  # type: ignore[override]
        if isinstance(value, Operand):
            rows = "; for equal ones add (x == v) == (y == v) for each value v"
            hint = rows if isinstance(value, ChoiceHandle) else ""
            raise ModelError(f"{self} == {value}: {_COMPARED}{hint}")
        return self[value]

    def __ne__(self, value: object) -> Expression:  # type: ignore[override]
        if isinstance(value, Operand):
            rows = "; for different ones at_most_one(family, [[x == v, y == v] for v in x.values])"
            hint = rows if isinstance(value, ChoiceHandle) else ""
            raise ModelError(f"{self} != {value}: {_COMPARED}{hint}")
        return 1 - (self == value)

    __hash__ = object.__hash__

    def literal(self) -> Literal:
        """A bit as a literal; ModelError for any other choice."""
        if not self.choice.is_bit:
            raise ModelError(
                f"choice {self} of {len(self.values)} values stands where a literal "
                f"belongs; say which value, such as {self} == {self.values[0]!r}"
            )
        return Literal(self, 1)

    def __invert__(self) -> Literal:
        return ~self.literal()

    def __index__(self) -> int:
        return self.literal().number

    def __repr__(self) -> str:
        return self.choice.name


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Literal(Operand):
    """A choice takes this value: 1 if it does, 0 if not.

    It stands for its number wherever a whole number is expected, as in the index of an array;
    sums and comparisons make expressions and rows, ``==`` too. ``~literal`` is the other value
    of a choice of two.
    """

    handle: ChoiceHandle
    place: int

    @property
    def number(self) -> int:
        """Its place among the model's literals."""
        return self.handle.first + self.place

    def __index__(self) -> int:
        return self.number

    def __invert__(self) -> Literal:
        if len(self.handle.values) != 2:
            raise ModelError(
                f"~({self}) is no literal, as there are other values; use 1 - ({self})"
            )
        return Literal(self.handle, 1 - self.place)

    def __repr__(self) -> str:
        return f"{self.handle} == {self.handle.values[self.place]!r}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Expression(Operand):
    """A sum of literals with whole coefficients, and a constant."""

    terms: tuple[tuple[Literal, int], ...]
    constant: int

    def __repr__(self) -> str:
        parts = [f"{a:+} ({literal})" for literal, a in self.terms]
        return " ".join([*parts, f"{self.constant:+}"] if self.constant or not parts else parts)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Relation:
    """``expression <= 0``, ``== 0`` or ``>= 0``: a row for ``ModelBuilder.add``."""

    expression: Expression
    sign: str

    def __bool__(self) -> bool:
        raise ModelError(f"{self}: a row is given to ModelBuilder.add, one comparison each")

    def __and__(self, other: object) -> NoReturn:
        raise ModelError(f"({self}) & {_text(other)}: both hold if each is added by itself")

    __rand__ = __and__

    def __or__(self, other: object) -> NoReturn:
        rows = "that one of two rows holds is no row; say which by a bit in both"
        raise ModelError(f"({self}) | {_text(other)}: {rows}")

    __ror__ = __or__

    def __repr__(self) -> str:
        return f"{Expression(self.expression.terms, 0)} {self.sign} {-self.expression.constant}"


def as_sum(operand: object) -> Expression:
    """A literal, a whole number or a sum as a sum; ModelError for anything else."""
    if isinstance(operand, Expression):
        return operand
    if isinstance(operand, Literal):
        return Expression(((operand, 1),), 0)
    if isinstance(operand, ChoiceHandle):
        return Expression(((_bit(operand), 1),), 0)
    return Expression((), _whole(operand))


def _bit(choice: ChoiceHandle) -> Literal:
    """A bit as a literal; the error for a choice of numbers says how its number is written."""
    try:
        return choice.literal()
    except ModelError as error:
        if not all(isinstance(value, int) for value in choice.values):
            raise
        number = f"sum(v * ({choice} == v) for v in {choice}.values)"
        raise ModelError(f"{error}; its number is {number}") from None


def _text(operand: object) -> str:
    if isinstance(operand, Operand | Relation):
        return f"({operand})"
    return f"{operand!s:.60}" if isinstance(operand, Real) else f"{operand!r:.60}"


def _whole(number: Any) -> int:
    try:
        return int(number) if isinstance(number, bool | np.bool_) else index(number)
    except TypeError:
        hint = f"; {_FRACTIONS}" if isinstance(number, Real) else ""
        raise ModelError(
            f"expected a literal, a sum or a whole number, got {number!r:.60}{hint}"
        ) from None
