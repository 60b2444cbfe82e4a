"""``qubopuzzle examples``."""

from argparse import Namespace
from pathlib import Path

from qubopuzzle.cli.parser import Parser
from qubopuzzle.cli.terminal import SOLVED, print_table, say
from qubopuzzle.errors import InputError


def add_arguments(parser: Parser) -> None:
    """Which ones, and where to."""
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="files, or folders such as notebooks; without, all",
    )
    parser.option("-o --output FOLDER", "copy them there; without, they are listed")
    parser.option("--force", "replace files that are there already")


def run(args: Namespace) -> int:
    """List examples, or copy them."""
    from qubopuzzle.files.examples import chosen, copy

    selected = chosen(args.names)
    if args.output is None:
        if args.force:
            raise InputError("--force goes with --output FOLDER")
        print_table(["example", "what it is"], [[each.name, each.about] for each in selected])
        say("", "`qubopuzzle examples NAME... -o FOLDER` copies them.")
        return SOLVED
    for path in copy(selected, Path(args.output), force=args.force):
        say(str(path))
    return SOLVED
