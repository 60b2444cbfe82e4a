"""How choices become bits: one-hot or domain-wall, as one affine map ``x = matrix @ b + base``.

- **one-hot**: one bit a value, exactly one of them set.
- **domain-wall** (Chancellor, Quantum Science and Technology 4, 045004, 2019): k - 1 bits
  for k ordered values; bit v says "at least the v-th value", so
  ``x_v = b_v - b_{v+1}`` with ``b_0 = 1`` and ``b_k = 0``, and only a bit that rises
  after it fell is invalid.

A yes/no choice (``Choice.is_bit``) is one bit in both, and so is a domain-wall choice of two.
In clauses, bit i is the variable i + 1 and its negation -(i + 1), as in DIMACS.

**Slack bits** leave rows of bits at most 1 wide: ``0 <= t <= w`` with w > 1 holds for some
setting of them exactly where ``0 <= t - slack <= 1`` does. They weigh 2, 4, 8, ... and a
remainder, w - 1 in all, one bit fewer than a slack for an equality needs.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Self

import numpy as np
import scipy
from numpy.typing import NDArray

from qubopuzzle.errors import InputError, did_you_mean
from qubopuzzle.model import IntArray, IntMatrix, Model

ENCODINGS = ("one-hot", "domain-wall")
TRUE = 1 << 40
FALSE = -TRUE


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

    def reach(self, tops: IntArray | int = 1) -> tuple[IntArray, IntArray]:
        """Least and greatest ``matrix @ v + base`` over ``0 <= v <= tops``, shape (rows,) each."""
        least, greatest = (part * tops for part in (self.matrix.minimum(0), self.matrix.maximum(0)))
        return least.sum(axis=1) + self.base, greatest.sum(axis=1) + self.base


@dataclass(frozen=True, slots=True, eq=False)
class Slack:
    """Slack bits of one block of rows: bit ``first + i`` has ``weight[i]`` in row ``row[i]``.

    Bits are sorted by row, those of a row by weight, the largest first.
    """

    rows: AffineRows
    first: int
    row: IntArray
    weight: IntArray

    def narrowed(self, n_bits: int) -> AffineRows:
        """The rows less their slack, ``matrix`` of shape (rows, n_bits), ``width`` 0 or 1."""
        entries = -self.weight, (self.row, self.first + np.arange(len(self.row)))
        matrix = scipy.sparse.csr_array(self.rows.matrix)
        matrix.resize((matrix.shape[0], n_bits))
        matrix = scipy.sparse.csr_array(
            matrix + scipy.sparse.csr_array(entries, shape=matrix.shape)
        )
        return replace(self.rows, matrix=matrix, width=np.minimum(self.rows.width, 1))

    def labels(self) -> list[str]:
        """Names of the slack bits."""
        number = np.arange(len(self.row)) - np.searchsorted(self.row, self.row)
        return [
            f"{self.rows.labels(row)}.slack[{i}]"
            for row, i in zip(self.row.tolist(), number.tolist(), strict=True)
        ]

    def encode(self, choice_bits: IntArray) -> IntArray:
        """The slack bits at their best for the choices' own bits."""
        value = self.rows.matrix @ choice_bits + self.rows.base
        bits = np.zeros(len(self.row), dtype=np.int64)
        # Weights of a row are sorted downwards and none exceeds the sum of the
        # later ones by more than 2, so taking what fits leaves 0 or 1.
        for i, (row, weight) in enumerate(zip(self.row, self.weight, strict=True)):
            if value[row] >= weight:
                bits[i] = 1
                value[row] -= weight
        return bits


def slack_weights(width: int) -> list[int]:
    """Weights whose sums run from 0 to width - 1 in steps of at most 2, largest first."""
    rest, weights, weight = width - 1, [], 2
    while weight <= rest:
        weights.append(weight)
        rest -= weight
        weight *= 2
    return sorted([*weights, rest] if rest else weights, reverse=True)


