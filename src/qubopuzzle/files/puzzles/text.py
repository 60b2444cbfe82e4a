"""Puzzles as lines of cells: numberlink, hitori, kurodoko and heyawake, as typed or of solvers.

Two sizes may come first, in either order, on a line (``8 8``, ``8x8``, ``W=8 H=8``) or one each;
of a square one is enough. Without sizes a blank line ends a board. Cells are characters, or words
with spaces, tabs or commas between; ``.``, ``-``, ``_``, ``*`` and ``+`` are blank, and so is ``0``
in kurodoko, hitori, and where numberlink has no other sign for it. Lines that begin with ``#`` say
nothing; ``0 0`` ends a file.

- Numberlink: any signs or words, each there twice; every cell is used.
- Heyawake: rooms by letters or numbers, before or behind them a table of clues; or a clue behind
  the letter of its room, as in ``a3 a b``; or lines such as ``a=3 b=1`` below.

What the text alone does not tell, ``--puzzle`` says. That is so of kurodoko, unless it has a ``?``;
lines of digits without sizes that sudoku text can be are sudoku.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise

from qubopuzzle.checks import brief
from qubopuzzle.errors import InputError, at
from qubopuzzle.files.puzzles import links
from qubopuzzle.files.puzzles.clues import named
from qubopuzzle.files.puzzles.lines import (
    CELL_LIMIT,
    SIDE_LIMIT,
    Line,
    ReadLimit,
    head_of,
    lines_of,
    said,
)
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.puzzles.links import BLANKS, Lines, Rows

NAME = "text"
ABOUT = "lines of cells, perhaps below their sizes: numberlink, hitori, kurodoko, rooms of heyawake"
_KINDS = {kind.name: (kind, lines) for kind, lines in links(Lines)}
PUZZLES = tuple(_KINDS)

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


def sniff(text: str) -> bool:
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
    return min(board.shape) > 1 and bool(words - BLANKS) and (digits or _told(board) is not None)


def read(text: str, puzzle: str | None = None) -> list[Puzzle]:
    """Read every board as a kind of puzzle; InputError naming the line of the board.

    Without a kind all are what the first one tells.
    """
    if puzzle is not None and puzzle not in _KINDS:
        return []
    most = 2 if puzzle is None else _KINDS[puzzle][1].tables
    found: list[Puzzle] = []
    for board in _boards(lines_of(text), ReadLimit(), most):
        with at(f"the board at line {board.number}"):
            puzzle = puzzle or _told(board)
            found.append(_puzzle(board, puzzle))
    return found


def write(puzzles: Sequence[Puzzle]) -> str:
    """One board after the other, below its columns and rows; InputError for what is left out."""
    texts = []
    for puzzle in puzzles:
        with at(named(puzzle)):
            text = _write(puzzle)
            again = read(text, puzzle.name)
            if [_write(each) for each in again] != [text] or again[0].shape != puzzle.shape:
                raise InputError("words of several characters need two columns; write json")
        texts.append(text)
    return "\n".join(texts)


def _write(puzzle: Puzzle) -> str:
    tables = _KINDS[puzzle.name][1].write(puzzle)
    lines = ["{1} {0}".format(*puzzle.shape)]
    for rows in tables:
        between = "" if all(len(word) == 1 for row in rows for word in row) else " "
        lines += [between.join(row) for row in rows]
    return "".join(f"{line}\n" for line in lines)


def _puzzle(board: _Board, name: str | None) -> Puzzle:
    if name is None:
        which = ", ".join(PUZZLES)
        rows, columns = board.shape
        raise InputError(
            f"{rows} x {columns} cells do not say of what puzzle; --puzzle does: {which}"
        )
    kind, lines = _KINDS[name]
    with at(name):
        return kind.from_dict(lines.read(board.tables))


def _told(board: _Board) -> str | None:
    """The puzzle that the cells tell."""
    return next((name for name, (_, lines) in _KINDS.items() if lines.tells(board.tables)), None)


# --- lines to boards -----------------------------------------------------------------------


class _Ahead:
    """Lines without comments, of which the next ones can be looked at; blank ones are one."""

    def __init__(self, lines: Iterable[Line]) -> None:
        said = (line for line in lines if not line[1].startswith("#"))
        both = pairwise(chain([(0, "")], said))
        self._lines = (line for before, line in both if line[1] or before[1])
        self._next: deque[Line] = deque()

    def said(self, i: int = 0) -> Line | None:
        """The line after ``i`` others that are not blank; None behind the end."""
        filled = [line for line in self._next if line[1]]
        while len(filled) <= i:
            line = next(self._lines, None)
            if line is None:
                return None
            self._next.append(line)
            filled += [line] if line[1] else []
        return filled[i]

    def take(self) -> Line:
        """The next line; a blank one behind the end."""
        return self._next.popleft() if self._next else next(self._lines, (0, ""))

    def take_said(self, count: int) -> list[Line]:
        """So many lines that are not blank, or fewer at the end."""
        found: list[Line] = []
        while len(found) < count and self.said():
            found += [line for line in (self.take(),) if line[1]]
        return found


def _boards(
    lines: Iterator[Line], limit: ReadLimit, most: int, *, whole: bool = True
) -> Iterator[_Board]:
    """Every board, with ``most`` tables; ``whole``: the last one must not be cut off."""
    source = _Ahead(lines)
    before: _Board | None = None  # without sizes, and perhaps the first of two tables
    while (first := source.said()) is not None:
        sizes = _sizes(source)
        if sizes == (0, 0):
            break
        if sizes is None:
            board = _block(source, first[0], limit)
            if before and most > 1 and before.shape == board.shape and _apart(before, board):
                yield _Board(before.number, [*before.tables, *board.tables], sized=False)
                before = None
                continue
            yield from [before] if before else []
            before = board
            continue
        yield from [before] if before else []
        before = None
        with at(f"the board at line {first[0]}"):
            limit.count(sizes[0] * sizes[1])
            tables = [_table(source, sizes, whole=whole)]
            if most > 1 and _goes_on(source, sizes[1]):
                tables.append(_table(source, sizes, whole=whole))
            _add_named(source, tables)
        yield _Board(first[0], tables, sized=True)
    yield from [before] if before else []


def _sizes(source: _Ahead) -> tuple[int, int] | None:
    """Rows and columns, if the next lines are sizes, which are then behind us."""
    numbers: list[int] = []
    for i in range(3):
        found = source.said(i)
        line = found[1] if found and len(found[1]) < 50 else ""
        if not (_ONE if numbers or not _BOTH.fullmatch(line) else _BOTH).fullmatch(line):
            return None
        numbers += map(int, re.findall("[0-9]+", line))
        if numbers == [0, 0]:
            return 0, 0
        after = source.said(i + 1)
        width = len(_cells(*after)) if after else 0
        told = width > 1 or _BOTH.fullmatch(line)  # lines of one number may be anything
        if told and width in numbers[-2:] and min(numbers) > 0:
            source.take_said(i + 1)
            one, other = (numbers * 2)[-2:] if len(numbers) == 1 else numbers[-2:]
            return (other, one) if one == width else (one, other)
        if _BOTH.fullmatch(line):
            sides = " and ".join(map(str, numbers))
            number = after[0] if after else found[0]  # type: ignore[index]
            raise InputError(f"line {number}: {width} cells in a row, but the sizes are {sides}")
    return None


def _table(source: _Ahead, shape: tuple[int, int], *, whole: bool) -> Rows:
    """Rows of cells; InputError for fewer or other ones."""
    rows = [_row(line, shape[1]) for line in source.take_said(shape[0])]
    if len(rows) < shape[0] and whole:
        raise InputError(f"{shape[0]} rows are due, there are {len(rows)}")
    return rows


def _goes_on(source: _Ahead, width: int) -> bool:
    """Whether a row of a second table comes next, and no sizes or clues by name."""
    row, below = source.said(), source.said(1)
    if row is None or _are_named(row[1]) or len(_cells(*row)) != width:
        return False
    sized = _BOTH.fullmatch(row[1]) and below is not None
    return not (sized and str(len(_cells(*below))) in row[1].split())  # type: ignore[misc]


def _block(source: _Ahead, number: int, limit: ReadLimit) -> _Board:
    """Rows of cells up to a blank line, and clues by name among them."""
    source.said()
    rows: Rows = []
    cells = 0
    lines = source.take_said(1)
    while lines and lines[0][1] and not _are_named(lines[0][1]):
        rows.append(_row(lines[0], len(rows[0]) if rows else 0))
        cells += len(rows[-1])
        if cells > CELL_LIMIT:
            raise InputError(f"line {number}: over {CELL_LIMIT:,} cells; divide the text")
        ahead = source.said()
        if ahead is None or _are_named(ahead[1]):
            break
        lines = [source.take()]
    if not rows:
        raise InputError(f"line {number}: clues by name stand below the rooms")
    tables = [rows]
    with at(f"the board at line {number}"):
        limit.count(cells)
        _add_named(source, tables)
    return _Board(number, tables, sized=False)


def _row(line: Line, width: int) -> list[str]:
    cells = _cells(*line)
    if width and len(cells) != width:
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
    if len(one.tables) + len(other.tables) > 2:
        return False
    words = [{*chain.from_iterable(board.tables[0])} for board in (one, other)]
    blanks = [bool(each & BLANKS) for each in words]
    clues = words[blanks[1]]
    return blanks[0] != blanks[1] and all(word in BLANKS or word.isdecimal() for word in clues)


def _are_named(line: str) -> bool:
    """Whether a line is clues by the names of their rooms."""
    return "=" in line[:12] + line[:12].replace(":", "=") and not _NAMED.sub("", line).strip(
        " ,;\t"
    )


def _add_named(source: _Ahead, tables: list[Rows]) -> None:
    """Put the clues of the next lines, by name, into a table of their own."""
    while len(tables) == 1 or tables[1:] == [[]]:
        ahead = source.said()
        if ahead is None or not _are_named(ahead[1]):
            break
        place = {word: (r, c) for r, row in enumerate(tables[0]) for c, word in enumerate(row)}
        found = _NAMED.findall(ahead[1])
        if not place.keys() >= {name for name, _ in found}:
            break
        tables.append([["."] * len(row) for row in tables[0]])
        while ahead is not None and _are_named(ahead[1]):
            source.take_said(1)
            for name, clue in _NAMED.findall(ahead[1]):
                if name not in place:
                    raise InputError(f"line {ahead[0]}: there is no room {name}")
                r, c = place[name]
                tables[1][r][c] = clue
            ahead = source.said()
