"""Files of public instances: where they lie, and how they come from the network.

A file is checked and then written whole: what breaks off leaves nothing behind.
"""

import hashlib
import os
import sys
import tarfile
import time
import zipfile
from http import HTTPStatus
from io import BytesIO
from lzma import LZMAError
from os import PathLike
from pathlib import Path
from typing import Any
from zlib import error as ZlibError  # noqa: N812, it is called error

from qubopuzzle.base.signals import defer_interrupt
from qubopuzzle.base.writing import naming, read_bounded, write_whole
from qubopuzzle.errors import InputError, at, did_you_mean
from qubopuzzle.files.sets import Entry, named, sets

SIZE_LIMIT = 128 * 2**20
"""Largest file, in bytes, as it comes and unpacked; readers take no larger ones."""
WAIT_S, TIME_LIMIT_S = 30.0, 600.0
"""For an answer, or more of one; and for the whole of it."""
_REDIRECTS = 5
_DAMAGED = (OSError, EOFError, LZMAError, ZlibError, RuntimeError)
"""What unpacking raises, the last for a method that it does not know, and for a password."""


def fetch(source: str, folder: str | PathLike[str] | None = None) -> Path:
    """The file of a public instance, downloaded if it is not there.

    Args:
        source: ``SET:NAME``, as ``qubopuzzle fetch SET`` lists them, such as ``gset:G1``.
        folder: where it is looked for first, and written to; without, what the environment
            variable QUBOPUZZLE_INSTANCES names, or a folder of the user's cache.

    Returns:
        The path, ``FOLDER/SET/FILE``; of ``SET:NAME#2`` the file that it is in.

    Raises:
        InputError: one line for a name that there is not, what cannot be fetched, with where to
            put it, and a file whose checksum is not the one in the table, or of the first download.
    """
    entry = named(source)
    if entry is None:
        name = str(source).partition(":")[0]
        raise InputError(f"no set of instances: {name[:60]!r}; {did_you_mean(name, sets())}")
    places = folders(folder)
    for path in (place / entry.file for place in places):
        with naming(path):
            data = read_bounded(path, SIZE_LIMIT) if path.is_file() else None
        if data is not None:
            _check(path, data, entry.sha256 or _recorded(path))
            return path
    path = places[0] / entry.file
    with at(source):
        if not entry.url:
            folder = places[0] / entry.file.partition("/")[0]
            raise InputError(f"there is no {path}; unpack {entry.archive} in {folder}")
        try:
            data = _download(entry)
        except InputError as error:
            raise InputError(f"{error}; put the file at {path}") from None
    known = entry.sha256 or _recorded(path)
    _check(path, data, known)
    with naming(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
    with defer_interrupt():
        if not known:
            line = f"{hashlib.sha256(data).hexdigest()}  {path.name}\n"
            write_whole(_record(path), line.encode())
        write_whole(path, data)
    return path


def folders(folder: str | PathLike[str] | None = None) -> list[Path]:
    """Where instances are looked for; the first one is written to."""
    chosen = folder or os.environ.get("QUBOPUZZLE_INSTANCES")
    return [*([Path(chosen)] if chosen else []), _cache() / "qubopuzzle" / "instances"]


def _cache() -> Path:
    """Of the user, as the platform has it."""
    if sys.platform == "win32":
        given, usual = os.environ.get("LOCALAPPDATA"), Path("AppData", "Local")
    elif sys.platform == "darwin":
        given, usual = None, Path("Library", "Caches")
    else:
        given, usual = os.environ.get("XDG_CACHE_HOME"), Path(".cache")
    return Path(given) if given else Path.home() / usual


def _record(path: Path) -> Path:
    return path.with_name(f"{path.name}.sha256")


def _recorded(path: Path) -> str:
    """The checksum beside a file, as ``sha256sum`` writes it; nothing without one."""
    record = _record(path)
    if not record.is_file():
        return ""
    with naming(record):
        return read_bounded(record, 2**16).decode(errors="replace").partition(" ")[0].strip()


def _check(path: Path, data: bytes, known: str) -> None:
    digest = hashlib.sha256(data).hexdigest()
    if known and digest != known:
        remedy = "delete the file to fetch it anew" if path.is_file() else "nothing was written"
        raise InputError(f"{path}: its sha256 is {digest}, and not {known}; {remedy}")


def _download(entry: Entry) -> bytes:
    """What is at the entry's address, out of its archive."""
    data = _get(entry.url, checked=bool(entry.sha256))
    return _member(data, entry.member) if entry.member else data


def _get(url: str, *, checked: bool) -> bytes:
    """The bytes of an address, as they are sent, by https."""
    import httpx

    ends = time.monotonic() + TIME_LIMIT_S
    try:
        with _client() as client:
            for _ in range(_REDIRECTS + 1):
                _check_address(url, checked=checked)
                with client.stream("GET", url) as response:
                    if response.next_request is not None:
                        url = str(response.next_request.url)
                        continue
                    return _body(url, response, ends)
    except httpx.TimeoutException:
        raise InputError(f"{url} does not answer in time") from None
    except httpx.ConnectError as error:
        raise InputError(f"{url} cannot be reached ({_line(error)})") from None
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        raise InputError(f"{url} broke off ({_line(error)})") from None
    raise InputError(f"{url}: redirected more than {_REDIRECTS} times")


def _client() -> Any:
    """An HTTP client, with the certificates and proxies of the environment."""
    import httpx

    # Files of .gz must not be unpacked on the way.
    headers = {"Accept-Encoding": "identity", "User-Agent": "qubopuzzle"}
    try:
        return httpx.Client(timeout=WAIT_S, headers=headers)
    except (httpx.InvalidURL, ValueError, ImportError, OSError):  # whose words may hold a password
        what = "HTTPS_PROXY or SSL_CERT_FILE in the environment"
        raise InputError(f"{what} is nothing that works here") from None


def _check_address(url: str, *, checked: bool) -> None:
    """Refuse what comes unprotected, unless the table has the file's checksum."""
    import httpx

    address = httpx.URL(url)
    if address.scheme == "https" or (address.scheme == "http" and (checked or _is_here(address))):
        return
    raise InputError(f"{url}: not https, and the checksum is not known")


def _is_here(address: Any) -> bool:
    return address.host in ("127.0.0.1", "localhost", "::1")


def _body(url: str, response: Any, ends: float) -> bytes:
    status, data = response.status_code, bytearray()
    if status != HTTPStatus.OK:
        name = HTTPStatus(status).phrase if status in set(HTTPStatus) else "unknown status"
        raise InputError(f"{url} is not to be had ({status} {name})")
    for part in response.iter_raw():
        data += part
        if len(data) > SIZE_LIMIT:
            raise InputError(f"{url}: larger than {SIZE_LIMIT // 2**20} MiB")
        if time.monotonic() > ends:
            raise InputError(f"{url}: not here within {TIME_LIMIT_S:g} s")
    return bytes(data)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__


def _member(data: bytes, name: str) -> bytes:
    """One file of an archive, zip or tar, packed or not, by its name alone."""
    try:
        if data.startswith(b"PK"):
            with zipfile.ZipFile(BytesIO(data)) as archive, archive.open(name) as file:
                unpacked = file.read(SIZE_LIMIT + 1)
        else:
            with tarfile.open(fileobj=BytesIO(data)) as tar:
                member = tar.extractfile(name)
                unpacked = b"" if member is None else member.read(SIZE_LIMIT + 1)
    except KeyError:
        raise InputError(f"the archive has no {name}") from None
    except (*_DAMAGED, zipfile.BadZipFile, tarfile.TarError) as error:
        raise InputError(f"the archive is damaged ({_line(error)})") from None
    if not 0 < len(unpacked) <= SIZE_LIMIT:
        raise InputError(f"{name} in the archive is empty, or larger than {SIZE_LIMIT >> 20} MiB")
    return unpacked
