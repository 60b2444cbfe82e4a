"""Ctrl-C, SIGTERM and a terminal that closes: as an exception, where one can be borne.

Python raises an exception for a signal between any two instructions. Amid an import or a
compilation it can crash C code, in a finalizer it is printed and lost, and a library may turn it
into an error of its own. So the program's signals, see ``raise_interrupted``, wait for the end of
imports and of numba's work, are raised again after finalizers, and are kept in mind.
"""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Any

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM")
_NUMBERS = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]  # on Windows two
_DELICATE = ("<frozen importlib._bootstrap>", "/numba/", "/llvmlite/")
"""Parts of the file names of code that no exception may come into."""
_AGAIN_S = 0.01
_came = False


class Interrupted(KeyboardInterrupt):
    """A signal, as a class of its own.

    Python ends a program by the signal, whatever status it returns, if a plain
    KeyboardInterrupt ever passed through an ``exec``, as importing dataclasses does.
    """


def raise_interrupted() -> None:
    """From now on, for the rest of this process, signals raise ``Interrupted``.

    Handlers of others stay. To be called in the main thread.
    """
    sys.unraisablehook = _raise_again
    for number in _NUMBERS:
        if signal.getsignal(number) in (signal.default_int_handler, signal.SIG_DFL):
            signal.signal(number, _interrupt)


def ignore_signals() -> None:
    """From now on signals that ``raise_interrupted`` took over do nothing."""
    for number in _NUMBERS:
        if signal.getsignal(number) is _interrupt:
            signal.signal(number, signal.SIG_IGN)


def came() -> bool:
    """Whether a signal came since ``raise_interrupted``: what fails now may fail for that."""
    return _came


@contextmanager
def defer_interrupt() -> Iterator[None]:
    """Signals that raise an exception do so at the end of the block."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    deferred: list[tuple[int, FrameType | None]] = []
    with ExitStack() as restore:
        for number in _NUMBERS:
            handler = signal.getsignal(number)
            if callable(handler):
                signal.signal(number, lambda *signal_and_frame: deferred.append(signal_and_frame))
                restore.callback(_raise_deferred, number, handler, deferred)
        yield


@contextmanager
def children_without_interrupt() -> Iterator[None]:
    """Processes that are started in the block do not hear Ctrl-C, nor does this one in it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _raise_deferred(
    number: int, handler: Any, deferred: list[tuple[int, FrameType | None]]
) -> None:
    signal.signal(number, handler)
    for arguments in [arguments for arguments in deferred if arguments[0] == number][:1]:
        handler(*arguments)


def _interrupt(_number: int, frame: FrameType | None) -> None:
    global _came
    _came = True
    while frame is not None:
        name = frame.f_code.co_filename
        if any(part in name for part in _DELICATE) and _try_again():
            return
        frame = frame.f_back
    raise Interrupted


def _raise_again(lost: Any) -> None:
    """Python's hook for exceptions that nobody can catch, in finalizers and the like."""
    if not (issubclass(lost.exc_type, Interrupted) and _try_again()):
        sys.__unraisablehook__(lost)


def _try_again() -> bool:
    """Whether there will be another signal in a moment; there is no timer on Windows."""
    if not hasattr(signal, "setitimer"):
        return False
    signal.setitimer(signal.ITIMER_REAL, _AGAIN_S)
    return True
