"""Least and greatest value of linear rows, knowing that each choice takes one value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.model.data import IntArray, IntMatrix, Model

_HUGE = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """A matrix's entries cut into stretches of one row and one choice each.

    ``start`` (segments,) indexes the entries; ``row``, ``choice`` and ``size``
    (segments,) describe each stretch, ``of_entry`` (entries,) leads back.
    """

    data: IntArray
    literal: IntArray
    start: IntArray
    row: IntArray
    choice: IntArray
    of_entry: IntArray
    n_rows: int

    @classmethod
    def of(cls, model: Model, matrix: IntMatrix) -> Segments:
        """Cut a (rows, literals) matrix; its column indices get sorted in place."""
        matrix.sort_indices()
        literal = matrix.indices.astype(np.int64)
        choice = model.choice_of_literal[literal]
        row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        new = np.ones(len(literal), dtype=bool)
        new[1:] = (row[1:] != row[:-1]) | (choice[1:] != choice[:-1])
        start = np.flatnonzero(new)
        of_entry = np.cumsum(new) - 1
        return cls(
            matrix.data, literal, start, row[start], choice[start], of_entry, matrix.shape[0]
        )

    def extremes(
        self, alive: NDArray[np.bool_], alive_sizes: IntArray
    ) -> tuple[IntArray, IntArray, NDArray[np.bool_]]:
        """Least and greatest coefficient of each segment over the values still alive.

        Returns the two and whether some alive value of the choice is not in the
        segment (it then contributes 0), shape (segments,) each.
        """
        lit_alive = alive[self.literal]
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
    segments = Segments.of(model, matrix)
    low, high, _ = segments.extremes(np.ones(model.n_literals, dtype=bool), model.sizes)
    return segments.total(low), segments.total(high)
