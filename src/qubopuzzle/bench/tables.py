"""The tables of a comparison: what a terminal, a notebook and all reports show of it."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import TypeVar

from qubopuzzle.bench.configurations import Configuration
from qubopuzzle.bench.machine import machine_of, shared_cores
from qubopuzzle.bench.objectives import CLOSE
from qubopuzzle.bench.pairs import Pair, pairs
from qubopuzzle.bench.results import ComparisonData
from qubopuzzle.bench.statistics import Interval
from qubopuzzle.bench.summary import Row, Summary, Total

Item = TypeVar("Item")
Columns = Mapping[str, Callable[[Item], object]]
"""By its heading, what a column has of each item."""
_DETAILS = ("cells", "TTS(50%) s", "95% (Wilson)")
"""Columns for which only a report has room."""
_NUMBER = re.compile(
    r"-|∞|(> )?-?[\d,.]+(e[+-]?\d+)?(/\d+(, (> )?[\d.]+ s)?|%| s| of \d+)?( \(.*\)| to [\d.%]+)?"
)
WITH_OBJECTIVE = (
    "With an objective, PAR-2 and TTS are of the time until a run reaches the best one known: said "
    "beforehand, or the best of all these runs. Where a solver does not say when it found an "
    "answer, that is the end of its run."
)


@dataclass(frozen=True)
class Table:
    """A heading, a few words, and rows of texts."""

    title: str
    text: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    @classmethod
    def of(cls, items: Iterable[Item], columns: Columns[Item], title: str, text: str) -> "Table":
        """A row for each item."""
        rows = [[str(cell(item)) for cell in columns.values()] for item in items]
        return cls(title, text, list(columns), rows)

    def brief(self) -> "Table":
        """Without the columns for which only a report has room."""
        shown = [i for i, name in enumerate(self.columns) if name not in _DETAILS]
        rows = [[row[i] for i in shown] for row in self.rows]
        return Table(self.title, self.text, [self.columns[i] for i in shown], rows)

    @property
    def numbers(self) -> frozenset[int]:
        """The columns, but the first, that hold numbers, which are set to the right."""
        cells = zip(*self.rows, strict=True)
        columns = (i for i, column in enumerate(cells) if all(map(_NUMBER.fullmatch, column)))
        return frozenset(columns) - {0}


def brief_tables(comparison: ComparisonData) -> list[Table]:
    """For a terminal or a notebook."""
    makers = [instance_table, *([objective_table] if comparison.targets else []), total_table]
    return [make(comparison).brief() for make in makers]


def report_tables(comparison: ComparisonData) -> list[Table]:
    """All of them that have a row."""
    every = (
        total_table(comparison),
        objective_table(comparison),
        _pair_table(comparison),
        instance_table(comparison, digits=4),
        _configuration_table(comparison),
        _failure_table(comparison),
        _machine_table(comparison),
    )
    return [table for table in every if table.rows]


def instance_table(comparison: ComparisonData, digits: int = 3) -> Table:
    """A row for each instance and configuration; seconds with so many digits."""
    columns: Columns[Summary] = {
        "instance": lambda s: s.instance,
        "cells": lambda s: f"{s.cells:,}",
        "configuration": lambda s: s.configuration,
        "kind": lambda s: s.setup.kind,
        "solved": lambda s: f"{s.solved}/{s.runs}",
        "status": statuses,
        "size": _sizes,
        "build s": lambda s: _seconds(s.build_s, digits),
        "solve s": lambda s: over(s) if s.solve_s == inf else _seconds(s.solve_s, digits),
        "TTS(99%) s": lambda s: s.tts99 or "-",
        "TTS(50%) s": lambda s: s.tts50 or "-",
    }
    text = (
        "Medians over seeds. Build is model, presolve and compile; solve is the solver and the "
        "check. TTS is the time after which a solution is 99 or 50 percent sure, with its 95 "
        "percent bootstrap interval."
    )
    return Table.of(comparison.summaries(), columns, "By instance", text)


def objective_table(comparison: ComparisonData) -> Table:
    """The same of those with an objective: what the answers are worth."""
    columns: dict[str, Callable[[Summary], object]] = {
        "instance": lambda s: s.instance,
        "configuration": lambda s: s.configuration,
        "best": lambda s: _value(s.best),
        "mean": lambda s: _value(s.mean),
        "best known": lambda s: _value(s.target.best_known),
        "gap": lambda s: _gap(s.mean_gap),
        "bound": lambda s: _value(s.target.bound),
        "optimal": lambda s: f"{s.optimal}/{s.runs}",
        "primal integral s": lambda s: _seconds(s.primal_integral_s),
    }
    columns |= {f"within {100 * gap:g}%": _close(gap) for gap in CLOSE}
    text = (
        "Best and mean of the runs with a valid answer; the gap is that of the mean to the best "
        "known objective, over its absolute value; the bound is the closest that any run proved. "
        "The primal integral is that of the gap, 0 to 1, from the beginning to the time limit "
        "(Berthold, 2013); less is better. "
        "Then how many runs came as close to the best known, and the median seconds until they did."
    )
    valued = [each for each in comparison.summaries() if each.valued]
    return Table.of(valued, columns, "Objectives", text)


def total_table(comparison: ComparisonData) -> Table:
    """A row for each configuration."""
    columns: dict[str, Callable[[Total], object]] = {
        "configuration": lambda t: t.configuration,
        "kind": lambda t: t.setup.kind,
        "presolve": lambda t: t.setup.presolve,
        "runs": lambda t: t.runs if t.runs == t.planned else f"{t.runs} of {t.planned}",
        "solved": lambda t: t.solved,
        "success": lambda t: f"{t.success:.1%}" if t.runs else "-",
        "95% (Wilson)": lambda t: _percent(t.success_interval, 1),
        "mean PAR-2 s": lambda t: _seconds(t.par2_s if t.runs else None),
        "total s": lambda t: _seconds(t.spent_s),
    }
    text = (
        "A run is solved if the rules accept its answer, or it is proved that there is none, "
        "within the time limit. A run that failed counts twice the limit in PAR-2."
    )
    if comparison.targets:
        text += f" {WITH_OBJECTIVE}"
        columns |= {
            "primal integral s": lambda t: _seconds(t.primal_integral_s),
            "at the best known": lambda t: _of_valued(t, t.at_best_known),
            "mean gap": lambda t: _gap(t.mean_gap),
            "optimal": lambda t: _of_valued(t, t.optimal),
        }
    return Table.of(comparison.totals(), columns, "Configurations over all runs", text)


def _pair_table(comparison: ComparisonData) -> Table:
    columns: Columns[Pair] = {
        "first": lambda p: p.first,
        "second": lambda p: p.second,
        "instances": lambda p: p.instances,
        "seconds, first / second": lambda p: f"{p.ratio:.3g}",
        "95%": lambda p: "{:.3g} to {:.3g}".format(*p.ratio_interval) if p.ratio_interval else "-",
        "first faster on": lambda p: f"{p.faster:.0%}",
        "95% of that": lambda p: _percent(p.faster_interval, 0),
    }
    text = (
        "Paired over instances: the geometric mean of the ratio of their mean PAR-2 seconds "
        "(below 1 the first is faster), and on how many the first is faster, ties half; with "
        "bootstrap intervals over instances. Where both fail on an instance, it counts as equal."
    )
    return Table.of(pairs(comparison), columns, "Pairs", text)


def _configuration_table(comparison: ComparisonData) -> Table:
    used: dict[str, dict[str, None]] = {each.name: {} for each in comparison.configurations}
    for row in comparison.rows:
        used[row["configuration"]][str(row.get("formulation", "-"))] = None
    columns: Columns[Configuration] = {
        "configuration": lambda c: c.name,
        "solver": lambda c: c.solver,
        "formulations": lambda c: ", ".join(used[c.name]),
        "encoding": lambda c: c.encoding or "-",
        "presolve": lambda c: c.presolve,
        "options": _options,
        "bounds": lambda c: f"{c.time_limit:g} s" + (f", {c.reads} reads" if c.reads else ""),
    }
    text = "Settings of each, defaults included, and the bounds of a run."
    return Table.of(comparison.configurations, columns, "Settings", text)


def _failure_table(comparison: ComparisonData) -> Table:
    failed: dict[tuple[str, str], list[Row]] = {}
    for row in comparison.rows:
        if not row["solved"]:
            failed.setdefault((row["configuration"], row["status"]), []).append(row)
    columns: Columns[Sequence[Row]] = {
        "configuration": lambda rows: rows[0]["configuration"],
        "status": lambda rows: rows[0]["status"],
        "runs": len,
        "instances": lambda rows: ", ".join(dict.fromkeys(row["instance"] for row in rows)),
        "first reason": lambda rows: next((row["why"] for row in rows if row["why"]), ""),
    }
    return Table.of(failed.values(), columns, "Runs that were not solved", "All of them, by name.")


def _machine_table(comparison: ComparisonData) -> Table:
    by_kind: dict[str, list[Row]] = {}
    for row in comparison.rows:
        by_kind.setdefault(machine_of(row), []).append(row)
    columns: Columns[tuple[int, list[Row]]] = {
        "machine": lambda entry: entry[0],
        "kind": lambda entry: machine_of(entry[1][0]),
        "hosts": lambda entry: len({row.get("machine", {}).get("host", "?") for row in entry[1]}),
        "runs": lambda entry: len(entry[1]),
        "runs that shared a core": lambda entry: shared_cores(entry[1]),
        "versions": lambda entry: _versions(entry[1]),
    }
    numbered = enumerate(by_kind.values(), start=1)
    return Table.of(numbered, columns, "Machines and versions", "")


def run_table(rows: Sequence[Row]) -> Table:
    """A row for each run of an instance."""
    columns: Columns[Row] = {
        "configuration": lambda row: row["configuration"],
        "seed": lambda row: row["seed"],
        "status": lambda row: row["status"],
        "seconds": lambda row: _seconds(row["seconds"], 4),
        "objective": lambda row: _value(row.get("objective")),
        "wall s": lambda row: _seconds(row.get("wall_s"), 4),
        "peak MiB": lambda row: row.get("peak_mib") or "-",
        "started": lambda row: row.get("started", "-"),
        "key": lambda row: row["key"],
    }
    return Table.of(rows, columns, "", "")


# --- cells ---------------------------------------------------------------------------


def over(summary: Summary) -> str:
    """That a run took longer than the limit.

    Which is where the median of runs that failed is.
    """
    return f"> {summary.setup.time_limit:g}"


def statuses(summary: Summary) -> str:
    """How runs ended, in words; with numbers where they ended in different ways."""
    limit = f"{over(summary)} s"
    words = {"not solved": limit, "late": f"{limit} (late answer)"}
    named = {words.get(status, status): n for status, n in summary.statuses.items()}
    if len(named) == 1:
        return next(iter(named))
    return ", ".join(f"{n} {word}" for word, n in named.items())


def _sizes(summary: Summary) -> str:
    sizes = summary.sizes.items()
    return ", ".join(f"{n:,} {what[:-1] if n == 1 else what}" for what, n in sizes) or "-"


def _seconds(value: float | None, digits: int = 3) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _value(value: float | None) -> str:
    """An objective."""
    return "-" if value is None else f"{value:.12g}"


def _gap(gap: float | None) -> str:
    """A relative gap in percent.

    >>> _gap(0.0), _gap(0.0123), _gap(inf), _gap(None)
    ('0%', '1.23%', '∞', '-')
    """
    if gap is None:
        return "-"
    return "∞" if gap == inf else "0%" if gap == 0 else f"{100 * gap:.3g}%"


def _close(gap: float) -> Callable[[Summary], str]:
    def cell(summary: Summary) -> str:
        count, seconds = summary.close[gap]
        when = over(summary) if seconds == inf else f"{seconds:.3f}"
        return f"{count}/{summary.runs}, {when} s"

    return cell


def _of_valued(total: Total, count: int) -> str:
    return f"{count}/{len(total.valued)}" if total.valued else "-"


def _percent(interval: Interval | None, digits: int) -> str:
    if interval is None:
        return "-"
    low, high = interval
    return f"{low:.{digits}%} to {high:.{digits}%}"


def _options(configuration: Configuration) -> str:
    weights = {f"weight {family}": weight for family, weight in configuration.weights.items()}
    settings = {**weights, **configuration.options}
    return ", ".join(f"{key}={value}" for key, value in settings.items() if value is not None)


def _versions(rows: Sequence[Row]) -> str:
    versions: dict[str, set[str]] = {}
    for row in rows:
        for name, value in row.get("versions", {}).items():
            versions.setdefault(name, set()).add(value)
    return ", ".join(f"{name} {' and '.join(sorted(values))}" for name, values in versions.items())
