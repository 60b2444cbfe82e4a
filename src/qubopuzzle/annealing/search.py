"""Restarts over a portfolio of parameters, in threads, within a budget.

What is annealed is a sequence of QUBOs: after every half sweep the penalty weight of each
constraint grows by ``increment`` where it is broken and decays towards its base. The
landscape fills up under a local minimum instead of the state climbing out of it. Energies
are always those of the unweighted model.
"""

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from math import inf, nan
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qubopuzzle.annealing.blocks import Blocks
from qubopuzzle.annealing.cooling import TABU, Turns, temperatures
from qubopuzzle.annealing.covers import (
    nothing_in,
)
from qubopuzzle.annealing.form import (
    AnnealingForm,
    annealing_form,
    has_couplings_alone,
    has_extras,
)
from qubopuzzle.annealing.kernels import (
    temperature_of,
)
from qubopuzzle.annealing.portfolio import (
    COOLING_SWEEPS,
    FIRST_COOLING,
    HOT,
    SWEEPS,
    AnnealingParameters,
    luby,
    luby_sum,
    portfolio_for,
)
from qubopuzzle.annealing.probing import Probing
from qubopuzzle.annealing.relaxation import Relaxation, can_be_relaxed, relax
from qubopuzzle.annealing.state import State
from qubopuzzle.base.checks import whole
from qubopuzzle.base.incumbents import Incumbent, Incumbents
from qubopuzzle.base.reads import Reads, generator, kept_samples
from qubopuzzle.base.recorder import Track
from qubopuzzle.errors import InputError
from qubopuzzle.jit import compiling
from qubopuzzle.model import IntArray, Model, ModelBuilder

_UPDATES_PER_SLICE = 200_000
_UPDATES_PER_LOOK = 100_000
"""A few milliseconds, after which a look at the clock costs little."""
_PROBED_PER_UPDATE = 10
"""Work of probing for each literal of a unit that is redrawn: it takes as long, about."""
_GENERATION = 4
"""Reads between which a guided search looks at what they found."""
_TEMPERATURES = (0.05, 0.02), (1.0, 0.05), (0.2, 0.02)
"""Those at which reads of repairs begin and end, in turn, in typical costs of a value."""
_REDRAWS_A_TRY = 8
"""A try of a move that repairs what it breaks takes as long as some redraws."""
_MOST_TRIES = 300_000
"""Of a read, times ``luby`` of its number."""
_MOVES, _MOVES_A_NODE, _MOVES_PER_SLICE = 100_000, 50, 5_000
"""Ejections of a read, at least and for each node, times ``luby`` of its pair; and of a slice."""
_MOVES_A_SWEEP = 3
"""Of a tabu search: they take as long as a sweep."""
_FAR = 1.5
"""A relaxation that allows more than so many times what the best state gains says too little."""
_SOUGHT = 50_000_000
"""Literals and terms that the read before the relaxation looks at."""
_RELAXING_S, _RELAXING = 60.0, 0.6
"""Seconds for the relaxation at most, and share of the time that is left."""
_OF_THE_TIME = 0.9
"""A read whose temperature falls is planned to take at most this share of the time that is left."""
_SWEEPS, _REPAIRS, _EJECTIONS, _COVERS = "sweeps", "repairs", "ejections", "covers"
"""What a read is of."""
_CONFLICTS, _COUPLINGS = "conflicts alone", "couplings alone"
"""What reads of ejections and those whose temperature falls suit: they have no parameters."""


