"""What the exact solvers share: answer after answer, until enough, none left, or no time.

Connectivity and cycles come lazily: an assignment that breaks them is answered by clauses that
exclude it and no solution, and the search goes on. No clause comes twice, so that this ends; the
number of cuts is reported.

What a model calls likely is assumed at first: a search that need not look elsewhere is shorter.
When nothing is left there, it is assumed no longer, and what was learnt stays.
"""

from abc import ABC, abstractmethod
from contextlib import closing, suppress
from dataclasses import dataclass, field
from math import inf
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.errors import SolverFailed
from qubopuzzle.model import Cut, cuts
from qubopuzzle.solvers.base import Outcome, Proof, Solver, Task, backend_errors

Sample: TypeAlias = NDArray[np.int8]


class OutOfTime(Exception):
    """The time limit ended a search."""


class Search(ABC):
    """The backend with the model of a task in it.

    Attributes:
        assumed: DIMACS literals over the choices' bits that ``next_solution`` has to meet, too.
    """

    def __init__(self, task: Task) -> None:
        self.task, self.payload = task, task.compiled.payload
        self.assumed = self.payload.bits.clause_literals(self.payload.source.likely_literals)

    @abstractmethod
    def next_solution(self) -> Sample | None:
        """An assignment that meets everything and ``assumed``, or None: there is none.

        Shape (variables,); variables behind the choices' own may be left out.

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

    def proof(self) -> Proof | None:
        """A proof that ``next_solution`` returned None rightly, if the options ask for one."""
        return None

    def close(self) -> None:  # noqa: B027
        """End it."""


class CompleteSolver(Solver):
    """A solver that finds an answer or proves that there is none."""

    search: ClassVar[type[Search]]
    exact = True
    supports_cuts = True
    default_encoding = None
    default_reads = 1

    def solve(self, task: Task) -> Outcome:
        """Search until there are ``budget.solutions`` different answers, or no more, or no time."""
        found = _Found()
        interrupted = False
        n = task.compiled.sizes["variables"]
        try:
            with (
                backend_errors(self.name, n),
                suppress(OutOfTime),
                closing(self.search(task)) as search,
            ):
                found.collect(search, task)
        except KeyboardInterrupt:
            interrupted = True
        return Outcome(
            np.array([*found.samples.values()] or np.zeros((0, n)), dtype=np.int8),
            np.zeros(len(found.samples)),
            reads=1,
            infeasible=found.complete and not found.samples,
            interrupted=interrupted,
            settings={"cuts": found.cuts} if found.cuts else {},
            complete=found.complete,
            proof=found.proof,
        )


@dataclass
class _Found:
    """What a search has brought so far; ``cuts`` counts the clauses for graphs."""

    samples: dict[bytes, Sample] = field(default_factory=dict)
    complete: bool = False
    proof: Proof | None = None
    cuts: int = 0

    def collect(self, search: Search, task: Task) -> None:
        """Answer after answer."""
        cut_off: Sample | None = None
        while len(self.samples) < task.budget.solutions:
            task.report(len(self.samples), inf)
            sample = search.next_solution()
            if sample is None and search.assumed:
                search.assumed = []
                continue
            if sample is None:
                self.complete = True
                with suppress(OutOfTime):  # what is proved stays proved without its proof
                    self.proof = search.proof()
                return
            broken = cuts(task.compiled.source, task.compiled.decode(sample))
            if broken:
                if cut_off is not None and np.array_equal(sample, cut_off):  # for ever
                    raise SolverFailed("a cut did not exclude the assignment that it was made for")
                cut_off = sample
                for cut in broken:
                    search.add_cut(cut)
                self.cuts += len(broken)
                continue
            # Where the model leaves rules out, not all that meets it is an answer; another
            # assignment may paint the same cells and break nothing.
            accepted = task.is_answer(sample)
            if accepted:
                self.samples.setdefault(task.judge.key(sample), sample)
            if len(self.samples) < task.budget.solutions:
                search.exclude(sample, answer=accepted)
