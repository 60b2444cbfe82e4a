"""Who contradicts whom: solvers among each other, and with what the file knows.

A valid answer (by the checker) and a proof that there is none cannot both be right; nor can
two different answers to a puzzle that has one. Either is a bug in a solver, in a
formulation, in the rules, or an instance that is wrong about itself.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from qubopuzzle.bench.objectives import Target, targets
from qubopuzzle.bench.plan import Instance

THE_FILE = "the file itself"


@dataclass(frozen=True, slots=True)
class Claim:
    """What somebody says of an instance.

    ``answer`` is an answer in native form or None; ``exists`` whether there is a solution;
    ``bound`` what no solution's objective is better than, where that is what is claimed.
    """

    who: tuple[str, ...]
    exists: bool
    answer: Any = None
    proved_by: str = ""
    bound: float | None = None


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two claims that cannot both be right."""

    instance: Instance
    why: str
    first: Claim
    second: Claim

    def summary(self) -> str:
        """One line."""
        first, second = (", ".join(claim.who) for claim in (self.first, self.second))
        return f"{self.instance.label}: ({first}) against ({second}): {self.why}"


def contradictions(
    instances: Iterable[Instance], rows: Iterable[Mapping[str, Any]]
) -> list[Contradiction]:
    """Every pair of claims that contradict each other, late answers included.

    Args:
        rows: of a comparison; those with ``proved_by`` or a ``solution`` claim something.
    """
    by_digest: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        by_digest.setdefault(row["digest"], []).append(row)
    result = []
    instances, rows = list(instances), [row for group in by_digest.values() for row in group]
    known = targets(instances, rows)
    for instance in instances:
        if instance.digest in known:
            result += _beaten(instance, known[instance.digest], by_digest.get(instance.digest, []))
        unique = instance.puzzle.n_solutions == 1
        claims = _claims(instance, by_digest.get(instance.digest, []))
        for first, second in combinations(claims, 2):
            if first.exists != second.exists:
                why = "one has a solution, the other says that there is none"
            elif unique and None not in (first.answer, second.answer):
                why = "the puzzle has one solution, and these are two"
            else:
                continue
            result.append(Contradiction(instance, why, first, second))
    return result


def _beaten(
    instance: Instance, target: Target, rows: list[Mapping[str, Any]]
) -> list[Contradiction]:
    """The best answer against the closest bound, if it is better than that."""
    answers = [r for r in rows if r["solved"] and r.get("objective") is not None]
    bounds = [r for r in rows if r.get("bound") is not None]
    if not answers or not bounds:
        return []
    best = min(answers, key=lambda r: target.excess(r["objective"], 0.0))
    closest = max(bounds, key=lambda r: target.excess(r["bound"], 0.0))
    value, bound = best["objective"], closest["bound"]
    if not target.beats(value, bound):
        return []
    why = f"one's objective is {value:.12g}, the other proved that none is better than {bound:.12g}"
    first = Claim((best["configuration"],), True, best.get("solution"))
    second = Claim((closest["configuration"],), True, bound=bound)
    return [Contradiction(instance, why, first, second)]


def _claims(instance: Instance, rows: list[Mapping[str, Any]]) -> list[Claim]:
    """Distinct claims, each with all who make it."""
    claims = []
    puzzle = instance.puzzle
    if puzzle.solution is not None and not puzzle.check(puzzle.solution)[1]:
        claims.append(Claim((THE_FILE,), True, puzzle.format_answer(puzzle.solution)))
    elif puzzle.n_solutions is not None:
        claims.append(Claim((THE_FILE,), puzzle.n_solutions > 0))
    for row in rows:
        if row.get("solution") is not None:
            claims.append(Claim((row["configuration"],), True, row["solution"]))
        elif row.get("proved_by"):
            claims.append(Claim((row["configuration"],), False, proved_by=row["proved_by"]))
    distinct: dict[str, Claim] = {}
    for claim in claims:
        content = json.dumps([claim.exists, claim.answer])
        before = distinct.get(content, claim)
        distinct[content] = replace(before, who=tuple(dict.fromkeys(before.who + claim.who)))
    return list(distinct.values())
