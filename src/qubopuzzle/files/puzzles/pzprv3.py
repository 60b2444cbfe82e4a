"""Board files of puzz.link and its like: ``pzprv3/PID/ROWS/COLUMNS/...``, row by row.

Rows end at a stroke or at a line break; a sudoku has one size. Cells are divided by spaces:
``.`` is blank, ``-`` a clue of unknown value, and behind the clues an answer follows: ``#``
black, ``+`` white, a number, or 0 and 1 for a path between cells. A right answer becomes the
puzzle's solution; any other is somebody's work in progress and passed over, as are what was
tried and undone, and the notes that follow the board; ``read_answers`` has it. A file that ends
behind its sizes is an empty board. Rules of reading as in ``puzzlink``.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import TypeVar

import numpy as np

from qubopuzzle.errors import InputError, at
from qubopuzzle.files.puzzles.lines import ReadLimit, check_count, lines_of
from qubopuzzle.files.puzzles.puzzlink import PUZZLES as PUZZLES
from qubopuzzle.files.puzzles.puzzlink import find_link, is_other, link_of, read_shape
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.puzzles.links import Board, FileText

T = TypeVar("T")

NAME = "pzprv3"
ABOUT = "board files of puzz.link (pzprv3), with answers"

_HEADER = re.compile(r"pzprv3(\.[0-9]{1,3})?(?![\w.])")


def sniff(text: str) -> bool:
    """The first word is ``pzprv3``, perhaps with a version."""
    return _HEADER.match(text.lstrip()[:20]) is not None


def read(text: str, puzzle: str | None = None) -> list[Puzzle]:
    """Read every board, with its answer if right; InputError naming the line and its part."""
    return _each(text, puzzle, _puzzle)


def read_answers(text: str, puzzle: str | None = None) -> list[IntArray]:
    """What is filled in on every board, right or wrong, perhaps nothing; InputError likewise."""
    return _each(text, puzzle, _answer)


def _each(
    text: str, wanted: str | None, made: Callable[[type[Puzzle], Board, tuple[int, int]], T]
) -> list[T]:
    """What is made of the boards of a kind."""
    lines = [line for _, line in lines_of(text)]
    starts = [i for i, line in enumerate(lines) if _HEADER.match(line)]
    if not starts or any(lines[: starts[0]]):
        raise InputError("line 1: expected pzprv3")
    check_count(start + 1 for start in starts)
    found: list[T] = []
    limit = ReadLimit()
    for start, stop in pairwise([*starts, len(lines)]):
        rows, strokes = lines[start:stop], "/" in lines[start]
        if strokes:
            rows = "".join(row if row.endswith("/") else f"{row}/" for row in rows).split("/")
        board = FileText(rows)
        try:
            if not is_other("".join(rows[1:2]).strip(), wanted):
                kind, data = _read(board, limit)
                found.append(made(kind, data, board.shape))
        except InputError as error:
            row = max(board.at, 1)
            place = f"line {start + 1} part {row}" if strokes else f"line {start + row}"
            raise InputError(f"{place}: {error}") from None
    return found


def write(puzzles: Sequence[Puzzle]) -> str:
    """One board after the other, with solutions; InputError naming one without such a form."""
    rows = []
    for puzzle in puzzles:
        with at(puzzle.id[:60] or puzzle.name):
            link = link_of(puzzle)
            head = [link.version, link.pid, *map(str, puzzle.shape[: link.sizes])]
            text = FileText(head, puzzle.shape, reading=False)
            link.write(text, puzzle)
        rows += text.rows
    return "".join(f"{row}\n" for row in rows)


def _read(text: FileText, limit: ReadLimit) -> tuple[type[Puzzle], Board]:
    """The kind of a board, and its native JSON object."""
    version = text.word()
    if version not in ("pzprv3", "pzprv3.1"):
        raise InputError(f"the version {version[:20]!r} is not known; only pzprv3 and pzprv3.1 are")
    kind, link = find_link(text.word())
    rows = text.word()
    columns = rows if link.sizes == 1 else text.word()
    text.shape = read_shape(link, columns, rows, limit)
    text.blank = not any(map(str.strip, text.rows[text.at :]))
    return kind, link.read(text)


def _puzzle(kind: type[Puzzle], data: Board, _: tuple[int, int]) -> Puzzle:
    with suppress(InputError):  # of a wrong answer, or of the puzzle, which is raised below
        return kind.from_dict(data)
    return kind.from_dict({**data, "solution": None})


def _answer(_: type[Puzzle], data: Board, shape: tuple[int, int]) -> IntArray:
    found = data.get("solution")
    return np.zeros(shape, dtype=np.int64) if found is None else np.asarray(found)
