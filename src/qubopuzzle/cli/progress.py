"""Progress bars on standard error, for what takes a while when a person is watching."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isinf
from threading import Timer

from rich import progress as rich
from rich.console import Console

from qubopuzzle.solvers.base import Progress

_PATIENCE_S = 1.0


def _bar(middle: rich.ProgressColumn) -> rich.Progress:
    """A bar with ``middle`` beside it, which is not shown where nobody watches."""
    what = rich.TextColumn("{task.description}", markup=False)
    unseen = not sys.stderr.isatty()
    console = Console(stderr=True, quiet=unseen)
    columns = (what, rich.BarColumn(), middle, rich.TimeElapsedColumn())
    return rich.Progress(*columns, console=console, transient=True, disable=unseen)


@contextmanager
def solving(
    what: str, reads: int | None, time_limit: float | None
) -> Iterator[Callable[[Progress], None]]:
    """A callback for ``solve``; the bar appears after a second, and pulses until it is called."""
    started = time.perf_counter()
    bar = _bar(rich.TextColumn("energy {task.fields[energy]}"))
    task = bar.add_task(what, total=None, energy="-")

    def update(progress: Progress) -> None:
        done = time.perf_counter() - started if time_limit else progress.reads
        energy = "-" if isinf(progress.energy) else f"{progress.energy:g}"
        bar.update(task, total=time_limit or reads, completed=done, energy=energy)

    appearing = Timer(_PATIENCE_S, bar.start)
    appearing.daemon = True
    appearing.start()
    try:
        yield update
    finally:
        appearing.cancel()
        appearing.join()
        bar.stop()


@contextmanager
def counting(what: str, count: int) -> Iterator[Callable[[str], None]]:
    """A callback that counts one more, and takes what is said of it."""
    with _bar(rich.MofNCompleteColumn()) as bar:
        task = bar.add_task(what, total=count)
        yield lambda done: bar.update(task, advance=1, description=done)
