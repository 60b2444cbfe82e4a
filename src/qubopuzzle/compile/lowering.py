"""Constraints as affine forms of bits: what the QUBO and the Amplify model both start from.

A row ``lower <= a . x <= upper`` over literals becomes ``0 <= matrix @ b + base <= width``
over bits. Ranges that cannot be broken are dropped and bounds that cannot be reached
are pulled in, so that ``width`` is as small as the choices allow.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import scipy
from numpy.typing import NDArray

from qubopuzzle.compile.encoding import AffineRows, Encoding
from qubopuzzle.model import IntArray, IntMatrix, Linear, Model, Precedence
from qubopuzzle.model.data import label_of
from qubopuzzle.model.order import Precedences
from qubopuzzle.model.segments import reachable


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
    matrix, base = _at_least(bits, choices, np.zeros_like(choices))
    labels = partial(_label_choice, bits.model, choices, family)
    return AffineRows(family, matrix, base - 1, np.zeros_like(base), labels)


def forbidden_pairs(bits: Encoding) -> Iterator[ForbiddenPairs]:
    """All constraints that are pairs of bits: precedences between one-hot choices.

    Every pair of values that stand too close is forbidden.
    """
    for precedence in bits.model.precedence:
        block = _part(bits, precedence, one_hot=True)
        owner, index, too_low = _thresholds(bits.model, block)
        late = np.repeat(bits.first_bit[block.first[owner]] + index, too_low)
        early = ranges(bits.first_bit[block.second[owner]], too_low)
        labels = partial(precedence_label, bits.model, block)
        yield ForbiddenPairs(block.family, late, early, np.repeat(owner, too_low), labels)


def n_forbidden_pairs(bits: Encoding) -> int:
    """How many pairs ``forbidden_pairs`` would make, without making them."""
    blocks = (_part(bits, block, one_hot=True) for block in bits.model.precedence)
    return sum(int(_thresholds(bits.model, block)[2].sum()) for block in blocks)


def affine_rows(bits: Encoding, block: Linear, wanted: IntArray | None = None) -> AffineRows:
    """A block of linear constraints, or the wanted rows of it, over the bits of an encoding.

    Equalities stay as they are written; only ranges are pulled in or dropped.
    """
    low, high = reachable(bits.model, block.matrix)
    equal = block.lower == block.upper
    lower = np.where(equal, block.lower, np.maximum(block.lower, low))
    upper = np.where(equal, block.upper, np.minimum(block.upper, high))
    # A range that valid choices cannot meet keeps its distance from the nearer bound.
    lower = np.where(low > block.upper, upper, lower)
    upper = np.where(high < block.lower, lower, upper)
    breakable = equal | (lower > low) | (upper < high)
    rows = np.flatnonzero(breakable) if wanted is None else wanted[breakable[wanted]]
    literals = block.matrix[rows]
    matrix = literals @ bits.matrix
    matrix.sort_indices()
    matrix.eliminate_zeros()
    base, labels = literals @ bits.base - lower[rows], partial(label_of, block.labels, rows)
    return AffineRows(block.family, matrix, base, (upper - lower)[rows], labels)


def domain_wall_rows(bits: Encoding) -> Iterator[AffineRows]:
    """Validity of domain-wall choices by family: ``x_v >= 0``, written ``0 <= 1 - x_v <= 1``."""
    first, sizes = bits.model.first_literal, bits.model.sizes
    for family, chosen in _by_family(bits.model, bits.domain_wall):
        # The first value and the last are one bit each and cannot be below 0.
        literal = ranges(first[chosen] + 1, np.maximum(sizes[chosen] - 2, 0))
        if len(literal):
            one, labels = np.ones_like(literal), partial(_label_wall, bits, literal)
            yield AffineRows(family, -bits.matrix[literal], one, one, labels)


def precedence_rows(bits: Encoding, block: Precedence) -> AffineRows:
    """A precedence as at-most-one rows over bits, one for each value v of the first.

    "first >= v" and "second < v + gap" exclude each other. Between domain walls both are
    one bit, so each row's penalty is the one product ``b_v (1 - b'_{v + gap})``.
    """
    every = np.array(_thresholds(bits.model, block))
    owner, index, too_low = every[:, every[2] > 0]
    late, late_base = _at_least(bits, block.first[owner], index)
    # "second < w" is 1 - "second >= w".
    high, high_base = _at_least(bits, block.second[owner], too_low)
    labels = partial(label_of, partial(precedence_label, bits.model, block), owner)
    one = np.ones_like(owner)
    return AffineRows(block.family, late - high, late_base - high_base + 1, one, labels)


def _at_least(bits: Encoding, choice: IntArray, index: IntArray) -> tuple[IntMatrix, IntArray]:
    """For each row "the choice takes its index-th value or a later one", as a sum of bits.

    Returns the terms, shape (rows, bits), and the constants, shape (rows,).
    """
    wall, left = bits.domain_wall[choice], bits.model.sizes[choice] - index
    count = np.where(wall, (index > 0) & (left > 0), left)
    terms = ranges(bits.first_bit[choice] + index - wall, count)
    entries = np.ones_like(terms), terms, np.append(0, np.cumsum(count))
    matrix = scipy.sparse.csr_array(entries, shape=(len(index), bits.n_bits))
    return matrix, (wall & (index == 0)).astype(np.int64)


def ranges(start: IntArray, count: IntArray) -> IntArray:
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
    chosen = wall != one_hot
    return Precedence(block.family, block.first[chosen], block.second[chosen], block.gap[chosen])


def _thresholds(model: Model, block: Precedence) -> tuple[IntArray, IntArray, IntArray]:
    return Precedences(replace(model, precedence=(block,))).thresholds()


def _label_choice(model: Model, chosen: IntArray, family: str, row: int) -> str:
    return f"{family} {model.choices[chosen[row]].name}".lstrip()


def _label_wall(bits: Encoding, literals: IntArray, row: int) -> str:
    choice = int(bits.model.choice_of_literal[literals[row]])
    later = int(literals[row] - bits.model.first_literal[choice])
    return f"wall[{bits.bit_labels(choice)[later]}]"


def precedence_label(model: Model, block: Precedence, i: int) -> str:
    """The name of one of the precedences of a block."""
    first, second = model.choices[block.first[i]].name, model.choices[block.second[i]].name
    return f"{block.family}[{first} before {second}]"
