"""Sudoku as plain text: one line a puzzle, or a grid of lines.

- A line of n*n cells is a puzzle (n = 4, 6, 9, 12, 16 or 25); many lines are a batch. Beside it
  may stand what collections add: a number, a hash, a rating, a name, and the solution, which is
  kept. A first line such as ``quizzes,solutions`` is passed over.
- n lines of n cells are a puzzle; spaces, ``|`` and commas divide, lines of ``-``, ``=`` and ``+``
  are rules. Lines of 16 cells are puzzles of 4 x 4 if none of those that follow each other holds
  more than 1 to 4, and rows of 16 x 16 otherwise. A line ``Grid 01`` above is its id.
- HoDoKu's lines, ``:0000:x:CELLS:...``, in which ``+5`` is placed and not given, and its grids of
  candidates, where a cell with several is blank.
- An address that has the cells as a parameter or at its end.

A cell is one character: ``.`` ``0`` ``_`` ``*`` ``-`` for blank, digits, and letters from A = 10.
In 16 x 16, ``0`` is the first of the digits 0 to F if the puzzle has another sign for blank
and no G; where there are letters beyond G, and no digits, A is 1, and in 25 x 25 beyond P. A
puzzle that shows nothing of this follows the others of its text. Where a line has as many words
as cells and some are of two digits, words are cells, and decimal.

Boxes are the squarest, lying rather than standing. After ``#`` there is a comment. Of a file in
sections, ``[Puzzle]`` alone is read.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from math import isqrt
from typing import NamedTuple

import numpy as np

from qubopuzzle.errors import InputError, at
from qubopuzzle.files.puzzles import Format
from qubopuzzle.files.puzzles.lines import Line, head_of, lines_of
from qubopuzzle.puzzles.sudoku import Sudoku, squarest_box
from qubopuzzle.puzzles.sudoku.links import check_plain

_SIDES = (4, 6, 9, 12, 16, 25)
_SQUARES = {n * n: n for n in _SIDES}
_COUNTS = {*_SIDES, *_SQUARES}
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXY"
_DIGITS = f".123456789{_LETTERS[:16]}"
_SIGNS = "._*-0"
"""What stands for blank; 0 among them unless it is a digit."""
_RULE = re.compile(r"(?:[+|:*.' ]*[-=]){3}[-=+|:*.' ]*")
"""A line that divides boxes; three of its signs at least are ``-`` or ``=``."""
_SECTION = re.compile(r"\[[A-Za-z][\w ]*\]")
_THING = "grid|puzzles?|sudokus?|boards?|quiz(?:zes)?|questions?|problems?"
_TITLE = re.compile(rf"(?:{_THING})\b[ #:_.-]*[0-9]{{0,9}}[ :.]*", re.IGNORECASE)
_HEADER = re.compile(
    rf'"?(?:[a-z][a-z0-9_ ]{{0,40}}"?[,;\t]\s*"?){{0,20}}(?:{_THING})'
    rf'(?:"?[,;\t]\s*"?[a-z][a-z0-9_ ]{{0,40}}){{0,20}}"?',
    re.IGNORECASE,
)
_PROSE = re.compile(r"[A-Za-z]{2,}(?:[ ,;:.!]+[A-Za-z]+)+[.:!]?")
_ADDRESS = re.compile(r"https?://[^?#]{1,200}", re.IGNORECASE)
_CANDIDATES = re.compile("1?2?3?4?5?6?7?8?9?|[._*0-]")
_OTHERS = re.compile(r"\d{1,4}X\d{1,4}[A-Z0-9]{0,20}[:#]|/P(?:\.HTML?)?\?")
"""What no puzzle follows: a game's id, and an address of other players."""
_PLAYERS = re.compile(r"/penpa-edit/|/p(?:\.html?)?\?", re.IGNORECASE)
"""Addresses whose letters and digits may happen to be as many as a grid has cells."""
_PLACED = re.compile(r"\+[1-9]")
_BRACKETS = str.maketrans(dict.fromkeys("[](){}\"'", " "))
_WALLS = str.maketrans(dict.fromkeys("|│║", " "))

