"""Addresses of Penpa+: ``https://swaroopg92.github.io/penpa-edit/#m=edit&p=...``, one a line.

``p`` is Base64 of a raw deflated text. Its first line has the kind of grid, columns, rows, the
title and the author, its second the rows and columns that stand around the board, lines 4 and 5
JSON objects of what is given and filled in; line 18 has the tags of genres. Frequent words are two
characters, the first of them ``z``. In a link that is to be solved (``m=solve``) nothing is filled
in; there ``a``, the same way, may have the answer.

A point is a number: first the cells, row by row with two more on each side, then as many corners
(on the right below a cell), sides below cells, and sides on the right of cells. Of a number
in a corner of a cell (``numberS``) it is four times that of the corner point, and 0 to 3 more. The
puzzles' own ``links`` say what their boards are made of. Which puzzle it is the tags say, or the
title.
"""

import json
import re
import zlib
from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import unquote

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.files.puzzles import Format, links
from qubopuzzle.files.puzzles.lines import (
    SIDE_LIMIT,
    ReadLimit,
    first_said,
    read_boards,
    said_lines,
)
from qubopuzzle.puzzles import Puzzle, known_name
from qubopuzzle.puzzles.penpa import Corner, Drawing, Penpa, PenpaText, Side
from qubopuzzle.puzzles.vocabulary.grids import Cell

TEXT_LIMIT = 4 * 2**20
"""Most characters of the text of a board."""
_CHARACTERS_OF_CELL = 32
"""What counts as a cell of the text, of which most is not about the board."""
_LINKS = links(Penpa)
_ADDRESS = re.compile(
    r"(?:https?://)?[a-z0-9.:-]{1,200}/(?:[\w.~-]{1,40}/){0,5}penpa-edit/(?:index\.html)?[?#]",
    re.IGNORECASE | re.ASCII,
)
_WORDS = (
    '"qa" 9,"pu_q" Q,"pu_a" A,"grid" G,"edit_mode" M,"surface" S,"line" L,"lineE" E,"wall" W,'
    '"cage" C,"number" N,"symbol" Y,"special" P,"board" B,"command_redo" R,"command_undo" U,'
    '"command_replay" 8,"numberS" 1,"freeline" F,"freelineE" 2,"thermo" T,"arrows" 3,'
    '"direction" D,"squareframe" 0,"polygon" 5,"deletelineE" 4,"killercages" 6,'
    '"nobulbthermo" 7,"__a" _,null O'
)
_WORD_OF = {pair[-1]: pair[:-2] for pair in _WORDS.split(",")} | {"Z": "z"}
_HARMLESS = frozenset(("noconflict", "non-alphanumeric"))
_GRIDS = ("square", "sudoku", "kakuro")
_SYMBOLS = {"A": "circle_M", "E": "star", "F": "tents", "H": "sun_moon"}
"""What an answer calls symbols."""
_ARROWS = "23101023"
"""The ways of arrows at the sides of a cell: 0 up, 1 left, 2 right, 3 down."""
_LAYERS = "surface number numberS symbol freeline freelineE line lineE wall cage deletelineE"
_LISTS = "thermo arrows direction squareframe polygon killercages nobulbthermo"
_DOUBLE = 30
"""The style of double lines."""
_FOREIGN = ("thermo", "arrows", "nobulbthermo", "killercages", "cage")
_EMPTY: Mapping[str, Any] = {
    **{f"command_{name}": {"__a": []} for name in ("redo", "undo", "replay")},
    **{name: {} for name in _LAYERS.split()},
    **{name: [] for name in _LISTS.split()},
}
"""Nothing is drawn."""


