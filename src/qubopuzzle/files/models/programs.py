"""Programs as files: OPB, LP, MPS, dimod's CQM, OMMX. All hold rows, names and objective."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile, ZipInfo

import numpy as np

from qubopuzzle.compile.lp_mps import kept_names, lp_text, mps_text, number
from qubopuzzle.compile.rows import whole_factor, whole_rows
from qubopuzzle.errors import InputError, printable
from qubopuzzle.files.models.ommx_archive import pack
from qubopuzzle.model import UNBOUNDED
from qubopuzzle.programs.dimod_models import cqm_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from qubopuzzle.compile.rows import Rows


def safe_variables(program: Rows) -> list[str]:
    """The names of variables in LP and MPS files: their own where both formats allow them."""
    return kept_names("x_", program.variables)


def _named(program: Rows) -> Rows:
    names = safe_variables(program), kept_names("r_", program.rows)
    return replace(program, variables=names[0], rows=names[1])


def to_lp(program: Rows) -> bytes:
    """CPLEX LP, see ``compile.lp_mps``."""
    return lp_text(_named(program)).encode()


def to_mps(program: Rows) -> bytes:
    """Free MPS, see ``compile.lp_mps``."""
    return mps_text(_named(program)).encode()


# --- OPB -------------------------------------------------------------------------------


def opb_variables(program: Rows) -> list[str]:
    """The names of variables in an OPB file, which has no others."""
    return [f"x{i}" for i in range(1, len(program.variables) + 1)]


def to_opb(program: Rows) -> bytes:
    """Pseudo-Boolean constraints in whole numbers.

    Format: Roussel and Manquinho, "Input/Output Format and Solver Requirements for the
    Competitions of Pseudo-Boolean Solvers" (2012). A row of two bounds becomes two constraints.
    What OPB has no place for is in comments: the names of variables and rows, and how the
    objective was made whole.

    Raises:
        InputError: for variables beyond 0 and 1, and numbers that no small factor makes whole.
    """
    for v in np.flatnonzero((program.lower < 0) | (program.upper > 1)).tolist():
        bounds = f"{program.lower[v]} to {program.upper[v]}"
        raise InputError(
            f"variable {program.variables[v]}: {bounds}: OPB has 0-1 variables only; "
            "formulation bits makes one of each value"
        )
    constraints = [*_opb_rows(program)]
    names = [_one_line(name) for name in program.variables]
    comments = [f"* x{i} {name}" for i, name in enumerate(names, start=1)]
    comments += [f"* row {i} {name}" for i, (name, _) in enumerate(constraints, start=1)]
    objective = _opb_objective(program)
    products = program.quadratic.nnz - np.count_nonzero(program.quadratic.diagonal())
    head = f"* #variable= {max(len(names), 1)} #constraint= {len(constraints)}"
    head += f" #product= {products} sizeproduct= {2 * products}" if products else ""
    lines = [head, *comments, *objective, *(text for _, text in constraints), ""]
    return "\n".join(lines).encode()


def _opb_rows(program: Rows) -> Iterator[tuple[str, str]]:
    """Name and text of each constraint; fixed variables have one each."""
    for v in np.flatnonzero(program.lower == program.upper).tolist():
        yield _one_line(program.variables[v]), f"+1 x{v + 1} = {program.lower[v]} ;"
    rows = whole_rows(program)
    start, columns = rows.matrix.indptr.tolist(), rows.matrix.indices.tolist()
    values = rows.matrix.data.tolist()
    bounds = zip(rows.number.tolist(), rows.lower.tolist(), rows.upper.tolist(), strict=True)
    for row, (which, low, high) in enumerate(bounds):
        name = _one_line(program.rows[which])
        entries = [(values[e], columns[e] + 1) for e in range(start[row], start[row + 1])]
        entries = entries or [(0, 1)]  # there is no row without terms
        above = " ".join(f"{value:+d} x{v}" for value, v in entries)
        if low == high:
            yield name, f"{above} = {low} ;"
            continue
        if low > -UNBOUNDED:
            yield name, f"{above} >= {low} ;"
        if high < UNBOUNDED:
            below = " ".join(f"{-value:+d} x{v}" for value, v in entries)
            yield name, f"{below} >= {-high} ;"


def _opb_objective(program: Rows) -> list[str]:
    """Nothing, or a comment and the line ``min: ... ;``, whole and minimised."""
    if not program.has_objective:
        return []
    pairs = program.quadratic.tocoo()
    (at,) = np.nonzero(program.cost)
    values = np.concatenate([program.cost[at], pairs.data])
    factor = whole_factor("the objective", values) * (-1 if program.maximize else 1)
    names = [f"x{v + 1}" for v in at.tolist()]
    names += [
        f"x{i + 1}" if i == j else f"x{i + 1} x{j + 1}"  # the square of a bit is the bit
        for i, j in zip(pairs.row.tolist(), pairs.col.tolist(), strict=True)
    ]
    pairs_of = zip(values.tolist(), names, strict=True)
    terms = " ".join(f"{round(value * factor):+d} {name}" for value, name in pairs_of)
    about = f"* objective: the least of {number(factor)} times it"
    return [f"{about}, less {number(program.offset)} before", f"min: {terms} ;"]


def _one_line(name: str) -> str:
    return printable(" ".join(name.split()))


# --- objects of other packages ---------------------------------------------------------


def cqm_file(program: Rows) -> bytes:
    """Dimod's file of a constrained quadratic model; the same bytes for the same program."""
    with cqm_of(program).to_file() as file:
        data = bytes(file.read())
    # A header, then a zip archive, whose members say when they were written.
    made = BytesIO()
    made.write(data[: data.index(b"PK\x03\x04")])
    with ZipFile(BytesIO(data)) as dated, ZipFile(made, "a") as archive:
        for member in dated.infolist():
            archive.writestr(ZipInfo(member.filename), dated.read(member))
    return made.getvalue()


def to_ommx(program: Rows) -> Any:
    """The program as an instance of the OMMX that is installed, 2 or 3.

    A variable's id is its place; a row of two bounds becomes two constraints.

    Raises:
        InputError: without the package.
    """
    from qubopuzzle.programs.ommx_models import ommx_module  # it brings SciPy's optimisers along

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
        own = ommx.Linear(terms={v: turned * value for v, value in terms}, constant=-turned * bound)
        made = ommx.Function(own) == 0 if sense == "==" else ommx.Function(own) <= 0
        place = len(constraints)
        constraints.append(made.set_name(name) if is_newer else made.set_id(place).add_name(name))
    return ommx.Instance.from_components(
        decision_variables=variables,
        objective=ommx.Quadratic(columns=columns, rows=rows, values=values, linear=linear),
        constraints=dict(enumerate(constraints)) if is_newer else constraints,
        sense=ommx.Instance.MAXIMIZE if program.maximize else ommx.Instance.MINIMIZE,
    )


def ommx_file(program: Rows) -> bytes:
    """An OMMX artifact with one instance; the same bytes for the same program.

    Raises:
        InputError: without the package.
    """
    made = to_ommx(program)
    data = made.to_v1_bytes() if hasattr(made, "to_v1_bytes") else made.to_bytes()
    return pack(data, getattr(program, "title", ""))
