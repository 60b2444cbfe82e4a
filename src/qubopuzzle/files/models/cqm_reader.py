"""dimod's files of constrained models; ``read`` is called in a process of its own.

They are zip archives of plain arrays and JSON: nothing in them is unpickled.
"""

import json
import re
from collections.abc import Hashable
from dataclasses import replace
from pathlib import Path
from zipfile import BadZipFile, ZipFile

import dimod
from dimod.variables import iter_deserialize_variables

from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.files.models.reading import SIZE_LIMIT
from qubopuzzle.programs.dimod_models import from_cqm
from qubopuzzle.programs.program import Program


def read(path: str) -> Program:
    """Read a file of ``cqm.to_file()``, its rows in the order of the file.

    Raises:
        InputError: for what is damaged, and what ``from_cqm`` refuses.
        TooLarge: for one that unpacks to more than ``SIZE_LIMIT``.
    """
    try:
        with ZipFile(path) as archive:
            entries = archive.infolist()
    except BadZipFile as error:
        raise InputError(f"it is damaged: {error}") from None
    if sum(entry.file_size for entry in entries) > SIZE_LIMIT:
        raise TooLarge(f"unpacked larger than {SIZE_LIMIT // 2**20} MiB")
    cqm = dimod.ConstrainedQuadraticModel.from_file(Path(path).read_bytes())
    parts = (re.match("constraints/([^/]+)/", entry.filename) for entry in entries)
    words = dict.fromkeys(found[1] for found in parts if found)
    labels = iter_deserialize_variables(map(json.loads, words))  # type: ignore[no-untyped-call]
    return _in_order(from_cqm(cqm), list(cqm.constraints), list(labels))


def _in_order(program: Program, found: list[Hashable], order: list[Hashable]) -> Program:
    """The rows in an order of their constraints' labels.

    dimod reads them by way of a set, so that they are ``found`` in another order in each process;
    those without a label of their own are named by their places.
    """
    place = {label: at for at, label in enumerate(order)}
    own = {f"row{i}": (place[label], f"row{place[label]}") for i, label in enumerate(found)}
    own |= {str(label): (at, str(label)) for label, at in place.items()}
    last = len(place)
    named = [own.get(name, (last, name)) for name in program.rows]
    rank = sorted(range(len(named)), key=lambda row: named[row][0])
    return replace(
        program,
        matrix=program.matrix[rank],
        row_lower=program.row_lower[rank],
        row_upper=program.row_upper[rank],
        rows=tuple(named[row][1] for row in rank),
    )
