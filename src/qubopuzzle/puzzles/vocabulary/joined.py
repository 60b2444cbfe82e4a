"""Several choices of a model joined into one over what they can be together.

A formulation of its own for puzzles whose rules mostly stay within a row, a run or a region: the
values of the new choice are the combinations that meet every row of the model that lies within the
group, and these rows are gone. An annealer's move then keeps them, and a sum such as "two in each
row" or a bound becomes a choice. The same solutions, one for one; the energy gap of the rows that
are left stays.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from qubopuzzle.errors import InputError, ModelError, TooLarge
from qubopuzzle.model import Field, IntArray, IntMatrix, Linear, Model, ModelBuilder, View
from qubopuzzle.model.data import summed

VALUE_LIMIT = 200_000
"""Most values of all joined choices together."""
_PARTIAL_LIMIT = 1_000_000
"""Most combinations of a group that are looked at together on the way."""


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
    builder, parts, total = ModelBuilder(), [], 0
    for choice in np.flatnonzero(group_of < 0).tolist():
        old = model.choices[choice]
        handle = builder.choice(old.name, old.values, old.family, is_bit=old.is_bit)
        first = int(model.first_literal[choice])
        parts.append((np.arange(first, first + len(old.values)), np.array(handle.literals)))
    for number, group in enumerate(groups):
        taken = _together(model, group, inner[number])
        total += len(taken)
        if total > VALUE_LIMIT:
            raise TooLarge(f"{name}: over {VALUE_LIMIT:,} values; take another formulation")
        if not len(taken):
            builder.at_least_one(name, [[]])
            continue
        values = [[model.choices[c].values[v] for v in own] for c, own in zip(group, taken.T, strict=True)]
        handle = builder.choice(f"{name}[{number}]", zip(*values, strict=True), name)
        literals = np.broadcast_to(np.array(handle.literals)[:, None], taken.shape)
        parts.append(((model.first_literal[group] + taken).ravel(), literals.ravel()))
    return _rewritten(model, builder, parts, outer, groups)


def _divided(model: Model, group_of: IntArray) -> tuple[list[list[Linear]], list[Linear]]:
    """The rows that lie within each group, and the others."""
    inner: list[list[Linear]] = [[] for _ in range(int(group_of.max(initial=-1)) + 1)]
    outer = []
    for block in model.linear:
        groups = np.append(group_of[model.choice_of_literal[block.matrix.indices]], -1)
        ends, n = block.matrix.indptr, len(block.lower)
        filled = np.flatnonzero(np.diff(ends))
        least, most = np.full(n, -1), np.full(n, -1)
        if len(filled):
            least[filled] = np.minimum.reduceat(groups[:-1], ends[filled])
            most[filled] = np.maximum.reduceat(groups[:-1], ends[filled])
        within = np.where(least == most, least, -1)
        for number in np.unique(within).tolist():
            rows = np.flatnonzero(within == number)
            part = replace(
                block, matrix=block.matrix[rows], lower=block.lower[rows], upper=block.upper[rows]
            )
            (outer if number < 0 else inner[number]).append(part)
    return inner, outer


def _together(model: Model, group: IntArray, rows: Sequence[Linear]) -> IntArray:
    """What the choices can be together: the place of each one's value, (combinations, choices)."""
    taken = np.zeros((1, 0), dtype=np.int64)
    if not rows:
        rows = ()
    matrix = scipy.sparse.vstack([block.matrix for block in rows], "csc") if rows else None
    n_rows = sum(len(block.lower) for block in rows)
    lower, upper = (
        np.concatenate([np.zeros(0, dtype=np.int64), *(getattr(b, side) for b in rows)])
        for side in ("lower", "upper")
    )
    tables = [
        np.zeros((0, len(model.choices[c].values)), dtype=np.int64)
        if matrix is None
        else matrix[:, model.first_literal[c] : model.first_literal[c + 1]].toarray()
        for c in group.tolist()
    ]
    zero = np.zeros(n_rows, dtype=np.int64)
    least, most = (
        np.cumsum([zero, *(getattr(t, how)(axis=1) for t in tables[::-1])], axis=0)[::-1]
        for how in ("min", "max")
    )
    sums = np.zeros((1, n_rows), dtype=np.int64)
    for i, table in enumerate(tables):
        n_values = table.shape[1]
        if len(taken) * n_values > _PARTIAL_LIMIT:
            raise TooLarge(f"a group of {len(group)} cells can be too much; take another formulation")
        before = np.repeat(np.arange(len(taken)), n_values)
        value = np.tile(np.arange(n_values), len(taken))
        sums = sums[before] + table.T[value]
        fits = ((sums + least[i + 1] <= upper) & (sums + most[i + 1] >= lower)).all(axis=1)
        taken = np.column_stack([taken[before[fits]], value[fits]])
        sums = sums[fits]
    return taken


def _rewritten(
    model: Model,
    builder: ModelBuilder,
    parts: Sequence[tuple[IntArray, IntArray]],
    rows: Sequence[Linear],
    groups: Sequence[IntArray],
) -> Model:
    """What is left of a model in the new literals: ``parts`` has old ones and new ones."""
    old, new = map(np.concatenate, zip(*parts, strict=True)) if parts else (np.zeros(0, int),) * 2
    shape = model.n_literals, builder.n_literals
    change = scipy.sparse.csr_array((np.ones(len(old), dtype=np.int64), (old, new)), shape=shape)
    for block in rows:
        matrix = _product(block.matrix, change)
        row = np.repeat(np.arange(len(block.lower)), np.diff(matrix.indptr))
        builder.rows(block.family).add(
            matrix.indices.astype(np.int64),
            matrix.data,
            rows=row,
            count=len(block.lower),
            lower=block.lower,
            upper=block.upper,
        )
    field = model.field
    if field is not None:
        views = tuple(View(v.name, v.base, _product(v.matrix, change)) for v in field.views)
        write = _Written(field, tuple(map(tuple, groups)), len(model.choices))
        field = Field(field.shape, field.low, field.high, views, write)
    return builder.build(field, id=model.id, title=model.title)


def _product(matrix: IntMatrix, change: IntMatrix) -> IntMatrix:
    return summed(scipy.sparse.csr_array(matrix @ change))


@dataclass(frozen=True, slots=True, eq=False)
class _Written:
    """The values of single choices, then of joined ones."""

    field: Field
    groups: tuple[tuple[int, ...], ...]
    n_choices: int

    def __call__(self, answer: IntArray) -> list[Hashable]:
        values = self.field.write(answer)
        if len(values) != self.n_choices:
            raise InputError("the answer has another number of values")
        alone = {*range(self.n_choices)}.difference(*map(set, self.groups))
        return [
            *(values[choice] for choice in sorted(alone)),
            *(tuple(values[choice] for choice in group) for group in self.groups),
        ]
