"""A model as a program: the inverse of ``grouping``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from qubopuzzle.compile.encoding import Encoding, distinct, encode_choices
from qubopuzzle.compile.lowering import one_value, precedence_label, ranges
from qubopuzzle.compile.mip import Mip, Values
from qubopuzzle.model import UNBOUNDED, IntArray, IntMatrix, Linear, Model
from qubopuzzle.programs.program import Program

_Bounds = NDArray[np.float64]
_Rows = tuple[IntMatrix, _Bounds, _Bounds, list[str]]
"""Coefficients (rows, variables), lower and upper bounds (rows,), names."""


def compile_program(model: Model, as_it_is: Program | None = None) -> Mip:
    """Compile a model with ``program_of``, which says what is raised.

    Args:
        as_it_is: the program that the model is the formulation ``bits`` of, if it is to be
            written with its own variables and rows.
    """
    if as_it_is is not None:
        return Mip(Values.of(model, as_it_is.variables), as_it_is)
    return Mip(encode_choices(model, "one-hot"), program_of(model))


def program_of(model: Model) -> Program:
    """A model as rows over 0-1 variables: one for each bit, one for each value of a choice.

    Variables have the labels of the one-hot encoding, in its order. Rows say first that each
    choice takes exactly one value, then what the linear rows say, then that the value of one
    choice is that of another plus a gap, or more: values times variables, less the least value.

    >>> from qubopuzzle import ModelBuilder
    >>> from qubopuzzle.programs import program_of
    >>> b = ModelBuilder()
    >>> x, y = b.choice("x", range(2)), b.choice("y", range(3))
    >>> b.precedence("order", [x], [y], 1)
    >>> found = program_of(b.build())
    >>> found.variables, found.rows
    (('x=0', 'x=1', 'y=0', 'y=1', 'y=2'), ('x', 'y', 'order[x before y]'))
    >>> found.matrix.toarray()[2].tolist(), found.row_lower[2].item()
    ([0.0, -1.0, 0.0, 1.0, 2.0], 1.0)

    Raises:
        ModelError: for connectivity and cycles, see ``Model.require_local``.
    """
    model.require_local("a program of rows")
    bits = encode_choices(model, "one-hot")
    parts = [
        _choice_rows(bits),
        *(_linear_rows(bits, block) for block in model.linear),
        *_precedences(bits),
    ]
    matrix = csr_array(vstack([part[0] for part in parts]))
    lower, upper = (np.concatenate([part[at] for part in parts]) for at in (1, 2))
    names = distinct((name for part in parts for name in part[3]), "#")
    return Program.of(
        matrix,
        lower,
        upper,
        variables=bits.labels(),
        rows=names,
        id=model.id,
        title=model.title,
        **_objective(bits),
    )


def _choice_rows(bits: Encoding) -> _Rows:
    """Exactly one value of each choice that is no bit."""
    block = one_value(bits, "", np.flatnonzero(~bits.domain_wall))
    ones = -block.base.astype(np.float64)
    return block.matrix, ones, ones, [block.labels(row) for row in range(len(ones))]


def _linear_rows(bits: Encoding, block: Linear) -> _Rows:
    """A block as it is written."""
    shift = block.matrix @ bits.base
    lower = np.where(block.lower <= -UNBOUNDED, -np.inf, block.lower - shift)
    upper = np.where(block.upper >= UNBOUNDED, np.inf, block.upper - shift)
    names = [block.labels(row) for row in range(len(shift))]
    return csr_array(block.matrix @ bits.matrix), lower, upper, names


def _precedences(bits: Encoding) -> Iterator[_Rows]:
    """``value(second) - value(first) >= gap``, both values less the least of their choice."""
    model = bits.model
    if not model.precedence:
        return
    least = model.number_of_literal
    above = least - np.repeat(least[model.first_literal[:-1]], model.sizes)
    for block in model.precedence:
        matrix = _values(model, block.second, above) - _values(model, block.first, above)
        first, second = (least[model.first_literal[c]] for c in (block.first, block.second))
        shift = matrix @ bits.base
        lower = (block.gap + first - second - shift).astype(np.float64)
        names = [precedence_label(model, block, i) for i in range(len(lower))]
        yield csr_array(matrix @ bits.matrix), lower, np.full(len(lower), np.inf), names


def _values(model: Model, choices: IntArray, number: IntArray) -> Any:
    """The number of each choice's value over literals, shape (choices, literals)."""
    sizes = model.sizes[choices]
    literal = ranges(model.first_literal[choices], sizes)
    entries = number[literal], literal, np.append(0, np.cumsum(sizes))
    return csr_array(entries, shape=(len(choices), model.n_literals))


def _objective(bits: Encoding) -> dict[str, Any]:
    """The arguments of ``Program.of`` that say what is minimised."""
    objective = bits.model.objective
    if objective is None:
        return {}
    both = objective.couplings + objective.couplings.T
    return {
        "cost": bits.matrix.T @ (objective.linear + both @ bits.base),
        "quadratic": bits.matrix.T @ objective.couplings @ bits.matrix,
        "offset": objective.value(bits.base),
    }
