"""``localmip``: Local-MIP, local search over the rows of a MIP (Lin et al., CP 2024).

It cannot be interrupted and it prints, so it runs in a process of its own, which stays for the
next solve: starting one takes longer than many searches. Ctrl-C ends it.
"""

import atexit
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.base.processes import Crashed, Overrun, WarmWorkers
from qubopuzzle.compile.mip import RowArrays
from qubopuzzle.errors import OutOfTime
from qubopuzzle.model import Model
from qubopuzzle.solvers.base import Option
from qubopuzzle.solvers.complete import CompleteSolver, Reading, Sample
from qubopuzzle.solvers.mip import GRACE_S, RowSearch

_SEEDS = (1 << 31) - 1
_FOREVER_S = 1e8
_workers = WarmWorkers()
atexit.register(_workers.close)


def search_rows(
    rows: RowArrays, cost: NDArray[np.float64], seconds: float, seed: int, steps: int
) -> list[float] | None:
    """Values, shape (variables,), that meet the rows, at the least ``cost`` it finds.

    Empty if it finds none in so many seconds, or in ``steps`` that make nothing better; None if
    its presolve sees that there are none.
    """
    import localmip_py

    try:
        solver = localmip_py.LocalMIP(_instance(rows, cost))
    except RuntimeError as error:
        if "infeasible" in str(error):
            return None
        raise
    solver.set_time_limit(seconds)
    solver.set_random_seed(seed)
    solver.set_log_obj(False)
    solver.set_restart_step(steps)
    solver.set_restart_cbk(lambda _: solver.terminate())
    solver.run()
    return solver.get_solution() if solver.is_feasible() else []


def _instance(rows: RowArrays, cost: NDArray[np.float64]) -> Any:
    """The rows as Local-MIP takes them."""
    import localmip_py

    built = localmip_py.ModelBuilder()
    kinds = localmip_py.VarType.binary, localmip_py.VarType.general_integer
    columns = zip(rows.lower.tolist(), rows.upper.tolist(), cost.tolist(), strict=True)
    for number, (low, high, factor) in enumerate(columns):
        built.add_var(f"x{number}", low, high, factor, kinds[low < 0 or high > 1])
    ends, variables = rows.matrix.indptr.tolist(), rows.matrix.indices.tolist()
    factors = rows.matrix.data.astype(float).tolist()
    sides = zip(rows.row_lower.tolist(), rows.row_upper.tolist(), strict=True)
    for row, bounds in enumerate(sides):
        terms = slice(ends[row], ends[row + 1])
        built.add_con(*bounds, variables[terms], factors[terms])
    return built.prepare()


def _import() -> None:
    import localmip_py  # noqa: F401


class _LocalMipSearch(Reading, RowSearch):
    def attempt(self) -> Sample | None:
        if self.payload.contradiction and self.payload.n_variables:
            raise OutOfTime
        return RowSearch.next_solution(self)

    def search(self) -> Sample | None:
        payload, left = self.payload, self.task.seconds_left()
        if left <= 0:
            raise OutOfTime
        costs = np.zeros(payload.n_variables) if self.cost is None else payload.program.cost
        more = min(left, _FOREVER_S), 1 + self.seed % _SEEDS, self.task.options["steps"]
        deadline = None if left == inf else left + GRACE_S
        try:
            values = _workers.call(search_rows, payload.arrays, costs, *more, deadline=deadline)
        except Overrun:
            raise OutOfTime from None
        except Crashed as crash:
            raise type(crash)(f"localmip: {crash.what}", crash.last_line) from None
        if values is None:
            raise OutOfTime
        return self.checked(np.array(values), "localmip: an answer") if values else None


class _LocalMip(CompleteSolver):
    name = package = extra = "localmip"
    target = "mip"
    search = _LocalMipSearch
    exact = False
    default_presolve = "probe"  # solves most of what it misses without
    about = "Local-MIP: local search over the rows of a MIP; proves nothing (Linux, x86-64)"
    options = (
        Option("steps", int, 1_000_000, "steps without a better state that end a read", 1, 10**9),
    )

    def prepare(self, _: Model) -> None:
        """Start a process and import Local-MIP in it."""
        _workers.call(_import)


SOLVER = _LocalMip()
