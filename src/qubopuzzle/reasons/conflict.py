"""Why a problem has no solution, and what to leave out; of several, what tells them apart.

Two lists of sets are duals: each set of statements that contradict each other (a conflict) has one
of each set without which there is a solution (a correction), and the other way round. So the
smallest conflict is the smallest set that hits all corrections, and the lightest correction hits
all conflicts; both are looked for by hitting those that are known, until nothing is missing.

Source: R. Reiter, "A theory of diagnosis from first principles" (Artificial Intelligence 32, 57,
1987); A. Ignatiev, A. Previti, M. Liffiton and J. Marques-Silva, "Smallest MUS extraction with
minimal hitting set dualization" (CP 2015).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf, isfinite
from typing import Any, TypeAlias

import numpy as np

from qubopuzzle.base.checks import number, positive
from qubopuzzle.compile.engines import TURNS
from qubopuzzle.compile.oracle import Oracle
from qubopuzzle.compile.rows import whole_factor
from qubopuzzle.errors import InputError, OutOfTime, did_you_mean
from qubopuzzle.model import IntArray
from qubopuzzle.model.statements import Statement
from qubopuzzle.reasons.asked import Asked
from qubopuzzle.reasons.explanation import Explanation
from qubopuzzle.reasons.failed import look_back, what_it_broke
from qubopuzzle.reasons.hitting import HittingSets
from qubopuzzle.reasons.several import tell_apart
from qubopuzzle.solving.loading import Source, problem_of
from qubopuzzle.solving.result import Result

Parts: TypeAlias = Iterator[dict[str, Any]]
"""Fields of an ``Explanation``, as soon as they are known."""
_FEW = 30
"""Statements of a conflict that is short."""
_Step: TypeAlias = Callable[[Explanation], Parts]


def explain(
    source: Source | Result,
    *,
    smallest: bool = False,
    weights: Mapping[str, float] | None = None,
    time_limit: float | None = None,
) -> Explanation:
    """Say why there is no solution, and what to leave out; or how many there are: one or several.

    Objectives are not looked at. What has no name of its own always holds: that a choice has one
    value, and bounds of a program's variables.

    >>> from qubopuzzle import Program, explain
    >>> program = Program.of([[1, 1, 0], [0, 1, 1], [1, 1, 1]], [1, 1, 0], [1, 1, 0])
    >>> print(explain(program))
    no solution (proved by sat): these 2 contradict each other, and none can be left out
      row0: x0 + x1 = 1
      row2: x0 + x1 + x2 = 0
    there is a solution without this (no less will do): row2

    Args:
        source: what ``solve`` takes; or a ``Result`` without a solution, to learn what its search
            ran into, too.
        smallest: look for the smallest conflict, not for one of which nothing can be left out.
        weights: what it costs to leave out a statement by its name, or each of a family, 1 if
            nothing is said; infinite for what must hold. If there are clues, a rule weighs more
            than all of them.
        time_limit: in seconds; what there is by then is returned.

    Raises:
        InputError: for a name that no statement has, and a weight that is not positive.
        TooLarge: if the rows are too large for a SAT solver, and OR-Tools is not there.
    """
    if time_limit is not None:
        positive("time_limit", time_limit, "seconds")
    until = inf if time_limit is None else time.perf_counter() + time_limit
    result = source if isinstance(source, Result) else None
    problem = source.problem if isinstance(source, Result) else problem_of(source)
    explanation = Explanation(problem, search=None if result is None else what_it_broke(result))
    if (why := problem.contradiction) is not None:
        return replace(explanation, status="infeasible", contradiction=why)
    stated = problem.stated()
    weighed = _weights(stated.statements, weights or {})
    with Oracle(stated, backend=TURNS) as oracle:
        asked = Asked(problem, oracle)
        steps: list[tuple[_Step, float]] = [(partial(_decide, asked), 1)]
        steps += [(partial(look_back, asked, result), 1)] if result is not None else []
        steps += [(partial(tell_apart, asked), 1)]
        steps += [(partial(_relax, asked, weighed), 0.5 if smallest else 1)]
        steps += [(partial(_shrink, asked), 1)] if smallest else []
        for step, share in steps:
            now = time.perf_counter()
            oracle.until = now + share * (until - now)
            try:
                for part in step(explanation):
                    explanation = replace(explanation, **part)
            except OutOfTime:
                continue
            except KeyboardInterrupt:
                return replace(explanation, interrupted=True)
    return explanation


def _weights(statements: Sequence[Statement], given: Mapping[str, float]) -> list[float]:
    """What it costs to leave out each statement; ``given`` is by name or family."""
    n_clues = sum(each.is_clue for each in statements)
    known = {name: None for each in statements for name in (each.name, each.family)}
    for name, weight in given.items():
        if name not in known:
            hint = did_you_mean(name, known, "their names are those that an explanation gives")
            raise InputError(f"weights: there is no {name:.60}; {hint}")
        if not number(f"weight of {name:.60}", weight) > 0:
            raise InputError(f"weight of {name:.60}: expected a positive number, got {weight:g}")
    usual = [1.0 if each.is_clue or not n_clues else 1.0 + n_clues for each in statements]
    pairs = zip(statements, usual, strict=True)
    return [given.get(each.name, given.get(each.family, weight)) for each, weight in pairs]


def _decide(asked: Asked, _: Explanation) -> Parts:
    """Whether there is a solution, and a conflict, smaller and smaller, if there is none."""
    oracle = asked.oracle
    x = oracle.solve(asked.every)
    if x is not None:
        answer = asked.answer(x)
        if answer.valid:
            yield {"status": "feasible", "answers": (answer,)}
    elif not oracle.stated.model.restricted:
        core, proved_by = oracle.core()[0], oracle.solver
        yield {
            "status": "infeasible",
            "conflict": asked.statements(core),
            "proved_by": proved_by,
        }
        for conflict in oracle.shrinking(core):
            yield {"conflict": asked.statements(conflict)}
        yield {"is_minimal": True}


def _relax(asked: Asked, weight: Sequence[float], before: Explanation) -> Parts:
    """A light set of statements to leave out, and then the lightest."""
    oracle, stated = asked.oracle, asked.oracle.stated
    hard = [number for number in asked.every if not isfinite(weight[number])]
    soft = [number for number in asked.every if isfinite(weight[number])]
    if before.status != "infeasible" or not soft:
        return
    finite = np.array([weight[number] for number in soft])
    whole = np.rint(finite * whole_factor("weights", finite)).astype(np.int64).tolist()
    least: float = inf
    known = [number for number in soft if stated.statements[number] in before.conflict]
    with HittingSets(dict(zip(soft, whole, strict=True))) as conflicts:
        conflicts.add(known)
        # First without all of a short conflict: putting back what goes leaves little to leave out.
        hit = known if len(known) <= _FEW else conflicts.lightest(oracle.until)
        while hit is not None:
            left = [number for number in soft if number not in hit]
            while (x := oracle.solve([*hard, *left])) is None:
                conflict = oracle.minimal(left, keep=hard)
                if not conflict:  # what must hold contradicts itself
                    return
                conflicts.add(conflict)
                left = [number for number in left if number not in conflict]
            order = sorted(soft, key=weight.__getitem__, reverse=True)
            held, x = _grown(oracle, {*hard, *left}, x, order)
            rest = [number for number in soft if number not in held]
            if conflicts.weight(rest) < least:
                least, total = conflicts.weight(rest), sum(weight[number] for number in rest)
                names = asked.statements(rest)
                yield {"relax": names, "weight": total, "relaxed": asked.answer(x)}
            hit = conflicts.lightest(oracle.until)
            if hit is not None and conflicts.weight(hit) >= least:
                yield {"is_lightest": True}
                return


def _shrink(asked: Asked, before: Explanation) -> Parts:
    """The smallest conflict, and meanwhile how small none can be."""
    if before.status != "infeasible":
        return
    oracle, best = asked.oracle, before.conflict
    with HittingSets(dict.fromkeys(asked.every, 1)) as corrections:
        while (hit := corrections.lightest(oracle.until)) is not None and len(hit) < len(best):
            yield {"at_least": len(hit)}
            x = oracle.solve(hit)
            if x is None:
                best = asked.statements(hit)
                break
            held, _ = _grown(oracle, {*hit}, x, asked.every)
            corrections.add([number for number in asked.every if number not in held])
    yield {"conflict": best, "is_minimal": True, "is_smallest": True, "at_least": len(best)}


def _grown(
    oracle: Oracle, held: set[int], x: IntArray, order: Iterable[int]
) -> tuple[set[int], IntArray]:
    """Statements that go together, so many that no other one does, and how they do.

    Args:
        oracle: that is asked.
        held: some that do, as ``x`` (literals,) shows.
        order: others; where there is a choice, those that come first are taken.
    """
    broken = oracle.stated.broken(x)
    for statement in order:
        if statement in held:
            continue
        if statement in broken:
            other = oracle.solve([*held, statement])
            if other is None:
                continue
            x, broken = other, oracle.stated.broken(other)
        held = held | {statement}
    return held, x
