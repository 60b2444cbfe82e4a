"""Configurations two by two, over the instances that both ran on: how much faster, how sure."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp
from statistics import fmean

import numpy as np

from qubopuzzle.bench.results import ComparisonData
from qubopuzzle.bench.statistics import Interval, bootstrap

_ALL_PAIRS = 6
"""Configurations up to which every pair is compared; of more, each with the best."""
_LEAST_S = 1e-6


@dataclass(frozen=True, slots=True)
class Pair:
    """Two configurations on the instances that both ran on.

    Attributes:
        ratio: geometric mean of the first one's seconds (mean PAR-2 of an instance) over the
            second one's; below 1 the first is faster.
        faster: share of instances on which the first is faster, ties half.
        ratio_interval, faster_interval: bootstraps over instances; None for a single one.
    """

    first: str
    second: str
    instances: int
    ratio: float
    faster: float
    ratio_interval: Interval | None = None
    faster_interval: Interval | None = None


def pairs(comparison: ComparisonData) -> list[Pair]:
    """All pairs, or each configuration against the best one where there are many.

    A run that failed is never dropped: it counts twice the limit (PAR-2).
    """
    scores: dict[str, dict[str, float]] = {each.name: {} for each in comparison.configurations}
    for s in comparison.summaries():
        scores[s.configuration][s.digest] = max(s.par2_s, _LEAST_S)
    scores = {name: of_name for name, of_name in scores.items() if of_name}
    chosen = list(combinations(scores, 2))
    if len(scores) > _ALL_PAIRS:
        best = min(scores, key=lambda name: fmean(scores[name].values()))
        chosen = [(best, other) for other in scores if other != best]
    result = []
    for first, second in chosen:
        other = scores[second]
        ratios = [s / other[digest] for digest, s in scores[first].items() if digest in other]
        if ratios:
            result.append(_pair(first, second, ratios))
    return result


def _pair(first: str, second: str, ratios: Sequence[float]) -> Pair:
    logs = np.log(ratios)
    wins = (logs < 0) + 0.5 * (logs == 0)
    means = exp(float(logs.mean())), float(wins.mean())
    if len(ratios) < 2:
        return Pair(first, second, len(ratios), *means)
    low, high = bootstrap(np.mean, logs)
    return Pair(first, second, len(ratios), *means, (exp(low), exp(high)), bootstrap(np.mean, wins))
