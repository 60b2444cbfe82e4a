"""Integer programs of bounded variables, judged by their own rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import Any, ClassVar, Self, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, triu

from qubopuzzle.base.checks import NEARLY_WHOLE, brief, check_names, check_values, number
from qubopuzzle.compile.rows import MOST_VALUES, Rows, in_words
from qubopuzzle.errors import InputError, did_you_mean
from qubopuzzle.model import IntArray, Model, Violation
from qubopuzzle.model.statements import StatedModel, Statement, labels
from qubopuzzle.problem import Problem
from qubopuzzle.programs.bounds import bounds_by_rows, defining_rows
from qubopuzzle.programs.grouping import grouped_model, n_groupings

_SLACK = 1e-6
"""A variable's bound that is this close to a whole number is that number."""
_FAR = 2**40


class Parts(TypedDict, total=False):
    """What ``Program.of`` takes beside its rows, as keywords."""

    lower: ArrayLike
    upper: ArrayLike
    cost: ArrayLike
    quadratic: Any
    offset: float
    maximize: bool
    variables: Sequence[str] | None
    rows: Sequence[str] | None
    id: str
    title: str


@dataclass(frozen=True, slots=True, eq=False)
class Program(Rows, Problem):
    """Rows over whole numbers as a problem: what somebody wants to be minimised or maximised.

    ``row_lower <= matrix @ v <= row_upper`` for whole ``v`` with ``lower <= v <= upper``; the
    objective is ``offset + cost @ v + v @ quadratic @ v``.

    >>> from qubopuzzle.programs import Program
    >>> one_of_two = Program.of([[1, 1]], 1, 1, cost=[3, 2])
    >>> one_of_two.values_of([0, 1]), one_of_two.objective_of([0, 1])
    ({'x0': 0, 'x1': 1}, 2.0)

    Attributes:
        variables: their names, all different.
        lower, upper: their bounds, whole numbers, shape (variables,); 0 and 1 are bits.
        matrix: the rows' coefficients, a float64 ``csr_array`` of shape (rows, variables).
        row_lower, row_upper: shape (rows,); infinite where there is no bound.
        rows: the rows' names, all different.
        cost: linear coefficients, shape (variables,).
        quadratic: an upper triangular float64 ``csr_array`` of shape (variables, variables).
        maximize: whether the objective is to be as large as possible.
    """

    name: ClassVar[str] = "program"
    default_formulation: ClassVar[str] = "choices"
    rule_word: ClassVar[str] = "row"
    names_values: ClassVar[bool] = True

    id: str = ""
    title: str = ""
    solution: IntArray | None = None
    n_solutions: int | None = None

    @classmethod
    def of(
        cls,
        matrix: Any,
        row_lower: ArrayLike = -np.inf,
        row_upper: ArrayLike = np.inf,
        **parts: Unpack[Parts],
    ) -> Self:
        """Check arrays, dense or sparse, and make a program of them.

        Args:
            matrix: shape (rows, variables); its width says how many variables there are.
            row_lower, row_upper: one number for all, or one each; without, there is no bound.
            parts: by name, any of what follows.
            lower, upper, cost: one number for all, or one each; 0, 1 and 0 without.
            quadratic: shape (variables, variables), any square matrix Q of ``v @ Q @ v``.
            offset, maximize, id, title: 0, False and no text without.
            variables, rows: names; ``x0`` and ``row0`` onwards without.

        Raises:
            InputError: naming the variable or row that cannot be taken: NaN, no finite bound, more
                than ``MOST_VALUES`` values of a variable that no equality defines, names that
                come twice. Where there are more values, rows say which bounds are left.
        """
        check_names(parts, Parts.__annotations__)
        terms = _sparse("matrix", matrix)
        n_rows, n = terms.shape
        names = _names("variable", "x", parts.get("variables"), n)
        labels = _names("row", "row", parts.get("rows"), n_rows)
        quadratic, offset = parts.get("quadratic"), parts.get("offset", 0.0)
        squares = csr_array((n, n)) if quadratic is None else _sparse("quadratic", quadratic)
        if squares.shape != (n, n):
            raise InputError(f"quadratic: expected shape ({n}, {n}), got {squares.shape}")
        _finite("row", labels, terms)
        _finite("the objective, variable", names, squares)
        low, high = _bounds("row", labels, row_lower, row_upper)
        ends = _bounds("variable", names, parts.get("lower", 0), parts.get("upper", 1))
        first, last = _whole_bounds(names, ends, terms, (low, high), squares)
        costs = spread("cost", parts.get("cost", 0.0), n)
        for at in np.flatnonzero(~np.isfinite(costs)).tolist():
            raise InputError(f"the objective, variable {names[at]}: {costs[at]} is no number")
        upper_part = csr_array(triu(squares) + triu(squares.T, k=1))
        upper_part.eliminate_zeros()
        arrays = first, last, terms, low, high
        if not isfinite(number("offset", offset)):
            raise InputError(f"offset: expected a finite number, got {offset}")
        about = bool(parts.get("maximize", False)), parts.get("id", ""), parts.get("title", "")
        return cls(names, *arrays, labels, costs, upper_part, float(offset), *about)

    # --- a problem -----------------------------------------------------------------------

    @property
    def extent(self) -> str:
        """Its variables and rows."""
        return f"{len(self.variables):,} variables, {len(self.rows):,} rows"

    @property
    def cells(self) -> int:
        """The number of its variables."""
        return len(self.variables)

    def read(self, model: Model, x: IntArray) -> tuple[IntArray | None, list[Violation]]:
        """The variables' values, shape (variables,), and the rows that they break."""
        if model.field is None:
            raise InputError("the model does not say what the variables are")
        values, out = model.field.read(x)
        violations = [
            Violation("choice", f"{self.variables[v]} has several values") for (v,) in out
        ]
        return values, [*violations, *self.broken(values)]

    def check(self, given: Any) -> tuple[IntArray | None, list[Violation]]:
        """Judge values by the variables' names, or in their order.

        A -1 where 0 or 1 belongs is InputError: dimod's spins are bits in a program, so that an
        answer of spins would be judged by other rows than those it was made for.
        """
        values = self._values(given)
        spins = (values == -1) & (self.lower == 0) & (self.upper == 1)
        for at in np.flatnonzero(spins)[:1].tolist():
            what = "a program has no spins: 0 stands for -1"
            raise InputError(f"{self.variables[at]:.60}: expected 0 or 1, got -1; {what}")
        return values, self.broken(values)

    def objective_at(self, answer: IntArray | None, x: IntArray | None) -> float | None:  # noqa: ARG002
        """The objective of values; None for a program that only asks whether its rows can hold."""
        return None if answer is None or not self.has_objective else self.objective_of(answer)

    def values_of(self, values: Any) -> dict[str, Hashable]:
        """The value of each variable by its name."""
        return dict(zip(self.variables, np.asarray(values).tolist(), strict=True))

    def _values(self, given: Any) -> IntArray:
        if isinstance(given, Mapping):
            given = {**_products(given, self.variables), **given}
            check_values(given, self.variables, "the program has no variable")
            given = [given[name] for name in self.variables]
        try:
            values = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"expected a number a variable, got {brief(given)}") from None
        if values.shape != (len(self.variables),):
            raise InputError(f"expected {len(self.variables):,} numbers, got {brief(given)}")
        # Floats say no larger whole numbers exactly, and an int64 holds not all of them.
        nearest = np.rint(np.where(np.abs(values) < 2**53, values, 0))
        for at in np.flatnonzero(~(np.abs(values - nearest) <= NEARLY_WHOLE)).tolist():
            expected = f"a whole number, {in_words(self.lower[at], self.upper[at])}"
            raise InputError(f"{self.variables[at]}: expected {expected}, got {values[at]:.12g}")
        return nearest.astype(np.int64)

    def format_answer(self, answer: Any) -> Any:
        """Values by variable."""
        return answer if isinstance(answer, Mapping) else self.values_of(answer)

    def stated(self) -> StatedModel:
        """A statement for each row; bounds of variables always hold."""
        model = grouped_model(self, None, ordered=False)
        number = {name: row for row, name in enumerate(self.rows)}
        families = {label: family for family, label in labels(model)}
        owner = [number[label] for _, label in labels(model)]
        statements = tuple(
            Statement(families.get(name, "row"), name, words=partial(self._words, row))
            for name, row in number.items()
        )
        return StatedModel(model, statements, np.array(owner, dtype=np.int64))

    def _words(self, row: int, *_: Any) -> str:
        return self.row_text(row)

    def as_rows(self) -> Rows | None:
        """Itself, if its objective is linear."""
        return None if self.quadratic.nnz else self

    def alternatives(self, formulation: str) -> list[str]:
        """The other groupings of ``choices``."""
        if formulation != self.default_formulation:
            return []
        return [f"{formulation}:grouping={i}" for i in range(1, n_groupings(self))]

    # --- JSON ----------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of the program; a bound that there is not is null."""
        rows, pairs = self.matrix.tocoo(), self.quadratic.tocoo()
        return {
            "problem": self.name,
            "id": self.id,
            "title": self.title,
            "variables": list(self.variables),
            "lower": self.lower.tolist(),
            "upper": self.upper.tolist(),
            "rows": list(self.rows),
            "row_lower": [None if b == -np.inf else b for b in self.row_lower.tolist()],
            "row_upper": [None if b == np.inf else b for b in self.row_upper.tolist()],
            "terms": [rows.row.tolist(), rows.col.tolist(), rows.data.tolist()],
            "cost": self.cost.tolist(),
            "quadratic": [pairs.row.tolist(), pairs.col.tolist(), pairs.data.tolist()],
            "offset": self.offset,
            "maximize": self.maximize,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read the JSON object of a program; all of it is checked anew."""
        for key in data:
            if key not in _KEYS:
                hint = did_you_mean(key, _KEYS)
                raise InputError(f"the JSON of a program: {key[:40]}: unknown key; {hint}")
        try:
            n, m = len(data["variables"]), len(data["rows"])
            return cls.of(
                _from_terms(data["terms"], (m, n)),
                [-np.inf if b is None else b for b in data["row_lower"]],
                [np.inf if b is None else b for b in data["row_upper"]],
                quadratic=_from_terms(data.get("quadratic", [[], [], []]), (n, n)),
                **{key: data[key] for key in _ARRAYS},
                **{key: data[key] for key in _OPTIONAL if key in data},
            )
        except KeyError as error:
            raise InputError(f"the JSON of a program: no {error}") from None
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(f"the JSON of a program: {error}") from None


def _products(given: Mapping[str, Any], names: Sequence[str]) -> dict[str, int]:
    """The bits that an OPB file's products are, ``(x1 ~x2)``, which an answer need not name."""
    literals = {name: name[1:-1].split() for name in names if name[:1] == "("}
    return {
        name: int(all(given[each.removeprefix("~")] == (each[0] != "~") for each in parts))
        for name, parts in literals.items()
        if all(each.removeprefix("~") in given for each in parts)
    }


_ARRAYS = ("variables", "rows", "lower", "upper")
_OPTIONAL = ("cost", "offset", "maximize", "id", "title")
_KEYS = ("problem", *_ARRAYS, *_OPTIONAL, "row_lower", "row_upper", "terms", "quadratic")


def _from_terms(terms: Any, shape: tuple[int, int]) -> Any:
    row, column, value = terms
    return csr_array((np.array(value, dtype=np.float64), (row, column)), shape=shape)


def _choices(program: Program, *, grouping: int = 0) -> Model:
    return grouped_model(program, grouping)


def _bits(program: Program) -> Model:
    return grouped_model(program, None)


_FORMULATIONS: Mapping[str, Callable[..., Model]] = {"choices": _choices, "bits": _bits}
Program.formulations = _FORMULATIONS


def _sparse(what: str, given: Any) -> Any:
    try:
        matrix = csr_array(given, dtype=np.float64)
        if matrix.ndim != 2:
            raise ValueError
    except (TypeError, ValueError):
        raise InputError(f"{what}: expected a matrix of numbers, got {brief(given)}") from None
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix


def _names(what: str, prefix: str, given: Sequence[str] | None, n: int) -> tuple[str, ...]:
    if given is None:
        return tuple(f"{prefix}{i}" for i in range(n))
    names = tuple(map(str, given))
    if len(names) != n:
        raise InputError(f"expected {n:,} names of {what}s, got {len(names):,}")
    if len(set(names)) < n:
        seen: set[str] = set()
        twice = next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise InputError(f"two {what}s are named {twice[:60]}")
    return names


def _finite(what: str, names: Sequence[str], matrix: Any) -> None:
    for at in np.flatnonzero(~np.isfinite(matrix.data)).tolist():
        row = int(np.searchsorted(matrix.indptr, at, side="right")) - 1
        raise InputError(f"{what} {names[row]}: {matrix.data[at]} is no coefficient")


def spread(what: str, given: ArrayLike, n: int) -> NDArray[np.float64]:
    """One number for all, or one each, as an array of shape (n,); InputError for anything else."""
    try:
        return np.broadcast_to(np.asarray(given, dtype=np.float64), (n,)).copy()
    except (TypeError, ValueError):
        raise InputError(f"{what}: expected one number, or {n:,}, got {brief(given)}") from None


def _bounds(
    what: str, names: Sequence[str], lower: ArrayLike, upper: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    low, high = (spread(f"{what} bounds", bound, len(names)) for bound in (lower, upper))
    for at in np.flatnonzero(~(low <= high)).tolist():
        raise InputError(
            f"{what} {names[at]}: expected {in_words(low[at], high[at])}: no number is"
        )
    return low, high


def _whole_bounds(
    names: Sequence[str],
    bounds: tuple[NDArray[np.float64], NDArray[np.float64]],
    matrix: Any,
    sides: tuple[NDArray[np.float64], NDArray[np.float64]],
    quadratic: Any,
) -> tuple[IntArray, IntArray]:
    low, high = bounds
    many = ~(high - low < MOST_VALUES) | (np.abs(low) > _FAR)
    if many.any():
        low, high = bounds_by_rows(matrix, sides, bounds, many)
        width = high - low
        width[np.concatenate(quadratic.nonzero())] = 0
        width[(width < MOST_VALUES) | (np.abs(low) > _FAR) | (np.abs(high) > _FAR)] = 0
        many = ~(high - low < MOST_VALUES) | (np.abs(low) > _FAR)
        many &= defining_rows(matrix, sides, width) < 0
    for at in np.flatnonzero(many).tolist():
        raise InputError(
            f"variable {names[at]}: {in_words(low[at], high[at])}, but a choice has at most "
            f"{MOST_VALUES:,} values; give it closer bounds"
        )
    low, high = np.ceil(low - _SLACK), np.floor(high + _SLACK)
    for at in np.flatnonzero(low > high).tolist():
        raise InputError(f"variable {names[at]}: no whole number is within its bounds")
    return low.astype(np.int64), high.astype(np.int64)
