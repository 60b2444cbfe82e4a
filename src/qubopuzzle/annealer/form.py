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

from qubopuzzle.annealer.chains import Precedences, chain_reach, find_chains, no_chains
from qubopuzzle.model import IntArray, IntMatrix, Model

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


def annealing_form(
    model: Model, weights: Mapping[str, float] | None = None, *, chains: bool = True
) -> AnnealingForm:
    """Lay out a model for the kernels.

    Args:
        model: what to anneal.
        weights: weight by family; 1 where not given.
        chains: redraw chains of precedences at once; else each choice by itself.
    """
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
    in_path = {choice for path in paths for choice in path}
    # In the order of the model: what does not interact, such as the rows of a picture,
    # mostly comes together.
    units = sorted([*paths, *([c] for c in range(n) if c not in in_path)])
    lengths = np.array([len(unit) for unit in units], dtype=np.int64)
    unit_choice = np.array([c for unit in units for c in unit], dtype=np.int64)
    unit_of_choice = np.zeros(n, dtype=np.int64)
    unit_of_choice[unit_choice] = np.repeat(np.arange(len(units)), lengths)
    gap_before = np.zeros(n, dtype=np.int64)
    gap_before[order.second[~loose]] = order.gap[~loose]
    ties = _ties(n, order.first[loose], order.second[loose], order.gap[loose])
    slots, steps = _slots(model, terms, unit_of_choice, len(units))
    touching = np.unique(
        _pairs(slots[1].astype(np.int64), np.repeat(np.arange(len(units)), np.diff(slots[0])))
    )
    slot_start, slot_row, slot_amount = slots
    step_start, step_slot, step_sign, cumulative = steps
    tie_start, tie_other, tie_gap, tie_after, tie = ties
    nothing = np.zeros(0, dtype=np.int64)
    arrays = Arrays(
        first=model.first_literal,
        number=order.number,
        term_start=terms.indptr.astype(np.int64),
        term_row=terms.indices.astype(np.uint64),
        term_coefficient=terms.data,
        slot_start=slot_start,
        slot_row=slot_row,
        slot_amount=slot_amount,
        step_start=step_start,
        step_slot=step_slot,
        step_sign=step_sign,
        cumulative=cumulative,
        lower=np.concatenate([nothing, *(block.lower for block in model.linear)]),
        upper=np.concatenate([nothing, *(block.upper for block in model.linear)]),
        unit_start=_starts(np.repeat(np.arange(len(units)), lengths), len(units)),
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
    places = np.bincount(unit_of_choice, model.sizes + 1, len(units)) if n else np.zeros(1)
    return AnnealingForm(
        model,
        arrays,
        np.concatenate([np.zeros(0), *row_weights]),
        tie_weights[loose],
        int(places.max()),
        int(np.diff(slots[0]).max(initial=0)),
        len(paths),
    )


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


_Slots = tuple[IntArray, PlaceArray, IntArray]
_Steps = tuple[IntArray, PlaceArray, FloatArray, NDArray[np.bool_]]


def _slots(
    model: Model, terms: IntMatrix, unit_of_choice: IntArray, n_units: int
) -> tuple[_Slots, _Steps]:
    """Slots of the units; steps from value to value, or from nothing where those are fewer."""
    n = model.n_literals
    owner = model.choice_of_literal
    literal = np.repeat(np.arange(n), np.diff(terms.indptr))
    row, amount = terms.indices.astype(np.int64), terms.data
    unit = unit_of_choice[owner[literal]] if n else literal
    # Slots by unit, row and amount; every entry's slot by its place among them.
    low, span = int(amount.min(initial=0)), int(np.ptp(amount)) + 1 if len(amount) else 1
    key = (unit * (int(row.max(initial=0)) + 1) + row) * span + (amount - low)
    by = np.argsort(key, kind="stable")
    new = np.ones(len(by), dtype=bool)
    new[1:] = key[by][1:] != key[by][:-1]
    slot_start = _starts(unit[by][new], n_units)
    slot = np.empty(len(by), dtype=np.int64)
    slot[by] = np.cumsum(new) - 1
    slots = slot_start, row[by][new], amount[by][new]
    slot -= slot_start[unit]
    # A slot that a value shares with the one before neither comes nor goes.
    key = literal * (int(slot.max(initial=0)) + 2) + slot
    ordered = np.argsort(key)
    key, literal, slot = key[ordered], literal[ordered], slot[ordered]
    step = int(slot.max(initial=0)) + 2
    begins = np.zeros(n + 1, dtype=bool)
    begins[model.first_literal] = True
    came = begins[literal] | ~np.isin(key - step, key, assume_unique=True)
    goes = ~begins[literal + 1] & ~np.isin(key + step, key, assume_unique=True)
    moves = np.bincount(owner[np.concatenate([literal[came], literal[goes]])], minlength=1)
    alone = np.bincount(owner[literal], minlength=1)
    cumulative = np.zeros(len(model.choices), dtype=bool)
    size = max(len(moves), len(alone))
    moves, alone = (np.pad(counts, (0, size - len(counts))) for counts in (moves, alone))
    cumulative[:size] = (moves < alone)[: len(cumulative)]
    use = cumulative[owner[literal]] if n else np.zeros(0, dtype=bool)
    steps = [(literal[kept], slot[kept], 1.0) for kept in (came & use, ~use)]
    steps.append((literal[goes & use] + 1, slot[goes & use], -1.0))
    at = np.concatenate([part[0] for part in steps])
    sign = np.concatenate([np.full(len(part[0]), part[2]) for part in steps])
    by = np.argsort(at, kind="stable")
    step_slot = np.concatenate([part[1] for part in steps])[by]
    places = step_slot.astype(np.uint64)
    return (slots[0], slots[1].astype(np.uint64), slots[2]), (
        _starts(at, n),
        places,
        sign[by],
        cumulative,
    )
