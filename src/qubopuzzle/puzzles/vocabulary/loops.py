"""One loop through cells, side by side; each cell is the sum of the sides it leaves by."""

from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from qubopuzzle.base.places import listed
from qubopuzzle.errors import InputError
from qubopuzzle.model import FALSE, IntArray, ModelBuilder
from qubopuzzle.puzzles.base import Violation
from qubopuzzle.puzzles.vocabulary.cells import At, Cells, Write
from qubopuzzle.puzzles.vocabulary.drawing import changed_piece, grown_piece
from qubopuzzle.puzzles.vocabulary.grids import BoolArray, CanArray, cells_of
from qubopuzzle.puzzles.vocabulary.paths import (
    SIDES,
    components,
    directions,
    edges_of,
    edges_taken,
    join,
    keep_inside,
    leaves,
    mutual,
    neighbours,
    parted,
    turned,
    would_part,
)
from qubopuzzle.puzzles.vocabulary.rules import Rule
from qubopuzzle.puzzles.vocabulary.sides import Sides

Rng = np.random.Generator
SHAPES = (0, 3, 5, 6, 9, 10, 12)
"""Of a cell: off the loop, or the two sides that it leaves by, as in ``paths``."""
_NEAR = 8
"""Cells that are named where lines lead to no others."""
STRAIGHT = (5, 10)
TURNS = (3, 6, 9, 12)
OFF = "off"


def _ways() -> list[tuple[int, int, int]]:
    """Heading in, heading out, and 1 at the seam; ``_fits`` says which cell may be one.

    Headings are 0 to 7, mod 4 a direction: 0 right, 1 down, 2 left, 3 up.
    """
    return [
        (into, (into + turn + 4 * seam) % 8, seam)
        for seam in (0, 1)
        for into in range(8)
        for turn in (-1, 0, 1)
    ]


def torn(family: str, paths: IntArray) -> Iterator[Violation]:
    """Sides that cells leave by, where the neighbour does not agree."""
    for cell, d in np.argwhere(leaves(paths) & ~mutual(paths)).tolist():
        r, c = divmod(cell, paths.shape[1])
        yield Violation(family, f"({r},{c}) goes {SIDES[d]} and does not arrive", ((r, c),))


def leaving(cells: Cells, side: int) -> IntArray:
    """The literals of the values of each cell that leave by a side, (cells, values)."""
    return cells.literals[:, leaves(np.array(cells.values))[:, side]]


def agree_on_sides(cells: Cells, family: str) -> None:
    """Where a cell leaves by a side, its neighbour there does so by the other."""
    near = neighbours(cells.shape)
    for side in (0, 1):
        one, two = leaving(cells, side), leaving(cells, side + 2)
        (inner,) = np.nonzero(near[:, side] >= 0)
        rows = np.column_stack([one[inner], two[near[inner, side]]])
        signs = np.repeat([1, -1], [one.shape[1], two.shape[1]])
        cells.literal_rows(family, rows, signs, low=0, high=0)


WAYS = _ways()
_SHAPE_OF = [(1 << (into + 2) % 4) + (1 << out % 4) for into, out, _ in WAYS]


