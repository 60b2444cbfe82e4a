"""``qubopuzzle compare`` for people: two tables, notes, contradictions; and for spreadsheets."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import inf
from pathlib import Path

from qubopuzzle.bench.comparison import Comparison, Row
from qubopuzzle.bench.contradictions import Contradiction
from qubopuzzle.bench.plan import kind_of
from qubopuzzle.cli.terminal import answer_text, check_output, print_table, say
from qubopuzzle.errors import InputError
from qubopuzzle.files.writing import image_format, write_whole
from qubopuzzle.solving.judge import judge

_RARE = ("killed", "out of memory", "crashed", "refused")


def print_comparison(comparison: Comparison) -> None:
    """The runs by instance and solver, what the times are, the sums, why runs failed."""
    print_table(*columns_and_rows(comparison), right=(3, 6, 7, 8))
    say("")
    print_table(*total_columns_and_rows(comparison), right=(3, 4, 5, 6, 7))
    plan = comparison.plan
    say(
        "",
        "Seconds, medians over seeds: build is model, presolve and compile; solve is",
        f"the solver and the check. A run has {plan.time_limit:g} s for both (imports and kernels",
        "apart); a failed one counts twice that in PAR-2.",
        "TTS(99%) with its 95% bootstrap interval.",
        *failure_notes(comparison),
    )


def columns_and_rows(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
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


def total_columns_and_rows(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
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


def failure_notes(comparison: Comparison) -> list[str]:
    """A line for each way that runs of a solver failed, other than by the time limit."""
    failed: dict[tuple[str, str], list[Row]] = {}
    for row in comparison.rows:
        if row["status"] in _RARE:
            failed.setdefault((row["solver"], row["status"]), []).append(row)
    lines = []
    for (solver, status), rows in failed.items():
        runs = f"{len(rows)} run{'' if len(rows) == 1 else 's'}"
        why, instance = rows[0]["why"], rows[0]["instance"]
        lines.append(f"{solver}, {status} ({runs}): {why} ({instance})")
    return lines


def contradiction_block(found: Contradiction) -> list[str]:
    """Both sides, with both answers drawn; what to say, line by line."""
    lines = [f"DISAGREEMENT on {found.summary()}"]
    for claim in (found.first, found.second):
        who = f"--- {', '.join(claim.who)}:"
        if not claim.exists:
            proof = f" (proved by {claim.proved_by})" if claim.proved_by else ""
            lines.append(f"{who} no solution{proof}")
        elif claim.answer is None:
            lines.append(f"{who} a solution")
        else:
            drawn = answer_text(judge(found.instance.puzzle, claim.answer))
            lines += [f"{who} this answer, which the rules accept", drawn]
    return [*lines, "One of them is wrong: please report it, with the puzzle."]


def outputs(asked: Mapping[str, str | None], sources: Sequence[str]) -> dict[str, Path]:
    """The files to write, by option; InputError for those that cannot be, or are sources."""
    read = {Path(source).resolve() for source in sources}
    paths = {option: Path(name) for option, name in asked.items() if name is not None}
    for option, path in paths.items():
        if path.resolve() in read:
            raise InputError(f"{option} {path}: that is a source of the comparison")
        check_output(option, str(path))
    if len({path.resolve() for path in paths.values()}) < len(paths):
        raise InputError(f"{' and '.join(paths)} need different files")
    return paths


def write(comparison: Comparison, paths: Mapping[str, Path]) -> None:
    """The table and the plot, into those of the files that are asked for."""
    if "--csv" in paths:
        write_whole(paths["--csv"], to_csv(comparison).encode())
    if "--plot" in paths and comparison.rows:
        from qubopuzzle.cli import profile

        path = paths["--plot"]
        write_whole(path, profile.draw(comparison, image_format(path)))


def to_csv(comparison: Comparison) -> str:
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
