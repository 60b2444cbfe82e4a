"""The text of a board in players' links, described once: what reads a part also writes it.

puzz.link and players like it have two texts of a board: the body of an address, and the rows
of a board file (``pzprv3``). A part of a text is a function of the text, an ``AddressText`` or
a ``FileText``, and of the board, a dictionary with the keys of native JSON. The text's methods
take arrays and return them: they write them, or, where the text is read, return what it has in
place of an array of that shape.

>>> def digits(text, board):
...     grid = text.numbers(np.array(board.get("grid", np.zeros(text.shape, int))))
...     board["grid"] = grid.tolist()

A ``Link`` says what the players call a puzzle, and lists the parts of its texts:

>>> link = Link("digits", body=[digits], file=[digits, shading])
>>> link.read(AddressText("12g.34", (2, 3)))
{'grid': [[1, 2, 0], [-1, 3, 4]]}

A puzzle's class has its links in the attribute ``links``, and is then read and written by
the formats ``puzzlink`` and ``pzprv3``.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.errors import InputError
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.vocabulary.grids import (
    BoolArray,
    components,
)
from qubopuzzle.puzzles.vocabulary.paths import join, split

Board: TypeAlias = dict[str, Any]
Words: TypeAlias = NDArray[np.object_]  # of a board file, str
UNKNOWN, ZERO = -1, -2
"""In arrays a number that is not known, and the number 0; 0 stands for a blank there."""

WHOLE = re.compile("[0-9]{1,9}")
_DIGITS = digits + ascii_lowercase
_NUMBER_OF = {None: 0, 0: ZERO}  # of the clue of a room
_CLUE_OF = {0: None, UNKNOWN: None, ZERO: 0}
_NOTES = re.compile("TrialData|history:|info:|__HISTORY__")


@dataclass(frozen=True)
class Code:
    """How numbers are written one after the other in an address.

    Attributes:
        base: of the digits, ``0`` to ``9``, then ``a`` to ``z``.
        forms: of numbers of several digits, by size: what the digits 0 stand for, and how many
            there are, by the sign before them. Of two for a number, the last is written.
        blanks: one character for a blank cell, one for two, and so on.
        unknown: characters of an unknown number; the first is written.
        names: of the numbers from 1 on in a board file, which is decimal without.
        fused: the most blanks that one digit may stand for behind its number: digit ``n + base k``
            is the number n and k blanks.
        beyond: whether cells beyond the last count as blanks for that, when it is written.
        expected, unit, where: what is there, what is counted, and what cannot hold a number
            that is too large, for errors.
    """

    base: int
    forms: dict[str, tuple[int, int]]
    blanks: str = ""
    unknown: str = ""
    names: str = ""
    fused: int = 0
    beyond: bool = False
    expected: str = "a number"
    unit: str = "cells"
    where: str = "an address"

    def read(self, text: str, at: int, count: int) -> tuple[IntArray, int]:
        """So many numbers from a place on, and the place behind them; InputError naming it."""
        numbers: list[int] = []
        known = dict(self._single)
        for match in self._token.finditer(text, at):
            if len(numbers) >= count or match.start() > at:
                break
            at, token = match.end(), match[0]
            if token not in known:
                known[token] = [self.forms[token[0]][0] + int(token[1:], self.base) or ZERO]
            numbers += known[token]
        if len(numbers) < count:
            place = f"character {at + 1} of the board, {text[at : at + 6]!r}"
            wrong = f"{place}: expected {self.expected}"
            ended = f"the board ends after {len(numbers)} of {count} {self.unit}; copy all of it"
            raise InputError(wrong if at < len(text) else ended)
        return np.array(numbers[:count], dtype=np.int64), at

    def write(self, numbers: list[int]) -> str:
        """The longest runs of blanks first; InputError for a number that is too large."""
        single = {cells[0]: token for token, cells in reversed(self._single.items())} | {0: " "}
        tokens = {n: single.get(n) or self._long(n) for n in set(numbers)}
        text = "".join([tokens[number] for number in numbers])
        if self.fused:
            ends = "|$" if self.beyond else ""
            behind = f"([{_DIGITS[: self.base]}])((?: {ends}){{0,{self.fused}}})"
            text = re.sub(behind, self._fuse, text)
        return with_blanks(text, self.blanks)

    def _fuse(self, match: re.Match[str]) -> str:
        blanks = len(match[2])
        if self.beyond and match.end() == len(match.string):
            blanks = self.fused
        return _DIGITS[_DIGITS.index(match[1]) + self.base * blanks]

    def _long(self, number: int) -> str:
        for sign, (zero, count) in reversed(self.forms.items()):
            if zero <= number and self.base ** (count - 1) <= number < zero + self.base**count:
                return sign + str(np.base_repr(number - zero, self.base)).lower().zfill(count)
        raise InputError(f"the number {number} is too large for {self.where}")

    @cached_property
    def _single(self) -> dict[str, list[int]]:
        """What tokens of one character stand for."""
        known = {
            _DIGITS[n + self.base * blanks]: [n or ZERO, *[0] * blanks]
            for n in range(self.base)
            for blanks in range(self.fused + 1)
        }
        known |= {c: [0] * count for count, c in enumerate(self.blanks, start=1)}
        return known | {c: [UNKNOWN] for c in self.unknown}

    @cached_property
    def _token(self) -> re.Pattern[str]:
        digit = f"[{_DIGITS[: self.base]}]"
        long = [f"{re.escape(sign)}{digit}{{{n}}}" for sign, (_, n) in self.forms.items()]
        return re.compile("|".join([*long, f"[{re.escape(''.join(self._single))}]"]))


NUMBER16 = Code(
    base=16,
    forms={
        "-": (0, 2),
        "+": (0, 3),
        "=": (4096, 3),
        "%": (8192, 3),  # as older players wrote it
        "@": (8192, 3),
        "*": (12240, 4),
        "$": (77776, 5),
    },
    blanks="ghijklmnopqrstuvwxyz",
    unknown=".",
    expected="a number, or g to z for blank cells",
)
"""The code of most puzzles."""
FOUR = Code(
    base=5,
    forms={},
    blanks="ghijklmnopqrstuvwxyz",
    unknown=".",
    fused=2,
    beyond=True,
    expected="0 to 9, a to e, or g to z for blank cells",
    where="this address",
)
"""The code of numbers from 0 to 4."""
ONE = Code(
    base=1,
    forms={},
    blanks="ijklmnopqrstuvwxyz",
    fused=17,
    expected="0 to 9 and a to z",
    where="this address",
)
"""The code of one sign, 0, in few cells."""
_BITS = Code(32, {}, expected="walls, 0 to 9 and a to v", unit="characters for walls")
_THREES = Code(27, {}, expected="0 to 9 and a to q", unit="characters for circles")


@dataclass
class AddressText:
    """The body of an address, read from left to right or written at its end.

    ``shape`` is that of the board; errors of numbers and bits are those of ``Code``. ``blanks``
    are the signs of blank cells in the numbers that were read last.
    """

    body: str = ""
    shape: tuple[int, int] = (0, 0)
    reading: bool = True
    at: int = 0
    blanks: str = ""

    def word(self, word: str = "") -> str:
        """What stands before a stroke."""
        if not self.reading:
            self.body += f"{word}/"
            return word
        word, _, _ = self.body[self.at :].partition("/")
        self.at += len(word) + 1
        return word

    def numbers(self, numbers: IntArray, code: Code = NUMBER16) -> IntArray:
        """Numbers, of any shape."""
        if not self.reading:
            self.body += code.write(numbers.ravel().tolist())
            return numbers
        values, self.at = code.read(self.body, self.at, numbers.size)
        self.blanks = code.blanks
        return values.reshape(numbers.shape)

    def bits(self, bits: BoolArray) -> BoolArray:
        """Bits, of any shape, five a character; the last is filled up with 0."""
        return self._packed(bits, 2, 5, _BITS) > 0

    def threes(self, numbers: IntArray) -> IntArray:
        """Numbers from 0 to 2, of any shape, three a character."""
        return self._packed(numbers, 3, 3, _THREES)

    def _packed(self, numbers: NDArray[Any], base: int, several: int, code: Code) -> IntArray:
        count, powers = -(-numbers.size // several), base ** np.arange(several)[::-1]
        if not self.reading:
            groups = np.zeros((count, several), dtype=np.int64)
            groups.flat[: numbers.size] = numbers.ravel()
            self.body += "".join([_DIGITS[group] for group in (groups @ powers).tolist()])
            return numbers.astype(np.int64)
        read, self.at = code.read(self.body, self.at, count)
        values = np.maximum(read, 0)[:, None] // powers % base
        return values.ravel()[: numbers.size].reshape(numbers.shape)

    def end(self) -> None:
        """Raise InputError if more follows than blank cells, which some players write too many of.

        Numbers beyond the board say that its size is not the one that they were written for.
        """
        rest = self.body[self.at :].lstrip(f"{self.blanks}/")
        if rest:
            rows, columns = self.shape
            place = f"character {len(self.body) - len(rest) + 1} of the board, {rest[:6]!r}"
            size = f"{columns} columns and {rows} rows"
            raise InputError(f"{place}: beyond the last cell of {size}; is this the size?")


@dataclass
class FileText:
    """The rows of a board file, read from the top or written at the end.

    Each row is a word, or has the words of a row of an array; where the board is ``blank``, the
    text has none of them, and they are as for an empty board.
    """

    rows: list[str]
    shape: tuple[int, int] = (0, 0)
    reading: bool = True
    at: int = 0
    blank: bool = False

    def word(self, word: str = "") -> str:
        """A row as it is; InputError if there is none."""
        if not self.reading:
            self.rows.append(word)
            return word
        if self.blank:
            return ""
        self.at += 1
        if self.at > len(self.rows):
            raise InputError("the board ends too early")
        return self.rows[self.at - 1].strip()

    def words(self, words: NDArray[Any]) -> Words:
        """Words, or numbers to be written as they are; InputError for a row of another length."""
        result: list[str] = []
        if self.blank:
            return np.full(words.shape, ".", dtype=object)
        for row in words.tolist():
            text = "" if self.reading else "".join([f"{word} " for word in row])
            cells = self.word(text).split()
            if len(cells) != len(row):
                raise InputError(f"{len(cells)} cells where there should be {len(row)}")
            result += cells
        return np.array(result, dtype=object).reshape(words.shape)

    def answer(self, words: NDArray[Any]) -> Words:
        """The same of an answer; ``.`` where the file ends before it, or has notes there."""
        rest = self.rows[self.at :]
        if self.reading and (not any(map(str.strip, rest)) or _NOTES.match(rest[0])):
            return np.full(words.shape, ".", dtype=object)
        return self.words(words)

    def numbers(self, numbers: IntArray, code: Code = NUMBER16) -> IntArray:
        """Numbers; InputError for another word."""
        words: NDArray[Any] = numbers if self.reading else number_words(numbers, code.names)
        return to_numbers(self.words(words), code.names)

    def bits(self, bits: BoolArray) -> BoolArray:
        """Bits; InputError for another word."""
        words = self.words(bits.astype(np.int64))
        if self.blank:
            return np.zeros(bits.shape, dtype=np.bool_)
        for word in dict.fromkeys(words.ravel().tolist()):
            if word not in ("0", "1"):
                raise InputError(f"{word[:20]!r} is no wall; expected 0 or 1")
        return np.equal(words, "1").astype(np.bool_)


Text: TypeAlias = AddressText | FileText
Part: TypeAlias = Callable[[Any, Board], None]
"""Reads or writes a part of a text; InputError for what is none, or cannot be held."""


def grid(text: Text, board: Board, code: Code = NUMBER16, unknown: str = "refused") -> None:
    """``grid``, a number or nothing in each cell; an unknown one is refused, blank or kept."""
    given = np.array(board.get("grid", np.zeros(text.shape, dtype=np.int64)))
    numbers = text.numbers(given, code)
    if unknown == "blank":
        numbers[numbers == UNKNOWN] = 0
    check(numbers, lowest=UNKNOWN if unknown == "kept" else 0)
    board["grid"] = numbers.tolist()


def grid_if_any(text: AddressText, board: Board) -> None:
    """The same behind all else, which may be missing."""
    if text.at < len(text.body) if text.reading else np.any(board["grid"]):
        grid(text, board)
    else:
        board["grid"] = np.zeros(text.shape, dtype=np.int64)


def rooms(text: Any, board: Board) -> None:
    """``rooms`` by the walls between them, numbered by their first cells in an address."""
    given = np.asarray(board.get("rooms", np.zeros(text.shape, dtype=np.int64)))
    if isinstance(text, FileText) and text.rows[0].strip() == "pzprv3":
        text.word(str(int(given.max()) + 1))  # each cell has the name of its room
        across, below = _walls(text.words(given))
    else:
        across, below = map(text.bits, _walls(given))
    room_of = components(~across, ~below)
    for walls, edges, down in zip((across, below), _walls(room_of), (0, 1), strict=True):
        for r, c in np.argwhere(walls & ~edges)[:1].tolist():
            places = f"row {r + 1} column {c + 1} and row {r + 1 + down} column {c + 2 - down}"
            raise InputError(f"the wall between {places} divides no rooms; no such puzzle here")
    first = np.unique(room_of, return_index=True)[1]
    board["rooms"] = room_of.tolist()
    if "clues" in board:  # in the order of the rooms' first cells
        board["clues"] = [board["clues"][room] for room in given.ravel()[first].tolist()]


def rooms_with_clues(text: Text, board: Board) -> None:
    """The same with their ``clues``; an unknown one is none.

    In a file the clue is in the highest cell of the leftmost column of a room, and read from any
    of its cells.
    """
    rooms(text, board)
    n_rooms = int(np.max(board["rooms"])) + 1
    clues = board.get("clues", [None] * n_rooms)
    numbers = np.array([_NUMBER_OF.get(clue, clue) for clue in clues])
    if isinstance(text, AddressText):
        clues = [_CLUE_OF.get(number, number) for number in text.numbers(numbers).tolist()]
    else:
        room_of = np.array(board["rooms"])
        shown = np.zeros_like(room_of)
        shown.T.flat[np.unique(room_of.T, return_index=True)[1]] = numbers
        clues = room_clues(room_of, text.numbers(shown))
    board["clues"] = clues


def _walls(rooms: NDArray[Any]) -> tuple[BoolArray, BoolArray]:
    """Between the cells of a row, and between a row and the next."""
    across, below = rooms[:, 1:] != rooms[:, :-1], rooms[1:] != rooms[:-1]
    return across.astype(np.bool_), below.astype(np.bool_)


def show_clues(rooms: IntArray, clues: Iterable[int | None]) -> IntArray:
    """The clue of each room in its first cell, (rows, columns), as in ``room_clues``."""
    shown = np.zeros_like(rooms)
    shown.flat[np.unique(rooms, return_index=True)[1]] = [_NUMBER_OF.get(n, n) for n in clues]
    return shown


def room_clues(rooms: IntArray, shown: IntArray) -> list[int | None]:
    """The clue of each room 0 .. max, which stands in any of its cells; an unknown one is none.

    Raises:
        InputError: for a room with two.
    """
    known = (shown != 0) & (shown != UNKNOWN)
    room, number = rooms[known], shown[known]
    numbers = np.zeros(int(rooms.max()) + 1, dtype=np.int64)
    numbers[room[::-1]] = number[::-1]  # the first of a room
    for i in np.flatnonzero(numbers[room] != number)[:1].tolist():
        both = np.maximum([numbers[room[i]], number[i]], 0)
        raise InputError(f"a room has two clues, {both[0]} and {both[1]}")
    return [_CLUE_OF.get(number, number) for number in numbers.tolist()]


def cells(values: Mapping[int, int], code: Code = NUMBER16, *, shaded: bool = False) -> Part:
    """A part with ``grid``, whose values stand for other ones in texts.

    Args:
        values: what the grid has for 0, a blank, ``UNKNOWN`` and ``ZERO``; a number for itself.
        code: of an address.
        shaded: whether a file has the answer, black and white, in the cells without a number.
    """

    def part(text: Any, board: Board) -> None:
        back = {value: number for number, value in reversed([*values.items()])}
        given = np.array(board.get("grid", np.zeros(text.shape, dtype=np.int64)))
        numbers = np.vectorize(lambda number: back.get(number, number), otypes=[int])(given)
        if shaded and isinstance(text, FileText):
            shown = number_words(numbers)
            blank = np.equal(shown, ".")
            words = text.words(np.where(blank, shading_words(board, text.shape), shown))
            answer = np.isin(words, ["#", "+"])
            black = np.equal(words, "#").astype(np.int64)
            board["solution"] = black if answer.any() else None
            numbers = to_numbers(np.where(answer, ".", words))
        elif isinstance(text, FileText):
            numbers = text.numbers(numbers)
        else:
            numbers = text.numbers(numbers, code)
        check(numbers, lowest=min(0, *values))
        read = np.vectorize(lambda number: values.get(number, number), otypes=[int])
        board["grid"] = read(numbers)

    return part


def shading(text: FileText, board: Board) -> None:
    """``solution``, an answer of black and white cells."""
    board["solution"] = read_shading(text.answer(shading_words(board, text.shape)))


def paths(text: FileText, board: Board) -> None:
    """``solution``, lines from cell to cell: those of the rows, then those between rows."""
    solution = board.get("solution")
    given = np.zeros(text.shape, dtype=np.int64) if solution is None else np.array(solution)
    right, down = (text.answer(part) for part in split(given))
    lines = join(np.equal(right, "1").astype(np.int64), np.equal(down, "1").astype(np.int64))
    board["solution"] = lines if lines.any() else solution


def digits_filled(text: FileText, board: Board, names: str = "") -> None:
    """``solution``, numbers where ``grid`` has none; small ones stand in brackets beside them.

    ``names`` are those of the numbers from 1 on, if they have some.
    """
    given = np.array(board["grid"])
    answer = given if board.get("solution") is None else board["solution"]
    words = text.answer(number_words(np.where(given > 0, 0, answer), names))
    numbers = to_digits(words, names)
    if numbers.any():
        board["solution"] = np.where(given, given, numbers)


_WAYS = {1: 3, 2: 1, 3: 2, 4: 0}
"""Of an arrow in links, up, down, left and right, as directions 0 right, 1 down, 2 left, 3 up."""


def arrows(text: Text, board: Board) -> None:
    """``grid`` of numbers n with arrows in a direction d: ``1 + 4 n + d``, or ``UNKNOWN``, or 0."""
    given = np.array(board.get("grid", np.zeros(text.shape, dtype=np.int64)))
    ways = {d: way for way, d in _WAYS.items()}
    parts = [(ways[(n - 1) % 4], (n - 1) // 4) if n > 0 else (0, n) for n in given.ravel().tolist()]
    if not isinstance(text, AddressText):
        shown = {0: ".", UNKNOWN: "0,-"}
        words = [f"{way},{n}" if way else shown[n] for way, n in parts]
        read = text.words(np.array(words, dtype=object).reshape(text.shape)).ravel().tolist()
        grid = [
            0 if w == "." else _arrow(w.rpartition(",")[0], w.rpartition(",")[2], 10) for w in read
        ]
    elif text.reading:
        grid = [clue for clue, _ in zip(_arrows_of(text), parts, strict=False)]
    else:
        shown = {0: " ", UNKNOWN: "0."}
        words = [shown[n] if not way else f"{way + 5 * (n > 15)}{n:x}" for way, n in parts]
        text.body += with_blanks("".join(words), ascii_lowercase)
        return
    if len(grid) < len(parts):
        raise InputError(f"the board ends after {len(grid)} of {len(parts)} cells; copy all of it")
    board["grid"] = np.reshape(grid, text.shape)


def _arrows_of(text: AddressText) -> Iterator[int]:
    """A digit for the direction and a number a clue; ``a`` to ``z`` are 1 to 26 blanks."""
    while text.at < len(text.body):
        sign = text.body[text.at]
        if sign in ascii_lowercase:
            text.at += 1
            yield from [0] * (ascii_lowercase.index(sign) + 1)
        else:
            length = 2 if sign in "56789" else 1
            text.at += 1 + length
            way = str(int(sign) - 5) if length == 2 else sign
            yield _arrow(way, text.body[text.at - length : text.at], 16)


def _arrow(way: str, number: str, base: int) -> int:
    """A clue by its direction and number; InputError for what is none."""
    if number in ("-", ".") or way == "0":
        return UNKNOWN
    try:
        return 1 + 4 * int(number, base) + _WAYS[int(way)]
    except (ValueError, KeyError):
        raise InputError(f"{way[:9]!r} and {number[:9]!r} are no arrow and number") from None


BLACK_CELL, MOST_SUM = 1, 45
"""A black cell without sums, in grids of ``sums``; the largest sum."""
_SUM_SIGNS = f"-{digits[1:]}{ascii_lowercase[:10]}{ascii_uppercase}"
"""Of the sums in an address, - for none."""
_SUMS = re.compile(r"[k-z]|\.|[-0-9a-jA-Z]{2}")


def sums(text: Text, board: Board) -> None:
    """``grid`` of 0 for white cells, and ``1 + n + 46 m`` for black ones, sums n across and m down.

    The first row and column, which are no part of the size, are black.
    """
    size = text.shape[0] + 1, text.shape[1] + 1
    given = np.array(board.get("grid", np.full(size, BLACK_CELL)))
    both = np.where(given == 0, -1, sums_of(given))
    if isinstance(text, FileText):
        _sums_in_file(text, both)
    elif text.reading:
        _read_sums(text, both)
    else:
        _write_sums(text, both)
    white = np.pad(both[0] < 0, (0, 1))
    for numbers, runs in zip(both, (white[:-1, 1:], white[1:, :-1]), strict=True):
        numbers[~runs] = 0  # which players leave where no run begins
    sums = BLACK_CELL + both[0] + (MOST_SUM + 1) * both[1]
    board["grid"] = np.where(white[:-1, :-1], 0, sums)


def sums_of(grid: IntArray) -> tuple[IntArray, IntArray]:
    """The sums across and down of such a grid, 0 for none."""
    down, across = np.divmod(np.maximum(grid - BLACK_CELL, 0), MOST_SUM + 1)
    return across, down


def _write_sums(text: AddressText, both: IntArray) -> None:
    """Down and across in each black cell, then what is above and on the left of the others."""
    words = [
        " " if across < 0 else _SUM_SIGNS[down] + _SUM_SIGNS[across] if across or down else "."
        for across, down in both[:, 1:, 1:].reshape(2, -1).T.tolist()
    ]
    text.body += with_blanks("".join(words), ascii_lowercase[10:])
    above, left = both[1, 0][both[1, 1] < 0], both[0, :, 0][both[0, :, 1] < 0]
    text.body += "".join([_SUM_SIGNS[n] for n in (*above.tolist(), *left.tolist())])


def _read_sums(text: AddressText, both: IntArray) -> None:
    """The inverse."""
    cells: list[tuple[int, int]] = []
    inner = both[:, 1:, 1:]
    while len(cells) < inner[0].size:
        match = _SUMS.match(text.body, text.at)
        if match is None:
            place = f"character {text.at + 1} of the board, {text.body[text.at : text.at + 6]!r}"
            raise InputError(f"{place}: expected two sums, . or k to z; copy all of the address")
        text.at, token = match.end(), match[0]
        gap = ascii_lowercase.find(token) - 9
        down, across = (max(0, _SUM_SIGNS.find(sign)) for sign in token.rjust(2, "-"))
        cells += [(across, down)] if gap < 1 else [(-1, -1)] * gap
    inner[:] = np.array(cells[: inner[0].size]).T.reshape(inner.shape)
    for edge, first in ((both[1, 0], both[1, 1]), (both[0, :, 0], both[0, :, 1])):
        for cell in np.flatnonzero(first < 0).tolist():
            sign = text.body[text.at : text.at + 1]
            if not sign or sign not in f"0.{_SUM_SIGNS}":
                place = f"character {text.at + 1} of the board, {sign!r}"
                raise InputError(f"{place}: expected a sum; copy all of the address")
            edge[cell] = max(0, _SUM_SIGNS.find(sign))
            text.at += 1


def _sums_in_file(text: FileText, both: IntArray) -> None:
    """``across,down`` in each black cell, and one of them above and on the left, -1 for none."""
    words = np.where(both > 0, both, -1).astype(str).astype(object)
    table = np.where(both[0] < 0, ".", words[0] + "," + words[1])
    table[0], table[:, 0], table[0, 0] = words[1, 0], words[0, :, 0], "0"
    known = {"-1": 0, ".": 0} | {str(n): n for n in range(MOST_SUM + 1)}
    for (r, c), word in np.ndenumerate(text.words(table)):
        across, _, down = word.partition(",")
        if not {across, down or across} <= {*known}:
            raise InputError(f"{word[:20]!r} is no sum up to {MOST_SUM}")
        is_white = word == "." and r and c
        both[:, r, c] = (-1, -1) if is_white else (known[across], known[down or across])


def outside(*lines: str, blank: int = -1) -> Part:
    """A part of an address: the numbers beside the lines of a grid.

    ``lines`` are keys, in their order; ``rows``, ``left`` and ``right`` have a number a row.
    ``blank`` stands where there is none; it is 0 where 0 is no number.
    """

    def part(text: Any, board: Board) -> None:
        counts = [text.shape[0 if key in ("rows", "left", "right") else 1] for key in lines]
        empty = [np.full(count, blank) for count in counts]
        given = np.concatenate([board.get(key, e) for key, e in zip(lines, empty, strict=True)])
        numbers = text.numbers(to_link(given) if blank else given)
        for key, part in zip(lines, np.split(numbers, np.cumsum(counts)[:-1]), strict=True):
            board[key] = _beside(part, key, blank)

    return part


def _beside(numbers: IntArray, key: str, blank: int) -> list[int]:
    """Numbers of a link beside the lines; InputError for 0 or an unknown one if 0 is a blank."""
    if not blank:
        check(numbers[None], lambda _, place: f"{key} {place}")
    read: list[int] = (from_link(numbers) if blank else numbers).tolist()
    return read


def givens_framed(*sides: str, blank: int = -1) -> Part:
    """A part of a board file: a table of cells, and the numbers beside the lines around it.

    Cells are those of an answer; ``q`` stands before what is given, in ``grid``.
    """

    def part(text: FileText, board: Board) -> None:
        given = np.asarray(board.get("grid", np.zeros(text.shape, dtype=np.int64)))
        answer = given if board.get("solution") is None else board["solution"]
        marks = np.char.add("q", given.astype(str)).astype(object)
        table = np.where(given > 0, marks, number_words(np.asarray(answer)))
        inner = framed(text, board, table, sides, blank)
        fixed = np.char.startswith(inner.astype(str), "q")
        digits = to_digits(without(inner, "q"))
        board["grid"] = np.where(fixed, digits, 0)
        board["solution"] = digits if digits[~fixed].any() else None

    return part


def framed(
    text: FileText, board: Board, cells: Words, sides: Sequence[str], blank: int = -1
) -> Words:
    """The cells of a table that has the numbers beside the lines around it, which are read.

    ``sides``: keys of numbers above, below, on the left and on the right, "" where there are none.
    ``blank``: as in ``outside``.
    """
    rows, columns = text.shape
    before, after = (bool(sides[0]), bool(sides[2])), (bool(sides[1]), bool(sides[3]))
    size = rows + before[0] + after[0], columns + before[1] + after[1]
    down, along = slice(before[0], before[0] + rows), slice(before[1], before[1] + columns)
    places = zip(sides, ((0, along), (-1, along), (down, 0), (down, -1)), strict=True)
    edges: dict[str, Any] = {side: place for side, place in places if side}
    table = np.full(size, ".", dtype=object)
    table[down, along] = cells
    for side, place in edges.items():
        if not text.reading:
            table[place] = [str(n) if n != blank else "." for n in board[side].tolist()]
    table = text.words(table)
    for side, place in edges.items():
        board[side] = _beside(to_numbers(without(table[place], "c")), side, blank)
    return table[down, along]


def from_link(numbers: IntArray) -> IntArray:
    """Numbers of a link, where 0 is one, and -1 stands for none and for one that is not known."""
    return np.select([numbers == 0, numbers == UNKNOWN, numbers == ZERO], [-1, -1, 0], numbers)


def to_link(numbers: IntArray) -> IntArray:
    """The inverse."""
    return np.select([numbers == -1, numbers == 0], [0, ZERO], numbers)


def borders(text: FileText, rooms: IntArray | None) -> IntArray | None:
    """Rooms of an answer by lines between the cells of rows, and between rows; None for no line."""
    given = _walls(np.zeros(text.shape, dtype=np.int64) if rooms is None else np.asarray(rooms))
    across, below = (np.equal(text.answer(part.astype(np.int64)), "1") for part in given)
    return components(~across, ~below) if across.any() or below.any() else None


def areas(text: Any, board: Board) -> None:
    """``solution`` by its borders; what they enclose belongs to the first number of ``grid`` in it.

    Numbers are counted from 0, row by row.
    """
    rooms = borders(text, board.get("solution"))
    if text.reading and rooms is not None:
        (numbered,) = np.nonzero(np.ravel(board["grid"]))
        values = np.zeros(int(rooms.max()) + 1, dtype=np.int64)
        values[rooms.ravel()[numbered[::-1]]] = np.arange(len(numbered))[::-1]
        board["solution"] = values[rooms]


# --- for parts of one's own --------------------------------------------------------------


def with_blanks(text: str, blanks: str) -> str:
    """A text with a character for one space, one for two, ...; the longest first."""
    for count in range(len(blanks), 0, -1):
        text = text.replace(" " * count, blanks[count - 1])
    return text


def check(
    numbers: IntArray,
    place: Callable[[int, int], str] = "row {} column {}".format,
    what: str = "number",
    lowest: int = 0,
) -> None:
    """Raise InputError for ``ZERO`` and ``UNKNOWN``, if they are below the lowest.

    ``numbers`` has the shape (lines, numbers); ``place`` names a line and a place there, from 1 on.
    """
    if numbers.min(initial=0) < lowest:
        i, j = np.argwhere(numbers < lowest)[0].tolist()
        name = "the number 0" if numbers[i, j] == ZERO else f"a {what} of unknown value"
        raise InputError(f"{place(i + 1, j + 1)} has {name}; no such puzzle here")


def whole(word: str, what: str) -> int:
    """A word as a whole number; InputError if it is none."""
    if not WHOLE.fullmatch(word):
        raise InputError(f"{word[:20]!r} is no number of {what}")
    return int(word)


def to_numbers(words: Words, names: str = "") -> IntArray:
    """The numbers that words of a board file stand for; InputError for another word."""
    known = {".": 0, "-": UNKNOWN, "-2": UNKNOWN}
    known |= {name: number for number, name in enumerate(names, start=1)}
    flat = words.ravel().tolist()
    for word in dict.fromkeys(flat):
        if word not in known:
            if not WHOLE.fullmatch(word):
                raise InputError(f"{word[:20]!r} is no clue")
            known[word] = int(word) or ZERO
    return np.array([known[word] for word in flat], dtype=np.int64).reshape(words.shape)


def number_words(numbers: IntArray, names: str = "") -> NDArray[Any]:
    """The inverse, of numbers in an array of any shape."""
    known = {0: ".", UNKNOWN: "-", ZERO: "0", **dict(enumerate(names, start=1))}
    shown = [known.get(number, number) for number in numbers.ravel().tolist()]
    return np.array(shown, dtype=object).reshape(numbers.shape)


def to_digits(words: Words, names: str = "") -> IntArray:
    """The numbers of an answer, 0 where there is none; small ones stand in brackets beside it."""
    known = {name: number for number, name in enumerate(names, start=1)}
    shown = [word.partition("[")[0] for word in words.ravel().tolist()]
    values = [int(word) if WHOLE.fullmatch(word) else known.get(word, 0) for word in shown]
    return np.reshape(values, words.shape)


without: Callable[[Words, str], Words] = np.frompyfunc(str.removeprefix, 2, 1)
"""Words without a prefix."""


def read_shading(words: Words) -> IntArray | None:
    """The black cells (``#``) of an answer, None if it says nothing."""
    return None if np.equal(words, ".").all() else np.equal(words, "#").astype(np.int64)


def shading_words(board: Board, shape: tuple[int, int]) -> Words:
    """``#`` and ``+`` for a board's solution, ``.`` where it has none."""
    solution = np.full(shape, 2) if board.get("solution") is None else board["solution"]
    return np.array(["+", "#", "."], dtype=object)[solution]


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
        margin: rows above and columns on the left that a size in texts leaves out.
        version: of the board files that are written.
        percent: ``%`` with digits after it is often in a body, and no percent encoding.
        givens: the key under which an answer can be given, so that an address shows it.
        check: raises InputError for a puzzle that this name does not stand for.
    """

    pid: str
    body: Sequence[Part]
    file: Sequence[Part]
    fields: Mapping[str, Any] = field(default_factory=dict)
    flags: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    square: bool = False
    sizes: int = 2
    margin: int = 0
    version: str = "pzprv3"
    percent: bool = False
    givens: str = ""
    check: Callable[[Any], None] = lambda _: None

    def read(self, text: Text, flag: str = "") -> Board:
        """The native JSON of a text; InputError for an unknown flag, too, and as its parts."""
        if flag and flag not in self.flags:
            raise InputError(f"the flag {flag[:20]!r} is none that this package has")
        return self._pass(text, {**self.fields, **self.flags.get(flag, {})})

    def size(self, puzzle: Any) -> tuple[int, int]:
        """Rows and columns of a puzzle in texts."""
        rows, columns = puzzle.shape
        return rows - self.margin, columns - self.margin

    def write(self, text: Text, puzzle: Any) -> None:
        """Write every part; InputError for what the text cannot hold."""
        self._pass(text, {**vars(puzzle)})

    def _pass(self, text: Text, board: Board) -> Board:
        for part in self.body if isinstance(text, AddressText) else self.file:
            part(text, board)
        if isinstance(text, AddressText) and text.reading:
            text.end()
        return board


# --- games of Simon Tatham's collection: ids ``PARAMETERS:DESCRIPTION`` ---------------------


@dataclass(frozen=True)
class Game:
    """A game of the collection.

    Attributes:
        name: of the game there, in small letters; ``title``, as its saved games have it.
        read: the native JSON object of a description and the two sizes of its parameters, as
            they are written, width first as a rule; InputError naming the place.
        write: the id of a puzzle; InputError for what it cannot hold.
        suffix: a regular expression for what may follow the sizes; it says how an id was made.
        variants: names of variants that are refused, by their letter in the suffix.
        flags: keys of native JSON that letters of the suffix set, and under "" those without.
        signs: characters that only descriptions of this game have.
        givens: the key under which ``write`` takes an answer, ``solution`` for one.
    """

    name: str
    read: Callable[[str, int, int], Board]
    write: Callable[[Any], str]
    suffix: str = ""
    variants: Mapping[str, str] = field(default_factory=dict)
    flags: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    signs: str = ""
    givens: str = ""
    title: str = ""


def read_runs(body: str, rows: int, columns: int, most: int) -> list[list[int]]:
    """Rows of numbers, 0 for a blank; InputError naming the character.

    In the text are numbers 1 to ``most`` with ``_`` between, and ``a`` to ``z`` for 1 to 26 blanks.

    >>> read_runs("1_2b", 2, 2, 2)
    [[1, 2], [0, 0]]
    """
    cells: list[int] = []
    for match in re.finditer("[0-9]+|.", body, re.DOTALL):
        place, word = match.start() + 1, match[0]
        if word[0] in digits:
            number = int(word) if len(word) < 10 else 0
            if not 1 <= number <= most:
                raise InputError(f"character {place}: {word[:20]} is not in 1 .. {most}")
            cells.append(number)
        elif "a" <= word <= "z":
            cells += [0] * (ord(word) - ord("a") + 1)
        elif word != "_":
            raise InputError(f"character {place}: {word!r} is no number, blank or _")
        if len(cells) > rows * columns:
            raise InputError(f"character {place} is beyond {rows} x {columns} cells")
    if len(cells) != rows * columns:
        raise InputError(f"{len(cells)} cells, but {rows} x {columns} are needed")
    return [cells[start : start + columns] for start in range(0, len(cells), columns)]


def write_runs(numbers: Iterable[int]) -> str:
    """The inverse of ``read_runs``, row by row.

    >>> write_runs([1, 2, 0, 0])
    '1_2b'
    """
    text = "_".join(str(number or " ") for number in numbers)
    return with_blanks(text.replace("_ ", " ").replace(" _", " "), ascii_lowercase)


def sign_game(
    name: str, signs: Mapping[str, int], blank: int, *, kind: str = "", **more: Any
) -> Game:
    """A game whose cells are signs, which stand for numbers of ``grid``, and runs of blanks.

    >>> game = sign_game("dots", {"0": 0, "B": 7}, -1)
    >>> game.read("0aB", 3, 1)
    {'grid': array([[ 0, -1,  7]])}

    Args:
        name: see ``Game``, as for ``more``.
        signs: characters and their numbers; ``a`` to ``z`` are 1 to 26 blanks.
        blank: the number of a blank.
        kind: what follows the sizes in an id that is written.
    """

    def read(body: str, columns: int, rows: int) -> Board:
        cells: list[int] = []
        for place, sign in enumerate(body, start=1):
            if sign in ascii_lowercase:
                cells += [blank] * (ascii_lowercase.index(sign) + 1)
            elif sign in signs:
                cells.append(signs[sign])
            else:
                raise InputError(f"character {place}: {sign!r} is no cell of this game")
        if len(cells) != rows * columns:
            raise InputError(f"{len(cells)} cells, but {rows} x {columns} are needed")
        return {"grid": np.reshape(cells, (rows, columns))}

    def write(puzzle: Any) -> str:
        sign_of = {number: sign for sign, number in signs.items()} | {blank: " "}
        for r, c in np.argwhere(~np.isin(puzzle.grid, [*sign_of]))[:1].tolist():
            raise InputError(
                f"row {r + 1} column {c + 1} has a clue that this game has no sign for"
            )
        text = "".join([sign_of[number] for number in puzzle.grid.ravel().tolist()])
        rows, columns = puzzle.shape
        return f"{columns}x{rows}{kind}:" + with_blanks(text, ascii_lowercase)

    return Game(name, read, write, **more)


@dataclass(frozen=True)
class Gaps:
    """Marks in few cells, each by a character that says how many blank ones stand before it.

    ``marks``: the blank cells and the mark of a character, None where none follows. One more mark
    stands behind the last cell.

    >>> Gaps({"a": (0, 1), "b": (1, 1), "z": (2, None)}).read("bza", 4, 0)
    [0, 1, 0, 0]
    """

    marks: Mapping[str, tuple[int, int | None]]

    def read(self, body: str, cells: int, blank: int) -> list[int]:
        """The mark of each cell, or the blank; InputError naming the character."""
        read: list[int] = []
        for place, sign in enumerate(body, start=1):
            if sign not in self.marks:
                raise InputError(f"character {place}: {sign!r} is no mark or blank")
            gap, mark = self.marks[sign]
            read += [blank] * gap + ([] if mark is None else [mark])
            if len(read) > cells + 1:
                raise InputError(f"character {place} is beyond {cells} cells")
        if len(read) < cells + 1:
            raise InputError(f"{len(read)} cells, but {cells} are needed, and a mark behind them")
        return read[:cells]

    def write(self, cells: Iterable[int], blank: int) -> str:
        """The inverse."""
        sign_of = {known: sign for sign, known in reversed([*self.marks.items()])}
        longest, step = (
            max(gap for gap, mark in self.marks.values() if (mark is None) == alone)
            for alone in (False, True)
        )
        last = next(mark for _, mark in self.marks.values() if mark is not None)
        text, gap = "", 0
        for mark in [*cells, last]:
            if mark == blank:
                gap += 1
                continue
            while gap > longest:
                text, gap = text + sign_of[step, None], gap - step
            text, gap = text + sign_of[gap, mark], 0
        return text
