"""Progress bars for what takes a while when a person is watching, on a terminal or in a notebook.

They go to standard error. A notebook shows them if it has ipywidgets, and a warning says so if
not; where nobody watches, as with a pipe, nothing is shown.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from math import isinf
from threading import Timer
from typing import TYPE_CHECKING

from qubopuzzle.solvers.base import Progress, ProgressCallback

if TYPE_CHECKING:
    from rich import progress as rich

_PATIENCE_S = 1.0


def _watched() -> bool:
    """Whether somebody may see a bar: on a terminal, or in a notebook's kernel."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


def _bar(middle: str | None = None) -> rich.Progress:
    """A bar with this text or a count beside it, which is not shown where nobody watches."""
    from rich import progress as rich
    from rich.console import Console

    what = rich.TextColumn("{task.description}", markup=False)
    console = Console(stderr=True)
    unseen = not (sys.stderr.isatty() or console.is_jupyter)
    if console.is_jupyter and find_spec("ipywidgets") is None:
        warnings.warn("bars in notebooks need ipywidgets: pip install ipywidgets", stacklevel=1)
        unseen = True
    console.quiet = unseen
    beside = rich.MofNCompleteColumn() if middle is None else rich.TextColumn(middle)
    columns = (what, rich.BarColumn(), beside, rich.TimeElapsedColumn())
    return rich.Progress(*columns, console=console, transient=True, disable=unseen)


@contextmanager
def solving(what: str, reads: int | None, time_limit: float | None) -> Iterator[ProgressCallback]:
    """A callback for ``solve``; the bar appears after a second, and pulses until it is called."""
    started = time.perf_counter()
    shown: list[tuple[rich.Progress, rich.TaskID]] = []

    def appear() -> None:
        bar = _bar("energy {task.fields[energy]}")
        task = bar.add_task(what, total=None, energy="-")
        bar.start()
        shown.append((bar, task))

    def update(progress: Progress) -> None:
        done = time.perf_counter() - started if time_limit else progress.reads
        energy = "-" if isinf(progress.energy) else f"{progress.energy:g}"
        for bar, task in shown:
            bar.update(task, total=time_limit or reads, completed=done, energy=energy)

    if not _watched():
        yield update
        return
    # Until then nothing of it is imported: most puzzles take less.
    appearing = Timer(_PATIENCE_S, appear)
    appearing.daemon = True
    appearing.start()
    try:
        yield update
    finally:
        appearing.cancel()
        appearing.join()
        for bar, _ in shown:
            bar.stop()


@contextmanager
def counting(what: str, count: int) -> Iterator[Callable[[str], None]]:
    """A callback that counts one more, and takes what is said of it."""
    with _bar() as bar:
        task = bar.add_task(what, total=count)
        yield lambda done: bar.update(task, advance=1, description=done)
