"""A model as flat arrays for the annealing kernels.

The state is one value a choice, so choices are exact and never penalised. Linear rows
keep their sums; the energy of a value is found from the rows that it has terms in. Choices are
redrawn in **units**: a chain of precedences at once (``chains``), others one by one.

What a unit can add to a row is a **slot**, whose cost is found once for all values. Values
of a choice are stored as **steps**, the slots that come and go from one value to the next:
a run of a nonogram that moves by one cell changes two, however long it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from qubopuzzle.annealing.chains import find_chains
from qubopuzzle.annealing.kernels import FloatArray, ModelArrays
from qubopuzzle.annealing.layout import find_slots, find_steps
from qubopuzzle.model import IntArray, IntMatrix, Model
from qubopuzzle.model.order import Precedences

_NOTHING = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class AnnealingForm:
    """A model ready to be annealed. A state is the index of each choice's value, (choices,).

    ``rows`` is the matrix of all linear rows, (rows, literals). ``row_weight`` and
    ``loose_weight`` are the weights, from their families', that rows and precedences outside
    chains start from and decay to.
    """

    model: Model
    rows: IntMatrix
    arrays: ModelArrays
    row_weight: FloatArray
    loose_weight: FloatArray
    n_chains: int

    @property
    def n_units(self) -> int:
        """Number of units."""
        return len(self.arrays.unit_start) - 1

    def energy(self, value: IntArray) -> int:
        """The unweighted energy of a state from scratch: ``violation`` of its literals."""
        a, total = self.arrays, self.row_sums(value)
        missed = np.maximum(np.maximum(a.lower - total, total - a.upper), 0)
        cost = np.where(a.lower == a.upper, missed**2, missed * (missed + 1) // 2).sum()
        number = a.number[a.first[:-1] + value]
        for pair in self.model.precedence:
            cost += (number[pair.second] < number[pair.first] + pair.gap).sum()
        return int(cost)

    def row_sums(self, value: IntArray) -> IntArray:
        """The sum of each linear row, shape (rows,)."""
        return np.asarray(self.rows @ self.literals(value))

    def literals(self, value: IntArray) -> IntArray:
        """The literal vector of a state, shape (literals,)."""
        x = np.zeros(self.model.n_literals, dtype=np.int64)
        x[self.arrays.first[:-1] + value] = 1
        return x

    def state(self, x: NDArray[np.integer]) -> IntArray:
        """The inverse: the state of a literal vector with one value a choice."""
        return np.flatnonzero(x) - self.arrays.first[:-1]


def annealing_form(
    model: Model, weights: Mapping[str, float] | None = None, *, chains: bool = True
) -> AnnealingForm:
    """Lay out a model for the kernels.

    Args:
        model: what to anneal.
        weights: weight by family; 1 for families that it leaves out.
        chains: redraw chains of precedences at once; else each choice by itself.

    Raises:
        ModelError: for connectivity, see ``Model.require_local``.
    """
    model.require_local("the annealer")
    weight = weights or {}
    rows = csr_array((0, model.n_literals), dtype=np.int64)
    if model.linear:
        rows = csr_array(vstack([block.matrix for block in model.linear], dtype=np.int64))
    terms = csr_array(rows.T.tocsr())
    terms.sort_indices()
    order = Precedences.of(model)
    found = find_chains(model, terms, order, enabled=chains)
    loose = found.loose
    units = _units(len(model.choices), found.paths)
    lengths = np.array([len(unit) for unit in units], dtype=np.int64)
    unit_of = np.repeat(np.arange(len(units)), lengths)
    unit_choice = np.array([c for unit in units for c in unit], dtype=np.int64)
    unit_start = _starts(unit_of, len(units))
    unit_of_choice = np.zeros(len(model.choices), dtype=np.int64)
    unit_of_choice[unit_choice] = unit_of
    term_start, term_row = terms.indptr.astype(np.int64), terms.indices.astype(np.uint64)
    slot_start, slot_row, slot_amount, slot_of = find_slots(
        term_start,
        term_row,
        terms.data,
        model.first_literal,
        unit_start,
        unit_choice,
        rows.shape[0],
    )
    step_start, step_slot, step_sign, cumulative = find_steps(
        term_start, slot_of, model.first_literal, int(np.diff(slot_start).max(initial=0))
    )
    touching = np.unique(_pairs(slot_row, np.repeat(np.arange(len(units)), np.diff(slot_start))))
    loose_first, loose_second = order.first[loose], order.second[loose]
    loose_start, loose_numbers = _by_choice(len(model.choices), loose_first, loose_second)
    arrays = ModelArrays(
        first=model.first_literal,
        number=order.number,
        term_start=term_start,
        term_row=term_row,
        term_coefficient=terms.data,
        slot_start=slot_start,
        slot_row=slot_row.astype(np.uint64),
        slot_amount=slot_amount,
        step_start=step_start,
        step_slot=step_slot,
        step_sign=step_sign,
        cumulative=cumulative,
        lower=np.concatenate([_NOTHING, *(block.lower for block in model.linear)]),
        upper=np.concatenate([_NOTHING, *(block.upper for block in model.linear)]),
        unit_start=unit_start,
        unit_choice=unit_choice,
        gap=found.gap[unit_choice],
        reach=found.reach,
        earliest=found.earliest,
        half=_half(touching, len(units)),
        touching_start=_starts(touching >> 32, rows.shape[0]),
        touching_unit=touching & 0xFFFFFFFF,
        unit_of_choice=unit_of_choice,
        loose_first=loose_first,
        loose_second=loose_second,
        loose_gap=order.gap[loose],
        loose_start=loose_start,
        loose=loose_numbers,
    )
    row_weights = [np.full(len(b.lower), float(weight.get(b.family, 1))) for b in model.linear]
    order_weights = np.array([float(weight.get(family, 1)) for family in order.family])
    row_weight = np.concatenate([np.zeros(0), *row_weights])
    return AnnealingForm(model, rows, arrays, row_weight, order_weights[loose], len(found.paths))


def _units(n: int, paths: list[list[int]]) -> list[list[int]]:
    """Chains and single choices, in the order of the model.

    Choices that do not interact, such as those of a picture's rows, are mostly neighbours there.
    """
    in_path = {choice for path in paths for choice in path}
    return sorted([*paths, *([c] for c in range(n) if c not in in_path)])


def _pairs(high: IntArray, low: IntArray) -> IntArray:
    """Two numbers below 2**31 as one, which sorts like the pair."""
    return (high << 32) | low


def _starts(numbers: IntArray, n: int) -> IntArray:
    """Where each of 0 .. n - 1 begins in a sorted array, and its length, shape (n + 1,)."""
    return np.concatenate([[0], np.cumsum(np.bincount(numbers, minlength=n))]).astype(np.int64)


def _half(touching: IntArray, n_units: int) -> int:
    """The first unit that shares a row with an earlier one, if it leaves two similar halves.

    Units before it do not interact: in a nonogram, the rows. Else simply the middle.
    """
    row, unit = touching >> 32, touching & 0xFFFFFFFF
    later = unit[1:][row[1:] == row[:-1]]
    first = int(later.min(initial=n_units))
    similar = n_units // 4 <= first <= n_units - n_units // 4
    return first if similar else (n_units + 1) // 2


def _by_choice(n: int, first: IntArray, second: IntArray) -> tuple[IntArray, IntArray]:
    """The numbers of the precedences of each choice, and where they start, (choices + 1,).

    Those of a choice with itself are left out: no value changes them.
    """
    (number,) = np.nonzero(first != second)
    own = np.concatenate([first[number], second[number]])
    return _starts(own, n), np.tile(number, 2)[np.argsort(own, kind="stable")]
