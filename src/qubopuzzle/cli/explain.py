"""``qubopuzzle explain``."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from qubopuzzle.cli import terminal
from qubopuzzle.cli.parser import Parser
from qubopuzzle.cli.terminal import NOT_SOLVED, SEVERITY, SOLVED, UNSATISFIABLE, notice, say
from qubopuzzle.errors import InputError, QubopuzzleError

if TYPE_CHECKING:
    from qubopuzzle.problem import Problem

_EXIT_STATUS = """exit status:
  0  every instance has a solution, one or several
  1  not decided: the time limit or Ctrl-C came first
  2  wrong usage, bad input, or something that cannot run here
  3  proved to have no solution
  4  an error of this program"""
_STATUS = {"feasible": SOLVED, "infeasible": UNSATISFIABLE, "unknown": NOT_SOLVED}


def add_arguments(parser: Parser) -> None:
    """What to explain, and how far."""
    parser.epilog = _EXIT_STATUS
    parser.sources("+")
    parser.option("--smallest", "the smallest set that contradicts itself, not just a minimal one")
    weight = "what it costs to leave out a statement, or each of a family (default 1); inf: never"
    parser.option("--weight NAME=W", f"{weight}; repeatable")
    parser.option("--time-limit SECONDS", "bound on one instance; what there is by then is shown")
    parser.shared("--json", "--plot FILE")


def run(args: Namespace) -> int:
    """Explain one puzzle or model after the other."""
    problems = terminal.load(args)
    files = terminal.paths("--plot", args.plot, problems)
    for number, (problem, path) in enumerate(zip(problems, files, strict=True), start=1):
        if path is not None and problem.names_values:
            name = terminal.name_of(problem, number)
            raise InputError(f"{name}: a model has no picture; leave out --plot")
    worst = SOLVED
    for number, (problem, path) in enumerate(zip(problems, files, strict=True), start=1):
        status, interrupted = _explain(problem, number, args, path)
        worst = max(worst, status, key=SEVERITY.index)
        if interrupted:
            if number < len(problems):
                notice(f"{len(problems) - number} not started")
            return max(worst, NOT_SOLVED, key=SEVERITY.index)
    return worst


def _explain(problem: Problem, number: int, args: Namespace, path: Path | None) -> tuple[int, bool]:
    """Print what is known of a problem: its exit status, and whether Ctrl-C came."""
    from qubopuzzle.reasons.conflict import explain

    try:
        explanation = explain(
            problem,
            smallest=args.smallest,
            weights=dict(args.weight),
            time_limit=args.time_limit,
        )
    except QubopuzzleError as error:
        name = terminal.name_of(problem, number)
        if args.json:
            failed = {"id": problem.id, "puzzle": problem.name, "status": "error"}
            say(json.dumps({**failed, "error": str(error)}))
        return terminal.complain(f"{name}: {error}", error), False
    if args.json:
        say(json.dumps(explanation.to_dict()))
    else:
        picture = terminal.text(explanation.picture())
        say(*filter(None, [terminal.heading(problem), picture]), *explanation.lines())
    terminal.plot(path, explanation.picture())
    return _STATUS[explanation.status], explanation.interrupted
