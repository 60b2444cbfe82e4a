"""Board files of puzz.link and its like: ``pzprv3/PID/ROWS/COLUMNS/...``, row by row.

Rows end at a stroke or at a line break; a sudoku has one size. Cells are divided by spaces:
``.`` is blank, ``-`` a clue of unknown value, and behind the clues an answer follows: ``#``
black, ``+`` white, a number, or 0 and 1 for a path between cells. A right answer becomes the
puzzle's solution; any other is somebody's work in progress and passed over, as are what was
tried and undone, and the notes that follow the board; ``read_answers`` has it. A file that ends
behind its sizes is an empty board. Rules of reading as in ``puzzlink``.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise
from typing import TypeVar

import numpy as np

from qubopuzzle.errors import InputError
from qubopuzzle.files.puzzles import Format
from qubopuzzle.files.puzzles.lines import ReadLimit, lines_of, read_boards
from qubopuzzle.files.puzzles.puzzlink import PUZZLES, find_link, is_other, link_of, read_shape
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.puzzles.links import Board, FileText

T = TypeVar("T")

_HEADER = re.compile(r"pzprv3(\.[0-9]{1,3})?(?![\w.])")


def _read(text: str, puzzle: str | None = None) -> list[Puzzle]:
    """Every board, with its answer if right."""
    return _each(text, puzzle, _puzzle)


def read_answers(text: str, puzzle: str | None = None) -> list[IntArray]:
    """What is filled in on every board, right or wrong, perhaps nothing; InputError as ``read``."""
    return _each(text, puzzle, _answer)


def _each(
    text: str, wanted: str | None, made: Callable[[type[Puzzle], Board, tuple[int, int]], T]
) -> list[T]:
    """What is made of the boards of a kind."""
    lines = [line for _, line in lines_of(text)]
    starts = [i for i, line in enumerate(lines) if _HEADER.match(line)]
    if not starts or any(lines[: starts[0]]):
        raise InputError("line 1: expected pzprv3")

    def read(span: tuple[int, int], limit: ReadLimit) -> Iterator[T]:
        rows, strokes = lines[slice(*span)], "/" in lines[span[0]]
        if strokes:
            rows = "".join(row if row.endswith("/") else f"{row}/" for row in rows).split("/")
        board = FileText(rows)
        try:
            if not is_other("".join(rows[1:2]).strip(), wanted):
                kind, data = _data(board, limit)
                yield made(kind, data, board.shape)
        except InputError as error:
            row = max(board.at, 1)
            place = f"part {row}" if strokes else f"line {span[0] + row}"
            raise InputError(f"{place}: {error}") from None

    spans = pairwise([*starts, len(lines)])
    return read_boards(((f"the board at line {span[0] + 1}", span) for span in spans), read)


def _lines(puzzle: Puzzle) -> list[str]:
    link = link_of(puzzle)
    size = link.size(puzzle)
    head = [link.version, link.pid, *map(str, size[: link.sizes])]
    text = FileText(head, size, reading=False)
    link.write(text, puzzle)
    return text.rows


def _data(text: FileText, limit: ReadLimit) -> tuple[type[Puzzle], Board]:
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
    answer = data.get("solution")
    return np.zeros(shape, dtype=np.int64) if answer is None else np.asarray(answer)


FORMAT = Format(
    name="pzprv3",
    about="board files of puzz.link (pzprv3), with answers",
    puzzles=PUZZLES,
    detect=lambda text: _HEADER.match(text.lstrip()[:20]) is not None,
    read=_read,
    lines=_lines,
    answers=True,
)
