"""The HTML table of a board as it is copied from nonograms.org, or a plain table like it.

The site's table has four cells: a corner, a table of the column clues above, one of the row
clues at the left, and the board. A plain table has them all in one: the numbers of a column
stand on top of it down to the board, those of a row at its left up to the board; or all
numbers of a line stand in one cell. What stands in the board itself is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import accumulate
from typing import Any

from qubopuzzle.checks import brief
from qubopuzzle.errors import InputError, at
from qubopuzzle.files.puzzles.clues import named, nonograms
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.puzzles.nonogram.rules import LINE_LIMIT, Nonogram

NAME = "nonograms_org"
ABOUT = "HTML table of a nonogram, as copied from nonograms.org in the browser"
PUZZLES = ("nonogram",)

_CELL_LIMIT = 90_000
_DEPTH_LIMIT = 20
_COMMENT_OR_TYPE = re.compile(r"<!--.*?(?:-->|\Z)|<![A-Za-z\[][^<>]*>", re.DOTALL)
_NO_TAG = re.compile(r"<(?![A-Za-z/])|<(?=[^<>]*(?:<|\Z))|<(?=/[^A-Za-z])|<(?=[^<>]{5000})")
_COLOUR = re.compile(r"background(?:-color)?\s*+:\s*+(?!url)([^;]+)", re.IGNORECASE)


def sniff(text: str) -> bool:
    """Whether it begins as HTML does and has a ``<table>``."""
    return text.lstrip()[:1] == "<" and re.search(r"<table[\s>]", text, re.IGNORECASE) is not None


def read(text: str, puzzle: str | None = None) -> list[Puzzle]:
    """Read the board's table, or each of several; other tables beside the site's are left out."""
    if puzzle not in (None, Nonogram.name):
        return []
    tables = _tables(text)
    marked = [table for table in tables if "nonogram_table" in table.names]
    return [_board(table) for table in marked or tables]


def write(puzzles: Sequence[Puzzle]) -> str:
    """One table a puzzle, in the site's form with an empty board; not if too large to be read."""
    return "".join("\n".join(_lines(puzzle)) + "\n" for puzzle in nonograms(puzzles, NAME))


# --- writing ---------------------------------------------------------------------------


def _lines(puzzle: Nonogram) -> Iterator[str]:
    left, top = _padded(puzzle.rows), [*zip(*_padded(puzzle.cols), strict=True)]
    cells = (len(left) + len(top)) * (len(left[0]) + len(top[0])) - len(left[0]) * len(top)
    if 3 + cells > _CELL_LIMIT:
        raise InputError(f"{named(puzzle)}: over {_CELL_LIMIT:,} cells do not fit a table")
    yield '<table id="nonogram_table" class="nonogram_table"><tbody>'
    yield '<tr><td id="nmti"></td><td class="nmtt">'
    yield from _inner(top)
    yield '</td></tr><tr><td class="nmtl">'
    yield from _inner(left)
    yield '</td><td class="nmtc">'
    yield from _inner([[""] * len(puzzle.cols)] * len(puzzle.rows))
    yield "</td></tr></tbody></table>"


def _padded(clues: Sequence[Sequence[int]]) -> list[list[str]]:
    """The clues with blanks before them, so that all are as long; 0 for an empty one."""
    texts = [[str(n) for n in clue] or ["0"] for clue in clues]
    length = max(map(len, texts))
    return [[""] * (length - len(clue)) + clue for clue in texts]


