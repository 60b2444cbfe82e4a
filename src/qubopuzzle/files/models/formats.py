"""The formats of models: each a function that writes, and a line in the table below.

Coefficients are written with all their digits, and a variable in no term keeps its place.
Hence neither dimod's writer of coordinate lists, which rounds to six decimals and leaves such
variables out, nor ``amplify.save_qplib``, which numbers the others anew.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import dimod

from qubopuzzle.compile import Compiled, Mip, Qubo
from qubopuzzle.compile.encoding import distinct
from qubopuzzle.compile.lp_mps import number, safe_names
from qubopuzzle.compile.qubo import Quadratic
from qubopuzzle.errors import InputError, did_you_mean, printable
from qubopuzzle.files.models import programs
from qubopuzzle.programs import Program


@dataclass(frozen=True, slots=True)
class ModelFormat:
    """A file of a model.

    With the file's objective value v, our energy is ``sign * v`` plus, unless it
    ``holds_offset``, the QUBO's offset.

    Attributes:
        target: what it holds: ``qubo``, or the exact ``cnf``, ``mip`` or ``program``.
        write: the file of a ``Qubo``, ``Cnf``, ``Mip`` or ``Program``, as ``target`` says.
        text: whether the file is text.
        first: the number of its first variable.
        names: the variables as the file calls them, but auxiliary ones.
        spins: whether the file's variables are spins, -1 where the model's bit is 0.
    """

    name: str
    suffix: str
    target: str
    write: Callable[[Any], bytes]
    text: bool = True
    first: int = 0
    sign: int = 1
    holds_offset: bool = False
    names: Callable[[Any], list[str]] = Compiled.labels
    spins: bool = False


def _couplings(form: Quadratic) -> list[tuple[int, int, Any]]:
    """Every coupling (i, j, coefficient), i < j, in order, numbered from 0."""
    upper = form.couplings.sorted_indices().tocoo()
    return list(zip(*(each.tolist() for each in (upper.row, upper.col, upper.data)), strict=True))


def _triangle(form: Quadratic) -> Iterator[tuple[int, int, Any]]:
    """All linear coefficients as (i, i, coefficient), those of 0 too, and all couplings."""
    yield from ((i, i, value) for i, value in enumerate(form.linear.tolist()))
    yield from _couplings(form)


def _encoded(*lines: str) -> bytes:
    return "\n".join([*lines, ""]).encode()


def _bqm(model: Qubo) -> bytes:
    """Dimod's binary file: labels, linear, couplings, offset."""
    with model.to_bqm().to_file() as file:
        return bytes(file.read())


def _coo(model: Qubo) -> bytes:
    """What ``dimod.serialization.coo.load`` reads: ``i j coefficient``; the offset a comment."""
    terms = (f"{i} {j} {number(value)}" for i, j, value in _triangle(model.form))
    return _encoded("# vartype=BINARY", f"# offset {number(model.form.offset)}", *terms)


def _qbsolv(model: Qubo) -> bytes:
    """A line ``p qubo 0 n nodes couplers``, then the terms, offset and labels as comments.

    Format: "qbsolv Input File Format" in its documentation. It counts the lines, so every
    variable has one.
    """
    form, labels = model.form, model.labels()
    return _encoded(
        f"c offset {number(form.offset)}",
        *(f"c {i} {printable(' '.join(label.split()))}" for i, label in enumerate(labels)),
        f"p qubo 0 {len(labels)} {len(labels)} {form.n_couplings}",
        *(f"{i} {j} {number(value)}" for i, j, value in _triangle(form)),
    )


def _mqlib(model: Qubo) -> bytes:
    """MQLib (Dunning, Gupta, Silberholz 2018) maximises ``x' Q x``: ``n m``, then m terms of Q.

    Q is symmetric and one triangle of it is in the file, so that a coupling counts twice: the
    file has ``-linear`` on the diagonal and ``-coupling / 2`` beside it.
    """
    form = model.form
    lines = [
        f"{i + 1} {j + 1} {number(-value if i == j else -value / 2)}"
        for i, j, value in _triangle(form)
        if value
    ]
    return _encoded(f"# offset {number(form.offset)}", f"{len(form.linear)} {len(lines)}", *lines)


def _qplib(model: Qubo) -> bytes:
    """QPLIB (Furini et al. 2019), as ``amplify.load_qplib`` reads it: ``x' Q x / 2 + b' x + c``."""
    form = model.form
    # Q is a lower triangle that is not mirrored (qplib.zib.de/doc.html), hence twice the value.
    quadratic = [f"{j + 1} {i + 1} {number(2 * value)}" for i, j, value in _couplings(form)]
    linear = [f"{i + 1} {number(v)}" for i, v in enumerate(form.linear.tolist()) if v]
    labels = (printable("_".join(label.split())) for label in model.labels())
    names = [f"{i} {label}" for i, label in enumerate(distinct(labels, "#"), start=1)]
    return _encoded(
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
    )


