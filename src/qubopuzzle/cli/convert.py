"""``qubopuzzle convert``."""

from argparse import Namespace

from qubopuzzle.cli.parser import Parser
from qubopuzzle.cli.terminal import SOLVED, check_output, load, write_puzzles


def add_arguments(parser: Parser) -> None:
    """What to convert, and to what."""
    parser.sources("+")
    parser.option("--to F", "see `qubopuzzle formats`", required=True)
    parser.output()


def run(args: Namespace) -> int:
    """Read all puzzles, then write them."""
    check_output("--output", args.output)
    write_puzzles(load(args), args.to, args.output)
    return SOLVED
