"""``qubopuzzle export``."""

from __future__ import annotations

import argparse
from pathlib import Path

from qubopuzzle.commands.terminal import SOLVED, complain, name_of, paths
from qubopuzzle.errors import InputError, QubopuzzleError


def export(args: argparse.Namespace) -> int:
    """Write each puzzle's model to a file."""
    from qubopuzzle import pipeline
    from qubopuzzle.files import write_whole

    suffix = Path(args.file).suffix.lower()
    if suffix not in pipeline.EXPORTS:
        known = ", ".join(pipeline.EXPORTS)
        raise InputError(f"{args.file}: a model's name ends in one of {known}")
    puzzles = pipeline.load(args.source, args.puzzle, args.format)
    files = paths("FILE", args.file, puzzles)
    worst = SOLVED
    for number, (path, puzzle) in enumerate(zip(files, puzzles, strict=True), start=1):
        try:
            text = pipeline.EXPORTS[suffix](
                puzzle, formulation=args.formulation, presolve=args.presolve
            )
        except QubopuzzleError as error:
            worst = complain(f"{name_of(puzzle, number)}: {error}")
            continue
        write_whole(path, text.encode())
    return worst
