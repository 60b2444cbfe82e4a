"""What a search without a solution ran into: heavy rows, and values that it never let go."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from qubopuzzle.reasons.asked import Asked
from qubopuzzle.reasons.explanation import Explanation, FailedSearch, Place, values_of
from qubopuzzle.solving.result import Result
from qubopuzzle.solving.samples import Samples

_HEAVIEST = 5
"""Rows that are named."""
_COMPARED = 100
"""Answers that are compared, the best ones."""


def what_it_broke(result: Result) -> FailedSearch | None:
    """What a result itself says; None of one with a solution."""
    if result.valid:
        return None
    heaviest = () if result.sampled is None else tuple(_heaviest(result.sampled))
    return FailedSearch(heaviest, result.energies.constraints)


def look_back(asked: Asked, result: Result, before: Explanation) -> Iterator[dict[str, Any]]:
    """Which values all answers of a search have, and what contradicts these.

    Yields:
        Fields of an ``Explanation``.
    """
    search, sampled = before.search, result.sampled
    if search is None or sampled is None or len(sampled.outcome.samples) < 2:
        return
    samples = sampled.outcome.samples[:_COMPARED]
    states = [values_of(sampled.judge.judge(sample)) for sample in samples]
    fixed = {
        place: asked.oracle.variable(literals[value])
        for place, literals in asked.literals.items()
        if (value := states[0][place]) in literals and all(s[place] == value for s in states)
    }
    search = replace(search, states=len(states), places=len(asked.literals), fixed=len(fixed))
    yield {"search": search}
    if not fixed:
        return
    conflict = asked.oracle.minimal(asked.every, [*fixed.values()])
    if conflict is None:
        return
    because: tuple[Place, ...] = ()
    if asked.oracle.solve(conflict, [*fixed.values()]) is None:
        needed = {*asked.oracle.core()[1]}
        because = tuple(place for place, variable in fixed.items() if variable in needed)
    yield {"search": replace(search, conflict=asked.statements(conflict), because=because)}


def _heaviest(sampled: Samples) -> Iterator[tuple[str, float]]:
    """The heaviest row of each label, if it weighs more than the lightest of all."""
    weight = sampled.outcome.row_weight
    if weight is None or not len(weight):
        return
    rows = sampled.judge.presolved.model.heaviest_rows(weight, len(weight))
    by_label = dict(reversed(rows))
    for label in list(dict.fromkeys(label for label, _ in rows))[:_HEAVIEST]:
        if by_label[label] > weight.min():
            yield label, by_label[label]
