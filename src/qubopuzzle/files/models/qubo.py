"""The file format of qbsolv: a line ``p qubo 0 n nodes couplers``, then the terms.

Format: "qbsolv Input File Format" in its documentation. It counts the lines, so every
variable has one, and numbers from 0.
"""

from __future__ import annotations

from qubopuzzle.compile.qubo import Qubo
from qubopuzzle.files.models.base import couplings, encoded, number

NAME = "qubo"
SUFFIX = ".qubo"
ABOUT = "the QUBO in the format of qbsolv"
TARGET = "qubo"
TEXT = True
FIRST = 0
SIGN = 1
HOLDS_OFFSET = False


def write(model: Qubo) -> bytes:
    """Comments with the offset and the labels, the counts, the variables, the couplings."""
    form, labels = model.form, model.labels()
    upper = couplings(form)
    return encoded(
        [
            f"c offset {number(form.offset)}",
            *(f"c {i} {' '.join(label.split())}" for i, label in enumerate(labels)),
            f"p qubo 0 {len(labels)} {len(labels)} {len(upper)}",
            *(f"{i} {i} {number(value)}" for i, value in enumerate(form.linear.tolist())),
            *(f"{i} {j} {number(value)}" for i, j, value in upper),
        ]
    )
