"""Which statements of a model contradict each other: one solver, asked with assumptions."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from math import inf
from typing import Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile import encoding
from qubopuzzle.compile.engines import SAT, engine_of
from qubopuzzle.errors import OutOfTime
from qubopuzzle.model import FALSE, TRUE, Acyclic, Connected, IntArray
from qubopuzzle.model.cuts import cuts_of
from qubopuzzle.model.statements import StatedModel

T = TypeVar("T")
_CONFLICTS_A_ROUND = 10
"""What a round of cuts takes, in conflicts."""
_AssumedGraph: TypeAlias = tuple[Connected | Acyclic, list[int], NDArray[np.bool_]]
"""A graph that has to be right, what frees it from that, and the nodes that are assumed."""


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

    Connectivity and cycles are met by cuts, as in the solver ``sat``. Whoever has many questions
    asks them in a thread, see ``run``.

    Attributes:
        stated: what it was made of.
        formula: that as clauses, with the variables that questions are about.
        calls: questions to the solver so far.
        patience: conflicts, or as much work in rounds of cuts, after which it is taken for granted
            that something cannot be left out of a set; then the set may not be minimal, and
            ``is_sure`` becomes False.
    """

    def __init__(
        self, stated: StatedModel, *, time_limit: float | None = None, backend: str = SAT
    ) -> None:
        """Compile; all questions together take no longer than ``time_limit``, in seconds.

        ``backend`` is a solver of PySAT, ``cpsat``, which takes rows with large numbers and is
        good at counting, or ``turns``: both in turns.

        Raises:
            TooLarge: if the formula would not fit in memory.
            SolverUnavailable: for ``cpsat`` without OR-Tools.
        """
        until = inf if time_limit is None else time.perf_counter() + time_limit
        self.stated, self._engine = stated, engine_of(stated, backend)
        self.formula, self.until = self._engine.formula, until
        self._statement = {guard: i for i, guard in enumerate(self.formula.guards.tolist())}
        self._variables: dict[int, int] = {}
        self._last = self.formula.n_variables
        self._thread, self.calls = ThreadPoolExecutor(1), 0
        self.patience: int | None = None
        self.is_sure = True
        self._true = self.fresh()
        self.add([self._true])
        model = stated.model
        owners = stated.owner[len(stated.owner) - len(model.graphs) :].tolist()
        nodes = [  # those that cuts of connectivity name
            np.array([*map(self.variable, graph.literals.tolist())], dtype=np.int64)
            for graph in model.connected
        ]
        nodes += [np.zeros(0, dtype=np.int64)] * len(model.acyclic)
        self._graphs = [*zip(model.graphs, owners, nodes, strict=True)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.shutdown()
        self._engine.close()

    @property
    def until(self) -> float:
        """When to give up, by ``time.perf_counter``."""
        return self._engine.until

    @until.setter
    def until(self, until: float) -> None:
        self._engine.until = until

    def run(self, work: Callable[[], T]) -> T:
        """What a function returns that is called in a thread of the oracle's."""
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
        if node := int(self.formula.node[literal]):
            return self._true if node == encoding.TRUE else node
        if literal not in self._variables:
            parts = self.formula.bits.clause_literals(np.array([literal]))
            if len(parts) != 1:
                parts = [self._new([[part] for part in parts], [[-part for part in parts]])]
            self._variables[literal] = parts[0]
        return self._variables[literal]

    def any_of(self, variables: Iterable[int]) -> int:
        """A variable that is true only if one of these, or of their negatives, is."""
        return self._new([[*variables]])

    def fresh(self) -> int:
        """A variable of its own."""
        return self._new([])

    def add(self, clause: Iterable[int]) -> None:
        """A clause more, of what ``variable``, ``any_of`` and ``fresh`` return."""
        self._engine.add_clause([*clause])

    def _new(self, if_true: Iterable[list[int]], if_false: Iterable[list[int]] = ()) -> int:
        """A variable and the clauses that hold if it is true, and if it is false."""
        self._last += 1
        for clauses, literal in ((if_true, -self._last), (if_false, self._last)):
            for clause in clauses:
                self.add([literal, *clause])
        return self._last

    def solve(self, statements: Iterable[int], variables: Iterable[int] = ()) -> IntArray | None:
        """Values of the model's literals, (literals,), or None if there are none.

        Args:
            statements: by number, which have to hold; others may.
            variables: that have to be true, too, or false where they are negative.

        Raises:
            OutOfTime: if the time limit came first.
        """
        if not self._solve([*self._guards(statements), *variables]):
            return None
        return self.formula.bits.decode(self._engine.bits())

    def core(self) -> tuple[list[int], list[int]]:
        """Statements and variables, of those that were asked for last, that do not go together."""
        core = self._engine.core()
        statements = [self._statement[v] for v in core if v in self._statement]
        return sorted(statements), [v for v in core if v not in self._statement]

    @property
    def solver(self) -> str:
        """Who answered last: ``sat`` or ``cpsat``."""
        return self._engine.name

    def exclude(self, x: IntArray) -> None:
        """From now on answers differ from the one that these literals, (literals,), paint."""
        bits = self.formula.bits
        self._engine.add_clause(bits.blocking_clause(bits.encode(x), answer=True))

    def minimal(
        self,
        statements: Collection[int],
        variables: Sequence[int] = (),
        keep: Iterable[int] = (),
        most: float = inf,
    ) -> list[int] | None:
        """Statements that do not go together, of which none can be left out; None if all go.

        Those that come first are kept where there is a choice.

        Args:
            statements: to choose from, by number.
            variables: that are true anyway.
            keep: statements that hold anyway.
            most: None, too, if it takes more than so many.

        Raises:
            OutOfTime: if the time limit came first.
        """
        fixed = [*self._guards(keep), *variables]
        needed = self._minimal(self._guards(statements), fixed, most)
        return None if needed is None else [self._statement[guard] for guard in needed]

    def minimal_variables(
        self, variables: Sequence[int], statements: Iterable[int], keep: Iterable[int] = ()
    ) -> list[int] | None:
        """The same of variables; ``keep`` are those that are true anyway."""
        return self._minimal(variables, [*self._guards(statements), *keep])

    def _guards(self, statements: Iterable[int]) -> list[int]:
        guards: list[int] = self.formula.guards[[*statements]].tolist()
        return guards

    def shrinking(self, statements: Collection[int]) -> Iterator[list[int]]:
        """Ever smaller sets that do not go together, ``minimal`` at last; none if all go."""
        for needed in self._shrinking(self._guards(statements), []):
            yield [self._statement[guard] for guard in needed]

    def _minimal(
        self, candidates: Sequence[int], fixed: list[int], most: float = inf
    ) -> list[int] | None:
        """Assumptions that do not go together with ``fixed``, none of which can be left out."""
        smaller = None
        for smaller in self._shrinking(candidates, fixed, most):  # noqa: B007
            pass
        return None if smaller is None or len(smaller) > most else smaller

    def _shrinking(
        self, candidates: Sequence[int], fixed: list[int], most: float = inf
    ) -> Iterator[list[int]]:
        """Fewer and fewer assumptions that do not go together with ``fixed``, to the last.

        Or until it is plain that it takes more than ``most``.

        By deletion, with the core of each answer (J. Marques-Silva, "Minimal unsatisfiability:
        models, algorithms and applications", ISMVL 2010).
        """
        if self._solve([*fixed, *candidates]):
            return
        core, needed = {*self._engine.core()}, set[int]()
        left = [each for each in candidates if each in core]
        yield [*left]
        while left:
            last = left.pop()
            if self._contradict([*fixed, *left, *needed]):
                core = {*self._engine.core()}
                left = [each for each in left if each in core]
                kept = needed.union(left)
                yield [each for each in candidates if each in kept]
            elif len(needed) < most:
                needed.add(last)
            else:
                return

    def _contradict(self, assumed: list[int]) -> bool:
        """Whether these variables cannot be true together, as far as the patience goes."""
        self._engine.most_conflicts = self.patience
        try:
            return not self._solve(assumed)
        except OutOfTime:
            if self.patience is None or time.perf_counter() >= self.until:
                raise
            self.is_sure = False
            return False
        finally:
            self._engine.most_conflicts = None

    def _solve(self, assumed: list[int]) -> bool:
        """Whether these variables can be true together."""
        most = self._engine.most_conflicts
        graphs = [*self._assumed_graphs(assumed)] if self._graphs else []
        for _ in count() if most is None else range(0, most, _CONFLICTS_A_ROUND):
            self.calls += 1
            if not self._engine.solve(assumed):
                return False
            if not (graphs and self._cut(graphs)):
                return True
        raise OutOfTime

    def _assumed_graphs(self, assumed: Sequence[int]) -> Iterator[_AssumedGraph]:
        is_assumed = np.zeros(2 * self._last + 1, dtype=bool)
        is_assumed[np.array(assumed, dtype=np.int64) + self._last] = True
        for graph, owner, nodes in self._graphs:
            guard = [int(self.formula.guards[owner])] if owner >= 0 else []
            if all(is_assumed[each + self._last] for each in guard):
                yield graph, [-each for each in guard], is_assumed[nodes + self._last]

    def _cut(self, graphs: Iterable[_AssumedGraph]) -> bool:
        """Add the clauses that graphs ask for; False if there are none."""
        any_broken, x = False, self.formula.bits.decode(self._engine.bits())
        for graph, guard, fixed in graphs:
            for cut in cuts_of(graph, x, fixed):
                self._engine.add_clause([*self.formula.clause_of(cut), *guard])
                any_broken = True
        return any_broken
