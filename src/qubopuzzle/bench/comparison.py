"""``compare``: every solver on every instance, and the results."""

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from math import inf
from os import PathLike
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from qubopuzzle.bench.contradictions import Contradiction, contradictions
from qubopuzzle.bench.journal import Journal
from qubopuzzle.bench.plan import ComparisonPlan, Job, Sources, make_plan
from qubopuzzle.bench.runner import execute
from qubopuzzle.bench.statistics import TimeToSolution, par2, tts
from qubopuzzle.checks import whole
from qubopuzzle.errors import InputError, at
from qubopuzzle.files.writing import write_whole
from qubopuzzle.picture import html
from qubopuzzle.processes import worker_pool
from qubopuzzle.signals import defer_interrupt

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Summary:
    """The runs of one solver on one instance.

    Attributes:
        statuses: how many runs ended how, the most frequent first.
        sizes: numbers of the compiled model; empty if no run came so far.
        build_s, solve_s: medians in seconds. Building is the median of the runs that built;
            solving that of all runs, one that failed counting as infinite.
        tts: None where nothing ran, and for an exact solver, whose run is no attempt.
    """

    instance: str
    cells: int
    solver: str
    exact: bool
    runs: int
    solved: int
    statuses: Mapping[str, int]
    sizes: Mapping[str, int]
    build_s: float | None
    solve_s: float
    tts: TimeToSolution | None


@dataclass(frozen=True, slots=True)
class Total:
    """All runs of one solver; ``par2_s`` is the mean over runs, ``spent_s`` the sum."""

    solver: str
    exact: bool
    presolve: str
    runs: int
    planned: int
    solved: int
    par2_s: float | None
    spent_s: float

    @property
    def success(self) -> float:
        """Share of the runs that solved, 0 to 1; 0 without a run."""
        return self.solved / self.runs if self.runs else 0.0


