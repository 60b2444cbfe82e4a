"""What the exact solvers share: answer after answer, until enough, none left, or no time.

Connectivity and cycles come lazily: an assignment that breaks them is answered by clauses that
exclude it and no solution, and the search goes on. No clause comes twice, so that this ends; the
number of cuts is reported.

What a model calls likely is assumed at first: a search that need not look elsewhere is shorter.
When nothing is left there, it is assumed no longer, and what was learnt stays.

With an objective, each answer is better than the last, until nothing can be better than the best.
Where there are graphs, the first answer is any, so that there is one when time is up.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from math import inf, isfinite, nan
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.base.incumbents import Incumbent, Incumbents
from qubopuzzle.compile.cost import Cost
from qubopuzzle.errors import OutOfTime, SolverFailed
from qubopuzzle.model import Cut, cuts
from qubopuzzle.solvers.base import Outcome, Proof, Solver, Task, backend_errors

Sample: TypeAlias = NDArray[Any]


class Search(ABC):
    """The backend with the model of a task in it.

    Attributes:
        assumed: DIMACS literals over the choices' bits that ``next_solution`` has to meet, too.
        cost: what to minimise; None where any solution will do.
        bound: what no solution's objective can be below, as far as ``next_solution`` proved.
        best: the least objective of an answer so far, which solutions need not be worse than.
        passed: solutions that an interrupted ``next_solution`` had found.
        incumbents: answers that were better than all before them.
    """

    def __init__(self, task: Task) -> None:
        self.task, self.payload = task, task.compiled.payload
        self.assumed = self.payload.bits.clause_literals(self.payload.source.likely_literals)
        self.cost: Cost | None = None
        self.bound, self.best = -inf, inf
        self.passed: list[Sample] = []
        self.incumbents = Incumbents()

    @abstractmethod
    def next_solution(self) -> Sample | None:
        """An assignment that meets everything and ``assumed``, or None: there is none.

        Shape (variables,); variables behind the choices' own may be left out. Where there is a
        ``cost``, it is the best of all, or ``bound`` is below it and the next one may be better;
        None then may mean that there is none better than ``best``.

        Raises:
            OutOfTime: if the time limit came first.
        """

    @abstractmethod
    def add_clause(self, clause: list[int]) -> None:
        """From now on assignments must meet this clause of DIMACS literals."""

    def exclude(self, sample: Sample, *, answer: bool) -> None:
        """Add a blocking clause: the answer must differ from this sample's, or just some choice."""
        self.add_clause(self.payload.bits.blocking_clause(sample, answer=answer))

    def add_cut(self, cut: Cut) -> None:
        """From now on assignments must meet this clause over the model's literals."""
        self.add_clause(self.payload.clause_of(cut))

    def worth(self, sample: Sample) -> float:
        """The objective of a sample; 0 without one."""
        objective = self.payload.source.objective
        return 0.0 if objective is None else objective.value(self.payload.decode(sample))

    def note(self, value: float, bound: float = -inf) -> None:
        """Keep the objective of a solution amid ``next_solution``, if it surely is an answer."""
        if not (self.task.compiled.source.graphs or self.task.compiled.omitted):
            self.incumbents.note(value, bound)

    @property
    def conflicts(self) -> int | None:
        """Conflicts so far; None where the backend does not say."""
        return None

    def is_best(self, sample: Sample) -> None:
        """Keep in mind that nothing that meets everything is better than a sample."""
        if self.cost is not None:
            self.bound = max(self.bound, self.worth(sample))

    def proof(self) -> Proof | None:
        """A proof that ``next_solution`` returned None rightly, if the options ask for one."""
        return None

    def close(self) -> None:  # noqa: B027
        """End it."""


class Reading(Search):
    """A search that proves nothing: attempts with seeds of their own, until enough were in vain.

    Goes before the backend's ``Search`` among the bases of a class.
    """

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self.assumed = []
        self._made = self._in_vain = 0

    @property
    def seed(self) -> int:
        """Of the attempt that is made."""
        return self.task.budget.seed + self._made

    @abstractmethod
    def attempt(self) -> Sample | None:
        """An assignment that meets everything, or None: no more attempts if it raises OutOfTime."""

    def next_solution(self) -> Sample | None:
        """The next one that is better, if there is something to minimise."""
        reads = self.task.budget.reads
        while reads is None or self._in_vain < reads:
            sample = self.attempt()
            self._made += 1
            if not self.payload.sizes["variables"]:
                return sample
            if sample is not None and (self.cost is None or self.worth(sample) < self.best):
                return sample
            self._in_vain += 1
        raise OutOfTime


