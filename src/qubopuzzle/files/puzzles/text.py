"""Puzzles as lines of cells: numberlink, hitori, kurodoko and heyawake, as typed or of solvers.

Two sizes may come first, in either order, on a line (``8 8``, ``8x8``, ``W=8 H=8``) or one each;
of a square one is enough. Without sizes a blank line ends a board. Cells are characters, or words
with spaces, tabs or commas between; ``.``, ``-``, ``_``, ``*`` and ``+`` are blank, and so is ``0``
in kurodoko, hitori, and where numberlink has no other sign for it. Lines that begin with ``#`` are
comments; ``0 0`` ends a file.

- Numberlink: any signs or words, each there twice; every cell is used.
- Heyawake: rooms by letters or numbers, before or behind them a table of clues; or a clue behind
  the letter of its room, as in ``a3 a b``; or lines such as ``a=3 b=1`` below.

Where the text alone does not decide the kind of puzzle, ``--puzzle`` gives it: so for kurodoko,
unless it has a ``?``. Lines of digits without sizes that can be sudoku text are sudoku.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import InputError, at
from qubopuzzle.files.puzzles import Format, links
from qubopuzzle.files.puzzles.lines import SIDE_LIMIT, Line, ReadLimit, head_of, lines_of, said
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.puzzles.lines import BLANKS, Lines, Rows

_KINDS = {kind.name: (kind, lines) for kind, lines in links(Lines)}
_LINE_LIMIT = 8 * SIDE_LIMIT
_SIDE = (
    r"(?:(?:w|h|n|width|height|rows|col(?:umn)?s|size)\b\s{0,3}[:=]?\s{0,3}|(?:w|h)(?=\d))?\d{1,5}"
)
_ONE = re.compile(_SIDE, re.IGNORECASE | re.ASCII)
_BOTH = re.compile(
    rf"{_SIDE}(?:\s{{0,3}}[x,;]\s{{0,3}}|\s{{1,9}}){_SIDE}", re.IGNORECASE | re.ASCII
)
_NAMED = re.compile(r"(\w{1,8})\s{0,3}[=:]\s{0,3}([0-9]{1,6})", re.ASCII)
_WORD = re.compile(r"[.*+?_-]|[A-Za-z]{0,12}[0-9]{0,6}", re.ASCII)


@dataclass(frozen=True)
class _Board:
    """Tables of cells from a line on; ``sized`` if sizes came first."""

    number: int
    tables: list[Rows]
    sized: bool

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of a table."""
        return len(self.tables[0]), len(self.tables[0][0])


def _detect(text: str) -> bool:
    """Whether the first board is one, of what cells can hold."""
    try:
        board = next(_boards(head_of(text), ReadLimit(), most=2, whole=False), None)
    except InputError:  # of sizes and rows that do not fit, if these are no other clues
        head = [line for _, line in islice(said(head_of(text)), 3)]
        return bool(_BOTH.fullmatch(head[0])) and any({*line} & {*".-_"} for line in head[1:])
    if board is None:
        return False
    words = {word for rows in board.tables for row in rows for word in row}
    if board.sized:
        return all(len(word) == 1 or _WORD.fullmatch(word) for word in words)
    if not all(map(_WORD.fullmatch, words)):
        return False
    digits = not any(word[0].isalpha() for word in words)
    return min(board.shape) > 1 and bool(words - BLANKS) and (digits or _kind_of(board) is not None)


def _read(text: str, puzzle: str | None = None) -> list[Puzzle]:
    """Every board as one kind of puzzle: without ``puzzle`` that of the first board."""
    if puzzle is not None and puzzle not in _KINDS:
        return []
    most = 2 if puzzle is None else _KINDS[puzzle][1].tables
    puzzles: list[Puzzle] = []
    for board in _boards(lines_of(text), ReadLimit(), most):
        with at(f"the board at line {board.number}"):
            puzzle = puzzle or _kind_of(board)
            puzzles.append(_puzzle(board, puzzle))
    return puzzles


