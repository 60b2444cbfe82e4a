"""The QUBO in CPLEX LP format: a quadratic objective over 0/1 variables, no rows."""

from __future__ import annotations

import dimod

from qubopuzzle.compile.mip_text import safe_names
from qubopuzzle.compile.qubo import Qubo
from qubopuzzle.files.models.base import couplings

NAME = "qubo-lp"
SUFFIX = ".qubo.lp"
ABOUT = "the QUBO as the quadratic objective of an LP file"
TARGET = "qubo"
TEXT = True
FIRST = 0
SIGN = 1
HOLDS_OFFSET = True


def names(model: Qubo) -> list[str]:
    """Variables as the file calls them."""
    return safe_names("x_", model.labels())


def write(model: Qubo) -> bytes:
    """What ``dimod.lp.load`` and MIP solvers with quadratic objectives read."""
    form = model.form
    objective = dimod.BinaryQuadraticModel(
        dict(enumerate(form.linear.tolist())),
        {(i, j): value for i, j, value in couplings(form)},
        form.offset,
        "BINARY",
    )
    objective.relabel_variables(dict(enumerate(names(model))))  # type: ignore[no-untyped-call]
    program = dimod.ConstrainedQuadraticModel()  # type: ignore[no-untyped-call]
    program.set_objective(objective)
    return dimod.lp.dumps(program).encode()
