"""What rows say beside choices: a variable that is a sum of others, and values in order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qubopuzzle.compile.lowering import ranges
from qubopuzzle.compile.rows import WholeRows, tolerances
from qubopuzzle.model import UNBOUNDED, IntArray
from qubopuzzle.model.builder import LARGEST_VALUE
from qubopuzzle.model.data import LARGEST_SQUARED, row_of_entry
from qubopuzzle.programs.bounds import defining_rows

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from qubopuzzle.programs.program import Program


def tightened(program: Program) -> Program:
    """The program with the bounds that rows of one variable say; as it is if no value is left."""
    (rows,) = np.nonzero(np.diff(program.matrix.indptr) == 1)
    at = program.matrix.indptr[rows]
    variable, coefficient = program.matrix.indices[at], program.matrix.data[at]
    ends = np.stack([program.row_lower[rows], program.row_upper[rows]]) / coefficient
    slack = tolerances(program)[rows] / abs(coefficient)
    low, high = np.ceil(ends.min(axis=0) - slack), np.floor(ends.max(axis=0) + slack)
    lower, upper = program.lower.astype(np.float64), program.upper.astype(np.float64)
    np.maximum.at(lower, variable, low)
    np.minimum.at(upper, variable, high)
    if (lower > upper).any():
        return program
    return replace(program, lower=lower.astype(np.int64), upper=upper.astype(np.int64))


_MOST_ENTRIES = 1_000_000
"""Of a dense system that ``implied_rows`` solves, at most."""
_DENOMINATOR = 12
"""Factors of rows that it looks for are fractions with a common one of at most this."""


def implied_rows(rows: WholeRows) -> NDArray[np.bool_]:
    """Equalities that follow from shorter ones within their variables, shape (rows,).

    Such as "six matches in a slot", where each of twelve teams plays once in it. An annealer is
    better off without: a long row that is broken says of all its variables that they may be wrong.
    """
    implied = np.zeros(len(rows.lower), dtype=bool)
    (equal,) = np.nonzero(rows.lower == rows.upper)
    matrix, bound = csr_array(rows.matrix[equal]), rows.lower[equal]
    size = np.diff(matrix.indptr)
    there = csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)
    (long,) = np.nonzero(size > np.median(size) if len(size) else size)
    common = csr_array(there[long] @ there.T)
    for at, row in sorted(enumerate(long.tolist()), key=lambda pair: -size[pair[1]]):
        near = slice(*common.indptr[at : at + 2])
        others = common.indices[near]
        within = others[(common.data[near] == size[others]) & (size[others] < size[row])]
        within = within[~implied[equal[within]]]
        if size[within].sum() >= size[row] and len(within) * size[row] <= _MOST_ENTRIES:
            implied[equal[row]] = _follows(matrix, bound, row, within)
    return implied


def _follows(matrix: Any, bound: IntArray, row: int, others: IntArray) -> bool:
    """Whether an equality is a sum of multiples of others within its variables, exactly."""
    start, size = matrix.indptr[:-1], np.diff(matrix.indptr)
    part = slice(*matrix.indptr[row : row + 2])
    place = np.zeros(matrix.shape[1], dtype=np.int64)
    place[matrix.indices[part]] = np.arange(size[row])
    entries = ranges(start[others].astype(np.int64), size[others].astype(np.int64))
    line = np.repeat(np.arange(len(others)), size[others])
    parts, whole = np.zeros((len(others), size[row]), dtype=np.int64), matrix.data[part]
    parts[line, place[matrix.indices[entries]]] = matrix.data[entries]
    system = parts.T.astype(np.float64), whole.astype(np.float64)
    factors = np.linalg.lstsq(*system, rcond=None)[0]
    for k in range(1, _DENOMINATOR + 1):
        numbers = np.rint(k * factors).astype(np.int64)
        if (numbers @ parts == k * whole).all():
            return int(numbers @ bound[others]) == k * int(bound[row])
    return False


@dataclass(frozen=True, slots=True, eq=False)
class Defined:
    """Variables that equalities define: ``values[variable] == base + matrix @ values``.

    ``variable``, ``base`` and ``row``, the number of the whole row that says so, have shape
    (n,), ``matrix`` shape (n, variables); ``lower`` and ``upper`` (n,) are the variables' bounds
    but for those that no values of the others reach.
    """

    variable: IntArray
    base: IntArray
    matrix: Any
    row: IntArray
    lower: IntArray
    upper: IntArray

    @classmethod
    def by(cls, program: Program, rows: WholeRows, variable: IntArray, row: IntArray) -> Self:
        """By the rows of these numbers, in which the variables' coefficients are 1 or -1."""
        others = csr_array(rows.matrix[row])
        size = np.diff(others.indptr)
        defined = others.indices == np.repeat(variable, size)
        sign = others.data[defined]
        # sign v + sum = k, hence v = sign k - sign sum.
        others.data = np.where(defined, 0, -np.repeat(sign, size) * others.data)
        others.eliminate_zeros()
        base, low, high = sign * rows.lower[row], program.lower, program.upper
        rising, falling = others.maximum(0), others.minimum(0)
        least = base + rising @ low + falling @ high
        most = base + rising @ high + falling @ low
        lower = np.where(least >= low[variable], -UNBOUNDED, low[variable])
        upper = np.where(most <= high[variable], UNBOUNDED, high[variable])
        return cls(variable, base, others, row, lower, upper)


