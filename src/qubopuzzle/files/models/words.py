"""The text of model files, and numbers in it; every error names the line."""

from math import isfinite

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
