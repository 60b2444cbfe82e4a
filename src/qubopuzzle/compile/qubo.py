"""A model as a QUBO: one integer penalty part for each family of constraints.

Every constraint is an integer-valued affine form t of the bits, lowered to one of two
penalties that are never negative **for any setting of the bits**:

- ``t = 0``        to ``t**2``;
- ``0 <= t <= 1``  to ``t (t - 1) / 2``, the number of pairs among t units;
- ``0 <= t <= w``  to ``s (s - 1) / 2`` with ``s = t - slack``, see ``encoding.py``.

Energy gap: with all weights 1 the energy is 0 exactly where all choices are valid and
all constraints hold (for some setting of the slack bits), and at least 1 elsewhere; with
weights w_f > 0 it is at least the smallest weight. No weight has to be tuned for
correctness, also where a domain wall is broken, because the parts cannot cancel.

An objective is added at weight 1, as the part ``OBJECTIVE``; the other weights are then by
default larger than its range, so that the least energy is that of the best valid assignment.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy
from numpy.typing import NDArray

from qubopuzzle.compile.compiled import Compiled, check_weights, sure_weight
from qubopuzzle.compile.encoding import AffineRows, Encoding, encode_choices
from qubopuzzle.compile.lowering import (
    forbidden_pairs,
    lowered_rows,
    n_forbidden_pairs,
    one_hot_rows,
)
from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.model import IntArray, Model, Objective
from qubopuzzle.model.data import row_of_entry

if TYPE_CHECKING:
    import dimod

OBJECTIVE = "objective"
"""The name of the part that is no penalty."""
PRODUCT_LIMIT = 100_000_000
"""Most products of two terms that a compilation may multiply out (about 3 GB at the peak)."""


@dataclass(frozen=True, slots=True, eq=False)
class Quadratic:
    """``offset + linear . b + sum over couplings``: one penalty part, exact.

    ``linear`` has shape (bits,), ``couplings`` is a strictly upper triangular sparse
    (bits, bits) matrix without stored zeros. Integer unless weights were not.
    """

    linear: NDArray[Any]
    couplings: Any
    offset: float | int

    @classmethod
    def weighted_sum(cls, n: int, terms: Iterable[tuple[float, Quadratic]]) -> Quadratic:
        """``sum of weight * form``; integer weights keep integers."""
        linear: NDArray[Any] = np.zeros(n, dtype=np.int64)
        couplings: Any = scipy.sparse.csr_array((n, n), dtype=np.int64)
        offset: float | int = 0
        for weight, form in terms:
            linear = linear + weight * form.linear
            couplings = couplings + weight * form.couplings
            offset += weight * form.offset
        couplings = scipy.sparse.csr_array(couplings)
        couplings.eliminate_zeros()
        return cls(linear, couplings, offset)

    @property
    def n_couplings(self) -> int:
        """Number of couplings with a coefficient other than 0."""
        return int(self.couplings.nnz)

    @property
    def n_terms(self) -> int:
        """Number of monomials other than 0, the constant among them."""
        return int(np.count_nonzero(self.linear)) + self.n_couplings + (self.offset != 0)

    def magnitude(self) -> float:
        """A bound on the absolute value of the form and of every sum on the way to it."""
        parts = np.abs(self.linear).sum(), np.abs(self.couplings.data).sum(), abs(self.offset)
        return float(sum(map(float, parts)))

    def energies(self, bits: NDArray[Any]) -> NDArray[Any]:
        """Energy of each sample; ``bits`` has shape (samples, n), the result (samples,)."""
        b = bits.astype(np.int64)
        return np.asarray((b @ self.couplings * b).sum(axis=1) + b @ self.linear + self.offset)

    def to_bqm(self, variables: Iterable[Hashable]) -> dimod.BinaryQuadraticModel:
        """The form as a dimod model over variables of these names, (bits,), offset kept."""
        import dimod

        upper = self.couplings.tocoo()
        return dimod.BinaryQuadraticModel.from_numpy_vectors(
            self.linear,
            (upper.row, upper.col, upper.data),
            self.offset,
            dimod.BINARY,
            variable_order=variables,
        )

    def coefficient_range(self) -> tuple[float, float]:
        """Least and greatest absolute coefficient other than 0; (0, 0) if there are none."""
        values = np.abs(np.concatenate([self.linear, self.couplings.data]))
        values = values[values > 0]
        return (values.min().item(), values.max().item()) if len(values) else (0, 0)


@dataclass(frozen=True, eq=False, repr=False)
class Qubo(Compiled):
    """A compiled model. ``parts`` holds one ``Quadratic`` a family, over the same bits.

    Bits are those of the encoding followed by slack bits. Nothing is left out. ``weights``
    has the penalty weight of every family.
    """

    parts: Mapping[str, Quadratic]
    weights: Mapping[str, float]

    @property
    def sizes(self) -> dict[str, int]:
        """Variables and couplings."""
        return {"variables": self.n_bits, "couplings": self._sum.n_couplings}

    @cached_property
    def form(self) -> Quadratic:
        """The weighted sum of the parts; raises as ``total``."""
        self._check(self.weights)
        return self._sum

    @cached_property
    def _sum(self) -> Quadratic:
        return self._weighted(self.weights)

    def _weighted(self, weights: Mapping[str, float]) -> Quadratic:
        terms = ((weights[family], part) for family, part in self.parts.items())
        return Quadratic.weighted_sum(self.n_bits, terms)

    @cached_property
    def payload(self) -> dimod.BinaryQuadraticModel:
        """The BQM over the variables 0 .. n - 1."""
        return self.to_bqm(labelled=False)

    @property
    def gap(self) -> float:
        """The least energy of an assignment that breaks a constraint: the smallest weight."""
        return self._gap(self.weights)

    def _gap(self, weights: Mapping[str, float]) -> float:
        penalties = ((f, part) for f, part in self.parts.items() if f != OBJECTIVE)
        return min((weights[f] for f, part in penalties if part.magnitude() > 0), default=1)

    @property
    def unit(self) -> float:
        """The gap, or the objective's least coefficient, but for those below 1/1000 of the rest."""
        objective = self.parts.get(OBJECTIVE)
        if objective is None:
            return self.gap
        least, greatest = objective.coefficient_range()
        return min(self.gap, max(least, greatest / 1000)) or self.gap

    def energies(self, samples: NDArray[Any]) -> NDArray[Any]:
        """The energy of each sample, shape (samples, bits) to (samples,).

        Part by part: what breaks nothing costs its objective alone, however large the weights.
        """
        parts = (self.weights[name] * part.energies(samples) for name, part in self.parts.items())
        return np.asarray(sum(parts, np.zeros(len(samples), dtype=np.int64)))

    def penalties(self, samples: NDArray[Any]) -> NDArray[Any]:
        """What samples break, at weights of 1, shape (samples, bits) to (samples,)."""
        parts = (part.energies(samples) for name, part in self.parts.items() if name != OBJECTIVE)
        return np.asarray(sum(parts, np.zeros(len(samples), dtype=np.int64)))

    def objectives(self, samples: NDArray[Any]) -> NDArray[Any]:
        """The objective's share of the energies, shape (samples, bits) to (samples,)."""
        part = self.parts.get(OBJECTIVE)
        return np.zeros(len(samples)) if part is None else part.energies(samples)

    def total(self, weights: Mapping[str, float] | None = None) -> Quadratic:
        """``Q(w) = sum of w_f Q_f``, with other weights than its own if any are given.

        Raises:
            InputError: for an unknown family, a weight that is not a positive number, or
                weights so large or far apart that double precision would lose the smallest.
        """
        if weights is None:
            return self.form
        given = check_weights(tuple(self.parts), weights)
        self._check(given)
        return self._weighted(given)

    def _check(self, weights: Mapping[str, float]) -> None:
        size = sum(weights[family] * part.magnitude() for family, part in self.parts.items())
        if not size < 2**50 * min(1.0, self._gap(weights)):
            raise InputError("the weights are too large or too far apart for double precision")

    def sources(self, i: int, j: int) -> list[tuple[str, str, float]]:
        """What a coefficient is the sum of: family, label of a constraint, and its share.

        Of the coupling of variables i and j, or of the linear coefficient of i where j is i; labels
        of the objective are empty.
        """
        i, j, bits, result = min(i, j), max(i, j), self.bits, list[tuple[str, str, float]]()
        for rows in chain(one_hot_rows(bits), (s.narrowed(self.n_bits) for s in bits.slack)):
            # As in ``penalty``.
            (a, b), square = rows.matrix[:, [i, j]].toarray().T, 2 - rows.width
            single = square * a * a + a * (2 * square * rows.base - rows.width)
            share = single // 2 if i == j else square * a * b
            weight = self.weights[rows.family]
            for row in np.flatnonzero(share).tolist():
                result.append((rows.family, rows.labels(row), float(weight * share[row])))
        for pairs in forbidden_pairs(bits):
            ends = np.sort(np.stack([pairs.first, pairs.second]), axis=0)
            for pair in np.flatnonzero((ends[0] == i) & (ends[1] == j)).tolist():
                label = pairs.labels(int(pairs.owner[pair]))
                result.append((pairs.family, label, float(self.weights[pairs.family])))
        if OBJECTIVE in self.parts:
            objective = self.parts[OBJECTIVE]
            share = objective.linear[i] if i == j else objective.couplings[[i], [j]][0]
            result += [(OBJECTIVE, "", float(share))] if share else []
        return result

    def to_bqm(
        self, weights: Mapping[str, float] | None = None, *, labelled: bool = True
    ) -> dimod.BinaryQuadraticModel:
        """The weighted sum as a dimod model, offset kept.

        Variables have readable labels, or are 0 .. n - 1 without ``labelled``.
        """
        form = self.form if weights is None else self.total(weights)
        return form.to_bqm(self.labels() if labelled else range(self.n_bits))


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
    sure = sure_weight(model, walls=encoding == "domain-wall")
    by_family = check_weights(model.families, weights, sure)
    bits = qubo_bits(model, encoding)
    check_size(bits)
    n = bits.n_bits
    forms: dict[str, list[Quadratic]] = {family: [] for family in model.families}
    for rows in chain(one_hot_rows(bits), (slack.narrowed(n) for slack in bits.slack)):
        forms[rows.family].append(penalty(rows))
    for pair in forbidden_pairs(bits):
        forms[pair.family].append(products(pair.first, pair.second, n))
    parts = {
        f: Quadratic.weighted_sum(n, [(1, q) for q in of_family]) for f, of_family in forms.items()
    }
    if model.objective is not None:
        parts[OBJECTIVE] = objective_form(bits, model.objective)
        by_family[OBJECTIVE] = 1
    return Qubo(bits, parts, by_family)


