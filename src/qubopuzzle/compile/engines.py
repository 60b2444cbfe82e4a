"""What an oracle asks: a formula in a solver that is asked again and again under assumptions."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from math import inf, isfinite
from threading import current_thread, main_thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.base.signals import defer_interrupt
from qubopuzzle.compile.cnf import ClauseModel, compile_stated
from qubopuzzle.compile.cpsat import (
    add_assumptions,
    add_bits,
    add_clauses,
    ortools,
    stated_cpsat,
)
from qubopuzzle.errors import (
    OutOfTime,
    QubopuzzleError,
    SolverFailed,
    SolverUnavailable,
    TooLarge,
)
from qubopuzzle.model.statements import StatedModel

SAT, CPSAT, TURNS = "cadical195", "cpsat", "turns"
"""Backends: one of PySAT's solvers, CP-SAT, and both in turns."""
_SLICE_S = 0.25
"""A solver is stopped and asked to go on so often, to hear Ctrl-C and look at the clock."""
_FIRST_CONFLICTS = 1_000
_POLL_S = 0.1
_TURN_S = 0.1
"""The first turn of an engine while there are others."""
_CORE_S = 0.1
"""CP-SAT may look so long for a core, which goes without its presolving."""
_SMALL = 16
"""Where rows have larger coefficients, CP-SAT has the first turn."""


class Engine(ABC):
    """A solver with a formula in it.

    Attributes:
        name: of the solver.
        formula: what is asked about.
        until: when to give up, by ``time.perf_counter``.
        most_conflicts: of a question, where the engine counts them; then it gives up.
    """

    name: str
    formula: ClauseModel
    until = inf
    most_conflicts: int | None = None

    @abstractmethod
    def solve(self, assumed: Sequence[int]) -> bool:
        """Whether there is a model in which these literals are true.

        Raises:
            OutOfTime: if it is too late.
        """

    @abstractmethod
    def bits(self) -> NDArray[np.int8]:
        """The choices' bits in the model that was found last."""

    @abstractmethod
    def core(self) -> list[int]:
        """Literals of those assumed last that cannot all be true, where there is no model."""

    @abstractmethod
    def add_clause(self, clause: Sequence[int]) -> None:
        """From now on models must meet this clause, which may have new variables."""

    @abstractmethod
    def close(self) -> None:
        """End it."""

    @property
    def seconds_left(self) -> float:
        """Until it is too late; OutOfTime if it is."""
        left = self.until - time.perf_counter()
        if left <= 0:
            raise OutOfTime
        return left


