"""Board files of puzz.link and its like: ``pzprv3/PID/ROWS/COLUMNS/...``, row by row.

Rows end at a stroke or at a line break; a sudoku has one size. Cells are divided by spaces:
``.`` is blank, ``-`` a clue of unknown value, and behind the clues an answer follows: ``#``
black, ``+`` white, a number, or 0 and 1 for a path between cells. A right answer becomes the
puzzle's solution; any other is somebody's work in progress and passed over, as are what was
tried and undone, and the notes that follow the board. Rules of reading as in ``puzzlink``.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise

from qubopuzzle.errors import InputError, at
from qubopuzzle.files.puzzles.lines import ReadLimit, check_count, lines_of
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
    """Read every board, with its answer if right; InputError naming the line and its part."""
    lines = [line for _, line in lines_of(text)]
    starts = [i for i, line in enumerate(lines) if _HEADER.match(line)]
    if not starts or any(lines[: starts[0]]):
        raise InputError("line 1: expected pzprv3")
    check_count(start + 1 for start in starts)
    puzzles: list[Puzzle] = []
    limit = ReadLimit()
    for start, stop in pairwise([*starts, len(lines)]):
        rows, strokes = lines[start:stop], "/" in lines[start]
        if strokes:
            rows = "".join(row if row.endswith("/") else f"{row}/" for row in rows).split("/")
        board = FileText(rows)
        try:
            puzzles += _read(board, puzzle, limit)
        except InputError as error:
            row = max(board.at, 1)
            place = f"line {start + 1} part {row}" if strokes else f"line {start + row}"
            raise InputError(f"{place}: {error}") from None
    return puzzles


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


def _read(text: FileText, wanted: str | None, limit: ReadLimit) -> list[Puzzle]:
    """The puzzle of a board, or none if another kind is wanted."""
    version = text.word()
    if version not in ("pzprv3", "pzprv3.1"):
        raise InputError(f"the version {version[:20]!r} is not known; only pzprv3 and pzprv3.1 are")
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