@dataclass(frozen=True)
class Comparison:
    """The results of the finished runs.

    ``rows`` has a plain dict a run, fit for JSON, in the order of the plan;
    ``resumed`` of them come from the journal. ``interrupted``: broken off by Ctrl-C.
    """

    plan: ComparisonPlan
    rows: list[Row]
    resumed: int = 0
    interrupted: bool = False

    @property
    def complete(self) -> bool:
        """Whether every run of the plan has its row."""
        return len(self.rows) == sum(1 for _ in self.plan.jobs())

    @cached_property
    def contradictions(self) -> list[Contradiction]:
        """Claims that contradict each other: a bug in something. Hopefully empty."""
        return contradictions(self.plan.instances, self.rows)

    def summaries(self) -> list[Summary]:
        """One for each instance and solver that ran, in the order of the plan."""
        groups = groupby(self.rows, key=lambda row: (row["digest"], row["solver"]))
        return [_summary(list(rows)) for _, rows in groups]

    def totals(self) -> list[Total]:
        """One a solver, in the order of the plan."""
        planned = Counter(job.solver.name for job in self.plan.jobs())
        totals = []
        for solver in self.plan.solvers:
            name, rows = solver.name, [row for row in self.rows if row["solver"] == solver.name]
            seconds = [row["seconds"] or 0.0 for row in rows]
            solved = [row["solved"] for row in rows]
            score = par2(seconds, solved, self.plan.time_limit) if rows else None
            counts = len(rows), planned[name], sum(solved)
            totals.append(
                Total(name, solver.exact, solver.presolve, *counts, score, float(sum(seconds)))
            )
        return totals

    def to_csv(self, path: str | PathLike[str] | None = None) -> str:
        """The table by instance and solver as CSV, one line each; also into a file, if named."""
        from qubopuzzle.bench.tables import csv_text

        text = csv_text(self)
        if path is not None:
            write_whole(Path(path), text.encode())
        return text

    def to_frame(self) -> Any:
        """``rows`` as a pandas DataFrame, a row for each run; nested objects stay objects.

        Raises:
            InputError: where pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError:
            raise InputError("to_frame needs pandas: pip install pandas") from None
        return pd.DataFrame(self.rows)

    def plot(self, figure: "Figure | None" = None) -> "list[Axes]":
        """Draw how many runs are solved by when, and time against size.

        Into matplotlib's ``figure``, or a new one of pyplot; returns the Axes.
        """
        from qubopuzzle.bench.profile import INCHES, plot

        if figure is None:
            from matplotlib import pyplot

            figure = pyplot.figure(figsize=INCHES, layout="constrained")
        return plot(self, figure)

    def _repr_html_(self) -> str:
        from qubopuzzle.bench.tables import instance_table, total_table

        parts = [html.table(*instance_table(self)), html.table(*total_table(self))]
        if not self.complete:
            done = f"{len(self.rows)} of {sum(1 for _ in self.plan.jobs())} runs"
            parts.insert(0, html.paragraph(f": {done}", "broken off"))
        said = (html.paragraph(found.summary(), "DISAGREEMENT: ") for found in self.contradictions)
        return "".join([*parts, *said])

    def __repr__(self) -> str:
        return f"<Comparison of {len(self.plan.solvers)} solvers: {len(self.rows)} runs>"


Progress = Callable[[Job, Row], None]


def compare(
    sources: Sources,
    solvers: Sequence[str] | None = None,
    *,
    repeat: int = ComparisonPlan.repeat,
    repeat_exact: int = ComparisonPlan.repeat_exact,
    seed: int = 0,
    time_limit: float = ComparisonPlan.time_limit,
    hard_limit: float | None = None,
    memory_limit_gib: float | None = None,
    formulation: str | None = None,
    presolve: str | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    puzzle: str | None = None,
    journal: str | PathLike[str] | None = None,
    resume: bool = False,
    jobs: int = 1,
    progress: Progress | bool | None = None,
) -> Comparison:
    """Run every solver on every instance, each run in a process of its own.

    Args:
        sources: a puzzle, a file of puzzles, or several of them.
        solvers: names as ``qubopuzzle solvers`` lists them, or ``dimod:module:Class``; the
            default is annealer, tempering, neal and every exact solver that can run here.
            One that is not installed is left out: see ``plan.left_out``.
        repeat: runs of a heuristic on an instance, with the seeds ``seed``, ``seed + 1`` ...
        repeat_exact: the same of an exact solver, whose proof is the same for every seed.
        time_limit: seconds from the instance to the checked answer; the solver is told.
            Imports and kernels, once a process, are not counted.
        hard_limit: seconds (wall clock) after which a run's process is ended, whatever it
            does; twice the time limit and 30 s without.
        memory_limit_gib: bound on the address space of a run; three quarters of the
            machine's memory without.
        formulation, presolve: for all runs, see ``solve``.
        options: by solver, such as ``{"annealer": {"sweeps": 500}}``.
        puzzle: read only this kind from files.
        journal: a file (JSON Lines) that each row is added to as soon as its run is finished.
        resume: take the rows that are in ``journal`` and belong to this comparison.
        jobs: runs at once; they share the machine, and their times tell it.
        progress: called with each job and its row; True shows a bar, see ``solve``.

    Raises:
        InputError: for anything that cannot be used, before the first run.
    """
    plan = make_plan(
        sources,
        solvers,
        options,
        puzzle=puzzle,
        repeat=repeat,
        repeat_exact=repeat_exact,
        seed=seed,
        time_limit=time_limit,
        hard_limit=hard_limit,
        memory_limit_gib=memory_limit_gib,
        formulation=formulation,
        presolve=presolve,
    )
    return run(plan, journal=journal, resume=resume, jobs=jobs, progress=progress)


def run(
    plan: ComparisonPlan,
    *,
    journal: str | PathLike[str] | None = None,
    resume: bool = False,
    jobs: int = 1,
    progress: Progress | bool | None = None,
) -> Comparison:
    """Run what is not in the journal yet; Ctrl-C ends it with the rows that there are."""
    at_once = whole("jobs", jobs, 1)
    with nullcontext() if journal is None else closing(Journal(Path(journal), resume)) as book:
        planned = list(plan.jobs())
        rows = {} if book is None else resumed_rows(planned, book)
        resumed, interrupted = len(rows), False
        todo = [job for job in planned if job.key not in rows]
        try:
            with _told(progress, len(planned)) as tell, closing(_executed(todo, at_once)) as done:
                for job, row in done:
                    with defer_interrupt():  # a row that is finished is kept
                        if book is not None:
                            book.add(row)
                        rows[job.key] = row
                    tell(job, row)
        except KeyboardInterrupt:
            interrupted = True
    ordered = [rows[job.key] for job in planned if job.key in rows]
    return Comparison(plan, ordered, resumed, interrupted)


@contextmanager
def _told(progress: Progress | bool | None, count: int) -> Iterator[Progress]:
    """What is called with each run: ``progress`` itself, or a bar if it is True."""
    if progress is not True:
        yield progress or (lambda *_: None)
        return
    from qubopuzzle import bars  # imports rich

    with bars.counting("first run", count) as advance:
        yield lambda job, row: advance(
            f"{job.instance.label}, {job.solver.name}, seed {job.seed}: {row['status']}"
        )


def _executed(jobs: list[Job], at_once: int) -> Generator[tuple[Job, Row], None, None]:
    """Each job with its row, as soon as it is there."""
    with TemporaryDirectory(prefix="qubopuzzle-", ignore_cleanup_errors=True) as scratch:
        if at_once == 1:
            yield from ((job, execute(job, scratch)) for job in jobs)
            return
        with worker_pool(at_once) as submit:
            running = {submit(execute, job, scratch): job for job in jobs}
            for finished in as_completed(running):
                yield running[finished], finished.result()


def resumed_rows(jobs: Iterable[Job], book: Journal) -> dict[str, Row]:
    """The rows of a journal that belong to jobs, by key.

    Raises:
        InputError: for a solution in one of them that is none.
    """
    rows = {job.key: book.rows[job.key] | job.columns() for job in jobs if job.key in book.rows}
    for job in jobs:
        solution = rows.get(job.key, {}).get("solution")
        if solution is not None:
            with at(f"{book.path}: the solution of {job.instance.label} by {job.solver.name}"):
                if job.instance.puzzle.check(solution)[1]:
                    raise InputError("it breaks the rules; delete the line")
    return rows


def _summary(rows: list[Row]) -> Summary:
    first = rows[0]
    ran = [row for row in rows if row["seconds"] is not None]
    solved = [row["solved"] for row in ran]
    built = [row["build_s"] for row in rows if "build_s" in row]
    time = tts([row["seconds"] for row in ran], solved) if ran and not first["exact"] else None
    return Summary(
        instance=first["instance"],
        cells=first["cells"],
        solver=first["solver"],
        exact=first["exact"],
        runs=len(rows),
        solved=sum(solved),
        statuses=dict(Counter(row["status"] for row in rows).most_common()),
        sizes=next((row["sizes"] for row in rows if row.get("sizes")), {}),
        build_s=median(built) if built else None,
        solve_s=median(row["solve_s"] if row["solved"] else inf for row in rows),
        tts=time,
    )
