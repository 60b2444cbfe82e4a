"""Coordinate list as dimod reads it: ``i j coefficient`` a line, numbered from 0.

dimod's own writer is not used: it rounds to six decimals, leaves out variables that are in
no term, and looks at all pairs of variables.
"""

from __future__ import annotations

from qubopuzzle.compile.qubo import Qubo
from qubopuzzle.files.models.base import encoded, number, triangle

NAME = "coo"
SUFFIX = ".coo"
ABOUT = "the QUBO as a coordinate list, which dimod reads"
TARGET = "qubo"
TEXT = True
FIRST = 0
SIGN = 1
HOLDS_OFFSET = False


def write(model: Qubo) -> bytes:
    """What ``dimod.serialization.coo.load`` reads; the offset is a comment."""
    head = ["# vartype=BINARY", f"# offset {number(model.form.offset)}"]
    return encoded(head + [f"{i} {j} {number(value)}" for i, j, value in triangle(model.form)])
