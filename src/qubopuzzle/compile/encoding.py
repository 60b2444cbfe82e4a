"""How choices become bits: one-hot or domain-wall, as one affine map ``x = matrix @ b + base``.

- **one-hot**: one bit a value, exactly one of them set.
- **domain-wall** (Chancellor, Quantum Science and Technology 4, 045004, 2019): k - 1 bits
  for k ordered values; bit v says "at least the v-th value", so
  ``x_v = b_v - b_{v+1}`` with ``b_0 = 1`` and ``b_k = 0``, and only a bit that rises
  after it fell is invalid.

A yes/no choice (``Choice.is_bit``) is one bit in both, and so is a domain-wall choice of two.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qubopuzzle.errors import InputError, did_you_mean
from qubopuzzle.model import IntArray, IntMatrix, Model

EncodingName = Literal["one-hot", "domain-wall"]
ENCODINGS: tuple[str, ...] = get_args(EncodingName)


@dataclass(frozen=True, slots=True, eq=False)
class Encoding:
    """The map between the bits of a QUBO and the literals of a model.

    ``matrix`` has shape (literals, bits), ``base`` shape (literals,);
    ``walls`` (choices,) says which choices are domain-wall encoded;
    ``first_bit`` (choices + 1,) where each choice's bits begin.
    """

    name: str
    model: Model
    matrix: IntMatrix
    base: IntArray
    walls: NDArray[np.bool_]
    first_bit: IntArray

    @property
    def n_bits(self) -> int:
        """Number of bits that the choices need."""
        return int(self.first_bit[-1])

    def decode(self, bits: NDArray[Any]) -> IntArray:
        """Literal values of one sample or many, shape (bits,) or (samples, bits).

        Bits beyond the choices' own (slack) are passed over; invalid bits give invalid literals.
        """
        own = bits[..., : self.n_bits].astype(np.int64)
        return np.asarray((self.matrix @ own.T).T + self.base, dtype=np.int64)

    def encode(self, x: NDArray[Any]) -> IntArray:
        """The bits, shape (bits,), of a valid literal vector of shape (literals,)."""
        bits = np.zeros(self.n_bits, dtype=np.int64)
        first = self.model.first_literal
        for c, (start, stop) in enumerate(pairwise(first.tolist())):
            own = x[start:stop]
            at_least = np.cumsum(own[::-1])[::-1][1:]
            bits[self.first_bit[c] : self.first_bit[c + 1]] = at_least if self.walls[c] else own
        return bits

    def one_hot_groups(self) -> tuple[range, ...]:
        """The bits of each one-hot choice; exactly one of a group is set in valid bits."""
        bounds = pairwise(self.first_bit.tolist())
        own = (range(*pair) for pair, wall in zip(bounds, self.walls, strict=True) if not wall)
        return tuple(group for group in own if group)

    def labels(self) -> list[str]:
        """Names of the bits, such as ``row[3].start[1]=4`` or, at a wall, ``>=4``."""
        return [name for c in range(len(self.model.choices)) for name in self.bit_labels(c)]

    def bit_labels(self, number: int) -> list[str]:
        """Names of one choice's bits."""
        choice = self.model.choices[number]
        if choice.is_bit and len(choice.values) > 1:  # a decided one has no bit
            return [choice.name]
        if self.walls[number]:
            return [f"{choice.name}>={value}" for value in choice.values[1:]]
        return [f"{choice.name}={value}" for value in choice.values]


def encode_choices(model: Model, encoding: str) -> Encoding:
    """Lay out the bits of every choice.

    Raises:
        InputError: for an encoding that does not exist.
    """
    if encoding not in ENCODINGS:
        raise InputError(f"unknown encoding {encoding!r}; {did_you_mean(encoding, ENCODINGS)}")
    is_bit = np.array([choice.is_bit for choice in model.choices], dtype=bool)
    return lay_out(model, is_bit | (encoding == "domain-wall"), encoding)


def lay_out(model: Model, walls: NDArray[np.bool_], name: str) -> Encoding:
    """The same with each choice's encoding chosen: ``walls`` (choices,) are domain walls."""
    bits = model.sizes - walls
    first_bit = np.concatenate([[0], np.cumsum(bits)]).astype(np.int64)

    owner = model.choice_of_literal
    position = np.arange(model.n_literals) - model.first_literal[owner]
    wall = walls[owner]
    # One-hot: literal v is bit v. Wall: literal v is b_v - b_{v+1}, kept in bits v-1 and v.
    rises = ~wall | (position > 0)
    falls = wall & (position < model.sizes[owner] - 1)
    up = np.flatnonzero(rises)
    down = np.flatnonzero(falls)
    columns = np.concatenate(
        [(first_bit[owner] + position - wall)[up], (first_bit[owner] + position)[down]]
    )
    signs = np.repeat([1, -1], [len(up), len(down)])
    matrix = csr_array(
        (signs, (np.concatenate([up, down]), columns)),
        shape=(model.n_literals, int(first_bit[-1])),
    )
    base = (wall & (position == 0)).astype(np.int64)
    return Encoding(name, model, matrix, base, walls, first_bit)