@dataclass(frozen=True)
class _Points:
    """The numbers of points of a board, and the rows and columns around it.

    ``around``: above, below, on the left and on the right.
    """

    shape: tuple[int, int]
    around: tuple[int, int, int, int]

    @property
    def whole(self) -> tuple[int, int]:
        """Rows and columns with those around."""
        top, bottom, left, right = self.around
        return self.shape[0] + top + bottom, self.shape[1] + left + right

    @property
    def width(self) -> int:
        """Points of a row."""
        return self.whole[1] + 4

    @property
    def area(self) -> int:
        """Points of a kind."""
        return (self.whole[0] + 4) * self.width

    def number(self, row: int, column: int, kind: int = 0) -> int:
        """The number of a cell, or of what is at it."""
        place = (row + 2 + self.around[0]) * self.width + column + 2 + self.around[2]
        return kind * self.area + place

    def cell(self, number: int) -> Cell:
        """The cell of a point."""
        row, column = divmod(number % self.area, self.width)
        return row - 2 - self.around[0], column - 2 - self.around[2]

    @property
    def middle(self) -> int:
        """The point in the middle of all."""
        rows, columns = (n + 4 for n in self.whole)
        kind = (0, 3, 2, 1)[2 * (rows % 2 == 0) + (columns % 2 == 0)]
        return kind * self.area + (rows - 1) // 2 * columns + (columns - 1) // 2


def _read(text: str, puzzle: str | None = None) -> list[Puzzle]:
    """Every address."""
    return read_boards(said_lines(text), partial(_read_line, puzzle))


def _read_line(wanted: str | None, line: str, limit: ReadLimit) -> Iterator[Puzzle]:
    """The puzzles of a line's addresses; behind ``#`` is a comment."""
    for word in line.split():
        if word[0] == "#":
            return
        start = _ADDRESS.match(word)
        if start is None:
            raise InputError(f"{word[:40]!r} is no address .../penpa-edit/#m=...&p=...")
        parts = [part.partition("=")[::2] for part in word[start.end() :].split("&")]
        yield from _read_address(wanted, dict(parts), limit)


