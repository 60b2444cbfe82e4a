"""Who contradicts whom: solvers among each other, and with what the file knows.

A valid answer (by the checker) and a proof that there is none cannot both be right; nor can
two different answers to a puzzle that has one. Either is a bug in a solver, in a
formulation, in the rules, or an instance that is wrong about itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from qubopuzzle.bench.plan import Instance

THE_FILE = "the file itself"


@dataclass(frozen=True, slots=True)
class Claim:
    """What somebody says of an instance.

    ``answer`` is an answer in native form or None; ``exists`` whether there is a solution.
    """

    who: tuple[str, ...]
    exists: bool
    answer: Any = None
    proved_by: str = ""


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
    found = []
    for instance in instances:
        claims = _claims(instance, by_digest.get(instance.digest, []))
        for i, first in enumerate(claims):
            for second in claims[i + 1 :]:
                why = _contradiction(first, second, unique=instance.puzzle.n_solutions == 1)
                if why:
                    found.append(Contradiction(instance, why, first, second))
    return found


def _claims(instance: Instance, rows: list[Mapping[str, Any]]) -> list[Claim]:
    """Distinct claims, each with all who make it."""
    claims: dict[str, Claim] = {}
    said = [_file_claim(instance)]
    for row in rows:
        if row.get("solution") is not None:
            said.append(Claim((row["solver"],), True, row["solution"]))
        elif row.get("proved_by"):
            said.append(Claim((row["solver"],), False, proved_by=row["proved_by"]))
    for claim in said:
        if claim is not None:
            content = json.dumps([claim.exists, claim.answer])
            before = claims.get(content, claim)
            who = tuple(dict.fromkeys([*before.who, *claim.who]))
            claims[content] = Claim(who, claim.exists, claim.answer, before.proved_by)
    return list(claims.values())


def _file_claim(instance: Instance) -> Claim | None:
    puzzle = instance.puzzle
    if puzzle.solution is not None and not puzzle.check(puzzle.solution)[1]:
        return Claim((THE_FILE,), True, puzzle.format_answer(puzzle.solution))
    if puzzle.n_solutions is None:
        return None
    return Claim((THE_FILE,), puzzle.n_solutions > 0)


def _contradiction(first: Claim, second: Claim, unique: bool) -> str:
    if first.exists != second.exists:
        return "one has a solution, the other says that there is none"
    both = first.answer is not None and second.answer is not None
    if unique and both and first.answer != second.answer:
        return "the puzzle has one solution, and these are two"
    return ""
