"""Which rows of a program make choices.

A row "exactly one of these" is a choice, and so is "at most one of these", with the value "none"
beside them. Choices share no variables, so that rows compete; which of them are taken is a
**grouping**: in a tournament, the slot of a match may be a choice, or the opponent of a team in a
slot. Each grouping begins with a row, its **seed**, and prefers rows that are written near it,
which are mostly of its kind; the seeds are rows of one variable, so that no grouping has two of
them. The first grouping is one of rows "exactly one" alone, if there is such a one; else that with
the most states, as its choices leave most to the rows that a search may break on its way; but if
the first row's choices have values in order, it is theirs. Variables that no row takes are bits, or
choices of several numbers; those that an equality defines by others are taken out.
"""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from functools import lru_cache, partial
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from qubopuzzle.compile.lowering import ranges
from qubopuzzle.compile.rows import MOST_VALUES, WholeRows, whole_rows
from qubopuzzle.errors import InputError
from qubopuzzle.model import UNBOUNDED, Field, IntArray, Model, ModelBuilder
from qubopuzzle.model.builder import LARGEST_VALUE
from qubopuzzle.model.data import DecidedCells, starts, summed
from qubopuzzle.programs.products import without_products
from qubopuzzle.programs.structure import (
    Defined,
    Ordered,
    defined_bits,
    defined_integers,
    implied_rows,
    ordered_choices,
    tightened,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from qubopuzzle.programs.program import Program

GROUPINGS = 4
"""Groupings of a program, at most."""
_MANY = 20_000
"""With more rows that could be choices, there is one grouping."""
NONE = "none"
"""The value of a choice where all variables of its row are 0."""
_FAMILIES = 50
"""With more beginnings of rows' names, all rows are of one family."""
_FIELD = 1 << 40
_ENDS = string.digits + string.punctuation + string.whitespace
"""What most names of rows end in."""


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
    entries = ranges(ends[chosen].astype(np.int64), size[chosen].astype(np.int64))
    start = np.append(0, np.cumsum(size[chosen])).astype(np.int64)
    flipped = np.repeat(turned[chosen], size[chosen])
    negated = (matrix.data[entries] < 0) != flipped
    variable = matrix.indices[entries].astype(np.int64)
    return Candidates(start, variable, negated, chosen, equal[chosen])


@dataclass(frozen=True, slots=True, eq=False)
class Structure:
    """What the rows of a program say, before one of its groupings is taken.

    Bounds of ``program`` are tightened; ``rows`` are whole, less those that follow from others.
    Bits that are ``decided`` by two others are out of both, see ``products``.
    """

    program: Program
    rows: WholeRows
    groupings: Sequence[Sequence[Group]]
    decided: DecidedCells | None


@lru_cache(maxsize=1)
def structure_of(program: Program) -> Structure:
    """Find it; raises as ``whole_rows``. The last one is kept, as groupings are tried in turn."""
    program = tightened(program)
    rows = whole_rows(program).merged()
    rows = rows.only(~implied_rows(rows))
    program, rows, decided = without_products(program, rows)
    options, n = candidates(program, rows), len(program.lower)
    groupings = [disjoint_groups(options, n, seed) for seed in seeds(options, n).tolist()]
    # Three values or more are numbered by coefficients beyond 1.
    numbering = len(groupings) > 1 and (np.abs(rows.matrix.data) > 1).any()
    if not (numbering and len(_arranged(program, rows, groupings[0]).order.row)):
        groupings.sort(key=_worth, reverse=True)
    return Structure(program, rows, groupings, decided)


def seeds(options: Candidates, n_variables: int) -> IntArray:
    """The numbers of the rows that groupings begin with, at most ``GROUPINGS``, at least one.

    They are the first rows of the variable that is in most rows that say "exactly one"; where none
    does, "at most one".
    """
    if not len(options.row):
        return np.zeros(1, dtype=np.int64)
    size = np.diff(options.start)
    owner = np.repeat(np.arange(len(size)), size)
    kind = options.exact[owner] if options.exact.any() else np.ones(len(owner), dtype=bool)
    shared = np.argmax(np.bincount(options.variable[kind], minlength=n_variables))
    numbers: IntArray = options.row[owner[kind & (options.variable == shared)]]
    return numbers[: GROUPINGS if len(size) <= _MANY else 1]


def disjoint_groups(options: Candidates, n_variables: int, seed: int) -> list[Group]:
    """Rows that share no variable, in their order; what is left of a row is "at most one".

    First come rows that say "exactly one" of variables that are all free, and among both those
    without negations; then those of many variables, up to a factor of two; then those near the
    row ``seed``.
    """
    n, size = len(options.row), np.diff(options.start)
    owner = np.repeat(np.arange(n), size)
    sharing = owner[np.argsort(options.variable, kind="stable")].tolist()
    at = starts(options.variable, n_variables).tolist()
    free = np.ones(n_variables, dtype=bool)
    negated = (np.bincount(owner, options.negated, minlength=n) > 0).tolist()
    far, exact = np.abs(options.row - seed).tolist(), options.exact.tolist()
    sizes, left = size.tolist(), size.tolist()

    def rank(c: int) -> tuple[Any, ...]:
        # Rows of one kind differ by a few variables: sizes count by powers of two.
        whole = exact[c] and left[c] == sizes[c]
        return not whole, negated[c], -left[c].bit_length(), far[c], c

    heap = [rank(c) for c in range(n)]
    heapify(heap)
    groups = []
    while heap:
        known = heappop(heap)
        c = known[-1]
        if left[c] < 2:
            continue
        if (now := rank(c)) > known:
            heappush(heap, now)
            continue
        part = slice(options.start[c], options.start[c + 1])
        kept = free[options.variable[part]]
        variable = options.variable[part][kept]
        whole = exact[c] and left[c] == sizes[c]
        groups.append(Group(variable, options.negated[part][kept], whole, int(options.row[c])))
        free[variable] = False
        for v in variable.tolist():
            for other in sharing[at[v] : at[v + 1]]:
                left[other] -= 1
    return sorted(groups, key=lambda group: group.row)


def _worth(groups: Sequence[Group]) -> tuple[bool, float]:
    """What makes a grouping likely to be good: whether all rows say "exactly one", then states.

    These as a binary logarithm, which variables in no group have a share in, up to a constant.
    """
    sizes = np.array([len(group.variable) + (not group.exact) for group in groups])
    taken = sum(len(group.variable) for group in groups)
    return all(group.exact for group in groups), float(np.log2(sizes).sum()) - taken


class _Layout:
    """Each variable as ``base + matrix @ literals`` of choices: the groups, then single variables.

    ``base`` has shape (variables,), ``matrix`` (variables, literals), ``start`` (choices + 1,)
    says which literal is the first of each choice, ``single`` which variables are choices by
    themselves: those in no group that are neither fixed nor defined, by the others or by those
    that are defined before.
    """

    def __init__(
        self, program: Program, groups: Sequence[Group], defined: Sequence[Defined]
    ) -> None:
        n, nothing = len(program.lower), np.zeros(0, dtype=np.int64)
        variable = np.concatenate([nothing, *(group.variable for group in groups)])
        negated = np.concatenate([nothing, *(group.negated for group in groups)])
        alone = program.lower < program.upper
        alone[np.concatenate([variable, *(part.variable for part in defined)])] = False
        self.single = np.flatnonzero(alone)
        above = (program.upper - program.lower)[self.single]
        group_size = np.array([len(group.variable) for group in groups], dtype=np.int64)
        more = np.array([not group.exact for group in groups], dtype=np.int64)
        sizes = np.concatenate([group_size + more, above + 1])
        self.start = np.append(0, np.cumsum(sizes)).astype(np.int64)
        first = self.start[:-1]
        literal = ranges(
            np.append(first[: len(group_size)], first[len(group_size) :] + 1),
            np.append(group_size, above),
        )
        value = np.append(1 - 2 * negated, ranges(np.ones_like(above), above))
        row = np.append(variable, np.repeat(self.single, above))
        matrix = csr_array((value, (row, literal)), shape=(n, int(self.start[-1])))
        self.base = program.lower.copy()
        self.base[variable] = negated
        for part in defined:
            self.base[part.variable] = part.base + part.matrix @ self.base
            one = np.ones_like(part.variable), (part.variable, np.arange(len(part.variable)))
            place = csr_array(one, shape=(n, len(part.variable)))
            matrix = csr_array(matrix + place @ (part.matrix @ matrix))
        self.matrix = matrix


def _with_choices(
    program: Program,
    groups: Sequence[Group],
    rows: WholeRows,
    single: IntArray,
    numbers: Mapping[int, IntArray],
) -> ModelBuilder:
    """A builder with the choices; ``numbers`` has the values of those that are in order."""
    builder, names = ModelBuilder(), _Names()
    for c, group in enumerate(groups):
        name = names.unused(program.rows[rows.number[group.row]])
        builder.choice(name, _values(program, group, numbers.get(c)), "choice")
    for v in single.tolist():
        low, high = int(program.lower[v]), int(program.upper[v])
        name, is_bit = names.unused(program.variables[v]), high == low + 1
        family = "bit" if is_bit else "integer"
        builder.choice(name, range(low, high + 1), family, is_bit=is_bit)
    return builder


def _values(program: Program, group: Group, numbers: IntArray | None) -> list[Hashable]:
    """The values of a group's choice: what is true, or none; numbers where it is in order."""
    if numbers is not None:
        return [*numbers.tolist()]
    pairs = zip(group.variable.tolist(), group.negated.tolist(), strict=True)
    names = [f"{'not ' if negated else ''}{program.variables[v]}" for v, negated in pairs]
    return [*names] if group.exact else [*names, NONE]


class _Names:
    """Names of choices, each once."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def unused(self, name: str) -> str:
        while name in self._used:
            name += "'"
        self._used.add(name)
        return name


def n_groupings(program: Program) -> int:
    """How many groupings a program has; raises as ``whole_rows``."""
    return len(structure_of(program).groupings)


def grouped_model(program: Program, grouping: int | None, *, ordered: bool = True) -> Model:
    """The program as choices and rows; its field is the variables' values.

    Besides choices: equalities that follow from others are left out, bits that equalities define
    by variables of choices are taken out, and rows that compare the values of two choices become
    precedences, see ``structure``.

    Args:
        grouping: 0 .. ``n_groupings(program)`` - 1; None leaves every variable by itself.
        ordered: whether rows become precedences; else they are rows, with their names.

    Raises:
        InputError: for another grouping, and for rows that cannot be taken, see ``whole_rows``.
    """
    groups: Sequence[Group] = ()
    fewest, decided = 3, None
    if grouping is None:
        rows, fewest = whole_rows(program), MOST_VALUES + 1
    else:
        structure = structure_of(program)
        program, rows, decided = structure.program, structure.rows, structure.decided
        if not 0 <= grouping < len(structure.groupings):
            raise InputError(
                f"grouping={grouping}: this program has {len(structure.groupings)}, from 0"
            )
        groups = structure.groupings[grouping]
    arranged = _arranged(program, rows, groups, fewest, ordered=ordered)
    layout, left, order = arranged.layout, arranged.rows, arranged.order
    builder = _with_choices(program, groups, rows, layout.single, order.numbers)
    lowest = np.append(np.zeros(len(groups), dtype=np.int64), program.lower[layout.single])
    _add_order(builder, program, left, order, lowest)
    _add_rows(builder, program, left, order.row)
    _add_objective(builder, program, layout.base, layout.matrix)
    entries, base = layout.matrix.tocoo(), layout.base
    view = builder.view(
        "values", entries.row, entries.col, entries.data, base=base, n_cells=len(base)
    )
    write = partial(_written, program, groups, layout.single, order.numbers)
    field = Field((len(base),), -_FIELD, _FIELD, (view,), write, decided)
    return builder.build(field, id=program.id, title=program.title)


class _Arranged(NamedTuple):
    """Choices, the rows over their literals, and which of these say that values are in order."""

    layout: _Layout
    rows: WholeRows
    order: Ordered


def _arranged(
    program: Program,
    rows: WholeRows,
    groups: Sequence[Group],
    fewest: int = 3,
    *,
    ordered: bool = True,
) -> _Arranged:
    """Lay it out; ``fewest`` as ``defined_integers`` takes it, ``ordered`` as above."""
    grouped = np.zeros(len(program.lower), dtype=bool)
    for group in groups:
        grouped[group.variable] = True
    bits = defined_bits(program, rows, grouped)
    integers = defined_integers(program, rows, fewest)
    layout = _Layout(program, groups, (bits, integers))
    left = _over_literals(rows, layout, groups, (bits, integers))
    low, high = program.lower[layout.single], program.upper[layout.single]
    wide = (high - low > 1) & (np.maximum(abs(low), abs(high)) <= LARGEST_VALUE)
    usable = np.append(np.array([group.exact for group in groups], dtype=bool), wide) & ordered
    known = {c: np.arange(n) for c, n in enumerate(np.diff(layout.start)) if c >= len(groups)}
    return _Arranged(layout, left, ordered_choices(left, layout.start, usable, known))


def _over_literals(
    rows: WholeRows, layout: _Layout, groups: Sequence[Group], defined: Sequence[Defined]
) -> WholeRows:
    """The rows over literals, less those that choices say; the defining ones become bounds."""
    variable, low, high, defining = (
        np.concatenate([getattr(part, name) for part in defined])
        for name in ("variable", "lower", "upper", "row")
    )
    open_rows = np.ones(len(rows.lower), dtype=bool)
    open_rows[[group.row for group in groups if group.exact]] = False
    open_rows[defining] = False
    (left,) = np.nonzero(open_rows)
    matrix = vstack([rows.matrix[left] @ layout.matrix, layout.matrix[variable]])
    shift = np.append(rows.matrix[left] @ layout.base, layout.base[variable])
    lower, upper = np.append(rows.lower[left], low), np.append(rows.upper[left], high)
    lower = np.where(lower <= -UNBOUNDED, lower, lower - shift)
    upper = np.where(upper >= UNBOUNDED, upper, upper - shift)
    entries = summed(csr_array(matrix))
    whole = WholeRows(entries, lower, upper, rows.number[np.append(left, defining)])
    return whole.only((lower > -UNBOUNDED) | (upper < UNBOUNDED))


def _add_order(
    builder: ModelBuilder, program: Program, rows: WholeRows, order: Ordered, lowest: IntArray
) -> None:
    """The precedences, by families; ``lowest`` (choices,) is what the number 0 stands for."""
    of_row = _families([program.rows[number] for number in rows.number[order.row].tolist()])
    gap = order.gap + lowest[order.second] - lowest[order.first]
    for family in dict.fromkeys(of_row):
        members = np.array([at for at, other in enumerate(of_row) if other == family])
        builder.precedence(family, order.first[members], order.second[members], gap[members])


def _add_rows(builder: ModelBuilder, program: Program, rows: WholeRows, but: IntArray) -> None:
    """The rows over literals by families, but those with the numbers ``but``."""
    kept = np.delete(np.arange(len(rows.lower)), but)
    of_row = _families([program.rows[number] for number in rows.number[kept].tolist()])
    for family in dict.fromkeys(of_row):
        members = kept[[at for at, other in enumerate(of_row) if other == family]]
        entries = rows.matrix[members].tocoo()
        builder.linear(
            family,
            entries.row,
            entries.col,
            entries.data,
            lower=rows.lower[members],
            upper=rows.upper[members],
            shape=(len(members),),
            labels=[program.rows[number] for number in rows.number[members].tolist()],
        )


def _families(labels: Sequence[str]) -> list[str]:
    """A family for each row, by its name's beginning."""
    stems = [_stem(label) or "row" for label in labels]
    renamed = {"choice": "choice rows", "bit": "bit rows", "integer": "integer rows"}
    few = len(set(stems)) <= _FAMILIES
    return [renamed.get(stem, stem) if few else "row" for stem in stems]


def _stem(label: str) -> str:
    """A row's name without numbers and brackets at the end."""
    stem = label.rstrip(_ENDS)
    return stem if stem[-1:].isascii() else re.sub(r"[\W\d_]+$", "", stem)


def _add_objective(builder: ModelBuilder, program: Program, base: IntArray, literals: Any) -> None:
    """What is minimised, over literals; nothing for a program without objective."""
    if not program.has_objective:
        return
    sign = -1.0 if program.maximize else 1.0
    both = program.quadratic + program.quadratic.T
    linear = sign * (literals.T @ (program.cost + both @ base))
    pairs = csr_array(literals.T @ program.quadratic @ literals).tocoo()
    choice = np.repeat(np.arange(builder.n_choices), builder.sizes)
    # Two values of one choice are never taken both.
    kept = (pairs.row == pairs.col) | (choice[pairs.row] != choice[pairs.col])
    builder.objective(np.arange(len(linear)), linear, offset=sign * program.objective_of(base))
    builder.objective(pairs.row[kept], sign * pairs.data[kept], pairs.col[kept])


def _written(
    program: Program,
    groups: Sequence[Group],
    single: IntArray,
    numbers: Mapping[int, IntArray],
    values: IntArray,
) -> Sequence[Hashable]:
    """The value of each choice in the order of the model, of values of the variables."""
    taken: list[Any] = []
    for c, group in enumerate(groups):
        true = np.flatnonzero(values[group.variable] != group.negated).tolist()
        if len(true) != 1 and (group.exact or true):
            names = ", ".join(program.variables[v] for v in group.variable.tolist())
            raise InputError(f"{len(true)} of {names:.60} are taken, and a choice has one value")
        taken.append(_values(program, group, numbers.get(c))[true[0] if true else -1])
    return [*taken, *values[single].tolist()]
