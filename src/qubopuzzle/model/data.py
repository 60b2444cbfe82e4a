"""The constraint model as plain frozen data over numpy arrays.

A model is a list of **choices** (exactly one value of each is taken) and
**constraints** over **literals**. Literal ``l`` stands for "choice c takes its
v-th value"; the literals of choice ``c`` are numbered ``first_literal[c]`` to
``first_literal[c + 1] - 1``. An assignment is a 0/1 vector ``x`` over literals.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, compress
from typing import Any, Self, TypeAlias, TypeVar

import numpy as np
import scipy
from numpy.typing import NDArray

from qubopuzzle.base import html
from qubopuzzle.errors import InputError, ModelError, printable
from qubopuzzle.jit import kernel

IntArray: TypeAlias = NDArray[np.int64]
IntMatrix: TypeAlias = Any
"""A ``scipy.sparse.csr_array`` of int64 (SciPy ships no types)."""

UNBOUNDED = 1 << 60
"""Stands for "no bound" in ``Linear.lower`` (negated) and ``Linear.upper``."""
LARGEST = 1 << 53
"""What the terms of a row may add up to over valid choices: doubles are exact up to there."""
LARGEST_IN_DOUBLES = 1 << 36
"""The same where a solver in doubles is to prove something: it has to tell units apart."""
LARGEST_SQUARED = 1 << 20
"""The same where squares of rows are added up, as penalties are: that is exact in doubles."""
MOST_MISSED = 1 << 22
"""A row that is missed by more costs no more: squares of many rows add up in 64 bits."""


@dataclass(frozen=True, slots=True)
class Choice:
    """An ordered set of distinct values, exactly one of which is taken.

    ``is_bit`` marks a yes/no choice: every encoding spends one variable on it.
    """

    name: str
    values: Sequence[Hashable]
    family: str
    is_bit: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """``lower <= matrix @ x <= upper``, row by row, with integer coefficients.

    ``matrix`` has shape (rows, literals), ``lower`` and ``upper`` shape (rows,).
    ``labels`` names the rows for people; it is a function because most are never asked for.
    """

    family: str
    matrix: IntMatrix
    lower: IntArray
    upper: IntArray
    labels: Callable[[int], str]

    def cost(self, x: IntArray) -> IntArray:
        """What each row costs that an assignment, shape (literals,), breaks; (rows,).

        d**2 for an equality missed by d, d (d + 1) / 2 for a range; from ``MOST_MISSED`` on no
        more than there. Of several assignments, (literals, n), the costs are (rows, n).
        """
        value = self.matrix @ x
        lower, upper = (end.reshape(-1, *[1] * (x.ndim - 1)) for end in (self.lower, self.upper))
        missed = np.maximum(lower - value, value - upper).clip(0, MOST_MISSED)
        equal = lower == upper
        return np.asarray(np.where(equal, missed**2, missed * (missed + 1) // 2))


def reach_of(
    rows: IntArray, choices: IntArray, coefficients: IntArray, n: int
) -> NDArray[np.float64]:
    """What the terms of each row can add up to, one value a choice, in absolute numbers, (n,).

    Args:
        rows, choices, coefficients: of each term, shape (terms,).
        n: how many rows there are.
    """
    order = np.lexsort((choices, rows))
    row, choice = rows[order], choices[order]
    size = np.abs(coefficients[order].astype(np.float64))
    first = np.append(True, (row[1:] != row[:-1]) | (choice[1:] != choice[:-1]))[: len(row)]
    (start,) = np.nonzero(first)
    greatest = np.maximum.reduceat(size, start) if len(start) else size
    return np.bincount(row[start], greatest, minlength=n).astype(np.float64)


def label_of(labels: Callable[[int], str], rows: IntArray, row: int) -> str:
    """The label of a row where only some rows are left, by their numbers before."""
    return labels(int(rows[row]))


@dataclass(frozen=True, slots=True, eq=False)
class Precedence:
    """``value(second[i]) >= value(first[i]) + gap[i]`` between choices with integer values.

    All three arrays have shape (n,); ``first`` and ``second`` are choice numbers.
    """

    family: str
    first: IntArray
    second: IntArray
    gap: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Connected:
    """The nodes whose literals are true are connected along edges between them.

    ``literals`` (nodes,) says which literal each node is, ``edges`` (n, 2) which nodes are
    neighbours. One node, or none, is connected.
    """

    family: str
    literals: IntArray
    edges: IntArray

    def components(self, x: NDArray[Any]) -> IntArray:
        """The component of each node, 0 .. n - 1, or -1 where it is not true; (nodes,)."""
        true = np.asarray(x)[self.literals] > 0
        first = self.joined(true)
        number = np.cumsum(true & (first == np.arange(len(true)))) - 1
        return np.where(true, number[first], -1)

    def joined(self, true: NDArray[np.bool_]) -> IntArray:
        """The first of the nodes that true nodes connect each node to, (nodes,)."""
        return _components(self.edges, true)

    def restricted(self, there: NDArray[np.bool_]) -> Self:
        """The graph of some of its nodes, those of ``there`` (nodes,)."""
        edges = self.edges[there[self.edges].all(axis=1)]
        return type(self)(self.family, self.literals[there], (np.cumsum(there) - 1)[edges])


@dataclass(frozen=True, slots=True, eq=False)
class Acyclic:
    """The edges whose literals are true make no cycle.

    ``literals`` (edges,) says which literal each edge is, ``edges`` (edges, 2) which nodes it
    joins. An edge from a node to itself is a cycle, and so are two edges between two nodes.
    """

    family: str
    literals: IntArray
    edges: IntArray

    def cycles(self, x: NDArray[Any]) -> list[IntArray]:
        """For each true edge that closes a cycle with true ones before it, the cycle's edges."""
        true = np.flatnonzero(np.asarray(x)[self.literals] > 0)
        ends = self.edges[true]
        n_nodes = int(self.edges.max(initial=-1)) + 1
        component = _components(ends, np.ones(n_nodes, dtype=bool))
        n_edges = np.bincount(component[ends[:, 0]], minlength=n_nodes)
        cyclic = n_edges >= np.bincount(component, minlength=n_nodes)
        forest: dict[int, dict[int, int]] = {}
        cycles = []
        for edge in true[cyclic[component[ends[:, 0]]]].tolist():
            a, b = self.edges[edge].tolist()
            path = _path_between(forest, a, b)
            if path is None:
                forest.setdefault(a, {})[b] = forest.setdefault(b, {})[a] = edge
            else:
                cycles.append(np.array([*path, edge], dtype=np.int64))
        return cycles

    def restricted(self, there: NDArray[np.bool_]) -> Self:
        """The graph of some of its edges, those of ``there`` (edges,)."""
        return type(self)(self.family, self.literals[there], self.edges[there])


