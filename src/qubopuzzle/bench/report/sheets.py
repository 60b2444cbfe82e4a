"""A comparison for spreadsheets."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping
from math import inf

from qubopuzzle.bench.objectives import CLOSE
from qubopuzzle.bench.results import ComparisonData
from qubopuzzle.bench.statistics import TimeToSolution
from qubopuzzle.bench.summary import Summary
from qubopuzzle.bench.tables import over, statuses
from qubopuzzle.errors import printable

Columns = Mapping[str, Callable[[Summary], object]]
"""By its name, what a column has of each instance and configuration; None for an empty cell."""
_FORMULAS = (*"=+-@", *map(chr, (0xFF1D, 0xFF0B, 0xFF0D, 0xFF20)))
"""How a spreadsheet's formulas begin; the last four are the same signs in full width."""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?")


def csv_text(comparison: ComparisonData) -> str:
    """A line for each instance and configuration; seconds; empty where there is no number."""
    summaries = comparison.summaries()
    columns: dict[str, Callable[[Summary], object]] = {
        "instance": lambda s: s.instance,
        "cells": lambda s: s.cells,
        "configuration": lambda s: s.configuration,
        "kind": lambda s: s.setup.kind,
        "runs": lambda s: s.runs,
        "solved": lambda s: s.solved,
        "status": statuses,
        "success_low": lambda s: f"{s.success_interval[0]:.4f}",
        "success_high": lambda s: f"{s.success_interval[1]:.4f}",
        **{name: _size(name) for s in summaries for name in s.sizes},
        "build_s": lambda s: None if s.build_s is None else f"{s.build_s:.6f}",
        "solve_s": lambda s: over(s) if s.solve_s == inf else f"{s.solve_s:.6f}",
        "par2_s": lambda s: f"{s.par2_s:.6f}",
        **_tts_columns("tts50", lambda s: s.tts50),
        **_tts_columns("tts99", lambda s: s.tts99),
    }
    if comparison.targets:
        columns |= _OBJECTIVE
        for gap in CLOSE:
            columns |= _close_columns(gap)
    columns["time_limit_s"] = lambda s: f"{s.setup.time_limit:g}"
    return _written(columns, summaries)


_OBJECTIVE: Columns = {
    "objective_best": lambda s: _figures(s.best),
    "objective_mean": lambda s: _figures(s.mean),
    "best_known": lambda s: _figures(s.target.best_known),
    "bound": lambda s: _figures(s.target.bound),
    "gap": lambda s: _figures(s.mean_gap, 6),
    "primal_integral_s": lambda s: _figures(s.primal_integral_s, 6),
    "proved_optimal": lambda s: s.optimal if s.valued else None,
}


def _size(name: str) -> Callable[[Summary], object]:
    return lambda s: s.sizes.get(name)


def _tts_columns(name: str, of: Callable[[Summary], TimeToSolution | None]) -> Columns:
    def estimate(summary: Summary) -> object:
        tts = of(summary)
        return tts and f"{'> ' if tts.at_least else ''}{tts.seconds:.6g}"

    return {
        f"{name}_s": estimate,
        f"{name}_low_s": lambda s: (tts := of(s)) and _figures(tts.low, 6),
        f"{name}_high_s": lambda s: (tts := of(s)) and _figures(tts.high, 6),
    }


def _close_columns(gap: float) -> Columns:
    def seconds(summary: Summary) -> object:
        if not summary.valued:
            return None
        _, median = summary.close[gap]
        return over(summary) if median == inf else f"{median:.6f}"

    within = f"{100 * gap:g}pct"
    return {
        f"share_{within}": lambda s: f"{s.close[gap][0] / s.runs:.4f}" if s.valued else None,
        f"seconds_{within}": seconds,
    }


def _figures(value: float | None, count: int = 12) -> str | None:
    return None if value is None else f"{value:.{count}g}"


def _written(columns: Columns, summaries: Iterable[Summary]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(spreadsheet_cell, columns))
    for summary in summaries:
        writer.writerow(spreadsheet_cell(cell(summary)) for cell in columns.values())
    return text.getvalue()


def spreadsheet_cell(value: object) -> object:
    """A value for a CSV file: no name in it is taken for a formula, and numbers stay numbers.

    A text that a spreadsheet would calculate gets an apostrophe in front, as the Open Worldwide
    Application Security Project advises ("CSV Injection").

    >>> [spreadsheet_cell(value) for value in ("=1+1", "-2.5", "a-b", -3, "@x")]
    ["'=1+1", '-2.5', 'a-b', -3, "'@x"]
    """
    if not isinstance(value, str):
        return value
    text = printable(value)
    is_formula = text.lstrip().startswith(_FORMULAS) and not _NUMBER.fullmatch(text)
    return f"'{text}" if is_formula else text
