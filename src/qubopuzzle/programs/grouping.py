"""Which rows of a program make choices.

A row "exactly one of these" is a choice, and so is "at most one of these", with the value "none"
beside them. Choices share no variables, so that rows compete; which of them are taken is a
**grouping**, numbered from 0, of which there are ``GROUPINGS``: in a tournament, the match of a
time slot may be a choice, or the slot of a match. Variables that no row takes are bits, or choices
of several numbers; those that an equality defines by others are taken out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qubopuzzle.errors import InputError
from qubopuzzle.model import UNBOUNDED, Field, IntArray, Model, ModelBuilder
from qubopuzzle.programs.rows import WholeRows, whole_rows

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from qubopuzzle.programs.program import Program

GROUPINGS = 4
"""How many ways of preferring rows there are."""
NONE = "none"
"""The value of a choice where all variables of its row are 0."""
_FAMILIES = 50
"""With more beginnings of rows' names, all rows are of one family."""
_FIELD = 1 << 40


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Rows that say that at most one of their literals is true, in rows of a sparse matrix.

    ``start`` (candidates + 1,) indexes ``variable`` and ``negated`` (literals,); ``row`` and
    ``exact`` (candidates,) are the whole row's number, and whether exactly one is.
    """

    start: IntArray
    variable: IntArray
    negated: NDArray[np.bool_]
    row: IntArray
    exact: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """A choice: one of ``variable``, ``negated`` where True, both (values,); or none of them.

    Without ``exact``, none is a value, too. ``row`` is the whole row that says so.
    """

    variable: IntArray
    negated: NDArray[np.bool_]
    exact: bool
    row: int


def candidates(program: Program, rows: WholeRows) -> Candidates:
    """All rows of coefficients 1 and -1 that say "at most one", by literals of their variables.

    With k coefficients of -1, ``sum = 1 - k`` says that exactly one literal is true where a
    negative one is the variable's negation; ``sum = n - 1 - k`` says it of the opposites.
    """
    matrix = rows.matrix
    size, ends = np.diff(matrix.indptr), matrix.indptr
    owner = np.repeat(np.arange(len(size)), size)
    bit = (program.lower == 0) & (program.upper == 1)
    other = np.bincount(owner, (np.abs(matrix.data) != 1) | ~bit[matrix.indices], len(size)) > 0
    usable = ~other & (size >= 2)
    n_negative = np.bincount(owner, matrix.data < 0, minlength=len(size)).astype(np.int64)
    one, opposite = 1 - n_negative, size - 1 - n_negative
    equal = rows.lower == rows.upper
    as_is = usable & (rows.upper == one)
    turned = usable & ~as_is & (rows.lower == opposite)
    (chosen,) = np.nonzero(as_is | turned)
    entries = _ranges(ends[chosen], ends[chosen + 1])
    start = np.append(0, np.cumsum(size[chosen])).astype(np.int64)
    flipped = np.repeat(turned[chosen], size[chosen])
    negated = (matrix.data[entries] < 0) != flipped
    variable = matrix.indices[entries].astype(np.int64)
    return Candidates(start, variable, negated, chosen, equal[chosen])


def _ranges(first: IntArray, last: IntArray) -> IntArray:
    """All numbers of each range, one after the other."""
    size = last - first
    offset = np.repeat(first - np.append(0, np.cumsum(size)[:-1]), size)
    return np.asarray(offset + np.arange(size.sum()), dtype=np.int64)


def disjoint_groups(found: Candidates, n_variables: int, grouping: int) -> list[Group]:
    """Rows that share no variable, the best first; what is left of a row is "at most one".

    A grouping's preferences, after rows that say "exactly one" of variables that are all free:
    0: many variables, then few other rows in which they are; 1: many, then early rows; 2: many,
    then late rows; 3: few other rows, then many variables.
    """
    n_rows = np.bincount(found.variable, minlength=n_variables)
    free = np.ones(n_variables, dtype=bool)
    parts = [slice(*found.start[c : c + 2]) for c in range(len(found.row))]

    def rank(c: int) -> tuple[Any, ...]:
        own = found.variable[parts[c]]
        left = int(free[own].sum())
        others = float(n_rows[own].sum()) / len(own)
        whole = bool(found.exact[c]) and left == len(own)
        orders = (-left, others, c), (-left, c), (-left, -c), (others, -left, c)
        return (not whole, *orders[grouping])

    heap = [(rank(c), c) for c in range(len(found.row))]
    heapify(heap)
    groups = []
    while heap:
        known, c = heappop(heap)
        own, negated = found.variable[parts[c]], found.negated[parts[c]]
        left = free[own]
        if left.sum() < 2:
            continue
        if (now := rank(c)) > known:
            heappush(heap, (now, c))
            continue
        exact = bool(found.exact[c] and left.all())
        groups.append(Group(own[left], negated[left], exact, int(found.row[c])))
        free[own] = False
    return groups


class _Substitution:
    """A builder with a program's choices, and each variable as ``base + matrix @ literals``."""

    def __init__(self, program: Program, groups: Sequence[Group], rows: WholeRows) -> None:
        self.builder, self.base = ModelBuilder(), np.zeros(len(program.lower), dtype=np.int64)
        self._entries: list[tuple[IntArray, IntArray, IntArray]] = []
        self._names = _Names()
        grouped = np.zeros(len(self.base), dtype=bool)
        for group in groups:
            grouped[group.variable] = True
            self._add_group(program, group, program.rows[rows.number[group.row]])
        for v in np.flatnonzero(~grouped).tolist():
            self._add_single(program, v)

    def _add_group(self, program: Program, group: Group, name: str) -> None:
        pairs = zip(group.variable.tolist(), group.negated.tolist(), strict=True)
        values = [f"{'not ' if negated else ''}{program.variables[v]}" for v, negated in pairs]
        values += [] if group.exact else [NONE]
        first = self.builder.choice(self._names.unused(name), values, "choice").first
        literals = first + np.arange(len(group.variable))
        self.base[group.variable] = group.negated
        self._entries.append((group.variable, literals, np.where(group.negated, -1, 1)))

    def _add_single(self, program: Program, v: int) -> None:
        low, high = int(program.lower[v]), int(program.upper[v])
        self.base[v] = low
        if low == high:
            return
        name = self._names.unused(program.variables[v])
        values = range(low, high + 1)
        if high == low + 1:
            first = self.builder.bit(name, "bit", values).first
        else:
            first = self.builder.choice(name, values, "integer").first
        above = np.arange(1, len(values))
        self._entries.append((np.full(len(above), v), first + above, above))

    def matrix(self) -> Any:
        """Shape (variables, literals)."""
        nothing = np.zeros(0, dtype=np.int64)
        columns = zip(*self._entries, strict=True) if self._entries else (nothing,) * 3
        row, literal, value = (np.concatenate([nothing, *column]) for column in columns)
        return csr_array((value, (row, literal)), shape=(len(self.base), self.builder.n_literals))


