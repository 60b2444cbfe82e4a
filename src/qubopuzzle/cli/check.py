"""``qubopuzzle check``."""

from __future__ import annotations

import json
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from qubopuzzle.cli.parser import Parser
from qubopuzzle.cli.terminal import NOT_SOLVED, SOLVED, load, name_of, print_judged, read_once
from qubopuzzle.errors import InputError

if TYPE_CHECKING:
    from qubopuzzle.model import Problem


def add_arguments(parser: Parser) -> None:
    """The puzzles and the answers."""
    parser.sources()
    parser.add_argument("solution", metavar="SOLUTION", help="a file with the answer, or -")
    parser.shared("--json")


def run(args: Namespace) -> int:
    """Judge the answer of each puzzle."""
    from qubopuzzle.files.puzzles import load_answers, match

    read_once([*args.sources, args.solution])
    puzzles = load(args)
    answers = load_answers(args.solution)
    status = SOLVED
    try:
        for number, (puzzle, answer) in enumerate(match(puzzles, answers), start=1):
            given = None if answer is None else answer.solution
            if not _judge(name_of(puzzle, number), puzzle, given, args.json):
                status = NOT_SOLVED
    except InputError as error:
        raise InputError(f"{args.solution}: {error}") from None
    return status


def _judge(name: str, problem: Problem, given: Any, as_json: bool) -> bool:
    """Print the verdict on one answer; returns whether it is valid."""
    from qubopuzzle.solving.judge import judge

    judged = None if given is None else judge(problem, given)
    valid = judged is not None and judged.valid
    if as_json:
        broken = [] if judged is None else [each.to_dict() for each in judged.violations]
        answered = {"id": problem.id, "answered": judged is not None, "valid": valid}
        print(json.dumps({**answered, "violations": broken}))
    elif judged is None:
        print(f"{name}: no answer")
    else:
        print_judged(judged, f"{name}: {'valid' if valid else 'not valid'}")
    return valid
