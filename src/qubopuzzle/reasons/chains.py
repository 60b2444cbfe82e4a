"""Chains: statements, or what they say of some cells, propagated one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from math import inf
from typing import Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.model import IntArray
from qubopuzzle.reasons.deduction import Deduction

Alive: TypeAlias = NDArray[np.bool_]
"""Which literals are left, (literals,)."""
Reached: TypeAlias = Callable[[Alive | None], bool]
"""Whether what is left, or None for a contradiction, is the end of a chain."""
_Each = TypeVar("_Each")
_Step = TypeVar("_Step", bound="Step")
LONGEST = 60
"""Links of a chain."""
_ROUNDS = 90
"""Links that are propagated in looking for one."""


class Step(Protocol):
    """What leads on from the literals that are left."""

    def after(self, deduction: Deduction, alive: Alive) -> Alive | None:
        """Those that are left then; None where nothing can hold."""


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """What is propagated at once: a statement, or what a rule of the whole grid says of some cells.

    ``places`` are the choices that this is about, with their cells; none for a graph, and
    for a statement that is not of the whole grid. ``cells`` are these, each once, ascending.
    """

    statement: int
    constraints: IntArray
    is_whole: bool = False
    places: tuple[tuple[int, int], ...] = ()
    cells: tuple[int, ...] = ()

    def after(self, deduction: Deduction, alive: Alive) -> Alive | None:
        """What propagation leaves."""
        return deduction.left(self.constraints, alive)


@dataclass(frozen=True, slots=True, eq=False)
class Lemma:
    """A value that a cell cannot have: links lead from it to a contradiction.

    ``literal`` is of that value, ``alive`` are those that are left with it.
    """

    cell: int
    value: int
    literal: IntArray
    alive: Alive
    path: Sequence[Link]

    def after(self, _: Deduction, alive: Alive) -> Alive:
        """Without that value."""
        left = alive.copy()
        left[self.literal] = False
        return left


def links_in(path: Sequence[Link | Lemma]) -> list[Link]:
    """All links, those of lemmas, too."""
    parts = (step.path if isinstance(step, Lemma) else [step] for step in path)
    return [link for part in parts for link in part]


def links_of(
    deduction: Deduction, statements: Iterable[int], whole: Iterable[int], places: IntArray
) -> list[Link]:
    """The links of some statements: of those about the ``whole`` grid one for the same cells.

    ``places`` (choices,) are the cells of choices, -1 for none.
    """
    apart, links = {*whole}, list[Link]()
    for number in statements:
        every = deduction.constraints[number]
        if number not in apart:
            links.append(Link(number, every))
            continue
        about: dict[tuple[int, ...], list[int]] = {}
        for constraint in every.tolist():
            at = places[deduction.choices_of(np.array([constraint]))]
            cells = tuple(np.unique(at[at >= 0]).tolist()) or (-1 - constraint,)  # a graph alone
            about.setdefault(cells, []).append(constraint)
        for cells, several in about.items():
            choices = deduction.choices_of(np.array(several))
            pairs = zip(choices.tolist(), places[choices].tolist(), strict=True)
            there = tuple(pair for pair in pairs if pair[1] >= 0)
            links.append(Link(number, np.array(several), True, there, cells if there else ()))
    return links


def chain(
    deduction: Deduction, links: Sequence[Link], alive: Alive, reached: Reached
) -> list[Link]:
    """Links that are all needed, in the order in which they lead to an end; none if it is far.

    One comes again where it has to. ``alive`` are the literals that are left before.
    """
    path = [*propagated(deduction, links, alive, reached)]
    left = [left for _, left in followed(deduction, path, alive)]
    if not left or not reached(left[-1]):
        return []
    at = len(path) - 2
    while at >= 0:
        before = left[at - 1] if at else alive
        if path.count(path[at]) > 1 and before is not None:
            end = _end(deduction, path[at + 1 :], before, reached)
            if end is not None:
                path[at:] = path[at + 1 : at + 2 + end]
        at = min(at - 1, len(path) - 2)
    return path if len(path) <= LONGEST else []


def followed(
    deduction: Deduction, path: Iterable[_Step], alive: Alive
) -> Iterator[tuple[_Step, Alive | None]]:
    """Each step of a chain with what it leaves; None where it cannot hold, which is the last."""
    for step in path:
        left = step.after(deduction, alive)
        yield step, left
        if left is None:
            return
        alive = left


def needed_of(
    candidates: Sequence[_Each], suffices: Callable[[Sequence[_Each]], bool], most: float = inf
) -> list[_Each] | None:
    """Candidates that suffice, of which none can be left out; None if all are not enough.

    Those that come first are taken where there is a choice. None, too, if it takes over ``most``.

    Source: U. Junker, "QuickXplain: preferred explanations and relaxations for over-constrained
    problems" (AAAI 2004).
    """

    def needed(
        background: list[_Each], changed: bool, some: list[_Each], taken: int
    ) -> list[_Each] | None:
        """Those of some that are needed besides, where so many are taken; None: too many."""
        if changed and suffices(background):
            return []
        if len(some) == 1:
            return some if taken < most else None
        half = len(some) // 2
        first, second = some[:half], some[half:]
        late = needed(background + first, bool(first), second, taken)
        if late is None:
            return None
        early = needed(background + late, bool(late), first, taken + len(late))
        return None if early is None else early + late

    if not suffices(candidates):
        return None
    return [] if suffices([]) else needed([], False, [*candidates], 0)


def propagated(
    deduction: Deduction, links: Sequence[Link], alive: Alive, reached: Reached
) -> Iterator[Link]:
    """The links that take something away, round after round, to the end."""
    rounds, idle = _ROUNDS, 0
    for link in cycle(links):
        left = link.after(deduction, alive)
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
