"""``compare``: every configuration on every instance, and the results."""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from qubopuzzle.base import html
from qubopuzzle.base.checks import whole
from qubopuzzle.base.executors import Done, calls
from qubopuzzle.base.processes import WarmWorkers
from qubopuzzle.base.signals import defer_interrupt
from qubopuzzle.base.writing import write_whole
from qubopuzzle.bench.experiments import pandas_for
from qubopuzzle.bench.journal import Journal
from qubopuzzle.bench.plan import Asked, ComparisonPlan, Instance, Job, Sources, make_plan
from qubopuzzle.bench.results import INTERRUPTED, ComparisonData
from qubopuzzle.bench.runner import execute
from qubopuzzle.bench.summary import Row
from qubopuzzle.errors import ExecutorFailed, InputError, at
from qubopuzzle.picture import check_canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ALIKE = ("options", "weights", "sizes", "relaxed", "versions", "machine", "digest", "solution")


@dataclass(frozen=True)
class Comparison(ComparisonData):
    """The results of the finished runs.

    Attributes:
        rows: a plain dict a run, fit for JSON, instance by instance, configuration by
            configuration.
        planned: how many runs each configuration has, by its name.
        left_out: solvers that cannot run here, and why.
        resumed: how many rows come from the journal.
        stopped: why not all is done: ``interrupted``, or what the executor's trouble is.
        lost: runs that were lost twice with what ran them, a line each.
    """

    def to_csv(self, path: str | PathLike[str] | None = None) -> str:
        """The table by instance and solver as CSV, one line each; also into a file, if named."""
        from qubopuzzle.bench.report.sheets import csv_text

        text = csv_text(self)
        if path is not None:
            write_whole(Path(path), text.encode())
        return text

    def to_frame(self) -> Any:
        """``rows`` as a pandas DataFrame, a row for each run; nested objects stay objects.

        Raises:
            InputError: where pandas is not installed.
        """
        return pandas_for("to_frame").DataFrame(self.rows)

    def plot(self, figure: "Figure | None" = None) -> "list[Axes]":
        """Draw how many runs are solved by when, and time against size; with objectives, gaps.

        Into matplotlib's ``figure``, or a new one of pyplot; returns the Axes.
        """
        from qubopuzzle.bench.profile import inches, plot

        if figure is None:
            from matplotlib import pyplot

            figure = pyplot.figure(figsize=inches(self), layout="constrained")
        check_canvas(figure, "subplots")
        return plot(self, figure)

    def _repr_html_(self) -> str:
        from qubopuzzle.bench.tables import brief_tables

        parts = [html.table(table.columns, table.rows) for table in brief_tables(self)]
        if not self.complete:
            done = f"{len(self.rows)} of {sum(self.planned.values())} runs"
            parts.insert(0, html.paragraph(f": {done}", "broken off"))
        messages = (
            html.paragraph(each.summary(), "DISAGREEMENT: ") for each in self.contradictions
        )
        return "".join([*parts, *messages])

    def __repr__(self) -> str:
        n = len(self.configurations)
        return f"<Comparison of {n} configurations: {len(self.rows)} runs>"


Progress = Callable[[Job, Row], None]


def compare(
    sources: Sources,
    solvers: Sequence[str] | None = None,
    *,
    journal: str | PathLike[str] | None = None,
    resume: bool = False,
    jobs: int = 1,
    executor: Executor | None = None,
    progress: Progress | bool | None = None,
    **asked: Unpack[Asked],
) -> Comparison:
    """Run every configuration on every instance, each run in a process under hard limits.

    Args:
        sources: a puzzle, a file of puzzles, or several of them.
        solvers: names as ``qubopuzzle solvers`` lists them, or ``dimod:module:Class``; the
            default is annealer, tempering, neal and every exact solver that can run here.
            One that is not installed is left out: see ``left_out``.
        journal: a file (JSON Lines) that each row is added to as soon as its run is finished.
        resume: take the rows that are in ``journal`` and belong to this comparison.
        jobs: runs at once; they share the machine, and their times tell it.
        executor: of ``concurrent.futures``, of loky or Dask: where runs go in place of this
            machine's ``jobs``. It is not shut down.
        progress: called with each job and its row; True shows a bar, see ``solve``.
        asked: by name, any of what follows.
        configurations: instead of solvers and settings, a TOML file of named configurations and
            grids, or a list of ``Settings``, or of mappings with the same keys as in the file,
            see ``docs/comparing.md``.
        formulation, encoding, presolve: see ``Settings``; a list of them is a grid, as are lists
            among the next two.
        weights: by family, such as ``{"field": [1, 2]}``.
        options: by solver, such as ``{"annealer": {"sweeps": 500}}``.
        repeat: runs of a heuristic on an instance, 5 without, with the seeds ``seed``,
            ``seed + 1`` ...
        repeat_exact: the same of an exact solver, whose proof is the same for every seed; 1.
        seed: the first one; 0 without.
        time_limit: seconds from the instance to the checked answer, 10 without; the solver is
            told. Imports and kernels, once a process, are not counted.
        hard_limit: seconds (wall clock) after which a run's process is ended, whatever it
            does; twice the time limit and 30 s without.
        memory_limit_gib: bound on the address space of a run; three quarters of the
            machine's memory without.
        puzzle, format: read only this kind from files, and all in this format.
        best_known: objectives by the instance's name, such as ``{"p0033": 3089}``, or a file of
            lines ``NAME OBJECTIVE`` (MIPLIB's lists of solutions, too). Gaps are to the best of
            that and what the runs reach.

    Raises:
        InputError: for anything that cannot be used, before the first run.
    """
    plan = make_plan(sources, solvers, **asked)
    return run(
        plan, journal=journal, resume=resume, jobs=jobs, executor=executor, progress=progress
    )


