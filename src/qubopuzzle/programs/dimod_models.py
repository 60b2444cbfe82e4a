"""dimod's models as programs, a CQM with its way back or a BQM, and a program as a CQM."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import dimod
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_diag, csr_array, diags_array, hstack

from qubopuzzle.base.checks import brief
from qubopuzzle.compile.rows import MOST_VALUES, Rows, whole_factor
from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.model import IntArray
from qubopuzzle.programs.program import Program

FloatArray = NDArray[np.float64]

MOST_PRODUCTS = 20_000_000
"""Products of two terms that soft equalities of quadratic penalty may bring, at most."""
_UNNAMED = re.compile("c[0-9a-f]{6}")
"""What dimod calls a constraint that nobody named: something else in every run."""
_COUNTED = re.compile("c0[0-9]{5}")
"""What somebody may call one who counts them; dimod draws one like that in 170."""


def from_cqm(cqm: dimod.ConstrainedQuadraticModel) -> Program:
    """A dimod CQM as a program: its variables in their order, and its constraints as rows.

    Names are the labels as text; constraints that were given no label are ``row0`` onwards, by
    their place. Spins become bits: 1 for +1, 0 for -1. A soft constraint becomes a part of the
    objective: squared, if it is an equality of quadratic penalty; else it stays a row with
    variables for how far it is missed, which come after the others, such as "budget too high".

    >>> import dimod
    >>> x, n = dimod.Binary("x"), dimod.Integer("n", upper_bound=5)
    >>> cqm = dimod.ConstrainedQuadraticModel()
    >>> cqm.set_objective(n * n - 4 * n * x)
    >>> label = cqm.add_constraint(n - 3 * x <= 1, label="limit")
    >>> program = from_cqm(cqm)
    >>> program.variables, program.rows, program.objective_of([2, 1])
    (('n', 'x'), ('limit',), -4.0)

    Raises:
        InputError: naming a REAL variable, an INTEGER without close bounds, a quadratic constraint,
            or a soft one that whole numbers below ``MOST_VALUES`` cannot express.
        TooLarge: for soft equalities of more than ``MOST_PRODUCTS`` products.
    """
    return cqm_program(cqm).program


def from_bqm(bqm: dimod.BinaryQuadraticModel) -> Program:
    """A dimod BQM as a program without rows; spins become bits, 1 for +1, 0 for -1.

    >>> import dimod
    >>> program = from_bqm(dimod.BQM({"a": 1, "b": -3}, {"ab": 2}, 0.5, "BINARY"))
    >>> program.extent, program.objective_of([1, 1])
    ('2 variables, 0 rows', 0.5)

    Raises:
        InputError: for biases that are no numbers.
    """
    if not isinstance(bqm, dimod.BinaryQuadraticModel):
        raise InputError(f"expected a dimod.BinaryQuadraticModel, got {brief(bqm)}")
    bqm = bqm.binary
    n = bqm.num_variables
    vectors: Any = bqm.to_numpy_vectors(bqm.variables)
    linear, (row, column, bias), _ = vectors  # whose offset is rounded where biases are whole
    return Program.of(
        csr_array((0, n)),
        cost=np.asarray(linear, dtype=np.float64),
        quadratic=csr_array((np.asarray(bias, dtype=np.float64), (row, column)), shape=(n, n)),
        offset=float(bqm.offset),
        variables=_texts(bqm.variables),
    )


def cqm_of(program: Rows) -> dimod.ConstrainedQuadraticModel:
    """The program as dimod has it, minimised; a row of two bounds becomes two constraints.

    Variables are in their order. Rows that say "exactly one of these bits" are discrete constraints
    of dimod, but for those that share a bit with one before; they come from choices first.

    >>> cqm = cqm_of(Program.of([[1, 1, 0], [0, 1, 1]], 1, [1, 2], rows=["x", "y"]))
    >>> list(cqm.discrete), list(cqm.constraints)
    (['x'], ['x', 'y', 'y (most)'])
    """
    made = dimod.ConstrainedQuadraticModel()  # type: ignore[no-untyped-call]
    names = program.variables
    bounds = zip(program.lower.tolist(), program.upper.tolist(), strict=True)
    for name, (low, high) in zip(names, bounds, strict=True):
        if (low, high) == (0, 1):
            made.add_variable("BINARY", name)
        else:
            made.add_variable("INTEGER", name, lower_bound=low, upper_bound=high)
    sign = -1 if program.maximize else 1
    objective: list[tuple[Any, ...]] = [(sign * program.offset,)]
    objective += zip(names, (sign * program.cost).tolist(), strict=True)
    pairs = program.quadratic.tocoo()
    entries = (pairs.row.tolist(), pairs.col.tolist(), (sign * pairs.data).tolist())
    objective += [(names[i], names[j], value) for i, j, value in zip(*entries, strict=True)]
    made.set_objective(objective)
    for name, terms, sense, bound in program.constraints():
        named_terms = [(names[v], value) for v, value in terms]
        made.add_constraint_from_iterable(named_terms, sense, rhs=bound, label=name)
    for row in _one_hot_rows(program):
        made.constraints[program.rows[row]].lhs.mark_discrete()
    return made


def _one_hot_rows(program: Rows) -> Iterator[int]:
    """Rows "exactly one of these bits", but for those that share a bit with one before."""
    matrix, size = program.matrix, np.diff(program.matrix.indptr)
    is_bit = (program.lower == 0) & (program.upper == 1)
    row = np.repeat(np.arange(len(size)), size)
    other = (matrix.data != 1) | ~is_bit[matrix.indices]
    plain = (size > 1) & (np.bincount(row, other, minlength=len(size)) == 0)
    taken: set[int] = set()
    for at in np.flatnonzero(plain & (program.row_lower == 1) & (program.row_upper == 1)).tolist():
        variables = matrix.indices[slice(*matrix.indptr[at : at + 2])].tolist()
        if taken.isdisjoint(variables):
            taken.update(variables)
            yield at


def ranked(sample_set: dimod.SampleSet) -> dimod.SampleSet:
    """The distinct samples, feasible ones first, by energy."""
    distinct = sample_set.aggregate()  # type: ignore[no-untyped-call]
    record = distinct.record
    broken = ~record.is_feasible if "is_feasible" in record.dtype.names else np.zeros(len(record))
    order = record[np.lexsort((record.energy, broken))]
    return dimod.SampleSet(  # type: ignore[no-untyped-call]
        order, distinct.variables, distinct.info, distinct.vartype
    )


@dataclass(frozen=True, slots=True, eq=False)
class CqmProgram:
    """A CQM as a program, spins as bits that are 1 for +1, and the way back.

    ``is_spin`` has shape (variables of the CQM,); ``labels`` are those of the constraints by the
    names of the rows that they became, which are the same in every run.
    """

    program: Program
    is_spin: NDArray[np.bool_]
    labels: dict[str, Hashable]

    def samples(self, values: IntArray) -> IntArray:
        """Samples in the order of the CQM's variables, of values (samples, variables)."""
        ours = values[:, : len(self.is_spin)]
        return np.where(self.is_spin, 2 * ours - 1, ours)

    def values(self, samples: NDArray[Any]) -> NDArray[Any]:
        """The inverse; variables for how far soft constraints are missed are 0."""
        bits = np.where(self.is_spin, (samples + 1) / 2, samples)
        rest = len(self.program.variables) - len(self.is_spin)
        return np.hstack([bits, np.zeros((len(bits), rest))])


