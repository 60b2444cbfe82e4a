"""The dimod surface of the annealer: ``AnnealingSampler``."""

from __future__ import annotations

import inspect
import secrets
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import Any, cast

import dimod
import numpy as np
from dimod.core.sampler import Sampler
from numpy.typing import NDArray
from scipy.sparse import csr_array, triu

from qubopuzzle.annealing import AnnealingForm, anneal_best, annealing_form
from qubopuzzle.annealing import compile_kernels as compile_annealing
from qubopuzzle.annealing.search import Annealed, Read
from qubopuzzle.base.checks import positive, whole
from qubopuzzle.base.signals import defer_interrupt
from qubopuzzle.base.timing import stage
from qubopuzzle.errors import InputError
from qubopuzzle.model import Field, IntArray, Model, Propagation, View, propagate
from qubopuzzle.model.propagation import compile_kernels as compile_propagation
from qubopuzzle.programs.dimod_models import CqmProgram, cqm_program
from qubopuzzle.programs.program import Program
from qubopuzzle.tempering.sampler import OneHotTemperingSampler

DEFAULT_READS = 10
"""Reads of a CQM with an objective, where neither their number nor the time is said."""
_MOST_READS = 127
"""The same without objective: the first that is feasible ends them."""
MAX_SAMPLES = 100
_JUDGING_S = 1e-4
"""About what dimod takes to judge a constraint, of all samples."""


