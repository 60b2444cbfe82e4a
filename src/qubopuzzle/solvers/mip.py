"""``mip``: mixed-integer programming by HiGHS, which SciPy brings along (``scipy.optimize.milp``).

HiGHS cannot be interrupted from outside. What takes it longer than a moment goes to a process
of its own, which Ctrl-C and the time limit end at once. It has no seed: the same rows give the
same answer.

With an objective and no time limit, runs get longer and longer: Ctrl-C then has the answer of the
last one to return.
"""

from abc import abstractmethod
from math import inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.base.processes import Crashed, Overrun, Worker
from qubopuzzle.compile import Mip
from qubopuzzle.compile.mip import RowArrays
from qubopuzzle.errors import OutOfTime, SolverFailed
from qubopuzzle.model import Cut, Model
from qubopuzzle.model.data import LARGEST_IN_DOUBLES
from qubopuzzle.solvers.base import Task
from qubopuzzle.solvers.complete import CompleteSolver, Sample, Search

GRACE_S = 0.3
"""A run that is so late is ended: HiGHS looks at the clock only now and then."""
_MOMENT_S = 0.5
_SMALL_TERMS = 10_000
"""With more, HiGHS may overrun a moment by far."""
_FIRST_RUN_S, _LONGER = 8.0, 4
_HEAVIEST = 1e6
_OPTIMAL, _STOPPED = 0, 1
_PROOFS = ("The problem is infeasible", "The problem is unbounded or infeasible")
"""Beginnings of messages; rows over bounded variables leave nothing unbounded."""


def solve_rows(
    rows: RowArrays, seconds: float, cost: NDArray[np.float64] | None = None
) -> tuple[int, str, NDArray[np.float64] | None, float]:
    """Status, message, values, shape (variables,), and bound of ``milp`` for rows.

    ``cost`` (variables,) is minimised; the bound, of this alone, is -inf where there is none.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    result = milp(
        np.zeros(len(rows.lower)) if cost is None else cost,
        integrality=np.ones(len(rows.lower)),
        bounds=Bounds(rows.lower, rows.upper),
        constraints=LinearConstraint(rows.matrix, rows.row_lower, rows.row_upper),
        options={"time_limit": seconds, **({} if cost is None else {"mip_rel_gap": 0})},
    )
    bound = result.get("mip_dual_bound")
    return result.status, result.message, result.x, -inf if bound is None else float(bound)


class RowSearch(Search):
    """Rows that grow; every answer is a run of its own, which ``search`` is."""

    def next_solution(self) -> Sample | None:
        """At once where nothing is to be searched."""
        if self.payload.contradiction:
            return None
        if not self.payload.n_variables:
            return np.zeros(0, dtype=np.int8)
        return self.search()

    @abstractmethod
    def search(self) -> Sample | None:
        """What ``next_solution`` returns where there are variables."""

    def add_clause(self, clause: list[int]) -> None:
        """Add a row."""
        self.payload = self.payload.with_clause(clause)

    def add_cut(self, cut: Cut) -> None:
        """Add a row."""
        self.payload = self.payload.with_cut(cut)

    def checked(self, values: NDArray[np.float64], who: str) -> Sample:
        """The bits of the nearest integers, if these really meet all rows and bounds."""
        rounded, program = np.rint(values).astype(np.int64), self.payload.program
        broken = self.payload.broken(rounded)
        if ((rounded < program.lower) | (rounded > program.upper)).any() or len(broken):
            row = program.rows[broken[0]] if len(broken) else "a bound"
            raise SolverFailed(
                f"{who} breaks {row} once its numbers are rounded; try another exact solver"
            )
        return rounded[: self.payload.bits.n_bits]


class _MipSearch(RowSearch):
    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self.payload.source.require_small("mip", LARGEST_IN_DOUBLES)
        self._worker: Worker | None = None
        self._is_small = self.payload.program.matrix.nnz <= _SMALL_TERMS
        # Nothing comes of a run that is ended: without a limit, runs get longer and longer.
        timed = task.budget.time_limit is not None
        self._run_s = inf if timed or self.payload.cost is None else _FIRST_RUN_S
        # HiGHS does not tell values within 1e-6 apart: costs are whole, or up to a million.
        costs = self.payload.cost
        heaviest = 1.0 if costs is None else float(costs.weights.max(initial=1))
        self._unit = 1.0 if costs is None else max(1.0, heaviest / _HEAVIEST) / costs.factor

    def search(self) -> Sample | None:
        while self.task.seconds_left() > 0:
            status, message, values = self._run()
            if values is not None:
                sample = self.checked(values, "mip: the answer of HiGHS")
                if status == _OPTIMAL:
                    self.is_best(sample)
                return sample
            # A run that the time limit ended has proved nothing, whatever it says.
            if status == _STOPPED or self.task.seconds_left() <= 0:
                continue
            if message.startswith(_PROOFS):
                return None
            raise SolverFailed(f"mip: HiGHS stopped with status {message!r}")
        raise OutOfTime

    def close(self) -> None:
        if self._worker is not None:
            self._worker.close()

    def _run(self) -> tuple[int, str, NDArray[np.float64] | None]:
        """What ``solve_rows`` returns within the time that is left, or that this run gets."""
        payload: Mip = self.payload
        for literal in self.assumed:
            payload = payload.with_clause([literal])
        costs: tuple[Any, ...] = ()
        if self.cost is not None:
            costs = (payload.program.cost / self._unit,)
        left = self.task.seconds_left()
        if self._is_small:
            result = solve_rows(payload.arrays, min(left, _MOMENT_S), *costs)
            self._is_small = result[0] != _STOPPED
            if self._is_small or left <= _MOMENT_S or result[2] is not None:
                return self._noted(*result)
        self._worker = self._worker or Worker()
        left = self.task.seconds_left()
        deadline = None if left == inf else left + GRACE_S
        seconds = min(left, self._run_s)
        try:
            result = self._worker.call(
                solve_rows, payload.arrays, seconds, *costs, deadline=deadline
            )
        except Overrun:
            raise OutOfTime from None
        except Crashed as crash:
            raise type(crash)(f"mip: HiGHS {crash.what}", crash.last_line) from None
        self._run_s *= 1 if result[0] != _STOPPED else _LONGER
        return self._noted(*result)

    def _noted(
        self, status: int, message: str, values: NDArray[np.float64] | None, bound: float = -inf
    ) -> tuple[int, str, NDArray[np.float64] | None]:
        """The same without the bound, which is kept in mind."""
        if self.cost is not None and isfinite(bound):
            value = bound * self._unit + self.payload.program.offset
            self.bound = max(self.bound, self.cost.lifted(value))
        return status, message, values


class _Mip(CompleteSolver):
    name = target = "mip"
    search = _MipSearch
    package = "scipy"
    about = "mixed-integer programming: HiGHS, by way of SciPy; no seed"

    def prepare(self, _: Model) -> None:
        """Import it."""
        import scipy.optimize  # noqa: F401


SOLVER = _Mip()
