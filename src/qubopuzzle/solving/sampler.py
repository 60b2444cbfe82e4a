"""The dimod surface of the annealer: ``AnnealingSampler``."""

from __future__ import annotations

import inspect
import secrets
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, cast

import dimod
import numpy as np
from dimod.core.sampler import Sampler
from numpy.typing import NDArray

from qubopuzzle.answer import parts
from qubopuzzle.base.checks import positive, whole
from qubopuzzle.base.timing import stage
from qubopuzzle.compile import Compiled
from qubopuzzle.errors import InputError
from qubopuzzle.model import Field, IntArray, Model
from qubopuzzle.programs.dimod_models import CqmProgram, cqm_program
from qubopuzzle.solvers.base import Progress
from qubopuzzle.solving.settings import Settings
from qubopuzzle.solving.solve import Built, Run

DEFAULT_READS = 10
"""Reads of a CQM with an objective, where neither their number nor the time is said."""
MAX_SAMPLES = 100
_JUDGING_S = 1e-4
"""About what dimod takes to judge a constraint, of all samples."""
_STAGES = {"load": "read", "solve": "sampling", "decode": "judge"}
"""Stages of ``solve`` that ``info`` has by other names."""

_Reads = tuple[IntArray, dict[str, Any]]
"""Values that reads end in, (reads, variables of the program), and what ``info`` has of them."""


class AnnealingSampler(Sampler):
    """Simulated annealing of constrained models, with no penalty to tune.

    ``sample_cqm`` anneals the constraints themselves: rows "exactly one" and "at most one" become
    choices that no sample breaks, the others have weights that learn, see docs/annealer.md.
    Without constraints, its temperature falls, or it makes a tabu search.

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
        """Sample a BQM, BINARY or SPIN; arguments and ``info`` are those of ``sample_cqm``.

        Raises:
            InputError, ValueError, TypeError: as ``sample_cqm``, and for what is no BQM.
        """
        if not isinstance(bqm, dimod.BinaryQuadraticModel):
            kind = type(bqm).__name__
            raise InputError(
                f"expected a dimod.BinaryQuadraticModel, got {kind}; a CQM is for sample_cqm"
            )
        sampled = self.sample_cqm(
            dimod.ConstrainedQuadraticModel.from_bqm(bqm),
            num_reads=num_reads,
            time_limit=time_limit,
            seed=seed,
            threads=threads,
            initial_states=initial_states,
            interrupt_function=interrupt_function,
            label=label,
            **kwargs,
        )
        sampleset: dimod.SampleSet = dimod.SampleSet.from_samples_bqm(  # type: ignore[no-untyped-call]
            (sampled.record.sample, sampled.variables), bqm, info=sampled.info
        )
        return sampleset

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
            threads: reads that run at the same time, up to 256.
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
            ``presolve``, ``compile``, ``sampling``, ``judge``, as far as it took them, and
            ``prepare``: imports and kernels, once a process, beside the time limit), ``presolve``
            (variables ``decided``, of ``variables``), ``infeasible`` (what proves that there is no
            solution, else None; samples then break as little as was found), ``weights`` (by
            constraint, 1 at first, as a read of those that break least had learned them at its
            end; constraints that became choices have none), ``timed_out`` and ``interrupted``.

        Raises:
            InputError: for a CQM that ``from_cqm`` refuses, and for arguments out of range.
            ValueError, TypeError: from dimod, for initial states that are no samples.
        """
        self.remove_unknown_kwargs(**kwargs)
        call = _Call(
            reads=None if num_reads is None else whole("num_reads", num_reads, 1),
            seed=secrets.randbits(31) if seed is None else whole("seed", seed, 0),
            threads=whole("threads", threads, 1, 256),
            time_limit=inf if time_limit is None else positive("time_limit", time_limit, "seconds"),
            interrupt=interrupt_function,
        )
        sampleset = call.sampled(cqm, initial_states)
        _add_label(sampleset.info, label)
        return sampleset


def _add_label(info: dict[str, Any], label: Hashable) -> None:
    if label is not None:
        info["problem_label"] = label