@dataclass(frozen=True, slots=True, eq=False)
class Encoding:
    """The map between bits and the literals of a model.

    ``matrix`` has shape (literals, bits), ``base`` shape (literals,);
    ``domain_wall`` (choices,) says which choices are domain-wall encoded;
    ``first_bit`` (choices + 1,) where each choice's bits begin. Slack bits come last.
    """

    name: str
    model: Model
    matrix: IntMatrix
    base: IntArray
    domain_wall: NDArray[np.bool_]
    first_bit: IntArray
    slack: tuple[Slack, ...] = ()

    def with_slack(self, blocks: Iterable[AffineRows]) -> Self:
        """The same with slack bits for the rows that are wider than 1."""
        slack: list[Slack] = []
        n_bits = self.n_bits
        for rows in blocks:
            wide = np.flatnonzero(rows.width > 1)
            weights = [slack_weights(width) for width in rows.width[wide].tolist()]
            weight = np.array([*chain.from_iterable(weights)], dtype=np.int64)
            row = np.repeat(wide, [len(row_weights) for row_weights in weights])
            slack.append(Slack(rows, n_bits, row, weight))
            n_bits += len(row)
        return replace(self, slack=tuple(slack))

    @property
    def n_bits(self) -> int:
        """Number of bits, slack included."""
        return int(self.first_bit[-1]) + sum(len(slack.row) for slack in self.slack)

    def decode(self, bits: NDArray[Any]) -> IntArray:
        """Literal values of one sample or many, shape (bits,) or (samples, bits).

        Bits beyond the choices' own (slack) are passed over; invalid bits give invalid literals.
        """
        choice_bits = bits[..., : self.matrix.shape[1]].astype(np.int64)
        return np.asarray((self.matrix @ choice_bits.T).T + self.base, dtype=np.int64)

    def encode(self, x: NDArray[Any]) -> IntArray:
        """The bits, shape (bits,), of a valid literal vector, with the slack at its best."""
        owner, first = self.model.choice_of_literal, self.model.first_literal
        wall = self.domain_wall[owner]
        after = np.append(np.cumsum(x[::-1], dtype=np.int64)[::-1], 0)
        values = np.where(wall, after[:-1] - after[first[owner + 1]], x)
        choice_bits = values[~wall | (np.arange(len(x)) > first[owner])]
        return np.concatenate([choice_bits, *(slack.encode(choice_bits) for slack in self.slack)])

    def labels(self) -> list[str]:
        """Names of the bits, such as ``row[3].start[1]=4`` or, at a wall, ``>=4``.

        A name that comes again is numbered.
        """
        names = [name for c in range(len(self.model.choices)) for name in self.bit_labels(c)]
        names += [name for slack in self.slack for name in slack.labels()]
        return distinct(names, "#")

    def bit_labels(self, number: int) -> list[str]:
        """Names of one choice's bits."""
        choice = self.model.choices[number]
        if not self.domain_wall[number]:
            return [f"{choice.name}={value}" for value in choice.values]
        if choice.is_bit and len(choice.values) > 1:  # a decided one has no bit
            return [choice.name]
        return [f"{choice.name}>={value}" for value in choice.values[1:]]

    def at_least(self, choice: IntArray, index: IntArray) -> IntArray:
        """The clause literal "a domain-wall choice takes its index-th value or a later one".

        Any shape; ``TRUE`` and ``FALSE`` where there is no bit for that.
        """
        inside = (index > 0) & (index < self.model.sizes[choice])
        return np.where(inside, self.first_bit[choice] + index, np.where(index <= 0, TRUE, FALSE))

    def between(self, choice: IntArray, low: IntArray, high: IntArray) -> IntArray:
        """The clause literal "the low-th to the high-th value", 0 where there is none for that.

        Any shape; ``TRUE`` for all values of a domain-wall choice.
        """
        reached, passed = self.at_least(choice, low), self.at_least(choice, high + 1)
        wall = np.where(reached == TRUE, -passed, np.where(passed == FALSE, reached, 0))
        value = np.where(low == high, self.first_bit[choice] + low + 1, 0)
        return np.where(self.domain_wall[choice], wall, value)

    def clause_literals(self, taken: IntArray) -> list[int]:
        """The clause literals that say together that these literals of the model are true."""
        choice = self.model.choice_of_literal[taken]
        index = taken - self.model.first_literal[choice]
        wall = self.domain_wall[choice]
        passed = self.at_least(choice, index + 1)[wall]
        reached = np.where(wall, self.at_least(choice, index), self.first_bit[choice] + index + 1)
        return [
            literal for literal in [*reached.tolist(), *(-passed).tolist()] if abs(literal) != TRUE
        ]

    def taken(self, sample: NDArray[Any], *, answer: bool) -> IntArray:
        """The literals that are true in a sample of this encoding.

        Args:
            sample: 0/1 by variable, shape (variables,) or just the choices' own.
            answer: only those of choices that the answer grid is read from.
        """
        taken = np.flatnonzero(self.decode(sample))
        of_answer = np.isin(self.model.choice_of_literal[taken], self.model.answer_choices)
        return taken[of_answer] if answer else taken

    def blocking_clause(self, sample: NDArray[Any], *, answer: bool) -> list[int]:
        """The clause "some choice takes another value than in this sample", see ``taken``.

        Of an answer, some choice takes a value that paints something else: of several that paint
        the same, as where headings of a tree stand beside a cell's value, none other will do.
        """
        taken = self.taken(sample, answer=answer)
        if not answer or self.model.field is None:
            return [-literal for literal in self.clause_literals(taken)]
        painted, choice = self.model.painted, self.model.choice_of_literal
        alone, clause = [], []
        for literal in taken.tolist():
            first, end = self.model.first_literal[choice[literal] :][:2].tolist()
            same = painted[first:end] == painted[literal]
            if same.sum() == 1 or self.domain_wall[choice[literal]]:
                alone.append(literal)
            else:
                others = np.flatnonzero(~same) + first
                clause += self.clause_literals(others)
        known = self.clause_literals(np.array(alone, dtype=np.int64))
        return [*(-literal for literal in known), *clause]


