"""A submission to QOBLIB: a folder an instance, as its guide asks for.

Source: CONTRIBUTING.md and misc/ci/check_submission.py of github.com/ZIB-AOPT/QOBLIB, of 2026.
Classes 05 (sports), 06 (portfolio, the constrained models) and 07 (independent set).
"""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from qubopuzzle.base.writing import with_id, write_folder
from qubopuzzle.bench.configurations import Configuration
from qubopuzzle.bench.machine import machine_of
from qubopuzzle.bench.objectives import Target, objective_of
from qubopuzzle.bench.plan import Instance
from qubopuzzle.bench.report.sheets import spreadsheet_cell
from qubopuzzle.bench.results import ComparisonData
from qubopuzzle.bench.summary import Row
from qubopuzzle.errors import InputError
from qubopuzzle.files.sets import named
from qubopuzzle.programs import Program
from qubopuzzle.solvers import get_solver

LEAST_RUNS = 5
"""Of a stochastic method on an instance."""
UNKNOWN = "N/A"
_NOT_CLASSICAL = ("qpu-sim",)
_GAME = re.compile(r"x#\d+#\d+#\d+")
_UNIT = re.compile(r"x[$#](?P<symbol>[^#@]+)#\d+#(?P<short>_?)1#(?P<period>\d+)")
_CUT_UNIT = re.compile(r"x[$#](?P<symbol>[^#@]+)#[^@]*@(?P<number>[0-9a-f]+)")
"""ZIMPL cuts long names short, and adds the variable's number."""
_CASH = re.compile(r"y#\d+#(\d+)")
_VARIANT = re.compile(r"(bqp_)?(?P<data>a\d+_t\d+_\w+)_b0*(?P<budget>\d+)_l(?P<risk>[\d.e-]+)")
Values = Mapping[str, int]
"""Of a solution, by the variables' names."""


@dataclass(frozen=True, slots=True)
class Submission:
    """Who submits, and what says more; of several authors with commas between them."""

    submitter: str = UNKNOWN
    affiliation: str = UNKNOWN
    reference: str = UNKNOWN


# --- solutions by class ------------------------------------------------------------------


def independent_set(_: Instance, values: Values) -> str:
    """Class 07: the set's vertices, from 1, one a line."""
    return "".join(f"{vertex}\n" for vertex, taken in values.items() if taken)


def portfolio(instance: Instance, values: Values) -> str:
    """Class 06: the units that are held, by period and symbol, long and short.

    Under the data's name, the budget and the weight of the risk, which the instance's name says.
    """
    variant = variant_of(instance)
    periods = 1 + max(int(match[1]) for name in values if (match := _CASH.fullmatch(name)))
    held = Counter[tuple[int, str, bool]]()
    for name, taken in values.items():
        if not taken:
            continue
        if match := _UNIT.fullmatch(name):
            held[int(match["period"]), match["symbol"], bool(match["short"])] += 1
        elif match := _CUT_UNIT.fullmatch(name):
            direction, period = divmod(int(match["number"], 16), periods)
            held[period, match["symbol"], bool(direction % 2)] += 1
    lines = [
        f"instance po_{variant['data']}",
        f"budget {variant['budget']}",
        f"lambda {variant['risk']}",
        *(
            f"{period} {symbol} {held[period, symbol, False]} {held[period, symbol, True]}"
            for period, symbol in sorted({(period, symbol) for period, symbol, _ in held})
        ),
    ]
    return "".join(f"{line}\n" for line in lines)


def variant_of(instance: Instance) -> re.Match[str]:
    """Data, budget and risk of a portfolio, by its name; InputError for another name."""
    variant = _VARIANT.fullmatch(instance.label)
    if variant is None:
        raise InputError(
            f"{instance.label}: its name must say budget and risk: bqp_a010_t10_orig_b004_l0.0001"
        )
    return variant


def timetable(_: Instance, values: Values) -> str:
    """Class 05: games and their slots, ``x#HOME#AWAY#SLOT 1``, as in the library's own files."""
    games = (name for name, taken in values.items() if taken and _GAME.fullmatch(name))
    return "".join(f"{game} 1\n" for game in games)


@dataclass(frozen=True, slots=True)
class ProblemClass:
    """A class of the library: how its solutions are written, and what its models are."""

    number: str
    model: str
    write: Callable[[Instance, Values], str]


INDEPENDENT_SET = ProblemClass("07", "a bit a vertex, a row an edge", independent_set)
PORTFOLIO = ProblemClass("06", "the library's constrained model (bqp)", portfolio)
SPORTS = ProblemClass("05", "the library's integer program (lp_files)", timetable)


