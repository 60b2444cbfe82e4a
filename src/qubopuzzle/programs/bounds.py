"""What rows say of single variables: bounds, and that only whole values come into question."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.model.data import row_of_entry

_Floats = NDArray[np.float64]
_Flags = NDArray[np.bool_]
_ROUNDS = 10
"""Of looking at rows for bounds, each time with those that are known by then."""
_FAR = 2.0**40
"""A bound beyond it is none."""
_NEAR, _OFF = 1e-12, 1e-6
"""How well doubles are known, relative to themselves, and what a whole bound may be off."""


def is_whole(numbers: Any) -> Any:
    """Which numbers are whole but for rounding, infinite ones among them."""
    with np.errstate(invalid="ignore"):
        return np.isinf(numbers) | (
            abs(numbers - np.rint(numbers)) <= np.minimum(_NEAR * abs(numbers), _OFF)
        )


def bounds_by_rows(
    matrix: Any, sides: tuple[_Floats, _Floats], bounds: tuple[_Floats, _Floats], wanted: _Flags
) -> tuple[_Floats, _Floats]:
    """Bounds of whole variables, (variables,), those ``wanted`` as close as rows say.

    A row leaves a variable what the others' bounds leave of its sides, (rows,) each.
    """
    column, n = matrix.indices, matrix.shape[0]
    row = row_of_entry(matrix)
    at = np.flatnonzero(wanted[column])
    rising = matrix.data > 0
    low, high = (bound.copy() for bound in bounds)
    for _ in range(_ROUNDS):
        before = low.copy(), high.copy()
        ends = np.where(low < -_FAR, -np.inf, low), np.where(high > _FAR, np.inf, high)
        with np.errstate(invalid="ignore"):
            one, two = (matrix.data * end[column] for end in ends)
        for terms, side in ((np.where(rising, one, two), 1), (np.where(rising, two, one), 0)):
            # The least of the others and the upper side say how much there is room for.
            open_ended = np.isinf(terms)
            finite = np.where(open_ended, 0, terms)
            total, size = (np.bincount(row, f, minlength=n) for f in (finite, abs(finite)))
            count = np.bincount(row, open_ended, minlength=n)[row] - open_ended
            rest = np.where(count > 0, -np.inf if side else np.inf, total[row] - finite)
            slack = _NEAR * (size + abs(np.where(np.isinf(sides[side]), 0, sides[side])))[row]
            bound = (sides[side][row] - rest) / matrix.data
            off = slack / abs(matrix.data) + _OFF
            tops = at[rising[at] == bool(side)]
            np.minimum.at(high, column[tops], np.floor((bound + off)[tops]))
            bottoms = at[rising[at] != bool(side)]
            np.maximum.at(low, column[bottoms], np.ceil((bound - off)[bottoms]))
        if (low > high).any():  # no values are left: the rows say so
            return before
        if (low == before[0]).all() and (high == before[1]).all():
            break
    return low + 0.0, high + 0.0  # no -0


def defining_rows(matrix: Any, sides: tuple[Any, Any], width: NDArray[Any]) -> NDArray[np.int64]:
    """An equality for each variable of a ``width``, by which it is a whole sum of others.

    It stands in this row alone, and no wider one has the row; -1 elsewhere, (variables,).
    """
    column = matrix.indices
    row = row_of_entry(matrix)
    single = (width > 0) & (np.bincount(column, minlength=len(width)) == 1)
    (at,) = np.nonzero(single[column] & (sides[0] == sides[1])[row])
    at = at[np.argsort(-width[column[at]], kind="stable")]
    factor, first = np.zeros(matrix.shape[0]), np.unique(row[at], return_index=True)[1]
    at = at[first]
    factor[row[at]] = matrix.data[at]
    parts = np.divide(matrix.data, factor[row], out=np.ones(len(row)), where=factor[row] != 0)
    broken = np.bincount(row, ~is_whole(parts), minlength=len(factor)) > 0
    at = at[~broken[row[at]]]
    rows = np.full(len(width), -1, dtype=np.int64)
    rows[column[at]] = row[at]
    return rows


def with_implied(
    whole: _Flags,
    matrix: Any,
    sides: tuple[_Floats, _Floats],
    bounds: tuple[_Floats, _Floats],
    squared: _Flags,
) -> _Flags:
    """The ``whole`` variables, (variables,), and others for which whole values are all or enough.

    Such a one is alone among whole ones in a row that is whole once it is divided by its
    coefficient, side and all: an equality leaves it whole values only. If all its rows are such,
    and so are its bounds, then whatever values the others have it lies between two whole numbers,
    and what is linear in it is least at one of them; those in products of the objective,
    ``squared``, are left out.
    """
    column, (n_rows, n) = matrix.indices, matrix.shape
    row = row_of_entry(matrix)
    whole, count = whole.copy(), np.bincount(column, minlength=n)
    between = is_whole(bounds[0]) & is_whole(bounds[1]) & ~squared
    while True:
        other = ~whole[column]
        at = np.flatnonzero(other & (np.bincount(row, other, minlength=n_rows) == 1)[row])
        factor = np.ones(n_rows)
        factor[row[at]] = matrix.data[at]
        uneven = np.bincount(row, ~is_whole(matrix.data / factor[row]), minlength=n_rows) > 0
        even = ~uneven & is_whole(sides[0] / factor) & is_whole(sides[1] / factor)
        at = at[even[row[at]]]
        implied = between & (np.bincount(column[at], minlength=n) == count)
        implied[column[at[(sides[0] == sides[1])[row[at]]]]] = True
        if not (implied & ~whole).any():
            return whole
        whole |= implied
