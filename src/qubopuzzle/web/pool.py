"""Processes that do the work of a server, no more than so many at once."""

import asyncio
from collections.abc import Callable
from typing import Any

from qubopuzzle.errors import QubopuzzleError
from qubopuzzle.processes import Crashed, Overrun, Worker

MEMORY = 3 << 30
"""Bytes of address space of a process; most of it is never touched."""
_START_S = 120


class Busy(QubopuzzleError):
    """All processes are at work."""


class Pool:
    """Up to ``size`` processes; one is ready before it is asked for.

    Args:
        size: calls at once.
        wait_s: how long a call waits for its turn before ``Busy``.
        warm: what a new process does first, so that its first call is quick.
    """

    def __init__(self, size: int, *, wait_s: float, warm: Callable[[], Any]) -> None:
        self.size = size
        self._wait_s, self._warm = wait_s, warm
        self._turns = asyncio.Semaphore(size)
        self._idle: list[Worker] = []
        self._all: set[Worker] = set()
        self._tasks: set[asyncio.Future[Any]] = set()
        self._first: asyncio.Future[Any] | None = None
        self._is_closed = False

    async def call(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        deadline: float,
        hear: Callable[[Any], object] = lambda _: None,
    ) -> Any:
        """The function's answer; cancelled, or at the deadline in seconds, its process ends.

        Raises:
            Busy: if no process has time.
            Overrun, Crashed, QubopuzzleError: see ``Worker.call``.
        """
        await self._turn()
        left = asyncio.Event()
        # A task of its own: whoever leaves, the turn ends when the process is free or gone.
        work = self._task(self._work(left, deadline, hear, function, *arguments))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            left.set()
            raise

    async def _turn(self) -> None:
        try:
            await asyncio.wait_for(self._turns.acquire(), self._wait_s)
        except TimeoutError:
            raise Busy(f"all {self.size} processes are at work; try again later") from None

    async def _work(
        self,
        left: asyncio.Event,
        deadline: float,
        hear: Callable[[Any], object],
        function: Callable[..., Any],
        *arguments: Any,
    ) -> Any:
        try:
            if not self._idle and self._first is not None:
                await asyncio.wait({self._first})
            worker = self._idle.pop() if self._idle else await asyncio.to_thread(self._start)
            if left.is_set():
                self._idle.append(worker)
                return None
            try:
                submitted = worker.submit(function, *arguments, hear=hear)
            except BaseException:  # what cannot be pickled, or no thread for it
                self._idle.append(worker)
                raise
            answer = self._task(asyncio.wrap_future(submitted))
            leaving = self._task(left.wait())
            await asyncio.wait(
                {answer, leaving}, timeout=deadline, return_when=asyncio.FIRST_COMPLETED
            )
            leaving.cancel()
            is_late = not answer.done()
            if answer.done() and not isinstance(answer.exception(), Crashed):
                self._idle.append(worker)
            else:
                await asyncio.to_thread(self._end, worker)
                self.prepare()  # whoever comes next shall not wait for more than its start
            if is_late:
                raise Overrun(f"still running after {deadline:g} s")
            return answer.result()
        finally:
            self._turns.release()

    def prepare(self) -> None:
        """Start one process that waits for its first call."""
        self._first = self._task(self._ready())

    async def _ready(self) -> None:
        self._idle.append(await asyncio.to_thread(self._start))

    def _start(self) -> Worker:
        worker = Worker(memory=MEMORY)
        self._all.add(worker)
        if self._is_closed:
            worker.close()
        try:
            worker.call(self._warm, deadline=_START_S)
        except BaseException:
            self._end(worker)
            raise
        return worker

    def _end(self, worker: Worker) -> None:
        worker.close()
        self._all.discard(worker)

    def _task(self, work: Any) -> "asyncio.Future[Any]":
        """A task that is kept until it ends; nobody need look at what it raises."""
        task: asyncio.Future[Any] = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: "asyncio.Future[Any]") -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()

    def close(self) -> None:
        """End all processes, whatever they do."""
        self._is_closed = True
        for worker in [*self._all]:
            worker.close()