def _read_address(wanted: str | None, query: Mapping[str, str], limit: ReadLimit) -> list[Puzzle]:
    """The puzzle of an address's parameters, or none if another kind is wanted."""
    if not query.get("p"):
        raise InputError("the address has no puzzle, which follows on p=")
    text = _unpacked(query["p"])
    lines = text.split("\n")
    head = [_unescaped(word) for word in lines[0].split(",")]
    if len(lines) < 6 or head[0][:1].isdigit():
        raise InputError("an old form of links, or none; open it in Penpa+ and share it anew")
    if head[0] not in _GRIDS:
        raise InputError(f"a grid {head[0][:20]!r}; only square grids are read")
    title = head[15].removeprefix("Title: ").strip() if len(head) > 15 else ""
    author = head[16].removeprefix("Author: ").strip() if len(head) > 16 else ""
    chosen = _chosen(_tags(lines), title, wanted)
    points = _points(head, lines[1])
    limit.count(max(points.whole[0] * points.whole[1], len(text) // _CHARACTERS_OF_CELL))
    if chosen is None:
        return []
    kind, penpa = chosen
    filled = _drawing(_object(lines[4]), points) if lines[4].strip() else Drawing()
    if query.get("a"):
        answer = _unpacked(query["a"])
        limit.count(len(answer) // _CHARACTERS_OF_CELL)
        with suppress(ValueError, TypeError, AttributeError, LookupError, RecursionError):
            filled = _answer(json.loads(answer), points)  # others are passed over
    given = _object(lines[3])
    _check_foreign(given, points)
    board = penpa.read(PenpaText(points.shape, _drawing(given, points), filled))
    board |= {"title": title.replace("%2C", ","), "author": author.replace("%2C", ",")}
    with suppress(InputError):  # of a wrong answer, or of the puzzle, which is raised below
        return [kind.from_dict(board)]
    return [kind.from_dict({**board, "solution": None})]


def _check_foreign(data: Mapping[str, Any], points: _Points) -> None:
    """Raise InputError for what no puzzle here has, which would be another puzzle without it."""
    foreign = [name for name in _FOREIGN if data.get(name)]
    if any(key.isdecimal() and int(key[:9]) >= points.area for key in _layer(data, "symbol")):
        foreign.append("symbols between cells")
    if foreign:
        raise InputError(f"the board has {foreign[0]}, which no puzzle of this package has")


def _layer(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """What stands at points, by their numbers."""
    layer = data.get(name)
    return layer if isinstance(layer, dict) else {}


def _unpacked(packed: str) -> str:
    """The text that is packed; InputError if it is none, or too long."""
    try:
        unpacker = zlib.decompressobj(-15)
        data = b64decode(unquote(packed[:TEXT_LIMIT]).replace(" ", "+").encode() + b"==")
        text = unpacker.decompress(data, TEXT_LIMIT)
        if len(text) == TEXT_LIMIT:
            raise InputError(f"the board's text is over {TEXT_LIMIT // 2**20} MiB")
        if unpacker.eof:
            return text.decode()
    except (Error, zlib.error, UnicodeError):
        pass
    raise InputError("the address is broken, or not all of it is there; copy all of it")


def _unescaped(text: str) -> str:
    return re.sub("z(.)", lambda match: _WORD_OF.get(match[1], match[0]), text)


def _escaped(text: str) -> str:
    text = text.replace("z", "zZ")
    for short, word in _WORD_OF.items():
        if short != "Z":
            text = text.replace(word, f"z{short}")
    return text


def _json(text: str) -> Any:
    try:
        return json.loads(_unescaped(text))
    except (ValueError, RecursionError):
        raise InputError("a part of the board's text is no JSON") from None


def _object(text: str) -> Mapping[str, Any]:
    read = _json(text)
    if not isinstance(read, dict):
        raise InputError("a part of the board's text is no object")
    return read


def _tags(lines: list[str]) -> list[str]:
    tags = _json(lines[17]) if len(lines) > 17 and lines[17].strip() else []
    return [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []


def _chosen(tags: list[str], title: str, wanted: str | None) -> tuple[type[Puzzle], Penpa] | None:
    """The puzzle of tags, or of a title; None for another one than is wanted.

    Raises:
        InputError: if nothing says which it is, or it is a variant.
    """
    fit = [pair for pair in _LINKS if {*pair[1].tags} <= {*tags}]
    if not fit and (named := wanted or (None if tags else known_name(title[:40]))):
        return next((pair for pair in _LINKS if pair[0].name == named), None)
    if not fit:
        tagged = ", ".join(tags)[:60]
        what = f"tagged {tagged!r}, which is none" if tags else "no tag says which puzzle"
        raise InputError(f"{what} of this package it is; --puzzle NAME does, if it is one")
    kind, penpa = max(fit, key=lambda pair: len(pair[1].tags))
    if wanted not in (None, kind.name):
        return None
    variant = ", ".join(tag for tag in tags if tag not in {*penpa.tags, *_HARMLESS})
    if variant and wanted is None:
        what = f"a variant, {variant[:60]!r}, that this package does not have"
        raise InputError(f"{kind.name}: {what}; --puzzle {kind.name} reads it without")
    return kind, penpa


def _points(head: list[str], line: str) -> _Points:
    """The size of a board; InputError for one that is none."""
    sizes, around = head[1:3], _json(line)
    good = isinstance(around, list) and len(around) == 4
    if not good or any(type(n) is not int or not 0 <= n <= SIDE_LIMIT for n in around):
        raise InputError("the second line of the board's text does not say what stands around it")
    if len(sizes) < 2 or any(not re.fullmatch("[0-9]{1,5}", size) for size in sizes):
        raise InputError(f"the sizes {','.join(sizes)[:20]!r} are none")
    rows, columns = int(sizes[1]) - around[0] - around[1], int(sizes[0]) - around[2] - around[3]
    if not (1 <= rows <= SIDE_LIMIT and 1 <= columns <= SIDE_LIMIT):
        raise InputError(f"a board of {rows} rows and {columns} columns")
    return _Points((rows, columns), (around[0], around[1], around[2], around[3]))


def _drawing(data: Mapping[str, Any], points: _Points) -> Drawing:
    """What an object says is drawn; what is drawn elsewhere than in cells and on sides is not."""
    drawing = Drawing(corners=dict(_corners(data, points)))
    for cell, value in _of_cells(data, "number", points):
        if isinstance(value, list) and isinstance(value[0], str | int) and value[2:3] != ["7"]:
            drawing.numbers[cell] = str(value[0])[:20].strip()  # 7: small candidates
    for cell, value in _of_cells(data, "symbol", points):
        match value:
            case [int(style), str(name), *_]:
                drawing.symbols[cell] = name, style
            case [list(ways), str(name), *_] if name.startswith("arrow_fouredge_"):
                if ways.count(1) == 1:  # beside a number, as yajilin had them once
                    arrow = _ARROWS[ways.index(1) % 8]
                    drawing.numbers[cell] = f"{drawing.numbers.get(cell, '?')}_{arrow}"
    for cell, value in _of_cells(data, "surface", points):
        if isinstance(value, int):
            drawing.surface[cell] = value
    for name, kind, sides in (("lineE", 1, drawing.edges), ("line", 0, drawing.lines)):
        keys = (f"{k},{1 + (style == _DOUBLE)}" for k, style in _layer(data, name).items())
        sides.update(_sides(keys, kind, points))
    return drawing


def _of_cells(data: Mapping[str, Any], name: str, points: _Points) -> Iterator[tuple[Cell, Any]]:
    """The cells of a layer, and what is there."""
    for number, value in _of_points(data, name):
        if number < points.area:
            yield points.cell(number), value


def _of_points(data: Mapping[str, Any], name: str) -> Iterator[tuple[int, Any]]:
    """The numbers of a layer, and what is there."""
    for key, value in _layer(data, name).items():
        if key.isdecimal() and len(key) < 10 and value not in (None, []):
            yield int(key), value


def _corners(data: Mapping[str, Any], points: _Points) -> Iterator[tuple[Corner, str]]:
    """What stands in the corners of cells; on their sides it may, too, and is passed over."""
    for number, value in _of_points(data, "numberS"):
        point, corner = divmod(number, 4)
        is_word = isinstance(value, list) and isinstance(value[0], str | int)
        if is_word and point // points.area == 1:
            row, column = points.cell(point)
            yield (row, column, corner), str(value[0])[:20].strip()


def _sides(keys: Iterable[Any], kind: int, points: _Points) -> Iterator[tuple[Side, int]]:
    """The sides of cells that keys stand for: each two points, and 2 or a style for double lines.

    The points are centres of cells (0) or corners (1). A line may be in halves, from a centre to a
    side.
    """
    steps = {2: points.width, 3: 1}  # across the side below a cell, and on its right
    for key in keys:
        match = re.match(f"([0-9]{{1,9}}),([0-9]{{1,9}})(,2|,{_DOUBLE})?(?![0-9])", str(key))
        if match is None:
            continue
        first, second = sorted(map(int, match.groups()[:2]))
        if kind == 0 and (across := steps.get(second // points.area)):
            first = second % points.area
            second = first + across
        if not (first // points.area == second // points.area == kind):
            continue
        (row, column), step = points.cell(second if kind else first), second - first
        if step in (1, points.width):
            yield (row, column, int((step == 1) == (kind == 1))), 2 if match[3] else 1


def _answer(data: Any, points: _Points) -> Drawing:
    """What an answer to compare with has: cells, lines, edges, walls, numbers and symbols."""
    surface, lines, edges, _walls, numbers, symbols = data
    drawing = Drawing()
    drawing.surface.update({points.cell(int(key)): 1 for key in surface})
    drawing.lines.update(_sides(lines, 0, points))
    drawing.edges.update(_sides(edges, 1, points))
    for key, _, word in (each.partition(",") for each in numbers):
        drawing.numbers[points.cell(int(key))] = word[:20]
    for key, _, word in (each.partition(",") for each in symbols):
        drawing.symbols[points.cell(int(key))] = _SYMBOLS.get(word[-1:], ""), int(word[0])
    return drawing


# --- writing -----------------------------------------------------------------------------


def _address(puzzle: Puzzle) -> str:
    """The address where a puzzle is edited; InputError if there is none."""
    penpa = _link_of(puzzle)
    text = penpa.write(puzzle)
    outer = [*text.given.numbers, *text.given.symbols]
    rows = [0, text.shape[0] - 1, *(row for row, _ in outer)]
    columns = [0, text.shape[1] - 1, *(column for _, column in outer)]
    below, after = max(rows) - text.shape[0] + 1, max(columns) - text.shape[1] + 1
    points = _Points(text.shape, (-min(rows), below, -min(columns), after))
    packed = _packed(_text(puzzle, penpa, text, points))
    return f"https://swaroopg92.github.io/penpa-edit/#m=edit&p={packed}"


def _link_of(puzzle: Puzzle) -> Penpa:
    for kind, penpa in _LINKS:
        fields = penpa.fields.items()
        if kind is type(puzzle) and all(getattr(puzzle, key) == value for key, value in fields):
            return penpa
    raise InputError(f"Penpa+ has no place for this {puzzle.name}; write json")


def _packed(text: str) -> str:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return b64encode(packer.compress(text.encode()) + packer.flush()).decode()


def _text(puzzle: Puzzle, penpa: Penpa, text: PenpaText, points: _Points) -> str:
    """The lines of a board's text, as the editor writes them."""
    rows, columns = points.whole
    size = 38  # of a cell, in pixels
    words = [" ".join(word.split()).replace(",", "%2C") for word in (puzzle.title, puzzle.author)]
    head = [
        *("square", columns, rows, size, 0, 1, 1, (columns + 1) * size, (rows + 1) * size),
        *(points.middle, points.middle, 0, 0, 0, 0, f"Title: {words[0]}", f"Author: {words[1]}"),
        *("", "", "OFF", "false"),
    ]
    cells = [points.number(r, c) for r in range(points.shape[0]) for c in range(points.shape[1])]
    lines = [
        points.around,
        {"qa": "pu_a", "grid": ["1", "2", "1"]},
        _layers(text.given, points, penpa.style, 2),
        _layers(text.filled, points, 2, 3),
        [cells[0], *np.diff(cells).tolist()],
        [],
        {},
        "x",
        "x",
        [3, 2, 3],
        None,
        "x",
        0,
        _EMPTY,
        _EMPTY,
        {},
        [*penpa.tags],
    ]
    written = ["" if each is None else json.dumps(each, separators=(",", ":")) for each in lines]
    return _escaped("\n".join([",".join(map(str, head)), *written, ""]))


def _layers(drawing: Drawing, points: _Points, style: int, line: int) -> dict[str, Any]:
    """The object of what is drawn, numbers and lines in a style."""
    lines = {1: line, 2: _DOUBLE}
    return {
        **_EMPTY,
        "surface": {points.number(*cell): colour for cell, colour in drawing.surface.items()},
        "number": {
            points.number(*cell): [word, style, "2" if "_" in word else "1"]
            for cell, word in drawing.numbers.items()
        },
        "numberS": {
            4 * points.number(r, c, 1) + corner: [word, style]
            for (r, c, corner), word in drawing.corners.items()
        },
        "symbol": {
            points.number(*cell): [kind, name, 1] for cell, (name, kind) in drawing.symbols.items()
        },
        "line": {
            f"{points.number(r, c)},{points.number(r + d, c + 1 - d)}": lines[number]
            for (r, c, d), number in sorted(drawing.lines.items())
        },
        "lineE": {
            f"{points.number(r - 1 + d, c - d, 1)},{points.number(r, c, 1)}": lines[number]
            for (r, c, d), number in sorted(drawing.edges.items())
        },
    }


FORMAT = Format(
    name="penpa",
    about="addresses of Penpa+, with answers",
    puzzles=tuple(dict.fromkeys(kind.name for kind, _ in _LINKS)),
    detect=lambda text: _ADDRESS.match(first_said(text)[:1000]) is not None,
    read=_read,
    lines=lambda puzzle: [_address(puzzle)],
    answers=True,
)
