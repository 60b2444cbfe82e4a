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

from qubopuzzle.compile.encoding import Encoding, encode_choices
from qubopuzzle.compile.lowering import AffineRows, ForbiddenPairs, forbidden_pairs, lowered_rows
from qubopuzzle.compile.qubo import Qubo, check_weights, compile_qubo
from qubopuzzle.errors import InputError, Unsatisfiable
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
    encoding: Encoding

    def read(self, values: Any) -> tuple[IntArray, IntArray]:
        """The answer grid of ``solution.values``, and the cells whose readings disagree."""
        field = self.encoding.model.field
        if field is None:
            raise InputError("this model paints no field")
        return field.read(self.decode(values))

    def __repr__(self) -> str:
        return f"<AmplifyModel {self.mode}: {len(self.variables)} variables>"

    def decode(self, values: Any) -> IntArray:
        """Literal values, shape (literals,), of ``solution.values`` of an Amplify result."""
        bits = np.asarray(self.variables.evaluate(values)).round().astype(np.int64)
        return self.encoding.decode(bits)


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
        Unsatisfiable: for a constraint that no assignment can meet. The SDK would drop it
            with a warning and report an unsolvable model as solved.
    """
    import amplify

    if mode not in MODES:
        raise InputError(f"unknown mode {mode!r}; choose from {', '.join(MODES)}")
    model.require_local("an Amplify model")
    if mode == "objective":
        qubo = compile_qubo(model, encoding)
        variables = _variables(qubo.labels())
        built = amplify.Model(_objective(qubo, variables, weights))
        return AmplifyModel(built, variables, mode, qubo.encoding)
    bits = encode_choices(model, encoding)
    variables = _variables(bits.labels())
    by_family = check_weights(model.families, weights)
    constraints = amplify.ConstraintList()
    for family, constraint in _constraints(bits, variables):
        if by_family[family] != 1:
            constraint.weight = by_family[family]
        constraints.append(constraint)
    return AmplifyModel(amplify.Model(constraints), variables, mode, bits)


def _variables(labels: list[str]) -> Any:
    """One binary variable a label; Amplify would typeset an underscore as an index."""
    import amplify

    generator = amplify.VariableGenerator()
    return amplify.PolyArray(
        [generator.scalar("Binary", name=label.replace("_", "-")) for label in labels]
    )


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
    return amplify.sum([*terms, amplify.Poly(form.offset)])


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
            raise Unsatisfiable(f"{label} cannot be met by any assignment: no solution")
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
