"""A model as a QUBO: one integer penalty part for each family of constraints.

Every constraint is an integer-valued affine form t of the bits, lowered to one of two
penalties that are never negative **for any setting of the bits**:

- ``t = 0``        to ``t**2``;
- ``0 <= t <= 1``  to ``t (t - 1) / 2``, the number of pairs among t units;
- ``0 <= t <= w``  to ``s (s - 1) / 2`` with ``s = t - slack``, where slack bits weigh
  2, 4, 8, ... and a remainder, w - 1 in all: one bit fewer than a slack for a square.

Energy gap: with all weights 1 the energy is 0 exactly where all choices are valid and
all constraints hold (for some setting of the slack bits), and at least 1 elsewhere; with
weights w_f > 0 it is at least the smallest weight. No weight has to be tuned for
correctness, also where a domain wall is broken, because the parts cannot cancel.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qubopuzzle.compile.encoding import Encoding, encode_choices
from qubopuzzle.compile.lowering import (
    AffineRows,
    forbidden_pairs,
    lowered_rows,
    n_forbidden_pairs,
)
from qubopuzzle.compile.quadratic import Quadratic, pairs_of_units, products, squares
from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.model import IntArray, IntMatrix, Model

if TYPE_CHECKING:
    import dimod

PRODUCT_LIMIT = 100_000_000
"""Most products of two terms that a compilation may multiply out (about 3 GB at the peak)."""


@dataclass(frozen=True, slots=True, eq=False)
class _Slack:
    """Slack bits of one block of rows: bit ``first + i`` has ``weight[i]`` in row ``row[i]``."""

    rows: AffineRows
    first: int
    row: IntArray
    weight: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Qubo:
    """A compiled model. ``parts`` holds one ``Quadratic`` a family, over the same bits.

    Bits are those of ``encoding`` followed by slack bits. Nothing is left out.
    """

    encoding: Encoding
    parts: Mapping[str, Quadratic]
    _slack: tuple[_Slack, ...]

    @property
    def n_bits(self) -> int:
        """Number of binary variables, slack included."""
        return self.encoding.n_bits + sum(len(s.row) for s in self._slack)

    def labels(self) -> list[str]:
        """A readable name for each bit, shape (bits,)."""
        names = self.encoding.labels()
        for slack in self._slack:
            starts = np.searchsorted(slack.row, slack.row).tolist()
            for i, (row, start) in enumerate(zip(slack.row.tolist(), starts, strict=True)):
                names.append(f"{slack.rows.labels(row)}.slack[{i - start}]")
        return _distinct(names)

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
        own = self.encoding.encode(x)
        parts = [own]
        for slack in self._slack:
            value = slack.rows.matrix @ own + slack.rows.base
            bits = np.zeros(len(slack.row), dtype=np.int64)
            # Weights of a row are sorted downwards and none exceeds the sum of the
            # later ones by more than 2, so taking what fits leaves 0 or 1.
            for i, (row, weight) in enumerate(zip(slack.row, slack.weight, strict=True)):
                if value[row] >= weight:
                    bits[i] = 1
                    value[row] -= weight
            parts.append(bits)
        return np.concatenate(parts)


def check_weights(families: Sequence[str], weights: Mapping[str, float] | None) -> dict[str, float]:
    """A weight for each family: the given one, or 1.

    Raises:
        InputError: for an unknown family or a weight that is not a positive number.
    """
    for family, weight in (weights or {}).items():
        if family not in families:
            known = ", ".join(families) or "none"
            raise InputError(f"weight for unknown family {family!r}; this model has: {known}")
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
    bits = encode_choices(model, encoding)
    blocks = list(lowered_rows(bits))
    _check_size(bits, blocks)

    slacks: list[_Slack] = []
    first = bits.n_bits
    for block in blocks:
        slack = _slack_bits(block, first)
        slacks.append(slack)
        first += len(slack.row)
    n = first

    parts = {family: [Quadratic.zero(n)] for family in model.families}
    for family, one_hot in _one_hot_parts(bits, n):
        parts[family].append(one_hot)
    for slack in slacks:
        parts[slack.rows.family] += _penalties(slack, n)
    for pair in forbidden_pairs(bits):
        parts[pair.family].append(products(pair.first, pair.second, n))
    return Qubo(
        bits,
        {f: Quadratic.weighted_sum(n, [(1, q) for q in forms]) for f, forms in parts.items()},
        tuple(s for s in slacks if len(s.row)),
    )


def _check_size(bits: Encoding, blocks: list[AffineRows]) -> None:
    one_hot = bits.model.sizes[~bits.walls]
    terms = int((one_hot**2).sum()) + n_forbidden_pairs(bits)
    terms += sum(int((np.diff(b.matrix.indptr).astype(np.int64) ** 2).sum()) for b in blocks)
    if terms > PRODUCT_LIMIT:
        other = "" if bits.walls.all() else "--encoding domain-wall or "
        raise TooLarge(
            f"the QUBO needs {terms:,} products, more than {PRODUCT_LIMIT:,}; "
            f"try another formulation, {other}--presolve propagate"
        )


def _one_hot_parts(bits: Encoding, n: int) -> Iterator[tuple[str, Quadratic]]:
    """``(sum of a choice's bits - 1)**2`` for one-hot choices, by family."""
    model = bits.model
    families = np.array([choice.family for choice in model.choices])
    for family in dict.fromkeys(families.tolist()):
        chosen = np.flatnonzero(~bits.walls & (families == family))
        size = model.sizes[chosen]
        rows = np.repeat(np.arange(len(chosen)), size)
        start = bits.first_bit[chosen] - np.concatenate([[0], np.cumsum(size)[:-1]])[: len(size)]
        columns = np.arange(int(size.sum())) + start[rows]
        ones = np.ones(len(rows), dtype=np.int64)
        matrix = csr_array((ones, (rows, columns)), shape=(len(chosen), n))
        yield family, squares(matrix, np.full(len(chosen), -1, dtype=np.int64))


def _slack_bits(rows: AffineRows, first: int) -> _Slack:
    """Slack weights of all rows wider than 1, downwards in each row."""
    row_of: list[int] = []
    weights: list[int] = []
    for row in np.flatnonzero(rows.width > 1).tolist():
        own = _slack_weights(int(rows.width[row]))
        row_of += [row] * len(own)
        weights += own
    return _Slack(rows, first, np.array(row_of, np.int64), np.array(weights, np.int64))


def _slack_weights(width: int) -> list[int]:
    """Weights whose sums run from 0 to width - 1 in steps of at most 2, largest first."""
    rest, weights = width - 1, []
    weight = 2
    while weight <= rest:
        weights.append(weight)
        rest -= weight
        weight *= 2
    return sorted([*weights, rest] if rest else weights, reverse=True)


def _penalties(slack: _Slack, n: int) -> list[Quadratic]:
    rows = slack.rows
    entries = (-slack.weight, (slack.row, slack.first + np.arange(len(slack.row))))
    own = csr_array(rows.matrix)
    own.resize((own.shape[0], n))
    matrix: IntMatrix = csr_array(own + csr_array(entries, shape=own.shape))
    equal = rows.width == 0
    return [
        squares(matrix[equal], rows.base[equal]),
        pairs_of_units(matrix[~equal], rows.base[~equal]),
    ]


def _distinct(names: list[str]) -> list[str]:
    """Names as they are; a name that comes again is numbered."""
    if len(set(names)) == len(names):
        return names
    count = dict.fromkeys(names, 0)
    distinct = []
    for name in names:
        count[name] += 1
        distinct.append(name if count[name] == 1 else f"{name}#{count[name]}")
    return distinct
