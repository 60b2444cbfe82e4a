"""What the exact solvers share: answer after answer, until enough, none left, or no time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager
from math import inf
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile import Compiled
from qubopuzzle.errors import QubopuzzleError, SolverFailed
from qubopuzzle.solvers.base import Budget, Outcome, Progress, ProgressCallback, Proof, Solver
from qubopuzzle.solvers.sampler import first_line

Sample: TypeAlias = NDArray[np.int8]


class OutOfTime(Exception):
    """The time limit ended a search."""


class Search(ABC):
    """The backend with the model in it."""

    @abstractmethod
    def next(self) -> Sample | None:
        """An assignment that meets everything, shape (variables,), or None: there is none.

        Raises:
            OutOfTime: if the time limit came first.
        """

    @abstractmethod
    def exclude(self, sample: Sample) -> None:
        """From now on the answer must differ from this sample's."""

    def proof(self) -> Proof | None:
        """A proof of the last None, if the options ask for one."""
        return None


class CompleteSolver(Solver):
    """A solver that finds an answer or proves that there is none."""

    exact = True
    default_encoding = None
    default_reads = 1

    @abstractmethod
    def search(
        self, compiled: Compiled, budget: Budget, options: Mapping[str, Any]
    ) -> AbstractContextManager[Search]:
        """Start a search; the context ends it."""

    def solve(
        self,
        compiled: Compiled,
        budget: Budget,
        options: Mapping[str, Any],
        progress: ProgressCallback | None = None,
    ) -> Outcome:
        """Search until there are ``budget.solutions`` different answers, or no more, or no time."""
        found: dict[bytes, Sample] = {}
        complete = interrupted = False
        proof = None
        try:
            with self.search(compiled, budget, options) as search:
                while len(found) < budget.solutions and not complete:
                    if progress is not None:
                        progress(Progress(len(found), inf))
                    sample = search.next()
                    if sample is None:
                        complete, proof = True, search.proof()
                        continue
                    # Where the model leaves rules out, not all that meets it is an answer.
                    if not compiled.omitted or budget.accepts(sample):
                        found.setdefault(budget.key(sample), sample)
                    search.exclude(sample)
        except OutOfTime:
            pass
        except KeyboardInterrupt:
            interrupted = True
        except (QubopuzzleError, MemoryError):
            raise
        except Exception as error:
            raise SolverFailed(f"{self.name}: {first_line(error)}") from error
        samples = np.zeros((len(found), compiled.sizes["variables"]), dtype=np.int8)
        for row, sample in enumerate(found.values()):
            samples[row] = sample
        return Outcome(
            samples,
            np.zeros(len(found)),
            reads=1,
            infeasible=complete and not found,
            interrupted=interrupted,
            complete=complete,
            proof=proof,
        )
