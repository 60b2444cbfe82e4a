"""``sat``: the model as a CNF, solved by any solver of PySAT (CaDiCaL unless said otherwise)."""

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import chain
from math import inf
from typing import Any

import numpy as np

from qubopuzzle.compile.cost import Cost
from qubopuzzle.errors import InputError, OutOfTime, SolverUnavailable
from qubopuzzle.model import Model
from qubopuzzle.solvers.base import Budget, Option, Proof, Task
from qubopuzzle.solvers.complete import CompleteSolver, Sample, Search
from qubopuzzle.solvers.maxsat import Cores

SLICE_S = 0.25
"""A solver is stopped and asked to go on so often, to hear Ctrl-C and look at the clock."""
_FIRST_CONFLICTS = 1_000
_UNSLICED = ("lingeling", "kissat404")
"""Backends that know no limit of conflicts, or do not go on after one."""
_TRIALS = 4
"""A core is asked for again so often, as long as it gets smaller."""
_ONE_SHOT = ("kissat404",)
"""Backends that take no clauses once they have solved, and no assumptions."""
_TRACING = ("cadical", "glucose")
"""Families of solvers whose DRAT proofs are complete as PySAT returns them."""


class _Engine:
    """A PySAT solver that runs in slices of conflicts.

    PySAT's own handling of Ctrl-C leaves the solver by a jump out of its middle, so it runs
    in a thread, where there is none; Python hears Ctrl-C between two slices.
    """

    def __init__(self, task: Task, clauses: Any, **more: bool) -> None:
        from pysat.solvers import NoSuchSolverError, Solver

        self._task, self._backend = task, task.options["backend"]
        try:
            self.solver = Solver(self._backend, bootstrap_with=clauses, **more)
        except NoSuchSolverError:
            raise SolverUnavailable(
                f"sat: backend {self._backend} is not part of this installation of PySAT"
            ) from None
        self._thread = ThreadPoolExecutor(1)
        self._conflicts = _FIRST_CONFLICTS

    @property
    def conflicts(self) -> int | None:
        """So far; None of a backend that does not count them."""
        return (self.solver.accum_stats() or {}).get("conflicts")

    def close(self) -> None:
        self._thread.shutdown()
        self.solver.delete()

    def core(self) -> list[int]:
        """Some of the assumed literals that cannot all be true, after ``solve`` said so.

        A solver that is asked for them alone may find fewer.
        """
        core: list[int] = self.solver.get_core() or []
        for _ in range(_TRIALS):
            if len(core) < 2 or self.solve(core):
                break
            smaller = self.solver.get_core() or []
            if len(smaller) >= len(core):
                break
            core = smaller
        return core

    def solve(self, assumed: list[int]) -> bool:
        """Whether there is a model in which these literals are true."""
        if self._backend in _UNSLICED:
            return bool(self._thread.submit(self.solver.solve, assumed).result())
        while self._task.seconds_left() > 0:
            started = time.perf_counter()
            self.solver.conf_budget(self._conflicts)
            answer = self._thread.submit(self.solver.solve_limited, assumed).result()
            if answer is not None:
                return bool(answer)
            seconds = max(time.perf_counter() - started, 1e-3)
            share = min(SLICE_S, max(self._task.seconds_left(), 1e-3)) / seconds
            self._conflicts = max(_FIRST_CONFLICTS // 10, int(self._conflicts * min(share, 4)))
        raise OutOfTime


class _SatSearch(Search):
    """The formula and what was added to it, in a backend that starts when it is needed."""

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self._backend = task.options["backend"]
        if self._backend in _UNSLICED and task.budget.time_limit is not None:
            raise InputError(
                f"backend {self._backend} keeps no time limit: leave it out, or use another "
                "backend, such as cadical195"
            )
        if self._backend in _ONE_SHOT and self.payload.cost is not None:
            raise InputError(
                f"backend {self._backend} takes no assumptions, which minimising needs: use "
                "another backend, such as cadical195"
            )
        if self._backend in _ONE_SHOT:
            self.assumed = []
        self._added: list[list[int]] = []
        self._closed = self.payload.contradiction
        self._engine: _Engine | None = None
        self._cores: Cores | None = None

    @property
    def conflicts(self) -> int | None:
        """The backend's."""
        return None if self._engine is None else self._engine.conflicts

    def close(self) -> None:
        if self._engine is not None:
            self._engine.close()
            self._engine = None

    def next_solution(self) -> Sample | None:
        if self._closed:
            return None
        if not (self.payload.n_clauses or self._added):  # some backends do not bear that
            sample = np.zeros(self.payload.bits.n_bits, dtype=np.int8)
            sample[np.array(self.assumed, dtype=np.int64) - 1] = 1  # bits are variables themselves
            if self.cost is not None:  # literals that say "not"
                sample[-self.cost.literals[self.cost.literals < 0] - 1] = 1
                self.bound = self.cost.value(0)
            return sample
        if self._engine is None:
            self._engine = _Engine(self.task, chain(self.payload.clauses(), self._added))
        if self.cost is not None:
            return self._better(self._engine, self.cost)
        return self._sample(self._engine) if self._engine.solve(self.assumed) else None

    def _sample(self, engine: _Engine) -> Sample:
        sample = np.zeros(self.payload.bits.n_bits, dtype=np.int8)
        literals = np.array(engine.solver.get_model()[: len(sample)], dtype=np.int64)
        sample[: len(literals)] = literals > 0
        return sample

    def _better(self, engine: _Engine, cost: Cost) -> Sample | None:
        """An assignment that is better than the best answer, or the best of all."""
        if self._cores is None:
            weights = zip(cost.literals.tolist(), cost.weights.tolist(), strict=True)
            self._cores = Cores(dict(weights), self.payload.n_variables)
        cores = self._cores
        while True:
            if self.best < inf:
                best = cost.total(self.best)
                if cores.paid >= best:
                    return None
                engine.solver.append_formula(cores.forget(best))
            if engine.solve(cores.assumed):
                sample, is_last = self._sample(engine), cores.is_complete
                cores.go_on()
                if is_last:
                    self.is_best(sample)
                if is_last or self.worth(sample) < self.best:
                    return sample
                continue
            core = engine.core()
            if not core:
                return None
            engine.solver.append_formula(cores.pay(core))
            self.bound = cost.value(cores.paid)

    def add_clause(self, clause: list[int]) -> None:
        self._closed |= not clause
        if self._backend in _ONE_SHOT:
            self.close()
        if self._engine is None or self.task.options["proof"]:
            self._added.append(clause)
        if self._engine is not None and clause:
            self._engine.solver.add_clause(clause)

    def proof(self) -> Proof | None:
        """Solved once more, from the start: proofs of a formula that grew are not DRAT."""
        if not self.task.options["proof"]:
            return None
        text = self.payload.to_dimacs(self._added)
        if self._closed:
            return Proof(text, "0\n")
        clauses = [*self.payload.clauses(), *self._added]
        with closing(_Engine(self.task, clauses, with_proof=True)) as engine:
            engine.solve([])
            lines = engine.solver.get_proof()
        # Glucose does not write down a contradiction that it meets while reading.
        return Proof(text, "\n".join([*lines, *([] if "0" in lines else ["0"]), ""]))


class _Sat(CompleteSolver):
    name = "sat"
    target = "cnf"
    search = _SatSearch
    package = "python-sat"
    about = "SAT: order variables, any solver of PySAT; proves"
    options = (
        Option("backend", str, "cadical195", "a solver of PySAT, such as glucose4 or lingeling"),
        Option("proof", int, 0, "1 keeps a DRAT proof of what is proved, see --proof", 0, 1),
    )

    def parse_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Check options; the backend must be one that PySAT has."""
        from pysat.solvers import SolverNames

        parsed = super().parse_options(options)
        public = {n: v for n, v in vars(SolverNames).items() if not n.startswith("_")}
        names = {n: v for n, v in public.items() if isinstance(v, tuple)}
        known = {alias: name for name, aliases in names.items() for alias in (name, *aliases)}
        if parsed["backend"] not in known:
            raise InputError(
                f"option backend: PySAT has no solver {parsed['backend'][:40]!r}; it has: "
                + ", ".join(sorted(names))
            )
        parsed["backend"] = known[parsed["backend"]]
        if parsed["proof"] and not parsed["backend"].startswith(_TRACING):
            raise InputError(
                f"option proof: backend {parsed['backend']} writes no proof; use one of the "
                f"families {' and '.join(_TRACING)}"
            )
        return parsed

    def takes_turns(self, budget: Budget, options: Mapping[str, Any]) -> bool:
        """Not with backends that cannot be stopped, nor for a proof, which is of the problem."""
        stoppable = options["backend"] not in _UNSLICED and not options["proof"]
        return stoppable and super().takes_turns(budget, options)

    def prepare(self, _: Model) -> None:
        """Import PySAT."""
        import pysat.solvers  # noqa: F401


SOLVER = _Sat()
