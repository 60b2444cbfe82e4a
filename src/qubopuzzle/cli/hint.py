"""``qubopuzzle hint``."""

import json
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any

from qubopuzzle.cli.parser import Parser
from qubopuzzle.cli.terminal import (
    NOT_SOLVED,
    SEVERITY,
    SOLVED,
    UNSATISFIABLE,
    heading,
    load,
    say,
    text,
)
from qubopuzzle.errors import InputError

if TYPE_CHECKING:
    from qubopuzzle.reasons.hints import Hint

_EXIT_STATUS = """exit status:
  0  a step follows, or all cells are on the board
  1  nothing more follows, as there are several solutions, or the marks contradict each other
  2  wrong usage or bad input
  3  the puzzle has no solution
  4  an error of this program"""


def add_arguments(parser: Parser) -> None:
    """The puzzles, what is on the board, and how much to tell."""
    parser.epilog = _EXIT_STATUS
    parser.sources()
    add = parser.option
    add("--marks FILE", "what is on the board: an answer with ? in open cells")
    add("--all", "every step to the end, not just the next one")
    parser.shared("--json")


def run(args: Namespace) -> int:
    """Print the next step of each puzzle, or all of them."""
    puzzles = load(args)
    if args.marks is not None and len(puzzles) > 1:
        raise InputError(f"--marks are those of one puzzle; there are {len(puzzles)}")
    status = SOLVED
    for puzzle in puzzles:
        marks = _marks(puzzle, args.marks)
        steps = [*_steps(puzzle, marks, every=args.all)]
        if args.json:
            shown = [step.to_dict() for step in steps]
            say(json.dumps({"id": puzzle.id, "puzzle": puzzle.name, "steps": shown}))
        else:
            drawn = [text(steps[0].picture())] if len(steps) == 1 else []
            say(heading(puzzle), *drawn, *lines_of(steps))
        status = max(status, _status(puzzle, marks, steps), key=SEVERITY.index)
    return status


def _steps(puzzle: Any, marks: Mapping[Any, int], *, every: bool) -> Iterator["Hint"]:
    """All steps from these marks, or the first."""
    from qubopuzzle.reasons.hints import steps

    yield from islice(steps(puzzle, marks), None if every else 1)


def _marks(puzzle: Any, source: str | None) -> Mapping[Any, int]:
    """What is on the board."""
    from qubopuzzle.files.puzzles import read_source

    if source is None:
        return {}

    def read(given: str) -> Mapping[Any, int]:
        with suppress(ValueError):
            given = json.loads(given)
        marks: Mapping[Any, int] = puzzle.parse_marks(given)
        return marks

    return read_source(source, read)


def lines_of(steps: Sequence["Hint"]) -> list[str]:
    """Steps for people, numbered where there are several."""
    if not steps:
        return ["all cells are on the board"]
    if len(steps) == 1:
        return steps[0].text.split("\n")
    lines: list[str] = []
    for number, step in enumerate(steps, start=1):
        first, *others = step.text.split("\n")
        lines += [f"{number:>4}  {first}", *(f"      {other}" for other in others)]
    return lines


def _status(puzzle: Any, marks: Mapping[Any, int], steps: Sequence["Hint"]) -> int:
    """The exit status of a puzzle."""
    if not steps or steps[-1].cells:
        return SOLVED
    proved = steps[-1].reasons and (not marks or puzzle.contradiction is not None)
    return UNSATISFIABLE if proved else NOT_SOLVED
