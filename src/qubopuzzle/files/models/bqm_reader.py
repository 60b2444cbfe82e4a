"""dimod's binary files of binary quadratic models; ``read`` is called in a process of its own."""

from pathlib import Path

import dimod

from qubopuzzle.errors import InputError
from qubopuzzle.programs.dimod_models import from_bqm
from qubopuzzle.programs.program import Program


def read(path: str) -> Program:
    """Read a file of ``bqm.to_file()``; InputError for what is none, and for spins."""
    data = Path(path).read_bytes()
    if not data.startswith(b"DIMODBQM"):
        raise InputError("no file of dimod's BinaryQuadraticModel.to_file")
    return from_bqm(dimod.BinaryQuadraticModel.from_file(data))
