"""The command line's arguments."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from qubopuzzle.arguments.generation import add_generate
from qubopuzzle.arguments.models import add_models
from qubopuzzle.arguments.shared import EXIT_STATUS, add_command, plot_option
from qubopuzzle.arguments.solving import add_compare, add_solve

__all__ = ["parse", "parser"]


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line; ``command`` is the name of the command."""
    top = argparse.ArgumentParser(
        prog="qubopuzzle",
        allow_abbrev=False,
        description="Logic puzzles as QUBO penalty models: annealed, decoded, judged by the rules.",
        epilog=EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action=_Version, nargs=0, help="print the version and stop")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)

    add_solve(commands)
    add_compare(commands)
    _other_commands(commands)
    return top


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Parse the arguments; the value of an option that does not exist is not quoted."""
    top = parser()
    args, unknown = top.parse_known_args(arguments)
    options = [word.partition("=")[0] for word in unknown if word.startswith("-")]
    if len(unknown) == 1 and not options and getattr(args, "file", "") is None:
        # argparse gives up on an optional FILE once an option has come after PUZZLE.
        args.file = unknown.pop()
    if unknown:
        top.error(f"unrecognized arguments: {' '.join(options or unknown)}")
    return args


def _other_commands(commands: Any) -> None:
    check = add_command(commands, "check", "judge a given answer")
    check.add_argument("solution", metavar="SOLUTION", help="a file with the answer, or -")
    check.add_argument("--json", action="store_true", help="one JSON object a line and instance")

    show = add_command(commands, "show", "draw a puzzle")
    show.add_argument("--solution", action="store_true", help="with the solution in the file")
    plot_option(show)

    info = add_command(commands, "info", "size of a puzzle's QUBO in every form")
    info.add_argument("--formulation", metavar="F", help="only this one")
    info.add_argument("--encoding", metavar="E", help="only this one")
    info.add_argument("--json", action="store_true", help="one JSON object a line and instance")

    add_models(commands)
    add_generate(commands)

    convert = add_command(commands, "convert", "write puzzles in another format", many="+")
    convert.add_argument("--to", required=True, metavar="F", help="see `qubopuzzle formats`")
    convert.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="not to standard output; {id} in the name for one each",
    )

    for name, text in (
        ("formats", "list the formats of puzzles that are read and written"),
        ("solvers", "list the solvers, whether they can run here, and their options"),
        ("puzzles", "list the puzzles and their formulations"),
    ):
        commands.add_parser(name, help=text, description=text).set_defaults(command=name)


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from importlib.metadata import version

        print(f"qubopuzzle {version('qubopuzzle')}")
        parser.exit()
