"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from qubopuzzle.errors import InputError

IMAGE_FORMATS = ("svg", "png", "pdf", "jpg", "webp")


def image_format(path: Path) -> str:
    """The image format that a file's name asks for; InputError if it names none of ours."""
    suffix = path.suffix.lower().lstrip(".")
    check_place(path)
    if suffix not in IMAGE_FORMATS:
        known = ", ".join(f".{name}" for name in IMAGE_FORMATS)
        raise InputError(f"{path}: a plot's name ends in one of {known}")
    return suffix


def check_place(path: Path) -> None:
    """Raise InputError where no file of this name can be written."""
    if path.is_dir():
        raise InputError(f"{path}: that is a folder")
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: that is no regular file")
    folder = path.resolve().parent
    if not folder.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}")
    try:
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=".qubopuzzle-")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    os.close(handle)
    Path(temporary).unlink()


def with_id(pattern: str, identity: str) -> Path:
    """A file's name with ``{id}`` filled in, safe in any file system."""
    safe = re.sub(r"[^A-Za-z0-9._-]+", "_", identity).strip(".")[:80] or "puzzle"
    return Path(pattern.replace("{id}", safe))


def write_whole(path: Path, data: bytes) -> None:
    """Write to a temporary file beside ``path`` and rename it; InputError if that fails."""
    path = path.resolve()  # what a link leads to, not the link
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".qubopuzzle-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            umask = os.umask(0)
            os.umask(umask)
            Path(temporary).chmod(0o666 & ~umask)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink()
            raise
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
