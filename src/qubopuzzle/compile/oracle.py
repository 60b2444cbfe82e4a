"""Which statements of a model contradict each other: one SAT solver, asked with assumptions."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import inf
from typing import Self

import numpy as np

from qubopuzzle.compile.cnf import compile_stated
from qubopuzzle.errors import OutOfTime
from qubopuzzle.model import IntArray
from qubopuzzle.model.cuts import cuts_of
from qubopuzzle.model.statements import StatedModel

BACKEND = "cadical195"
_SLICE_S = 0.25
"""A solver is stopped and asked to go on so often, to hear Ctrl-C and look at the clock."""
_FIRST_CONFLICTS = 1_000


class Oracle:
    """Says of any statements and literals whether they go together, and which do not.

    >>> from qubopuzzle import ModelBuilder
    >>> b = ModelBuilder()
    >>> x, y = b.bit("x"), b.bit("y")
    >>> for name, row in {"one": x + y >= 1, "none": x + y <= 0, "not both": x + y <= 1}.items():
    ...     b.add("sum", row, name)
    >>> stated = StatedModel.by_label(b.build())
    >>> with Oracle(stated) as oracle:
    ...     needed = oracle.minimal(range(3))
    >>> [stated.statements[number].name for number in needed]
    ['one', 'none']

    Connectivity and cycles are met by cuts, as in the solver ``sat``. It solves in a thread: in the
    main one PySAT leaves it at Ctrl-C by a jump out of its middle.
    """

    def __init__(
        self, stated: StatedModel, *, time_limit: float | None = None, backend: str = BACKEND
    ) -> None:
        """Compile; all questions together take no longer than ``time_limit``, in seconds.

        Raises:
            TooLarge: if the formula would not fit in memory.
        """
        from pysat.solvers import Solver

        self.until = inf if time_limit is None else time.perf_counter() + time_limit
        self.stated, self.formula = stated, compile_stated(stated)
        self._statement = {int(guard): i for i, guard in enumerate(self.formula.guards.tolist())}
        self._literal: dict[int, int] = {}
        self._solver = Solver(backend, bootstrap_with=self.formula.clauses())
        self._thread = ThreadPoolExecutor(1)
        self._conflicts = _FIRST_CONFLICTS
        self._core: list[int] = []
        model = stated.model
        n_local = len(stated.owner) - len(model.graphs)
        owners = stated.owner[n_local:].tolist()
        self._graphs = [*zip(model.graphs, owners, strict=True)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.shutdown()
        self._solver.delete()

    def solve(self, statements: Iterable[int], literals: Iterable[int] = ()) -> IntArray | None:
        """Values of the model's literals, (literals,), or None if there are none.

        Args:
            statements: by number, which have to hold; others may.
            literals: of the model, which have to be true, too.

        Raises:
            OutOfTime: if the time limit came first.
        """
        chosen = [*statements]
        assumed = self.formula.guards[chosen].tolist()
        for literal in literals:
            for variable in self.formula.bits.clause_literals(np.array([literal])):
                self._literal[variable] = literal
                assumed.append(variable)
        bits, held = self.formula.bits, {*chosen, -1}
        while self._solve(assumed):
            sample = np.zeros(bits.n_bits, dtype=np.int8)  # variables in no clause may be missing
            pysat_model = np.array(self._solver.get_model()[: bits.n_bits], dtype=np.int64)
            sample[: len(pysat_model)] = pysat_model > 0
            x = bits.decode(sample)
            if not self._cut(x, held):
                return x
        self._core = self._solver.get_core() or []
        return None

    def core(self) -> tuple[list[int], list[int]]:
        """Statements and literals, of those that were asked for last, that do not go together."""
        statements = [self._statement[v] for v in self._core if v in self._statement]
        literals = [self._literal[v] for v in self._core if v not in self._statement]
        return sorted(statements), [*dict.fromkeys(literals)]

    def minimal(
        self, statements: Collection[int], literals: Sequence[int] = (), *, keep: Sequence[int] = ()
    ) -> list[int] | None:
        """Statements that do not go together with ``literals``, none of which can be left out.

        Those that come first are kept where there is a choice. None if all go together.

        Args:
            statements: to choose from.
            literals: that are true anyway.
            keep: statements that hold anyway.

        Raises:
            OutOfTime: if the time limit came first.

        Source: deletion, with the core of each answer (J. Marques-Silva, "Minimal unsatisfiability:
        models, algorithms and applications", ISMVL 2010).
        """
        place = {number: i for i, number in enumerate(statements)}
        if self.solve([*keep, *place], literals) is not None:
            return None
        left = sorted(set(self.core()[0]) & place.keys(), key=place.__getitem__)
        needed: list[int] = []
        while left:
            last = left.pop()
            if self.solve([*keep, *left, *needed], literals) is None:
                core = {*self.core()[0]}
                left = [number for number in left if number in core]
            else:
                needed.append(last)
        return sorted(needed, key=place.__getitem__)

    def _cut(self, x: IntArray, held: set[int]) -> bool:
        """Add the clauses that graphs of these statements ask for; False if there are none."""
        any_broken = False
        for graph, owner in self._graphs:
            if owner not in held:
                continue
            for cut in cuts_of(graph, x):
                guard = [-int(self.formula.guards[owner])] if owner >= 0 else []
                self._solver.add_clause([*self.formula.clause_of(cut), *guard])
                any_broken = True
        return any_broken

    def _solve(self, assumed: list[int]) -> bool:
        """Whether there is a model in which these variables are true."""
        while (left := self.until - time.perf_counter()) > 0:
            started = time.perf_counter()
            self._solver.conf_budget(self._conflicts)
            answer = self._thread.submit(self._solver.solve_limited, assumed).result()
            if answer is not None:
                return bool(answer)
            seconds = max(time.perf_counter() - started, 1e-3)
            share = min(_SLICE_S, max(left, 1e-3)) / seconds
            self._conflicts = max(_FIRST_CONFLICTS // 10, int(self._conflicts * min(share, 4)))
        raise OutOfTime
