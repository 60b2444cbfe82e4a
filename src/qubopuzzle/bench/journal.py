"""The file that a comparison grows in: JSON Lines, a row as soon as its run is finished."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from qubopuzzle.errors import InputError

_BEGIN = b'{"key": '
"""How every row begins: what is cut off before the end of the line is known by it."""


class Journal:
    """Finished rows by key, and a file to which further ones are added.

    Raises:
        InputError: for a file that has rows already without ``resume``, that is no journal,
            or that cannot be written.
    """

    def __init__(self, path: Path, resume: bool) -> None:
        self.path, self.rows = path, dict[str, dict[str, Any]]()
        with _named(path):
            if path.exists() and not path.is_file():
                raise InputError("that is no file to keep rows in")
            # Created here, so that a folder that cannot be written is found before any run.
            self._file = path.open("a+b")
            try:
                _lock(self._file)
                self._file.seek(0)
                self._begin(self._file.read(), resume)
            except BaseException:
                self._file.close()
                raise

    def _begin(self, data: bytes, resume: bool) -> None:
        if data.strip() and not resume:
            raise InputError("it has rows already; add --resume to go on, or name another file")
        # A last line without an end was being written when its writer was killed.
        whole = data[: data.rfind(b"\n") + 1]
        for number, line in enumerate(whole.splitlines(), start=1):
            if line.strip():
                row = _parse(line, number)
                self.rows[row["key"]] = row
        if len(whole) < len(data):
            torn = data[len(whole) :]
            if not (torn.startswith(_BEGIN) or (whole and _BEGIN.startswith(torn))):
                raise InputError("its last line is not a row of a comparison; name another file")
            self._file.truncate(len(whole))

    def add(self, row: dict[str, Any]) -> None:
        """Write a row through to the disk."""
        with _named(self.path):
            self._file.write(json.dumps(row).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
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


_NEEDED: dict[str, Any] = {
    "key": str,
    "status": str,
    "solved": bool,
    "digest": str,
    "solver": str,
    "exact": bool,
    "cells": int,
    "seconds": float | int | None,
}
_IF_SOLVED: dict[str, Any] = {"build_s": float | int, "solve_s": float | int, "sizes": dict}


def _parse(line: bytes, number: int) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError:
        row = None
    if not isinstance(row, dict) or not all(
        isinstance(row.get(name), kind) for name, kind in _NEEDED.items()
    ):
        raise InputError(f"line {number}: not a row of a comparison; name another file")
    if row["solved"] and not all(isinstance(row.get(k), kind) for k, kind in _IF_SOLVED.items()):
        raise InputError(f"line {number}: a solved run without its times; delete the line")
    return row


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Errors name the file."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
