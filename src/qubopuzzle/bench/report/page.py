"""A comparison as one HTML file that needs nothing else."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from qubopuzzle.bench import profile
from qubopuzzle.bench.comparison import Comparison, Row
from qubopuzzle.bench.configurations import Configuration
from qubopuzzle.bench.plan import Instance
from qubopuzzle.bench.report.content import (
    Section,
    file_name,
    heading,
    sections,
    solve_command,
    warnings,
)
from qubopuzzle.picture.html import escape, inline

_NUMBER = re.compile(r"-|∞|(> )?-?[\d,.]+(e[+-]?\d+)?(/\d+|%| s)?( \(.*\)| to [\d.%]+)?")
"""What stands on the right of its column."""
_PICTURES = 4_000_000
"""Bytes of pictures of instances at most."""


def html_report(comparison: Comparison) -> str:
    """One file that needs nothing else: tables that sort, plots, boards, commands."""
    parts = [f'<p class="warning">{escape(line)}</p>' for line in warnings(comparison)]
    first, *rest = map(_section, sections(comparison))
    figures = [f"<figure>{inline(svg)}</figure>" for svg in profile.svgs(comparison)]
    parts += [first, *figures, *rest]
    parts.append("<h2>Instances and the commands of their runs</h2>")
    parts.append(
        "<p>A command repeats a run, with the same seed and the same limits; where it names a "
        "file, the link beside it saves that.</p>"
    )
    parts += _instances(comparison)
    policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"
    title = f"qubopuzzle: {heading(comparison)}"
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title><style>{_resource("report.css")}</style></head>
<body><h1>Comparison of solvers</h1><p>{escape(heading(comparison))}</p>
{"".join(parts)}
<script>{_resource("report.js")}</script></body></html>
"""


def _section(section: Section) -> str:
    text = f"<p>{escape(section.text)}</p>" if section.text else ""
    return f"<h2>{escape(section.title)}</h2>{text}{_table(section.columns, section.rows)}"


def _table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    lines = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f'<div class="scroll"><table><tr>{head}</tr>{lines}</table></div>'


class _Html(str):
    """A cell that is HTML already."""

    __slots__ = ()


def _cell(value: Any) -> str:
    if isinstance(value, _Html):
        return f"<td>{value}</td>"
    text = f"{value:,}" if isinstance(value, int) else str(value)
    is_number = _NUMBER.fullmatch(text) is not None
    kind = ' class="number"' if is_number else ' class="wrap"' if len(text) > 60 else ""
    return f"<td{kind}>{escape(text)}</td>"


def _instances(comparison: Comparison) -> Iterator[str]:
    by_digest: dict[str, list[Row]] = {}
    for row in comparison.rows:
        by_digest.setdefault(row["digest"], []).append(row)
    room = _PICTURES
    configurations = {each.name: each for each in comparison.configurations}
    for instance in comparison.instances:
        picture = "" if room <= 0 else _picture(instance)
        room -= len(picture)
        rows = by_digest.get(instance.digest, [])
        yield _instance(instance, rows, configurations, picture)
    if room <= 0:
        yield "<p>Further boards are not drawn: the file would be too large.</p>"


def _picture(instance: Instance) -> str:
    drawn = instance.puzzle.picture()
    return "" if drawn is None else f'<figure class="board">{inline(drawn.image("svg"))}</figure>'


def _instance(
    instance: Instance,
    rows: Sequence[Row],
    configurations: dict[str, Configuration],
    picture: str,
) -> str:
    problem = json.dumps(instance.puzzle.to_dict(), separators=(",", ":"))
    name = file_name(instance)
    link = f'<a download="{escape(name)}" href="data:application/json,{quote(problem)}">'
    about = [instance.puzzle.name, instance.puzzle.extent, f"hash {instance.digest}"]
    about += [f"from {instance.source}"] if instance.source else []
    names = list(dict.fromkeys(row["configuration"] for row in rows))
    commands = "".join(
        f'<p>{escape(own)}: <code data-run="{i}">'
        f"{escape(solve_command(instance, configurations[own], 'N'))}</code></p>"
        for i, own in enumerate(names)
    )
    runs = [
        [
            row["configuration"],
            row["seed"],
            row["status"],
            "-" if row["seconds"] is None else f"{row['seconds']:.4f}",
            "-" if row.get("objective") is None else row["objective"],
            f"{row['wall_s']:.4f}" if "wall_s" in row else "-",
            row.get("peak_mib") or "-",
            row.get("started", "-"),
            row["key"],
            _Html(
                f'<button data-run="{names.index(row["configuration"])}" '
                f'data-seed="{int(row["seed"])}">command</button>'
            ),
        ]
        for row in rows
    ]
    columns = ["configuration", "seed", "status", "seconds", "objective", "wall s", "peak MiB"]
    return (
        f"<details><summary>{escape(instance.label)}</summary>"
        f"<p>{escape(', '.join(about))}; {link}{escape(name)}</a></p>{picture}"
        f"<output hidden></output>{_table([*columns, 'started', 'key', 'repeat'], runs)}"
        f"{commands}</details>"
    )


def _resource(name: str) -> str:
    return files("qubopuzzle.bench.report").joinpath(name).read_text("utf-8")
