"""``qubopuzzle decode``."""

import json
from argparse import Namespace

from qubopuzzle.cli.parser import Parser
from qubopuzzle.cli.terminal import NOT_SOLVED, SOLVED, name_of, print_answer, read_once, say


def add_arguments(parser: Parser) -> None:
    """The model and the sample."""
    what = "FILE.json, which `export -o FILE` writes, or with --model the puzzle; or -"
    parser.sources(what=what)
    parser.add_argument(
        "sample",
        metavar="SAMPLE",
        help="0/1 by name or number (JSON), a dimod sample set (JSON), 0s and 1s in the order "
        "of the variables (JSON or text), or the v lines of a SAT solver; or -",
    )
    parser.option("--model FILE.json", "what `export -o FILE` wrote")
    parser.option("--json", "print a JSON object")


def run(args: Namespace) -> int:
    """Turn an assignment that another tool found into an answer, and judge it."""
    from qubopuzzle.solving.form import decode_file

    (source,) = args.sources
    read_once([source, args.sample, args.model])
    answer = decode_file(source, args.sample, description=args.model, puzzle=args.puzzle)
    if args.json:
        say(json.dumps(answer.to_dict()))
    else:
        energy = "" if answer.energy is None else f", energy {answer.energy:g}"
        print_answer(answer, f"{name_of(answer.problem, 1)}: {answer.verdict}{energy}")
    return SOLVED if answer.valid else NOT_SOLVED
