"""A model as a Fixstars Amplify model: native constraints, or the compiled QUBO as objective.

``constraint`` mode says what each rule is, with its label and weight: a choice is
``one_hot``, an equality ``equal_to``, a range ``less_equal`` or ``clamp``, a forbidden
pair a product that equals 0. What is sent then depends on the client: Amplify AE takes
constraints natively, others get the SDK's penalties. ``objective`` mode sends exactly
our QUBO, slack bits and all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile.encoding import Encoding
from qubopuzzle.compile.lowering import AffineRows, ForbiddenPairs, forbidden_pairs, lowered_rows
from qubopuzzle.compile.qubo import Qubo, compile_qubo
from qubopuzzle.errors import InputError, ModelError
from qubopuzzle.model import IntArray, Model

if TYPE_CHECKING:
    import amplify

MODES = ("constraint", "objective")


@dataclass(frozen=True, slots=True, eq=False)
class AmplifyModel:
    """An Amplify model with the way back.

    ``model`` is an ``amplify.Model`` for any client; ``variables`` its binary variables,
    shape (variables,), in the order of our bits; ``mode`` what it sends.
    """

    model: amplify.Model
    variables: Any  # amplify.PolyArray
    mode: str
    qubo: Qubo

    def decode(self, values: Any) -> IntArray:
        """Literal values, shape (literals,), of ``solution.values`` of an Amplify result."""
        bits = np.asarray(self.variables.evaluate(values)).round().astype(np.int64)
        return self.qubo.decode(bits)


def to_amplify(
    model: Model,
    *,
    encoding: str = "one-hot",
    weights: Mapping[str, float] | None = None,
    mode: str = "constraint",
) -> AmplifyModel:
    """Build an Amplify model.

    Args:
        encoding: ``one-hot`` or ``domain-wall``.
        weights: weight by family; 1 where not given.
        mode: ``constraint`` or ``objective``.

    Raises:
        InputError: for an unknown encoding, mode, family or a weight that is not positive.
        ModelError: for a constraint that no assignment can meet. The SDK would drop it
            with a warning and report an unsolvable model as solved.

    """
    import amplify

    if mode not in MODES:
        raise InputError(f"unknown mode {mode!r}; choose from {', '.join(MODES)}")
    qubo = compile_qubo(model, encoding)
    generator = amplify.VariableGenerator()
    labels = qubo.labels() if mode == "objective" else qubo.encoding.labels()
    variables = amplify.PolyArray(
        [generator.scalar("Binary", name=_name(label)) for label in labels]
    )
    if mode == "objective":
        built = amplify.Model(_objective(qubo, variables, weights))
        return AmplifyModel(built, variables, mode, qubo)
    by_family = qubo.weights(weights)
    constraints = amplify.ConstraintList()
    for family, constraint in _constraints(qubo.encoding, variables):
        if by_family[family] != 1:
            constraint.weight = by_family[family]
        constraints.append(constraint)
    return AmplifyModel(amplify.Model(constraints), variables, mode, qubo)


def _name(label: str) -> str:
    """Amplify typesets names; brackets and signs that it would interpret become plain."""
    return label.replace("_", "-")


def _objective(qubo: Qubo, variables: Any, weights: Mapping[str, float] | None) -> Any:
    import amplify

    form = qubo.total(weights)
    rows = np.flatnonzero(np.diff(form.couplings.indptr))
    start = form.couplings.indptr
    terms = []
    for row in rows.tolist():
        own = slice(start[row], start[row + 1])
        others = variables.take(form.couplings.indices[own].tolist())
        terms.append(variables[row] * (others * form.couplings.data[own]).sum())
    nonzero = np.flatnonzero(form.linear)
    if len(nonzero):
        terms.append((variables.take(nonzero.tolist()) * form.linear[nonzero]).sum())
    return amplify.sum(terms) + form.offset


def _constraints(encoding: Encoding, variables: Any) -> Iterator[tuple[str, amplify.Constraint]]:
    import amplify

    for c, choice in enumerate(encoding.model.choices):
        if not encoding.walls[c]:
            start, stop = encoding.first_bit[c : c + 2].tolist()
            own = variables[start:stop]
            yield choice.family, amplify.one_hot(own, label=f"{choice.family} {choice.name}")
    for rows in lowered_rows(encoding):
        for constraint in _row_constraints(rows, variables):
            yield rows.family, constraint
    for pairs in forbidden_pairs(encoding):
        for constraint in _pair_constraints(pairs, variables):
            yield pairs.family, constraint


def _row_constraints(rows: AffineRows, variables: Any) -> Iterator[amplify.Constraint]:
    import amplify

    least, greatest = _reach(rows.matrix)
    for row, (base, width) in enumerate(zip(rows.base.tolist(), rows.width.tolist(), strict=True)):
        own = slice(rows.matrix.indptr[row], rows.matrix.indptr[row + 1])
        label = rows.labels(row)
        low, high = int(least[row]) + base, int(greatest[row]) + base
        if low > width or high < 0:
            raise ModelError(f"{label} cannot be met by any assignment: no solution")
        if low >= 0 and high <= width:
            continue
        coefficients = rows.matrix.data[own]
        left = (variables.take(rows.matrix.indices[own].tolist()) * coefficients).sum()
        if width == 0:
            yield amplify.equal_to(left, -base, label=label)
        elif low >= 0:
            yield amplify.less_equal(left, width - base, label=label)
        elif high <= width:
            yield amplify.greater_equal(left, -base, label=label)
        else:
            yield amplify.clamp(left, (-base, width - base), label=label)


def _pair_constraints(pairs: ForbiddenPairs, variables: Any) -> Iterator[amplify.Constraint]:
    import amplify

    for first, second, owner in zip(
        pairs.first.tolist(), pairs.second.tolist(), pairs.owner.tolist(), strict=True
    ):
        label = pairs.labels(owner)
        yield amplify.equal_to(variables[first] * variables[second], 0, label=label)


def _reach(matrix: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Least and greatest value of each row over all bits, shape (rows,) each."""
    return matrix.minimum(0).sum(axis=1), matrix.maximum(0).sum(axis=1)
