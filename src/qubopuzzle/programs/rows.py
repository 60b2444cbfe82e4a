"""A program's rows with whole coefficients, as far as they say anything."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array

from qubopuzzle.errors import InputError
from qubopuzzle.model import UNBOUNDED, IntArray
from qubopuzzle.model.data import LARGEST

if TYPE_CHECKING:
    from qubopuzzle.programs.program import Program

MOST_VALUES = 1 << 10
"""Values of a variable, at most."""
_DENOMINATOR = 10**6
_CLOSE = 1e-9
"""Two coefficients this close, relative to the larger, are the same."""
_DIGITS, _ROUNDING = 1e-9, 1e-12
"""How well fractions are known, and doubles, relative to themselves."""


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


def tolerances(program: Program) -> NDArray[np.float64]:
    """How far beyond its bounds each row still holds, shape (rows,): what numbers cannot tell.

    Much less than a coefficient, so that rows of whole numbers times any factor are exact.
    """
    sizes = abs(program.matrix)
    spread = (program.upper - program.lower).astype(np.float64)
    largest = np.maximum(abs(program.lower), abs(program.upper)).astype(np.float64)
    ends = (program.row_lower, program.row_upper)
    bounds = sum(np.where(np.isfinite(end), abs(end), 0) for end in ends)
    return np.asarray(_DIGITS * (sizes @ spread) + _ROUNDING * (sizes @ largest + bounds))


def whole_rows(program: Program) -> WholeRows:
    """Scale the rows of a program.

    Raises:
        InputError: naming a row whose coefficients no small factor makes whole, or whose terms
            in whole numbers add up to more than ``LARGEST``.
    """
    fixed = program.lower == program.upper
    base = np.where(fixed, program.lower, 0)
    shift = program.matrix @ base
    matrix = csr_array(program.matrix @ diags_array((~fixed).astype(np.float64)))
    matrix.eliminate_zeros()
    matrix.sort_indices()
    factor = _factors(program, matrix)
    size = np.diff(matrix.indptr)
    row = np.repeat(np.arange(len(size)), size)
    spread = (program.upper - program.lower).astype(np.float64)[matrix.indices]
    total = np.bincount(row, np.abs(matrix.data) * factor[row] * spread, minlength=len(size))
    for at in np.flatnonzero(total >= LARGEST).tolist():
        raise InputError(
            f"row {program.rows[at]}: its terms add up to {total[at]:.3g} in whole numbers, more "
            f"than {LARGEST:,}; give it in larger units, or rounded"
        )
    data = np.rint(matrix.data * factor[row]).astype(np.int64)
    whole = csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
    positive, negative = np.maximum(data, 0), np.minimum(data, 0)
    first, last = (e[whole.indices].astype(np.float64) for e in (program.lower, program.upper))
    least, most = (
        np.bincount(row, positive * one + negative * other, minlength=len(size))
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
    none = lower > upper  # no whole number is between the two
    lower[none] = upper[none] = (most[none] + 1).astype(np.int64)
    (said,) = np.nonzero((lower > -UNBOUNDED) | (upper < UNBOUNDED))
    return WholeRows(whole[said], lower[said], upper[said], said)


def _factors(program: Program, matrix: Any) -> NDArray[np.float64]:
    """What makes the coefficients of each row whole, without a common divisor, shape (rows,)."""
    factor = np.ones(matrix.shape[0])
    data, ends = matrix.data, matrix.indptr.tolist()
    uneven = np.zeros(len(factor), dtype=bool)
    is_whole = (data == np.rint(data)) & (np.abs(data) <= LARGEST)
    row = np.repeat(np.arange(len(factor)), np.diff(matrix.indptr))
    uneven[row[~is_whole]] = True
    (even,) = np.nonzero(~uneven & (np.diff(matrix.indptr) > 0))
    if len(even):
        # A stretch may run on into rows that are not whole: zeros change no divisor.
        numbers = np.abs(np.where(uneven[row], 0, data)).astype(np.int64)
        factor[even] = 1 / np.gcd.reduceat(numbers, matrix.indptr[even])
    for at in np.flatnonzero(uneven).tolist():
        factor[at] = whole_factor(f"row {program.rows[at]}", data[ends[at] : ends[at + 1]])
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
