"""Lagrange multipliers of a QUBO's rows that follow samples."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

from qubopuzzle.compile.lowering import forbidden_pairs, one_hot_rows
from qubopuzzle.compile.qubo import OBJECTIVE, Quadratic, Qubo, products
from qubopuzzle.solvers.weighting import largest_changes

_HOT, _COLD = 1.0, 100.0
"""First and last inverse temperature, by what the objective changes on average by a flip."""


class Lagrangian:
    """``objective + sum over rows of multiplier * t + penalty / 2 * (t - target)**2``, as a BQM.

    A row ``0 <= t <= width`` has no slack bits: its target is a number in that range, which follows
    the samples, as the slack of the method of multipliers for inequalities does (D. Bertsekas,
    "Constrained optimization and Lagrange multiplier methods", 1982, section 3.1). Multipliers and
    penalties count in ``units``, (rows,): what the objective changes on average by a flip, by the
    square of the row's mean coefficient. Pairs of values that exclude each other weigh as much as
    the objective can change by a flip. Without an objective the penalty is 1 at least. Variables
    are the bits of choices, 0 .. n - 1.

    Attributes:
        n: how many variables there are.
        betas: a range of inverse temperatures that suits the objective.
        bqm: follows ``move``.
    """

    def __init__(self, qubo: Qubo, penalty: float) -> None:
        bits = qubo.bits
        self.n = n = int(bits.first_bit[-1])
        blocks = [*one_hot_rows(bits), *(slack.rows for slack in bits.slack)]
        matrices = [scipy.sparse.csr_array(rows.matrix)[:, :n] for rows in blocks]
        empty = scipy.sparse.csr_array((0, n))
        self._matrix = scipy.sparse.csr_array(scipy.sparse.vstack([empty, *matrices]))
        zero = np.zeros(0, dtype=np.int64)
        self._base = np.concatenate([zero, *(rows.base for rows in blocks)])
        self._width = np.concatenate([zero, *(rows.width for rows in blocks)])
        changes = largest_changes(qubo)[:n]
        usual = float(changes[changes > 0].mean()) if changes.any() else 1.0
        self.betas = _HOT / usual, _COLD / usual
        squares = (self._matrix**2).sum(axis=1) / np.maximum(np.diff(self._matrix.indptr), 1)
        self.units = usual / np.where(squares > 0, squares, 1)
        self._multipliers, self._target = np.zeros((2, len(self._base)))
        pairs = [products(each.first, each.second, n) for each in forbidden_pairs(bits)]
        self._rest = [(float(changes.max()) or 1.0, each) for each in pairs]
        if OBJECTIVE in qubo.parts:
            whole = qubo.parts[OBJECTIVE]
            objective = Quadratic(whole.linear[:n], whole.couplings[:n, :n], whole.offset)
            self._rest.append((1, objective))
        self.weigh(penalty if OBJECTIVE in qubo.parts else max(1.0, penalty))

    def weigh(self, penalty: float) -> None:
        """Take another penalty, in units."""
        self.penalty, n = penalty, self.n
        form = Quadratic.weighted_sum(n, [(1, self._squares()), *self._rest])
        self.bqm = form.to_bqm(range(n))

    def _squares(self) -> Quadratic:
        """The rows' part; constants are left out."""
        matrix, penalties = self._matrix, self.penalty * self.units
        gram = scipy.sparse.csr_array(matrix.T @ (matrix * penalties[:, None]))
        slope = self._multipliers + penalties * (self._base - self._target)
        upper = scipy.sparse.csr_array(scipy.sparse.triu(gram, k=1))
        return Quadratic(gram.diagonal() / 2 + matrix.T @ slope, upper, 0.0)

    def move(self, sample: NDArray[np.int8], step: float) -> bool:
        """Move targets to a sample, (n,), and multipliers by the rest; whether it breaks a row."""
        penalties = self.penalty * self.units
        t = self._matrix @ sample.astype(np.float64) + self._base
        target = np.clip(t + self._multipliers / penalties, 0, self._width)
        change = step * self.units * (t - target)
        slope = change - penalties * (target - self._target)
        self._multipliers, self._target = self._multipliers + change, target
        self.bqm.add_linear_from_array(self._matrix.T @ slope)
        return bool(((t < 0) | (t > self._width)).any())
