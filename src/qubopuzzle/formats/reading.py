"""From a path, ``-`` or a text to puzzles."""

from __future__ import annotations

import sys
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Protocol, TypeVar, cast

from qubopuzzle.errors import InputError
from qubopuzzle.formats import native, non
from qubopuzzle.puzzles import Puzzle

T = TypeVar("T")

SIZE_LIMIT = 64 * 2**20
"""Largest input, in bytes."""


class Format(Protocol):
    """What a format's module has."""

    def sniff(self, text: str) -> bool:
        """Whether the text looks like this format."""

    def read(self, text: str, puzzle: str | None) -> list[Puzzle]:
        """Read all puzzles; ``puzzle`` keeps one kind and names a puzzle that names none."""


FORMATS: tuple[Format, ...] = (cast("Format", native), cast("Format", non))


def load(source: str | PathLike[str], puzzle: str | None = None) -> list[Puzzle]:
    """Read the puzzles of a file, or of standard input for ``-``.

    Args:
        source: a file in native JSON, JSON Lines or ``.non``, told by its content.
        puzzle: read only puzzles of this kind, such as ``nonogram``.

    Raises:
        InputError: one line naming the file, the place and what is wrong there.
    """
    return read_source(source, lambda text: read_text(text, puzzle))


def read_source(source: str | PathLike[str], read: Callable[[str], T]) -> T:
    """Decode a file, or standard input for ``-``, and read it; errors name the source."""
    name = "standard input" if source == "-" else str(source)[:200] or "''"
    try:
        text = _decode(_bytes(source))
        if not text.strip():
            raise InputError("it is empty")
        return read(text)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def read_text(text: str, puzzle: str | None = None) -> list[Puzzle]:
    """Read the puzzles of a text; see ``load``."""
    for file_format in FORMATS:
        if file_format.sniff(text):
            found = file_format.read(text, puzzle)
            break
    else:
        raise InputError("no format that this package reads (native JSON, JSON Lines or .non)")
    if not found:
        raise InputError(f"it holds no {puzzle or 'puzzle'}")
    return found


def _bytes(source: str | PathLike[str]) -> bytes:
    if str(source).startswith(("http://", "https://")):
        raise InputError("addresses are not read yet; save the puzzle to a file")
    try:
        if source == "-":
            if sys.stdin is None:
                raise InputError("it is closed")
            data = sys.stdin.buffer.read(SIZE_LIMIT + 1)
        else:
            with Path(source).open("rb") as file:
                data = file.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise InputError(error.strerror or str(error)) from None
    except ValueError as error:  # a path with a null character
        raise InputError(str(error)) from None
    if len(data) > SIZE_LIMIT:
        raise InputError(f"larger than {SIZE_LIMIT // 2**20} MiB")
    return data


def _decode(data: bytes) -> str:
    if data.startswith((b"\x1f\x8b", b"PK\x03\x04")):
        raise InputError("it is compressed; unpack it first")
    utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        return data.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte {error.start} is no {'UTF-16' if utf16 else 'UTF-8'}; save the file as UTF-8"
        ) from None