GraphT = TypeVar("GraphT", Connected, Acyclic)


@kernel
def _merge(ends: IntArray, there: NDArray[np.bool_], label: IntArray) -> None:
    """Give all nodes that edges join the number of the first of them.

    Edge e joins the nodes ``ends[2 * e]`` and ``ends[2 * e + 1]``, if both are ``there`` (nodes,);
    ``label`` (nodes,) has each node's own number before.
    """
    for e in range(0, len(ends), 2):
        one, other = ends[e], ends[e + 1]
        if not (there[one] and there[other]):
            continue
        while label[one] != one:
            label[one] = one = label[label[one]]
        while label[other] != other:
            label[other] = other = label[label[other]]
        if one < other:
            label[other] = one
        else:
            label[one] = other
    for node in range(len(label)):
        label[node] = label[label[node]]


_FEW_EDGES = 100
"""Which Python alone merges in less time than numba takes to be imported."""


def _components(edges: IntArray, there: NDArray[np.bool_]) -> IntArray:
    """The component of each node of a graph, (nodes,): the number of its first node.

    Nodes that are not ``there`` (nodes,) have one of their own.
    """
    label, ends = np.arange(len(there)), np.ascontiguousarray(edges).ravel()
    if len(edges) > _FEW_EDGES or _merge.is_compiled:
        _merge(ends, there, label)
        return label
    labels = label.tolist()
    _merge.plain(ends.tolist(), there.tolist(), labels)
    return np.array(labels, dtype=np.int64)


