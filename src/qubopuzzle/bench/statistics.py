"""What many runs come to: success, time to solution, PAR-2; intervals are of 95 percent.

Runs of one configuration are two arrays of shape (runs,): ``seconds`` spent in a run, solved or
not, and ``solved``, 1 (or True) for a run that solved.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, log
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

CONFIDENCE = 0.95
RESAMPLES = 9_999
Interval = tuple[float, float]
_LEAST_S = 1e-9
_RULE_OF_THREE = 3.0
"""-ln(0.05): no event in n trials leaves a rate of 3/n possible, at 95 percent."""


@dataclass(frozen=True, slots=True)
class TimeToSolution:
    """Seconds after which a solution is as sure as was asked, with a 95 percent interval.

    ``at_least`` says that no run solved: ``seconds`` is then a lower bound and ``high`` is
    infinite. ``low`` and ``high`` are None for a single run, which has no interval.
    """

    seconds: float
    low: float | None = None
    high: float | None = None
    at_least: bool = False

    def __str__(self) -> str:
        if self.at_least:
            return f"> {self.seconds:.3g}"
        if self.low is None or self.high is None:
            return f"{self.seconds:.3g}"
        return f"{self.seconds:.3g} ({self.low:.2g} to {self.high:.2g})"


def tts(seconds: ArrayLike, solved: ArrayLike, quantile: float = 0.99) -> TimeToSolution:
    """TTS(q) = ln(1 / (1 - q)) * all the time spent / number of runs that solved.

    The estimate for independent restarts whose runs may be cut off at any moment: solutions
    then come at a constant rate, and the maximum likelihood of that rate is solved runs by
    time. For runs of one length and a small success rate p it is t ln(1 - q) / ln(1 - p) of
    Ronnow et al., "Defining and detecting quantum speedup", Science 345, 420 (2014). It
    overstates where nearly every run solves in about the same time. The interval is a bootstrap
    of the rate over the runs. Without a solved run the
    bound is that of a rate that leaves a 5 percent chance of what was seen: time / 3.

    >>> str(tts([1.0, 1.0], [0, 0]))
    '> 3.07'

    Raises:
        ValueError: for no run at all.
    """
    spent, won = _runs(seconds, solved)
    spent = np.maximum(spent, _LEAST_S)
    factor = -log(1 - quantile)
    if not won.any():
        bound = factor * float(spent.sum()) / _RULE_OF_THREE
        return TimeToSolution(bound, bound, inf, at_least=True)
    estimate = factor * float(spent.sum() / won.sum())
    if len(spent) < 2:
        return TimeToSolution(estimate)
    # The rate has no infinite resamples, as the time would: no solved run, rate 0.
    slowest, fastest = bootstrap(
        lambda won, spent, axis: won.sum(axis=axis) / spent.sum(axis=axis), won, spent
    )
    low, high = (float(factor / rate) if rate > 0 else inf for rate in (fastest, slowest))
    return TimeToSolution(estimate, low, high)


def bootstrap(statistic: Callable[..., Any], *values: NDArray[np.float64]) -> Interval:
    """SciPy's percentile bootstrap, with a fixed seed, of samples that are drawn together.

    Args:
        statistic: of samples of any shape along an ``axis``.
        values: shape (n,) each, n at least 2.
    """
    interval = stats.bootstrap(
        values,
        statistic,
        n_resamples=RESAMPLES,
        paired=True,
        vectorized=True,
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval
    return float(interval.low), float(interval.high)


def wilson(solved: int, runs: int) -> Interval:
    """Wilson's score interval of a success rate; 0 to 1 without a run.

    >>> [round(end, 3) for end in wilson(9, 10)]
    [0.596, 0.982]
    """
    if not runs:
        return 0.0, 1.0
    interval = stats.binomtest(solved, runs).proportion_ci(CONFIDENCE, method="wilson")
    return float(interval.low), float(interval.high)


def par2(seconds: ArrayLike, solved: ArrayLike, limit: float) -> float:
    """Mean PAR-2 score in seconds: a run that failed counts twice the limit.

    "Penalized average runtime" as in the SAT competitions, per run instead of summed, so
    that it does not grow with the number of seeds.

    >>> par2([1.0, 10.0], [1, 0], limit=10)
    10.5

    Raises:
        ValueError: for no run at all.
    """
    spent, won = _runs(seconds, solved)
    return float(np.where(won > 0, spent, 2 * limit).mean())


def _runs(seconds: Any, solved: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    spent, won = np.asarray(seconds, dtype=float), np.asarray(solved, dtype=float)
    if spent.ndim != 1 or spent.shape != won.shape or not spent.size:
        raise ValueError(f"expected (runs,) twice, got {spent.shape} and {won.shape}")
    return spent, won