class SatEngine(Engine):
    """A CNF in a solver of PySAT, which keeps what it learns.

    It never runs in the main thread: there PySAT leaves it at Ctrl-C by a jump out of its middle.
    """

    name = "sat"

    def __init__(self, stated: StatedModel, backend: str = SAT) -> None:
        from pysat.solvers import Solver

        self.formula = formula = compile_stated(stated)
        self._solver = Solver(backend, bootstrap_with=formula.clauses())
        self._conflicts = _FIRST_CONFLICTS
        self._thread = ThreadPoolExecutor(1)

    def solve(self, assumed: Sequence[int]) -> bool:
        """In slices of conflicts."""
        spent = 0
        while True:
            left, started = self.seconds_left, time.perf_counter()
            budget = self._conflicts
            if self.most_conflicts is not None:
                budget = min(budget, self.most_conflicts - spent)
            self._solver.conf_budget(budget)
            if current_thread() is main_thread():
                answer = self._thread.submit(self._solver.solve_limited, assumed).result()
            else:
                answer = self._solver.solve_limited(assumed)
            if answer is not None:
                return bool(answer)
            spent += budget
            if self.most_conflicts is not None and spent >= self.most_conflicts:
                raise OutOfTime
            seconds = max(time.perf_counter() - started, 1e-3)
            share = min(_SLICE_S, max(left, 1e-3)) / seconds
            self._conflicts = max(_FIRST_CONFLICTS // 10, int(self._conflicts * min(share, 4)))

    def bits(self) -> NDArray[np.int8]:
        """Those of the solver's model."""
        bits = np.zeros(self.formula.bits.n_bits, dtype=np.int8)
        literals = np.array(self._solver.get_model()[: len(bits)], dtype=np.int64)
        bits[: len(literals)] = literals > 0  # variables in no clause may be missing
        return bits

    def core(self) -> list[int]:
        """The solver's."""
        return self._solver.get_core() or []

    def add_clause(self, clause: Sequence[int]) -> None:
        """Add it."""
        self._solver.add_clause(clause)

    def close(self) -> None:
        """Free its memory."""
        self._thread.shutdown()
        self._solver.delete()


class CpSatEngine(Engine):
    """CP-SAT, which takes rows with large numbers as they are, and starts anew each time.

    What is assumed is fixed, so that presolving makes use of it. A core is asked for by itself,
    and checked: CP-SAT 9.15 may return a wrong one (google/or-tools, issue 5141).
    """

    name = CPSAT

    def __init__(self, stated: StatedModel) -> None:
        self._ortools = ortools()
        self.formula = formula = stated_cpsat(stated)
        self._model, self._n_variables = formula.model, formula.n_variables
        self._assumed: list[int] = []
        self._bits = np.zeros(formula.bits.n_bits, dtype=np.int8)
        self._thread = ThreadPoolExecutor(1)

    def solve(self, assumed: Sequence[int]) -> bool:
        """By a run of CP-SAT."""
        self._assumed = [*assumed]
        return self._solve(assumed)

    def _solve(self, assumed: Sequence[int]) -> bool:
        model = self._model.clone()
        add_clauses(model, [np.array(assumed, dtype=np.int64)[:, None]])
        solver, status = self._run(model)
        if status != "INFEASIBLE":
            values = np.array(solver.response_proto.solution, dtype=np.int8)
            self._bits = values[: len(self._bits)]
        return status != "INFEASIBLE"

    def bits(self) -> NDArray[np.int8]:
        """Those of CP-SAT's solution."""
        return self._bits

    def core(self) -> list[int]:
        """CP-SAT's, if it comes soon and what it says holds, else all."""
        model, until = self._model.clone(), self.until
        add_assumptions(model, self._assumed)
        self.until = min(until, time.perf_counter() + _CORE_S)
        try:
            solver, status = self._run(model)
            named = solver.sufficient_assumptions_for_infeasibility()
            core = {v + 1 if v >= 0 else v for v in named} & {*self._assumed}
            if status == "INFEASIBLE" and not self._solve(sorted(core)):
                self._assumed = sorted(core)
        except OutOfTime:
            pass
        finally:
            self.until = until
        return self._assumed

    def add_clause(self, clause: Sequence[int]) -> None:
        """Add it."""
        last = max(map(abs, clause), default=0)
        add_bits(self._model, max(last - self._n_variables, 0))
        self._n_variables = max(last, self._n_variables)
        add_clauses(self._model, [np.array([clause], dtype=np.int64)])

    def close(self) -> None:
        """End its thread."""
        self._thread.shutdown()

    def _run(self, model: Any) -> tuple[Any, str]:
        """A solver that is done, and its status: OPTIMAL or INFEASIBLE."""
        solver = self._ortools.CpSolver()
        solver.parameters.catch_sigint_signal = False
        solver.parameters.num_workers = 1
        solver.parameters.linearization_level = 2  # by which it counts, as clauses cannot
        if isfinite(left := self.seconds_left):
            solver.parameters.max_time_in_seconds = left
        runs: list[Future[Any]] = []
        try:
            while not (runs and runs[0].done()):
                with defer_interrupt():  # an exception amid locks would leave them locked
                    runs = runs or [self._thread.submit(solver.solve, model)]
                    wait(runs, _POLL_S)
                if self.until == -inf:  # from another thread
                    break
        finally:
            while runs and not runs[0].done():
                solver.stop_search()
                wait(runs, _POLL_S)
        status = solver.status_name(runs[0].result())
        if status == "UNKNOWN" or self.until == -inf:
            raise OutOfTime
        if status not in ("OPTIMAL", "INFEASIBLE"):
            raise SolverFailed(f"cpsat: CP-SAT stopped with status {status}")
        return solver, status


class EnginesInTurns(Engine):
    """Engines that have turns, each longer than the last, until one answers.

    The first says what the formula's variables are; others are made when they have a turn. All
    have the choices' variables and the guards in common. Who needed least time comes first; what
    an engine needed counts half as much each time that another one answers.
    """

    def __init__(
        self, stated: StatedModel, makers: Sequence[Callable[[StatedModel], Engine]]
    ) -> None:
        self._stated, self._makers, self._until = stated, [*makers], inf
        self._made: list[_Renamed] = []
        self._refused: list[QubopuzzleError] = []
        self._clauses: list[Sequence[int]] = []
        first = next(self._engines(), None)
        if first is None:
            self._refused.sort(key=lambda error: isinstance(error, SolverUnavailable))
            raise TooLarge("; ".join(map(str, self._refused)))
        self._last, self.formula = first, first.engine.formula

    def _engines(self) -> Iterator[_Renamed]:
        """Those that there are; then others, made now, that can take the model."""
        yield from sorted(self._made, key=lambda each: each.needed_s)
        while self._makers:
            try:
                engine = self._makers.pop(0)(self._stated)
            except (SolverUnavailable, TooLarge) as error:
                self._refused.append(error)
                continue
            first = self._made[0].engine if self._made else engine
            self._made.append(_Renamed(engine, first.formula))
            for clause in self._clauses:
                self._made[-1].add_clause(clause)
            yield self._made[-1]

    @property
    def until(self) -> float:
        """When to give up; engines that are asked now give up then, too."""
        return self._until

    @until.setter
    def until(self, until: float) -> None:
        self._until = until
        for each in self._made:
            each.engine.until = min(each.engine.until, until)

    @property
    def name(self) -> str:  # type: ignore[override]
        """Of the engine that answered last."""
        return self._last.engine.name

    def solve(self, assumed: Sequence[int]) -> bool:
        """The first answer."""
        turn_s = _TURN_S
        while True:
            for each in self._engines():
                is_alone = len(self._made) == 1 and not self._makers
                turn = inf if is_alone else time.perf_counter() + turn_s
                self._last, each.engine.until = each, min(self.until, turn)
                for other in self._made:
                    other.needed_s /= 2
                started = time.perf_counter()
                try:
                    return each.solve(assumed)
                except OutOfTime:
                    if time.perf_counter() >= self.until:
                        raise
                finally:
                    each.needed_s = time.perf_counter() - started
            turn_s *= 2

    def bits(self) -> NDArray[np.int8]:
        """Of the engine that answered."""
        return self._last.engine.bits()

    def core(self) -> list[int]:
        """Of the engine that answered."""
        self._last.engine.until = self.until
        return self._last.core()

    def add_clause(self, clause: Sequence[int]) -> None:
        """Add it to all."""
        self._clauses.append(clause)
        for each in self._made:
            each.add_clause(clause)

    def close(self) -> None:
        """End them all."""
        for each in self._made:
            each.engine.close()


class _Renamed:
    """An engine by the literals of another one's formula; what is new has a number in each."""

    def __init__(self, engine: Engine, formula: ClauseModel) -> None:
        self.engine = engine
        self._n_shared = formula.bits.n_bits + len(formula.guards)
        self._n_variables = engine.formula.n_variables
        nodes = zip(formula.node.tolist(), engine.formula.node.tolist(), strict=True)
        self._names: dict[int, int] = {
            abs(one): two if one > 0 else -two for one, two in nodes if one
        }
        self._assumed: dict[int, int] = {}
        self.needed_s = 0.0

    def solve(self, assumed: Sequence[int]) -> bool:
        self._assumed = {self._literal(literal): literal for literal in assumed}
        return self.engine.solve([*self._assumed])

    def core(self) -> list[int]:
        return [self._assumed[literal] for literal in self.engine.core()]

    def add_clause(self, clause: Sequence[int]) -> None:
        self.engine.add_clause([*map(self._literal, clause)])

    def _literal(self, literal: int) -> int:
        variable = abs(literal)
        if variable <= self._n_shared:
            return literal
        if variable not in self._names:
            self._n_variables += 1
            self._names[variable] = self._n_variables
        return self._names[variable] if literal > 0 else -self._names[variable]


def engine_of(stated: StatedModel, backend: str) -> Engine:
    """The engine of a backend: a solver of PySAT by its name, ``cpsat``, or both in ``turns``.

    Raises:
        TooLarge: if no engine can take the model.
        SolverUnavailable: for ``cpsat`` without OR-Tools.
    """
    if backend == TURNS:
        matrices = [block.matrix for block in stated.model.linear if block.matrix.nnz]
        has_numbers = max((abs(matrix).max() for matrix in matrices), default=0) > _SMALL
        makers = [SatEngine, CpSatEngine]
        return EnginesInTurns(stated, makers[::-1] if has_numbers else makers)
    return CpSatEngine(stated) if backend == CPSAT else SatEngine(stated, backend)
