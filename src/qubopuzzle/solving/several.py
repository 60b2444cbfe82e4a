"""Many problems, solved by several processes at once."""

from collections.abc import Generator, Iterable
from concurrent.futures import Executor
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any

from qubopuzzle.checks import whole
from qubopuzzle.errors import ExecutorFailed, QubopuzzleError
from qubopuzzle.executors import calls, in_order
from qubopuzzle.model import Problem
from qubopuzzle.processes import WorkerExecutor
from qubopuzzle.solving.result import Result
from qubopuzzle.solving.solve import solve


@dataclass(frozen=True)
class _Order:
    problem: Problem
    settings: dict[str, Any]
    samples: bool


def solve_each(
    problems: Iterable[Problem],
    *,
    jobs: int = 1,
    executor: Executor | None = None,
    samples: bool = False,
    own: Iterable[dict[str, Any]] | None = None,
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
        own: for each problem settings of its own.
        settings: see ``solve``; no callbacks.

    Raises:
        ExecutorFailed: if an executor takes no more work, or loses a problem twice.
    """
    jobs = whole("jobs", jobs, 1)
    each: Iterable[dict[str, Any]] = repeat({}) if own is None else own
    orders = (_Order(p, settings | more, samples) for p, more in zip(problems, each, strict=False))
    if executor is None and jobs == 1:
        yield from map(_solved, orders)
        return
    at_work = WorkerExecutor(jobs) if executor is None else nullcontext(executor)
    with at_work as workers, closing(calls(workers, _solved, orders)) as done:
        for found in in_order(done):
            if found.answer is None:
                raise ExecutorFailed(f"problem {found.number + 1} was lost twice ({found.lost})")
            yield found.answer


def _solved(order: _Order) -> Result | QubopuzzleError:
    try:
        result = solve(order.problem, **order.settings)
    except QubopuzzleError as error:
        return error
    return result if order.samples else replace(result, sampled=None)