def _qubo_lp_names(model: Qubo) -> list[str]:
    return safe_names("x_", model.labels())


def _qubo_lp(model: Qubo) -> bytes:
    """CPLEX LP with a quadratic objective over 0/1 variables and no rows.

    ``dimod.lp.load`` and MIP solvers with quadratic objectives read it.
    """
    objective, names = model.to_bqm(labelled=False), _qubo_lp_names(model)
    objective.relabel_variables(dict(enumerate(names)))  # type: ignore[no-untyped-call]
    program = dimod.ConstrainedQuadraticModel()  # type: ignore[no-untyped-call]
    program.set_objective(objective)
    return dimod.lp.dumps(program).encode()


_CONVENTION = (
    "E(s) = offset + sum_i h_i s_i + sum_{i<j} J_ij s_i s_j, s_i = 2 b_i - 1 in {-1, +1}, minimised"
)


def _ising(model: Qubo) -> bytes:
    """Fields, couplings and offset over spins, as JSON that says what the signs mean.

    Exact: halves and quarters of the QUBO's coefficients are doubles, too.
    """
    form = model.form
    quarter = form.couplings / 4
    fields = form.linear / 2 + quarter.sum(axis=0) + quarter.sum(axis=1)
    content = {
        "format": "ising",
        "convention": _CONVENTION,
        "variables": model.labels(),
        "offset": float(form.offset + form.linear.sum() / 2 + quarter.sum()),
        "h": fields.tolist(),
        "J": [(i, j, value / 4) for i, j, value in _couplings(form)],
    }
    return _encoded(json.dumps(content))


def _mip_names(model: Mip) -> list[str]:
    return model.variable_names()[: model.n_bits]


def _variables(program: Program) -> list[str]:
    return list(program.variables)


FORMATS = {
    each.name: each
    for each in (
        ModelFormat("bqm", ".bqm", "qubo", _bqm, text=False, holds_offset=True),
        ModelFormat("coo", ".coo", "qubo", _coo),
        ModelFormat("qubo", ".qubo", "qubo", _qbsolv),
        ModelFormat("mqlib", ".mqlib", "qubo", _mqlib, first=1, sign=-1),
        ModelFormat("qplib", ".qplib", "qubo", _qplib, first=1, holds_offset=True),
        ModelFormat(
            "qubo-lp", ".qubo.lp", "qubo", _qubo_lp, holds_offset=True, names=_qubo_lp_names
        ),
        ModelFormat("ising", ".ising.json", "qubo", _ising, holds_offset=True, spins=True),
        ModelFormat("dimacs", ".cnf", "cnf", lambda cnf: cnf.to_dimacs().encode(), first=1),
        ModelFormat(
            "opb", ".opb", "program", programs.to_opb, first=1, names=programs.opb_variables
        ),
        ModelFormat("cqm", ".cqm", "program", programs.cqm_file, text=False, names=_variables),
        ModelFormat("ommx", ".ommx", "program", programs.ommx_file, text=False, names=_variables),
        ModelFormat(
            "program-lp", ".program.lp", "program", programs.to_lp, names=programs.safe_variables
        ),
        ModelFormat(
            "program-mps", ".program.mps", "program", programs.to_mps, names=programs.safe_variables
        ),
        ModelFormat("lp", ".lp", "mip", lambda mip: mip.to_lp().encode(), names=_mip_names),
        ModelFormat("mps", ".mps", "mip", lambda mip: mip.to_mps().encode(), names=_mip_names),
    )
}
"""The formats by name."""


def named(name: str) -> ModelFormat:
    """The format of a name; InputError if there is none."""
    if name not in FORMATS:
        hint = did_you_mean(str(name), FORMATS)
        raise InputError(f"no format {str(name)[:40]!r} to export to; {hint}")
    return FORMATS[name]


def by_suffix(file: str) -> ModelFormat:
    """The format that a file's name ends in; InputError with the name if none does."""
    fitting = [each for each in FORMATS.values() if file.lower().endswith(each.suffix)]
    if fitting:
        return max(fitting, key=lambda each: len(each.suffix))
    known = ", ".join(each.suffix for each in FORMATS.values())
    raise InputError(f"{file}: a model's name ends in one of {known}; or say --to FORMAT")
