"""``cpsat``: CP-SAT of Google OR-Tools."""

from concurrent.futures import Future, ThreadPoolExecutor, wait
from math import isfinite
from typing import Any

import numpy as np

from qubopuzzle.base.signals import defer_interrupt
from qubopuzzle.compile.cost import Cost
from qubopuzzle.compile.cpsat import add_clauses, hint, ortools
from qubopuzzle.errors import OutOfTime, SolverFailed
from qubopuzzle.model import Model
from qubopuzzle.solvers.base import Option, Task
from qubopuzzle.solvers.complete import CompleteSolver, Sample, Search

SEEDS = 1 << 31
_POLL_S = 0.1
"""Python listens for Ctrl-C so often where waiting for a thread cannot be interrupted."""
_EARLY_S = 0.5
"""CP-SAT may stop so long before its time limit for the sake of the limit."""


class CpSatSearch(Search):
    """CP-SAT is not incremental: every answer is a search of its own, from the last one."""

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self._model = self.payload.model
        self._last: Sample | None = None

    def next_solution(self) -> Sample | None:
        """By a run of CP-SAT."""
        left = self.task.seconds_left()
        if left <= 0:
            raise OutOfTime
        if self._last is not None:
            hint(self._model, self._last)
        model = self._model
        idle = self.cost is None and model.has_objective()
        if self.assumed or idle:
            model = model.clone()
            add_clauses(model, [np.array(self.assumed, dtype=np.int64)[:, None]])
        if idle:
            model.clear_objective()
        solver, status = self._solve(model, left)
        if status in ("OPTIMAL", "FEASIBLE"):
            self._last = self._solution(solver.response_proto)
            if status == "OPTIMAL":
                self.is_best(self._last)
            return self._last
        self._solution(solver.response_proto)
        self.check(status)
        return None

    def check(self, status: str) -> None:
        """Raise, unless the status of a run without a solution means that there is none."""
        if status == "UNKNOWN" and self.task.seconds_left() < _EARLY_S:
            raise OutOfTime
        if status != "INFEASIBLE":
            raise SolverFailed(f"cpsat: CP-SAT stopped with status {status}")

    def settings(self) -> dict[str, Any]:
        """Parameters of CP-SAT for the next run."""
        workers, seed = self.task.options["workers"], self.task.budget.seed % SEEDS
        return {"num_workers": workers, "random_seed": seed}

    def add_clause(self, clause: list[int]) -> None:
        """Add it to a copy."""
        if self._model is self.payload.model:
            self._model = self._model.clone()
        add_clauses(self._model, [np.array([clause], dtype=np.int64)])

    def _solution(self, response: Any) -> Sample:
        """The best solution of a run, empty if it had none; keeps in mind what it proved.

        Where CP-SAT says nothing of a bound, it is 0, which is true of our weights.
        """
        if self.cost is not None and isfinite(response.best_objective_bound):
            self.bound = max(self.bound, self.cost.value(response.best_objective_bound))
        return np.array(response.solution, dtype=np.int64)

    def _noting(self, cost: Cost) -> Any:
        """What CP-SAT calls with each solution that is better than the last."""

        class Noting(ortools().CpSolverSolutionCallback):  # type: ignore[misc]
            def on_solution_callback(watching) -> None:  # noqa: N805
                sample = np.array(watching.response_proto.solution, dtype=np.int64)
                self.note(self.worth(sample), cost.value(watching.best_objective_bound))

        return Noting()

    def _solve(self, model: Any, seconds: float) -> tuple[Any, str]:
        """Run in a thread, so that Python hears Ctrl-C; CP-SAT itself must not."""
        solver = ortools().CpSolver()
        settings = solver.parameters
        settings.catch_sigint_signal = False
        for name, value in self.settings().items():
            setattr(settings, name, value)
        if isfinite(seconds):
            settings.max_time_in_seconds = seconds
        watching = None if self.cost is None else self._noting(self.cost)
        runs: list[Future[Any]] = []
        with ThreadPoolExecutor(1) as thread:
            try:
                while not (runs and runs[0].done()):
                    with defer_interrupt():  # an exception amid locks would leave them locked
                        runs = runs or [thread.submit(solver.solve, model, watching)]
                        wait(runs, _POLL_S)
            except BaseException:
                while runs and not runs[0].done():  # what has not begun yet cannot be stopped
                    solver.stop_search()
                    wait(runs, _POLL_S)
                if runs and runs[0].exception() is None:
                    sample = self._solution(solver.response_proto)
                    self.passed += [sample] if len(sample) else []
                raise
        return solver, solver.status_name(runs[0].result())


class _CpSat(CompleteSolver):
    name = target = extra = "cpsat"
    search = CpSatSearch
    package = "ortools"
    about = "CP-SAT (Google OR-Tools): order variables, clauses and linear rows; proves"
    options = (
        Option("workers", int, 1, "threads that search; 0 for all cores", minimum=0, maximum=1024),
    )

    def prepare(self, _: Model) -> None:
        """Import OR-Tools."""
        ortools()


SOLVER = _CpSat()
