"""How hard instances are: what solvers need for them, and the tier that follows from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import isfinite
from typing import Any

from qubopuzzle.base.checks import whole
from qubopuzzle.bench.comparison import Comparison, run
from qubopuzzle.bench.configurations import grid, make_configurations
from qubopuzzle.bench.machine import machine, words
from qubopuzzle.bench.plan import make_plan
from qubopuzzle.bench.summary import Summary
from qubopuzzle.errors import InputError, SolverFailed
from qubopuzzle.problem import Problem

EASY_S = 1.0
TIERS = {
    "easy": f"every solver solves it, in {EASY_S:g} s at most",
    "medium": "every solver solves it within the time limit",
    "hard": "some solver does not; some heuristic does",
    "exact": "no heuristic solves it; some exact solver does",
    "open": "none solves it within the time limit",
}
"""The first that holds is an instance's tier; a solver solves it if its median run does."""


def tier(measured: Mapping[str, Mapping[str, Any]]) -> str:
    """The tier that measurements by solver come to.

    >>> tier({"neal": {"exact": False, "seconds": None}, "sat": {"exact": True, "seconds": 0.1}})
    'exact'
    """
    seconds = [each["seconds"] for each in measured.values()]
    if None not in seconds:
        return "easy" if max(seconds) <= EASY_S else "medium"
    solved = [each for each in measured.values() if each["seconds"] is not None]
    if not solved:
        return "open"
    return "exact" if all(each["exact"] for each in solved) else "hard"


@dataclass(frozen=True)
class Measuring:
    """Which solvers are timed on each instance, as ``compare`` times them.

    Each takes the formulation, encoding and presolve that are its own defaults.

    Attributes:
        repeat: seeds of a heuristic; an exact solver runs once.
        time_limit: seconds of a run, for building and solving.

    Raises:
        InputError: for what cannot be used, or a solver that cannot run here.
    """

    solvers: Sequence[str]
    repeat: int = 3
    time_limit: float = 10.0

    def __post_init__(self) -> None:
        whole("repeat", self.repeat, 1)
        _, left_out = make_configurations(list(grid(self.solvers)), self.time_limit)
        for name, why in left_out.items():
            raise InputError(f"{name} cannot be measured: {why}")

    def measure(
        self, problems: Sequence[Problem], seed: int
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """What holds for all measurements, and ``tier`` and ``measured`` by digest.

        Raises:
            SolverFailed: if solvers contradict each other, or runs are lost.
        """
        plan = make_plan(
            problems, self.solvers, repeat=self.repeat, time_limit=self.time_limit, seed=seed
        )
        done = run(plan, progress=True)
        if done.interrupted:
            raise KeyboardInterrupt
        for trouble in (*(each.summary() for each in done.contradictions), *done.lost):
            raise SolverFailed(trouble)
        measured: dict[str, dict[str, Any]] = {each.digest: {} for each in plan.instances}
        for summary in done.summaries():
            measured[summary.digest][summary.configuration] = _measured(summary)
        results = {
            digest: {"tier": tier(by_solver), "measured": by_solver}
            for digest, by_solver in measured.items()
        }
        return self._about(done), results

    def _about(self, done: Comparison) -> dict[str, Any]:
        versions: dict[str, Any] = {}
        for row in done.rows:
            versions |= row.get("versions") or {}
        return {
            "solvers": [each.name for each in done.configurations],
            "repeat": self.repeat,
            "time_limit_s": done.configurations[0].time_limit,
            "tiers": TIERS,
            "date": date.today().isoformat(),
            "machine": words(machine()),
            "versions": versions,
        }


def _measured(summary: Summary) -> dict[str, Any]:
    first, seconds = summary.rows[0], summary.seconds
    return {
        "exact": summary.setup.exact,
        "runs": summary.runs,
        "solved": summary.solved,
        "seconds": round(seconds, 6) if isfinite(seconds) else None,
        **{name: first[name] for name in ("formulation", "encoding", "presolve")},
        "seeds": [row["seed"] for row in summary.rows],
    }
