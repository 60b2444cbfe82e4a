"""Loops that lay a model out for the annealer, compiled by numba."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def apart(
    term_start: Any,
    term_row: Any,
    first: Any,
    path_start: Any,
    path_choice: Any,
    slack: Any,
    n_rows: int,
) -> Any:
    """By path: whether no two choices, at values that the gaps allow, touch the same row.

    Args:
        term_start, term_row, first: see ``form.Arrays``.
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


@njit(nogil=True, cache=True)
def find_slots(
    term_start: Any,
    term_row: Any,
    term_coefficient: Any,
    first: Any,
    unit_start: Any,
    unit_choice: Any,
    n_rows: int,
) -> tuple[Any, Any, Any, Any]:
    """What each unit can do to each row.

    Returns ``slot_start``, ``slot_row`` and ``slot_amount`` of ``form.Arrays``, and the slot
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


@njit(nogil=True, cache=True)
def find_cumulative(term_start: Any, slot_of: Any, first: Any, most_slots: int) -> Any:
    """By choice: whether its steps from value to value are fewer than its terms."""
    cumulative = np.zeros(len(first) - 1, np.bool_)
    mark = np.full(most_slots, -1)
    for choice in range(len(first) - 1):
        moves = 0
        for literal in range(first[choice], first[choice + 1]):
            kept = 0
            for e in range(term_start[literal], term_start[literal + 1]):
                if literal > first[choice] and mark[slot_of[e]] == literal - 1:
                    kept += 1
                mark[slot_of[e]] = literal
            moves += term_start[literal + 1] - term_start[literal] - kept
            if literal > first[choice]:
                moves += term_start[literal] - term_start[literal - 1] - kept
        cumulative[choice] = moves < term_start[first[choice + 1]] - term_start[first[choice]]
    return cumulative


@njit(nogil=True, cache=True)
def find_steps(
    term_start: Any, slot_of: Any, first: Any, cumulative: Any, most_slots: int
) -> tuple[Any, Any, Any]:
    """Which slots come and go from value to value of a cumulative choice, else the terms.

    Returns ``step_start``, ``step_slot`` and ``step_sign`` of ``form.Arrays``.
    """
    start = np.zeros(len(term_start), np.int64)
    slot = np.zeros(len(slot_of), np.uint64)
    sign = np.zeros(len(slot_of))
    mark = np.full(most_slots, -1)
    n = 0
    for choice in range(len(first) - 1):
        for literal in range(first[choice], first[choice + 1]):
            later = cumulative[choice] and literal > first[choice]
            for e in range(term_start[literal], term_start[literal + 1]):
                if not (later and mark[slot_of[e]] == literal - 1):
                    slot[n], sign[n] = slot_of[e], 1.0
                    n += 1
                mark[slot_of[e]] = literal
            if later:
                for e in range(term_start[literal - 1], term_start[literal]):
                    if mark[slot_of[e]] != literal:
                        slot[n], sign[n] = slot_of[e], -1.0
                        n += 1
            start[literal + 1] = n
    return start, slot[:n].copy(), sign[:n].copy()
