"""``qubopuzzle count``."""

from __future__ import annotations

import json
from argparse import Namespace
from typing import TYPE_CHECKING

from qubopuzzle.cli import terminal
from qubopuzzle.cli.parser import Parser
from qubopuzzle.cli.terminal import NOT_SOLVED, SEVERITY, SOLVED, UNSATISFIABLE, say
from qubopuzzle.errors import QubopuzzleError

if TYPE_CHECKING:
    from qubopuzzle.problem import Problem
    from qubopuzzle.reasons.counting import Count

_EXIT_STATUS = """exit status:
  0  the solutions of every instance are counted, or estimated
  1  of some it is known only that there are so many or more, or time was up
  2  wrong usage, bad input, or something that cannot run here
  3  proved to have no solution
  4  an error of this program"""


def add_arguments(parser: Parser) -> None:
    """What to count, and what to say of the solutions besides."""
    parser.epilog = _EXIT_STATUS
    parser.sources("+")
    add = parser.option
    add("--limit N", "count exactly up to N (default 10000), beyond about")
    add("--candidates", "for each cell, or variable, all values that some solution has")
    add("--sample N", "draw N solutions by lot, each as probable as any other")
    add("--seed N", "for estimates and samples")
    each = "of an instance; candidates and samples have as much each, or no limit"
    add("--time-limit SECONDS", f"bound on the count (default 60) {each}")
    parser.shared("--json")


def run(args: Namespace) -> int:
    """Count the solutions of one puzzle or model after the other."""
    worst = SOLVED
    for number, problem in enumerate(terminal.load(args), start=1):
        name = terminal.name_of(problem, number)
        try:
            status = _count(problem, name, args)
        except QubopuzzleError as error:
            if args.json:
                failed = {"id": problem.id, "puzzle": problem.name, "error": str(error)}
                say(json.dumps(failed))
            status = terminal.complain(f"{name}: {error}", error)
        worst = max(worst, status, key=SEVERITY.index)
    return worst


def _count(problem: Problem, name: str, args: Namespace) -> int:
    """Print how many solutions there are, and what else is asked for; the exit status."""
    from qubopuzzle.reasons.counting import COUNT_S, LIMIT, candidates, count, solutions

    limit = LIMIT if args.limit is None else args.limit
    seconds = COUNT_S if args.time_limit is None else args.time_limit
    counted = count(problem, limit, seed=args.seed, time_limit=seconds)
    possible = candidates(problem, time_limit=args.time_limit) if args.candidates else None
    drawn = []
    if args.sample is not None:
        drawn = solutions(problem, args.sample, seed=args.seed, time_limit=args.time_limit)
    if args.json:
        data = {"id": problem.id, "puzzle": problem.name, "count": counted.to_dict()}
        data |= {} if possible is None else possible.to_dict()
        data |= {} if args.sample is None else {"samples": [each.format() for each in drawn]}
        say(json.dumps(data))
    else:
        say(f"{name}: {_words(problem, counted)}")
        if possible is not None:
            say(terminal.text(possible.picture()) or terminal.Drawn(possible))
            if not possible.complete:
                say("there may be other values: time was up")
        for number, answer in enumerate(drawn, start=1):
            say(f"sample {number}:", terminal.answer_text(answer))
    if counted == 0:
        return UNSATISFIABLE
    known = counted.exact or counted.estimate is not None
    return SOLVED if known and (possible is None or possible.complete) else NOT_SOLVED


def _words(problem: Problem, counted: Count) -> str:
    """How many solutions, for people."""
    if counted == 0:
        why = problem.contradiction
        return "no solution" + (f", because {why}" if why else "")
    return f"{counted} solution{'' if counted == 1 else 's'}"
