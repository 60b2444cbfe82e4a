"""The rows of a matrix by choice, and the least and greatest that they can be."""

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.model.data import IntArray, IntMatrix, Model, as_before

_HUGE = np.iinfo(np.int64).max // 4


class Segments:
    """The entries of a (rows, literals) matrix cut into stretches of one row and choice each.

    ``start`` (segments,) indexes the entries; ``row`` and ``choice`` (segments,) describe
    each stretch, ``of_entry`` (entries,) leads back. The matrix's indices get sorted in place.
    """

    def __init__(self, model: Model, matrix: IntMatrix) -> None:
        matrix.sort_indices()
        self.data, self.n_rows = matrix.data, matrix.shape[0]
        self.literal = matrix.indices.astype(np.int64)
        choice = model.choice_of_literal[self.literal]
        row = np.repeat(np.arange(self.n_rows), np.diff(matrix.indptr))
        new = ~as_before(row, choice)
        self.start, self.of_entry = np.flatnonzero(new), np.cumsum(new) - 1
        self.row, self.choice = row[new], choice[new]

    def extremes(
        self, domain: NDArray[np.bool_], alive_sizes: IntArray
    ) -> tuple[IntArray, IntArray, NDArray[np.bool_]]:
        """Least and greatest coefficient of each segment over the values still domain.

        Returns the two and whether some domain value of the choice is not in the
        segment (it then contributes 0), shape (segments,) each.
        """
        lit_alive = domain[self.literal]
        low = np.minimum.reduceat(np.where(lit_alive, self.data, _HUGE), self.start)
        high = np.maximum.reduceat(np.where(lit_alive, self.data, -_HUGE), self.start)
        present = np.add.reduceat(lit_alive.astype(np.int64), self.start)
        has_zero = present < alive_sizes[self.choice]
        low = np.where(has_zero, np.minimum(low, 0), low)
        high = np.where(has_zero, np.maximum(high, 0), high)
        return low, high, has_zero

    def total(self, by_segment: IntArray) -> IntArray:
        """Sum over the segments of each row, shape (rows,)."""
        out = np.zeros(self.n_rows, dtype=np.int64)
        np.add.at(out, self.row, by_segment)
        return out


def reachable(model: Model, matrix: IntMatrix) -> tuple[IntArray, IntArray]:
    """Least and greatest value of each row of ``matrix @ x`` over valid choices, (rows,) each."""
    segments = Segments(model, matrix)
    low, high, _ = segments.extremes(np.ones(model.n_literals, dtype=bool), model.sizes)
    return segments.total(low), segments.total(high)
