"""Programs from the arrays that SciPy's ``milp`` takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import Bounds, LinearConstraint
from scipy.sparse import csr_array, vstack

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import InputError, at
from qubopuzzle.programs.bounds import is_whole, with_implied
from qubopuzzle.programs.program import Program, spread

_KINDS = ("continuous", "whole", "semi-continuous", "semi-integer")
"""What 0, 1, 2, 3 mean, to SciPy and HiGHS."""


def from_mip(
    c: ArrayLike,
    *,
    integrality: ArrayLike | None = None,
    bounds: Any = None,
    constraints: Any = None,
    variables: Sequence[str] | None = None,
    rows: Sequence[str] | None = None,
) -> Program:
    """Minimise ``c @ x`` over whole x: the arguments of ``scipy.optimize.milp``.

    >>> import numpy as np
    >>> from scipy.optimize import LinearConstraint
    >>> from qubopuzzle import from_mip
    >>> at_most_one = LinearConstraint(np.array([[1, 1, 0], [0, 1, 1]]), ub=1)
    >>> program = from_mip([-2, -3, -2], constraints=at_most_one)
    >>> program.extent, program.objective_of([1, 0, 1]), program.broken(np.array([1, 1, 0]))[0].rule
    ('3 variables, 2 rows', -4.0, 'row0')

    Args:
        c: shape (variables,).
        integrality: 1 for a whole number, one for all or shape (variables,); all are without.
        bounds: ``scipy.optimize.Bounds``, or a pair of lower and upper; 0 and 1 without, where
            ``milp`` has no upper one.
        constraints: a ``LinearConstraint`` or a triple (A, lower, upper), or several in a list.
        variables, rows: names; ``x0`` and ``row0`` onwards without.

    Quadratic objectives and maximising: ``Program.of``.

    Raises:
        InputError: naming the variable or row that cannot be taken; see ``require_whole``.
    """
    cost = _costs(c)
    low, high = _pair(bounds, len(cost))
    matrix, row_lower, row_upper = _stacked(constraints, len(cost))
    names = [f"x{i}" for i in range(len(cost))] if variables is None else list(variables)
    if integrality is not None:
        kinds, sides = spread("integrality", integrality, len(cost)), (row_lower, row_upper)
        require_whole(names, kinds, (low, high), matrix, sides)
    return Program.of(
        matrix,
        row_lower,
        row_upper,
        lower=low,
        upper=high,
        cost=cost,
        variables=names,
        rows=rows,
    )


def require_whole(
    names: Sequence[str],
    kinds: ArrayLike,
    bounds: Any,
    matrix: Any,
    sides: tuple[ArrayLike, ArrayLike],
    quadratic: Any = None,
) -> None:
    """Refuse variables that are no whole numbers, by the first one's name.

    ``kinds`` are numbers as in ``from_mip``. What is not whole passes with one value only, and
    where rows, ``sides[0] <= matrix @ v <= sides[1]``, leave it whole values: see ``with_implied``.
    """
    n = len(names)
    low, high, kind = (np.broadcast_to(np.asarray(a, float), (n,)) for a in (*bounds, kinds))
    fixed = (low == high) & (kind == 0)
    passed = fixed | (kind == 1)
    if not passed.all() and (kind[~passed] == 0).all():
        rows, squared = csr_array(matrix, copy=True), np.zeros(n, dtype=bool)
        rows.sum_duplicates()
        if quadratic is not None:
            squared[np.concatenate(quadratic.nonzero())] = True
        low_side, high_side = (np.asarray(side, dtype=np.float64) for side in sides)
        whole = passed & (~fixed | is_whole(low))
        passed |= with_implied(whole, rows, (low_side, high_side), (low, high), squared)
    (other,) = np.nonzero(~passed)
    if not len(other):
        return
    first = int(other[0])
    what = _KINDS[int(kind[first])] if kind[first] in range(len(_KINDS)) else "of no known kind"
    several = f", and {len(other) - 1:,} more" if len(other) > 1 else ""
    raise InputError(
        f"variable {names[first][:60]}{several}: {what}; only whole numbers between bounds are "
        "taken, so declare it binary or integer"
    )


def _costs(c: ArrayLike) -> NDArray[np.float64]:
    try:
        costs = np.atleast_1d(np.asarray(c, dtype=np.float64))
        if costs.ndim != 1:
            raise ValueError
    except (TypeError, ValueError):
        raise InputError(f"c: expected a number a variable, got {brief(c)}") from None
    return costs


def _pair(bounds: Any, n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if bounds is None:
        bounds = 0, 1
    ends = (bounds.lb, bounds.ub) if isinstance(bounds, Bounds) else bounds
    try:
        low, high = (np.broadcast_to(np.asarray(end, dtype=np.float64), (n,)) for end in ends)
    except (TypeError, ValueError):
        raise InputError(
            f"bounds: expected a lower and an upper one, got {brief(bounds)}"
        ) from None
    return low, high


def _stacked(constraints: Any, n: int) -> tuple[Any, NDArray[np.float64], NDArray[np.float64]]:
    """All rows: coefficients, lower and upper bounds."""
    nothing = np.zeros(0)
    blocks = [(csr_array((0, n)), nothing, nothing)]
    for number, given in enumerate(_several(constraints)):
        with at(f"constraints {number}"):
            blocks.append(_rows(given, n))
    matrices, lower, upper = zip(*blocks, strict=True)
    return vstack(matrices, format="csr"), np.concatenate(lower), np.concatenate(upper)


def _several(constraints: Any) -> Iterable[Any]:
    if constraints is None:
        return ()
    if isinstance(constraints, LinearConstraint):
        return (constraints,)
    try:
        given = list(constraints)
    except TypeError:
        what = "a LinearConstraint, (A, lower, upper), or several in a list"
        raise InputError(f"constraints: expected {what}, got {brief(constraints)}") from None
    if len(given) == 3:  # one triple or three constraints: told as SciPy tells it
        with suppress(TypeError, ValueError):
            return (LinearConstraint(*given),)
    return given


def _rows(given: Any, n: int) -> tuple[Any, NDArray[np.float64], NDArray[np.float64]]:
    parts = (given.A, given.lb, given.ub) if isinstance(given, LinearConstraint) else given
    try:
        matrix, low, high = parts
        rows = csr_array(np.atleast_2d(matrix) if not hasattr(matrix, "tocsr") else matrix)
        ends = [np.broadcast_to(np.asarray(b, dtype=float), rows.shape[:1]) for b in (low, high)]
    except (TypeError, ValueError):
        raise InputError(f"expected (A, lower, upper), got {brief(given)}") from None
    if rows.shape[1] != n:
        raise InputError(f"expected {n} columns, got {rows.shape[1]}")
    return rows, *ends
