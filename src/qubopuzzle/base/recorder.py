"""States that a solver passes through, kept at a rate that somebody chooses."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import InputError

MOST_STATES = 1_000
"""States that are kept; from twice as many on every other one goes."""
_MOST_BYTES = 1 << 26
_FAR = 1 << 60


def evenly(n: int, most: int) -> list[int]:
    """Up to ``most`` of the numbers 0 .. n - 1, evenly, the first and the last among them.

    >>> evenly(9, 3), evenly(2, 5), evenly(0, 5)
    ([0, 4, 8], [0, 1], [])
    """
    return [*dict.fromkeys(np.linspace(0, n - 1, min(n, most)).astype(int).tolist())]


@dataclass(frozen=True, slots=True, eq=False)
class RecordedState:
    """One state on the way, as a solver records it.

    Attributes:
        judge: what decodes and judges it, see ``Track``.
        read: the number of the read.
        sweep: sweeps of the read before it.
        seconds: since the first state.
        beta: inverse temperature, in the solver's own units.
        energy: as the solver counts it; not a number where that is what broken constraints cost.
        sample: of the compiled model, shape (variables,).
        row_weight: penalty weight of each linear row now, (rows,), if weights change.
        bound: what no solution's energy can be below, as far as was proved then; or not a number.
    """

    judge: Any
    read: int
    sweep: int
    seconds: float
    beta: float
    energy: float
    sample: NDArray[np.int8]
    row_weight: NDArray[np.float32] | None
    bound: float


class Recorder:
    """Keeps states, from several threads; the fewer the more there are.

    Args:
        sweeps: every so many of them a state is kept; or
        per_second: so many states a second.

    Attributes:
        states: those that are kept, in the order of time.
    """

    def __init__(self, sweeps: int = 1, per_second: float | None = None) -> None:
        self.states: list[RecordedState] = []
        self._sweeps, self._interval_s = sweeps, 1 / per_second if per_second else 0
        self._began: float | None = None
        self._next_s = 0.0
        self._bytes = 0
        self._lock = threading.Lock()

    @classmethod
    def of(cls, given: Any) -> "Recorder | None":
        """One for a rate: ``N`` (sweeps), ``"N/s"`` or True; none for None and False.

        A recorder is returned as it is; InputError for anything else.

        >>> Recorder.of("50/s").by_clock, Recorder.of(10).until(25)
        (True, 30)
        """
        if given is None or given is False or isinstance(given, Recorder):
            return given or None
        text = str(given).strip()
        number, _, unit = text.partition("/")
        try:
            if given is True:
                return cls()
            if unit == "s" and 0 < float(number) < inf:
                return cls(per_second=float(number))
            if not unit and int(text) >= 1:
                return cls(int(text))
        except ValueError:
            pass
        expected = "expected a number of sweeps from 1, or states per second such as 50/s"
        raise InputError(f"trace: {expected}, got {brief(given)}")

    @property
    def by_clock(self) -> bool:
        """Whether states are kept by the clock, and not by sweeps."""
        return self._interval_s > 0

    def until(self, sweep: int) -> int:
        """The next sweep whose state is wanted, after this one; by the clock none is known."""
        return _FAR if self.by_clock else (sweep // self._sweeps + 1) * self._sweeps

    def seconds_left(self) -> float:
        """Until a state is wanted by the clock; 0 if it is."""
        return max(0.0, self._next_s - self._seconds())

    def is_due(self, sweep: int) -> bool:
        """Whether the state after so many sweeps of a read is wanted."""
        if self.by_clock:
            return sweep == 0 or self._seconds() >= self._next_s
        return sweep % self._sweeps == 0

    def _seconds(self) -> float:
        now = time.perf_counter()
        self._began = now if self._began is None else self._began
        return now - self._began

    def add(self, made: Callable[[float], RecordedState]) -> None:
        """Keep what is made of the seconds so far; from time to time every other state goes."""
        with self._lock:
            seconds = self._seconds()
            state = made(seconds)
            self._next_s = seconds + self._interval_s
            self.states.append(state)
            weights = 0 if state.row_weight is None else state.row_weight.nbytes
            self._bytes += state.sample.nbytes + weights
            if len(self.states) >= 2 * MOST_STATES or (
                self._bytes > _MOST_BYTES and len(self.states) > 2
            ):
                self.states, self._bytes = self.states[::2], self._bytes // 2
                self._sweeps *= 2
                self._interval_s *= 2


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """What a solver records the states of one model into.

    ``judge`` says what they are worth, see ``qubopuzzle.answer``. Reads are counted on
    from ``reads_before``, those of another model.
    """

    recorder: Recorder
    judge: Any
    reads_before: int = 0

    def record(
        self,
        read: int,
        sweep: int,
        beta: float,
        sample: NDArray[Any],
        row_weight: NDArray[Any] | None = None,
        energy: float = nan,
        bound: float = nan,
    ) -> None:
        """Keep a state; its arrays are copied. Arguments as in ``RecordedState``."""
        weights = None if row_weight is None else row_weight.astype(np.float32)
        worth = energy, sample.astype(np.int8), weights, bound
        number = self.reads_before + read
        self.recorder.add(lambda s: RecordedState(self.judge, number, sweep, s, beta, *worth))
