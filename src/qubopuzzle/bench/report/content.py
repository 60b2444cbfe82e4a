"""What all reports of a comparison say: warnings, tables, the commands of runs."""

import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from qubopuzzle.bench.analysis import pairs, shared_cores
from qubopuzzle.bench.comparison import Comparison, Row
from qubopuzzle.bench.configurations import Configuration, kind_of
from qubopuzzle.bench.machine import words
from qubopuzzle.bench.merge import machines
from qubopuzzle.bench.plan import Instance
from qubopuzzle.bench.statistics import Interval
from qubopuzzle.bench.tables import (
    WITH_OBJECTIVE,
    objective_table,
    quality_columns,
    statuses,
)
from qubopuzzle.errors import printable

_INLINE = 4_000
"""Characters of a problem that a command quotes; a larger one is a file."""


@dataclass(frozen=True)
class Section:
    """A heading, a few words and a table of texts and numbers."""

    title: str
    text: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]


def heading(comparison: Comparison) -> str:
    """What was compared, in a line."""
    rows = comparison.rows
    days = sorted({row["started"][:10] for row in rows if "started" in row})
    when = "" if not days else days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    counts = {
        "configuration": len(comparison.configurations),
        "instance": len(comparison.instances),
        "run": len(rows),
    }
    told = [f"{n:,} {what}{'' if n == 1 else 's'}" for what, n in counts.items()]
    return ", ".join([*told, *filter(None, [when])])


def warnings(comparison: Comparison) -> list[str]:
    """What a reader must know before any figure."""
    found = [f"Solvers contradict each other: {c.summary()}" for c in comparison.contradictions]
    planned = sum(comparison.planned.values())
    if not comparison.complete:
        found.append(f"Not complete: {len(comparison.rows)} of {planned} runs are here.")
    found += [f"Lost twice with what ran it: {line}." for line in comparison.lost]
    found += [f"Left out: {name} ({why})." for name, why in comparison.left_out.items()]
    crowded = shared_cores(comparison.rows)
    if crowded:
        found.append(
            f"{crowded} of {len(comparison.rows)} runs shared a core with another run for a "
            "while: their times are too long."
        )
    if len(machines(comparison.rows)) > 1:
        found.append("Runs come from several kinds of machines, which are told apart as @1, @2.")
    return found


def sections(comparison: Comparison) -> Iterator[Section]:
    """The tables, those that have a row."""
    every = (
        _totals(comparison),
        _objectives(comparison),
        _pairs(comparison),
        _by_instance(comparison),
        _configurations(comparison),
        _failures(comparison),
        _machines(comparison),
    )
    return (section for section in every if section.rows)


def _interval(interval: Interval) -> str:
    low, high = interval
    return "-" if low == -inf or high > 1e300 else f"{low:.3g} to {high:.3g}"


def _totals(comparison: Comparison) -> Section:
    more, quality = quality_columns(comparison)
    rows = [
        [
            t.configuration,
            kind_of(t.exact),
            t.presolve,
            t.runs,
            t.solved,
            f"{t.success:.1%}",
            "{:.1%} to {:.1%}".format(*t.success_interval),
            "-" if t.par2_s is None else f"{t.par2_s:.3f}",
            f"{t.spent_s:.3f}",
            *own,
        ]
        for t, own in zip(comparison.totals(), quality, strict=True)
    ]
    columns = ["configuration", "kind", "presolve", "runs", "solved", "success"]
    columns += ["95% (Wilson)", "mean PAR-2 s", "total s", *more]
    text = (
        "A run is solved if the rules accept its answer, or it is proved that there is none, "
        "within the time limit. A run that failed counts twice the limit in PAR-2."
    )
    if comparison.targets:
        text += f" {WITH_OBJECTIVE}"
    return Section("Configurations over all runs", text, columns, rows)


def _objectives(comparison: Comparison) -> Section:
    text = (
        "Best and mean of the runs with a valid answer; the gap is that of the mean to the best "
        "known objective, over its absolute value; the bound is the closest that any run proved. "
        "Then how many runs came as close to the best known, and the median seconds until they did."
    )
    return Section("Objectives", text, *objective_table(comparison))


def _pairs(comparison: Comparison) -> Section:
    rows = [
        [
            p.first,
            p.second,
            p.instances,
            f"{p.ratio:.3g}",
            _interval(p.ratio_interval),
            f"{p.faster:.0%}",
            "-" if p.instances < 2 else "{:.0%} to {:.0%}".format(*p.faster_interval),
        ]
        for p in pairs(comparison)
    ]
    columns = ["first", "second", "instances", "seconds, first / second", "95%"]
    text = (
        "Paired over instances: the geometric mean of the ratio of their mean PAR-2 seconds "
        "(below 1 the first is faster), and on how many the first is faster, ties half; with "
        "bootstrap intervals over instances. Where both fail on an instance, it counts as equal."
    )
    return Section("Pairs", text, [*columns, "first faster on", "95% of that"], rows)


