"""The dimod surface: ``OneHotTemperingSampler``."""

import inspect
import secrets
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite
from typing import Any

import dimod
import numpy as np
from dimod.core.initialized import Initialized
from dimod.core.sampler import Sampler
from numpy.typing import NDArray

from qubopuzzle.base.checks import brief, number, whole
from qubopuzzle.base.reads import Reads, generator
from qubopuzzle.base.recorder import Track
from qubopuzzle.base.signals import defer_interrupt
from qubopuzzle.errors import InputError
from qubopuzzle.tempering.form import TemperingForm, tempering_form
from qubopuzzle.tempering.kernels import FloatArray
from qubopuzzle.tempering.ladder import (
    MAX_REPLICAS,
    default_beta_range,
    equalize_acceptance,
    geometric,
)
from qubopuzzle.tempering.replicas import Replicas, compile_kernels

_FIRST_REPLICAS = 10
_BURN_IN = 0.25
_MOST_BURN_IN = 2000
_FIRST_STAGE = 16
_MIN_CHANGE = 0.2
"""The hot end is too cold where a sweep changes less than this share of what it could."""
_UPDATES_PER_SLICE = 400_000


def one_hot_groups(cqm: dimod.ConstrainedQuadraticModel) -> list[list[Hashable]]:
    """The variables of each discrete constraint of a CQM, in the constraints' order."""
    return [
        list(constraint.lhs.variables)
        for label, constraint in cqm.constraints.items()
        if label in cqm.discrete
    ]


