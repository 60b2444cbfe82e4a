"""``.non`` (Simpson): keyword lines, then ``rows`` and ``columns`` with one clue a line.

Several puzzles in one file are divided by lines of ``====``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from qubopuzzle.errors import InputError
from qubopuzzle.grid import BLACK, WHITE
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.puzzles.nonogram import Nonogram

_KEYWORDS = {"title": "title", "by": "author", "license": "licence", "catalogue": "source"}
_DIVIDER = re.compile(r"^={4,}\s*$")


def sniff(text: str) -> bool:
    """A line that says ``rows`` and one that says ``columns``."""
    words = {line.strip().lower() for line in text.splitlines()}
    return {"rows", "columns"} <= words


def read(text: str, puzzle: str | None = None) -> list[Puzzle]:
    """Read every puzzle of a file.

    Raises:
        InputError: naming the line.

    """
    if puzzle not in (None, Nonogram.name):
        return []
    sections: list[_Section] = [_Section(1)]
    for number, line in enumerate(text.splitlines(), start=1):
        if _DIVIDER.match(line):
            sections.append(_Section(number + 1))
        else:
            sections[-1].lines.append(line)
    return [_puzzle(section) for section in sections if any(s.strip() for s in section.lines)]


@dataclass
class _Section:
    """The lines of one puzzle and the number of the first."""

    first: int
    lines: list[str] = field(default_factory=list)


def _puzzle(section: _Section) -> Nonogram:
    clues: dict[str, list[list[int]]] = {"rows": [], "columns": []}
    words: dict[str, str] = {}
    current: str | None = None
    for number, line in enumerate(section.lines, start=section.first):
        text = line.strip()
        keyword, _, rest = text.partition(" ")
        if text.lower() in clues:
            current = text.lower()
            if clues[current]:
                raise InputError(f"line {number}: {current} for the second time")
        elif keyword.lower() in _KEYWORDS or keyword.lower() in ("width", "height", "goal"):
            words[keyword.lower()] = rest.strip().strip('"')
            current = None if keyword.lower() == "goal" else current
        elif current and text[:1].isdigit():
            clues[current].append(_clue(number, text))
        elif current and not text and len(clues[current]) < _expected(words, current):
            clues[current].append([])
    return _finish(section, clues, words)


def _expected(words: dict[str, str], current: str) -> int:
    """How many clues the section has; an empty line beyond them only divides."""
    size = words.get("height" if current == "rows" else "width", "")
    return int(size) if size.isascii() and size.isdigit() and len(size) < 7 else 0


def _clue(number: int, text: str) -> list[int]:
    clue = []
    for part in filter(None, re.split(r"[,\s]+", text)):
        if re.fullmatch(r"[0-9]+[A-Za-z]+", part):
            raise InputError(f"line {number}: {part[:20]!r} has a colour; only black and white")
        if not re.fullmatch(r"[0-9]{1,9}", part):
            raise InputError(f"line {number}: {part[:20]!r} is no clue")
        clue.append(int(part))
    return clue


def _finish(
    section: _Section, clues: dict[str, list[list[int]]], words: dict[str, str]
) -> Nonogram:
    for key, name in (("rows", "height"), ("columns", "width")):
        expected = _expected(words, key)
        if expected and len(clues[key]) != expected:
            raise InputError(
                f"the puzzle at line {section.first}: {name} is {expected} "
                f"but there are {len(clues[key])} {key}"
            )
    about = {_KEYWORDS[key]: value for key, value in words.items() if key in _KEYWORDS}
    about["id"] = words.get("title", "")
    data = {"rows": clues["rows"], "cols": clues["columns"], **about}
    goal = re.sub(r"[^01]", "", words.get("goal", ""))
    columns = len(clues["columns"])
    if goal and columns and len(goal) == columns * len(clues["rows"]):
        shades = goal.replace("1", BLACK).replace("0", WHITE)
        data["solution"] = [shades[i : i + columns] for i in range(0, len(goal), columns)]
    try:
        return Nonogram.from_dict(data)
    except InputError as error:
        raise InputError(f"the puzzle at line {section.first}: {error}") from None
