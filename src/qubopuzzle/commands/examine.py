"""``qubopuzzle check``, ``show``, ``info``, ``solvers`` and ``puzzles``: nothing is solved."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from qubopuzzle.commands.terminal import (
    NOT_SOLVED,
    SOLVED,
    clean,
    heading,
    name_of,
    plot,
    plot_paths,
    text,
)
from qubopuzzle.errors import InputError

if TYPE_CHECKING:
    from qubopuzzle.solving.solve import Puzzle


def check(args: argparse.Namespace) -> int:
    """Judge a given answer."""
    from qubopuzzle.solving import solve as pipeline

    if args.source == args.solution == "-":
        raise InputError("standard input (-) can be read only once")
    puzzles = pipeline.load(args.source, args.puzzle, args.format)
    answers = pipeline.load_answers(args.solution)
    status = SOLVED
    try:
        for number, (puzzle, answer) in enumerate(pipeline.match(puzzles, answers), start=1):
            given = None if answer is None else answer.solution
            if not _judge(name_of(puzzle, number), puzzle, given, args.json):
                status = NOT_SOLVED
    except InputError as error:
        raise InputError(f"{args.solution}: {error}") from None
    return status


def _judge(name: str, puzzle: Puzzle, given: Any, as_json: bool) -> bool:
    """Print the verdict on one answer; returns whether it is valid."""
    from qubopuzzle.solving import solve as pipeline

    grid, violations = (None, []) if given is None else pipeline.judge(puzzle, given)
    valid = grid is not None and not violations
    if as_json:
        broken = [violation.to_dict() for violation in violations]
        answered = {"id": puzzle.id, "answered": grid is not None, "valid": valid}
        print(json.dumps({**answered, "violations": broken}))
        return valid
    cells = {cell for violation in violations for cell in violation.cells}
    if grid is not None:
        print(text(puzzle.picture(grid, cells)))
    print(f"{name}: {'no answer' if grid is None else 'valid' if valid else 'not valid'}")
    for violation in violations:
        print(f"  {violation.rule}: {violation.message}")
    return valid


def show(args: argparse.Namespace) -> int:
    """Draw a puzzle."""
    from qubopuzzle.solving import solve as pipeline

    puzzles = pipeline.load(args.source, args.puzzle, args.format)
    plots = plot_paths(args.plot, puzzles)
    for number, puzzle in enumerate(puzzles, start=1):
        name = name_of(puzzle, number)
        if args.solution and puzzle.solution is None:
            raise InputError(f"{args.source}: {name} comes without a solution")
        picture = puzzle.picture(puzzle.solution if args.solution else None)
        print("\n".join(filter(None, [heading(puzzle), text(picture)])))
        plot(plots, number, picture)
    return SOLVED


def info(args: argparse.Namespace) -> int:
    """Print the sizes of a puzzle's QUBO."""
    from qubopuzzle.report.tables import print_sizes
    from qubopuzzle.solving import solve as pipeline
    from qubopuzzle.solving.info import describe

    for puzzle in pipeline.load(args.source, args.puzzle, args.format):
        sizes = describe(puzzle, args.formulation, args.encoding)
        if args.json:
            rows = [size.to_dict() for size in sizes]
            print(json.dumps({"id": puzzle.id, "puzzle": puzzle.name, "qubos": rows}))
            continue
        rows_by_columns = " x ".join(map(str, puzzle.shape))
        print(f"{clean(puzzle.id) or puzzle.name}: {puzzle.name}, {rows_by_columns} cells")
        print_sizes(sizes)
    return SOLVED


def solvers(_: argparse.Namespace) -> int:
    """List the solvers."""
    from qubopuzzle.report.tables import print_solvers

    print_solvers()
    return SOLVED


def puzzles(_: argparse.Namespace) -> int:
    """List the puzzles."""
    from qubopuzzle.report.tables import print_puzzles

    print_puzzles()
    return SOLVED
