"""What the arguments of several commands share."""

from __future__ import annotations

import argparse
from typing import Any

EXIT_STATUS = """exit status:
  0  every instance solved and valid
  1  some not solved within the budget, or broken off
  2  wrong usage, bad input, or something that cannot run here
  3  proved to have no solution
  4  an error of this program"""

SOURCE = "a file in any format (told by content), - for standard input, or the text itself"


def add_command(
    commands: Any,
    name: str,
    text: str,
    *,
    many: str | None = None,
    exit_status: str = EXIT_STATUS,
    what: str = SOURCE,
) -> argparse.ArgumentParser:
    """A command that reads puzzles: one, or ``many`` as argparse's nargs says."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        allow_abbrev=False,  # --token must not be taken for --token-file
        help=text,
        description=text,
        epilog=exit_status,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if many:
        parser.add_argument("sources", nargs=many, metavar="SOURCE", help=what)
    else:
        parser.add_argument("source", metavar="PUZZLE", help=what)
    parser.add_argument("--puzzle", metavar="P", help="read only this kind, such as nonogram")
    parser.add_argument("--format", metavar="F", help="of the input, see `qubopuzzle formats`")
    parser.set_defaults(command=name)
    return parser


def plot_option(parser: argparse.ArgumentParser) -> None:
    """``--plot``."""
    parser.add_argument(
        "--plot", metavar="FILE", help="draw to .svg, .png, .pdf; {id} in the name for several"
    )


def assignment(text: str) -> tuple[str, str]:
    """Read NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, got {text!r}")
    return name, value