def cqm_program(cqm: dimod.ConstrainedQuadraticModel) -> CqmProgram:
    """As ``from_cqm``, with spins as bits; raises as it does."""
    if not isinstance(cqm, dimod.ConstrainedQuadraticModel):
        raise InputError(f"expected a dimod.ConstrainedQuadraticModel, got {brief(cqm)}")
    is_spin = np.array([cqm.vartype(v) is dimod.SPIN for v in cqm.variables], dtype=bool)
    rows, soft = _of_bits(_rows(cqm), is_spin), _Soft.of(cqm)
    squared = soft.there & soft.is_quadratic & (rows.row_lower == rows.row_upper)
    slack = _slack(rows, soft, np.flatnonzero(soft.there & ~squared))
    linear, quadratic, constant = _squares(rows, soft, np.flatnonzero(squared))
    kept = np.flatnonzero(~squared).tolist()
    matrix = hstack([rows.matrix, slack.matrix], format="csr")
    program = Program.of(
        (diags_array(slack.factor) @ matrix).tocsr()[kept],
        (rows.row_lower * slack.factor)[kept],
        (rows.row_upper * slack.factor)[kept],
        lower=np.append(rows.lower, np.zeros(len(slack.names))),
        upper=np.append(rows.upper, slack.most),
        cost=np.append(rows.cost + linear, slack.cost),
        quadratic=block_diag([rows.quadratic + quadratic, diags_array(slack.square)], format="csr"),
        offset=float(rows.offset + constant),
        variables=[*rows.variables, *slack.names],
        rows=[rows.rows[at] for at in kept],
    )
    labels = list(cqm.constraints)
    return CqmProgram(program, is_spin, {rows.rows[at]: labels[at] for at in kept})


