"""Independent reads in threads, until one of them ends the search or the budget is spent.

What a read finds depends on the seed and its number alone, and the reads that count are
those up to the first that ends the search. So the result does not depend on the number of
threads, as long as neither the clock nor Ctrl-C cuts a read short.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from math import inf

import numpy as np

from qubopuzzle.base.signals import defer_interrupt

CALLBACK_INTERVAL_S = 0.05
MOST_KEPT = 1000
_KEPT_VALUES = 1 << 26


def kept_samples(n_variables: int) -> int:
    """How many samples are kept, the best ones: ``MOST_KEPT``, or as many as 64 MB hold."""
    return max(1, min(MOST_KEPT, _KEPT_VALUES // max(1, n_variables)))


def generator(seed: int, number: int) -> np.random.Generator:
    """The random numbers of one read."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, number])))


class Reads:
    """What the reads of one search share.

    Args:
        deadline: when they stop, by ``time.perf_counter``.
        interrupt: asked about 20 times a second; True stops them.
        progress: called as often, with the number of reads done (fractions of those that
            run included) and the lowest energy so far.

    Attributes:
        last: number of the first read so far that ends the search; infinite before.
        done: reads that are finished.
        stopped: whether ``interrupt`` or Ctrl-C stopped them; ``interrupted``: Ctrl-C did.
        timed_out: whether the deadline stopped them.
        lock: for what else the reads share.
    """

    def __init__(
        self,
        deadline: float = inf,
        interrupt: Callable[[], bool] | None = None,
        progress: Callable[[float, float], None] | None = None,
    ) -> None:
        self._deadline, self._interrupt, self._progress = deadline, interrupt, progress
        self._fractions: dict[int, float] = {}
        self.last = self.lowest = inf
        self.done = 0
        self.stopped = self.interrupted = self.timed_out = False
        self.lock = threading.Lock()

    def seconds_left(self) -> float:
        """Until the deadline; infinite without one."""
        return self._deadline - time.perf_counter()

    def open(self) -> bool:
        """Whether there is time for more."""
        if time.perf_counter() >= self._deadline:
            self.timed_out = True
        return not (self.stopped or self.timed_out)

    def note(self, number: int, fraction: float, energy: float) -> bool:
        """To be called often in a read: how far it is; returns whether it is to go on."""
        with self.lock:
            self._fractions[number] = min(fraction, 1.0)
            self.lowest = min(self.lowest, energy)
        return self.open() and number <= self.last

    def end(self, number: int, *, search: bool) -> None:
        """A read is finished; ``search`` says that the search ends with it."""
        with self.lock:
            self._fractions.pop(number, None)
            self.done += 1
            if search:
                self.last = min(self.last, number)

    def run(self, read: Callable[[int], object], reads: int | None, threads: int) -> int:
        """Call ``read`` with 0, 1, 2, ... from threads; returns how many calls count.

        The first is called even if there is no time left. Callbacks are called from the
        caller's thread, and errors of theirs and of reads are raised there. Ctrl-C waits for
        what runs, which ``note`` ends, and is only kept in ``interrupted``.
        """
        running: set[Future[object]] = set()
        begun = 0
        with ThreadPoolExecutor(threads) as pool:
            try:
                while True:
                    bound = min(self.last + 1, inf if reads is None else reads)
                    with defer_interrupt():  # an exception amid locks would leave them locked
                        while (
                            len(running) < threads and begun < bound and (not begun or self.open())
                        ):
                            running.add(pool.submit(read, begun))
                            begun += 1
                        ended, running = wait(running, CALLBACK_INTERVAL_S, FIRST_COMPLETED)
                    if not (ended or running):
                        break
                    for future in ended:
                        future.result()
                    self._call_back()
            except KeyboardInterrupt:
                self.stopped = self.interrupted = True
            except BaseException:
                self.stopped = True
                raise
        for future in running:  # those that were cut short
            future.result()
        return int(min(begun, self.last + 1))

    def _call_back(self) -> None:
        if self._progress is not None:
            with self.lock:
                done = self.done + sum(self._fractions.values())
            self._progress(done, self.lowest)
        if self._interrupt is not None and not self.stopped and self._interrupt():
            self.stopped = True
