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
  cycle of edges [loop].
- ``blocks`` for annealers: a choice a block of cells over all that may pass there, and
  [label] between blocks. It leaves closed loops out, so an answer may have one.
- ``apart``, where cells may stay unused: the same for paths that do not run beside
  themselves [apart]: for neighbours u, v of different blocks, y_u(k) + y_v(k) - e_k <= 1. Some
  solutions are not of this kind, but where there is one, a shortcut of it is.

Cells offer the pairs that reach them past other numbers; all but ``edges`` leave out, too,
what no neighbour can go on from. A cell that has nothing left is unused, which [cover] forbids.

Energy gap: each family's penalty is 0 where its rule holds and at least 1 where not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar, Self

import numpy as np

from qubopuzzle.errors import InputError, PuzzleError, TooLarge
from qubopuzzle.model import Field, IntArray, Model, ModelBuilder
from qubopuzzle.picture import Picture
from qubopuzzle.puzzles.base import Puzzle, Violation, about_from, brief, check_shape
from qubopuzzle.puzzles.kinds.grids import check_values, need, read_grid
from qubopuzzle.puzzles.kinds.headings import (
    NONE,
    UNUSED,
    Board,
    balance,
    beside_terms,
    block_values,
    by_cell,
    cut,
    edge_terms,
    forbid,
    inner_edges,
    label_choices,
    same_pair,
    sides,
    with_idle,
)
from qubopuzzle.puzzles.kinds.paths import (
    SIDES,
    degrees,
    one_sided,
    pieces,
    read_paths,
    write_paths,
)

NUMBER_LIMIT = 1_000_000
"""Largest number in a cell."""
LABEL_LIMIT = 100_000
"""Most cells times numbers of a model: about 1 GB."""
VALUE_LIMIT = 500_000
"""Most values of all blocks together."""