def run(
    plan: ComparisonPlan,
    *,
    journal: str | PathLike[str] | None = None,
    resume: bool = False,
    jobs: int = 1,
    executor: Executor | None = None,
    progress: Progress | bool | None = None,
) -> Comparison:
    """Run what is not in the journal yet; arguments as ``compare``.

    Ctrl-C, and an executor that fails, end it with the rows that there are.
    """
    at_once = whole("jobs", jobs, 1)
    with nullcontext() if journal is None else closing(Journal(Path(journal), resume)) as book:
        planned = list(plan.jobs())
        rows = {} if book is None else resumed_rows(planned, book)
        resumed, stopped, lost = len(rows), "", list[str]()
        todo = [job for job in planned if job.key not in rows]
        seen: dict[str, Any] = {}
        if book is not None:
            book.describe(plan)
        try:
            with (
                _reporter(progress, len(planned)) as tell,
                closing(_executed(todo, at_once, executor)) as done,
            ):
                for each in done:
                    if each.value is None:
                        lost.append(f"{_words(each.item)}: {each.lost}")
                        continue
                    row = _sharing(each.value, seen)
                    with defer_interrupt():  # a row that is finished is kept
                        if book is not None:
                            book.add(row)
                        rows[each.item.key] = row
                    tell(each.item, row)
        except KeyboardInterrupt:
            stopped = INTERRUPTED
        except ExecutorFailed as error:
            stopped = str(error)
    return Comparison(
        instances=plan.instances,
        configurations=plan.configurations,
        rows=[rows[job.key] for job in planned if job.key in rows],
        planned=plan.planned(),
        left_out=plan.left_out,
        resumed=resumed,
        stopped=stopped,
        lost=lost,
    )


def _sharing(row: Row, seen: dict[str, Any]) -> Row:
    """The same; what many rows say alike is kept once, so that a million fit into memory."""
    alike = {name: row[name] for name in _ALIKE if name in row}
    return row | {name: seen.setdefault(repr(value), value) for name, value in alike.items()}


def _words(job: Job) -> str:
    return f"{job.instance.label}, {job.configuration.name}, seed {job.seed}"


@contextmanager
def _reporter(progress: Progress | bool | None, count: int) -> Iterator[Progress]:
    """What is called with each run: ``progress`` itself, or a bar if it is True."""
    if progress is not True:
        yield progress or (lambda *_: None)
        return
    from qubopuzzle.solving import bars  # imports rich

    with bars.counting("first run", count) as advance:
        yield lambda job, row: advance(f"{_words(job)}: {row['status']}")


def _executed(
    jobs: list[Job], at_once: int, executor: Executor | None
) -> Generator[Done[Job, Row], None, None]:
    """Each job with its row, as soon as it is there."""
    if executor is not None:
        yield from calls(executor, execute, jobs)
        return
    with ThreadPoolExecutor(at_once) as threads, closing(WarmWorkers()) as workers:
        yield from calls(threads, partial(execute, workers=workers), jobs)


def resumed_rows(jobs: Iterable[Job], book: Journal) -> dict[str, Row]:
    """The rows of a journal that belong to jobs, by key.

    Raises:
        InputError: for a solution in one of them that is none.
    """
    there = book.content.rows
    rows = {job.key: there[job.key] | job.columns() for job in jobs if job.key in there}
    with at(str(book.path)):
        check_solutions((job.instance for job in jobs), rows.values())
    return rows


def check_solutions(instances: Iterable[Instance], rows: Iterable[Row]) -> None:
    """Raise InputError where a row has a solution that the rules do not accept."""
    there = {each.digest: each for each in instances}
    for row in rows:
        if row.get("solution") is not None:
            instance = there[row["digest"]]
            with at(f"the solution of {instance.label} by {row['configuration']}"):
                if instance.puzzle.check(row["solution"])[1]:
                    raise InputError("it breaks the rules; delete the line")
