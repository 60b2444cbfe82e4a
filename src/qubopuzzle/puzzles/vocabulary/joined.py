"""Models with fewer choices: several joined into one, or left out where others define them.

``joined`` is a formulation for puzzles whose rules mostly stay within a row, a run or a region: the
values of the new choice are the combinations that meet every row of the model that lies within the
group, and these rows are gone. An annealer's move then keeps them, and a sum such as "two in each
row" or a bound becomes a choice. The same solutions, one for one; the energy gap of the rows that
are left stays.

``substituted`` leaves out choices of cells that placements, such as rectangles, cover.

``rechosen`` takes other sums for the choices, such as the places of a digit in its box.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import gt
from typing import TypeAlias

import numpy as np
import scipy
from numpy.typing import NDArray

from qubopuzzle.errors import InputError, ModelError, TooLarge
from qubopuzzle.model import (
    FALSE,
    UNBOUNDED,
    Field,
    IntArray,
    IntMatrix,
    Linear,
    Model,
    ModelBuilder,
    View,
)
from qubopuzzle.model.data import label_of, row_of_entry, summed

Part: TypeAlias = tuple[IntArray, IntArray, int]
"""Old literals, the new ones that stand in their place, and a factor."""
VALUE_LIMIT = 500_000
"""Most values of all joined choices together."""
_FEW = 50
"""Combinations or values of which no like ones are looked for."""
_PARTIAL_LIMITS = VALUE_LIMIT, 20 * VALUE_LIMIT, 2 * VALUE_LIMIT
"""Most combinations of a group on the way, these with the next values, and those that are tried."""


def joined(model: Model, groups: Sequence[IntArray], name: str) -> Model:
    """The model with one choice for each group of choices, named ``name[i]``.

    >>> b = ModelBuilder()
    >>> x = [b.bit(f"x{i}") for i in range(3)]
    >>> b.exactly_one("one", [x])
    >>> joined(b.build(), [np.arange(3)], "x").choices[0].values
    ((0, 0, 1), (0, 1, 0), (1, 0, 0))

    Args:
        model: without precedences, connectivity and cycles of the choices that are joined.
        groups: numbers of choices, shape (choices,) each; each in one of them at most.
        name: of the new choices; their family, too.

    Raises:
        TooLarge: for groups that can be too much together.
    """
    if model.precedence or model.graphs:
        raise ModelError("choices of precedences, connectivity or cycles cannot be joined")
    groups = [np.asarray(group) for group in groups if len(group)]
    group_of = np.full(len(model.choices), -1)
    for number, group in enumerate(groups):
        group_of[group] = number
    inner, outer = _divided(model, group_of)
    builder, new_of = _kept(model, group_of < 0)
    parts: list[Part] = [(np.flatnonzero(new_of >= 0), new_of[new_of >= 0], 1)]
    total = 0
    for number, group in enumerate(groups):
        taken = _together(model, group, inner, number)
        total += len(taken)
        if total > VALUE_LIMIT:
            raise TooLarge(f"{name}: over {VALUE_LIMIT:,} values; take another formulation")
        if not len(taken):
            builder.at_least_one(name, [[]])
            continue
        values = [
            [model.choices[c].values[v] for v in places.tolist()]
            for c, places in zip(group.tolist(), taken.T, strict=True)
        ]
        handle = builder.choice(f"{name}[{number}]", zip(*values, strict=True), name)
        literals = np.broadcast_to(np.array(handle.literals)[:, None], taken.shape)
        parts.append(((model.first_literal[group] + taken).ravel(), literals.ravel(), 1))
    return _rewritten(model, builder, parts, outer, groups)


def substituted(model: Model, choices: IntArray) -> Model:
    """The model without these choices, each of whose values but one is a sum of other literals.

    Such a sum is an equality ``x - (sum of literals) = 0``; the literals stand in its place, and
    the value that is left is 1 less all of them. The same solutions, one for one.

    >>> b = ModelBuilder()
    >>> x, y = b.bit("x"), b.choice("y", range(3))
    >>> b.add("defined", x - (y == 1) - (y == 2) == 0)
    >>> b.add("row", x + (y == 0) <= 1)
    >>> [c.name for c in substituted(b.build(), np.array([0])).choices]
    ['y']

    Raises:
        ModelError: for a value that no row defines.
    """
    if model.precedence or model.graphs:
        raise ModelError("choices of precedences, connectivity or cycles cannot be left out")
    gone = np.isin(np.arange(len(model.choices)), choices)
    known, defined, terms, rows = _definitions(model, gone[model.choice_of_literal])
    builder, new_of = _kept(model, ~gone)
    parts: list[Part] = [(np.flatnonzero(new_of >= 0), new_of[new_of >= 0], 1)]
    parts.append((defined, new_of[terms], 1))
    # What is left of a choice is 1 less all terms of its other values.
    (left,) = np.nonzero(gone[model.choice_of_literal] & ~known)
    of_choice = np.full(len(model.choices), -1)
    of_choice[model.choice_of_literal[left]] = left
    if len(np.unique(model.choice_of_literal[left])) < len(left):
        raise ModelError("a choice that is left out has two values that no row defines")
    owner = model.choice_of_literal[defined]
    rest = of_choice[owner]
    parts.append((rest[rest >= 0], new_of[terms[rest >= 0]], -1))
    constant = np.zeros(model.n_literals, dtype=np.int64)
    constant[left] = 1
    numbers = np.flatnonzero(gone)
    for family in dict.fromkeys(model.choices[choice].family for choice in numbers.tolist()):
        several = np.array([c for c in numbers.tolist() if model.choices[c].family == family])
        within = np.isin(owner, several)
        builder.rows(family).add(
            new_of[terms[within]],
            rows=np.searchsorted(several, owner[within]),
            count=len(several),
            lower=np.where(of_choice[several] < 0, 1, -UNBOUNDED),
            upper=1,
        )
    return _rewritten(model, builder, parts, rows, (), constant, gone)


def rechosen(model: Model, family: str, values: Sequence[Hashable]) -> Model:
    """The model whose choices are the rows of a family, in place of the first choices that it has.

    Each of these rows says that exactly one of its literals is true, and each literal of those
    choices is in one of them. The choices become rows. The same solutions, one for one.

    >>> b = ModelBuilder()
    >>> x = np.array([b.choice(f"x{i}", "abc", "x").literals for i in range(3)])
    >>> b.exactly_one("letter", x.T)
    >>> made = rechosen(b.build(), "letter", range(3))
    >>> [choice.values for choice in made.choices], made.families
    ([(0, 1, 2), (0, 1, 2), (0, 1, 2)], ('letter', 'x'))

    Args:
        model: without precedences, connectivity and cycles.
        family: of the rows.
        values: what stands in a new choice for each old one.

    Raises:
        ModelError: for rows that are none of these.
    """
    if model.precedence or model.graphs:
        raise ModelError("choices of precedences, connectivity or cycles cannot become rows")
    gone = np.arange(len(model.choices)) < len(values)
    (of_gone,) = np.nonzero(gone[model.choice_of_literal])
    builder, new_of = _kept(model, ~gone)
    outer, heads = [], []
    for block in model.linear:
        size = np.diff(block.matrix.indptr)
        taken = (size > 0) & (block.family == family)
        if (block.lower[taken] != 1).any() or (block.upper[taken] != 1).any():
            raise ModelError(f"a row of {family} does not say that exactly one literal is true")
        outer.append(_part(block, np.flatnonzero(~taken)))
        for row in np.flatnonzero(taken).tolist():
            old = block.matrix.indices[slice(*block.matrix.indptr[row : row + 2])]
            held = [values[c] if gone[c] else None for c in model.choice_of_literal[old].tolist()]
            new_of[old] = builder.choice(block.labels(row), held, family).literals
            heads.append(old)
    members = np.concatenate([np.zeros(0, dtype=np.int64), *heads])
    if len(members) != len(of_gone) or (np.sort(members) != of_gone).any():
        raise ModelError(f"the rows of {family} do not have each literal once")
    for name in dict.fromkeys(model.choices[c].family for c in np.flatnonzero(gone).tolist()):
        several = [c for c in np.flatnonzero(gone).tolist() if model.choices[c].family == name]
        literals = np.full((len(several), np.diff(model.first_literal)[several].max()), FALSE)
        for row, c in zip(literals, several, strict=True):
            old = new_of[slice(*model.first_literal[c : c + 2])]
            row[: len(old)] = old
        builder.exactly_one(name, literals, [model.choices[c].name for c in several])
    parts: list[Part] = [(np.flatnonzero(new_of >= 0), new_of[new_of >= 0], 1)]
    made = _rewritten(model, builder, parts, outer, ())
    if model.field is None or made.field is None:
        return made
    write = _Rechosen(model, tuple(heads), tuple(values))
    return replace(made, field=replace(made.field, write=write))


def _definitions(
    model: Model, of_literal: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], IntArray, IntArray, list[Linear]]:
    """Which literals are sums of others; each with each term of its sum; and the other rows.

    ``of_literal``: whether a literal is of a choice that is left out.
    """
    defined, terms, rows = [], [], []
    known = np.zeros(len(of_literal), dtype=bool)
    for block in model.linear:
        matrix, n = block.matrix.tocoo(), len(block.lower)
        row, literal, inside = matrix.row, matrix.col, of_literal[matrix.col]
        sign = np.bincount(row, matrix.data * inside, minlength=n)
        like = np.where(inside, matrix.data == sign[row], matrix.data == -sign[row])
        fits = np.bincount(row, inside, minlength=n) == 1
        fits &= (np.bincount(row, ~like, minlength=n) == 0) & (np.abs(sign) == 1)
        fits &= (block.lower == 0) & (block.upper == 0)
        head = np.zeros(n, dtype=np.int64)
        head[row[inside]] = literal[inside]
        # One definition of each will do; another row of it stays a row.
        (first,) = np.nonzero(fits & ~known[head])
        first = first[np.unique(head[first], return_index=True)[1]]
        known[head[first]] = True
        used = np.isin(np.arange(n), first)
        of_rows = used[row] & ~inside
        defined.append(head[row[of_rows]])
        terms.append(literal[of_rows].astype(np.int64))
        rows.append(_part(block, np.flatnonzero(~used)))
    none = np.zeros(0, dtype=np.int64)
    return known, np.concatenate([none, *defined]), np.concatenate([none, *terms]), rows


def _kept(model: Model, kept: NDArray[np.bool_]) -> tuple[ModelBuilder, IntArray]:
    """A builder with some of the choices, and their new literals by old ones, -1 for others."""
    builder, new_of = ModelBuilder(), np.full(model.n_literals, -1)
    for number in np.flatnonzero(kept).tolist():
        old = model.choices[number]
        handle = builder.choice(old.name, old.values, old.family, is_bit=old.is_bit)
        first = int(model.first_literal[number])
        new_of[first : first + len(old.values)] = handle.literals
    return builder, new_of


def _part(block: Linear, rows: IntArray) -> Linear:
    """Some rows of a block."""
    labels = partial(label_of, block.labels, rows)
    return Linear(block.family, block.matrix[rows], block.lower[rows], block.upper[rows], labels)


@dataclass(frozen=True, slots=True, eq=False)
class _Inner:
    """The rows that lie within groups: of each its group and bounds, and terms by row."""

    group: IntArray
    lower: IntArray
    upper: IntArray
    row: IntArray
    literal: IntArray
    coefficient: IntArray

    def table(self, number: int, literals: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """The coefficients of the rows of a group, (rows, its literals), and their bounds."""
        first, end = np.searchsorted(self.group, [number, number + 1])
        start, stop = np.searchsorted(self.row, [first, end])
        table = np.zeros((end - first, len(literals)), dtype=np.int64)
        place = np.searchsorted(literals, self.literal[start:stop])
        table[self.row[start:stop] - first, place] = self.coefficient[start:stop]
        return table, self.lower[first:end], self.upper[first:end]


def _divided(model: Model, group_of: IntArray) -> tuple[_Inner, list[Linear]]:
    """The rows that lie within a group each, and the others."""
    parts, outer, n_rows = [], [], 0
    for block in model.linear:
        groups = group_of[model.choice_of_literal[block.matrix.indices]]
        ends, n = block.matrix.indptr, len(block.lower)
        filled = np.flatnonzero(np.diff(ends))
        within = np.full(n, -1)
        if len(filled):
            least, most = (f.reduceat(groups, ends[filled]) for f in (np.minimum, np.maximum))
            within[filled] = np.where(least == most, least, -1)
        (rows,) = np.nonzero(within >= 0)
        terms = block.matrix[rows].tocoo()
        bounds = within[rows], block.lower[rows], block.upper[rows]
        places = terms.row.astype(np.int64) + n_rows, terms.col.astype(np.int64), terms.data
        parts.append((*bounds, *places))
        n_rows += len(rows)
        outer.append(_part(block, np.flatnonzero(within < 0)))
    none = (np.zeros(0, dtype=np.int64),) * 6
    group, lower, upper, row, literal, coefficient = map(
        np.concatenate, zip(none, *parts, strict=True)
    )
    order = np.argsort(group, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    by_row = np.argsort(place[row], kind="stable")
    sorted_terms = place[row][by_row], literal[by_row], coefficient[by_row]
    return _Inner(group[order], lower[order], upper[order], *sorted_terms), outer


def _together(model: Model, group: IntArray, inner: _Inner, number: int) -> IntArray:
    """What the choices can be together: the place of each one's value, (combinations, choices).

    Many combinations have the same sums, and many values the same terms: those are tried.
    """
    parts = [np.arange(*model.first_literal[c : c + 2]) for c in group.tolist()]
    literals = np.concatenate(parts)
    order = np.argsort(literals)
    table, lower, upper = inner.table(number, literals[order])
    whole = np.empty_like(table.T)
    whole[order] = table.T
    first = np.cumsum([0, *map(len, parts)])[:-1]
    used = np.logical_or.reduceat(whole != 0, first)
    further = (np.cumsum(used[::-1], axis=0)[::-1] - used) > 0
    # What rows may add up to with each choice, in as few bytes as that takes.
    most = np.array([extreme.reduceat(whole, first) for extreme in (np.maximum, np.minimum)])
    rest = np.cumsum(most[:, ::-1], axis=1)[:, ::-1] - most
    reach = 2 * int(np.abs(most).sum(axis=1).max(initial=0)) + 1
    kind = np.min_scalar_type(-reach)
    low, high = (np.array([lower, upper])[:, None] - rest).clip(-reach, reach).astype(kind)
    taken, which = np.zeros((1, 0), dtype=np.int64), np.array([0])
    sums = np.zeros((1, len(lower)), dtype=kind)
    for i, values in enumerate(np.split(whole.astype(kind), first[1:])):
        added, of_value = _distinct(values)
        sizes = len(taken), len(taken) * len(values), len(sums) * len(added)
        if any(map(gt, sizes, _PARTIAL_LIMITS)):
            raise TooLarge(f"{len(group)} choices can be too much together to be joined")
        at = used[i]
        tried = sums[:, None, at] + added[:, at]
        fits = ((tried >= low[i, at]) & (tried <= high[i, at])).all(axis=2)
        one, two = np.nonzero(fits)
        place = np.full(fits.shape, -1)
        sums, place[one, two] = _distinct((sums[one] + added[two]) * further[i])
        after = place.take(which, axis=0).take(of_value, axis=1)
        before, value = np.nonzero(after >= 0)
        taken, which = np.column_stack([taken[before], value]), after[before, value]
    return taken


def _distinct(rows: IntArray) -> tuple[IntArray, IntArray]:
    """Each row of an array once, or all if they are few, and which of these each one is."""
    if len(rows) < _FEW or not rows.shape[1]:
        return rows, np.arange(len(rows))
    keys = np.ascontiguousarray(rows).view(f"V{rows.shape[1] * rows.itemsize}").ravel()
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    return rows[first], number


def _rewritten(
    model: Model,
    builder: ModelBuilder,
    parts: Sequence[Part],
    rows: Sequence[Linear],
    groups: Sequence[IntArray],
    constant: IntArray | None = None,
    gone: NDArray[np.bool_] | None = None,
) -> Model:
    """What is left of a model in new literals.

    ``parts`` have old literals and new ones, whose sum times the factor stands in their place;
    ``constant`` is added to each old one. ``gone`` are choices that are left out.
    """
    none = np.zeros(0, dtype=np.int64)
    old, new = (np.concatenate([none, *(part[i] for part in parts)]) for i in (0, 1))
    data = np.concatenate([none, *(np.full(len(part[0]), part[2]) for part in parts)])
    shape = model.n_literals, builder.n_literals
    change = scipy.sparse.csr_array((data, (old, new)), shape=shape)
    known = np.zeros(model.n_literals, dtype=np.int64) if constant is None else constant
    for block in rows:
        matrix, shift = _product(block.matrix, change), block.matrix @ known
        row = row_of_entry(matrix)
        low, high = (
            np.where(np.abs(bound) < UNBOUNDED, bound - shift, bound)
            for bound in (block.lower, block.upper)
        )
        builder.rows(block.family).add(
            matrix.indices.astype(np.int64),
            matrix.data,
            rows=row,
            count=len(block.lower),
            lower=low,
            upper=high,
        )
    field = model.field
    if field is not None:
        views = tuple(
            View(v.name, v.base + v.matrix @ known, _product(v.matrix, change)) for v in field.views
        )
        left = none if gone is None else np.flatnonzero(gone)
        write = _Written(field, tuple(map(tuple, groups)), (*left.tolist(),), len(model.choices))
        field = Field(field.shape, field.low, field.high, views, write)
    return builder.build(field, id=model.id, title=model.title)


def _product(matrix: IntMatrix, change: IntMatrix) -> IntMatrix:
    return summed(scipy.sparse.csr_array(matrix @ change))


@dataclass(frozen=True, slots=True, eq=False)
class _Written:
    """The values of single choices, then of joined ones; not of those that are gone."""

    field: Field
    groups: tuple[tuple[int, ...], ...]
    gone: tuple[int, ...]
    n_choices: int

    def __call__(self, answer: IntArray) -> list[Hashable]:
        values = self.field.write(answer)
        if len(values) != self.n_choices:
            raise InputError("the answer has another number of values")
        alone = {*range(self.n_choices)}.difference(self.gone, *self.groups)
        return [
            *(values[choice] for choice in sorted(alone)),
            *(tuple(values[choice] for choice in group) for group in self.groups),
        ]


@dataclass(frozen=True, slots=True, eq=False)
class _Rechosen:
    """The values of choices that are left, then the place of the true literal of each new one."""

    model: Model
    heads: tuple[IntArray, ...]
    values: tuple[Hashable, ...]

    def __call__(self, answer: IntArray) -> list[Hashable]:
        field = self.model.field
        written = [] if field is None else [*field.write(answer)]
        x = self.model.assignment(written)
        owner = self.model.choice_of_literal
        true = [old[x[old] == 1] for old in self.heads]
        if any(len(literals) != 1 for literals in true):
            raise InputError("the answer breaks a rule or a given, so it is no assignment")
        return [*written[len(self.values) :], *(self.values[owner[old[0]]] for old in true)]
