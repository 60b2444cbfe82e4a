"""``sat``: the model as a CNF, solved by any solver of PySAT (CaDiCaL unless said otherwise)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
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
_TRACING = ("cadical", "glucose")
"""Families of solvers whose DRAT proofs are complete as PySAT returns them."""


class _Engine:
    """A PySAT solver that runs in slices of conflicts.

    PySAT's own handling of Ctrl-C leaves the solver by a jump out of its middle, so it runs
    in a thread, where there is none; Python hears Ctrl-C between two slices.
    """

    def __init__(self, backend: str, clauses: Any, *, with_proof: bool = False) -> None:
        from pysat.solvers import Solver

        proof = {"with_proof": True} if with_proof else {}
        self._solver = Solver(backend, bootstrap_with=clauses, **proof)
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
        while budget.seconds_left() > 0:
            started = time.perf_counter()
            try:
                self._solver.conf_budget(self._conflicts)
                solve = self._solver.solve_limited
            except NotImplementedError:
                if budget.time_limit is not None:
                    raise InputError(
                        f"backend {self._backend} keeps no time limit: leave it out, or use "
                        "another backend, such as cadical195"
                    ) from None
                solve = self._solver.solve
            answer = self._thread.submit(solve).result()
            if answer is not None:
                return bool(answer)
            seconds = max(time.perf_counter() - started, 1e-3)
            share = min(SLICE_S, max(budget.seconds_left(), 1e-3)) / seconds
            self._conflicts = max(_FIRST_CONFLICTS // 10, int(self._conflicts * min(share, 4)))
        raise OutOfTime


class _SatSearch(Search):
    def __init__(self, compiled: Compiled, budget: Budget, options: Mapping[str, Any]) -> None:
        self._formula, self._budget, self._options = compiled.payload, budget, options
        self._added: list[list[int]] = []
        self._closed = self._formula.contradiction
        self._engine = _Engine(options["backend"], self._formula.clauses())

    def close(self) -> None:
        self._engine.close()

    def next(self) -> Sample | None:
        if self._closed or not self._engine.solve(self._budget):
            return None
        return self._engine.model(self._formula.n_variables)

    def exclude(self, sample: Sample) -> None:
        self._add(self._formula.other_answer(sample))

    def add(self, cut: Cut) -> None:
        self._add(self._formula.clause_of(cut))

    def _add(self, clause: list[int]) -> None:
        self._added.append(clause)
        if clause:
            self._engine.add(clause)
        else:
            self._closed = True

    def proof(self) -> Proof | None:
        """Solved once more, from the start: proofs of a formula that grew are not DRAT."""
        if not self._options["proof"]:
            return None
        text = self._formula.to_dimacs(self._added)
        if self._closed:
            return Proof(text, "0\n")
        clauses = [*self._formula.clauses(), *self._added]
        engine = _Engine(self._options["backend"], clauses, with_proof=True)
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
        Option("backend", str, "cadical195", "a solver of PySAT, such as glucose4 or kissat404"),
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
        from pysat.solvers import NoSuchSolverError

        try:
            return _SatSearch(compiled, budget, options)
        except NoSuchSolverError:
            raise SolverUnavailable(
                f"sat: backend {options['backend']} is not part of this installation of PySAT"
            ) from None


SOLVER = _Sat()
