"""Text of the TAAI nonogram tournaments: ``$1``, column clues, row clues; then ``$2``.

Numbers are divided by tabs. Nothing says how many lines are columns: boards are square.
"""

import re
from collections.abc import Sequence

from qubopuzzle.checks import brief
from qubopuzzle.errors import InputError, at
from qubopuzzle.files.puzzles import clues
from qubopuzzle.files.puzzles.lines import Line, ReadLimit, check_count, head_of
from qubopuzzle.puzzles.nonogram.rules import LINE_LIMIT, Nonogram

NAME = "taai"
ABOUT = "nonogram tournament text: $n, tab-separated columns, then rows"
PUZZLES = ("nonogram",)

_HEAD = re.compile(r"\$([0-9]{1,9})")
_ID = re.compile(r"taai-(0|[1-9][0-9]{0,8})")


def sniff(text: str) -> bool:
    """Whether the first line is ``$`` with a number, and the second one numbers."""
    first, second = [*(line for _, line in head_of(text.lstrip())), "", ""][:2]
    return _HEAD.fullmatch(first) is not None and clues.are_numbers(second)


def read(text: str, _kind: str | None = None) -> list[Nonogram]:
    """Read every board; board n has the id ``taai-n``."""
    boards: list[list[Line]] = []
    for number, line in clues.numbered_lines(text):
        if line.startswith("$"):
            boards.append([])
        elif not boards:
            raise InputError(f"line {number}: a line such as $1 is due first, got {brief(line)}")
        boards[-1].append((number, line))
    check_count(board[0][0] for board in boards)
    limit = ReadLimit()
    return [_board(*board, limit=limit) for board in boards]


def write(puzzles: Sequence[Nonogram]) -> str:
    """All boards, under the numbers of ids ``taai-n`` if all have such, else 1, 2, ..."""
    given = [_ID.fullmatch(puzzle.id) for puzzle in puzzles]
    numbers = [match[1] for match in given if match]
    if len(set(numbers)) < len(puzzles):
        numbers = [str(i) for i in range(1, len(puzzles) + 1)]
    lines = []
    for number, puzzle in zip(numbers, puzzles, strict=True):
        if len(puzzle.rows) != len(puzzle.cols):
            size = f"{len(puzzle.rows)} rows and {len(puzzle.cols)} columns"
            raise InputError(f"{clues.named(puzzle)}: {size}; {NAME} holds square boards only")
        lines.append(f"${number}")
        lines += [clues.clue_text(clue, "\t") for clue in puzzle.cols + puzzle.rows]
    return "".join(f"{line}\n" for line in lines)


def _board(head: Line, *body: Line, limit: ReadLimit) -> Nonogram:
    number, text = head
    match = _HEAD.fullmatch(text)
    if not match:
        raise InputError(f"line {number}: $ and a number are due, got {brief(text)}")
    lines = [*body]
    while lines and not lines[-1][1]:
        lines.pop()
    size = len(lines) // 2
    if len(lines) % 2 or not 1 <= size <= LINE_LIMIT:
        raise InputError(
            f"line {number}: {len(lines)} lines below {text}; a square board of side n has n"
            f" column lines and n row lines, n from 1 to {LINE_LIMIT}"
        )
    numbers = [tuple(clues.read_clue(*line)) for line in lines]
    with at(f"the board {text} at line {number}"):
        limit.count(size)  # its lines; the cells between them cost nothing
        name = f"taai-{int(match[1])}"
        return Nonogram(rows=tuple(numbers[size:]), cols=tuple(numbers[:size]), id=name)
