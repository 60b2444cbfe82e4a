"""Puts a model together, from arrays, and freezes it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from qubopuzzle.errors import ModelError
from qubopuzzle.model.data import (
    UNBOUNDED,
    Acyclic,
    Choice,
    Connected,
    Field,
    IntArray,
    IntMatrix,
    Linear,
    Model,
    Precedence,
    Reading,
)

_LARGEST = 1 << 20
_FARTHEST = 1 << 22  # a gap beyond it is beyond all values
"""Of bounds and of the sum of a row's coefficients: their squares add up exactly in int64."""


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Linear constraints as given, before the number of literals is known."""

    family: str
    rows: IntArray
    literals: IntArray
    coefficients: IntArray
    lower: IntArray
    upper: IntArray
    labels: Callable[[int], str]


class ModelBuilder:
    """Collects choices and constraints; ``build()`` returns the frozen ``Model``.

    >>> b = ModelBuilder()
    >>> first, second = b.choice("a", range(3)), b.choice("b", range(3))
    >>> b.precedence("order", [first], [second], [2])
    >>> model = b.build()
    >>> model.n_literals, model.families
    (6, ('once', 'order'))
    """

    def __init__(self) -> None:
        self._choices: list[Choice] = []
        self._names: set[str] = set()
        self._first_literal = [0]
        self._linear: list[_Rows] = []
        self._precedence: list[Precedence] = []
        self._connected: list[Connected] = []
        self._acyclic: list[Acyclic] = []

    def choice(self, name: str, values: Sequence[Hashable], family: str = "once") -> int:
        """Add a choice over distinct values, in order; returns its number."""
        if len(values) == 0:
            raise ModelError(f"choice {name} has no values")
        own = values if isinstance(values, range) else tuple(map(_plain, values))
        if len(set(own)) != len(own):
            raise ModelError(f"choice {name} lists a value twice")
        return self._add_choice(Choice(name, own, family))

    def bit(self, name: str, family: str = "bit", values: Sequence[Hashable] = (0, 1)) -> int:
        """Add a yes/no choice, one variable in every encoding; returns its number."""
        no, yes = values
        return self._add_choice(Choice(name, (no, yes), family, is_bit=True))

    def _add_choice(self, choice: Choice) -> int:
        if choice.name in self._names:
            raise ModelError(f"there are two choices named {choice.name}")
        self._names.add(choice.name)
        self._choices.append(choice)
        self._first_literal.append(self._first_literal[-1] + len(choice.values))
        return len(self._choices) - 1

    def literals(self, choice: int) -> range:
        """The literals of a choice, in the order of its values."""
        return range(self._first_literal[choice], self._first_literal[choice + 1])

    def literal(self, choice: int, value: Hashable) -> int:
        """The literal "choice takes value"."""
        return self._first_literal[choice] + self._choices[choice].values.index(value)

    def linear(
        self,
        family: str,
        rows: ArrayLike,
        literals: ArrayLike,
        coefficients: ArrayLike = 1,
        *,
        lower: ArrayLike = -UNBOUNDED,
        upper: ArrayLike = UNBOUNDED,
        shape: tuple[int, ...],
        labels: Callable[[int], str] | None = None,
    ) -> None:
        """Add ``lower <= sum of coefficient * literal <= upper`` for every row at once.

        Args:
            family: the rule's name, carried into weights, reports and messages.
            rows, literals, coefficients: the terms, shape (terms,) each; a literal that
                appears twice in a row has its coefficients added.
            lower, upper: shape (number of rows,) or one number for all; give both the
                same for an equality.
            shape: the rows' index space; its product is the number of rows. Row 7 of
                shape (2, 5) is named ``family[1,2]`` unless ``labels`` says otherwise.
        """
        count = int(np.prod(shape, dtype=np.int64))
        row_array, literal_array = _integers(family, rows), _integers(family, literals)
        if row_array.shape != literal_array.shape:
            raise ModelError(f"{family}: rows and literals differ in length")
        self._linear.append(
            _Rows(
                family,
                row_array,
                literal_array,
                _spread(family, coefficients, len(row_array)),
                _spread(family, lower, count),
                _spread(family, upper, count),
                labels or partial(_label, family, shape),
            )
        )

    def at_most_one(self, family: str, groups: Sequence[Sequence[int]]) -> None:
        """At most one literal of each group is true."""
        self._groups(family, groups, -UNBOUNDED, 1)

    def exactly_one(self, family: str, groups: Sequence[Sequence[int]]) -> None:
        """Exactly one literal of each group is true."""
        self._groups(family, groups, 1, 1)

    def at_least_one(self, family: str, groups: Sequence[Sequence[int]]) -> None:
        """At least one literal of each group is true (a clause)."""
        self._groups(family, groups, 1, UNBOUNDED)

    def _groups(self, family: str, groups: Sequence[Sequence[int]], low: int, high: int) -> None:
        rows = np.repeat(np.arange(len(groups)), [len(g) for g in groups])
        literals = np.fromiter((lit for g in groups for lit in g), np.int64, count=len(rows))
        self.linear(family, rows, literals, lower=low, upper=high, shape=(len(groups),))

    def precedence(self, family: str, first: ArrayLike, second: ArrayLike, gap: ArrayLike) -> None:
        """Add ``value(second) >= value(first) + gap``, shape (n,) each."""
        self._precedence.append(
            Precedence(
                family,
                _integers(family, first),
                _integers(family, second),
                np.clip(_integers(family, gap), -_FARTHEST, _FARTHEST),
            )
        )

    def connected(self, family: str, literals: ArrayLike, edges: ArrayLike) -> None:
        """The true ones of the literals, shape (nodes,), hang together along the edges.

        Args:
            family: the rule's name.
            literals: the literal of each node.
            edges: pairs of node numbers that are neighbours, shape (n, 2).
        """
        pairs = _integers(family, edges).reshape(-1, 2)
        self._connected.append(Connected(family, _integers(family, literals), pairs))

    def acyclic(self, family: str, literals: ArrayLike, edges: ArrayLike) -> None:
        """The edges whose literals, shape (edges,), are true make no cycle.

        Args:
            family: the rule's name.
            literals: the literal of each edge.
            edges: the two nodes of each edge, whole numbers from 0, shape (edges, 2).
        """
        pairs = _integers(family, edges).reshape(-1, 2)
        self._acyclic.append(Acyclic(family, _integers(family, literals), pairs))

    def matrix(
        self, rows: ArrayLike, literals: ArrayLike, coefficients: ArrayLike, n_rows: int
    ) -> IntMatrix:
        """A sparse (n_rows, literals) matrix; repeated entries are added, zeros dropped."""
        r, lit = np.asarray(rows, np.int64), np.asarray(literals, np.int64)
        coefs = np.broadcast_to(np.asarray(coefficients, np.int64), r.shape)
        matrix = csr_array((coefs, (r, lit)), shape=(n_rows, self._first_literal[-1]))
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        return matrix

    def reading(
        self,
        name: str,
        cells: ArrayLike,
        literals: ArrayLike,
        coefficients: ArrayLike = 1,
        *,
        base: ArrayLike = 0,
        n_cells: int,
    ) -> Reading:
        """One reading of the answer grid: ``base + sum of coefficient * literal`` by cell."""
        base_array = np.broadcast_to(np.asarray(base, np.int64), (n_cells,)).copy()
        return Reading(name, base_array, self.matrix(cells, literals, coefficients, n_cells))

    def build(
        self,
        field: Field | None = None,
        *,
        omitted: tuple[str, ...] = (),
        bounded: tuple[str, ...] = (),
    ) -> Model:
        """Check everything and freeze it; for the arguments see ``Model``.

        Raises:
            ModelError: for literals that do not exist, coefficients or bounds that are
                too large or contradict each other, or a precedence over values that
                are not ascending integers.
        """
        blocks: tuple[Choice | _Rows | Precedence | Connected | Acyclic, ...] = (
            *self._choices,
            *self._linear,
            *self._precedence,
            *self._connected,
            *self._acyclic,
        )
        model = Model(
            choices=tuple(self._choices),
            first_literal=np.array(self._first_literal, dtype=np.int64),
            linear=tuple(self._frozen(block) for block in self._linear),
            precedence=tuple(self._precedence),
            connected=tuple(self._connected),
            acyclic=tuple(self._acyclic),
            families=tuple(dict.fromkeys(block.family for block in blocks)),
            field=field,
            omitted=omitted,
            bounded=bounded,
        )
        for block in model.precedence:
            _check_precedence(model, block)
        for graph in model.connected:
            for what, numbers, end in (
                ("literal", graph.literals, model.n_literals),
                ("node", graph.edges, len(graph.literals)),
            ):
                _check_range(graph.family, what, numbers, end)
        for cycles in model.acyclic:
            if len(cycles.literals) != len(cycles.edges):
                raise ModelError(f"{cycles.family}: literals and edges differ in length")
            _check_range(cycles.family, "literal", cycles.literals, model.n_literals)
            _check_range(cycles.family, "node", cycles.edges, _LARGEST)
        return model

    def _frozen(self, block: _Rows) -> Linear:
        n_rows, n_literals = len(block.lower), self._first_literal[-1]
        for what, numbers, end in (
            ("row", block.rows, n_rows),
            ("literal", block.literals, n_literals),
        ):
            _check_range(block.family, what, numbers, end)
        if (block.lower > block.upper).any():
            row = int(np.argmax(block.lower > block.upper))
            raise ModelError(f"{block.labels(row)}: lower bound above upper bound")
        if ((block.lower == block.upper) & (abs(block.lower) >= UNBOUNDED)).any():
            raise ModelError(f"{block.family}: an equality needs a finite number")
        matrix = self.matrix(block.rows, block.literals, block.coefficients, n_rows)
        if matrix.nnz and abs(matrix).sum(axis=1).max() > _LARGEST:
            raise ModelError(f"{block.family}: coefficients add up to over 2**20")
        for bound in (block.lower, block.upper):
            np.clip(bound, -UNBOUNDED, UNBOUNDED, out=bound)
            if (np.abs(bound[np.abs(bound) < UNBOUNDED]) > _LARGEST).any():
                raise ModelError(f"{block.family}: a bound is over 2**20; leave it out for none")
        return Linear(block.family, matrix, block.lower, block.upper, block.labels)


def _integers(family: str, numbers: ArrayLike) -> IntArray:
    """A copy as int64; infinities become "unbounded"; ModelError for anything not whole."""
    given = np.asarray(numbers)
    if given.size and given.dtype.kind not in "iu":
        if given.dtype.kind != "f" or np.isnan(given).any():
            raise ModelError(f"{family}: expected whole numbers, got {given.dtype} values")
        given = np.clip(given, -UNBOUNDED, UNBOUNDED)
        if (given != np.round(given)).any():
            raise ModelError(f"{family}: expected whole numbers, got fractions")
    return np.array(given, dtype=np.int64)


def _spread(family: str, numbers: ArrayLike, count: int) -> IntArray:
    """The same number ``count`` times, or ``count`` numbers."""
    given = _integers(family, numbers)
    if given.shape not in ((), (count,)):
        raise ModelError(f"{family}: expected 1 or {count} numbers, got shape {given.shape}")
    return np.broadcast_to(given, (count,)).copy()


def _plain(value: Hashable) -> Hashable:
    """NumPy integers as Python's, so that values print and compare as people expect."""
    return int(value) if isinstance(value, np.integer) else value


def _label(family: str, shape: tuple[int, ...], row: int) -> str:
    return f"{family}[{','.join(str(i) for i in np.unravel_index(row, shape))}]"


def _check_range(family: str, what: str, numbers: IntArray, end: int) -> None:
    if numbers.size and not (numbers.min() >= 0 and numbers.max() < end):
        raise ModelError(f"{family}: a {what} outside 0 .. {end - 1}")


def _check_precedence(model: Model, block: Precedence) -> None:
    if not len(block.first) == len(block.second) == len(block.gap):
        raise ModelError(f"{block.family}: first, second and gap differ in length")
    for choice in np.unique(np.concatenate([block.first, block.second])).tolist():
        if not 0 <= choice < len(model.choices):
            raise ModelError(f"{block.family}: there is no choice {choice}")
        name, values = model.choices[choice].name, model.choices[choice].values
        ascending = isinstance(values, range) and values.step > 0
        if not ascending and not (
            all(isinstance(v, int) for v in values) and list(values) == sorted(values)
        ):
            raise ModelError(f"{block.family}: the values of {name} are no ascending integers")
        if max(abs(values[0]), abs(values[-1])) > _LARGEST:
            raise ModelError(f"{block.family}: the values of {name} go beyond 2**20")