def _inner(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield "<table><tbody>"
    for row in rows:
        cells = (f'<td class="num{"" if text else "_empty"}">{text}</td>' for text in row)
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table>"


# --- tables of a text ------------------------------------------------------------------


@dataclass(slots=True)
class _Cell:
    """A cell: its classes and id, how many columns and rows it spans, what is in it."""

    line: int
    names: list[str]
    across: int = 1
    down: int = 1
    colour: str = ""
    text: list[str] = field(default_factory=list)
    tables: list[_Table] = field(default_factory=list)

    def numbers(self) -> list[int]:
        """The numbers in the cell, none if anything else is in it."""
        parts = "".join(self.text).split()
        if len(parts) > LINE_LIMIT or not all(re.fullmatch("[0-9]{1,9}", p) for p in parts):
            return []
        return [int(part) for part in parts]


Rows = list[list[_Cell]]


@dataclass(slots=True)
class _Table:
    line: int
    names: list[str]
    rows: Rows = field(default_factory=list)


class _Reader(HTMLParser):
    """Collects the outermost tables; tags that are missing or mixed up do no harm."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[_Table] = []
        self.open: list[_Table] = []
        self.cells = 0

    def set_cdata_mode(self, *_args: Any, **_kwargs: Any) -> None:
        """Scripts are no exception: what looks like a tag is one, so all tags end."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._start_table(_Table(self.getpos()[0], _names(attrs)))
        elif not self.open:
            return
        elif tag == "tr":
            self.open[-1].rows.append([])
        elif tag in ("td", "th"):
            self._start_cell(self.getpos()[0], attrs)
        elif tag in ("br", "p", "div"):
            self.handle_data(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag == "table" and self.open:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if cell := self._cell():
            cell.text.append(data)

    def _cell(self) -> _Cell | None:
        rows = self.open[-1].rows if self.open else []
        return rows[-1][-1] if rows and rows[-1] else None

    def _start_table(self, table: _Table) -> None:
        if len(self.open) >= _DEPTH_LIMIT:
            raise InputError(f"line {table.line}: tables nested over {_DEPTH_LIMIT} deep")
        if not self.open:
            self.cells = 0
            self.tables.append(table)
        elif cell := self._cell():
            cell.tables.append(table)
        self.open.append(table)

    def _start_cell(self, line: int, attrs: list[tuple[str, str | None]]) -> None:
        self.cells += 1
        if self.cells > _CELL_LIMIT:
            raise InputError(f"line {line}: over {_CELL_LIMIT:,} cells")
        cell, values = _Cell(line, _names(attrs)), {key: value or "" for key, value in attrs}
        if not values.keys() <= {"class", "id"}:  # most cells have nothing else
            spans = [values.get(key, "1").strip() for key in ("colspan", "rowspan")]
            if not all(re.fullmatch("[0-9]{1,4}", span) for span in spans):
                raise InputError(f"line {line}: a cell that spans {brief(' x '.join(spans))}")
            cell.across, cell.down = map(int, spans)
            colour = _COLOUR.search(values.get("style", ""))
            cell.colour = (colour[1] if colour else values.get("bgcolor", "")).strip().lower()
        rows = self.open[-1].rows
        if not rows:
            rows.append([])
        rows[-1].append(cell)


def _names(attrs: list[tuple[str, str | None]]) -> list[str]:
    return [
        name for key, value in attrs if key in ("class", "id") for name in (value or "").split()
    ]


def _tables(text: str) -> list[_Table]:
    # What is half open or very long would be searched again and again by the parser.
    text = _COMMENT_OR_TYPE.sub(lambda match: "\n" * match[0].count("\n"), text)
    if stray := _NO_TAG.search(text):
        line = text.count("\n", 0, stray.start()) + 1
        found = text[stray.start() : stray.start() + 20]
        raise InputError(f"line {line}: {brief(found)} is no tag with an end; copy the whole table")
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return [table for table in reader.tables if any(table.rows)]


# --- the board of a table --------------------------------------------------------------


def _board(table: _Table) -> Nonogram:
    rows = [row for row in table.rows if row]
    with at(f"the table at line {table.line}"):
        if any(cell.tables for row in rows for cell in row):
            top = _part(rows, "nmtt", 0, 1, "column clues above")
            left = _part(rows, "nmtl", 1, 0, "row clues at the left")
        else:
            top, left = _halves(rows)
        # Colour nonograms paint the cells of their clues.
        painted = [cell for row in (*top, *left) for cell in row if cell.numbers()]
        if len({cell.colour for cell in painted}) > 1:
            line = painted[0].line
            raise InputError(f"line {line}: a puzzle of several colours; only black and white")
        rows_of_clues = [_clue(row) for row in left]
        for row in top:
            if len(row) != len(top[0]):
                counts = f"{len(row)} cells of column clues, {len(top[0])} above"
                raise InputError(f"line {row[0].line}: {counts}")
        columns = [_clue(column) for column in zip(*top, strict=True)]
        return Nonogram.from_dict({"rows": rows_of_clues, "cols": columns})


def _part(rows: Rows, name: str, r: int, c: int, side: str) -> Rows:
    """The rows of an inner table of clues: that in the cell of this class, or at this place."""
    cells = [cell for row in rows for cell in row if name in cell.names]
    cells = cells or [cell for row in rows[r : r + 1] for cell in row[c : c + 1]]
    if not cells or not cells[0].tables:
        raise InputError(f"no table of the {side}; copy the whole table")
    return [row for row in cells[0].tables[0].rows if row]


def _halves(rows: Rows) -> tuple[Rows, Rows]:
    """The clues above and at the left of a plain table."""
    across, down = rows[0][0].across, rows[0][0].down
    if across * down > 1:
        # The cells of the rows beside a merged corner begin after it.
        if down >= len(rows):
            raise InputError("the corner spans all rows, so there is no board")
        return [rows[0][1:], *rows[1:down]], [row[:across] for row in rows[down:]]
    for cell in (cell for row in rows for cell in row):
        if (cell.across, cell.down) != (1, 1):
            raise InputError(f"line {cell.line}: a merged cell; only the corner may be one")
    down, across = _corner(rows)
    return [row[across:] for row in rows[:down]], [row[:across] for row in rows[down:]]


def _corner(rows: Rows) -> tuple[int, int]:
    """How many rows and columns of a plain table are clues, told from where numbers stand."""
    spots = [[c for c, cell in enumerate(row) if cell.numbers()] for row in rows]
    # The sum of the numbers and the first column with one, up to each row; the last, from each on.
    above = [*accumulate(sum(n for cell in row for n in cell.numbers()) for row in rows)]
    lefts = (min(s, default=len(row)) for s, row in zip(spots, rows, strict=True))
    first = [*accumulate(lefts, min)]
    below = [*accumulate((max(s, default=-1) for s in reversed(spots)), max)][::-1]
    for r in range(1, len(rows)):
        balanced = 2 * above[r - 1] == above[-1]
        if spots[r - 1] and 0 <= below[r] < first[r - 1] and balanced:
            return r, below[r] + 1
    raise InputError(
        "it is no board: numbers on top of the columns and at the left of the rows, with the"
        " same sum, and a blank corner are due"
    )


def _clue(cells: Iterable[_Cell]) -> list[int]:
    numbers = []
    for cell in cells:
        found = cell.numbers()
        text = "".join(cell.text).strip()
        if text and not found:
            raise InputError(f"line {cell.line}: {brief(text)} is no number")
        numbers += found
    return numbers
