"""A puzzle as one types it: its name and its clues, a line a puzzle.

    nonogram rows=1;1 1;1 1;5;1 1 cols=2;3;1 1;3;2
    kurodoko grid=5.5;...;3.3

Clues are what the puzzles' classes take as text. Without a name it is a nonogram, or with a grid
what ``--puzzle`` says, else a sudoku.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from qubopuzzle.errors import InputError, at
from qubopuzzle.files.puzzles.clues import named
from qubopuzzle.files.puzzles.lines import check_count, head_of, lines_of
from qubopuzzle.puzzles import Puzzle, get_puzzle

NAME = "typed"
ABOUT = "a puzzle as one types it: rows=1;1 1 cols=1;1;1, or kurodoko grid=5.5;...;3.3"
PUZZLES = ("hitori", "kurodoko", "nonogram", "numberlink", "sudoku")

_CLUES = ("rows", "cols", "grid")
_LINE = re.compile(rf"(?:({'|'.join(PUZZLES)})\s+)?((?:{'|'.join(_CLUES)})\s*=.*)")
_KEY = re.compile(r"(?:^|\s)([a-z]+)\s*=")


def sniff(text: str) -> bool:
    """Whether the first line is one."""
    first = next((line for _, line in head_of(text.lstrip())), "")
    return _LINE.fullmatch(first.strip()) is not None


def read(text: str, kind: str | None = None) -> list[Puzzle]:
    """Read every line; of puzzles with names those of ``kind``."""
    lines = [(number, line.strip()) for number, line in lines_of(text) if line.strip()]
    check_count(number for number, _ in lines)
    return [*_puzzles(lines, kind)]


def write(puzzles: Sequence[Puzzle]) -> str:
    """One line a puzzle."""
    lines = []
    for puzzle in puzzles:
        data = {k: v for k, v in puzzle.to_dict().items() if k in _CLUES}
        line = f"{puzzle.name} " + " ".join(f"{key}={_text(data[key])}" for key in data)
        if read(line) != [puzzle]:
            raise InputError(f"{named(puzzle)}: {NAME} has clues and nothing else; write json")
        lines.append(line + "\n")
    return "".join(lines)


def _puzzles(lines: Sequence[tuple[int, str]], kind: str | None) -> Iterator[Puzzle]:
    for number, line in lines:
        with at(f"line {number}"):
            match = _LINE.fullmatch(line)
            if match is None:
                raise InputError(
                    "expected a puzzle's name and clues, such as rows=1;1 1 cols=1;1;1"
                )
            _, *parts = _KEY.split(match[2])
            data = dict(zip(parts[::2], map(str.strip, parts[1::2]), strict=True))
            guess = (kind or "sudoku") if "grid" in data else "nonogram"
            name = match[1] or guess
            if kind in (None, name):
                yield get_puzzle(name).from_dict(data)


def _text(lines: Sequence[Any]) -> str:
    """Rows of numbers as text; ``.`` for None."""
    return ";".join(" ".join("." if n is None else str(n) for n in line) or "0" for line in lines)
