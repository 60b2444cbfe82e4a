"""The processes that do the work of a server: ``WarmWorkers`` for a loop of asyncio."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from qubopuzzle.base.processes import Crashed, Overrun, WarmWorkers, Worker
from qubopuzzle.errors import QubopuzzleError

MEMORY = 3 << 30
"""Bytes of address space of a process; most of it is never touched."""
_START_S = 120


class Busy(QubopuzzleError):
    """All processes are at work."""


class Turns:
    """So many at once; an asynchronous context manager, ``Busy`` for who waits ``wait_s``."""

    def __init__(self, size: int, *, wait_s: float) -> None:
        self._size, self._wait_s = size, wait_s
        self._left = asyncio.Semaphore(size)

    async def __aenter__(self) -> None:
        try:
            await asyncio.wait_for(self._left.acquire(), self._wait_s)
        except TimeoutError:
            raise Busy(f"all {self._size} processes are at work; try again later") from None

    async def __aexit__(self, *_: object) -> None:
        self._left.release()


class Pool:
    """Processes, each kept for the next call; one is ready before it is asked for.

    Args:
        warm: what a new process does first, so that its first call is quick.
    """

    def __init__(self, warm: Callable[[], Any]) -> None:
        self._workers = WarmWorkers(idle_s=threading.TIMEOUT_MAX)
        self._warm = warm
        self._prepare()

    async def call(
        self,
        turns: Turns,
        function: Callable[..., Any],
        *arguments: Any,
        deadline: float,
        hear: Callable[[Any], object] = lambda _: None,
    ) -> Any:
        """The function's answer; cancelled, or at the deadline in seconds, its process ends.

        Raises:
            Busy: if no turn comes.
            Overrun, Crashed, QubopuzzleError: see ``Worker.call``.
        """
        async with turns:
            await asyncio.wait({self._first})
            try:
                async with self._lent() as worker:
                    return await _answer(worker, function, *arguments, deadline=deadline, hear=hear)
            except (asyncio.CancelledError, Crashed, Overrun):
                self._prepare()  # whoever comes next shall not wait for more than its start
                raise

    def close(self) -> None:
        """End all processes, whatever they do."""
        self._workers.close()

    def _prepare(self) -> None:
        """Have a process that waits for its call."""

        async def lend() -> None:
            async with self._lent():
                pass

        self._first = asyncio.ensure_future(lend())
        # Nobody need look at what it raises: so will the next call.
        self._first.add_done_callback(lambda task: task.cancelled() or task.exception())

    @asynccontextmanager
    async def _lent(self) -> AsyncIterator[Worker]:
        with self._workers.borrow(MEMORY) as worker:
            try:
                if not worker.used:
                    await _answer(worker, self._warm, deadline=_START_S)
                yield worker
            finally:
                if not worker.ready:
                    await asyncio.to_thread(worker.close)


async def _answer(
    worker: Worker,
    function: Callable[..., Any],
    *arguments: Any,
    deadline: float,
    hear: Callable[[Any], object] = lambda _: None,
) -> Any:
    """What ``worker.call`` returns or raises, in a loop of asyncio."""
    try:
        async with asyncio.timeout(deadline):
            return await asyncio.wrap_future(worker.submit(function, *arguments, hear=hear))
    except TimeoutError:
        raise Overrun(f"still running after {deadline:g} s") from None
