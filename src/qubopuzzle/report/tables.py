"""Tables for the terminal."""

from __future__ import annotations

import io
import sys
from collections.abc import Container, Iterable

from rich.console import Console
from rich.table import Table

from qubopuzzle.errors import InputError
from qubopuzzle.solving.info import FREE_PLAN_VARIABLES, FormSize, QuboSize
from qubopuzzle.solving.solve import all_formats, all_solvers, get_puzzle, puzzle_names


def print_sizes(sizes: list[QuboSize]) -> None:
    """``qubopuzzle info``: one row a formulation and encoding, one below it a family."""
    columns = ["formulation", "encoding", "family", "variables", "couplings", "density"]
    rows, refused = [], dict[tuple[str, str], None]()
    for size in sizes:
        if size.total is None or size.families is None:
            rows.append([size.formulation, size.encoding, "refused"])
            refused[size.formulation, size.refused] = None
            continue
        head = [size.formulation, size.encoding, "all", f"{size.variables:,}"]
        fits = "yes" if size.fits_free_plan else "no"
        rows.append([*head, *_form(size.total, f"{size.density:.2%}"), fits])
        for family, form in size.families.items():
            rows.append(["", "", family, "", *_form(form, "")])
    columns += ["|coef.|", f"<= {FREE_PLAN_VARIABLES:,}"]
    print_table(columns, rows, right=range(3, len(columns)))
    for formulation, why in refused:
        print(f"{formulation}: {why}")


def print_solvers() -> None:
    """``qubopuzzle solvers``."""
    rows = []
    for name, solver in sorted(all_solvers().items()):
        here = solver.available()
        state = here.version or "yes" if here.ok else f"no: {here.why}"
        rows.append([name, "exact" if solver.exact else "heuristic", state, solver.about])
        for option in solver.options:
            default = "" if option.default is None else f" (default {option.default})"
            rows.append(["", "", "", f"--option {option.name}=...: {option.help}{default}"])
            for value, meaning in option.choices.items():
                rows.append(["", "", "", f"    {option.name}={value}: {meaning}"])
    rows.append(["dimod:module:Class", "heuristic", "", "any dimod sampler that is installed"])
    print_table(["solver", "kind", "available", "what it is"], rows)


def print_formats() -> None:
    """``qubopuzzle formats``."""
    rows = [
        [name, ", ".join(known.PUZZLES) or "every puzzle", known.ABOUT]
        for name, known in all_formats().items()
    ]
    print_table(["format", "puzzles", "what it is"], rows)


def print_puzzles() -> None:
    """``qubopuzzle puzzles``."""
    rows = []
    for name in puzzle_names():
        try:
            puzzle = get_puzzle(name)
        except InputError as error:  # of another package: the others are there all the same
            rows.append([name, "", str(error)])
            continue
        about = (puzzle.__doc__ or "").strip().splitlines()[0]
        default = puzzle.default_formulation
        others = [f for f in puzzle.formulations if f != default]
        rows.append([name, ", ".join([f"{default} (default)", *others]), about])
    print_table(["puzzle", "formulations", "what it is"], rows)


def _form(form: FormSize, density: str) -> list[str]:
    low, high = form.least_coefficient, form.greatest_coefficient
    return [f"{form.couplings:,}", density, f"{low:g} to {high:g}" if high else "none"]


def print_table(columns: list[str], rows: Iterable[list[str]], right: Container[int] = ()) -> None:
    """Print a table; the columns numbered in ``right`` are set to the right.

    On a terminal it is folded to the width; into a pipe, long lines stay whole.
    """
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for i, column in enumerate(columns):
        table.add_column(column, justify="right" if i in right else "left", no_wrap=i < 2)
    for row in rows:
        table.add_row(*row)
    if sys.stdout.isatty():
        Console(highlight=False, markup=False).print(table)
        return
    # Into a pipe there is no width to fit: long lines are better than folded ones.
    text = io.StringIO()
    Console(file=text, width=1000, highlight=False, markup=False).print(table)
    print("\n".join(line.rstrip() for line in text.getvalue().rstrip().splitlines()))
