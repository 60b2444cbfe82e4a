"""``sat``: the model as a CNF, solved by any solver of PySAT (CaDiCaL unless said otherwise)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from qubopuzzle.compile import Compiled
from qubopuzzle.errors import InputError, SolverUnavailable
from qubopuzzle.model import Cut
from qubopuzzle.solvers.base import Budget, Option, Proof
from qubopuzzle.solvers.complete import CompleteSolver, OutOfTime, Sample, Search

SLICE_S = 0.25
"""A solver is stopped and asked to go on so often, to hear Ctrl-C and look at the clock."""
_FIRST_CONFLICTS = 1_000
_UNSLICED = ("lingeling", "kissat404")
"""Backends that know no limit of conflicts, or do not go on after one."""
_ONE_SHOT = ("kissat404",)
"""Backends that take no clauses once they have solved."""
_TRACING = ("cadical", "glucose")
"""Families of solvers whose DRAT proofs are complete as PySAT returns them."""


class _Engine:
    """A PySAT solver that runs in slices of conflicts.

    PySAT's own handling of Ctrl-C leaves the solver by a jump out of its middle, so it runs
    in a thread, where there is none; Python hears Ctrl-C between two slices.
    """

    def __init__(self, backend: str, clauses: Any, *, with_proof: bool = False) -> None:
        from pysat.solvers import NoSuchSolverError, Solver

        proof = {"with_proof": True} if with_proof else {}
        try:
            self._solver = Solver(backend, bootstrap_with=clauses, **proof)
        except NoSuchSolverError:
            raise SolverUnavailable(
                f"sat: backend {backend} is not part of this installation of PySAT"
            ) from None
        self._thread = ThreadPoolExecutor(1)
        self._backend, self._conflicts = backend, _FIRST_CONFLICTS

    def close(self) -> None:
        self._thread.shutdown()
        self._solver.delete()

    def add(self, clause: list[int]) -> None:
        self._solver.add_clause(clause)

    def model(self, n_variables: int) -> Sample:
        sample = np.zeros(n_variables, dtype=np.int8)
        own = np.array(self._solver.get_model()[:n_variables], dtype=np.int64)
        sample[: len(own)] = own > 0
        return sample

    def drat(self) -> str:
        lines = self._solver.get_proof()
        # Glucose does not write down a contradiction that it meets while reading.
        return "\n".join([*lines, *([] if "0" in lines else ["0"]), ""])

    def solve(self, budget: Budget) -> bool:
        """Whether there is a model."""
        if self._backend in _UNSLICED:
            return bool(self._thread.submit(self._solver.solve).result())
        while budget.seconds_left() > 0:
            started = time.perf_counter()
            self._solver.conf_budget(self._conflicts)
            answer = self._thread.submit(self._solver.solve_limited).result()
            if answer is not None:
                return bool(answer)
            seconds = max(time.perf_counter() - started, 1e-3)
            share = min(SLICE_S, max(budget.seconds_left(), 1e-3)) / seconds
            self._conflicts = max(_FIRST_CONFLICTS // 10, int(self._conflicts * min(share, 4)))
        raise OutOfTime


class _SatSearch(Search):
    """The formula and what was added to it, in a backend that starts when it is needed."""

    def __init__(self, compiled: Compiled, budget: Budget, options: Mapping[str, Any]) -> None:
        self._formula, self._budget = compiled.payload, budget
        self._backend, self._proving = options["backend"], bool(options["proof"])
        self._added: list[list[int]] = []
        self._empty = not self._formula.n_clauses
        self._closed = self._formula.contradiction
        self._engine: _Engine | None = None

    def close(self) -> None:
        if self._engine is not None:
            self._engine.close()
            self._engine = None

    def next(self) -> Sample | None:
        own = self._formula.bits.n_bits
        if self._closed:
            return None
        if self._empty:  # some backends do not bear that
            return np.zeros(own, dtype=np.int8)
        if self._engine is None:
            self._engine = _Engine(self._backend, chain(self._formula.clauses(), self._added))
        return self._engine.model(own) if self._engine.solve(self._budget) else None

    def exclude(self, sample: Sample, *, answer: bool) -> None:
        self._add(self._formula.other(sample, answer=answer))

    def add(self, cut: Cut) -> None:
        self._add(self._formula.clause_of(cut))

    def _add(self, clause: list[int]) -> None:
        self._closed |= not clause
        self._empty = False
        if self._backend in _ONE_SHOT:
            self.close()
        if self._engine is None or self._proving:
            self._added.append(clause)
        if self._engine is not None and clause:
            self._engine.add(clause)

    def proof(self) -> Proof | None:
        """Solved once more, from the start: proofs of a formula that grew are not DRAT."""
        if not self._proving:
            return None
        text = self._formula.to_dimacs(self._added)
        if self._closed:
            return Proof(text, "0\n")
        clauses = [*self._formula.clauses(), *self._added]
        engine = _Engine(self._backend, clauses, with_proof=True)
        try:
            engine.solve(self._budget)
            return Proof(text, engine.drat())
        finally:
            engine.close()


class _Sat(CompleteSolver):
    name = "sat"
    target: ClassVar[str] = "cnf"
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
        names = {n: v for n, v in vars(SolverNames).items() if isinstance(v, tuple)}
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

    def prepare(self) -> None:
        """Import PySAT."""
        import pysat.solvers  # noqa: F401

    def search(self, compiled: Compiled, budget: Budget, options: Mapping[str, Any]) -> Search:
        """Give the formula to the backend."""
        backend = options["backend"]
        if backend in _UNSLICED and budget.time_limit is not None:
            raise InputError(
                f"backend {backend} keeps no time limit: leave it out, or use another backend, "
                "such as cadical195"
            )
        return _SatSearch(compiled, budget, options)


SOLVER = _Sat()
