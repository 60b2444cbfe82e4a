"""Many calls: in processes of ours, or on any executor of ``concurrent.futures``, as Dask's."""

import logging
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from qubopuzzle.base.checks import brief
from qubopuzzle.base.processes import WarmWorkers
from qubopuzzle.base.signals import children_without_interrupt
from qubopuzzle.errors import ExecutorFailed, InputError, QubopuzzleError, first_line

AHEAD = 2_000
"""Calls that an executor is given at once: enough for as many workers, little to keep."""
_CONNECT_S = 10
_LOOK_S = 1.0
_LOGGERS = ("distributed", "tornado", "asyncio")
_Item = TypeVar("_Item")
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Done(Generic[_Item, _Value]):
    """A call that has ended.

    Attributes:
        number: of the item, from 0.
        value: None where the call was lost.
        lost: why no answer came, twice; empty where one did.
    """

    number: int
    item: _Item
    value: _Value | None
    lost: str = ""


def calls(
    executor: Executor,
    function: Callable[[_Item], _Value],
    items: Iterable[_Item],
    *,
    ahead: int = AHEAD,
) -> Generator[Done[_Item, _Value], None, None]:
    """Call a function with each item; yields what is done, as soon as it is.

    A call without an answer, as when a worker is lost with it, is made once more. What is not
    begun when the generator is closed is cancelled.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as threads:
    ...     sorted(done.value for done in calls(threads, abs, [1, -2, 3]))
    [1, 2, 3]

    Args:
        ahead: how many calls the executor holds at once.

    Raises:
        QubopuzzleError: what the function raises of ours.
        ExecutorFailed: if the executor takes no calls any more.
    """
    waiting, finished = enumerate(items), SimpleQueue[Future[_Value]]()
    running: dict[Future[_Value], tuple[int, _Item]] = {}
    repeated: set[int] = set()

    def submit(number: int, item: _Item) -> None:
        try:
            future = executor.submit(function, item)
        except Exception as error:
            raise ExecutorFailed(f"the executor takes no more runs ({first_line(error)})") from None
        running[future] = number, item
        future.add_done_callback(finished.put)

    try:
        while True:
            for number, item in islice(waiting, ahead - len(running)):
                submit(number, item)
            if not running:
                return
            future = _next(finished, executor)
            number, item = running.pop(future)
            lost = _why_lost(future)
            if lost:
                _check(executor)
            if lost and number not in repeated:
                repeated.add(number)
                submit(number, item)
            else:
                yield Done(number, item, None if lost else future.result(), lost)
    finally:
        for future in running:
            future.cancel()


def _next(finished: SimpleQueue[_Value], executor: Executor) -> _Value:
    """What is finished next; ExecutorFailed if nothing will be."""
    while True:
        with suppress(Empty):
            return finished.get(timeout=_LOOK_S if hasattr(executor, "_client") else None)
        _check(executor)


def _check(executor: Executor) -> None:
    """Raise ExecutorFailed where Dask's client has lost the scheduler.

    Its executor leaves some futures as they are then.
    """
    client: Any = getattr(executor, "_client", None)
    if client is not None and client.status in ("closing", "closed"):
        raise ExecutorFailed("the executor's scheduler is gone")


def _why_lost(future: Future[Any]) -> str:
    """Why a call that has ended has no answer; nothing if it has, or an error of ours."""
    if future.cancelled():
        return "it was cancelled"
    error = future.exception()
    return "" if error is None or isinstance(error, QubopuzzleError) else first_line(error)


def results(
    function: Callable[[_Item], _Value],
    items: Iterable[_Item],
    what: str,
    *,
    jobs: int = 1,
    executor: Executor | None = None,
) -> Generator[_Value, None, None]:
    """A function's answers to items, in their order.

    They are made here, in so many processes, or on an executor; what still runs in the processes
    when the generator is closed ends.

    Args:
        what: an item in words, for messages.

    Raises:
        ExecutorFailed: if an executor takes no more calls, or a call is lost twice.
    """
    if executor is None and jobs == 1:
        yield from map(function, items)
        return
    with ExitStack() as stack:
        if executor is None:
            executor = stack.enter_context(ThreadPoolExecutor(jobs))
            workers = stack.enter_context(closing(WarmWorkers()))
            function = partial(workers.call, function)
        kept: dict[int, Done[_Item, _Value]] = {}
        due = 0
        for each in stack.enter_context(closing(calls(executor, function, items))):
            kept[each.number] = each
            while due in kept:
                first = kept.pop(due)
                due += 1
                if first.value is None:
                    raise ExecutorFailed(f"{what} {due} was lost twice ({first.lost})")
                yield first.value


@contextmanager
def open_executor(name: str, jobs: int | None = None) -> Iterator[Executor]:
    """The executor that a name says: ``dask:local``, or ``dask:tcp://HOST:PORT`` of a scheduler.

    Args:
        jobs: workers of ``dask:local``; as many as there are cores without.

    Raises:
        InputError: for any other name, and where no scheduler answers.
    """
    kind, _, address = name.partition(":")
    if kind != "dask" or not address:
        raise InputError(f"unknown executor {brief(name)}; dask:local or dask:tcp://HOST:PORT")
    try:
        import distributed
    except ImportError:
        raise InputError("Dask is not installed: pip install 'qubopuzzle[cluster]'") from None
    dask: Any = distributed
    with _quiet():
        try:
            if address == "local":
                with children_without_interrupt():  # a terminal's Ctrl-C goes to all
                    cluster: Any = dask.LocalCluster(
                        n_workers=jobs,
                        threads_per_worker=1,
                        dashboard_address=":0",  # the usual port may be taken
                        silence_logs=logging.CRITICAL,
                    )
            else:
                cluster = address
            client = dask.Client(cluster, timeout=_CONNECT_S, set_as_default=False)
        except (OSError, ValueError, RuntimeError) as error:
            raise InputError(f"{name}: no scheduler answers ({first_line(error)})") from None
        try:
            yield client.get_executor()
        finally:
            client.close()
            if address == "local":
                cluster.close()


@contextmanager
def _quiet() -> Iterator[None]:
    """Dask's logs say on standard error, and at length, what its errors say."""
    names = [name for name in logging.root.manager.loggerDict if name.startswith(_LOGGERS)]
    levels = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
