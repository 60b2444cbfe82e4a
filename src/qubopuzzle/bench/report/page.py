"""A comparison as one HTML file that needs nothing else."""

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from urllib.parse import quote

from qubopuzzle.base.html import escape, inline
from qubopuzzle.bench import profile
from qubopuzzle.bench.configurations import Configuration
from qubopuzzle.bench.plan import Instance
from qubopuzzle.bench.report.content import file_name, heading, solve_command, warnings
from qubopuzzle.bench.results import ComparisonData
from qubopuzzle.bench.summary import Row
from qubopuzzle.bench.tables import Table, report_tables, run_table

_PICTURES = 4_000_000
"""Bytes of pictures of instances at most."""


def html_report(comparison: ComparisonData) -> str:
    """One file that needs nothing else: tables that sort, plots, boards, commands."""
    parts = [f'<p class="warning">{escape(line)}</p>' for line in warnings(comparison)]
    first, *rest = map(_section, report_tables(comparison))
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


def _section(table: Table) -> str:
    text = f"<p>{escape(table.text)}</p>" if table.text else ""
    return f"<h2>{escape(table.title)}</h2>{text}{_table(table)}"


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in table.columns)
    numbers = table.numbers
    lines = []
    for row in table.rows:
        cells = (_cell(text, i in numbers) for i, text in enumerate(row))
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return f'<div class="scroll"><table><tr>{head}</tr>{"".join(lines)}</table></div>'


def _cell(text: str, is_number: bool) -> str:
    kind = ' class="number"' if is_number else ' class="wrap"' if len(text) > 60 else ""
    return f"<td{kind}>{escape(text)}</td>"


def _instances(comparison: ComparisonData) -> Iterator[str]:
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
    configurations: Mapping[str, Configuration],
    picture: str,
) -> str:
    problem = json.dumps(instance.puzzle.to_dict(), separators=(",", ":"))
    name = file_name(instance)
    link = f'<a download="{escape(name)}" href="data:application/json,{quote(problem)}">'
    about = [instance.puzzle.name, instance.puzzle.extent, f"hash {instance.digest}"]
    about += [f"from {instance.source}"] if instance.source else []
    commands = "".join(
        f'<p>{escape(configuration)}: <code data-configuration="{escape(configuration)}">'
        f"{escape(solve_command(instance, configurations[configuration], 'N'))}</code></p>"
        for configuration in dict.fromkeys(row["configuration"] for row in rows)
    )
    return (
        f"<details><summary>{escape(instance.label)}</summary>"
        f"<p>{escape(', '.join(about))}; {link}{escape(name)}</a></p>{picture}"
        f"<output hidden></output>{_table(run_table(rows))}{commands}</details>"
    )


def _resource(name: str) -> str:
    return files("qubopuzzle.bench.report").joinpath(name).read_text("utf-8")
