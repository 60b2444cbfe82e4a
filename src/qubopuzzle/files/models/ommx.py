"""OMMX artifacts and binary instances; they are read by the package ommx."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from qubopuzzle.compile.rows import Rows
from qubopuzzle.errors import InputError
from qubopuzzle.files.models.ommx_archive import is_archive, pack, unpack
from qubopuzzle.programs.ommx_models import from_ommx, instance_of, ommx_module
from qubopuzzle.programs.program import Program

APART = "ommx", "OMMX instances are read by the package ommx: `pip install ommx`"


def read_ommx(path: str) -> Program:
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


def to_ommx(program: Rows) -> Any:
    """The program as an instance of the OMMX that is installed, 2 or 3.

    A variable's id is its place; a row of two bounds becomes two constraints.

    Raises:
        InputError: without the package.
    """
    try:
        ommx = ommx_module()
    except ImportError:
        raise InputError("format ommx takes the package ommx: pip install ommx") from None
    bounds = zip(program.lower.tolist(), program.upper.tolist(), strict=True)
    variables = [
        ommx.DecisionVariable.binary(i, name=name)
        if (low, high) == (0, 1)
        else ommx.DecisionVariable.integer(i, lower=low, upper=high, name=name)
        for i, (name, (low, high)) in enumerate(zip(program.variables, bounds, strict=True))
    ]
    cost = dict(enumerate(program.cost.tolist()))
    linear = ommx.Linear(terms={i: c for i, c in cost.items() if c}, constant=program.offset)
    pairs = program.quadratic.tocoo()
    columns, rows, values = (part.tolist() for part in (pairs.col, pairs.row, pairs.data))
    is_newer = hasattr(ommx.Constraint, "set_name")  # OMMX 3, which has a dictionary of them
    constraints: list[Any] = []
    for name, terms, sense, bound in program.constraints():
        turned = -1 if sense == ">=" else 1
        left_side = ommx.Linear(
            terms={v: turned * value for v, value in terms}, constant=-turned * bound
        )
        made = ommx.Function(left_side) == 0 if sense == "==" else ommx.Function(left_side) <= 0
        place = len(constraints)
        constraints.append(made.set_name(name) if is_newer else made.set_id(place).add_name(name))
    return ommx.Instance.from_components(
        decision_variables=variables,
        objective=ommx.Quadratic(columns=columns, rows=rows, values=values, linear=linear),
        constraints=dict(enumerate(constraints)) if is_newer else constraints,
        sense=ommx.Instance.MAXIMIZE if program.maximize else ommx.Instance.MINIMIZE,
    )


def write_ommx(program: Rows) -> bytes:
    """An OMMX artifact with one instance; the same bytes for the same program.

    Raises:
        InputError: without the package.
    """
    made = to_ommx(program)
    data = made.to_v1_bytes() if hasattr(made, "to_v1_bytes") else made.to_bytes()
    return pack(data, getattr(program, "title", ""))
