"""Many problems, solved by several processes at once."""

from collections.abc import Generator, Iterable
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from itertools import repeat
from typing import Any

from qubopuzzle.base.checks import whole
from qubopuzzle.base.executors import results
from qubopuzzle.errors import QubopuzzleError
from qubopuzzle.problem import Problem
from qubopuzzle.solving.result import Result
from qubopuzzle.solving.solve import solve


def solve_each(
    problems: Iterable[Problem],
    *,
    jobs: int = 1,
    executor: Executor | None = None,
    samples: bool = False,
    overrides: Iterable[dict[str, Any]] | None = None,
    **settings: Any,
) -> Generator[Result | QubopuzzleError, None, None]:
    """Solve problem after problem in several processes; yields results in order.

    What cannot be solved is yielded as the error that ``solve`` raised.

    >>> from qubopuzzle import Nonogram
    >>> dots = [Nonogram(rows=[[1]], cols=[[1]])] * 2
    >>> [result.valid for result in solve_each(dots, solver="sat")]
    [True, True]

    Args:
        problems: puzzles and models.
        jobs: processes of this machine.
        executor: of ``concurrent.futures`` or Dask, where they are solved instead.
        samples: keep ``result.samples``, too, which may be large.
        overrides: for each problem settings of its own, which go before the others.
        settings: see ``solve``; no callbacks.

    Raises:
        ExecutorFailed: if an executor takes no more work, or loses a problem twice.
    """
    jobs = whole("jobs", jobs, 1)
    each = repeat({}) if overrides is None else overrides
    orders = ((p, settings | more) for p, more in zip(problems, each, strict=False))
    return results(partial(_solved, samples), orders, "problem", jobs=jobs, executor=executor)


def _solved(samples: bool, order: tuple[Problem, dict[str, Any]]) -> Result | QubopuzzleError:
    """The result of a problem with settings, with or without its samples."""
    problem, settings = order
    try:
        result = solve(problem, **settings)
    except QubopuzzleError as error:
        return error
    return result if samples else replace(result, sampled=None)
