"""Progress bars, for what takes more than a second while a person is watching."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from math import isinf
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from qubopuzzle.bench.plan import Job
from qubopuzzle.solving.solve import Progress

_PATIENCE_S = 1.0


@contextmanager
def shown(
    what: str, reads: int | None, time_limit: float | None
) -> Iterator[Callable[[Progress], None] | None]:
    """A callback that draws on standard error; None where that is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    started = time.perf_counter()
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("energy {task.fields[energy]}"),
        TimeElapsedColumn(),
    )
    bar = Bar(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=time_limit or reads, energy="-")

    def update(progress: Progress) -> None:
        seconds = time.perf_counter() - started
        if seconds > _PATIENCE_S:
            bar.start()
        done = seconds if time_limit else progress.reads
        bar.update(
            task, completed=done, energy="-" if isinf(progress.energy) else f"{progress.energy:g}"
        )

    try:
        yield update
    finally:
        bar.stop()


@contextmanager
def numbered(what: str, count: int) -> Iterator[Callable[[], None]]:
    """A callback that counts one more of something; a bar on standard error for a person."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    with _counting_bar() as bar:
        task = bar.add_task(what, total=count)
        yield lambda: bar.advance(task)


@contextmanager
def counted(runs: int) -> Iterator[Callable[[Job, Mapping[str, Any]], None] | None]:
    """The same for a comparison: a line on standard error that counts finished runs."""
    if not sys.stderr.isatty():
        yield None
        return
    with _counting_bar() as bar:
        task = bar.add_task("first run", total=runs)

        def update(job: Job, row: Mapping[str, Any]) -> None:
            done = f"{job.instance.label}, {job.solver.name}, seed {job.seed}: {row['status']}"
            bar.update(task, advance=1, description=done)

        yield update


def _counting_bar() -> Bar:
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    return Bar(*columns, console=Console(stderr=True), transient=True)
