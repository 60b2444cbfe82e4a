"""What the formats of nonograms share: numbered lines of clues, and clues that are read."""

import re
from collections.abc import Callable, Iterable
from string import ascii_letters

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import InputError, printable
from qubopuzzle.files.puzzles.lines import Line, lines_of
from qubopuzzle.puzzles.nonogram.rules import BLACK_ONLY, LINE_LIMIT, Clue, Run
from qubopuzzle.puzzles.vocabulary.grids import BLACK

_NUMBERS = re.compile(r"[0-9 \t]+")
_RUN = re.compile("([0-9]+)([A-Za-z#]?)")
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


def read_clue(number: int, text: str, *, colours: bool = False) -> list[Run]:
    """The runs of a line; 0 is an empty clue, a blank line an error.

    ``colours``: they may have letters.
    """
    if not text:
        raise InputError(f"line {number}: blank; write 0 for an empty line")
    if not are_numbers(text):
        strange = next((part for part in text.split() if not _is_run(part, colours)), "")
        remedy = "a clue is whole numbers with spaces between"
        if _RUN.fullmatch(strange):
            remedy = "if it is a colour: only black and white puzzles are read"
        if strange:
            raise InputError(f"line {number}: {brief(strange)} is no number; {remedy}")
    parts = text.split()
    if len(parts) > LINE_LIMIT or max(map(len, parts)) > DIGITS:
        raise InputError(f"line {number}: the numbers do not fit any line of a nonogram here")
    return [int(part) if part.isdecimal() else part for part in parts]


def _is_run(text: str, colours: bool) -> bool:
    return are_numbers(text) or (colours and _RUN.fullmatch(text) is not None)


def letters_of(names: Iterable[str], wanted: Callable[[str], str]) -> dict[str, str]:
    """A sign of its own for each colour: the wanted one, if it may be one, else a free letter.

    >>> letters_of(["red", "blue", "black"], lambda name: "#" if name == "black" else name[0])
    {'red': 'r', 'blue': 'b', 'black': '#'}
    """
    signs: dict[str, str] = {}
    names = [*names]
    for name in names:
        if (sign := wanted(name)) in (*ascii_letters, BLACK) and sign not in signs.values():
            signs[name] = sign
    free = (letter for letter in ascii_letters if letter not in {*signs.values()})
    for name in names:
        if name not in signs:
            signs[name] = next(free, "")
            if not signs[name]:
                raise InputError(f"{len(names)} colours are more than there are letters")
    return signs


def clue_text(clue: Clue, between: str = " ", *, colours: bool = False) -> str:
    """A clue on one line; ``read_clue`` reads it back where spaces are between.

    ``colours``: whether they have a place there; without, InputError for what is not black.

    >>> clue_text((2, 1)), clue_text(())
    ('2 1', '0')
    """
    if not colours and any(isinstance(run, str) for run in clue):
        raise InputError(BLACK_ONLY)
    return between.join(map(str, clue)) or "0"


def one_line(text: str) -> str:
    r"""A title or a name with every run of white space, line ends too, as one space.

    Other control characters become question marks.

    >>> one_line("a\x1b[2J\r\nb")
    'a?[2J b'
    """
    return printable(" ".join(text.split()))
