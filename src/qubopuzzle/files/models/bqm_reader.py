"""dimod's binary files of binary quadratic models; ``read`` is called in a process of its own."""

from pathlib import Path

import dimod

from qubopuzzle.programs.dimod_models import from_bqm
from qubopuzzle.programs.program import Program


def read(path: str) -> Program:
    """Read a file of ``bqm.to_file()``; raises as ``from_bqm``."""
    return from_bqm(dimod.BinaryQuadraticModel.from_file(Path(path).read_bytes()))