def _rows(cqm: dimod.ConstrainedQuadraticModel) -> Rows:
    """Constraints, hard and soft, and objective over the variables as the CQM has them."""
    for v in cqm.variables:
        if cqm.vartype(v) is dimod.REAL:
            what = "is REAL; only bits, spins and integers are taken"
            raise InputError(f"variable {v!s:.60} {what}")
    columns, data, sides = [], [], []
    for label, constraint in cqm.constraints.items():
        left = constraint.lhs
        variable, linear, products = _terms(left)
        if products[2].any():
            raise InputError(f"constraint {label!s:.60}: products of variables; rows are linear")
        columns.append(variable)
        data.append(linear)
        side, sense = float(constraint.rhs) - left.offset, constraint.sense.value
        sides.append((-np.inf if sense == "<=" else side, np.inf if sense == ">=" else side))
    end, n = np.cumsum([0, *map(len, columns)]), len(cqm.variables)
    parts = [np.concatenate([np.zeros(0), *part]) for part in (data, columns)]
    row_lower, row_upper = np.array(sides, dtype=np.float64).reshape(-1, 2).T
    variable, linear, (row, column, bias) = _terms(cqm.objective)
    cost = np.zeros(n)
    cost[variable] = linear
    return Rows(
        _texts(cqm.variables),
        np.array([cqm.lower_bound(v) for v in cqm.variables]),
        np.array([cqm.upper_bound(v) for v in cqm.variables]),
        csr_array((parts[0], parts[1].astype(np.int64), end), shape=(len(columns), n)),
        row_lower,
        row_upper,
        _row_names(cqm),
        cost,
        csr_array((bias, (row, column)), shape=(n, n)),
        float(cqm.objective.offset),
    )


