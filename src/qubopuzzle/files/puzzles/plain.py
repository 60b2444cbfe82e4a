"""Nonograms as nothing but sizes and clues, in the files of three solvers.

====== =================================================================================
nin    Jakub Wilk's: a line with width and height, then a line a clue: rows, columns
mk     Olsak's: a line with height and width, the rows, a line ``#``, the columns
cwd    a line with the height, one with the width, the rows, a blank line, the columns
====== =================================================================================
"""

from collections.abc import Iterator
from dataclasses import dataclass

from qubopuzzle.base.checks import brief
from qubopuzzle.errors import InputError
from qubopuzzle.files.puzzles import Format, clues
from qubopuzzle.files.puzzles.lines import Line
from qubopuzzle.puzzles.nonogram.rules import LINE_LIMIT, Nonogram

_LINE_ENDS = 2 * (2 * LINE_LIMIT + 3)
"""More than the largest file has, in characters."""


@dataclass(frozen=True, slots=True)
class _Plain:
    """A file that is sizes, one clue a line for the rows, perhaps a divider, then the columns.

    ``head`` is the first lines, with the names of the sizes for these; ``divider`` is the line
    between rows and columns, or None. It holds one puzzle.
    """

    head: str
    divider: str | None = None

    def format(self, name: str, about: str) -> Format:
        """The format of such files."""
        return Format(name, about, ("nonogram",), self.detect, self.read, self.lines, join=None)

    def detect(self, text: str) -> bool:
        """Whether the whole text has this shape: the sizes agree with the lines."""
        text = text.strip()
        if not text[:1].isdecimal() or text.count("\n") + text.count("\r") > _LINE_ENDS:
            return False
        try:
            rows, cols = self._split(clues.numbered_lines(text))
        except InputError:
            return False
        return all(clues.are_numbers(line) for _, line in rows + cols)

    def read(self, text: str, _kind: str | None = None) -> list[Nonogram]:
        """The one puzzle of a text."""
        rows, cols = (
            tuple(tuple(clues.read_clue(*line)) for line in lines)
            for lines in self._split(clues.numbered_lines(text))
        )
        return [Nonogram(rows=rows, cols=cols)]

    def lines(self, puzzle: Nonogram) -> Iterator[str]:
        """The sizes, then the clues."""
        height, width = map(str, puzzle.shape)
        yield self.head.replace("height", height).replace("width", width)
        yield from map(clues.clue_text, puzzle.rows)
        yield from () if self.divider is None else (self.divider,)
        yield from map(clues.clue_text, puzzle.cols)

    def _split(self, lines: list[Line]) -> tuple[list[Line], list[Line]]:
        """The lines of the rows and of the columns, as many as the sizes say."""
        sizes = self._sizes(lines)
        start = len(self.head.splitlines())
        middle = start + sizes["height"]
        rest = middle + (self.divider is not None)
        expected = rest + sizes["width"]
        if len(lines) != expected:
            number = lines[min(len(lines), expected + 1) - 1][0]
            between = {None: "", "": "a blank line, "}.get(self.divider, f"{self.divider}, ")
            shape = f"{', '.join(self.head.splitlines())}, rows, {between}columns"
            raise InputError(
                f"line {number}: {expected} lines are due for height {sizes['height']} and width"
                f" {sizes['width']} ({shape}), there are {len(lines)}"
            )
        if self.divider is not None and lines[middle][1] != self.divider:
            number, line = lines[middle]
            due = f"a line {self.divider!r}" if self.divider else "a blank line"
            raise InputError(f"line {number}: {due} is due after the rows, got {brief(line)}")
        return lines[start:middle], lines[rest:]

    def _sizes(self, lines: list[Line]) -> dict[str, int]:
        sizes: dict[str, int] = {}
        for i, keys in enumerate(map(str.split, self.head.splitlines())):
            number, line = lines[i] if i < len(lines) else (i + 1, "")
            values = line.split() if clues.are_numbers(line) and len(line) < 100 else []
            if len(values) != len(keys):
                raise InputError(f"line {number}: {' and '.join(keys)} due here, got {brief(line)}")
            for key, value in zip(keys, values, strict=True):
                if len(value) > clues.DIGITS or not 1 <= int(value) <= LINE_LIMIT:
                    raise InputError(
                        f"line {number}: {key} is {brief(value)}, expected 1 to {LINE_LIMIT}"
                    )
                sizes[key] = int(value)
        return sizes


CWD = _Plain("height\nwidth", divider="").format(
    "cwd", "nonogram clues: height, width, rows, a blank line, columns"
)
MK = _Plain("height width", divider="#").format(
    "mk", "nonogram solver of Olsak: height and width, rows, #, columns"
)
NIN = _Plain("width height").format(
    "nin", "nonogram solver of Jakub Wilk: width and height, rows, columns"
)
