"""Constraints as affine forms of bits: what the QUBO and the Amplify model both start from.

A row ``lower <= a . x <= upper`` over literals becomes ``0 <= matrix @ b + base <= width``
over bits. Ranges that cannot be broken are dropped and bounds that cannot be reached
are pulled in, so that ``width`` is as small as the choices allow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.sparse import csr_array

from qubopuzzle.compile.encoding import Encoding
from qubopuzzle.model import IntArray, IntMatrix, Linear, Model, Precedence
from qubopuzzle.model.propagation import reachable


@dataclass(frozen=True, slots=True, eq=False)
class AffineRows:
    """``0 <= matrix @ b + base <= width`` for each row; ``labels`` names them.

    ``matrix`` has shape (rows, bits), ``base`` and ``width`` shape (rows,).
    """

    family: str
    matrix: IntMatrix
    base: IntArray
    width: IntArray
    labels: Callable[[int], str]


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
    """All constraints that are affine rows: walls, linear, and precedences between walls."""
    yield from wall_rows(bits)
    for block in bits.model.linear:
        yield affine_rows(bits, block)
    for precedence in bits.model.precedence:
        rest = _split(bits, precedence)[1]
        if len(rest.first):
            yield precedence_rows(bits, rest)


def one_hot_rows(bits: Encoding, n: int) -> Iterator[AffineRows]:
    """``sum of a choice's bits - 1 = 0`` for one-hot choices, by family, over ``n`` bits."""
    model = bits.model
    families = np.array([choice.family for choice in model.choices])
    for family in dict.fromkeys(families.tolist()):
        chosen = np.flatnonzero(~bits.walls & (families == family))
        size = model.sizes[chosen]
        rows = np.repeat(np.arange(len(chosen)), size)
        start = bits.first_bit[chosen] - np.concatenate([[0], np.cumsum(size)[:-1]])[: len(size)]
        columns = np.arange(int(size.sum())) + start[rows]
        ones = np.ones(len(rows), dtype=np.int64)
        matrix = csr_array((ones, (rows, columns)), shape=(len(chosen), n))
        base = np.full(len(chosen), -1, dtype=np.int64)
        width = np.zeros(len(chosen), dtype=np.int64)
        yield AffineRows(family, matrix, base, width, partial(_label_choice, model, chosen))


def forbidden_pairs(bits: Encoding) -> Iterator[ForbiddenPairs]:
    """All constraints that are pairs of bits: precedences between one-hot choices."""
    for precedence in bits.model.precedence:
        yield precedence_pairs(bits, _split(bits, precedence)[0])


def n_forbidden_pairs(bits: Encoding) -> int:
    """How many pairs ``forbidden_pairs`` would make, without making them."""
    return sum(
        int(np.searchsorted(bits.model.numbers(second), bits.model.numbers(first) + gap).sum())
        for precedence in bits.model.precedence
        for first, second, gap in _triples(_split(bits, precedence)[0])
    )


def affine_rows(encoding: Encoding, block: Linear) -> AffineRows:
    """A block of linear constraints over the bits of an encoding.

    Equalities stay as they are written; only ranges are pulled in or dropped.
    """
    low, high = reachable(encoding.model, block.matrix)
    equal = block.lower == block.upper
    lower = np.where(equal, block.lower, np.maximum(block.lower, low))
    upper = np.where(equal, block.upper, np.minimum(block.upper, high))
    # A range that valid choices cannot meet keeps its distance from the nearer bound.
    lower = np.where(low > block.upper, upper, lower)
    upper = np.where(high < block.lower, lower, upper)
    rows = np.flatnonzero(equal | (lower > low) | (upper < high))
    literals = block.matrix[rows]
    return AffineRows(
        block.family,
        _clean(literals @ encoding.matrix),
        literals @ encoding.base - lower[rows],
        (upper - lower)[rows],
        partial(_label_of, block.labels, rows),
    )


def wall_rows(encoding: Encoding) -> Iterator[AffineRows]:
    """Validity of domain-wall choices by family: ``b_{v+1} + (1 - b_v) <= 1``."""
    families = np.array([choice.family for choice in encoding.model.choices])
    for family in dict.fromkeys(families.tolist()):
        chosen = np.flatnonzero(encoding.walls & (families == family))
        starts, stops = encoding.first_bit[chosen], encoding.first_bit[chosen + 1]
        spans = [np.arange(a + 1, b) for a, b in zip(starts, stops, strict=True)]
        later = np.concatenate([*spans, np.zeros(0, dtype=np.int64)])
        if not len(later):
            continue
        n = np.arange(len(later))
        matrix = csr_array(
            (np.repeat([1, -1], len(n)), (np.tile(n, 2), np.concatenate([later, later - 1]))),
            shape=(len(n), encoding.n_bits),
        )
        one = np.ones(len(n), dtype=np.int64)
        yield AffineRows(family, matrix, one, one, partial(_label_wall, encoding, later))


