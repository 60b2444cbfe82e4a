"""Random shadings: black cells apart, white ones together."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import label

from qubopuzzle.compile.incremental import Random
from qubopuzzle.errors import InputError
from qubopuzzle.model import IntArray

CELL_LIMIT = 2_500


def check_shape(shape: tuple[int, int]) -> None:
    """Raise InputError for more cells than can be made."""
    if shape[0] * shape[1] > CELL_LIMIT:
        raise InputError(f"{shape[0]} x {shape[1]}: more than {CELL_LIMIT:,} cells")


def random_shading(shape: tuple[int, int], share: float, rng: Random) -> IntArray:
    """Black (1) cells one after the other wherever they may be, up to a share of all."""
    rows, columns = shape
    black = np.zeros((rows + 2, columns + 2), dtype=np.int64)
    inside = black[1:-1, 1:-1]
    for cell in rng.permutation(rows * columns).tolist():
        if inside.sum() >= share * rows * columns:
            break
        r, c = divmod(cell, columns)
        beside = black[r, c + 1] or black[r + 2, c + 1] or black[r + 1, c] or black[r + 1, c + 2]
        if not beside:
            inside[r, c] = 1
            if label(inside == 0)[1] != 1:
                inside[r, c] = 0
    return inside.copy()
