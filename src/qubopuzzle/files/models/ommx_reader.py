"""OMMX artifacts and binary instances; ``read`` is called in a process of its own."""

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from qubopuzzle.errors import SolverUnavailable
from qubopuzzle.files.models.ommx_archive import is_archive, unpack
from qubopuzzle.programs.ommx_models import from_ommx, instance_of
from qubopuzzle.programs.program import Program


def require() -> None:
    """Raise SolverUnavailable where OMMX is not installed."""
    if find_spec("ommx") is None:
        raise SolverUnavailable("OMMX instances are read by the package ommx: `pip install ommx`")


def read(path: str) -> Program:
    """Read an archive with one instance, or an instance's bytes; raises as ``from_ommx``.

    Raises:
        InputError: for what is damaged, and what ``from_ommx`` refuses.
        TooLarge: for an archive that unpacks to more than ``SIZE_LIMIT``.
    """
    data = Path(path).read_bytes()
    if not is_archive(data):
        return from_ommx(instance_of(data))
    layer = unpack(data)
    program = from_ommx(instance_of(layer.data, layer.version))
    return replace(program, title=program.title or layer.title)
