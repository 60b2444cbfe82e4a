"""Ctrl-C deferred to the end of a block, and as an exception of our own."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, as a class of its own.

    Python ends a program by the signal, whatever status it returns, if a plain
    KeyboardInterrupt ever passed through an ``exec``, as importing dataclasses does.
    """


def raise_interrupted() -> None:
    """From now on Ctrl-C, SIGTERM and a terminal that closes raise ``Interrupted``.

    Handlers of the caller's own stay.
    """
    for name in ("SIGINT", "SIGTERM", "SIGHUP") if _in_main_thread() else ():
        number = getattr(signal, name, None)  # a terminal's is not known everywhere
        default = signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL
        if number is not None and signal.getsignal(number) is default:
            signal.signal(number, _interrupt)


@contextmanager
def defer_interrupt() -> Iterator[None]:
    """Ctrl-C is raised at the end of the block: an exception inside a compiler can crash it."""
    if not _in_main_thread():
        yield
        return
    deferred: list[FrameType | None] = []
    before = signal.signal(signal.SIGINT, lambda _number, frame: deferred.append(frame))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if deferred and callable(before):
            before(signal.SIGINT, deferred[0])


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise Interrupted
