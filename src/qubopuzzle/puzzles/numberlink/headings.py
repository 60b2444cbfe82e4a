"""Ways of paths through cells, with headings that no closed loop can have: see ``numberlink``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.model import FALSE, ChoiceHandle, IntArray, ModelBuilder
from qubopuzzle.puzzles.kinds.paths import neighbours

NONE = 8
"""No heading: before a path begins, and after it ends."""
UNUSED = -1
"""Stands for a pair where no path is."""
_HEADING = np.arange(8)
_BEHIND = (_HEADING + 2) % 4


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """Cells in row-major order, K pairs of them to be joined.

    Attributes:
        near: see ``neighbours``.
        number: the pair that a cell belongs to, 0 .. K - 1, or -1, (cells,).
        ends: the two cells of each pair, in order, (K, 2).
        reached: which pairs' paths reach a cell past the ends of other pairs, (cells, K).
        cover: whether every cell is used.
    """

    shape: tuple[int, int]
    near: IntArray
    number: IntArray
    ends: IntArray
    reached: NDArray[np.bool_]
    cover: bool

    @classmethod
    def of(cls, shape: tuple[int, int], number: IntArray, *, cover: bool) -> Board:
        """The board with these ends."""
        near, n_pairs = neighbours(shape), int(number.max(initial=-1)) + 1
        ends = np.argsort(number, kind="stable")[len(number) - 2 * n_pairs :].reshape(-1, 2)
        reached = np.zeros((len(number), n_pairs), dtype=bool)
        for pair in range(n_pairs):
            reached[_flood(near, number, pair, int(ends[pair, 0])), pair] = True
        return cls(shape, near, number, ends, reached, cover)

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return len(self.number)

    @property
    def n_pairs(self) -> int:
        """Number of pairs to be joined."""
        return len(self.ends)

    def first_headings(self, pair: int) -> IntArray:
        """With which heading a path begins, by direction: least turned from the other end."""
        (row, _), (below, _) = np.array(np.unravel_index(self.ends[pair], self.shape)).T
        middle = 1 if below > row else 0
        return np.asarray(((np.arange(4) - middle + 1) % 4 - 1 + middle) % 8)

    def name(self, what: str, cell: int) -> str:
        """Something of a cell, for people."""
        return f"{what}[{cell // self.shape[1]},{cell % self.shape[1]}]"

    def along(self, pair: int, path: list[int]) -> dict[int, tuple[int, int, int]]:
        """Pair, heading in and heading out of the cells of a path, given from either end."""
        path = path if path[0] == self.ends[pair, 0] else path[::-1]
        ways = [self.near[a].tolist().index(b) for a, b in pairwise(path)]
        turns = [(b - a + 1) % 4 - 1 for a, b in pairwise(ways)]
        first = int(self.first_headings(pair)[ways[0]])
        headings = [h % 8 for h in accumulate(turns, initial=first)]
        both = zip(path, [NONE, *headings], [*headings, NONE], strict=True)
        return {cell: (pair, into, out) for cell, into, out in both}

    def headings(self) -> IntArray:
        """Ways through cells: rows of cell, pair, heading in and heading out, sorted.

        Those that a neighbour cannot go on from are left out, and those that leave out a
        side that the neighbour there cannot do without, until nothing changes.
        """
        ways = np.zeros((self.n_cells, self.n_pairs, 9, 9), dtype=bool)
        for turn in (-1, 0, 1):
            ways[:, :, _HEADING, (_HEADING + turn) % 8] = True
        ways &= self.reached[:, :, None, None]
        ways[self.number >= 0] = False
        for pair, (first, second) in enumerate(self.ends.tolist()):
            ways[first, pair, NONE, self.first_headings(pair)] = True
            ways[second, pair, :NONE, NONE] = True
        before = -1
        while before != (before := int(ways.sum())):
            self._follow(ways)
            self._demand(ways)
        return np.argwhere(ways)

    def _follow(self, ways: NDArray[np.bool_]) -> None:
        """Keep ways that the cells before and after them can take up."""
        out = np.asarray(ways[..., :NONE].any(axis=2))
        into = np.asarray(ways[:, :, :NONE].any(axis=3))
        ways[..., :NONE] &= self._beside(into, _HEADING % 4)[:, :, None, :]
        ways[:, :, :NONE] &= self._beside(out, _BEHIND)[..., None]

    def _beside(self, found: NDArray[np.bool_], side: IntArray) -> NDArray[np.bool_]:
        """What the cell on a side of each heading has there, (cells, K, headings)."""
        cell = self.near[:, side]  # (cells, headings)
        there = found.swapaxes(1, 2)[cell, _HEADING] & (cell >= 0)[..., None]
        return np.asarray(there.swapaxes(1, 2))

    def _demand(self, ways: NDArray[np.bool_]) -> None:
        """Where all ways of a cell that is used take a side, the neighbour takes it, too."""
        used = (self.number >= 0) | self.cover
        for d in range(4):
            needed = used & ~ways[:, :, ~_takes(d)].any(axis=(1, 2))
            other = self.near[needed, d]
            ways[other[other >= 0]] &= _takes((d + 2) % 4)


def sides(into: IntArray, out: IntArray) -> IntArray:
    """The sides that a way through a cell takes."""
    entered = np.where(into < NONE, 1 << (into + 2) % 4, 0)
    return np.asarray(entered + np.where(out < NONE, 1 << out % 4, 0))


def _takes(direction: int) -> NDArray[np.bool_]:
    """Which ways, by heading in and out, take a side, (9, 9)."""
    into, out = np.indices((9, 9))
    return np.asarray(sides(into, out) >> direction & 1, dtype=bool)


def _flood(near: IntArray, number: IntArray, pair: int, start: int) -> list[int]:
    """The cells that a path from a cell reaches past other ends."""
    reached, waiting = {start}, [start]
    while waiting:
        around = near[waiting.pop()]
        new = [c for c in around[around >= 0].tolist() if c not in reached]
        new = [c for c in new if number[c] in (-1, pair)]
        reached.update(new)
        waiting += new
    return list(reached)


def with_idle(board: Board, cell: int, values: list[Any], idle: Any) -> tuple[list[Any], bool]:
    """A cell's values and that it is unused, if it may be; and whether the rules forbid that.

    A cell without values is unused, too, so that a puzzle without a solution has a model.
    """
    allowed = bool(board.number[cell] < 0) and not board.cover
    return ([*values, idle], not allowed) if allowed or not values else (values, False)


def choice_of_ways(
    builder: ModelBuilder, board: Board, what: str, cell: int, values: list[Any], idle: Any
) -> ChoiceHandle:
    """A choice over a cell's values, and that it is unused; [cover] where that is forbidden."""
    own, never = with_idle(board, cell, values, idle)
    choice = builder.choice(board.name(what, cell), own, family=what)
    forbid(builder, np.array(choice.literals[-1:] if never else []))
    return choice


