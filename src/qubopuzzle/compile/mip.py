"""MIP: rows over 0/1 variables that hold for exactly the assignments that meet the model.

Choices under a precedence get order variables ("at least the v-th value", which fall from
value to value), so that a precedence is one row of two variables a value; other choices get
one variable a value and the row "their sum is 1", the assignment form. Linear constraints
stay as they are written, over these variables. An objective is linear in them, with one more
variable for each product (see ``cost``). In files, connectivity is a tree with serial numbers
(``forest``), the only variables beyond 0 and 1, and so is a graph without cycles; for the solver
both come as cuts, which keep the rows few. A program is taken as the rows that it is.

The rows are plain arrays that any solver can take, and text as HiGHS and CBC read it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Self, cast

import numpy as np
import scipy
from numpy.typing import NDArray

from qubopuzzle.compile.cnf import order_bits
from qubopuzzle.compile.compiled import Compiled, sure_weight
from qubopuzzle.compile.cost import Cost, cost_of, cost_of_values
from qubopuzzle.compile.encoding import AffineRows, Encoding, encode_choices
from qubopuzzle.compile.forest import acyclic_rows, connected_rows
from qubopuzzle.compile.lowering import affine_rows, domain_wall_rows, one_value, precedence_rows
from qubopuzzle.compile.lp_mps import lp_text, mps_text, safe_names
from qubopuzzle.compile.rows import Names, Rows, whole_rows
from qubopuzzle.errors import TooLarge
from qubopuzzle.model import UNBOUNDED, Connected, Cut, Field, IntArray, IntMatrix, Model

TERM_LIMIT = 20_000_000
"""Most terms in all rows together: about 1 GB with the text that a solver reads."""


@dataclass(frozen=True, slots=True, eq=False)
class Values(Encoding):
    """The variables of a program as they are, in place of bits.

    ``model`` has each of them as a choice by itself, see ``programs.grouping``, and its field is
    their values; ``names`` has theirs.
    """

    names: Sequence[str] = ()

    @classmethod
    def of(cls, model: Model, names: Sequence[str]) -> Self:
        """For a model of these variables."""
        bits = encode_choices(model, "one-hot")
        parts = bits.matrix, bits.base, bits.domain_wall, bits.first_bit
        return cls("values", model, *parts, names=names)

    @property
    def n_bits(self) -> int:
        """Number of variables."""
        return len(self.names)

    def decode(self, bits: NDArray[Any]) -> IntArray:
        """Literal values of values, shape (variables,) or (samples, variables)."""

        def literals(values: IntArray) -> IntArray:
            return self.model.assignment(cast("Field", self.model.field).write(values))

        return np.asarray(np.apply_along_axis(literals, -1, bits), dtype=np.int64)

    def encode(self, x: NDArray[Any]) -> IntArray:
        """The values of literals, shape (variables,)."""
        return cast("Field", self.model.field).read(x)[0]

    def labels(self) -> list[str]:
        """The variables' names."""
        return list(self.names)


class RowArrays(NamedTuple):
    """The arrays of ``Rows`` that say which values are allowed; see there."""

    matrix: Any
    row_lower: NDArray[np.float64]
    row_upper: NDArray[np.float64]
    lower: IntArray
    upper: IntArray


