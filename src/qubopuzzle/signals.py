"""Ctrl-C where it may not be heard, and as an exit status of ours; processes that end together."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_PR_SET_PDEATHSIG = 1


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, as a class of its own.

    Python ends a program by the signal, whatever status it returns, if a plain
    KeyboardInterrupt ever passed through an ``exec``, as importing dataclasses does.
    """


def raise_interrupted() -> None:
    """From now on Ctrl-C, SIGTERM and a terminal that closes raise ``Interrupted``.

    Handlers of the caller's own stay.
    """
    if not _in_main_thread():
        return
    ends = [(signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL)]
    if hasattr(signal, "SIGHUP"):
        ends.append((signal.SIGHUP, signal.SIG_DFL))
    for number, default in ends:
        if signal.getsignal(number) is default:
            signal.signal(number, _interrupt)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C is heard at the end of the block: an exception inside a compiler can crash it."""
    if not _in_main_thread():
        yield
        return
    heard: list[FrameType | None] = []
    before = signal.signal(signal.SIGINT, lambda _number, frame: heard.append(frame))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if heard and callable(before):
            before(signal.SIGINT, heard[0])


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise Interrupted


def end_with(parent: int) -> None:
    """End this process when its parent ends, however that happens."""
    if sys.platform == "linux":
        end_with_parent()
    else:
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    if os.getppid() != parent:  # it ended before we looked
        os._exit(1)


def end_with_parent() -> None:
    """The same by the kernel, for a process between fork and exec; Linux only."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
