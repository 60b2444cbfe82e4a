"""CP-SAT: a model of OR-Tools whose solutions are exactly the assignments that meet ours.

It shares its variables with the CNF (see ``cnf``): order variables for choices under a
precedence, one variable a value for others, and one for a group of terms along a path of
precedences, so that "this group = that group" costs no equation. CP-SAT adds what a CNF
has no words for: choices are ``exactly_one`` constraints, and all other rows stay linear
equations over the choices' variables.

The model is written as text in the format of protocol buffers, which OR-Tools reads several
times faster than it takes constraints one call at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qubopuzzle.compile.clauses import Clauses
from qubopuzzle.compile.cnf import add_choices, add_nodes, clause_of, order_bits, other_sample
from qubopuzzle.compile.cnf_rows import Places, add_rows
from qubopuzzle.compile.compiled import Compiled
from qubopuzzle.compile.encoding import Encoding
from qubopuzzle.compile.lowering import AffineRows, affine_rows
from qubopuzzle.errors import ModelError, SolverUnavailable
from qubopuzzle.model import Cut, IntArray, Linear, Model
from qubopuzzle.model.order import Precedences

_LINES = 10_000
"""Constraints of a batch that become text at once."""


@dataclass(frozen=True, eq=False)
class CpSat(Compiled):
    """A CP-SAT model; its variables 0 .. ``bits.n_bits`` - 1 are the choices'.

    ``model`` is an ``ortools.sat.python.cp_model.CpModel``: clone it before you add to it.
    ``node`` (literals,) is the DIMACS literal for each literal that cuts speak of.
    """

    bits: Encoding
    model: Any
    n_variables: int
    n_constraints: int
    node: IntArray

    @property
    def source(self) -> Model:
        """The model that it was compiled from."""
        return self.bits.model

    @property
    def sizes(self) -> dict[str, int]:
        """Variables and constraints."""
        return {"variables": self.n_variables, "constraints": self.n_constraints}

    def clause_of(self, cut: Cut) -> list[int]:
        """A cut as ``add_clauses`` takes it."""
        return clause_of(self.node, cut)

    def other(self, sample: NDArray[np.int8], *, answer: bool) -> list[int]:
        """The same as ``Cnf.other``."""
        return other_sample(self.bits, sample, answer=answer)


class _Constraints(Clauses):
    """Clauses that keep "exactly one" as it is."""

    def __init__(self, n_variables: int) -> None:
        super().__init__(n_variables)
        self.exactly: list[IntArray] = []

    def exactly_one(self, groups: IntArray) -> None:
        """Exactly one literal of each group, shape (groups, size)."""
        self.exactly.append(groups)


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
    built = ortools().CpModel()
    order = Precedences.of(model)
    bits = order_bits(model, order)
    parts = _Constraints(bits.n_bits)
    add_choices(bits, order, parts)
    place = Places.of(model, order)
    rows = [
        affine_rows(bits, _only(block, left))
        for block in model.linear
        if len(left := add_rows(bits, place, block, parts, all_rows=False))
    ]
    node = add_nodes(model, bits, parts)
    _add(built, "variables{domain:[0,1]}\n" * parts.n_variables)
    add_clauses(built, parts.finish())
    for groups in parts.exactly:
        _add_batch(built, "exactly_one", groups)
    for row in rows:
        _add_rows(built, row)
    if parts.contradiction:
        _add(built, "constraints{bool_or{}}\n")
    return CpSat(bits, built, parts.n_variables, len(built.proto.constraints), node)


def add_clauses(built: Any, batches: Sequence[IntArray]) -> None:
    """Add clauses of DIMACS literals, shape (clauses, width) each, to a ``CpModel``."""
    for batch in batches:
        _add_batch(built, "bool_or", batch)


def hint(built: Any, sample: NDArray[np.int8]) -> None:
    """Start the search from a sample, shape (variables,)."""
    built.clear_hints()
    numbers, values = (",".join(map(str, each)) for each in (range(len(sample)), sample.tolist()))
    _add(built, f"solution_hint{{vars:[{numbers}] values:[{values}]}}")


def _add_batch(built: Any, kind: str, literals: IntArray) -> None:
    # CP-SAT numbers variables from 0 and writes "not v" as -v - 1.
    own = np.where(literals > 0, literals - 1, literals)
    line = f"constraints{{{kind}{{literals:[{','.join(['%d'] * own.shape[1])}]}}}}\n"
    for start in range(0, len(own), _LINES):
        part = own[start : start + _LINES]
        _add(built, (line * len(part)) % tuple(part.ravel().tolist()))


def _add_rows(built: Any, rows: AffineRows) -> None:
    lines = list(_linear_lines(rows))
    for start in range(0, len(lines), _LINES):
        _add(built, "".join(lines[start : start + _LINES]))


def _linear_lines(rows: AffineRows) -> Iterator[str]:
    start = rows.matrix.indptr.tolist()
    bits, coefficients = rows.matrix.indices.tolist(), rows.matrix.data.tolist()
    for row, (base, width) in enumerate(zip(rows.base.tolist(), rows.width.tolist(), strict=True)):
        own = slice(*start[row : row + 2])
        terms = f"vars:{bits[own]} coeffs:{coefficients[own]}"
        yield f"constraints{{linear{{{terms} domain:[{-base},{width - base}]}}}}\n"


def _add(built: Any, text: str) -> None:
    if not built.proto.merge_text_format(text):
        raise ModelError(f"OR-Tools does not read {text[:60]!r}")


def _only(block: Linear, rows: IntArray) -> Linear:
    return Linear(
        block.family,
        csr_array(block.matrix[rows]),
        block.lower[rows],
        block.upper[rows],
        lambda row: block.labels(int(rows[row])),
    )