@dataclass(frozen=True, eq=False, repr=False)
class Mip(Compiled):
    """Rows over whole numbers, and the way back: the first variables are those of ``bits``.

    For graphs and products there are more. Where ``bits`` are ``Values`` the rows are those of a
    program. ``cost`` is the objective in whole weights, for solvers that prove; None without one,
    and in files.
    """

    program: Rows
    cost: Cost | None = None

    @property
    def sizes(self) -> dict[str, int]:
        """Variables and rows."""
        return {"variables": self.n_variables, "rows": self.n_rows}

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.program.variables)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.program.rows)

    @property
    def arrays(self) -> RowArrays:
        """What a search needs, also in another process."""
        rows = self.program
        return RowArrays(rows.matrix, rows.row_lower, rows.row_upper, rows.lower, rows.upper)

    @property
    def contradiction(self) -> bool:
        """Whether a row without terms cannot hold."""
        program = self.program
        empty = np.diff(program.matrix.indptr) == 0
        return bool((empty & ((program.row_lower > 0) | (program.row_upper < 0))).any())

    def broken(self, values: NDArray[Any]) -> IntArray:
        """The rows with whole coefficients that whole values, (variables,), break; exact."""
        totals = self.program.matrix @ values.astype(np.int64)
        return np.flatnonzero((totals < self.program.row_lower) | (totals > self.program.row_upper))

    def energies(self, samples: NDArray[Any]) -> NDArray[np.float64]:
        """What is minimised, and for each broken row more than that can differ by, (samples,).

        Without an objective that is the number of broken rows.
        """
        program, weight = self.program, sure_weight(self.source)
        sign = -1 if program.maximize else 1
        energies = [
            sign * program.objective_of(v) + weight * len(program.broken(v)) for v in samples
        ]
        return np.array(energies, dtype=np.float64)

    def with_rows(self, parts: Iterable[AffineRows]) -> Self:
        """The same with more rows and bounds, but those that no values break."""
        program, names = self.program, cast("Names", self.program.rows)
        matrices, lower, upper = [program.matrix], [program.row_lower], [program.row_upper]
        for part in parts:
            matrix = scipy.sparse.csr_array(part.matrix)
            matrix.resize((len(part.base), self.n_variables))
            part = replace(part, matrix=matrix)
            least, greatest = part.reach(program.upper)
            low, high = least < 0, greatest > part.width
            rows = np.flatnonzero(low | high)
            matrices.append(matrix[rows])
            lower.append(np.where(low, -part.base, -np.inf)[rows])
            upper.append(np.where(high, part.width - part.base, np.inf)[rows])
            names += Names(len(rows), partial(_labels, part, rows))
        return replace(
            self,
            program=replace(
                program,
                matrix=scipy.sparse.csr_array(scipy.sparse.vstack(matrices)),
                row_lower=np.concatenate(lower),
                row_upper=np.concatenate(upper),
                rows=names,
            ),
        )

    def with_cut(self, cut: Cut) -> Self:
        """The same with a row more: the clause of a cut."""
        literals = np.zeros(self.bits.model.n_literals, dtype=np.int64)
        literals[cut.true] = 1
        literals[cut.false] = -1
        # Two nodes may be one literal: terms are counted as they stand in the row.
        base = literals @ self.bits.base - literals.clip(max=0).sum() - 1
        matrix = scipy.sparse.csr_array(literals[None]) @ self.bits.matrix
        matrix.eliminate_zeros()
        return self._with_row(matrix, base, cut.family)

    def with_clause(self, clause: Sequence[int]) -> Self:
        """The same with a row more: a clause of DIMACS literals over the choices' bits."""
        literals = np.array(clause, dtype=np.int64)
        return self.with_rows([clause_rows(literals[None], self.n_variables, "other")])

    def _with_row(self, matrix: IntMatrix, base: int, family: str) -> Self:
        one = np.array([base]), np.array([UNBOUNDED])
        return self.with_rows([AffineRows(family, matrix, *one, [family].__getitem__)])

    def variable_names(self) -> list[str]:
        """Names that both formats allow, from the readable ones, such as ``x_r1c2_is_3``."""
        return safe_names("x_", self.program.variables)

    def _named(self) -> Rows:
        names = self.variable_names(), safe_names("r_", self.program.rows)
        return replace(self.program, variables=names[0], rows=names[1])

    def to_lp(self) -> str:
        """The program in CPLEX LP format, with readable names."""
        return lp_text(self._named())

    def to_mps(self) -> str:
        """The program in free MPS format, with readable names; a row of two bounds has a range."""
        return mps_text(self._named())


def _labels(part: AffineRows, rows: IntArray) -> list[str]:
    return [part.labels(row) for row in rows.tolist()]


