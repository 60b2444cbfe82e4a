"""Restarts over a portfolio of settings, in threads, within a budget.

What is annealed is a sequence of QUBOs: after every half sweep the penalty weight of each
constraint grows by ``increment`` where it is broken and decays towards its base. The
landscape fills up under a local minimum instead of the state climbing out of it. Energies
are always those of the unweighted model.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from qubopuzzle.annealing.form import AnnealingForm, annealing_form
from qubopuzzle.annealing.state import Setting, State
from qubopuzzle.checks import whole
from qubopuzzle.errors import InputError
from qubopuzzle.model import IntArray, Model

KEPT_READS = 100
"""Best reads that are kept."""

PORTFOLIO = (
    Setting(6, 0.15, 0.98, 0.97),
    Setting(10, 0.1, 0.99, 0.97),
    Setting(20, 0.1, 0.995, 0.97),
    Setting(20, 0.2, 0.98, 0.9),
)
"""Settings of successive restarts, in a cycle."""

_UPDATES_PER_SLICE = 200_000
_GLANCE_S = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """One restart: its best state as the place of each choice's value, and how it came about."""

    number: int
    value: IntArray
    energy: int
    sweeps: int
    setting: Setting


@dataclass(frozen=True, slots=True, eq=False)
class Annealed:
    """What ``anneal`` found: the best reads, lowest energy first, of ``n_reads``.

    ``interrupted`` says that Ctrl-C ended it; ``seed`` repeats it.
    """

    reads: tuple[Read, ...]
    n_reads: int
    interrupted: bool
    seed: int


def anneal(
    model: AnnealingForm | Model,
    *,
    seed: int | None = None,
    reads: int | None = None,
    time_limit: float | None = None,
    target_energy: int = 0,
    only_accepted: bool = False,
    accepts: Callable[[IntArray], bool] = lambda _: False,
    portfolio: Sequence[Setting] = PORTFOLIO,
    sweeps: int = 1000,
    initial_states: ArrayLike | None = None,
    threads: int = 1,
    interrupt_function: Callable[[], bool] = lambda: False,
    progress: Callable[[float, float], None] = lambda _reads, _energy: None,
) -> Annealed:
    """Restart until a read reaches the target or is accepted, or the budget is spent.

    Read i depends on the seed and i alone, and the reads that count are those up to the
    first that ends the search: the result does not depend on the number of threads, as
    long as no time limit cuts a read short.

    Args:
        model: what to anneal, or its form.
        seed: of everything random; drawn if None.
        reads: restarts at most; None for no bound.
        time_limit: seconds (wall clock); None for no bound.
        target_energy: an unweighted energy of at most this ends a read.
        only_accepted: such a read does not end the search unless ``accepts`` says so.
        accepts: whether a read's best state, as literals (literals,), ends the search; it
            is called from the threads. Without ``only_accepted`` the target does, too.
        portfolio: settings of successive reads, in a cycle.
        sweeps: sweeps of a read, times ``luby`` of its number.
        initial_states: where the first reads start, as places in each choice, shape
            (states, choices); the others start at random. Chains that they break start at
            their earliest places.
        threads: reads that run at the same time.
        interrupt_function: asked about 20 times a second; True ends the search.
        progress: called as often, with the reads done (with fractions) and the lowest
            energy so far.

    Raises:
        InputError: for initial states that do not exist, and numbers out of range.
    """
    form = annealing_form(model) if isinstance(model, Model) else model
    seed = secrets.randbits(31) if seed is None else seed
    most = inf if reads is None else whole("reads", reads, 1)
    sweeps, threads = whole("sweeps", sweeps, 1), whole("threads", threads, 1)
    ends = time_limit, target_energy, only_accepted, accepts
    search = _Search(form, seed, *ends, portfolio, sweeps)
    if initial_states is not None:
        search.starts = _checked(form, initial_states)
    running: set[Future[Read]] = set()
    kept: dict[int, Read] = {}
    begun, interrupted = 0, False

    def collect() -> None:
        """Move what has ended to ``kept``; an error in a thread is raised here."""
        for future in [future for future in running if future.done()]:
            read = future.result()
            kept[read.number] = read
            running.discard(future)
        for number in [*(n for n in kept if n > search.last), *_worst(kept)]:
            kept.pop(number, None)

    with ThreadPoolExecutor(threads) as pool:
        try:
            while True:
                bound = min(search.last + 1, most)
                while len(running) < threads and begun < bound and (begun == 0 or search.open()):
                    running.add(pool.submit(search.read, begun))
                    begun += 1
                if not running:
                    break
                wait(running, _GLANCE_S, FIRST_COMPLETED)
                collect()
                progress(begun - len(running) + search.done(), search.lowest)
                search.stopped = search.stopped or interrupt_function()
        except KeyboardInterrupt:
            interrupted = True
        finally:
            search.stopped = True
    collect()  # the pool has waited for the others
    best = sorted(kept.values(), key=_rank)
    return Annealed(tuple(best), int(min(begun, search.last + 1)), interrupted, seed)


