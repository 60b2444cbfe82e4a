"""Tables for the terminal."""

from __future__ import annotations

import io
import sys
from collections.abc import Container, Iterable
from typing import Literal

from rich.console import Console
from rich.table import Table


def print_table(columns: list[str], rows: Iterable[list[str]], right: Container[int] = ()) -> None:
    """Print a table; the columns numbered in ``right`` are set to the right.

    On a terminal it is folded to the width; into a pipe, long lines stay whole.
    """
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for i, column in enumerate(columns):
        justify: Literal["left", "right"] = "right" if i in right else "left"
        table.add_column(column, justify=justify, no_wrap=i == 0, overflow="fold")
    for row in rows:
        table.add_row(*row)
    if sys.stdout.isatty():
        Console(highlight=False, markup=False).print(table)
        return
    # Into a pipe there is no width to fit: long lines are better than folded ones.
    text = io.StringIO()
    Console(file=text, width=1000, highlight=False, markup=False).print(table)
    print("\n".join(line.rstrip() for line in text.getvalue().rstrip().splitlines()))
