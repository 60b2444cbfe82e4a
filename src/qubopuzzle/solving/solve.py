"""load -> model -> presolve -> compile -> solve -> decode -> judge."""

import platform
import time
import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from os import PathLike
from typing import Any, Unpack, cast

from qubopuzzle.answer import Answer, Judge
from qubopuzzle.base.incumbents import Incumbent
from qubopuzzle.base.recorder import Recorder, Track
from qubopuzzle.base.signals import defer_interrupt
from qubopuzzle.base.timing import stage
from qubopuzzle.compile import (
    DEFAULT_ENCODING,
    ROW_TARGETS,
    Compiled,
    check_weights,
    compile_rows,
    encode_choices,
)
from qubopuzzle.compile.rows import Rows
from qubopuzzle.errors import (
    InputError,
    PlanExceeded,
    TimeLimitWarning,
    TooLarge,
    Unsatisfiable,
)
from qubopuzzle.model import IntArray, Model, ModelBuilder, Propagation, probe, with_cuts
from qubopuzzle.model.propagation import TURN, compile_kernels
from qubopuzzle.problem import Problem
from qubopuzzle.solvers.base import (
    Budget,
    Progress,
    ProgressCallback,
    Solver,
    Task,
    installed_version,
)
from qubopuzzle.solvers.lazy import solve_lazily
from qubopuzzle.solvers.sampler import LATE_S
from qubopuzzle.solving.loading import Source, problem_of
from qubopuzzle.solving.result import Attempt, Result, Status
from qubopuzzle.solving.samples import Samples
from qubopuzzle.solving.settings import INTERLEAVE, Fields, Settings

FIRST_TURN_S = 10.0
"""Of a first attempt by a solver that goes on until it has a proof; see ``_in_turns``."""
_LEAST_S = 1e-3
"""What a search gets of a time limit that is over."""
_JUDGED = 100
"""Samples of a solver, the best ones, that are judged when an answer is looked for."""
_VERSIONS = ("qubopuzzle", "numpy", "scipy", "dimod")
_STAGES = ("load", "model", "presolve", "compile", "prepare", "solve", "decode")


def solve(
    problem: Source,
    settings: Any = None,
    *,
    progress: ProgressCallback | bool | None = None,
    trace: Any = None,
    load_s: float = 0.0,
    **fields: Unpack[Fields],
) -> Result:
    """Solve one problem and judge the answer.

    Where the problem names a likely formulation (numberlinks: every cell is used) and no other is
    asked for, it is tried first, within half of the budget; see ``result.attempt``.

    >>> from qubopuzzle import ModelBuilder, solve
    >>> b = ModelBuilder()
    >>> x, y = b.choice("x", range(3)), b.choice("y", range(3))
    >>> b.precedence("order", [x], [y], [2])
    >>> solve(b.build(), seed=1).values
    {'x': 0, 'y': 2}
    >>> solve(b.build(), "sat", solutions=None).complete
    True

    Args:
        problem: a puzzle, a model, or a file that holds exactly one.
        settings: a ``Settings``, or a solver, as in its field ``solver``; the annealer without.
        fields: of ``Settings``, by name: ``solver``, ``formulation``, ``encoding``, ``presolve``,
            ``weights``, ``reads``, ``seed``, ``time_limit``, ``options``, ``solutions``.
        progress: called with the reads and the best energy so far, and a KeyboardInterrupt from it
            ends the search as Ctrl-C does; True shows a bar, on a terminal and in notebooks that
            have ipywidgets.
        trace: keep states on the way for ``result.trace``: a number N for every N-th sweep,
            ``"N/s"`` for as many in a second, True for each; of many every other one goes, again
            and again. Or a ``Recorder``. The answer is the same with and without.
        load_s: seconds that reading the instance took, for the record.

    Raises:
        InputError: for anything asked for that does not exist or cannot be used.
        TooLarge: if the model or the solver refuses this size; PlanExceeded, which is one,
            if the plan of a service does.
        SolverUnavailable, SolverFailed: if the backend is missing or breaks off.
    """
    started, source = time.perf_counter(), problem_of(problem)
    if isinstance(problem, str | PathLike):
        load_s = time.perf_counter() - started
    asked = Settings.of(settings, fields)
    backend, chosen = asked.resolved()
    is_plain = chosen.keeps_rows and not (chosen.encoding or chosen.weights)
    takes_rows = backend.target_for(chosen.options) in ROW_TARGETS and chosen.solutions == 1
    rows = source.as_rows() if is_plain and takes_rows else None
    usual = backend.formulation_of(source) if rows is None else "bits"
    name = chosen.formulation or usual
    chosen = replace(chosen, formulation=name)
    run = Run(source, backend, chosen, {"load": load_s}, recorder=Recorder.of(trace), rows=rows)
    if (why := source.contradiction) is not None:
        return run.contradictory(why)
    likely = None
    if asked.formulation is None:  # else it is this one that is asked for
        with stage(run.seconds, "model"):
            run.others = source.alternatives(name) if backend.tries_alternatives else []
        takes_turns = backend.takes_turns(chosen.budget, chosen.options)
        likely = source.likely_formulation(name) if takes_turns else None
    shown: AbstractContextManager[Any] = nullcontext(progress or None)
    if progress is True:
        from qubopuzzle.solving import bars

        shown = bars.solving(source.id or source.name, asked.reads, asked.time_limit)
    with shown as callback:
        if likely is None:
            return run.search(chosen.budget, callback)
        return _in_turns(run, *likely, callback)


