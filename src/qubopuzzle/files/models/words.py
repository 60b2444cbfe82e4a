"""The text of model files, and numbers in it; every error names the line."""

from math import isfinite, prod

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.errors import InputError

_LONGEST = 400
"""Characters of a number: no float has more digits before its point."""


def text_of(data: bytes) -> str:
    """The text of a file; InputError for bytes that are no UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"byte {error.start} is no UTF-8: it is no text") from None


def encoded(*lines: str) -> bytes:
    """Lines of a file."""
    return "\n".join([*lines, ""]).encode()


def real(word: str, line: int) -> float:
    """A finite number.

    >>> real("2.5", 1), real("nan", 7)
    Traceback (most recent call last):
    qubopuzzle.errors.InputError: line 7: expected a number, got nan
    """
    try:
        value = float(word) if len(word) <= _LONGEST and "_" not in word else float("nan")
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise InputError(f"line {line}: expected a number, got {word[:40]}")
    return value


def whole(word: str, line: int, low: int, high: int) -> int:
    """A whole number from ``low`` to ``high``."""
    if word.isascii() and word.isdigit() and len(word) <= 18 and low <= int(word) <= high:
        return int(word)
    what = f"a whole number from {low:,} to {high:,}"
    raise InputError(f"line {line}: expected {what}, got {word[:40]}")


class Numbers:
    """A file of numbers with blanks between, wherever its lines end.

    ``first`` is the number of its first line.
    """

    def __init__(self, text: str, first: int = 1) -> None:
        lines = enumerate(text.split("\n"), start=first)
        self._words = [(word, line) for line, words in lines for word in words.split()]
        self._at = 0

    def count(self, what: str, low: int = 1, high: int = 10**6) -> int:
        """The next number, which is whole and within these bounds."""
        word, line = self._next(1, what)[0]
        return whole(word, line, low, high)

    def array(self, what: str, *shape: int) -> NDArray[np.float64]:
        """The next numbers, an array of this shape, which is full before it takes memory."""
        values = [real(word, line) for word, line in self._next(prod(shape), what)]
        return np.array(values, dtype=np.float64).reshape(shape)

    def places(self, what: str, n: int, high: int) -> NDArray[np.int64]:
        """The next ``n`` numbers, from 1 to ``high`` in the file, from 0 here."""
        values = [whole(word, line, 1, high) - 1 for word, line in self._next(n, what)]
        return np.array(values, dtype=np.int64)

    def peek(self) -> str:
        """The next word, which stays; nothing at the end."""
        return self._words[self._at][0] if self._at < len(self._words) else ""

    def end(self) -> None:
        """Raise InputError if there is more."""
        if self._at < len(self._words):
            word, line = self._words[self._at]
            raise InputError(f"line {line}: expected the end, got {word[:40]}")

    def _next(self, n: int, what: str) -> list[tuple[str, int]]:
        words = self._words[self._at : self._at + n]
        if len(words) < n:
            line = self._words[-1][1] if self._words else 1
            due = n - len(words)
            raise InputError(
                f"line {line}: it breaks off: {due:,} more numbers are due ({what}); is it whole?"
            )
        self._at += n
        return words
