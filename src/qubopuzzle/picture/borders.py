"""Where a picture has lines: around it, and between its rooms."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.picture.description import Picture

RIGHT, DOWN, LEFT, UP = 1, 2, 4, 8
LEVEL, UPRIGHT = RIGHT | LEFT, DOWN | UP
"""How a line leaves a cell or a corner, as in ``Picture.paths``."""

BoolArray = NDArray[np.bool_]


def borders(picture: Picture) -> tuple[BoolArray, BoolArray]:
    """The frame and what divides rooms, as lines on the left of cells and lines above.

    Returns:
        Arrays of shape (rows, columns + 1) and (rows + 1, columns).
    """
    beside = np.zeros((picture.rows, picture.columns + 1), dtype=bool)
    above = np.zeros((picture.rows + 1, picture.columns), dtype=bool)
    beside[:, [0, -1]], above[[0, -1]] = True, True
    if picture.rooms is not None:
        beside[:, 1:-1] = picture.rooms[:, 1:] != picture.rooms[:, :-1]
        above[1:-1] = picture.rooms[1:] != picture.rooms[:-1]
    return beside, above
