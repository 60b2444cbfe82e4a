"""``compare``: every configuration on every instance, and the results."""

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import groupby
from math import inf
from os import PathLike
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from qubopuzzle.bench.configurations import Configuration, Settings
from qubopuzzle.bench.contradictions import Contradiction, contradictions
from qubopuzzle.bench.journal import Journal
from qubopuzzle.bench.objectives import BestKnown, Objectives, Target, objectives, targets
from qubopuzzle.bench.plan import ComparisonPlan, Instance, Job, Sources, make_plan
from qubopuzzle.bench.runner import execute
from qubopuzzle.bench.statistics import Interval, TimeToSolution, par2, tts, wilson
from qubopuzzle.checks import whole
from qubopuzzle.errors import ExecutorFailed, InputError, at
from qubopuzzle.executors import Done, calls
from qubopuzzle.files.writing import write_whole
from qubopuzzle.picture import check_canvas, html
from qubopuzzle.processes import WarmWorkers
from qubopuzzle.signals import defer_interrupt

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = dict[str, Any]
INTERRUPTED = "interrupted"
_ALIKE = ("options", "weights", "sizes", "relaxed", "versions", "machine", "digest", "solution")


@dataclass(frozen=True)
class Summary:
    """The runs of one configuration on one instance.

    Attributes:
        statuses: how many runs ended how, the most frequent first.
        sizes: numbers of the compiled model; empty if no run came so far.
        build_s, solve_s: medians in seconds. Building is the median of the runs that built;
            solving that of all runs, one that failed counting as infinite.
        reached: how many runs were a success in time: they solved it or, where there is an
            objective, reached the best known one.
        seconds: the median until then, infinite if the median run failed.
        attempts: seconds of each run until then, and whether it was one; without those that were
            refused, and nothing for an exact solver, whose run is no attempt.
        objectives: what the answers are worth; None without an objective.
    """

    instance: str
    digest: str
    cells: int
    configuration: str
    exact: bool
    time_limit: float
    runs: int
    solved: int
    statuses: Mapping[str, int]
    sizes: Mapping[str, int]
    build_s: float | None
    solve_s: float
    reached: int
    seconds: float
    par2_s: float
    attempts: Sequence[tuple[float, bool]]
    objectives: Objectives | None = None

    @property
    def success(self) -> Interval:
        """Wilson's 95 percent interval of the share of runs that solved."""
        return wilson(self.solved, self.runs)

    @cached_property
    def tts50(self) -> TimeToSolution | None:
        """Time after which a solution is 50 percent sure; None without an attempt."""
        return self._tts(0.5)

    @cached_property
    def tts99(self) -> TimeToSolution | None:
        """The same for 99 percent."""
        return self._tts(0.99)

    def _tts(self, quantile: float) -> TimeToSolution | None:
        if not self.attempts:
            return None
        seconds, solved = zip(*self.attempts, strict=True)
        return tts(seconds, solved, quantile)


@dataclass(frozen=True, slots=True)
class Total:
    """All runs of one configuration; ``par2_s`` is the mean over runs, ``spent_s`` the sum."""

    configuration: str
    exact: bool
    presolve: str
    runs: int
    planned: int
    solved: int
    par2_s: float | None
    spent_s: float
    quality: "Quality | None" = None

    @property
    def success(self) -> float:
        """Share of the runs that solved, 0 to 1; 0 without a run."""
        return self.solved / self.runs if self.runs else 0.0

    @property
    def success_interval(self) -> Interval:
        """Wilson's, 95 percent; 0 to 1 without a run."""
        return wilson(self.solved, self.runs)


@dataclass(frozen=True, slots=True)
class Quality:
    """Of a configuration's runs with an objective.

    Attributes:
        runs: how many there are.
        reached: how many reached the best known objective.
        optimal: how many proved that nothing is better.
        mean_gap: to the best known, of those with a valid answer; None without any.
    """

    runs: int
    reached: int
    optimal: int
    mean_gap: float | None


