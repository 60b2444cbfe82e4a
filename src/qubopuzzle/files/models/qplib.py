"""QPLIB (Furini et al. 2019): quadratic objective, binary variables, no constraints.

``amplify.save_qplib`` is not used: it leaves out variables that are in no term and so numbers
the others anew.
"""

from __future__ import annotations

from qubopuzzle.compile.qubo import Qubo
from qubopuzzle.files.models.base import couplings, encoded, number

NAME = "qplib"
SUFFIX = ".qplib"
ABOUT = "the QUBO as a QPLIB file, which the Amplify SDK reads"
TARGET = "qubo"
TEXT = True
FIRST = 1
SIGN = 1
HOLDS_OFFSET = True


def write(model: Qubo) -> bytes:
    """What ``amplify.load_qplib`` reads: ``x' Q x / 2 + b' x + constant``, numbered from 1."""
    form = model.form
    upper = couplings(form)
    # Q is a lower triangle that is not mirrored (qplib.zib.de/doc.html), hence twice the value.
    quadratic = [f"{j + 1} {i + 1} {number(2 * value)}" for i, j, value in upper]
    linear = [f"{i + 1} {number(v)}" for i, v in enumerate(form.linear.tolist()) if v]
    labels = ("_".join(label.split()) for label in model.labels())
    names = [f"{i} {label}" for i, label in enumerate(labels, start=1)]
    return encoded(
        [
            "qubopuzzle",
            "QBN # problem type: quadratic, binary, no constraints",
            "minimize",
            f"{len(names)} # variables",
            f"{len(quadratic)} # quadratic terms of the objective",
            *quadratic,
            "0 # default of linear coefficients",
            f"{len(linear)} # linear coefficients other than that",
            *linear,
            f"{number(form.offset)} # constant",
            "1.0e+20 # infinity",
            "0 # default starting value",
            "0 # other starting values",
            "0 # default starting value of duals",
            "0 # others",
            f"{len(names)} # names of variables",
            *names,
            "0 # names of constraints",
        ]
    )
