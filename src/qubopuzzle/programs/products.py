"""Bits that two others decide, such as products that were written as rows.

Whoever has no products in an objective writes a bit ``y`` with ``y <= a``, ``y <= b`` and
``y >= a + b - 1``, after McCormick (1976), or only those of the rows that the objective works
against: with a cost, ``y >= a + b - 1`` is enough. Put into the objective again, they need neither
rows nor penalties.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, triu

from qubopuzzle.compile.lowering import ranges
from qubopuzzle.model import IntArray
from qubopuzzle.model.data import DecidedCells, as_before, row_of_entry

if TYPE_CHECKING:
    from qubopuzzle.compile.rows import WholeRows
    from qubopuzzle.programs.program import Program

_ONE, _OTHER = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
"""The four cases of two bits, in the order of ``DecidedCells.table``."""
_PRODUCT = np.array([1, -1, -1, 1])
"""Of the four values: the coefficient of the others' product; without it, the bit is a sum."""


def without_products(
    program: Program, rows: WholeRows
) -> tuple[Program, WholeRows, DecidedCells | None]:
    """The program and its rows without bits that others decide, which stay, fixed to 0; and these.

    Rows leave such a bit one value in each case, or two of which the objective prefers one: this
    holds of best solutions alone. A linear objective has a relaxation that guides searches, and so
    products go into it only where most of its variables are products.
    """
    decided = _decidable(program, rows) if program.has_objective else None
    if decided is None:
        return program, rows, None
    decided = decided.only(_independent(decided))
    n_costs = np.count_nonzero(program.cost)
    priced = (program.cost[decided.cell] != 0) & (decided.table @ _PRODUCT != 0)
    if not program.quadratic.nnz and 2 * np.count_nonzero(priced) <= n_costs:
        decided = decided.only(~priced)
    if not len(decided.cell):
        return program, rows, None
    touched = abs(rows.matrix)[:, decided.cell].sum(axis=1) > 0
    return _put_in(program, decided), rows.only(~touched), decided


def _put_in(program: Program, decided: DecidedCells) -> Program:
    """The program with its objective over the other variables."""
    cell, table, (one, other) = decided.cell, decided.table, decided.others.T
    price, n = program.cost[cell], len(program.cost)
    cost, upper = program.cost.copy(), program.upper.copy()
    cost[cell] = upper[cell] = 0
    np.add.at(cost, one, price * (table[:, 2] - table[:, 0]))
    np.add.at(cost, other, price * (table[:, 1] - table[:, 0]))
    ends = np.minimum(one, other), np.maximum(one, other)
    pairs = csr_array((price * (table @ _PRODUCT), ends), shape=(n, n))
    quadratic = csr_array(triu(program.quadratic + pairs))
    quadratic.eliminate_zeros()
    offset = program.offset + float(price @ table[:, 0])
    return replace(program, cost=cost, quadratic=quadratic, offset=offset, upper=upper)


def _decidable(program: Program, rows: WholeRows) -> DecidedCells | None:
    """All bits that are decided, and may decide one another; first those that all solutions have.

    They are in no product of the objective, and in rows of three bits at most.
    """
    parts = _parts(program, rows)
    if not len(parts.bit):
        return None
    # Which of its two values the rows leave in each of the four cases, (bits, 2, 4).
    of_others = parts.others @ np.stack([_ONE, _OTHER])
    total = of_others[:, None] + parts.coefficient[:, None, None] * np.array([[0], [1]])
    low, high = (end[parts.row][:, None, None] for end in (rows.lower, rows.upper))
    (begin,) = np.nonzero(~as_before(parts.bit))
    left: NDArray[np.bool_] = np.logical_and.reduceat((low <= total) & (total <= high), begin)
    bit, is_open = parts.bit[begin], np.all(left, axis=1)
    price = (-1 if program.maximize else 1) * program.cost[bit]
    table = np.where(is_open, price[:, None] < 0, left[:, 1]).astype(np.int64)
    always = ~np.any(is_open, axis=1)
    (kept,) = np.nonzero(np.any(left, axis=1).all(axis=1) & (always | (price != 0)))
    kept = kept[np.argsort(~always[kept], kind="stable")]
    return DecidedCells(bit, parts.deciding[begin], table).only(kept)


class _Parts(NamedTuple):
    """Each bit in each of its rows: by bits, so that all of one stand together, (n,).

    ``coefficient`` is the bit's, ``others`` (n, 2) are those of the at most two bits that stand
    beside it in any row, ``deciding`` (n, 2).
    """

    bit: IntArray
    row: IntArray
    coefficient: IntArray
    others: IntArray
    deciding: IntArray


def _parts(program: Program, rows: WholeRows) -> _Parts:
    """Of bits in no product, whose rows have three bits at most, and two others in all."""
    matrix, n = csr_array(rows.matrix), len(program.lower)
    size, owner, column = np.diff(matrix.indptr), row_of_entry(matrix), matrix.indices
    is_bit = (program.lower == 0) & (program.upper == 1)
    beyond = np.bincount(owner, ~is_bit[column], minlength=len(size)) > 0
    long = (beyond | (size < 2) | (size > 3))[owner]
    maybe = is_bit & (np.bincount(column, long, minlength=n) == 0)
    maybe[np.concatenate(program.quadratic.nonzero())] = False
    (at,) = np.nonzero(maybe[column])
    at = at[np.argsort(column[at], kind="stable")]
    bit, row = column[at].astype(np.int64), owner[at]
    entry = ranges(matrix.indptr[row].astype(np.int64), size[row].astype(np.int64))
    place = np.repeat(np.arange(len(at)), size[row])
    apart = column[entry] != bit[place]
    entry, place = entry[apart], place[apart]
    # Each bit with each other one, as a number that sorts like the pair.
    pair, number = np.unique(bit[place] * n + column[entry], return_inverse=True)
    first, end = (np.searchsorted(pair, k * n) for k in (bit, bit + 1))
    few = end - first <= 2
    inside = few[place]
    others = np.zeros((len(at), 2), dtype=np.int64)
    others[place[inside], (number - first[place])[inside]] = matrix.data[entry[inside]]
    deciding = np.stack([pair[first[few]], pair[end[few] - 1]], axis=1) % n
    return _Parts(bit[few], row[few], matrix.data[at[few]], others[few], deciding)


def _independent(decided: DecidedCells) -> IntArray:
    """The numbers of those none of which decides another one of them; the first ones are in."""
    taken, deciding, kept = set[int](), set[int](), list[int]()
    pairs = zip(decided.cell.tolist(), decided.others.tolist(), strict=True)
    for number, (cell, others) in enumerate(pairs):
        if cell not in deciding and taken.isdisjoint(others):
            taken.add(cell)
            deciding.update(others)
            kept.append(number)
    return np.array(kept, dtype=np.int64)
