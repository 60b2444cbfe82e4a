"""MIP: rows over 0/1 variables that hold for exactly the assignments that meet the model.

Choices under a precedence get order variables ("at least the v-th value", which fall from
value to value), so that a precedence is one row of two variables a value; other choices get
one variable a value and the row "their sum is 1", the assignment form. Linear constraints
stay as they are written, over these variables. There is nothing to minimise. In files,
connectivity is a tree with serial numbers (``forest``), the only variables beyond 0 and 1, and
so is a graph without cycles; for the solver both come as cuts, which keep the rows few.

The rows are plain arrays that any solver can take, and text as HiGHS and CBC read it: the LP
chapter of the CPLEX file format reference, as far as both share it, and MPS as in Murtagh,
"Advanced Linear Programming" (1981), in its free form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, vstack

from qubopuzzle.compile.cnf import order_bits
from qubopuzzle.compile.compiled import Compiled
from qubopuzzle.compile.encoding import Encoding
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

    The first are the bits of ``bits``; for graphs there are more, named by ``extra``.
    ``matrix`` has shape (rows, variables) and integer entries, ``lower`` and ``upper`` shape
    (rows,); -UNBOUNDED and UNBOUNDED there are no bounds. ``blocks`` are functions that name
    rows, and the rows' numbers there, block by block.
    """

    matrix: IntMatrix
    lower: IntArray
    upper: IntArray
    tops: IntArray
    extra: tuple[str, ...]
    blocks: tuple[tuple[Callable[[int], str], IntArray], ...]

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

    def with_clause(self, clause: Sequence[int]) -> Mip:
        """The same with a row more: a clause of DIMACS literals over the choices' bits."""
        own = np.array(clause, dtype=np.int64)
        entries = np.sign(own), (np.zeros_like(own), np.abs(own) - 1)
        row = csr_array(entries, shape=(1, self.n_variables))
        # "v or not w" is v + (1 - w) >= 1.
        return self._with_row(row, 1 - int((own < 0).sum()), "other")

    def with_cut(self, cut: Cut) -> Mip:
        """The same with a row more: the clause of a cut."""
        literals = np.zeros((1, self.bits.model.n_literals), dtype=np.int64)
        literals[0, cut.true] = 1
        literals[0, cut.false] = -1
        row = csr_array(csr_array(literals) @ self.bits.matrix)
        # Two nodes may be one literal: terms are counted as they stand in the row.
        lower = 1 + int(literals.clip(max=0).sum()) - int((literals @ self.bits.base)[0])
        return self._with_row(row, lower, "cut")

    def _with_row(self, row: IntMatrix, lower: int, label: str) -> Mip:
        row.resize((1, self.n_variables))
        row.eliminate_zeros()
        bounds = np.array([lower]), np.array([UNBOUNDED])
        return self.with_rows(row, *bounds, [label], self.tops[:0], [])

    def with_rows(
        self,
        matrix: IntMatrix,
        lower: IntArray,
        upper: IntArray,
        labels: Sequence[str],
        tops: IntArray,
        names: Sequence[str],
    ) -> Mip:
        """The same with more rows, and variables ``names`` of 0 .. ``tops`` behind its own."""
        own = self.matrix.copy()
        own.resize((self.n_rows, matrix.shape[1]))
        return replace(
            self,
            matrix=csr_array(vstack([own, matrix])),
            lower=np.concatenate([self.lower, lower]),
            upper=np.concatenate([self.upper, upper]),
            tops=np.concatenate([self.tops, tops]),
            extra=(*self.extra, *names),
            blocks=(*self.blocks, (labels.__getitem__, np.arange(len(labels)))),
        )

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
    starts = np.cumsum([0, *(len(part.base) for part in parts)])
    kept = np.split(rows, np.searchsorted(rows, starts[1:-1]))
    blocks = tuple(
        (part.labels, own - start)
        for part, own, start in zip(parts, kept, starts[:-1], strict=True)
    )
    tops = np.ones(bits.n_bits, dtype=np.int64)
    program = Mip(bits, csr_array(matrix[rows]), lower[rows], upper[rows], tops, (), blocks)
    for graph in model.graphs if tree else ():
        if len(graph.literals):
            n = program.n_variables
            if isinstance(graph, Connected):
                program = program.with_rows(*connected_rows(bits, graph, n))
            else:
                program = program.with_rows(*acyclic_rows(bits, graph, n))
    return program


def safe_names(prefix: str, labels: Iterable[str]) -> list[str]:
    """Different names of letters, digits and underscores, close to the labels.

    The prefix keeps them from being words of the formats, or numbers such as ``e5``.

    >>> safe_names("x_", ["row[3].start[1]>=4", "a b", "a,b"])
    ['x_row_3_start_1_ge_4', 'x_a_b', 'x_a_b_2']
    """
    names: list[str] = []
    last: dict[str, int] = {}
    taken: set[str] = set()
    for label in labels:
        for sign, word in _SIGNS:
            label = label.replace(sign, word)
        plain = prefix + re.sub("[^0-9A-Za-z]+", "_", label).strip("_")[:_LONGEST]
        name = plain
        while name in taken:
            last[plain] = last.get(plain, 1) + 1
            name = f"{plain}_{last[plain]}"
        taken.add(name)
        names.append(name)
    return names
