"""About how many answers there are, and answers drawn by lot: parts of them by random parities.

A part are the answers that have drawn parities in k sets of variables, which are drawn, too. An
answer is in it with a probability of ``2**-k``, any three of them independently of each other. So
its size says how many answers there are, once it is so small that it can be enumerated.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import islice, product
from math import ceil, comb, log2
from statistics import median

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile.cnf import compile_stated
from qubopuzzle.compile.engines import SAT
from qubopuzzle.errors import OutOfTime
from qubopuzzle.model import TRUE, IntArray
from qubopuzzle.reasons.answers import Answers

Rng = np.random.Generator
_WIDTH = 4
"""Variables of a parity that are not cut in two."""
_CONFLICTS = 1_000
"""Of a SAT solver that is asked whether variables decide another one."""
_WRONG = 0.36
"""How probable it is, at most, that the estimate of one round is not within its bounds."""
WITHIN = (0.8, 0.2)
"""Of an estimate, see ``Parts.estimate``."""
_MEAN, _PLACES = 16, 64
"""Answers of a part, on average, that one is drawn from, and places for them."""


class Parts:
    """Random parts of the answers of a problem."""

    def __init__(self, answers: Answers, rng: Rng) -> None:
        """Choose the variables whose parities are asked for.

        Raises:
            OutOfTime: if the time limit came first.
        """
        self._answers, self._rng = answers, rng
        self._variables = _support(answers)
        self._sums: list[int] = []

    def _rows(self, n: int) -> NDArray[np.uint8]:
        """Random equations over the variables, (n, variables + 1), the right-hand side last."""
        return self._rng.integers(0, 2, (n, len(self._variables) + 1), dtype=np.uint8)

    def _part(self, rows: NDArray[np.uint8], most: int) -> list[IntArray]:
        """The answers, by literals, for which equations hold; ``most`` of them at most."""
        oracle = self._answers.oracle
        holds, sums = oracle.fresh(), self._between()
        for row in reduced(rows):
            chosen = [self._variables[i] for i in np.flatnonzero(row[:-1]).tolist()]
            for clause in _parity(chosen, int(row[-1]), sums):
                oracle.add([-holds, *clause])
        with closing(self._answers.each([holds])) as each:
            part = [*islice(each, most)]
        oracle.add([-holds])
        return part

    def _between(self) -> Iterator[int]:
        """Variables for parts of a parity, which the next one may have again."""
        yield from self._sums
        while True:
            self._sums.append(self._answers.oracle.fresh())
            yield self._sums[-1]

    def estimate(self, within: tuple[float, float]) -> int:
        """About how many answers there are, if there are at least ``threshold(within)``.

        With ``within = (epsilon, delta)`` it is off by a factor of ``1 + epsilon`` at most, with a
        probability of at least ``1 - delta``.

        Raises:
            OutOfTime: if the time limit came first.

        Source: S. Chakraborty, K. S. Meel, M. Y. Vardi, "Algorithmic improvements in approximate
        counting for probabilistic inference: from linear to logarithmic SAT calls" (IJCAI 2016).
        """
        many, k, estimates = threshold(within), 1, list[int]()
        for _ in range(_rounds(within[1])):
            rows, sizes = self._rows(len(self._variables)), {0: many}
            while True:
                for few in (k - 1, k):
                    if few not in sizes:
                        sizes[few] = len(self._part(rows[:few], many))
                if sizes[k - 1] >= many > sizes[k]:
                    break
                k += 1 if sizes[k] >= many else -1
            estimates.append(sizes[k] << k)
        return int(median(estimates))

    def draw(self, count: int) -> Iterator[IntArray]:
        """Answers by lot without end, independent of each other, of ``count`` or so.

        Of a random part of N answers, N up to ``_PLACES``, each is drawn with a probability of
        ``1 / _PLACES``, otherwise none, and another part is tried. So all answers are equally
        probable but for those of parts with more. If there are up to 1.8 times as many as
        ``count``, as ``estimate`` says, 16 others or less are in its part on average, and more
        than 63 with a probability below 16 / (64 - 16)**2 by Chebyshev's inequality, 0.7 percent.

        Source: M. Bellare, O. Goldreich, E. Petrank, "Uniform generation of NP-witnesses using an
        NP-oracle" (Information and Computation 163, 2000).
        """
        k = max(0, ceil(log2(count) + log2((1 + WITHIN[0]) / _MEAN)))
        while True:
            part = self._part(self._rows(k), _PLACES + 1)
            place = int(self._rng.integers(_PLACES))
            if place < len(part) <= _PLACES:
                yield sorted(part, key=lambda x: self._answers.there(x).tobytes())[place]


def threshold(within: tuple[float, float]) -> int:
    """From how many answers on a part is too large, see ``Parts.estimate``."""
    epsilon, _ = within
    return 1 + ceil(9.84 * (1 + epsilon / (1 + epsilon)) * (1 + 1 / epsilon) ** 2)


def _rounds(delta: float) -> int:
    """Of how many estimates the median is out of bounds with a probability of at most ``delta``."""
    n = 1
    while delta < sum(
        comb(n, wrong) * _WRONG**wrong * (1 - _WRONG) ** (n - wrong)
        for wrong in range((n + 1) // 2, n + 1)
    ):
        n += 2
    return n


def reduced(rows: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Equations over bits with the same solutions, eliminated, so that they are shorter.

    >>> reduced(np.array([[1, 1, 1, 0], [0, 1, 1, 1]], dtype=np.uint8)).tolist()
    [[1, 0, 0, 1], [0, 1, 1, 1]]
    """
    rows, done = rows.copy(), 0
    for column in range(rows.shape[1] - 1):
        pivots = done + np.flatnonzero(rows[done:, column])
        if len(pivots):
            rows[[done, pivots[0]]] = rows[[pivots[0], done]]
            others = np.flatnonzero(rows[:, column])
            rows[others[others != done]] ^= rows[done]
            done += 1
    return rows


