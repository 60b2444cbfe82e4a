"""A puzzle as one types it: its name and its clues, a line a puzzle.

    nonogram rows=1;1 1;1 1;5;1 1 cols=2;3;1 1;3;2
    kurodoko grid=5.5;...;3.3

Clues are what the puzzles' classes take as text; they may go on in lines of their own. Without a
name it is a nonogram, or with a grid what ``--puzzle`` says, else a sudoku.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from qubopuzzle.errors import InputError
from qubopuzzle.files.puzzles import Format
from qubopuzzle.files.puzzles.lines import first_said, read_boards, said_lines
from qubopuzzle.puzzles import Puzzle, get_puzzle, puzzle_name

_PUZZLES = ("hitori", "kurodoko", "nonogram", "numberlink", "sudoku")
_CLUES = ("rows", "cols", "grid")
_LINE = re.compile(rf"(?:([A-Za-z][\w-]{{0,30}})\s+)?((?:{'|'.join(_CLUES)})\s*=.*)", re.ASCII)
_KEY = re.compile(r"(?:^|\s)([a-z]+)\s*=")


def _read(text: str, kind: str | None = None) -> list[Puzzle]:
    """Every puzzle; of those with names those of ``kind``."""
    return read_boards(_joined(said_lines(text)), lambda line, _: _puzzles(line, kind))


def _lines(puzzle: Puzzle) -> list[str]:
    data = {k: v for k, v in puzzle.to_dict().items() if k in _CLUES}
    line = f"{puzzle.name} " + " ".join(f"{key}={_text(data[key])}" for key in data)
    if _read(line) != [puzzle]:
        raise InputError("typed has clues and nothing else; write json")
    return [line]


def _joined(lines: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Each puzzle on one line: a line without a name goes on with a clue that was not yet there."""
    place, whole = "", ""
    for here, line in lines:
        match = _LINE.fullmatch(line)
        keys = [*_KEY.findall(whole), *_KEY.findall(line)]
        new = match is None or match[1] or "grid" in keys or len({*keys}) < len(keys)
        if whole and new:
            yield place, whole
            whole = ""
        place, whole = (place, f"{whole} {line}") if whole else (here, line)
    if whole:
        yield place, whole


def _puzzles(line: str, kind: str | None) -> Iterator[Puzzle]:
    match = _LINE.fullmatch(line)
    if match is None:
        raise InputError("expected a puzzle's name and clues, such as rows=1;1 1 cols=1;1;1")
    _, *parts = _KEY.split(match[2])
    data = dict(zip(parts[::2], map(str.strip, parts[1::2]), strict=True))
    guess = (kind or "sudoku") if "grid" in data else "nonogram"
    name = puzzle_name(match[1] or guess)
    if name not in _PUZZLES:
        raise InputError(f"{name}: typed has {', '.join(_PUZZLES)}; write json")
    if kind in (None, name):
        yield get_puzzle(name).from_dict(data)


def _text(lines: Sequence[Any]) -> str:
    """Rows of numbers as text; ``.`` for None."""
    return ";".join(" ".join("." if n is None else str(n) for n in line) or "0" for line in lines)


FORMAT = Format(
    name="typed",
    about="a puzzle as one types it: rows=1;1 1 cols=1;1;1, or kurodoko grid=5.5;...;3.3",
    puzzles=_PUZZLES,
    detect=lambda text: _LINE.fullmatch(first_said(text)) is not None,
    read=_read,
    lines=_lines,
)
