"""Progress bars on standard error, for what takes a while when a person is watching."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from math import isinf
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.progress import Progress as Bar

from qubopuzzle.bench.plan import Job
from qubopuzzle.solving.solve import Progress

_PATIENCE_S = 1.0


def _bar(middle: ProgressColumn) -> Bar:
    """A bar with ``middle`` beside it, which is not shown where nobody watches."""
    what = TextColumn("{task.description}", markup=False)
    unseen = not sys.stderr.isatty()
    console = Console(stderr=True, quiet=unseen)
    columns = (what, BarColumn(), middle, TimeElapsedColumn())
    return Bar(*columns, console=console, transient=True, disable=unseen)


@contextmanager
def solving(
    what: str, reads: int | None, time_limit: float | None
) -> Iterator[Callable[[Progress], None]]:
    """A callback for ``solve``; the bar appears after a second."""
    started = time.perf_counter()
    bar = _bar(TextColumn("energy {task.fields[energy]}"))
    task = bar.add_task(what, total=time_limit or reads, energy="-")

    def update(progress: Progress) -> None:
        seconds = time.perf_counter() - started
        if seconds > _PATIENCE_S:
            bar.start()
        done = seconds if time_limit else progress.reads
        energy = "-" if isinf(progress.energy) else f"{progress.energy:g}"
        bar.update(task, completed=done, energy=energy)

    try:
        yield update
    finally:
        bar.stop()


@contextmanager
def counting(what: str, count: int) -> Iterator[Callable[..., None]]:
    """A callback that counts one more, and may say with ``description=`` which."""
    with _bar(MofNCompleteColumn()) as bar:
        task = bar.add_task(what, total=count)

        def advance(**fields: Any) -> None:
            bar.update(task, advance=1, **fields)

        yield advance


@contextmanager
def comparing(runs: int) -> Iterator[Callable[[Job, Mapping[str, Any]], None]]:
    """A callback for a comparison: how many runs are finished, and which was the last."""
    with counting("first run", runs) as advance:
        yield lambda job, row: advance(
            description=f"{job.instance.label}, {job.solver.name}, seed {job.seed}: {row['status']}"
        )
