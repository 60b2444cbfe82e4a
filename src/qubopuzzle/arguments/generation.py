"""The arguments of ``generate``."""

from __future__ import annotations

import argparse
from typing import Any

from qubopuzzle.arguments.shared import assignment

_STATUS = """exit status:
  0  every puzzle is made, and proved to have one solution
  1  broken off; those that are finished are written
  2  wrong usage, no such puzzle found, or two solvers disagree
  4  an error of this program"""


def add_generate(commands: Any) -> None:
    """New puzzles, or one from a picture."""
    text = "make new puzzles with exactly one solution, proved"
    generate = commands.add_parser(
        "generate",
        allow_abbrev=False,
        help=text,
        description=text,
        epilog=_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    generate.set_defaults(command="generate")
    generate.add_argument("puzzle", metavar="PUZZLE", help="such as kurodoko")
    generate.add_argument(
        "--size", metavar="RxC", help="rows and columns (default: the puzzle's usual size)"
    )
    generate.add_argument(
        "--seed", type=int, metavar="N", help="the same seed gives the same puzzles"
    )
    generate.add_argument("--count", type=int, default=1, metavar="N", help="how many (default 1)")
    generate.add_argument(
        "--difficulty", metavar="D", help="easy, medium or hard; others are thrown away"
    )
    generate.add_argument(
        "--option",
        action="append",
        default=[],
        type=assignment,
        metavar="NAME=VALUE",
        help="an option of the puzzle, such as letters=4; repeatable",
    )
    image = generate.add_argument_group("from an image")
    image.add_argument("--image", metavar="FILE", help="a nonogram as near to a picture as can be")
    image.add_argument(
        "--threshold",
        type=int,
        metavar="N",
        help="grey from N (1 to 255) on is white",
    )
    image.add_argument("--dither", action="store_true", help="greys as patterns, no threshold")
    image.add_argument("--invert", action="store_true", help="the light cells are the black ones")
    image.add_argument(
        "--most-changes", type=int, metavar="N", help="cells that may change (default: a tenth)"
    )
    generate.add_argument(
        "--confirm", metavar="S", help="a second exact solver that must agree, such as cpsat"
    )
    generate.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="processes at work (default 1)"
    )
    generate.add_argument(
        "--to", default="json", metavar="F", help="the format, see `qubopuzzle formats`"
    )
    generate.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="not to standard output; {id} in the name for one each",
    )
