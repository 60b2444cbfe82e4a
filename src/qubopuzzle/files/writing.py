"""Files that are written whole or not at all."""

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from qubopuzzle.errors import InputError, at
from qubopuzzle.signals import defer_interrupt

IMAGE_FORMATS = ("svg", "png", "pdf", "jpg", "webp")


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Errors, the system's too, become an InputError that begins with the path."""
    with at(str(path)):
        try:
            yield
        except OSError as error:
            raise InputError(error.strerror or str(error)) from None


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
    with naming(path), defer_interrupt():
        if path.is_dir():
            raise InputError("that is a folder")
        if path.exists() and not path.is_file():
            raise InputError("that is no regular file")
        folder = path.resolve().parent
        if not folder.is_dir():
            raise InputError(f"there is no folder {path.parent}")
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=".qubopuzzle-")
        os.close(handle)
        Path(temporary).unlink()


def with_id(pattern: str, identity: str) -> Path:
    """A file's name with ``{id}`` filled in, safe in any file system."""
    safe = re.sub(r"[^A-Za-z0-9._-]+", "_", identity).strip(".")[:80] or "puzzle"
    return Path(pattern.replace("{id}", safe))


def write_whole(path: Path, data: bytes) -> None:
    """Write to a temporary file beside ``path`` and rename it; InputError if that fails."""
    path = path.resolve()  # what a link leads to, not the link
    with naming(path), defer_interrupt():
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
