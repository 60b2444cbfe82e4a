"""``mip``: mixed-integer programming by HiGHS, which SciPy brings along (``scipy.optimize.milp``).

HiGHS cannot be interrupted from outside. What takes it longer than a moment goes to a process
of its own, which Ctrl-C and the time limit end at once. It has no seed: the same rows give the
same answer.
"""

from math import inf

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.errors import SolverFailed
from qubopuzzle.model import UNBOUNDED, Cut, IntArray, IntMatrix
from qubopuzzle.processes import Crashed, Overrun, Worker
from qubopuzzle.solvers.base import Task
from qubopuzzle.solvers.complete import CompleteSolver, OutOfTime, Sample, Search

GRACE_S = 0.3
"""A run that is so late is ended: HiGHS looks at the clock only now and then."""
_MOMENT_S = 0.5
_SMALL_TERMS = 10_000
"""With more, HiGHS may overrun a moment by far."""
_STOPPED = 1
_PROOFS = ("The problem is infeasible", "The problem is unbounded or infeasible")
"""Beginnings of messages; rows over bounded variables leave nothing unbounded."""


def solve_rows(
    matrix: IntMatrix, lower: IntArray, upper: IntArray, tops: IntArray, seconds: float
) -> tuple[int, str, NDArray[np.float64] | None]:
    """Status, message and values, shape (variables,), of ``milp`` for rows as in ``Mip``."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    bounds = np.where(lower <= -UNBOUNDED, -inf, lower), np.where(upper >= UNBOUNDED, inf, upper)
    found = milp(
        np.zeros(len(tops)),
        integrality=np.ones(len(tops)),
        bounds=Bounds(0, tops),
        constraints=LinearConstraint(matrix, *bounds),
        options={"time_limit": seconds},
    )
    return found.status, found.message, found.x


class _MipSearch(Search):
    """Every answer is a run of its own."""

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self._worker: Worker | None = None

    def next_solution(self) -> Sample | None:
        if self.payload.contradiction:
            return None
        if not self.payload.n_variables:
            return np.zeros(0, dtype=np.int8)
        if self.task.seconds_left() <= 0:
            raise OutOfTime
        status, message, values = self._run()
        if values is not None:
            return self._checked(values)
        # A run that the time limit ended has proved nothing, whatever it says.
        if status == _STOPPED or self.task.seconds_left() <= 0:
            raise OutOfTime
        if message.startswith(_PROOFS):
            return None
        raise SolverFailed(f"mip: HiGHS stopped with status {message!r}")

    def add_clause(self, clause: list[int]) -> None:
        self.payload = self.payload.with_clause(clause)

    def add_cut(self, cut: Cut) -> None:
        self.payload = self.payload.with_cut(cut)

    def close(self) -> None:
        if self._worker is not None:
            self._worker.close()

    def _run(self) -> tuple[int, str, NDArray[np.float64] | None]:
        """What ``solve_rows`` returns within the time that is left."""
        payload = self.payload
        for literal in self.assumed:
            payload = payload.with_clause([literal])
        rows = payload.matrix, payload.lower, payload.upper, payload.tops
        left = self.task.seconds_left()
        if self._worker is None:
            if self.payload.matrix.nnz <= _SMALL_TERMS:
                found = solve_rows(*rows, min(left, _MOMENT_S))
                if found[0] != _STOPPED or left <= _MOMENT_S:
                    return found
            self._worker = Worker()
        left = self.task.seconds_left()
        deadline = None if left == inf else left + GRACE_S
        try:
            return self._worker.call(solve_rows, *rows, left, deadline=deadline)
        except Overrun:
            raise OutOfTime from None
        except Crashed as crash:
            raise type(crash)(f"mip: HiGHS {crash.what}", crash.last_line) from None

    def _checked(self, values: NDArray[np.float64]) -> Sample:
        """The bits of the nearest integers, if these really meet all rows and bounds."""
        rounded = np.rint(values).astype(np.int64)
        broken = self.payload.broken(rounded)
        if ((rounded < 0) | (rounded > self.payload.tops)).any() or len(broken):
            row = self.payload.row_labels()[broken[0]] if len(broken) else "a bound"
            raise SolverFailed(
                f"mip: the answer of HiGHS breaks {row} once its numbers are rounded; try "
                "another exact solver"
            )
        return rounded[: self.payload.bits.n_bits].astype(np.int8)


class _Mip(CompleteSolver):
    name = target = "mip"
    search = _MipSearch
    package = "scipy"
    about = "mixed-integer programming: HiGHS, by way of SciPy; no seed"

    def prepare(self) -> None:
        """Import it."""
        import scipy.optimize  # noqa: F401


SOLVER = _Mip()