def _path_between(forest: dict[int, dict[int, int]], start: int, end: int) -> list[int] | None:
    """The edges from one node to another, by number; None if there is none."""
    previous: dict[int, tuple[int, int]] = {start: (start, -1)}
    reached = [start]
    for node in reached:
        for other, edge in forest.get(node, {}).items():
            if other not in previous:
                previous[other] = (node, edge)
                reached.append(other)
    if end not in previous:
        return None
    path = []
    while end != start:
        end, edge = previous[end]
        path.append(edge)
    return path


def summed(matrix: IntMatrix) -> IntMatrix:
    """A sparse matrix with repeated entries added and zeros dropped, in place."""
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix


def row_of_entry(matrix: IntMatrix) -> IntArray:
    """The row of each entry of a sparse matrix by rows, (entries,)."""
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))


def as_before(*columns: NDArray[Any]) -> NDArray[np.bool_]:
    """Where all columns, (n,) each, have the same value as one place before, (n,)."""
    same = np.zeros(len(columns[0]), dtype=bool)
    same[1:] = np.logical_and.reduce([column[1:] == column[:-1] for column in columns])
    return same


def signatures(matrix: IntMatrix) -> NDArray[np.uint64]:
    """The same number for equal rows of a sparse matrix, others almost surely, (rows,).

    They are random sums of the terms modulo 2**64. Entries of a row must not stand twice.
    """
    key = np.random.default_rng(0).integers(1, 1 << 63, matrix.shape[1], dtype=np.uint64)
    terms = matrix.data.astype(np.uint64) * key[matrix.indices]
    sums = np.append(np.uint64(0), np.cumsum(terms, dtype=np.uint64))
    return np.asarray(sums[matrix.indptr[1:]] - sums[matrix.indptr[:-1]])


def starts(numbers: IntArray, n: int) -> IntArray:
    """Where each of 0 .. n - 1 begins in a sorted array, and its length, shape (n + 1,)."""
    return np.concatenate([[0], np.cumsum(np.bincount(numbers, minlength=n))]).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Objective:
    """What valid assignments shall minimise: ``offset + linear @ x + x @ couplings @ x``.

    ``linear`` has shape (literals,), ``couplings`` is a strictly upper triangular
    ``scipy.sparse.csr_array`` of shape (literals, literals); both are float64.
    """

    linear: NDArray[np.float64]
    couplings: Any
    offset: float = 0.0

    def value(self, x: NDArray[Any]) -> float:
        """Of an assignment, 0/1 by literal, shape (literals,)."""
        return float(self.offset + self.linear @ x + x @ (self.couplings @ x))

    def restricted(self, kept: NDArray[np.bool_], fixed: IntArray) -> Self:
        """Over the literals of ``kept`` (literals,), where ``fixed`` (literals,) says the rest."""
        both = self.couplings + self.couplings.T
        linear = (self.linear + both @ fixed)[kept]
        return type(self)(linear, self.couplings[kept][:, kept], self.value(fixed))


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """One of several redundant views of the answer grid: ``base + matrix @ x``, cell by cell.

    ``matrix`` has shape (cells, literals), ``base`` shape (cells,), cells in row-major order.
    """

    name: str
    base: IntArray
    matrix: IntMatrix


