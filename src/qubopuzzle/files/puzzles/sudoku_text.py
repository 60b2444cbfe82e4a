"""Sudoku as plain text: one line a puzzle, or a grid of lines.

- A line of n*n cells is a puzzle (n = 4, 9, 16 or 25); many lines are a batch.
- n lines of n cells are a puzzle; spaces and ``|`` divide, lines of ``-``, ``=`` and ``+`` are
  rules. Lines of 16 cells are puzzles of 4 x 4 if none of those that follow each other holds
  more than 1 to 4, and rows of 16 x 16 otherwise.

A cell is one character: ``.`` ``0`` ``_`` ``*`` for blank, digits, and letters from A = 10.
In 16 x 16, ``0`` is the first of the digits 0 to F if the puzzle has another sign for blank
and no G; a puzzle that shows neither follows the others of its text. Where a line has as many
words as cells and some are of two digits, words are cells, and decimal.

After ``#`` there is a comment. Of a file in sections, ``[Puzzle]`` alone is read.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from math import isqrt

from qubopuzzle.errors import InputError
from qubopuzzle.files.puzzles.lines import Line, head_of, lines_of
from qubopuzzle.puzzles.sudoku import Sudoku

NAME = "sudoku"
ABOUT = "sudoku as text: 81 characters a line, or grids of lines; also 4x4, 16x16, 25x25"
PUZZLES = ("sudoku",)

_SIDES = (4, 9, 16, 25)
_COUNTS = {count for n in _SIDES for count in (n, n * n)}
_DIGITS = ".123456789ABCDEFGHIJKLMNOP"
_RULE = re.compile(r"(?:[+|:*.' ]*[-=]){3}[-=+|:*.' ]*")
"""A line that divides boxes; three of its signs at least are ``-`` or ``=``."""
_BLANK = dict.fromkeys("._*", 0)
_HEXADECIMAL = _BLANK | {sign: value for value, sign in enumerate("0123456789ABCDEF", start=1)}
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

Row = tuple[int, Sequence[str]]
"""A line's number and its cells."""


def sniff(text: str) -> bool:
    """Whether the first lines are a puzzle, of nothing but cells of its size.

    A line that is a little too short or too long is one, too, so that ``read`` says so.
    """
    lines = _rows(head_of(text))
    first = next(lines, None)
    if first is None:
        return False
    count = len(first[1])
    if count not in _COUNTS:
        near = [n for n in (9, 16, 25) if abs(count - n * n) <= n]
        return any(set(first[1]) & set("._*0") and _fit(n, [first]) for n in near)
    n, height = _shape(count, [first])
    head = [first, *islice(lines, height - 1)]
    return len(head) == height and all(len(cells) == count for _, cells in head) and _fit(n, head)


def read(text: str, _kind: str | None = None) -> list[Sudoku]:
    """Read every puzzle; its boxes are square."""
    boards = list(_boards(text))
    marked = [_is_hexadecimal(rows) if n == 16 else None for n, rows in boards]
    # A puzzle that does not tell is like the others, if they agree.
    usual = set(marked) - {None} == {True}
    values = [
        _values(n, rows, n == 16 and (usual if hexadecimal is None else hexadecimal))
        for (n, rows), hexadecimal in zip(boards, marked, strict=True)
    ]
    return [_puzzle(n, own) for (n, _), own in zip(boards, values, strict=True)]


def write(puzzles: Sequence[Sudoku]) -> str:
    """One line a puzzle, ``.`` for blank; boxes are square, 2 x 2 to 5 x 5."""
    lines = []
    for puzzle in puzzles:
        high, wide = puzzle.box
        if high != wide or high * wide not in _SIDES:
            raise InputError(
                f"{puzzle.id or puzzle.name}: sudoku text does not tell boxes, so it holds those "
                f"of 2 x 2 to 5 x 5 and none of {high} x {wide}; write json"
            )
        lines.append("".join(_DIGITS[value] for row in puzzle.grid for value in row) + "\n")
    return "".join(lines)


def _rows(lines: Iterable[Line]) -> Iterator[Row]:
    """Those lines that hold cells."""
    wanted = True
    for number, line in lines:
        content = line.partition("#")[0].strip()
        if content[:1] == "[" and content[-1] == "]":
            wanted = content.lower() == "[puzzle]"
        elif content and wanted and not _RULE.fullmatch(content):
            yield number, _cells(content)


def _cells(content: str) -> Sequence[str]:
    """The words, if they are as many as cells can be and some have two digits, else characters."""
    words = content.upper().replace("|", " ").split()
    as_words = len(words) in _COUNTS and max(map(len, words)) == 2
    return words if as_words else "".join(words)


def _fit(n: int, lines: Iterable[Row]) -> bool:
    """Whether there are cells of an n x n puzzle and no others."""
    return all(_VALUES[n].keys() >= set(cells) for _, cells in lines)


def _shape(count: int, lines: Sequence[Row]) -> tuple[int, int]:
    """Side of a puzzle, and its lines, where such as these have ``count`` cells each."""
    single = count not in _SIDES or (count == 16 and _fit(4, lines))
    return (isqrt(count), 1) if single else (count, count)


def _boards(text: str) -> Iterator[tuple[int, list[Row]]]:
    """The side of each puzzle, and its lines."""
    for count, same in groupby(_rows(lines_of(text)), key=lambda line: len(line[1])):
        rows = iter(same)
        first = next(rows)
        if count not in _COUNTS:
            raise InputError(
                f"line {first[0]}: {count} cells; a puzzle has 16, 81, 256 or 625, a row "
                "of it 4, 9, 16 or 25 (other boxes can be read from json)"
            )
        lines = [first, *rows]
        n, height = _shape(count, lines)
        for i in range(0, len(lines), height):
            board = lines[i : i + height]
            if len(board) < height:
                raise InputError(
                    f"line {board[0][0]}: {len(board)} rows of {n} cells, but {n} are needed"
                )
            yield n, board


def _is_hexadecimal(rows: Sequence[Row]) -> bool | None:
    """Whether a puzzle's digits begin at 0; None: it may be."""
    used = {cell for _, cells in rows for cell in cells}
    if "G" in used or any(len(cell) > 1 for cell in used):
        return False
    return True if "0" in used and used & set("._*") else None


def _values(n: int, rows: Sequence[Row], hexadecimal: bool) -> list[int]:
    """What the cells stand for, row by row."""
    known = _HEXADECIMAL if hexadecimal else _VALUES[n]
    values: list[int] = []
    for number, cells in rows:
        if not known.keys() >= set(cells):
            i, cell = next((i, c) for i, c in enumerate(cells, start=1) if c not in known)
            low, high = (0, "F") if hexadecimal else (1, _DIGITS[n])
            raise InputError(
                f"line {number}: cell {i} is {cell!r}; a cell of {n} x {n} is "
                f"{low} to {high}, or '.'"
            )
        values += map(known.__getitem__, cells)
    return values


def _puzzle(n: int, values: Sequence[int]) -> Sudoku:
    grid = tuple(tuple(values[i : i + n]) for i in range(0, n * n, n))
    return Sudoku(grid=grid, box=(isqrt(n), isqrt(n)))
