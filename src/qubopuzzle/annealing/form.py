"""A model as flat arrays for the annealing kernels.

The state is one value a choice, so choices are exact and never penalised. Linear rows
keep their sums; the energy of a value is found from the rows that it has terms in. Choices are
redrawn in **units**: chains, which are paths of precedences, at once, others one by one.

What a unit can add to a row is a **slot**, whose cost is found once for all values. Values
of a choice are stored as **steps**, the slots that come and go from one value to the next:
a run of a nonogram that moves by one cell changes two, however long it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from qubopuzzle.annealing.kernels import FloatArray, ModelArrays
from qubopuzzle.jit import kernel
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
    n, weight = len(model.choices), weights or {}
    rows = csr_array((0, model.n_literals), dtype=np.int64)
    if model.linear:
        rows = csr_array(vstack([block.matrix for block in model.linear], dtype=np.int64))
    terms = csr_array(rows.T.tocsr())
    terms.sort_indices()
    order = Precedences.of(model)
    paths, loose, earliest, gap, reach = _find_chains(model, terms, order, enabled=chains)
    # In the order of the model: choices that do not interact, such as those of a picture's
    # rows, are mostly neighbours there.
    in_path = {choice for path in paths for choice in path}
    singles = ([c] for c in range(n) if c not in in_path)
    units = sorted([*paths, *singles])
    unit_start = np.cumsum([0, *map(len, units)])
    unit_choice = np.array([c for unit in units for c in unit], dtype=np.int64)
    unit_of_choice = np.zeros(n, dtype=np.int64)
    unit_of_choice[unit_choice] = np.repeat(np.arange(len(units)), np.diff(unit_start))
    term_start, term_row = terms.indptr.astype(np.int64), terms.indices.astype(np.uint64)
    slot_start, slot_row, slot_amount, slot_of = _find_slots(
        term_start,
        term_row,
        terms.data,
        model.first_literal,
        unit_start,
        unit_choice,
        rows.shape[0],
    )
    step_start, step_slot, step_sign, cumulative = _find_steps(
        term_start, slot_of, model.first_literal, int(np.diff(slot_start).max(initial=0))
    )
    # Each pair of a row and a unit with terms in it, as one number that sorts like the pair.
    slot_unit = np.repeat(np.arange(len(units)), np.diff(slot_start))
    touching = np.unique((slot_row << 32) | slot_unit)
    loose_first, loose_second = order.first[loose], order.second[loose]
    # No value changes a precedence of a choice with itself.
    (changing,) = np.nonzero(loose_first != loose_second)
    loose_choice = np.concatenate([loose_first[changing], loose_second[changing]])
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
        gap=gap[unit_choice],
        reach=reach,
        earliest=earliest,
        half=_half(touching, len(units)),
        touching_start=_starts(touching >> 32, rows.shape[0]),
        touching_unit=touching & 0xFFFFFFFF,
        unit_of_choice=unit_of_choice,
        loose_first=loose_first,
        loose_second=loose_second,
        loose_gap=order.gap[loose],
        loose_start=_starts(loose_choice, n),
        loose=np.tile(changing, 2)[np.argsort(loose_choice, kind="stable")],
    )
    row_weights = [np.full(len(b.lower), float(weight.get(b.family, 1))) for b in model.linear]
    order_weights = np.array([float(weight.get(family, 1)) for family in order.family])
    row_weight = np.concatenate([np.zeros(0), *row_weights])
    return AnnealingForm(model, rows, arrays, row_weight, order_weights[loose], len(paths))


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


def _find_chains(
    model: Model, terms: IntMatrix, order: Precedences, *, enabled: bool
) -> tuple[list[list[int]], NDArray[np.bool_], IntArray, IntArray, IntArray]:
    """Paths of precedences whose choices can be redrawn together, exactly.

    A chain has at most one precedence into each choice and one out of it, no other between
    its choices, some values that keep all of them, and no two choices with terms in one row.
    Only then is its energy a sum over its choices.

    Returns:
        The choices of each chain, in order (none where not ``enabled``); which precedences
        are in none, (precedences,); and ``earliest``, ``gap`` and ``reach`` of
        ``ModelArrays``, but ``gap`` by choice, (choices,).
    """
    n, owner = len(model.choices), model.choice_of_literal
    loose = np.ones(len(order.first), dtype=bool)
    earliest, gap = np.zeros((2, n), dtype=np.int64)
    paths, edges = order.paths() if enabled else ([], [])
    if paths:
        lengths, choices = [len(path) for path in paths], np.concatenate(paths)
        path_of = np.full(n, -1)
        path_of[choices] = np.repeat(np.arange(len(paths)), lengths)
        earliest, ahead = _along(model, order, edges)
        loose[np.concatenate(edges)] = False
        good = _rows_disjoint(
            terms.indptr.astype(np.int64),
            terms.indices.astype(np.uint64),
            model.first_literal,
            np.cumsum([0, *lengths]),
            choices,
            order.number - ahead[owner],
            terms.shape[1],
        )
        one, two = path_of[order.first[loose]], path_of[order.second[loose]]
        good[one[(one == two) & (one >= 0)]] = False
        good[path_of[(earliest == model.sizes) & (path_of >= 0)]] = False
        for i in np.flatnonzero(~good).tolist():
            loose[edges[i]] = True
            earliest[paths[i]] = 0
        paths = [path for i, path in enumerate(paths) if good[i]]
    before = np.full(n, -1)
    before[order.second[~loose]] = order.first[~loose]
    gap[order.second[~loose]] = order.gap[~loose]
    reach = np.ones(model.n_literals, dtype=np.int64)
    (later,) = np.nonzero(before[owner] >= 0)
    own = owner[later]
    reach[later] = order.below(before[own], order.number[later] - gap[own] + 1)
    return paths, loose, earliest, gap, reach


def _along(model: Model, order: Precedences, edges: list[list[int]]) -> tuple[IntArray, IntArray]:
    """Index of each choice's first value that its path allows, and the sum of gaps before it.

    The index is the choice's size if there is no such value. Shape (choices,) each.
    """
    starts, sizes = model.first_literal[:-1], model.sizes
    index, ahead = np.zeros((2, len(starts)), dtype=np.int64)
    for depth in range(max(map(len, edges))):
        at = np.array([through[depth] for through in edges if len(through) > depth])
        one, two, gap = order.first[at], order.second[at], order.gap[at]
        limit = order.number[starts[one] + np.minimum(index[one], sizes[one] - 1)] + gap
        index[two] = np.where(index[one] == sizes[one], sizes[two], order.below(two, limit))
        ahead[two] = ahead[one] + gap
    return np.clip(index, 0, sizes), ahead


@kernel
def _rows_disjoint(
    term_start: Any,
    term_row: Any,
    first: Any,
    path_start: Any,
    path_choice: Any,
    slack: Any,
    n_rows: int,
) -> Any:
    """By path: whether no two choices, at values that the gaps allow, have terms in one row.

    Args:
        term_start, term_row, first: see ``ModelArrays``.
        path_start, path_choice: the choices of each path, in order.
        slack: each literal's number with the gaps before its choice taken out, (literals,).
            At allowed values it never falls along a path.
    """
    n_paths = len(path_start) - 1
    good = np.ones(n_paths, np.bool_)
    # The path and the slack of the last term in each row.
    seen, lowest = np.full(n_rows, -1), np.zeros(n_rows, np.int64)
    for path in range(n_paths):
        for q in range(path_start[path], path_start[path + 1]):
            choice = path_choice[q]
            for literal in range(first[choice + 1] - 1, first[choice] - 1, -1):
                for e in range(term_start[literal], term_start[literal + 1]):
                    row = term_row[e]
                    if seen[row] == path and lowest[row] <= slack[literal]:
                        good[path] = False
                    seen[row], lowest[row] = path, slack[literal]
    return good


@kernel
def _find_slots(
    term_start: Any,
    term_row: Any,
    term_coefficient: Any,
    first: Any,
    unit_start: Any,
    unit_choice: Any,
    n_rows: int,
) -> tuple[Any, Any, Any, Any]:
    """What each unit can add to each row.

    Returns ``slot_start``, ``slot_row`` and ``slot_amount`` of ``ModelArrays``, and the slot
    of each term, numbered within its unit.
    """
    n_units = len(unit_start) - 1
    start = np.zeros(n_units + 1, np.int64)
    row_of = np.zeros(len(term_row), np.int64)
    amount_of = np.zeros(len(term_row), np.int64)
    slot_of = np.zeros(len(term_row), np.int64)
    # A row's slots in this unit are a list: the last one, and for each the one before.
    last = np.full(n_rows, -1)
    before = np.zeros(len(term_row), np.int64)
    n = 0
    for unit in range(n_units):
        for q in range(unit_start[unit], unit_start[unit + 1]):
            choice = unit_choice[q]
            for e in range(term_start[first[choice]], term_start[first[choice + 1]]):
                row, amount = term_row[e], term_coefficient[e]
                slot = last[row]
                while slot >= start[unit] and amount_of[slot] != amount:
                    slot = before[slot]
                if slot < start[unit]:
                    slot = n
                    row_of[n], amount_of[n], before[n], last[row] = row, amount, last[row], n
                    n += 1
                slot_of[e] = slot - start[unit]
        start[unit + 1] = n
    return start, row_of[:n].copy(), amount_of[:n].copy(), slot_of


@kernel
def _find_steps(
    term_start: Any, slot_of: Any, first: Any, most_slots: int
) -> tuple[Any, Any, Any, Any]:
    """Each choice's values as steps: the slots that come and go from value to value.

    Where those are no fewer than the choice's terms, the terms themselves. Returns
    ``step_start``, ``step_slot``, ``step_sign`` and ``cumulative`` of ``ModelArrays``.
    """
    start = np.zeros(len(term_start), np.int64)
    slot = np.zeros(2 * len(slot_of), np.uint64)
    sign = np.zeros(2 * len(slot_of))
    cumulative = np.zeros(len(first) - 1, np.bool_)
    mark = np.full(most_slots, -1)  # the last literal with a slot
    n = 0
    for choice in range(len(first) - 1):
        begin, end = first[choice], first[choice + 1]
        before = n
        for literal in range(begin, end):
            for e in range(term_start[literal], term_start[literal + 1]):
                if literal == begin or mark[slot_of[e]] != literal - 1:
                    slot[n], sign[n] = slot_of[e], 1.0
                    n += 1
                mark[slot_of[e]] = literal
            if literal > begin:
                for e in range(term_start[literal - 1], term_start[literal]):
                    if mark[slot_of[e]] != literal:
                        slot[n], sign[n] = slot_of[e], -1.0
                        n += 1
            start[literal + 1] = n
        n_terms = term_start[end] - term_start[begin]
        cumulative[choice] = n - before < n_terms
        if not cumulative[choice]:
            n = before + n_terms
            slot[before:n] = slot_of[term_start[begin] : term_start[end]]
            sign[before:n] = 1.0
            start[begin + 1 : end + 1] = (
                term_start[begin + 1 : end + 1] + before - term_start[begin]
            )
    return start, slot[:n].copy(), sign[:n].copy(), cumulative
