"""Chains: statements, or single constraints of them, propagated one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.model import IntArray
from qubopuzzle.reasons.deduction import Deduction

Alive: TypeAlias = NDArray[np.bool_]
"""Which literals are left, (literals,)."""
Reached: TypeAlias = Callable[[Alive | None], bool]
"""Whether what is left, or None for a contradiction, is the end of a chain."""
_Each = TypeVar("_Each")
LONGEST = 24
"""Links of a chain."""
_ROUNDS = 40
"""Links that are propagated in looking for one."""


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """What is propagated at once: a statement, or one constraint of a rule of the whole grid.

    ``places`` are the choices that the constraint is about, with their cells; none for a graph, and
    for a statement that is not of the whole grid. ``cells`` are these, each once, ascending.
    """

    statement: int
    constraints: IntArray
    is_whole: bool = False
    places: tuple[tuple[int, int], ...] = ()
    cells: tuple[int, ...] = ()


def links_of(
    deduction: Deduction, statements: Iterable[int], whole: Iterable[int], places: IntArray
) -> list[Link]:
    """The links of some statements: of those that are about the ``whole`` grid one a constraint.

    ``places`` (choices,) are the cells of choices, -1 for none.
    """
    apart, links = {*whole}, list[Link]()
    for number in statements:
        every = deduction.constraints[number]
        if number not in apart:
            links.append(Link(number, every))
            continue
        for part in every[:, None]:
            choices = deduction.choices_of(part)
            pairs = zip(choices.tolist(), places[choices].tolist(), strict=True)
            there = tuple(pair for pair in pairs if pair[1] >= 0)
            cells = tuple(sorted({cell for _, cell in there}))
            links.append(Link(number, part, True, there, cells))
    return links


def chain(
    deduction: Deduction, links: Sequence[Link], alive: Alive, reached: Reached
) -> list[Link]:
    """Links that are all needed, in the order in which they lead to an end; none if it is far.

    One comes again where it has to. ``alive`` are the literals that are left before.
    """
    path = [*_propagated(deduction, links, alive, reached)]
    if not path or _end(deduction, path, alive, reached) is None:
        return []
    at = len(path) - 2
    while at >= 0:
        if path.count(path[at]) > 1:
            shorter = path[:at] + path[at + 1 :]
            end = _end(deduction, shorter, alive, reached)
            if end is not None:
                path = shorter[: end + 1]
        at = min(at - 1, len(path) - 2)
    return path if len(path) <= LONGEST else []


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
    """The links that take something away, round after round, to the end."""
    rounds, idle = _ROUNDS, 0
    for link in cycle(links):
        left = deduction.alive(link.constraints, np.flatnonzero(~alive))
        if left is not None and not (left < alive).any():
            idle += 1
            if idle == len(links):
                return
            continue
        yield link
        rounds, idle = rounds - 1, 0
        if left is None or reached(left) or not rounds:
            return
        alive = left


def _end(deduction: Deduction, path: Sequence[Link], alive: Alive, reached: Reached) -> int | None:
    """The place of the link that is the last one; None if the end is not reached."""
    for at, (_, left) in enumerate(followed(deduction, path, alive)):
        if reached(left):
            return at
    return None
