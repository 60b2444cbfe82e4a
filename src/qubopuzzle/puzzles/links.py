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


# --- numbers as characters -------------------------------------------------------------


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
        where: what cannot hold a number that is too large.
        names: of the numbers from 1 on in a board file, which is decimal without.
    """

    base: int
    forms: tuple[tuple[int, str, int, int], ...]
    blanks: str
    unknown: str
    where: str = "an address"
    names: tuple[str, ...] = ()

    @cached_property
    def token(self) -> re.Pattern[str]:
        """One number, or one character for blank cells."""
        digit = f"[{_DIGITS[: self.base]}]"
        numbers = [f"{re.escape(sign)}{digit}{{{count}}}" for _, sign, _, count in self.forms]
        return re.compile("|".join([*numbers, f"[{re.escape(self.blanks + self.unknown)}]"]))

    @cached_property
    def single(self) -> dict[str, list[Value]]:
        """The cells that one character stands for."""
        blanks: dict[str, list[Value]] = {
            sign: [None] * count for count, sign in enumerate(self.blanks, start=1)
        }
        digits: dict[str, list[Value]] = {_DIGITS[i]: [i] for i in range(self.base)}
        return blanks | digits | {sign: [UNKNOWN] for sign in self.unknown}

    @cached_property
    def _zeros(self) -> dict[str, int]:
        return {sign: zero for _, sign, zero, _ in self.forms}

    def number(self, token: str) -> int:
        """The number that a sign and its digits stand for."""
        return self._zeros[token[0]] + int(token[1:], self.base)

    def write(self, values: Sequence[Value]) -> str:
        """The longest runs of blanks first.

        Raises:
            InputError: for a number that is too large.
        """
        tokens = {
            value: self._number(value) for value in dict.fromkeys(values) if value is not None
        }
        parts: list[str] = []
        for value, run in groupby(values):
            count = sum(1 for _ in run)
            if value is None:
                full, rest = divmod(count, len(self.blanks))
                parts.append(self.blanks[-1] * full + self.blanks[rest - 1 : rest])
            else:
                parts.append(tokens[value] * count)
        return "".join(parts)

    def _number(self, number: int) -> str:
        if number == UNKNOWN:
            return self.unknown[0]
        _, sign, zero, count = next(form for form in reversed(self.forms) if form[0] <= number)
        if number - zero >= self.base**count:
            raise InputError(f"the number {number} is too large for {self.where}")
        digits = ""
        for _ in range(count):
            number, digit = divmod(number - zero, self.base)
            digits, zero = _DIGITS[digit] + digits, 0
        return sign + digits


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
)
"""The code of most puzzles."""


# --- the two texts ---------------------------------------------------------------------


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

    def read_numbers(self, shape: Shape, code: Code = NUMBER16) -> list[Value]:
        """The numbers of so many rows and columns.

        Raises:
            InputError: naming the character that is no number, or how many cells are there
                if the text ends before the last.
        """
        count = shape[0] * shape[1]
        found: list[Value] = []
        single = code.single
        for token in code.token.finditer(self.text, self.at):
            if len(found) >= count or token.start() > self.at:
                break
            found += single.get(token[0]) or [code.number(token[0])]
            self.at = token.end()
        if len(found) < count:
            self._check_end(len(found), count, "cells")
            blanks = " to ".join(dict.fromkeys((code.blanks[0], code.blanks[-1])))
            raise self._error(f"a number, or {blanks} for blank cells")
        return found[:count]

    def write_numbers(self, values: Sequence[Value], shape: Shape, code: Code = NUMBER16) -> None:  # noqa: ARG002
        """Write numbers; the shape matters to files only."""
        self.text += code.write(values)

    def read_bits(self, shape: Shape) -> BoolArray:
        """An array of this shape, five bits a character.

        Raises:
            InputError: as ``read_numbers``.
        """
        count = shape[0] * shape[1]
        part = self.text[self.at : self.at + -(-count // 5)]
        if wrong := re.search("[^0-9a-v]", part):
            self.at += wrong.start()
            raise self._error("walls, 0 to 9 and a to v")
        self.at += len(part)
        self._check_end(5 * len(part), count, "walls")
        bits = "".join(f"{int(digit, 32):05b}" for digit in part)[:count]
        return np.equal(np.frombuffer(bits.encode(), dtype=np.uint8), ord("1")).reshape(shape)

    def write_bits(self, bits: BoolArray) -> None:
        """Write them, five a character, the last filled up with 0."""
        groups = np.pad(bits.ravel(), (0, -bits.size % 5)).reshape(-1, 5)
        self.text += "".join(_DIGITS[group] for group in (groups @ [16, 8, 4, 2, 1]).tolist())

    def read_room_numbers(self, rooms: IntArray) -> list[Value]:
        """The number of each room, 0 to the last of ``rooms``."""
        return self.read_numbers((1, int(rooms.max()) + 1))

    def write_room_numbers(self, rooms: IntArray, values: Sequence[Value]) -> None:
        """Write the number of each room."""
        self.write_numbers(values, rooms.shape)

    def _check_end(self, found: int, count: int, what: str) -> None:
        if found < count and self.at >= len(self.text):
            raise InputError(f"the board ends after {found} of {count} {what}; copy all of it")

    def _error(self, expected: str) -> InputError:
        seen = self.text[self.at : self.at + 6]
        return InputError(f"character {self.at + 1} of the board, {seen!r}: expected {expected}")


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

    def read_words(self, shape: Shape) -> list[str]:
        """The words of so many rows of the same length, one row after the other."""
        words: list[str] = []
        for _ in range(shape[0]):
            row = self.read_word().split()
            if len(row) != shape[1]:
                raise InputError(f"{len(row)} cells where there should be {shape[1]}")
            words += row
        return words

    def read_table(self, shape: Shape) -> NDArray[np.object_]:
        """The same as an array of ``str``."""
        return np.array(self.read_words(shape), dtype=object).reshape(shape)

    def write_table(self, words: Any) -> None:
        """Rows of words."""
        self.rows += ["".join([f"{word} " for word in row]) for row in words]

    def read_answer(self, shape: Shape) -> list[str] | None:
        """The words of an answer, or None where the file has none."""
        rest = self.rows[self.at :]
        if not any(row.strip() for row in rest) and shape[1]:
            return None
        if not rest or _NOTES.match(rest[0]):
            return None
        return self.read_words(shape)

    def read_numbers(self, shape: Shape, code: Code = NUMBER16) -> list[Value]:
        """The numbers of so many rows and columns."""
        numbers = {name: number for number, name in enumerate(code.names, start=1)}
        words = self.read_words(shape)
        values = {word: numbers.get(word) or value_of(word) for word in dict.fromkeys(words)}
        return [values[word] for word in words]

    def write_numbers(self, values: Sequence[Value], shape: Shape, code: Code = NUMBER16) -> None:
        """Write rows of numbers."""
        marks = {value: mark for mark, value in _MARKS.items()}
        marks |= dict(enumerate(code.names, start=1))
        self.write_table(in_rows([marks.get(v) or str(v) for v in values], shape[1]))

    def read_bits(self, shape: Shape) -> BoolArray:
        """An array of this shape, a word 0 or 1 for each."""
        words = self.read_words(shape)
        for word in set(words) - {"0", "1"}:
            raise InputError(f"{word[:20]!r} is no wall; expected 0 or 1")
        return np.array([word == "1" for word in words], dtype=np.bool_).reshape(shape)

    def write_bits(self, bits: BoolArray) -> None:
        """Write rows of 0 and 1."""
        self.write_table(bits.astype(np.int64).tolist())

    def read_room_numbers(self, rooms: IntArray) -> list[Value]:
        """The number of each room, from any of its cells."""
        numbers: list[Value] = [None] * (int(rooms.max()) + 1)
        for room, number in zip(
            rooms.ravel().tolist(), self.read_numbers(rooms.shape), strict=True
        ):
            if number not in (None, UNKNOWN):
                if numbers[room] not in (None, number):
                    raise InputError(f"a room has two clues, {numbers[room]} and {number}")
                numbers[room] = number
        return numbers

    def write_room_numbers(self, rooms: IntArray, values: Sequence[Value]) -> None:
        """In the highest cell of the leftmost column of each room."""
        cells = np.arange(rooms.size).reshape(rooms.shape).T.ravel()
        _, first = np.unique(rooms.T, return_index=True)
        shown: list[Value] = [None] * rooms.size
        for cell, value in zip(cells[first].tolist(), values, strict=True):
            shown[cell] = value
        self.write_numbers(shown, rooms.shape)


Text = AddressText | FileText
T_contra = TypeVar("T_contra", contravariant=True)


# --- parts -----------------------------------------------------------------------------


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
        columns = shape[1]
        values = text.read_numbers(shape, self.code)
        if self.unknown == "blank":
            values = known(values)
        refused = [UNKNOWN] * (self.unknown == "refused") + [0] * (self.blank == 0)
        check_numbers(values, lambda i: f"row {i // columns + 1} column {i % columns + 1}", refused)
        blank = self.blank
        data[self.key] = in_rows([blank if v is None else v for v in values], columns)

    def write(self, text: Text, puzzle: Any) -> None:
        """Write a grid."""
        values = np.asarray(getattr(puzzle, self.key)).ravel().tolist()
        shown = [None if value == self.blank else value for value in values]
        text.write_numbers(shown, puzzle.shape, self.code)


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
            _, rooms = np.unique(text.read_words(shape), return_inverse=True)
            walls = _walls(rooms.reshape(shape))
        else:
            walls = text.read_bits((rows, columns - 1)), text.read_bits((rows - 1, columns))
        rooms = _rooms_between(*walls)
        data[self.rooms], data[self.clues] = rooms.tolist(), known(text.read_room_numbers(rooms))

    def write(self, text: Text, puzzle: Any) -> None:
        """Write walls and clues."""
        given = getattr(puzzle, self.rooms)
        clues = getattr(puzzle, self.clues)
        _, first, room = np.unique(given, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rooms = np.argsort(order)[room.reshape(given.shape)]
        for walls in _walls(rooms):
            text.write_bits(walls)
        text.write_room_numbers(rooms, [clues[old] for old in order.tolist()])


class Shading:
    """An answer of black and white cells, in a board file."""

    def read(self, text: FileText, shape: Shape, data: Data) -> None:
        """Read ``solution``, if the file has one."""
        data["solution"] = shading(text.read_answer(shape), shape)

    def write(self, text: FileText, puzzle: Any) -> None:
        """Write ``solution``, or blanks."""
        text.write_table(shading_words(puzzle))


def _rooms_between(across: BoolArray, below: BoolArray) -> IntArray:
    """Rooms, numbered by their first cells, from walls right of and below cells.

    Raises:
        InputError: for a wall with the same room on both sides.
    """
    room = pieces(~across, ~below)
    loose = (
        (across & (room[:, 1:] == room[:, :-1]), (0, 1)),
        (below & (room[1:] == room[:-1]), (1, 0)),
    )
    for walls_within, (i, j) in loose:
        for r, c in np.argwhere(walls_within)[:1].tolist():
            places = f"row {r + 1} column {c + 1} and row {r + i + 1} column {c + j + 1}"
            raise InputError(f"the wall between {places} divides no rooms; no such puzzle here")
    return room


def _walls(rooms: IntArray) -> tuple[BoolArray, BoolArray]:
    return rooms[:, 1:] != rooms[:, :-1], rooms[1:] != rooms[:-1]


# --- what parts are made of --------------------------------------------------------------


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


def shading(words: Sequence[str] | None, shape: Shape) -> IntArray | None:
    """The black cells (``#``) of an answer, None if it says nothing."""
    if words is None or set(words) == {"."}:
        return None
    return np.array([word == "#" for word in words], dtype=np.int64).reshape(shape)


def shading_words(puzzle: Any) -> list[list[str]]:
    """Rows of ``#`` and ``+`` for a puzzle's solution, of ``.`` where it has none."""
    if puzzle.solution is None:
        return [["."] * puzzle.shape[1]] * puzzle.shape[0]
    return [["#" if black else "+" for black in row] for row in puzzle.solution.tolist()]


# --- links -----------------------------------------------------------------------------


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