@dataclass(frozen=True)
class Numberlink(Puzzle):
    """Join equal numbers by paths that do not cross.

    Each number stands twice, 0 or None in empty cells. ``cover``: every cell is used.

    >>> puzzle = Numberlink(grid=[[1, 0, 1], [2, 0, 2]])
    >>> puzzle.violations(np.array([[1, 5, 4], [1, 5, 4]]))
    []

    Raises:
        PuzzleError: for a grid with other numbers, or one that does not stand twice.
    """

    name: ClassVar[str] = "numberlink"
    default_formulation: ClassVar[str] = "turning"
    lazy_formulation: ClassVar[str] = "edges"

    grid: tuple[tuple[int, ...], ...]
    cover: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        grid = read_grid("grid", self.grid, 0, NUMBER_LIMIT)
        if not isinstance(self.cover, bool):
            raise PuzzleError(f"cover: expected true or false, got {brief(self.cover)}")
        count = Counter(grid[grid > 0].tolist())
        if not count:
            raise PuzzleError("grid: there is no number in it")
        for number, times in sorted(count.items()):
            if times != 2:
                raise PuzzleError(f"grid: number {number} stands there {times} times, not twice")
        object.__setattr__(self, "grid", tuple(map(tuple, grid.tolist())))
        self.check_solution()

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the grid."""
        return len(self.grid), len(self.grid[0])

    # --- native JSON -------------------------------------------------------------------

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read ``{"puzzle": "numberlink", "grid": [[null, 1, ...], ...], "cover": true}``.

        A solution is what ``parse_answer`` reads; its ``right`` and ``down`` may stand beside
        it, and it is its labels then.
        """
        (grid,) = need(data, "grid")
        solution = data.get("solution")
        if "right" in data or "down" in data:
            right, down = need(data, "right", "down")
            solution = {"right": right, "down": down, "labels": solution}
        cover = data.get("cover", True)
        return cls(grid=grid, cover=cover, solution=solution, **about_from(data))

    def to_dict(self) -> dict[str, Any]:
        """The native JSON object."""
        grid = [[number or None for number in row] for row in self.grid]
        return {"puzzle": self.name, **self.about(), "grid": grid, "cover": self.cover}

    def parse_answer(self, data: Any) -> IntArray:
        """Read ``{"right": ["101", ...], "down": [...]}``: 1 where a path passes.

        ``right`` is by row, between its cells; ``down`` between each row and the next.
        ``labels``, the number of each cell's path (0: unused), may be added, but must agree.
        """
        if not isinstance(data, Mapping):
            raise PuzzleError(
                f'solution: expected {{"right": ..., "down": ...}}, got {brief(data)}'
            )
        right, down = need(data, "right", "down")
        answer = read_paths(right, down, self.shape)
        if data.get("labels") is not None:
            labels = read_grid("labels", data["labels"], 0, NUMBER_LIMIT)
            check_shape(labels, self.shape)
            for r, c in np.argwhere(labels != self.labels(answer)).tolist():
                raise PuzzleError(f"labels[{r}][{c}]: {labels[r, c]} is not what the path joins")
        return answer

    def format_answer(self, answer: IntArray) -> dict[str, list[Any]]:
        """The paths between cells by row, and the number of each cell's path."""
        return {**write_paths(answer), "labels": self.labels(answer).tolist()}

    def labels(self, answer: IntArray) -> IntArray:
        """The number of each cell's path, 0 where it joins none, shape of the grid."""
        labels = np.array(self.grid)
        for piece in pieces(answer):
            numbers = [self.grid[r][c] for r, c in piece.cells if self.grid[r][c]]
            for cell in piece.cells:
                labels[cell] = labels[cell] or (numbers or [0])[0]
        return labels

    # --- rules -------------------------------------------------------------------------

    def violations(self, answer: IntArray) -> list[Violation]:
        """Connections, ends, branches, unused cells, closed loops and paths of two numbers."""
        check_shape(answer, self.shape)
        check_values(answer, 0, 15)
        answer = np.asarray(answer, dtype=np.int64)
        broken = []
        for (r, c), d in one_sided(answer):
            message = f"cell ({r}, {c}) goes {SIDES[d]} and does not arrive"
            broken.append(Violation("connection", message, ((r, c),)))
        degree = degrees(answer)
        ends = np.array(self.grid) > 0
        wrong = np.where(ends, degree != 1, degree != 2)
        if not self.cover:
            wrong &= ends | (degree > 0)
        for r, c in np.argwhere(wrong)[:10_000].tolist():  # so many will do
            joined = degree[r, c]
            rule, wanted = ("end", 1) if self.grid[r][c] else ("path" if joined else "cover", 2)
            message = f"cell ({r}, {c}) joins {joined} of its neighbours, not {wanted}"
            broken.append(Violation(rule, message, ((r, c),)))
        for piece in pieces(answer):
            found = sorted({self.grid[r][c] for r, c in piece.cells} - {0})
            if piece.closed:
                message = f"a closed loop of {len(piece.cells)} cells from {piece.cells[0]}"
                broken.append(Violation("loop", message, piece.cells))
            if len(found) > 1:
                message = f"a path joins {found[0]} and {found[1]}"
                broken.append(Violation("number", message, piece.cells))
        return broken

    def formulation_for(self, *, cuts: bool, exact: bool) -> str:
        """Annealers get the blocks, whose loops the rules find."""
        if cuts or exact:
            return super().formulation_for(cuts=cuts, exact=exact)
        return "blocks" if self.cover else "apart"

    # --- picture and examples ----------------------------------------------------------

    def picture(
        self, answer: IntArray | None = None, broken: Iterable[tuple[int, ...]] = ()
    ) -> Picture:
        """The grid with its numbers and the paths, one colour a number."""
        words: dict[tuple[int, ...], str] = {
            cell: str(number) for cell, number in np.ndenumerate(np.array(self.grid)) if number
        }
        return Picture(
            *self.shape,
            words=words,
            given=frozenset(words),
            paths=np.zeros(self.shape, dtype=np.int64) if answer is None else answer,
            colors=None if answer is None else self.labels(answer),
            broken=frozenset(broken),
        )

    @classmethod
    def examples(cls) -> list[Self]:
        """A 5x6 where every cell is used, and a 6x6 where that need not be, but is."""
        covered = (
            ["1..3..", "44....", ".1.2..", ".2....", "....3."],
            ["11011", "10110", "10100", "01010", "11101"],
            ["001001", "000011", "101011", "100101"],
        )
        free = (
            ["13....", "...2..", "......", "..3...", "....2.", "4..41."],
            ["00111", "00010", "00100", "01000", "11100", "11101"],
            ["111001", "111011", "110111", "100111", "000001"],
        )
        return [
            cls(
                grid=tuple(tuple(int(n) for n in row.replace(".", "0")) for row in rows),
                cover=cover,
                id=f"numberlink-{len(rows)}x{len(rows[0])}",
                solution={"right": right, "down": down},  # type: ignore[arg-type]
                n_solutions=1,
            )
            for (rows, right, down), cover in ((covered, True), (free, False))
        ]


# --- formulations ----------------------------------------------------------------------


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
    bits = [builder.bit(board.name(SIDES[d], u), family="edge") for u, d in at]
    edge = np.array([builder.literals(bit)[1] for bit in bits], dtype=np.int64)
    ends, twice = np.concatenate([one, other]), np.concatenate([edge, edge])
    (idle,) = np.nonzero(label[:, UNUSED] >= 0)
    degree = np.where(board.number < 0, 2, 1)
    builder.linear(
        "degree",
        np.concatenate([ends, idle]),
        np.concatenate([twice, label[idle, UNUSED]]),
        np.concatenate([np.ones_like(ends), degree[idle]]),
        lower=degree,
        upper=degree,
        shape=puzzle.shape,
    )
    same_pair(builder, edge, label[one, :-1], label[other, :-1])
    builder.acyclic("loop", edge, np.stack([one, other], axis=1))
    amount = np.concatenate([1 << side, 4 << side])
    reading = builder.reading("edges", ends, twice, amount, n_cells=board.n_cells)

    def write(answer: IntArray) -> list[int]:
        labels = _pair_of_cell(puzzle, answer)
        return [*labels.tolist(), *(answer.ravel()[one] >> side & 1).tolist()]

    return builder.build(Field(puzzle.shape, 0, 15, (reading,), write))


