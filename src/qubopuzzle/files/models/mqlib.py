"""The file format of MQLib (Dunning, Gupta, Silberholz 2018), which maximises ``x' Q x``.

Its matrix Q is symmetric and one triangle of it is in the file, so that a coupling counts
twice: the file has ``-linear`` on the diagonal and ``-coupling / 2`` beside it.
"""

from __future__ import annotations

from qubopuzzle.compile.qubo import Qubo
from qubopuzzle.files.models.base import encoded, number, triangle

NAME = "mqlib"
SUFFIX = ".mqlib"
ABOUT = "the QUBO in the format of MQLib, which maximises: signs are turned"
TARGET = "qubo"
TEXT = True
FIRST = 1
SIGN = -1
HOLDS_OFFSET = False


def write(model: Qubo) -> bytes:
    """A line ``n m``, then m lines ``i j Q_ij`` with i <= j, numbered from 1."""
    form = model.form
    lines = [
        f"{i + 1} {j + 1} {number(-value if i == j else -value / 2)}"
        for i, j, value in triangle(form)
        if value
    ]
    head = [f"# offset {number(form.offset)}", f"{len(form.linear)} {len(lines)}"]
    return encoded(head + lines)
