"""What the commands share: exit statuses, reading, what people see, files to write."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from qubopuzzle.errors import DeadlineExceeded, InputError

if TYPE_CHECKING:
    from qubopuzzle.model import IntArray
    from qubopuzzle.picture import Picture
    from qubopuzzle.puzzles import Violation
    from qubopuzzle.solving.solve import Puzzle

SOLVED, NOT_SOLVED, BAD_INPUT, UNSATISFIABLE, OUR_FAULT = 0, 1, 2, 3, 4
"""Exit statuses."""
EXIT_STATUS = """exit status:
  0  every instance solved and valid
  1  some not solved within the budget, or broken off
  2  wrong usage, bad input, or something that cannot run here
  3  proved to have no solution
  4  an error of this program"""


def complain(message: str, error: Exception | None = None) -> int:
    """Print one line to standard error; returns the exit status."""
    print(f"qubopuzzle: error: {clean(message)}", file=sys.stderr)
    return NOT_SOLVED if isinstance(error, DeadlineExceeded) else BAD_INPUT


def notice(message: str) -> None:
    """Print one line to standard error that is no error."""
    print(f"qubopuzzle: {clean(message)}", file=sys.stderr)


def clean(text: str) -> str:
    """One line without control characters: names in files must not steer a terminal."""
    return "".join(c if c.isprintable() else " " if c.isspace() else "?" for c in text)


def name_of(puzzle: Puzzle, number: int) -> str:
    """A puzzle's id, or its number in the file."""
    return clean(puzzle.id) or f"instance {number}"


def heading(puzzle: Puzzle) -> str:
    """A puzzle's id and title."""
    words = [puzzle.id, puzzle.title if puzzle.title != puzzle.id else ""]
    return clean(" ".join(filter(None, words)))


def text(picture: Picture) -> str:
    """A picture as this terminal can show it."""
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
    color = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return picture.text(color=color, ascii_only=not encoding.startswith("utf"))


def print_judged(
    puzzle: Puzzle, answer: IntArray, violations: Sequence[Violation], verdict: str
) -> None:
    """The answer with the cells marked that break a rule, the verdict, and the rules."""
    cells = {cell for violation in violations for cell in violation.cells}
    print(text(puzzle.picture(answer, cells)))
    print(verdict)
    for violation in violations:
        print(f"  {violation.rule}: {violation.message}")


def read_once(sources: Iterable[str | None]) -> None:
    """Raise InputError if standard input is to be read twice."""
    if list(sources).count("-") > 1:
        raise InputError("standard input (-) can be read only once")


def load(args: Namespace) -> list[Puzzle]:
    """The puzzles of all sources."""
    from qubopuzzle.solving import solve as pipeline

    read_once(args.sources)
    return [p for source in args.sources for p in pipeline.load(source, args.puzzle, args.format)]


def sampler_path(solvers: Iterable[str | None]) -> None:
    """Let ``dimod:module:Class`` name a sampler in a file of the folder that one is in."""
    if any(name is not None and name.startswith("dimod:") for name in solvers):
        sys.path.append(str(Path.cwd()))


def check_output(option: str, name: str | None) -> None:
    """Refuse a file that cannot be written, or a plot of no known format, before any work."""
    from qubopuzzle.files.writing import check_place, image_format

    if name is not None:
        (image_format if option == "--plot" else check_place)(Path(name))


def paths(option: str, pattern: str | None, puzzles: Sequence[Puzzle]) -> list[Path] | list[None]:
    """The file for each puzzle, None without a pattern; checked if it is to be written."""
    from qubopuzzle.files.writing import with_id

    if pattern is None:
        return [None] * len(puzzles)
    if option != "--replay":
        check_output(option, pattern)
    names = [name_of(puzzle, number) for number, puzzle in enumerate(puzzles, start=1)]
    paths = [with_id(pattern, name) for name in names]
    if len(set(paths)) < len(paths):
        what = "put {id} into the name" if "{id}" not in pattern else "their ids are not unique"
        raise InputError(f"{option} {pattern}: there are {len(paths)} puzzles; {what}")
    return paths


def plot(path: Path | None, picture: Picture) -> None:
    """Draw to a file, if there is one."""
    from qubopuzzle.files.writing import image_format, write_whole

    if path is not None:
        write_whole(path, picture.image(image_format(path)))


def write_puzzles(puzzles: Sequence[Puzzle], to: str, output: str | None) -> None:
    """Puzzles in a format: to standard output, to a file, or to one each for ``{id}``."""
    from qubopuzzle.files.writing import write_whole
    from qubopuzzle.solving import solve as pipeline

    if output is None:
        data = pipeline.write_text(puzzles, to)
        print(data, end="" if data.endswith("\n") else "\n", flush=True)
    elif "{id}" in output:
        texts = [pipeline.write_text([puzzle], to) for puzzle in puzzles]
        for path, data in zip(paths("--output", output, puzzles), texts, strict=True):
            write_whole(cast("Path", path), data.encode())
    else:
        write_whole(Path(output), pipeline.write_text(puzzles, to).encode())
