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

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from math import isqrt

from qubopuzzle.errors import InputError
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.puzzles.sudoku import Sudoku

NAME = "sudoku"
ABOUT = "sudoku as text: 81 characters a line, or grids of lines; also 4x4, 16x16, 25x25"
PUZZLES = ("sudoku",)

_SIDES = (4, 9, 16, 25)
_COUNTS = {count for n in _SIDES for count in (n, n * n)}
_DIGITS = ".123456789ABCDEFGHIJKLMNOP"


@dataclass(frozen=True, slots=True)
class _Line:
    """The cells of a line, and its number."""

    number: int
    cells: list[str]


@dataclass(frozen=True, slots=True)
class _Board:
    """A puzzle of side n: its lines, and whether its digits begin at 0 (None: it may be)."""

    n: int
    lines: Sequence[_Line]
    hexadecimal: bool | None


def sniff(text: str) -> bool:
    """Whether the first lines are a puzzle, of nothing but cells of its size.

    A line that is a little too short or too long is one, too, so that ``read`` says so.
    """
    lines = _lines(text)
    first = next(lines, None)
    count = len(first.cells) if first else 0
    if first is None or count not in _COUNTS:
        return first is not None and _is_cut(first)
    single = count not in _SIDES or (count == 16 and _is_small([first]))
    head = [first, *islice(lines, 0 if single else count - 1)]
    n = isqrt(count) if single else count
    known = _signs(n, None).keys()
    right = all(len(line.cells) == count and known >= set(line.cells) for line in head)
    return right and len(head) == (1 if single else count)


def read(text: str, puzzle: str | None = None) -> list[Puzzle]:
    """Read every puzzle; its boxes are square.

    Raises:
        InputError: naming the line and what is wrong there.
    """
    if puzzle not in (None, Sudoku.name):
        return []
    boards = list(_boards(text))
    told = {board.hexadecimal for board in boards}
    # A puzzle that does not tell is like the others, if they agree.
    usual = True in told and False not in told
    return [_puzzle(board, usual) for board in boards]


def write(puzzles: Sequence[Puzzle]) -> str:
    """One line a puzzle, ``.`` for blank.

    Raises:
        InputError: naming a puzzle that is no sudoku of square boxes, 2 x 2 to 5 x 5.
    """
    return "".join(_write_line(puzzle) + "\n" for puzzle in puzzles)


def _write_line(puzzle: Puzzle) -> str:
    name = puzzle.id or puzzle.name
    if not isinstance(puzzle, Sudoku):
        raise InputError(f"{name}: sudoku text holds no {puzzle.name}; write json")
    high, wide = puzzle.box
    if high != wide or high * wide not in _SIDES:
        raise InputError(
            f"{name}: sudoku text does not tell boxes, so it holds those of 2 x 2 to 5 x 5 "
            f"and none of {high} x {wide}; write json"
        )
    return "".join(_DIGITS[value] for row in puzzle.grid for value in row)


def _lines(text: str) -> Iterator[_Line]:
    """The lines that hold cells."""
    wanted = True
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.partition("#")[0].strip()
        if content.startswith("[") and content.endswith("]"):
            wanted = content.lower() == "[puzzle]"
        elif content and wanted and not _is_rule(content):
            yield _Line(number, _cells(content))


def _is_rule(content: str) -> bool:
    return content.count("-") + content.count("=") >= 3 and set(content) <= set("-=+|:*.' ")


def _cells(content: str) -> list[str]:
    """The words, if they are as many as cells can be and some have two digits, else characters."""
    words = content.upper().replace("|", " ").split()
    as_words = max(map(len, words), default=0) == 2 and len(words) in _COUNTS
    return words if as_words else list("".join(words))


def _is_small(lines: Sequence[_Line]) -> bool:
    known = _KNOWN[4, False].keys()
    return all(known >= set(line.cells) for line in lines)


def _is_cut(line: _Line) -> bool:
    """Whether a line was meant for a puzzle and is a little too short or too long."""
    near = [n for n in (9, 16, 25) if abs(len(line.cells) - n * n) <= n]
    signs = set(line.cells)
    return any(signs & set("._*0") and _KNOWN[n, False].keys() >= signs for n in near)


def _boards(text: str) -> Iterator[_Board]:
    """Lines that belong together."""
    for count, same in groupby(_lines(text), key=lambda line: len(line.cells)):
        lines = list(same)
        if count not in _COUNTS:
            raise InputError(
                f"line {lines[0].number}: {count} cells; a puzzle has 16, 81, 256 or 625, a row "
                "of it 4, 9, 16 or 25 (other boxes can be read from json)"
            )
        single = count not in _SIDES or (count == 16 and _is_small(lines))
        n, height = (isqrt(count), 1) if single else (count, count)
        for i in range(0, len(lines), height):
            rows = lines[i : i + height]
            if len(rows) < height:
                raise InputError(
                    f"line {rows[0].number}: {len(rows)} rows of {n} cells, but {n} are needed"
                )
            yield _Board(n, rows, _is_hexadecimal(rows) if n == 16 else None)


def _is_hexadecimal(rows: Sequence[_Line]) -> bool | None:
    cells = {cell for row in rows for cell in row.cells}
    if "G" in cells or any(len(cell) > 1 for cell in cells):
        return False
    return True if "0" in cells and cells & set("._*") else None


def _signs(n: int, hexadecimal: bool | None) -> dict[str, int]:
    """What each cell stands for."""
    blank = dict.fromkeys("._*", 0)
    if hexadecimal:
        return blank | {sign: value for value, sign in enumerate("0123456789ABCDEF", start=1)}
    letters = {_DIGITS[value]: value for value in range(1, n + 1)}
    return blank | {"0": 0} | letters | {f"{value:02}": value for value in range(n + 1)}


_KNOWN = {(n, zero): _signs(n, zero) for n in _SIDES for zero in (False, True)}


def _puzzle(board: _Board, usual: bool) -> Sudoku:
    n = board.n
    zero = n == 16 and (usual if board.hexadecimal is None else board.hexadecimal)
    known = _KNOWN[n, zero]
    values: list[int] = []
    for line in board.lines:
        if not known.keys() >= set(line.cells):
            raise _unknown(n, zero, line)
        values += map(known.__getitem__, line.cells)
    box = (isqrt(n), isqrt(n))
    return Sudoku(grid=tuple(tuple(values[i : i + n]) for i in range(0, n * n, n)), box=box)


def _unknown(n: int, zero: bool, line: _Line) -> InputError:
    i, cell = next((i, c) for i, c in enumerate(line.cells) if c not in _KNOWN[n, zero])
    last = "F" if zero else _DIGITS[n]
    return InputError(
        f"line {line.number}: cell {i + 1} is {cell!r}; a cell of {n} x {n} is "
        f"{int(not zero)} to {last}, or '.'"
    )