def objective_form(bits: Encoding, objective: Objective) -> Quadratic:
    """An objective over the bits of an encoding, exact for assignments.

    What the cheapest value of a choice costs is in the offset, so that nothing is saved by a
    choice that takes no value.
    """
    model = bits.model
    least = np.full(len(model.choices), np.inf)
    np.minimum.at(least, model.choice_of_literal, objective.linear)
    objective = Objective(
        objective.linear - least[model.choice_of_literal],
        objective.couplings,
        objective.offset + float(least.sum()),
    )
    both = objective.couplings + objective.couplings.T
    matrix, base = bits.matrix, bits.base
    gram = scipy.sparse.csr_array(matrix.T @ objective.couplings @ matrix)
    linear = matrix.T @ (objective.linear + both @ base) + gram.diagonal()
    strict = scipy.sparse.triu(gram, k=1) + scipy.sparse.triu(gram.T, k=1)
    couplings, n = scipy.sparse.csr_array(strict), bits.n_bits
    couplings.resize((n, n))
    couplings.eliminate_zeros()
    linear = np.append(linear, np.zeros(n - len(linear)))
    return Quadratic(linear, couplings, objective.value(base))


def qubo_bits(model: Model, encoding: str) -> Encoding:
    """The bits of a QUBO, which is all that reading a sample takes.

    Raises:
        InputError: for an unknown encoding.
        ModelError: for connectivity, see ``Model.require_local``.
    """
    model.require_local("a QUBO")
    model.require_small("a QUBO")
    bits = encode_choices(model, encoding)
    return bits.with_slack(lowered_rows(bits))