@dataclass(frozen=True, eq=False)
class Loop(Rule):
    """The cells that are not 0, and not ``besides``, are one loop.

    ``on`` is a cell that is known to be on it, if there is one, None else.

    Cells that are joined join each other. Then, by cuts, the edges of the loop are connected, where
    they meet at a cell. Or each cell has a choice more: off, or
    the headings with which the loop comes in and goes out, 0 to 7, whose values mod 4 are the
    directions; they differ by a quarter turn at most, mod 8, and agree from cell to cell. A loop
    turns around once, by four quarters (H. Hopf, Compositio Mathematica 2, 1935, 50-62), and 4 is
    not 0 mod 8: so each loop has an odd number of seams, where the heading jumps by 4, and one seam
    in the grid is one loop. At a known cell, the seam's headings are below 4 where it comes in, and
    the side that it comes from is before the other: so there is one assignment of each loop.
    """

    family: str
    on: int | None = None
    besides: Sequence[int] = ()
    says = "there is one loop"

    def asks(self, at: At, grid: IntArray, known: BoolArray) -> str:  # noqa: ARG002
        """That there is one, or that it has no ends."""
        return self.name_at(at)

    def why(self, at: At, grid: IntArray, known: BoolArray, cell: int | None) -> str:
        """Which cells of it can no longer be joined."""
        paths = self.paths(np.where(known, grid, 0))
        return parted(paths, known, paths > 0) if at is None and cell is None else ""

    def fits(self, at: At, can: CanArray, cell: int, left: Collection[int]) -> str:
        """Which loop would be closed without others, or what would be cut off."""
        if at is not None:
            return ""
        sides = Sides(can)
        on = np.asarray(sides.does.any(axis=1)).reshape(can.shape)

        def closed(cells: Sequence[int]) -> str:
            others = np.setdiff1d(np.flatnonzero(on), cells).tolist()
            return f"a loop would be closed without {sides.place(others[0])}" if others else ""

        why = sides.why(cell, left, None, closed, lambda paths: would_part(paths, on))
        lost = {*can[divmod(cell, can.shape[1])]} - {*left} if cell >= 0 else set[int]()
        if not why and lost and lost <= {*SHAPES[1:]}:
            near = sides.reached(cell)
            why = f"otherwise {apart}" if (apart := closed(near)) else ""
            if apart and 1 < len(near) <= _NEAR:
                why += (
                    f", as lines can only lead to {listed(map(sides.place, near[1:]))} from there"
                )
        return f"{self.says}: {why}" if why else ""

    def fix(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """No side leads out of the grid."""
        keep_inside(allowed, values)

    def narrow(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """No side leads out of the grid, and the known cell is on the loop."""
        keep_inside(allowed, values)
        if self.on is not None:
            allowed[divmod(self.on, allowed.shape[1])] &= np.isin(values, SHAPES[1:])

    def constrain(self, cells: Cells) -> Write:
        """The sides agree, and there is one loop."""
        with cells.stating("the loop has no ends: each cell has two lines of it or none"):
            agree_on_sides(cells, self.family)
        near = neighbours(cells.shape)
        return self._by_cuts(cells) if cells.by_cuts else self._by_headings(cells, near)

    # --- headings --------------------------------------------------------------------------

    def _by_headings(self, cells: Cells, near: IntArray) -> Write:
        n_cells = len(near)
        literal = np.full((n_cells, len(WAYS) + 1), FALSE)
        for cell in range(n_cells):
            has = [k for k in range(len(WAYS)) if self._fits(cells, near, cell, k)]
            off = any(cells.of(v)[cell] != FALSE for v in (0, *self.besides))
            values = [*(WAYS[k] for k in has), *[OFF] * off]
            if values:
                literal[cell, [*has, *[len(WAYS)] * off]] = cells.choice(cell, "heading", values)
            else:
                cells.builder.at_least_one(self.family, [[]])
        for shape in SHAPES[1:]:
            ways = [k for k, s in enumerate(_SHAPE_OF) if s == shape]
            rows = np.column_stack([cells.of(shape), literal[:, ways]])
            cells.literal_rows("heading", rows, [1, *[-1] * len(ways)], low=0, high=0)
        for heading in range(8):
            out = [k for k, way in enumerate(WAYS) if way[1] == heading]
            into = [k for k, way in enumerate(WAYS) if way[0] == heading]
            (inner,) = np.nonzero(near[:, heading % 4] >= 0)
            rows = np.column_stack(
                [literal[inner][:, out], literal[near[inner, heading % 4]][:, into]]
            )
            signs = np.repeat([1, -1], [len(out), len(into)])
            cells.literal_rows("heading", rows, signs, low=0, high=0)
        seams = [k for k, way in enumerate(WAYS) if way[2]]
        cells.builder.exactly_one("seam", [literal[:, seams][literal[:, seams] >= 0]])
        return _Headings(self, n_cells)

    def _fits(self, cells: Cells, near: IntArray, cell: int, way: int) -> bool:
        """Whether a cell can have these headings."""
        into, out, seam = WAYS[way]
        start, end = (into + 2) % 4, out % 4
        if start == end or min(near[cell, start], near[cell, end]) < 0:
            return False
        if cells.of(_SHAPE_OF[way])[cell] == FALSE:
            return False
        if self.on is None:
            return not seam or (into % 4 == 3 and end == 0)
        return bool(seam) == (cell == self.on) and (not seam or (into < 4 and start < end))

    # --- cuts ------------------------------------------------------------------------------

    def _by_cuts(self, cells: Cells) -> Write:
        bits = connected_edges(cells, self.family)
        if self.on is None or cells.stated:
            cells.builder.at_least_one(self.family, [bits])
        return _Edges(self)

    # --- answers ---------------------------------------------------------------------------

    def paths(self, answer: IntArray) -> IntArray:
        """The answer without what is ``besides``."""
        return np.where(np.isin(answer, self.besides), 0, answer)

    def walk(self, answer: IntArray) -> list[int]:
        """The cells of the loop in order; InputError if it is none."""
        paths = self.paths(np.asarray(answer))
        self.require(answer)
        ((cells, _),) = components(paths)
        start = int(cells[0]) if self.on is None else self.on
        near, sides = neighbours(paths.shape), leaves(paths)
        walk = [start]
        while len(walk) < len(cells):
            before = walk[-2] if len(walk) > 1 else -1
            onward = [int(near[walk[-1], d]) for d in range(4) if sides[walk[-1], d]]
            walk.append(next(cell for cell in onward if cell != before))
        return walk

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Sides that do not agree, and other than one loop."""
        paths = self.paths(np.asarray(answer))
        columns = paths.shape[1]
        if self.on is not None and not paths.flat[self.on]:
            cell = divmod(self.on, columns)
            yield Violation(self.family, f"the loop does not pass {cell}", (cell,))
        yield from torn(self.family, paths)
        loops = components(paths)
        if not loops:
            yield Violation(self.family, "there is no loop")
        for cells, _ in sorted(loops, key=lambda part: -len(part[0]))[1:]:
            where = cells_of(cells, columns)
            yield Violation(
                self.family, f"{len(where)} cells from {where[0]} are a loop apart", where
            )


@dataclass(frozen=True, slots=True, eq=False)
class _Headings:
    """The headings of each cell for an answer."""

    rule: Loop
    n_cells: int

    def __call__(self, answer: IntArray) -> list[Hashable]:
        walk, columns = self.rule.walk(answer), answer.shape[1]
        if self.rule.on is None:  # begin at a corner that is entered upwards and left to the right
            walk = _from_corner(walk, columns)
        elif _side(walk[0], walk[-1], columns) > _side(walk[0], walk[1], columns):
            walk = [walk[0], *walk[:0:-1]]
        written: list[Hashable] = [OFF] * self.n_cells
        enters, *out = turned(
            directions(np.array([walk[-1], *walk, walk[0]]), answer.shape)
        ).tolist()
        if (out[-1] + 4) % 8 != enters:
            raise InputError("the answer's loop crosses itself")
        headings = [enters, *((heading + 4) % 8 for heading in out)]
        for i, cell in enumerate(walk):
            written[cell] = (headings[i], headings[i + 1], int(i == 0))
        return written


def _from_corner(walk: list[int], columns: int) -> list[int]:
    """The loop from a corner that it enters upwards and leaves to the right, clockwise."""
    for way in (walk, walk[::-1]):
        for i, cell in enumerate(way):
            before, after = way[i - 1], way[(i + 1) % len(way)]
            if _side(before, cell, columns) == 3 and _side(cell, after, columns) == 0:
                return way[i:] + way[:i]
    raise InputError("the answer's loop has no corner")


def _side(one: int, two: int, columns: int) -> int:
    """By which side a cell is left for the other."""
    return {1: 0, columns: 1, -1: 2, -columns: 3}[two - one]


def edge_bits(builder: ModelBuilder, shape: tuple[int, int]) -> IntArray:
    """The literal of a bit for each edge of ``edges_of``, by whether it is taken."""
    names = [
        f"edge[{cell // shape[1]},{cell % shape[1]}] {SIDES[side]}"
        for cell, side in zip(*map(np.ndarray.tolist, edges_of(shape)), strict=True)
    ]
    return np.array([builder.bit(name, "edge").literals[1] for name in names], dtype=np.int64)


def tie_edges(cells: Cells, bits: IntArray) -> None:
    """Each edge is taken where the value of its cell says so; values from 16 on take none."""
    cell, side = edges_of(cells.shape)
    values = np.array(cells.values)
    taken = (leaves(values) & (values < 16)[:, None])[:, side].T
    rows = np.column_stack([bits, np.where(taken, cells.literals[cell], FALSE)])
    cells.literal_rows("edge", rows, [-1, *[1] * len(values)], low=0, high=0)


def connected_edges(cells: Cells, family: str) -> IntArray:
    """Such bits, and those that are taken are connected: where they share a cell.

    So cells with at most two sides each are one path or one loop.
    """
    bits, near = edge_bits(cells.builder, cells.shape), neighbours(cells.shape)
    with cells.always():
        tie_edges(cells, bits)
    cell, side = edges_of(cells.shape)
    number = np.full(near.shape, -1)
    number[cell, side] = number[near[cell, side], side + 2] = np.arange(len(bits))
    meet = np.concatenate([number[:, pair] for pair in combinations(range(4), 2)])
    cells.builder.connected(family, bits, meet[(meet >= 0).all(axis=1)])
    return bits


@dataclass(frozen=True, slots=True, eq=False)
class _Edges:
    """Whether each edge is on the loop, in the order of the bits."""

    rule: Loop

    def __call__(self, answer: IntArray) -> list[Hashable]:
        self.rule.require(answer)
        taken: list[Hashable] = edges_taken(self.rule.paths(np.asarray(answer))).tolist()
        return taken


# --- loops that are drawn --------------------------------------------------------------------


def drawn_loop(shape: tuple[int, int], rng: Rng) -> IntArray:
    """A random loop through cells: around a piece of the squares between them that has grown."""
    return loop_around(grown_piece((shape[0] - 1, shape[1] - 1), rng, 0.5))


def loop_around(piece: IntArray) -> IntArray:
    """The loop through cells around a piece, 0 or 1, of the squares between four cells each."""
    inside = np.pad(piece, 1)
    right = inside[1:, 1:-1] != inside[:-1, 1:-1]
    down = inside[1:-1, 1:] != inside[1:-1, :-1]
    return join(right.astype(np.int64), down.astype(np.int64))


def changed_loop(loop: IntArray, where: BoolArray, rng: Rng) -> IntArray | None:
    """The loop with another way around a square at one of these cells, or None."""
    piece = np.cumsum(loop[:-1, :-1] & 1, axis=0) % 2
    near = where[1:, 1:] | where[:-1, 1:] | where[1:, :-1] | where[:-1, :-1]
    changed = changed_piece(piece, np.flatnonzero(near), rng)
    return None if changed is None else loop_around(changed)
