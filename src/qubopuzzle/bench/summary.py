"""What the runs of one configuration come to: on one instance, and on all of them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from statistics import fmean, median
from typing import Any

from qubopuzzle.bench.configurations import Configuration
from qubopuzzle.bench.objectives import CLOSE, Target, objective_of
from qubopuzzle.bench.statistics import Interval, TimeToSolution, par2, tts, wilson

Row = dict[str, Any]
"""A run, fit for JSON; see ``docs/comparing.md`` for the keys."""


@dataclass(frozen=True)
class Total:
    """The runs of one configuration.

    A run **reaches** its aim if it solves in time or, where there is an objective, comes to the
    best one that is known.

    Attributes:
        setup: the configuration.
        rows: its runs so far.
        planned: how many there are to be.
        targets: what is known of instances with an objective, by digest.
    """

    setup: Configuration
    rows: Sequence[Row]
    planned: int
    targets: Mapping[str, Target]

    @property
    def configuration(self) -> str:
        """Its name."""
        return self.setup.name

    @property
    def runs(self) -> int:
        """How many there are."""
        return len(self.rows)

    @property
    def solved(self) -> int:
        """How many solved in time."""
        return sum(row["solved"] for row in self.rows)

    @property
    def success(self) -> float:
        """Share of the runs that solved, 0 to 1; 0 without a run."""
        return self.solved / self.runs if self.runs else 0.0

    @property
    def success_interval(self) -> Interval:
        """Wilson's, 95 percent; 0 to 1 without a run."""
        return wilson(self.solved, self.runs)

    @property
    def spent_s(self) -> float:
        """Seconds of all runs."""
        return sum((row["seconds"] or 0.0 for row in self.rows), start=0.0)

    @cached_property
    def ends(self) -> Sequence[tuple[float, bool]]:
        """Of each run, the seconds until it reached its aim, or all, and whether it did."""
        return [self._end(row) for row in self.rows]

    def _end(self, row: Row) -> tuple[float, bool]:
        target = self.targets.get(row["digest"])
        return (row["seconds"] or 0.0, row["solved"]) if target is None else target.reached(row)

    @property
    def reached(self) -> int:
        """How many runs reached their aim."""
        return sum(reached for _, reached in self.ends)

    @cached_property
    def par2_s(self) -> float:
        """Mean over the runs of the seconds to the aim; nan without a run."""
        if not self.rows:
            return float("nan")
        seconds, reached = zip(*self.ends, strict=True)
        return par2(seconds, reached, self.setup.time_limit)

    @cached_property
    def valued(self) -> Sequence[Row]:
        """The runs on instances with an objective."""
        return [row for row in self.rows if row["digest"] in self.targets]

    @property
    def at_best_known(self) -> int:
        """How many of these reached the best known objective."""
        return sum(self._end(row)[1] for row in self.valued)

    @property
    def optimal(self) -> int:
        """How many of these proved that nothing is better than their answer."""
        return sum(bool(row.get("optimal")) for row in self.valued)

    @cached_property
    def gaps(self) -> Sequence[float]:
        """Of each of these to the best known, relative; infinite without a valid answer."""
        return [self.targets[row["digest"]].gap(objective_of(row)) for row in self.valued]

    @property
    def primal_integral_s(self) -> float | None:
        """Its mean over these, up to the time limit; None without any."""
        limit = self.setup.time_limit
        each = [self.targets[row["digest"]].primal_integral(row, limit) for row in self.valued]
        return fmean(each) if each else None

    @property
    def mean_gap(self) -> float | None:
        """Of those with a valid answer; None without any."""
        gaps = zip(self.gaps, self.valued, strict=True)
        valid = [gap for gap, row in gaps if objective_of(row) is not None]
        return fmean(valid) if valid else None


@dataclass(frozen=True)
class Summary(Total):
    """The runs of one configuration on one instance, one at least."""

    @property
    def instance(self) -> str:
        """Its name."""
        return str(self.rows[0]["instance"])

    @property
    def digest(self) -> str:
        """Its digest."""
        return str(self.rows[0]["digest"])

    @property
    def cells(self) -> int:
        """Its size."""
        return int(self.rows[0]["cells"])

    @property
    def target(self) -> Target:
        """What is known of its objective."""
        return self.targets.get(self.digest, Target(maximize=False))

    @property
    def statuses(self) -> Mapping[str, int]:
        """How many runs ended how, the most frequent first."""
        return dict(Counter(row["status"] for row in self.rows).most_common())

    @property
    def sizes(self) -> Mapping[str, int]:
        """Numbers of the compiled model; empty if no run came so far."""
        return next((row["sizes"] for row in self.rows if row.get("sizes")), {})

    @property
    def build_s(self) -> float | None:
        """Median seconds of the runs that built; None without any."""
        built = [row["build_s"] for row in self.rows if "build_s" in row]
        return median(built) if built else None

    @property
    def solve_s(self) -> float:
        """Median seconds of solving; a run that failed counts as infinite."""
        return median(row["solve_s"] if row["solved"] else inf for row in self.rows)

    @property
    def seconds(self) -> float:
        """Median seconds to the aim, infinite if the median run failed."""
        return _median(self.ends)

    @property
    def attempts(self) -> Sequence[tuple[float, bool]]:
        """``ends`` of the runs of a heuristic, without those that were refused.

        Nothing for an exact solver, whose run is no attempt.
        """
        ends = zip(self.ends, self.rows, strict=True)
        return [] if self.setup.exact else [end for end, row in ends if row["seconds"] is not None]

    @cached_property
    def tts50(self) -> TimeToSolution | None:
        """Time after which a solution is 50 percent sure; None without an attempt."""
        return self._tts(0.5)

    @cached_property
    def tts99(self) -> TimeToSolution | None:
        """The same for 99 percent."""
        return self._tts(0.99)

    def _tts(self, quantile: float) -> TimeToSolution | None:
        if not self.attempts:
            return None
        seconds, reached = zip(*self.attempts, strict=True)
        return tts(seconds, reached, quantile)

    @property
    def values(self) -> Sequence[float]:
        """Objectives of the valid answers."""
        return [value for row in self.valued if (value := objective_of(row)) is not None]

    @property
    def best(self) -> float | None:
        """The best of ``values``."""
        best_of = max if self.target.maximize else min
        return best_of(self.values, default=None)

    @property
    def mean(self) -> float | None:
        """The mean of ``values``."""
        return fmean(self.values) if self.values else None

    @property
    def close(self) -> Mapping[float, tuple[int, float]]:
        """By gap, see ``CLOSE``, how many runs came as close, and the median seconds until then.

        A run that did not counts as infinite. Nothing without an objective.
        """
        result = {}
        for within in CLOSE if self.valued else ():
            ends = [self.target.reached(row, within) for row in self.rows]
            result[within] = sum(reached for _, reached in ends), _median(ends)
        return result


def _median(ends: Sequence[tuple[float, bool]]) -> float:
    return median(seconds if reached else inf for seconds, reached in ends)
