"""LZ-string in Base64, which players of puzzles have in their addresses; with a limit."""

from collections.abc import Iterator
from itertools import islice
from string import ascii_lowercase, ascii_uppercase, digits

from qubopuzzle.errors import InputError

SIZE_LIMIT = 2**22
"""Most characters of a text, packed or not."""
_VALUE = {c: value for value, c in enumerate(f"{ascii_uppercase}{ascii_lowercase}{digits}+/")}
_SHORT, _LONG, _END = 0, 1, 2
"""Codes before a new character of 8 or of 16 bits, and of the end; others are of phrases."""


def decompressed(packed: str) -> str:
    """A text from what LZ-string's ``compressToBase64`` makes of it.

    >>> decompressed("BIUwNmD2Q===")
    'Hello'

    Raises:
        InputError: for what is none, or is too large.
    """
    if len(packed) > SIZE_LIMIT:
        raise InputError(f"over {SIZE_LIMIT:,} characters")
    bits = _bits(packed)

    def number(count: int) -> int:
        taken = [*islice(bits, count)]
        if len(taken) < count:
            raise InputError("its packed text is cut off; copy all of it")
        return sum(bit << place for place, bit in enumerate(taken))

    phrases: list[str] = [""] * 3
    parts: list[str] = []
    last, length, width, left = "", 0, 2, 1
    while (code := number(width)) != _END:
        if code in (_SHORT, _LONG):
            phrases.append(chr(number(8 if code == _SHORT else 16)))
            code, left = len(phrases) - 1, left - bool(parts)
            left, width = (left, width) if left else (2**width, width + 1)
        if code > len(phrases) or (code == len(phrases) and not last):
            raise InputError("it is no text packed by LZ-string")
        phrase = phrases[code] if code < len(phrases) else last + last[0]
        parts.append(phrase)
        length += len(phrase)
        if length > SIZE_LIMIT:
            raise InputError(f"over {SIZE_LIMIT:,} characters, unpacked")
        if last:
            phrases.append(last + phrase[0])
        left -= 1
        left, width = (left, width) if left else (2**width, width + 1)
        last = phrase
    return "".join(parts).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _bits(packed: str) -> Iterator[int]:
    for place, letter in enumerate(packed.rstrip("="), start=1):
        if letter not in _VALUE:
            raise InputError(f"character {place} of its packed text, {letter!r}, is no Base64")
        yield from (_VALUE[letter] >> place & 1 for place in range(5, -1, -1))
