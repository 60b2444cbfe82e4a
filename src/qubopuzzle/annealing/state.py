"""One read of the annealer: its values, row sums and weights, and the moves that it can make."""

from dataclasses import astuple, replace
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qubopuzzle.annealing.blocks import Blocks
from qubopuzzle.annealing.cooling import run_cooling
from qubopuzzle.annealing.covers import (
    CoverArrays,
    CoverSearch,
    covers_among,
    nothing_inside,
    run_covers,
)
from qubopuzzle.annealing.ejections import EjectionArrays, nothing_taken, run_ejections
from qubopuzzle.annealing.form import (
    AnnealingForm,
    has_couplings_alone,
)
from qubopuzzle.annealing.kept import (
    KeptArrays,
    can_be_kept,
    is_less_work,
    kept_costs,
    run_kept,
    tend_somewhere,
)
from qubopuzzle.annealing.kernels import (
    BLOCK,
    CHANGED,
    CHANGES,
    FIRST_REMOVED,
    LEAST,
    PASSES,
    StateArrays,
    run_sweeps,
)
from qubopuzzle.annealing.portfolio import (
    AnnealingParameters,
)
from qubopuzzle.annealing.repairs import run_repairs
from qubopuzzle.annealing.spins import SpinState, no_moves, run_spins, run_tabu
from qubopuzzle.errors import InputError
from qubopuzzle.jit.packing import addresses
from qubopuzzle.model import IntArray
from qubopuzzle.model.propagator import REMOVED

_HUGE = 1 << 60
_BLOCKS_PER_SLICE = 2
"""They take about as long as a slice of redraws."""
_KEPT_FROM = 50, 100
"""The sweeps of a read between which it is seen whether to keep costs is less work.

Before them, states change far more often.
"""
_SWEEPS_BEFORE = 200
"""Ordinary sweeps of a read before the first one that propagates: what is easy needs none."""


_COVER_ENTRIES, _MOST_COVER_MOVES = 500_000_000, 500_000
"""Entries of rows that a read among covers looks at, about, and its moves at most."""


