"""``qubopuzzle export``, ``decode`` and ``instances``: models out, assignments back."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qubopuzzle.commands.terminal import (
    NOT_SOLVED,
    SOLVED,
    complain,
    name_of,
    paths,
    text,
    weights_of,
)
from qubopuzzle.errors import InputError, QubopuzzleError

if TYPE_CHECKING:
    from qubopuzzle.files.models import Format
    from qubopuzzle.solving.export import Export


def export(args: argparse.Namespace) -> int:
    """Write each puzzle's model to a file, or to standard output."""
    from qubopuzzle.solving import export as exporting
    from qubopuzzle.solving import solve as pipeline

    form = _format(args)
    recipe = exporting.Recipe(
        form.NAME, args.formulation, args.encoding, args.presolve, weights_of(args.weight)
    )
    puzzles = pipeline.load(args.source, args.puzzle, args.format)
    option, pattern = ("FILE", args.file) if args.output is None else ("-o", args.output)
    files = paths(option, pattern, puzzles)
    _spare(args.source, files, described=args.output is not None)
    if pattern is None and len(puzzles) > 1:
        raise InputError(f"there are {len(puzzles)} puzzles; give -o with {{id}} in the name")
    worst = SOLVED
    for number, puzzle in enumerate(puzzles, start=1):
        try:
            made = exporting.export(puzzle, recipe)
        except QubopuzzleError as error:
            worst = complain(f"{name_of(puzzle, number)}: {error}")
            continue
        if files:
            _write(files[number - 1], made, described=args.output is not None)
        else:
            sys.stdout.write(made.data.decode())
    return worst


def _format(args: argparse.Namespace) -> Format:
    """What to write: named by --to, or by the suffix of the file."""
    from qubopuzzle.files import models as exports

    if args.file is not None and args.output is not None:
        raise InputError(f"give {args.file} or -o {args.output}, not both")
    file = args.file if args.output is None else args.output
    if args.to is None and file is None:
        raise InputError("say where to, or --to FORMAT for standard output")
    if args.to is None:
        return exports.by_suffix(file)
    form = exports.named(args.to)
    if file is None and not form.TEXT:
        raise InputError(f"{form.NAME} is no text; write it to a file with -o FILE{form.SUFFIX}")
    return form


def _spare(source: str, files: list[Path], *, described: bool) -> None:
    """Refuse to write over the puzzle: ``a.json`` is what goes beside a model named ``a``."""
    for path in files:
        for own in (path, _beside(path)) if described else (path,):
            if source != "-" and own.resolve() == Path(source).resolve():
                raise InputError(f"{path}: {own} is the puzzle; take another name")


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")


def _write(path: Path, made: Export, *, described: bool) -> None:
    """The model, and what it takes to read an answer back beside it."""
    from qubopuzzle.files.writing import write_whole

    write_whole(path, made.data)
    if described:
        description = {"file": path.name, **made.description}
        write_whole(_beside(path), json.dumps(description).encode() + b"\n")


def decode(args: argparse.Namespace) -> int:
    """Turn an assignment that another tool found into an answer, and judge it."""
    from qubopuzzle.solving import export as exporting

    if [args.source, args.sample, args.model].count("-") > 1:
        raise InputError("standard input (-) can be read only once")
    found = exporting.decode_file(
        args.source, args.sample, description=args.model, puzzle=args.puzzle
    )
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
        return NOT_SOLVED if violations else SOLVED
    cells = {cell for violation in violations for cell in violation.cells}
    print(text(puzzle.picture(found.answer, cells)))
    energy = "" if found.energy is None else f", energy {found.energy:g}"
    print(f"{name_of(puzzle, 1)}: {'not valid' if violations else 'valid'}{energy}")
    for violation in violations:
        print(f"  {violation.rule}: {violation.message}")
    return NOT_SOLVED if violations else SOLVED


def instances(args: argparse.Namespace) -> int:
    """Write a folder of models with known ground states."""
    from qubopuzzle.bench import instances as benchmark
    from qubopuzzle.files import models as exports
    from qubopuzzle.solving import solve as pipeline
    from qubopuzzle.solving.export import Recipe

    if args.sources.count("-") > 1:
        raise InputError("standard input (-) can be read only once")
    formats = tuple(dict.fromkeys(name.strip() for name in args.to.split(",")))
    for name in formats:
        exports.named(name)
    pipeline.check_run("sat", presolve=args.presolve, seed=args.seed, time_limit=args.time_limit)
    recipe = Recipe("", args.formulation, args.encoding, args.presolve, weights_of(args.weight))
    plan = benchmark.Plan(formats, recipe, args.seed, args.time_limit)
    puzzles = [
        p for source in args.sources for p in pipeline.load(source, args.puzzle, args.format)
    ]
    if not args.sources:
        if args.puzzle is not None:
            pipeline.get_puzzle(args.puzzle)
        puzzles = [p for p in benchmark.examples() if args.puzzle in (None, p.name)]
    folder = Path(args.output)
    done = benchmark.write_instances(folder, puzzles, plan, force=args.force, report=_report)
    n, left = len(done["instances"]), len(done["left_out"])
    print(f"{folder}: {n} instances{f', {left} left out' if left else ''}")
    return NOT_SOLVED if left else SOLVED


def _report(name: str, entry: dict[str, Any] | None, why: str) -> None:
    if entry is None:
        complain(f"{name} is left out: {why}")
        return
    sizes = [f"{entry[key]:,} {key}" for key in ("variables", "couplings") if key in entry]
    unique = {True: "one solution", False: "several solutions", None: "one solution or more"}
    print(f"{name}: {', '.join([*sizes, unique[entry['unique']]])}", flush=True)
