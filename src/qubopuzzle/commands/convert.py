"""``qubopuzzle convert`` and ``qubopuzzle formats``."""

from __future__ import annotations

import argparse
from pathlib import Path

from qubopuzzle.commands.terminal import SOLVED, paths
from qubopuzzle.errors import InputError


def convert(args: argparse.Namespace) -> int:
    """Write puzzles in another format."""
    from qubopuzzle.files.writing import check_place, write_whole
    from qubopuzzle.solving import solve as pipeline

    if args.sources.count("-") > 1:
        raise InputError("standard input (-) can be read only once")
    if args.output is not None:
        check_place(Path(args.output))
    puzzles = [p for s in args.sources for p in pipeline.load(s, args.puzzle, args.format)]
    if args.output is not None and "{id}" in args.output:
        files = paths("--output", args.output, puzzles)
        texts = [pipeline.write_text([puzzle], args.to) for puzzle in puzzles]
        for file, text in zip(files, texts, strict=True):
            write_whole(file, text.encode())
        return SOLVED
    text = pipeline.write_text(puzzles, args.to)
    if args.output is None:
        print(text, end="" if text.endswith("\n") else "\n")
    else:
        write_whole(Path(args.output), text.encode())
    return SOLVED


def formats(_: argparse.Namespace) -> int:
    """List the formats."""
    from qubopuzzle.report.tables import print_formats

    print_formats()
    return SOLVED
