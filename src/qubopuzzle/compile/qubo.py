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
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.compile.compiled import Compiled, check_weights
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
from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.model import Model

if TYPE_CHECKING:
    import dimod

PRODUCT_LIMIT = 100_000_000
"""Most products of two terms that a compilation may multiply out (about 3 GB at the peak)."""


@dataclass(frozen=True, eq=False)
class Qubo(Compiled):
    """A compiled model. ``parts`` holds one ``Quadratic`` a family, over the same bits.

    Bits are those of the encoding followed by slack bits. Nothing is left out. ``weights``
    has the penalty weight of every family.
    """

    bits: NarrowRows
    parts: Mapping[str, Quadratic]
    weights: Mapping[str, float]

    @property
    def source(self) -> Model:
        """The model that it was compiled from."""
        return self.bits.encoding.model

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """How choices became bits: ``one-hot`` or ``domain-wall``."""
        return self.bits.encoding.name

    @property
    def sizes(self) -> dict[str, int]:
        """Variables and couplings."""
        return {"variables": self.n_bits, "couplings": self.form.n_couplings}

    @property
    def groups(self) -> tuple[range, ...]:
        """The bits of each one-hot choice."""
        return self.bits.encoding.one_hot_groups()

    @cached_property
    def form(self) -> Quadratic:
        """The weighted sum of the parts."""
        return self.total()

    @cached_property
    def payload(self) -> dimod.BinaryQuadraticModel:
        """The BQM over the variables 0 .. n - 1."""
        return self.to_bqm(labelled=False)

    @property
    def gap(self) -> float:
        """The least energy of an assignment that breaks a constraint: the smallest weight."""
        return self._gap(self.weights)

    def _gap(self, weights: Mapping[str, float]) -> float:
        costing = [weights[f] for f, part in self.parts.items() if part.magnitude() > 0]
        return min(costing, default=1)

    def energies(self, samples: NDArray[Any]) -> NDArray[Any]:
        """The energy of each sample, shape (samples, bits) to (samples,)."""
        return self.form.energies(samples)

    def total(self, weights: Mapping[str, float] | None = None) -> Quadratic:
        """``Q(w) = sum of w_f Q_f``, with other weights than its own if any are given.

        Raises:
            InputError: for an unknown family, a weight that is not a positive number, or
                weights so large or far apart that double precision would lose the smallest.
        """
        given = self.weights if weights is None else check_weights(tuple(self.parts), weights)
        size = sum(given[family] * part.magnitude() for family, part in self.parts.items())
        if not size < 2**50 * min(1.0, self._gap(given)):
            raise InputError("the weights are too large or too far apart for double precision")
        terms = ((given[family], part) for family, part in self.parts.items())
        return Quadratic.weighted_sum(self.n_bits, terms)

    def to_bqm(
        self, weights: Mapping[str, float] | None = None, *, labelled: bool = True
    ) -> dimod.BinaryQuadraticModel:
        """The weighted sum as a dimod model, offset kept.

        Variables have readable labels, or are 0 .. n - 1 without ``labelled``.
        """
        import dimod

        form = self.form if weights is None else self.total(weights)
        upper = form.couplings.tocoo()
        return dimod.BinaryQuadraticModel.from_numpy_vectors(
            form.linear,
            (upper.row, upper.col, upper.data),
            form.offset,
            dimod.BINARY,
            variable_order=self.labels() if labelled else range(self.n_bits),
        )


def compile_qubo(
    model: Model, encoding: str = "one-hot", weights: Mapping[str, float] | None = None
) -> Qubo:
    """Compile a model to a QUBO.

    Args:
        encoding: ``one-hot`` or ``domain-wall``.
        weights: penalty weight by family; 1 where not given.

    Raises:
        InputError: for an unknown encoding or family, or a weight that is not positive.
        ModelError: for connectivity, see ``Model.require_local``.
        TooLarge: if more than ``PRODUCT_LIMIT`` products would have to be multiplied out.
    """
    by_family = check_weights(model.families, weights)
    bits, blocks = qubo_bits(model, encoding)
    encoded, n = bits.encoding, bits.n_bits
    check_size(encoded, blocks)

    parts = {family: [Quadratic.zero(n)] for family in model.families}
    for choices in one_hot_rows(encoded, n):
        parts[choices.family].append(squares(choices.matrix, choices.base))
    for rows in bits.rows():
        parts[rows.family] += _penalties(rows)
    for pair in forbidden_pairs(encoded):
        parts[pair.family].append(products(pair.first, pair.second, n))
    weighed = {f: Quadratic.weighted_sum(n, [(1, q) for q in forms]) for f, forms in parts.items()}
    return Qubo(bits, weighed, by_family)


def qubo_bits(model: Model, encoding: str) -> tuple[NarrowRows, list[AffineRows]]:
    """The bits of a QUBO, which is all that reading a sample takes, and its rows.

    Raises:
        InputError: for an unknown encoding.
        ModelError: for connectivity, see ``Model.require_local``.
    """
    model.require_local("a QUBO")
    encoded = encode_choices(model, encoding)
    blocks = list(lowered_rows(encoded))
    return NarrowRows.of(encoded, blocks), blocks


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
