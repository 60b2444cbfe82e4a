"""What the commands share: names, pictures and complaints in a terminal, files to write."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from qubopuzzle.errors import DeadlineExceeded, InputError

if TYPE_CHECKING:
    from qubopuzzle.picture import Picture
    from qubopuzzle.solving.solve import Puzzle

SOLVED, NOT_SOLVED, BAD_INPUT, UNSATISFIABLE, OUR_FAULT = 0, 1, 2, 3, 4
"""Exit statuses."""


def complain(message: str, error: Exception | None = None) -> int:
    """Print one line to standard error; returns the exit status."""
    print(f"qubopuzzle: error: {clean(message)}", file=sys.stderr)
    return NOT_SOLVED if isinstance(error, DeadlineExceeded) else BAD_INPUT


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


def plot_paths(pattern: str | None, puzzles: Sequence[Puzzle]) -> list[Path]:
    """The file for each puzzle's drawing; what cannot be written is refused before any work."""
    from qubopuzzle.files.writing import image_format

    if pattern is not None:
        image_format(Path(pattern))
    return paths("--plot", pattern, puzzles)


def paths(
    option: str, pattern: str | None, puzzles: Sequence[Puzzle], *, reading: bool = False
) -> list[Path]:
    """The file for each puzzle, none without a pattern; checked unless it is there to be read."""
    from qubopuzzle.files.writing import check_place, with_id

    if pattern is None:
        return []
    if not reading:
        check_place(Path(pattern))
    names = [name_of(puzzle, number) for number, puzzle in enumerate(puzzles, start=1)]
    paths = [with_id(pattern, name) for name in names]
    if len(set(paths)) < len(paths):
        what = "put {id} into the name" if "{id}" not in pattern else "their ids are not unique"
        raise InputError(f"{option} {pattern}: there are {len(paths)} puzzles; {what}")
    return paths


def plot(paths: list[Path], number: int, picture: Picture) -> None:
    """Draw to the file of the puzzle's number."""
    from qubopuzzle.files.writing import image_format, write_whole

    if paths:
        path = paths[number - 1]
        write_whole(path, picture.image(image_format(path)))


def weights_of(pairs: list[tuple[str, str]]) -> dict[str, float]:
    """Penalty weights from the command line; InputError for what is no number."""
    weights: dict[str, float] = {}
    for family, value in pairs:
        try:
            number = float(value)
        except ValueError:
            raise InputError(f"weight of {family} must be a number, got {value!r}") from None
        # Whole weights stay whole: the QUBO's coefficients are then exact integers.
        weights[family] = int(number) if number.is_integer() else number
    return weights
