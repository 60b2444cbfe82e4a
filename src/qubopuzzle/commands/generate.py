"""``qubopuzzle generate``."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qubopuzzle.commands.terminal import NOT_SOLVED, SOLVED, clean, paths
from qubopuzzle.errors import InputError

if TYPE_CHECKING:
    from qubopuzzle.generation.generate import Generated, Order
    from qubopuzzle.solving.solve import Puzzle


def generate(args: argparse.Namespace) -> int:
    """Write new puzzles; those that are finished stay if it is broken off."""
    from qubopuzzle.files.writing import check_place
    from qubopuzzle.generation import generate as generating
    from qubopuzzle.solving import solve as pipeline

    if args.output is not None:
        check_place(Path(args.output))
    pipeline.check_format(args.to, args.puzzle)
    if args.jobs < 1:
        raise InputError("jobs must be 1 at least")
    how = _how(args)
    asked = generating.order(
        args.puzzle,
        size=None if args.size is None else _size(args.size),
        seed=args.seed,
        count=args.count,
        difficulty=args.difficulty,
        confirm=args.confirm,
        options=dict(args.option),
    )
    made: list[Puzzle] = []
    status = SOLVED
    try:
        for each in _from_image(asked, args, how) if args.image else _each(asked, args.jobs):
            made.append(each.puzzle)
            print(f"{each.puzzle.id}: {_words(each)}", file=sys.stderr)
            if args.output is None:
                print(pipeline.write_text([each.puzzle], args.to), end="", flush=True)
    except KeyboardInterrupt:
        print(f"qubopuzzle: interrupted; {len(made)} of {args.count} made", file=sys.stderr)
        status = NOT_SOLVED
    finally:
        if args.output is not None and made:
            _write(args.output, args.to, made)
    return status


_IMAGE = ("threshold", "dither", "invert", "most_changes")


def _how(args: argparse.Namespace) -> dict[str, Any]:
    """What is said about the image; InputError for what does not go with one, or without."""
    how = {name: getattr(args, name) for name in _IMAGE if getattr(args, name)}
    for name in how if args.image is None else ():
        raise InputError(f"--{name.replace('_', '-')} goes with --image")
    if args.image is not None and (args.count > 1 or args.difficulty or args.option):
        raise InputError("--image makes one puzzle: leave --count, --difficulty and --option out")
    return how


def _from_image(asked: Order, args: argparse.Namespace, how: dict[str, Any]) -> Iterator[Generated]:
    from qubopuzzle.generation import generate as generating

    yield generating.from_image(asked, args.image, keep_shape=args.size is None, how=how)


def _each(asked: Order, jobs: int) -> Iterator[Generated]:
    from qubopuzzle.generation import generate as generating
    from qubopuzzle.report import progress

    with progress.numbered(asked.puzzle, asked.count) as advance:
        for each in generating.generate_each(asked, jobs):
            advance()
            yield each


def _write(output: str, to: str, puzzles: list[Puzzle]) -> None:
    from qubopuzzle.files.writing import write_whole
    from qubopuzzle.solving import solve as pipeline

    if "{id}" in output:
        for file, puzzle in zip(paths("--output", output, puzzles), puzzles, strict=True):
            write_whole(file, pipeline.write_text([puzzle], to).encode())
    else:
        write_whole(Path(output), pipeline.write_text(puzzles, to).encode())


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"([0-9]{1,6})x([0-9]{1,6})", text)
    if match is None:
        raise InputError(f"--size {clean(text)[:40]}: expected ROWSxCOLUMNS, such as 10x10")
    return int(match[1]), int(match[2])


def _words(made: Generated) -> str:
    found = made.difficulty
    sweeps = "annealing not solved" if found.sweeps is None else f"{found.sweeps:,} sweeps"
    share = f"propagation {found.propagated} of {found.cells} cells"
    words = f"{found.level}: {share}, {found.conflicts:,} conflicts, {sweeps}"
    cells = " ".join(f"({r},{c})" for r, c in made.changed[:10])
    more = " ..." if len(made.changed) > 10 else ""
    return f"{words}; {len(made.changed)} cells changed: {cells}{more}" if cells else words
