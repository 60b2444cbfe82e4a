"""MIP: rows over 0/1 variables that hold for exactly the assignments that meet the model.

Choices under a precedence get order variables ("at least the v-th value", which fall from
value to value), so that a precedence is one row of two variables a value; other choices get
one variable a value and the row "their sum is 1", the assignment form. Linear constraints
stay as they are written, over these variables. There is nothing to minimise. In files,
connectivity is a tree with serial numbers (``forest``), the only variables beyond 0 and 1, and
so is a graph without cycles; for the solver both come as cuts, which keep the rows few.

The rows are plain arrays that any solver can take, and text in the LP and MPS formats
(``mip_text``).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from qubopuzzle.compile.cnf import order_bits, other_sample
from qubopuzzle.compile.compiled import Compiled
from qubopuzzle.compile.encoding import Encoding
from qubopuzzle.compile.forest import Forest, acyclic_rows, forest_rows
from qubopuzzle.compile.lowering import AffineRows, affine_rows, precedence_rows, wall_rows
from qubopuzzle.compile.mip_text import lp_text, mps_text, safe_names
from qubopuzzle.errors import TooLarge
from qubopuzzle.model import UNBOUNDED, Cut, IntArray, IntMatrix, Model
from qubopuzzle.model.order import Precedences

TERM_LIMIT = 20_000_000
"""Most terms in all rows together: about 1 GB with the text that a solver reads."""


@dataclass(frozen=True, eq=False)
class Mip(Compiled):
    """``lower <= matrix @ v <= upper`` over integers ``0 <= v <= tops``.

    The first are the bits of ``bits``; for graphs there are more, named by ``extra``.
    ``matrix`` has shape (rows, variables) and integer entries, ``lower`` and ``upper`` shape
    (rows,); -UNBOUNDED and UNBOUNDED there are no bounds. ``label`` names a row.
    """

    bits: Encoding
    matrix: IntMatrix
    lower: IntArray
    upper: IntArray
    tops: IntArray
    extra: tuple[str, ...]
    label: Callable[[int], str]

    @property
    def source(self) -> Model:
        """The model that it was compiled from."""
        return self.bits.model

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
    def contradiction(self) -> bool:
        """Whether a row without terms cannot hold."""
        empty = np.diff(self.matrix.indptr) == 0
        return bool((empty & ((self.lower > 0) | (self.upper < 0))).any())

    def broken(self, values: NDArray[Any]) -> IntArray:
        """The rows that integer values, shape (variables,), break; exact."""
        found = self.matrix @ values.astype(np.int64)
        return np.flatnonzero((found < self.lower) | (found > self.upper))

    def with_other(self, sample: NDArray[np.int8], *, answer: bool) -> Mip:
        """The same with a row more, see ``Cnf.other``.

        Args:
            sample: 0/1 by bit, shape (bits,).
            answer: only the choices that the answer grid is read from.
        """
        clause = np.array(other_sample(self.bits, sample, answer=answer), dtype=np.int64)
        # "v or not w" is v + (1 - w) >= 1.
        row = csr_array(
            (np.sign(clause), (np.zeros(len(clause), dtype=np.int64), np.abs(clause) - 1)),
            shape=(1, self.n_variables),
        )
        return self._with(row, 1 - int((clause < 0).sum()), "other")

    def with_cut(self, cut: Cut) -> Mip:
        """The same with a row more: the clause of a cut."""
        literals = np.zeros((1, self.bits.model.n_literals), dtype=np.int64)
        literals[0, cut.true] = 1
        literals[0, cut.false] = -1
        row = csr_array(csr_array(literals) @ self.bits.matrix)
        row.resize((1, self.n_variables))
        # Two nodes may be one literal: terms are counted as they stand in the row.
        lower = 1 + int(literals.clip(max=0).sum()) - int((literals @ self.bits.base)[0])
        return self._with(row, lower, "cut")

    def _with(self, row: IntMatrix, lower: int, name: str) -> Mip:
        row.eliminate_zeros()
        return replace(
            self,
            matrix=csr_array(vstack([self.matrix, row])),
            lower=np.append(self.lower, lower),
            upper=np.append(self.upper, UNBOUNDED),
            label=partial(_label_or_later, self.label, self.n_rows, [name]),
        )

    def variable_names(self) -> list[str]:
        """Names that both formats allow, from the readable ones, such as ``x_r1c2_is_3``."""
        return safe_names("x_", [*self.bits.labels(), *self.extra])

    def row_names(self) -> list[str]:
        """Names of the rows that both formats allow."""
        return safe_names("r_", [self.label(row) for row in range(self.n_rows)])

    def to_lp(self) -> str:
        """The program in CPLEX LP format, with readable names."""
        return lp_text(self, self.variable_names(), self.row_names())

    def to_mps(self) -> str:
        """The program in free MPS format, with readable names."""
        return mps_text(self, self.variable_names(), self.row_names())


def compile_mip(model: Model, bits: Encoding | None = None, *, tree: bool = True) -> Mip:
    """Compile.

    Args:
        bits: how choices become variables, to compare.
        tree: whether connectivity and cycles are in the rows, see ``forest``; if not, they are
            left to whoever solves, see ``Mip.with_cut``.

    Raises:
        TooLarge: if the rows would not fit in memory.
    """
    bits = bits or order_bits(model, Precedences.of(model))
    parts = [
        *wall_rows(bits),
        _one_value(bits),
        *(affine_rows(bits, block) for block in model.linear),
        *(precedence_rows(bits, block) for block in model.precedence),
    ]
    n_terms = sum(part.matrix.nnz for part in parts)
    if n_terms > TERM_LIMIT:
        raise TooLarge(
            f"the rows would have {n_terms:,} terms, at most {TERM_LIMIT:,} fit; try another "
            "formulation, or --presolve propagate"
        )
    matrix = csr_array(vstack([part.matrix for part in parts]), dtype=np.int64)
    base = np.concatenate([part.base for part in parts])
    width = np.concatenate([part.width for part in parts])
    positive = matrix.maximum(0).sum(axis=1)
    negative = matrix.sum(axis=1) - positive
    # What no bits can break is no bound.
    lower = np.where(-base <= negative, -UNBOUNDED, -base)
    upper = np.where(width - base >= positive, UNBOUNDED, width - base)
    rows = np.flatnonzero((lower > -UNBOUNDED) | (upper < UNBOUNDED))
    label = partial(_label, parts, rows)
    tops = np.ones(bits.n_bits, dtype=np.int64)
    program = Mip(bits, csr_array(matrix[rows]), lower[rows], upper[rows], tops, (), label)
    for graph in model.connected:
        if tree and len(graph.literals):
            program = _with_forest(program, forest_rows(bits, graph, program.n_variables))
    for cycles in model.acyclic:
        if tree and len(cycles.literals):
            program = _with_forest(program, acyclic_rows(bits, cycles, program.n_variables))
    return program


def _with_forest(program: Mip, added: Forest) -> Mip:
    own = program.matrix.data, program.matrix.indices, program.matrix.indptr
    before = csr_array(own, shape=(program.n_rows, added.matrix.shape[1]))
    return replace(
        program,
        matrix=csr_array(vstack([before, added.matrix])),
        lower=np.concatenate([program.lower, added.lower]),
        upper=np.concatenate([program.upper, added.upper]),
        tops=np.concatenate([program.tops, added.tops]),
        extra=(*program.extra, *added.names),
        label=partial(_label_or_later, program.label, program.n_rows, added.labels),
    )


def _one_value(bits: Encoding) -> AffineRows:
    """The sum of a choice's values is 1, for choices that are not on walls."""
    choices = np.flatnonzero(~bits.walls)
    sizes = bits.model.sizes[choices]
    row = np.repeat(np.arange(len(choices)), sizes)
    bit = np.arange(len(row)) + np.repeat(bits.first_bit[choices] - np.cumsum(sizes) + sizes, sizes)
    matrix = csr_array((np.ones_like(bit), (row, bit)), shape=(len(choices), bits.n_bits))
    base = np.full(len(choices), -1)
    names = [bits.model.choices[choice].name for choice in choices.tolist()]
    return AffineRows("", matrix, base, np.zeros_like(base), names.__getitem__)


def _label(parts: Sequence[AffineRows], rows: IntArray, row: int) -> str:
    number = int(rows[row])
    ends = np.cumsum([len(part.base) for part in parts]).tolist()
    part = bisect_right(ends, number)
    return parts[part].labels(number - (ends[part - 1] if part else 0))


def _label_or_later(label: Callable[[int], str], own: int, later: Sequence[str], row: int) -> str:
    return label(row) if row < own else later[row - own]
