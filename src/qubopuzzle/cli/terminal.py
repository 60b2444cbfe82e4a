"""What the commands share: exit statuses, reading, what people see, files to write."""

from __future__ import annotations

import os
import sys
import time
from argparse import Namespace
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from qubopuzzle.errors import DeadlineExceeded, InputError, Unsatisfiable, printable

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from qubopuzzle.answer import Answer
    from qubopuzzle.picture import Picture
    from qubopuzzle.problem import Problem

SOLVED, NOT_SOLVED, BAD_INPUT, UNSATISFIABLE, OUR_FAULT = 0, 1, 2, 3, 4
"""Exit statuses."""
SEVERITY = (SOLVED, UNSATISFIABLE, NOT_SOLVED, BAD_INPUT)
"""Of several: bad input outweighs not solved, which outweighs no solution."""
EXIT_STATUS = """exit status:
  0  every instance has a valid answer, the best that was found
  1  some have none: the budget or Ctrl-C ended the search first
  2  wrong usage, bad input, or something that cannot run here
  3  proved to have no solution
  4  an error of this program"""


class Drawn(str):
    """Lines of our own making, with escape sequences in them."""

    __slots__ = ()


def say(*lines: str, error: bool = False) -> None:
    """Print lines, and pictures, to standard output or error: all commands print by this.

    Names in files, models and answers must not steer a terminal, so what is not ``Drawn`` is
    cleaned.
    """
    shown = (line if isinstance(line, Drawn) else printable(line) for line in lines)
    print(*shown, sep="\n", file=sys.stderr if error else sys.stdout, flush=True)


def complain(message: str, error: Exception | None = None) -> int:
    """Print one line to standard error; returns the exit status, BAD_INPUT of most errors."""
    say(f"qubopuzzle: error: {message}", error=True)
    if isinstance(error, Unsatisfiable):
        return UNSATISFIABLE
    return NOT_SOLVED if isinstance(error, DeadlineExceeded) else BAD_INPUT


def notice(message: str) -> None:
    """Print one line to standard error that is no error."""
    say(f"qubopuzzle: {message}", error=True)


def name_of(problem: Problem, number: int) -> str:
    """A problem's id, or its number in the file."""
    return printable(problem.id) or f"instance {number}"


def heading(problem: Problem) -> str:
    """A problem's id and title."""
    words = [problem.id, problem.title if problem.title != problem.id else ""]
    return " ".join(filter(None, words))


def text(picture: Picture | None) -> Drawn:
    """A picture as this terminal can show it; nothing without one."""
    if picture is None:
        return Drawn()
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
    color = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return Drawn(picture.text(color=color, ascii_only=not encoding.startswith("utf")))


def answer_text(answer: Answer, marked: Iterable[tuple[int, ...]] | None = None) -> Drawn:
    """An answer's picture with cells marked, those of violations without; a model's values."""
    return text(answer.picture(marked)) or Drawn(answer.text())


def print_answer(answer: Answer, verdict: str) -> None:
    """The answer, the verdict, and what is wrong."""
    say(answer_text(answer), verdict, *(f"  {v.rule}: {v.message}" for v in answer.violations))


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], right: Container[int] = ()
) -> None:
    """Print a table; the columns numbered in ``right`` are set to the right.

    On a terminal it is folded to the width; into a pipe, long lines stay whole.
    """
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for i, column in enumerate(columns):
        justify: Literal["left", "right"] = "right" if i in right else "left"
        table.add_column(column, justify=justify, no_wrap=i == 0, overflow="fold")
    for row in rows:
        table.add_row(*map(printable, row))
    width = None if sys.stdout.isatty() else 1000
    console = Console(width=width, highlight=False, markup=False)
    with console.capture() as printed:
        console.print(table)
    say(Drawn("\n".join(line.rstrip() for line in printed.get().rstrip().splitlines())))


def read_once(sources: Iterable[str | None]) -> None:
    """Raise InputError if standard input is to be read twice."""
    if list(sources).count("-") > 1:
        raise InputError("standard input (-) can be read only once")


