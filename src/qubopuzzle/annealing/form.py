"""A model as flat arrays for the annealing kernels.

The state is one value a choice, so choices are exact and never penalised. Linear rows
keep their sums; the energy of a value is found from the rows that it touches. Choices are
redrawn in **units**: a chain of precedences at once (``chains``), others one by one.

What a unit can do to a row is a **slot**, whose cost is found once for all values. Values
of a choice are stored as **steps**, the slots that come and go from one value to the next:
a run of a nonogram that moves by one cell changes two, however long it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from qubopuzzle.annealing.chains import chain_reach, find_chains, no_chains
from qubopuzzle.annealing.layout import find_cumulative, find_slots, find_steps
from qubopuzzle.model import IntArray, Model
from qubopuzzle.model.order import Precedences

FloatArray = NDArray[np.float64]
PlaceArray = NDArray[np.uint64]
"""Only ever an index: unsigned, so that numba need not ask whether it counts from the end."""


class Arrays(NamedTuple):
    """What the kernels read. Literal l of choice c is ``first[c] + v`` for its v-th value.

    Attributes:
        first: first literal of each choice, and one past the last, shape (choices + 1,).
        number: value of each literal where precedences need it, else 0, (literals,).
        term_start, term_row, term_coefficient: the rows of each literal.
        slot_start, slot_row, slot_amount: by unit, the rows that its values touch and by
            how much.
        step_start, step_slot, step_sign: a value's cost is the sum of its steps' slots
            (numbered within the unit) with their signs; where ``cumulative`` (choices,)
            it adds to the cost of the value before.
        lower, upper: bounds of the rows, (rows,).
        unit_start, unit_choice: units that are redrawn at once: single choices or chains.
        gap: at a chain's later choices, the least distance to the one before, (choices in
            units,).
        reach: at a chain's later choices, how many values of the one before each value
            allows; 1 elsewhere, (literals,).
        earliest: the first place of each choice that its chain allows, (choices,).
        half: units before this one make the first half of a sweep.
        touching_start, touching_unit: the units that touch each row.
        unit_of_choice: the unit of each choice, (choices,).
        tie_start, tie_other, tie_gap, tie_after, tie: precedences outside chains, by
            choice: with whom, the gap, whether the other comes after, and its number.
        tie_first, tie_second, tie_distance: those precedences by number.
    """

    first: IntArray
    number: IntArray
    term_start: IntArray
    term_row: PlaceArray
    term_coefficient: IntArray
    slot_start: IntArray
    slot_row: PlaceArray
    slot_amount: IntArray
    step_start: IntArray
    step_slot: PlaceArray
    step_sign: FloatArray
    cumulative: NDArray[np.bool_]
    lower: IntArray
    upper: IntArray
    unit_start: IntArray
    unit_choice: IntArray
    gap: IntArray
    reach: IntArray
    earliest: IntArray
    half: int
    touching_start: IntArray
    touching_unit: IntArray
    unit_of_choice: IntArray
    tie_start: IntArray
    tie_other: IntArray
    tie_gap: IntArray
    tie_after: NDArray[np.bool_]
    tie: IntArray
    tie_first: IntArray
    tie_second: IntArray
    tie_distance: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class AnnealingForm:
    """A model ready to be annealed.

    ``row_weight`` and ``tie_weight`` are the weights that constraints start from and decay
    to, by the weight of their family; ``largest_unit`` is the number of literals and choices
    of the largest unit, ``most_slots`` the most slots of one.
    """

    model: Model
    arrays: Arrays
    row_weight: FloatArray
    tie_weight: FloatArray
    largest_unit: int
    most_slots: int
    n_chains: int

    @property
    def n_units(self) -> int:
        """Number of units."""
        return len(self.arrays.unit_start) - 1

    def energy(self, value: IntArray) -> int:
        """The unweighted energy of a state from scratch: ``violation`` of its literals."""
        x, cost = self.literals(value), 0
        for block in self.model.linear:
            total = block.matrix @ x
            missed = np.maximum(np.maximum(block.lower - total, total - block.upper), 0)
            equal = block.lower == block.upper
            cost += int(np.where(equal, missed**2, missed * (missed + 1) // 2).sum())
        number = self.arrays.number[self.arrays.first[:-1] + value]
        for pair in self.model.precedence:
            cost += int((number[pair.second] < number[pair.first] + pair.gap).sum())
        return cost

    def literals(self, value: IntArray) -> IntArray:
        """The literal vector, shape (literals,), of a state (the place of each value)."""
        x = np.zeros(self.model.n_literals, dtype=np.int64)
        x[self.arrays.first[:-1] + value] = 1
        return x

    def places(self, x: NDArray[np.integer]) -> IntArray:
        """The inverse: the state of a valid literal vector, shape (choices,)."""
        return np.flatnonzero(x) - self.arrays.first[:-1]


def annealing_form(
    model: Model, weights: Mapping[str, float] | None = None, *, chains: bool = True
) -> AnnealingForm:
    """Lay out a model for the kernels.

    Args:
        model: what to anneal.
        weights: weight by family; 1 where not given.
        chains: redraw chains of precedences at once; else each choice by itself.

    Raises:
        ModelError: for connectivity, see ``Model.require_local``.
    """
    model.require_local("the annealer")
    by_family = weights or {}
    rows = csr_array((0, model.n_literals), dtype=np.int64)
    if model.linear:
        rows = csr_array(vstack([block.matrix for block in model.linear], dtype=np.int64))
    terms = csr_array(rows.T.tocsr())
    terms.sort_indices()
    order = Precedences.of(model)
    found = find_chains(model, terms, order) if chains else no_chains(model, order)
    paths, loose = found.paths, found.loose
    n = len(model.choices)
    units = _units(n, paths)
    lengths = np.array([len(unit) for unit in units], dtype=np.int64)
    unit_choice = np.array([c for unit in units for c in unit], dtype=np.int64)
    unit_of_choice = np.zeros(n, dtype=np.int64)
    unit_of_choice[unit_choice] = np.repeat(np.arange(len(units)), lengths)
    gap_before = np.zeros(n, dtype=np.int64)
    gap_before[order.second[~loose]] = order.gap[~loose]
    ties = _ties(n, order.first[loose], order.second[loose], order.gap[loose])
    unit_start = _starts(np.repeat(np.arange(len(units)), lengths), len(units))
    literal_terms = terms.indptr.astype(np.int64), terms.indices.astype(np.uint64)
    slot_start, slot_row, slot_amount, slot_of = find_slots(
        *literal_terms, terms.data, model.first_literal, unit_start, unit_choice, rows.shape[0]
    )
    most_slots = int(np.diff(slot_start).max(initial=0))
    places = literal_terms[0], slot_of, model.first_literal
    cumulative = find_cumulative(*places, most_slots)
    step_start, step_slot, step_sign = find_steps(*places, cumulative, most_slots)
    touching = np.unique(_pairs(slot_row, np.repeat(np.arange(len(units)), np.diff(slot_start))))
    tie_start, tie_other, tie_gap, tie_after, tie = ties
    nothing = np.zeros(0, dtype=np.int64)
    arrays = Arrays(
        first=model.first_literal,
        number=order.number,
        term_start=literal_terms[0],
        term_row=literal_terms[1],
        term_coefficient=terms.data,
        slot_start=slot_start,
        slot_row=slot_row.astype(np.uint64),
        slot_amount=slot_amount,
        step_start=step_start,
        step_slot=step_slot,
        step_sign=step_sign,
        cumulative=cumulative,
        lower=np.concatenate([nothing, *(block.lower for block in model.linear)]),
        upper=np.concatenate([nothing, *(block.upper for block in model.linear)]),
        unit_start=unit_start,
        unit_choice=unit_choice,
        gap=gap_before[unit_choice],
        reach=chain_reach(model, order, np.flatnonzero(~loose)),
        earliest=found.earliest,
        half=_half(touching, len(units)),
        touching_start=_starts(touching >> 32, rows.shape[0]),
        touching_unit=touching & 0xFFFFFFFF,
        unit_of_choice=unit_of_choice,
        tie_start=tie_start,
        tie_other=tie_other,
        tie_gap=tie_gap,
        tie_after=tie_after,
        tie=tie,
        tie_first=order.first[loose],
        tie_second=order.second[loose],
        tie_distance=order.gap[loose],
    )
    row_weights = [np.full(len(b.lower), float(by_family.get(b.family, 1))) for b in model.linear]
    tie_weights = np.array([float(by_family.get(f, 1)) for f in order.family])
    room = np.bincount(unit_of_choice, model.sizes + 1, len(units)) if n else np.zeros(1)
    return AnnealingForm(
        model,
        arrays,
        np.concatenate([np.zeros(0), *row_weights]),
        tie_weights[loose],
        int(room.max()),
        most_slots,
        len(paths),
    )


def _units(n: int, paths: list[list[int]]) -> list[list[int]]:
    """Chains and single choices, in the order of the model.

    What does not interact, such as the rows of a picture, mostly comes together there.
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
    """The first unit that meets an earlier one in a row, if that leaves two fair halves.

    Units before it do not interact: in a nonogram, the rows. Else simply the middle.
    """
    row, unit = touching >> 32, touching & 0xFFFFFFFF
    later = unit[1:][row[1:] == row[:-1]]
    first = int(later.min(initial=n_units))
    fair = n_units // 4 <= first <= n_units - n_units // 4
    return first if fair else (n_units + 1) // 2


def _ties(
    n: int, first: IntArray, second: IntArray, gap: IntArray
) -> tuple[IntArray, IntArray, IntArray, NDArray[np.bool_], IntArray]:
    """Loose precedences by choice, from both ends; of a choice with itself there is no choice."""
    (number,) = np.nonzero(first != second)
    first, second, gap = first[number], second[number], gap[number]
    own = np.concatenate([first, second])
    order = np.argsort(own, kind="stable")
    after = np.repeat([True, False], len(first))
    other = np.concatenate([second, first])
    gaps, numbers = np.tile(gap, 2), np.tile(number, 2)
    return _starts(own, n), other[order], gaps[order], after[order], numbers[order]
