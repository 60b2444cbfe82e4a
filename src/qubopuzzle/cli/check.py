"""``qubopuzzle check``."""

import json
from argparse import Namespace

from qubopuzzle.cli.parser import Parser
from qubopuzzle.cli.terminal import NOT_SOLVED, SOLVED, load, name_of, print_answer, read_once, say
from qubopuzzle.errors import at


def add_arguments(parser: Parser) -> None:
    """The puzzles and the answers."""
    parser.sources()
    parser.add_argument("solution", metavar="SOLUTION", help="a file with the answer, or -")
    parser.shared("--json")


def run(args: Namespace) -> int:
    """Judge the answer of each puzzle."""
    from qubopuzzle.files.puzzles.answers import load_answers, match
    from qubopuzzle.solving.judge import judge

    read_once([*args.sources, args.solution])
    puzzles = load(args)
    by_name = any(puzzle.names_values for puzzle in puzzles)
    answers = load_answers(args.solution, puzzles, by_name=by_name)
    status = SOLVED
    with at(args.solution):
        for number, (puzzle, given) in enumerate(match(puzzles, answers), start=1):
            solution = None if given is None else given.solution
            answer = None if solution is None else judge(puzzle, solution)
            valid = answer is not None and answer.valid
            if not valid:
                status = NOT_SOLVED
            if args.json:
                broken = [] if answer is None else [each.to_dict() for each in answer.violations]
                verdict = {"id": puzzle.id, "answered": answer is not None, "valid": valid}
                names = ("objective", "invalid_objective")
                worth = {name: getattr(answer, name, None) for name in names}
                say(json.dumps({**verdict, **worth, "violations": broken}))
            elif answer is None:
                say(f"{name_of(puzzle, number)}: no answer")
            else:
                print_answer(answer, f"{name_of(puzzle, number)}: {answer.verdict}")
    return status
