"""Chains: statements one after the other, each propagated by itself, to a contradiction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.reasons.deduction import Deduction

Alive = NDArray[np.bool_]
_LONGEST = 12
"""Statements of a chain."""
_ROUNDS = 60
"""Statements that are propagated in looking for one."""


def chain(deduction: Deduction, needed: Sequence[int], alive: Alive) -> list[int]:
    """Some of these statements, in the order in which they lead to a contradiction, or none.

    None of the steps can be left out. ``alive`` are the literals that are left, (literals,).
    """
    path = [number for number, _ in _propagated(deduction, needed, alive)]
    if not path or _broken_at(deduction, path, alive) is None:
        return []
    at = len(path) - 2
    while at >= 0:
        shorter = path[:at] + path[at + 1 :]
        end = _broken_at(deduction, shorter, alive)
        if end is not None:
            path = shorter[: end + 1]
        at = min(at - 1, len(path) - 2)
    return path if len(path) <= _LONGEST else []


def contradict(deduction: Deduction, needed: Sequence[int], alive: Alive) -> bool:
    """Whether these statements lead to a contradiction, one after the other."""
    return any(left is None for _, left in _propagated(deduction, needed, alive))


def followed(
    deduction: Deduction, path: Sequence[int], alive: Alive
) -> Iterator[tuple[int, Alive | None]]:
    """Each statement of a chain with what it leaves; nothing for the last."""
    for number in path:
        left = deduction.alive(number, np.flatnonzero(~alive))
        yield number, left
        if left is None:
            return
        alive = left


def _propagated(
    deduction: Deduction, needed: Sequence[int], alive: Alive
) -> Iterator[tuple[int, Alive | None]]:
    """The statements that take something away, round after round, to a contradiction."""
    rounds, idle = _ROUNDS, 0
    for number in cycle(needed):
        left = deduction.alive(number, np.flatnonzero(~alive))
        if left is not None and not (left < alive).any():
            idle += 1
            if idle == len(needed):
                return
            continue
        yield number, left
        rounds, idle = rounds - 1, 0
        if left is None or not rounds:
            return
        alive = left


def _broken_at(deduction: Deduction, path: Sequence[int], alive: Alive) -> int | None:
    """The place of the statement that is broken; None if none is."""
    for at, (_, left) in enumerate(followed(deduction, path, alive)):
        if left is None:
            return at
    return None
