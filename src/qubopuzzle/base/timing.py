"""Seconds by stage."""

import time
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager


@contextmanager
def stage(seconds: MutableMapping[str, float], name: str) -> Iterator[None]:
    """Add the seconds (wall clock) of a block to those of a stage, also if it raises.

    Those of stages within it are theirs.

    >>> seconds = {}
    >>> with stage(seconds, "load"):
    ...     pass
    >>> list(seconds)
    ['load']
    """
    started, others = time.perf_counter(), sum(seconds.values())
    try:
        yield
    finally:
        within = sum(seconds.values()) - others
        seconds[name] = seconds.get(name, 0.0) + time.perf_counter() - started - within