def distinct(names: Iterable[str], mark: str) -> list[str]:
    """The names, numbered behind ``mark`` where they come again.

    >>> distinct(["a", "b", "a"], "#")
    ['a', 'b', 'a#2']
    """
    result: dict[str, None] = {}
    last: dict[str, int] = {}
    for plain in names:
        name = plain
        while name in result:
            last[plain] = last.get(plain, 1) + 1
            name = f"{plain}{mark}{last[plain]}"
        result[name] = None
    return list(result)


def encode_choices(model: Model, encoding: str) -> Encoding:
    """Lay out the bits of every choice.

    Raises:
        InputError: for an encoding that does not exist.
    """
    if encoding not in ENCODINGS:
        raise InputError(f"unknown encoding {encoding!r}; {did_you_mean(encoding, ENCODINGS)}")
    is_bit = np.array([choice.is_bit for choice in model.choices], dtype=bool)
    return lay_out(model, is_bit | (encoding == "domain-wall"), encoding)


def lay_out(model: Model, domain_wall: NDArray[np.bool_], name: str) -> Encoding:
    """The same with each choice's encoding chosen by ``domain_wall``, shape (choices,)."""
    first_bit = np.concatenate([[0], np.cumsum(model.sizes - domain_wall)]).astype(np.int64)
    owner = model.choice_of_literal
    position = np.arange(model.n_literals) - model.first_literal[owner]
    wall = domain_wall[owner]
    # One-hot: literal v is bit v. Wall: literal v is b_v - b_{v+1}, kept in bits v-1 and v.
    up = np.flatnonzero(~wall | (position > 0))
    down = np.flatnonzero(wall & (position < model.sizes[owner] - 1))
    bit = first_bit[owner] + position
    signs = np.repeat([1, -1], [len(up), len(down)])
    entries = signs, (np.concatenate([up, down]), np.concatenate([(bit - wall)[up], bit[down]]))
    matrix = scipy.sparse.csr_array(entries, shape=(model.n_literals, int(first_bit[-1])))
    base = (wall & (position == 0)).astype(np.int64)
    return Encoding(name, model, matrix, base, domain_wall, first_bit)