def load(args: Namespace) -> list[Problem]:
    """The puzzles and models of all sources."""
    return [problem for problem, _ in load_timed(args)]


def load_timed(args: Namespace) -> list[tuple[Problem, float]]:
    """The same, each with its share of the seconds that reading its source took."""
    from qubopuzzle.solving import loading

    read_once(args.sources)
    loaded: list[tuple[Problem, float]] = []
    for source in args.sources:
        started = time.perf_counter()
        problems = loading.load(source, args.puzzle, args.format)
        share = (time.perf_counter() - started) / len(problems)
        loaded += [(problem, share) for problem in problems]
    return loaded


@contextmanager
def executor(args: Namespace) -> Iterator[Executor | None]:
    """What ``--executor`` names, if it is given."""
    if args.executor is None:
        yield None
        return
    from qubopuzzle.base.executors import open_executor

    with open_executor(args.executor, args.jobs) as opened:
        yield opened


def sampler_path(solvers: Iterable[str | None]) -> None:
    """Let ``dimod:module:Class`` name a sampler in a file of the folder that one is in."""
    if any(name is not None and name.startswith(("dimod:", "dwave:")) for name in solvers):
        sys.path.append(str(Path.cwd()))


def check_output(option: str, name: str | None) -> None:
    """Refuse a file that cannot be written, a plot of no known format or a text named like one."""
    from qubopuzzle.base.writing import IMAGE_FORMATS, check_place, film_format, image_format

    if name is None:
        return
    {"--plot": image_format, "--film": film_format}.get(option, check_place)(Path(name))
    if option != "--plot" and Path(name).suffix.lower().lstrip(".") in IMAGE_FORMATS:
        raise InputError(f"{option} {name}: no picture is written there; `show --plot FILE` draws")


def paths(
    option: str, pattern: str | None, puzzles: Sequence[Problem], *, together: bool = False
) -> list[Path] | list[None]:
    """The file for each puzzle, None without a pattern; checked if it is to be written.

    ``together``: one file may hold them all.
    """
    from qubopuzzle.base.writing import with_id

    if pattern is None:
        return [None] * len(puzzles)
    if option != "--replay":
        check_output(option, pattern)
    if together and "{id}" not in pattern:
        return [Path(pattern)] * len(puzzles)
    names = [name_of(puzzle, number) for number, puzzle in enumerate(puzzles, start=1)]
    paths = [with_id(pattern, name) for name in names]
    if len(set(paths)) < len(paths):
        what = "put {id} into the name" if "{id}" not in pattern else "their ids are not unique"
        raise InputError(f"{option} {pattern}: there are {len(paths)} puzzles; {what}")
    return paths


def plot(path: Path | None, picture: Picture | None) -> None:
    """Draw to a file, if there is one."""
    from qubopuzzle.base.writing import image_format, write_whole

    if path is None:
        return
    if picture is None:
        raise InputError(f"{path}: not drawn: a model has no picture")
    write_whole(path, picture.image(image_format(path)))


def texts_of(
    puzzles: Sequence[Problem], to: str, files: Sequence[Path | None]
) -> dict[Path | None, str]:
    """The text of each file in a format; InputError for what it cannot hold."""
    from qubopuzzle.files.puzzles import write_text

    parts: dict[Path | None, list[Problem]] = {}
    for puzzle, path in zip(puzzles, files, strict=True):
        parts.setdefault(path, []).append(puzzle)
    return {path: write_text(part, to) for path, part in parts.items()}


def write_puzzles(puzzles: Sequence[Problem], to: str, files: Sequence[Path | None]) -> None:
    """Puzzles in a format: each to its file, which others may share; standard output for None."""
    from qubopuzzle.base.writing import write_whole

    for path, text in texts_of(puzzles, to, files).items():
        if path is None:
            say(Drawn(text.removesuffix("\n")))  # formats hold no control characters
        else:
            write_whole(path, text.encode())
