"""Nonograms of the solvers pynogram (INI) and nonogrid (TOML): ``[clues]``, columns and rows.

A clue is numbers with spaces between; clues are divided by line ends or commas, and may stand in
quotes. What follows ``#`` or ``;`` is a comment. One puzzle a file. Runs may have a letter, such as
``3r``; what these look like, in another section, is not read.

    [clues]
    columns = 2, 1 1
    rows =
        2
        0
"""

import re
from collections.abc import Iterator

from qubopuzzle.errors import InputError
from qubopuzzle.files.puzzles import Format
from qubopuzzle.files.puzzles.clues import clue_text, read_clue
from qubopuzzle.files.puzzles.lines import head_of, lines_of
from qubopuzzle.puzzles.nonogram.rules import LINE_LIMIT, Nonogram, Run

_KEYS = {"columns": "cols", "rows": "rows"}
_SECTION = re.compile(r"\[\s*(\w{1,40})\s*\]")
_KEY = re.compile(r"(\w{1,40})\s*[=:](.*)")
_COMMENT = re.compile(r"(?:^|\s)[#;].*")
_QUOTES = str.maketrans(dict.fromkeys("\"'[]", " "))


def _read(text: str, _kind: str | None = None) -> list[Nonogram]:
    clues: dict[str, list[list[Run]]] = {}
    for number, key, clue in _clues(text):
        axis_clues = clues.setdefault(key, [])
        if len(axis_clues) == LINE_LIMIT:
            most = f"a nonogram here has 1 to {LINE_LIMIT} rows and columns"
            raise InputError(f"line {number}: too many clues; {most}")
        axis_clues.append(read_clue(number, clue, colours=True))
    for name, key in _KEYS.items():
        if key not in clues:
            raise InputError(f"no {name} below [clues]")
    return [Nonogram.from_dict(clues)]


def _lines(puzzle: Nonogram) -> Iterator[str]:
    yield "[clues]"
    for name, key in _KEYS.items():
        yield f"{name} ="
        yield from (f"    {clue_text(clue)}" for clue in getattr(puzzle, key))


def _clues(text: str) -> Iterator[tuple[int, str, str]]:
    """The line of each clue, whether it is one of ``rows`` or ``cols``, and its text."""
    section, key = "", ""
    for number, line in lines_of(text):
        content = _COMMENT.sub("", line).strip()
        if match := _SECTION.fullmatch(content):
            section, key = match[1].lower(), ""
            continue
        if section != "clues":
            continue
        if match := _KEY.fullmatch(content):
            key, content = _KEYS.get(match[1].lower(), ""), match[2]
        elif content and not key:
            raise InputError(f"line {number}: columns = or rows = is due")
        clues = (clue.strip() for clue in content.translate(_QUOTES).split(","))
        yield from ((number, key, clue) for clue in clues if clue and key)


FORMAT = Format(
    name="pynogram",
    about="nonogram files of the solvers pynogram and nonogrid: [clues], columns and rows",
    puzzles=("nonogram",),
    detect=lambda text: any(line.lower() == "[clues]" for _, line in head_of(text)),
    read=_read,
    lines=_lines,
    join=None,
)
