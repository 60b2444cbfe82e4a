"""The rows of a matrix by choice, and the least and greatest that they can be."""

import numpy as np
import scipy
from numpy.typing import NDArray

from qubopuzzle.model.data import IntArray, IntMatrix, Model, as_before, row_of_entry


def all_rows(model: Model) -> tuple[IntMatrix, IntArray, IntArray]:
    """All linear rows together: the matrix (rows, literals), lower and upper bounds (rows,)."""
    matrix = scipy.sparse.csr_array((0, model.n_literals), dtype=np.int64)
    if model.linear:
        matrix = scipy.sparse.csr_array(
            scipy.sparse.vstack([block.matrix for block in model.linear], dtype=np.int64)
        )
    nothing = np.zeros(0, dtype=np.int64)
    lower = np.concatenate([nothing, *(block.lower for block in model.linear)])
    upper = np.concatenate([nothing, *(block.upper for block in model.linear)])
    return matrix, lower, upper


class Segments:
    """The entries of a (rows, literals) matrix cut into stretches of one row and choice each.

    ``start`` (segments,) indexes the entries, ``count`` is how many there are; ``row`` and
    ``choice`` (segments,) describe each stretch. The matrix's indices get sorted in place.
    """

    def __init__(self, choice_of_literal: IntArray, matrix: IntMatrix) -> None:
        matrix.sort_indices()
        self.data, self.n_rows = matrix.data, matrix.shape[0]
        self.literal = matrix.indices.astype(np.int64)
        choice = choice_of_literal[self.literal]
        row = row_of_entry(matrix)
        new = ~as_before(row, choice)
        self.start, self.row, self.choice = np.flatnonzero(new), row[new], choice[new]
        self.count = np.diff(self.start, append=len(row))


def reachable(
    model: Model, matrix: IntMatrix, alive: NDArray[np.bool_] | None = None
) -> tuple[IntArray, IntArray]:
    """Least and greatest value of each row of ``matrix @ x`` over valid choices, (rows,) each.

    Of literals that are all left, or those of ``alive`` (literals,).
    """
    choice, sizes = model.choice_of_literal, model.sizes
    if alive is not None:
        choice, matrix = choice[alive], matrix[:, alive]
        sizes = np.bincount(choice, minlength=len(sizes))
    segments = Segments(choice, matrix)
    every_value = segments.count == sizes[segments.choice]  # others contribute 0
    totals = np.zeros((2, segments.n_rows), dtype=np.int64)
    for total, extreme in zip(totals, (np.minimum, np.maximum), strict=True):
        part = extreme.reduceat(segments.data, segments.start)
        np.add.at(total, segments.row, np.where(every_value, part, extreme(part, 0)))
    return totals[0], totals[1]