class AnnealingSampler(Sampler):
    """Simulated annealing of constrained models, with no penalty to tune.

    ``sample_cqm`` anneals the constraints themselves: rows "exactly one" and "at most one" become
    choices that no sample breaks, the others have weights that learn, see docs/annealer.md.
    Models without constraints go to ``OneHotTemperingSampler``.

    >>> import dimod
    >>> x = list(dimod.Binaries("abc"))
    >>> cqm = dimod.ConstrainedQuadraticModel()
    >>> cqm.set_objective(3 * x[0] + 2 * x[1] + x[2])
    >>> label = cqm.add_constraint(2 * x[0] + 3 * x[1] + x[2] == 3, label="weight")
    >>> found = AnnealingSampler().sample_cqm(cqm, seed=1)
    >>> bool(found.record.is_feasible.all())
    True
    """

    parameters: dict[str, Any] = {}  # noqa: RUF012  of each sampler its own, see __init__
    properties: dict[str, Any] = {}  # noqa: RUF012

    def __init__(self) -> None:
        arguments = inspect.signature(self.sample_cqm).parameters.values()
        self.parameters = {a.name: [] for a in arguments if a.kind is a.KEYWORD_ONLY}
        self.properties = {"default_num_reads": DEFAULT_READS, "max_samples": MAX_SAMPLES}

    def sample(
        self,
        bqm: dimod.BinaryQuadraticModel,
        *,
        num_reads: int | None = None,
        time_limit: float | None = None,
        seed: int | None = None,
        threads: int = 1,
        initial_states: Any = None,
        interrupt_function: Callable[[], bool] | None = None,
        label: Hashable = None,
        **kwargs: Any,
    ) -> dimod.SampleSet:
        """Sample a BQM, BINARY or SPIN, by replica exchange: ``OneHotTemperingSampler.sample``.

        Arguments as ``sample_cqm``, but that ``num_reads`` is by default one, or as many as
        initial states; ``info`` is that of the other sampler.

        Raises:
            InputError, ValueError, TypeError: as the other sampler's.
        """
        self.remove_unknown_kwargs(**kwargs)
        found = OneHotTemperingSampler().sample(
            bqm,
            num_reads=num_reads,
            time_limit=time_limit,
            seed=seed,
            num_threads=threads,
            initial_states=initial_states,
            interrupt_function=interrupt_function,
        )
        _add_label(found.info, label)
        return found

    def sample_cqm(
        self,
        cqm: dimod.ConstrainedQuadraticModel,
        *,
        num_reads: int | None = None,
        time_limit: float | None = None,
        seed: int | None = None,
        threads: int = 1,
        initial_states: Any = None,
        interrupt_function: Callable[[], bool] | None = None,
        label: Hashable = None,
        **kwargs: Any,
    ) -> dimod.SampleSet:
        """Sample a CQM of bits, spins and bounded integers with linear constraints.

        The same seed gives the same samples, for any number of threads, unless the time limit or
        an interruption ends the run. Ctrl-C ends it with the best so far.

        Args:
            cqm: what ``from_cqm`` takes, and SPIN variables.
            num_reads: independent reads. Without, as many as fit into ``time_limit``, or 10;
                of a CQM without objective until one is feasible, or 127.
            time_limit: seconds (wall clock) for the whole call. Reading and presolving the model
                are not cut short, which takes seconds for a million terms.
            seed: a whole number of at least 0; drawn if None.
            threads: reads that run at the same time.
            initial_states: where the first reads start, samples-like over all variables of the
                CQM; of a constraint "exactly one" that they break, a nearest state.
            interrupt_function: asked about 20 times a second; True ends the run.
            label: kept in ``info["problem_label"]``.

        Returns:
            At most ``properties["max_samples"]`` reads, as ``SampleSet.from_samples_cqm`` judges
            them: ``is_feasible``, ``is_satisfied`` by constraint in the order of
            ``info["constraint_labels"]``, and energies, which are the objective and what broken
            soft constraints cost. Feasible ones come first, by energy, then by how much they
            break: ``found.first`` may be infeasible, ``found.filter(lambda d: d.is_feasible)``
            has none of those.

            ``info`` has ``seed``, ``reads`` (made), ``timings`` (s: ``read``, ``model``,
            ``presolve``, ``sampling``, ``judge``, as far as it took them), ``presolve`` (variables
            ``decided``, of ``variables``), ``infeasible`` (what proves that there is no solution,
            else None; samples then break as little as was found), ``weights`` (by constraint, 1 at
            first, as a read of those that break least had learned them at its end; constraints
            that became choices have none), ``timed_out`` and ``interrupted``.

        Raises:
            InputError: for a CQM that ``from_cqm`` refuses, and for arguments out of range.
            ValueError, TypeError: from dimod, for initial states that are no samples.
        """
        self.remove_unknown_kwargs(**kwargs)
        with defer_interrupt():  # once a process, and no part of any time
            compile_propagation(propagate)
        run = _Run(
            reads=None if num_reads is None else whole("num_reads", num_reads, 1),
            seed=secrets.randbits(31) if seed is None else whole("seed", seed, 0),
            threads=whole("threads", threads, 1),
            time_limit=inf if time_limit is None else positive("time_limit", time_limit, "seconds"),
            interrupt=interrupt_function,
        )
        found = run.sampled(cqm, initial_states)
        _add_label(found.info, label)
        return found


def _add_label(info: dict[str, Any], label: Hashable) -> None:
    if label is not None:
        info["problem_label"] = label


