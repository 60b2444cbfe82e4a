"""What a comparison says over all instances: pairs, the virtual best, growth, shared cores.

A run that failed is never dropped: it counts twice the limit (PAR-2) where means are taken, and
as "longer than the limit" (censored) where growth is fitted.
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

from qubopuzzle.bench.comparison import Comparison, Summary
from qubopuzzle.bench.statistics import CONFIDENCE, RESAMPLES, Interval

_ALL_PAIRS = 6
"""Configurations up to which every pair is compared; of more, each with the best."""
_GROWTH_RESAMPLES = 999
_STEPS = 200
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


@dataclass(frozen=True, slots=True)
class Best:
    """A configuration beside the virtual best, which takes the best of all on each instance.

    Attributes:
        best: number of instances on which none is faster.
        solved: instances of which at least half of the runs were solved.
        par2_s: mean over instances.
        ratio: ``par2_s`` over that of the virtual best.
    """

    configuration: str
    instances: int
    best: int
    solved: int
    par2_s: float
    ratio: float


@dataclass(frozen=True, slots=True)
class Growth:
    """seconds = factor * cells ** exponent, fitted to the medians of instances.

    ``censored`` of the ``points`` are instances whose median run failed, which took longer than
    the limit. The interval is a bootstrap over instances.
    """

    configuration: str
    points: int
    censored: int
    factor: float
    exponent: float
    exponent_interval: Interval


VIRTUAL_BEST = "virtual best"


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


def virtual_best(comparison: Comparison) -> list[Best]:
    """Of each configuration that ran on all instances, and of the virtual best, which is last."""
    digests, names, score = scores(comparison)
    half = {(s.digest, s.configuration): 2 * s.reached >= s.runs for s in comparison.summaries()}
    if not len(score) or np.isnan(score).all(axis=1).any():
        return []
    least = np.nanmin(score, axis=1)
    mean = float(least.mean())
    found = []
    for i, name in enumerate(names):
        own = score[:, i]
        if np.isnan(own).any():
            continue
        solved = sum(half[digest, name] for digest in digests)
        par2 = float(own.mean())
        counts = len(digests), int((own <= least).sum()), solved
        found.append(Best(name, *counts, par2, par2 / mean))
    solved = sum(any(half.get((digest, name), False) for name in names) for digest in digests)
    return [*found, Best(VIRTUAL_BEST, len(digests), len(digests), solved, mean, 1.0)]


def growths(comparison: Comparison) -> list[Growth]:
    """Of each configuration with three sizes at least, and three medians below the limit."""
    by_name: dict[str, list[Summary]] = {}
    for s in comparison.summaries():
        by_name.setdefault(s.configuration, []).append(s)
    return [found for name, own in by_name.items() if (found := _growth(name, own)) is not None]


def _growth(name: str, summaries: Sequence[Summary]) -> Growth | None:
    x = np.log([s.cells for s in summaries])
    failed = np.array([s.seconds == inf for s in summaries])
    y = np.log([s.time_limit if s.seconds == inf else max(s.seconds, _LEAST_S) for s in summaries])
    if len(set(x[~failed].tolist())) < 3 or len(set(x.tolist())) < 3:
        return None
    ones = np.ones((1, len(x)))
    intercept, slope = censored_line(x, y, failed, ones)
    rng = np.random.default_rng(0)
    draws = rng.multinomial(len(x), np.full(len(x), 1 / len(x)), size=_GROWTH_RESAMPLES)
    _, slopes = censored_line(x, y, failed, draws.astype(float))
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(slopes[np.isfinite(slopes)], [tail, 1 - tail]).tolist()
    counts = len(x), int(failed.sum())
    return Growth(name, *counts, exp(float(intercept[0])), float(slope[0]), (low, high))


def censored_line(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    censored: NDArray[np.bool_],
    weights: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Intercepts and slopes, each (fits,), of a line with normal errors; censored y are more.

    The maximum likelihood by expectation and maximization, as in Aitkin, "A note on the
    regression analysis of censored data", Technometrics 23, 161 (1981).

    >>> x = np.arange(4.0)
    >>> intercept, slope = censored_line(x, 1 + 2 * x, x > 9, np.ones((1, 4)))
    >>> round(float(intercept[0]), 6), round(float(slope[0]), 6)
    (1.0, 2.0)

    Args:
        x, y: shape (points,); of a censored point y is what it exceeds.
        censored: shape (points,).
        weights: shape (fits, points): how often each point is drawn.
    """
    expected = np.broadcast_to(y, weights.shape).copy()
    extra = np.zeros_like(expected)  # the variance of what is not seen
    total = weights.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        for _ in range(_STEPS if censored.any() else 1):
            mx, my = (weights * x).sum(1) / total, (weights * expected).sum(1) / total
            dx = x - mx[:, None]
            slope = (weights * dx * expected).sum(1) / (weights * dx**2).sum(1)
            line = my[:, None] + slope[:, None] * dx
            squares = (weights * ((expected - line) ** 2 + extra)).sum(1) / total
            sigma = np.sqrt(np.maximum(squares, 1e-12))[:, None]
            z = (y - line) / sigma
            hazard = np.exp(stats.norm.logpdf(z) - stats.norm.logsf(z))
            expected = np.where(censored, line + sigma * hazard, y)
            extra = np.where(censored, sigma**2 * np.maximum(1 + z * hazard - hazard**2, 0), 0.0)
    return my - slope * mx, slope


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
