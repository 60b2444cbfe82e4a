"""Puzzles as text of janko.at: ``begin``, keys, blocks of cells, ``end``.

    begin
    puzzle hitori
    size 2
    problem
    1 1
    1 2
    solution
    x -
    - -
    end

Cells are divided by spaces, ``-`` is blank. Words that begin a block, and ``begin`` and ``end``,
may stand in brackets, as in the pages themselves; what is outside is passed over, as are moves.

============ =========== ====================================================================
name there   puzzle      blocks
============ =========== ====================================================================
sudoku       sudoku      problem; ``patternx`` and ``patterny`` are the columns and rows of a box
heyawake     heyawake    problem (the clue in any cell of its room), areas (a name a room)
hitori       hitori      problem
kuromasu     kurodoko    problem
arukone      numberlink  problem; the solution is the sides by which a path leaves: ``n e s w``
abc-end-view easyasabc   clabels (above, below), rlabels (left, right), problem; ``depth`` letters
nonogram     nonogram    clabels, a line a column; rlabels, a line a row
============ =========== ====================================================================

In solutions ``x`` is a black cell. An arukone may leave cells unused; under the name
``numberlink`` it may not, which is how one is written.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from string import ascii_lowercase
from typing import Any, NamedTuple

import numpy as np

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import InputError
from qubopuzzle.files.puzzles import Format
from qubopuzzle.files.puzzles.clues import clue_text, one_line, read_clue
from qubopuzzle.files.puzzles.lines import Line, ReadLimit, head_of, lines_of, read_boards
from qubopuzzle.puzzles import Puzzle, get_puzzle
from qubopuzzle.puzzles.lines import Rows
from qubopuzzle.puzzles.links import UNKNOWN, ZERO, Board, room_clues, show_clues
from qubopuzzle.puzzles.sudoku import squarest_box
from qubopuzzle.puzzles.sudoku.links import check_keys
from qubopuzzle.puzzles.sudoku.variants import FLAGS, LISTS
from qubopuzzle.puzzles.vocabulary.grids import regions

_BLOCKS = ("problem", "solution", "areas", "clabels", "rlabels", "labels", "moves")
_BRACKETS = re.compile(r"\[\s*(\w{1,30})\s*\]")
_NUMBER = re.compile("[0-9]{1,9}")
_BLANKS = ("-", ".")
_SIDES = {"e": 1, "s": 2, "w": 4, "n": 8}
_GOES = re.compile("[nesw]+", re.ASCII | re.IGNORECASE)
_ABOUT = ("author", "title", "source")


@dataclass(frozen=True)
class _Code:
    """How words stand for values: ``value`` of a word, None for no such word, and its inverse.

    A blank cell is 0. ``expected`` is what is no error.
    """

    value: Callable[[str], int | None]
    word: Callable[[int], str] = str
    expected: str = "number"

    def read(self, word: str, place: str) -> int:
        """The value of a word; InputError naming the place for another one."""
        value = 0 if word in _BLANKS else self.value(word)
        if value is None:
            raise InputError(f"{place} is {brief(word)}, no {self.expected} or '-'")
        return value


_NUMBERS = _Code(lambda word: int(word) if _NUMBER.fullmatch(word) else None)
_UNKNOWN = _Code(
    lambda word: UNKNOWN if word == "?" else _NUMBERS.value(word),
    lambda number: "?" if number == UNKNOWN else str(number),
)
_OF_ROOMS = _Code(
    lambda word: ZERO if word.strip("0") == "" else _UNKNOWN.value(word),
    lambda number: "0" if number == ZERO else str(number),
)
_LETTERS = _Code(
    lambda word: (ascii_lowercase.find(word.lower()) + 1 if len(word) == 1 else 0) or None,
    lambda number: ascii_lowercase[number - 1],
    expected="letter",
)
_BLACK = _Code(lambda word: int(word in "xX#"), lambda _: "x")
_PATHS = _Code(
    lambda word: sum(_SIDES[side] for side in {*word.lower()}) if _GOES.fullmatch(word) else None,
    lambda sides: "".join(side for side, bit in _SIDES.items() if sides & bit),
    expected="sides n e s w",
)


@dataclass
class _Text:
    """What stands between ``begin`` and ``end``: keys, and blocks of lines; read or written.

    A part of a puzzle is a function of it and of a board, a dictionary with the keys of native
    JSON, which both reads and writes.
    """

    start: int = 0
    keys: dict[str, str] = field(default_factory=dict)
    blocks: dict[str, list[Line]] = field(default_factory=dict)
    reading: bool = True

    def table(self, name: str, code: _Code, given: Any, shape: tuple[int, ...] | None) -> Any:
        """The values of a block, (rows, columns); where text is written, those that are given."""
        if not self.reading:
            shown = [[code.word(n) if n else "-" for n in row] for row in np.array(given).tolist()]
            self.blocks[name] = [(0, " ".join(row)) for row in shown]
            return given
        return np.array(
            [
                [code.read(word, f"row {r} column {c}") for c, word in enumerate(row, start=1)]
                for r, row in enumerate(self.words(name, shape), start=1)
            ]
        )

    def optional(self, name: str, code: _Code, given: Any, shape: tuple[int, ...]) -> Any:
        """The same of a block that may be missing or empty; None for none."""
        there = self.blocks.get(name) if self.reading else given is not None
        return self.table(name, code, given, shape) if there else None

    def words(self, name: str, shape: tuple[int, ...] | None = None) -> Rows:
        """The words of a block, as many in each line; InputError naming the line."""
        lines = [(number, line.split()) for number, line in self.lines(name)]
        rows, columns = shape or (len(lines), len(lines[0][1]) if lines else 0)
        for number, words in lines:
            if len(words) != columns:
                raise InputError(f"line {number}: {len(words)} cells of {name}, not {columns}")
        if len(lines) != rows or not lines:
            raise InputError(f"{name} has {len(lines)} lines, not {rows or 'any'}")
        return [words for _, words in lines]

    def lines(self, name: str) -> list[Line]:
        """The lines of a block; InputError if it is not there."""
        if name not in self.blocks:
            raise InputError(f"there is no block {name}")
        return self.blocks[name]

    def sizes(self) -> tuple[int, int] | None:
        """Rows and columns that the keys say; None if they do not."""
        sizes = [self.keys.get(name) or self.keys.get("size") for name in ("rows", "cols")]
        if None in sizes:
            return None
        for size in sizes:
            if not _NUMBER.fullmatch(str(size)):
                raise InputError(f"{brief(size)} is no size")
        return int(str(sizes[0])), int(str(sizes[1]))


# --- puzzles -----------------------------------------------------------------------------


def _solution(text: _Text, board: Board, shape: tuple[int, ...], code: _Code = _BLACK) -> None:
    board["solution"] = text.optional("solution", code, board.get("solution"), shape)


def _grid(text: _Text, board: Board, code: _Code = _NUMBERS, solution: _Code = _BLACK) -> None:
    board["grid"] = text.table("problem", code, board.get("grid"), text.sizes())
    _solution(text, board, np.shape(board["grid"]), solution)


def _sudoku(text: _Text, board: Board) -> None:
    if "areas" in text.blocks:
        raise InputError("a sudoku with areas is a variant that is not known here")
    if not text.reading:
        check_keys(["regions"] * (board["regions"] is not None))
        check_keys([key for key in (*FLAGS, *LISTS) if board[key]])
    _grid(text, board, solution=_NUMBERS)
    box = [text.keys.get(name, "") for name in ("patterny", "patternx")]
    if all(map(_NUMBER.fullmatch, box)):
        board["box"] = [*map(int, box)]
    if not text.reading and (1 in board["box"] or board["box"] != squarest_box(len(board["grid"]))):
        high, wide = map(str, board["box"])
        text.keys |= {"patternx": wide, "patterny": high}


def _heyawake(text: _Text, board: Board) -> None:
    """A name may come again for another room, as only borders are drawn."""
    shown = None
    if text.reading:
        board["rooms"] = regions(np.array(text.words("areas", text.sizes()), dtype=object))
    else:
        shown = show_clues(board["rooms"], board["clues"])
    rooms = board["rooms"]
    shown = text.optional("problem", _OF_ROOMS, shown, rooms.shape)
    board["clues"] = room_clues(rooms, np.zeros_like(rooms) if shown is None else shown)
    if not text.reading:
        text.table("areas", _NUMBERS, regions(rooms) + 1, rooms.shape)
    _solution(text, board, rooms.shape)


def _arukone(text: _Text, board: Board) -> None:
    """Letters are numbered as they come, as are other words beside them."""
    code = _NUMBERS
    if text.reading:
        words = [word for row in text.words("problem", text.sizes()) for word in row]
        if any(len(word) == 1 and word.isalpha() for word in words):
            names = dict.fromkeys(word for word in words if word not in _BLANKS)
            code = _Code({name: i for i, name in enumerate(names, start=1)}.get)
    _grid(text, board, code, solution=_PATHS)


def _abc(text: _Text, board: Board) -> None:
    """The letters are counted by ``depth``, or as many as the solution has."""
    if text.reading:
        first = "clabels" if "clabels" in text.blocks else "problem"
        board["size"] = len(text.words(first)[0])
    size = board["size"]
    for name, sides in (("clabels", ("top", "bottom")), ("rlabels", ("left", "right"))):
        if name in text.blocks or not text.reading:
            given = [board.get(side) for side in sides]
            board |= zip(sides, text.table(name, _LETTERS, given, (2, size)), strict=True)
    grid = board.get("grid")
    grid = text.optional("problem", _LETTERS, grid if np.any(grid) else None, (size, size))
    board["grid"] = np.zeros((size, size), dtype=np.int64) if grid is None else grid
    _solution(text, board, (size, size), _LETTERS)
    if not text.reading:
        text.keys["depth"] = str(board["letters"])
    elif _NUMBER.fullmatch(depth := text.keys.get("depth", "")):
        board["letters"] = int(depth)
    elif board["solution"] is not None and board["solution"].any():
        board["letters"] = int(board["solution"].max())
    else:
        raise InputError("how many letters there are is not said; add a line such as depth 3")


def _nonogram(text: _Text, board: Board) -> None:
    for name, key in (("clabels", "cols"), ("rlabels", "rows")):
        if not text.reading:
            text.blocks[name] = [(0, clue_text(clue)) for clue in board[key]]
            continue
        lines = [(number, line.split()) for number, line in text.lines(name)]
        clues = ((n, " ".join(word for word in line if word not in _BLANKS)) for n, line in lines)
        board[key] = [read_clue(number, clue or "0") for number, clue in clues]
    _solution(text, board, (len(board["rows"]), len(board["cols"])))


class _Kind(NamedTuple):
    """A name there, our name, what reads and writes one, and the fields that the name means."""

    name: str
    puzzle: str
    part: Callable[[_Text, Board], None]
    fields: Mapping[str, Any] = {}


_KINDS = (
    _Kind("sudoku", "sudoku", _sudoku),
    _Kind("heyawake", "heyawake", _heyawake),
    _Kind("hitori", "hitori", _grid),
    _Kind("kuromasu", "kurodoko", partial(_grid, code=_UNKNOWN)),
    _Kind("kurodoko", "kurodoko", partial(_grid, code=_UNKNOWN)),
    _Kind("arukone", "numberlink", _arukone, {"cover": False}),
    _Kind("numberlink", "numberlink", _arukone, {"cover": True}),
    _Kind("abc-end-view", "easyasabc", _abc),
    _Kind("easy-as-abc", "easyasabc", _abc),
    _Kind("nonogram", "nonogram", _nonogram),
    _Kind("nonogramm", "nonogram", _nonogram),
)
"""The first of a puzzle is written, if it has these fields."""


# --- texts -------------------------------------------------------------------------------


def _detect(text: str) -> bool:
    """Whether a line says ``begin`` and the next one ``puzzle``."""
    before = ""
    for _, line in head_of(text):
        if before in ("begin", "[begin]") and line.lower().startswith("puzzle"):
            return True
        before = line.lower() or before
    return False


def _read(text: str, puzzle: str | None = None) -> list[Puzzle]:
    """Every puzzle, or those of one kind."""
    parts = ((f"the puzzle at line {part.start}", part) for part in _parts(text))
    return read_boards(parts, partial(_puzzle, puzzle))


def _parts(text: str) -> Iterator[_Text]:
    current: _Text | None = None
    lines: list[Line] | None = None
    for number, line in lines_of(text):
        word = _word(line)
        if word == "begin":
            if current is not None:
                raise InputError(f"line {number}: the puzzle at line {current.start} has no end")
            current, lines = _Text(number), None
        elif current is None or not line:
            continue
        elif word == "end":
            yield current
            current = None
        elif word in _BLOCKS or len(word) < len(line):
            lines = current.blocks.setdefault(word, [])
        elif lines is not None:
            lines.append((number, line))
        else:
            key, _, value = line.partition(" ")
            current.keys.setdefault(key.lower(), one_line(value))
    if current is not None:
        raise InputError(f"the puzzle at line {current.start}: it has no end")


def _word(line: str) -> str:
    """A line in lower case, without the brackets around a single word."""
    match = _BRACKETS.fullmatch(line) if line[:1] == "[" else None
    return (match[1] if match else line).lower()


def _puzzle(wanted: str | None, text: _Text, limit: ReadLimit) -> Iterator[Puzzle]:
    """The puzzle, if it is of the wanted kind."""
    name = text.keys.get("puzzle", "")
    plain = re.sub("[^a-z]", "", name.lower())
    kind = next((kind for kind in _KINDS if kind.name.replace("-", "") == plain), None)
    if kind is None and wanted is None:
        known = ", ".join(sorted(kind.name for kind in _KINDS))
        raise InputError(f"puzzle {brief(name)} is none that is read here, such as {known}")
    if kind is None or wanted not in (None, kind.puzzle):
        return
    limit.count(sum(len(line) for _, line in text.blocks.get("problem", ())) // 2)
    board = {**kind.fields, **{key: text.keys[key] for key in _ABOUT if key in text.keys}}
    kind.part(text, board)
    yield get_puzzle(kind.puzzle).from_dict(board)


def _lines(puzzle: Any) -> Iterator[str]:
    """A puzzle with title, author, source and solution."""
    kind = next(
        kind
        for kind in _KINDS
        if kind.puzzle == puzzle.name
        and all(getattr(puzzle, key) == value for key, value in kind.fields.items())
    )
    text = _Text(reading=False)
    text.keys = {key: about for key in _ABOUT if (about := one_line(getattr(puzzle, key)))}
    rows, columns = puzzle.shape
    text.keys |= (
        {"size": f"{rows}"} if rows == columns else {"rows": f"{rows}", "cols": f"{columns}"}
    )
    kind.part(text, {**vars(puzzle)})
    yield from ("begin", f"puzzle {kind.name}")
    yield from (f"{key} {value}" for key, value in text.keys.items())
    for name, lines in text.blocks.items():
        yield name
        yield from (line for _, line in lines)
    yield "end"


FORMAT = Format(
    name="janko",
    about="text of janko.at: begin, puzzle, size, problem, solution, end",
    puzzles=tuple(dict.fromkeys(kind.puzzle for kind in _KINDS)),
    detect=_detect,
    read=_read,
    lines=_lines,
    answers=True,
)
