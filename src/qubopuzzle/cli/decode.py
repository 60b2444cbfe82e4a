"""``qubopuzzle decode``."""

from __future__ import annotations

import json
from argparse import Namespace

from qubopuzzle.cli.parser import Parser
from qubopuzzle.cli.terminal import NOT_SOLVED, SOLVED, name_of, print_judged, read_once


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
    from qubopuzzle.solving import export as exporting

    (source,) = args.sources
    read_once([source, args.sample, args.model])
    found = exporting.decode_file(source, args.sample, description=args.model, puzzle=args.puzzle)
    puzzle, violations = found.puzzle, found.violations
    if args.json:
        verdict = {
            "id": puzzle.id,
            "puzzle": puzzle.name,
            "valid": not violations,
            "energy": found.energy,
            "violations": [violation.to_dict() for violation in violations],
            "solution": puzzle.format_answer(found.answer),
        }
        print(json.dumps(verdict))
    else:
        energy = "" if found.energy is None else f", energy {found.energy:g}"
        verdict_line = f"{name_of(puzzle, 1)}: {'not valid' if violations else 'valid'}{energy}"
        print_judged(puzzle, found.answer, violations, verdict_line)
    return NOT_SOLVED if violations else SOLVED
