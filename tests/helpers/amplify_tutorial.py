"""The picross model as Fixstars' tutorial formulates it, built with the Amplify SDK alone.

The yardstick for our ``numbering`` formulation, with which tests compare energies. The
formulation is the tutorial's (number k of a line is written on the first cell of its k-th run),
and so is the way of building: Python loops over cells and numbers, one SDK constraint for each
rule and place.
https://amplify.fixstars.com/en/demo/picross
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import amplify
import numpy as np

Clues = Sequence[Sequence[int]]


def tutorial_model(rows: Clues, cols: Clues) -> tuple[amplify.Model, list[Any]]:
    """The constraint model, and its arrays of variables: one a row, then one a column."""
    generator = amplify.VariableGenerator()
    constraints = amplify.ConstraintList()
    painted, arrays = [], []
    for clues, length in ((rows, len(cols)), (cols, len(rows))):
        picture = amplify.PolyArray(np.zeros((len(clues), length)))
        for i, clue in enumerate(clues):
            q = generator.array("Binary", shape=(length, len(clue)))
            arrays.append(q)
            if clue:
                q[length - clue[-1] + 1 :, len(clue) - 1] = 0
                constraints += _line(q, clue, length)
            for k, h in enumerate(clue):
                for j in range(length):
                    picture[i, j] += q[max(0, j - h + 1) : j + 1, k].sum()
        painted.append(picture)
    by_rows, by_columns = painted
    constraints += amplify.equal_to(by_rows - by_columns.T, 0, axis=())
    return amplify.Model(constraints), arrays


def free_variables(arrays: Sequence[Any], rows: Clues, cols: Clues) -> list[amplify.Variable]:
    """The variables that are not fixed to 0, in the order of our one-hot bits.

    That order is: rows first, then columns; in a line number by number; for a number
    cell by cell.
    """
    lines = [(clue, len(cols)) for clue in rows] + [(clue, len(rows)) for clue in cols]
    return [
        next(iter(q[j, k].variables))
        for q, (clue, length) in zip(arrays, lines, strict=True)
        for k, h in enumerate(clue)
        for j in range(length - h + 1 if k == len(clue) - 1 else length)
    ]


def _line(q: Any, clue: Sequence[int], length: int) -> amplify.ConstraintList:
    """At most one number a cell, each number once, and in their order with room between."""
    constraints = amplify.ConstraintList()
    constraints += amplify.less_equal(q, 1, axis=1)
    constraints += amplify.one_hot(q, axis=0)
    for j in range(length):
        for k, h in enumerate(clue[:-1]):
            too_near = q[j, k] * q[: j + h + 1, k + 1]
            constraints += amplify.equal_to(too_near, 0, axis=())
    return constraints


def tutorial_polynomial(model: amplify.Model) -> amplify.Poly:
    """The QUBO that the SDK makes of the model: the sum of its penalties, weights included."""
    return amplify.sum([c.penalty for c in model.constraints])
