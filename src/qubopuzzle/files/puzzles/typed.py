"""A puzzle as one types it: its name and its clues, a line a puzzle.

    nonogram rows=1;1 1;1 1;5;1 1 cols=2;3;1 1;3;2
    kurodoko grid=5.5;...;3.3

Clues are what the puzzles' classes take as text; they may go on in lines of their own. Without a
name it is a nonogram, or with a grid what ``--puzzle`` says, else a sudoku.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from qubopuzzle.errors import InputError, at
from qubopuzzle.files.puzzles.clues import named
from qubopuzzle.files.puzzles.lines import Line, check_count, first_said, lines_of, said
from qubopuzzle.puzzles import Puzzle, get_puzzle, puzzle_name

NAME = "typed"
ABOUT = "a puzzle as one types it: rows=1;1 1 cols=1;1;1, or kurodoko grid=5.5;...;3.3"
PUZZLES = ("hitori", "kurodoko", "nonogram", "numberlink", "sudoku")

_CLUES = ("rows", "cols", "grid")
_LINE = re.compile(rf"(?:([A-Za-z][\w-]{{0,30}})\s+)?((?:{'|'.join(_CLUES)})\s*=.*)", re.ASCII)
_KEY = re.compile(r"(?:^|\s)([a-z]+)\s*=")


def sniff(text: str) -> bool:
    """Whether the first line is one."""
    return _LINE.fullmatch(first_said(text)) is not None


def read(text: str, kind: str | None = None) -> list[Puzzle]:
    """Read every puzzle; of those with names those of ``kind``."""
    check_count(number for number, line in said(lines_of(text)) if "=" in line)
    return [*_puzzles(_joined(said(lines_of(text))), kind)]


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


def _joined(lines: Iterable[Line]) -> Iterator[Line]:
    """Each puzzle on one line: a line without a name goes on with a clue that was not yet there."""
    number, whole = 0, ""
    for here, line in lines:
        match = _LINE.fullmatch(line)
        keys = [*_KEY.findall(whole), *_KEY.findall(line)]
        new = match is None or match[1] or "grid" in keys or len({*keys}) < len(keys)
        if whole and new:
            yield number, whole
            whole = ""
        number, whole = (number, f"{whole} {line}") if whole else (here, line)
    if whole:
        yield number, whole


def _puzzles(lines: Iterable[Line], kind: str | None) -> Iterator[Puzzle]:
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
            name = puzzle_name(match[1] or guess)
            if name not in PUZZLES:
                raise InputError(f"{name}: {NAME} has {', '.join(PUZZLES)}; write json")
            if kind in (None, name):
                yield get_puzzle(name).from_dict(data)


def _text(lines: Sequence[Any]) -> str:
    """Rows of numbers as text; ``.`` for None."""
    return ";".join(" ".join("." if n is None else str(n) for n in line) or "0" for line in lines)
