"""A comparison as Markdown, as LaTeX, and as the table that QOBLIB asks for."""

import csv
import io
from collections.abc import Sequence
from typing import Any

from qubopuzzle.bench.analysis import seconds_words
from qubopuzzle.bench.comparison import Comparison, Row, Summary
from qubopuzzle.bench.machine import words
from qubopuzzle.bench.report.content import heading, sections, solve_command, warnings
from qubopuzzle.bench.tables import spreadsheet_cell
from qubopuzzle.errors import printable

_WRAPPED = 60
"""Characters of a cell from which on its column has lines."""
_QOBLIB = [
    "Problem",
    "Submitter",
    "Date",
    "Reference",
    "Best Objective Value",
    "Optimality Bound",
    "Modeling Approach",
    "# Decision Variables",
    "# Binary Variables",
    "# Integer Variables",
    "# Continuous Variables",
    "# Non-Zero Coefficients",
    "Coefficients Type",
    "Coefficients Range",
    "Workflow",
    "Algorithm Type",
    "# Runs",
    "# Feasible Runs",
    "# Successful Runs",
    "Success Threshold",
    "Hardware Specifications",
    "Total Runtime",
    "CPU Runtime",
    "GPU Runtime",
    "QPU Runtime",
    "Other HW Runtime",
    "Remarks",
]
"""Columns of submissions to QOBLIB (ZIB-AOPT/QOBLIB), in their order."""


def markdown_report(comparison: Comparison) -> str:
    """The same tables and commands for a page of Markdown."""
    lines = ["# Comparison of solvers", "", heading(comparison), ""]
    lines += [line for text in warnings(comparison) for line in (f"**{_plain(text)}**", "")]
    for section in sections(comparison):
        lines += [f"## {section.title}", ""]
        lines += [section.text, ""] if section.text else []
        lines += [_line(section.columns), _line(["---"] * len(section.columns))]
        lines += [*map(_line, section.rows), ""]
    lines += ["## Commands", "", "`N` is the seed of the run to repeat.", ""]
    for instance in comparison.instances:
        lines += [f"### {_plain(instance.label)}", "", "```sh"]
        lines += [solve_command(instance, each, "N") for each in comparison.configurations]
        lines += ["```", ""]
    return "\n".join(lines)


def _line(cells: Sequence[Any]) -> str:
    return f"| {' | '.join(_plain(str(cell)) for cell in cells)} |"


def _plain(text: str) -> str:
    return printable(" ".join(text.split())).replace("|", "\\|").replace("<", "&lt;")


_LATEX = str.maketrans(
    {
        **{character: f"\\{character}" for character in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "∞": r"$\infty$",
    }
)
_PREAMBLE = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage[a3paper,landscape,margin=15mm]{geometry}
\usepackage{booktabs,longtable}
\begin{document}
\small\setlength{\tabcolsep}{4pt}
"""


def latex_report(comparison: Comparison) -> str:
    """The same tables as a document of LaTeX, each a ``longtable``; without commands."""
    lines = [_PREAMBLE + r"\section*{Comparison of solvers}", _latex(heading(comparison)), ""]
    for text in warnings(comparison):
        lines += [rf"\textbf{{{_latex(text)}}}", ""]
    for section in sections(comparison):
        form = "".join(map(_alignment, zip(*section.rows, strict=True)))
        lines += [rf"\subsection*{{{_latex(section.title)}}}", _latex(section.text)]
        lines += [rf"\begin{{longtable}}{{{form}}}", r"\toprule", _latex_row(section.columns)]
        lines += [r"\midrule\endhead", *map(_latex_row, section.rows)]
        lines += [r"\bottomrule", r"\end{longtable}", ""]
    return "\n".join([*lines, r"\end{document}", ""])


def _alignment(cells: Sequence[Any]) -> str:
    texts = [str(cell) for cell in cells]
    if max(map(len, texts)) > _WRAPPED:
        return "p{80mm}"
    return "r" if all(text == "-" or text[:1].isdigit() for text in texts) else "l"


def _latex_row(cells: Sequence[Any]) -> str:
    return " & ".join(_latex(str(cell)) for cell in cells) + r" \\"


def _latex(text: str) -> str:
    """A text on one line, without what LaTeX would read as a command, or cannot set."""
    return "".join(c if c.isprintable() else "?" for c in " ".join(text.split())).translate(_LATEX)


def qoblib_csv(comparison: Comparison) -> str:
    """A line for each instance and configuration with the columns of QOBLIB's submissions.

    Submitter and reference are left to whoever submits; what is not known is ``N/A``.
    """
    text = io.StringIO()
    table = csv.DictWriter(text, _QOBLIB, restval="N/A", lineterminator="\n")
    table.writeheader()
    by_run: dict[tuple[str, str], list[Row]] = {}
    for row in comparison.rows:
        by_run.setdefault((row["digest"], row["configuration"]), []).append(row)
    maximized = {each.digest: each.puzzle.maximize for each in comparison.instances}
    for s in comparison.summaries():
        told = _submission(s, by_run[s.digest, s.configuration], maximized[s.digest])
        table.writerow({name: spreadsheet_cell(value) for name, value in told.items()})
    return text.getvalue()


def _submission(s: Summary, rows: Sequence[Row], maximize: bool) -> dict[str, Any]:
    best_of, bound_of = (max, min) if maximize else (min, max)
    values = [row["objective"] for row in rows if row.get("objective") is not None]
    bounds = [row["bound"] for row in rows if row.get("bound") is not None]
    best = best_of(values) if values else 0 if s.solved else "N/A"
    reached = [row for row in rows if row["solved"] and row.get("objective") in (best, None)]
    spent = seconds_words(sum(row["seconds"] or 0.0 for row in rows))
    return {
        "Problem": s.instance,
        "Submitter": "",
        "Date": min((row["started"][:10] for row in rows if "started" in row), default=""),
        "Reference": "",
        "Best Objective Value": best,
        "Optimality Bound": bound_of(bounds) if bounds else "N/A",
        "Modeling Approach": rows[0].get("formulation", "N/A"),
        "# Decision Variables": s.sizes.get("variables", "N/A"),
        "Workflow": f"qubopuzzle {rows[0].get('qubopuzzle', '')}, {s.configuration}",
        "Algorithm Type": "Deterministic" if s.exact else "Stochastic",
        "# Runs": s.runs,
        "# Feasible Runs": s.solved,
        "# Successful Runs": len(reached),
        "Hardware Specifications": words(rows[0].get("machine", {})),
        "Total Runtime": spent,
        "CPU Runtime": spent,
        "Remarks": f"seconds of all runs, limit {s.time_limit:g} s a run",
    }
