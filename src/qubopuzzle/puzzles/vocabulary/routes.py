"""One path through all cells, past numbers in their order, and walls; cells are as in ``paths``."""

from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Self

import numpy as np

from qubopuzzle.errors import TooLarge
from qubopuzzle.model import FALSE, TRUE, UNBOUNDED, IntArray
from qubopuzzle.puzzles.base import Violation
from qubopuzzle.puzzles.vocabulary.cells import At, Cells, Write, add_by_key
from qubopuzzle.puzzles.vocabulary.grids import BoolArray, CanArray, cells_of
from qubopuzzle.puzzles.vocabulary.loops import agree_on_sides, connected_edges, leaving, torn
from qubopuzzle.puzzles.vocabulary.paths import (
    NONE,
    components,
    directions,
    edges_taken,
    keep_inside,
    leaves,
    neighbours,
    parted,
    sides,
    turned,
    would_part,
)
from qubopuzzle.puzzles.vocabulary.rules import Rule, cell_of
from qubopuzzle.puzzles.vocabulary.sides import Sides, met

Rng = np.random.Generator
_LINES = "each cell has two lines of the path, its two ends one"
ENDS = (1, 2, 4, 8)
SHAPES = (1, 2, 3, 4, 5, 6, 8, 9, 10, 12)
"""Of a cell: the side by which the path leaves an end, or the two by which it leaves another."""
WAY_LIMIT = 500_000
"""Most ways through all cells of a model, or by cuts cells times stretches: about 500 MB."""
MOVES = 30
"""Moves a cell by which a straight path becomes a random one."""


