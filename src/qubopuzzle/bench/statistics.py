"""What many runs come to: time to solution, PAR-2.

Every function takes the runs of one solver as two arrays of shape (runs,): ``seconds`` spent
in a run, solved or not, and ``solved``, 1 (or True) for a run that solved.
"""

from dataclasses import dataclass
from math import inf, log
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

CONFIDENCE = 0.95
_RESAMPLES = 9_999
_RULE_OF_THREE = 3.0
"""-ln(0.05): no event in n trials leaves a rate of 3/n possible, at 95 percent."""


@dataclass(frozen=True, slots=True)
class TimeToSolution:
    """Seconds after which a solution is 99 percent sure, with a 95 percent interval.

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


def tts(seconds: ArrayLike, solved: ArrayLike) -> TimeToSolution:
    """TTS(99%) = ln(100) * all the time spent / number of runs that solved.

    The estimate for independent restarts whose runs may be cut off at any moment: solutions
    then come at a constant rate, and the maximum likelihood of that rate is solved runs by
    time. For runs of one length and a small success rate p it is t ln(0.01) / ln(1 - p) of
    Ronnow et al., "Defining and detecting quantum speedup", Science 345, 420 (2014). It
    overstates where nearly every run solves in about the same time. The interval is a
    percentile bootstrap over the runs, with a fixed seed. Without a solved run the bound is
    that of a rate that leaves a 5 percent chance of what was seen: time / 3.

    >>> str(tts([1.0, 1.0], [0, 0]))
    '> 3.07'

    Raises:
        ValueError: for no run at all.
    """
    spent, won = _runs(seconds, solved)
    if not won.any():
        bound = log(100) * float(spent.sum()) / _RULE_OF_THREE
        return TimeToSolution(bound, bound, inf, at_least=True)
    estimate = log(100) * float(spent.sum() / won.sum())
    if len(spent) < 2:
        return TimeToSolution(estimate)
    rng = np.random.default_rng(0)
    n = len(spent)
    times_drawn = rng.multinomial(n, np.full(n, 1 / n), size=_RESAMPLES)
    solved_drawn = times_drawn @ won
    # A resample without a solved run is infinite.
    resampled = np.full(_RESAMPLES, inf)
    np.divide(log(100) * (times_drawn @ spent), solved_drawn, resampled, where=solved_drawn > 0)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(resampled, [tail, 1 - tail], method="inverted_cdf").tolist()
    return TimeToSolution(estimate, low, high)


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
