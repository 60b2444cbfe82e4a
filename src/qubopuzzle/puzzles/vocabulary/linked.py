"""Paths that join equal numbers and do not cross; cells are as in ``paths``."""

import operator
from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import scipy

from qubopuzzle.base.places import listed
from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.model import FALSE, TRUE, UNBOUNDED, Field, IntArray, Model, ModelBuilder
from qubopuzzle.puzzles.base import Violation
from qubopuzzle.puzzles.vocabulary.cells import At, Cells, Write, add_by_key
from qubopuzzle.puzzles.vocabulary.grids import BoolArray, CanArray, cells_of
from qubopuzzle.puzzles.vocabulary.joined import joined
from qubopuzzle.puzzles.vocabulary.loops import agree_on_sides, edge_bits, tie_edges, torn
from qubopuzzle.puzzles.vocabulary.paths import (
    NONE,
    components,
    directions,
    edges_of,
    edges_taken,
    keep_inside,
    labels_of,
    leaves,
    neighbours,
    sides,
    turned,
)
from qubopuzzle.puzzles.vocabulary.routes import tie_ways
from qubopuzzle.puzzles.vocabulary.rules import Rule
from qubopuzzle.puzzles.vocabulary.sides import Sides, met

LABEL_LIMIT = 100_000
"""Most cells times numbers of a model: about 1 GB."""
_LINES = "a number has one line, any other cell two"
UNUSED = -1
"""Stands for a pair where no path is."""
_HEADING, _SIDE = np.arange(8), np.arange(4)


