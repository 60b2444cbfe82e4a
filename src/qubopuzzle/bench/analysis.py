"""What a comparison says over all instances: pairs, shared cores.

A run that failed is never dropped: it counts twice the limit (PAR-2).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from math import exp, inf, log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from qubopuzzle.bench.comparison import Comparison
from qubopuzzle.bench.statistics import CONFIDENCE, RESAMPLES, Interval

_ALL_PAIRS = 6
"""Configurations up to which every pair is compared; of more, each with the best."""
_LEAST_S = 1e-6


@dataclass(frozen=True, slots=True)
class Pair:
    """Two configurations on the instances that both ran on.

    Attributes:
        ratio: geometric mean of the first one's seconds (mean PAR-2 of an instance) over the
            second one's, with a bootstrap interval over instances; below 1 the first is faster.
        faster: share of instances on which the first is faster, ties half, with its interval.
    """

    first: str
    second: str
    instances: int
    ratio: float
    ratio_interval: Interval
    faster: float
    faster_interval: Interval


def scores(comparison: Comparison) -> tuple[list[str], list[str], NDArray[np.float64]]:
    """Digests of instances, names of configurations, and mean PAR-2 seconds of each.

    The array has shape (instances, configurations) and is nan where nothing ran.
    """
    digests = [each.digest for each in comparison.instances]
    names = [each.name for each in comparison.configurations]
    found = np.full((len(digests), len(names)), np.nan)
    row, column = ({name: i for i, name in enumerate(each)} for each in (digests, names))
    for s in comparison.summaries():
        found[row[s.digest], column[s.configuration]] = max(s.par2_s, _LEAST_S)
    return digests, names, found


def pairs(comparison: Comparison) -> list[Pair]:
    """All pairs, or each configuration against the best one where there are many."""
    _, names, score = scores(comparison)
    known = [i for i in range(len(names)) if not np.isnan(score[:, i]).all()]
    if len(known) > _ALL_PAIRS:
        best = min(known, key=lambda i: float(np.nanmean(score[:, i])))
        chosen = [(best, other) for other in known if other != best]
    else:
        chosen = list(combinations(known, 2))
    found = []
    for i, j in chosen:
        both = score[~np.isnan(score[:, i] + score[:, j])]
        if len(both):
            found.append(_pair(names[i], names[j], np.log(both[:, i] / both[:, j])))
    return found


def _pair(first: str, second: str, logs: NDArray[np.float64]) -> Pair:
    wins = (logs < 0) + 0.5 * (logs == 0)
    low, high = _mean_interval(logs)
    return Pair(
        first,
        second,
        len(logs),
        exp(float(logs.mean())),
        (exp(low), exp(high)),
        float(wins.mean()),
        _mean_interval(wins),
    )


def _mean_interval(values: NDArray[np.float64]) -> Interval:
    """Percentile bootstrap of a mean; unbounded for a single value."""
    if len(values) < 2:
        return -inf, 700.0
    found = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=RESAMPLES,
        confidence_level=CONFIDENCE,
        method="percentile",
        vectorized=True,
        rng=np.random.default_rng(0),
    ).confidence_interval
    return float(found.low), float(found.high)


def shared_cores(rows: Iterable[Mapping[str, Any]]) -> int:
    """How many runs had, at some time, more runs on their machine than it has cores."""
    by_host: dict[str, list[tuple[float, float, int]]] = {}
    for row in rows:
        about = row.get("machine", {})
        if "started" in row and about:
            began = datetime.fromisoformat(row["started"]).timestamp()
            span = began, began + row["wall_s"], about["cores"]
            by_host.setdefault(about["host"], []).append(span)
    return sum(map(_crowded, by_host.values()))


def _crowded(spans: Sequence[tuple[float, float, int]]) -> int:
    """How many of the spans of one machine lie, in part, where there are more than its cores."""
    # An end comes before a beginning at the same moment.
    events = sorted(
        [(began, 1, i) for i, (began, _, _) in enumerate(spans)]
        + [(ended, 0, i) for i, (_, ended, _) in enumerate(spans)]
    )
    running: set[int] = set()
    crowded: set[int] = set()
    for _, begins, i in events:
        (running.add if begins else running.discard)(i)
        if len(running) > spans[i][2]:
            crowded |= running
    return len(crowded)


def seconds_words(value: float) -> str:
    """Seconds with three digits.

    >>> seconds_words(0.01234), seconds_words(123.4), seconds_words(inf)
    ('0.0123', '123', '∞')
    """
    return "∞" if value == inf else f"{value:.3g}" if abs(log(value or 1)) < 9 else f"{value:.2e}"
