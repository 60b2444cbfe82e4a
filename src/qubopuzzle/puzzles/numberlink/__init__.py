"""Numberlink: join equal numbers by paths that do not cross; by default they use every cell.

Families in brackets; K pairs; a heading is 0 right, 1 down, 2 left, 3 up.

- ``turning`` (default) is exact without cuts. A choice a cell over (pair k, heading in,
  heading out) with headings in 0 .. 7, of which heading mod 4 is the direction: a turn to the
  right adds 1, to the left takes 1 away, mod 8. Paths run from the first of two numbers, in
  reading order, to the second. The cells on both sides of an edge use it for the same pair
  [label] and in the same heading [heading]: for every edge u, v and k, and every h,

      sum of x_{u,w} over w of k across the edge = sum of x_{v,w} over w of k across the edge
      sum of x_{u,w} over w that leave u with h  = sum of x_{v,w} over w that enter v with h

  A closed loop turns by four quarters in all, once around (Hopf, "Ueber die Drehung der
  Tangenten und Sehnen ebener Kurven", Compositio Mathematica 2, 50, 1935), and 4 is not 0
  mod 8: no loop has headings, however long. A path has one set of them, as its first one is
  fixed by its direction. A detour leaves the headings behind it as they are.
- ``edges`` (for solvers that cut) has a bit e an edge and a label y a cell: degree 1 at
  numbers, 2 elsewhere, or 0 and unused [degree], e + y_u(k) - y_v(k) <= 1 [same], and no
  cycle of edges [loop]. With a bit a, which is likely (see ``Model``), no path runs beside
  itself: a + y_u(k) + y_v(k) - e <= 2 [apart].
- ``blocks``: a choice a block of cells over all that may pass there, and [label] between
  blocks. It leaves closed loops out, so an answer may have one.
- ``apart``, where cells may stay unused: the same for paths that do not run beside
  themselves [apart]: for neighbours u, v of different blocks, y_u(k) + y_v(k) - e_k <= 1. Some
  solutions are not of this kind, but where there is one, a shortcut of it is.

Cells offer the pairs that reach them past other numbers; all but ``edges`` leave out, too,
what no neighbour can go on from. A cell that has nothing left is unused, which [cover] forbids.

Energy gap: each family's penalty is 0 where its rule holds and at least 1 where not.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.model import FALSE, UNBOUNDED, Field, IntArray, Model, ModelBuilder
from qubopuzzle.puzzles.numberlink.headings import NONE, UNUSED, Board, sides
from qubopuzzle.puzzles.numberlink.links import LINKS
from qubopuzzle.puzzles.numberlink.rules import Numberlink
from qubopuzzle.puzzles.vocabulary.paths import SIDES, components

__all__ = ["Numberlink"]

VALUE_LIMIT = 500_000
"""Most values of all blocks together."""


# --- what the formulations share -------------------------------------------------------


def _pair_of_cell(puzzle: Numberlink, answer: IntArray) -> IntArray:
    """The pair that each cell's path joins, -1 where unused, (cells,)."""
    if puzzle.violations(answer):
        raise InputError("the answer breaks a rule, so it is no assignment of paths")
    numbers = np.unique(np.append(0, puzzle.grid))
    return np.asarray(np.searchsorted(numbers, puzzle.labels(answer)).ravel() - 1)


def _by_cell(board: Board, ways: IntArray) -> list[IntArray]:
    """Rows of numbers by the cell that they begin with, the rest of each."""
    return np.split(ways[:, 1:], np.searchsorted(ways[:, 0], np.arange(1, board.n_cells)))


def _forbid(builder: ModelBuilder, literals: IntArray) -> None:
    """None of the literals, shape (n,), is true [cover]."""
    if len(literals):
        builder.rows("cover").add(literals[:, None], lower=0, upper=0)


def _add_by_key(
    builder: ModelBuilder, family: str, terms: IntArray, lower: int = 0, upper: int = 0
) -> None:
    """A row for each key; ``terms`` are keys, literals and coefficients, shape (3, terms)."""
    keys, row = np.unique(terms[0], return_inverse=True)
    builder.linear(family, row, *terms[1:], lower=lower, upper=upper, shape=keys.shape)