@dataclass(frozen=True, slots=True, eq=False)
class DecidedCells:
    """Cells of 0 and 1 that two others decide, which are none of them.

    ``cell`` has shape (n,), ``others`` (n, 2), the same twice where there is one; ``table`` (n, 4)
    says the cell's value for others of 00, 01, 10 and 11.
    """

    cell: IntArray
    others: IntArray
    table: IntArray

    def only(self, kept: NDArray[Any]) -> Self:
        """Some of them, by flags or numbers, (n,)."""
        return type(self)(self.cell[kept], self.others[kept], self.table[kept])

    def filled(self, values: IntArray) -> IntArray:
        """Values by cell, (..., cells), with those that are decided."""
        case = np.clip(values[..., self.others], 0, 1) @ np.array([2, 1])
        whole = values.copy()
        whole[..., self.cell] = self.table[np.arange(len(self.cell)), case]
        return whole


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """How an assignment paints the answer grid, and back.

    ``views`` redundantly give the same grid of shape ``shape`` (a nonogram
    has one from the rows and one from the columns), but for cells that are ``decided`` by others;
    cell values lie in ``low .. high``. ``write`` is the inverse: it takes an answer grid and
    returns one value for each choice; it raises ``InputError`` where the grid cannot be
    written in this formulation.
    """

    shape: tuple[int, ...]
    low: int
    high: int
    views: tuple[View, ...]
    write: Callable[[IntArray], Sequence[Hashable]]
    decided: DecidedCells | None = None

    def filled(self, cells: IntArray) -> IntArray:
        """What a view paints, (..., cells), with the cells that others decide."""
        return cells if self.decided is None else self.decided.filled(cells)

    def read(self, x: NDArray[Any]) -> tuple[IntArray, IntArray]:
        """Field reconstruction: the painted grid and its inconsistent cells.

        Args:
            x: literal values, shape (literals,).

        Returns:
            The grid from the first view, clipped to ``low .. high``, and the cells
            (n, len(shape)) where a view is out of range or views disagree.
        """
        grids, broken = self.read_all(x[None])
        return grids[0], np.argwhere(broken[0]).astype(np.int64)

    def read_all(self, rows: NDArray[Any]) -> tuple[IntArray, NDArray[np.bool_]]:
        """``read`` of many assignments, (n, literals): grids, and which cells are inconsistent.

        Both have the shape (n, *shape).
        """
        x = rows.astype(np.int64).T
        views = np.array([(view.matrix @ x).T + view.base for view in self.views])
        first = views[0]
        broken = (first < self.low) | (first > self.high) | (views != first).any(axis=0)
        shape = (len(rows), *self.shape)
        grids = np.clip(self.filled(first), self.low, self.high).reshape(shape)
        grids.setflags(write=False)
        return grids, broken.reshape(shape)


class Compilable:
    """What has forms: problems and models."""

    __slots__ = ()

    def form(self, to: str, settings: Any = None, **fields: Any) -> Any:
        """A ``Form``, compiled for an engine; ``qubopuzzle.form`` of this, which says more.

        >>> from qubopuzzle import Nonogram
        >>> Nonogram(rows=[[1]], cols=[[1], []]).form("qubo", presolve="propagate").labels
        []
        """
        import qubopuzzle  # as users do: what compiles and judges stands above this package

        source: Any = self
        return qubopuzzle.form(source, to, settings, **fields)


