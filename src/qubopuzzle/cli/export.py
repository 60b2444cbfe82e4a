"""``qubopuzzle export``."""

import os
import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from qubopuzzle.cli.parser import Parser, output, settings_of
from qubopuzzle.cli.terminal import SEVERITY, SOLVED, complain, load, name_of, notice, paths
from qubopuzzle.errors import InputError, QubopuzzleError

if TYPE_CHECKING:
    from qubopuzzle.files.models import ModelFormat


def add_arguments(parser: Parser) -> None:
    """Which model, and where to."""
    parser.sources()
    same = "the same as -o FILE, without the JSON file beside it"
    parser.add_argument("file", nargs="?", type=output, metavar="FILE", help=same)
    parser.option(
        "--to FORMAT",
        "bqm, coo, qubo, mqlib, qplib or qubo-lp (the QUBO), ising (the same over spins), "
        "dimacs (the exact formula), lp or mps (the exact 0/1 program, connectivity as a tree), "
        "opb, cqm, ommx, program-lp or program-mps (the rows that the annealer takes); detected "
        "from the file's suffix without",
    )
    parser.output(
        "write there, and what `decode` needs to FILE.json; {id} in the name for several "
        "(default: standard output)"
    )
    parser.shared("--formulation F", "--encoding E", "--weight FAMILY=W", "--presolve HOW")
    parser.set_defaults(presolve="none")


def run(args: Namespace) -> int:
    """Write each puzzle's model to a file, or to standard output."""
    from qubopuzzle.base.writing import write_whole
    from qubopuzzle.solving.form import Form

    form = _format(args)
    settings = settings_of(args)
    puzzles = load(args)
    described = args.output is not None
    option, pattern = ("-o", args.output) if described else ("FILE", args.file)
    files = paths(option, pattern, puzzles)
    if pattern is None and len(puzzles) > 1:
        raise InputError(f"there are {len(puzzles)} puzzles; give -o with {{id}} in the name")
    for path in files:
        _spare(args.sources[0], path, described=described)
    worst = SOLVED
    for number, (puzzle, path) in enumerate(zip(puzzles, files, strict=True), start=1):
        try:
            made = Form.of(puzzle, form, settings)
        except QubopuzzleError as error:
            status = complain(f"{name_of(puzzle, number)}: {error}", error)
            worst = max(worst, status, key=SEVERITY.index)
            continue
        if made.target == "cnf" and puzzle.has_objective:
            notice(f"{name_of(puzzle, number)}: a formula has no objective, it says what is valid")
        if path is None:
            sys.stdout.write(made.data.decode())
            continue
        if described:
            made.write(path)
        else:
            write_whole(path, made.data)
    return worst


def _format(args: Namespace) -> "ModelFormat":
    """What to write: named by --to, or by the suffix of the file."""
    from qubopuzzle.files import models

    if args.file is not None and args.output is not None:
        raise InputError(f"give {args.file} or -o {args.output}, not both")
    file = args.file if args.output is None else args.output
    if args.to is None and file is None:
        raise InputError("say where to, or --to FORMAT for standard output")
    form = models.by_suffix(file) if args.to is None else models.named(args.to)
    if file is None and not form.text:
        raise InputError(f"{form.name} is no text; write it to a file with -o FILE{form.suffix}")
    return form


def _spare(source: str, path: Path | None, *, described: bool) -> None:
    """Refuse to write over the puzzle: ``a.json`` is what goes beside a model named ``a``."""
    from qubopuzzle.solving.form import description_path

    for target in () if path is None else (path, description_path(path)) if described else (path,):
        if source != "-" and os.path.realpath(target) == os.path.realpath(source):
            raise InputError(f"{path}: {target} is the puzzle; take another name")
