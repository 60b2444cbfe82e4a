"""``.non`` (Simpson): keyword lines, then ``rows`` and ``columns`` with one clue a line.

Several puzzles in one file are divided by lines of ``====``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from qubopuzzle.errors import InputError, at
from qubopuzzle.files.puzzles.clues import clue_text, nonograms, one_line
from qubopuzzle.files.puzzles.lines import lines_of
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.puzzles.kinds.cells import BLACK, WHITE
from qubopuzzle.puzzles.nonogram import Nonogram

NAME = "non"
ABOUT = "nonogram files of Steve Simpson: keywords, rows and columns, perhaps the goal"
PUZZLES = ("nonogram",)

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
    for number, line in enumerate(lines_of(text), start=1):
        if _DIVIDER.match(line):
            sections.append(_Section(number + 1))
        else:
            sections[-1].lines.append(line)
    return [_puzzle(section) for section in sections if any(s.strip() for s in section.lines)]


def write(puzzles: Sequence[Puzzle]) -> str:
    """Every puzzle with title, author, licence, source and solution; the format has no ids.

    An id stands for a title that is missing, as it does in ``read``.

    Raises:
        InputError: naming a puzzle that is no nonogram.
    """
    texts = ("\n".join(_lines(puzzle)) + "\n" for puzzle in nonograms(puzzles, f".{NAME}"))
    return "====\n".join(texts)


def _lines(puzzle: Nonogram) -> Iterator[str]:
    for keyword, key in _KEYWORDS.items():
        text = one_line(getattr(puzzle, key) or (puzzle.id if key == "title" else ""))
        if text:
            yield f'{keyword} "{text}"'
    yield f"width {len(puzzle.cols)}"
    yield f"height {len(puzzle.rows)}"
    for name, clues in (("rows", puzzle.rows), ("columns", puzzle.cols)):
        yield from ("", name)
        yield from (clue_text(clue, ",") for clue in clues)
    if puzzle.solution is not None:
        goal = "".join("1" if cell else "0" for cell in puzzle.solution.ravel().tolist())
        yield from ("", f'goal "{goal}"')


@dataclass
class _Section:
    """The lines of one puzzle and the number of the first."""

    first: int
    lines: list[str] = field(default_factory=list)


@dataclass
class _Content:
    """What a section says: keywords, and the numbered lines below rows and columns."""

    words: dict[str, str] = field(default_factory=dict)
    lines: dict[str, list[tuple[int, str]]] = field(default_factory=dict)


def _puzzle(section: _Section) -> Nonogram:
    content = _content(section)
    about = {_KEYWORDS[key]: word for key, word in content.words.items() if key in _KEYWORDS}
    with at(f"the puzzle at line {section.first}"):
        rows, cols = (_clues(content, *key) for key in (("rows", "height"), ("columns", "width")))
        data = {"rows": rows, "cols": cols, "id": about.get("title", ""), **about}
        if "goal" in content.words and rows and cols:  # else the puzzle itself is refused
            data["solution"] = _goal(content.words["goal"], len(rows), len(cols))
        return Nonogram.from_dict(data)


def _content(section: _Section) -> _Content:
    content = _Content()
    current: list[tuple[int, str]] | None = None
    for number, line in enumerate(section.lines, start=section.first):
        text = line.strip()
        keyword, rest = ([*text.split(None, 1), "", ""])[:2]
        keyword = keyword.lower()
        if text.lower() in ("rows", "columns"):
            if text.lower() in content.lines:
                raise InputError(f"line {number}: {text.lower()} for the second time")
            current = content.lines.setdefault(text.lower(), [])
        elif keyword[:1].isalpha():
            # Keywords that are not known are passed over, as the format asks.
            content.words[keyword] = _unquoted(rest)
            current = None if current and keyword == "goal" else current
        elif current is not None:
            current.append((number, text))
        elif text:
            raise InputError(f"line {number}: {text[:20]!r} is neither a keyword nor below one")
    return content


def _clues(content: _Content, key: str, size_key: str) -> list[list[int]]:
    """The clues below ``rows`` or ``columns``; blank lines count where the size says so."""
    lines = list(content.lines.get(key, ()))
    size = content.words.get(size_key)
    if size is not None and not re.fullmatch("[0-9]{1,6}", size):
        raise InputError(f"{size_key}: {size[:20]!r} is no size")
    first, last, least = 0, len(lines), int(size or 0)
    while last - first > least and not lines[last - 1][1]:
        last -= 1
    while last - first > least and not lines[first][1]:
        first += 1
    lines = lines[first:last]
    blank = next((number for number, text in lines if not text), None)
    if size is None and blank is not None:
        raise InputError(f"line {blank}: blank; write 0 for an empty line, or give {size_key}")
    if size is not None and len(lines) != int(size):
        raise InputError(f"{size_key} is {size} but there are {len(lines)} {key}")
    return [_clue(number, text) for number, text in lines]


def _clue(number: int, text: str) -> list[int]:
    clue = []
    for part in filter(None, re.split(r"[,\s]+", text)):
        if re.fullmatch(r"[0-9]+[A-Za-z]+", part):
            raise InputError(f"line {number}: {part[:20]!r} has a colour; only black and white")
        if not re.fullmatch(r"[0-9]{1,9}", part):
            raise InputError(f"line {number}: {part[:20]!r} is no clue")
        clue.append(int(part))
    return clue


def _goal(text: str, rows: int, columns: int) -> list[str]:
    if not re.fullmatch("[01]*", text) or len(text) != rows * columns:
        raise InputError(f"goal: expected {rows * columns} digits 0 and 1, row by row")
    shades = text.replace("1", BLACK).replace("0", WHITE)
    return [shades[i : i + columns] for i in range(0, len(shades), columns)]


def _unquoted(text: str) -> str:
    quoted = len(text) > 1 and text[0] == text[-1] == '"'
    return text[1:-1] if quoted else text
