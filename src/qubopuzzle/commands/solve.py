"""``qubopuzzle solve``."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from qubopuzzle.commands.terminal import (
    BAD_INPUT,
    NOT_SOLVED,
    SOLVED,
    UNSATISFIABLE,
    clean,
    complain,
    heading,
    name_of,
    paths,
    plot,
    plot_paths,
    text,
    weights_of,
)
from qubopuzzle.errors import InputError, QubopuzzleError

if TYPE_CHECKING:
    from qubopuzzle.solving.solve import Puzzle, Result

_SEVERITY = (SOLVED, UNSATISFIABLE, NOT_SOLVED, BAD_INPUT)
"""Exit statuses: bad input outweighs not solved, which outweighs no solution."""
_OWN_FILES = ("dry_run", "record", "replay")
ALL_LIMIT = 1_000
"""Solutions that ``--all`` lists without ``--limit``."""


def solve(args: argparse.Namespace) -> int:
    """Solve and judge; returns the exit status."""
    from qubopuzzle.report import progress
    from qubopuzzle.solving import solve as pipeline

    if args.solver is not None and args.solver.startswith("dimod:"):
        sys.path.append(str(Path.cwd()))  # a sampler in a file of the user's own
    if args.limit is not None and not args.all:
        raise InputError("--limit goes with --all")
    proving = args.all or args.unique or args.proof is not None
    default = pipeline.DEFAULT_EXACT_SOLVER if proving else pipeline.DEFAULT_SOLVER
    run = {
        "solver": default if args.solver is None else args.solver,
        "encoding": args.encoding,
        "presolve": args.presolve,
        "reads": args.reads,
        "seed": args.seed,
        "time_limit": args.time_limit,
        "options": dict(args.option) | _named_options(args),
        "solutions": _wanted(args),
    }
    weights = weights_of(args.weight)
    pipeline.check_run(**run)
    if args.sources.count("-") > 1:
        raise InputError("standard input (-) can be read only once")
    instances = [item for source in args.sources for item in _timed_load(source, args)]
    puzzles = [puzzle for puzzle, _ in instances]
    plots, proofs = plot_paths(args.plot, puzzles), paths("--proof", args.proof, puzzles)
    own_files = _own_files(args, puzzles)
    worst = SOLVED
    for number, (puzzle, seconds) in enumerate(instances, start=1):
        name = name_of(puzzle, number)
        try:
            with progress.shown(name, args.reads, args.time_limit) as callback:
                result = pipeline.solve(
                    puzzle,
                    formulation=args.formulation,
                    weights=weights,
                    progress=callback,
                    load_s=seconds,
                    **run | {"options": run["options"] | own_files[number - 1]},
                )
        except QubopuzzleError as error:
            worst = max(worst, complain(f"{name}: {error}", error), key=_SEVERITY.index)
            if args.json:
                failed = {"id": puzzle.id, "puzzle": puzzle.name, "status": "error"}
                print(json.dumps({**failed, "valid": False, "error": str(error)}), flush=True)
            continue
        if args.dry_run and result.proved_by is None:
            _print_request(name, result)
            continue
        _print_result(result, args)
        plot(plots, number, result.picture())
        _proof(proofs, number, result)
        worst = _worse(worst, result, args)
        if result.interrupted:
            if number < len(instances):
                print(f"qubopuzzle: {len(instances) - number} not started", file=sys.stderr)
            break
    return worst


def _named_options(args: argparse.Namespace) -> dict[str, str | int]:
    """Options of solvers that have an argument of their own."""
    given = {
        "proof": None if args.proof is None else 1,
        "token_file": args.token_file,
        "force": 1 if args.force else None,
        **{name: getattr(args, name) for name in _OWN_FILES},
    }
    return {name: value for name, value in given.items() if value is not None}


def _own_files(args: argparse.Namespace, puzzles: list[Puzzle]) -> list[dict[str, str]]:
    """For each puzzle the options that name a file of its own."""
    own: list[dict[str, str]] = [{} for _ in puzzles]
    for name in _OWN_FILES:
        option, pattern = f"--{name.replace('_', '-')}", getattr(args, name)
        files = paths(option, pattern, puzzles, reading=name == "replay")
        for options, file in zip(own, files, strict=False):
            options[name] = str(file)
    return own


def _print_request(name: str, result: Result) -> None:
    sizes = ", ".join(f"{n:,} {what}" for what, n in result.sizes.items())
    settings = result.settings
    written = (
        f"{settings['dry_run']}: {settings['request_bytes']:,} bytes; nothing was sent"
        if "request_bytes" in settings
        else "the model has no variables: there is nothing to send"
    )
    print(f"{name}: {result.formulation}, {sizes}; {written}", flush=True)


def _wanted(args: argparse.Namespace) -> int:
    """How many solutions to look for."""
    if args.all:
        return ALL_LIMIT if args.limit is None else int(args.limit)
    return 2 if args.unique else 1


def _worse(worst: int, result: Result, args: argparse.Namespace) -> int:
    """The graver of a status and that of a result."""
    own = {"solved": SOLVED, "unknown": NOT_SOLVED, "unsatisfiable": UNSATISFIABLE}[result.status]
    enough = result.complete or len(result.solutions) >= _wanted(args)
    if own == SOLVED and ((args.unique and not result.unique) or (args.all and not enough)):
        own = NOT_SOLVED
    return max(worst, own, key=_SEVERITY.index)


def _print_result(result: Result, args: argparse.Namespace) -> None:
    address = _solved_address(result) if args.url else None
    if args.json:
        own = {"solved_url": address} if args.url else {}
        print(json.dumps(result.to_dict() | own), flush=True)
        return
    parts = [heading(result.puzzle), *_pictures(result), clean(result.summary())]
    print("\n".join(filter(None, parts)), flush=True)
    for warning in result.settings.get("warnings", ()):
        print(f"  the service warns: {clean(warning)}")
    if "ended_by" in result.settings:
        print(f"  ended early: {clean(result.settings['ended_by'])}")
    for violation in result.violations[:5]:
        print(f"  {violation.rule}: {violation.message}")
    if len(result.violations) > 5:
        print(f"  ... and {len(result.violations) - 5} more (--json lists all)")
    if address is not None:
        print(address)


def _solved_address(result: Result) -> str | None:
    """An address that opens the solved board, or None and a line on standard error."""
    from qubopuzzle.solving import solve as pipeline

    name = result.puzzle.id or result.puzzle.name
    if result.answer is None or not result.valid:
        print(f"qubopuzzle: {clean(name)}: not solved, so there is no address", file=sys.stderr)
        return None
    try:
        return pipeline.solved_address(result.puzzle, result.answer)
    except InputError as error:
        print(f"qubopuzzle: {clean(name)}: --url: {clean(str(error))}", file=sys.stderr)
        return None


def _pictures(result: Result) -> Iterator[str]:
    """The answer; of several all, and of two the cells marked where they differ."""
    count = len(result.solutions)
    if count < 2:
        yield text(result.picture())
        return
    marked = map(tuple, result.differing().tolist() if count == 2 else ())
    differ = frozenset(marked)
    for number, answer in enumerate(result.solutions, start=1):
        yield f"solution {number}:"
        yield text(result.puzzle.picture(answer, differ))
    if differ:
        yield f"they differ in {len(differ)} cells, marked"


def _timed_load(source: str, args: argparse.Namespace) -> list[tuple[Puzzle, float]]:
    from qubopuzzle.solving import solve as pipeline

    started = time.perf_counter()
    puzzles = pipeline.load(source, args.puzzle, args.format)
    seconds = time.perf_counter() - started
    return [(puzzle, seconds) for puzzle in puzzles]


def _proof(paths: list[Path], number: int, result: Result) -> None:
    from qubopuzzle.files.writing import write_whole

    if not paths:
        return
    path = paths[number - 1]
    if result.proof is None:
        print(f"qubopuzzle: {path}: not written: {result.verdict}", file=sys.stderr)
        return
    write_whole(path.with_name(f"{path.name}.cnf"), result.proof.formula.encode())
    write_whole(path, result.proof.drat.encode())
