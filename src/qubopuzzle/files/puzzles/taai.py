"""Text of the TAAI nonogram tournaments: ``$1``, column clues, row clues; then ``$2``.

Numbers are divided by tabs. Nothing says how many lines are columns: boards are square.
"""

import re
from collections.abc import Iterator, Sequence

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import InputError
from qubopuzzle.files.puzzles import Format, clues
from qubopuzzle.files.puzzles.lines import Line, ReadLimit, head_of, read_boards
from qubopuzzle.puzzles.nonogram.rules import LINE_LIMIT, Nonogram

_HEAD = re.compile(r"\$([0-9]{1,9})")
_ID = re.compile(r"taai-(0|[1-9][0-9]{0,8})")


def _detect(text: str) -> bool:
    """Whether the first line is ``$`` with a number, and the second one numbers."""
    first, second = [*(line for _, line in head_of(text.lstrip())), "", ""][:2]
    return _HEAD.fullmatch(first) is not None and clues.are_numbers(second)


def _read(text: str, _kind: str | None = None) -> list[Nonogram]:
    boards: list[list[Line]] = []
    for number, line in clues.numbered_lines(text):
        if line.startswith("$"):
            boards.append([])
        elif not boards:
            raise InputError(f"line {number}: a line such as $1 is due first, got {brief(line)}")
        boards[-1].append((number, line))
    return read_boards(((f"the board at line {board[0][0]}", board) for board in boards), _board)


def _board(lines: list[Line], limit: ReadLimit) -> Iterator[Nonogram]:
    """A board with the id ``taai-n`` for its number n."""
    head = _HEAD.fullmatch(lines[0][1])
    if not head:
        raise InputError(f"$ and a number are due, got {brief(lines[0][1])}")
    lines = clues.trimmed(lines)[1:]
    size = len(lines) // 2
    if len(lines) % 2 or not 1 <= size <= LINE_LIMIT:
        raise InputError(
            f"{len(lines)} lines below {head[0]}; a square board of side n has n column lines and"
            f" n row lines, n from 1 to {LINE_LIMIT}"
        )
    numbers = [tuple(clues.read_clue(*line)) for line in lines]
    limit.count(size)  # its lines; the cells between them cost nothing
    rows, cols = tuple(numbers[size:]), tuple(numbers[:size])
    yield Nonogram(rows=rows, cols=cols, id=f"taai-{int(head[1])}")


def _lines(puzzle: Nonogram) -> Iterator[str]:
    rows, columns = puzzle.shape
    if rows != columns:
        raise InputError(f"{rows} rows and {columns} columns; taai holds square boards only")
    yield from (clues.clue_text(clue, "\t") for clue in puzzle.cols + puzzle.rows)


def _join(puzzles: Sequence[Nonogram], boards: list[str]) -> Iterator[str]:
    """All boards, under the numbers of ids ``taai-n`` if all have such, else 1, 2, ..."""
    given = [_ID.fullmatch(puzzle.id) for puzzle in puzzles]
    numbers = [match[1] for match in given if match]
    if len(set(numbers)) < len(puzzles):
        numbers = [str(i) for i in range(1, len(puzzles) + 1)]
    for number, board in zip(numbers, boards, strict=True):
        yield f"${number}\n{board}"


FORMAT = Format(
    name="taai",
    about="nonogram tournament text: $n, tab-separated columns, then rows",
    puzzles=("nonogram",),
    detect=_detect,
    read=_read,
    lines=_lines,
    join=_join,
)