def _go_on(progress: ProgressCallback, reads_before: int, now: Progress) -> None:
    """Tell of reads that come after others."""
    progress(replace(now, reads=reads_before + now.reads))


def _in_turns(run: "Run", formulation: str, asks: str, progress: ProgressCallback | None) -> Result:
    """The result of a first attempt in a likely formulation, or that of the problem itself.

    The attempt has half of the time limit, and of the reads where a solver makes several; the
    problem has the rest. A solver that would search until it has a proof, without a time limit,
    does the two in turns, which get longer: neither has to wait until the other has ended.
    """
    budget, exact = run.settings.budget, run.solver.exact
    attempt = replace(run.settings, formulation=formulation)
    first = replace(run, settings=attempt, others=[], first=True)
    most = rest = budget.reads
    if most is not None and not exact:
        most, rest = most - most // 2, most // 2
    limit = budget.time_limit
    turn_s = limit / 2 if limit is not None else FIRST_TURN_S if exact else None
    first_try, reads = Attempt(formulation, asks), 0
    while True:
        if first_try.status == "unknown":
            before = run.searched_s
            try:
                tried = first.search(replace(budget, reads=most, time_limit=turn_s), progress)
            except TooLarge:
                return run.search(budget, progress)
            spent = first_try.seconds + run.searched_s - before
            first_try = replace(first_try, status=tried.status, seconds=spent)
            reads += tried.reads
            over = limit is not None and spent >= limit and first_try.status == "unknown"
            if tried.valid or tried.interrupted or over:
                return replace(tried, attempt=first_try)
        own_s = turn_s if first_try.status == "unknown" else None
        own_s = own_s if limit is None else max(limit - first_try.seconds, _LEAST_S)
        result = run.search(replace(budget, reads=rest, time_limit=own_s), progress, reads)
        if own_s is None or limit is not None or result.status != "unknown" or result.interrupted:
            return replace(result, attempt=first_try, reads=reads + result.reads)
        reads += result.reads
        turn_s = 2 * own_s


def _status(valid: bool, best: bool, proved_none: bool) -> Status:
    """That of a result, see there."""
    if valid:
        return "optimal" if best else "feasible"
    return "infeasible" if proved_none else "unknown"


def _from_start(
    noted: Sequence[Incumbent], shift: float, sign: int, *, proves: bool
) -> tuple[Incumbent, ...]:
    """A solver's incumbents, by seconds of the run and in the problem's own direction.

    With their bounds, if what the solver proves holds of the problem.
    """
    return tuple(
        replace(
            each,
            seconds=each.seconds + shift,
            value=None if each.value is None else sign * each.value + 0.0,  # no -0.0
            bound=sign * each.bound if proves and each.bound is not None else None,
        )
        for each in noted
    )