def defined_integers(program: Program, rows: WholeRows, fewest: int) -> Defined:
    """Variables of at least so many values that stand in one row, an equality, and no product."""
    width = program.upper - program.lower
    width[width < fewest - 1] = 0
    width[np.concatenate(program.quadratic.nonzero())] = 0
    row = defining_rows(rows.matrix, (rows.lower, rows.upper), width)
    (variable,) = np.nonzero(row >= 0)
    return Defined.by(program, rows, variable, row[variable])


def defined_bits(program: Program, rows: WholeRows, grouped: NDArray[np.bool_]) -> Defined:
    """Bits in no choice that an equality defines as a sum of variables that are in choices.

    ``grouped`` (variables,) says which are. All coefficients of the equality are 1 or -1, and
    putting the sum in the bit's place leaves every other row at most twice as long.
    """
    matrix = rows.matrix
    n_rows = matrix.shape[0]
    row = row_of_entry(matrix)
    alone = ~grouped[matrix.indices]
    bit = (program.lower == 0) & (program.upper == 1) & ~grouped
    unit = np.bincount(row, np.abs(matrix.data) != 1, minlength=n_rows) == 0
    one = np.bincount(row, alone, minlength=n_rows) == 1
    size = np.diff(matrix.indptr)
    says = one & unit & (size > 1) & (rows.lower == rows.upper)
    (at,) = np.nonzero(alone & says[row] & bit[matrix.indices])
    # The shortest row of each, so that what it is put into grows least.
    at = at[np.argsort(size[row[at]], kind="stable")]
    variable, first = np.unique(matrix.indices[at], return_index=True)
    at = at[first]
    kept = _short_enough(matrix, variable, row[at])
    return Defined.by(program, rows, variable[kept].astype(np.int64), row[at[kept]])


def _short_enough(matrix: Any, variable: IntArray, defining: IntArray) -> NDArray[np.bool_]:
    """Which of the variables may be replaced by their rows ``defining``, both of shape (n,)."""
    n = matrix.shape[1]
    size = np.diff(matrix.indptr)
    there = csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)
    growth, weight = np.zeros(n), np.ones(n)
    growth[variable], weight[variable] = size[defining] - 2, size[defining] - 1
    longer = there @ growth
    longer[defining] = 0
    wrong = (longer > size) | (abs(matrix) @ weight > LARGEST_SQUARED)
    wrong[defining] = False
    return np.asarray(~((there.T @ wrong)[variable] > 0))


