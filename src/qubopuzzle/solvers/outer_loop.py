"""``outer-loop``: penalty weights that change between runs of a sampler, by what a run broke.

- ``tenfold``: one weight, times ten until a run breaks nothing.
- ``families``: families that are broken weigh twice as much in the next run, as re-weighting loops
  of modelling packages do (ToQUBO.jl, pull request 234; MQT QAO, arXiv 2406.12840).
- ``bisection``: the least weight at which runs break nothing: doubled until then, and from there on
  the geometric mean of the greatest that was too small and the least that was not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import sqrt
from typing import Any

from qubopuzzle.compile.qubo import OBJECTIVE, Qubo
from qubopuzzle.solvers.base import Option
from qubopuzzle.solvers.weighting import Rounds, Weighting, broken_by, options_of, weighted

_NARROW = 1.05
"""Ratio of bounds at which bisection stays with the upper one."""


def _first(qubo: Qubo) -> float:
    """The objective's mean coefficient."""
    if OBJECTIVE not in qubo.parts:
        return 1.0
    objective = qubo.parts[OBJECTIVE]
    return max(objective.magnitude() / max(objective.n_terms, 1), 1e-9)


def _tenfold(qubo: Qubo) -> Rounds:
    weight = _first(qubo)
    while True:
        sample = yield weighted(qubo, weight)
        weight *= 10 if broken_by(qubo, sample) else 1


def _families(qubo: Qubo) -> Rounds:
    weights = dict.fromkeys(qubo.parts, _first(qubo))
    while True:
        sample = yield weighted(qubo, weights)
        for family in broken_by(qubo, sample):
            weights[family] *= 2


def _bisection(qubo: Qubo) -> Rounds:
    low, high, weight = 0.0, 0.0, _first(qubo)
    while True:
        sample = yield weighted(qubo, weight)
        low, high = (weight, high) if broken_by(qubo, sample) else (low, weight)
        if not high:
            weight *= 2
        elif not low or high / low > _NARROW:
            weight = sqrt(low * high) if low else high / 2
        else:
            weight = high


LOOPS: Mapping[str, tuple[Callable[[Qubo], Rounds], str]] = {
    "families": (_families, "broken families weigh twice as much"),
    "tenfold": (_tenfold, "times ten until nothing is broken"),
    "bisection": (_bisection, "the least at which nothing is broken"),
}


class _Outer(Weighting):
    name = "outer-loop"
    about = "penalty weights by what the last run broke, over neal or tempering"
    options = options_of(
        1_000, Option("loop", str, "families", "how", choices={k: v[1] for k, v in LOOPS.items()})
    )

    def rounds(self, qubo: Qubo, options: Mapping[str, Any]) -> Rounds:
        loop, _ = LOOPS[options["loop"]]
        return loop(qubo)


SOLVER = _Outer()
