"""``qubopuzzle sheet``."""

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from qubopuzzle.cli.parser import Parser
from qubopuzzle.cli.terminal import SOLVED, load, name_of
from qubopuzzle.errors import InputError

if TYPE_CHECKING:
    from qubopuzzle.problem import Problem
    from qubopuzzle.puzzles.base import Puzzle

_PAPERS = ("a4", "letter")


def add_arguments(parser: Parser) -> None:
    """What is on it, and how it is laid out."""
    parser.sources("+")
    add = parser.option
    add("-o --output FILE", "where to write it, a name that ends in .pdf", required=True)
    add("--title TEXT", "what stands above the puzzles")
    add("--across N", "puzzles beside each other (default: as many as one can write into)")
    add("--paper P", "a4 or letter (default a4)", choices=_PAPERS, default="a4", type=str)
    add("--no-solutions", "leave out the last pages, which have them")
    add(
        "--time-limit SECONDS",
        "to solve a puzzle that has no solution with it (default 10)",
        default=10.0,
    )


def run(args: Namespace) -> int:
    """Write puzzles on pages to print, and their solutions on the last ones."""
    from qubopuzzle.base.writing import check_place, write_whole
    from qubopuzzle.solving.sheets import sheet_of

    path = Path(args.output)
    check_place(path)
    if path.suffix.lower() != ".pdf":
        raise InputError(f"{path}: a sheet's name ends in .pdf; `show --plot FILE` draws others")
    if args.across is not None and args.across < 1:
        raise InputError(f"--across: expected 1 or more, got {args.across}")
    puzzles = [_puzzle(problem, number) for number, problem in enumerate(load(args), start=1)]
    made = sheet_of(
        puzzles,
        title=args.title or "",
        across=args.across or 0,
        paper=args.paper,
        with_solutions=not args.no_solutions,
        time_limit=args.time_limit,
    )
    write_whole(path, made)
    return SOLVED


def _puzzle(problem: "Problem", number: int) -> "Puzzle":
    """A problem that has a board; InputError for a model."""
    from qubopuzzle.puzzles.base import Puzzle

    if not isinstance(problem, Puzzle):
        raise InputError(f"{name_of(problem, number)}: a model has no board to print")
    return problem