def _by_instance(comparison: Comparison) -> Section:
    rows = []
    for s in comparison.summaries():
        over = f"> {s.time_limit:g}"
        sizes = ", ".join(f"{n:,} {what}" for what, n in s.sizes.items())
        rows.append(
            [
                s.instance,
                s.cells,
                s.configuration,
                f"{s.solved}/{s.runs}",
                statuses(s.statuses, over),
                sizes or "-",
                "-" if s.build_s is None else f"{s.build_s:.4f}",
                over if s.solve_s == inf else f"{s.solve_s:.4f}",
                str(s.tts99 or "-"),
                str(s.tts50 or "-"),
            ]
        )
    columns = ["instance", "cells", "configuration", "solved", "status", "size", "build s"]
    text = (
        "Medians over seeds. Build is model, presolve and compile; solve is the solver and the "
        "check. TTS is the time after which a solution is 99 or 50 percent sure, with its 95 "
        "percent bootstrap interval."
    )
    columns += ["solve s", "TTS(99%) s", "TTS(50%) s"]
    return Section("By instance", text, columns, rows)


def _configurations(comparison: Comparison) -> Section:
    rows = []
    for c in comparison.configurations:
        settings = {**{f"weight {k}": v for k, v in c.weights.items()}, **c.options}
        told = ", ".join(f"{k}={v}" for k, v in settings.items() if v is not None)
        own = [row for row in comparison.rows if row["configuration"] == c.name]
        used = dict.fromkeys(str(row.get("formulation", "-")) for row in own)
        bounds = f"{c.time_limit:g} s" + ("" if c.reads is None else f", {c.reads} reads")
        rows.append(
            [c.name, c.solver, ", ".join(used), c.encoding or "-", c.presolve, told, bounds]
        )
    columns = ["configuration", "solver", "formulations", "encoding", "presolve", "options"]
    text = "Settings of each, defaults included, and the bounds of a run."
    return Section("Settings", text, [*columns, "bounds"], rows)


def _failures(comparison: Comparison) -> Section:
    found: dict[tuple[str, str], list[Row]] = {}
    for row in comparison.rows:
        if not row["solved"]:
            found.setdefault((row["configuration"], row["status"]), []).append(row)
    rows = []
    for (name, status), failed in found.items():
        where = ", ".join(dict.fromkeys(row["instance"] for row in failed))
        why = next((row["why"] for row in failed if row["why"]), "")
        rows.append([name, status, len(failed), where, why])
    columns = ["configuration", "status", "runs", "instances", "first reason"]
    return Section("Runs that were not solved", "All of them, by name.", columns, rows)


def _machines(comparison: Comparison) -> Section:
    versions: dict[str, dict[str, set[str]]] = {}
    about: dict[str, list[Row]] = {}
    for row in comparison.rows:
        kind = words(row.get("machine", {}))
        about.setdefault(kind, []).append(row)
        for name, value in row.get("versions", {}).items():
            versions.setdefault(kind, {}).setdefault(name, set()).add(value)
    rows = []
    for number, (kind, own) in enumerate(about.items(), start=1):
        hosts = {row.get("machine", {}).get("host", "?") for row in own}
        told = ", ".join(
            f"{n} {' and '.join(sorted(v))}" for n, v in versions.get(kind, {}).items()
        )
        rows.append([number, kind, len(hosts), len(own), shared_cores(own), told])
    columns = ["machine", "kind", "hosts", "runs", "runs that shared a core", "versions"]
    return Section("Machines and versions", "", columns, rows)


def problem_argument(instance: Instance) -> str:
    """What stands for an instance on a command line: its JSON, or a file if that is long."""
    text = json.dumps(instance.puzzle.to_dict(), separators=(",", ":"))
    return text if len(text) <= _INLINE else file_name(instance)


def file_name(instance: Instance) -> str:
    """Of the file that an instance is saved to."""
    return f"{instance.label.replace('/', '-')}.json"


def solve_command(instance: Instance, configuration: Configuration, seed: int | str) -> str:
    """The command that repeats a run.

    >>> from qubopuzzle import Nonogram
    >>> from qubopuzzle.bench.configurations import make_configuration
    >>> neal = make_configuration({"solver": "neal", "options": {"sweeps": 5}}, 2)
    >>> dot = Instance("a", Nonogram(rows=[[1]], cols=[[1]]))
    >>> solve_command(dot, neal, 3).partition("--")[2]
    'solver neal --option sweeps=5 --seed 3 --time-limit 2'
    """
    found = ["qubopuzzle", "solve", problem_argument(instance), "--solver", configuration.solver]
    for name, value in configuration.changed().items():
        if isinstance(value, dict):
            flag = {"weights": "--weight", "options": "--option"}[name]
            for key, own in value.items():
                found += [flag, f"{key}={own}"]
        else:
            found += [f"--{name}", str(value)]
    limit = f"{configuration.time_limit:g}"
    return f"{printable(shlex.join(found))} --seed {seed} --time-limit {limit}"