_BLANK = dict.fromkeys(_SIGNS[:-1], 0)
_VALUES = {
    n: {
        **_BLANK,
        "0": 0,
        **{_DIGITS[value]: value for value in range(1, n + 1)},
        **{f"{value:02}": value for value in range(n + 1)},
    }
    for n in _SIDES
}
"""What each cell stands for, by the side of the puzzle."""
_BY_LETTERS = {
    n: {**_BLANK, "0": 0, **{sign: value for value, sign in enumerate(_LETTERS[:n], start=1)}}
    for n in (16, 25)
}
_HEXADECIMAL = _BLANK | {sign: value for value, sign in enumerate("0123456789ABCDEF", start=1)}
NOTHING: Mapping[str, str] = {}
_KNOWN = {n: {*_VALUES[n], *_BY_LETTERS.get(n, ())} for n in _SIDES}


class Row(NamedTuple):
    """The cells of a line, or the text of a rule, and what else the line says of its puzzle."""

    number: int
    cells: Sequence[str]
    rule: bool = False
    about: Mapping[str, str] = NOTHING


def _detect(text: str) -> bool:
    """Whether the first lines are a puzzle, of nothing but cells of its size.

    A line that is a little too short or too long, or has a few cells that are none, is one, too,
    so that ``_read`` says so.
    """
    lines = _without_rules(_rows(head_of(text)))
    first = next(lines, None)
    if first is None or _OTHERS.match("".join(first.cells)):
        return False
    if _PLAYERS.search(first.about.get("url", "")):
        return False
    count = len(first.cells)
    if count not in _COUNTS:
        near = [n for n in (9, 12, 16, 25) if abs(count - n * n) <= n]
        return any(set(first.cells) & set("._*0") and _fit(n, [first]) for n in near)
    n, height = _shape(count, [first])
    head = [first, *islice(lines, height - 1)]
    return len(head) == height and all(len(row.cells) == count for row in head) and _near(n, head)


def _read(text: str, _kind: str | None = None) -> list[Sudoku]:
    """Every puzzle; its boxes are the squarest."""
    boards = list(_boards(text))
    marked = [_alphabet(n, rows) for n, rows in boards]
    # A puzzle that fits several alphabets has that of the others of its size, if they agree.
    marks_by_size: dict[int, set[str]] = {}
    for (n, _), mark in zip(boards, marked, strict=True):
        if mark:
            marks_by_size.setdefault(n, set()).add(mark)
    puzzles = []
    for (n, rows), mark in zip(boards, marked, strict=True):
        usual = marks_by_size.get(n, set())
        name = mark or (min(usual) if len(usual) == 1 else "digits")
        puzzles.append(_puzzle(n, rows, name))
    return puzzles


def _line(puzzle: Sudoku) -> list[str]:
    """``.`` for blank; its boxes are the squarest."""
    check_plain(puzzle)
    if len(puzzle.grid) not in _SIDES or puzzle.box != squarest_box(len(puzzle.grid)):
        raise InputError(
            "sudoku text does not tell boxes, so it holds those of 2 x 2, 2 x 3, 3 x 3, 3 x 4, "
            "4 x 4 and 5 x 5, and none of {} x {}; write json".format(*puzzle.box or ())
        )
    return ["".join(_DIGITS[value] for row in puzzle.grid for value in row)]


# --- lines -----------------------------------------------------------------------------


def _rows(lines: Iterable[Line]) -> Iterator[Row]:
    """Those lines that hold cells or are rules."""
    wanted, title = True, ""
    for number, line in lines:
        address = _ADDRESS.match(line)
        content = line if address else line.partition("#")[0].strip()
        if _SECTION.fullmatch(content):
            wanted = content.lower() == "[puzzle]"
        elif not content or not wanted:
            continue
        elif _TITLE.fullmatch(content):
            title = content.rstrip(" :.")
        elif not _HEADER.fullmatch(content):
            rule = _RULE.fullmatch(content) is not None
            cells, answer = ("".join(content.split()), "") if rule else _cells(content)
            if _PROSE.fullmatch(content) and len(cells) not in _COUNTS:
                continue
            about = {"answer": answer, "id": title, "url": line if address else ""}
            yield Row(number, cells, rule, about if any(about.values()) else NOTHING)
            title = title if rule else ""