@dataclass(frozen=True, eq=False)
class Route(Rule):
    """One path through all cells, from number 1 to the last, past the others in their order.

    ``grid`` has the numbers 1 to k, each once, k at least 2, and 0 elsewhere. Those but 1 and k are
    clues of ``field``, if it is given.

    Stretch j of the path begins at number j. In the model each cell has a choice more: on which
    stretches, and with which headings, the path comes in and goes out, on its way from 1 to k.
    Headings are 0 to 7, their values mod 4 are the directions. Both agree from cell to cell. In a
    cell without a number the stretch stays, and headings differ by a quarter turn at most, mod 8;
    a stretch begins with a heading below 4. So a path has one assignment. A closed loop has none:
    it passes no number, where its stretch would begin anew, and turns by 4 or -4 quarters (H. Hopf,
    Compositio Mathematica 2, 1935, 50-62), its headings by 0 mod 8.

    By cuts, headings are directions, the stretch on which the path goes out is a choice by itself,
    and the edges that the path takes are connected. Where numbers can be left out, the path begins
    and ends anywhere, and a number says that it begins a stretch, or ends the last one. As
    statements without a field numbers always hold, and cells that are joined share a stretch.
    """

    family: str
    grid: IntArray
    field: str = ""
    says = "there is one path, and no loop apart from it"

    @property
    def _last(self) -> int:
        return int(self.grid.max())

    def fix(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """No side leads out of the grid; numbers that are no clues are the ends, as in a model."""
        if self.field:
            keep_inside(allowed, values)
        else:
            self.narrow(allowed, values)

    def on_board(self) -> Self:
        """One sees where the path begins and ends, and which numbers come before others."""
        return replace(self, field="")

    def narrow(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """No side leads out of the grid, and the first number and the last are the ends."""
        keep_inside(allowed, values)
        ends = np.isin(self.grid, (1, self._last))
        allowed &= ends[:, :, None] == np.isin(values, ENDS)

    def constrain(self, cells: Cells) -> Write:
        """Ways through cells, which agree from cell to cell."""
        near, n_headings = neighbours(cells.shape), 4 if cells.by_cuts else 8
        ways, literals = self._ways(cells, n_headings)
        cell, before, after, into, out = ways.T
        with cells.always():
            tie_ways(cells, cell, sides(into, out), literals)
        goes, comes = out != NONE, into != NONE
        left = (cell * n_headings + out) * self._last + after
        entered = (near[cell, (into + 2) % 4] * n_headings + into) * self._last + before
        parts = [(left[goes], literals[goes], 1), (entered[comes], literals[comes], -1)]
        is_free = self._is_free(cells)
        with cells.stating(_LINES):
            add_by_key(cells.builder, self.family, parts, 0, 0)
            if cells.stated:
                agree_on_sides(cells, self.family)  # whichever way it goes
                cells.builder.exactly_one(self.family, [literals[~comes], literals[~goes]])
        if not cells.by_cuts:
            return _Written(self)
        free = self._stretches(cells, near, ways[goes], literals[goes])
        connected_edges(cells, "loop")
        for number, ends in ((1, ~comes), (self._last, ~goes)) if is_free else ():
            ends = ends & (self.grid.ravel()[cell] == number)
            (place,) = np.flatnonzero(self.grid == number).tolist()
            with cells.stating(("grid", place)):
                cells.literal_rows(self.family, literals[ends][None], low=1)
        return _Written(self, free, (self._last - 1) * is_free)

    def _is_free(self, cells: Cells) -> bool:
        """Whether numbers are statements, any of which can be left out."""
        return cells.stated and bool(self.field)

    def _passes(self, number: int, *, switched: bool = False) -> list[tuple[int, int]]:
        """On which stretches the path comes into a cell and goes out; 0 before it and after it.

        Where numbers have switches, the one of the cell and those before may be none.
        """
        stays = [(stretch, stretch) for stretch in range(1, self._last)]
        if not number:
            return stays
        first = 1 if switched and number > 1 else number - 1
        begins = [(stretch, number % self._last) for stretch in range(first, number)]
        return [*begins, *stays] if switched and 1 < number < self._last else begins

    def _ways(self, cells: Cells, n_headings: int) -> tuple[IntArray, IntArray]:
        """Ways through cells and the literal of each.

        They are cell, stretches in and out and headings in and out, (ways, 5); by cuts stretches
        are 0.
        """
        per_cell = 1 if cells.by_cuts else 3 * n_headings
        if self.grid.size * self._last * per_cell > WAY_LIMIT:
            what = f"{self.grid.size:,} cells and {self._last:,} numbers"
            raise TooLarge(f"{what}: over {WAY_LIMIT // per_cell:,} together")
        stays = np.array([(h, h + turn) for h in range(n_headings) for turn in (-1, 0, 1)])
        stays %= n_headings
        begins, starts, ends = stays % (n_headings, 4), stays % (1, 4), stays % (n_headings, 1)
        starts[:, 0] = ends[:, 1] = NONE
        kinds = {0: stays, 1: np.unique(starts, axis=0), self._last: np.unique(ends, axis=0)}
        anything = np.concatenate([*kinds.values()])
        ways: list[tuple[int, ...]] = []
        literals: list[int] = []
        for cell, number in enumerate(self.grid.ravel().tolist()):
            turns = anything if self._is_free(cells) else kinds.get(number, begins)
            place = np.searchsorted(cells.values, sides(*turns.T))
            fits = turns[cells.literals[cell, place] != FALSE].tolist()
            passes = [(0, 0)] if cells.by_cuts else self._passes(number)
            values = [(*stretches, *turn) for stretches in passes for turn in fits]
            if values:
                ways += [(cell, *way) for way in values]
                literals += cells.choice(cell, "way", values)
            else:
                cells.builder.at_least_one(self.family, [[]])
        return np.array(ways, dtype=np.int64).reshape(-1, 5), np.array(literals, dtype=np.int64)

    # --- by cuts ---------------------------------------------------------------------------

    def _stretches(
        self, cells: Cells, near: IntArray, ways: IntArray, literals: IntArray
    ) -> IntArray:
        """Stretches go on along the path; returns the cells that have a choice of them.

        For cells u and v side by side and each stretch: that u is left for v, and on this stretch,
        less that v is left on one that may follow, is 1 at most.

        Args:
            cells: of the model.
            near: see ``neighbours``.
            ways: those that go out of a cell, and their literals.
            literals: of the same.
        """
        numbers, last = self.grid.ravel(), self._last
        (inner,) = np.nonzero((numbers > 1) & (numbers < last))
        switched = cells.switched and bool(self.field)
        numbered = np.where(np.isin(numbers, (1, last)) & self._is_free(cells), 0, numbers).tolist()
        passes = [self._passes(number, switched=switched) for number in numbered]
        on, free = np.full((len(near), last), FALSE), []
        for cell, several in enumerate(passes):
            values = sorted({out for _, out in several})
            on[cell, values] = cells.choice(cell, "stretch", values) if values[1:] else TRUE
            for number in values if values[1:] else ():
                words = f"between the {number} and the {number + 1}"
                cells.notes[int(on[cell, number])] = words
            free += [cell] * bool(values[1:])
        if switched:
            tags = [(self.field, cell) for cell in inner.tolist()]
            cells.literal_rows("order", on[inner, numbers[inner]][:, None], low=1, tags=tags)
        # By the cell that is left, the side, and the stretch.
        u, side, stretch = np.nonzero((near >= 0)[:, :, None] & (on != FALSE)[:, None, :])
        known = (u * 4 + side) * last + stretch
        left = ((ways[:, 0] * 4 + ways[:, 4]) * last)[:, None] + np.arange(last)
        v = np.repeat(np.arange(len(near)), [len(several) for several in passes])
        into, out = np.array([each for several in passes for each in several]).T
        back = near[v]
        enters = (back * 4 + (np.arange(4) + 2) % 4) * last + into[:, None]
        parts = [(known, on[u, stretch], 1)]
        for keys, terms, sign in (
            (left, np.broadcast_to(literals[:, None], left.shape), 1),
            (enters, np.broadcast_to(on[v, out][:, None], enters.shape), -1),
        ):
            there = np.isin(keys, known)
            parts.append((keys[there], terms[there], sign))
        with cells.stating("the path passes the numbers in their order"):
            add_by_key(cells.builder, "order", parts, -UNBOUNDED, 1)
            if cells.stated and not self._is_free(cells):
                self._share_stretches(cells, near, on)
        return np.array(free, dtype=np.int64)

    def _share_stretches(self, cells: Cells, near: IntArray, on: IntArray) -> None:
        """Cells that are joined share a stretch, whichever way it goes.

        A number is on that before it and on that behind it. ``on``: of other cells, (cells, last).
        """
        number, stretch = self.grid.ravel(), np.arange(1, self._last)
        beside = np.isin(number[:, None] - stretch, (0, 1))
        shares = np.where(number[:, None] > 0, np.where(beside, TRUE, FALSE), on[:, 1:])
        for side in range(4):
            (u,) = np.nonzero(near[:, side] >= 0)
            leads, v = leaving(cells, side), near[u, side]
            apart = (number[u] > 0) & (number[v] > 0) & (np.abs(number[u] - number[v]) != 1)
            cells.literal_rows("order", leads[u[apart]], high=0)
            at, k = np.nonzero((number[u] == 0)[:, None] & (shares[v] != TRUE))
            both = shares[u[at], k], shares[v[at], k]
            rows = np.column_stack([leads[u[at]], *both])
            signs = [*[1] * leads.shape[1], 1, -1]
            cells.literal_rows("order", rows, signs, high=1)

    # --- words -----------------------------------------------------------------------------

    def about(self, at: At) -> IntArray:
        """The cell of a number."""
        return cell_of(at)

    def asks(self, at: At, grid: IntArray, known: BoolArray) -> str:  # noqa: ARG002
        """When the path passes a number."""
        if not isinstance(at, tuple):
            return self.name_at(at)
        number = int(self.grid.flat[at[1]])
        if number in (1, self._last):
            return f"the path {'begins' if number == 1 else 'ends'} at {{}}"
        return f"the path passes {{}} after the {number - 1} and before the {number + 1}"

    def why(self, at: At, grid: IntArray, known: BoolArray, cell: int | None) -> str:
        """Which cells the path can no longer join."""
        is_whole = at is None and cell is None
        return parted(grid, known, np.ones_like(known)) if is_whole else ""

    def fits(self, at: At, can: CanArray, cell: int, left: Collection[int]) -> str:
        """Which numbers would be joined that do not follow each other, or what would be cut off."""
        if isinstance(at, tuple) or at == _LINES:
            return ""
        sides = Sides(can)

        def joined(one: Sequence[int], other: Sequence[int]) -> str:
            return met(self.grid, one, other, lambda a, b: abs(a - b) != 1)

        if at is not None:
            why = sides.why(cell, left, joined)
        else:
            parting = partial(would_part, on=np.ones(can.shape, dtype=bool))
            why = sides.why(cell, left, None, sides.closed, parting)
        return f"{self.name_at(at)}: {why}" if why else ""

    # --- answers ---------------------------------------------------------------------------

    def walk(self, answer: IntArray) -> IntArray:
        """The cells of the path in order; InputError if it is none."""
        self.require(answer)
        ((cells, _),) = components(np.asarray(answer))
        return cells if self.grid.flat[cells[0]] == 1 else cells[::-1]

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Sides that do not agree, gaps, other ends, several pieces, and another order."""
        paths, columns = np.asarray(answer), answer.shape[1]
        yield from torn(self.family, paths)
        for r, c in np.argwhere(paths == 0).tolist():
            yield Violation(self.family, f"the path does not pass ({r},{c})", ((r, c),))
        ends = np.isin(paths, ENDS)
        for r, c in np.argwhere(ends != np.isin(self.grid, (1, self._last))).tolist():
            what = "ends" if ends[r, c] else "does not end"
            yield Violation(self.family, f"the path {what} on ({r},{c})", ((r, c),))
        pieces = sorted((cells for cells, _ in components(paths)), key=len, reverse=True)
        for cells in pieces[1:]:
            where = cells_of(cells, columns)
            message = f"{len(where)} cells from {where[0]} are not on the path"
            yield Violation("loop", message, where)
        met = [cell for cell in pieces[0].tolist() if self.grid.flat[cell]] if pieces else []
        numbers = self.grid.ravel()[met]
        if len(met) == self._last and numbers[0] != 1:
            met, numbers = met[::-1], numbers[::-1]
        for i in np.flatnonzero(np.diff(numbers) != 1)[:1].tolist():
            message = f"the path passes {numbers[i + 1]} after {numbers[i]}"
            yield Violation("order", message, cells_of(np.array(met[i : i + 2]), columns))


@dataclass(frozen=True, slots=True, eq=False)
class _Written:
    """The way through each cell for an answer; by cuts the stretches of cells, and the edges.

    ``last`` is the stretch of the last cell.
    """

    rule: Route
    free: IntArray | None = None
    last: int = 0

    def __call__(self, answer: IntArray) -> list[Hashable]:
        walk, by_cuts = self.rule.walk(answer), self.free is not None
        numbers = self.rule.grid.ravel()[walk]
        out = np.append(np.maximum.accumulate(numbers)[:-1], self.last)
        direction = directions(walk, answer.shape)
        begun = np.maximum.accumulate(np.arange(len(walk)) * (numbers > 0))[:-1]
        heading = turned(direction)
        heading = (heading - (heading - direction)[begun]) % (4 if by_cuts else 8)
        ways = np.zeros((len(walk), 4), dtype=np.int64)
        if not by_cuts:
            ways[walk, :2] = np.column_stack([np.append(0, out[:-1]), out])
        ways[walk, 2:] = np.column_stack([np.append(NONE, heading), np.append(heading, NONE)])
        written: list[Hashable] = [*map(tuple, ways.tolist())]
        if self.free is not None:
            written += out[np.argsort(walk)][self.free].tolist() + edges_taken(answer).tolist()
        return written


# --- what rules of paths share ---------------------------------------------------------------


def tie_ways(cells: Cells, cell: IntArray, taken: IntArray, literals: IntArray) -> None:
    """Each cell has the value that its way says: the sides that it takes, (ways,) each."""
    (known,) = np.nonzero(cells.literals.ravel() != FALSE)
    shape = cell * len(cells.values) + np.searchsorted(cells.values, taken)
    parts = [(known, cells.literals.ravel()[known], 1), (shape, literals, -1)]
    add_by_key(cells.builder, "way", parts, 0, 0)


# --- walls -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Walls(Rule):
    """No line passes between cells with a wall between them.

    ``right`` has walls between the cells of a row, (rows, columns - 1), and ``down`` those below
    cells, (rows - 1, columns), 1 each; None for none. They are clues of the fields of these names.
    """

    family: str
    right: IntArray | None
    down: IntArray | None
    is_clue = True

    def _walls(self, columns: int) -> Iterator[tuple[int, str, IntArray, IntArray]]:
        """The side, the field, the places in it, and the cells with a wall on that side."""
        for side, (name, walls) in enumerate((("right", self.right), ("down", self.down))):
            if walls is not None:
                (places,) = np.nonzero(walls.ravel())
                r, c = np.divmod(places, walls.shape[1])
                yield side, name, places, r * columns + c

    def narrow(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """No side leads through a wall."""
        leads, flat = leaves(np.array(values)), allowed.reshape(-1, len(values))
        near = neighbours((allowed.shape[0], allowed.shape[1]))
        for side, _, _, cells in self._walls(allowed.shape[1]):
            flat[cells] &= ~leads[:, side]
            flat[near[cells, side]] &= ~leads[:, side + 2]

    def constrain(self, cells: Cells) -> None:
        """Nothing, but where clues have switches: the other cell agrees by the rule of lines."""
        leads, near = leaves(np.array(cells.values)), neighbours(cells.shape)
        for side, name, places, beside in self._walls(cells.shape[1]) if cells.switched else ():
            rows = cells.literals[beside][:, leads[:, side]]
            if cells.stated:
                beyond = cells.literals[near[beside, side]][:, leads[:, side + 2]]
                rows = np.hstack([rows, beyond])
            tags = [(name, place) for place in places.tolist()]
            cells.literal_rows(self.family, rows, high=0, tags=tags)

    def about(self, at: At) -> IntArray:
        """The cells on both sides of a wall."""
        walls = self.right if self.down is None else self.down
        if walls is None or not isinstance(at, tuple):
            return super().about(at)
        columns, beside = int(walls.shape[1]) + (walls is self.right), at[0] == "right"
        r, c = divmod(at[1], columns - beside)
        return np.array([r * columns + c, (r + (not beside)) * columns + c + beside])

    def asks(self, at: At, grid: IntArray, known: BoolArray) -> str:  # noqa: ARG002
        """That nothing passes it."""
        return "no line passes {}"

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Walls that a line passes."""
        near, taken = neighbours(answer.shape), leaves(np.asarray(answer))
        for side, _, _, cells in self._walls(answer.shape[1]):
            beyond = near[cells, side]
            passed = taken[cells, side] | taken[beyond, side + 2]
            for pair in np.column_stack([cells, beyond])[passed]:
                one, two = cells_of(pair, answer.shape[1])
                message = f"there is a wall between {one} and {two}"
                yield Violation(self.family, message, (one, two))


# --- paths that are drawn --------------------------------------------------------------------


def drawn_route(shape: tuple[int, int], rng: Rng) -> IntArray:
    """The cells of a random path through all, in order.

    One end is joined to a cell beside it, and what makes a loop by that is cut off and turned
    round: the backbite of Mansfield (J. Chem. Phys. 77, 1982, 1554-1559), from a straight path on.
    """
    cells = np.arange(shape[0] * shape[1]).reshape(shape)
    cells[1::2] = cells[1::2, ::-1].copy()
    path: list[int] = cells.ravel().tolist()
    near = [[cell for cell in beside if cell >= 0] for beside in neighbours(shape).tolist()]
    for other, pick in rng.integers((2, 12), size=(MOVES * len(path), 2)).tolist():
        if other:
            path.reverse()
        beside = near[path[-1]]
        at = path.index(beside[pick % len(beside)]) if beside else 0
        path[at + 1 :] = path[:at:-1]
    return np.array(path)


def along(cells: IntArray, shape: tuple[int, int]) -> IntArray:
    """The answer of a path through all cells, in order."""
    paths = np.zeros(len(cells), dtype=np.int64)
    side = directions(cells, shape)
    paths[cells[:-1]] += 1 << side
    paths[cells[1:]] += 1 << (side + 2) % 4
    return paths.reshape(shape)
