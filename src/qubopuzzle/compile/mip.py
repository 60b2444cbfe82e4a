"""MIP: rows over 0/1 variables that hold for exactly the assignments that meet the model.

Choices under a precedence get order variables ("at least the v-th value", which fall from
value to value), so that a precedence is one row of two variables a value; other choices get
one variable a value and the row "their sum is 1", the assignment form. Linear constraints
stay as they are written, over these variables. An objective is linear in them, with one more
variable for each product (see ``cost``). In files, connectivity is a tree with serial numbers
(``forest``), the only variables beyond 0 and 1, and so is a graph without cycles; for the solver
both come as cuts, which keep the rows few.

The rows are plain arrays that any solver can take, and text as HiGHS and CBC read it: the LP
chapter of the CPLEX file format reference, as far as both share it, and MPS as in Murtagh,
"Advanced Linear Programming" (1981), in its free form.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, vstack

from qubopuzzle.compile.cnf import order_bits
from qubopuzzle.compile.compiled import Compiled
from qubopuzzle.compile.cost import Cost, cost_of
from qubopuzzle.compile.encoding import AffineRows, Encoding, distinct
from qubopuzzle.compile.forest import acyclic_rows, connected_rows
from qubopuzzle.compile.lowering import affine_rows, domain_wall_rows, one_value, precedence_rows
from qubopuzzle.errors import TooLarge
from qubopuzzle.model import UNBOUNDED, Connected, Cut, IntArray, IntMatrix, Model
from qubopuzzle.model.order import Precedences

TERM_LIMIT = 20_000_000
"""Most terms in all rows together: about 1 GB with the text that a solver reads."""
_SIGNS = (("<=", "_le_"), (">=", "_ge_"), ("=", "_is_"), ("<", "_lt_"), (">", "_gt_"), ("-", "_m"))
_LONGEST = 60
"""Readers of LP files take names of at least so many characters."""
_TERMS = 8
"""Terms on a line of an LP file: HiGHS reads lines of at most 560 characters."""
_UNUSED = "unused"
"""The variable of a program that has none, which the formats do not allow."""


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
            matrix = csr_array(part.matrix)
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
            matrix=csr_array(vstack(matrices)),
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
        matrix = csr_array(literals[None]) @ self.bits.matrix
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

    def _row_bounds(self) -> Iterator[tuple[str, int, int]]:
        """Names that both formats allow, and bounds, of each row."""
        names = safe_names("r_", self.row_labels())
        return zip(names, self.lower.tolist(), self.upper.tolist(), strict=True)

    def to_lp(self) -> str:
        """The program in CPLEX LP format, with readable names."""
        names = self.variable_names() or [_UNUSED]
        lines = ["Minimize", f" obj: 0 {names[0]}", "Subject To"]
        start, numbers = self.matrix.indptr.tolist(), self.matrix.indices.tolist()
        values = self.matrix.data.tolist()
        for row, (name, low, high) in enumerate(self._row_bounds()):
            own = slice(start[row], start[row + 1])
            pairs = zip(numbers[own], values[own], strict=True)
            terms = [f"{value:+d} {names[number]}" for number, value in pairs] or [f"+0 {names[0]}"]
            parts = (" ".join(terms[i : i + _TERMS]) for i in range(0, len(terms), _TERMS))
            text = "\n  ".join(parts)
            floor, ceiling = low > -UNBOUNDED, high < UNBOUNDED
            # A row of two bounds is two rows; safe names have no double underscore.
            bounds = [("__low" * ceiling, ">=", low)] * floor
            bounds += [("__high" * floor, "<=", high)] * ceiling
            for end, sign, bound in [("", "=", low)] if low == high else bounds:
                lines.append(f" {name}{end}: {text} {sign} {bound}")
        tops = list(zip(names, self.tops.tolist() or [1], strict=True))
        large = [(name, top) for name, top in tops if top != 1]
        if large:
            lines += ["Bounds", *(f" 0 <= {name} <= {top}" for name, top in large)]
            lines += ["Generals", *(f" {name}" for name, _ in large)]
        small = (f" {name}" for name, top in tops if top == 1)
        return "\n".join([*lines, "Binaries", *small, "End", ""])

    def to_mps(self) -> str:
        """The program in free MPS format, with readable names; a row of two bounds has a range."""
        names = self.variable_names() or [_UNUSED]
        rows, kinds, right, ranges = [], [], [], []
        for name, low, high in self._row_bounds():
            kind = "E" if low == high else "G" if high >= UNBOUNDED else "L"
            rows.append(name)
            kinds.append(f" {kind} {name}")
            right.append(f" RHS {name} {low if kind == 'G' else high}")
            if kind == "L" and low > -UNBOUNDED:
                ranges.append(f" RNG {name} {high - low}")
        lines = ["NAME qubopuzzle FREE", "ROWS", " N obj", *kinds, "COLUMNS"]
        lines.append(" MARKER 'MARKER' 'INTORG'")
        by_column = csc_array(self.matrix)
        start, numbers = by_column.indptr.tolist(), by_column.indices.tolist()
        values = by_column.data.tolist()
        for column, name in enumerate(names):
            lines.append(f" {name} obj 0")
            own = slice(*start[column : column + 2])
            pairs = zip(numbers[own], values[own], strict=True)
            lines += [f" {name} {rows[row]} {value}" for row, value in pairs]
        lines += [" MARKER 'MARKER' 'INTEND'", "RHS", *right]
        lines += ["RANGES", *ranges] if ranges else []
        bounds = (
            f" BV BND {name}" if top == 1 else f" UP BND {name} {top}"
            for name, top in zip(names, self.tops.tolist() or [1], strict=True)
        )
        return "\n".join([*lines, "BOUNDS", *bounds, "ENDATA", ""])


def compile_mip(model: Model, bits: Encoding | None = None, *, tree: bool = True) -> Mip:
    """Compile.

    Args:
        bits: how choices become variables, to compare.
        tree: whether connectivity and cycles are in the rows, see ``forest``; if not, they are
            left to whoever solves, see ``Mip.with_cut``.

    Raises:
        TooLarge: if the rows would not fit in memory.
    """
    bits = bits or order_bits(model, Precedences(model))
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
    empty = csr_array((0, len(tops)), dtype=np.int64)
    return Mip(bits, empty, nothing, nothing, tops, tuple(names), (), cost).with_rows(parts)


def clause_rows(clauses: IntArray, n_variables: int, family: str) -> AffineRows:
    """Clauses of DIMACS literals, shape (clauses, width), as rows: "v or not w" is v >= w."""
    count, width = clauses.shape
    place = np.abs(clauses).ravel() - 1, np.arange(count + 1) * width
    matrix = csr_array((np.sign(clauses).ravel(), *place), shape=(count, n_variables))
    base = (clauses < 0).sum(axis=1) - 1
    return AffineRows(
        family, matrix, base, np.full(count, UNBOUNDED), lambda row: f"{family}[{row}]"
    )


def safe_names(prefix: str, labels: Iterable[str]) -> list[str]:
    """Different names of letters, digits and underscores, close to the labels.

    The prefix keeps them from being words of the formats, or numbers such as ``e5``.

    >>> safe_names("x_", ["row[3].start[1]>=4", "a b", "a,b"])
    ['x_row_3_start_1_ge_4', 'x_a_b', 'x_a_b_2']
    """
    plain = []
    for label in labels:
        for sign, word in _SIGNS:
            label = label.replace(sign, word)
        plain.append(prefix + re.sub("[^0-9A-Za-z]+", "_", label).strip("_")[:_LONGEST])
    return distinct(plain, "_")