def _without_rules(rows: Iterable[Row]) -> Iterator[Row]:
    """Without lines of dashes, unless they are as many as cells, and blanks are dashes here."""
    blank = False
    waiting: list[Row] = []
    for row in rows:
        if row.rule:
            if len(row.cells) in _COUNTS and set(row.cells) == {"-"} and len(waiting) < max(_SIDES):
                waiting.append(row)
            continue
        blank = blank or "-" in row.cells
        yield from waiting if blank else ()
        yield row
        waiting = []
    yield from waiting if blank else ()


def _cells(content: str) -> tuple[Sequence[str], str]:
    """The cells of a line and those of the solution beside them.

    They are its words, if they are as many as cells can be and some have two digits, or its
    characters, if all are cells, or those of the largest of its words that are; else its
    characters, which are refused.
    """
    if content[0] == ":":
        content = [*content.split(":", 4), *":::"][3] or ":"
    if "+" in content:
        content = _PLACED.sub(".", content)
    content = content.upper()
    words = content.translate(_WALLS).split()
    if len(words) in _COUNTS and 1 < max(map(len, words)) <= 9 and _are_cells(words):
        return words, ""
    joined = "".join(words)
    if len(joined) in _COUNTS and any(_KNOWN[n] >= set(joined) for n in _sides(len(joined))):
        return joined, ""
    if re.search("[,;\t]", content):
        parts = re.split("[,;\t]", content.translate(_BRACKETS))
        parts = [part.strip() for part in (parts[:-1] if not parts[-1].strip() else parts)]
        for cells in (parts, [*parts, ""]):  # a blank at the end leaves nothing behind the comma
            if len(cells) in _COUNTS and max(map(len, cells)) <= 2:
                return [cell or "." for cell in cells], ""
    return _largest(content) or (joined, "")


def _are_cells(words: Sequence[str]) -> bool:
    """Whether words are numbers of two digits, or candidates of 9 x 9."""
    return max(map(len, words)) == 2 or (len(words) == 9 and all(map(_CANDIDATES.fullmatch, words)))


def _largest(content: str) -> tuple[str, str] | None:
    """The largest of a line's words that is a puzzle, or nearly one, and its solution."""
    if content[0] in "{[<" or (("X" in content or "?" in content) and _OTHERS.search(content)):
        return None
    between = r"[/?&=#\s]+" if content.startswith("HTTP") else r"[\s,;:\"']+"
    words = [word for word in re.split(between, content) if len(word) in _SQUARES]
    fitting = [word for word in words if not _strange(word)]
    fitting = fitting or [word for word in words if _strange(word) * 10 <= len(word) > 16]
    if not fitting:
        return None
    puzzle = max(fitting, key=len)
    others = words[words.index(puzzle) + 1 :]
    solutions = (word for word in others if len(word) == len(puzzle) and not _strange(word))
    return puzzle, next((word for word in solutions if not set(word) & set("._*-")), "")


def _strange(cells: Sequence[str]) -> int:
    """How many cells are none of a puzzle that has as many."""
    known = _KNOWN[_SQUARES[len(cells)]]
    return 0 if known >= set(cells) else sum(cell not in known for cell in cells)


def _fit(n: int, lines: Iterable[Row]) -> bool:
    """Whether there are cells of an n x n puzzle and no others."""
    return all(_KNOWN[n] >= set(row.cells) for row in lines)


def _near(n: int, lines: Sequence[Row]) -> bool:
    """The same, but for a few, where such as these are hardly anything else."""
    cells = [cell for row in lines for cell in row.cells if cell not in _KNOWN[n]]
    strange = sum(n != 9 or not _CANDIDATES.fullmatch(cell) for cell in cells)
    return strange * 10 <= n * n if n > 4 else not strange


