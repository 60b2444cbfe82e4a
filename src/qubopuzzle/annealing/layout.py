"""Loops over the terms of a model that lay it out for the annealer, compiled by numba."""

from __future__ import annotations

from typing import Any

import numpy as np

from qubopuzzle.jit import kernel


@kernel
def rows_disjoint(
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
    seen = np.full(n_rows, -1)
    lowest = np.zeros(n_rows, np.int64)
    for path in range(n_paths):
        for q in range(path_start[path], path_start[path + 1]):
            begin, end = first[path_choice[q]], first[path_choice[q] + 1]
            for literal in range(begin, end):
                for e in range(term_start[literal], term_start[literal + 1]):
                    row = term_row[e]
                    if seen[row] == path and lowest[row] <= slack[literal]:
                        good[path] = False
            for literal in range(begin, end):
                for e in range(term_start[literal], term_start[literal + 1]):
                    row = term_row[e]
                    if seen[row] != path or slack[literal] < lowest[row]:
                        seen[row], lowest[row] = path, slack[literal]
    return good


@kernel
def find_slots(
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
def find_steps(
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
