"""``qubopuzzle generate``."""

import os
import time
from argparse import Namespace
from contextlib import ExitStack, closing, nullcontext
from typing import TYPE_CHECKING, Any

from qubopuzzle.base.signals import came, defer_interrupt
from qubopuzzle.cli import terminal
from qubopuzzle.cli.parser import Parser, puzzle
from qubopuzzle.cli.terminal import (
    NOT_SOLVED,
    SOLVED,
    check_output,
    notice,
    paths,
    say,
    write_puzzles,
)
from qubopuzzle.errors import InputError

if TYPE_CHECKING:
    from qubopuzzle.puzzles import Puzzle
    from qubopuzzle.reasons.generate import Generated

_EXIT_STATUS = """exit status:
  0  every puzzle is made, and proved to have one solution
  1  broken off; those that are finished are written
  2  wrong usage, no such puzzle found, or two solvers disagree
  4  an error of this program"""
_IMAGE = ("threshold", "dither", "invert", "colours", "most_changes")
"""Options that say how an image is read; None where they are not given."""
_CHANGES_SHOWN = 10
_SHARE, _MOST_JOBS = 5, 8
"""Puzzles for which another process pays off, and processes that nobody asked for."""


def add_arguments(parser: Parser) -> None:
    """Which puzzles, how many, and where to."""
    parser.epilog = _EXIT_STATUS
    add = parser.option
    parser.add_argument("puzzle", metavar="PUZZLE", help="such as kurodoko", type=puzzle)
    add("--size RxC", "rows and columns (default: the puzzle's usual size)")
    add("--seed N", "the same seed gives the same puzzles")
    add("--count N", "how many (default 1)", default=1)
    add("--difficulty D", "easy, medium or hard: which of five that are made")
    add("--option NAME=VALUE", "an option of the puzzle, such as letters=4; repeatable")
    add("--confirm S", "a second exact solver that must agree, such as cpsat")
    add("--jobs N", f"processes at work (default: one for {_SHARE} puzzles, up to the cores)")
    parser.shared("--executor E")
    add("--to F", "the format (default json), see `qubopuzzle formats`", default="json")
    parser.output()
    image = parser.add_argument_group("from an image")
    add("--image FILE", "a nonogram as near to a picture, or a text of # and ., as can be", image)
    add("--threshold N", "grey from N (1 to 255) on is white", image)
    add("--dither", "greys as patterns, no threshold", image, default=None)
    add("--invert", "the light cells are the black ones", image, default=None)
    add("--colours N", "as many besides the lightest, which is blank: 2 to 7", image)
    add("--most-changes N", "cells that may change (default: a tenth)", image)


def run(args: Namespace) -> int:
    """Write new puzzles; those that are finished stay if it is broken off."""
    from qubopuzzle.base.checks import whole
    from qubopuzzle.files.puzzles import check_format
    from qubopuzzle.reasons import generate as generating
    from qubopuzzle.solving import bars

    check_output("--output", args.output)
    check_format(args.to, args.puzzle)
    how = _how(args)
    wanted = {
        name: getattr(args, name) for name in ("size", "seed", "count", "difficulty", "confirm")
    }
    asked = generating.Order(args.puzzle, **wanted, options=dict(args.option))
    output, made, status = _Output(args.output, args.to), 0, SOLVED
    jobs = _usual_jobs(asked.count) if args.jobs is None else whole("jobs", args.jobs, 1)
    try:
        with terminal.executor(args) as executor, ExitStack() as ending:
            if args.image is not None:
                keep = args.size is None
                one = generating.from_image(asked, args.image, keep_shape=keep, how=how)
                puzzles = (each for each in (one,))
            else:
                puzzles = generating.generate_each(asked, jobs, executor)
            ending.enter_context(closing(puzzles))
            advance = ending.enter_context(bars.counting(args.puzzle, args.count))
            for each in puzzles:
                made += 1
                output.add(each)
                advance(args.puzzle)
                if came() and made < args.count:  # a library swallowed the interruption
                    raise KeyboardInterrupt
    except KeyboardInterrupt:
        notice(f"interrupted; {made} of {args.count} made")
        status = NOT_SOLVED
    finally:
        output.write()
    return status


def _usual_jobs(count: int) -> int:
    """Processes for so many puzzles, where nobody says how many."""
    has_affinity = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    return max(1, min(count // _SHARE, cores, _MOST_JOBS))


class _Output:
    """Where puzzles go as they are made: a file of all, which is whole at any time, or one each.

    What a puzzle is like is told when it is written.
    """

    def __init__(self, file: str | None, form: str) -> None:
        self._file, self._form = file, form
        self._one_each = file is None or "{id}" in file
        self._new: list[Generated] = []
        self._written: list[Puzzle] = []
        self._due = 0.0

    def add(self, made: "Generated") -> None:
        """Write a puzzle now, or soon: no more than a tenth of the time goes into a file of all."""
        self._new.append(made)
        began = time.monotonic()
        if self._one_each or began >= self._due:
            self.write()
            self._due = time.monotonic() + 9 * (time.monotonic() - began)

    def write(self) -> None:
        """Write what is not written yet."""
        if not self._new:
            return
        # A pipe's reader may keep us waiting, and then Ctrl-C must be heard.
        with defer_interrupt() if self._file else nullcontext():
            written, self._new = self._new, []
            new = [made.puzzle for made in written]
            self._written = new if self._one_each else self._written + new
            files = paths("--output", self._file, self._written, together=True)
            write_puzzles(self._written, self._form, files)
        for made in written:
            say(f"{made.puzzle.id}: {_words(made)}", error=True)


def _how(args: Namespace) -> dict[str, Any]:
    """How the image is read; InputError for what does not go with one, or without."""
    how = {name: getattr(args, name) for name in _IMAGE if getattr(args, name) is not None}
    for name in how if args.image is None else ():
        raise InputError(f"--{name.replace('_', '-')} goes with --image")
    if args.image is not None and (args.count > 1 or args.difficulty or args.option):
        raise InputError("--image makes one puzzle: leave --count, --difficulty and --option out")
    return how


def _words(made: "Generated") -> str:
    way = made.difficulty
    if way is None:
        words = f"{made.puzzle.cells:,} cells, of which no steps are looked for"
    else:
        several = f"by up to {way.hardest} clues and rules at once"
        how = "by one clue or rule each" if way.hardest <= 1 else several
        words = f"{way.steps} steps {how}"
    words += ", annealing not solved" if made.sweeps is None else f", {made.sweeps:,} sweeps"
    cells = " ".join(f"({r},{c})" for r, c in made.changed[:_CHANGES_SHOWN])
    more = " ..." if len(made.changed) > _CHANGES_SHOWN else ""
    return f"{words}; {len(made.changed)} cells changed: {cells}{more}" if cells else words
