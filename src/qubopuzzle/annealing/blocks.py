"""Blocks of choices that are set so that all equalities hold, the others staying as they are.

An equality with large coefficients is hit by chance: near it, most moves of single choices lead
past it. But the sums that seventeen bits can make are few enough to be listed, and two such lists
hold all sums of their union: what is missing in one is looked up in the other. That searches the
billions of states of a block in some milliseconds (Horowitz and Sahni, "Computing partitions with
applications to the knapsack problem", Journal of the ACM 21, 1974).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qubopuzzle.model import IntArray

if TYPE_CHECKING:
    from qubopuzzle.annealing.form import AnnealingForm

_BITS = 17
"""Binary logarithm of the states of half a block."""
_LEAST_HITS = -12.0
"""Binary logarithm of how many states of a block are expected to meet all equalities, at least."""
_LOOKED_AT = 8
"""Matches of a block whose energy is looked at."""
_Keys = NDArray[np.uint64]


class Blocks:
    """Blocks of the choices in equalities with large coefficients.

    A state's *key* is the sum of all equalities with random factors, modulo 2**64: states that meet
    them have the same one, and others have it with a chance of 2**-64.
    """

    def __init__(self, form: AnnealingForm) -> None:
        a, rows = form.arrays, form.propagator.rows
        equal = a.lower == a.upper
        factor = np.random.default_rng(0).integers(2**64, size=a.n_rows, dtype=np.uint64) * equal
        self._form, self._literal, self._sizes = form, a.first[:-1], np.diff(a.first)
        self._key: _Keys = csr_array(rows.T, dtype=np.uint64) @ factor
        # Arrays of one number, as numpy warns of plain ones that overflow.
        self._wanted = (a.lower.astype(np.uint64) * factor).sum(keepdims=True)
        large = equal & False if form.extras is None else equal & (form.extras.scale > 0)
        scaled = large.astype(np.int64)
        owner = form.model.choice_of_literal
        self._choices = np.unique(owner[abs(rows).T @ scaled > 0])
        self.helpful = self._expected_hits(csr_array(rows[equal], dtype=float), owner) > _LEAST_HITS
        """Whether a block is likely to have such a state within some thousand tries."""

    def _expected_hits(self, rows: csr_array, owner: IntArray) -> float:
        """Binary logarithm of the number of states of a block that meet these rows.

        As if their sums were normally distributed around what is missing.
        """
        if not len(self._choices):
            return -np.inf
        share = 1 / self._sizes[owner]
        of_choice = csr_array((share, owner, np.arange(len(owner) + 1)))
        mean = rows @ of_choice
        variance = (rows * rows) @ share - (mean * mean).sum(axis=1)
        bits = np.log2(self._sizes[self._choices])
        part = min(1.0, 2 * _BITS / bits.sum())
        spread = np.sqrt(2 * np.pi * part * variance)
        return float(part * bits.sum() - np.log2(np.maximum(spread, 1)).sum())

    def complete(self, value: IntArray, rng: Generator) -> IntArray | None:
        """``value`` with a random block set so that all equalities hold; None where none can be.

        ``value`` and what is returned are indices of values, (choices,). Of some such states it is
        the one with the least energy, which other constraints may have.
        """
        order = rng.permutation(self._choices)
        one = self._fitting(order)
        two = self._fitting(order[len(one) :])
        rest = np.delete(self._literal + value, order[: len(one) + len(two)])
        missing = self._wanted - self._key[rest].sum(keepdims=True)
        best, least = None, np.inf
        for states in _matches(self._keys_of(one), missing - self._keys_of(two))[:_LOOKED_AT]:
            candidate = value.copy()
            for half, state in zip((one, two), states, strict=True):
                candidate[half] = np.unravel_index(state, tuple(self._sizes[half]))
            energy = self._form.energy(candidate)
            if energy < least:
                best, least = candidate, energy
        return best

    def _fitting(self, order: IntArray) -> IntArray:
        """The first of these choices that have no more states than half a block may have."""
        return order[: np.searchsorted(np.cumsum(np.log2(self._sizes[order])), _BITS, "right")]

    def _keys_of(self, choices: IntArray) -> _Keys:
        """The keys of all states of these choices, the last one changing fastest."""
        keys = np.zeros(1, dtype=np.uint64)
        for choice in choices.tolist():
            first = self._literal[choice]
            choice_keys = self._key[first : first + self._sizes[choice]]
            keys = np.add.outer(keys, choice_keys).ravel()
        return keys


def _matches(one: _Keys, two: _Keys) -> list[tuple[int, int]]:
    """Where a number of ``one`` is also in ``two``: places in both.

    Most numbers are ruled out by their leading bits first, which costs less than sorting.
    """
    shift = np.uint64(64 - 4 - int(len(one) - 1).bit_length())
    known = np.zeros(1 << int(64 - shift), dtype=bool)
    known[one >> shift] = True
    (in_two,) = np.nonzero(known[two >> shift])
    known[:] = False
    known[two[in_two] >> shift] = True
    (in_one,) = np.nonzero(known[one >> shift])
    _, first, second = np.intersect1d(one[in_one], two[in_two], return_indices=True)
    return list(zip(in_one[first].tolist(), in_two[second].tolist(), strict=True))
