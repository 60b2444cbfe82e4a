"""Slack bits: rows over the bits of an encoding that are at most 1 wide.

``0 <= t <= w`` with w > 1 holds for some setting of its slack bits exactly where
``0 <= t - slack <= 1`` does: slack bits weigh 2, 4, 8, ... and a remainder, w - 1 in all.
That is one bit fewer than a slack for an equality needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qubopuzzle.compile.encoding import Encoding
from qubopuzzle.compile.lowering import AffineRows
from qubopuzzle.model import IntArray, IntMatrix


@dataclass(frozen=True, slots=True, eq=False)
class _Slack:
    """Slack bits of one block of rows: bit ``first + i`` has ``weight[i]`` in row ``row[i]``."""

    rows: AffineRows
    first: int
    row: IntArray
    weight: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class NarrowRows:
    """All affine rows of a model, each an equality or 1 wide, over bits and slack bits.

    Bits are those of ``encoding`` followed by slack bits.
    """

    encoding: Encoding
    _slack: tuple[_Slack, ...]

    @classmethod
    def of(cls, encoding: Encoding, blocks: Sequence[AffineRows]) -> NarrowRows:
        """Give slack bits to the rows that are wider than 1."""
        slacks = []
        first = encoding.n_bits
        for block in blocks:
            slack = _slack_bits(block, first)
            slacks.append(slack)
            first += len(slack.row)
        return cls(encoding, tuple(slacks))

    @property
    def n_bits(self) -> int:
        """Number of binary variables, slack included."""
        return self.encoding.n_bits + sum(len(s.row) for s in self._slack)

    def rows(self) -> Iterator[AffineRows]:
        """The rows, ``matrix`` of shape (rows, bits and slack bits), ``width`` 0 or 1."""
        for slack in self._slack:
            yield AffineRows(
                slack.rows.family,
                _widened(slack, self.n_bits),
                slack.rows.base,
                np.minimum(slack.rows.width, 1),
                slack.rows.labels,
            )

    def labels(self) -> list[str]:
        """A readable name for each bit, shape (bits,)."""
        names = self.encoding.labels()
        for slack in self._slack:
            starts = np.searchsorted(slack.row, slack.row).tolist()
            for i, (row, start) in enumerate(zip(slack.row.tolist(), starts, strict=True)):
                names.append(f"{slack.rows.labels(row)}.slack[{i - start}]")
        return _distinct(names)

    def decode(self, bits: NDArray[Any]) -> IntArray:
        """Literal values of samples, shape (..., bits) to (..., literals)."""
        return self.encoding.decode(bits)

    def encode(self, x: NDArray[Any]) -> IntArray:
        """Bits, shape (bits,), of a valid literal vector, with the slack at its best."""
        own = self.encoding.encode(x)
        parts = [own]
        for slack in self._slack:
            value = slack.rows.matrix @ own + slack.rows.base
            bits = np.zeros(len(slack.row), dtype=np.int64)
            # Weights of a row are sorted downwards and none exceeds the sum of the
            # later ones by more than 2, so taking what fits leaves 0 or 1.
            for i, (row, weight) in enumerate(zip(slack.row, slack.weight, strict=True)):
                if value[row] >= weight:
                    bits[i] = 1
                    value[row] -= weight
            parts.append(bits)
        return np.concatenate(parts)


def _slack_bits(rows: AffineRows, first: int) -> _Slack:
    """Slack weights of all rows wider than 1, downwards in each row."""
    row_of: list[int] = []
    weights: list[int] = []
    for row in np.flatnonzero(rows.width > 1).tolist():
        own = _slack_weights(int(rows.width[row]))
        row_of += [row] * len(own)
        weights += own
    return _Slack(rows, first, np.array(row_of, np.int64), np.array(weights, np.int64))


def _slack_weights(width: int) -> list[int]:
    """Weights whose sums run from 0 to width - 1 in steps of at most 2, largest first."""
    rest, weights = width - 1, []
    weight = 2
    while weight <= rest:
        weights.append(weight)
        rest -= weight
        weight *= 2
    return sorted([*weights, rest] if rest else weights, reverse=True)


def _widened(slack: _Slack, n: int) -> IntMatrix:
    entries = (-slack.weight, (slack.row, slack.first + np.arange(len(slack.row))))
    own = csr_array(slack.rows.matrix)
    own.resize((own.shape[0], n))
    return csr_array(own + csr_array(entries, shape=own.shape))


def _distinct(names: list[str]) -> list[str]:
    """Names as they are; a name that comes again is numbered."""
    if len(set(names)) == len(names):
        return names
    count = dict.fromkeys(names, 0)
    distinct = []
    for name in names:
        count[name] += 1
        distinct.append(name if count[name] == 1 else f"{name}#{count[name]}")
    return distinct