@dataclass(slots=True, eq=False)
class _Call:
    """One call of ``sample_cqm``; ``seconds`` are those of its stages, as ``solve`` names them."""

    reads: int | None
    seed: int
    threads: int
    time_limit: float
    interrupt: Callable[[], bool] | None
    seconds: dict[str, float] = field(default_factory=dict)
    began: float = field(default_factory=time.perf_counter)

    def sampled(self, cqm: dimod.ConstrainedQuadraticModel, initial_states: Any) -> dimod.SampleSet:
        """All stages."""
        with stage(self.seconds, "load"):
            source = cqm_program(cqm)
        starts = None if initial_states is None else _starts(cqm, source, initial_states)
        program = source.program
        values, info = self._anneal(source, starts)
        # What an equality defines may lie beyond its bounds, which breaks the equality instead.
        samples = source.samples(np.clip(values, program.lower, program.upper))
        small = abs(samples).max(initial=0) < 2**7
        with stage(self.seconds, "decode"):
            sampleset: dimod.SampleSet = dimod.SampleSet.from_samples_cqm(  # type: ignore[no-untyped-call]
                (samples.astype(np.int8 if small else np.int64), cqm.variables), cqm
            )
        # Infeasible ones stay in their order: by how much they break.
        broken = ~sampleset.record.is_feasible
        order = np.lexsort((np.where(broken, 0, sampleset.record.energy), broken))
        timings = {_STAGES.get(name, name): s for name, s in self.seconds.items()}
        about = {"seed": self.seed, "timings": timings, "infeasible": None, "weights": {}}
        info = {**sampleset.info, **about, **info}
        return dimod.SampleSet(  # type: ignore[no-untyped-call]
            sampleset.record[order], sampleset.variables, info, sampleset.vartype
        )

    def _seconds_left(self, source: CqmProgram) -> float:
        """For sampling: what judging takes is left out, but at most half."""
        began = self.began + self.seconds.get("prepare", 0.0)
        left = began + self.time_limit - time.perf_counter()
        return max(0.0, left - min(_JUDGING_S * len(source.labels), left / 2))

    def _anneal(self, source: CqmProgram, starts: NDArray[Any] | None) -> _Reads:
        """By the pipeline of ``solve`` with the annealer, up to its samples."""
        program, name = source.program, source.program.default_formulation
        # A seed of its own: a model made with random numbers of the same seed shall not
        # find them as its start.
        seed = int(np.random.SeedSequence(self.seed, spawn_key=(1,)).generate_state(1)[0])
        options = {"threads": self.threads, "every_read": int(self.reads is not None)}
        solver, chosen = Settings(formulation=name, seed=seed, options=options).resolved()
        run = Run(program, solver, chosen, self.seconds, anyway=True)
        built = cast("Built", run.build())  # no result: what has no solution is sampled, too
        if starts is None:
            run.others = program.alternatives(name)
        else:
            run.starts = _nearest(built.model, starts)
        presolved, seconds, reads = built.judge.presolved, self._seconds_left(source), self.reads
        end, why = time.perf_counter() + seconds, presolved.contradiction
        # A model that is proved to have no solution is not searched for long.
        if reads is None and (seconds == inf or why):
            few = program.has_objective or why
            reads = DEFAULT_READS if few else solver.default_reads
        limit = None if seconds == inf else seconds
        budget = replace(chosen.budget, reads=reads, time_limit=limit)
        samples, _ = run.sample(built, budget, self._ask)
        outcome, model = samples.outcome, samples.compiled.source
        return _painted(samples.compiled, outcome.samples[:MAX_SAMPLES]), {
            "reads": max(1, outcome.reads),
            "presolve": {"variables": presolved.cells, "decided": presolved.cells_decided},
            "infeasible": None if why is None else _labelled(source, why),
            "weights": _weights(source, model, outcome.row_weight),
            "timed_out": time.perf_counter() >= end,
            "interrupted": outcome.interrupted,
        }

    def _ask(self, _: Progress) -> None:
        """End the search if the caller wants that."""
        if self.interrupt is not None and self.interrupt():
            raise KeyboardInterrupt


def _labelled(source: CqmProgram, contradiction: str) -> str:
    """What presolving proved, with the label that the constraint has in the CQM."""
    method, _, name = contradiction.partition(": ")
    return f"{method}: {source.labels.get(name, name)}"


def _painted(compiled: Compiled, samples: NDArray[np.int8]) -> IntArray:
    """The program's variables, (samples, variables), of samples, (samples, literals)."""
    field = cast("Field", compiled.source.field)
    view = field.views[0]
    some = (compiled.decode(samples[part]) for part in parts(*samples.shape))
    return np.concatenate([field.filled(view.base + (view.matrix @ x.T).T) for x in some])


def _nearest(model: Model, values: NDArray[Any]) -> IntArray:
    """Literals, (states, literals), of the values that come nearest to (states, variables)."""
    view, choice = cast("Field", model.field).views[0], model.choice_of_literal
    entries, base = view.matrix.tocoo(), view.base
    nearest = np.zeros((len(values), model.n_literals), dtype=np.int64)
    for state, wanted in zip(nearest, values, strict=True):
        off = wanted[entries.row] - base[entries.row]
        change = np.abs(off - entries.data) - np.abs(off)
        cost = np.bincount(entries.col, change, minlength=model.n_literals)
        least = np.minimum.reduceat(cost, model.first_literal[:-1])
        (best,) = np.nonzero(cost == least[choice])
        state[best[np.unique(choice[best], return_index=True)[1]]] = 1
    return nearest


def _weights(
    source: CqmProgram, model: Model, weight: NDArray[np.float32] | None
) -> dict[Hashable, float]:
    """The weights of a model's rows, if there are any, by the constraints' labels."""
    if weight is None:
        return {}
    names = [block.labels(row) for block in model.linear for row in range(len(block.lower))]
    return {source.labels[name]: w for name, w in zip(names, weight.tolist(), strict=True)}


def _starts(cqm: dimod.ConstrainedQuadraticModel, source: CqmProgram, given: Any) -> NDArray[Any]:
    """Given states as values of the program's variables, shape (states, variables)."""
    samples, labels = dimod.as_samples(given)
    known = {label: column for column, label in enumerate(labels)}
    if known.keys() != set(cqm.variables):
        odd = next(iter(known.keys() ^ set(cqm.variables)))
        raise InputError(f"initial_states: other variables than the model has: {odd!s:.60}")
    ordered = samples[:, [known[v] for v in cqm.variables]]
    values, program = source.values(ordered), source.program
    taken = (values >= program.lower) & (values <= program.upper) & (values == np.rint(values))
    for state, v in np.argwhere(~taken).tolist():
        what = f"{cqm.variables[v]!s:.60} has no value {ordered[state, v]:g}"
        raise InputError(f"initial_states: variable {what}")
    return values
