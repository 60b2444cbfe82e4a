"""The tables of a comparison: as texts for people, and for spreadsheets."""

import csv
import io
from collections.abc import Mapping
from dataclasses import asdict
from math import inf

from qubopuzzle.bench.comparison import Comparison
from qubopuzzle.bench.plan import kind_of


def instance_table(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """The table of a comparison as texts, for a terminal or for Markdown."""
    limit = f"> {comparison.plan.time_limit:g}"
    columns = ["instance", "solver", "kind", "solved", "status", "size"]
    columns += ["build s", "solve s", "TTS(99%) s"]
    rows = []
    for s in comparison.summaries():
        sizes = (f"{n:,} {what[:-1] if n == 1 else what}" for what, n in s.sizes.items())
        times = ["-" if s.build_s is None else f"{s.build_s:.3f}"]
        times += [limit if s.solve_s == inf else f"{s.solve_s:.3f}", str(s.tts or "-")]
        ended = [f"{s.solved}/{s.runs}", statuses(s.statuses, limit), ", ".join(sizes) or "-"]
        rows.append([s.instance, s.solver, kind_of(s.exact), *ended, *times])
    return columns, rows


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
    columns = ["solver", "kind", "presolve", "runs", "solved", "success", "mean PAR-2 s", "total s"]
    rows = []
    for t in comparison.totals():
        runs = f"{t.runs}" if t.runs == t.planned else f"{t.runs} of {t.planned}"
        score = "-" if t.par2_s is None else f"{t.par2_s:.3f}"
        success = f"{t.success:.1%}" if t.runs else "-"
        counts = [runs, f"{t.solved}", success, score, f"{t.spent_s:.3f}"]
        rows.append([t.solver, kind_of(t.exact), t.presolve, *counts])
    return columns, rows


def csv_text(comparison: Comparison) -> str:
    """A line for each instance and solver; seconds; empty where there is no number."""
    over, summaries = f"> {comparison.plan.time_limit:g}", comparison.summaries()
    sizes = list(dict.fromkeys(name for s in summaries for name in s.sizes))
    columns = ["instance", "cells", "solver", "kind", "runs", "solved", "status", *sizes]
    columns += ["build_s", "solve_s", "tts99_s", "tts99_low_s", "tts99_high_s", "time_limit_s"]
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    for s in summaries:
        record = {**s.sizes, **asdict(s), "status": statuses(s.statuses, over)}
        record["kind"] = kind_of(s.exact)
        record["build_s"] = "" if s.build_s is None else f"{s.build_s:.6f}"
        record["solve_s"] = over if s.solve_s == inf else f"{s.solve_s:.6f}"
        record["time_limit_s"] = over.removeprefix("> ")
        if s.tts is not None:
            record["tts99_s"] = f"{'> ' if s.tts.at_least else ''}{s.tts.seconds:.6g}"
            for end, seconds in (("low", s.tts.low), ("high", s.tts.high)):
                record[f"tts99_{end}_s"] = "" if seconds is None else f"{seconds:.6g}"
        writer.writerow(record)
    return text.getvalue()