class OneHotTemperingSampler(Sampler, Initialized):
    """Replica exchange (parallel tempering) on a BQM, with one-hot groups kept exactly.

    Each read runs replicas of the model at a ladder of inverse temperatures. A sweep redraws
    every free variable, and every group of variables of which one is 1, from its conditional
    Boltzmann distribution; then neighbours on the ladder may swap (Swendsen and Wang, Phys.
    Rev. Lett. 57, 1986; Hukushima and Nemoto, J. Phys. Soc. Jpn. 65, 1996; even and odd
    pairs in turn as in Syed et al., J. R. Stat. Soc. B 84, 2022). A read's sample is the
    lowest state that any of its replicas saw, or, to draw from the Boltzmann distribution, the
    last state of the coldest.
    """

    parameters: dict[str, Any] = {}  # noqa: RUF012  of each sampler its own, see __init__
    properties: dict[str, Any] = {}  # noqa: RUF012

    def __init__(self) -> None:
        arguments = inspect.signature(self.sample).parameters.values()
        self.parameters = {a.name: [] for a in arguments if a.kind is a.KEYWORD_ONLY}
        self.parameters["initial_states_generator"] = ["initial_states_generators"]
        self.properties = {
            "initial_states_generators": ("none", "random", "tile"),
            "max_automatic_replicas": MAX_REPLICAS,
        }

    def sample(
        self,
        bqm: dimod.BinaryQuadraticModel,
        *,
        num_reads: int | None = None,
        num_sweeps: int = 1000,
        num_replicas: int | None = None,
        beta_range: Sequence[float | None] | None = None,
        one_hot_groups: Iterable[Iterable[Hashable]] = (),
        seed: int | None = None,
        initial_states: Any = None,
        initial_states_generator: str = "random",
        time_limit: float | None = None,
        target_energy: float | None = None,
        keep: str = "lowest",
        interrupt_function: Callable[[], bool] | None = None,
        num_threads: int = 1,
        progress: Callable[[float, float], None] | None = None,
        track: Track | None = None,
        **kwargs: Any,
    ) -> dimod.SampleSet:
        """Sample a BQM, BINARY or SPIN.

        The same seed gives the same samples, for any number of threads, unless the time
        limit or an interruption ends the run.

        Args:
            bqm: the model.
            num_reads: independent reads; by default as many as initial states, or one.
            num_sweeps: sweeps of every replica in a read.
            num_replicas: rungs of the ladder; by default as many as it takes for neighbours
                to swap about every other time, up to ``properties["max_automatic_replicas"]``.
            beta_range: hottest and coldest inverse temperature, per unit of the BQM's
                energy. Where None, from the biases: hot 2 / s with s the root mean square
                of the fields' standard deviation under uniform states, cold ln(n + 10) / d
                for n units and d the median over variables of their smallest bias; see
                ``ladder.default_beta_range``.
            one_hot_groups: groups of variables, exactly one of each is 1 (SPIN: +1) in
                every sample. The BQM may or may not have a penalty for that.
            seed: a whole number of at least 0; drawn if None.
            initial_states: one state a read, samples-like, from which all of its replicas
                start. A group with several ones keeps one of them at random; one without
                gets one at random.
            initial_states_generator: what reads beyond those start from: ``random`` states,
                ``tile`` (the given ones again), or ``none``, an error.
            time_limit: seconds for the whole call; checked every few milliseconds, or every
                sweep of all replicas if that takes longer.
            target_energy: a read that reaches it ends; offset included. Those after the
                first such read are left out.
            keep: what a read's sample is: the ``lowest`` state that its replicas saw, at a local
                minimum, or the ``last`` of the coldest one. The latter is a draw from the
                Boltzmann distribution at the end of ``beta_range``, as far as ``num_sweeps``
                suffice to forget the start.
            interrupt_function: called about 20 times a second; a true value ends the run
                with the samples found so far.
            num_threads: threads, one read each.
            progress: called as often with the fraction of the work that is done and the
                lowest energy so far. Both are called from the caller's thread.
            track: keeps states of the coldest replica on the way, as samples in the order of
                the BQM's variables.

        Returns:
            The reads in order, energies from ``bqm.energies``. ``info`` has ``seed``,
            ``betas`` (list of floats), ``acceptance`` (mean chance of a swap, by pair of
            neighbours), ``sweeps`` (by read, of every replica), ``burn_in`` (sweeps of the
            first read in which the ladder was made), ``preprocessing`` and ``sampling``
            (s), ``timed_out`` and ``interrupted`` (by Ctrl-C or ``interrupt_function``).

        Raises:
            InputError: for groups that overlap or name no variable, and for arguments out
                of range; it is a ValueError.
            ValueError, TypeError: from dimod, for initial states that do not fit.
        """
        self.remove_unknown_kwargs(**kwargs)
        with defer_interrupt():
            compile_kernels()  # once a process, and no part of any time
        began = time.perf_counter()
        num_sweeps = whole("num_sweeps", num_sweeps, 1)
        num_threads = whole("num_threads", num_threads, 1)
        rungs, reads = _optional("num_replicas", num_replicas), _optional("num_reads", num_reads)
        seed = secrets.randbits(31) if seed is None else whole("seed", seed, 0)
        if keep not in ("lowest", "last"):
            raise InputError(f"keep: expected lowest or last, got {brief(keep)}")
        form = tempering_form(bqm, one_hot_groups)
        starts, reads = self._starts(bqm, initial_states, initial_states_generator, reads, seed)
        hot, cold = _range(beta_range, default_beta_range(form))
        search = Reads(
            began + (inf if time_limit is None else number("time_limit", time_limit)),
            interrupt_function,
            progress and (lambda done, energy: progress(done / reads, energy)),
        )
        run = _Run(
            form,
            search,
            reads=reads,
            sweeps=num_sweeps,
            seed=seed,
            starts=starts,
            beta=geometric(hot, cold, rungs or _FIRST_REPLICAS),
            replicas=rungs,
            extend_hot_end=beta_range is None or next(iter(beta_range)) is None,
            target=-inf if target_energy is None else number("target_energy", target_energy),
            keep_last=keep == "last",
            track=track,
        )
        ready = time.perf_counter()
        finished = run.run(num_threads)
        samples = np.array([form.sample(read.best) for read in finished], dtype=np.int8)
        times = {"preprocessing": ready - began, "sampling": time.perf_counter() - ready}
        return dimod.SampleSet.from_samples_bqm(  # type: ignore[no-untyped-call, no-any-return]
            (samples, form.labels), bqm, info=run.info(finished) | times
        )

    def sample_cqm(
        self, cqm: dimod.ConstrainedQuadraticModel, **parameters: Any
    ) -> dimod.SampleSet:
        """Minimise a CQM whose constraints are all discrete, see ``cqm.add_discrete``.

        Args:
            cqm: all variables BINARY.
            parameters: see ``sample``.

        Returns:
            As ``sample``, with ``is_satisfied`` and ``is_feasible`` for every read.

        Raises:
            InputError: for another constraint or vartype. ``dimod.cqm_to_bqm`` makes
                penalties of those, and ``one_hot_groups(cqm)`` still gives the groups.
        """
        for label in cqm.constraints:
            if label not in cqm.discrete:
                raise InputError(
                    f"constraint {label!r} is not discrete; make a BQM of the model with "
                    "dimod.cqm_to_bqm and pass one_hot_groups=one_hot_groups(cqm)"
                )
        for v in cqm.variables:
            if cqm.vartype(v) is not dimod.BINARY:
                raise InputError(f"variable {v!r} is {cqm.vartype(v).name}, not BINARY")
        objective = cqm.objective
        linear = dict.fromkeys(cqm.variables, 0) | dict(objective.linear)
        bqm = dimod.BinaryQuadraticModel(linear, {}, objective.offset, dimod.BINARY)
        bqm.add_quadratic_from(objective.quadratic)
        sample_set = self.sample(bqm, one_hot_groups=one_hot_groups(cqm), **parameters)
        return dimod.SampleSet.from_samples_cqm(  # type: ignore[no-untyped-call, no-any-return]
            sample_set, cqm, info=sample_set.info
        )

    def _starts(
        self,
        bqm: dimod.BinaryQuadraticModel,
        states: Any,
        generator: Any,
        num_reads: int | None,
        seed: int,
    ) -> tuple[NDArray[np.int8], int]:
        """Given states in the BQM's order, shape (at most reads, variables), and the reads."""
        if generator not in self.properties["initial_states_generators"]:
            raise InputError(f"unknown initial_states_generator {generator!r}")
        nothing = np.zeros((0, bqm.num_variables), dtype=np.int8)
        if states is None:
            if generator != "random":
                raise InputError(f"initial_states_generator {generator!r} needs initial_states")
            return nothing, num_reads or 1
        parsed = self.parse_initial_states(
            bqm, states, generator, num_reads, seed % 2**32, copy_always=True
        )
        sample_set = parsed.initial_states
        order = [sample_set.variables.index(v) for v in bqm.variables]
        return sample_set.record.sample[:, order], parsed.num_reads