# --- boards ----------------------------------------------------------------------------


def _sides(count: int) -> list[int]:
    """Of a puzzle that may have lines of so many cells."""
    return [n for n in _SIDES if count in (n, n * n)]


def _shape(count: int, lines: Sequence[Row]) -> tuple[int, int]:
    """Side of a puzzle, and its lines, where such as these have ``count`` cells each."""
    single = count not in _SIDES or (count == 16 and _fit(4, lines))
    return (isqrt(count), 1) if single else (count, count)


def _boards(text: str) -> Iterator[tuple[int, list[Row]]]:
    """The side of each puzzle, and its lines."""
    all_rows = _without_rules(_rows(lines_of(text)))
    for count, same in groupby(all_rows, key=lambda row: len(row.cells)):
        rows = iter(same)
        first = next(rows)
        if count not in _COUNTS:
            raise InputError(
                f"line {first.number}: {count} cells; a puzzle has 16, 36, 81, 144, 256 or "
                "625, a row of it 4, 6, 9, 12, 16 or 25 (others can be read from json)"
            )
        lines = [first, *rows]
        n, height = _shape(count, lines)
        for i in range(0, len(lines), height):
            board = lines[i : i + height]
            if len(board) < height:
                raise InputError(
                    f"line {board[0].number}: {len(board)} rows of {n} cells, but {n} are needed"
                )
            yield n, board


def _alphabet(n: int, rows: Sequence[Row]) -> str | None:
    """The alphabet of a puzzle: digits, hexadecimal or letters; None where several fit."""
    used = {cell for row in rows for cell in row.cells}
    if n not in _BY_LETTERS or any(len(cell) > 1 for cell in used):
        return "digits"
    if used & set(_LETTERS) - set(_DIGITS[: n + 1]) and not used & set("123456789"):
        return "letters"
    if n == 16 and "G" not in used and "0" in used and used & set("._*-"):
        return "hexadecimal"
    return "digits" if n == 16 and "G" in used else None


def _puzzle(n: int, rows: Sequence[Row], alphabet: str) -> Sudoku:
    known = {"letters": _BY_LETTERS.get(n), "hexadecimal": _HEXADECIMAL}.get(alphabet)
    values = _values(n, rows, known or _VALUES[n])
    grid = tuple(tuple(values[i : i + n]) for i in range(0, n * n, n))
    number, _, _, about = rows[0]
    with at(f"line {number}"):
        answer = about.get("answer")
        solved = answer and _values(n, [Row(number, answer)], known or _VALUES[n])
        return Sudoku(
            grid=grid,
            box=squarest_box(n),
            solution=np.reshape(solved, (n, n)) if solved else None,
            id=about.get("id", ""),
            url=about.get("url", ""),
        )


def _values(n: int, rows: Sequence[Row], known: dict[str, int]) -> list[int]:
    """What the cells stand for, row by row; of candidates, those that are single."""
    values: list[int] = []
    several = [cell for row in rows for cell in row.cells if len(cell) > 1]
    if n == 9 and len(several) >= n and all(map(_CANDIDATES.fullmatch, several)):
        known = known | dict.fromkeys(several, 0)
    for row in rows:
        if not known.keys() >= set(row.cells):
            i, cell = next((i, c) for i, c in enumerate(row.cells, start=1) if c not in known)
            place = ""
            if len(row.cells) > n:
                place = " (row {} column {})".format(*np.add(divmod(i - 1, n), 1))
            single = sorted(c for c, value in known.items() if value and len(c) == 1)
            raise InputError(
                f"line {row.number}: cell {i}{place} is {cell!r}; a cell of {n} x {n} is "
                f"{single[0]} to {single[-1]}, or '.'"
            )
        values += map(known.__getitem__, row.cells)
    return values


FORMAT = Format(
    name="sudoku",
    about="sudoku as text: 81 characters a line, or grids of lines; also 4x4 to 25x25, CSV, HoDoKu",
    puzzles=("sudoku",),
    detect=_detect,
    read=_read,
    lines=_line,
)