def _add_edges(
    builder: ModelBuilder, board: Board, ways: IntArray, block: IntArray, *, apart: bool = False
) -> None:
    """[label]: both cells of an edge use it for the same pair; or [apart] in its place.

    That is: neighbours of one pair are joined. For each edge and pair, its cells on both ends
    of the edge, less the edge, are at most 1.

    Args:
        ways: what literals say of cells: cell, pair, the sides that a path of this pair takes
            there, and the literal, shape (4, ways).
        block: which block each cell is in, (cells,); edges in a block need no row.
    """
    cell, pair, taken, literal = ways[:, ways[1] != UNUSED]
    side = np.arange(4)[:, None]
    near, joined, first = board.near[cell].T, taken >> side & 1, side < 2
    sign = 1 - joined * first if apart else np.where(first, joined, -joined)
    there = (near >= 0) & (block[cell] != block[near]) & (apart | (joined > 0))
    key = (np.where(first, cell, near) * 2 + side % 2) * len(board.ends) + pair
    terms = np.stack(np.broadcast_arrays(key, literal, sign))[:, there]
    lower, upper = (-UNBOUNDED, 1) if apart else (0, 0)
    _add_by_key(builder, "apart" if apart else "label", terms, lower, upper)


# --- edges -----------------------------------------------------------------------------


def _model_of_edges(puzzle: Numberlink) -> Model:
    """A bit an edge, a label a cell, and no cycles."""
    board, builder = Board(puzzle), ModelBuilder()
    unused = ~(board.used & board.reached.any(axis=1))
    label = np.full((board.n_cells, len(board.ends) + 1), FALSE)  # the last: unused
    for cell, reached in enumerate(board.reached):
        pairs = [*np.flatnonzero(reached).tolist(), *[UNUSED] * int(unused[cell])]
        choice = builder.choice(board.name("label", cell), pairs, family="label")
        label[cell, pairs] = choice.literals
    _forbid(builder, label[board.used & unused, UNUSED])
    edges = np.argwhere(board.near[:, :2] >= 0)
    names = [board.name(SIDES[d], cell) for cell, d in edges.tolist()]
    edge = np.array([builder.bit(name, "edge").literals[1] for name in names])
    one, side = edges.T
    other = board.near[one, side]
    ends, twice = np.concatenate([one, other]), np.tile(edge, 2)
    degree = np.where(board.number < 0, 2, 1)
    builder.linear(
        "degree",
        np.concatenate([ends, np.arange(board.n_cells)]),
        np.concatenate([twice, label[:, UNUSED]]),
        np.concatenate([np.ones_like(ends), degree]),
        lower=degree,
        upper=degree,
        shape=puzzle.shape,
    )
    # e + y_u(k) - y_v(k) <= 1 for both ends u of each edge and all pairs k.
    u, v = label[ends, :-1], label[np.concatenate([other, one]), :-1]
    which, k = np.nonzero(u != FALSE)
    terms = np.column_stack([twice[which], u[which, k], v[which, k]])
    builder.rows("same").add(terms, [1, 1, -1], upper=1)
    _add_apart(builder, edge, label[one, :-1], label[other, :-1])
    builder.acyclic("loop", edge, np.stack([one, other], axis=1))
    amount = np.concatenate([1 << side, 4 << side])
    view = builder.view("edges", ends, twice, amount, n_cells=board.n_cells)
    write = partial(_write_edges, puzzle, board, edges)
    return builder.build(Field(puzzle.shape, 0, 15, (view,), write), likely=("apart",))


def _add_apart(builder: ModelBuilder, edge: IntArray, u: IntArray, v: IntArray) -> None:
    """A bit a, and [apart]: a + y_u(k) + y_v(k) - e <= 2 for all edges e = uv and pairs k.

    Args:
        edge: literals, (edges,).
        u, v: labels of their two cells, (edges, K).
    """
    apart = builder.bit("apart")
    which, k = np.nonzero((u != FALSE) & (v != FALSE))
    terms = np.stack([u[which, k], v[which, k], edge[which]], axis=1)
    every = np.full((len(terms), 1), apart.literals[1])
    builder.rows("apart").add(np.hstack([every, terms]), [1, 1, 1, -1], upper=2)


