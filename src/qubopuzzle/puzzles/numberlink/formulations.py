"""Numberlink as models: edges, cells with headings, or blocks of cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.model import UNBOUNDED, Field, IntArray, Model, ModelBuilder
from qubopuzzle.puzzles.kinds.paths import SIDES, pieces
from qubopuzzle.puzzles.numberlink.headings import (
    NONE,
    UNUSED,
    Board,
    beside_terms,
    block_values,
    by_cell,
    by_key,
    choice_of_ways,
    cut,
    edge_terms,
    forbid,
    inner_edges,
    label_choices,
    same_pair,
    sides,
    with_idle,
)
from qubopuzzle.puzzles.numberlink.rules import Numberlink

LABEL_LIMIT = 100_000
"""Most cells times numbers of a model: about 1 GB."""
VALUE_LIMIT = 500_000
"""Most values of all blocks together."""


def _board(puzzle: Numberlink) -> Board:
    grid = np.array(puzzle.grid)
    n, numbers = grid.size, np.unique(grid[grid > 0])
    if n * len(numbers) > LABEL_LIMIT:
        raise TooLarge(f"{n} cells and {len(numbers)} numbers: over {LABEL_LIMIT:,} together")
    number = np.where(grid > 0, np.searchsorted(numbers, grid), -1).ravel()
    return Board.of(puzzle.shape, number, cover=puzzle.cover)


def _pair_of_cell(puzzle: Numberlink, answer: IntArray) -> IntArray:
    """The pair that each cell's path joins, -1 where unused, (cells,)."""
    if puzzle.violations(answer):
        raise InputError("the answer breaks a rule, so it is no assignment of paths")
    numbers = np.unique([0, *chain(*puzzle.grid)])
    return np.asarray(np.searchsorted(numbers, puzzle.labels(answer)).ravel() - 1)


def _model_of_edges(puzzle: Numberlink) -> Model:
    """A bit an edge, a label a cell, and no cycles."""
    board, builder = _board(puzzle), ModelBuilder()
    label = label_choices(builder, board)
    one, side = np.nonzero(board.near[:, :2] >= 0)
    other = board.near[one, side]
    at = zip(one.tolist(), side.tolist(), strict=True)
    names = [board.name(SIDES[d], u) for u, d in at]
    edge = np.array([builder.bit(name, "edge").literals[1] for name in names], dtype=np.int64)
    ends, twice = np.concatenate([one, other]), np.concatenate([edge, edge])
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
    same_pair(builder, edge, label[one, :-1], label[other, :-1])
    builder.acyclic("loop", edge, np.stack([one, other], axis=1))
    amount = np.concatenate([1 << side, 4 << side])
    reading = builder.reading("edges", ends, twice, amount, n_cells=board.n_cells)
    write = partial(_write_edges, puzzle, one, side)
    return builder.build(Field(puzzle.shape, 0, 15, (reading,), write))


def _write_edges(puzzle: Numberlink, cell: IntArray, side: IntArray, answer: IntArray) -> list[int]:
    """The pair of each cell, and whether a path takes these sides of these cells."""
    labels = _pair_of_cell(puzzle, answer)
    return [*labels.tolist(), *(answer.ravel()[cell] >> side & 1).tolist()]


def _model_by_turning(puzzle: Numberlink) -> Model:
    """A choice a cell over number, heading in and heading out."""
    board, builder = _board(puzzle), ModelBuilder()
    found = board.headings()
    literals: list[int] = []
    for cell, own in enumerate(by_cell(board, found)):
        choice = choice_of_ways(builder, board, "cell", cell, own, (UNUSED, NONE, NONE))
        literals += choice.literals[: len(own)]
    cell, pair, into, out = found.T
    literal, taken = np.array(literals, dtype=np.int64), sides(into, out)
    by_key(builder, "label", *edge_terms(board, np.stack([cell, pair, taken, literal])))
    leaves, enters = out < NONE, into < NONE
    before = board.near[cell[enters], (into[enters] + 2) % 4]
    by_key(
        builder,
        "heading",
        np.concatenate([cell[leaves] * 8 + out[leaves], before * 8 + into[enters]]),
        np.concatenate([literal[leaves], literal[enters]]),
        np.repeat([1, -1], [leaves.sum(), enters.sum()]),
    )
    reading = builder.reading("cells", cell, literal, taken, n_cells=board.n_cells)
    write = partial(_write_headings, puzzle, board)
    return builder.build(Field(puzzle.shape, 0, 15, (reading,), write))


