"""Functions called in Python processes of our own, under a deadline and a bound on memory.

::

    with Worker(memory=2**30) as worker:
        answer = worker.call(module.function, argument, deadline=10.0)
    with closing(WarmWorkers()) as workers:
        answer = workers.call(module.function, argument)

A process is a fresh interpreter that finds what we find, and nothing that it does harms us: it is
ended at the deadline, on Ctrl-C and whenever its parent ends, with all the processes that it has
started. It can be called again until a call fails. Unlike those of multiprocessing, it
needs no ``if __name__ == "__main__"`` in scripts. Function, arguments and answer are pickled;
they go through pipes, and nothing is written to a disk. Where processes have no groups (Windows),
a process whose parent ends finishes its call, and what it has started goes on.
"""

import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, InvalidStateError
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from typing import IO, Any, TypeVar

from qubopuzzle.errors import QubopuzzleError, SolverFailed

_T = TypeVar("_T")
_PROGRAM = "from qubopuzzle.base.processes import serve; serve()"
_LISTEN_S = 1.0
"""So long the last words of a process that has ended are waited for."""
_IDLE_S = 60.0
"""So long a worker without a call is kept."""
_TAIL = 4096
_GROUPS = hasattr(os, "killpg")
_NO_MEMORY = (
    "MemoryError",
    "bad_alloc",
    "out of memory",
    "Cannot allocate memory",
    "Memory allocation still failed",
)


def _ignore(_: Any) -> None:
    """Hear nothing."""


class Overrun(SolverFailed):
    """A call that was ended at its deadline."""


class Crashed(SolverFailed):
    """A call without an answer: an error that is none of ours, or a process that ended.

    ``last_line`` is what the process printed last; it is in the message, too.
    """

    def __init__(self, what: str, last_line: str = "") -> None:
        super().__init__(what, last_line)
        self.what, self.last_line = what, last_line

    def __str__(self) -> str:
        return self.what + (f": {self.last_line}" if self.last_line else "")


class OutOfMemory(Crashed):
    """A call that did not get the memory that it asked for."""


