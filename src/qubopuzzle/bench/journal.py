"""The file that a comparison grows in: JSON Lines, a row as soon as its run is finished."""

import json
import os
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from qubopuzzle.errors import InputError
from qubopuzzle.files.writing import naming

_BEGIN = b'{"key": '
"""How every row begins: what is cut off before the end of the line is known by it."""
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


class Journal:
    """Finished rows by key, and a file to which further ones are added.

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
            data = self._file.read()
            if data.strip() and not resume:
                raise InputError("it has rows already; add --resume to go on, or name another file")
            # A last line without an end was being written when its writer was killed.
            whole = data[: data.rfind(b"\n") + 1]
            for number, line in enumerate(whole.splitlines(), start=1):
                if line.strip():
                    row = _parse(line, number)
                    self.rows[row["key"]] = row
            if torn := data[len(whole) :]:
                if not (torn.startswith(_BEGIN) or (whole and _BEGIN.startswith(torn))):
                    raise InputError(
                        "its last line is not a row of a comparison; name another file"
                    )
                self._file.truncate(len(whole))
            on_error.pop_all()

    def add(self, row: dict[str, Any]) -> None:
        """Write a row through to the disk."""
        with naming(self.path):
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
