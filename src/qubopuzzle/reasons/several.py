"""Whether there is another solution, and which value tells the solutions apart."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, TypeAlias

from qubopuzzle.reasons.asked import Asked
from qubopuzzle.reasons.explanation import Clue, Explanation, Place, values_of

Values: TypeAlias = dict[Place, Hashable]
_LOOKED_AT = 20
"""Solutions that are looked at; where there are more, a single value rarely settles it."""


def tell_apart(asked: Asked, before: Explanation) -> Iterator[dict[str, Any]]:
    """Another solution if there is one, and then a value of one of the two that settles it.

    Yields:
        Fields of an ``Explanation``.
    """
    if before.status != "feasible" or before.problem.has_objective:
        return
    oracle, first = asked.oracle, before.answers[0].assignment
    if first is None:
        return
    oracle.exclude(first)
    x = oracle.solve(asked.every)
    if x is None:
        yield {"unique": True, "proved_by": oracle.solver}
        return
    answers = (*before.answers, asked.answer(x))
    yield {"unique": False, "answers": answers}
    oracle.exclude(x)
    seen = [values_of(answer) for answer in answers]
    for target in seen:  # those that come up on the way, too
        place = _settling(asked, target, seen)
        if place is not None:
            yield {"clue": Clue(place, target[place], True, 1, len(seen))}
            return
        yield {"clue": _best(asked, seen)}


def _settling(asked: Asked, target: Values, seen: list[Values]) -> Place | None:
    """A place where no other solution has the value of ``target``; adds others to ``seen``.

    Each solution that has the value at one place rules out all places where the two agree.
    """
    places = [place for place in asked.literals if target[place] in asked.literals[place]]
    while len(seen) <= _LOOKED_AT:
        places = [p for p in places if sum(each[p] == target[p] for each in seen) == 1]
        if not places:
            break
        literal = asked.literals[places[0]][target[places[0]]]
        x = asked.oracle.solve(asked.every, [asked.oracle.variable(literal)])
        if x is None:
            return places[0]
        seen.append(values_of(asked.answer(x)))
        asked.oracle.exclude(x)
    return None


def _best(asked: Asked, seen: list[Values]) -> Clue:
    """The value that the fewest of the solutions have, at least one."""
    counts = {
        (place, value): sum(each[place] == value for each in seen)
        for place in asked.literals
        for value in {each[place] for each in seen}
    }
    (place, value), left = min(counts.items(), key=lambda item: item[1])
    return Clue(place, value, False, left, len(seen))
