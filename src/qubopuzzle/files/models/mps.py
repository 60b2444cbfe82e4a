"""Free MPS: the exact 0/1 program, without an objective."""

from __future__ import annotations

from qubopuzzle.compile.mip import Mip

NAME = "mps"
SUFFIX = ".mps"
ABOUT = "the rows over 0/1 variables in free MPS format"
TARGET = "mip"
TEXT = True
FIRST = 0
SIGN = 1
HOLDS_OFFSET = False


def names(model: Mip) -> list[str]:
    """Variables as the file calls them, but auxiliary ones."""
    return model.variable_names()[: model.n_bits]


def write(model: Mip) -> bytes:
    """The text, with readable names."""
    return model.to_mps().encode()
