"""The arguments of ``export``, ``decode`` and ``instances``."""

from __future__ import annotations

import argparse
from typing import Any

from qubopuzzle.arguments.shared import SOURCE, add_command, assignment

_DECODE_STATUS = """exit status:
  0  valid
  1  not valid
  2  wrong usage, or bad input
  4  an error of this program"""

_INSTANCES_STATUS = """exit status:
  0  every instance is written
  1  some are left out, which have no solution or none that was found in time
  2  wrong usage, or bad input
  4  an error of this program"""


def add_models(commands: Any) -> None:
    """Models for other tools, and their answers back."""
    export = add_command(commands, "export", "write a puzzle's model for other solvers")
    export.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help="the same as -o FILE, without the JSON file beside it",
    )
    export.add_argument(
        "--to",
        metavar="FORMAT",
        help="bqm, coo, qubo, mqlib, qplib or qubo-lp (the QUBO), dimacs (the exact formula), "
        "lp or mps (the exact 0/1 program); told by the file's suffix without",
    )
    export.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write there, and what `decode` needs to FILE.json; {id} in the name for several "
        "(default: standard output)",
    )
    _model_options(export)

    decode = add_command(
        commands,
        "decode",
        "judge an assignment that another tool found for an exported model",
        exit_status=_DECODE_STATUS,
        what="FILE.json, which `export -o FILE` writes, or with --model the puzzle; or -",
    )
    decode.add_argument(
        "sample",
        metavar="SAMPLE",
        help="0/1 by name or number (JSON), a dimod sample set (JSON), 0s and 1s in the order "
        "of the variables (JSON or text), or the v lines of a SAT solver; or -",
    )
    decode.add_argument("--model", metavar="FILE.json", help="what `export -o FILE` wrote")
    decode.add_argument("--json", action="store_true", help="print a JSON object")

    instances = add_command(
        commands,
        "instances",
        "write a folder of models with known ground states",
        many="*",
        exit_status=_INSTANCES_STATUS,
        what=f"{SOURCE}; without, the examples of all puzzles",
    )
    instances.add_argument(
        "-o", "--output", required=True, metavar="FOLDER", help="made if it is not there"
    )
    instances.add_argument(
        "--to",
        default="bqm,coo",
        metavar="F,F,...",
        help="formats, see `qubopuzzle export --help` (default bqm,coo)",
    )
    _model_options(instances)
    instances.add_argument(
        "--seed", type=int, default=0, metavar="N", help="for everything random (default 0)"
    )
    instances.add_argument(
        "--time-limit",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="for each search for a solution (default 60); what has none is left out",
    )
    instances.add_argument(
        "--force", action="store_true", help="write into a folder that is not empty"
    )


def _model_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--formulation", metavar="F", help="see `qubopuzzle puzzles`")
    parser.add_argument("--encoding", metavar="E", help="one-hot (default) or domain-wall")
    parser.add_argument(
        "--weight",
        action="append",
        default=[],
        type=assignment,
        metavar="FAMILY=W",
        help="penalty weight of a family of rules (default 1 each); repeatable",
    )
    parser.add_argument(
        "--presolve", default="none", metavar="HOW", help="none (default) or propagate"
    )
