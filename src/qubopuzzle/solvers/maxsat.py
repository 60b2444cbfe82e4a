"""Weighted MaxSAT: what no assignment can avoid, core by core, and better answers on the way.

Literals cost a weight where they are true. The solver is asked for an assignment in which none of
them is. It answers with a core: some of them, of which one must be true. The least weight in the
core is then paid for, and the core's literals are weighed anew: each by that much less, and "two
of them are true", "three are", and so on, by that much each (OLL: Andres et al., ICLP 2012;
Morgado, Dodaro and Marques-Silva, CP 2014). When there is an assignment in which nothing
that has a weight is true, it is the best, and costs just what was paid.

Heavy literals come first, and the light ones are free meanwhile (Ansótegui et al., CP 2012): so
there are answers, better and better, before the best is proved. A literal that alone would make
the whole worse than the best answer is false for good.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


class Cores:
    """The weights that are left, and how the next assignment is to be asked for.

    >>> from pysat.solvers import Solver
    >>> with Solver("cadical195", bootstrap_with=[[1, 2], [2, 3], [1, 3]]) as solver:
    ...     cores = Cores({1: 3, 2: 3, 3: 5}, 3)
    ...     while not cores.is_complete:
    ...         cores.go_on()
    ...         while not solver.solve(cores.assumed):
    ...             solver.append_formula(cores.pay(solver.get_core()))
    ...     cores.paid
    6

    Attributes:
        paid: what every assignment costs at least.
        assumed: the literals to assume, shape (n,).
        is_complete: whether an assignment that meets these costs no more than ``paid``.
    """

    def __init__(self, weights: Mapping[int, int], n_variables: int) -> None:
        self.paid = 0
        self._weights = {literal: weight for literal, weight in weights.items() if weight > 0}
        self._n_variables = n_variables
        self._sums: dict[int, tuple[Any, int]] = {}
        """The totalizer of a literal "more than i of these are true", and i."""
        self._least = 1 + max(self._weights.values(), default=0)
        self._update()

    def pay(self, core: Iterable[int]) -> list[list[int]]:
        """Pay for a core, assumed literals that are not all true; returns clauses to add."""
        one_true = [-literal for literal in core]
        price = min(self._weights[literal] for literal in one_true)
        self.paid += price
        clauses: list[list[int]] = []
        for literal in one_true:
            self._add(literal, -price)
            if literal in self._sums:
                clauses += self._next(literal, price)
        clauses += self._sum(one_true, price) if len(one_true) > 1 else [one_true]
        self._update()
        return clauses

    def go_on(self) -> None:
        """Assume lighter literals, too: those from half of the heaviest that was free."""
        free = [weight for weight in self._weights.values() if weight < self._least]
        self._least = (max(free) + 1) // 2 if free else 1
        self._update()

    def forget(self, best: int) -> list[list[int]]:
        """Clauses against what would cost as much as an answer that is known, or more."""
        heavy = [literal for literal, weight in self._weights.items() if self.paid + weight >= best]
        for literal in heavy:
            del self._weights[literal]
        self._update()
        return [[-literal] for literal in heavy]

    def _update(self) -> None:
        self.assumed = [
            -literal for literal, weight in self._weights.items() if weight >= self._least
        ]
        self.is_complete = len(self.assumed) == len(self._weights)

    def _add(self, literal: int, weight: int) -> None:
        self._weights[literal] = self._weights.get(literal, 0) + weight
        if not self._weights[literal]:
            del self._weights[literal]

    def _sum(self, literals: list[int], price: int) -> list[list[int]]:
        """The totalizer of a core; that one is true is paid for, that two are is not."""
        from pysat.card import ITotalizer

        totalizer = ITotalizer(literals, ubound=1, top_id=self._n_variables)
        self._n_variables = totalizer.top_id
        self._weigh(totalizer, 1, price)
        return list(totalizer.cnf.clauses)

    def _next(self, literal: int, price: int) -> list[list[int]]:
        """Where "more than i" is paid for, "more than i + 1" comes to have a weight."""
        totalizer, count = self._sums[literal]
        count += 1
        if count >= len(totalizer.lits):
            return []
        clauses: list[list[int]] = []
        if count >= len(totalizer.rhs):
            totalizer.increase(ubound=count, top_id=self._n_variables)
            self._n_variables = max(self._n_variables, totalizer.top_id)
            clauses = totalizer.cnf.clauses[-totalizer.nof_new :] if totalizer.nof_new else []
        self._weigh(totalizer, count, price)
        return clauses

    def _weigh(self, totalizer: Any, count: int, price: int) -> None:
        literal = totalizer.rhs[count]
        self._sums[literal] = totalizer, count
        self._add(literal, price)