class Worker(AbstractContextManager["Worker"]):
    """A process that calls functions, one at a time; a context manager that ends it.

    Args:
        memory: bytes of address space that it gets at most (not on Windows); such a process
            is also the first that a system short of memory ends (on Linux).
        environment: variables that are set for it, or with None not passed on to it.

    Attributes:
        memory: as given.
        used: whether it was called before.
    """

    def __init__(
        self,
        *,
        memory: int | None = None,
        environment: Mapping[str, str | None] | None = None,
    ) -> None:
        self.memory, self.used = memory, False
        path = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
        # What it leaves in its folder for temporary files goes with it.
        self._folder = TemporaryDirectory(prefix="qubopuzzle-", ignore_cleanup_errors=True)
        ours = {"PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"}
        ours |= dict.fromkeys(("TMPDIR", "TEMP", "TMP"), self._folder.name)
        variables = {**os.environ, **ours, **(environment or {})}
        self._hear: Callable[[Any], object] = _ignore
        self._tail = b""
        self._answer: Future[Any] = Future()
        self._failure: Crashed | None = None
        self._lock = threading.Lock()
        # Nothing is ever written to it: it ends when we do.
        life, end = os.pipe()
        self._life = os.fdopen(end, "wb")
        try:
            self._process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-P", "-c", _PROGRAM],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={name: value for name, value in variables.items() if value is not None},
                pass_fds=[life] if _GROUPS else [],
                start_new_session=True,  # Ctrl-C is for us alone, and its children end with it
            )
        finally:
            os.close(life)
        self._calls: Any = self._process.stdin
        self._threads = [
            threading.Thread(target=target, args=arguments, daemon=True)
            for target, *arguments in (
                (self._read_answers, self._process.stdout),
                (self._read_words, self._process.stderr),
                (self._watch,),
            )
        ]
        for thread in self._threads:
            thread.start()
        self._write(pickle.dumps((life, memory)))

    def call(
        self,
        function: Callable[..., _T],
        *arguments: Any,
        deadline: float | None = None,
        hear: Callable[[Any], object] = _ignore,
    ) -> _T:
        """The function's answer; ``deadline`` in seconds, ``hear`` as in ``submit``.

        Raises:
            Overrun: if there is none at the deadline.
            OutOfMemory, Crashed: if there never will be one.
            QubopuzzleError: what the function raised of ours.
            KeyboardInterrupt: on Ctrl-C; like an overrun, it ends the process.
        """
        answer = self.submit(function, *arguments, hear=hear)
        try:
            return answer.result(deadline)
        except TimeoutError:
            raise Overrun(f"still running after {deadline:g} s") from None
        finally:
            if not answer.done():
                self.close()

    def submit(
        self,
        function: Callable[..., _T],
        *arguments: Any,
        hear: Callable[[Any], object] = _ignore,
    ) -> Future[_T]:
        """The same without waiting; the last call must have its answer.

        ``hear`` is called with what the function says before that, see ``say``, from a thread.
        Who cancels the future has to close the worker, too.
        """
        data = pickle.dumps((function, arguments))
        with self._lock:
            self._hear = hear
            self._answer = Future()
            self.used = True
            if self._failure is not None:
                self._answer.set_exception(self._failure)
        # What is large is not written before the process, which may be starting yet, reads it.
        threading.Thread(target=self._write, args=(data,), daemon=True).start()
        return self._answer

    @property
    def ready(self) -> bool:
        """Whether it can be called: it runs, and its last call has an answer."""
        with self._lock:
            is_answered = self._answer.done() and not self._answer.cancelled()
            return self._failure is None and (is_answered or not self.used)

    def close(self) -> None:
        """End the process now, whatever it does, and those that it has started."""
        with self._lock:
            if self._process.returncode is None:
                self._kill()
        self._threads[-1].join(2 * _LISTEN_S)
        with suppress(OSError):
            self._calls.close()
        self._folder.cleanup()

    def tidy(self) -> None:
        """Remove what its calls have left in its folder for temporary files."""
        with suppress(OSError):  # the folder itself is gone with the process
            for left in Path(self._folder.name).iterdir():
                with suppress(OSError):
                    shutil.rmtree(left) if left.is_dir() else left.unlink()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self, data: bytes) -> None:
        with suppress(OSError, ValueError):  # it has ended, as the watcher says
            self._calls.write(data)
            self._calls.flush()

    def _kill(self) -> None:
        with suppress(OSError):  # nothing is left of it
            if _GROUPS:
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()

    def _read_answers(self, stream: IO[bytes]) -> None:
        with stream, suppress(EOFError, pickle.UnpicklingError):  # it was ended
            while True:
                try:
                    kind, value = pickle.load(stream)  # noqa: S301, from a process of ours
                except (EOFError, pickle.UnpicklingError):
                    raise
                except Exception as error:  # of whatever an answer is made
                    self._fail(Crashed("an answer cannot be read", str(error)))
                    return
                if kind == "said":
                    self._hear(value)
                elif kind == "error":
                    self._fail(value)
                else:
                    with suppress(InvalidStateError):  # it was cancelled
                        self._answer.set_result(value)

    def _fail(self, error: QubopuzzleError) -> None:
        """End the last call with an error, unless it has ended."""
        with suppress(InvalidStateError):
            self._answer.set_exception(error)

    def _read_words(self, stream: IO[bytes]) -> None:
        with stream:
            for line in iter(lambda: stream.readline(_TAIL), b""):
                self._tail = (self._tail + line)[-_TAIL:]

    def _watch(self) -> None:
        """Wait for the end; a call that has no answer then gets none."""
        if hasattr(os, "waitid"):
            # Until it is waited for, its number is no other process's.
            os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
            self._kill()
        else:
            self._process.wait()
        with self._lock:
            code = self._process.wait()
        self._life.close()
        for thread in self._threads[:-1]:
            thread.join(_LISTEN_S)
        how = f"ended with status {code} and no answer"
        if code < 0:
            name = signal.Signals(-code).name
            hint = ", as a system short of memory does" if name == "SIGKILL" else ""
            how = f"ended by {name}{hint}"
        words = self._tail.decode(errors="replace").strip()
        kind = OutOfMemory if any(sign in words for sign in _NO_MEMORY) else Crashed
        with self._lock:
            self._failure = kind(how, (words.splitlines() or [""])[-1][:200])
            self._fail(self._failure)