def _lines(puzzle: Puzzle) -> list[str]:
    """A board below its columns and rows; InputError if it is read as another one."""
    lines = _rows(puzzle)
    again = _read("\n".join(lines), puzzle.name)
    if [_rows(each) for each in again] != [lines] or again[0].shape != puzzle.shape:
        raise InputError("words of several characters need two columns; write json")
    return lines


def _rows(puzzle: Puzzle) -> list[str]:
    lines = ["{1} {0}".format(*puzzle.shape)]
    for rows in _KINDS[puzzle.name][1].write(puzzle):
        between = "" if all(len(word) == 1 for row in rows for word in row) else " "
        lines += [between.join(row) for row in rows]
    return lines


def _puzzle(board: _Board, name: str | None) -> Puzzle:
    if name is None:
        which = ", ".join(_KINDS)
        rows, columns = board.shape
        raise InputError(
            f"{rows} x {columns} cells do not say of what puzzle; --puzzle does: {which}"
        )
    kind, lines = _KINDS[name]
    with at(name):
        return kind.from_dict(lines.read(board.tables))


def _kind_of(board: _Board) -> str | None:
    """The name of the kind of puzzle, if the cells decide it."""
    return next((name for name, (_, lines) in _KINDS.items() if lines.tells(board.tables)), None)


# --- lines to boards -----------------------------------------------------------------------


