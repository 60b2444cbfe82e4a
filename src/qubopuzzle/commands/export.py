"""``qubopuzzle export``."""

from __future__ import annotations

import argparse
from pathlib import Path

from qubopuzzle.commands.terminal import SOLVED, paths
from qubopuzzle.errors import InputError


def export(args: argparse.Namespace) -> int:
    """Write each puzzle's model to a file."""
    from qubopuzzle import pipeline
    from qubopuzzle.report.files import write_whole

    suffix = Path(args.file).suffix.lower()
    if suffix not in pipeline.EXPORTS:
        known = ", ".join(pipeline.EXPORTS)
        raise InputError(f"{args.file}: a model's name ends in one of {known}")
    puzzles = pipeline.load(args.source, args.puzzle)
    for path, puzzle in zip(paths("FILE", args.file, puzzles), puzzles, strict=True):
        text = pipeline.EXPORTS[suffix](
            puzzle, formulation=args.formulation, presolve=args.presolve
        )
        write_whole(path, text.encode())
    return SOLVED