def _checked(form: AnnealingForm, states: Any) -> IntArray:
    found = np.atleast_2d(np.asarray(states))
    sizes = form.model.sizes
    if found.dtype.kind not in "iu" or found.ndim != 2 or found.shape[1] != len(sizes):
        raise InputError(
            f"initial_states: expected whole numbers of shape (states, {len(sizes)}), "
            f"got {found.dtype} of shape {found.shape}"
        )
    if (found < 0).any() or (found >= sizes).any():
        raise InputError("initial_states: a place outside 0 .. the number of values - 1")
    return found.astype(np.int64)


def _rank(read: Read) -> tuple[int, int]:
    return read.energy, read.number


def _worst(kept: Mapping[int, Read]) -> list[int]:
    """The numbers of the reads beyond the best ``KEPT_READS``."""
    return [read.number for read in sorted(kept.values(), key=_rank)[KEPT_READS:]]


def luby(i: int) -> int:
    """1, 1, 2, 1, 1, 2, 4, 1, ...: lengths of restarts, from i = 1.

    Within a logarithmic factor as good as the best fixed length, which nobody knows
    beforehand: Luby, Sinclair and Zuckerman, "Optimal speedup of Las Vegas algorithms",
    Information Processing Letters 47 (1993).
    """
    while True:
        power = 1 << i.bit_length() - 1  # the largest that is at most i
        if i == 2 * power - 1:
            return power
        i -= power - 1


class _Search:
    """What the reads of a search share: ``last`` is the first read so far that ends it."""

    def __init__(
        self,
        form: AnnealingForm,
        seed: int,
        time_limit: float | None,
        target: int,
        only_accepted: bool,
        accepts: Callable[[IntArray], bool],
        portfolio: Sequence[Setting],
        sweeps: int,
    ) -> None:
        self.form, self.seed, self.target, self.accepts = form, seed, target, accepts
        self.only_accepted = only_accepted
        self.portfolio, self.sweeps = portfolio, sweeps
        self.ends = inf if time_limit is None else time.perf_counter() + time_limit
        self.starts: IntArray = np.zeros((0, len(form.model.choices)), dtype=np.int64)
        self.last, self.lowest, self.stopped = inf, inf, False
        self._fraction: dict[int, float] = {}
        self._lock = threading.Lock()

    def open(self) -> bool:
        """Whether there is time for another read."""
        return not self.stopped and time.perf_counter() < self.ends

    def done(self) -> float:
        """How much of the reads that run is done, in reads."""
        return sum(self._fraction.copy().values())

    def read(self, number: int) -> Read:
        """One read from start to end; short calls of the kernel, so that it can be stopped."""
        setting = self.portfolio[number % len(self.portfolio)]
        wanted = self.sweeps * luby(number + 1)
        rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence([self.seed, number])))
        state = State(self.form, rng)
        if number < len(self.starts):
            state.set_values(self.starts[number])
        else:
            state.scatter()
        step = max(1, _UPDATES_PER_SLICE // max(1, self.form.model.n_literals))
        done = redraws = 0
        while done < wanted and state.energy > self.target:
            redraws += state.run(min(step, wanted - done), setting, self.target)
            done = min(done + step, wanted)
            self._fraction[number] = done / wanted
            self.lowest = min(self.lowest, state.energy)
            if number > self.last or not self.open():
                break
        met = state.energy <= self.target and not self.only_accepted
        if met or self.accepts(self.form.literals(state.best)):
            with self._lock:
                self.last = min(self.last, number)
        self._fraction.pop(number, None)
        sweeps = -(-redraws // max(1, self.form.n_units))
        return Read(number, state.best.copy(), state.energy, sweeps, setting)
