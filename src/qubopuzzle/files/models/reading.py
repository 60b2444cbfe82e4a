"""Reading the models of others: which reader a file's name asks for, and its limits.

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
from dataclasses import dataclass, replace
from io import BytesIO
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Any
from zlib import error as ZlibError  # noqa: N812, it is called error

from qubopuzzle.checks import brief
from qubopuzzle.errors import InputError, TooLarge, at, did_you_mean

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
_PACKED_SUFFIXES = (".gz", ".bz2", ".xz")


@dataclass(frozen=True, slots=True)
class ModelReader:
    """How files of one format are read.

    Attributes:
        module: the module of this folder, less ``_reader``. Its ``read`` makes a ``Program``
            of the file's bytes.
        apart: ``read`` takes the file's path, in a process of its own; ``program``, if the module
            has it, makes a ``Program`` of the answer here, and ``require`` says if it can be.
        beginning: what every such file begins with.
    """

    name: str
    about: str
    module: str
    apart: bool = False
    beginning: bytes = b""

    @property
    def suffix(self) -> str:
        """How the names of such files end, but for what packed them."""
        return f".{self.name}"


READERS = {
    each.name: each
    for each in (
        ModelReader("lp", "CPLEX LP: rows, bits, integers, a quadratic objective", "highs", True),
        ModelReader("mps", "MPS, fixed or free, the same", "highs", True),
        ModelReader("opb", "pseudo-Boolean: rows over literals, ~x is 1 - x", "opb"),
        ModelReader("qplib", "QPLIB: linear rows, a quadratic objective", "qplib"),
        ModelReader("cqm", "dimod's ConstrainedQuadraticModel", "cqm", True, b"DIMODCQM"),
        ModelReader("bqm", "dimod's BinaryQuadraticModel", "bqm", True, b"DIMODBQM"),
        ModelReader("coo", "dimod's coordinate list: i j coefficient", "coo"),
        ModelReader("qubo", "qbsolv's QUBO: p qubo 0 maxNodes nNodes nCouplers", "qubo"),
        ModelReader(
            "mqlib", "MQLib's QUBO, which is maximised: n m, then i j coefficient", "mqlib"
        ),
        ModelReader("ommx", "an OMMX artifact of one instance, or its bytes", "ommx", True),
    )
}
"""The formats of models that are read, by name."""


def reader_for(source: str | PathLike[str], format: str | None = None) -> ModelReader | None:  # noqa: A002
    """The reader that a format or the end of a file's name asks for; None if none does.

    >>> reader_for("a/model.lp.gz").name, reader_for("a/puzzle.json")
    ('lp', None)
    """
    if not isinstance(source, str | PathLike):
        raise InputError(f"expected the name of a file, got {brief(source)}")
    return READERS.get(str(_stem(source)[1] if format is None else format).lower())


def load_model(source: str | PathLike[str], format: str | None = None) -> Program:  # noqa: A002
    """Read a 0-1 program, with whole numbers between bounds, from a file of another tool.

    ``solve``, ``compare`` and ``export`` take the file's name as well.

    Args:
        source: a file whose name ends in .lp, .mps, .opb, .qplib, .cqm, .bqm, .coo, .qubo, .mqlib
            or .ommx, also packed (.gz, .bz2, .xz); ``-`` is standard input.
        format: one of these without the dot, where the name shall not decide.

    Raises:
        InputError: one line naming the file and the line, the row or the variable that cannot be
            taken: it is continuous, has no close bounds, is in a product ...
        TooLarge: for more than ``SIZE_LIMIT`` bytes, packed or unpacked, or what takes more memory
            or time than a process may have.
        SolverUnavailable: for a format whose reader is not installed.
    """
    reader = reader_for(source, format)
    if reader is None:
        what = str(format) if format is not None else _stem(source)[1] or str(source)
        raise InputError(f"no format of models: {what[:60]!r}; {did_you_mean(what, READERS)}")
    name = "standard input" if source == "-" else " ".join(str(source)[:200].split())
    with at(name):
        try:
            found: Program = _read(reader, _bytes(source))
        except TooLarge as error:
            raise TooLarge(f"{name}: {error}") from None
        if not found.variables:
            raise InputError("there are no variables in it")
        return replace(found, id=found.id or ("" if source == "-" else _stem(source)[0]))


def _stem(source: str | PathLike[str]) -> tuple[str, str]:
    """The file's name without suffixes, and the suffix that says the format, without its dot.

    >>> _stem("a/b.1.MPS.gz")
    ('b.1', 'MPS')
    """
    path = Path(source)
    if path.suffix.lower() in _PACKED_SUFFIXES:
        path = path.with_suffix("")
    return path.stem, path.suffix.removeprefix(".")


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


def _read(reader: ModelReader, data: bytes) -> Any:
    from importlib import import_module

    if not data.startswith(reader.beginning):
        raise InputError(f"no {reader.name} file: it does not begin with {reader.beginning!r:.20}")
    module: Any = import_module(f"qubopuzzle.files.models.{reader.module}_reader")
    if not reader.apart:
        return module.read(data)
    if hasattr(module, "require"):
        module.require()
    with TemporaryDirectory(prefix="qubopuzzle-") as folder:
        path = Path(folder, f"unnamed{reader.suffix}")
        path.write_bytes(data)
        answer = _read_apart(module.read, str(path))
    return module.program(answer) if hasattr(module, "program") else answer


def _read_apart(read: Callable[[str], Any], path: str) -> Any:
    from qubopuzzle.processes import Crashed, OutOfMemory, Overrun, Worker

    with Worker(memory=MEMORY_LIMIT) as worker:
        try:
            return worker.call(read, path, deadline=TIME_LIMIT_S)
        except OutOfMemory:
            raise TooLarge(f"reading it takes more than {MEMORY_LIMIT // 2**30} GiB") from None
        except Overrun:
            raise TooLarge(f"reading it takes more than {TIME_LIMIT_S:g} s") from None
        except Crashed as error:
            raise InputError(f"it cannot be read ({error})") from None
