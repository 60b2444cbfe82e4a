"""dimod's binary files, of BQMs and CQMs.

Those of CQMs are zip archives of plain arrays and JSON: nothing in them is unpickled.
"""

import json
import re
from collections.abc import Hashable
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile, ZipFile, ZipInfo

import dimod
from dimod.variables import iter_deserialize_variables

from qubopuzzle.compile import Qubo
from qubopuzzle.compile.rows import Rows
from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.files.models.reading import SIZE_LIMIT
from qubopuzzle.programs.dimod_models import cqm_of, from_bqm, from_cqm
from qubopuzzle.programs.program import Program

APART = ()


def read_bqm(path: str) -> Program:
    """Read a file of ``bqm.to_file()``; raises as ``from_bqm``."""
    return from_bqm(dimod.BinaryQuadraticModel.from_file(_bytes(path, b"DIMODBQM")))


def _bytes(path: str, beginning: bytes) -> bytes:
    """A file that begins as those of its kind do."""
    data = Path(path).read_bytes()
    if not data.startswith(beginning):
        kind = Path(path).suffix.removeprefix(".")
        raise InputError(f"no {kind} file: it does not begin with {beginning!r:.20}")
    return data


def write_bqm(model: Qubo) -> bytes:
    """Labels, linear, couplings, offset."""
    with model.to_bqm().to_file() as file:
        return bytes(file.read())


def read_cqm(path: str) -> Program:
    """Read a file of ``cqm.to_file()``, its rows in the order of the file.

    Raises:
        InputError: for what is damaged, and what ``from_cqm`` refuses.
        TooLarge: for one that unpacks to more than ``SIZE_LIMIT``.
    """
    data = _bytes(path, b"DIMODCQM")
    try:
        with ZipFile(path) as archive:
            entries = archive.infolist()
    except BadZipFile as error:
        raise InputError(f"it is damaged: {error}") from None
    if sum(entry.file_size for entry in entries) > SIZE_LIMIT:
        raise TooLarge(f"unpacked larger than {SIZE_LIMIT // 2**20} MiB")
    cqm = dimod.ConstrainedQuadraticModel.from_file(data)
    matches = (re.match("constraints/([^/]+)/", entry.filename) for entry in entries)
    words = dict.fromkeys(match[1] for match in matches if match)
    labels = iter_deserialize_variables(map(json.loads, words))  # type: ignore[no-untyped-call]
    return _in_order(from_cqm(cqm), list(cqm.constraints), list(labels))


def _in_order(program: Program, labels: list[Hashable], order: list[Hashable]) -> Program:
    """The rows in an order of their constraints' labels.

    dimod reads the constraints by way of a set, so that the order of ``labels``, and of the rows,
    differs from process to process. Constraints without a label are named by their places.
    """
    place = {label: at for at, label in enumerate(order)}
    by_name = {f"row{i}": (place[label], f"row{place[label]}") for i, label in enumerate(labels)}
    by_name |= {str(label): (at, str(label)) for label, at in place.items()}
    last = len(place)
    named = [by_name.get(name, (last, name)) for name in program.rows]
    rank = sorted(range(len(named)), key=lambda row: named[row][0])
    return replace(
        program,
        matrix=program.matrix[rank],
        row_lower=program.row_lower[rank],
        row_upper=program.row_upper[rank],
        rows=tuple(named[row][1] for row in rank),
    )


def write_cqm(program: Rows) -> bytes:
    """The same bytes for the same program."""
    with cqm_of(program).to_file() as file:
        data = bytes(file.read())
    # A header, then a zip archive, whose members say when they were written.
    made = BytesIO()
    made.write(data[: data.index(b"PK\x03\x04")])
    with ZipFile(BytesIO(data)) as dated, ZipFile(made, "a") as archive:
        for member in dated.infolist():
            archive.writestr(ZipInfo(member.filename), dated.read(member))
    return made.getvalue()