def check_size(bits: Encoding) -> None:
    """TooLarge if multiplying everything out would take over ``PRODUCT_LIMIT`` products."""
    terms = int((bits.model.sizes[~bits.domain_wall] ** 2).sum()) + n_forbidden_pairs(bits)
    for slack in bits.slack:
        terms += int((np.diff(slack.rows.matrix.indptr).astype(np.int64) ** 2).sum())
    if terms > PRODUCT_LIMIT:
        other = "" if bits.domain_wall.all() else "--encoding domain-wall or "
        raise TooLarge(
            f"the QUBO needs {terms:,} products, more than {PRODUCT_LIMIT:,}; "
            f"try another formulation, {other}--presolve propagate"
        )


def penalty(rows: AffineRows) -> Quadratic:
    """``t**2`` for each row ``t = 0``, ``t (t - 1) / 2`` for each row ``0 <= t <= 1``.

    The latter counts the pairs among t units: 0 where t is 0 or 1, else >= 1, for every
    integer t, negative ones too. Coefficients are integers because a**2 - a is even.
    """
    # Twice that is square * t**2 - line * t.
    square, line = 2 - rows.width, rows.width
    matrix, n = rows.matrix, rows.matrix.shape[1]
    scaled = matrix.data * np.repeat(square, np.diff(matrix.indptr))
    gram = matrix.T.tocsr() @ scipy.sparse.csr_array(
        (scaled, matrix.indices, matrix.indptr), matrix.shape
    )
    linear = gram.diagonal() + matrix.T @ (2 * square * rows.base - line)
    # The strict upper triangle; ``triu`` would take a small model longer than all the rest.
    row = row_of_entry(gram)
    kept = (gram.indices > row) & (gram.data != 0)
    ends = np.append(0, np.cumsum(np.bincount(row[kept], minlength=n)))
    couplings = scipy.sparse.csr_array((gram.data[kept], gram.indices[kept], ends), gram.shape)
    couplings.sort_indices()
    offset = int(((square * rows.base - line) * rows.base).sum()) // 2
    return Quadratic(linear // 2, couplings, offset)


def products(first: IntArray, second: IntArray, n: int) -> Quadratic:
    """``sum of b[first] * b[second]``; every pair adds 1."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    couplings = scipy.sparse.csr_array((np.ones(len(first), np.int64), (low, high)), shape=(n, n))
    couplings.sum_duplicates()
    return Quadratic(np.zeros(n, np.int64), couplings, 0)
