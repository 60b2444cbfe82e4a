"""Models as files for other solvers: one file here a format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, cast

from qubopuzzle.errors import InputError, did_you_mean
from qubopuzzle.files.models import bqm, coo, dimacs, lp, mps, mqlib, qplib, qubo, qubo_lp
from qubopuzzle.files.models.samples import Sample, read_sample

__all__ = ["FORMATS", "Format", "Sample", "by_suffix", "named", "read_sample"]


class Format(Protocol):
    """What a format's module has.

    ``TARGET`` says what it holds: ``qubo``, or the exact ``cnf`` or ``mip``. ``FIRST`` is the
    number of its first variable. With a format's objective value v, our energy is ``SIGN * v``
    plus, unless it ``HOLDS_OFFSET``, the QUBO's offset. A module may also have ``names``,
    the names by which the file calls the labelled variables of a compiled model.
    """

    NAME: str
    SUFFIX: str
    ABOUT: str
    TARGET: str
    TEXT: bool
    FIRST: int
    SIGN: int
    HOLDS_OFFSET: bool

    def write(self, model: Any) -> bytes:
        """The file: of a ``Qubo``, a ``Cnf`` or a ``Mip``, as ``TARGET`` says."""


_MODULES = (bqm, coo, qubo, mqlib, qplib, qubo_lp, dimacs, lp, mps)
FORMATS: Mapping[str, Format] = {module.NAME: cast("Format", module) for module in _MODULES}
"""The formats by name."""


def named(name: str) -> Format:
    """The format of a name; InputError if there is none."""
    if name not in FORMATS:
        raise InputError(f"no format {name[:40]!r} to export to; {did_you_mean(name, FORMATS)}")
    return FORMATS[name]


def by_suffix(file: str) -> Format:
    """The format that a file's name ends in; InputError with the name if none does."""
    fitting = [each for each in FORMATS.values() if file.lower().endswith(each.SUFFIX)]
    if fitting:
        return max(fitting, key=lambda each: len(each.SUFFIX))
    known = ", ".join(each.SUFFIX for each in FORMATS.values())
    raise InputError(f"{file}: a model's name ends in one of {known}; or say --to FORMAT")
