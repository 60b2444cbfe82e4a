"""LP and MPS files, read by HiGHS.

HiGHS passes over some of what it cannot use, in silence or with a warning. A model is judged by
its rows as they were read, so what it would pass over is refused. Of LP files it reads all as it is
written, but for what is in ``lp_bounds``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.errors import InputError
from qubopuzzle.files.models import lp_bounds
from qubopuzzle.files.models.words import text_of

if TYPE_CHECKING:
    from qubopuzzle.compile import Mip, Qubo
    from qubopuzzle.compile.rows import Rows
    from qubopuzzle.model import IntArray
    from qubopuzzle.programs.program import Program

APART = "highspy", "LP and MPS files are read by HiGHS: `pip install highspy`"
_HARMLESS = (
    "values summed",
    "summing them",
    "appears more than once",
    "inconsistent bounds",
    "switching to fixed format",
)
"""Warnings of what is all there, or what is refused here with a better word."""
_NAN = re.compile(rb"(?<!\S)[+-]?nan(?!\S)", re.IGNORECASE)
_MPS_ROWS = re.compile(rb"^ROWS\b.*?^COLUMNS\b", re.MULTILINE | re.DOTALL)
_JOINED = re.compile(rb"^[ \t]*([NLGE]\S+)[ \t\r]*$", re.MULTILINE)
"""A row of one word, which HiGHS takes as a sense and a name: ``LAZYCONS`` for one."""
_UNREAD = (
    "HiGHS does not read it: it breaks off, it has an error in it, or a part that HiGHS does not "
    "know, such as indicator constraints"
)
_PLACE = re.compile(r" *--> .*:(\d+):\d+$")
_HELP = "= help: "
_UNNAMED = "HiGHS_R"
"""How HiGHS calls rows without a name, before their number."""


def read_lp(path: str) -> dict[str, Any]:
    """What is in a file whose name ends in .lp or .mps, as ``program`` takes it.

    An LP file is written anew in its place: it is a copy of the user's.

    Raises:
        InputError: for what HiGHS does not read, or reads as something else.
    """
    import highspy

    text, more = "", list[int]()
    if path.endswith(".lp"):
        text, more = lp_bounds.bound_by_bound(text_of(Path(path).read_bytes()))
        Path(path).write_text(text, encoding="utf-8", newline="")
    else:
        _check_mps(Path(path).read_bytes())
    log = Path(f"{path}.log")
    highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.setOptionValue("log_to_console", False)
    highs.setOptionValue("small_matrix_value", 1e-12)  # the least that there is
    highs.setOptionValue("large_matrix_value", inf)  # a row says so, by name
    highs.setOptionValue("log_file", str(log))
    status = highs.readModel(path)
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    if status == highspy.HighsStatus.kError:
        why = [
            _message(lines, at, more) for at, line in enumerate(lines) if line.startswith("ERROR")
        ]
        raise InputError([*(line for line in why if path not in line), _UNREAD][0])
    for at, line in enumerate(lines):
        if line.startswith("WARNING") and not any(part in line for part in _HARMLESS):
            raise InputError(_message(lines, at, more))
    return _arrays(highs.getModel()) | {"binary": lp_bounds.binary_names(text)}


read_mps = read_lp


def _message(lines: list[str], at: int, more: list[int]) -> str:
    """One line of an error or a warning, of its place, if it follows, and of the help there."""
    what = " ".join(lines[at].split(":", 1)[-1].split())[:160]
    if at + 1 == len(lines) or not (place := _PLACE.match(lines[at + 1])):
        return what
    number = int(place[1])
    rest = lines[at + 2 : at + 8]
    help_ = next((line.split(_HELP)[1] for line in rest if _HELP in line), "")
    return f"line {number - bisect_right(more, number)}: {what}{help_ and '; '}{help_}"


def _check_mps(data: bytes) -> None:
    """Refuse NaN, and sections among the rows."""
    if b"nan" in data.lower() and (match := _NAN.search(data)):
        raise InputError(f"line {_line(data, match.start())}: nan is no number")
    if (rows := _MPS_ROWS.search(data)) and (match := _JOINED.search(data, *rows.span())):
        word = match[1].decode(errors="replace")[:40]
        line = _line(data, match.start(1))
        raise InputError(f"line {line}: {word} is no section that is read, nor a row and its name")


def _line(data: bytes, position: int) -> int:
    return data.count(b"\n", 0, position) + 1


def _arrays(model: Any) -> dict[str, Any]:
    lp, hessian = model.lp_, model.hessian_
    if hessian.dim_ and "Triangular" not in str(hessian.format_):
        raise InputError("a quadratic objective in a form that is not known here")
    kinds = [int(kind) for kind in lp.integrality_]
    return {
        "names": list(lp.col_names_),
        "kinds": np.array(kinds or [0] * lp.num_col_),
        "lower": np.array(lp.col_lower_),
        "upper": np.array(lp.col_upper_),
        "rows": list(lp.row_names_),
        "row_lower": np.array(lp.row_lower_),
        "row_upper": np.array(lp.row_upper_),
        "by_column": "Colwise" in str(lp.a_matrix_.format_),
        "matrix": _compressed(lp.a_matrix_),
        "cost": np.array(lp.col_cost_),
        "triangle": _compressed(hessian) if hessian.dim_ else None,
        "offset": lp.offset_,
        "maximize": "Max" in str(lp.sense_),
    }


def _compressed(part: Any) -> tuple[NDArray[np.float64], IntArray, IntArray]:
    """Values, indices and starts, as SciPy takes them."""
    return np.array(part.value_), np.array(part.index_), np.array(part.start_)


def program(content: dict[str, Any]) -> Program:
    """The program of what ``read_lp`` returned.

    Raises:
        InputError: for names that come twice, variables that are not whole, bounds of binary ones
            beyond 0 and 1, an infinite constant.
    """
    from scipy.sparse import csc_array, csr_array

    from qubopuzzle.programs.milp import require_whole
    from qubopuzzle.programs.program import Program

    names, rows = content["names"], content["rows"]
    shape = len(content["row_lower"]), len(content["lower"])
    if (len(rows), len(names)) != shape:
        raise InputError("two variables or two rows have the same name")
    compressed = csc_array if content["by_column"] else csr_array
    matrix = compressed(content["matrix"], shape=shape)
    bounds, sides = ((content[f"{of}lower"], content[f"{of}upper"]) for of in ("", "row_"))
    quadratic = _quadratic(content["triangle"], len(names))
    require_whole(names, content["kinds"], bounds, matrix, sides, quadratic)
    for name, low, high in zip(names, content["lower"], content["upper"], strict=True):
        if name in content["binary"] and not 0 <= low <= high <= 1:
            what = f"is declared binary and has the bounds {low:g} to {high:g}"
            raise InputError(f"variable {name[:60]} {what}; declare it in General")
    same = ("lower", "upper", "cost", "offset", "maximize")
    return Program.of(
        matrix,
        *sides,
        quadratic=quadratic,
        variables=names,
        rows=_row_names(rows),
        **{key: content[key] for key in same},
    )


def _quadratic(triangle: Any, n: int) -> Any:
    """The matrix Q of ``x' Q x``; HiGHS has a triangle of H of ``x' H x / 2``, by columns."""
    from scipy.sparse import csc_array, csr_array

    if triangle is None:
        return None
    half = csc_array(triangle, shape=(n, n)).tocoo()
    values = np.where(half.row == half.col, half.data / 2, half.data)
    return csr_array((values, (half.row, half.col)), shape=(n, n))


def _row_names(given: list[str]) -> list[str]:
    """Rows without a name are called ``row0`` onwards, by their place."""
    names = [name.replace(_UNNAMED, "row", 1) for name in given]
    return names if len(set(names)) == len(names) else given


# --- writing ---------------------------------------------------------------------------


def names_lp(mip: Mip) -> list[str]:
    """The names of variables but auxiliary ones."""
    return mip.variable_names()[: mip.n_bits]


def write_lp(mip: Mip) -> bytes:
    """CPLEX LP, see ``compile.lp_mps``."""
    return mip.to_lp().encode()


def write_mps(mip: Mip) -> bytes:
    """Free MPS, see ``compile.lp_mps``."""
    return mip.to_mps().encode()


names_mps = names_lp


def _texts() -> Any:
    """The module that writes; the process that reads a file starts sooner without it."""
    from qubopuzzle.compile import lp_mps

    return lp_mps


def names_program_lp(program: Rows) -> list[str]:
    """The names of variables: their own where both formats allow them."""
    names: list[str] = _texts().kept_names("x_", program.variables)
    return names


def write_program_lp(program: Rows) -> bytes:
    """CPLEX LP of a program."""
    return bytes(_texts().lp_text(_named(program)).encode())


def write_program_mps(program: Rows) -> bytes:
    """Free MPS of a program."""
    return bytes(_texts().mps_text(_named(program)).encode())


names_program_mps = names_program_lp


def _named(program: Rows) -> Rows:
    names = names_program_lp(program), _texts().kept_names("r_", program.rows)
    return replace(program, variables=names[0], rows=names[1])


def names_qubo_lp(model: Qubo) -> list[str]:
    """The names of variables."""
    names: list[str] = _texts().safe_names("x_", model.labels())
    return names


def write_qubo_lp(model: Qubo) -> bytes:
    """CPLEX LP with a quadratic objective over 0/1 variables and no rows.

    ``dimod.lp.load`` and MIP solvers with quadratic objectives read it.
    """
    import dimod

    objective, names = model.to_bqm(labelled=False), names_qubo_lp(model)
    objective.relabel_variables(dict(enumerate(names)))  # type: ignore[no-untyped-call]
    program = dimod.ConstrainedQuadraticModel()  # type: ignore[no-untyped-call]
    program.set_objective(objective)
    return dimod.lp.dumps(program).encode()