def _write_headings(puzzle: Numberlink, board: Board, answer: IntArray) -> list[tuple[int, ...]]:
    """Pair, heading in and heading out of each cell."""
    pair_of_cell = _pair_of_cell(puzzle, answer)
    written = dict.fromkeys(range(board.n_cells), (UNUSED, NONE, NONE))
    for piece in pieces(answer):
        path = [r * board.shape[1] + c for r, c in piece.cells]
        written |= board.along(int(pair_of_cell[path[0]]), path)
    return list(written.values())


def _model_of_blocks(puzzle: Numberlink, *, apart: bool, rows: int = 2, columns: int = 2) -> Model:
    """A choice a block of cells over their pairs and sides; loops may stay.

    With ``apart`` for paths that do not run beside themselves.
    """
    if apart and puzzle.cover:
        raise InputError("formulation apart is for puzzles that leave cells unused (cover false)")
    board, builder, parts = _board(puzzle), ModelBuilder(), []
    blocks, ways_of_blocks, never = _ways_through_blocks(board, rows, columns, apart=apart)
    for block, values in zip(blocks, ways_of_blocks, strict=True):
        flat = list(map(tuple, values.reshape(len(values), -1).tolist()))
        choice = builder.choice(board.name("block", block[0]), flat, family="block")
        literal = np.repeat(np.array(choice.literals), len(block))
        parts.append(np.column_stack([np.tile(block, len(values)), values.reshape(-1, 2), literal]))
    ways = np.concatenate(parts).T
    cell, pair, taken, literal = ways
    inner = inner_edges(board, blocks)
    forbid(builder, np.unique(literal[never[cell] & (pair == UNUSED)]))
    ways = ways[:, pair != UNUSED]
    by_key(builder, "label", *edge_terms(board, ways, inner))
    if apart:
        by_key(builder, "apart", *beside_terms(board, ways, inner), lower=-UNBOUNDED, upper=1)
    reading = builder.reading("cells", cell, literal, taken, n_cells=board.n_cells)
    field = Field(puzzle.shape, 0, 15, (reading,), partial(_write_blocks, puzzle, blocks))
    return builder.build(field, omitted=("loop",), bounded=("apart",) if apart else ())


@lru_cache
def for_annealing(puzzle: Numberlink) -> str:
    """Blocks, whose loops the rules find; where they have too many values, the default."""
    try:
        _ways_through_blocks(_board(puzzle), 2, 2, apart=not puzzle.cover)
    except TooLarge:
        return puzzle.default_formulation
    return "blocks" if puzzle.cover else "apart"


def _ways_through_blocks(
    board: Board, rows: int, columns: int, *, apart: bool
) -> tuple[list[list[int]], list[IntArray], NDArray[np.bool_]]:
    """Each block's cells and values (values, cells, 2); whether a cell must not be unused."""
    found = board.headings()
    shapes = np.column_stack([found[:, :2], sides(found[:, 2], found[:, 3])])
    choices = [
        with_idle(board, cell, own, (UNUSED, 0))
        for cell, own in enumerate(by_cell(board, np.unique(shapes, axis=0)))
    ]
    own = [np.array(values, dtype=np.int64) for values, _ in choices]
    never = np.array([forbidden for _, forbidden in choices])
    blocks, values, left = cut(board.shape, rows, columns), [], VALUE_LIMIT
    for block in blocks:
        values.append(block_values(board, block, own, apart, left))
        left -= len(values[-1])
    return blocks, values, never


def _write_blocks(puzzle: Numberlink, blocks: list[list[int]], answer: IntArray) -> list[Any]:
    """Pair and sides of the cells of each block."""
    states = np.column_stack([_pair_of_cell(puzzle, answer), answer.ravel()])
    return [tuple(states[block].ravel().tolist()) for block in blocks]


FORMULATIONS: Mapping[str, Callable[..., Model]] = {
    "turning": _model_by_turning,
    "edges": _model_of_edges,
    "blocks": partial(_model_of_blocks, apart=False),
    "apart": partial(_model_of_blocks, apart=True),
}