@dataclass(frozen=True, slots=True, eq=False)
class Ordered:
    """Rows that say ``number(second) >= number(first) + gap``, shape (n,) each.

    ``numbers`` has those of the choices' values, shape (values,) each; ``first`` and ``second``
    are choices, ``row`` is the row's number.
    """

    row: IntArray
    first: IntArray
    second: IntArray
    gap: IntArray
    numbers: dict[int, IntArray]


def ordered_choices(
    rows: WholeRows,
    start: IntArray,
    usable: NDArray[np.bool_],
    known: Mapping[int, IntArray],
) -> Ordered:
    """Rows whose coefficients rise from value to value of one choice, and fall in another.

    A choice has the same numbers in all rows that are taken, from 0 on, and the first row says
    which; what a row would number otherwise stays a row.

    Args:
        rows: over literals.
        start: the first literal of each choice, and their number, shape (choices + 1,).
        usable: which choices may be numbered, shape (choices,).
        known: the numbers of those that have some.
    """
    numbers = dict(known)
    orders: list[tuple[int, int, int, int]] = []
    for at, pair in _pairs(rows, start, usable):
        turned = -1 if rows.lower[at] <= -UNBOUNDED else 1
        bound = -rows.upper[at] if turned < 0 else rows.lower[at]
        sides = [turned * _coefficients(rows.matrix, at, *start[c : c + 2]) for c in pair]
        if (sides[0][:2] * (-1, 1)).sum() < 0:
            pair, sides = pair[::-1], sides[::-1]
        up, down = sides
        if not ((np.diff(up) > 0).all() and (np.diff(down) < 0).all()):
            continue
        if max(up[-1] - up[0], down[0] - down[-1]) > LARGEST_VALUE:
            continue
        second, first = pair
        wanted = {second: up - up[0], first: down[0] - down}
        if all(
            np.array_equal(numbers.get(c, numbers_of), numbers_of)
            for c, numbers_of in wanted.items()
        ):
            numbers |= wanted
            orders.append((at, first, second, int(bound - up[0] - down[0])))
    row, one, two, gap = np.array(orders, dtype=np.int64).reshape(-1, 4).T
    used = {*one.tolist(), *two.tolist()}
    return Ordered(row, one, two, gap, {c: numbers[c] for c in used})


def _coefficients(matrix: Any, row: int, first: int, last: int) -> IntArray:
    """Those of the literals ``first`` to ``last`` - 1 in a row."""
    entries = slice(*matrix.indptr[row : row + 2])
    literal, inside = matrix.indices[entries], np.zeros(last - first, dtype=np.int64)
    inside_choice = (literal >= first) & (literal < last)
    inside[literal[inside_choice] - first] = matrix.data[entries][inside_choice]
    return inside


def _pairs(
    rows: WholeRows, start: IntArray, usable: NDArray[np.bool_]
) -> list[tuple[int, tuple[int, int]]]:
    """Rows with one bound over two usable choices, with all their values but one of each."""
    n_entries = np.diff(rows.matrix.indptr)
    one_bound = (rows.lower <= -UNBOUNDED) != (rows.upper >= UNBOUNDED)
    (chosen,) = np.nonzero((n_entries > 1) & one_bound)
    if not len(chosen):
        return []
    entries, sizes = csr_array(rows.matrix[chosen]), np.diff(start)
    owner = np.repeat(np.arange(len(sizes)), sizes)[entries.indices]
    low, high = (f.reduceat(owner, entries.indptr[:-1]) for f in (np.minimum, np.maximum))
    row = np.repeat(np.arange(len(chosen)), n_entries[chosen])
    between = np.bincount(row, (owner > low[row]) & (owner < high[row]), minlength=len(chosen))
    good = (low < high) & (between == 0) & usable[low] & usable[high]
    good &= n_entries[chosen] >= sizes[low] + sizes[high] - 2
    pairs = zip(low[good].tolist(), high[good].tolist(), strict=True)
    return list(zip(chosen[good].tolist(), pairs, strict=True))