@dataclass(frozen=True)
class Comparison:
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

    instances: Sequence[Instance]
    configurations: Sequence[Configuration]
    rows: list[Row]
    planned: Mapping[str, int]
    left_out: Mapping[str, str] = field(default_factory=dict)
    resumed: int = 0
    stopped: str = ""
    lost: Sequence[str] = ()

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C broke it off."""
        return self.stopped == INTERRUPTED

    @property
    def complete(self) -> bool:
        """Whether every planned run has its row."""
        return len(self.rows) == sum(self.planned.values())

    @cached_property
    def contradictions(self) -> list[Contradiction]:
        """Claims that contradict each other: a bug in something. Hopefully empty."""
        return contradictions(self.instances, self.rows)

    def summaries(self) -> list[Summary]:
        """One for each instance and configuration that ran, in the order of the rows."""
        return self._summaries

    @cached_property
    def _summaries(self) -> list[Summary]:
        limits = {each.name: each.time_limit for each in self.configurations}
        groups = groupby(self.rows, key=lambda row: (row["digest"], row["configuration"]))
        return [
            _summary(list(rows), limits[name], self.targets.get(digest))
            for (digest, name), rows in groups
        ]

    @cached_property
    def targets(self) -> Mapping[str, Target]:
        """What is known of the instances with an objective, by digest."""
        return targets(self.instances, self.rows)

    def reached(self, row: Row) -> tuple[float, bool]:
        """Seconds of a run until its success, and whether it came, see ``Summary.reached``."""
        return _reached(row, self.targets.get(row["digest"]))

    def totals(self) -> list[Total]:
        """One a configuration, in the order of the plan."""
        by_name: dict[str, list[Row]] = {each.name: [] for each in self.configurations}
        for row in self.rows:
            by_name[row["configuration"]].append(row)
        totals = []
        for each in self.configurations:
            rows = by_name[each.name]
            spent = float(sum(row["seconds"] or 0.0 for row in rows))
            times = [self.reached(row) for row in rows]
            seconds, reached = [s for s, _ in times], [won for _, won in times]
            score = par2(seconds, reached, each.time_limit) if rows else None
            counts = len(rows), self.planned[each.name], sum(row["solved"] for row in rows)
            about = each.name, each.exact, each.presolve
            totals.append(Total(*about, *counts, score, spent, self._quality(rows)))
        return totals

    def _quality(self, rows: Sequence[Row]) -> Quality | None:
        own = [row for row in rows if row["digest"] in self.targets]
        if not own:
            return None
        gaps = [
            self.targets[row["digest"]].gap(row["objective"])
            for row in own
            if row["solved"] and row.get("objective") is not None
        ]
        reached = sum(self.reached(row)[1] for row in own)
        optimal = sum(bool(row.get("optimal")) for row in own)
        return Quality(len(own), reached, optimal, fmean(gaps) if gaps else None)

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
        from qubopuzzle.bench.tables import instance_table, objective_table, total_table

        makers = [instance_table, *([objective_table] if self.targets else []), total_table]
        parts = [html.table(*make(self)) for make in makers]
        if not self.complete:
            done = f"{len(self.rows)} of {sum(self.planned.values())} runs"
            parts.insert(0, html.paragraph(f": {done}", "broken off"))
        said = (html.paragraph(found.summary(), "DISAGREEMENT: ") for found in self.contradictions)
        return "".join([*parts, *said])

    def __repr__(self) -> str:
        n = len(self.configurations)
        return f"<Comparison of {n} configurations: {len(self.rows)} runs>"


Progress = Callable[[Job, Row], None]


def compare(
    sources: Sources,
    solvers: Sequence[str] | None = None,
    *,
    configurations: Sequence[Settings] | str | PathLike[str] | None = None,
    repeat: int = ComparisonPlan.repeat,
    repeat_exact: int = ComparisonPlan.repeat_exact,
    seed: int = 0,
    time_limit: float = 10.0,
    hard_limit: float | None = None,
    memory_limit_gib: float | None = None,
    formulation: str | Sequence[str] | None = None,
    encoding: str | Sequence[str] | None = None,
    presolve: str | Sequence[str] | None = None,
    weights: Mapping[str, Any] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    puzzle: str | None = None,
    best_known: BestKnown | None = None,
    journal: str | PathLike[str] | None = None,
    resume: bool = False,
    jobs: int = 1,
    executor: Executor | None = None,
    progress: Progress | bool | None = None,
) -> Comparison:
    """Run every configuration on every instance, each run in a process under hard limits.

    Args:
        sources: a puzzle, a file of puzzles, or several of them.
        solvers: names as ``qubopuzzle solvers`` lists them, or ``dimod:module:Class``; the
            default is annealer, tempering, neal and every exact solver that can run here.
            One that is not installed is left out: see ``left_out``.
        configurations: instead of solvers and settings, a TOML file of named configurations and
            grids, or a list of mappings with the same keys, see ``docs/comparing.md``.
        repeat: runs of a heuristic on an instance, with the seeds ``seed``, ``seed + 1`` ...
        repeat_exact: the same of an exact solver, whose proof is the same for every seed.
        time_limit: seconds from the instance to the checked answer; the solver is told.
            Imports and kernels, once a process, are not counted.
        hard_limit: seconds (wall clock) after which a run's process is ended, whatever it
            does; twice the time limit and 30 s without.
        memory_limit_gib: bound on the address space of a run; three quarters of the
            machine's memory without.
        formulation, encoding, presolve: see ``solve``; a list of them is a grid, as are lists
            among the next two.
        weights: by family, such as ``{"field": [1, 2]}``.
        options: by solver, such as ``{"annealer": {"sweeps": 500}}``.
        puzzle: read only this kind from files.
        best_known: objectives by the instance's name, such as ``{"p0033": 3089}``, or a file of
            lines ``NAME OBJECTIVE`` (MIPLIB's lists of solutions, too). Gaps are to the best of
            that and what the runs reach.
        journal: a file (JSON Lines) that each row is added to as soon as its run is finished.
        resume: take the rows that are in ``journal`` and belong to this comparison.
        jobs: runs at once; they share the machine, and their times tell it.
        executor: of ``concurrent.futures``, of loky or Dask: where runs go in place of this
            machine's ``jobs``. It is not shut down.
        progress: called with each job and its row; True shows a bar, see ``solve``.

    Raises:
        InputError: for anything that cannot be used, before the first run.
    """
    plan = make_plan(
        sources,
        solvers,
        options,
        configurations=configurations,
        puzzle=puzzle,
        repeat=repeat,
        repeat_exact=repeat_exact,
        seed=seed,
        time_limit=time_limit,
        hard_limit=hard_limit,
        memory_limit_gib=memory_limit_gib,
        formulation=formulation,
        encoding=encoding,
        presolve=presolve,
        weights=weights,
        best_known=best_known,
    )
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
                _told(progress, len(planned)) as tell,
                closing(_executed(todo, at_once, executor)) as done,
            ):
                for each in done:
                    if each.answer is None:
                        lost.append(f"{_words(each.item)}: {each.lost}")
                        continue
                    row = _sharing(each.answer, seen)
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
def _told(progress: Progress | bool | None, count: int) -> Iterator[Progress]:
    """What is called with each run: ``progress`` itself, or a bar if it is True."""
    if progress is not True:
        yield progress or (lambda *_: None)
        return
    from qubopuzzle import bars  # imports rich

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
            own = there[row["digest"]]
            with at(f"the solution of {own.label} by {row['configuration']}"):
                if own.puzzle.check(row["solution"])[1]:
                    raise InputError("it breaks the rules; delete the line")


def _reached(row: Row, target: Target | None) -> tuple[float, bool]:
    return (row["seconds"] or 0.0, row["solved"]) if target is None else target.reached(row)


def _summary(rows: list[Row], time_limit: float, target: Target | None) -> Summary:
    first = rows[0]
    ran = [row for row in rows if row["seconds"] is not None]
    built = [row["build_s"] for row in rows if "build_s" in row]
    seconds, reached = zip(*(_reached(row, target) for row in rows), strict=True)
    return Summary(
        instance=first["instance"],
        digest=first["digest"],
        cells=first["cells"],
        configuration=first["configuration"],
        exact=first["exact"],
        time_limit=time_limit,
        runs=len(rows),
        solved=sum(row["solved"] for row in rows),
        statuses=dict(Counter(row["status"] for row in rows).most_common()),
        sizes=next((row["sizes"] for row in rows if row.get("sizes")), {}),
        build_s=median(built) if built else None,
        solve_s=median(row["solve_s"] if row["solved"] else inf for row in rows),
        reached=sum(reached),
        seconds=median(s if won else inf for s, won in zip(seconds, reached, strict=True)),
        par2_s=par2(seconds, reached, time_limit),
        attempts=[] if first["exact"] else [_reached(row, target) for row in ran],
        objectives=None if target is None else objectives(target, rows),
    )
