"""What the exact solvers share: answer after answer, until enough, none left, or no time.

Connectivity and cycles come lazily: an assignment that breaks them is answered by clauses that
exclude it and no solution, and the search goes on. No clause comes twice, so that this ends; the
number of cuts is reported.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from math import inf
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile import Compiled
from qubopuzzle.errors import QubopuzzleError, SolverFailed
from qubopuzzle.model import Cut
from qubopuzzle.solvers.base import Budget, Outcome, Progress, ProgressCallback, Proof, Solver
from qubopuzzle.solvers.sampler import first_line, out_of_memory

Sample: TypeAlias = NDArray[np.int8]


class OutOfTime(Exception):
    """The time limit ended a search."""


class Search(ABC):
    """The backend with the model in it."""

    @abstractmethod
    def next(self) -> Sample | None:
        """An assignment that meets everything, or None: there is none.

        Shape (variables,); variables behind the choices' own may be left out.

        Raises:
            OutOfTime: if the time limit came first.
        """

    @abstractmethod
    def exclude(self, sample: Sample, *, answer: bool) -> None:
        """From now on the answer must differ from this sample's, or just some choice."""

    @abstractmethod
    def add(self, cut: Cut) -> None:
        """From now on assignments must meet this clause over the model's literals."""

    def proof(self) -> Proof | None:
        """A proof of the last None, if the options ask for one."""
        return None

    def close(self) -> None:  # noqa: B027
        """End it."""


class CompleteSolver(Solver):
    """A solver that finds an answer or proves that there is none."""

    exact = True
    cuts = True
    default_encoding = None
    default_reads = 1

    @abstractmethod
    def search(self, compiled: Compiled, budget: Budget, options: Mapping[str, Any]) -> Search:
        """Start a search."""

    def solve(
        self,
        compiled: Compiled,
        budget: Budget,
        options: Mapping[str, Any],
        progress: ProgressCallback | None = None,
    ) -> Outcome:
        """Search until there are ``budget.solutions`` different answers, or no more, or no time."""
        found = _Found()
        interrupted = False
        try:
            with closing(self.search(compiled, budget, options)) as search:
                _collect(search, compiled, budget, found, progress)
        except OutOfTime:
            pass
        except KeyboardInterrupt:
            interrupted = True
        except QubopuzzleError:
            raise
        except MemoryError as error:
            raise out_of_memory(self.name, compiled.sizes["variables"]) from error
        except Exception as error:
            raise SolverFailed(f"{self.name}: {first_line(error)}") from error
        none = np.zeros((0, compiled.sizes["variables"]), dtype=np.int8)
        samples = np.array([*found.samples.values()], dtype=np.int8) if found.samples else none
        return Outcome(
            samples,
            np.zeros(len(samples)),
            reads=1,
            infeasible=found.complete and not len(samples),
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


def _collect(
    search: Search,
    compiled: Compiled,
    budget: Budget,
    found: _Found,
    progress: ProgressCallback | None,
) -> None:
    cut_off: Sample | None = None
    while len(found.samples) < budget.solutions:
        if progress is not None:
            progress(Progress(len(found.samples), inf))
        sample = search.next()
        if sample is None:
            found.complete = True
            with suppress(OutOfTime):  # what is proved stays proved without its proof
                found.proof = search.proof()
            return
        broken = compiled.cuts(compiled.decode(sample))
        if broken:
            if cut_off is not None and np.array_equal(sample, cut_off):  # for ever
                raise SolverFailed("a cut did not exclude the assignment that it was made for")
            cut_off = sample
            for cut in broken:
                search.add(cut)
            found.cuts += len(broken)
            continue
        # Where the model leaves rules out, not all that meets it is an answer; another
        # assignment may paint the same cells and break nothing.
        accepted = not compiled.omitted or budget.judge.accepts(sample)
        if accepted:
            found.samples.setdefault(budget.judge.key(sample), sample)
        if len(found.samples) < budget.solutions:
            search.exclude(sample, answer=accepted)
