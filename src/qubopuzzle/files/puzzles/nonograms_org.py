"""The HTML table of a board as it is copied from nonograms.org, or a plain table like it.

The site's table has four cells: a corner, a table of the column clues above, one of the row
clues at the left, and the board. A plain table has them all in one: the numbers of a column
stand on top of it down to the board, those of a row at its left up to the board; or all
numbers of a line stand in one cell. What stands in the board itself is not read. A number has the
colour of its cell where these differ.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from html import unescape
from itertools import accumulate
from xml.etree.ElementTree import Element, TreeBuilder

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import InputError, at
from qubopuzzle.files.puzzles import Format
from qubopuzzle.files.puzzles.clues import letters_of
from qubopuzzle.files.puzzles.lines import ReadLimit
from qubopuzzle.puzzles.nonogram.rules import (
    LINE_LIMIT,
    Clue,
    Nonogram,
    Run,
    hex_colour,
    is_hex,
    run_parts,
)
from qubopuzzle.puzzles.vocabulary.grids import BLACK

Rows = list[list[Element]]
"""The cells of each row of a table."""

_CELL_LIMIT = 90_000
"""Most cells and rows of a table, with those of the tables in it."""
_DEPTH_LIMIT = 20
_LINE = "#line"
_PARENTS: dict[str, tuple[str, ...]] = {"table": (), "tr": ("table",), "td": ("tr", "table")}
"""What a tag may stand in; a table in anything."""
_BLANKS = ("br", "p", "div")
_COMMENT_OR_TYPE = re.compile(r"<!--.*?(?:-->|\Z)|<![A-Za-z\[][^<>]*>", re.DOTALL)
_TAG_AFTER_TEXT = re.compile(
    r"""([^<]*)(?:<(/?)([A-Za-z][^\s/<>]*)((?>(?:"[^"<]*"|'[^'<]*'|[^<>"'])*)(?=>)|[^<>]*)>|\Z)"""
)
_ATTRIBUTE = re.compile(r"""([^\s"'>/=]++)\s*+(?:=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'>]++)))?""")
_NO_TAG = re.compile(r"<(?![A-Za-z/])|<(?=[^<>]*(?:<|\Z))|<(?=/[^A-Za-z])|<(?=[^<>]{5000})")
_COLOUR = re.compile(r"background(?:-color)?\s*+:\s*+(?!url)([^;]+)", re.IGNORECASE)

_PARTS = re.compile(r"rgb\(\s*([0-9]{1,9})\s*,\s*([0-9]{1,9})\s*,\s*([0-9]{1,9})\s*\)")
_BLACKS = ("#000000", "black", "")


def _detect(text: str) -> bool:
    """Whether it begins as HTML does and has a ``<table>``."""
    return text.lstrip()[:1] == "<" and re.search(r"<table[\s>]", text, re.IGNORECASE) is not None


def _read(text: str, _kind: str | None = None) -> list[Nonogram]:
    """The board's table, or each of several; other tables beside the site's are left out."""
    tables = _tables(text)
    marked = [table for table in tables if "nonogram_table" in _names(table)]
    return [_board(table) for table in marked or tables]


# --- writing ---------------------------------------------------------------------------


def _lines(puzzle: Nonogram) -> Iterator[str]:
    """A table in the site's form with an empty board; not if too large to be read."""
    left, top = _padded(puzzle.rows), [*zip(*_padded(puzzle.cols), strict=True)]
    cells = (len(left) + len(top)) * (len(left[0]) + len(top[0])) - len(left[0]) * len(top)
    if 4 + cells + 2 + len(top) + 2 * len(left) > _CELL_LIMIT:
        raise InputError(f"over {_CELL_LIMIT:,} cells and rows do not fit a table")
    yield '<table id="nonogram_table" class="nonogram_table"><tbody>'
    yield '<tr><td id="nmti"></td><td class="nmtt">'
    colours = dict(puzzle.colours)
    yield from _inner(top, colours)
    yield '</td></tr><tr><td class="nmtl">'
    yield from _inner(left, colours)
    yield '</td><td class="nmtc">'
    yield from _inner([[""] * len(puzzle.cols)] * len(puzzle.rows), colours)
    yield "</td></tr></tbody></table>"


def _padded(clues: Sequence[Clue]) -> list[list[Run]]:
    """The clues with blanks before them, so that all are as long; 0 for an empty one."""
    length = max(1, *map(len, clues))
    return [[""] * (length - len(clue or [0])) + [*(clue or [0])] for clue in clues]


def _inner(rows: Iterable[Sequence[Run]], colours: Mapping[str, str]) -> Iterator[str]:
    yield "<table><tbody>"
    for row in rows:
        yield f"<tr>{''.join(_cell(run, colours) for run in row)}</tr>"
    yield "</tbody></table>"


def _cell(run: Run, colours: Mapping[str, str]) -> str:
    """A number, or nothing, on its colour if there are colours."""
    if run == "":
        return '<td class="num_empty"></td>'
    length, sign = run_parts(run)
    style = f' style="background-color: {colours[sign]}"' if length and sign in colours else ""
    return f'<td class="num"{style}>{length}</td>'


# --- tables of a text ------------------------------------------------------------------


class _Reader:
    """Builds a tree of tables, rows and cells; tags that are missing or mixed up do no harm.

    A cell's text is that up to the first table in it. Every element has the number of its line
    in the attribute ``#line``.
    """

    def __init__(self) -> None:
        self.tree = TreeBuilder()
        self.tree.start("tables", {})
        self.open: list[str] = []
        self.cells = 0
        self.limit = ReadLimit()

    def start(self, tag: str, attributes: str, line: int) -> None:
        """A tag of ``_PARENTS``, with what it says after its name."""
        if tag != "table" and not self.open:
            return
        # Cells and rows count for the outermost table that they are in.
        if not self.open:
            with at(f"line {line}"):
                self.limit.count(self.cells)
            self.cells = 0
        self.cells += tag != "table"
        if self.cells > _CELL_LIMIT:
            raise InputError(f"line {line}: over {_CELL_LIMIT:,} cells and rows")
        if tag == "table" and self.open.count(tag) == _DEPTH_LIMIT:
            raise InputError(f"line {line}: tables nested over {_DEPTH_LIMIT} deep")
        self._end_all_in(_PARENTS[tag] or self.open)
        self.open.append(tag)
        self.tree.start(tag, {**_attributes(attributes), _LINE: str(line)})

    def end_table(self) -> None:
        """A table's end; the tags in it end with it."""
        if self.open:
            self._end_all_in(["table"])
            self.tree.end(self.open.pop())

    def close(self) -> Element:
        """The tree: one element whose children are the tables."""
        self._end_all_in([])
        self.tree.end("tables")
        return self.tree.close()

    def _end_all_in(self, parents: Collection[str]) -> None:
        while self.open and self.open[-1] not in parents:
            self.tree.end(self.open.pop())


def _tables(text: str) -> list[Element]:
    # What is left out keeps its line ends, so that lines keep their numbers. Tags are short and
    # end, so that no part of a text is searched again and again.
    text = _COMMENT_OR_TYPE.sub(lambda match: "\n" * match[0].count("\n"), text)
    if stray := _NO_TAG.search(text):
        line = text.count("\n", 0, stray.start()) + 1
        excerpt = text[stray.start() : stray.start() + 20]
        raise InputError(
            f"line {line}: {brief(excerpt)} is no tag with an end; copy the whole table"
        )
    reader = _Reader()
    line = 1
    # Text and tags in turn, from the text before the first tag on.
    for match in _TAG_AFTER_TEXT.finditer(text):
        words, slash, name, attributes = match.groups(default="")
        if words:
            reader.tree.data(unescape(words))
            line += words.count("\n")
        tag = name.lower()
        tag = "td" if tag == "th" else tag
        if tag in _PARENTS and not slash:
            reader.start(tag, attributes, line)
        elif tag == "table":
            reader.end_table()
        elif tag in _BLANKS and not slash:
            reader.tree.data(" ")
        line += attributes.count("\n")
    return [table for table in reader.close() if _rows(table)]


def _attributes(text: str) -> dict[str, str]:
    """The attributes of a tag by name; of two of one name the last."""
    matches = _ATTRIBUTE.findall(text) if text else ()
    return {name.lower(): unescape(one or two or bare) for name, one, two, bare in matches}


def _rows(table: Element) -> Rows:
    """The cells of each row that has any; those before the first ``<tr>`` are a row, too."""
    rows = [table, *table.findall("tr")]
    return [cells for row in rows if (cells := row.findall("td"))]


def _names(element: Element) -> list[str]:
    return f"{element.get('class', '')} {element.get('id', '')}".split()


def _numbers(cell: Element) -> list[int]:
    """The numbers in a cell, none if anything else is in it."""
    parts = (cell.text or "").split()
    if len(parts) > LINE_LIMIT or not all(re.fullmatch("[0-9]{1,9}", p) for p in parts):
        return []
    return [int(part) for part in parts]


def _colour(cell: Element) -> str:
    """The colour behind a number, as #rrggbb if it is said by numbers."""
    match = _COLOUR.search(cell.get("style", ""))
    colour: str = (match[1] if match else cell.get("bgcolor", "")).strip().lower()
    if parts := _PARTS.fullmatch(colour):
        return "#" + "".join(f"{min(int(part), 255):02x}" for part in parts.groups())
    return hex_colour(colour) if is_hex(colour) else colour


def _span(cell: Element) -> tuple[int, int]:
    """How many columns and rows a cell spans."""
    across, down = (cell.get(key, "1").strip() for key in ("colspan", "rowspan"))
    if not all(re.fullmatch("[0-9]{1,4}", span) for span in (across, down)):
        raise InputError(f"line {cell.get(_LINE)}: a cell that spans {brief(f'{across} x {down}')}")
    return int(across), int(down)


# --- the board of a table --------------------------------------------------------------


def _board(table: Element) -> Nonogram:
    rows = _rows(table)
    with at(f"the table at line {table.get(_LINE)}"):
        if table.find(".//td/table") is not None:
            top = _part(rows, "nmtt", 0, 1, "column clues above")
            left = _part(rows, "nmtl", 1, 0, "row clues at the left")
        else:
            top, left = _halves(rows)
        # Colour nonograms paint the cells of their clues.
        painted = {_colour(cell): 0 for row in (*top, *left) for cell in row if any(_numbers(cell))}
        signs = dict.fromkeys(painted, BLACK)
        if len(painted) > 1:
            signs = letters_of(painted, lambda colour: BLACK if colour in _BLACKS else "")
        rows_of_clues = [_clue(row, signs) for row in left]
        for row in top:
            if len(row) != len(top[0]):
                counts = f"{len(row)} cells of column clues, {len(top[0])} above"
                raise InputError(f"line {row[0].get(_LINE)}: {counts}")
        columns = [_clue(column, signs) for column in zip(*top, strict=True)]
        colours = {s: colour for colour, s in signs.items() if len(signs) > 1 and is_hex(colour)}
        return Nonogram.from_dict({"rows": rows_of_clues, "cols": columns, "colours": colours})


def _part(rows: Rows, name: str, r: int, c: int, side: str) -> Rows:
    """The rows of an inner table of clues: that in the cell of this class, or at this place."""
    cells = [cell for row in rows for cell in row if name in _names(cell)]
    cells = cells or [cell for row in rows[r : r + 1] for cell in row[c : c + 1]]
    inner = cells[0].find("table") if cells else None
    if inner is None:
        raise InputError(f"no table of the {side}; copy the whole table")
    return _rows(inner)


def _halves(rows: Rows) -> tuple[Rows, Rows]:
    """The clues above and at the left of a plain table."""
    across, down = _span(rows[0][0])
    if across * down > 1:
        # The cells of the rows beside a merged corner begin after it.
        if down >= len(rows):
            raise InputError("the corner spans all rows, so there is no board")
        return [rows[0][1:], *rows[1:down]], [row[:across] for row in rows[down:]]
    for cell in (cell for row in rows for cell in row):
        if _span(cell) != (1, 1):
            raise InputError(f"line {cell.get(_LINE)}: a merged cell; only the corner may be one")
    down, across = _corner(rows)
    return [row[across:] for row in rows[:down]], [row[:across] for row in rows[down:]]


def _corner(rows: Rows) -> tuple[int, int]:
    """How many rows and columns of a plain table are clues, told from where numbers stand."""
    spots = [[c for c, cell in enumerate(row) if _numbers(cell)] for row in rows]
    # The sum of the numbers and the first column with one, up to each row; the last, from each on.
    above = [*accumulate(sum(n for cell in row for n in _numbers(cell)) for row in rows)]
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


def _clue(cells: Iterable[Element], signs: Mapping[str, str]) -> list[tuple[int, str]]:
    runs: list[tuple[int, str]] = []
    for cell in cells:
        values, text = _numbers(cell), (cell.text or "").strip()
        if text and not values:
            raise InputError(f"line {cell.get(_LINE)}: {brief(text)} is no number")
        runs += [(value, signs.get(_colour(cell), BLACK)) for value in values]
    return runs


FORMAT = Format(
    name="nonograms_org",
    about="HTML table of a nonogram, as copied from nonograms.org in the browser",
    puzzles=("nonogram",),
    detect=_detect,
    read=_read,
    lines=_lines,
)
