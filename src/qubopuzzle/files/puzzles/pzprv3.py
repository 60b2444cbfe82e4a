"""Board files of puzz.link and its like: ``pzprv3/PID/ROWS/COLUMNS/...``, row by row.

Rows end at a stroke or at a line break; a sudoku has one size. Cells are divided by spaces:
``.`` is blank, ``-`` a clue of unknown value, and behind the clues an answer follows: ``#``
black, ``+`` white, a number, or 0 and 1 for a path between cells. A right answer becomes the
puzzle's solution; any other is somebody's work in progress and passed over, as are what was
tried and undone, and the notes that follow the board. Rules of reading as in ``puzzlink``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from qubopuzzle.errors import InputError, at
from qubopuzzle.files.puzzles.limits import ReadLimit
from qubopuzzle.files.puzzles.lines import lines_of
from qubopuzzle.files.puzzles.puzzlink import PUZZLES as PUZZLES
from qubopuzzle.files.puzzles.puzzlink import find_link, link_of, read_shape
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.puzzles.links import FileText

NAME = "pzprv3"
ABOUT = "board files of puzz.link (pzprv3), with answers"

_HEADER = re.compile(r"pzprv3(\.[0-9]{1,3})?(?![\w.])")


def sniff(text: str) -> bool:
    """The first word is ``pzprv3``, perhaps with a version."""
    return _HEADER.match(text.lstrip()[:20]) is not None


def read(text: str, puzzle: str | None = None) -> list[Puzzle]:
    """Read every board, with its answer if that is right.

    Raises:
        InputError: naming the line and the part of it.
    """
    puzzles: list[Puzzle] = []
    limit = ReadLimit()
    for board in _boards(text):
        try:
            puzzles += _read(board.text, puzzle, limit)
        except InputError as error:
            raise InputError(f"{board.place()}: {error}") from None
    return puzzles


def write(puzzles: Sequence[Puzzle]) -> str:
    """One board after the other, each with its solution if it has one.

    Raises:
        InputError: for a puzzle that has no such form, naming its id.
    """
    return "".join(f"{line}\n" for puzzle in puzzles for line in _lines(puzzle))


@dataclass(frozen=True)
class _Board:
    """The rows of a board, and where they stand: divided by strokes or, otherwise, by lines."""

    text: FileText
    first: int
    strokes: bool

    def place(self) -> str:
        """The row that was read last, for an error."""
        row = max(self.text.at, 1)
        return f"line {self.first} part {row}" if self.strokes else f"line {self.first + row - 1}"


def _boards(text: str) -> Iterator[_Board]:
    """The boards of a text; each begins on a line of its own."""
    lines = lines_of(text)
    starts = [i for i, line in enumerate(lines) if _HEADER.match(line.lstrip())]
    if not starts or any(line.strip() for line in lines[: starts[0]]):
        raise InputError("line 1: expected pzprv3")
    for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True):
        strokes = "/" in lines[start]
        rows = lines[start:stop]
        if strokes:
            rows = "".join(row if row.endswith("/") else f"{row}/" for row in rows).split("/")
        yield _Board(FileText(rows), start + 1, strokes)


def _read(text: FileText, wanted: str | None, limit: ReadLimit) -> list[Puzzle]:
    """The puzzle of a board, or none if another kind is wanted."""
    version = text.word()
    if version not in ("pzprv3", "pzprv3.1"):
        raise InputError(f"the version {version[:20]!r} is not known; only pzprv3 and pzprv3.1 are")
    text.version = version
    kind, link = find_link(text.word())
    if wanted not in (None, kind.name):
        return []
    rows = text.word()
    columns = rows if link.sizes == 1 else text.word()
    text.shape = read_shape(link, columns, rows, limit)
    data = link.read(text)
    with suppress(InputError):  # of a wrong answer, or of the puzzle, which is raised below
        return [kind.from_dict(data)]
    return [kind.from_dict({**data, "solution": None})]


def _lines(puzzle: Puzzle) -> list[str]:
    with at(puzzle.id[:60] or puzzle.name):
        link = link_of(puzzle)
        head = [link.version, link.pid, *map(str, puzzle.shape[: link.sizes])]
        text = FileText(head, puzzle.shape, reading=False, version=link.version)
        link.write(text, puzzle)
    return text.rows
