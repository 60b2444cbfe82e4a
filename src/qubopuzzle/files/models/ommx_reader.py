"""Binary OMMX instances; ``read`` is called in a process of its own."""

from importlib.util import find_spec
from pathlib import Path

from qubopuzzle.errors import SolverUnavailable
from qubopuzzle.programs.ommx_models import from_ommx, instance_of
from qubopuzzle.programs.program import Program


def require() -> None:
    """Raise SolverUnavailable where OMMX is not installed."""
    if find_spec("ommx") is None:
        raise SolverUnavailable("OMMX instances are read by the package ommx: `pip install ommx`")


def read(path: str) -> Program:
    """Read the bytes of an instance; raises as ``from_ommx``."""
    return from_ommx(instance_of(Path(path).read_bytes()))
