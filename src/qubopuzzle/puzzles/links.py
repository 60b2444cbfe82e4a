"""The text of a board in players' links, described once: what reads a part also writes it.

A board has two texts in puzz.link and players like it: the body of an address, and the rows
of a board file (``pzprv3``). Both hold words, numbers and bits; ``AddressText`` and
``FileText`` read and write these. A ``Part`` reads some keys of the native JSON object from
such a text, and writes them from a puzzle's attributes of the same names. A ``Link`` says
what the players call a puzzle, and lists the parts of its texts:

>>> grid = Numbers("grid")
>>> link = Link("kurodoko", body=[grid], file=[grid, Shading()])
>>> link.read(AddressText("g2j"), (2, 3))
{'grid': [[0, 2, 0], [0, 0, 0]]}

A puzzle's class has its links in the attribute ``links``, and is then read and written by
the formats ``puzzlink`` and ``pzprv3``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.errors import InputError
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.kinds.cells import pieces

BoolArray = NDArray[np.bool_]
Words = NDArray[np.object_]
"""The words of a board file, ``str``, shape (rows, columns)."""
Data = dict[str, Any]
"""Keys of the native JSON object."""
Shape = tuple[int, int]
"""Rows and columns."""
Value = int | None
"""The number of a cell; None where the cell is blank."""
UNKNOWN = -1
"""A number that is there, but not known."""

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
WHOLE = re.compile("[0-9]{1,9}")
_MARKS: dict[str, Value] = {".": None, "-2": UNKNOWN, "-": UNKNOWN}
_NOTES = re.compile("TrialData|history:|info:|__HISTORY__")


@dataclass(frozen=True)
class Code:
    """How numbers are written one after the other.

    Attributes:
        base: of the digits, ``0`` to ``9``, then ``a`` to ``z``.
        forms: by size: the first number of a form, its sign, what its digits 0 stand for, and
            how many digits it has. Of two forms with the same first number, the last is
            written and both are read.
        blanks: one character for a blank cell, one for two, and so on.
        unknown: characters of an unknown number; the first is written.
        expected: what is there, for an error.
        where: what cannot hold a number that is too large.
        names: of the numbers from 1 on in a board file, which is decimal without.
    """

    base: int
    forms: tuple[tuple[int, str, int, int], ...]
    blanks: str = ""
    unknown: str = ""
    expected: str = "a number"
    where: str = "an address"
    names: tuple[str, ...] = ()

    @cached_property
    def token(self) -> re.Pattern[str]:
        """One number, or one character for blank cells."""
        tokens = [
            f"{re.escape(sign)}[{_DIGITS[: self.base]}]{{{count}}}"
            for _, sign, _, count in self.forms
        ]
        return re.compile("|".join([*tokens, *map(re.escape, self.blanks + self.unknown)]))

    @cached_property
    def single(self) -> dict[str, list[Value]]:
        """What tokens of one character stand for."""
        return {c: self.cells(c) for c in (_DIGITS[: self.base] + self.blanks + self.unknown)[::-1]}

    @cached_property
    def _signs(self) -> dict[Value, str]:
        return {cells[0]: c for c, cells in self.single.items() if len(cells) == 1}

    def cells(self, token: str) -> list[Value]:
        """What a token stands for."""
        if token in self.blanks:
            return [None] * (self.blanks.index(token) + 1)
        if token in self.unknown:
            return [UNKNOWN]
        sign = token[:-1] and token[0]
        zero = next(zero for _, known, zero, _ in self.forms if known == sign)
        return [zero + int(token[len(sign) :], self.base)]

    def write(self, values: Sequence[Value]) -> str:
        """The longest runs of blanks first; InputError for a number that is too large."""
        tokens = dict(self._signs)
        tokens |= {n: self._token(n) for n in dict.fromkeys(values) if n and n not in tokens}
        parts: list[str] = []
        for value, run in groupby(values):
            count = sum(1 for _ in run)
            if value is None:
                full, count = divmod(count, len(self.blanks))
                parts.append(self.blanks[-1] * full + self.blanks[count - 1 : count])
            else:
                parts.append(tokens[value] * count)
        return "".join(parts)

    def _token(self, number: int) -> str:
        _, sign, zero, count = next(form for form in reversed(self.forms) if form[0] <= number)
        if number - zero >= self.base**count:
            raise InputError(f"the number {number} is too large for {self.where}")
        return sign + np.base_repr(number - zero, self.base).lower().rjust(count, "0")


NUMBER16 = Code(
    base=16,
    forms=(
        (0, "", 0, 1),
        (16, "-", 0, 2),
        (256, "+", 0, 3),
        (4096, "=", 4096, 3),
        (8192, "%", 8192, 3),  # as older players wrote it
        (8192, "@", 8192, 3),
        (12240, "*", 12240, 4),
        (77776, "$", 77776, 5),
    ),
    blanks="ghijklmnopqrstuvwxyz",
    unknown=".",
    expected="a number, or g to z for blank cells",
)
"""The code of most puzzles."""
_BITS = Code(base=32, forms=((0, "", 0, 1),), expected="walls, 0 to 9 and a to v")
_FIVE = 2 ** np.arange(5)[::-1]


@dataclass
class AddressText:
    """The body of an address, read from left to right or written at its end."""

    text: str = ""
    at: int = 0

    def read_word(self) -> str:
        """What comes before the next ``/``, which is passed over."""
        word, _, _ = self.text[self.at :].partition("/")
        self.at += len(word) + 1
        return word

    def write_word(self, word: str) -> None:
        """Write a word and a stroke."""
        self.text += f"{word}/"

    def read_numbers(self, shape: Shape, code: Code = NUMBER16, what: str = "cells") -> list[Value]:
        """The numbers of so many rows and columns.

        Raises:
            InputError: naming the character that is no number, or how many cells are there
                if the text ends before the last.
        """
        count = shape[0] * shape[1]
        found: list[Value] = []
        known = dict(code.single)
        for token in code.token.finditer(self.text, self.at):
            if len(found) >= count or token.start() > self.at:
                break
            found += known.get(token[0]) or known.setdefault(token[0], code.cells(token[0]))
            self.at = token.end()
        if len(found) < count:
            seen = self.text[self.at : self.at + 6]
            if not seen:
                raise InputError(
                    f"the board ends after {len(found)} of {count} {what}; copy all of it"
                )
            place = f"character {self.at + 1} of the board, {seen!r}"
            raise InputError(f"{place}: expected {code.expected}")
        return found[:count]

    def write_numbers(self, values: Sequence[Value], columns: int, code: Code = NUMBER16) -> None:  # noqa: ARG002
        """Write numbers; rows are told in board files only."""
        self.text += code.write(values)

    def read_bits(self, shape: Shape) -> BoolArray:
        """An array of this shape, five bits a character; InputError as ``read_numbers``."""
        count = shape[0] * shape[1]
        fives = self.read_numbers((1, -(-count // 5)), _BITS, "characters for walls")
        bits = np.array(fives, dtype=np.int64)[:, None] & _FIVE > 0
        return bits.ravel()[:count].reshape(shape)

    def write_bits(self, bits: BoolArray) -> None:
        """Write them, five a character, the last filled up with 0."""
        fives = np.append(bits, np.zeros(-bits.size % 5, dtype=np.bool_)).reshape(-1, 5) @ _FIVE
        self.text += _BITS.write(fives.tolist())

    def read_room_numbers(self, rooms: IntArray) -> list[Value]:
        """The number of each room, 0 to the last of ``rooms``."""
        return self.read_numbers((1, int(rooms.max()) + 1))

    def write_room_numbers(self, rooms: IntArray, values: Sequence[Value]) -> None:
        """Write the number of each room."""
        self.write_numbers(values, rooms.shape[1])


@dataclass
class FileText:
    """The rows of a board file, read from the top or written at the end."""

    rows: list[str] = field(default_factory=list)
    version: str = ""
    at: int = 0

    def read_word(self) -> str:
        """The next row."""
        self.at += 1
        if self.at > len(self.rows):
            raise InputError("the board ends too early")
        return self.rows[self.at - 1].strip()

    def write_word(self, word: str) -> None:
        """Write a row."""
        self.rows.append(word)

    def read_words(self, shape: Shape) -> Words:
        """The words of so many rows; InputError for one of another length."""
        words: list[str] = []
        for _ in range(shape[0]):
            row = self.read_word().split()
            if len(row) != shape[1]:
                raise InputError(f"{len(row)} cells where there should be {shape[1]}")
            words += row
        return np.array(words, dtype=object).reshape(shape)

    def write_words(self, words: Iterable[Iterable[Any]]) -> None:
        """Write rows of words."""
        self.rows += ["".join([f"{word} " for word in row]) for row in words]

    def read_answer(self, shape: Shape) -> Words | None:
        """The words of an answer, or None where the file has none."""
        rest = self.rows[self.at :]
        if not any(row.strip() for row in rest) and shape[1]:
            return None
        if not rest or _NOTES.match(rest[0]):
            return None
        return self.read_words(shape)

    def read_numbers(self, shape: Shape, code: Code = NUMBER16) -> list[Value]:
        """The numbers of so many rows and columns; InputError for another word."""
        names: dict[str, Value] = {name: number for number, name in enumerate(code.names, start=1)}
        words = self.read_words(shape).ravel().tolist()
        known = {word: names.get(word) or value_of(word) for word in dict.fromkeys(words)}
        return [known[word] for word in words]

    def write_numbers(self, values: Sequence[Value], columns: int, code: Code = NUMBER16) -> None:
        """Write rows of numbers."""
        marks = {value: mark for mark, value in _MARKS.items()}
        marks |= dict(enumerate(code.names, start=1))
        self.write_words(in_rows([marks.get(v) or str(v) for v in values], columns))

    def read_bits(self, shape: Shape) -> BoolArray:
        """An array of this shape, a word 0 or 1 for each."""
        words = self.read_words(shape)
        for word in set(words.ravel().tolist()) - {"0", "1"}:
            raise InputError(f"{word[:20]!r} is no wall; expected 0 or 1")
        return np.equal(words, "1").astype(np.bool_)

    def write_bits(self, bits: BoolArray) -> None:
        """Write rows of 0 and 1."""
        self.write_words(bits.astype(np.int64).tolist())

    def read_room_numbers(self, rooms: IntArray) -> list[Value]:
        """The number of each room, from any of its cells."""
        numbers: list[Value] = [None] * (int(rooms.max()) + 1)
        shown = known(self.read_numbers(rooms.shape))
        for room, number in zip(rooms.ravel().tolist(), shown, strict=True):
            if number is not None:
                if numbers[room] not in (None, number):
                    raise InputError(f"a room has two clues, {numbers[room]} and {number}")
                numbers[room] = number
        return numbers

    def write_room_numbers(self, rooms: IntArray, values: Sequence[Value]) -> None:
        """In the highest cell of the leftmost column of each room."""
        _, first = np.unique(rooms.T, return_index=True)
        shown = np.full(rooms.shape[::-1], None, dtype=object)
        shown.flat[first] = values
        self.write_numbers(shown.T.ravel().tolist(), rooms.shape[1])


Text = AddressText | FileText
T_contra = TypeVar("T_contra", contravariant=True)


class Part(Protocol[T_contra]):
    """A part of a board's text."""

    def read(self, text: T_contra, shape: Shape, data: Data) -> None:
        """Read the part, and put what it says under its keys; ``data`` has the parts before.

        Raises:
            InputError: for what is no such part, or says what the puzzle cannot hold.
        """

    def write(self, text: T_contra, puzzle: Any) -> None:
        """Write the part of a puzzle; InputError for what the text cannot hold."""


