"""Processes that do the work of a server, no more than so many at once."""

import asyncio
from collections.abc import Callable
from typing import Any

from qubopuzzle.errors import QubopuzzleError
from qubopuzzle.processes import Crashed, Overrun, Worker

MEMORY = 3 << 30
"""Bytes of address space of a process; most of it is never touched."""


class Busy(QubopuzzleError):
    """All processes are at work."""


def _looked_at(found: "asyncio.Future[Any]") -> None:
    """So that nothing is printed of an error that nobody waits for any more."""
    if not found.cancelled():
        found.exception()


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
        self._tasks: set[asyncio.Task[None]] = set()

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
        try:
            await asyncio.wait_for(self._turns.acquire(), self._wait_s)
        except TimeoutError:
            raise Busy(f"all {self.size} processes are at work; try again later") from None
        try:
            worker = self._idle.pop() if self._idle else await asyncio.to_thread(self._start)
            answer = worker.submit(function, *arguments, hear=hear)
            try:
                # Shielded: the thread that hears the answer sets it, whoever still waits.
                found = asyncio.wrap_future(answer)
                found.add_done_callback(_looked_at)
                return await asyncio.wait_for(asyncio.shield(found), deadline)
            except TimeoutError:
                raise Overrun(f"still running after {deadline:g} s") from None
            finally:
                if answer.done() and not isinstance(answer.exception(), Crashed):
                    self._idle.append(worker)
                else:
                    self._later(self._end, worker)
        finally:
            self._turns.release()

    def prepare(self) -> None:
        """Start one process that waits for its first call."""
        self._later(self._ready)

    def _ready(self) -> None:
        self._idle.append(self._start())

    def _start(self) -> Worker:
        worker = Worker(memory=MEMORY)
        self._all.add(worker)
        worker.call(self._warm, deadline=120)
        return worker

    def _end(self, worker: Worker) -> None:
        worker.close()
        self._all.discard(worker)

    def _later(self, function: Callable[..., None], *arguments: Any) -> None:
        task = asyncio.create_task(asyncio.to_thread(function, *arguments))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def close(self) -> None:
        """End all processes, whatever they do."""
        for worker in [*self._all]:
            worker.close()
