"""Constraints as affine forms of bits: what the QUBO and the Amplify model both start from.

A row ``lower <= a . x <= upper`` over literals becomes ``0 <= matrix @ b + base <= width``
over bits. Ranges that cannot be broken are dropped and bounds that cannot be reached
are pulled in, so that ``width`` is as small as the choices allow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qubopuzzle.compile.encoding import AffineRows, Encoding
from qubopuzzle.model import IntArray, Linear, Model, Precedence
from qubopuzzle.model.data import label_of, summed
from qubopuzzle.model.order import Precedences
from qubopuzzle.model.propagation import reachable


@dataclass(frozen=True, slots=True, eq=False)
class ForbiddenPairs:
    """Pairs of bits that must not both be 1, ``first`` and ``second`` of shape (pairs,).

    ``owner`` (pairs,) says which constraint of the family each pair belongs to.
    """

    family: str
    first: IntArray
    second: IntArray
    owner: IntArray
    labels: Callable[[int], str]


def lowered_rows(bits: Encoding) -> Iterator[AffineRows]:
    """All constraints that are affine rows: domain walls, linear, and precedences between these."""
    yield from domain_wall_rows(bits)
    for block in bits.model.linear:
        yield affine_rows(bits, block)
    for precedence in bits.model.precedence:
        rest = _part(bits, precedence, one_hot=False)
        if len(rest.first):
            yield precedence_rows(bits, rest)


def one_hot_rows(bits: Encoding) -> Iterator[AffineRows]:
    """``sum of a choice's bits - 1 = 0`` for one-hot choices, by family."""
    for family, chosen in _by_family(bits.model, ~bits.domain_wall):
        yield one_value(bits, family, chosen)


def one_value(bits: Encoding, family: str, choices: IntArray) -> AffineRows:
    """``sum of a choice's bits - 1 = 0`` for some one-hot choices, (choices,).

    ``family`` may be empty: choices of several.
    """
    size = bits.model.sizes[choices]
    row = np.repeat(np.arange(len(choices)), size)
    entries = np.ones_like(row), (row, _ranges(bits.first_bit[choices], size))
    matrix = csr_array(entries, shape=(len(choices), bits.n_bits))
    base = np.full(len(choices), -1)
    labels = partial(_label_choice, bits.model, choices, family)
    return AffineRows(family, matrix, base, np.zeros_like(base), labels)


def forbidden_pairs(bits: Encoding) -> Iterator[ForbiddenPairs]:
    """All constraints that are pairs of bits: precedences between one-hot choices.

    Every pair of values that stand too close is forbidden.
    """
    for precedence in bits.model.precedence:
        block = _part(bits, precedence, one_hot=True)
        owner, index, too_low = _thresholds(bits.model, block)
        late = np.repeat(bits.first_bit[block.first[owner]] + index, too_low)
        early = _ranges(bits.first_bit[block.second[owner]], too_low)
        labels = partial(_label_precedence, bits.model, block)
        yield ForbiddenPairs(block.family, late, early, np.repeat(owner, too_low), labels)


def n_forbidden_pairs(bits: Encoding) -> int:
    """How many pairs ``forbidden_pairs`` would make, without making them."""
    blocks = (_part(bits, block, one_hot=True) for block in bits.model.precedence)
    return sum(int(_thresholds(bits.model, block)[2].sum()) for block in blocks)


def affine_rows(encoding: Encoding, block: Linear, wanted: IntArray | None = None) -> AffineRows:
    """A block of linear constraints, or the wanted rows of it, over the bits of an encoding.

    Equalities stay as they are written; only ranges are pulled in or dropped.
    """
    low, high = reachable(encoding.model, block.matrix)
    equal = block.lower == block.upper
    lower = np.where(equal, block.lower, np.maximum(block.lower, low))
    upper = np.where(equal, block.upper, np.minimum(block.upper, high))
    # A range that valid choices cannot meet keeps its distance from the nearer bound.
    lower = np.where(low > block.upper, upper, lower)
    upper = np.where(high < block.lower, lower, upper)
    breakable = equal | (lower > low) | (upper < high)
    rows = np.flatnonzero(breakable) if wanted is None else wanted[breakable[wanted]]
    literals = block.matrix[rows]
    return AffineRows(
        block.family,
        summed(csr_array(literals @ encoding.matrix)),
        literals @ encoding.base - lower[rows],
        (upper - lower)[rows],
        partial(label_of, block.labels, rows),
    )