class _Source:
    """Lines that are neither blank nor comments, taken one by one; ``ahead`` looks at the next."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self._rest = iter(lines)
        self._lines: list[Line] = []
        self._blank_before: set[int] = set()
        self._next = 0

    def ahead(self, i: int = 0) -> Line:
        """The line after ``i`` others; number 0 and no text behind the end."""
        while len(self._lines) <= self._next + i:
            line = next(self._rest, (0, ""))
            if line == (0, ""):
                return line
            if not line[1]:
                self._blank_before.add(len(self._lines))
            elif line[1][0] != "#":
                self._lines.append(line)
        return self._lines[self._next + i]

    def take(self, count: int) -> list[Line]:
        """So many lines, or fewer at the end."""
        self.ahead(count - 1)
        self._next += count
        return self._lines[self._next - count : self._next]

    def block(self) -> int:
        """How many lines come before a blank one, clues by name, or the end."""
        count = 0
        while (line := self.ahead(count)[1]) and not _are_named(line):
            if count and self._next + count in self._blank_before:
                break
            count += 1
        return count


def _boards(
    lines: Iterable[Line], limit: ReadLimit, most: int, *, whole: bool = True
) -> Iterator[_Board]:
    """Every board, with ``most`` tables; ``whole``: the last one must not be cut off."""
    source = _Source(lines)
    before: _Board | None = None  # without sizes, and perhaps the first of two tables
    while number := source.ahead()[0]:
        with at(f"the board at line {number}"):
            sizes = _sizes(source)
            if sizes == (0, 0):
                break
            shape = sizes or (source.block(), len(_cells(*source.ahead())))
            if not shape[0]:
                raise InputError("clues by name stand below the rooms")
            limit.count(shape[0] * shape[1])
            tables = [_table(source, shape, whole=whole)]
            if sizes and most > 1 and _goes_on(source, shape[1]):
                tables.append(_table(source, shape, whole=whole))
            _add_named(source, tables)
        board = _Board(number, tables, sized=sizes is not None)
        if before and most > 1 and _apart(before, board):
            board = _Board(before.number, [*before.tables, *tables], sized=False)
        elif before:
            yield before
        before = None if board.sized else board
        if board.sized:
            yield board
    if before:
        yield before


def _sizes(source: _Source) -> tuple[int, int] | None:
    """Rows and columns, if the next lines are sizes, which are then behind us."""
    numbers: list[int] = []
    for i in range(3):
        here, line = source.ahead(i)
        both = not numbers and len(line) < 50 and _BOTH.fullmatch(line)
        if not (both or (len(line) < 50 and _ONE.fullmatch(line))):
            return None
        numbers += map(int, re.findall("[0-9]+", line))
        if numbers == [0, 0]:
            return 0, 0
        number, row = source.ahead(i + 1)
        width = len(_cells(number, row))
        is_certain = width > 1 or both  # lines of one number may be anything
        if is_certain and width in numbers[-2:] and min(numbers) > 0:
            source.take(i + 1)
            one, other = (numbers * 2)[-2:] if len(numbers) == 1 else numbers[-2:]
            return (other, one) if one == width else (one, other)
        if both:
            what = f"{width} cells in a row, but the sizes are {numbers[0]} and {numbers[1]}"
            raise InputError(f"line {number or here}: {what}")
    return None


def _table(source: _Source, shape: tuple[int, int], *, whole: bool) -> Rows:
    """Rows of cells; InputError for fewer or other ones."""
    rows = [_row(line, shape[1]) for line in source.take(shape[0])]
    if len(rows) < shape[0] and whole:
        raise InputError(f"{shape[0]} rows are due, there are {len(rows)}")
    return rows


def _row(line: Line, width: int) -> list[str]:
    cells = _cells(*line)
    if len(cells) != width:
        raise InputError(
            f"line {line[0]}: {len(cells)} cells in a row of {width}: {brief(line[1])}"
        )
    return cells


def _cells(number: int, line: str) -> list[str]:
    """The words of a line, or the characters of a single one."""
    if len(line) > _LINE_LIMIT:
        raise InputError(f"line {number}: a row of over {_LINE_LIMIT:,} characters")
    if "," in line:
        words = [word.strip() or "." for word in line.split(",")]
        return words if line.rstrip()[-1] != "," else words[:-1]
    words = line.split()
    return words if len(words) != 1 else [*words[0]]


# --- two tables ----------------------------------------------------------------------------


def _apart(one: _Board, other: _Board) -> bool:
    """Whether one of two boards is full of names of rooms, the other clues and blank cells."""
    single = len(one.tables) == len(other.tables) == 1
    if not single or one.sized or other.sized or one.shape != other.shape:
        return False
    words = [{*chain.from_iterable(board.tables[0])} for board in (one, other)]
    blanks = [bool(each & BLANKS) for each in words]
    clues = words[blanks[1]]
    return blanks[0] != blanks[1] and all(word in BLANKS or word.isdecimal() for word in clues)


def _goes_on(source: _Source, width: int) -> bool:
    """Whether a row of a second table comes next, and no sizes or clues by name."""
    row, below = source.ahead(), source.ahead(1)
    if _are_named(row[1]) or len(_cells(*row)) != width:
        return False
    sized = below[1] and _BOTH.fullmatch(row[1])
    return not (sized and str(len(_cells(*below))) in row[1].split())


def _are_named(line: str) -> bool:
    """Whether a line is clues by the names of their rooms."""
    return "=" in line[:12].replace(":", "=") and not _NAMED.sub("", line).strip(" ,;\t")


def _add_named(source: _Source, tables: list[Rows]) -> None:
    """Put the clues of the next lines, by name, into a table of their own."""
    line = source.ahead()[1]
    place = {word: (r, c) for r, row in enumerate(tables[0]) for c, word in enumerate(row)}
    known = place.keys() >= {name for name, _ in _NAMED.findall(line)}
    if len(tables) > 1 or not _are_named(line) or not known:
        return
    tables.append([["."] * len(row) for row in tables[0]])
    while _are_named(source.ahead()[1]):
        ((number, line),) = source.take(1)
        for name, clue in _NAMED.findall(line):
            if name not in place:
                raise InputError(f"line {number}: there is no room {name}")
            r, c = place[name]
            tables[1][r][c] = clue


FORMAT = Format(
    name="text",
    about="lines of cells, perhaps below their sizes: numberlink, hitori, kurodoko, "
    "rooms of heyawake",
    puzzles=tuple(_KINDS),
    detect=_detect,
    read=_read,
    lines=_lines,
    join=lambda _, texts: "\n".join(texts),
)