@dataclass(frozen=True)
class Numbers:
    """A number or nothing in each cell, as rows of numbers.

    Attributes:
        key: of the native JSON object.
        code: of the address.
        unknown: what becomes of a number that is not known.
        blank: what the puzzle has in a cell without a number; with 0, a number 0 is refused.
    """

    key: str
    code: Code = NUMBER16
    unknown: Literal["refused", "blank", "kept"] = "refused"
    blank: int | None = 0

    def read(self, text: Text, shape: Shape, data: Data) -> None:
        """Read a grid; InputError naming the cell."""
        values = text.read_numbers(shape, self.code)
        if self.unknown == "blank":
            values = known(values)
        refused = [UNKNOWN] * (self.unknown == "refused") + [0] * (self.blank == 0)
        check_numbers(values, cell_of(shape[1]), refused)
        blank = self.blank
        data[self.key] = in_rows([blank if v is None else v for v in values], shape[1])

    def write(self, text: Text, puzzle: Any) -> None:
        """Write a grid."""
        values = np.asarray(getattr(puzzle, self.key)).ravel().tolist()
        shown = [None if value == self.blank else value for value in values]
        text.write_numbers(shown, puzzle.shape[1], self.code)


@dataclass(frozen=True)
class Rooms:
    """Rooms by the walls between them, numbered by their first cells, and a clue a room.

    An unknown clue is none.
    """

    rooms: str = "rooms"
    clues: str = "clues"

    def read(self, text: Text, shape: Shape, data: Data) -> None:
        """Read walls and clues; InputError naming the cells of a loose wall."""
        rows, columns = shape
        if isinstance(text, FileText) and text.version == "pzprv3":
            text.read_word()  # how many rooms there are; each cell has the name of its room
            across, below = _walls(text.read_words(shape))
        else:
            across = text.read_bits((rows, columns - 1))
            below = text.read_bits((rows - 1, columns))
        rooms = pieces(~across, ~below)
        for walls, edges, r, c in zip((across, below), _walls(rooms), (0, 1), (1, 0), strict=True):
            for i, j in np.argwhere(walls & ~edges)[:1].tolist():
                places = f"row {i + 1} column {j + 1} and row {i + r + 1} column {j + c + 1}"
                raise InputError(f"the wall between {places} divides no rooms; no such puzzle here")
        data[self.rooms], data[self.clues] = rooms.tolist(), known(text.read_room_numbers(rooms))

    def write(self, text: Text, puzzle: Any) -> None:
        """Write walls and clues."""
        given, clues = getattr(puzzle, self.rooms), getattr(puzzle, self.clues)
        _, first, room = np.unique(given, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rooms = np.argsort(order)[room.reshape(given.shape)]
        for walls in _walls(rooms):
            text.write_bits(walls)
        text.write_room_numbers(rooms, [clues[old] for old in order.tolist()])


def _walls(rooms: NDArray[Any]) -> tuple[BoolArray, BoolArray]:
    """Between the cells of a row, and between a row and the next."""
    across, below = rooms[:, 1:] != rooms[:, :-1], rooms[1:] != rooms[:-1]
    return across.astype(np.bool_), below.astype(np.bool_)


class Shading:
    """An answer of black and white cells, in a board file."""

    def read(self, text: FileText, shape: Shape, data: Data) -> None:
        """Read ``solution``, if the file has one."""
        data["solution"] = shading(text.read_answer(shape))

    def write(self, text: FileText, puzzle: Any) -> None:
        """Write ``solution``, or blanks."""
        text.write_words(shading_words(puzzle))


# --- for parts of one's own --------------------------------------------------------------


def check_numbers(
    values: Sequence[Value],
    place: Callable[[int], str],
    refused: Iterable[Value] = (UNKNOWN, 0),
    what: str = "number",
) -> None:
    """Raise InputError for a number that a puzzle cannot hold, naming its place by its index."""
    for wrong in refused:
        if wrong in values:
            name = f"a {what} of unknown value" if wrong == UNKNOWN else f"the number {wrong}"
            raise InputError(f"{place(values.index(wrong))} has {name}; no such puzzle here")


def cell_of(columns: int) -> Callable[[int], str]:
    """The place of a cell, for an error, by its row-major index."""
    return lambda i: f"row {i // columns + 1} column {i % columns + 1}"


def known(values: Sequence[Value]) -> list[Value]:
    """The same, None where a number is unknown."""
    return [None if value == UNKNOWN else value for value in values]


def in_rows(values: Sequence[Any], columns: int) -> list[Any]:
    """The same in rows."""
    return [values[i : i + columns] for i in range(0, len(values), columns)]


def value_of(word: str) -> Value:
    """What a word of a board file stands for; InputError if it is no number."""
    if word in _MARKS:
        return _MARKS[word]
    if not WHOLE.fullmatch(word):
        raise InputError(f"{word[:20]!r} is no clue")
    return int(word)


def shading(words: Words | None) -> IntArray | None:
    """The black cells (``#``) of an answer, None if it says nothing."""
    if words is None or np.equal(words, ".").all():
        return None
    return np.equal(words, "#").astype(np.int64)


def shading_words(puzzle: Any) -> Words:
    """``#`` and ``+`` for a puzzle's solution, ``.`` where it has none."""
    marks = np.array(["+", "#", "."], dtype=object)
    answer = np.full(puzzle.shape, 2) if puzzle.solution is None else puzzle.solution
    words: Words = marks[answer]
    return words


@dataclass(frozen=True)
class Link:
    """A puzzle in the players: its name there and its texts.

    Attributes:
        pid: the name of the puzzle there.
        body: the parts of an address.
        file: the parts of a board file, ``solution`` among them, where there is one.
        fields: keys with the only values that this name stands for.
        flags: the flags that an address may have, with the keys that they change.
        square: only square boards have rules here.
        sizes: how many sizes a board file gives.
        version: of the board files that are written.
        percent: ``%`` with digits after it is often in a body, and no percent encoding.
        givens: the key under which an answer can be given, so that an address shows it.
        check: raises InputError for a puzzle that this name does not stand for.
    """

    pid: str
    body: Sequence[Part[AddressText]]
    file: Sequence[Part[FileText]]
    fields: Mapping[str, Any] = field(default_factory=dict)
    flags: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    square: bool = False
    sizes: int = 2
    version: str = "pzprv3"
    percent: bool = False
    givens: str = ""
    check: Callable[[Any], None] = lambda _: None

    def read(self, text: Text, shape: Shape, flag: str = "") -> Data:
        """The native JSON object of a text from its first part on.

        Raises:
            InputError: for an unknown flag, and for what the puzzle cannot hold.
        """
        if flag and flag not in self.flags:
            raise InputError(f"the flag {flag[:20]!r} is none that this package has")
        data: Data = {**self.fields, **self.flags.get(flag, {})}
        for part in self._parts(text):
            part.read(text, shape, data)
        return data

    def write(self, text: Text, puzzle: Any) -> None:
        """Write every part; InputError for what the text cannot hold."""
        for part in self._parts(text):
            part.write(text, puzzle)

    def _parts(self, text: Text) -> Sequence[Part[Any]]:
        return self.body if isinstance(text, AddressText) else self.file
