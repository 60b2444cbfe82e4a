"""The best answer of a run, over time."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any


@dataclass(frozen=True, slots=True)
class Incumbent:
    """The best answer at some moment, and what is proved by then.

    Attributes:
        seconds: from the beginning; a solver that reports it says ``time.perf_counter()``.
        value: the objective; None without one, and without an answer.
        bound: what no solution's objective can be better than; None where nothing is proved.
        feasible: whether it breaks nothing.
    """

    seconds: float
    value: float | None
    bound: float | None = None
    feasible: bool = True

    def to_dict(self) -> dict[str, Any]:
        """For JSON.

        >>> Incumbent(0.25, 7.0).to_dict()
        {'seconds': 0.25, 'value': 7.0, 'bound': None, 'feasible': True}
        """
        return {
            "seconds": round(self.seconds, 6),
            "value": self.value,
            "bound": self.bound,
            "feasible": self.feasible,
        }


class Incumbents(Sequence[Incumbent]):
    """Feasible answers as a solver comes upon them, each better than the last; minimised.

    >>> better = Incumbents()
    >>> for value in (5.0, 7.0, 3.0):
    ...     better.note(value)
    >>> [each.value for each in better]
    [5.0, 3.0]
    """

    def __init__(self) -> None:
        self._noted: list[Incumbent] = []

    @property
    def best(self) -> float:
        """The least objective so far; infinite without any."""
        value = self._noted[-1].value if self._noted else None
        return inf if value is None else value

    def note(self, value: float, bound: float = -inf) -> None:
        """Keep an objective and the moment, if it is better than all before it."""
        if value < self.best:
            proved = bound if isfinite(bound) else None
            self._noted.append(Incumbent(time.perf_counter(), value, proved))

    def __len__(self) -> int:
        return len(self._noted)

    def __getitem__(self, place: Any) -> Any:
        return self._noted[place]