def class_of(instance: Instance) -> ProblemClass:
    """By the names of rows and variables; InputError for what is of none of the classes."""
    program = instance.puzzle
    if isinstance(program, Program) and len(program.variables):
        names = program.variables
        if program.maximize and all(row.startswith("edge") for row in program.rows):
            return INDEPENDENT_SET
        if any(map(_CASH.fullmatch, names)) and any(map(_UNIT.fullmatch, names)):
            return PORTFOLIO
        if any(map(_GAME.fullmatch, names)):
            return SPORTS
    raise InputError(
        f"{instance.label}: a submission is of graphs (.gph, class 07), portfolios (bqp, 06) or "
        "tournaments (05) of QOBLIB"
    )


# --- a submission ------------------------------------------------------------------------


def check_submission(
    instances: Sequence[Instance], configurations: Sequence[Configuration], runs: int
) -> None:
    """Raise InputError for what is not one method on instances of one class, run often enough."""
    if len(configurations) != 1:
        names = ", ".join(each.name for each in configurations)
        raise InputError(f"a submission is of one solver with its options, not of {names}")
    (configuration,) = configurations
    solver = configuration.solver
    if solver in _NOT_CLASSICAL or ":" in solver or get_solver(solver).remote:
        raise InputError(f"{solver}: a submission is written of solvers of this package alone")
    if not configuration.exact and runs < LEAST_RUNS:
        raise InputError(
            f"QOBLIB asks for {LEAST_RUNS} runs of a stochastic method at least: --repeat "
            f"{LEAST_RUNS}"
        )
    classes = {class_of(instance).number for instance in instances}
    if len(classes) > 1:
        raise InputError(f"a submission is of one class, not of {' and '.join(sorted(classes))}")
    for instance in instances:
        if class_of(instance) is PORTFOLIO:
            variant_of(instance)


def write_submission(comparison: ComparisonData, folder: Path, by: Submission) -> list[str]:
    """Write the folder; a line for each instance that is left out, and why.

    Raises:
        InputError: as ``check_submission``, and for a folder that cannot be written.
    """
    runs = max(comparison.planned.values(), default=0) // max(1, len(comparison.instances))
    check_submission(comparison.instances, comparison.configurations, runs)
    (configuration,) = comparison.configurations
    notes = []
    for instance in comparison.instances:
        rows = [row for row in comparison.rows if row["digest"] == instance.digest]
        sent = Submitted(instance, configuration, rows, comparison.targets, by)
        if why := sent.missing():
            notes.append(f"{instance.label} is left out: {why}")
            continue
        files = {name: text.encode() for name, text in sent.files().items()}
        write_folder(folder / sent.name, files)
    missing = [name for name, value in asdict(by).items() if value == UNKNOWN]
    return [*notes, *(f"{name} is {UNKNOWN}: say it with --{name}" for name in missing)]


