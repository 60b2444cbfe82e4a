"""``.non`` (Simpson): keyword lines, then ``rows`` and ``columns`` with one clue a line.

Several puzzles in one file are divided by lines of ``====``. A title is the id, too, and is written
of an id where there is none. Colours are as in github.com/mikix/nonogram-db: lines such as
``color a #ff0000``, runs such as ``3a``, and letters in the goal.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import InputError, at
from qubopuzzle.files.puzzles import Format
from qubopuzzle.files.puzzles.clues import clue_text, one_line, read_clue, trimmed
from qubopuzzle.files.puzzles.lines import Line, head_of, lines_of
from qubopuzzle.puzzles.nonogram.rules import LINE_LIMIT, Nonogram, Run
from qubopuzzle.puzzles.vocabulary.grids import BLACK, WHITE, shading_to_rows

_MOST = f"a nonogram here has 1 to {LINE_LIMIT} rows and columns"
_COLOUR = re.compile(r"([A-Za-z.#])\s+(\S+)")
_KEYWORDS = {"title": "title", "by": "author", "license": "licence", "catalogue": "source"}


def _read(text: str, _kind: str | None = None) -> list[Nonogram]:
    lines = lines_of(text)
    puzzles = (_puzzle(first, lines) for first in lines)  # each goes on to a divider or the end
    return [puzzle for puzzle in puzzles if puzzle is not None]


def _lines(puzzle: Nonogram) -> Iterator[str]:
    """Title, author, licence, source, clues and solution."""
    for keyword, key in _KEYWORDS.items():
        text = one_line(getattr(puzzle, key) or (puzzle.id if key == "title" else ""))
        if text:
            yield f'{keyword} "{text}"'
    yield from (f"color {sign} {colour}" for sign, colour in puzzle.colours)
    yield f"width {len(puzzle.cols)}"
    yield f"height {len(puzzle.rows)}"
    for name, clues in (("rows", puzzle.rows), ("columns", puzzle.cols)):
        yield from ("", name)
        yield from (clue_text(clue, ",", colours=True) for clue in clues)
    if puzzle.solution is not None:
        (goal,) = shading_to_rows(puzzle.solution.reshape(1, -1), _goal_signs(puzzle.signs))
        yield from ("", f'goal "{goal}"')


def _goal_signs(signs: str) -> str:
    """Signs of a solution as they stand in a goal."""
    return signs.replace(WHITE, "0").replace(BLACK, "1")


def _puzzle(first: Line, others: Iterator[Line]) -> Nonogram | None:
    """The puzzle of a section; none if all its lines are blank."""
    words, below, colours = _content(chain([first], others))
    if not words and not below:
        return None
    about = {_KEYWORDS[key]: word for key, word in words.items() if key in _KEYWORDS}
    with at(f"the puzzle at line {first[0]}"):
        rows, cols = (
            _clues(below.get(key, []), key, size_key, words.get(size_key))
            for key, size_key in (("rows", "height"), ("columns", "width"))
        )
        data: dict[str, Any] = {"rows": rows, "cols": cols, "id": about.get("title", ""), **about}
        puzzle = Nonogram.from_dict({**data, "colours": colours})
        if "goal" not in words:
            return puzzle
        goal, signs = words["goal"], _goal_signs(puzzle.signs)
        if {*goal} - {*signs} or len(goal) != puzzle.cells:
            digits = "digits 0 and 1" if len(signs) == 2 else f"signs {signs}"
            raise InputError(f"goal: expected {puzzle.cells} {digits}, row by row")
        numbers = [*map(signs.index, goal)]
        return replace(puzzle, solution=np.reshape(numbers, puzzle.shape))


def _content(
    lines: Iterable[Line],
) -> tuple[dict[str, str], dict[str, list[Line]], dict[str, str]]:
    """What lines say up to a divider: keywords, the lines below rows and columns, and colours."""
    words: dict[str, str] = {}
    colours: dict[str, str] = {}
    below: dict[str, list[Line]] = {}
    current: list[Line] | None = None
    for number, text in lines:
        if text[:4] == "====" and not text.strip("="):
            break
        if not text[:1].isalpha():
            if current is not None and len(current) < LINE_LIMIT:
                current.append((number, text))
            elif text and current is not None:
                raise InputError(f"line {number}: too many clues; {_MOST}")
            elif text:
                raise InputError(f"line {number}: {text[:20]!r} is neither a keyword nor below one")
            continue
        keyword, rest = [*text.split(None, 1), ""][:2]
        keyword = keyword.lower()
        if keyword == "color":
            colours |= _colour(number, rest)
        elif text.lower() in ("rows", "columns"):
            if keyword in below:
                raise InputError(f"line {number}: {keyword} for the second time")
            current = below[keyword] = []
        else:
            # Keywords that are not known are passed over, as the format asks.
            quoted = len(rest) > 1 and rest[0] == rest[-1] == '"'
            words[keyword] = rest[1:-1] if quoted else rest
            current = None if current and keyword == "goal" else current
    return words, below, colours


def _colour(number: int, text: str) -> dict[str, str]:
    match = _COLOUR.fullmatch(text)
    if match is None:
        expected = "expected a letter and a colour, such as color a #ff0000"
        raise InputError(f"line {number}: {expected}, got {brief(text)}")
    return {match[1]: match[2]}


def _clues(lines: list[Line], key: str, size_key: str, size: str | None) -> list[list[Run]]:
    """The clues below ``rows`` or ``columns``; blank lines count where the size says so."""
    if size is not None and not re.fullmatch("[0-9]{1,6}", size):
        raise InputError(f"{size_key}: {size[:20]!r} is no size")
    if int(size or 0) > LINE_LIMIT:
        raise InputError(f"{size_key} is {size}; {_MOST}")
    lines = trimmed(lines, int(size or 0))
    blank = next((number for number, text in lines if not text), None)
    if size is None and blank is not None:
        raise InputError(f"line {blank}: blank; write 0 for an empty line, or give {size_key}")
    if size is not None and len(lines) != int(size):
        raise InputError(f"{size_key} is {size} but there are {len(lines)} {key}")
    divided = ((number, text.replace(",", " ").strip()) for number, text in lines)
    return [read_clue(number, text, colours=True) if text else [] for number, text in divided]


FORMAT = Format(
    name="non",
    about="nonogram files of Steve Simpson: keywords, rows and columns, perhaps the goal",
    puzzles=("nonogram",),
    detect=lambda text: any(line.lower() in ("rows", "columns") for _, line in head_of(text)),
    read=_read,
    lines=_lines,
    join=lambda _, texts: "====\n".join(texts),
    answers=True,
)