@dataclass(frozen=True, slots=True)
class Built:
    """A model, ready to be searched."""

    model: Model
    compiled: Compiled
    judge: Judge
    target: str
    lazy: bool


@dataclass
class Run:
    """One solve: ``search`` goes through all stages, of which building comes once.

    Attributes:
        settings: resolved, with a formulation.
        seconds: of its stages.
        others: formulations that the solver may try beside it.
        first: whether it is a first attempt: what it proves is of its own model.
        anyway: whether a model is searched that presolving proves to have no solution.
        rows: what the solver takes in place of the model, which is the same.
        starts: where the first reads start, see ``Task``.
    """

    problem: Problem
    solver: Solver
    settings: Settings
    seconds: dict[str, float]
    _: KW_ONLY
    recorder: Recorder | None = None
    others: list[str] = field(default_factory=list)
    first: bool = False
    anyway: bool = False
    rows: Rows | None = None
    starts: IntArray | None = None
    built: Built | Result | None = None

    @property
    def searched_s(self) -> float:
        """Seconds that count as the time limit's."""
        return sum(self.seconds.get(name, 0.0) for name in ("solve", "decode"))

    @property
    def spent_s(self) -> float:
        """Seconds of the run so far, building included."""
        return self.searched_s + sum(
            self.seconds.get(name, 0.0) for name in ("model", "presolve", "compile")
        )

    def build(self) -> Built | Result:
        """What is searched; the result if that needs no search."""
        with stage(self.seconds, "model"):
            whole = self.problem.model(self.settings.formulation)
        if whole.objective is not None and self.settings.solutions > 1:
            raise InputError(
                "several solutions are for problems without objective, which asks for the best "
                "one; ask for one solution (solutions=1; no --all, no --unique), or leave the "
                "objective out"
            )
        with stage(self.seconds, "prepare"), defer_interrupt():
            self.settings.prepare(whole)
        presolved = self._presolved(whole)
        model = presolved.model
        restricted = whole.restricted and not self.first
        if presolved.contradiction is not None and not (restricted or self.anyway):
            return self._proved(presolved, presolved.contradiction)
        if model.choices:
            with stage(self.seconds, "prepare"), defer_interrupt():
                self.solver.prepare(model)
        target = self.solver.target_for(self.settings.options)
        # Connectivity and cycles come round by round where the solver knows neither.
        lazy = bool(model.graphs) and not (self.solver.supports_cuts or self.solver.exact)
        try:
            with stage(self.seconds, "compile"):
                first = with_cuts(model, []) if lazy else model
                compiled = (
                    self.settings.compile(first, target)
                    if self.rows is None
                    else compile_rows(self.rows, first, target)
                )
                if not self.solver.weighs:
                    compiled.payload  # noqa: B018 - made here, not in the solver's time
        except Unsatisfiable as error:
            if restricted:
                raise
            return self._proved(presolved, f"compilation: {error}")
        try:
            task = self._task(compiled)
            self.solver.check_size(task)
        except PlanExceeded as error:
            if self.first:  # nobody is told
                raise
            from qubopuzzle.solving.info import what_fits

            remedy = what_fits(self.problem, self.settings, target, error.limit)
            raise PlanExceeded(f"{error}; {remedy}", error.limit) from None
        if self.settings.time_limit is not None and self.solver.may_overrun(task):
            warnings.warn(
                f"solver {self.solver.name} cannot be stopped amid a read of this model, and may "
                "overrun the time limit",
                TimeLimitWarning,
                stacklevel=4,
            )
        return Built(model, compiled, Judge(self.problem, presolved, compiled), target, lazy)

    def search(
        self, budget: Budget, progress: ProgressCallback | None, reads_before: int = 0
    ) -> Result:
        """Solve within a budget, as far as it takes; after so many reads of a first attempt."""
        if self.built is None:
            self.built = self.build()
        if isinstance(self.built, Result):
            return self.built
        return self._judged(*self.sample(self.built, budget, progress, reads_before))

    def sample(
        self,
        built: Built,
        budget: Budget,
        progress: ProgressCallback | None = None,
        reads_before: int = 0,
    ) -> tuple[Samples, Task]:
        """What the solver finds within a budget, and its task."""
        if reads_before and progress is not None:
            progress = partial(_go_on, progress, reads_before)
        judge, compiled = built.judge, built.compiled
        made = [judge]
        tries = [partial(self._alternative, name, built.target, made) for name in self.others]
        task = replace(
            self._task(compiled, judge),
            budget=budget,
            progress=progress,
            alternatives=tries,
            starts=self.starts,
            track=self._track(judge, reads_before),
        )
        with stage(self.seconds, "solve"):
            if built.lazy:
                compiling = partial(self.settings.compile, target=built.target)
                compiled, outcome = solve_lazily(self.solver, built.model, task, compiling)
            else:
                outcome = self.solver.solve(task)
        if outcome.alternative:
            judge = made[outcome.alternative]
            compiled = cast("Compiled", judge.bits)
            self.settings = replace(self.settings, formulation=self.others[outcome.alternative - 1])
        about = {"problem": self.problem.id, **self._about(compiled.encoding)}
        return Samples(replace(judge, bits=compiled), compiled, outcome, about), task

    def _alternative(self, formulation: str, target: str, made: list[Judge]) -> Task:
        """The task in another formulation; its judge is added to ``made``."""
        presolved = self._presolved(self.problem.model(formulation))
        compiled = self.settings.compile(presolved.model, target)
        made.append(Judge(self.problem, presolved, compiled))
        return replace(self._task(compiled, made[-1]), track=self._track(made[-1]))

    def _presolved(self, whole: Model) -> Propagation:
        """A model after presolving; the first turn of probing comes before that of annealing."""

        def prepare() -> None:
            with stage(self.seconds, "prepare"), defer_interrupt():
                compile_kernels(probe)

        with stage(self.seconds, "presolve"):
            if self.settings.presolve == INTERLEAVE:
                return probe(whole, TURN, prepare)
            return self.settings.presolve_model(whole)

    def _task(self, compiled: Compiled, judge: Judge | None = None) -> Task:
        """What is asked of the solver."""
        settings = self.settings
        interleaved = settings.presolve == INTERLEAVE
        return Task(
            compiled,
            settings.budget,
            settings.options,
            judge,
            interleaved=interleaved,
            until_proof=not self.anyway,
        )

    def _track(self, judge: Judge, reads_before: int = 0) -> Track | None:
        """What keeps states of the model that ``judge`` judges."""
        if self.recorder is None:
            return None
        return Track(self.recorder, judge, reads_before=reads_before)

    def _proved(self, presolved: Propagation, why: str) -> Result:
        """There is no solution, and no solver was needed."""
        return replace(self._plain(presolved), status="infeasible", proved_by=why, complete=True)

    def contradictory(self, why: str) -> Result:
        """The instance itself says that there is no solution, and it has no model."""
        self.problem.check_formulation(str(self.settings.formulation))
        self.settings = replace(self.settings, presolve="none", weights={})
        return self._proved(Propagation.none(ModelBuilder().build()), f"clues: {why}")

    def _judged(self, samples: Samples, task: Task) -> Result:
        """What the judge says of a solver's outcome, decoded."""
        ended, spent = time.perf_counter(), self.spent_s
        judge, compiled, outcome = samples.judge, samples.compiled, samples.outcome
        until = time.perf_counter() + task.seconds_left() + LATE_S
        with stage(self.seconds, "decode"):
            n = max(_JUDGED, self.settings.solutions)
            answers = zip(outcome.samples[:n], outcome.energies[:n].tolist(), strict=True)
            best_answers, all_valid = judge.judge_all(answers, self.settings.solutions, until)
        solved = bool(best_answers) and best_answers[0].valid
        by = self.solver.name if compiled.sizes.get("variables") else "compilation"
        restricted = compiled.restricted and not self.first
        probed = outcome.probing and outcome.probing.result()
        by = (probed and probed.contradiction) or by
        proved = by if outcome.infeasible and not restricted and not solved else None
        # A sample that is rejected means that the model is not the problem: no proof of it.
        complete = outcome.complete and not compiled.restricted and all_valid
        exact = not (compiled.restricted or compiled.omitted)
        valued = solved and best_answers[0].objective is not None
        decided = outcome.optimal or not compiled.sizes.get("variables")
        best = not valued or (exact and decided)  # of what is valid, as far as it is known
        sign = -1 if self.problem.maximize else 1
        bound = None if outcome.bound is None or not exact else sign * outcome.bound
        noted = outcome.incumbents if solved else ()
        on_the_way = _from_start(noted, spent - ended, sign, proves=exact)
        bound = best_answers[0].objective if valued and best else bound
        return replace(
            self._plain(judge.presolved, probed),
            encoding=compiled.encoding,
            status=_status(solved, best, bool(proved)),
            answers=() if proved else tuple(best_answers),
            sizes=compiled.sizes,
            reads=outcome.reads,
            settings={**self.settings.options, **outcome.settings},
            interrupted=outcome.interrupted,
            proved_by=proved,
            complete=complete or bool(proved),
            proof=outcome.proof if complete else None,
            sampled=samples if len(outcome.samples) else None,
            states=() if self.recorder is None else tuple(self.recorder.states),
            bound=bound,
            incumbents=(*on_the_way, self._last(best_answers, bound)),
            service_s=outcome.service_s,
            course=outcome.course,
        )

    def _last(self, answers: list[Answer], bound: float | None) -> Incumbent:
        """The best answer, if there is one, now that it is judged."""
        if not answers:
            return Incumbent(self.spent_s, None, bound, feasible=False)
        best = answers[0]
        value = best.objective if best.valid else best.invalid_objective
        return Incumbent(self.spent_s, value, bound, best.valid)

    def _about(self, encoding: str | None) -> dict[str, Any]:
        """What was run, for the record."""
        return {
            "solver": self.solver.name,
            "seed": self.settings.seed,
            "formulation": self.settings.formulation,
            "encoding": encoding,
            "presolve": self.settings.presolve,
        }

    def _plain(self, presolved: Propagation, probed: Propagation | None = None) -> Result:
        """What is known without an outcome."""
        settings, whole = self.settings, presolved.whole
        checked = check_weights(whole.families, settings.weights)
        return Result(
            problem=self.problem,
            solver=self.solver.name,
            formulation=settings.formulation or "",
            encoding=settings.encoding,
            weights={family: checked[family] for family in settings.weights},
            status="unknown",
            sizes={"variables": 0, "couplings": 0},
            timings_s={stage: self.seconds.get(stage, 0.0) for stage in _STAGES},
            seed=self.settings.budget.seed,
            relaxed=(*whole.omitted, *whole.restricted),
            presolve=None if settings.presolve == "none" else self._numbers(presolved, probed),
            settings=self.settings.options,
            wanted=settings.solutions,
            versions={
                "python": platform.python_version(),
                **{name: installed_version(name) or "not installed" for name in _VERSIONS},
                **self.solver.versions(),
            },
        )

    def _numbers(self, presolved: Propagation, probed: Propagation | None) -> dict[str, Any]:
        """What presolving did, before the search and in turns with it."""
        last = probed or presolved
        before, after = (
            encode_choices(model, self.settings.encoding or DEFAULT_ENCODING).n_bits
            for model in (presolved.whole, last.model)
        )
        return {
            "method": self.settings.presolve,
            "contradiction": last.contradiction,
            "variables_before": before,
            "variables_after": after,
            "cells": last.cells,
            "cells_decided": last.cells_decided,
            "probes": presolved.probes + (probed.probes if probed else 0),
            "complete": last.complete,
        }
