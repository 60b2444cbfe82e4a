"""CPLEX LP: the exact 0/1 program, without an objective."""

from __future__ import annotations

from qubopuzzle.compile.mip import Mip

NAME = "lp"
SUFFIX = ".lp"
ABOUT = "the rows over 0/1 variables in CPLEX LP format"
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
    return model.to_lp().encode()
