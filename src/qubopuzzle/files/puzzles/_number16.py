"""The codecs of puzz.link's addresses: number16, bits, and the cells of hitori.

A blank cell is None and a clue of unknown value ``UNKNOWN``, in both directions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from qubopuzzle.errors import InputError

Value = int | None

UNKNOWN = -1
"""A clue that is there, but says nothing."""

_BLANKS = "ghijklmnopqrstuvwxyz"
"""One character for 1 to 20 blank cells."""
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_FORMS = (
    # first number, sign, what is taken away from the number, hexadecimal digits
    (0, "", 0, 1),
    (16, "-", 0, 2),
    (256, "+", 0, 3),
    (4096, "=", 4096, 3),
    (8192, "@", 8192, 3),
    (12240, "*", 12240, 4),
    (77776, "$", 77776, 5),
)
_NUMBER_END = 77776 + 16**5
_BY_SIGN = {sign: (base, digits) for _, sign, base, digits in _FORMS if sign}
_BY_SIGN["%"] = _BY_SIGN["@"]  # as older players wrote it
_HEX = re.compile("[0-9a-f]+")
_BITS = {ord(digit): f"{i:05b}" for i, digit in enumerate(_DIGITS[:32])}

HITORI_END = 36**2
"""The first number that a cell of hitori does not hold."""


@dataclass
class Body:
    """The text of a board, read from left to right; what is missing at its end is blank."""

    text: str
    at: int = 0

    def word(self) -> str:
        """What comes before the next ``/``, which is passed over."""
        word, _, _ = self.text[self.at :].partition("/")
        self.at += len(word) + 1
        return word

    def numbers(self, count: int) -> list[Value]:
        """number16 over so many cells.

        Raises:
            InputError: naming the character.
        """
        found: list[Value] = []
        while len(found) < count and self.at < len(self.text):
            sign = self.text[self.at]
            if sign in _BLANKS:
                found += [None] * (_BLANKS.index(sign) + 1)
                self.at += 1
            elif sign == ".":
                found.append(UNKNOWN)
                self.at += 1
            else:
                base, digits = _BY_SIGN.get(sign, (0, 1))
                skip = sign in _BY_SIGN
                found.append(base + self._whole(skip, digits))
        return _filled(found, count)

    def bits(self, count: int) -> str:
        """So many of 0 and 1, five a character.

        Raises:
            InputError: naming the character.
        """
        part = self.text[self.at : self.at + -(-count // 5)]
        if wrong := re.search("[^0-9a-v]", part):
            self.at += wrong.start()
            raise self.fault("expected walls, 0 to 9 and a to v")
        self.at += len(part)
        return part.translate(_BITS)[:count].ljust(count, "0")

    def hitori(self, count: int) -> list[Value]:
        """One character a cell, three from 36 on.

        Raises:
            InputError: naming the character.
        """
        found: list[Value] = []
        while len(found) < count and self.at < len(self.text):
            sign = self.text[self.at]
            width = 3 if sign == "-" else 1
            digits = self.text[self.at : self.at + width].lstrip("-")
            if sign in ".%@":
                found.append(None if sign == "." else UNKNOWN)
            elif len(digits) == (width + 1) // 2 and all(d in _DIGITS for d in digits):
                found.append(int(digits, 36))
            else:
                raise self.fault("expected the number of a cell")
            self.at += width
        return _filled(found, count)

    def fault(self, expected: str) -> InputError:
        """The error at the character that is read now."""
        seen = self.text[self.at : self.at + 6]
        return InputError(f"character {self.at + 1} of the board, {seen!r}: {expected}")

    def _whole(self, skip: int, digits: int) -> int:
        start = self.at + skip
        part = self.text[start : start + digits]
        if len(part) < digits or not _HEX.fullmatch(part):
            raise self.fault("expected a number, or g to z for blank cells")
        self.at = start + digits
        return int(part, 16)


def _filled(found: list[Value], count: int) -> list[Value]:
    return (found + [None] * (count - len(found)))[:count]


def write_numbers(values: Iterable[Value]) -> str:
    """number16, the longest runs of blanks first.

    Raises:
        InputError: for a number that is too large.
    """
    parts: list[str] = []
    for blank, run in groupby(values, key=lambda value: value is None):
        if blank:
            full, rest = divmod(sum(1 for _ in run), len(_BLANKS))
            parts.append(_BLANKS[-1] * full + _BLANKS[rest - 1 : rest])
        else:
            parts += ["." if n == UNKNOWN else _number(n) for n in run if n is not None]
    return "".join(parts)


def _number(number: int) -> str:
    if number >= _NUMBER_END:
        raise InputError(f"the number {number} is too large for an address")
    _, sign, base, digits = next(form for form in reversed(_FORMS) if form[0] <= number)
    return f"{sign}{number - base:0{digits}x}"


def write_bits(bits: str) -> str:
    """Five of 0 and 1 a character, the last filled up with 0."""
    groups = (bits[i : i + 5].ljust(5, "0") for i in range(0, len(bits), 5))
    return "".join(_DIGITS[int(group, 2)] for group in groups)


def write_hitori(values: Iterable[Value]) -> str:
    """One character a cell, three from 36 on.

    Raises:
        InputError: for a number that is too large.
    """
    return "".join(map(_cell, values))


def _cell(number: Value) -> str:
    if number is None:
        return "."
    if number == UNKNOWN:
        return "@"
    if number >= HITORI_END:
        raise InputError(f"the number {number} is too large for an address of hitori")
    tens, ones = divmod(number, 36)
    return f"-{_DIGITS[tens]}{_DIGITS[ones]}" if tens else _DIGITS[ones]
