"""From a path, ``-`` or a text to puzzles; the format is told from the content."""

from __future__ import annotations

import sys
from collections.abc import Callable
from errno import ENAMETOOLONG
from os import PathLike
from pathlib import Path
from typing import TypeVar

from qubopuzzle.errors import InputError, at
from qubopuzzle.files.puzzles.registry import Format, all_formats, get_format
from qubopuzzle.model import Problem

T = TypeVar("T")

SIZE_LIMIT = 64 * 2**20
"""Largest input, in bytes."""

_IMAGE = "image; `qubopuzzle generate nonogram --image FILE` makes a nonogram of it"
_MODEL = "file, a model and no puzzle; dimod reads it"
_COMPRESSED = "compressed; unpack it first"
_MAGIC = {
    b"\x89PNG\r\n\x1a\n": f"a PNG {_IMAGE}",
    b"\xff\xd8\xff": f"a JPEG {_IMAGE}",
    b"GIF8": f"a GIF {_IMAGE}",
    b"%PDF-": "a PDF document",
    b"DIMODBQM": f"a dimod BQM {_MODEL}",
    b"DIMODCQM": f"a dimod CQM {_MODEL}",
    b"DIMODDQM": f"a dimod DQM {_MODEL}",
    b"\x93NUMPY": "a NumPy array",
    b"\x1f\x8b": _COMPRESSED,
    b"PK\x03\x04": _COMPRESSED,
    b"BZh": _COMPRESSED,
    b"\xfd7zXZ\0": _COMPRESSED,
    b"\x28\xb5\x2f\xfd": _COMPRESSED,
}
"""What a file is that begins with these bytes."""


def load(
    source: str | PathLike[str],
    puzzle: str | None = None,
    format: str | None = None,  # noqa: A002, the word that users expect
) -> list[Problem]:
    """Read the puzzles of a file, of standard input for ``-``, or of a text as it is.

    Args:
        source: a file in any format that the package reads, told by its content; or, where
            there is no such file, the text itself: an address of puzz.link, a sudoku's line.
        puzzle: read only puzzles of this kind, such as ``nonogram``.
        format: the format's name, where the content shall not decide.

    Raises:
        InputError: one line naming the file, the place and what is wrong there.
    """
    if format is not None:
        get_format(format)
    return read_source(source, lambda text: read_text(text, puzzle, format), format)


def read_source(
    source: str | PathLike[str], read: Callable[[str], T], named: str | None = None
) -> T:
    """Decode a file, standard input for ``-`` or the text itself; errors name the source."""
    name = "standard input" if source == "-" else " ".join(str(source)[:200].split()) or "''"
    with at(name):
        text = str(source) if _is_text(source, named) else _decode(_bytes(source))
        if not text.strip():
            raise InputError("it is empty")
        return read(text)


def read_text(text: str, puzzle: str | None = None, named: str | None = None) -> list[Problem]:
    """Read the puzzles of a text; see ``load``."""
    chosen = [get_format(named)] if named is not None else _sniffed(text)
    if not chosen:
        raise _no_format()
    first: InputError | None = None
    for candidate in chosen:
        try:
            found = candidate.read(text, puzzle)
        except InputError as error:
            first = first or error
            continue
        if not found:
            raise InputError(f"it holds no {puzzle or 'puzzle'}")
        return [*found]
    raise first or InputError("it cannot be read")


def _sniffed(text: str) -> list[Format]:
    return [known for known in all_formats().values() if known.sniff(text)]


def _no_format() -> InputError:
    return InputError(f"no format that this package reads ({', '.join(all_formats())})")


def _is_text(source: str | PathLike[str], named: str | None) -> bool:
    """Whether it is no file but a puzzle itself, pasted."""
    if not isinstance(source, str) or source == "-":
        return False
    try:
        if Path(source).exists():
            return False
    except (OSError, ValueError):  # too long for a name, or a null character in it
        pass
    return get_format(named).sniff(source) if named else bool(_sniffed(source))


def _bytes(source: str | PathLike[str]) -> bytes:
    if str(source).startswith(("http://", "https://")):
        raise InputError("no address of a puzzle that this package reads; save the page to a file")
    try:
        if source == "-":
            if sys.stdin is None:
                raise InputError("it is closed")
            data = sys.stdin.buffer.read(SIZE_LIMIT + 1)
        else:
            with Path(source).open("rb") as file:
                data = file.read(SIZE_LIMIT + 1)
    except OSError as error:
        if error.errno == ENAMETOOLONG or "\n" in str(source):
            raise _no_format() from None
        raise InputError(error.strerror or str(error)) from None
    except ValueError as error:  # a path with a null character
        raise InputError(str(error)) from None
    if len(data) > SIZE_LIMIT:
        raise InputError(f"larger than {SIZE_LIMIT // 2**20} MiB")
    return data


def _decode(data: bytes) -> str:
    for magic, what in _MAGIC.items():
        if data.startswith(magic):
            raise InputError(f"it is {what}")
    utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    if not utf16 and b"\0" in data[: 2**16]:
        raise InputError("it is a binary file; no puzzle is")
    try:
        return data.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte {error.start} is no {'UTF-16' if utf16 else 'UTF-8'}; save the file as UTF-8"
        ) from None