class WarmWorkers:
    """Workers that are kept for further calls, and ended when they were idle for a while.

    Threads may share it. A worker without an answer to its last call is ended, not kept.

    Args:
        idle_s: seconds that a worker without a call is kept.
    """

    def __init__(self, *, idle_s: float = _IDLE_S) -> None:
        self._idle_s = idle_s
        self._idle: dict[Worker, Timer] = {}
        self._busy: set[Worker] = set()
        self._lock = threading.Lock()
        self._closed = False

    def call(
        self, function: Callable[..., _T], *arguments: Any, deadline: float | None = None
    ) -> _T:
        """What ``Worker.call`` returns or raises, of one that is kept, or a new one."""
        with self.borrow() as worker:
            return worker.call(function, *arguments, deadline=deadline)

    @contextmanager
    def borrow(self, memory: int | None = None, *, fresh: bool = False) -> Iterator[Worker]:
        """A worker with this bound on memory, for one caller at a time; a new one if ``fresh``.

        Raises:
            Crashed: after ``close``.
        """
        worker = self._idle_one(memory, fresh=fresh) or Worker(memory=memory)
        with self._lock:
            self._busy.add(worker)
        try:
            if self._closed:  # since then
                worker.close()
            yield worker
        finally:
            worker.tidy()
            with self._lock:
                self._busy.discard(worker)
                keep = worker.ready and not self._closed
                if keep:
                    timer = self._idle[worker] = Timer(self._idle_s, self._dismiss, (worker,))
                    timer.daemon = True
                    timer.start()
            if not keep:
                worker.close()

    def close(self) -> None:
        """End all of them, also those that are in use; for good."""
        with self._lock:
            self._closed = True
            workers = [*self._busy, *self._idle]
            for timer in self._idle.values():
                timer.cancel()
            self._idle.clear()
        for worker in workers:
            worker.close()

    def _idle_one(self, memory: int | None, *, fresh: bool) -> Worker | None:
        """The one that was used last, if there is one."""
        with self._lock:
            if self._closed:
                raise Crashed("there are no workers any more")
            for worker in reversed(self._idle):
                if worker.memory == memory and not fresh:
                    self._idle.pop(worker).cancel()
                    return worker
        return None

    def _dismiss(self, worker: Worker) -> None:
        with self._lock:
            is_idle = self._idle.pop(worker, None) is not None
        if is_idle:  # else it is in use again
            worker.close()


# The other side.


def serve() -> None:
    """What a worker's process does: call what it is asked to call, until its parent ends."""
    global _answers
    _answers = os.fdopen(os.dup(1), "wb")
    calls = os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)  # whatever is printed is no answer
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    life, memory = pickle.load(calls)  # noqa: S301, from our own parent
    if _GROUPS:
        _end_with(life)
    if memory is not None:
        _bound_memory(memory)  # before anything heavy is imported
    with suppress(EOFError):
        while True:
            function, arguments = pickle.load(calls)  # noqa: S301
            try:
                _write("answer", function(*arguments))
            except Exception as error:
                _write("error", _portable(error))


_answers: IO[bytes]


def say(value: Any) -> None:
    """Tell the parent something before there is an answer, see ``Worker.submit``."""
    _write("said", value)


def _write(kind: str, value: Any) -> None:
    _answers.write(pickle.dumps((kind, value)))
    _answers.flush()


def _portable(error: Exception) -> QubopuzzleError:
    line = (str(error).strip().splitlines() or [""])[0][:300]
    cause: BaseException | None = error
    while cause is not None:  # however a solver wrapped it
        if isinstance(cause, MemoryError):
            return OutOfMemory("out of memory", line)
        cause = cause.__cause__
    return error if isinstance(error, QubopuzzleError) else Crashed(type(error).__name__, line)


def _end_with(life: int) -> None:
    """End this process and those that it starts when the other end of a pipe is closed."""
    os.set_inheritable(life, False)

    def wait() -> None:
        os.read(life, 1)
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=wait, daemon=True).start()
    if sys.platform == "linux":
        # Then the kernel does it, too: the thread may wait for the interpreter's lock.
        import fcntl

        fcntl.fcntl(life, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(life, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(life, fcntl.F_SETFL, fcntl.fcntl(life, fcntl.F_GETFL) | os.O_ASYNC)


def _bound_memory(limit: int) -> None:
    if sys.platform == "linux":
        with suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("1000")
    with suppress(ImportError, OSError, ValueError, OverflowError):
        import resource

        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        if hard != resource.RLIM_INFINITY:
            limit = min(limit, hard)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
