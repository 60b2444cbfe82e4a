"""What the formats of nonograms share: numbered lines of clues, and clues that are read."""

import re
from collections.abc import Iterable

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import InputError, printable
from qubopuzzle.files.puzzles.lines import Line, lines_of
from qubopuzzle.puzzles.nonogram.rules import LINE_LIMIT

_NUMBERS = re.compile(r"[0-9 \t]+")
DIGITS = 9


def numbered_lines(text: str) -> list[Line]:
    """All lines of a text, without the blank ones before and after."""
    return trimmed([*lines_of(text)])


def trimmed(lines: list[Line], least: int = 0) -> list[Line]:
    """Lines without the blank ones after and before, as long as there are over ``least``."""
    first, last = 0, len(lines)
    while last - first > least and not lines[last - 1][1]:
        last -= 1
    while last - first > least and not lines[first][1]:
        first += 1
    return lines[first:last]


def are_numbers(text: str) -> bool:
    """Whether a line holds whole numbers with spaces or tabs between, and nothing else.

    >>> are_numbers("2 1"), are_numbers("2,1"), are_numbers("")
    (True, False, False)
    """
    return _NUMBERS.fullmatch(text) is not None and not text.isspace()


def read_clue(number: int, text: str) -> list[int]:
    """The numbers of a line; 0 is an empty clue, a blank line an error."""
    if not text:
        raise InputError(f"line {number}: blank; write 0 for an empty line")
    if not are_numbers(text):
        strange = next((part for part in text.split() if not are_numbers(part)), text)
        remedy = "a clue is whole numbers with spaces between"
        if re.match("[0-9]+[A-Za-z]", strange):
            remedy = "if it is a colour: only black and white puzzles are read"
        raise InputError(f"line {number}: {brief(strange)} is no number; {remedy}")
    parts = text.split()
    if len(parts) > LINE_LIMIT or max(map(len, parts)) > DIGITS:
        raise InputError(f"line {number}: the numbers do not fit any line of a nonogram here")
    return [int(part) for part in parts]


def clue_text(clue: Iterable[int], between: str = " ") -> str:
    """A clue on one line; ``read_clue`` reads it back where spaces are between.

    >>> clue_text((2, 1)), clue_text(())
    ('2 1', '0')
    """
    return between.join(map(str, clue)) or "0"


def one_line(text: str) -> str:
    r"""A title or a name with every run of white space, line ends too, as one space.

    Other control characters become question marks.

    >>> one_line("a\x1b[2J\r\nb")
    'a?[2J b'
    """
    return printable(" ".join(text.split()))
