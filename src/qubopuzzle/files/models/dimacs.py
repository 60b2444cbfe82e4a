"""DIMACS CNF: the exact formula; variables are numbered from 1, the choices' own first."""

from __future__ import annotations

from qubopuzzle.compile.cnf import Cnf

NAME = "dimacs"
SUFFIX = ".cnf"
ABOUT = "the formula for SAT solvers"
TARGET = "cnf"
TEXT = True
FIRST = 1
SIGN = 1
HOLDS_OFFSET = False


def write(model: Cnf) -> bytes:
    """The text, with readable names."""
    return model.to_dimacs().encode()