@dataclass(slots=True, eq=False)
class _Run:
    """One call of ``sample_cqm``: each stage adds to ``info``."""

    reads: int | None
    seed: int
    threads: int
    time_limit: float
    interrupt: Callable[[], bool] | None
    timings: dict[str, float] = field(default_factory=dict)
    info: dict[str, Any] = field(default_factory=dict)
    began: float = field(default_factory=time.perf_counter)

    def sampled(self, cqm: dimod.ConstrainedQuadraticModel, initial_states: Any) -> dimod.SampleSet:
        """All stages."""
        with stage(self.timings, "read"):
            own = cqm_program(cqm)
        self.info = {
            "seed": self.seed,
            "reads": 1,
            "infeasible": None,
            "timed_out": False,
            "interrupted": False,
            "timings": self.timings,
            "presolve": {"variables": len(own.program.variables), "decided": 0},
            "weights": {},
        }
        starts = None if initial_states is None else _starts(cqm, own, initial_states)
        program = own.program
        is_bits = (program.lower == 0).all() and (program.upper == 1).all()
        tempered = is_bits and program.has_objective and not program.rows
        values, missed = (self._temper if tempered else self._anneal)(own, starts)
        samples = own.samples(values)
        small = abs(samples).max(initial=0) < 2**7
        with stage(self.timings, "judge"):
            found: dimod.SampleSet = dimod.SampleSet.from_samples_cqm(  # type: ignore[no-untyped-call]
                (samples.astype(np.int8 if small else np.int64), cqm.variables),
                cqm,
                info=self.info,
            )
        ranked = found.record[np.lexsort((found.record.energy, missed))]
        return dimod.SampleSet(  # type: ignore[no-untyped-call]
            ranked, found.variables, found.info, found.vartype
        )

    def _seconds_left(self, own: CqmProgram) -> float:
        """For sampling: what judging takes is left out, but at most half."""
        left = self.began + self.time_limit - time.perf_counter()
        return max(0.0, left - min(_JUDGING_S * len(own.labels), left / 2))

    def _temper(
        self, own: CqmProgram, starts: NDArray[Any] | None
    ) -> tuple[IntArray, Sequence[int]]:
        """Values of the reads of replica exchange, (reads, variables), and how much each breaks."""
        program = own.program
        pairs, linear = program.quadratic.tocoo(), program.cost + program.quadratic.diagonal()
        strict = triu(pairs, k=1)
        n = len(linear)
        bqm = dimod.BinaryQuadraticModel.from_numpy_vectors(
            linear,
            (strict.row, strict.col, strict.data),
            program.offset,
            dimod.BINARY,
            variable_order=range(n),
        )
        most = MAX_SAMPLES if self.time_limit < inf else DEFAULT_READS
        with stage(self.timings, "sampling"):
            found = OneHotTemperingSampler().sample(
                bqm,
                num_reads=self.reads or most,
                seed=self.seed,
                time_limit=self._seconds_left(own),
                num_threads=self.threads,
                initial_states=None if starts is None else (starts.astype(np.int8), range(n)),
                interrupt_function=self.interrupt,
            )
        order = [found.variables.index(v) for v in range(n)]
        self.info |= {name: found.info[name] for name in ("timed_out", "interrupted")}
        self.info["reads"] = len(found)
        return found.record.sample[:, order].astype(np.int64), [0] * len(found)

    def _anneal(
        self, own: CqmProgram, starts: NDArray[Any] | None
    ) -> tuple[IntArray, Sequence[int]]:
        """The same of annealing."""
        with stage(self.timings, "model"):
            formulated = own.program.model()
        with stage(self.timings, "presolve"):
            presolved = propagate(formulated)
        model, reads = presolved.model, tuple[Read, ...]()
        if model.choices:
            self._prepare(model)
            with stage(self.timings, "sampling"):
                found = self._reads(own, presolved, starts)
            model, reads = found.form.model, found.reads[:MAX_SAMPLES]
        states = [read.value for read in reads] or [np.zeros(0, dtype=np.int64)]
        if presolved.contradiction is not None:
            method, _, name = presolved.contradiction.partition(": ")
            self.info["infeasible"] = f"{method}: {own.labels.get(name, name)}"
        self.info["presolve"]["decided"] = presolved.cells_decided
        if reads:
            self.info["weights"] = _weights(own, model, reads[0])
        return _painted(model, np.array(states)), [read.energy for read in reads] or [0]

    def _prepare(self, model: Model) -> None:
        """Compile the kernels, once a process and no part of any time."""
        started = time.perf_counter()
        with defer_interrupt():
            compile_annealing(model)
        self.began += time.perf_counter() - started

    def _reads(
        self, own: CqmProgram, presolved: Propagation, starts: NDArray[Any] | None
    ) -> Annealed:
        """The best reads of annealing, of the grouping that does best, or of the first."""
        model, reads = presolved.model, self.reads
        program, seconds = own.program, self._seconds_left(own)
        others = program.alternatives(program.default_formulation) if starts is None else []
        end = time.perf_counter() + seconds
        # A model that is proved to have no solution is not searched for long.
        feasibility = model.objective is None and presolved.contradiction is None
        if reads is None and (seconds == inf or presolved.contradiction):
            reads = _MOST_READS if feasibility else DEFAULT_READS
        first_ends = self.reads is None and feasibility
        _, found = anneal_best(
            [
                lambda: annealing_form(model),
                *(partial(_form, program, formulation) for formulation in others),
            ],
            # A seed of its own: a model made with random numbers of the same seed shall not
            # find them as its start.
            seed=int(np.random.SeedSequence(self.seed, spawn_key=(1,)).generate_state(1)[0]),
            reads=reads,
            time_limit=None if seconds == inf else seconds,
            only_accepted=not first_ends,
            initial_states=None if starts is None else _nearest(model, starts),
            threads=self.threads,
            interrupt_function=self._is_stopped,
        )
        self.info["reads"] = found.n_reads
        self.info["timed_out"] = time.perf_counter() >= end
        self.info["interrupted"] |= found.interrupted
        return found

    def _is_stopped(self) -> bool:
        """Whether the caller wants an end."""
        if self.interrupt is not None and self.interrupt():
            self.info["interrupted"] = True
        return bool(self.info["interrupted"])


