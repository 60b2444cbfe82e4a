"""``qubopuzzle sheet``."""

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from qubopuzzle.cli.parser import Parser
from qubopuzzle.cli.terminal import SOLVED, load, name_of
from qubopuzzle.errors import DeadlineExceeded, InputError, Unsatisfiable

if TYPE_CHECKING:
    from qubopuzzle.model import IntArray
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
    from qubopuzzle.files.puzzles import player_address
    from qubopuzzle.picture.sheet import Part, sheet

    path = Path(args.output)
    check_place(path)
    if path.suffix.lower() != ".pdf":
        raise InputError(f"{path}: a sheet's name ends in .pdf; `show --plot FILE` draws others")
    if args.across is not None and args.across < 1:
        raise InputError(f"--across: expected 1 or more, got {args.across}")
    puzzles = [_puzzle(problem, number) for number, problem in enumerate(load(args), start=1)]
    names = [f"{number}  {_title(puzzle)}" for number, puzzle in enumerate(puzzles, start=1)]
    boards = [(name, puzzle.picture()) for name, puzzle in zip(names, puzzles, strict=True)]
    links, across = [player_address(puzzle) for puzzle in puzzles], args.across or 0
    parts = [Part(args.title or "", boards, links, across)]
    if not args.no_solutions:
        solved = [
            (str(number), puzzle.picture(_solution(puzzle, number, args.time_limit)))
            for number, puzzle in enumerate(puzzles, start=1)
        ]
        parts.append(Part("Solutions", solved, is_read=True))
    write_whole(path, sheet(parts, args.paper))
    return SOLVED


def _puzzle(problem: "Problem", number: int) -> "Puzzle":
    """A problem that has a board; InputError for a model."""
    from qubopuzzle.puzzles.base import Puzzle

    if not isinstance(problem, Puzzle):
        raise InputError(f"{name_of(problem, number)}: a model has no board to print")
    return problem


def _title(puzzle: "Puzzle") -> str:
    """Kind, size and id, which may say as much."""
    size = "{}x{}".format(*puzzle.shape)
    parts = [part for part in (puzzle.name, size) if part not in puzzle.id]
    return " ".join(filter(None, [*parts, puzzle.id]))


def _solution(puzzle: "Puzzle", number: int, seconds: float) -> "IntArray":
    """The one that comes with it, or what the solver ``sat`` finds."""
    from qubopuzzle.solving.solve import solve

    if puzzle.solution is not None:
        return puzzle.solution
    result = solve(puzzle, "sat", time_limit=seconds)
    if result.valid and result.grid is not None:
        return result.grid
    name, rest = name_of(puzzle, number), "--no-solutions leaves them out"
    if result.status == "infeasible":
        raise Unsatisfiable(f"{name} has no solution; {rest}")
    raise DeadlineExceeded(f"{name} was not solved in {seconds:g} s; {rest}")
