"""Reading the models of others: files, packed or not, and their limits.

Readers of other packages run in a process of their own, with a bound on its memory and a
deadline: whatever a file makes them do, it is one line here. That is also how ``highspy`` is used
beside OR-Tools, which some versions of it do not share a process with.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import sys
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from importlib.util import find_spec
from io import BytesIO
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Any
from zlib import error as ZlibError  # noqa: N812, it is called error

from qubopuzzle.errors import InputError, SolverUnavailable, TooLarge, at, did_you_mean
from qubopuzzle.files.models.formats import READERS, ModelFormat, reader_for, stem

if TYPE_CHECKING:
    from qubopuzzle.programs import Program

SIZE_LIMIT = 128 * 2**20
"""Largest file, in bytes, as it is and unpacked: an LP of some ten million terms."""
MEMORY_LIMIT = 8 * 2**30
"""Address space of a process that reads a file, in bytes."""
TIME_LIMIT_S = 300.0
"""For reading one file in a process."""
_PACKED: Mapping[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\0": lzma.open,
}
"""How a packed file begins, and what unpacks it."""


def load_model(source: str | PathLike[str], format: str | None = None) -> Program:  # noqa: A002
    """Read a 0-1 program, with whole numbers between bounds, from a file of another tool.

    ``solve``, ``compare`` and ``export`` take the file's name as well.

    Args:
        source: a file whose name ends in .lp, .mps, .opb, .qplib, .cqm, .bqm, .coo, .qubo, .mqlib,
            .ommx, .qs, .mc, .gph, .clq, .col or .dat, also packed (.gz, .bz2, .xz); ``-`` is
            standard input. Of a file with several models ``FILE#2`` is the second.
        format: its name in ``qubopuzzle formats``, where the file's name shall not decide.

    Raises:
        InputError: one line naming the file and the line, the row or the variable that cannot be
            taken: it is continuous, has no close bounds, is in a product ...
        TooLarge: for more than ``SIZE_LIMIT`` bytes, packed or unpacked, or what takes more memory
            or time than a process may have.
        SolverUnavailable: for a format whose reader is not installed.
    """
    programs = load_models(source, format)
    if len(programs) > 1:
        raise InputError(f"{source!s:.200}: it holds {len(programs)} models; {source!s:.200}#1 ...")
    return programs[0]


def load_models(source: str | PathLike[str], format: str | None = None) -> list[Program]:  # noqa: A002
    """All that a file holds, or the one that ``#2`` behind its name says; see ``load_model``."""
    reader = reader_for(source, format)
    if reader is None:
        what = str(format) if format is not None else stem(source)[1] or str(source)
        raise InputError(f"no format of models: {what[:60]!r}; {did_you_mean(what, READERS)}")
    name = "standard input" if source == "-" else " ".join(str(source)[:200].split())
    file, number = _part(source)
    with at(name):
        try:
            made = _read(reader, _bytes(file))
        except TooLarge as error:
            raise TooLarge(f"{name}: {error}") from None
        programs: list[Program] = made if isinstance(made, list) else [made]
        if not all(program.variables for program in programs):
            raise InputError("there are no variables in it")
        base, several = "" if source == "-" else stem(file)[0], len(programs) > 1
        named = [
            replace(program, id=program.id or (f"{base}#{i}" if several else base))
            for i, program in enumerate(programs, start=1)
        ]
        if number is not None and not 0 < number <= len(named):
            raise InputError(f"it holds {len(named)} models, numbered from 1")
        return named if number is None else [named[number - 1]]


def _part(source: str | PathLike[str]) -> tuple[str | PathLike[str], int | None]:
    """The file, and the number behind ``#`` of the one that is meant; None for all."""
    file, mark, number = str(source).rpartition("#")
    if not mark or not (number.isascii() and number.isdigit()) or len(number) > 6:
        return source, None
    try:
        return (source, None) if Path(source).exists() else (file, int(number))
    except (OSError, ValueError):  # no name of a file
        return source, None


def _bytes(source: str | PathLike[str]) -> bytes:
    """What the file holds, unpacked."""
    if source == "-" and sys.stdin is None:
        raise InputError("it is closed")
    try:
        with nullcontext(sys.stdin.buffer) if source == "-" else Path(source).open("rb") as file:
            data = _limited(file)
    except TooLarge:
        raise
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        raise InputError(getattr(error, "strerror", None) or str(error)) from None
    for beginning, unpack in _PACKED.items():
        if data.startswith(beginning):
            try:
                with unpack(BytesIO(data)) as file:
                    data = _limited(file)
            except (OSError, EOFError, ZlibError, lzma.LZMAError) as error:
                raise InputError(f"it cannot be unpacked: {error}") from None
    if not data.strip():
        raise InputError("it is empty")
    return data


def _limited(file: IO[bytes]) -> bytes:
    data = file.read(SIZE_LIMIT + 1)
    if len(data) > SIZE_LIMIT:
        raise TooLarge(f"larger than {SIZE_LIMIT // 2**20} MiB")
    return data


def _read(form: ModelFormat, data: bytes) -> Any:
    needed = getattr(form.code, "APART", None)
    if needed is None:
        return form.read(data)
    if needed and find_spec(needed[0]) is None:
        raise SolverUnavailable(needed[1])
    with TemporaryDirectory(prefix="qubopuzzle-") as folder:
        path = Path(folder, f"unnamed{form.suffix}")
        path.write_bytes(data)
        answer = _read_apart(form.read, str(path))
    return form.code.program(answer) if hasattr(form.code, "program") else answer


def _read_apart(read: Callable[[str], Any], path: str) -> Any:
    from qubopuzzle.base.processes import Crashed, OutOfMemory, Overrun, Worker

    with Worker(memory=MEMORY_LIMIT) as worker:
        try:
            return worker.call(read, path, deadline=TIME_LIMIT_S)
        except OutOfMemory:
            raise TooLarge(f"reading it takes more than {MEMORY_LIMIT // 2**30} GiB") from None
        except Overrun:
            raise TooLarge(f"reading it takes more than {TIME_LIMIT_S:g} s") from None
        except Crashed as error:
            raise InputError(f"it cannot be read ({error})") from None
