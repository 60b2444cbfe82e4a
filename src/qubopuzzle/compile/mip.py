"""MIP: rows over 0/1 variables that hold for exactly the assignments that meet the model.

Choices under a precedence get order variables ("at least the v-th value", which fall from
value to value), so that a precedence is one row of two variables a value; other choices get
one variable a value and the row "their sum is 1", the assignment form. Linear constraints
stay as they are written, over these variables. An objective is linear in them, with one more
variable for each product (see ``cost``). In files, connectivity is a tree with serial numbers
(``forest``), the only variables beyond 0 and 1, and so is a graph without cycles; for the solver
both come as cuts, which keep the rows few.

The rows are plain arrays that any solver can take, and text as HiGHS and CBC read it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import scipy
from numpy.typing import NDArray

from qubopuzzle.compile.cnf import order_bits
from qubopuzzle.compile.compiled import Compiled
from qubopuzzle.compile.cost import Cost, cost_of
from qubopuzzle.compile.encoding import AffineRows, Encoding
from qubopuzzle.compile.forest import acyclic_rows, connected_rows
from qubopuzzle.compile.lowering import affine_rows, domain_wall_rows, one_value, precedence_rows
from qubopuzzle.compile.lp_mps import Table, lp_text, mps_text, safe_names
from qubopuzzle.errors import TooLarge
from qubopuzzle.model import UNBOUNDED, Connected, Cut, IntArray, IntMatrix, Model

TERM_LIMIT = 20_000_000
"""Most terms in all rows together: about 1 GB with the text that a solver reads."""


@dataclass(frozen=True, eq=False)
class Mip(Compiled):
    """``lower <= matrix @ v <= upper`` over integers ``0 <= v <= tops``.

    The first are the bits of ``bits``; for graphs and products there are more, named by ``extra``.
    ``matrix`` has shape (rows, variables) and integer entries, ``lower`` and ``upper`` shape
    (rows,); -UNBOUNDED and UNBOUNDED there are no bounds. ``blocks`` are functions that name
    rows, and the rows' numbers there, block by block. ``cost`` is what to minimise, if anything.
    """

    matrix: IntMatrix
    lower: IntArray
    upper: IntArray
    tops: IntArray
    extra: tuple[str, ...]
    blocks: tuple[tuple[Callable[[int], str], IntArray], ...]
    cost: Cost | None = None

    @property
    def sizes(self) -> dict[str, int]:
        """Variables and rows."""
        return {"variables": self.n_variables, "rows": self.n_rows}

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.tops)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.lower)

    @property
    def objective(self) -> tuple[NDArray[np.float64], float]:
        """What is minimised: coefficients, shape (variables,), and a constant; 0 if nothing is."""
        if self.cost is None:
            return np.zeros(self.n_variables), 0.0
        coefficients, constant = self.cost.coefficients(self.n_variables)
        return coefficients / self.cost.factor, self.cost.offset + constant / self.cost.factor

    @property
    def contradiction(self) -> bool:
        """Whether a row without terms cannot hold."""
        empty = np.diff(self.matrix.indptr) == 0
        return bool((empty & ((self.lower > 0) | (self.upper < 0))).any())

    def broken(self, values: NDArray[Any]) -> IntArray:
        """The rows that integer values, shape (variables,), break; exact."""
        found = self.matrix @ values.astype(np.int64)
        return np.flatnonzero((found < self.lower) | (found > self.upper))

    def with_rows(self, parts: Iterable[AffineRows]) -> Self:
        """The same with more rows and bounds, but those that no values break."""
        matrices, lower, upper, blocks = [self.matrix], [self.lower], [self.upper], [*self.blocks]
        for part in parts:
            matrix = scipy.sparse.csr_array(part.matrix)
            matrix.resize((len(part.base), self.n_variables))
            part = replace(part, matrix=matrix)
            least, greatest = part.reach(self.tops)
            low, high = least < 0, greatest > part.width
            rows = np.flatnonzero(low | high)
            matrices.append(matrix[rows])
            lower.append(np.where(low, -part.base, -UNBOUNDED)[rows])
            upper.append(np.where(high, part.width - part.base, UNBOUNDED)[rows])
            blocks.append((part.labels, rows))
        return replace(
            self,
            matrix=scipy.sparse.csr_array(scipy.sparse.vstack(matrices)),
            lower=np.concatenate(lower),
            upper=np.concatenate(upper),
            blocks=tuple(blocks),
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
        own = np.array(clause, dtype=np.int64)
        return self.with_rows([clause_rows(own[None], self.n_variables, "other")])

    def _with_row(self, matrix: IntMatrix, base: int, family: str) -> Self:
        one = np.array([base]), np.array([UNBOUNDED])
        return self.with_rows([AffineRows(family, matrix, *one, [family].__getitem__)])

    def row_labels(self) -> list[str]:
        """A readable name for each row."""
        return [label(row) for label, rows in self.blocks for row in rows.tolist()]

    def variable_names(self) -> list[str]:
        """Names that both formats allow, from the readable ones, such as ``x_r1c2_is_3``."""
        return safe_names("x_", [*self.labels(), *self.extra])

    def _table(self) -> Table:
        cost, offset = self.objective
        return Table(
            self.variable_names(),
            np.zeros_like(self.tops),
            self.tops,
            safe_names("r_", self.row_labels()),
            self.matrix,
            np.where(self.lower <= -UNBOUNDED, -np.inf, self.lower),
            np.where(self.upper >= UNBOUNDED, np.inf, self.upper),
            cost,
            offset=offset,
        )

    def to_lp(self) -> str:
        """The program in CPLEX LP format, with readable names."""
        return lp_text(self._table())

    def to_mps(self) -> str:
        """The program in free MPS format, with readable names; a row of two bounds has a range."""
        return mps_text(self._table())


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
    nothing = tops[:0]
    empty = scipy.sparse.csr_array((0, len(tops)), dtype=np.int64)
    return Mip(bits, empty, nothing, nothing, tops, tuple(names), (), cost).with_rows(parts)


def clause_rows(clauses: IntArray, n_variables: int, family: str) -> AffineRows:
    """Clauses of DIMACS literals, shape (clauses, width), as rows: "v or not w" is v >= w."""
    count, width = clauses.shape
    place = np.abs(clauses).ravel() - 1, np.arange(count + 1) * width
    matrix = scipy.sparse.csr_array((np.sign(clauses).ravel(), *place), shape=(count, n_variables))
    base = (clauses < 0).sum(axis=1) - 1
    return AffineRows(
        family, matrix, base, np.full(count, UNBOUNDED), lambda row: f"{family}[{row}]"
    )