def _parity(variables: Sequence[int], parity: int, sums: Iterator[int]) -> Iterator[list[int]]:
    """Clauses that say that an odd number of these is true, or an even one for 0.

    Of more than ``_WIDTH`` the parity of some is one of ``sums``.
    """
    left = [*variables]
    while len(left) > _WIDTH:
        part = [*left[: _WIDTH - 1], next(sums)]
        left = [*left[_WIDTH - 1 :], part[-1]]
        yield from _parity(part, 0, sums)
    for signs in product((1, -1), repeat=len(left)):
        if signs.count(-1) % 2 != parity:
            yield [sign * variable for sign, variable in zip(signs, left, strict=True)]


def _support(answers: Answers) -> list[int]:
    """Variables such that no two answers agree in all of them.

    One after the other is left out if those that are left decide it, as far as a copy of the
    formula shows it, without cuts: parities are easier the shorter they are.

    Source: A. Ivrii, S. Malik, K. S. Meel, M. Y. Vardi, "On computing minimal independent support
    and its applications to sampling and counting" (Constraints 21, 2016).
    """
    from pysat.solvers import Solver

    oracle = answers.oracle
    formula = compile_stated(oracle.stated)
    n, clauses = formula.n_variables, [*formula.clauses()]
    left = [*dict.fromkeys(np.abs(answers.variables).tolist())]
    left = [variable for variable in left if variable != oracle.variable(TRUE)]
    same = {variable: 2 * n + 1 + i for i, variable in enumerate(left)}
    kept: list[int] = []
    with Solver(SAT, bootstrap_with=clauses) as solver:
        solver.append_formula([[v + n if v > 0 else v - n for v in clause] for clause in clauses])
        for variable, equal in same.items():
            solver.append_formula([[-equal, -variable, variable + n]])
            solver.append_formula([[-equal, variable, -variable - n]])
        while left:
            if time.perf_counter() > oracle.until:
                raise OutOfTime
            last = left.pop()
            solver.conf_budget(_CONFLICTS)
            others = [same[variable] for variable in (*kept, *left)]
            if solver.solve_limited([*others, last, -last - n]) is not False:
                kept.append(last)
    return kept
