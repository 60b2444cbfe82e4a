"""States that a solver passes through, kept at a rate that somebody chooses."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.checks import brief
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


@dataclass(frozen=True, slots=True)
class Rate:
    """How often a state is kept: every so many sweeps, or so many times a second.

    >>> Rate.of("50/s"), Rate.of(10)
    (Rate(sweeps=1, per_second=50.0), Rate(sweeps=10, per_second=None))
    """

    sweeps: int = 1
    per_second: float | None = None

    @classmethod
    def of(cls, given: Any) -> "Rate":
        """Read ``N`` (sweeps), ``"N/s"`` or True; InputError for anything else."""
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


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """One state on the way.

    Attributes:
        of: what it is a state of, see ``Track``.
        read: the number of the read.
        sweep: sweeps of the read before it.
        seconds: since the first state.
        beta: inverse temperature, in the solver's own units.
        energy: as the solver counts it; not a number where that is what broken constraints cost.
        x: values of the model's literals, shape (literals,).
        row_weight: penalty weight of each linear row now, (rows,), if weights change.
        bound: what no solution's energy can be below, as far as was proved then; or not a number.
    """

    of: Any
    read: int
    sweep: int
    seconds: float
    beta: float
    energy: float
    x: NDArray[np.int8]
    row_weight: NDArray[np.float32] | None
    bound: float


class Recorder:
    """Keeps states, from several threads; the fewer the more there are.

    Attributes:
        seen: the states that are kept.
    """

    def __init__(self, rate: Rate) -> None:
        self.seen: list[Seen] = []
        self._sweeps, self._interval_s = rate.sweeps, 1 / rate.per_second if rate.per_second else 0
        self._began: float | None = None
        self._next_s = 0.0
        self._bytes = 0
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        """All but the lock, for another process."""
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=threading.Lock())

    @property
    def by_clock(self) -> bool:
        """Whether states are kept by the clock, and not by sweeps."""
        return self._interval_s > 0

    @classmethod
    def of(cls, given: Any) -> "Recorder | None":
        """A recorder itself, one of a rate as ``Rate.of`` reads it, none for None and False."""
        if given is None or given is False or isinstance(given, Recorder):
            return given or None
        return cls(Rate.of(given))

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

    def add(self, seen: Callable[[float], Seen]) -> None:
        """Keep what is made of the seconds so far; from time to time every other state goes."""
        with self._lock:
            seconds = self._seconds()
            own = seen(seconds)
            self._next_s = seconds + self._interval_s
            self.seen.append(own)
            self._bytes += own.x.nbytes + (0 if own.row_weight is None else own.row_weight.nbytes)
            if len(self.seen) >= 2 * MOST_STATES or (
                self._bytes > _MOST_BYTES and len(self.seen) > 2
            ):
                self.seen, self._bytes = self.seen[::2], self._bytes // 2
                self._sweeps *= 2
                self._interval_s *= 2


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """A recorder for the states of one model; ``of`` says which.

    States that are recorded are brought to values of the model's literals by ``decode``. Reads
    are counted on from ``reads_before``, those of another model.
    """

    recorder: Recorder
    of: Any
    decode: Callable[[NDArray[Any]], NDArray[Any]] = np.asarray
    reads_before: int = 0

    def record(
        self,
        read: int,
        sweep: int,
        beta: float,
        x: NDArray[Any],
        row_weight: NDArray[Any] | None = None,
        energy: float = nan,
        bound: float = nan,
    ) -> None:
        """Keep a state, which ``decode`` takes; arguments as in ``Seen``."""
        weights = None if row_weight is None else row_weight.astype(np.float32)
        values = self.decode(x).astype(np.int8)
        worth = energy, values, weights, bound
        number = self.reads_before + read
        self.recorder.add(lambda s: Seen(self.of, number, sweep, s, beta, *worth))
