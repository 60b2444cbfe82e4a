"""Reports of a comparison to hand in: HTML, Markdown, LaTeX, CSV."""

from collections.abc import Callable
from pathlib import Path

from qubopuzzle.bench.report.page import html_report
from qubopuzzle.bench.report.sheets import csv_text
from qubopuzzle.bench.report.texts import latex_report, markdown_report
from qubopuzzle.bench.results import ComparisonData
from qubopuzzle.errors import InputError

_WRITERS: dict[str, Callable[[ComparisonData], str]] = {
    ".html": html_report,
    ".md": markdown_report,
    ".tex": latex_report,
    ".csv": csv_text,
}


def writer(path: Path) -> Callable[[ComparisonData], str]:
    """What writes a report of the kind that a file's name asks for.

    Raises:
        InputError: for a name that asks for none.
    """
    for ending, write in _WRITERS.items():
        if path.name.lower().endswith(ending):
            return write
    raise InputError(f"{path}: a report's name ends in one of {', '.join(_WRITERS)}")
