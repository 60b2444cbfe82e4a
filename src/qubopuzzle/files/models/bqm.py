"""dimod's binary file of a binary quadratic model: labels, linear, couplings, offset."""

from __future__ import annotations

from qubopuzzle.compile.qubo import Qubo

NAME = "bqm"
SUFFIX = ".bqm"
ABOUT = "the QUBO as dimod's own file, labels and offset in it"
TARGET = "qubo"
TEXT = False
FIRST = 0
SIGN = 1
HOLDS_OFFSET = True


def write(model: Qubo) -> bytes:
    """What ``dimod.BinaryQuadraticModel.from_file`` reads."""
    with model.to_bqm().to_file() as file:
        return bytes(file.read())
