"""A model as a QUBO: one integer penalty part for each family of constraints.

Every constraint is an integer-valued affine form t of the bits, lowered to one of two
penalties that are never negative **for any setting of the bits**:

- ``t = 0``        to ``t**2``;
- ``0 <= t <= 1``  to ``t (t - 1) / 2``, the number of pairs among t units;
- ``0 <= t <= w``  to ``s (s - 1) / 2`` with ``s = t - slack``, see ``slack.py``.

Energy gap: with all weights 1 the energy is 0 exactly where all choices are valid and
all constraints hold (for some setting of the slack bits), and at least 1 elsewhere; with
weights w_f > 0 it is at least the smallest weight. No weight has to be tuned for
correctness, also where a domain wall is broken, because the parts cannot cancel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile.encoding import Encoding, encode_choices
from qubopuzzle.compile.lowering import (
    AffineRows,
    forbidden_pairs,
    lowered_rows,
    n_forbidden_pairs,
    one_hot_rows,
)
from qubopuzzle.compile.quadratic import Quadratic, pairs_of_units, products, squares
from qubopuzzle.compile.slack import NarrowRows
from qubopuzzle.errors import InputError, TooLarge, did_you_mean
from qubopuzzle.model import IntArray, Model

if TYPE_CHECKING:
    import dimod

PRODUCT_LIMIT = 100_000_000
"""Most products of two terms that a compilation may multiply out (about 3 GB at the peak)."""


@dataclass(frozen=True, slots=True, eq=False)
class Qubo:
    """A compiled model. ``parts`` holds one ``Quadratic`` a family, over the same bits.

    Bits are those of ``encoding`` followed by slack bits. Nothing is left out.
    """

    bits: NarrowRows
    parts: Mapping[str, Quadratic]

    @property
    def encoding(self) -> Encoding:
        """How choices became bits."""
        return self.bits.encoding

    @property
    def n_bits(self) -> int:
        """Number of binary variables, slack included."""
        return self.bits.n_bits

    def labels(self) -> list[str]:
        """A readable name for each bit, shape (bits,)."""
        return self.bits.labels()

    def total(self, weights: Mapping[str, float] | None = None) -> Quadratic:
        """``Q(w) = sum of w_f Q_f``; families that are not named have weight 1.

        Raises:
            InputError: for an unknown family, a weight that is not a positive number, or
                weights so large or far apart that double precision would lose the smallest.
        """
        by_family = self.weights(weights)
        size = sum(by_family[family] * part.magnitude() for family, part in self.parts.items())
        if not size < 2**50 * min(1.0, self.gap(weights)):
            raise InputError("the weights are too large or too far apart for double precision")
        return Quadratic.weighted_sum(
            self.n_bits, ((by_family[family], part) for family, part in self.parts.items())
        )

    def gap(self, weights: Mapping[str, float] | None = None) -> float:
        """The least energy of an assignment that breaks a constraint: the smallest weight."""
        by_family = self.weights(weights)
        costing = [by_family[f] for f, part in self.parts.items() if part.magnitude() > 0]
        return min(costing, default=1)

    def weights(self, weights: Mapping[str, float] | None = None) -> dict[str, float]:
        """The weight of every family, checked; see ``total``."""
        return check_weights(tuple(self.parts), weights)

    def to_bqm(
        self, weights: Mapping[str, float] | None = None, *, labelled: bool = True
    ) -> dimod.BinaryQuadraticModel:
        """The weighted sum as a dimod model, offset kept.

        Variables have readable labels, or are 0 .. n - 1 without ``labelled``.
        """
        import dimod

        form = self.total(weights)
        upper = form.couplings.tocoo()
        return dimod.BinaryQuadraticModel.from_numpy_vectors(
            form.linear,
            (upper.row, upper.col, upper.data),
            form.offset,
            dimod.BINARY,
            variable_order=self.labels() if labelled else range(self.n_bits),
        )

    def decode(self, bits: NDArray[Any]) -> IntArray:
        """Literal values of samples, shape (..., bits) to (..., literals)."""
        return self.encoding.decode(bits)

    def encode(self, x: NDArray[Any]) -> IntArray:
        """Bits, shape (bits,), of a valid literal vector, with the slack at its best."""
        return self.bits.encode(x)


def check_weights(families: Sequence[str], weights: Mapping[str, float] | None) -> dict[str, float]:
    """A weight for each family: the given one, or 1.

    Raises:
        InputError: for an unknown family or a weight that is not a positive number.
    """
    for family, weight in (weights or {}).items():
        if family not in families:
            known = f"this model has: {', '.join(families) or 'none'}"
            hint = did_you_mean(family, families, known)
            raise InputError(f"weight for unknown family {family!r}; {hint}")
        if not (isinstance(weight, Real) and isfinite(weight) and weight > 0):
            raise InputError(f"weight of {family} must be a positive number, got {weight!r:.40}")
    given = {f: int(w) if w == int(w) else float(w) for f, w in (weights or {}).items()}
    return {family: given.get(family, 1) for family in families}


def compile_qubo(model: Model, encoding: str = "one-hot") -> Qubo:
    """Compile a model to a QUBO; pure, weights come later.

    Args:
        encoding: ``one-hot`` or ``domain-wall``.

    Raises:
        InputError: for an unknown encoding.
        ModelError: for connectivity, see ``Model.require_local``.
        TooLarge: if more than ``PRODUCT_LIMIT`` products would have to be multiplied out.
    """
    model.require_local("a QUBO")
    encoded = encode_choices(model, encoding)
    blocks = list(lowered_rows(encoded))
    check_size(encoded, blocks)
    bits = NarrowRows.of(encoded, blocks)
    n = bits.n_bits

    parts = {family: [Quadratic.zero(n)] for family in model.families}
    for choices in one_hot_rows(encoded, n):
        parts[choices.family].append(squares(choices.matrix, choices.base))
    for rows in bits.rows():
        parts[rows.family] += _penalties(rows)
    for pair in forbidden_pairs(encoded):
        parts[pair.family].append(products(pair.first, pair.second, n))
    weighed = {f: Quadratic.weighted_sum(n, [(1, q) for q in forms]) for f, forms in parts.items()}
    return Qubo(bits, weighed)


def check_size(bits: Encoding, blocks: Sequence[AffineRows]) -> None:
    """TooLarge if multiplying everything out would take over ``PRODUCT_LIMIT`` products."""
    one_hot = bits.model.sizes[~bits.walls]
    terms = int((one_hot**2).sum()) + n_forbidden_pairs(bits)
    terms += sum(int((np.diff(b.matrix.indptr).astype(np.int64) ** 2).sum()) for b in blocks)
    if terms > PRODUCT_LIMIT:
        other = "" if bits.walls.all() else "--encoding domain-wall or "
        raise TooLarge(
            f"the QUBO needs {terms:,} products, more than {PRODUCT_LIMIT:,}; "
            f"try another formulation, {other}--presolve propagate"
        )


def _penalties(rows: AffineRows) -> list[Quadratic]:
    equal = rows.width == 0
    return [
        squares(rows.matrix[equal], rows.base[equal]),
        pairs_of_units(rows.matrix[~equal], rows.base[~equal]),
    ]