def _watch(
    track: Track, read: int, state: State, beta_after: Callable[[int], float]
) -> Callable[[int, bool], int]:
    """Records the states of one read: called after so many redraws, it says when to be next.

    The last one, at the read's end, is recorded whether it is wanted or not. ``beta_after`` says
    the inverse temperature after so many redraws.
    """
    recorder, n = track.recorder, max(1, state.form.n_units)
    # Looking costs some 0.1 ms: no more often than a state is wanted, as far as one can tell.
    least = n * (1 + _UPDATES_PER_LOOK // max(1, state.form.model.n_literals))
    began, recorded = time.perf_counter(), -1

    def look(redraws: int, is_last: bool) -> int:
        nonlocal recorded
        sweep = redraws // n
        if redraws != recorded and (is_last or recorder.is_due(sweep)):
            s, recorded = state.arrays, redraws
            x = state.form.literals(s.value)
            track.record(read, sweep, beta_after(redraws), x, s.row_weight)
        if not recorder.by_clock:
            return recorder.until(sweep) * n
        speed = redraws / max(1e-9, time.perf_counter() - began)
        return redraws + max(least, int(1.05 * speed * recorder.seconds_left()))

    return look


def _redraw(
    state: State,
    advance: Callable[[int, int], int],
    target: int,
    end: int,
    slice_redraws: int,
    goes_on: Callable[[int], bool],
    watch: Callable[[int, bool], int] | None,
    *,
    early: bool = False,
) -> tuple[int, list[int]]:
    """Redraw units until there were ``end`` redraws, or the target is met.

    ``advance`` makes some more, after so many, and returns how many it made. After each slice
    ``goes_on`` says whether to go on. The slices, and so the answer, do not depend on whether
    somebody watches.

    Returns:
        How many redraws there were, and the lowest energy so far after each slice, where it fell;
        if ``early`` also that of the start, and after 1, 2, 4, ... sweeps of the first slice.
    """
    redraws = look = 0
    lowest = [state.form.energy(state.value)] if early else []
    wanted = end if watch is None else watch(0, False)
    while redraws < end and state.energy > target:
        slice_end = min(end, (redraws // slice_redraws + 1) * slice_redraws)
        if redraws >= look:
            _go_below(lowest, [state.energy] if redraws else [])
            look = min(slice_end, max(state.form.n_units, 2 * redraws)) if early else slice_end
        redraws += advance(redraws, min(look, wanted) - redraws)
        if watch is not None:
            wanted = watch(redraws, False)
        if redraws >= slice_end and not goes_on(redraws):
            break
    _go_below(lowest, [state.energy])
    if watch is not None:
        watch(redraws, True)
    return redraws, lowest


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """One restart: its best state, as the index of each choice's value, and how it was found.

    ``objective`` is the model's, offset included; 0 for a model without. ``row_weight`` has the
    weights that its rows had at its end, in the order of the model's.
    """

    number: int
    value: IntArray
    energy: int
    objective: float
    sweeps: int
    row_weight: NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Annealed:
    """What ``anneal`` found: the best reads, lowest energy and objective first, of ``n_reads``.

    ``form`` is what was annealed. ``solved`` says that a read ended the search, ``interrupted``
    that Ctrl-C did; ``seed`` repeats it. ``incumbents`` are states
    that break nothing and are better than all before them, as slices of sweeps came upon them.
    ``course`` has the lowest energies on the way, falling: of the start, and as slices of sweeps
    and reads came below it. ``probing`` is what was probed in turns with annealing, if anything
    was; where it says that a constraint is broken, that ended the search. ``portfolio`` says for
    what the parameters were chosen. ``bound`` is what no valid state's objective is below, if
    that is known, and ``optimal`` says that the best read's is the least.
    """

    form: AnnealingForm
    reads: tuple[Read, ...]
    n_reads: int
    solved: bool
    interrupted: bool
    seed: int
    incumbents: Sequence[Incumbent] = ()
    course: tuple[int, ...] = ()
    probing: Probing | None = None
    portfolio: str = ""
    bound: float | None = None
    optimal: bool = False


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """How ``anneal`` and ``anneal_best`` search, which take these by name.

    Attributes:
        seed: of everything random; drawn if None.
        reads: restarts at most; None for no bound.
        time_limit: seconds (wall clock); None for no bound.
        target_energy: an unweighted energy of at most this ends a read.
        only_accepted: such a read does not end the search unless it is accepted.
        portfolio: parameters of successive reads, in a cycle; those that suit the form if None.
        fixed: parameters, by name, that are the same in all reads.
        sweeps: sweeps of a read, times ``luby`` of its number; as suits the form if None.
        initial_states: where the first reads start, as the index of each choice's value,
            shape (states, choices); the others start at random. A chain with a broken
            precedence starts at its lowest values instead.
        threads: reads that run at the same time.
        relaxing: relax a linear objective, see ``relax``, and be guided by that.
        probing: probe in turns with annealing, and leave out what that removes.
        begun: probing of the same model with fewer cuts, which this goes on with.
        until_proof: a proof that there is no solution ends the search; else reads go on with all
            values.
        interrupt_function: asked about 20 times a second; True ends the search.
        progress: called as often, with the reads done (with fractions) and the lowest
            energy so far.

    Raises:
        InputError: for numbers out of range.
    """

    seed: Any = None
    reads: int | None = None
    time_limit: float | None = None
    target_energy: int = 0
    only_accepted: bool = False
    portfolio: Sequence[AnnealingParameters] | None = None
    fixed: Mapping[str, float] | None = None
    sweeps: int | None = None
    initial_states: ArrayLike | None = None
    threads: int = 1
    relaxing: bool = False
    probing: bool = False
    begun: Probing | None = None
    until_proof: bool = True
    interrupt_function: Callable[[], bool] | None = None
    progress: Callable[[float, float], None] | None = None

    def __post_init__(self) -> None:
        vars(self).update(
            seed=secrets.randbits(31) if self.seed is None else self.seed,
            reads=None if self.reads is None else whole("reads", self.reads, 1),
            sweeps=None if self.sweeps is None else whole("sweeps", self.sweeps, 1),
            threads=whole("threads", self.threads, 1),
        )


class _FormReads:
    """The reads of one form, which ``run`` goes on with, and what they found.

    Attributes:
        kept: the best reads so far, and the one that ended the search.
        solved, interrupted: whether a read, or Ctrl-C, ended the reads that ran last; is_over:
            whether anything but their number did.
    """

    def __init__(
        self,
        form: AnnealingForm,
        settings: SearchSettings,
        accepts: Callable[[IntArray], bool],
        track: Track | None,
        n_forms: int,
    ) -> None:
        extras, given = form.extras, settings.initial_states
        self.form, self._settings, self._accepts, self._track = form, settings, accepts, track
        self._starts = () if given is None else _checked_states(form, given)
        self.optimizes = extras is not None and bool(extras.has_objective)
        self._target = -1 if self.optimizes else settings.target_energy
        self._suits, chosen, sweeps, first = portfolio_for(form, n_forms)
        if settings.portfolio:
            self._suits, chosen, first = "what is asked for", settings.portfolio, None
        fixed = settings.fixed or {}
        self._portfolio = [replace(parameters, **fixed) for parameters in chosen]
        self._chooses, self._n_opening = first is not None, 1
        self._opening = replace(first or chosen[0], **fixed)
        self._sweeps = settings.sweeps or sweeps
        self._opening_sweeps = settings.sweeps or (SWEEPS if first else sweeps)
        self._turns: Turns | None = None
        self._speed: float | None = None
        if extras and has_couplings_alone(form.model) and not (settings.portfolio or fixed):
            n_bits = form.n_units if form.spins else 0
            self._turns = Turns(temperatures(extras, form.model.sizes), n_bits)
            self._suits = _COUPLINGS
            self._sweeps = settings.sweeps or COOLING_SWEEPS
            is_short = settings.reads is None and not settings.sweeps
            self._opening_sweeps = FIRST_COOLING if is_short else self._sweeps
        is_scaled = extras is not None and extras.n_scaled
        seeking = [self._portfolio[0], *([replace(HOT, **fixed)] if is_scaled else [])]
        # The objective soon counts next to nothing.
        self._seeking_with = [replace(each, raised=1.0, lowered=0.5) for each in seeking]
        self._blocks = Blocks(form) if extras is not None and extras.n_scaled else None
        self._probing: Probing | None = None
        if settings.probing and form.consistent:
            self._probing = settings.begun or Probing(form.propagator)
        self._whole: IntArray = np.zeros(0, dtype=np.int64)
        self._left_out = self._whole
        self._start: IntArray | None = None
        self._way = _SWEEPS
        self._seeking: AnnealingParameters | None = None
        self._n_reads = self._n_first = 0
        self.is_over = False
        self._incumbents = Incumbents()
        self._course: list[int] = []
        self.kept: list[Read] = []
        self.solved = self.interrupted = False

    def relax(self, deadline: float) -> int:
        """Relax the objective after short reads for any valid state; returns how many, 0 to 2.

        So there is an answer before that takes its time, which Ctrl-C then leaves.
        """
        if not (self.optimizes and self.form.consistent and can_be_relaxed(self.form.model)):
            return 0
        n_reads = 0 if self._starts else self._seek(self._settings.reads, deadline)
        if self.ejects_alone():
            return n_reads
        seconds = min(_RELAXING_S, _RELAXING * (deadline - time.perf_counter()))
        relaxation = None
        try:
            if not self.is_over:
                relaxation = relax(self.form.model, max(0.0, seconds))
        except KeyboardInterrupt:
            if self.least == inf:
                raise
            self.interrupted = self.is_over = True
        if relaxation is not None:
            self.form = self.form.with_relaxation(relaxation)
            self._whole = relaxation.dominated if self.excludes else self._whole
        return n_reads

    def go_on(self, reads: int | None, deadline: float, *, alone: bool) -> int:
        """So many reads more if the form is ``alone``, else one, unless it is over; how many."""
        if self.is_over:
            return 0
        if self._chooses and not alone:
            self._n_opening = self._n_reads + 1
        if alone and self._turns:
            return self.run_turns(self._turns, reads, deadline)
        if alone and self.generates:
            return self.run_generations(reads, deadline)
        return self.run(reads if alone else 1, deadline)

    def run_turns(self, turns: Turns, reads: int | None, deadline: float) -> int:
        """As ``run``, turn by turn."""
        n_reads = 0
        while n_reads != reads and not self.is_over:
            most = turns.begin(self._n_reads)
            n_reads += self.run(most if reads is None else min(most, reads - n_reads), deadline)
        return n_reads

    def run_generations(self, reads: int | None, deadline: float) -> int:
        """As ``run``, in generations of reads; three of four begin at the best state so far.

        Where the model's relaxation is known, a generation has one of its cores, from small to
        large, in a search for covers the whole before them; or it is of moves that repair what
        they break, from the best state that breaks nothing. Then comes the one of these that gained
        most for each literal when it was last tried, until none gains any more, see
        ``Relaxation.cores``. What nothing better has is left out; if that is everything, the best
        state is optimal.
        """
        guide, n_reads = self.guide, 0
        cores = guide.cores(self.form.arrays.n_rows) if guide else []
        cores.append(self._whole)
        if (guide is None and self._ejects) or self.ejects_alone(guide):
            self._suits, self._way = _CONFLICTS, _EJECTIONS
            return self.run(reads, deadline)
        if self.searches_covers:
            self._suits = _COVERS
            ways = [(core, _COVERS) for core in [cores[-1], *cores[:-1]]]
        else:
            ways = [(core, _SWEEPS) for core in cores]
        gains = [inf] * len(ways)
        if self.repairs:
            ways.insert(0, (self._whole, _REPAIRS))
            gains.insert(0, 0.0)
        if len(cores) > 1 and not self._starts and reads != 0:
            n_reads = self._run_first(reads, deadline)
        while n_reads != reads and not self.is_over:
            way, least = gains.index(max(gains)), self._least_from(self._n_first)
            left_out, self._way = ways[way]
            if self._way == _REPAIRS and self.least == inf:
                gains[way] = 0.0
                continue
            if self._enter(left_out):
                is_new = gains[way] == inf and len(cores) > 1
                most = 1 if is_new or self._way == _REPAIRS else _GENERATION
                n_reads += self.run(most if reads is None else min(most, reads - n_reads), deadline)
            elif left_out is self._whole:
                self.solved = self.is_over = True
            after = self._least_from(self._n_first)
            gain = least - after if after < least else 0.0
            gains[way] = gain / (self.form.model.n_literals - len(self._left_out) + 1)
            if not any(gains) or gain == inf:
                gains = [inf] * len(ways)
        return n_reads

    def ejects_alone(self, guide: Relaxation | None = None) -> bool:
        """Whether all reads are of ejections: the relaxation says too little of the best state.

        Before it is known, as it cannot say more than fractions gain.
        """
        graph = self.form.conflicts
        if graph is None or not self._ejects or self.least == inf:
            return False
        none = self.form.objective(self.form.literals(graph.none - self.form.arrays.first[:-1]))
        gain = graph.fractional[0] if guide is None else none - guide.least
        return bool(gain > _FAR * (none - self.least))

    def _run_first(self, reads: int | None, deadline: float) -> int:
        """Reads for any valid state, and one of repairs of it; cores may have none."""
        n_reads = 0
        if self.least == inf and self._enter(self._whole):
            n_reads = self._seek(reads, deadline)
        self._way = _REPAIRS if self.repairs and self.least < inf else _SWEEPS
        goes_on = self._way == _REPAIRS and n_reads != reads and not self.is_over
        if goes_on and self._enter(self._whole):
            n_reads += self.run(1, deadline)
        self._n_first = self._first_to_begin_at()
        return n_reads

    def _seek(self, reads: int | None, deadline: float) -> int:
        """A read or two for any valid state, from which no others begin but repairs; how many."""
        n_reads = 0
        self._way = _EJECTIONS if self._ejects else _COVERS if self.searches_covers else _SWEEPS
        for parameters in self._seeking_with[:reads]:
            self._seeking = parameters
            n_reads += self.run(1, deadline)
            if self.least < inf or self.is_over:
                break
        if n_reads > 1:  # the next time by what came nearer
            energies = {read.number: read.energy for read in self.kept}
            hot_first = energies[self._n_reads - 1] < energies[self._n_reads - 2]
            self._seeking_with = self._seeking_with[hot_first:][:1]
        self._seeking, self._way, self._n_first = None, _SWEEPS, self._first_to_begin_at()
        return n_reads

    def _first_to_begin_at(self) -> int:
        """The first read at whose state others may begin: of covers any, of others the next."""
        return 0 if self.searches_covers else self._n_reads

    def _enter(self, left_out: IntArray) -> bool:
        """Begin a generation in a core of the model; False if it has nothing better."""
        first = 0 if self._way == _REPAIRS else self._n_first
        best = min((read for read in self.kept if read.number >= first), key=_rank, default=None)
        self._start = None if best is None else best.value
        if self.guide is None:
            return True
        useless = self.guide.useless(self.least if self.excludes else inf)
        useless[left_out] = True
        if best is not None and left_out is not self._whole:
            useless[self.form.literals(best.value) > 0] = False
        self._left_out, broken = self.form.propagator.without(np.flatnonzero(useless))
        return broken is None and not (self.excludes and self.guide.is_optimal(self.least))

    @property
    def least(self) -> float:
        """The least objective of its reads that break nothing."""
        return self._least_from(0)

    def _least_from(self, number: int) -> float:
        """The same of the reads with this number and later ones."""
        valid = (read for read in self.kept if read.energy == 0 and read.number >= number)
        return min((read.objective for read in valid), default=inf)

    @property
    def guide(self) -> Relaxation | None:
        """The model's relaxation, if something is minimised that can be met."""
        return self.form.relaxation if self.optimizes and self.form.consistent else None

    @property
    def generates(self) -> bool:
        """Whether reads begin at the best state so far: not where it may be no answer."""
        return self.optimizes and (self.guide is not None or not self._settings.only_accepted)

    @property
    def excludes(self) -> bool:
        """Whether what nothing better has is left out: not where all reads are wanted."""
        return self.guide is not None and not self._settings.only_accepted

    @property
    def repairs(self) -> bool:
        """Whether there are reads of moves that repair what they break."""
        extras = self.form.extras
        exchanging = extras is not None and bool(extras.exchanging) and not self.searches_covers
        return exchanging and self._portfolio[0].focus > 0

    @property
    def _ejects(self) -> bool:
        """Whether there are reads of ejections."""
        return self.form.conflicts is not None and self._moves_freely

    @property
    def searches_covers(self) -> bool:
        """Whether there are reads among covers."""
        return self.form.covers is not None and self._moves_freely

    @property
    def _moves_freely(self) -> bool:
        """Whether reads may be of other moves: not where parameters of sweeps are asked for."""
        return self.generates and not (self._settings.portfolio or self._settings.fixed)

    def run(self, reads: int | None, deadline: float) -> int:
        """So many reads more at most, until ``deadline`` by ``time.perf_counter``; how many."""
        settings = self._settings
        before, shown = self._n_reads, settings.progress
        progress = None if shown is None else lambda reads, low: shown(before + reads, low)
        self._reads = Reads(deadline, settings.interrupt_function, progress)
        self._first = self._following = self._n_reads  # the read to keep next
        self._finished: dict[int, tuple[Read, list[int]]] = {}
        n_reads = self._reads.run(self._read, reads, settings.threads)
        self.solved, self.interrupted = self._reads.last < inf, self._reads.interrupted
        self.is_over = self.solved or self._reads.stopped or self._reads.timed_out
        self._n_reads += n_reads
        return n_reads

    def _read(self, number: int) -> None:
        """One read; short calls of the kernel, so that it can be stopped."""
        form, search, index = self.form, self._reads, self._first + number
        opens = index < self._n_opening
        parameters = self._opening if opens else self._portfolio[index % len(self._portfolio)]
        state = self._begun(index)
        n_units = max(1, state.n_open)
        parameters, end, slice_redraws = self._extent(state, index, parameters)
        advance = partial(self._advance, state, parameters, index, end)
        relaxation, least = self.guide if self.excludes else None, inf
        blocks, narrow = self._blocks, self._narrowing(state, index)
        refuted, began = narrow(0), time.perf_counter()

        def goes_on(redraws: int) -> bool:
            nonlocal refuted, least
            self._note(state)
            refuted = (state.energy > 0 or not self.optimizes) and narrow(redraws)
            if refuted or (self._seeking and state.energy == 0):
                return False
            if relaxation and state.worth < least:
                least = state.worth
                if relaxation.is_optimal(least):
                    return False
                if self._way in (_SWEEPS, _REPAIRS):  # others go through all valid states
                    state.narrow(np.flatnonzero(relaxation.useless(least)))
            if blocks and blocks.helpful and parameters.focus > 0 and state.energy > 0:
                state.complete(blocks)
            return search.note(number, redraws / end, state.energy)

        watch = None
        if self._track is not None:
            beta_after = partial(self._beta_after, parameters, index, end)
            watch = _watch(self._track, index, state, beta_after)
        redraws, lowest = _redraw(
            state,
            advance,
            self._target,
            0 if refuted else end,
            slice_redraws,
            goes_on,
            watch,
            early=not index,
        )
        self._note(state)
        self._speed = redraws / max(1e-9, time.perf_counter() - began)
        x = form.literals(state.best)
        reached = state.energy <= self._target and not self._settings.only_accepted
        best_of_all = relaxation and state.energy == 0 and relaxation.is_optimal(state.worth)
        reached = reached or refuted or bool(best_of_all)
        search.end(number, search=reached or (not self.optimizes and self._accepts(x)))
        swept, worth = -(-redraws // n_units), form.objective(x)
        weight, best = state.arrays.row_weight.astype(np.float32), state.best.copy()
        with search.lock:
            read = Read(index, best, state.energy, worth, swept, weight)
            self._finished[index] = read, lowest
            self._keep()

    def _note(self, state: State) -> None:
        """Keep when a read's best state is valid and better than those of all reads so far."""
        if self.optimizes and state.energy == 0 and state.worth < self._incumbents.best:
            with self._reads.lock:
                self._incumbents.note(self.form.objective(self.form.literals(state.best)))

    def _extent(
        self, state: State, index: int, parameters: AnnealingParameters
    ) -> tuple[AnnealingParameters, int, int]:
        """A read's parameters, and how much it does, in all and a slice, see ``_advance``."""
        n_units, n_literals = state.n_open, self.form.model.n_literals - len(self._left_out)
        turn = index if self._start is None else index // _GENERATION
        if self._turns:
            turn = max(0, self._turns.number - 1)
        if self._way == _COVERS:
            moves = 1 if self._seeking else state.n_cover_moves * luby(turn + 1)
            return parameters, moves, _MOVES_PER_SLICE
        if self._way == _EJECTIONS and self.form.conflicts is not None:
            moves = max(_MOVES, _MOVES_A_NODE * self.form.conflicts.n_nodes)
            if self._seeking:
                return parameters, moves // _MOVES_A_NODE, moves // _MOVES_A_NODE
            return parameters, moves * luby(index // 2 + 1), _MOVES_PER_SLICE
        sweeps = self._opening_sweeps if index < self._n_opening else self._sweeps
        end = sweeps * luby(turn + 1) * n_units
        if self._turns and self._speed:  # a read that ends hot is worth nothing
            in_time = self._speed * max(0.0, self._reads.seconds_left()) * _OF_THE_TIME
            end = min(end, max(FIRST_COOLING, int(min(end, in_time)) // n_units) * n_units)
        slice_redraws = max(1, _UPDATES_PER_SLICE // max(1, n_literals)) * n_units
        if self._seeking:
            parameters = self._seeking
            if not self.guide:
                terms = self.form.propagator.rows.nnz + self.form.model.n_literals
                most = _SOUGHT // (terms * len(self._seeking_with))
                end = min(end, (1 + most) * n_units)
        if self._way == _REPAIRS:
            end = min(end // _REDRAWS_A_TRY, _MOST_TRIES * luby(turn + 1))
            slice_redraws = 1 + slice_redraws // _REDRAWS_A_TRY
        return parameters, end, slice_redraws

    def _advance(
        self,
        state: State,
        parameters: AnnealingParameters,
        index: int,
        end: int,
        done: int,
        n: int,
    ) -> int:
        """Make ``n`` redraws more, ejections or tries of repairs; the read ends at ``end``."""
        if self._turns:
            n_units, way = self.form.n_units, self._turns.way(index)
            begin, some = done // n_units, -(-n // n_units)
            if way == TABU:
                return n_units * state.tabu(_MOVES_A_SWEEP * some) // _MOVES_A_SWEEP
            ends = self._turns.temperatures.of(way, given=index < len(self._starts))
            return n_units * state.cool(begin, begin + some, end // n_units, ends)
        if self._way == _EJECTIONS:
            return state.eject(n, by_number=index % 2 > 0)
        if self._way == _COVERS:
            return state.cover(n)
        if self._way == _SWEEPS:
            return state.redraw(n, parameters, self._target)
        hot, cold = _TEMPERATURES[index % len(_TEMPERATURES)]
        return state.repair(n, hot * (cold / hot) ** (done / end))

    def _beta_after(
        self, parameters: AnnealingParameters, index: int, end: int, redraws: int
    ) -> float:
        """The inverse temperature after so many redraws of a read; NaN where it has none."""
        if not self._turns:
            return parameters.beta
        way = self._turns.way(index)
        if way == TABU:
            return nan
        ends = self._turns.temperatures.of(way, given=index < len(self._starts))
        n_units = self.form.n_units
        return float(1 / temperature_of(ends, redraws // n_units, end // n_units))

    def _begun(self, index: int) -> State:
        """A read's first state: given, the best so far, or random."""
        state = State(self.form, generator(self._settings.seed, index))
        continues = self._way == _REPAIRS or index % _GENERATION < _GENERATION - 1
        start = self._start if continues else None
        if index < len(self._starts):
            start = self._starts[index]
        if self._way == _COVERS and self.form.covers is not None and start is None:
            start = nothing_in(self.form.covers) - self.form.arrays.first[:-1]
        if self._way == _EJECTIONS and self.form.conflicts is not None:
            none = self.form.conflicts.none - self.form.arrays.first[:-1]
            state.set_values(none if start is None else start)
            return state
        if start is not None:
            state.set_values(start)
        state.narrow(self._left_out)
        if start is None:
            state.randomize()
        return state

    def _narrowing(self, state: State, index: int) -> Callable[[int], bool]:
        """What probes after so many redraws of a read, for as long as those took.

        It says whether the search is over, as there is no solution.
        """
        probing, n_units = self._probing, max(1, state.form.n_units)

        def narrow(redraws: int) -> bool:
            nonlocal probing
            if probing is None:
                return False
            removed, is_all = probing.after(self._probed(index, redraws // n_units))
            refuted = is_all and probing.broken is not None
            if refuted and not self._settings.until_proof:
                state.widen()
            else:
                state.narrow(removed)
            if is_all:
                probing = None
            return refuted and self._settings.until_proof

        return narrow

    def _probed(self, index: int, sweeps: int) -> int:
        """The work of probing that a read asks for after so many sweeps."""
        # With an objective it is for reads that do not come to a valid state.
        if index and not self.optimizes:
            opening = luby_sum(min(index, self._n_opening))
            sweeps += self._opening_sweeps * opening + self._sweeps * (luby_sum(index) - opening)
        return sweeps * _PROBED_PER_UPDATE * self.form.model.n_literals

    def _keep(self) -> None:
        """Keep what is finished, in order.

        No read beyond the one that ends the search takes the place of another.
        """
        last = self._first + self._reads.last
        while self._following in self._finished and self._following <= last:
            read, energies = self._finished.pop(self._following)
            self.kept.append(read)
            if self._turns:
                self._turns.note(read.number, read.objective)
            _go_below(self._course, energies)
            self._following += 1
            if len(self.kept) > kept_samples(self.form.model.n_literals):
                # The read that ends the search stays, whatever its energy.
                self.kept.remove(max(self.kept, key=lambda r: (r.number != last, *_rank(r))))

    def result(self, n_reads: int, ended: Self) -> Annealed:
        """All of it, of ``n_reads`` of all forms; ``ended`` is the form whose reads ran last."""
        if self._probing is not None:
            last = max(self.kept, key=lambda read: read.number)
            self._probing.begun += self._probed(last.number, last.sweeps)
        return Annealed(
            self.form,
            tuple(sorted(self.kept, key=_rank)),
            n_reads,
            ended.solved,
            ended.interrupted,
            self._settings.seed,
            self._incumbents,
            tuple(self._course),
            self._probing,
            self._suits,
            None if self.guide is None else self.guide.least,
            self.excludes and self.solved,
        )


def anneal(
    model: AnnealingForm | Model,
    *,
    accepts: Callable[[IntArray], bool] = lambda _: False,
    track: Track | None = None,
    **settings: Any,
) -> Annealed:
    """Restart until a read reaches the target or is accepted, or the budget is spent.

    A model with an objective has no target: the budget is spent.

    The result does not depend on the number of threads, as long as no time limit cuts a read
    short: read i depends on the seed and i alone, and those after the first read that ends the
    search do not count.

    Args:
        model: what to anneal, or its form.
        accepts: whether a read's best state, as literals (literals,), ends the search; it
            is called from the threads. Without ``only_accepted`` the target does, too.
        track: keeps states on the way.
        settings: those of ``SearchSettings``.

    Raises:
        InputError: for initial states that do not exist, and numbers out of range.
    """
    _, annealed = anneal_best(
        [lambda: annealing_form(model) if isinstance(model, Model) else model],
        accepts=lambda _, x: accepts(x),
        track=lambda _: track,
        **settings,
    )
    return annealed


def anneal_best(
    forms: Sequence[Callable[[], AnnealingForm]],
    *,
    accepts: Callable[[int, IntArray], bool] = lambda *_: False,
    track: Callable[[int], Track | None] = lambda _: None,
    **settings: Any,
) -> tuple[int, Annealed]:
    """Anneal the form that does best of several of the same problem.

    Each is made and annealed for one read, the better half of them for another one, and so on until
    one reaches the target or is left; the rest of the search is for that one.

    Args:
        forms: what make them.
        accepts: as for ``anneal``, with the number of the form before its literals.
        track: what keeps the states of a form, by its number.
        settings: those of ``SearchSettings``; the first reads count.

    Returns:
        The number of the form, and what was found with it; ``n_reads`` counts those of all.

    Raises:
        InputError: without forms, and as ``anneal``.
    """
    if not forms:
        raise InputError("forms: expected at least one")
    search_settings = SearchSettings(**settings)
    stop = search_settings.interrupt_function or (lambda: False)
    seconds = search_settings.time_limit
    deadline = inf if seconds is None else time.perf_counter() + seconds

    def search_of(number: int) -> _FormReads:
        form, accepted = forms[number](), partial(accepts, number)
        return _FormReads(form, search_settings, accepted, track(number), len(forms))

    searches: dict[int, _FormReads] = {}
    left, n_reads = list(range(len(forms))), 0
    while True:
        for number in left:
            is_first, reads = not searches, search_settings.reads
            if number not in searches:
                searches[number] = search_of(number)
            search = searches[number]
            if is_first and search_settings.relaxing:
                n_reads = search.relax(deadline)
            if search.guide or search.searches_covers or search.ejects_alone():
                left = [number]
            most = None if reads is None else reads - n_reads
            n_reads += search.go_on(most, deadline, alone=len(left) == 1)
            ended = search.solved or search.interrupted or stop()
            ended = ended or time.perf_counter() >= deadline or n_reads == reads
            if ended or len(left) == 1:
                by_least = sorted(searches, key=lambda i: min(map(_worth, searches[i].kept)))
                best = number if search.solved else by_least[0]
                return best, searches[best].result(n_reads, search)
        left.sort(key=lambda i: np.sum([*map(_worth, searches[i].kept)], axis=0).tolist())
        del left[(len(left) + 1) // 2 :]


def _go_below(course: list[int], energies: Sequence[int]) -> None:
    """Add to a falling course those of falling energies that are below its end."""
    course += [energy for energy in energies if not course or energy < course[-1]]


def _worth(read: Read) -> tuple[float, float]:
    return read.energy, read.objective


def _rank(read: Read) -> tuple[float, float, int]:
    return *_worth(read), read.number


def _checked_states(form: AnnealingForm, states: Any) -> IntArray:
    array = np.atleast_2d(np.asarray(states))
    sizes = form.model.sizes
    if array.dtype.kind not in "iu" or array.ndim != 2 or array.shape[1] != len(sizes):
        raise InputError(
            f"initial_states: expected whole numbers of shape (states, {len(sizes)}), "
            f"got {array.dtype} of shape {array.shape}"
        )
    if (array < 0).any() or (array >= sizes).any():
        raise InputError("initial_states: an index outside 0 .. the number of values - 1")
    return array.astype(np.int64)


def compile_kernels(model: Model) -> None:
    """Compile the kernels that a model needs, or load them from numba's cache: seconds, once."""
    alone = has_couplings_alone(model)
    n_values = 3 if alone and (model.sizes != 2).any() else 2
    _compile(has_extras(model), alone, not model.precedence and not alone, n_values)


@cache
def _compile(extras: bool, couplings_alone: bool, may_keep: bool, n_values: int) -> None:
    builder = ModelBuilder()
    choices = [builder.choice(name, range(n_values)) for name in "abc"]
    if couplings_alone:
        builder.objective([0], [1.0], [2])
    else:
        builder.at_most_one("one", [[0, 4]])
    if extras:
        builder.objective([0], [-1.0])
    elif not may_keep:
        builder.precedence("order", choices[:1], choices[1:2], [1])
    with compiling("the annealer's kernels", seconds=4):
        form = annealing_form(builder.build())
        state = State(form, np.random.default_rng(0))
        state.run(1, AnnealingParameters(1))
        if may_keep:
            state.keep_costs()
            state.run(1, AnnealingParameters(1), target=-1)
        if couplings_alone:
            state.cool(0, 1, 1, (1.0, 1.0))
            if form.spins is not None:
                state.tabu(1)
        elif extras:
            state.repair(1, 1.0)
            state.eject(1)
            State(annealing_form(_cover()), np.random.default_rng(0)).cover(1)


def _cover() -> Model:
    """Two of four bits at least, as few as possible."""
    builder = ModelBuilder()
    bits = [builder.bit(name).literals[1] for name in "abcd"]
    builder.linear("cover", [0] * 4, bits, [1] * 4, lower=2, shape=(1,))
    builder.objective(bits, [1.0] * 4)
    return builder.build()