@dataclass(frozen=True)
class Submitted:
    """What is submitted of an instance: its runs, in the order of their seeds."""

    instance: Instance
    configuration: Configuration
    rows: Sequence[Row]
    targets: Mapping[str, Target]
    by: Submission

    @property
    def name(self) -> str:
        """Of the folder; QOBLIB's submissions of portfolios leave the model's prefix out."""
        return str(with_id("{id}", self.instance.label.removeprefix("bqp_")))

    @property
    def target(self) -> Target:
        """The direction of the objective."""
        return self.targets.get(self.instance.digest, Target(maximize=False))

    @property
    def feasible(self) -> list[Row]:
        """The runs with a valid answer, the best first."""
        sign = -1 if self.target.maximize else 1
        valid = [row for row in self.rows if row["status"] == "valid"]
        return sorted(valid, key=lambda row: sign * _worth(row))

    def missing(self) -> str:
        """Why it cannot be submitted; nothing if it can."""
        if not self.configuration.exact and len(self.rows) < LEAST_RUNS:
            return f"{len(self.rows)} runs, of {LEAST_RUNS} at least"
        return "" if self.feasible else "no run found a solution"

    def files(self) -> dict[str, str]:
        """Their texts, by names below the folder."""
        kind, summary = class_of(self.instance), self.summary()
        return {
            f"{self.name}_summary.csv": _csv(summary),
            f"{self.name}_objective_time_series.json": json.dumps(self.series()) + "\n",
            **{
                f"solutions/{self.name}_solution_{number}.sol": kind.write(
                    self.instance, row["solution"]
                )
                for number, row in enumerate(self.feasible)
            },
            "README.md": self.readme(summary),
        }

    def series(self) -> list[list[dict[str, float]]]:
        """Of each run with an answer its incumbents over time, up to its end."""
        best_of = max if self.target.maximize else min
        runs = []
        for row in sorted(self.feasible, key=lambda row: int(row["seed"])):
            run: list[dict[str, float]] = []
            end = {"seconds": row["seconds"], "value": _worth(row)}
            for each in row.get("incumbents") or [end]:
                value = each["value"] or 0.0
                best = best_of(value, run[-1]["Incumbent"]) if run else value
                run.append({"Time": each["seconds"], "Incumbent": best})
            runs.append(run)
        return runs

    def summary(self) -> dict[str, object]:
        """The columns of the table."""
        feasible = self.feasible
        best = _worth(feasible[0])
        seconds = fmean(row["seconds"] or 0.0 for row in self.rows)
        days = [row["started"][:10] for row in self.rows if "started" in row]
        return {
            "Problem": self.name,
            "Submitter": self.by.submitter,
            "Affiliation": self.by.affiliation,
            "Date": max(days, default=UNKNOWN),
            "Reference": self.by.reference,
            "Best Objective Value": _figures(best),
            "Optimality Bound": self._bound(),
            **self._model(),
            "Workflow": self._workflow(),
            "Algorithm Type": "Deterministic" if self.configuration.exact else "Stochastic",
            "Paradigm": "Classical",
            "# Runs": len(self.rows),
            "# Feasible Runs": len(feasible),
            "# Successful Runs": sum(_worth(row) == best for row in feasible),
            "Success Threshold": 0,
            "Hardware Specifications": "; ".join(dict.fromkeys(map(machine_of, self.rows))),
            "Total Runtime": _figures(seconds),
            "Time to Solution": _figures(fmean(run_to_best(run) for run in self.series())),
            "CPU Runtime": _figures(seconds),
            "GPU Runtime": UNKNOWN,
            "QPU Runtime": UNKNOWN,
            "Other HW Runtime": UNKNOWN,
            "Remarks": f"seeds {', '.join(str(row['seed']) for row in self.rows)}; at most "
            f"{self.configuration.time_limit:g} s a run; runtimes are means of wall-clock seconds",
        }

    def _model(self) -> dict[str, object]:
        """The columns on the program as it is read, before anything is made of it."""
        program: Any = self.instance.puzzle
        bits = int(((program.lower == 0) & (program.upper == 1)).sum())
        n = len(program.variables)
        terms = np.concatenate([program.matrix.data, program.cost, program.quadratic.data])
        terms = terms[terms != 0]
        whole = bool((terms == np.rint(terms)).all())
        degree = "quadratic" if program.quadratic.nnz else "linear"
        kind = f"{'Binary' if bits == n else 'Integer'} {degree} program"
        what = class_of(self.instance).model
        return {
            "Modeling Approach": f"{kind}, {len(program.rows):,} constraints: {what}",
            "# Decision Variables": n,
            "# Binary Variables": bits,
            "# Integer Variables": n - bits,
            "# Continuous Variables": 0,
            "# Non-Zero Coefficients": len(terms),
            "Coefficients Type": "Integer" if whole else "Continuous",
            "Coefficients Range": f"[{_figures(terms.min())}, {_figures(terms.max())}]",
        }

    def _bound(self) -> str:
        """The closest one that these runs proved."""
        closest_of = min if self.target.maximize else max
        bounds = [row["bound"] for row in self.rows if row.get("bound") is not None]
        return _figures(closest_of(bounds)) if bounds else UNKNOWN

    def _workflow(self) -> str:
        """From presolving to the check of the answer."""
        row, setup = self.rows[0], self.configuration
        given = {name: value for name, value in setup.options.items() if value is not None}
        options = ", ".join(f"{name}={value}" for name, value in given.items())
        return (
            f"qubopuzzle {row['qubopuzzle']}: presolve {setup.presolve}, formulation "
            f"{row['formulation']}, solver {setup.solver}{f' ({options})' if options else ''}, "
            "answers checked against the program's rows"
        )

    def readme(self, summary: Mapping[str, object]) -> str:
        """The table for people, versions, and the command that repeats a run."""
        cells = (str(value).replace("|", r"\|") for value in summary.values())
        table = "".join(f"| {name} | {c} |\n" for name, c in zip(summary, cells, strict=True))
        versions = ", ".join(f"{name} {v}" for name, v in self.rows[0].get("versions", {}).items())
        source = self.instance.source
        file = source if named(source) else Path(source).name or f"{self.instance.label}.json"
        command = self.configuration.command(file, "SEED")
        return (
            f"# {self.name}\n\n| field | value |\n| --- | --- |\n{table}\nVersions: {versions}.\n\n"
            f"A run, with its seed:\n\n```console\n$ {command}\n```\n"
        )


def run_to_best(run: Sequence[Mapping[str, float]]) -> float:
    """When a run came to its last incumbent's value."""
    return next(each["Time"] for each in run if each["Incumbent"] == run[-1]["Incumbent"])


def _worth(row: Row) -> float:
    """A valid answer's objective; 0 where any solution will do."""
    return objective_of(row) or 0.0


def _figures(value: float) -> str:
    return f"{value:.12g}"


def _csv(summary: Mapping[str, object]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(summary)
    writer.writerow(map(spreadsheet_cell, summary.values()))
    return text.getvalue()