def _write_edges(puzzle: Numberlink, board: Board, edges: IntArray, answer: IntArray) -> list[int]:
    """The pair of each cell, whether a path takes each edge, and whether paths run apart."""
    labels, (cell, side) = _pair_of_cell(puzzle, answer), edges.T
    taken = answer.ravel()[cell] >> side & 1
    beside = (labels[cell] == labels[board.near[cell, side]]) & (labels[cell] != UNUSED)
    return [*labels.tolist(), *taken.tolist(), int((taken >= beside).all())]


# --- headings --------------------------------------------------------------------------


def _model_by_turning(puzzle: Numberlink) -> Model:
    """A choice a cell over number, heading in and heading out."""
    board, builder = Board(puzzle), ModelBuilder()
    ways = board.ways()
    for number, cell_ways in enumerate(_by_cell(board, ways)):
        values = list(map(tuple, cell_ways.tolist()))
        builder.choice(board.name("cell", number), values, family="cell")
    cell, pair, into, out = ways.T
    literal, taken = np.arange(len(ways)), sides(into, out)
    _forbid(builder, literal[(pair == UNUSED) & board.used[cell]])
    _add_edges(builder, board, np.stack([cell, pair, taken, literal]), np.arange(board.n_cells))
    heading, before = np.concatenate([out, into]), board.near[cell, (into + 2) % 4]
    key = np.concatenate([cell, before]) * 8 + heading
    terms = np.stack([key, np.tile(literal, 2), np.repeat([1, -1], len(ways))])
    _add_by_key(builder, "heading", terms[:, heading < NONE])
    view = builder.view("cells", cell, literal, taken, n_cells=board.n_cells)
    write = partial(_write_headings, puzzle, board)
    return builder.build(Field(puzzle.shape, 0, 15, (view,), write))


def _write_headings(puzzle: Numberlink, board: Board, answer: IntArray) -> list[Any]:
    """Pair, heading in and heading out of each cell."""
    written = np.full((board.n_cells, 3), NONE)
    written[:, 0] = _pair_of_cell(puzzle, answer)
    for cells, _ in components(answer):
        pair = written[cells[0], 0]
        path = cells if cells[0] == board.ends[pair, 0] else cells[::-1]
        ways = np.argmax(board.near[path[:-1]] == path[1:, None], axis=1)
        turns = (np.diff(ways) + 1) % 4 - 1
        headings = np.cumsum([board.first[pair, ways[0]], *turns]) % 8
        written[path[1:], 1] = written[path[:-1], 2] = headings
    return list(map(tuple, written.tolist()))


# --- blocks ----------------------------------------------------------------------------


def _model_of_blocks(puzzle: Numberlink, *, apart: bool, rows: int = 2, columns: int = 2) -> Model:
    """A choice a block of cells over their pairs and sides; loops may stay.

    With ``apart`` for paths that do not run beside themselves.
    """
    if apart and puzzle.cover:
        raise InputError("formulation apart is for puzzles that leave cells unused (cover false)")
    board, builder, parts = Board(puzzle), ModelBuilder(), []
    blocks = _ways_through_blocks(board, rows, columns, apart=apart)
    block_of_cell = np.zeros(board.n_cells, dtype=np.int64)
    for number, (block, values) in enumerate(blocks):
        flat = list(map(tuple, values.reshape(len(values), -1).tolist()))
        choice = builder.choice(board.name("block", block[0]), flat, family="block")
        literal = np.repeat(np.array(choice.literals), len(block))
        parts.append(np.column_stack([np.tile(block, len(values)), values.reshape(-1, 2), literal]))
        block_of_cell[block] = number
    ways = np.concatenate(parts).T
    cell, pair, taken, literal = ways
    _forbid(builder, np.unique(literal[(pair == UNUSED) & board.used[cell]]))
    _add_edges(builder, board, ways, block_of_cell)
    if apart:
        _add_edges(builder, board, ways, block_of_cell, apart=True)
    view = builder.view("cells", cell, literal, taken, n_cells=board.n_cells)
    write = partial(_write_blocks, puzzle, [block for block, _ in blocks])
    field = Field(puzzle.shape, 0, 15, (view,), write)
    return builder.build(field, omitted=("loop",), restricted=("apart",) if apart else ())


