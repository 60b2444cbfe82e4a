"""``qubopuzzle convert``."""

from argparse import Namespace

from qubopuzzle.cli.parser import Parser
from qubopuzzle.cli.terminal import SOLVED, check_output, load, paths, write_puzzles


def add_arguments(parser: Parser) -> None:
    """What to convert, and to what."""
    parser.sources("+")
    parser.option("--to F", "see `qubopuzzle formats`", required=True)
    parser.output()


def run(args: Namespace) -> int:
    """Read all puzzles, then write them."""
    check_output("--output", args.output)
    puzzles = load(args)
    files = paths("--output", args.output, puzzles, together=True)
    write_puzzles(puzzles, args.to, files)
    return SOLVED
