"""The lightest set with an element of each of some sets, which become more and more."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from math import inf
from typing import Self

from qubopuzzle.errors import OutOfTime


class HittingSets:
    """Sets of numbers, and what hits them all.

    >>> with HittingSets({0: 1, 1: 5, 2: 1}) as sets:
    ...     sets.add([0, 1])
    ...     sets.add([1, 2])
    ...     sets.lightest()
    [0, 2]

    Args:
        weights: whole and positive, of each number from 0 on that may be in a set.

    Source: by MaxSAT, as PySAT's ``Hitman`` (A. Ignatiev, A. Morgado and J. Marques-Silva, "RC2:
    an efficient MaxSAT solver", JSAT 11, 53, 2019), which cannot be stopped by a clock.
    """

    def __init__(self, weights: Mapping[int, int]) -> None:
        from pysat.examples.rc2 import RC2
        from pysat.formula import WCNF

        self._weights, self._solver = weights, RC2(WCNF())
        for number, weight in weights.items():
            self._solver.add_clause([-number - 1], weight=weight)
        self._thread = ThreadPoolExecutor(1)
        self._is_hopeless = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._solver.interrupt()
        self._thread.shutdown()
        self._solver.delete()

    def add(self, numbers: Collection[int]) -> None:
        """From now on one of these has to be hit, too."""
        self._is_hopeless |= not numbers
        if numbers:
            self._solver.add_clause([number + 1 for number in numbers])

    def weight(self, numbers: Iterable[int]) -> int:
        """What these weigh together."""
        return sum(self._weights[number] for number in numbers)

    def lightest(self, until: float = inf) -> list[int] | None:
        """Numbers in ascending order of the least weight together; None if a set is empty.

        Raises:
            OutOfTime: if ``time.perf_counter`` came to ``until`` first; it then is of no use more.
        """
        if self._is_hopeless:
            return None
        run = self._thread.submit(self._solver.compute, expect_interrupt=True)
        try:
            model = run.result(None if until == inf else max(until - time.perf_counter(), 0))
        except NotYet:
            raise OutOfTime from None
        return [variable - 1 for variable in model if variable > 0]