def _ways_through_blocks(
    board: Board, rows: int, columns: int, *, apart: bool
) -> list[tuple[list[int], IntArray]]:
    """The cells of each block of so many rows and columns, or fewer at the edge, and its values.

    Values are what its cells may be together: pair and sides, shape (values, cells, 2).
    """
    if min(rows, columns) < 1:
        raise InputError("a block has at least 1 row and 1 column")
    cell, pair, into, out = board.ways().T
    states = np.unique(np.column_stack([cell, pair, sides(into, out)]), axis=0)
    unused_last = np.lexsort((states[:, 1] == UNUSED, states[:, 0]))
    cell_values = _by_cell(board, states[unused_last])
    cells = np.arange(board.n_cells).reshape(board.shape)
    blocks, left = [], VALUE_LIMIT
    for r in range(0, board.shape[0], rows):
        for c in range(0, board.shape[1], columns):
            block = cells[r : r + rows, c : c + columns].ravel().tolist()
            blocks.append((block, _block_values(board, block, cell_values, apart, left)))
            left -= len(blocks[-1][1])
    return blocks


def _block_values(
    board: Board, block: list[int], cell_values: list[IntArray], apart: bool, limit: int
) -> IntArray:
    """All that the cells of a block may be together, shape (values, cells, 2).

    Args:
        cell_values: what each cell may be: pair and sides, (n, 2); UNUSED and 0, too.
        apart: whether neighbours of one pair have to be joined.
        limit: most values.

    Raises:
        TooLarge: for more values.
    """
    values = np.zeros((1, 0, 2), dtype=np.int64)
    for cell in block:
        new = cell_values[cell]
        if len(values) * len(new) > 20 * limit:
            raise TooLarge("too many ways through a block; take smaller blocks, or turning")
        fits = np.ones((len(values), len(new)), dtype=bool)
        for d, other in enumerate(board.near[cell].tolist()):
            if other in block[: values.shape[1]]:
                before = values[:, block.index(other)]
                joined = new[:, 1] >> d & 1
                same = before[:, :1] == new[:, 0]
                free = ~same | (new[:, 0] == UNUSED) if apart else True
                fits &= (before[:, 1:] >> (d + 2) % 4 & 1) == joined
                fits &= np.where(joined, same, free)
        which, value = np.nonzero(fits)
        if len(which) > limit:
            raise TooLarge("too many ways through a block; take smaller blocks, or turning")
        values = np.concatenate([values[which], new[value][:, None]], axis=1)
    return values


def _write_blocks(puzzle: Numberlink, blocks: list[list[int]], answer: IntArray) -> list[Any]:
    """Pair and sides of the cells of each block."""
    states = np.column_stack([_pair_of_cell(puzzle, answer), answer.ravel()])
    return [tuple(states[block].ravel().tolist()) for block in blocks]


# --- every cell, though it need not be -------------------------------------------------


def _covering(model_of: Callable[[Numberlink], Model]) -> Callable[..., Model]:
    """A formulation with the setting ``cover``: 1 asks that every cell is used, 0 as the puzzle."""

    def model(puzzle: Numberlink, *, cover: int = 0) -> Model:
        if not cover or puzzle.cover:
            return model_of(puzzle)
        covered = replace(puzzle, cover=True, solution=None)
        return replace(model_of(covered), restricted=("cover",))

    return model


Numberlink.formulations = {
    "turning": _covering(_model_by_turning),
    "edges": _covering(_model_of_edges),
    "blocks": partial(_model_of_blocks, apart=False),
    "apart": partial(_model_of_blocks, apart=True),
}
Numberlink.links = LINKS
Numberlink.generator = "qubopuzzle.puzzles.numberlink.generator:NumberlinkGenerator"
