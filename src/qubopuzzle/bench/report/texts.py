"""A comparison as Markdown and as LaTeX."""

from collections.abc import Sequence

from qubopuzzle.bench.report.content import heading, solve_command, warnings
from qubopuzzle.bench.results import ComparisonData
from qubopuzzle.bench.tables import Table, report_tables
from qubopuzzle.errors import printable

_WRAPPED = 60
"""Characters of a cell from which on its column has lines."""


def markdown_report(comparison: ComparisonData) -> str:
    """The same tables and commands for a page of Markdown."""
    lines = ["# Comparison of solvers", "", heading(comparison), ""]
    lines += [line for text in warnings(comparison) for line in (f"**{_plain(text)}**", "")]
    for table in report_tables(comparison):
        lines += [f"## {table.title}", ""]
        lines += [table.text, ""] if table.text else []
        lines += [_line(table.columns), _line(["---"] * len(table.columns))]
        lines += [*map(_line, table.rows), ""]
    lines += ["## Commands", "", "`N` is the seed of the run to repeat.", ""]
    for instance in comparison.instances:
        lines += [f"### {_plain(instance.label)}", "", "```sh"]
        lines += [solve_command(instance, each, "N") for each in comparison.configurations]
        lines += ["```", ""]
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_plain, cells))} |"


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


def latex_report(comparison: ComparisonData) -> str:
    """The same tables as a document of LaTeX, each a ``longtable``; without commands."""
    lines = [_PREAMBLE + r"\section*{Comparison of solvers}", _latex(heading(comparison)), ""]
    for text in warnings(comparison):
        lines += [rf"\textbf{{{_latex(text)}}}", ""]
    for table in report_tables(comparison):
        lines += [rf"\subsection*{{{_latex(table.title)}}}", _latex(table.text)]
        lines += [rf"\begin{{longtable}}{{{_alignment(table)}}}", r"\toprule"]
        lines += [_latex_row(table.columns), r"\midrule\endhead", *map(_latex_row, table.rows)]
        lines += [r"\bottomrule", r"\end{longtable}", ""]
    return "\n".join([*lines, r"\end{document}", ""])


def _alignment(table: Table) -> str:
    """How the columns are set, a word of LaTeX each."""
    numbers, columns = table.numbers, []
    for i, cells in enumerate(zip(*table.rows, strict=True)):
        wrapped = max(map(len, cells)) > _WRAPPED
        columns.append("p{80mm}" if wrapped else "r" if i in numbers else "l")
    return "".join(columns)


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(map(_latex, cells)) + r" \\"


def _latex(text: str) -> str:
    """A text on one line, without what LaTeX would read as a command, or cannot set."""
    return "".join(c if c.isprintable() else "?" for c in " ".join(text.split())).translate(_LATEX)
