"""The results of a comparison, without saying how they are shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby

from qubopuzzle.bench.configurations import Configuration
from qubopuzzle.bench.contradictions import Contradiction, contradictions
from qubopuzzle.bench.objectives import Target, targets
from qubopuzzle.bench.plan import Instance
from qubopuzzle.bench.summary import Row, Summary, Total

INTERRUPTED = "interrupted"
"""Why not all is done, after Ctrl-C."""


@dataclass(frozen=True)
class ComparisonData:
    """What a ``Comparison`` holds and counts, for tables and pictures; see there."""

    instances: Sequence[Instance]
    configurations: Sequence[Configuration]
    rows: list[Row]
    planned: Mapping[str, int]
    left_out: Mapping[str, str] = field(default_factory=dict)
    resumed: int = 0
    stopped: str = ""
    lost: Sequence[str] = ()

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C broke it off."""
        return self.stopped == INTERRUPTED

    @property
    def complete(self) -> bool:
        """Whether every planned run has its row."""
        return len(self.rows) == sum(self.planned.values())

    @cached_property
    def contradictions(self) -> list[Contradiction]:
        """Claims that contradict each other: a bug in something. Hopefully empty."""
        return contradictions(self.instances, self.rows)

    @cached_property
    def targets(self) -> Mapping[str, Target]:
        """What is known of the instances with an objective, by digest."""
        return targets(self.instances, self.rows)

    def summaries(self) -> list[Summary]:
        """One for each instance and configuration that ran, in the order of the rows."""
        return self._summaries

    @cached_property
    def _summaries(self) -> list[Summary]:
        by_name = {each.name: each for each in self.configurations}
        groups = groupby(self.rows, key=lambda row: (row["digest"], row["configuration"]))
        n = len(self.instances)
        return [
            Summary(by_name[name], list(rows), self.planned[name] // n, self.targets)
            for (_, name), rows in groups
        ]

    def totals(self) -> list[Total]:
        """One a configuration, in the order of the plan."""
        by_name: dict[str, list[Row]] = {each.name: [] for each in self.configurations}
        for row in self.rows:
            by_name[row["configuration"]].append(row)
        return [
            Total(each, by_name[each.name], self.planned[each.name], self.targets)
            for each in self.configurations
        ]
