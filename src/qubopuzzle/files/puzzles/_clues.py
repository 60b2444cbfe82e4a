"""What the formats of nonograms share: numbered lines of clues, and clues that are read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from qubopuzzle.errors import InputError
from qubopuzzle.puzzles import Puzzle
from qubopuzzle.puzzles.base import brief
from qubopuzzle.puzzles.nonogram.rules import LINE_LIMIT, Nonogram

Line = tuple[int, str]
"""A line's number in the text, from 1, and what it says without spaces around."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_NUMBERS = re.compile(r"[0-9 \t]+")
_DIGITS = 9


def numbered_lines(text: str) -> list[Line]:
    """All lines of a text, without the blank ones before and after."""
    lines = [(n, line.strip()) for n, line in enumerate(_LINE_END.split(text), start=1)]
    first, last = 0, len(lines)
    while first < last and not lines[first][1]:
        first += 1
    while last > first and not lines[last - 1][1]:
        last -= 1
    return lines[first:last]


def are_numbers(text: str) -> bool:
    """Whether a line holds whole numbers with spaces or tabs between, and nothing else.

    >>> are_numbers("2 1"), are_numbers("2,1"), are_numbers("")
    (True, False, False)
    """
    return _NUMBERS.fullmatch(text) is not None and not text.isspace()


def read_clue(number: int, text: str) -> list[int]:
    """The numbers of a line; 0 is an empty clue.

    Raises:
        InputError: naming the line, for anything else and for a blank line.
    """
    if not text:
        raise InputError(f"line {number}: blank; write 0 for an empty line")
    if not are_numbers(text):
        strange = next((part for part in text.split() if not are_numbers(part)), text)
        raise InputError(f"line {number}: {brief(strange)} is no number; {_only(strange)}")
    parts = text.split()
    if len(parts) > LINE_LIMIT or max(map(len, parts)) > _DIGITS:
        raise InputError(f"line {number}: the numbers do not fit any line of a nonogram here")
    return [int(part) for part in parts]


def _only(strange: str) -> str:
    if re.match("[0-9]+[A-Za-z]", strange):
        return "if it is a colour: only black and white puzzles are read"
    return "a clue is whole numbers with spaces between"


def clue_text(clue: Iterable[int], between: str = " ") -> str:
    """A clue on one line; ``read_clue`` reads it back where spaces are between.

    >>> clue_text((2, 1)), clue_text(())
    ('2 1', '0')
    """
    return between.join(map(str, clue)) or "0"


def nonograms(puzzles: Iterable[Puzzle], what: str) -> Iterator[Nonogram]:
    """The puzzles, for a format that holds nonograms only.

    Raises:
        InputError: naming the first puzzle of another kind.
    """
    for puzzle in puzzles:
        if not isinstance(puzzle, Nonogram):
            raise InputError(f"{named(puzzle)}: {what} holds nonograms only, no {puzzle.name}")
        yield puzzle


def named(puzzle: Puzzle) -> str:
    """A puzzle's id for an error message."""
    return f"puzzle {brief(puzzle.id)}" if puzzle.id else "a puzzle without an id"


def one_line(text: str) -> str:
    """A title or a name with every run of white space, line ends too, as one space."""
    return " ".join(text.split())


@dataclass(frozen=True, slots=True)
class PlainLayout:
    """A file that is sizes, one clue a line for the rows, perhaps a divider, then the columns.

    ``head`` names the sizes on each of the first lines; ``divider`` is the line between
    rows and columns, or None. It holds one puzzle.
    """

    name: str
    head: tuple[tuple[str, ...], ...]
    divider: str | None

    def sniff(self, text: str) -> bool:
        """Whether the whole text has this shape: the sizes agree with the lines."""
        if not text.lstrip()[:1].isdecimal():
            return False
        lines = numbered_lines(text)
        try:
            rows, cols = self._split(lines)
        except InputError:
            return False
        return all(are_numbers(line) for _, line in rows + cols)

    def read(self, text: str, puzzle: str | None = None) -> list[Puzzle]:
        """The one puzzle of a text, or none if another kind is wanted.

        Raises:
            InputError: naming the line.
        """
        if puzzle not in (None, Nonogram.name):
            return []
        rows, cols = self._split(numbered_lines(text))
        return [Nonogram(rows=_clues(rows), cols=_clues(cols))]

    def write(self, puzzles: Sequence[Puzzle]) -> str:
        """The text of one puzzle; ``read`` reads it back.

        Raises:
            InputError: naming the puzzle, for other kinds and for more than one puzzle.
        """
        if len(puzzles) > 1:
            second = named(puzzles[1])
            raise InputError(f"{second}: {self.name} holds one puzzle; write each to a file")
        for puzzle in nonograms(puzzles, self.name):
            sizes = {"height": len(puzzle.rows), "width": len(puzzle.cols)}
            lines = [" ".join(str(sizes[key]) for key in keys) for keys in self.head]
            lines += map(clue_text, puzzle.rows)
            lines += [] if self.divider is None else [self.divider]
            lines += map(clue_text, puzzle.cols)
            return "\n".join(lines) + "\n"
        return ""

    def _split(self, lines: list[Line]) -> tuple[list[Line], list[Line]]:
        """The lines of the rows and of the columns, as many as the sizes say."""
        sizes = self._sizes(lines)
        start = len(self.head)
        middle = start + sizes["height"]
        rest = middle + (self.divider is not None)
        expected = rest + sizes["width"]
        if len(lines) != expected:
            at = lines[min(len(lines), expected + 1) - 1][0]
            raise InputError(
                f"line {at}: {expected} lines are due for height {sizes['height']} and width"
                f" {sizes['width']} ({self._shape()}), there are {len(lines)}"
            )
        if self.divider is not None and lines[middle][1] != self.divider:
            number, line = lines[middle]
            due = f"a line {self.divider!r}" if self.divider else "a blank line"
            raise InputError(f"line {number}: {due} is due after the rows, got {brief(line)}")
        return lines[start:middle], lines[rest:]

    def _sizes(self, lines: list[Line]) -> dict[str, int]:
        sizes: dict[str, int] = {}
        for i, keys in enumerate(self.head):
            number, line = lines[i] if i < len(lines) else (i + 1, "")
            values = line.split() if are_numbers(line) and len(line) < 100 else []
            if len(values) != len(keys):
                raise InputError(f"line {number}: {' and '.join(keys)} due here, got {brief(line)}")
            for key, value in zip(keys, values, strict=True):
                if len(value) > _DIGITS or not 1 <= int(value) <= LINE_LIMIT:
                    raise InputError(
                        f"line {number}: {key} is {brief(value)}, expected 1 to {LINE_LIMIT}"
                    )
                sizes[key] = int(value)
        return sizes

    def _shape(self) -> str:
        between = {None: "", "": "a blank line, "}.get(self.divider, f"{self.divider}, ")
        return f"{', '.join(' '.join(keys) for keys in self.head)}, rows, {between}columns"


def _clues(lines: list[Line]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(read_clue(number, line)) for number, line in lines)
