"""The tables of a comparison: as texts for people, and for spreadsheets."""

import csv
import io
import re
from collections.abc import Mapping
from math import inf

from qubopuzzle.bench.comparison import Comparison
from qubopuzzle.bench.configurations import kind_of
from qubopuzzle.bench.objectives import CLOSE
from qubopuzzle.errors import printable

WITH_OBJECTIVE = (
    "With an objective, PAR-2 and TTS are of the time until a run reaches the best one known: said "
    "beforehand, or the best of all these runs. Where a solver does not say when it found an "
    "answer, that is the end of its run."
)
_QUALITY = ["at the best known", "mean gap", "optimal"]
_FORMULAS = (*"=+-@", *map(chr, (0xFF1D, 0xFF0B, 0xFF0D, 0xFF20)))
"""How a spreadsheet's formulas begin; the last four are the same signs in full width."""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?")


def instance_table(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """The table of a comparison as texts, for a terminal or for Markdown."""
    columns = ["instance", "configuration", "kind", "solved", "status", "size"]
    columns += ["build s", "solve s", "TTS(99%) s"]
    rows = []
    for s in comparison.summaries():
        limit = f"> {s.time_limit:g}"
        sizes = (f"{n:,} {what[:-1] if n == 1 else what}" for what, n in s.sizes.items())
        times = ["-" if s.build_s is None else f"{s.build_s:.3f}"]
        times += [limit if s.solve_s == inf else f"{s.solve_s:.3f}", str(s.tts99 or "-")]
        ended = [f"{s.solved}/{s.runs}", statuses(s.statuses, limit), ", ".join(sizes) or "-"]
        rows.append([s.instance, s.configuration, kind_of(s.exact), *ended, *times])
    return columns, rows


def objective_table(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """What the answers are worth, of instances with an objective; seconds are medians."""
    columns = ["instance", "configuration", "best", "mean", "best known", "gap", "bound", "optimal"]
    columns += [f"within {100 * close:g}%" for close in CLOSE]
    rows = []
    for s in comparison.summaries():
        if (own := s.objectives) is not None:
            numbers = own.best, own.mean, own.target.best_known
            row = [s.instance, s.configuration, *map(value_words, numbers)]
            gap = "-" if own.mean is None else gap_words(own.mean_gap)
            row += [gap, value_words(own.target.bound), f"{own.optimal}/{s.runs}"]
            for count, seconds in own.close.values():
                when = f"> {s.time_limit:g}" if seconds == inf else f"{seconds:.3f}"
                row.append(f"{count}/{s.runs}, {when} s")
            rows.append(row)
    return columns, rows


def value_words(value: float | None) -> str:
    """An objective; a dash for none."""
    return "-" if value is None else f"{value:.12g}"


def gap_words(gap: float) -> str:
    """A relative gap in percent.

    >>> gap_words(0.0), gap_words(0.0123), gap_words(inf)
    ('0%', '1.23%', '∞')
    """
    return "∞" if gap == inf else "0%" if gap == 0 else f"{100 * gap:.3g}%"


def quality_columns(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """Further columns of the totals, a list a configuration; none without any objective."""
    if not comparison.targets:
        return [], [[] for _ in comparison.configurations]
    rows = []
    for t in comparison.totals():
        if (own := t.quality) is None:
            rows.append(["-"] * len(_QUALITY))
            continue
        gap = "-" if own.mean_gap is None else gap_words(own.mean_gap)
        rows.append([f"{own.reached}/{own.runs}", gap, f"{own.optimal}/{own.runs}"])
    return _QUALITY, rows


def statuses(counts: Mapping[str, int], limit: str) -> str:
    """In words; with numbers where runs ended in different ways.

    >>> statuses({"valid": 3, "not solved": 2}, "> 10")
    '3 valid, 2 > 10 s'
    """
    words = {"not solved": f"{limit} s", "late": f"{limit} s (late answer)"}
    named = {words.get(status, status): n for status, n in counts.items()}
    if len(named) == 1:
        return next(iter(named))
    return ", ".join(f"{n} {word}" for word, n in named.items())


def total_table(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """The sums as texts, a line a solver."""
    columns = [
        "configuration",
        "kind",
        "presolve",
        "runs",
        "solved",
        "success",
        "mean PAR-2 s",
        "total s",
    ]
    more, quality = quality_columns(comparison)
    rows = []
    for t, own in zip(comparison.totals(), quality, strict=True):
        runs = f"{t.runs}" if t.runs == t.planned else f"{t.runs} of {t.planned}"
        score = "-" if t.par2_s is None else f"{t.par2_s:.3f}"
        success = f"{t.success:.1%}" if t.runs else "-"
        counts = [runs, f"{t.solved}", success, score, f"{t.spent_s:.3f}"]
        rows.append([t.configuration, kind_of(t.exact), t.presolve, *counts, *own])
    return [*columns, *more], rows


def _objective_columns() -> list[str]:
    columns = ["objective_best", "objective_mean", "best_known", "bound", "gap", "proved_optimal"]
    return columns + [f"{what}_{100 * c:g}pct" for c in CLOSE for what in ("share", "seconds")]


def csv_text(comparison: Comparison) -> str:
    """A line for each instance and configuration; seconds; empty where there is no number."""
    summaries = comparison.summaries()
    sizes = list(dict.fromkeys(name for s in summaries for name in s.sizes))
    columns = ["instance", "cells", "configuration", "kind", "runs", "solved", "status"]
    columns += ["success_low", "success_high", *sizes, "build_s", "solve_s", "par2_s"]
    columns += [f"tts{q}{end}_s" for q in (50, 99) for end in ("", "_low", "_high")]
    columns += _objective_columns() if comparison.targets else []
    text = io.StringIO()
    writer = csv.DictWriter(text, [*columns, "time_limit_s"], lineterminator="\n")
    writer.writerow({name: spreadsheet_cell(name) for name in writer.fieldnames})
    for s in summaries:
        over = f"> {s.time_limit:g}"
        record: dict[str, object] = {
            **{name: getattr(s, name) for name in columns[:6] if name != "kind"},
            **s.sizes,
            "kind": kind_of(s.exact),
            "status": statuses(s.statuses, over),
            "success_low": f"{s.success[0]:.4f}",
            "success_high": f"{s.success[1]:.4f}",
            "build_s": "" if s.build_s is None else f"{s.build_s:.6f}",
            "solve_s": over if s.solve_s == inf else f"{s.solve_s:.6f}",
            "par2_s": f"{s.par2_s:.6f}",
            "time_limit_s": f"{s.time_limit:g}",
        }
        for q, found in ((50, s.tts50), (99, s.tts99)):
            if found is not None:
                record[f"tts{q}_s"] = f"{'> ' if found.at_least else ''}{found.seconds:.6g}"
                for end, seconds in (("low", found.low), ("high", found.high)):
                    record[f"tts{q}_{end}_s"] = "" if seconds is None else f"{seconds:.6g}"
        if (own := s.objectives) is not None:
            values = [own.best, own.mean, own.target.best_known, own.target.bound]
            cells = ["" if value is None else f"{value:.12g}" for value in values]
            cells += ["" if own.mean is None else f"{own.mean_gap:.6g}", f"{own.optimal}"]
            for count, seconds in own.close.values():
                cells += [f"{count / s.runs:.4f}", over if seconds == inf else f"{seconds:.6f}"]
            record |= zip(_objective_columns(), cells, strict=True)
        writer.writerow({name: spreadsheet_cell(value) for name, value in record.items()})
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