def domain_wall_rows(encoding: Encoding) -> Iterator[AffineRows]:
    """Validity of domain-wall choices by family: ``b_{v+1} + (1 - b_v) <= 1``."""
    for family, chosen in _by_family(encoding.model, encoding.domain_wall):
        inner = np.maximum(encoding.model.sizes[chosen] - 2, 0)
        bit = _ranges(encoding.first_bit[chosen] + 1, inner)
        if not len(bit):
            continue
        row, one = np.arange(len(bit)), np.ones_like(bit)
        matrix = csr_array(
            (np.repeat([1, -1], len(bit)), (np.tile(row, 2), np.concatenate([bit, bit - 1]))),
            shape=(len(bit), encoding.n_bits),
        )
        yield AffineRows(family, matrix, one, one, partial(_label_wall, encoding, bit))


def precedence_rows(encoding: Encoding, block: Precedence) -> AffineRows:
    """A precedence as at-most-one rows over bits, one for each value v of the first.

    "first >= v" and "second < v + gap" exclude each other. Between domain walls both are
    one bit, so each row's penalty is the one product ``b_v (1 - b'_{v + gap})``.
    """
    owner, index, too_low = _thresholds(encoding.model, block)
    needed = too_low > 0
    owner, index, too_low = owner[needed], index[needed], too_low[needed]
    row, bit, base = _at_least(encoding, block.first[owner], index)
    # "second < w" is 1 - "second >= w".
    other_row, other_bit, other_base = _at_least(encoding, block.second[owner], too_low)
    entries = (
        np.repeat([1, -1], [len(bit), len(other_bit)]),
        (np.concatenate([row, other_row]), np.concatenate([bit, other_bit])),
    )
    matrix = csr_array(entries, shape=(len(owner), encoding.n_bits))
    labels = partial(label_of, partial(_label_precedence, encoding.model, block), owner)
    one = np.ones_like(owner)
    return AffineRows(block.family, summed(matrix), base - other_base + 1, one, labels)


def _at_least(
    encoding: Encoding, choice: IntArray, index: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """For each row "the choice takes its index-th value or a later one", as a sum of bits.

    Returns rows and bits of the terms, and the constants, shape (rows,).
    """
    wall, left = encoding.domain_wall[choice], encoding.model.sizes[choice] - index
    count = np.where(wall, (index > 0) & (left > 0), left)
    bit = _ranges(encoding.first_bit[choice] + index - wall, count)
    return np.repeat(np.arange(len(index)), count), bit, (wall & (index == 0)).astype(np.int64)


def _ranges(start: IntArray, count: IntArray) -> IntArray:
    """``count`` numbers from each start on, one after the other."""
    return np.repeat(start - np.cumsum(count) + count, count) + np.arange(int(count.sum()))


def _by_family(model: Model, which: NDArray[np.bool_]) -> Iterator[tuple[str, IntArray]]:
    """The numbers of some of the choices, for each family of choices."""
    families = np.array([choice.family for choice in model.choices])
    for family in dict.fromkeys(families.tolist()):
        yield family, np.flatnonzero(which & (families == family))


def _part(bits: Encoding, block: Precedence, *, one_hot: bool) -> Precedence:
    """The part of a precedence between one-hot choices, or the rest."""
    wall = bits.domain_wall[block.first] | bits.domain_wall[block.second]
    own = wall != one_hot
    return Precedence(block.family, block.first[own], block.second[own], block.gap[own])


def _thresholds(model: Model, block: Precedence) -> tuple[IntArray, IntArray, IntArray]:
    return Precedences(replace(model, precedence=(block,))).thresholds()


def _label_choice(model: Model, chosen: IntArray, family: str, row: int) -> str:
    return f"{family} {model.choices[chosen[row]].name}".lstrip()


def _label_wall(encoding: Encoding, later: IntArray, row: int) -> str:
    choice = int(np.searchsorted(encoding.first_bit, later[row], side="right")) - 1
    return f"wall[{encoding.bit_labels(choice)[int(later[row] - encoding.first_bit[choice])]}]"


def _label_precedence(model: Model, block: Precedence, i: int) -> str:
    first, second = model.choices[block.first[i]].name, model.choices[block.second[i]].name
    return f"{block.family}[{first} before {second}]"
