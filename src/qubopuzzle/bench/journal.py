"""The file that a comparison grows in: JSON Lines, a row as soon as its run is finished."""

import json
import os
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from math import inf
from pathlib import Path
from typing import IO, Any

from qubopuzzle.checks import brief, number, whole
from qubopuzzle.errors import InputError, at
from qubopuzzle.files.puzzles import SIZE_LIMIT
from qubopuzzle.files.writing import naming

_BEGIN = b'{"key": '
"""How every row begins: what is cut off before the end of the line is known by it."""
_BLANK = (b"\n", b"\r\n")
_NEEDED = {"key": str, "status": str, "why": str, "solved": bool}
"""What is no row of a comparison has not all of these."""


class Journal:
    """Finished rows by key, and a file to which further ones are added.

    A row from a file says how a run ended; which run it was is said by ``key`` alone.

    Raises:
        InputError: for a file that has rows already without ``resume``, that is no journal,
            or that cannot be written.
    """

    def __init__(self, path: Path, resume: bool) -> None:
        self.path, self.rows = path, dict[str, dict[str, Any]]()
        with naming(path), ExitStack() as on_error:
            if path.exists() and not path.is_file():
                raise InputError("that is no file to keep rows in")
            # Created here, so that a folder that cannot be written is found before any run.
            self._file = on_error.enter_context(path.open("a+b"))
            _lock(self._file)
            self._file.seek(0)
            self._read(resume)
            on_error.pop_all()

    def _read(self, resume: bool) -> None:
        """Read the rows; a half-written last one is cut off."""
        end = 0
        lines = iter(partial(self._file.readline, SIZE_LIMIT), b"")
        for line_number, line in enumerate(lines, start=1):
            start, end = end, end + len(line)
            if line in _BLANK:
                continue
            if not resume:
                raise InputError("it has rows already; add --resume to go on, or name another file")
            if len(line) == SIZE_LIMIT:
                raise InputError(f"line {line_number}: larger than {SIZE_LIMIT // 2**20} MiB")
            if line.endswith(b"\n"):
                with at(f"line {line_number}"):
                    row = _parse(line)
                self.rows[row["key"]] = row
            # Else it was being written when its writer was killed.
            elif line.startswith(_BEGIN) or (start and _BEGIN.startswith(line)):
                self._file.truncate(start)
            else:
                raise InputError("its last line is not a row of a comparison; name another file")

    def add(self, row: dict[str, Any]) -> None:
        """Write a row through to the disk; InputError, and no part of it, for want of room."""
        data, file = json.dumps(row).encode() + b"\n", self._file.raw
        with naming(self.path):
            end = file.seek(0, os.SEEK_END)
            try:
                while data:
                    data = data[file.write(data) :]
                os.fsync(file.fileno())
            except OSError:
                file.truncate(end)
                raise
        self.rows[row["key"]] = row

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _lock(file: IO[bytes]) -> None:
    """Two comparisons do not write to one file; the lock ends with the process that has it."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError("another comparison is writing to it") from None


def _parse(line: bytes) -> dict[str, Any]:
    """The row of a line; InputError for what is none, or has something that cannot be."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict) or not all(
        isinstance(row.get(name), kind) for name, kind in _NEEDED.items()
    ):
        raise InputError("not a row of a comparison; name another file")
    if "seconds" not in row:
        raise InputError("seconds: missing; delete the line")
    for name in ("seconds", "build_s", "solve_s"):
        if name in row or row["solved"]:
            _check_seconds(name, row.get(name), optional=name == "seconds" and not row["solved"])
    sizes = row.get("sizes", {})
    if not isinstance(sizes, Mapping):
        raise InputError(f"sizes: expected an object, got {brief(sizes)}; delete the line")
    for word in (row["status"], *sizes):
        if not word.isprintable():
            raise InputError(f"{brief(word)} has control characters; delete the line")
    for name, size in sizes.items():
        whole(f"sizes: {name[:40]}", size, 0)
    return row


def _check_seconds(name: str, value: Any, *, optional: bool) -> None:
    if not (value is None and optional) and not 0 <= number(name, value) < inf:
        raise InputError(f"{name}: expected seconds, got {brief(value)}; delete the line")
