"""Files that stand in the place of something on the wire."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from qubopuzzle.errors import InputError
from qubopuzzle.files.writing import check_place, naming, read_bounded

ANSWER_LIMIT = 64 * 2**20
"""Bytes of an answer; 256 samples of the largest plan of Amplify AE."""
OWN_FILES = ("record", "dry_run", "replay")
"""Options that name such files."""


def check_files(options: Mapping[str, Any]) -> None:
    """InputError for more than one of the files, or one that cannot be written."""
    if sum(options[name] is not None for name in OWN_FILES) > 1:
        raise InputError("options record, dry_run and replay exclude each other")
    for name in ("record", "dry_run"):
        if options[name] is not None:
            check_place(Path(options[name]))


def stored(file: Path) -> bytes:
    """A recorded answer; InputError if there is none."""
    with naming(file):
        return read_bounded(file, ANSWER_LIMIT)
