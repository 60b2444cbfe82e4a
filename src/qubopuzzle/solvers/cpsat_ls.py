"""``cpsat-ls``: the local search of CP-SAT alone, feasibility jump and violation LS; one thread.

It takes the model of ``cpsat``, and CP-SAT's presolve is part of it; it proves nothing.
"""

from typing import Any

from qubopuzzle.compile.cpsat import ortools
from qubopuzzle.errors import OutOfTime
from qubopuzzle.model import Model
from qubopuzzle.solvers.base import Option
from qubopuzzle.solvers.complete import CompleteSolver, Reading, Sample
from qubopuzzle.solvers.cpsat import SEEDS, CpSatSearch


class _LocalSearch(Reading, CpSatSearch):
    def attempt(self) -> Sample | None:
        return CpSatSearch.next_solution(self)

    def settings(self) -> dict[str, Any]:
        return {
            "num_workers": 1,
            "use_ls_only": True,
            "random_seed": self.seed % SEEDS,
            "max_deterministic_time": self.task.options["effort"],
        }

    def check(self, status: str) -> None:
        if status == "INFEASIBLE" and self.payload.n_variables:
            raise OutOfTime  # another attempt would only say it again
        if status != "UNKNOWN":
            super().check(status)


class _CpSatLs(CompleteSolver):
    name = "cpsat-ls"
    target = extra = "cpsat"
    search = _LocalSearch
    exact = False
    package = "ortools"
    about = "CP-SAT's local search alone (Google OR-Tools), one thread; proves nothing"
    options = (Option("effort", float, 10.0, "deterministic seconds of a read", 1e-3, 1e6),)

    def prepare(self, _: Model) -> None:
        """Import OR-Tools."""
        ortools()


SOLVER = _CpSatLs()