def _model_by_turning(puzzle: Numberlink) -> Model:
    """A choice a cell over number, heading in and heading out."""
    board, builder = _board(puzzle), ModelBuilder()
    found = board.headings()
    literals: list[int] = []
    forbidden: list[int] = []
    for cell, own in enumerate(by_cell(board, found)):
        values, never = with_idle(board, cell, own, (UNUSED, NONE, NONE))
        choice = builder.choice(board.name("cell", cell), values, family="cell")
        literals += builder.literals(choice)[: len(own)]
        forbidden += builder.literals(choice)[-1:] if never else []
    cell, pair, into, out = found.T
    literal, taken = np.array(literals, dtype=np.int64), sides(into, out)
    forbid(builder, forbidden)
    balance(builder, "label", *edge_terms(board, cell, pair, taken, literal))
    leaves, enters = out < NONE, into < NONE
    before = board.near[cell[enters], (into[enters] + 2) % 4]
    balance(
        builder,
        "heading",
        np.concatenate([cell[leaves] * 8 + out[leaves], before * 8 + into[enters]]),
        np.concatenate([literal[leaves], literal[enters]]),
        np.repeat([1, -1], [leaves.sum(), enters.sum()]),
    )
    reading = builder.reading("cells", cell, literal, taken, n_cells=board.n_cells)

    def write(answer: IntArray) -> list[tuple[int, ...]]:
        pair_of_cell = _pair_of_cell(puzzle, answer)
        written = dict.fromkeys(range(board.n_cells), (UNUSED, NONE, NONE))
        for piece in pieces(answer):
            path = [r * board.shape[1] + c for r, c in piece.cells]
            written |= board.along(int(pair_of_cell[path[0]]), path)
        return list(written.values())

    return builder.build(Field(puzzle.shape, 0, 15, (reading,), write))


def _model_of_blocks(puzzle: Numberlink, *, rows: int = 2, columns: int = 2) -> Model:
    """A choice a block of cells over their pairs and sides; loops may stay."""
    return _blocks(puzzle, rows, columns, apart=False)


def _model_of_apart(puzzle: Numberlink, *, rows: int = 2, columns: int = 2) -> Model:
    """The same for paths that do not run beside themselves."""
    if puzzle.cover:
        raise InputError("formulation apart is for puzzles that leave cells unused (cover false)")
    return _blocks(puzzle, rows, columns, apart=True)


def _blocks(puzzle: Numberlink, rows: int, columns: int, *, apart: bool) -> Model:
    board, builder = _board(puzzle), ModelBuilder()
    found = board.headings()
    shapes = np.column_stack([found[:, :2], sides(found[:, 2], found[:, 3])])
    choices = [
        with_idle(board, cell, own, (UNUSED, 0))
        for cell, own in enumerate(by_cell(board, np.unique(shapes, axis=0)))
    ]
    own = [np.array(values, dtype=np.int64) for values, _ in choices]
    never = np.array([forbidden for _, forbidden in choices])
    blocks, parts, n_values = cut(board.shape, rows, columns), [], 0
    for block in blocks:
        values = block_values(board, block, own, apart, VALUE_LIMIT - n_values)
        n_values += len(values)
        flat = list(map(tuple, values.reshape(len(values), -1).tolist()))
        choice = builder.choice(board.name("block", block[0]), flat, family="block")
        literal = np.repeat(np.array(builder.literals(choice)), len(block))
        parts.append(np.column_stack([np.tile(block, len(values)), values.reshape(-1, 2), literal]))
    cell, pair, taken, literal = np.concatenate(parts).T
    inner = inner_edges(board, blocks)
    forbid(builder, np.unique(literal[never[cell] & (pair == UNUSED)]).tolist())
    ways = [column[pair != UNUSED] for column in (cell, pair, taken, literal)]
    balance(builder, "label", *edge_terms(board, *ways, inner=inner))
    if apart:
        keys, literals, amounts = beside_terms(board, *ways, inner=inner)
        keys, row = np.unique(keys, return_inverse=True)
        builder.linear("apart", row, literals, amounts, upper=1, shape=(len(keys),))
    reading = builder.reading("cells", cell, literal, taken, n_cells=board.n_cells)

    def write(answer: IntArray) -> list[Any]:
        states = np.column_stack([_pair_of_cell(puzzle, answer), answer.ravel()])
        return [tuple(states[block].ravel().tolist()) for block in blocks]

    field = Field(puzzle.shape, 0, 15, (reading,), write)
    return builder.build(field, omitted=("loop",), bounded=("apart",) if apart else ())


Numberlink.formulations = {
    "turning": _model_by_turning,
    "edges": _model_of_edges,
    "blocks": _model_of_blocks,
    "apart": _model_of_apart,
}
