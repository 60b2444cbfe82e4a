"""Bridges between islands; a cell has how many lead to its right, and three times those down."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from qubopuzzle.base.places import TOWARDS, cell_names, listed
from qubopuzzle.errors import TooLarge
from qubopuzzle.model import FALSE, TRUE, IntArray
from qubopuzzle.puzzles.base import Violation
from qubopuzzle.puzzles.vocabulary.cells import At, Cells, Write
from qubopuzzle.puzzles.vocabulary.grids import BoolArray, Cell, cells_of
from qubopuzzle.puzzles.vocabulary.paths import SIDES, components, join
from qubopuzzle.puzzles.vocabulary.regions import headings_of, trees
from qubopuzzle.puzzles.vocabulary.rules import Rule, cell_of
from qubopuzzle.puzzles.vocabulary.words import counted

UNKNOWN = -1
WAYS = np.array([*product(range(3), repeat=4)])
"""What may leave an island to the right, down, to the left and up, (81, 4)."""
WAY_LIMIT = 2_000_000
"""Most ways of all islands together: about 500 MB."""


def sides(answer: IntArray) -> IntArray:
    """How many bridges leave each cell to the right, down, to the left and up, (cells, 4)."""
    right, down = answer % 3, answer // 3
    left, up = np.pad(right, ((0, 0), (1, 0)))[:, :-1], np.pad(down, ((1, 0), (0, 0)))[:-1]
    return np.stack([right, down, left, up], axis=-1).reshape(-1, 4)


def seen(islands: BoolArray) -> IntArray:
    """The next island on each side of each cell, -1 for none, (cells, 4)."""
    left, up = _before(islands)
    right, down = (
        np.where(back < 0, -1, islands.size - 1 - back)[::-1]
        for back in _before(islands[::-1, ::-1])
    )
    return np.stack([right, down, left, up], axis=1)


def _before(islands: BoolArray) -> tuple[IntArray, IntArray]:
    """The next island on the left of each cell and above, -1 for none, (cells,)."""
    number = np.where(islands, np.arange(islands.size).reshape(islands.shape), -1)
    left = np.pad(number, ((0, 0), (1, 0)), constant_values=-1)[:, :-1]
    up = np.pad(number, ((1, 0), (0, 0)), constant_values=-1)[:-1]
    return np.maximum.accumulate(left, axis=1).ravel(), np.maximum.accumulate(up, axis=0).ravel()


def between(answer: IntArray, one: int, two: int) -> IntArray:
    """The part of an answer that has the bridges between two islands in a line, a view."""
    (r, c), (r2, c2) = (divmod(int(cell), answer.shape[1]) for cell in sorted((one, two)))
    return answer[r, c:c2] if r == r2 else answer[r:r2, c]


def joined_by(cells: Mapping[Cell, int], islands: BoolArray, marks: Mapping[Cell, int] = {}) -> str:
    """Which islands are joined by cells with such values; of cells without a bridge, which not.

    Those that marks show are left out if there are others.

    >>> joined_by({(0, 1): 2}, np.array([[True, False, True]]))
    '2 bridges join the islands in row 1, columns 1 and 3'
    """
    near, columns = seen(islands), islands.shape[1]
    bridges: dict[str, bool] = {}
    for (r, c), value in sorted(cells.items()):
        cell = r * columns + c
        for side, count in enumerate((value % 3, value // 3)):
            ends = cell if islands[r, c] else int(near[cell, side + 2]), int(near[cell, side])
            if min(ends) >= 0 and (count or not value):
                name = ("no bridge joins", "1 bridge joins", "2 bridges join")[count]
                joined = cell_names([divmod(end, columns) for end in ends])
                there = (divmod(each, columns) for each in range(*ends, (1, columns)[side]))
                shown = {marks[each] // (1, 3)[side] % 3 for each in there if each in marks}
                bridges[f"{name} the islands in {joined}"] = count not in shown
    if not bridges and cells:
        return f"no bridge passes {cell_names([*cells])}"
    return ", and ".join([each for each, is_new in bridges.items() if is_new] or bridges)


@dataclass(frozen=True, eq=False)
class Bridges(Rule):
    """Islands are joined by bridges, as many as their numbers say, and all are connected.

    A bridge is straight and crosses neither another nor an island; two islands have two at most.
    ``grid`` has the numbers, (rows, columns), 0 for no island and -1 for one that is not known.

    In the model each island has a choice over what leaves it by its four sides, from which all
    cells follow, and, without cuts, a heading as in ``Connected``, where a parent is an island that
    a bridge leads to: bridges do not cross, so that a cycle of parents turns once around. The root
    is the first of the islands with the largest number. Where numbers can be left out, cells are
    choices by themselves.
    """

    family: str
    grid: IntArray
    says = "bridges connect all islands"

    @cached_property
    def _near(self) -> IntArray:
        return seen(self.grid != 0)

    @cached_property
    def _most(self) -> IntArray:
        """How many bridges can leave each island by each side, (cells, 4).

        Fewer than would be all of both islands, where there are more than these two.
        """
        flat, near = self.grid.ravel(), self._near
        number = np.where(flat == UNKNOWN, 8, flat)
        here, there = number[:, None], number[near]
        most = np.minimum(2, np.minimum(here, there))
        if np.count_nonzero(flat) > 2:
            most -= (here == there) & (here <= 2)
        return np.where((near >= 0) & (here > 0), most, 0)

    def narrow(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """What fits the islands on both sides, and in a cell between them only one direction."""
        island, value = self.grid.reshape(-1, 1) != 0, np.asarray(values)
        may = self._straight(self._most, value)
        may &= island | (value % 3 == 0) | (value < 3)
        allowed &= may.reshape(allowed.shape)

    def fix(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """Bridges go straight on from island to island."""
        most = np.where((self._near >= 0) & (self.grid.reshape(-1, 1) != 0), 2, 0)
        allowed &= self._straight(most, np.asarray(values)).reshape(allowed.shape)

    def _straight(self, most: IntArray, value: IntArray) -> BoolArray:
        """Which cells may have each value, where so many bridges leave islands, (cells, values)."""
        near, island = self._near, self.grid.ravel() != 0
        right, down = most.T[:2].copy()
        for to, back, side in ((right, 2, 0), (down, 3, 1)):
            between = ~island & (near[:, back] >= 0)
            to[between] = most[near[between, back], side]
        return np.asarray((value % 3 <= right[:, None]) & (value // 3 <= down[:, None]))

    def constrain(self, cells: Cells) -> Write:
        """The ways of islands; cells, the other ends of bridges, and trees or cuts."""
        if cells.stated:
            return self._by_cells(cells)
        near, flat, most = self._near, self.grid.ravel(), self._most
        (islands,) = np.nonzero(flat)
        may = (most[islands][:, None] >= WAYS).all(axis=2)
        number = flat[islands][:, None]
        may &= (number == WAYS.sum(axis=1)) | (number == UNKNOWN)
        if may.sum() > WAY_LIMIT:
            raise TooLarge(f"{may.sum():,} ways of {len(islands):,} islands: over {WAY_LIMIT:,}")
        way = np.full((len(flat), len(WAYS)), FALSE)
        for cell, has in zip(islands.tolist(), may, strict=True):
            if has.any():
                values = [*map(tuple, WAYS[has].tolist())]
                way[cell, has] = cells.choice(cell, self.family, values)
            else:
                cells.builder.at_least_one(self.family, [[]])
        for value in cells.values[1:]:
            self._define(cells, way, islands, islands, np.equal(WAYS @ (1, 3, 0, 0), value), value)
        for side in (0, 1):
            between = np.flatnonzero((flat == 0) & (near[:, side + 2] >= 0))
            (begin,) = np.nonzero(most[:, side])
            for count in (1, 2):
                leaves, arrives = (np.equal(WAYS[:, d], count) for d in (side, side + 2))
                owner, value = near[between, side + 2], count * (1, 3)[side]
                self._define(cells, way, between, owner, leaves, value)
                ends = way[begin][:, leaves], way[near[begin, side]][:, arrives]
                signs = np.repeat([1, -1], [leaves.sum(), arrives.sum()])
                rows = np.concatenate(ends, axis=1)
                places = (cells_of(end, cells.shape[1]) for end in (begin, near[begin, side]))
                labels = [
                    f"the bridges between ({r},{c}) and ({r2},{c2})"
                    for (r, c), (r2, c2) in zip(*places, strict=True)
                ]
                cells.literal_rows("end", rows, signs, low=0, high=0, labels=labels)
        return self._by_cuts(cells, way) if cells.by_cuts else self._by_headings(cells, way)

    @staticmethod
    def _define(
        cells: Cells, way: IntArray, where: IntArray, owner: IntArray, ways: BoolArray, value: int
    ) -> None:
        """Cells have a value where their islands have one of these ways."""
        literals = np.column_stack([cells.of(value)[where], way[owner][:, ways]])
        written = (literals != FALSE).any(axis=1)
        signs = np.repeat([1, -1], [1, ways.sum()])
        islands = cells_of(owner[written], cells.shape[1])
        labels = [f"the bridges of the island on ({r},{c})" for r, c in islands]
        cells.literal_rows("cell", literals[written], signs, low=0, high=0, labels=labels)

    def _by_cuts(self, cells: Cells, way: IntArray) -> Write:
        """Nodes are cells, of which the islands are there, and ways, which lead to islands."""
        owner, taken = np.nonzero(way != FALSE)
        number = len(way) + np.arange(len(owner))
        leads, side = np.nonzero(WAYS[taken] > 0)
        edges = [
            np.stack([number, owner], axis=1),
            np.stack([number[leads], self._near[owner[leads], side]], axis=1),
        ]
        held = np.where(self.grid.ravel() != 0, TRUE, FALSE)
        before = len(cells.builder.sizes)
        nodes = np.append(held, way[owner, taken])
        cells.builder.connected("connected", nodes, np.concatenate(edges))
        more = [True] * (len(cells.builder.sizes) - before)
        return _Written(self, np.unique(owner), more=more)

    def _by_headings(self, cells: Cells, way: IntArray) -> Write:
        """A tree whose edges are bridges."""
        held = np.where(self.grid.ravel() != 0, TRUE, FALSE)
        root = np.arange(len(held)) == self.root
        near = np.where((self._most > 0) & ~root[:, None], self._near, -1)
        literal = trees(cells, "connected", held, near, root)
        for h in range(8):
            (child,) = np.nonzero(literal[:, h] != FALSE)
            leaves = WAYS[:, h % 4] > 0
            rows = np.column_stack([literal[child, h], way[child][:, leaves]])
            signs = np.repeat([-1, 1], [1, leaves.sum()])
            cells.literal_rows("connected", rows, signs, low=0)
        chosen = (literal != FALSE).any(axis=1)
        return _Written(self, np.flatnonzero((way != FALSE).any(axis=1)), np.flatnonzero(chosen))

    # --- statements ------------------------------------------------------------------------

    def _by_cells(self, cells: Cells) -> Write:
        """Rows of cells, and a bit for each two islands that bridges may join."""
        near, island = self._near, self.grid.ravel() != 0
        digits = np.array(cells.values)[:, None] // np.array([1, 3]) % 3
        begin, side = np.nonzero(island[:, None] & (near[:, :2] >= 0))
        names = [
            "bridge[{},{}] {}".format(*divmod(cell, cells.shape[1]), SIDES[d])
            for cell, d in zip(begin.tolist(), side.tolist(), strict=True)
        ]
        bits = np.array([cells.builder.bit(name).literals[1] for name in names], dtype=np.int64)
        with cells.always():
            for d in (0, 1):
                (at,) = np.nonzero(side == d)
                leaves = cells.literals[begin[at]][:, digits[:, d] > 0]
                signs = np.repeat([1, -1], [1, leaves.shape[1]])
                cells.literal_rows(
                    "cell", np.column_stack([bits[at], leaves]), signs, low=0, high=0
                )
                between = np.flatnonzero(~island & (near[:, d] >= 0) & (near[:, d + 2] >= 0))
                for count in (1, 2):
                    here = cells.literals[:, digits[:, d] == count]
                    rows = np.hstack([here[between], here[near[between, d + 2]]])
                    signs = np.repeat([1, -1], here.shape[1])
                    cells.literal_rows("cell", rows, signs, low=0, high=0)
        with cells.stating("bridges do not cross"):
            crossing = cells.literals[~island][:, digits.all(axis=1)]
            cells.literal_rows(self.family, crossing, high=0)
        self._number(cells, digits)
        nodes = np.append(np.where(island, TRUE, FALSE), bits)
        number = len(island) + np.arange(len(bits))
        ends = np.concatenate([begin, near[begin, side]])
        before = cells.builder.n_choices
        cells.builder.connected("connected", nodes, np.column_stack([np.tile(number, 2), ends]))
        return _Joined(begin, side, cells.builder.n_choices - before)

    def _number(self, cells: Cells, digits: IntArray) -> None:
        """A row a number: what leaves its cell, and the islands on the left and above."""
        (numbered,) = np.nonzero(self.grid.ravel() > 0)
        literals, factors = [cells.literals[numbered]], [digits.sum(axis=1)]
        for d in (0, 1):
            beside = self._near[numbered, d + 2]
            literals.append(np.where(beside[:, None] < 0, FALSE, cells.literals[beside]))
            factors.append(digits[:, d])
        number = self.grid.flat[numbered]
        how: Any = {"low": number, "high": number}
        how["tags"] = [("grid", cell) for cell in numbered.tolist()]
        cells.literal_rows(self.family, np.hstack(literals), np.concatenate(factors), **how)

    def about(self, at: At) -> IntArray:
        """The cell of an island."""
        return cell_of(at)

    def name_at(self, at: At) -> str:
        """An island by its number."""
        if not isinstance(at, tuple):
            return super().name_at(at)
        r, c = divmod(at[1], self.grid.shape[1])
        return f"the island with {self.grid[r, c]} in ({r},{c})"

    def asks(self, at: At, grid: IntArray, known: BoolArray) -> str:
        """How many more bridges an island needs, and to which sides, where some are known."""
        if not isinstance(at, tuple):
            return self.name_at(at)
        cell = at[1]
        number, columns, near = int(self.grid.flat[cell]), grid.shape[1], self._near[cell]
        has, left, barred = 0, list[str](), list[str]()
        for d in np.flatnonzero(near >= 0).tolist():
            first, last = sorted((cell, int(near[d])))
            there = [c for c in range(first, last, (1, columns)[d % 2]) if known.flat[c]]
            counts = [int(grid.flat[c]) // (1, 3)[d % 2] % 3 for c in there]
            has += max(counts, default=0)
            left += [TOWARDS[d]] * (not counts)
            if counts and not max(counts):
                nearest = min({*there, int(near[d])} - {cell}, key=lambda c: abs(c - cell))
                way = "another bridge is in the way in" if grid.flat[nearest] else "none passes"
                way = "none leads to" if nearest == near[d] else way
                barred.append(f"{way} ({nearest // columns},{nearest % columns})")
        if has >= number:
            return f"{{}} has {counted(has, 'bridges')} already"
        rest = number - has
        need = counted(rest, "more bridges" if has else "bridges")
        is_limit = (rest > 1 and left[1:]) or rest > 2
        most = ", two to a side at most" if is_limit and left else ""
        least = rest - 2 * len(left[1:])
        if most and 0 < least < 3:
            most += f", so {('one at least', 'two')[least - 1]} to each"
        most += f", as {listed(barred)}" if barred else ""
        where = f" {listed(left, 'or')}{most}" if left else f"{most}, and no side is left"
        return f"{{}} needs {need}{where}"

    def why(self, at: At, grid: IntArray, known: BoolArray, cell: int | None) -> str:
        """Which islands are cut off, or would be without the bridges that pass a cell."""
        if at is not None:
            return ""
        columns, near, islands = grid.shape[1], self._near, np.flatnonzero(self.grid).tolist()
        piece = {island: {island} for island in islands}
        for one, side in product(islands, (0, 1)):
            other = int(near[one, side])
            span = range(one, other, (1, columns)[side])
            count = {
                c: grid.flat[c] // (1, 3)[side] % 3 for c in span if known.flat[c] or c == cell
            }
            is_left = all(count.values()) and not (cell in span and count.get(cell or 0))
            if other >= 0 and is_left and piece[one] is not piece[other]:
                joined = piece[one] | piece[other]
                piece |= dict.fromkeys(joined, joined)
        pieces = sorted({id(each): sorted(each) for each in piece.values()}.values(), key=len)
        if len(pieces) < 2:
            return ""
        (a, b), (c, d) = (divmod(each[0], columns) for each in (pieces[0], pieces[-1]))
        is_cut = "is" if cell is None else "would be"
        text = f"({a},{b}) {is_cut} cut off from ({c},{d})"
        return text if cell is None else f"otherwise {text}"

    # --- answers ---------------------------------------------------------------------------

    @property
    def root(self) -> int:
        """The first of the islands with the largest number."""
        return int(np.where(self.grid == 0, UNKNOWN - 1, self.grid).argmax())

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Bridges that end or cross between islands, numbers, and islands that are cut off."""
        answer = np.asarray(answer)
        columns, island, out = answer.shape[1], self.grid.ravel() != 0, sides(answer)
        right, down, left, up = out.T
        beyond = (np.arange(len(out)) % columns == columns - 1) & (right > 0)
        beyond |= (np.arange(len(out)) >= len(out) - columns) & (down > 0)
        bent = ~island & ((right != left) | (down != up))
        for what, wrong in (
            ("a bridge leads out of the grid from", beyond),
            ("a bridge ends without an island on", bent & ~beyond),
            ("bridges cross on", ~island & ~bent & (right > 0) & (down > 0)),
        ):
            for cell in cells_of(np.flatnonzero(wrong), columns):
                yield Violation(self.family, f"{what} {cell}", (cell,))
        for r, c in np.argwhere(self.grid > 0).tolist():
            count = int(out[r * columns + c].sum())
            if count != self.grid[r, c]:
                message = f"the island on ({r},{c}) has {count} bridges, not {self.grid[r, c]}"
                yield Violation("number", message, ((r, c),))
        paths = join((answer[:, :-1] % 3 > 0).astype(int), (answer[:-1] > 2).astype(int))
        pieces = [cells[island[cells]] for cells, _ in components(paths)]
        alone = np.flatnonzero(island & (paths.ravel() == 0))[:, None]
        for piece in sorted([*filter(len, pieces), *alone], key=len, reverse=True)[1:]:
            where = cells_of(np.sort(piece), columns)
            message = f"{len(where)} islands from {where[0]} are cut off"
            yield Violation("connected", message, where)


@dataclass(frozen=True, slots=True, eq=False)
class _Joined:
    """Whether bridges leave these islands by these sides, and so often what is true anyway."""

    begin: IntArray
    side: IntArray
    true: int

    def __call__(self, answer: IntArray) -> list[Hashable]:
        leave = sides(np.asarray(answer))[self.begin, self.side] > 0
        return [*leave.astype(int).tolist(), *[True] * self.true]


@dataclass(frozen=True, slots=True, eq=False)
class _Written:
    """The ways of islands, then their headings, by the numbers of their cells, and what is more."""

    rule: Bridges
    islands: IntArray
    headed: IntArray | None = None
    more: Sequence[Hashable] = ()

    def __call__(self, answer: IntArray) -> list[Hashable]:
        self.rule.require(answer)
        out = sides(np.asarray(answer))
        written: list[Hashable] = [*map(tuple, out[self.islands].tolist()), *self.more]
        if self.headed is not None:
            near = np.where(out > 0, seen(self.rule.grid != 0), -1)
            heading = headings_of(self.rule.grid.ravel() != 0, [self.rule.root], near)
            written += [heading[cell] for cell in self.headed.tolist()]
        return written
