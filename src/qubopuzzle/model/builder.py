"""Puts a model together, from arrays or from literals and sums, and freezes it."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from operator import index
from typing import Any, TypeAlias

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from qubopuzzle.errors import ModelError
from qubopuzzle.model.data import (
    LARGEST,
    UNBOUNDED,
    Acyclic,
    Choice,
    Connected,
    Field,
    GraphT,
    IntArray,
    IntMatrix,
    Linear,
    Model,
    Objective,
    Precedence,
    View,
    label_of,
    reach_of,
    summed,
)
from qubopuzzle.model.expressions import (
    FALSE,
    TRUE,
    ChoiceHandle,
    Literal,
    Operand,
    Relation,
    as_sum,
)

LARGEST_VALUE = 1 << 20
"""Of values in precedences, and of nodes."""
_FARTHEST = 1 << 22
"""A gap beyond it is beyond all values."""

Literals: TypeAlias = "NDArray[Any] | Iterable[Any]"
"""Literals, bits, True and False; or, in arrays and lists, numbers of literals."""


class ModelBuilder:
    """Collects choices and constraints; ``build()`` returns the frozen ``Model``.

    >>> b = ModelBuilder()
    >>> dig, paint, rain = b.choice("dig", range(3)), b.choice("paint", range(3)), b.bit("rain")
    >>> b.precedence("order", [dig], [paint], 1)
    >>> b.add("dry", 2 * (paint == 2) + rain <= 2)
    >>> b.at_most_one("free", [[dig == 0, paint == 1], [paint[2], rain, True]])
    >>> model = b.build()
    >>> model.n_literals, model.families
    (8, ('once', 'bit', 'dry', 'free', 'order'))

    Literals may be written one by one (``dig == 0``, a bit, True, False) or as arrays of
    their numbers (``dig.literals``, ``TRUE``, ``FALSE``). What is known is folded into the
    bounds: a row of which nothing else is left vanishes if it holds, and stays if not, so
    that there is a model where there is no solution. Every method raises ``ModelError`` for
    wrong use where it is called.
    """

    def __init__(self) -> None:
        self._handles: list[ChoiceHandle] = []
        self._names: set[str] = set()
        self.n_literals = 0
        self._true = TRUE
        self._linear: list[Rows] = []
        self._collected: dict[str, Rows] = {}
        self._precedence: list[Precedence] = []
        self._connected: list[Connected] = []
        self._acyclic: list[Acyclic] = []
        self._objective: list[tuple[IntArray, IntArray, NDArray[np.float64]]] = []
        self._offset = 0.0
        self.context = ""
        """Stands before the label of each row, and the family of each graph, added meanwhile."""

    # --- choices -----------------------------------------------------------------------

    def choice(
        self, name: str, values: Iterable[Hashable], family: str = "once", *, is_bit: bool = False
    ) -> ChoiceHandle:
        """Add a choice over distinct values, in order; ``is_bit`` as ``bit`` makes it."""
        try:
            # NumPy integers become Python's, which print and compare as people expect.
            items: Sequence[Hashable] = (
                values
                if isinstance(values, range)
                else tuple(int(v) if isinstance(v, np.integer) else v for v in values)
            )
            distinct = isinstance(items, range) or len(set(items)) == len(items)
        except TypeError:
            what = "expected a sequence of values that can be hashed"
            hint = f"; range({values})?" if isinstance(values, int) else ""
            raise ModelError(f"choice {name}: {what}, got {values!r}{hint}") from None
        if not isinstance(name, str):
            raise ModelError(f"expected a choice's name, got {name!r}")
        if len(items) == 0:
            raise ModelError(f"choice {name} has no values")
        if not distinct:
            raise ModelError(f"choice {name} lists a value twice")
        if is_bit and len(items) != 2:
            raise ModelError(f"bit {name} has {len(items)} values, not two")
        if name in self._names:
            raise ModelError(f"there are two choices named {name}")
        self._names.add(name)
        choice = Choice(name, items, family, is_bit)
        self._handles.append(ChoiceHandle(len(self._handles), self.n_literals, choice))
        self.n_literals += len(items)
        return self._handles[-1]

    def bit(
        self, name: str, family: str = "bit", values: Iterable[Hashable] = (0, 1)
    ) -> ChoiceHandle:
        """Add a yes/no choice, one variable in every encoding; as a literal it means "yes"."""
        return self.choice(name, values, family, is_bit=True)

    @property
    def n_choices(self) -> int:
        """Number of choices so far."""
        return len(self._handles)

    @property
    def sizes(self) -> IntArray:
        """Number of values of each choice so far, shape (choices,)."""
        return np.array([len(handle.values) for handle in self._handles], dtype=np.int64)

    # --- rows --------------------------------------------------------------------------

    def add(self, family: str, relation: Relation | bool, label: str | None = None) -> None:
        """Add a row from a comparison of sums: ``2 * (x == 3) + y <= z``, or ``==``, ``>=``."""
        if isinstance(relation, bool):  # a sum of nothing was compared with a number
            if not relation:
                self.rows(family).add([], lower=1, labels=label)
            return
        if not isinstance(relation, Relation):
            raise ModelError(
                f"{family}: expected a comparison such as (x == 3) + y <= 1, got {relation!r}"
            )
        terms, bound = relation.expression.terms, -relation.expression.constant
        self.rows(family).add(
            [literal for literal, _ in terms],
            [coefficient for _, coefficient in terms],
            lower=-UNBOUNDED if relation.sign == "<=" else bound,
            upper=UNBOUNDED if relation.sign == ">=" else bound,
            labels=label,
        )

    def rows(self, family: str) -> Rows:
        """The rows of a family, to be added to, one or many at a time; see ``Rows.add``."""
        if not isinstance(family, str):
            raise ModelError(f"expected a family's name, got {family!r}")
        if family not in self._collected:
            self._collected[family] = Rows(self, family)
            self._linear.append(self._collected[family])
        return self._collected[family]

    def linear(
        self,
        family: str,
        rows: ArrayLike,
        literals: Literals,
        coefficients: ArrayLike = 1,
        *,
        lower: ArrayLike = -UNBOUNDED,
        upper: ArrayLike = UNBOUNDED,
        shape: tuple[int, ...],
        labels: Sequence[str] | None = None,
    ) -> None:
        """Add ``lower <= sum of coefficient * literal <= upper`` for every row at once.

        Args:
            family: the rule's name, carried into weights, reports and messages.
            rows, literals, coefficients: the terms, shape (terms,) each; a literal that
                appears twice in a row has its coefficients added.
            lower, upper: see ``Rows.add``.
            shape: the rows' index space; its product is the number of rows. Row 7 of
                shape (2, 5) is named ``family[1,2]`` unless ``labels`` says otherwise.
        """
        block = Rows(self, family, shape)
        block.add(
            literals,
            coefficients,
            rows=rows,
            count=math.prod(shape),
            lower=lower,
            upper=upper,
            labels=None if labels is None else list(labels),
        )
        self._linear.append(block)

    def at_most_one(
        self, family: str, groups: Iterable[Literals], labels: Sequence[str] | None = None
    ) -> None:
        """At most one literal of each group is true; (groups, literals) as an array."""
        self._groups(family, groups, -UNBOUNDED, 1, labels)

    def exactly_one(
        self, family: str, groups: Iterable[Literals], labels: Sequence[str] | None = None
    ) -> None:
        """Exactly one literal of each group is true; (groups, literals) as an array."""
        self._groups(family, groups, 1, 1, labels)

    def at_least_one(
        self, family: str, groups: Iterable[Literals], labels: Sequence[str] | None = None
    ) -> None:
        """At least one literal of each group is true: a clause; (groups, literals) as an array."""
        self._groups(family, groups, 1, UNBOUNDED, labels)

    def _groups(
        self, family: str, groups: Iterable[Any], low: int, high: int, labels: Sequence[str] | None
    ) -> None:
        literals: Any
        if isinstance(groups, np.ndarray) and groups.ndim == 2:
            sizes, literals = [groups.shape[1]] * len(groups), groups.ravel()
        else:
            try:
                lists = [list(group) for group in groups]
            except TypeError:
                raise ModelError(
                    f"{family}: expected groups of literals, such as [[a, b], [c]], got {groups!r}"
                ) from None
            sizes, literals = [len(group) for group in lists], [*chain.from_iterable(lists)]
        rows, shape = np.repeat(np.arange(len(sizes)), sizes), (len(sizes),)
        self.linear(family, rows, literals, lower=low, upper=high, shape=shape, labels=labels)

    # --- other constraints -------------------------------------------------------------

    def precedence(
        self,
        family: str,
        first: Sequence[ChoiceHandle] | ArrayLike,
        second: Sequence[ChoiceHandle] | ArrayLike,
        gap: ArrayLike,
    ) -> None:
        """Add ``value(second) >= value(first) + gap``.

        ``first`` and ``second`` are choices with ascending integer values, shape (n,) each, in
        arrays their numbers (``x.number``); ``gap`` has shape (n,) or is one number for all.
        """
        one, two = (self._choice_numbers(family, choices) for choices in (first, second))
        if len(one) != len(two):
            raise ModelError(f"{family}: first, second and gap differ in length")
        for number in np.unique(np.concatenate([one, two])).tolist():
            name, values = self._handles[number].choice.name, self._handles[number].values
            ascending = isinstance(values, range) and values.step > 0
            if not ascending and list(values) != sorted(v for v in values if isinstance(v, int)):
                raise ModelError(f"{family}: the values of {name} are no ascending integers")
            if max(abs(values[0]), abs(values[-1])) > LARGEST_VALUE:
                raise ModelError(f"{family}: the values of {name} go beyond 2**20")
        gaps = np.clip(_spread(family, gap, len(one)), -_FARTHEST, _FARTHEST)
        self._precedence.append(Precedence(family, one, two, gaps))

    def _choice_numbers(self, family: str, choices: Any) -> IntArray:
        if isinstance(choices, ChoiceHandle) or np.ndim(choices) == 0:
            raise ModelError(f"{family}: expected a sequence of choices, got {choices!r}")
        for choice in choices:
            if isinstance(choice, Literal):
                raise ModelError(f"{family}: expected choices, got the literal {choice!r}")
        plain = [self._checked(c).number if isinstance(c, ChoiceHandle) else c for c in choices]
        numbers = _integers(family, plain)
        for wrong in numbers[(numbers < 0) | (numbers >= len(self._handles))].tolist():
            raise ModelError(f"{family}: there is no choice {wrong}")
        return numbers

    def _checked(self, handle: ChoiceHandle) -> ChoiceHandle:
        """The handle, if it is of this builder, or of one that it is a copy of."""
        known = self._handles[handle.number : handle.number + 1]
        if not known or (known[0].first, known[0].choice.name) != (handle.first, str(handle)):
            raise ModelError(f"choice {handle} is of another builder")
        return handle

    def number_of(self, literal: Any) -> int:
        """The number of a literal, ``TRUE`` or ``FALSE``; ModelError for anything else."""
        if isinstance(literal, bool | np.bool_):
            return TRUE if literal else FALSE
        if isinstance(literal, Literal | ChoiceHandle):
            self._checked(literal.handle if isinstance(literal, Literal) else literal)
        try:
            return index(literal)
        except TypeError:
            raise ModelError(f"expected whole numbers or literals, got {literal!r:.60}") from None

    def connected(self, family: str, literals: Literals, edges: ArrayLike) -> None:
        """The nodes whose literals, shape (nodes,), are true are connected along the edges.

        ``edges`` are pairs of node numbers that are neighbours, shape (n, 2).
        """
        self._connected.append(self._graph(Connected, family, literals, edges))

    def acyclic(self, family: str, literals: Literals, edges: ArrayLike) -> None:
        """The edges whose literals, shape (edges,), are true make no cycle.

        ``edges`` are the two nodes of each, whole numbers from 0, shape (edges, 2).
        """
        self._acyclic.append(self._graph(Acyclic, family, literals, edges))

    def _graph(
        self, kind: type[GraphT], family: str, literals: Literals, edges: ArrayLike
    ) -> GraphT:
        """Without what is known to be false; a choice of one value stands for ``TRUE``."""
        numbers, pairs = _literals(family, literals, self), _integers(family, edges)
        if pairs.size and (pairs.ndim != 2 or pairs.shape[1] != 2):
            raise ModelError(f"{family}: expected pairs of nodes, got shape {pairs.shape}")
        pairs = pairs.reshape(-1, 2)
        if kind is Acyclic and len(numbers) != len(pairs):
            raise ModelError(f"{family}: literals and edges differ in length")
        _check_range(family, "node", pairs, 0, len(numbers) if kind is Connected else LARGEST_VALUE)
        graph = kind(self.context + family, numbers, pairs).restricted(numbers != FALSE)
        true = graph.literals == TRUE
        if true.any() and self._true == TRUE:
            self._true = self.choice("true", [True]).first
        return replace(graph, literals=np.where(true, self._true, graph.literals))

    # --- the objective -----------------------------------------------------------------

    def minimize(self, objective: Operand) -> None:
        """Minimise a sum of literals, or one more, among what meets all constraints.

        >>> b = ModelBuilder()
        >>> x, y = b.choice("x", range(3)), b.bit("y")
        >>> b.minimize(2 * (x == 0) - y)
        >>> b.build().objective.linear
        array([ 2.,  0.,  0.,  0., -1.])
        """
        expression = as_sum(objective)
        literals = [literal for literal, _ in expression.terms]
        coefficients = [a for _, a in expression.terms]
        self.objective(literals, coefficients, offset=expression.constant)

    def objective(
        self,
        literals: Literals,
        coefficients: ArrayLike = 1.0,
        others: Literals | None = None,
        *,
        offset: float = 0.0,
    ) -> None:
        """Add ``offset + sum of coefficient * literal`` to what is minimised.

        With ``others``, products: ``sum of coefficient * literal * other``. Fractions are allowed.
        What solvers minimise is what was added together; ``Model`` has no maximum: negate it.

        Raises:
            ModelError: for numbers that are infinite or none, and arrays that differ in length.
        """
        what = "the objective"
        one = _literals(what, literals, self).ravel()
        two = one if others is None else _literals(what, others, self).ravel()
        given = np.asarray(coefficients, dtype=np.float64)
        if len(one) != len(two) or given.shape not in ((), (len(one),)):
            raise ModelError(f"{what}: literals and coefficients differ in length")
        if not (np.isfinite(given).all() and math.isfinite(offset)):
            raise ModelError(f"{what}: expected finite numbers")
        self._objective.append((one, two, np.broadcast_to(given, one.shape)))
        self._offset += float(offset)

    def _built_objective(self) -> Objective | None:
        """All that was added; None if that is nothing."""
        if not self._objective:
            return None
        one, two, value = map(np.concatenate, zip(*self._objective, strict=True))
        # A literal times a known one: itself, or nothing.
        one, two = np.where(one == TRUE, two, one), np.where(two == TRUE, one, two)
        offset = self._offset + float(value[(one == TRUE) & (two == TRUE)].sum())
        left = (one >= 0) & (two >= 0) & (value != 0)
        one, two, value = one[left], two[left], value[left]
        n, alone = self.n_literals, one == two
        linear = np.bincount(one[alone], value[alone], minlength=n).astype(np.float64)
        low, high = np.minimum(one, two)[~alone], np.maximum(one, two)[~alone]
        couplings = summed(scipy.sparse.csr_array((value[~alone], (low, high)), shape=(n, n)))
        return Objective(linear, couplings, offset)

    # --- the answer --------------------------------------------------------------------

    def view(
        self,
        name: str,
        cells: ArrayLike,
        literals: Literals,
        coefficients: ArrayLike = 1,
        *,
        base: ArrayLike = 0,
        n_cells: int,
    ) -> View:
        """One view of the answer grid: ``base + sum of coefficient * literal`` by cell."""
        terms = _terms(name, cells, literals, coefficients, n_cells, self)
        matrix, constant = _matrix(*terms, (n_cells, self.n_literals))
        return View(name, _spread(name, base, n_cells) + constant, matrix)

    def build(
        self,
        field: Field | None = None,
        *,
        omitted: tuple[str, ...] = (),
        restricted: tuple[str, ...] = (),
        likely: tuple[str, ...] = (),
        id: str = "",  # noqa: A002, as the model calls it
        title: str = "",
    ) -> Model:
        """Freeze everything; for the arguments see ``Model``.

        Raises:
            ModelError: for a view that was made before the last of the choices, and for a
                likely bit that is none.
        """
        for view in field.views if field else ():
            if view.matrix.shape[1] != self.n_literals:
                raise ModelError(f"view {view.name} was made before the last choice")
        choices = tuple(handle.choice for handle in self._handles)
        for name in set(likely) - {choice.name for choice in choices if choice.is_bit}:
            raise ModelError(f"likely: there is no bit named {name!r}")
        linear = tuple(rows.frozen() for rows in self._linear if rows)
        others = self._precedence, self._connected, self._acyclic
        blocks: Iterable[Any] = chain(choices, linear, *others)
        first = [*(handle.first for handle in self._handles), self.n_literals]
        return Model(
            choices,
            np.array(first, dtype=np.int64),
            linear,
            tuple(self._precedence),
            tuple(self._connected),
            tuple(self._acyclic),
            families=tuple(dict.fromkeys(block.family for block in blocks)),
            field=field,
            objective=self._built_objective(),
            omitted=omitted,
            restricted=restricted,
            likely=likely,
            id=id,
            title=title,
        )


class Rows:
    """Rows of one family, collected; made by ``ModelBuilder.rows``.

    >>> b = ModelBuilder()
    >>> x = b.choice("x", range(3))
    >>> rows = b.rows("small")
    >>> rows.add([x == 1, x == 2], [1, 2], upper=1, labels="not two")
    >>> rows.add(np.array([[0, 1], [2, FALSE]]), lower=0)
    >>> [b.build().linear[0].labels(i) for i in range(3)]
    ['not two', 'small[1]', 'small[2]']
    """

    def __init__(
        self, builder: ModelBuilder, family: str, shape: tuple[int, ...] | None = None
    ) -> None:
        self.family = family
        self._builder = builder
        self._names: dict[int, str] = {}
        self._label = partial(_label, self._names, family, shape)
        self._n_rows = 0
        self._terms: list[tuple[IntArray, IntArray, IntArray]] = []
        self._bounds: list[tuple[IntArray, IntArray]] = []

    def add(
        self,
        literals: Literals,
        coefficients: ArrayLike = 1,
        *,
        rows: ArrayLike | None = None,
        count: int | None = None,
        lower: ArrayLike = -UNBOUNDED,
        upper: ArrayLike = UNBOUNDED,
        labels: str | Sequence[str] | None = None,
    ) -> None:
        """Add ``lower <= sum of coefficient * literal <= upper``, for one row or for many.

        Args:
            literals: of one row, shape (terms,); of many as an array of shape (rows, terms),
                filled up with ``FALSE``; or, with ``rows``, of all terms, shape (terms,).
            coefficients: one number, or what fits the shape of the literals.
            rows: the row of each term, counted from the first that is added here; ``count`` is
                how many rows there are, if the last have no terms and no bounds of their own.
            lower, upper: shape (rows,) or one number for all; give both the same for an
                equality.
            labels: the name of the row, or of each; the i-th of all is ``family[i]`` without.
        """
        family = self.family
        if rows is None:
            numbers = _literals(family, literals, self._builder)
            coefficients = _spread(family, coefficients, *numbers.shape).ravel()
            count, n_terms = np.atleast_2d(numbers).shape
            rows, literals = np.repeat(np.arange(count), n_terms), numbers.ravel()
        elif count is None:
            last = _integers(family, rows).max(initial=-1)
            count = max(int(last) + 1, *(np.size(b) for b in (lower, upper) if np.ndim(b)), 0)
        names = [labels] if isinstance(labels, str) else labels
        if names is not None and np.ndim(names) != 1:
            raise ModelError(f"{family}: expected labels, got {names!r}")
        if names is not None and len(names) != count:
            raise ModelError(f"{family}: {len(names)} labels for {count} rows")
        if before := self._builder.context:
            every = names or map(self._label, range(self._n_rows, self._n_rows + count))
            names = [before + name for name in every]
        self._names |= dict(enumerate(names or (), self._n_rows))
        terms = _terms(family, rows, literals, coefficients, count, self._builder)
        low, high = self._checked_bounds(count, lower, upper)
        if (at := self._too_large(*terms, count)) is not None:
            label = self._label(self._n_rows + at)
            raise ModelError(f"{label}: coefficients add up to over 2**53")
        self._terms.append((self._n_rows + terms[0], *terms[1:]))
        self._bounds.append((low, high))
        self._n_rows += count

    def _too_large(
        self, rows: IntArray, literals: IntArray, coefficients: IntArray, count: int
    ) -> int | None:
        """The first row whose terms reach beyond ``LARGEST``."""
        if np.abs(coefficients.astype(float)).sum() <= LARGEST:  # as nearly always
            return None
        sizes = self._builder.sizes
        choice = np.append(np.repeat(np.arange(len(sizes)), sizes), [-1, -1])[literals]
        known = choice < 0
        choice[known] -= np.arange(known.sum())  # each of them counts
        reach = reach_of(rows, choice, coefficients, count)
        return int(np.argmax(reach > LARGEST)) if (reach > LARGEST).any() else None

    def _checked_bounds(self, count: int, *bounds: ArrayLike) -> tuple[IntArray, IntArray]:
        """The lower and the upper bound of each row, (count,) each."""
        family = self.family
        spread = (_spread(family, bound, count) for bound in bounds)
        low, high = (np.clip(bound, -UNBOUNDED, UNBOUNDED) for bound in spread)
        for row in np.flatnonzero(low > high).tolist():
            label = self._label(self._n_rows + row)
            raise ModelError(f"{label}: lower bound above upper bound")
        if ((low == high) & (abs(low) == UNBOUNDED)).any():
            raise ModelError(f"{family}: an equality needs a finite number")
        for bound in (low, high):
            if ((abs(bound) > LARGEST) & (abs(bound) < UNBOUNDED)).any():
                raise ModelError(f"{family}: a bound is over 2**53; leave it out for none")
        return low, high

    def __bool__(self) -> bool:
        return bool(self._bounds)

    def frozen(self) -> Linear:
        """The rows, but for those that hold by known literals alone."""
        row, literal, coefficient = map(np.concatenate, zip(*self._terms, strict=True))
        low, high = map(np.concatenate, zip(*self._bounds, strict=True))
        shape = self._n_rows, self._builder.n_literals
        matrix, constant = _matrix(row, literal, coefficient, shape)
        for bound in (low, high):
            bound[abs(bound) < UNBOUNDED] -= constant[abs(bound) < UNBOUNDED]
        holds = np.bincount(row[literal < 0], minlength=self._n_rows) > 0
        holds &= (np.diff(matrix.indptr) == 0) & (low <= 0) & (high >= 0)
        if not holds.any():
            return Linear(self.family, matrix, low, high, self._label)
        kept = np.flatnonzero(~holds)
        label = partial(label_of, self._label, kept)
        return Linear(self.family, matrix[kept], low[kept], high[kept], label)


def _literals(family: str, given: Any, builder: ModelBuilder) -> IntArray:
    """Numbers of literals, ``TRUE`` and ``FALSE``, in the shape in which they are given."""
    if isinstance(given, np.ndarray) and given.ndim and given.dtype.kind in "iu":
        numbers = given.astype(np.int64)
    else:
        try:
            known = given.ravel().tolist() if isinstance(given, np.ndarray) else given
            plain = [lit if type(lit) is int else builder.number_of(lit) for lit in known]
        except TypeError:
            raise ModelError(f"{family}: expected a sequence of literals, got {given!r}") from None
        except ModelError as error:
            raise ModelError(f"{family}: {error}") from None
        shape = given.shape if isinstance(given, np.ndarray) else (-1,)
        numbers = np.array(plain, dtype=np.int64).reshape(shape)
    _check_range(family, "literal", numbers, TRUE, builder.n_literals)
    return numbers


def _terms(
    family: str,
    rows: ArrayLike,
    literals: Literals,
    coefficients: ArrayLike,
    n_rows: int,
    builder: ModelBuilder,
) -> tuple[IntArray, IntArray, IntArray]:
    """Row, literal and coefficient of each term, checked, shape (terms,) each."""
    row, literal = _integers(family, rows), _literals(family, literals, builder)
    if row.shape != literal.shape or row.ndim != 1:
        raise ModelError(f"{family}: rows and literals differ in length")
    _check_range(family, "row", row, 0, n_rows)
    return row, literal, _spread(family, coefficients, len(row))


def _matrix(
    row: IntArray, literal: IntArray, coefficient: IntArray, shape: tuple[int, int]
) -> tuple[IntMatrix, IntArray]:
    """A sparse (rows, literals) matrix, and what known literals add to each row, (rows,)."""
    constant, true, left = np.zeros(shape[0], dtype=np.int64), literal == TRUE, literal >= 0
    np.add.at(constant, row[true], coefficient[true])
    return summed(
        scipy.sparse.csr_array((coefficient[left], (row[left], literal[left])), shape=shape)
    ), constant


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


def _spread(family: str, numbers: ArrayLike, *shape: int) -> IntArray:
    """The same number everywhere, or numbers of this shape."""
    given = _integers(family, numbers)
    try:
        return np.broadcast_to(given, shape).copy()
    except ValueError:
        count = int(np.prod(shape))
        raise ModelError(
            f"{family}: expected 1 or {count} numbers, got shape {given.shape}"
        ) from None


def _label(names: Mapping[int, str], family: str, shape: tuple[int, ...] | None, row: int) -> str:
    place = (row,) if shape is None else np.unravel_index(row, shape)
    return names.get(row) or f"{family}[{','.join(map(str, place))}]"


def _check_range(family: str, what: str, numbers: IntArray, low: int, end: int) -> None:
    if numbers.size and not (numbers.min() >= low and numbers.max() < end):
        raise ModelError(f"{family}: a {what} outside 0 .. {end - 1}")