def _optional(name: str, n: int | None) -> int | None:
    """A number of at least 1, or None."""
    return None if n is None else whole(name, n, 1)


def _range(
    wanted: Sequence[float | None] | None, default: tuple[float, float]
) -> tuple[float, float]:
    """Both ends; a default end moves to the wanted one where that is beyond it."""
    if wanted is None:
        return default
    try:
        hot, cold = (None if beta is None else float(beta) for beta in wanted)
    except (TypeError, ValueError):
        hot = cold = 0.0
    low = min(default[0], cold or default[0]) if hot is None else hot
    high = max(default[1], low) if cold is None else cold
    if not (0 < low <= high and isfinite(high)):
        raise InputError(
            f"beta_range: expected two numbers with 0 < hot <= cold, got {wanted!r:.60}"
        )
    return low, high


@dataclass(slots=True, eq=False)
class _Run:
    """All reads of one call.

    The burn-in of the first read spaces the ladder, which is the same for all reads and fixed
    from then on: a read depends on the seed and its number alone.

    Attributes:
        reads: how many there are at most; ``search`` says when to stop them.
        sweeps: of every replica in a read.
        starts: samples that the first reads start from, shape (at most reads, variables).
        beta: the ladder that the burn-in starts from, shape (rungs,).
        replicas: how many rungs to have; None for as many as it takes.
        extend_hot_end: whether the hot end may become hotter, where it turns out to be too cold.
        target: an energy that ends a read, and with it the search.
        keep_last: whether a read's sample is the last state of its coldest replica.
        track: keeps states on the way.
    """

    form: TemperingForm
    search: Reads
    reads: int
    sweeps: int
    seed: int
    starts: NDArray[np.int8]
    beta: FloatArray
    replicas: int | None
    extend_hot_end: bool
    target: float
    keep_last: bool
    track: Track | None
    _replicas: dict[int, Replicas] = field(init=False, default_factory=dict)

    @property
    def burn_in(self) -> int:
        """Sweeps of the first read that make the ladder."""
        return min(_MOST_BURN_IN, int(_BURN_IN * self.sweeps))

    def run(self, threads: int) -> list[Replicas]:
        """The reads that count, in order; at least the first."""
        self.search.run(self._make_ladder, 1, 1)
        if not self.search.done:  # neither the target nor the clock ended it
            self.search.run(self._read, self.reads, threads)
        return [self._replicas[i] for i in sorted(self._replicas) if i <= self.search.last]

    def info(self, finished: list[Replicas]) -> dict[str, Any]:
        """What there is to know besides the samples."""
        exchanges = max(1, sum(read.exchanges for read in finished))
        accepted = np.sum([read.accepted for read in finished], axis=0) / exchanges
        return {
            "seed": self.seed,
            "betas": finished[0].beta.tolist(),
            "acceptance": accepted.tolist(),
            "sweeps": [read.done for read in finished],
            "burn_in": min(self.burn_in, finished[0].done),
            "timed_out": self.search.timed_out,
            "interrupted": self.search.stopped,
        }

    def _begin(self, number: int) -> Replicas:
        rng = generator(self.seed, number)
        start = self.form.state(self.starts[number], rng) if number < len(self.starts) else None
        self._replicas[number] = Replicas(self.form, self.beta, rng, start)
        return self._replicas[number]

    def _read(self, number: int) -> None:
        read = self._replicas.get(number) or self._begin(number)
        self._sweep(number, read, self.sweeps)
        self._end(number, read)

    def _end(self, number: int, read: Replicas) -> None:
        if self.keep_last:
            read.best[:] = read.value[read.replica[-1]]
        elif not read.reached(self.target):
            read.quench()
        self.search.end(number, search=read.reached(self.target))

    def _sweep(self, number: int, read: Replicas, until: int) -> bool:
        """Up to so many sweeps in short slices; False if the target or the search ended it."""
        a = self.form.arrays
        work = len(read.beta) * (len(a.linear) + len(a.column) // 8)
        at_once = max(1, _UPDATES_PER_SLICE // max(1, work))
        while read.done < until and not read.reached(self.target):
            step = min(at_once, until - read.done)
            if self.track is not None:
                step = min(step, self.track.recorder.until(read.done) - read.done)
            read.run(step, self.target)
            if self.track is not None and self.track.recorder.is_due(read.done):
                coldest = read.replica[-1]
                energy = float(read.energy[coldest]) / self.form.scale + self.form.offset
                x, beta = self.form.sample(read.value[coldest]), float(read.beta[-1])
                self.track.record(number, read.done, beta, x, energy=energy)
            if not self.search.note(number, read.done / self.sweeps, read.best_energy):
                return False
        return not read.reached(self.target)

    def _make_ladder(self, number: int) -> None:
        """Space the rungs by what exchanges measure, in stages that double in length."""
        read, stage = self._begin(number), _FIRST_STAGE
        while read.done < self.burn_in:
            rest = self.burn_in - read.done
            stage = rest if rest < 3 * stage else stage
            going = self._sweep(number, read, read.done + stage - 1)
            hottest = read.replica[0]
            before = read.value[hottest].copy()
            if not (going and self._sweep(number, read, read.done + 1)):
                self._end(number, read)
                return
            beta = equalize_acceptance(read.beta, read.acceptance, self.replicas)
            moved = float(np.mean(read.value[hottest] != before)) if len(before) else 1.0
            extend = self.extend_hot_end and 2 * read.done < self.burn_in and len(beta) > 1
            if extend and moved < _MIN_CHANGE * self.form.max_change_rate:
                beta = np.concatenate([[beta[0] / 2], beta[1:] if self.replicas else beta])
            read.set_ladder(beta)
            stage *= 2
        self.beta = read.beta
