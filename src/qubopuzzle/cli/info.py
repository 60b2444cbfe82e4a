"""``qubopuzzle info``."""

import json
from argparse import Namespace
from typing import TYPE_CHECKING

from qubopuzzle.cli.parser import Parser
from qubopuzzle.cli.terminal import SOLVED, load, print_table, say

if TYPE_CHECKING:
    from qubopuzzle.solving.info import QuadraticSize, QuboSize


def add_arguments(parser: Parser) -> None:
    """Which puzzles, formulations and encodings."""
    parser.sources()
    parser.option("--formulation F", "only this one")
    parser.option("--encoding E", "only this one")
    parser.shared("--json")


def run(args: Namespace) -> int:
    """Print the sizes of each puzzle's QUBOs."""
    from qubopuzzle.programs import Program
    from qubopuzzle.programs.summary import summary
    from qubopuzzle.solving.info import info

    for puzzle in load(args):
        program_summary = summary(puzzle) if isinstance(puzzle, Program) else None
        sizes = info(puzzle, args.formulation, args.encoding)
        if args.json:
            rows = [size.to_dict() for size in sizes]
            structure = {} if program_summary is None else {"structure": program_summary.to_dict()}
            named = {"id": puzzle.id, "puzzle": puzzle.name}
            say(json.dumps({**named, **structure, "qubos": rows}))
            continue
        say(f"{puzzle.id or puzzle.name}: {puzzle.name}, {puzzle.extent}")
        say(*(program_summary.lines() if program_summary else ()))
        _print_sizes(sizes)
    return SOLVED


def _print_sizes(sizes: "list[QuboSize]") -> None:
    """One row a formulation and encoding, one below it a family; then why some have no QUBO."""
    from qubopuzzle.solving.info import FREE_PLAN_VARIABLES

    columns = ["formulation", "encoding", "family", "variables", "couplings", "density"]
    columns += ["|coef.|", f"<= {FREE_PLAN_VARIABLES:,}"]
    rows, refused = [], dict[tuple[str, str], None]()
    for size in sizes:
        if size.total is None or size.families is None:
            rows.append([size.formulation, size.encoding, "refused"])
            refused[size.formulation, size.refused] = None
            continue
        head = [size.formulation, size.encoding, "all", f"{size.variables:,}"]
        fits = "yes" if size.fits_free_plan else "no"
        rows.append([*head, *_cells(size.total, f"{size.density:.2%}"), fits])
        for family, form in size.families.items():
            rows.append(["", "", family, "", *_cells(form, "")])
    print_table(columns, rows, right=range(3, len(columns)))
    for formulation, why in refused:
        say(f"{formulation}: {why}")
    say("`qubopuzzle embed` says what fits on a quantum annealer.")


def _cells(form: "QuadraticSize", density: str) -> list[str]:
    low, high = form.least_coefficient, form.greatest_coefficient
    return [f"{form.couplings:,}", density, f"{low:g} to {high:g}" if high else "none"]