def _of_bits(rows: Rows, is_spin: NDArray[np.bool_]) -> Rows:
    """The same over bits in place of spins, which are ``2 * v - 1``."""
    scale, shift = np.where(is_spin, 2.0, 1.0), np.where(is_spin, -1.0, 0.0)
    moved, both = rows.matrix @ shift, (rows.quadratic + rows.quadratic.T) @ shift
    return replace(
        rows,
        lower=np.where(is_spin, 0, rows.lower),
        matrix=csr_array(rows.matrix @ diags_array(scale)),
        row_lower=rows.row_lower - moved,
        row_upper=rows.row_upper - moved,
        cost=(rows.cost + both) * scale,
        quadratic=diags_array(scale) @ rows.quadratic @ diags_array(scale),
        offset=rows.objective_of(shift),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Soft:
    """Of each constraint what missing it costs, infinity for hard ones, and how; (rows,)."""

    weight: FloatArray
    is_quadratic: NDArray[np.bool_]

    @classmethod
    def of(cls, cqm: dimod.ConstrainedQuadraticModel) -> Self:
        """Those of a CQM."""
        every = [each.lhs for each in cqm.constraints.values()]
        weights = np.array([left.weight() for left in every], dtype=np.float64)
        return cls(weights, np.array([left.penalty() == "quadratic" for left in every], bool))

    @property
    def there(self) -> NDArray[np.bool_]:
        """Which are soft."""
        return np.isfinite(self.weight)


def _terms(expression: Any) -> tuple[IntArray, FloatArray, tuple[IntArray, IntArray, FloatArray]]:
    """Variables' numbers and biases, and pairs of numbers with theirs, of a part of a CQM.

    The arrays are those that dimod writes to files: there is no public way that is no loop.
    """
    variable = np.asarray(expression._iindices(), dtype=np.int64)  # noqa: SLF001
    linear, pairs = expression._ilinear(), expression._iquadratic()  # noqa: SLF001
    return variable, linear, (variable[pairs["u"]], variable[pairs["v"]], pairs["bias"])


@dataclass(frozen=True, slots=True, eq=False)
class _Slack:
    """Whole variables that say how far soft rows are missed, (variables,), and what each costs.

    ``matrix`` has shape (rows, variables), for rows times ``factor`` (rows,), which makes the soft
    ones whole, over that factor; a variable s costs ``cost * s + square * s**2``.
    """

    names: list[str]
    most: IntArray
    cost: FloatArray
    square: FloatArray
    matrix: Any
    factor: FloatArray


def _slack(rows: Rows, soft: _Soft, wanted: IntArray) -> _Slack:
    names: list[str] = []
    numbers: list[tuple[int, int, int]] = []
    factor, start = np.ones(len(rows.rows)), rows.matrix.indptr
    for at in wanted.tolist():
        part = slice(start[at], start[at + 1])
        values, columns = rows.matrix.data[part], rows.matrix.indices[part]
        bounds = np.array([rows.row_lower[at], rows.row_upper[at]])
        numbers_given = np.concatenate([values, bounds[np.isfinite(bounds)]])
        factor[at] = (
            whole_factor(f"constraint {rows.rows[at]}", numbers_given[numbers_given != 0])
            if numbers_given.any()
            else 1.0
        )
        ends = np.sort([values * rows.lower[columns], values * rows.upper[columns]], axis=0)
        low, high = bounds[0] - ends[0].sum(), ends[1].sum() - bounds[1]
        for missed, sign, word in (low, 1, "low"), (high, -1, "high"):
            if missed * factor[at] > 0.5:  # it is whole, or minus infinity
                steps = _steps(rows.rows[at], missed * factor[at])
                names.append(f"{rows.rows[at]} too {word}")
                numbers.append((at, sign, steps))
    row, signs, most = np.array(numbers, dtype=np.int64).reshape(-1, 3).T
    entries = signs / factor[row], (row, np.arange(len(row)))
    matrix = csr_array(entries, shape=(len(factor), len(row)))
    is_squared = soft.is_quadratic[row]
    price = soft.weight[row] / factor[row] ** np.where(is_squared, 2, 1)
    cost, square = np.where(is_squared, 0, price), np.where(is_squared, price, 0)
    return _Slack(names, most, cost, square, matrix, factor)


def _steps(name: str, missed: float) -> int:
    """By how many steps a soft constraint may be missed; InputError for too many."""
    if missed >= MOST_VALUES:
        raise InputError(
            f"constraint {name:.60} is soft and may be missed by {missed:,.0f} steps, more than "
            f"{MOST_VALUES - 1:,}: make it hard, or a part of the objective"
        )
    return round(missed)


def _squares(rows: Rows, soft: _Soft, wanted: IntArray) -> tuple[FloatArray, Any, float]:
    """The weighted sum of the squares of equalities: linear, quadratic, constant."""
    n_products = int((np.diff(rows.matrix.indptr)[wanted].astype(np.int64) ** 2).sum())
    if n_products > MOST_PRODUCTS:
        raise TooLarge(
            f"the soft equalities have {n_products:,} products, more than {MOST_PRODUCTS:,}; "
            "give them a linear penalty"
        )
    matrix, side, weight = rows.matrix[wanted], rows.row_upper[wanted], soft.weight[wanted]
    weighted = diags_array(weight) @ matrix
    return -2 * (weighted.T @ side), matrix.T @ weighted, float(weight @ side**2)


def _row_names(cqm: dimod.ConstrainedQuadraticModel) -> list[str]:
    labels = [*cqm.constraints]
    drawn = {label for label in labels if isinstance(label, str) and _UNNAMED.fullmatch(label)}
    if all(map(_COUNTED.fullmatch, drawn)):
        drawn = set()
    names = [f"row{i}" if label in drawn else label for i, label in enumerate(labels)]
    return _texts(names if len(set(names)) == len(names) else labels)


def _texts(labels: Iterable[Hashable]) -> list[str]:
    """Labels as texts; as Python writes them where 1 and "1" are two of them."""
    given = list(labels)
    names = [str(label) for label in given]
    return names if len(set(names)) == len(names) else [repr(label) for label in given]