def label_choices(builder: ModelBuilder, board: Board) -> IntArray:
    """A choice a cell over pairs: the literal of each, the last for unused, (cells, K + 1)."""
    label = np.full((board.n_cells, board.n_pairs + 1), FALSE)
    for cell in range(board.n_cells):
        found = np.flatnonzero(board.reached[cell]).tolist()
        choice = choice_of_ways(builder, board, "label", cell, found, UNUSED)
        label[cell, np.array(choice.values)] = choice.literals
    return label


def by_cell(board: Board, found: IntArray) -> list[list[tuple[int, ...]]]:
    """Rows of numbers by the cell that they begin with, the rest of each as a tuple."""
    start = np.searchsorted(found[:, 0], np.arange(board.n_cells + 1)).tolist()
    rest = list(map(tuple, found[:, 1:].tolist()))
    return [rest[a:b] for a, b in pairwise(start)]


def forbid(builder: ModelBuilder, literals: IntArray) -> None:
    """None of the literals, shape (n,), is true [cover]."""
    if len(literals):
        builder.rows("cover").add(literals[:, None], lower=0, upper=0)


def by_key(
    builder: ModelBuilder,
    family: str,
    keys: IntArray,
    literals: IntArray,
    coefficients: IntArray,
    *,
    lower: int = 0,
    upper: int = 0,
) -> None:
    """A row for each key, of the terms that have it, shape (terms,) each."""
    found, row = np.unique(keys, return_inverse=True)
    shape = found.shape
    builder.linear(family, row, literals, coefficients, lower=lower, upper=upper, shape=shape)


def same_pair(builder: ModelBuilder, edge: IntArray, one: IntArray, other: IntArray) -> None:
    """``e + y_u(k) - y_v(k) <= 1`` for both ends u of each edge and all pairs k [same]."""
    u, v = np.concatenate([one, other]), np.concatenate([other, one])
    which, k = np.nonzero(u != FALSE)
    terms = np.column_stack([np.tile(edge, 2)[which], u[which, k], v[which, k]])
    builder.rows("same").add(terms, [1, 1, -1], upper=1)