@dataclass(frozen=True, eq=False, repr=False)
class Model(Compilable):
    """Choices, constraints and the field they paint. Made by ``ModelBuilder.build``.

    Attributes:
        families: names of all constraint families, choices' first, in order of appearance.
        omitted: rules that the formulation relaxes (leaves out), by name: every solution of
            the puzzle is one of the model, not conversely.
        restricted: rules that it strengthens, by name: every solution of the model
            is one of the puzzle, not conversely.
        objective: what to minimise among the assignments that meet everything, if anything.
        deferred: connectivity that is met by cuts, see ``with_cuts``; only propagation knows it.
        likely: names of bits that solutions tend to have at 1. Nothing follows from it; exact
            solvers look there first, and everywhere if nothing is left there.
        id, title: for people; no part of what the model says.
    """

    choices: tuple[Choice, ...]
    first_literal: IntArray
    linear: tuple[Linear, ...]
    precedence: tuple[Precedence, ...]
    connected: tuple[Connected, ...]
    acyclic: tuple[Acyclic, ...]
    families: tuple[str, ...]
    field: Field | None = None
    objective: Objective | None = None
    omitted: tuple[str, ...] = ()
    restricted: tuple[str, ...] = ()
    deferred: tuple[Connected, ...] = ()
    likely: tuple[str, ...] = ()
    id: str = ""
    title: str = ""

    def __repr__(self) -> str:
        n_rows = sum(len(block.lower) for block in self.linear)
        counts = f"{len(self.choices):,} choices, {self.n_literals:,} literals, {n_rows:,} rows"
        families = printable(", ".join(self.families))
        return f"<Model {self.id!r}: {counts}, families {families}>"

    def _repr_html_(self) -> str:
        lines = {family: [0] * 5 for family in self.families}
        for choice in self.choices:
            lines[choice.family][0] += 1
            lines[choice.family][1] += len(choice.values)
        for linear in self.linear:
            lines[linear.family][2] += len(linear.lower)
            lines[linear.family][3] += linear.matrix.nnz
        for order in self.precedence:
            lines[order.family][4] += len(order.first)
        kinds = {g.family: ", connectivity" for g in self.connected}
        kinds |= {g.family: ", no cycles" for g in self.acyclic}
        heads = ["family", "choices", "values", "rows", "terms", "precedences"]
        rows = [[family + kinds.get(family, ""), *counts] for family, counts in lines.items()]
        return html.table(heads, rows, f"{self.id} {self.title}".strip() or "model")

    @property
    def n_literals(self) -> int:
        """Number of literals: the sum of the choices' sizes."""
        return int(self.first_literal[-1])

    @cached_property
    def sizes(self) -> IntArray:
        """Number of values of each choice, shape (choices,)."""
        return np.diff(self.first_literal)

    @cached_property
    def choice_of_literal(self) -> IntArray:
        """The choice that each literal belongs to, shape (literals,)."""
        return np.repeat(np.arange(len(self.choices)), self.sizes)

    @cached_property
    def row_ends(self) -> IntArray:
        """How many linear rows there are up to the end of each block, (blocks,)."""
        return np.cumsum([len(block.lower) for block in self.linear], dtype=np.int64)

    def row_label(self, row: int) -> str:
        """What a linear row is called, by its number among those of all blocks."""
        number = int(np.searchsorted(self.row_ends, row, side="right"))
        block = self.linear[number]
        return block.labels(row - int(self.row_ends[number]) + len(block.lower))

    def heaviest_rows(self, weight: NDArray[Any], most: int) -> list[tuple[str, float]]:
        """The linear rows with the greatest weights, (rows,): label and weight.

        Weights of rows that were added behind the model's, as cuts are, are passed over.
        """
        weights = weight[: int(self.row_ends[-1]) if len(self.row_ends) else 0]
        greatest = np.argsort(-weights, kind="stable")[:most].tolist()
        return [(self.row_label(row), float(weights[row])) for row in greatest]

    @cached_property
    def choices_by_family(self) -> dict[str, IntArray]:
        """The numbers of the choices of each family that has some."""
        families = np.array([choice.family for choice in self.choices])
        return {name: np.flatnonzero(families == name) for name in dict.fromkeys(families.tolist())}

    @cached_property
    def is_numbered(self) -> NDArray[np.bool_]:
        """Whether each choice is in a precedence, (choices,)."""
        numbered = np.zeros(len(self.choices), dtype=bool)
        for block in self.precedence:
            numbered[block.first] = numbered[block.second] = True
        return numbered

    @cached_property
    def number_of_literal(self) -> IntArray:
        """The value of each literal of choices that are in precedences, else 0; (literals,)."""
        numbered = compress(self.choices, self.is_numbered.tolist())
        values = chain.from_iterable(choice.values for choice in numbered)
        number = np.zeros(self.n_literals, dtype=np.int64)
        number[self.is_numbered[self.choice_of_literal]] = np.fromiter(values, dtype=np.int64)
        return number

    @property
    def likely_literals(self) -> IntArray:
        """The literals of ``likely``, but of bits that propagation has fixed, shape (n,)."""
        open_bits = [c for c, choice in enumerate(self.choices) if choice.name in self.likely]
        return self.first_literal[open_bits] + 1

    @property
    def graphs(self) -> tuple[Connected | Acyclic, ...]:
        """The constraints that are met by cuts."""
        return (*self.connected, *self.acyclic)

    @property
    def answer_choices(self) -> IntArray:
        """The choices that decide what the field's first view paints; all without a field."""
        if self.field is None:
            return np.arange(len(self.choices))
        read = np.unique(self.field.views[0].matrix.indices)
        return np.unique(self.choice_of_literal[read])

    @cached_property
    def painted(self) -> NDArray[np.uint64]:
        """A number for what each literal paints in the field's first view, (literals,)."""
        if self.field is None:
            raise ModelError("a model without a field paints nothing")
        return signatures(scipy.sparse.csr_array(self.field.views[0].matrix.T))

    def require_local(self, who: str) -> None:
        """Refuse constraints that no sum of small penalties expresses.

        Raises:
            ModelError: naming the constraint's family.
        """
        what = "connectivity" if self.connected else "cycles"
        for block in self.graphs:
            raise ModelError(
                f"{who} has no form for {what} ({block.family}): use a formulation that "
                "spells it out, or solver sat, cpsat, mip or clingo"
            )

    def require_small(self, who: str, most: int = LARGEST_SQUARED) -> None:
        """Refuse rows whose terms add up to more, by default to what is too large to be squared.

        Raises:
            InputError: naming the row, and what takes it.
        """
        does, others = ("squares", "annealer, mip") if most == LARGEST_SQUARED else ("takes", "sat")
        for block in self.linear:
            if abs(block.matrix).sum(axis=1).max(initial=0) <= most:
                continue
            terms = block.matrix.tocoo()
            choice = self.choice_of_literal[terms.col]
            reach = reach_of(terms.row, choice, terms.data, len(block.lower))
            for row in np.flatnonzero(reach > most).tolist():
                raise InputError(
                    f"{block.labels(row)}: its terms add up to {reach[row]:,.0f} in whole numbers, "
                    f"and {who} {does} no more than {most:,}; give it in larger units, or use "
                    f"--solver {others} or cpsat, which take more"
                )

    def numbers(self, choice: int) -> IntArray:
        """The values of a choice as integers, shape (size,); needed by precedence."""
        return np.asarray(self.choices[choice].values, dtype=np.int64)

    def assignment(self, values: Sequence[Hashable]) -> IntArray:
        """The literal vector in which each choice takes the given value.

        Raises:
            ValueError: if a value is not among its choice's values.
        """
        x = np.zeros(self.n_literals, dtype=np.int64)
        starts = self.first_literal[:-1].tolist()
        for choice, start, value in zip(self.choices, starts, values, strict=True):
            x[start + choice.values.index(value)] = 1
        return x

    def values(self, x: NDArray[Any]) -> dict[str, Hashable]:
        """The value of each choice by its name; None where it takes none, or several.

        Args:
            x: literal values, shape (literals,); those below 0, of broken domain walls, count as 0.
        """
        taken = np.split(np.clip(x, 0, 1), self.first_literal[1:-1])
        return {
            choice.name: choice.values[int(np.argmax(literals))] if literals.sum() == 1 else None
            for choice, literals in zip(self.choices, taken, strict=False)
        }
