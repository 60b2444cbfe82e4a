"""Proofs by propagation: statements, or single constraints of them, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.model import IntArray
from qubopuzzle.reasons.deduction import Deduction

Alive: TypeAlias = NDArray[np.bool_]
Reached: TypeAlias = Callable[[Alive | None], bool]
"""Whether a proof is at its end; the literals that are left, (literals,), or None for none."""
_Each = TypeVar("_Each")
_LONGEST = 24
"""Links of a chain."""
_ROUNDS = 40
"""Links that are propagated in looking for one."""


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """What is propagated at once: a statement, or one constraint of a rule of the whole grid."""

    statement: int
    constraints: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Proof:
    """A chain of links with what it starts from.

    Attributes:
        path: the links, in their order.
        alive: the literals that are left at its start, (literals,).
        marks: the marked cells that it takes, by row-major number.
        is_opposite: whether it starts from the opposite of what it shows, and ends in a
            contradiction.
        lines: what the links show, in words.
    """

    path: Sequence[Link]
    alive: Alive
    marks: Sequence[int]
    is_opposite: bool
    lines: tuple[str, ...] = ()


def links_of(deduction: Deduction, needed: Iterable[int], whole: Iterable[int]) -> list[Link]:
    """The links of some statements; of those that are about the ``whole`` grid one a constraint."""
    apart, links = {*whole}, []
    for number in needed:
        every = deduction.constraints[number]
        parts = every[:, None] if number in apart else [every]
        links += [Link(number, np.asarray(part)) for part in parts]
    return links


def chain(
    deduction: Deduction, links: Sequence[Link], alive: Alive, reached: Reached
) -> list[Link]:
    """Some of these links, in the order in which they lead to an end, or none.

    None of them can be left out; those that come first are taken where there is a choice.
    ``alive`` are the literals that are left before, (literals,).
    """
    path = [*_propagated(deduction, links, alive, reached)]
    if not path or _end(deduction, path, alive, reached) is None:
        return []
    at = len(path) - 2
    while at >= 0:
        shorter = path[:at] + path[at + 1 :]
        end = _end(deduction, shorter, alive, reached)
        if end is not None:
            path = shorter[: end + 1]
        at = min(at - 1, len(path) - 2)
    return path if len(path) <= _LONGEST else []


def followed(
    deduction: Deduction, path: Sequence[Link], alive: Alive
) -> Iterator[tuple[Link, Alive | None]]:
    """Each link of a chain with what it leaves; nothing where it cannot hold."""
    for link in path:
        left = deduction.alive(link.constraints, np.flatnonzero(~alive))
        yield link, left
        if left is None:
            return
        alive = left


def needed_of(
    candidates: Sequence[_Each], suffices: Callable[[Sequence[_Each]], bool]
) -> list[_Each] | None:
    """Candidates that suffice, of which none can be left out; None if all are not enough.

    Those that come first are taken where there is a choice.

    Source: U. Junker, "QuickXplain: preferred explanations and relaxations for over-constrained
    problems" (AAAI 2004).
    """

    def needed(background: list[_Each], changed: bool, some: list[_Each]) -> list[_Each]:
        if changed and suffices(background):
            return []
        if len(some) == 1:
            return some
        half = len(some) // 2
        first, second = some[:half], some[half:]
        late = needed(background + first, bool(first), second)
        return needed(background + late, bool(late), first) + late

    if not suffices(candidates):
        return None
    return [] if suffices([]) else needed([], False, [*candidates])


def _propagated(
    deduction: Deduction, links: Sequence[Link], alive: Alive, reached: Reached
) -> Iterator[Link]:
    """The first link that takes something away, again and again, to the end."""
    for _ in range(_ROUNDS):
        for link in links:
            left = deduction.alive(link.constraints, np.flatnonzero(~alive))
            if left is None or (left < alive).any():
                yield link
                break
        else:
            return
        if left is None or reached(left):
            return
        alive = left


def _end(deduction: Deduction, path: Sequence[Link], alive: Alive, reached: Reached) -> int | None:
    """The place of the link that is the last one; None if the end is not reached."""
    for at, (_, left) in enumerate(followed(deduction, path, alive)):
        if reached(left):
            return at
    return None