# --- terms of rows ---------------------------------------------------------------------


def edge_terms(board: Board, ways: IntArray, inner: NDArray[np.bool_] | None = None) -> IntArray:
    """Both cells of an edge use it for the same pair: key, literal and sign of each term.

    Args:
        board: the cells.
        ways: what literals say of cells: cell, pair, the sides that a path of this pair takes
            there, and the literal, shape (4, ways).
        inner: edges that need no row, by cell and direction, (cells, 2).
    """
    parts = [
        np.stack([key, literal, np.full_like(key, sign)])[:, joined > 0]
        for sign, key, literal, joined in _by_side(board, ways, inner)
    ]
    return np.concatenate(parts, axis=1)


def beside_terms(board: Board, ways: IntArray, inner: NDArray[np.bool_]) -> IntArray:
    """Neighbours of one pair are joined: for each edge and pair, terms that are at most 1.

    They are the pair's cells on both ends of the edge, less the edge. The arguments are those
    of ``edge_terms``.
    """
    parts = [
        np.stack([key, literal, 1 - joined if sign > 0 else np.ones_like(key)])
        for sign, key, literal, joined in _by_side(board, ways, inner)
    ]
    return np.concatenate(parts, axis=1)


def _by_side(
    board: Board, ways: IntArray, inner: NDArray[np.bool_] | None
) -> Iterator[tuple[int, IntArray, IntArray, IntArray]]:
    """Sign, key of edge and pair, literal, and 1 where the side is taken, for each direction.

    Of the cells that have a neighbour there; the sign is 1 for the first cell of an edge.
    """
    cell, pair, taken, literal = ways
    for d in range(4):
        base = cell if d < 2 else board.near[cell, d]
        there = board.near[cell, d] >= 0
        if inner is not None:
            there &= ~inner[base, d % 2]
        key = (base * 2 + d % 2) * board.n_pairs + pair
        yield 1 if d < 2 else -1, key[there], literal[there], (taken >> d & 1)[there]


# --- blocks ----------------------------------------------------------------------------


def cut(shape: tuple[int, int], rows: int, columns: int) -> list[list[int]]:
    """The cells of each block of so many rows and columns; those at the edge may be smaller."""
    if min(rows, columns) < 1:
        raise InputError("a block has at least 1 row and 1 column")
    cells = np.arange(shape[0] * shape[1]).reshape(shape)
    return [
        cells[r : r + rows, c : c + columns].ravel().tolist()
        for r in range(0, shape[0], rows)
        for c in range(0, shape[1], columns)
    ]


def inner_edges(board: Board, blocks: list[list[int]]) -> NDArray[np.bool_]:
    """Edges inside a block, by cell and direction (right, down), (cells, 2)."""
    block = np.zeros(board.n_cells + 1, dtype=np.int64)  # the last one: beyond the grid
    for number, cells in enumerate(blocks, start=1):
        block[cells] = number
    return np.asarray(block[board.near[:, :2]] == block[:-1, None])


def block_values(
    board: Board, block: list[int], own: list[IntArray], apart: bool, limit: int
) -> IntArray:
    """All that the cells of a block may be together, shape (values, cells, 2).

    Args:
        own: what each cell may be: pair and sides, (n, 2); -1 and 0 for unused.
        apart: whether neighbours of one pair have to be joined.
        limit: most values.

    Raises:
        TooLarge: for more values.
    """
    values = np.zeros((1, 0, 2), dtype=np.int64)
    for cell in block:
        new = own[cell]
        if len(values) * len(new) > 20 * limit:
            raise TooLarge("too many ways through a block; take smaller blocks, or turning")
        fits = np.ones((len(values), len(new)), dtype=bool)
        for d, other in enumerate(board.near[cell].tolist()):
            if other in block[: values.shape[1]]:
                before = values[:, block.index(other)]
                joined = new[:, 1] >> d & 1
                same = before[:, :1] == new[:, 0]
                fits &= (before[:, 1:] >> (d + 2) % 4 & 1) == joined
                fits &= same | (joined == 0)
                if apart:
                    fits &= ~same | (new[:, 0] < 0) | (joined == 1)
        which, value = np.nonzero(fits)
        if len(which) > limit:
            raise TooLarge("too many ways through a block; take smaller blocks, or turning")
        values = np.concatenate([values[which], new[value][:, None]], axis=1)
    return values
