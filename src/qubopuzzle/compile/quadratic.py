"""Quadratic pseudo-Boolean forms as arrays, and the two penalties that everything is made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, triu

from qubopuzzle.model import IntArray, IntMatrix


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
    def zero(cls, n: int) -> Quadratic:
        """The form that is 0 everywhere on ``n`` bits."""
        return cls(np.zeros(n, np.int64), csr_array((n, n), dtype=np.int64), 0)

    @classmethod
    def weighted_sum(cls, n: int, terms: Iterable[tuple[float, Quadratic]]) -> Quadratic:
        """``sum of weight * form``; integer weights keep integers."""
        linear: NDArray[Any] = np.zeros(n, dtype=np.int64)
        couplings: Any = csr_array((n, n), dtype=np.int64)
        offset: float | int = 0
        for weight, form in terms:
            linear = linear + weight * form.linear
            couplings = couplings + weight * form.couplings
            offset += weight * form.offset
        couplings = csr_array(couplings)
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

    def coefficient_range(self) -> tuple[float, float]:
        """Least and greatest absolute coefficient other than 0; (0, 0) if there are none."""
        values = np.abs(np.concatenate([self.linear, self.couplings.data]))
        values = values[values > 0]
        return (values.min().item(), values.max().item()) if len(values) else (0, 0)


def squares(matrix: IntMatrix, base: IntArray) -> Quadratic:
    """``sum over rows of t**2`` with ``t = matrix @ b + base``: 0 where every t is 0, else >= 1."""
    gram = matrix.T.tocsr() @ matrix
    linear = gram.diagonal() + 2 * (matrix.T @ base)
    return Quadratic(linear, _upper(gram, 2), int(base @ base))


def pairs_of_units(matrix: IntMatrix, base: IntArray) -> Quadratic:
    """``sum over rows of t (t - 1) / 2`` with ``t = matrix @ b + base``.

    Counts the pairs among t units: 0 where every t is 0 or 1, else >= 1, for every
    integer t, negative ones too. Coefficients are integers because a**2 - a is even.
    """
    gram = matrix.T.tocsr() @ matrix
    linear = (gram.diagonal() - matrix.sum(axis=0)) // 2 + matrix.T @ base
    return Quadratic(linear, _upper(gram, 1), int((base * (base - 1)).sum()) // 2)


def products(first: IntArray, second: IntArray, n: int) -> Quadratic:
    """``sum of b[first] * b[second]``; every pair adds 1."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    couplings = csr_array((np.ones(len(first), np.int64), (low, high)), shape=(n, n))
    couplings.sum_duplicates()
    return Quadratic(np.zeros(n, np.int64), couplings, 0)


def _upper(gram: Any, factor: int) -> Any:
    upper = csr_array(triu(gram, k=1, format="csr")) * factor
    upper.eliminate_zeros()
    return upper
