"""Which statements of a model contradict each other: one SAT solver, asked with assumptions."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import inf
from threading import current_thread, main_thread
from typing import Self, TypeVar

import numpy as np

from qubopuzzle.compile.cnf import compile_stated
from qubopuzzle.errors import OutOfTime
from qubopuzzle.model import FALSE, TRUE, IntArray
from qubopuzzle.model.cuts import cuts_of
from qubopuzzle.model.statements import StatedModel

T = TypeVar("T")
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

    Connectivity and cycles are met by cuts, as in the solver ``sat``. It solves in a thread of its
    own: in the main one PySAT leaves it at Ctrl-C by a jump out of its middle. Whoever has many
    questions asks them in that thread, see ``run``.
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
        self._statement = {guard: i for i, guard in enumerate(self.formula.guards.tolist())}
        self._variables: dict[int, int] = {}
        self._last = self.formula.n_variables
        self._solver = Solver(backend, bootstrap_with=self.formula.clauses())
        self._thread = ThreadPoolExecutor(1)
        self._conflicts = _FIRST_CONFLICTS
        self._true = self._new([])
        self._solver.add_clause([self._true])
        self._core: list[int] = []
        self.calls = 0
        """Questions to the solver so far."""
        model = stated.model
        owners = stated.owner[len(stated.owner) - len(model.graphs) :].tolist()
        self._graphs = [*zip(model.graphs, owners, strict=True)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.shutdown()
        self._solver.delete()

    def run(self, work: Callable[[], T]) -> T:
        """What a function returns that is called in the oracle's thread."""
        try:
            return self._thread.submit(work).result()
        except KeyboardInterrupt:
            self.until = -inf  # which ends it soon
            raise

    def variable(self, literal: int) -> int:
        """The variable, or its negative, that says that a literal of the model is true.

        Of ``TRUE`` and ``FALSE``, too.
        """
        if literal in (TRUE, FALSE):
            return self._true if literal == TRUE else -self._true
        if literal not in self._variables:
            parts = self.formula.bits.clause_literals(np.array([literal]))
            if len(parts) != 1:
                parts = [self._new([[part] for part in parts], [[-part for part in parts]])]
            self._variables[literal] = parts[0]
        return self._variables[literal]

    def any_of(self, variables: Iterable[int]) -> int:
        """A variable that is true only if one of these, or of their negatives, is."""
        return self._new([[*variables]])

    def _new(self, if_true: Iterable[list[int]], if_false: Iterable[list[int]] = ()) -> int:
        """A variable and the clauses that hold if it is true, and if it is false."""
        self._last += 1
        for clauses, literal in ((if_true, -self._last), (if_false, self._last)):
            for clause in clauses:
                self._solver.add_clause([literal, *clause])
        return self._last

    def solve(self, statements: Iterable[int], variables: Iterable[int] = ()) -> IntArray | None:
        """Values of the model's literals, (literals,), or None if there are none.

        Args:
            statements: by number, which have to hold; others may.
            variables: that have to be true, too, or false where they are negative.

        Raises:
            OutOfTime: if the time limit came first.
        """
        agree = self._agree([*self._guards(statements), *variables])
        return self._values() if agree else None

    def core(self) -> tuple[list[int], list[int]]:
        """Statements and variables, of those that were asked for last, that do not go together."""
        statements = [self._statement[v] for v in self._core if v in self._statement]
        return sorted(statements), [v for v in self._core if v not in self._statement]

    def minimal(
        self, statements: Collection[int], variables: Sequence[int] = (), keep: Iterable[int] = ()
    ) -> list[int] | None:
        """Statements that do not go together, of which none can be left out; None if all go.

        Those that come first are kept where there is a choice.

        Args:
            statements: to choose from, by number.
            variables: that are true anyway.
            keep: statements that hold anyway.

        Raises:
            OutOfTime: if the time limit came first.
        """
        needed = self._minimal(self._guards(statements), [*self._guards(keep), *variables])
        return None if needed is None else [self._statement[guard] for guard in needed]

    def minimal_variables(
        self, variables: Sequence[int], statements: Iterable[int], keep: Iterable[int] = ()
    ) -> list[int] | None:
        """The same of variables; ``keep`` are those that are true anyway."""
        return self._minimal(variables, [*self._guards(statements), *keep])

    def _guards(self, statements: Iterable[int]) -> list[int]:
        guards: list[int] = self.formula.guards[[*statements]].tolist()
        return guards

    def _minimal(self, candidates: Sequence[int], fixed: list[int]) -> list[int] | None:
        """Assumptions that do not go together with ``fixed``, none of which can be left out.

        By deletion, with the core of each answer (J. Marques-Silva, "Minimal unsatisfiability:
        models, algorithms and applications", ISMVL 2010).
        """
        if self._agree([*fixed, *candidates]):
            return None
        core, needed = {*self._core}, list[int]()
        left = [each for each in candidates if each in core]
        while left:
            last = left.pop()
            if not self._agree([*fixed, *left, *needed]):
                core = {*self._core}
                left = [each for each in left if each in core]
            else:
                needed.append(last)
        return [each for each in candidates if each in needed]

    def _agree(self, assumed: list[int]) -> bool:
        """Whether these variables can be true together; the solver then has such values."""
        held = {self._statement.get(each) for each in assumed} if self._graphs else ()
        while self._is_satisfiable(assumed):
            if not (self._graphs and self._cut(self._values(), held)):
                return True
        self._core = self._solver.get_core() or []
        return False

    def _values(self) -> IntArray:
        """The solver's values of the model's literals."""
        bits = self.formula.bits
        sample = np.zeros(bits.n_bits, dtype=np.int8)  # variables in no clause may be missing
        pysat_model = np.array(self._solver.get_model()[: bits.n_bits], dtype=np.int64)
        sample[: len(pysat_model)] = pysat_model > 0
        return bits.decode(sample)

    def _cut(self, x: IntArray, held: Collection[int | None]) -> bool:
        """Add the clauses that graphs of these statements ask for; False if there are none."""
        any_broken = False
        for graph, owner in self._graphs:
            if owner >= 0 and owner not in held:
                continue
            for cut in cuts_of(graph, x):
                guard = [-int(self.formula.guards[owner])] if owner >= 0 else []
                self._solver.add_clause([*self.formula.clause_of(cut), *guard])
                any_broken = True
        return any_broken

    def _is_satisfiable(self, assumed: list[int]) -> bool:
        """Whether there is a model in which these variables are true."""
        self.calls += 1
        while (left := self.until - time.perf_counter()) > 0:
            started = time.perf_counter()
            self._solver.conf_budget(self._conflicts)
            if current_thread() is main_thread():
                answer = self._thread.submit(self._solver.solve_limited, assumed).result()
            else:
                answer = self._solver.solve_limited(assumed)
            if answer is not None:
                return bool(answer)
            seconds = max(time.perf_counter() - started, 1e-3)
            share = min(_SLICE_S, max(left, 1e-3)) / seconds
            self._conflicts = max(_FIRST_CONFLICTS // 10, int(self._conflicts * min(share, 4)))
        raise OutOfTime