@dataclass(frozen=True, eq=False)
class Linked(Rule):
    """The two cells of each number of ``grid``, 0 for none, are joined by a path of its own.

    ``cover``: each cell is on a path; others may be 0. A model may be composed with other rules,
    or be of this one alone: ``turning`` and ``edges`` are these two without a choice for what a
    cell is, ``blocks`` is another. K pairs k are joined; y_u(k) is 1 where cell u is on the path of
    pair k, and headings are 0 to 7, whose values mod 4 are the directions.

    - Each cell has a choice over (pair, heading in, heading out), which differ by a quarter turn at
      most, mod 8. Paths run from the first of two numbers to the second. Cells on both sides of an
      edge use it for the same pair [label] and in the same heading [heading]. As in ``Route``, a
      closed loop has no headings; a path has one set of them, as its direction says the first one.
    - By cuts a bit e an edge and a label y a cell: degree 1 at numbers, 2 elsewhere, or 0 where
      unused [degree], e + y_u(k) - y_v(k) <= 1 [same], and no cycle of edges [loop]. A bit a, which
      is free, says that no path runs beside itself: a + y_u(k) + y_v(k) - e <= 2 [apart].

    Cells offer the pairs that reach them past other numbers; by headings what no neighbour can go
    on from is left out, too. A cell that has nothing left is unused, which [cover] forbids. Where
    pairs can be left out, a bit each says that it is there: else its cells are as if empty. As
    statements pairs that are ``shown`` always hold.
    """

    family: str
    grid: IntArray
    cover: bool = True
    shown: bool = False
    says = "no path is a closed loop"

    # --- answers ---------------------------------------------------------------------------

    def odd_numbers(self) -> Iterator[str]:
        """What is wrong with numbers that do not stand twice."""
        for number, times in sorted(Counter(self.grid.ravel().tolist()).items()):
            if number and times != 2:
                count = "once" if times == 1 else f"{times} times"
                yield f"number {number} stands in the grid {count}, not twice"

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Connections, ends, branches, unused cells, closed loops and paths of two numbers."""
        for message in self.odd_numbers():
            yield Violation("number", message)
        yield from torn("connection", answer)
        degree, ends = leaves(answer).sum(axis=1).reshape(answer.shape), self.grid > 0
        wrong = degree != 2 - ends
        if not self.cover:
            wrong &= ends | (degree > 0)
        for r, c in np.argwhere(wrong)[:10_000].tolist():  # so many will do
            n = degree[r, c]
            rule, wanted = ("end", 1) if ends[r, c] else (self.family if n else "cover", 2)
            message = f"cell ({r}, {c}) joins {n} of its neighbours, not {wanted}"
            yield Violation(rule, message, ((r, c),))
        for numbers, closed in components(answer):
            cells = cells_of(numbers, answer.shape[1])
            given = np.unique(self.grid.ravel()[numbers])
            given = given[given > 0]
            if closed:
                message = f"a closed loop of {len(cells)} cells from {cells[0]}"
                yield Violation("loop", message, cells)
            if len(given) > 1:
                yield Violation("number", f"a path joins {given[0]} and {given[1]}", cells)

    def _pairs_of(self, answer: IntArray) -> IntArray:
        """The pair that each cell's path joins, ``UNUSED`` where there is none, (cells,)."""
        self.require(answer)
        numbers = np.unique(np.append(0, self.grid))
        return np.asarray(np.searchsorted(numbers, labels_of(answer, self.grid)).ravel() - 1)

    # --- models ----------------------------------------------------------------------------

    @cached_property
    def _board(self) -> "_Board":
        return _Board(self.grid, self.cover)

    def narrow(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """No side leads out of the grid; paths end on numbers, and nowhere else."""
        keep_inside(allowed, values)
        degree = leaves(np.array(values)).sum(axis=1)
        passed = (degree == 2) | ((degree == 0) & (not self.cover))
        allowed &= np.where((self.grid > 0)[:, :, None], degree == 1, passed)

    def constrain(self, cells: Cells) -> Write:
        """Ways through cells, or edges and labels, and what a cell is by these."""
        if cells.stated:
            return self._by_pairs(cells)
        if not cells.by_cuts:
            tie_ways(cells, *self._headings(cells, "way"))
            return self._written_headings
        agree_on_sides(cells, self.family)
        tie_edges(cells, self._edges(cells))
        return self._written_edges

    def turning(self) -> Model:
        """By headings alone."""
        cells = self._cells()
        return self._painted(cells, *self._headings(cells, "cell"), self._written_headings)

    def edges(self) -> Model:
        """By edges and labels alone; it is likely that no path runs beside itself."""
        cells = self._cells()
        bits, (one, side) = self._edges(cells), edges_of(self.grid.shape)
        ends = np.concatenate([one, self._board.near[one, side]])
        taken, literals = np.concatenate([1 << side, 4 << side]), np.tile(bits, 2)
        return self._painted(cells, ends, taken, literals, self._written_edges, ("apart",))

    def blocks(self, *, apart: bool, rows: int, columns: int) -> Model:
        """A choice a block of cells over their pairs and sides; closed loops may stay.

        With ``apart`` for paths that do not run beside themselves: y_u(k) + y_v(k) - e_k <= 1 for
        neighbours u, v [apart]. Where cells may stay unused, shortcuts make such paths of others.
        """
        if min(rows, columns) < 1:
            raise InputError("a block has at least 1 row and 1 column")
        if apart and self.cover:
            raise InputError("apart is for puzzles that leave cells unused (cover false)")
        board, cells = self._board, self._cells()
        cell, pair, into, out = board.ways().T
        states = np.unique(np.column_stack([cell, pair, sides(into, out)]), axis=0)
        states = states[np.lexsort((states[:, 1] == UNUSED, states[:, 0]))]  # which is the last
        cell, pair, taken = states.T
        literal = board.add_ways(cells, "cell", states, taken)
        if apart:
            board.agree(cells.builder, cell, pair, taken, literal, apart=True)
        model = self._painted(cells, cell, taken, literal, self._written_sides)
        numbers = np.arange(self.grid.size).reshape(self.grid.shape)
        blocks = [
            numbers[r : r + rows, c : c + columns].ravel()
            for r in range(0, self.grid.shape[0], rows)
            for c in range(0, self.grid.shape[1], columns)
        ]
        restricted = ("apart",) if apart else ()
        return replace(joined(model, blocks, "block"), omitted=("loop",), restricted=restricted)

    def _cells(self) -> Cells:
        """Cells that are no choices by themselves."""
        return Cells(self.grid.shape, (0,))

    def _painted(
        self,
        cells: Cells,
        cell: IntArray,
        taken: IntArray,
        literals: IntArray,
        write: Write,
        likely: tuple[str, ...] = (),
    ) -> Model:
        """The model whose cells are the sides that literals take there, (literals,) each."""
        view = cells.builder.view("cells", cell, literals, taken, n_cells=self.grid.size)
        return cells.builder.build(Field(cells.shape, 0, 15, (view,), write), likely=likely)

    # --- statements ------------------------------------------------------------------------

    def fix(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """No side leads out of the grid; with what is shown as in a model."""
        if self.shown:
            self.narrow(allowed, values)
        else:
            keep_inside(allowed, values)

    def on_board(self) -> Self:
        """One sees which numbers are to be joined, if each stands twice."""
        return self if any(self.odd_numbers()) else replace(self, shown=True)

    @cached_property
    def _pairs(self) -> dict[tuple[str, int], IntArray]:
        """The cells of each number, by the clue that it is."""
        numbers = np.unique(self.grid[self.grid > 0]).tolist()
        every = (np.flatnonzero(self.grid == number) for number in numbers)
        return {("grid", int(cells[0])): cells for cells in every}

    def _by_pairs(self, cells: Cells) -> Write:
        """A label a cell, a bit an edge, and a bit a pair, without which its cells are as empty."""
        builder, near = cells.builder, neighbours(cells.shape)
        pairs = [several for several in self._pairs.values() if len(several) == 2]
        _check_labels(self.grid.size, len(pairs))
        labels = [*range(len(pairs))] or [UNUSED]
        label = np.full((self.grid.size, len(labels)), FALSE)
        for cell in self._unlabelled:
            label[cell] = cells.choice(cell, "label", labels)
        for k, (number, _) in enumerate(pairs):
            words = f"on the path of the {self.grid.flat[number]}s"
            cells.notes |= dict.fromkeys(label[label[:, k] >= 0, k].tolist(), words)
            if self.shown:
                label[pairs[k], k] = TRUE
        optional = [] if self.shown else pairs
        there = [builder.bit(f"pair[{k}]").literals[1] for k in range(len(optional))]
        bits, (one, side) = edge_bits(builder, cells.shape), edges_of(cells.shape)
        other = near[one, side]
        with cells.always():
            tie_edges(cells, bits)
        lines = _LINES if self.shown and self.cover else f"{_LINES} or none"
        with cells.stating(lines):
            agree_on_sides(cells, self.family)
        if not self.shown:
            self._optional(cells, pairs, there, label, f"{_LINES} or none")
        with cells.stating("each path joins two equal numbers"):
            u, v = np.append(one, other), np.append(other, one)
            for k in range(len(labels)):
                rows = np.column_stack([np.tile(bits, 2), label[u, k], label[v, k]])
                cells.literal_rows("same", rows, [1, 1, -1], high=1)
        builder.acyclic("loop", bits, np.column_stack([one, other]))
        bits_left = iter(there)
        for tag, several in self._pairs.items() if not self.shown else ():
            with cells.stating(tag):
                builder.rows("pair").add([next(bits_left)] if len(several) == 2 else [], lower=1)
        return self._written_pairs

    @property
    def _unlabelled(self) -> list[int]:
        """The cells of which one does not see which path they are on."""
        return (
            [*range(self.grid.size)] if not self.shown else np.flatnonzero(self.grid == 0).tolist()
        )

    def _optional(
        self,
        cells: Cells,
        pairs: Sequence[IntArray],
        there: Sequence[int],
        label: IntArray,
        lines: str,
    ) -> None:
        """A pair that is there has its label and one line at both ends; others have two or none."""
        at, pair = np.array(pairs, int).ravel(), np.repeat(np.arange(len(pairs)), 2)
        degree = leaves(np.array(cells.values)).sum(axis=1)
        ends = cells.literals[:, degree == 1]
        is_end = np.column_stack([np.repeat(there, 2), ends[at]])
        signs = np.repeat([-1, 1], [1, ends.shape[1]])
        with cells.always():
            cells.literal_rows("pair", is_end, signs, low=0)
            labelled = np.column_stack([np.repeat(there, 2), label[at, pair]])
            cells.literal_rows("pair", labelled, [-1, 1], low=0)
        with cells.stating(lines):
            cells.literal_rows("degree", cells.literals[:, degree > 2], high=0)
            cells.literal_rows("end", is_end, signs, high=0)
            cells.literal_rows("end", np.delete(ends, at, axis=0), high=0)
        if self.cover:
            with cells.stating("every cell is on a path"):
                cells.literal_rows("cover", cells.of(0)[:, None], high=0)

    def _written_pairs(self, answer: IntArray) -> list[Hashable]:
        """The pair of each cell, that all are there, and whether paths take each edge."""
        pair = self._pairs_of(answer)
        pair[pair == UNUSED] = 0 if self._pairs else UNUSED
        there = [1] * len(self._pairs) * (not self.shown)
        return [*pair[self._unlabelled].tolist(), *there, *edges_taken(answer).tolist()]

    def about(self, at: At) -> IntArray:
        """The cells of a number."""
        return self._pairs[at] if isinstance(at, tuple) else super().about(at)

    def name_at(self, at: At) -> str:
        """A number and its cells."""
        if not isinstance(at, tuple):
            return super().name_at(at)
        cells = cells_of(self._pairs[at], self.grid.shape[1])
        return f"the {self.grid.flat[at[1]]}{'s' * (len(cells) > 1)} in {listed(cells)}"

    def asks(self, at: At, grid: IntArray, known: BoolArray) -> str:  # noqa: ARG002
        """That two numbers are joined."""
        if not isinstance(at, tuple):
            return self.name_at(at)
        return "{} are joined by a path" if len(self._pairs[at]) > 1 else "{} stands alone"

    def fits(self, at: At, can: CanArray, cell: int, left: Collection[int]) -> str:
        """Which two numbers would be joined, or could not be any more."""
        if isinstance(at, tuple) or self.name_at(at).startswith(_LINES):
            return ""
        sides = Sides(can)

        def joined(one: Sequence[int], other: Sequence[int]) -> str:
            return met(self.grid, one, other, operator.ne)

        if at is None:
            why = sides.why(cell, left, None, sides.closed)
        else:
            why = sides.why(cell, left, joined, None, self._apart)
        return f"{self.name_at(at)}: {why}" if why else ""

    def _apart(self, paths: IntArray) -> str:
        """Two equal numbers that lines cannot join."""
        label = np.zeros(self.grid.size, dtype=np.int64)
        for number, (cells, _) in enumerate(components(paths), 1):
            label[cells] = number
        for one, *other in self._pairs.values():
            if other and not label[one] == label[other[0]] > 0:
                two = cells_of(np.array([one, other[0]]), self.grid.shape[1])
                return f"{two[0]} would be cut off from {two[1]}"
        return ""

    # --- headings --------------------------------------------------------------------------

    def _headings(self, cells: Cells, family: str) -> tuple[IntArray, IntArray, IntArray]:
        """Cell, sides and literal of each way through a cell, (ways,) each, with all their rows."""
        board = self._board
        ways = board.ways()
        cell, _, into, out = ways.T
        taken = sides(into, out)
        literal = board.add_ways(cells, family, ways, taken)
        heading, before = np.concatenate([out, into]), board.near[cell, (into + 2) % 4]
        key, there = np.concatenate([cell, before]) * 8 + heading, heading < NONE
        signs = np.repeat([1, -1], len(ways))[there]
        part = key[there], np.tile(literal, 2)[there], signs
        add_by_key(cells.builder, "heading", [part], 0, 0)
        return cell, taken, literal

    def _written_headings(self, answer: IntArray) -> list[Hashable]:
        """Pair, heading in and heading out of each cell."""
        board, written = self._board, np.full((answer.size, 3), NONE)
        written[:, 0] = self._pairs_of(answer)
        for cells, _ in components(answer):
            pair = written[cells[0], 0]
            path = cells if cells[0] == board.ends[pair, 0] else cells[::-1]
            ways = directions(path, answer.shape)
            headings = (turned(ways) + board.first[pair, ways[0]] - ways[0]) % 8
            written[path[1:], 1] = written[path[:-1], 2] = headings
        return list(map(tuple, written.tolist()))

    def _written_sides(self, answer: IntArray) -> list[Hashable]:
        """Pair and sides of each cell."""
        return [*zip(self._pairs_of(answer).tolist(), answer.ravel().tolist(), strict=True)]

    # --- edges -----------------------------------------------------------------------------

    def _edges(self, cells: Cells) -> IntArray:
        """The bit of each edge, with labels, the bit ``apart``, and all their rows."""
        board, near, builder = self._board, self._board.near, cells.builder
        unused = ~(board.used & board.reached.any(axis=1))
        label = np.full((len(near), len(board.ends) + 1), FALSE)  # the last: unused
        for cell, reached in enumerate(board.reached):
            pairs = [*np.flatnonzero(reached).tolist(), *[UNUSED] * int(unused[cell])]
            label[cell, pairs] = cells.choice(cell, "label", pairs)
        _forbid(builder, label[board.used & unused, UNUSED])
        bits, (one, side) = edge_bits(builder, self.grid.shape), edges_of(self.grid.shape)
        other, twice = near[one, side], np.tile(bits, 2)
        builder.acyclic("loop", bits, np.column_stack([one, other]))
        ends, degree = np.concatenate([one, other]), np.where(board.number < 0, 2, 1)
        builder.linear(
            "degree",
            np.concatenate([ends, np.arange(len(near))]),
            np.concatenate([twice, label[:, UNUSED]]),
            np.concatenate([np.ones_like(ends), degree]),
            lower=degree,
            upper=degree,
            shape=self.grid.shape,
        )
        # For both ends u of each edge and all pairs k; then for both at once.
        u, v = label[ends, :-1], label[np.concatenate([other, one]), :-1]
        which, k = np.nonzero(u != FALSE)
        terms = np.column_stack([twice[which], u[which, k], v[which, k]])
        builder.rows("same").add(terms, [1, 1, -1], upper=1)
        apart, u, v = builder.bit("apart").literals[1], u[: len(bits)], v[: len(bits)]
        which, k = np.nonzero((u != FALSE) & (v != FALSE))
        terms = np.column_stack([np.full(len(k), apart), u[which, k], v[which, k], bits[which]])
        builder.rows("apart").add(terms, [1, 1, 1, -1], upper=2)
        return bits

    def _written_edges(self, answer: IntArray) -> list[Hashable]:
        """The pair of each cell, whether paths take each edge, and whether none is beside one."""
        pair, taken = self._pairs_of(answer), edges_taken(answer)
        one, side = edges_of(answer.shape)
        beside = (pair[one] == pair[self._board.near[one, side]]) & (pair[one] != UNUSED)
        return [*pair.tolist(), *taken.tolist(), int((taken >= beside).all())]


def _check_labels(cells: int, pairs: int) -> None:
    """Raise TooLarge for too many of both together."""
    if cells * pairs > LABEL_LIMIT:
        raise TooLarge(f"{cells} cells and {pairs} numbers: over {LABEL_LIMIT:,} together")


def _forbid(builder: ModelBuilder, literals: IntArray) -> None:
    """None of the literals, shape (n,), is true [cover]."""
    if len(literals):
        builder.rows("cover").add(literals[:, None], lower=0, upper=0)


class _Board:
    """Cells in row-major order, K pairs of them to be joined; TooLarge for too many of both.

    Attributes:
        near: see ``neighbours``.
        number: the pair that a cell belongs to, 0 .. K - 1, or -1, (cells,).
        used: whether a path has to pass, (cells,).
        ends: the two cells of each pair, in order, (K, 2).
        first: with which heading a path begins, by pair and direction, (K, 4): the one that
            is least turned from the other end.
        reached: which pairs' paths reach a cell past the ends of other pairs, (cells, K).
    """

    def __init__(self, grid: IntArray, cover: bool) -> None:
        numbers = np.unique(grid[grid > 0])
        n, n_pairs = grid.size, len(numbers)
        _check_labels(n, n_pairs)
        number = np.where(grid > 0, np.searchsorted(numbers, grid), -1)
        self.shape, self.near, self.number = grid.shape, neighbours(grid.shape), number.ravel()
        self.used = (self.number >= 0) | cover
        self.ends = np.argsort(self.number, kind="stable")[n - 2 * n_pairs :].reshape(-1, 2)
        row, below = self.ends.T[..., None] // self.shape[1]
        middle = (below > row).astype(np.int64)
        self.first = ((_SIDE - middle + 1) % 4 - 1 + middle) % 8
        self.reached = np.zeros((n, n_pairs), dtype=bool)
        for pair, start in enumerate(self.ends[:, 0].tolist()):
            component = scipy.ndimage.label((number < 0) | (number == pair))[0].ravel()
            self.reached[:, pair] = component == component[start]

    def add_ways(self, cells: Cells, family: str, ways: IntArray, taken: IntArray) -> IntArray:
        """A choice a cell over its ways, with [cover] and [label]; returns their literals.

        ``ways`` are rows of cell, pair and more, by cell, and ``taken`` the sides of each.
        """
        by_cell = np.split(ways[:, 1:], np.searchsorted(ways[:, 0], np.arange(1, len(self.near))))
        values = [[*map(tuple, several.tolist())] for several in by_cell]
        choices = [cells.choice(cell, family, several) for cell, several in enumerate(values)]
        (cell, pair), literal = ways.T[:2], np.concatenate(choices)
        _forbid(cells.builder, literal[(pair == UNUSED) & self.used[cell]])
        self.agree(cells.builder, cell, pair, taken, literal)
        return literal

    def agree(
        self,
        builder: ModelBuilder,
        cell: IntArray,
        pair: IntArray,
        taken: IntArray,
        literal: IntArray,
        *,
        apart: bool = False,
    ) -> None:
        """[label]: both cells of an edge use it for the same pair; or [apart] in its place.

        That is: neighbours of one pair are joined. For each edge and pair, its cells on both ends
        of the edge, less the edge, are at most 1.
        """
        side, used = _SIDE[:, None], pair != UNUSED
        cell, pair, taken, literal = (each[used] for each in (cell, pair, taken, literal))
        near, joined, first = self.near[cell].T, taken >> side & 1, side < 2
        sign = 1 - joined * first if apart else np.where(first, joined, -joined)
        there = (near >= 0) & (apart | (joined > 0))
        key = (np.where(first, cell, near) * 2 + side % 2) * len(self.ends) + pair
        part = key[there], np.broadcast_to(literal, key.shape)[there], sign[there]
        family, low, high = ("apart", -UNBOUNDED, 1) if apart else ("label", 0, 0)
        add_by_key(builder, family, [part], low, high)

    # --- ways with headings ----------------------------------------------------------------

    def ways(self) -> IntArray:
        """Ways through cells: rows of cell, pair, heading in and heading out, by cell.

        Those that a neighbour cannot go on from are left out, and those that leave out a
        side that the neighbour there cannot do without, until nothing changes. A cell's last
        row is ``UNUSED, NONE, NONE`` where no path has to pass, or no way is left: so a puzzle
        without a solution has a model, too.
        """
        ways = np.zeros((*self.reached.shape, 9, 9), dtype=bool)
        for turn in (-1, 0, 1):
            ways[:, :, _HEADING, (_HEADING + turn) % 8] = True
        ways &= self.reached[:, :, None, None]
        ways[self.number >= 0] = False
        pairs = np.arange(len(self.ends))
        ways[self.ends[:, :1], pairs[:, None], NONE, self.first] = True
        ways[self.ends[:, 1], pairs, :NONE, NONE] = True
        rows = self._that_go_on(np.argwhere(ways))
        left = np.isin(np.arange(len(self.near)), rows[:, 0])
        (unused,) = np.nonzero(~(self.used & left))
        rest = np.column_stack(np.broadcast_arrays(unused, UNUSED, NONE, NONE))
        rows = np.concatenate([rows, rest])
        return rows[np.argsort(rows[:, 0], kind="stable")]

    def _that_go_on(self, rows: IntArray) -> IntArray:
        """The ways, sorted by cell, whose neighbours have ways that fit them."""
        (cell, pair, into, out), n, k = rows.T, len(self.near), len(self.ends)
        taken, begins, ends = sides(into, out), into == NONE, out == NONE
        # How many ways enter or leave a cell, by pair and heading; the last place fits all.
        enter, leave = ((cell * k + pair) * 8 + heading for heading in (into, out))
        last = (n + 1) * k * 8
        before = (self.near[cell, (into + 2) % 4] % (n + 1) * k + pair) * 8 + into
        after = (self.near[cell, out % 4] % (n + 1) * k + pair) * 8 + out
        enter[begins] = before[begins] = leave[ends] = after[ends] = last
        enters, left = (np.bincount(each, minlength=last + 1) for each in (enter, leave))
        enters[last] = left[last] = len(rows) + 1
        # A side that all ways of a cell take is needed, if the cell is used.
        every_side = np.append(np.where(self.used, 15, 0), 0)
        needed, look, kept = every_side.copy(), every_side >= 0, np.ones(len(rows), dtype=bool)
        while True:
            (here,) = np.nonzero(kept & look[cell])
            needed[look] = every_side[look]
            np.bitwise_and.at(needed, cell[here], taken[here])
            asked = ((needed[self.near] >> (_SIDE + 2) % 4 & 1) @ (1 << _SIDE))[cell[here]]
            fits = (enters[after[here]] > 0) & (left[before[here]] > 0)
            gone = here[~fits | (taken[here] & asked != asked)]
            if not len(gone):
                return rows[kept]
            kept[gone] = False
            np.subtract.at(enters, enter[gone], 1)
            np.subtract.at(left, leave[gone], 1)
            look[:] = False
            look[self.near[cell[gone]]] = look[cell[gone]] = True