class CompleteSolver(Solver):
    """A solver that finds an answer or proves that there is none, unless it is not ``exact``."""

    search: ClassVar[type[Search]]
    exact = True
    supports_cuts = True
    default_encoding = None
    default_reads = 1

    def solve(self, task: Task) -> Outcome:
        """Search until there are ``budget.solutions`` different answers, or no more, or no time."""
        answers = _Answers(task)
        interrupted = False
        n = task.compiled.sizes["variables"]
        try:
            with (
                backend_errors(self.name, n),
                suppress(OutOfTime),
                closing(self.search(task)) as search,
            ):
                if task.compiled.has_objective:
                    answers.optimize(search)
                else:
                    answers.collect(search)
        except KeyboardInterrupt:
            interrupted = True
        samples = np.array([*answers.samples.values()] or np.zeros((0, n)))
        small = abs(samples).max(initial=0) < 2**7
        return Outcome(
            samples.astype(np.int8 if small else np.int64),
            np.full(len(answers.samples), answers.best if isfinite(answers.best) else 0.0),
            reads=1,
            infeasible=answers.complete and not answers.samples,
            interrupted=interrupted,
            settings={"cuts": answers.cuts} if answers.cuts else {},
            complete=answers.complete,
            bound=answers.bound if isfinite(answers.bound) else None,
            optimal=answers.optimal,
            incumbents=answers.incumbents,
            proof=answers.proof,
        )


@dataclass
class _Answers:
    """What a search has brought so far; ``cuts`` counts the clauses for graphs.

    ``assignments`` counts all that the backend came upon, those that were cut off among them.

    With an objective there is one sample, the best; ``best`` is its objective.
    """

    task: Task
    samples: dict[bytes, Sample] = field(default_factory=dict)
    complete: bool = False
    proof: Proof | None = None
    cuts: int = 0
    best: float = inf
    bound: float = -inf
    optimal: bool = False
    incumbents: Sequence[Incumbent] = ()
    assignments: int = 0
    _cut_off: Sample | None = None
    _recorded_bound: float = -inf

    def collect(self, search: Search) -> None:
        """Answer after answer."""
        task = self.task
        while len(self.samples) < task.budget.solutions:
            task.report(len(self.samples), inf)
            sample = search.next_solution()
            if sample is None and search.assumed:
                search.assumed = []
                continue
            if sample is None:
                self._finish(search)
                return
            if self._cut(search, sample):
                continue
            # Where the model leaves rules out, not all that meets it is an answer; another
            # assignment may paint the same cells and break nothing.
            accepted = task.is_answer(sample)
            if accepted:
                self.samples.setdefault(task.key(sample), sample)
            if len(self.samples) < task.budget.solutions:
                search.exclude(sample, answer=accepted)

    def optimize(self, search: Search) -> None:
        """Better and better answers."""
        self.incumbents = search.incumbents
        if self.task.compiled.source.graphs:
            self.collect(search)
            for sample in [*self.samples.values()]:
                self._improve(search, sample)
        search.assumed, search.cost = [], self.task.compiled.payload.cost
        try:
            while not (self.optimal or self.complete):
                self.task.report(len(self.samples), self.best)
                self._take(search, search.next_solution())
                self._note(search)
        finally:
            for sample in search.passed:
                if not cuts(self.task.compiled.source, self.task.compiled.decode(sample)):
                    self._take(search, sample)
            self._note(search)
            for sample in self.samples.values():
                self._record(search, sample, again=True)

    def _take(self, search: Search, sample: Sample | None) -> None:
        """What ``next_solution`` returned, where there is an objective."""
        if sample is None and not self.samples:
            self._finish(search)
        elif sample is None:
            search.bound = self.best
        elif self._cut(search, sample):
            return
        elif self.task.is_answer(sample):
            self._improve(search, sample)
        else:
            search.exclude(sample, answer=False)

    def _finish(self, search: Search) -> None:
        """There is no further answer."""
        self.complete = True
        with suppress(OutOfTime):  # what is proved stays proved without its proof
            self.proof = search.proof()

    def _cut(self, search: Search, sample: Sample) -> bool:
        """Record a sample, and say whether it breaks graphs; then it is cut off."""
        self._record(search, sample)
        broken = cuts(self.task.compiled.source, self.task.compiled.decode(sample))
        if not broken:
            return False
        if self._cut_off is not None and np.array_equal(sample, self._cut_off):  # for ever
            raise SolverFailed("a cut did not exclude the assignment that it was made for")
        self._cut_off = sample
        for cut in broken:
            search.add_cut(cut)
        self.cuts += len(broken)
        return True

    def _record(self, search: Search, sample: Sample, *, again: bool = False) -> None:
        """Keep an assignment for whoever wants the course: which it is, or its conflicts.

        And what is proved of the objective; ``again`` is for one whose bound may have risen.
        """
        self.assignments += not again
        track, bound = self.task.track, max(self.bound, search.bound)
        if track is None:
            return
        if bound > self._recorded_bound if again else track.recorder.is_due(self.assignments):
            self._recorded_bound = bound
            where = self.assignments if search.conflicts is None else search.conflicts
            bits = sample[: self.task.compiled.n_bits]  # without auxiliary variables
            track.record(0, where, nan, bits, bound=bound if isfinite(bound) else nan)

    def _improve(self, search: Search, sample: Sample) -> None:
        """Keep an answer if it is the best so far."""
        value = search.worth(sample)
        if value < self.best:
            self.samples = {self.task.key(sample): sample}
            self.best = search.best = value
            search.incumbents.note(value, max(self.bound, search.bound))

    def _note(self, search: Search) -> None:
        """What is proved so far."""
        if search.cost is not None and not self.complete:
            self.bound = min(self.best, max(search.cost.value(0), search.bound))
            self.optimal = search.cost.is_least(self.best, self.bound)
            self.bound = self.best if self.optimal else self.bound
