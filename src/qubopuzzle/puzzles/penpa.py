"""A board as Penpa+ has it: what is drawn in cells and between them, given and filled in.

``PenpaText`` is a text of a board as those of ``links`` are: it has methods of the same names, so
that most parts that read and write players' links serve here, too. A ``Penpa`` in a puzzle's
``links`` lists them:

>>> penpa = Penpa(("lits",), [links.rooms, links.shading])
>>> text = PenpaText((1, 2), Drawing(edges={(0, 0, 0): 1}), Drawing(surface={(0, 1): 1}))
>>> board = penpa.read(text)
>>> board["rooms"], board["solution"].tolist()
([[0, 1]], [[0, 1]])
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.errors import InputError, at
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles import links
from qubopuzzle.puzzles.links import (
    BLACK_CELL,
    MOST_SUM,
    NUMBER16,
    UNKNOWN,
    ZERO,
    Board,
    Code,
    Part,
    Words,
)
from qubopuzzle.puzzles.vocabulary.grids import BoolArray, Cell

Side: TypeAlias = tuple[int, int, int]
"""Between a cell and the next of its row (0) or of its column (1)."""
Corner: TypeAlias = tuple[int, int, int]
"""Of a cell: at the top left (0) or right (1), or at the bottom left (2) or right (3)."""
DARK = frozenset((1, 3, 4, 8))
"""The colours of black cells: greys, and black."""
GREY, BLACK, FILLED = 3, 4, 8
_ARROWS = ("1_0", "2_3", "3_1", "4_2")
"""Of an arrow, up, down, left, right: its number in board files, and here."""


@dataclass
class Drawing:
    """What is drawn, by row and column; outside the grid, too.

    ``numbers`` are words, as are those in ``corners``; ``symbols`` have a name and a style;
    ``edges`` are borders of cells, ``lines`` lead from one to the next, single (1) or double (2).
    """

    numbers: dict[Cell, str] = field(default_factory=dict)
    corners: dict[Corner, str] = field(default_factory=dict)
    symbols: dict[Cell, tuple[str, int]] = field(default_factory=dict)
    surface: dict[Cell, int] = field(default_factory=dict)
    edges: dict[Side, int] = field(default_factory=dict)
    lines: dict[Side, int] = field(default_factory=dict)


@dataclass
class PenpaText:
    """A board with what is given and what is filled in; ``style`` ... as in ``Penpa``."""

    shape: tuple[int, int]
    given: Drawing = field(default_factory=Drawing)
    filled: Drawing = field(default_factory=Drawing)
    reading: bool = True
    clued: int = 0
    answers_are_borders: bool = False

    def words(self, words: NDArray[Any]) -> Words:
        """Words in cells, ``.`` for none; ``number,arrow`` as in board files."""
        if not self.reading:
            for r, c in np.argwhere(words != ".").tolist():
                self._write((r, c), str(words[r, c]))
            return words
        read = np.full(self.shape, ".", dtype=object)
        for cell, colour in self.given.surface.items():
            if self.clued and colour in DARK and self.inside(cell):
                read[cell] = "-"
        for cell, word in self.given.numbers.items():
            if self.inside(cell):
                number, arrow, way = word.partition("_")
                ways = [each[0] for each in _ARROWS if arrow + way == each[1:]]
                read[cell] = f"{ways[0]},{number}" if ways else "-" if word in ("", "?") else word
        return read

    def _write(self, cell: Cell, word: str) -> None:
        way, _, number = word.rpartition(",")
        if self.clued:
            self.given.surface[cell] = self.clued
        if way in ("1", "2", "3", "4"):
            self.given.numbers[cell] = number + _ARROWS[int(way) - 1][1:]
        elif not (self.clued and number == "-"):
            self.given.numbers[cell] = number.replace("-", "?")

    def inside(self, cell: Cell) -> bool:
        """Whether a cell is one of the grid."""
        return 0 <= cell[0] < self.shape[0] and 0 <= cell[1] < self.shape[1]

    def numbers(self, numbers: IntArray, code: Code = NUMBER16) -> IntArray:
        """Numbers in cells, by their names if the code has some; InputError for another word."""
        words = self.words(links.number_words(numbers, code.names))
        if not self.reading:
            return numbers
        read = np.zeros(self.shape, dtype=np.int64)
        for r, c in np.argwhere(words != ".").tolist():
            with at(f"row {r + 1} column {c + 1}"):
                read[r, c] = _number(words[r, c], code.names)
        return read

    def corners(self, corner: int, numbers: IntArray) -> IntArray:
        """Numbers in a corner of cells, 0 for none; InputError for another word."""
        if not self.reading:
            for r, c in np.argwhere(numbers).tolist():
                self.given.corners[r, c, corner] = str(numbers[r, c])
            return numbers
        read = np.zeros(self.shape, dtype=np.int64)
        for (r, c, where), word in self.given.corners.items():
            if where == corner and self.inside((r, c)):
                with at(f"row {r + 1} column {c + 1}"):
                    read[r, c] = max(0, _number(word))
        return read

    def bits(self, bits: BoolArray) -> BoolArray:
        """Borders between the cells of rows, or between rows."""
        return self._sides(self.given.edges, bits.astype(np.int64)) > 0

    def answer(self, words: NDArray[Any]) -> Words:
        """Words of an answer: black cells ``#`` and numbers, or 1 or 2 for lines between cells.

        Lines around all cells, one more than there are cells in a row or column, are borders.
        """
        if words.shape != self.shape:
            outer = words.shape[0] > self.shape[0] or words.shape[1] > self.shape[1]
            borders = outer or self.answers_are_borders
            sides = self.filled.edges if borders else self.filled.lines
            drawn = self._sides(sides, links.to_digits(words.astype(str)))
            return np.where(drawn > 0, drawn.astype(str), ".").astype(object)
        if not self.reading:
            read = words.astype(str).astype(object)
            for r, c in np.argwhere(~np.isin(read, [".", "0", "+"])).tolist():
                if read[r, c] == "#":
                    self.filled.surface[r, c] = FILLED
                else:
                    self.filled.numbers[r, c] = read[r, c]
            return read
        read = np.full(self.shape, ".", dtype=object)
        for cell, word in self.filled.numbers.items():
            if self.inside(cell):
                read[cell] = word
        for cell, colour in self.filled.surface.items():
            if self.inside(cell) and colour in DARK:
                read[cell] = "#"
        return read

    def _sides(self, sides: dict[Side, int], drawn: IntArray) -> IntArray:
        """What is drawn on the sides between cells, or around all of them, 0 for nothing."""
        rows, columns = drawn.shape
        down = int(columns == self.shape[1])
        top, left = int(rows > self.shape[0]), int(columns > self.shape[1])  # one before the cells
        if not self.reading:
            for r, c in np.argwhere(drawn).tolist():
                sides[r - top, c - left, down] = int(drawn[r, c])
            return drawn
        read = np.zeros(drawn.shape, dtype=np.int64)
        for (r, c, d), number in sides.items():
            if d == down and 0 <= r + top < rows and 0 <= c + left < columns:
                read[r + top, c + left] = number
        return read


def _number(word: str, names: str = "") -> int:
    """The number of a word, as in ``links``; of none and of ``?`` it is not known."""
    return int(links.to_numbers(np.array([word.replace("?", "") or "-"], dtype=object), names)[0])


def outside(*sides: str, names: str = "", blank: int = -1) -> Part:
    """Numbers beside the lines: keys of those above, below, on the left and on the right.

    ``names`` as in ``Code``; ``blank`` is what stands for none.
    """

    def part(text: PenpaText, board: Board) -> None:
        rows, columns = text.shape
        places = [(-1, None), (rows, None), (None, -1), (None, columns)]
        for key, (row, column) in zip(sides, places, strict=True):
            count = columns if column is None else rows
            numbers = [*board.get(key, [blank] * count)] if key else []
            for i, number in enumerate(numbers):
                cell = (i if row is None else row, i if column is None else column)
                if not text.reading and number != blank:
                    text.given.numbers[cell] = dict(enumerate(names, 1)).get(number, str(number))
                with at(f"{key} {i + 1}"):
                    read = _number(text.given.numbers.get(cell, ""), names)
                numbers[i] = {ZERO: 0, UNKNOWN: blank}.get(read, read)
            if key:
                board[key] = numbers

    return part


def symbols(signs: Mapping[tuple[str, int], int], key: str = "grid", blank: int = 0) -> Part:
    """A part with a key's values, which stand there as symbols, given or, of a solution, filled in.

    ``signs``: values of names and styles; of a name what is before ``_`` says the shape, the rest
    its size. The first of several for a value is written. ``blank``: the value of no sign; where it
    is not 0, what ``grid`` has besides is part of a solution, too.
    """
    values = {(name.partition("_")[0], style): value for (name, style), value in signs.items()}
    sign_of = {value: sign for sign, value in reversed([*signs.items()])}

    def part(text: PenpaText, board: Board) -> None:
        drawing = text.filled if key == "solution" else text.given
        if not text.reading:
            known = np.full(text.shape, blank) if board.get(key) is None else board[key]
            for r, c in np.argwhere(np.isin(known, [*sign_of])).tolist():
                drawing.symbols[r, c] = sign_of[int(known[r, c])]
            return
        start = board["grid"] if key == "solution" and blank else np.full(text.shape, blank)
        grid = np.array(start)
        for cell, (name, style) in [*drawing.symbols.items()]:
            value = values.get((name.partition("_")[0], style))
            if value is not None and text.inside(cell):
                grid[cell] = value
                del drawing.symbols[cell]
        board[key] = None if key == "solution" and (grid == start).all() else grid

    return part


_BLACK_CELLS = symbols({("kakuro", style): BLACK_CELL for style in range(1, 7)})


def sums(text: PenpaText, board: Board) -> None:
    """``grid`` as that of ``links.sums``: black cells, with sums in two of their corners.

    That of the run on the right is at the top right, that of the run below at the bottom left.
    """
    given = np.array(board.get("grid", np.zeros(text.shape, dtype=np.int64)))
    drawn: Board = {"grid": np.where(given > 0, BLACK_CELL, 0)}
    _BLACK_CELLS(text, drawn)
    across, down = map(text.corners, (1, 2), links.sums_of(given))
    if text.reading:
        for cell, colour in text.given.surface.items():
            if colour in DARK and text.inside(cell):
                drawn["grid"][cell] = BLACK_CELL
        _check_sums(text, drawn["grid"] == 0, np.maximum(across, down))
        board["grid"] = drawn["grid"] + across + (MOST_SUM + 1) * down


def _check_sums(text: PenpaText, white: BoolArray, most: IntArray) -> None:
    """Raise InputError for a sum in a white cell or over the largest, and for a given digit."""
    for r, c in np.argwhere(most > np.where(white, 0, MOST_SUM)).tolist():
        what = "in a white cell" if white[r, c] else f"over {MOST_SUM}, the largest"
        raise InputError(f"row {r + 1} column {c + 1}: the sum {most[r, c]} is {what}")
    for (r, c), word in text.given.numbers.items():
        if word and text.inside((r, c)) and white[r, c]:
            raise InputError(f"row {r + 1} column {c + 1}: a given number; no such puzzle here")


@dataclass(frozen=True)
class Penpa:
    """A puzzle in Penpa+.

    Attributes:
        tags: of its genre there; one of this package where there is none.
        parts: of its text.
        fields: keys with the only values that these tags stand for.
        style: of numbers: 1 black, 4 white, 6 in a circle, 7 white in a black one.
        clued: the colour of cells with a clue, ``GREY`` or ``BLACK``, if they have one.
        answers_are_borders: of cells; elsewhere lines between cells are filled in.
        check: raises InputError for a puzzle that these tags do not stand for.
    """

    tags: tuple[str, ...]
    parts: Sequence[Part]
    fields: Mapping[str, Any] = field(default_factory=dict)
    style: int = 1
    clued: int = 0
    answers_are_borders: bool = False
    check: Callable[[Any], None] = lambda _: None

    def read(self, text: PenpaText) -> Board:
        """The native JSON of a text; InputError as its parts, and for a symbol that none reads."""
        board = self._pass(text, {**self.fields})
        for cell, (name, style) in text.given.symbols.items():
            if text.inside(cell):
                place = f"row {cell[0] + 1} column {cell[1] + 1}"
                raise InputError(f"{place}: the symbol {name[:20]} {style} says nothing here")
        return board

    def write(self, puzzle: Any) -> PenpaText:
        """Every part; InputError for what has no place."""
        self.check(puzzle)
        text = PenpaText(puzzle.shape, reading=False)
        self._pass(text, {**vars(puzzle)})
        return text

    def _pass(self, text: PenpaText, board: Board) -> Board:
        text.clued, text.answers_are_borders = self.clued, self.answers_are_borders
        for part in self.parts:
            part(text, board)
        return board
