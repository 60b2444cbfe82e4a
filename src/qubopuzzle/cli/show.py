"""``qubopuzzle show``."""

from argparse import Namespace

from qubopuzzle.cli.parser import Parser
from qubopuzzle.cli.terminal import SOLVED, heading, load, name_of, paths, plot, say, text
from qubopuzzle.errors import InputError


def add_arguments(parser: Parser) -> None:
    """What to draw, and where."""
    parser.sources()
    parser.option("--solution", "with the solution in the file")
    parser.shared("--plot FILE")


def run(args: Namespace) -> int:
    """Draw each puzzle."""
    puzzles = load(args)
    plots = paths("--plot", args.plot, puzzles)
    for number, (puzzle, path) in enumerate(zip(puzzles, plots, strict=True), start=1):
        if args.solution and puzzle.solution is None:
            name = name_of(puzzle, number)
            raise InputError(f"{args.sources[0]}: {name} comes without a solution")
        picture = puzzle.picture(puzzle.solution if args.solution else None)
        say(*filter(None, [heading(puzzle), text(picture)]))
        plot(path, picture)
    return SOLVED