class _Names:
    """Names of choices, each once."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def unused(self, name: str) -> str:
        while name in self._used:
            name += "'"
        self._used.add(name)
        return name


def grouped_model(program: Program, grouping: int | None) -> Model:
    """The program as choices and rows; its field is the variables' values.

    Args:
        grouping: 0 .. ``GROUPINGS`` - 1, see ``disjoint_groups``; None leaves every variable by
            itself.

    Raises:
        InputError: for another grouping, and for rows that cannot be taken, see ``whole_rows``.
    """
    if grouping is not None and not 0 <= grouping < GROUPINGS:
        raise InputError(f"grouping={grouping}: there are {GROUPINGS}, from 0")
    rows, groups = whole_rows(program), list[Group]()
    if grouping is not None:
        groups = disjoint_groups(candidates(program, rows), len(program.lower), grouping)
    names = _Substitution(program, groups, rows)
    builder, base, literals = names.builder, names.base, names.matrix()
    said = np.ones(len(rows.lower), dtype=bool)
    said[[group.row for group in groups if group.exact]] = False
    _add_rows(builder, program, rows, said, base, literals)
    _add_objective(builder, program, base, literals)
    entries = literals.tocoo()
    view = builder.view(
        "values", entries.row, entries.col, entries.data, base=base, n_cells=len(base)
    )
    field = Field((len(base),), -_FIELD, _FIELD, (view,), lambda v: _written(groups, program, v))
    return builder.build(field, id=program.id, title=program.title)


def _add_rows(
    builder: ModelBuilder,
    program: Program,
    rows: WholeRows,
    said: NDArray[np.bool_],
    base: IntArray,
    literals: Any,
) -> None:
    """The rows of ``said`` (rows,) over literals, by families."""
    (left,) = np.nonzero(said)
    matrix, shift = csr_array(rows.matrix[left] @ literals), rows.matrix[left] @ base
    lower, upper = rows.lower[left], rows.upper[left]
    labels = [program.rows[number] for number in rows.number[left].tolist()]
    lower = np.where(lower <= -UNBOUNDED, lower, lower - shift)
    upper = np.where(upper >= UNBOUNDED, upper, upper - shift)
    of_row = _families(labels)
    for family in dict.fromkeys(of_row):
        own = np.array([at for at, other in enumerate(of_row) if other == family])
        entries = matrix[own].tocoo()
        builder.linear(
            family,
            entries.row,
            entries.col,
            entries.data,
            lower=lower[own],
            upper=upper[own],
            shape=(len(own),),
            labels=[labels[at] for at in own.tolist()],
        )


def _families(labels: Sequence[str]) -> list[str]:
    """A family for each row: its name without numbers and brackets at the end."""
    stems = [re.sub(r"[\W\d_]+$", "", label) or "row" for label in labels]
    found = {"choice": "choice rows", "bit": "bit rows", "integer": "integer rows"}
    few = len(set(stems)) <= _FAMILIES
    return [found.get(stem, stem) if few else "row" for stem in stems]


def _add_objective(builder: ModelBuilder, program: Program, base: IntArray, literals: Any) -> None:
    """What is minimised, over literals; nothing for a program without objective."""
    if not program.has_objective:
        return
    sign = -1.0 if program.maximize else 1.0
    both = program.quadratic + program.quadratic.T
    linear = sign * (literals.T @ (program.cost + both @ base))
    pairs = csr_array(literals.T @ program.quadratic @ literals).tocoo()
    choice = np.repeat(np.arange(len(builder.sizes)), builder.sizes)
    # Two values of one choice are never taken both.
    kept = (pairs.row == pairs.col) | (choice[pairs.row] != choice[pairs.col])
    builder.objective(np.arange(len(linear)), linear, offset=sign * program.objective_of(base))
    builder.objective(pairs.row[kept], sign * pairs.data[kept], pairs.col[kept])


def _written(groups: Sequence[Group], program: Program, values: IntArray) -> Sequence[Hashable]:
    """The value of each choice in the order of the model, of values of the variables."""
    found: list[Any] = []
    grouped = np.zeros(len(values), dtype=bool)
    for group in groups:
        grouped[group.variable] = True
        true = np.flatnonzero(values[group.variable] != group.negated)
        if len(true) != 1 and (group.exact or len(true)):
            raise InputError(f"row {group.row}: {len(true)} of its literals are true")
        names = [program.variables[group.variable[at]] for at in true.tolist()]
        is_negated = group.negated[true].tolist()
        found += [f"not {n}" if neg else n for n, neg in zip(names, is_negated, strict=True)]
        found += [] if len(true) else [NONE]
    open_ones = np.flatnonzero(~grouped & (program.lower < program.upper))
    return [*found, *values[open_ones].tolist()]