class State:
    """Values, row sums and learning weights of one read.

    ``value`` is the index of each choice's value, shape (choices,); ``best`` has those of the
    lowest unweighted energy so far, which is ``energy``.
    """

    def __init__(self, form: AnnealingForm, rng: np.random.Generator) -> None:
        a, extras = form.arrays, form.extras
        end = a.place + form.model.sizes[a.unit_choice]
        self.form, self.rng, self.energy = form, rng, _HUGE
        self.domains = form.propagator.copy_domains()
        self.arrays = StateArrays(
            value=a.earliest.copy(),
            best=a.earliest.copy(),
            before_descent=a.earliest.copy(),
            total=np.zeros(a.n_rows, dtype=np.int64),
            missed=np.zeros(a.n_rows, dtype=np.int64),
            changed=np.zeros(a.n_rows, dtype=np.int64),
            is_changed=np.zeros(a.n_rows, dtype=bool),
            broken=np.zeros(a.n_rows, dtype=np.int64),
            broken_at=np.zeros(a.n_rows, dtype=np.int64),
            row_base=form.row_weight,
            row_weight=form.row_weight.copy(),
            loose_base=form.loose_weight,
            loose_weight=form.loose_weight.copy(),
            disturbed=np.ones(form.n_units, dtype=bool),
            open=np.ones(form.n_units, dtype=bool),
            left=np.arange(form.model.n_literals if extras and extras.exchanging else 0),
            n_left=form.model.sizes.copy(),
            counts=np.array([0, -_SWEEPS_BEFORE * form.n_units, 0, 0, 0, 0, 0, 0]),
            field=np.zeros(form.model.n_literals if extras and extras.n_pairs else 1),
            worth=np.array([extras.share[0] if extras else 1.0, inf]),
            order=np.zeros(form.n_units, dtype=np.int64),
            before=np.zeros(np.diff(a.unit_start).max(initial=1), dtype=np.int64),
            slot=np.zeros(np.diff(a.slot_start).max(initial=1)),
            mass=np.zeros(end.max(initial=3) + BLOCK),
        )
        self.value, self.best = self.arrays.value, self.arrays.best
        self._first_removed = self._n_removed
        self._kept: KeptArrays | None = None
        self._looks = [n * form.n_units for n in _KEPT_FROM] if can_be_kept(a) else []
        self._work = np.zeros(3, dtype=np.int64)
        self._n_redraws = 0
        self._ejections: EjectionArrays | None = None
        self._cover: tuple[CoverArrays, CoverSearch] | None = None
        self._moves: SpinState | None = None
        self.arrays.counts[FIRST_REMOVED] = self._first_removed
        self._pack()
        self.set_values(a.earliest)

    def _pack(self) -> None:
        """Once ``arrays`` are new: what the kernel takes."""
        form = self.form
        changing, domains = addresses(self.arrays), addresses(self.domains)
        self._packed = (form.packed, changing, form.propagator.packed, domains), form.packed_extras

    def set_values(self, value: NDArray[np.integer]) -> None:
        """Start from the values with these indices, shape (choices,); they must exist.

        A chain with a broken precedence starts at its lowest values instead.
        """
        a, current = self.form.arrays, self.value
        current[:], self._ejections, self._cover, self._moves = value, None, None, None
        self._lose_costs()
        number = a.number[a.first[:-1] + current]
        unit = a.unit_of_choice[a.unit_choice]
        short = np.diff(number[a.unit_choice]) < a.gap[1:]
        reset = np.isin(a.unit_of_choice, unit[1:][short & (unit[1:] == unit[:-1])])
        current[reset] = a.earliest[reset]
        s = self.arrays
        x = self.form.literals(current)
        s.total[:] = self.form.propagator.rows @ x
        s.changed[:], s.is_changed[:], s.counts[CHANGED] = np.arange(a.n_rows), True, a.n_rows
        if (extras := self.form.extras) and extras.n_pairs:
            pairs = (extras.pair_cost, extras.pair_other, extras.pair_start)
            s.field[:] = csr_array(pairs, shape=(len(x), len(x))) @ x
        energy, objective = self.form.energy(current), self.form.objective(x) - self.form.offset
        if (energy, objective) < (self.energy, s.worth[LEAST]):
            self.energy = energy
            self.best[:] = current
            s.worth[LEAST] = objective if energy == 0 else inf

    @property
    def _n_removed(self) -> int:
        return int(self.domains.counts[REMOVED])

    def narrow(self, removed: IntArray) -> None:
        """Leave out values that no solution has: all that were removed since the run began.

        Units that have such a value start at their lowest ones, and what is decided is left alone.
        """
        a, d, at = self.form.arrays, self.domains, self._n_removed
        new = removed[d.alive[removed]]
        if not len(new):
            return
        self._cover = None
        d.alive[new], d.removed[at : at + len(new)] = False, new
        np.subtract.at(d.size, self.form.propagator.arrays.choice[new], 1)
        d.counts[REMOVED] += len(new)
        self.arrays.open[:] = False
        self.arrays.open[a.unit_of_choice[d.size[: a.n_choices] > 1]] = True
        self._list_left()
        gone = ~d.alive[a.first[:-1] + self.value]
        if gone.any():
            left = np.flatnonzero(d.alive[: a.first[-1]])
            lowest = left[np.searchsorted(left, a.first[:-1])] - a.first[:-1]
            reset = np.isin(a.unit_of_choice, a.unit_of_choice[gone])
            self.set_values(np.where(reset, lowest, self.value))

    def widen(self) -> None:
        """Take back all values that were left out since the run began."""
        d, first = self.domains, self._first_removed
        back = d.removed[first : self._n_removed]
        d.alive[back] = True
        np.add.at(d.size, self.form.propagator.arrays.choice[back], 1)
        d.counts[REMOVED] = first
        self.arrays.open[:] = True
        self._kept = self._cover = None
        self._list_left()

    def _list_left(self) -> None:
        """Bring ``left`` and ``n_left`` up to date."""
        s, owner, first = self.arrays, self.form.model.choice_of_literal, self.form.arrays.first
        s.n_left[:] = self.domains.size[: len(s.n_left)]
        if len(s.left):
            left = np.flatnonzero(self.domains.alive[: len(s.left)])
            place = np.arange(len(left)) - (np.cumsum(s.n_left) - s.n_left)[owner[left]]
            s.left[first[owner[left]] + place] = left

    @property
    def worth(self) -> float:
        """The least objective of a valid state so far, offset included."""
        return self.form.offset + float(self.arrays.worth[LEAST])

    @property
    def n_open(self) -> int:
        """How many units have more than one value left."""
        return int(self.arrays.open.sum())

    def randomize(self) -> None:
        """Redraw every unit at infinite temperature."""
        everything = AnnealingParameters(beta=0.0, increment=0.0, decay=1.0, focus=0.0)
        self.run(1, everything, target=-1)

    def run(self, n: int, parameters: AnnealingParameters, target: int = 0) -> int:
        """``n`` sweeps, as many redraws as there are units each, see ``redraw``."""
        return self.redraw(n * self.form.n_units, parameters, target)

    def redraw(self, n: int, parameters: AnnealingParameters, target: int = 0) -> int:
        """At least ``n`` redraws of a unit, in whole passes; returns how many there were.

        An energy of ``target`` or less ends them.
        """
        if not self.form.consistent:
            parameters = replace(parameters, propagation=0)
        self._ejections = self._cover = None
        numbers = tuple(map(float, astuple(parameters)))
        done = 0
        while done < n and (not done or self.energy > target):
            some = min([n - done, *(look - self._n_redraws for look in self._looks[:1])])
            redrawn = self._redraw(some, numbers, target)
            self._n_redraws += redrawn
            done += redrawn
            if self._looks and self._n_redraws >= self._looks[0]:
                self._look()
        return done

    def _redraw(self, n: int, numbers: tuple[float, ...], target: int) -> int:
        """The same by one kernel."""
        rng, (arrays, extras) = self.rng, self._packed
        if self._kept is None or not tend_somewhere(*numbers[1:3]):
            self._lose_costs()
            done, self.energy = run_sweeps(arrays, extras, rng, n, numbers, self.energy, target)
        else:
            every, energies = (*arrays, addresses(self._kept)), (self.energy, target)
            done, self.energy = run_kept(every, extras, rng, n, numbers, energies)
        return int(done)

    def _look(self) -> None:
        """See what was done since the last time, and at last whether to keep costs is less work."""
        counts, before = self.arrays.counts, self._work
        self._work = np.array([counts[PASSES], self._n_redraws, counts[CHANGES]])
        del self._looks[0]
        done = (self._work - before).tolist()
        if not self._looks and is_less_work(self.form.arrays, self.arrays, *done):
            self.keep_costs()

    def keep_costs(self) -> None:
        """Keep costs of values from here on, see ``kept``, for a form that ``can_be_kept``."""
        form, is_whole = self.form, self._n_removed == self._first_removed
        left = self.domains.alive[: form.model.n_literals] | is_whole
        self._kept = kept_costs(form.arrays, left)

    def _lose_costs(self) -> None:
        """Find the costs that are kept anew before the next sweep: values change otherwise."""
        if self._kept is not None:
            self._kept.scale[0] = 0.0

    def repair(self, n: int, temperature: float) -> int:
        """Try ``n`` moves that repair what they break; returns ``n``.

        They begin at a valid state, the best one if this one is not. ``temperature`` is in typical
        costs of a value. InputError for a form that has no such moves: it has precedences, or
        neither an objective nor large coefficients.
        """
        if self.form.extras is None or not self.form.extras.exchanging:
            raise InputError("moves that repair are for forms that exchange values")
        self._ejections = self._cover = None
        self._lose_costs()
        if self.form.energy(self.value):
            self.set_values(self.best)
        run_repairs(*self._packed, self.rng, n, temperature)
        return n

    def eject(self, n: int, *, by_number: bool = False) -> int:
        """Make ``n`` moves among valid states, see ``run_ejections``; returns ``n``.

        They begin at the values that break nothing. InputError for a form that has other rows than
        conflicts.
        """
        conflicts = self.form.conflicts
        if conflicts is None:
            raise InputError("ejections are for forms whose rows are all conflicts")
        self._lose_costs()
        if self._ejections is None:
            self._ejections = nothing_taken(conflicts.n_nodes)
        graph = addresses(conflicts), addresses(self._ejections)
        run_ejections(*self._packed, graph, self.rng, n, by_number)
        self.energy = 0
        return n

    def cover(self, n: int) -> int:
        """Make ``n`` moves among covers, see ``run_covers``; returns ``n``.

        InputError for a form that has other rows than such as ask for some of their choices.
        """
        self._lose_costs()
        covers, search = self._covering()
        graph = addresses(covers), addresses(search)
        run_covers(*self._packed, graph, self.rng, n)
        if self.arrays.worth[LEAST] < inf:
            self.energy = 0
        return n

    def _covering(self) -> tuple[CoverArrays, CoverSearch]:
        """The rows of what is left, and the state of a search for covers."""
        covers = self.form.covers
        if covers is None:
            raise InputError("covers are for forms whose rows all ask for some of their choices")
        if self._cover is None:
            covers = covers_among(covers, self.domains.alive[covers.none])
            self._cover = covers, nothing_inside(covers)
        return self._cover

    @property
    def n_cover_moves(self) -> int:
        """Moves of a short read among covers: as many as take about as long in any model."""
        covers, _ = self._covering()
        work = len(covers.node) ** 2 // (covers.n_nodes * covers.n_rows)
        return min(_MOST_COVER_MOVES, 1 + _COVER_ENTRIES // max(1, work))

    def cool(self, begin: int, end: int, sweeps: int, ends: tuple[float, float]) -> int:
        """The sweeps ``begin`` .. ``end`` - 1 of so many, see ``run_cooling``; how many they are.

        The temperature falls between ``ends``. InputError for a form that has more than couplings.
        """
        if not has_couplings_alone(self.form.model):
            raise InputError("the temperature falls where nothing can be broken")
        if self.form.spins is None:
            run_cooling(*self._packed, self.rng, (begin, end, sweeps), ends)
        else:
            run_spins(*self._packed, self._spins(), self.rng, (begin, end, sweeps), ends)
        self.energy = 0
        return end - begin

    def tabu(self, moves: int) -> int:
        """So many moves of a tabu search, see ``run_tabu``, which goes on; returns ``moves``.

        InputError for a form that has more than couplings of bits.
        """
        run_tabu(*self._packed, self._spins(), self.rng, moves)
        self.energy = 0
        return moves

    def _spins(self) -> tuple[Any, Any]:
        """The couplings of bits, and the state of a search, as kernels take them."""
        if self.form.spins is None:
            raise InputError("tabu search is for couplings of bits alone")
        if self._moves is None:
            self._moves = no_moves(self.form.n_units)
        return addresses(self.form.spins), addresses(self._moves)

    def complete(self, blocks: Blocks) -> None:
        """Try to meet all equalities by some blocks; what breaks less than the best is kept."""
        for _ in range(_BLOCKS_PER_SLICE):
            candidate = blocks.complete(self.value, self.rng)
            if candidate is None or not self._is_left(candidate):
                continue
            if self.form.energy(candidate) < self.energy:
                self.set_values(candidate)

    def _is_left(self, value: IntArray) -> bool:
        """Whether no value was removed since the run began."""
        removed = self.domains.removed[self._first_removed : self._n_removed]
        return not self.form.literals(value)[removed[removed < self.form.model.n_literals]].any()
