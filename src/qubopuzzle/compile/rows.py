"""Rows over whole numbers: what programs, MIP models, and the files of both have.

``whole_rows`` are the same rows with whole coefficients, as far as they say anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import Any, Self

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from qubopuzzle.errors import InputError
from qubopuzzle.model import UNBOUNDED, IntArray, Violation
from qubopuzzle.model.data import LARGEST, LARGEST_IN_DOUBLES, row_of_entry, signatures

MOST_VALUES = 1 << 10
"""Values of a variable, at most."""
_TERMS_SHOWN = 8
"""Of a row as text."""
_DENOMINATOR = 10**6
_CLOSE = 1e-9
"""Two coefficients this close, relative to the larger, are the same."""
_DIGITS, _ROUNDING = 1e-9, 1e-12
"""How well fractions are known, and doubles, relative to themselves."""
_STEP = 0.1
"""The most that a row may be off: of its least coefficient, and of the unit of whole ones."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Linear rows over whole numbers, and a quadratic objective.

    ``programs.Program``, which is these as a problem, says what each array is. Nothing is checked
    here: see ``Program.of``.
    """

    variables: Sequence[str]
    lower: IntArray
    upper: IntArray
    matrix: Any
    row_lower: NDArray[np.float64]
    row_upper: NDArray[np.float64]
    rows: Sequence[str]
    cost: NDArray[np.float64]
    quadratic: Any
    offset: float = 0.0
    maximize: bool = False

    @property
    def has_objective(self) -> bool:
        """Whether something is to be minimised or maximised."""
        return bool(self.cost.any() or self.quadratic.nnz)

    def broken(self, values: NDArray[Any]) -> list[Violation]:
        """The rows and bounds that whole values, shape (variables,), break."""
        total = self.matrix @ values
        slack = tolerances(self)
        low, high = self.row_lower - slack, self.row_upper + slack
        violations = []
        for row in np.flatnonzero(~((total >= low) & (total <= high))).tolist():
            bounds = in_words(self.row_lower[row], self.row_upper[row])
            violations.append(
                Violation(self.rows[row], f"expected {bounds}, got {total[row]:.15g}")
            )
        outside = (values < self.lower) | (values > self.upper)
        for v in np.flatnonzero(outside).tolist():
            bounds = in_words(self.lower[v], self.upper[v])
            violations.append(Violation(self.variables[v], f"expected {bounds}, got {values[v]}"))
        return violations

    def row_text(self, row: int) -> str:
        """A row as people write it, by its number; of many terms the first.

        >>> from qubopuzzle.programs import Program
        >>> program = Program.of([[1, -2, 1], [0, 1.5, 0]], [1, 1], [1, np.inf])
        >>> program.row_text(0), program.row_text(1)
        ('x0 - 2 x1 + x2 = 1', '1.5 x1 >= 1')
        """
        entries = slice(*self.matrix.indptr[row : row + 2])
        columns, values = self.matrix.indices[entries].tolist(), self.matrix.data[entries].tolist()
        terms = [
            f"{'-' if value < 0 else '+'} {'' if abs(value) == 1 else f'{abs(value):.12g} '}"
            f"{self.variables[column]}"
            for column, value in zip(columns[:_TERMS_SHOWN], values, strict=False)
        ]
        terms += [f"... ({len(columns)} terms)"] * (len(columns) > _TERMS_SHOWN)
        text = " ".join(terms).removeprefix("+ ") or "0"
        text = f"-{text[2:]}" if text.startswith("- ") else text
        low, high = float(self.row_lower[row]), float(self.row_upper[row])
        if low == high:
            return f"{text} = {low:.12g}"
        below = "" if low == -np.inf else f"{low:.12g} <= "
        if high == np.inf and below:
            return f"{text} >= {low:.12g}"
        return below + text + ("" if high == np.inf else f" <= {high:.12g}")

    def objective_of(self, values: ArrayLike) -> float:
        """The objective of values, shape (variables,)."""
        v = np.asarray(values, dtype=np.float64)
        return float(self.offset + self.cost @ v + v @ (self.quadratic @ v))

    def constraints(self) -> Iterator[tuple[str, list[tuple[int, float]], str, float]]:
        """The rows as other packages take them: a row of two bounds becomes two constraints.

        Of each the name, terms by the variable's number, ``==``, ``>=`` or ``<=``, and the bound.
        """
        taken = set(self.rows)
        start = self.matrix.indptr.tolist()
        columns, values = self.matrix.indices.tolist(), self.matrix.data.tolist()
        bounds = zip(self.rows, self.row_lower.tolist(), self.row_upper.tolist(), strict=True)
        for row, (name, low, high) in enumerate(bounds):
            entries = slice(start[row], start[row + 1])
            terms = list(zip(columns[entries], values[entries], strict=True))
            if low == high:
                yield name, terms, "==", low
                continue
            if low > -np.inf:
                yield name, terms, ">=", low
            if high < np.inf:
                other = name
                while low > -np.inf and other in taken:
                    other += " (most)"
                taken.add(other)
                yield other, terms, "<=", high


class Names(Sequence[str]):
    """``n`` names that are made, part by part, when the first one is asked for."""

    def __init__(self, n: int, *parts: Callable[[], Iterable[str]]) -> None:
        self._n, self._parts = n, parts

    def __add__(self, other: Self) -> Self:
        return type(self)(len(self) + len(other), *self._parts, *other._parts)

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, at: Any) -> Any:
        return self._made[at]

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (self._made,)

    @cached_property
    def _made(self) -> list[str]:
        return [name for part in self._parts for name in part()]


def in_words(low: float, high: float) -> str:
    """Bounds for people.

    >>> in_words(1, 1), in_words(-np.inf, 2), in_words(0, 3)
    ('1', 'at most 2', '0 to 3')
    """
    if low == high:
        return f"{low:.15g}"
    if low == -np.inf:
        return f"at most {high:.15g}"
    return f"at least {low:.15g}" if high == np.inf else f"{low:.15g} to {high:.15g}"


@dataclass(frozen=True, slots=True, eq=False)
class WholeRows:
    """``lower <= matrix @ v <= upper`` in whole numbers; the same solutions as the program's rows.

    Rows that hold for all values within the variables' bounds are left out; ``number`` (rows,)
    says which row of the program each is. Coefficients have no common divisor, fixed variables are
    in the bounds, and -UNBOUNDED and UNBOUNDED stand for no bound, or one beyond all values.
    """

    matrix: Any
    lower: IntArray
    upper: IntArray
    number: IntArray

    def only(self, kept: NDArray[np.bool_]) -> Self:
        """Some of the rows, ``kept`` (rows,)."""
        parts = self.matrix, self.lower, self.upper, self.number
        return type(self)(*(part[kept] for part in parts))

    def merged(self) -> Self:
        """Two inequalities of the same terms, up to their signs, as an equality if they make one.

        Differences of two variables, which may be precedences, stay as they are. So do other rows
        of the same terms: p2756 of MIPLIB 3, where many stand twice, is annealed worse without.
        """
        start, columns, data = self.matrix.indptr, self.matrix.indices, self.matrix.data
        size, n = np.diff(start), len(start) - 1
        sign, owner = np.sign(np.append(data, 1)[start[:-1]]), np.repeat(np.arange(n), size)
        turned = scipy.sparse.csr_array((sign[owner] * data, columns, start), self.matrix.shape)
        _, same, count = np.unique(signatures(turned), return_inverse=True, return_counts=True)
        differences = (size == 2) & (np.bincount(owner, turned.data < 0, n) > 0)
        lower, upper, kept = self.lower.copy(), self.upper.copy(), np.ones(n, bool)
        first: dict[bytes, int] = {}
        for row in np.flatnonzero((count[same] > 1) & (size > 0) & ~differences).tolist():
            terms = slice(start[row], start[row + 1])
            key = columns[terms].tobytes() + turned.data[terms].tobytes()
            one = first.setdefault(key, row)
            low, high = self.lower[row], self.upper[row]
            if sign[row] != sign[one]:
                low, high = -high, -low
            low, high = max(low, lower[one]), min(high, upper[one])
            if one != row and low == high:
                lower[one], upper[one], kept[row] = low, high, False
        return type(self)(self.matrix, lower, upper, self.number).only(kept)


def tolerances(program: Rows) -> NDArray[np.float64]:
    """How far beyond its bounds each row still holds, shape (rows,): the rounding of doubles.

    Much less than a coefficient, so that rows of whole numbers times any factor are exact.
    """
    sizes = abs(program.matrix)
    spread = (program.upper - program.lower).astype(np.float64)
    largest = np.maximum(abs(program.lower), abs(program.upper)).astype(np.float64)
    ends = (program.row_lower, program.row_upper)
    bounds = sum(np.where(np.isfinite(end), abs(end), 0) for end in ends)
    digits, start = _DIGITS * (sizes @ spread), sizes.indptr
    (filled,) = np.nonzero(np.diff(start))
    if len(filled):
        least = np.minimum.reduceat(sizes.data, start[filled])
        digits[filled] = np.minimum(digits[filled], _STEP * least)
    off = np.asarray(digits + _ROUNDING * (sizes @ largest + bounds))
    return np.where(exact_rows(program), np.minimum(off, _STEP), off)


def exact_rows(program: Rows) -> NDArray[np.bool_]:
    """The rows of whole coefficients whose sums doubles have exactly, shape (rows,)."""
    sizes = abs(program.matrix)
    largest = np.maximum(abs(program.lower), abs(program.upper)).astype(np.float64)
    row = row_of_entry(sizes)
    parts = np.bincount(row, sizes.data != np.rint(sizes.data), minlength=sizes.shape[0])
    return np.asarray((parts == 0) & (sizes @ largest < LARGEST))


def whole_rows(program: Rows) -> WholeRows:
    """Scale the rows of a program.

    Raises:
        InputError: naming a row whose coefficients no small factor makes whole, or whose terms
            in whole numbers add up to more than doubles have exactly, see ``exact_rows``; or than
            ``LARGEST_IN_DOUBLES`` where a factor makes them whole.
    """
    fixed = program.lower == program.upper
    base = np.where(fixed, program.lower, 0)
    shift = program.matrix @ base
    free = scipy.sparse.diags_array((~fixed).astype(np.float64))
    matrix = scipy.sparse.csr_array(program.matrix @ free)
    matrix.eliminate_zeros()
    matrix.sort_indices()
    exact = exact_rows(program)
    factor = _factors(program, matrix, exact)
    size = np.diff(matrix.indptr)
    row = np.repeat(np.arange(len(size)), size)
    spread = (program.upper - program.lower).astype(np.float64)[matrix.indices]
    total = np.bincount(row, np.abs(matrix.data) * factor[row] * spread, minlength=len(size))
    for at in np.flatnonzero(~exact & (total >= LARGEST_IN_DOUBLES)).tolist():
        limit = LARGEST if total[at] >= LARGEST else LARGEST_IN_DOUBLES
        raise InputError(
            f"row {program.rows[at]}: its terms add up to {total[at]:.3g} in whole numbers, more "
            f"than {limit:,}; give it in larger units, or rounded"
        )
    data = np.rint(matrix.data * factor[row]).astype(np.int64)
    whole = scipy.sparse.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
    positive, negative = np.maximum(data, 0), np.minimum(data, 0)
    first, last = (e[whole.indices].astype(np.float64) for e in (program.lower, program.upper))
    least, most = (
        np.bincount(row, positive * one + negative * other, minlength=len(size)).astype(np.int64)
        for one, other in ((first, last), (last, first))
    )
    low = (program.row_lower - shift) * factor
    high = (program.row_upper - shift) * factor
    slack = tolerances(program) * factor
    lower = np.ceil(np.where(low <= least, -np.inf, low) - slack)
    upper = np.floor(np.where(high >= most, np.inf, high) + slack)
    # What no values reach stays out of reach, in numbers that fit.
    lower = np.where(lower > most, most + 1, lower).clip(-UNBOUNDED, UNBOUNDED).astype(np.int64)
    upper = np.where(upper < least, least - 1, upper).clip(-UNBOUNDED, UNBOUNDED).astype(np.int64)
    divisor, (filled,) = np.ones_like(lower), np.nonzero(size)
    if len(filled):
        divisor[filled] = np.gcd.reduceat(abs(data), whole.indptr[filled])
    whole.data //= divisor[row]
    lower = np.where(lower > -UNBOUNDED, -(-lower // divisor), lower)
    upper = np.where(upper < UNBOUNDED, upper // divisor, upper)
    none = lower > upper  # no whole number is between the two
    lower[none] = upper[none] = (most // divisor + 1)[none]
    (bounded,) = np.nonzero((lower > -UNBOUNDED) | (upper < UNBOUNDED))
    return WholeRows(whole[bounded], lower[bounded], upper[bounded], bounded)


def _factors(program: Rows, matrix: Any, exact: NDArray[np.bool_]) -> NDArray[np.float64]:
    """What makes the coefficients of each row whole, 1 for those that are ``exact``, (rows,)."""
    factor, ends = np.ones(matrix.shape[0]), matrix.indptr.tolist()
    for at in np.flatnonzero(~exact & (np.diff(matrix.indptr) > 0)).tolist():
        values = matrix.data[ends[at] : ends[at + 1]]
        factor[at] = whole_factor(f"row {program.rows[at]}", values)
    return factor


def whole_factor(name: str, values: NDArray[np.float64]) -> float:
    """The least number that makes all values whole; InputError with the name if none does."""
    close = [Fraction(v).limit_denominator(_DENOMINATOR) for v in values.tolist()]
    for value, fraction in zip(values.tolist(), close, strict=True):
        if abs(float(fraction) - value) > _CLOSE * abs(value):
            raise InputError(
                f"{name}: no small factor makes {value:.12g} a whole number; give it rounded"
            )
    top, bottom = gcd(*(f.numerator for f in close)), lcm(*(f.denominator for f in close))
    return float(Fraction(bottom, top))