def compile_mip(model: Model, bits: Encoding | None = None, *, tree: bool = True) -> Mip:
    """Compile.

    Args:
        bits: how choices become variables, to compare.
        tree: whether connectivity and cycles are in the rows, see ``forest``; if not, they are
            left to whoever solves, see ``Mip.with_cut``.

    Raises:
        TooLarge: if the rows would not fit in memory.
    """
    bits = bits or order_bits(model)
    parts = [
        *domain_wall_rows(bits),
        one_value(bits, "", np.flatnonzero(~bits.domain_wall)),
        *(affine_rows(bits, block) for block in model.linear),
        *(precedence_rows(bits, block) for block in model.precedence),
    ]
    tops, names = np.ones(bits.n_bits, dtype=np.int64), []
    for graph in model.graphs if tree else ():
        if len(graph.literals):
            if isinstance(graph, Connected):
                rows, own_tops, own_names = connected_rows(bits, graph, len(tops))
            else:
                rows, own_tops, own_names = acyclic_rows(bits, graph, len(tops))
            parts.append(rows)
            names += own_names
            tops = np.concatenate([tops, own_tops])
    n = len(tops)
    cost = cost_of(bits, lambda count: np.arange(n + 1, n + count + 1))
    if cost is not None and cost.definitions:
        n_products = int(max(np.abs(batch).max() for batch in cost.definitions)) - n
        tops = np.append(tops, np.ones(n_products, dtype=np.int64))
        names += [f"product[{i}]" for i in range(n_products)]
        parts += [clause_rows(batch, len(tops), "product") for batch in cost.definitions]
    n_terms = sum(part.matrix.nnz for part in parts)
    if n_terms > TERM_LIMIT:
        raise TooLarge(
            f"the rows would have {n_terms:,} terms, at most {TERM_LIMIT:,} fit; try another "
            "formulation, or --presolve propagate"
        )
    bottoms, nothing = np.zeros_like(tops), np.zeros(0)
    objective = (np.zeros(len(tops)), 0.0) if cost is None else cost.objective(bottoms, tops)
    program = Rows(
        Names(len(tops), bits.labels, lambda: names),
        bottoms,
        tops,
        scipy.sparse.csr_array((0, len(tops)), dtype=np.int64),
        nothing,
        nothing,
        Names(0),
        objective[0],
        scipy.sparse.csr_array((len(tops), len(tops))),
        objective[1],
    )
    return Mip(bits, program, cost).with_rows(parts)


def whole_mip(rows: Rows, model: Model) -> Mip:
    """Rows as they are, with whole coefficients, and a linear objective.

    Args:
        model: the same with each variable by itself; its field is the variables' values.

    Raises:
        InputError: as ``whole_rows`` does.
    """
    scaled, cost = whole_rows(rows), cost_of_values(rows)
    objective = (
        (np.zeros_like(rows.cost), 0.0) if cost is None else cost.objective(rows.lower, rows.upper)
    )
    whole = replace(
        rows,
        matrix=scaled.matrix,
        row_lower=np.where(scaled.lower <= -UNBOUNDED, -np.inf, scaled.lower),
        row_upper=np.where(scaled.upper >= UNBOUNDED, np.inf, scaled.upper),
        rows=Names(len(scaled.number), lambda: [rows.rows[i] for i in scaled.number.tolist()]),
        cost=objective[0],
        offset=objective[1],
        maximize=False,
    )
    return Mip(Values.of(model, rows.variables), whole, cost)


def clause_rows(clauses: IntArray, n_variables: int, family: str) -> AffineRows:
    """Clauses of DIMACS literals, shape (clauses, width), as rows: "v or not w" is v >= w."""
    count, width = clauses.shape
    place = np.abs(clauses).ravel() - 1, np.arange(count + 1) * width
    matrix = scipy.sparse.csr_array((np.sign(clauses).ravel(), *place), shape=(count, n_variables))
    base = (clauses < 0).sum(axis=1) - 1
    return AffineRows(
        family, matrix, base, np.full(count, UNBOUNDED), lambda row: f"{family}[{row}]"
    )
