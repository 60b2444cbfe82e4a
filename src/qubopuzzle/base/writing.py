"""Files that are read up to a bound, and written whole or not at all."""

import errno
import os
import re
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

from qubopuzzle.base.signals import defer_interrupt
from qubopuzzle.errors import InputError, at

IMAGE_FORMATS = ("svg", "png", "pdf", "jpg", "webp")
FILM_FORMATS = ("gif", "mp4")

_PART = 2**16


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
    return _format_of(path, "plot", IMAGE_FORMATS)


def film_format(path: Path) -> str:
    """The same of a film."""
    return _format_of(path, "film", FILM_FORMATS)


def _format_of(path: Path, what: str, formats: Sequence[str]) -> str:
    suffix = path.suffix.lower().lstrip(".")
    check_place(path)
    if suffix not in formats:
        known = ", ".join(f".{name}" for name in formats)
        raise InputError(f"{path}: a {what}'s name ends in one of {known}")
    return suffix


def read_bounded(path: str | PathLike[str], limit: int) -> bytes:
    """A file's bytes, up to ``limit`` of them; InputError for more. Errors of the system pass.

    What has no end, such as ``/dev/zero``, is refused like a file that is too large.
    """
    data = bytearray()
    with Path(path).open("rb") as file:
        while part := file.read(_PART):
            data += part
            if len(data) > limit:
                size = f"{limit >> 20:,} MiB" if limit >> 20 else f"{limit:,} bytes"
                raise InputError(f"larger than {size}")
    return bytes(data)


def target(path: Path) -> Path:
    """What a path leads to in the end, past symbolic links; OSError where they lead in a circle.

    ``Path.resolve`` raises RuntimeError there, or nothing, as the Python is.
    """
    resolved = Path(os.path.realpath(path))
    if resolved.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return resolved


def check_place(path: Path) -> None:
    """Raise InputError where no file of this name can be written."""
    with naming(path), defer_interrupt():
        if path.is_dir():
            raise InputError("that is a folder")
        if path.exists() and not path.is_file():
            raise InputError("that is no regular file")
        folder = target(path).parent
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
    """Write to a temporary file beside ``path`` and rename it; InputError if that fails.

    Who may read and write a file that was there stays as it is. Of a symbolic link the file that
    it leads to is written.
    """
    with naming(path), defer_interrupt():
        path = target(path)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".qubopuzzle-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(temporary).chmod(_mode(path))
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink()
            raise


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files by their names below a folder, which is made; InputError if that fails."""
    for name, data in files.items():
        path = folder / name
        with naming(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, data)


def _mode(path: Path) -> int:
    """The rights of a file that is there, else those that a new one gets."""
    try:
        return stat.S_IMODE(path.stat().st_mode) & 0o777
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        return 0o666 & ~umask