def _form(program: Program, formulation: str) -> AnnealingForm:
    """A program's form in some formulation."""
    return annealing_form(propagate(program.model(formulation)).model)


def _view(model: Model) -> View:
    """How a program's model says the values of its variables."""
    return cast("Field", model.field).views[0]


def _painted(model: Model, states: IntArray) -> IntArray:
    """The program's variables, (states, variables), of indices of values, (states, choices)."""
    view, n_literals = _view(model), model.n_literals
    start = np.arange(len(states) + 1) * states.shape[1]
    taken = (states + model.first_literal[:-1]).ravel()
    literals = csr_array(
        (np.ones(len(taken), dtype=np.int64), taken, start), shape=(len(states), n_literals)
    )
    return np.asarray(view.base + (literals @ view.matrix.T).toarray(), dtype=np.int64)


def _nearest(model: Model, values: NDArray[Any]) -> IntArray:
    """Indices of values, (states, choices), that come nearest to variables, (states, variables)."""
    view, choice = _view(model), model.choice_of_literal
    entries, base = view.matrix.tocoo(), view.base
    found = np.zeros((len(values), len(model.choices)), dtype=np.int64)
    for number, wanted in enumerate(values):
        off = wanted[entries.row] - base[entries.row]
        change = np.abs(off - entries.data) - np.abs(off)
        cost = np.bincount(entries.col, change, minlength=model.n_literals)
        least = np.minimum.reduceat(cost, model.first_literal[:-1])
        (best,) = np.nonzero(cost == least[choice])
        found[number] = best[np.unique(choice[best], return_index=True)[1]]
    return found - model.first_literal[:-1]


def _weights(own: CqmProgram, model: Model, read: Read) -> dict[Hashable, float]:
    """The weights of a read's rows at its end, by the constraints' labels."""
    names = [block.labels(row) for block in model.linear for row in range(len(block.lower))]
    learned = zip(names, read.row_weight.tolist(), strict=True)
    return {own.labels[name]: weight for name, weight in learned}


def _starts(cqm: dimod.ConstrainedQuadraticModel, own: CqmProgram, given: Any) -> NDArray[Any]:
    """Given states as values of the program's variables, shape (states, variables)."""
    samples, labels = dimod.as_samples(given)
    known = {label: column for column, label in enumerate(labels)}
    if known.keys() != set(cqm.variables):
        odd = next(iter(known.keys() ^ set(cqm.variables)))
        raise InputError(f"initial_states: other variables than the model has: {odd!s:.60}")
    ordered = samples[:, [known[v] for v in cqm.variables]]
    values, program = own.values(ordered), own.program
    taken = (values >= program.lower) & (values <= program.upper) & (values == np.rint(values))
    for state, v in np.argwhere(~taken).tolist():
        what = f"{cqm.variables[v]!s:.60} has no value {ordered[state, v]:g}"
        raise InputError(f"initial_states: variable {what}")
    return values