def precedence_pairs(encoding: Encoding, block: Precedence) -> ForbiddenPairs:
    """A one-hot precedence: every pair of values that stand too close is forbidden."""
    firsts, seconds, counts = [], [], []
    for first, second, gap in _triples(block):
        late, early = np.nonzero(
            encoding.model.numbers(second) < encoding.model.numbers(first)[:, None] + gap
        )
        firsts.append(encoding.first_bit[first] + late)
        seconds.append(encoding.first_bit[second] + early)
        counts.append(len(late))
    return ForbiddenPairs(
        block.family,
        np.concatenate(firsts) if firsts else np.zeros(0, dtype=np.int64),
        np.concatenate(seconds) if seconds else np.zeros(0, dtype=np.int64),
        np.repeat(np.arange(len(counts)), counts),
        partial(_label_precedence, encoding.model, block),
    )


def precedence_rows(encoding: Encoding, block: Precedence) -> AffineRows:
    """A precedence as at-most-one rows over bits, one for each value v of the first.

    "first >= v" and "second < v + gap" exclude each other. Between domain walls both are
    one bit, so each row's penalty is the one product ``b_v (1 - b'_{v + gap})``.
    """
    rows: list[IntArray] = []
    bits: list[IntArray] = []
    signs: list[IntArray] = []
    bases: list[IntArray] = []
    owners: list[int] = []
    for i, (first, second, gap) in enumerate(_triples(block)):
        before, after = encoding.model.numbers(first), encoding.model.numbers(second)
        too_early = np.searchsorted(after, before + gap)
        needed = np.flatnonzero(too_early > 0)
        base = np.zeros(len(needed), dtype=np.int64)
        for row, bit, sign, constant in (
            _at_least(encoding, first, needed, 1),
            _at_least(encoding, second, too_early[needed], -1),
        ):
            rows.append(len(owners) + row)
            bits.append(bit)
            signs.append(sign)
            base += constant
        # "second < w" is 1 - "second >= w".
        bases.append(base + 1)
        owners += [i] * len(needed)
    row, bit, sign, base = (
        np.concatenate([*parts, np.zeros(0, dtype=np.int64)])
        for parts in (rows, bits, signs, bases)
    )
    matrix = csr_array((sign, (row, bit)), shape=(len(owners), encoding.n_bits))
    labels = partial(
        _label_of, partial(_label_precedence, encoding.model, block), np.array(owners, int)
    )
    one = np.ones(len(owners), dtype=np.int64)
    return AffineRows(block.family, _clean(matrix), base, one, labels)


def _at_least(
    encoding: Encoding, choice: int, index: IntArray, sign: int
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """``sign`` times "choice takes its index[r]-th value or a later one", for each row r.

    Returns rows, bits and coefficients of the terms, and the constants, shape (rows,).
    """
    start, stop = encoding.first_bit[choice : choice + 2].tolist()
    size = len(encoding.model.choices[choice].values)
    row = np.arange(len(index))
    if encoding.walls[choice]:
        inside = (index > 0) & (index < size)
        row = row[inside]
        bit, constant = start + index[inside] - 1, sign * (index == 0)
    else:
        count = stop - start - index
        row = np.repeat(row, count)
        bit = stop - 1 - (np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count))
        constant = np.zeros(len(index), dtype=np.int64)
    return row, bit, np.full(len(row), sign), constant


def _split(encoding: Encoding, block: Precedence) -> tuple[Precedence, Precedence]:
    """Split a precedence into the part between one-hot choices and the rest."""
    plain = ~(encoding.walls[block.first] | encoding.walls[block.second])
    return tuple(  # type: ignore[return-value]
        Precedence(block.family, block.first[m], block.second[m], block.gap[m])
        for m in (plain, ~plain)
    )


def _triples(block: Precedence) -> Iterator[tuple[int, int, int]]:
    return zip(block.first.tolist(), block.second.tolist(), block.gap.tolist(), strict=True)


def _clean(matrix: IntMatrix) -> IntMatrix:
    matrix = csr_array(matrix)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix


def _label_of(labels: Callable[[int], str], rows: IntArray, row: int) -> str:
    return labels(int(rows[row]))


def _label_choice(model: Model, chosen: IntArray, row: int) -> str:
    choice = model.choices[chosen[row]]
    return f"{choice.family} {choice.name}"


def _label_wall(encoding: Encoding, later: IntArray, row: int) -> str:
    choice = int(np.searchsorted(encoding.first_bit, later[row], side="right")) - 1
    return f"wall[{encoding.bit_labels(choice)[int(later[row] - encoding.first_bit[choice])]}]"


def _label_precedence(model: Model, block: Precedence, i: int) -> str:
    first, second = model.choices[block.first[i]].name, model.choices[block.second[i]].name
    return f"{block.family}[{first} before {second}]"
