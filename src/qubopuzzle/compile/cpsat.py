"""CP-SAT: a model of OR-Tools whose solutions are exactly the assignments that meet ours.

It shares its variables with the CNF (see ``cnf``): order variables for choices under a
precedence, one variable a value for others, and one for a group of terms along a path of
precedences, so that "this group = that group" costs no equation. CP-SAT adds what a CNF
has no words for: choices are ``exactly_one`` constraints, and all other rows stay linear
equations over the choices' variables.

The model is written as text in the format of protocol buffers, which OR-Tools reads several
times faster than it takes constraints one call at a time.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile.clauses import GroupedClauses
from qubopuzzle.compile.cnf import (
    ClauseModel,
    add_cost,
    add_model,
    guards_of,
    unless_of,
)
from qubopuzzle.compile.cost import Cost
from qubopuzzle.compile.encoding import FALSE, AffineRows
from qubopuzzle.compile.lowering import affine_rows
from qubopuzzle.compile.mip import Mip
from qubopuzzle.errors import ModelError, SolverUnavailable
from qubopuzzle.model import UNBOUNDED, IntArray, Model
from qubopuzzle.model.statements import StatedModel

_LINES = 10_000
"""Constraints of a batch that become text at once."""


@dataclass(frozen=True, eq=False, repr=False)
class CpSat(ClauseModel):
    """A CP-SAT model; its variables 0 .. ``bits.n_bits`` - 1 are the choices'.

    ``model`` is an ``ortools.sat.python.cp_model.CpModel``: clone it before you add to it. It is
    not pickled: in another process, this decodes and no more.
    """

    model: Any
    n_constraints: int

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "model": None}

    @property
    def sizes(self) -> dict[str, int]:
        """Variables and constraints."""
        return {"variables": self.n_variables, "constraints": self.n_constraints}


def ortools() -> Any:
    """The module ``ortools.sat.python.cp_model``.

    Raises:
        SolverUnavailable: if it is not installed or cannot be imported here.
    """
    try:
        return import_module("ortools.sat.python.cp_model")
    except ModuleNotFoundError:
        raise SolverUnavailable("OR-Tools is missing: pip install 'qubopuzzle[cpsat]'") from None
    except ImportError as error:
        raise SolverUnavailable(
            "OR-Tools cannot be imported here; some versions exclude highspy, which PuLP imports, "
            f"in one process: {str(error).splitlines()[0][:200]}"
        ) from None


def compile_cpsat(model: Model) -> CpSat:
    """Compile.

    Raises:
        SolverUnavailable: if OR-Tools cannot be imported.
        TooLarge: if the model would not fit in memory.
    """
    return _compiled(model, None)


def stated_cpsat(stated: StatedModel) -> CpSat:
    """Compile so that each statement holds where its guard is true; objectives are left out.

    Raises:
        SolverUnavailable: if OR-Tools cannot be imported.
        TooLarge: if the model would not fit in memory.
    """
    return _compiled(stated.model, stated)


def _compiled(model: Model, stated: StatedModel | None) -> CpSat:
    built, parts = ortools().CpModel(), GroupedClauses()
    bits, node, left = add_model(model, parts, all_rows=False, stated=stated)
    cost = add_cost(bits, parts) if stated is None else None
    add_bits(built, parts.n_variables)
    add_clauses(built, parts.finish())
    add_clauses(built, parts.groups, "exactly_one")
    unless = None if stated is None else unless_of(bits, stated)
    start = 0
    for block, rows in left:
        _add_rows(
            built, affine_rows(bits, block, rows), None if unless is None else unless[start + rows]
        )
        start += len(block.lower)
    if parts.contradiction:
        _add(built, "constraints{bool_or{}}\n")
    if cost is not None:
        nothing = np.zeros(parts.n_variables, dtype=np.int64)
        _add(built, _objective_line(cost, nothing, nothing + 1))
    guards = {} if stated is None else {"guards": guards_of(bits, stated)}
    n_rows = len(built.proto.constraints)
    return CpSat(bits, parts.n_variables, node, cost, built, n_rows, **guards)


def whole_cpsat(mip: Mip) -> CpSat:
    """Rows as they are, over whole numbers; ``mip`` is what ``whole_mip`` makes of them.

    Raises:
        SolverUnavailable: if OR-Tools cannot be imported.
    """
    program, built = mip.program, ortools().CpModel()
    bounds = zip(program.lower.tolist(), program.upper.tolist(), strict=True)
    _add(built, "".join(f"variables{{domain:[{low},{high}]}}\n" for low, high in bounds))
    ends = program.row_lower, program.row_upper
    lower, upper = (end.clip(-UNBOUNDED, UNBOUNDED).astype(np.int64) for end in ends)
    rows = AffineRows("", program.matrix, -lower, upper - lower, str)
    _add_rows(built, rows)
    if mip.cost is not None:
        _add(built, _objective_line(mip.cost, program.lower, program.upper))
    node = np.zeros(mip.source.n_literals, dtype=np.int64)
    return CpSat(mip.bits, mip.n_variables, node, mip.cost, built, mip.n_rows)


def add_bits(built: Any, count: int) -> None:
    """Add variables from 0 to 1 behind those of a ``CpModel``."""
    _add(built, "variables{domain:[0,1]}\n" * count)


def add_clauses(built: Any, batches: Iterable[IntArray], kind: str = "bool_or") -> None:
    """Add clauses of DIMACS literals, shape (clauses, width) each, to a ``CpModel``.

    With ``kind`` they are other constraints of as many literals, such as ``exactly_one``.
    """
    for batch in batches:
        # CP-SAT numbers variables from 0 and writes "not v" as -v - 1.
        literals = np.where(batch > 0, batch - 1, batch)
        line = f"constraints{{{kind}{{literals:[{','.join(['%d'] * literals.shape[1])}]}}}}\n"
        for start in range(0, len(literals), _LINES):
            part = literals[start : start + _LINES]
            _add(built, (line * len(part)) % tuple(part.ravel().tolist()))


def add_assumptions(built: Any, literals: Iterable[int]) -> None:
    """Ask which of these DIMACS literals of a ``CpModel`` cannot all be true."""
    _add(built, f"assumptions:{[v - 1 if v > 0 else v for v in literals]}")


def hint(built: Any, sample: NDArray[np.int8]) -> None:
    """Start the search from a sample, shape (variables,)."""
    built.clear_hints()
    numbers, values = (",".join(map(str, each)) for each in (range(len(sample)), sample.tolist()))
    _add(built, f"solution_hint{{vars:[{numbers}] values:[{values}]}}")


def _objective_line(cost: Cost, lower: IntArray, upper: IntArray) -> str:
    """The weights of true literals together, in whole numbers."""
    coefficients, constant = cost.coefficients(lower, upper)
    (variables,) = np.nonzero(coefficients)
    terms = f"vars:{variables.tolist()} coeffs:{coefficients[variables].tolist()}"
    return f"objective{{{terms} offset:{constant}}}\n"


def _add_rows(built: Any, rows: AffineRows, unless: IntArray | None = None) -> None:
    """Add them; ``unless`` (rows,) are literals that, where they are true, do away with a row."""
    lines = list(_linear_lines(rows))
    if unless is not None:
        lines = [
            line.replace("{", f"{{enforcement_literal:[{-literal - 1}] ", 1)
            if literal != FALSE
            else line
            for literal, line in zip(unless.tolist(), lines, strict=True)
        ]
    for start in range(0, len(lines), _LINES):
        _add(built, "".join(lines[start : start + _LINES]))


def _linear_lines(rows: AffineRows) -> Iterator[str]:
    start = rows.matrix.indptr.tolist()
    bits, coefficients = rows.matrix.indices.tolist(), rows.matrix.data.tolist()
    for row, (base, width) in enumerate(zip(rows.base.tolist(), rows.width.tolist(), strict=True)):
        entries = slice(*start[row : row + 2])
        terms = f"vars:{bits[entries]} coeffs:{coefficients[entries]}"
        yield f"constraints{{linear{{{terms} domain:[{-base},{width - base}]}}}}\n"


def _add(built: Any, text: str) -> None:
    if not built.proto.merge_text_format(text):
        raise ModelError(f"OR-Tools does not read {text[:60]!r}")
