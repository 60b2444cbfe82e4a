"""Sets of cells that hang together."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy

from qubopuzzle.base.places import cell_names, listed
from qubopuzzle.errors import InputError, TooLarge
from qubopuzzle.model import FALSE, TRUE, UNBOUNDED, IntArray
from qubopuzzle.puzzles.base import Violation
from qubopuzzle.puzzles.vocabulary.cells import At, Cells, Ways, Write
from qubopuzzle.puzzles.vocabulary.grids import (
    BoolArray,
    Cell,
    cells_of,
    groups,
    side_by_side,
)
from qubopuzzle.puzzles.vocabulary.paths import CORNERS, neighbours
from qubopuzzle.puzzles.vocabulary.rules import Rule, cell_of
from qubopuzzle.puzzles.vocabulary.words import counted

Rng = np.random.Generator
_NAMED = 6
OFF, ROOT = "off", "root"
_AT = ("up-left", "up-right", "down-right", "down-left")
WAYS = ("white", ROOT, *_AT, *(f"{name}'" for name in _AT))
"""Of a cell in ``Uncut``; the last eight are headings 0 to 7."""
REACH_LIMIT = 4_000_000
"""Most cells times numbers of islands, of which a model has eight values each: about 500 MB."""


@dataclass(frozen=True, eq=False)
class Connected(Rule):
    """The cells with one value are connected by their sides; there may be none.

    ``outside``: with what is beyond the grid, so that each piece must reach the border.

    With cuts, this is the model's connectivity. Without, each cell has a choice more: off, a root,
    or the heading to its parent, 0 to 7, whose value mod 4 is the direction: 0 right, 1 down, 2
    left, 3 up. A parent has the value, too, and is a root, or its own heading differs by at most a
    quarter turn, mod 8. There is one root at most; with ``outside`` any cell of the border may be
    one, and no other. The parents of any tree have such headings. A cycle of parents has none: it
    turns by 4 or -4 quarters (H. Hopf, Compositio Mathematica 2, 1935, 50-62), its headings by 0
    mod 8. Any spanning tree serves, so that an answer is written in many ways. Ten values a cell.
    """

    family: str
    value: int
    named: str = "cells"
    outside: bool = False
    says: str = ""

    def __post_init__(self) -> None:
        reach = f"all {self.named} reach the border of the grid along others"
        says = reach if self.outside else f"the {self.named} are connected"
        object.__setattr__(self, "says", self.says or says)

    def why(self, at: At, grid: IntArray, known: BoolArray, cell: int | None) -> str:  # noqa: ARG002
        """What is cut off, or would be if the cell had another value."""
        is_it = grid == self.value
        held, may = known & is_it, ~known | is_it
        if cell is not None and is_it.flat[cell]:
            may.flat[cell] = False
        elif cell is not None:
            held.flat[cell] = True
        pieces = [p for p in groups(scipy.ndimage.label(may)[0])[1:] if held.flat[p].any()]
        pieces.sort(key=len)
        border = _border(grid.shape)
        cut_off = [p for p in pieces if not (self.outside and border[p].any())]
        cut_off = cut_off if self.outside else cut_off[:-1]
        if not cut_off:
            return ""
        first = next((piece for piece in cut_off if cell in piece), cut_off[0])
        rest = None if self.outside else pieces[-1]
        one, other = (
            "the border" if p is None else _nearest(cell or 0, held, p) for p in (first, rest)
        )
        if cell is None:
            return f"{one} is cut off from {other}"
        return f"otherwise {one} would be cut off from {other}"

    def constrain(self, cells: Cells) -> Write:
        """The model's connectivity, or headings."""
        held = cells.of(self.value)
        if cells.by_cuts:
            return self._by_cuts(cells, held)
        roots = _border(cells.shape) if self.outside else np.ones(len(held), dtype=bool)
        literal = trees(cells, self.family, held, neighbours(cells.shape), roots)
        if not self.outside:
            cells.builder.at_most_one(self.family, [literal[literal[:, 8] >= 0, 8]])
        return _Headings(self, np.any(literal >= 0, axis=1))

    def _by_cuts(self, cells: Cells, held: IntArray) -> Write:
        pairs = side_by_side(cells.shape)
        if self.outside:
            (border,) = np.nonzero(_border(cells.shape))
            beyond = np.column_stack([border, np.full(len(border), len(held))])
            held, pairs = np.append(held, TRUE), np.concatenate([pairs, beyond])
        before = cells.builder.n_choices
        cells.builder.connected(self.family, held, pairs)
        return Known(cells.builder.n_choices - before)

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Pieces that are cut off from the largest, or from the border."""
        held = np.asarray(answer) == self.value
        pieces = groups(scipy.ndimage.label(held)[0])[1:]
        border = _border(answer.shape)
        if self.outside:
            cut_off = [piece for piece in pieces if not border[piece].any()]
        else:
            cut_off = sorted(pieces, key=len, reverse=True)[1:]
        for piece in cut_off:
            cells = cells_of(piece, answer.shape[1])
            message = f"{len(cells)} {self.named} from {cells[0]} are cut off"
            yield Violation(self.family, message, cells)


def _nearest(cell: int, held: BoolArray, piece: IntArray) -> Cell:
    """Of the cells of a piece that are held that nearest to a cell."""
    places = np.column_stack(np.divmod(piece[held.flat[piece]], held.shape[1]))
    r, c = places[np.abs(places - divmod(cell, held.shape[1])).sum(axis=1).argmin()].tolist()
    return r, c


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """The choices of one value that a builder has for what is true."""

    count: int

    def __call__(self, _: IntArray) -> list[Hashable]:
        """The same of any answer."""
        return [True] * self.count


@dataclass(frozen=True, slots=True, eq=False)
class _Headings:
    """The heading of each cell that has a choice."""

    rule: Connected
    chosen: BoolArray

    def __call__(self, answer: IntArray) -> list[Hashable]:
        held = np.asarray(answer).ravel() == self.rule.value
        if self.rule.outside:
            roots = np.flatnonzero(held & _border(answer.shape))
        else:
            roots = np.flatnonzero(held)[:1]
        heading = headings_of(held, roots.tolist(), neighbours(answer.shape))
        if len(heading) < np.count_nonzero(held):
            raise InputError(f"the answer's {self.rule.named} are not connected")
        return [heading.get(cell, OFF) for cell in np.flatnonzero(self.chosen).tolist()]


def trees(cells: Cells, family: str, held: IntArray, near: IntArray, roots: BoolArray) -> IntArray:
    """A choice more of each cell of a set, as in ``Connected``: off, a root, or a heading.

    Args:
        held: the literals by which cells are in the set, (cells,).
        near: the cell that may be the parent in each direction, -1 for none, (cells, 4).
        roots: which may be a root, (cells,).

    Returns:
        The literals of the eight headings, of a root and of off, (cells, 10).
    """
    literal = np.full((len(held), 10), FALSE)
    may = np.tile((near >= 0) & (held[near] != FALSE), 2)
    if roots.sum() == 1:  # what hangs on it may be turned around by 4
        may[:, 4:] &= ~roots[near]
    for cell in np.flatnonzero(held != FALSE).tolist():
        has = np.flatnonzero([*may[cell], roots[cell], held[cell] != TRUE]).tolist()
        if has:
            values = [(*range(8), ROOT, OFF)[place] for place in has]
            literal[cell, has] = cells.choice(cell, family, values)
        else:
            cells.builder.at_least_one(family, [[]])
    free = held >= 0
    cells.literal_rows(family, np.stack([held[free], literal[free, 9]], axis=1), low=1, high=1)
    for h in range(8):
        (child,) = np.nonzero(literal[:, h] >= 0)
        parent = near[child, h % 4]
        turned = [8, *((h + turn) % 8 for turn in (-1, 0, 1))]
        rows = np.column_stack([literal[child, h], literal[parent][:, turned]])
        cells.literal_rows(family, rows, [-1, 1, 1, 1, 1], low=0)
    return literal


def headings_of(held: BoolArray, roots: Sequence[int], near: IntArray) -> dict[int, Hashable]:
    """The heading of each cell that is connected with a root along cells that are held.

    Args:
        held: (cells,).
        roots: cells, which have ``ROOT``.
        near: see ``neighbours``.
    """
    heading: dict[int, Any] = dict.fromkeys(roots, ROOT)
    queue = [*roots]
    for cell in queue:  # grows on the way
        for d, child in enumerate(near[cell].tolist()):
            if child >= 0 and held[child] and child not in heading:
                back, above = (d + 2) % 4, heading[cell]
                within = above == ROOT or (above - back) % 8 in (0, 1, 7)
                heading[child] = back if within else back + 4
                queue.append(child)
    return heading


@dataclass(frozen=True, eq=False)
class Uncut(Rule):
    """No two black cells, of the value 1, touch by a side, and the white ones are connected.

    [adjacent] ``white_u + white_v >= 1`` for cells that share a side. With cuts, [connected] is the
    model's connectivity. Without, the black cells are a forest: with two rows and columns at least,
    the white cells are connected exactly if the black ones, joined where they touch by a corner,
    and all border cells to one vertex "outside", make no cycle. (In one row or column, a black cell
    between two others cuts them apart.) A black cell is a root, or has a heading 0 to 7 to its
    parent, the black cell at the corner ``heading mod 4``: 0 up left, 1 up right, 2 down right, 3
    down left. These are its ``ways``. A black cell on the border is a root.

    - [pair] black cells that touch by a corner are parent and child:
      ``white_u + [u -> v] + white_v + [v -> u] >= 1``;
    - [parent] a parent is a root, or its own heading differs by at most a quarter turn, mod 8.

    As in ``Connected``, any forest has such headings, and a cycle none; chapter 4 of the book has
    the proof. Counting depths up to K takes 2 + 4 K values, not ten, and loses deeper trees.
    """

    family: str = "connected"
    says = "the white cells are connected"

    def asks(self, at: At, grid: IntArray, known: BoolArray) -> str:  # noqa: ARG002
        """Either of the two."""
        return self.name_at(at)

    def why(self, at: At, grid: IntArray, known: BoolArray, cell: int | None) -> str:
        """Of the white cells, what would be cut off; or which black ones touch."""
        if at is None:
            return Connected(self.family, 0).why(at, grid, known, cell)
        sides, black = side_by_side(grid.shape), (known & (grid == 1)).ravel()
        touching = sides[black[sides].all(axis=1) & (cell is None)]
        return f"{listed(cells_of(touching[0], grid.shape[1]))} do" if len(touching) else ""

    def ways(self, allowed: BoolArray) -> Ways:
        """Root, or a heading to a cell at a corner that can be black; in one line only the ends."""
        near, border = neighbours(allowed.shape[:2], CORNERS), _border(allowed.shape[:2])
        may, has = allowed.reshape(-1, 2)[:, 1], np.ones((len(near), 10), dtype=bool)
        parent = near.T
        has[:, 2:6] = (~border & (parent >= 0) & may[parent]).T
        has[:, 6:] = has[:, 2:6] & ~border[near]  # to a root one heading will do
        if 1 in allowed.shape[:2]:
            has[1:-1] = False
        return Ways(WAYS, has, partial(_forest, near))

    def constrain(self, cells: Cells) -> Write | None:
        """Cells side by side, and the forest or the model's connectivity."""
        white, way = cells.of(0), cells.ways
        sides, free = side_by_side(cells.shape), white != TRUE
        with cells.stating("no two black cells touch by a side"):
            cells.literal_rows("adjacent", white[sides[free[sides].all(axis=1)]], low=1)
        if cells.by_cuts:
            return Connected(self.family, 0).constrain(cells)
        near = neighbours(cells.shape, CORNERS)
        for k, back in ((1, 3), (2, 0)):  # up right and down right: every pair once
            (u,) = np.nonzero((near[:, k] >= 0) & free & free[near[:, k]])
            v = near[u, k]
            both = np.hstack([way[u][:, [0, 2 + k, 6 + k]], way[v][:, [0, 2 + back, 6 + back]]])
            cells.literal_rows("pair", both, low=1)
        for h in range(8):
            (child,) = np.nonzero(way[:, 2 + h] != FALSE)
            turned = [1, *(2 + (h + turn) % 8 for turn in (-1, 0, 1))]
            rows = np.column_stack([way[child, 2 + h], way[near[child, h % 4]][:, turned]])
            cells.literal_rows("parent", rows, [-1, 1, 1, 1, 1], low=0)
        return None

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Groups of black cells that touch, and white cells cut off from most."""
        pieces = [groups(scipy.ndimage.label(np.asarray(answer) == v)[0])[1:] for v in (1, 0)]
        largest = max(pieces[1], key=len, default=None)
        cut_off = [piece for piece in pieces[1] if piece is not largest]
        for family, what, several in (
            ("adjacent", "black cells touch", [piece for piece in pieces[0] if len(piece) > 1]),
            (self.family, "white cells are cut off", cut_off),
        ):
            for cells in (cells_of(piece, answer.shape[1]) for piece in several):
                more = f" ... ({len(cells)} cells)" * (len(cells) > _NAMED)
                named = " ".join(f"({r},{c})" for r, c in cells[:_NAMED])
                yield Violation(family, f"{what}: {named}{more}", cells)


def _forest(near: IntArray, answer: IntArray) -> list[Hashable]:
    """The way of each cell: trees from all of the border, the others from their first cells."""
    held = np.asarray(answer).ravel() == 1
    heading = headings_of(held, np.flatnonzero(held & _border(answer.shape)).tolist(), near)
    for cell in np.flatnonzero(held).tolist():
        if cell not in heading:
            heading |= headings_of(held, [cell], near)
    joints = np.count_nonzero(held[near[held]] & (near[held] >= 0)) // 2
    if joints > sum(way != ROOT for way in heading.values()):
        raise InputError("the answer's black cells cut off white ones")
    name: dict[Hashable, str] = {ROOT: ROOT, **dict(enumerate(WAYS[2:]))}
    return [name[heading[cell]] if cell in heading else WAYS[0] for cell in range(len(near))]


def _border(shape: tuple[int, int]) -> BoolArray:
    """Whether each cell is at the edge of the grid, (cells,)."""
    return np.asarray((neighbours(shape) < 0).any(axis=1))


def _within(near: IntArray, start: Iterable[int], free: BoolArray, steps: int) -> Iterator[int]:
    """Some cells, and those within so many steps along others that are free, the nearest first."""
    front = sorted(start)
    seen = {*front}
    yield from front
    while front and steps > 0:
        beyond = {c for one in front for c in near[one].tolist() if c >= 0} - seen
        front = sorted(c for c in beyond if free[c])
        seen |= {*front}
        yield from front
        steps -= 1


@dataclass(frozen=True, eq=False)
class Islands(Rule):
    """Each piece of cells with one value has one number in it, which is how many cells it has.

    ``grid`` has the numbers, (rows, columns), 0 for none and -1 for one that is not known; a cell
    with a number has the value. In the model each other cell that a number can reach has a choice
    more: off, or a number and the heading to its parent, as in ``Connected``: pieces are trees that
    grow from their numbers. By cuts the heading is always 0, and the cells of a number are
    connected with it. Cells of two numbers are not side by side. A statement is what a number says;
    that each is on an island of its own is the rule. ``field``: that of the numbers.
    """

    family: str
    value: int
    grid: IntArray
    field: str = "grid"
    says = "each island has one number, and islands do not touch by a side"

    def about(self, at: At) -> IntArray:
        """The cell of a number."""
        return cell_of(at)

    def asks(self, at: At, grid: IntArray, known: BoolArray) -> str:
        """How large the island of a number is, and how many of its cells are known."""
        if not isinstance(at, tuple):
            return self.says
        size, cell = int(self.grid.flat[at[1]]), divmod(at[1], grid.shape[1])
        land = known & (grid == self.value)
        land[cell] = True
        piece = scipy.ndimage.label(land)[0]
        has = int(np.count_nonzero(piece == piece[cell]))
        if size < 0:
            return "the island of {} has any number of cells"
        if has == size:
            return f"the island of {{}} has its {counted(size, 'cells')} already"
        return f"the island of {{}} needs {counted(size, 'cells')}, and has {has}"

    def why(self, at: At, grid: IntArray, known: BoolArray, cell: int | None) -> str:
        """Of the rule, which islands would be one, too large or without a number."""
        if at is not None:
            return ""
        land, columns = (known & (grid == self.value)) | (self.grid != 0), grid.shape[1]
        if cell is None:
            wrong = self._wrong(land)
            return wrong or self._stranded(land, known & ~land, "cannot")
        barred = known & ~land
        if grid.flat[cell] != self.value:
            land.flat[cell] = True
            wrong = self._wrong(land, would=True)
            if wrong or self._reaches(land, barred).flat[cell]:
                return f"otherwise {wrong}" if wrong else ""
            return f"no island can reach {divmod(cell, columns)}"
        if self.grid.flat[cell] != 0:
            return f"{divmod(cell, columns)} has a number, and such a cell is white"
        barred.flat[cell] = True
        stranded = self._stranded(land, barred, "could not")
        return f"otherwise {stranded}" if stranded else ""

    def _wrong(self, land: BoolArray, *, would: bool = False) -> str:
        """Which islands are one, or larger than their number says."""
        columns = land.shape[1]
        for piece in groups(scipy.ndimage.label(land)[0])[1:]:
            numbered = piece[self.grid.flat[piece] != 0]
            if len(numbered) > 1:
                what = "would be one" if would else "are one"
                return f"the islands of {listed(cells_of(numbered, columns))} {what}"
            if len(numbered) and 0 < (size := int(self.grid.flat[numbered[0]])) < len(piece):
                island = f"the island of the {size} in {divmod(int(numbered[0]), columns)}"
                return f"{island} {'would have' if would else 'has'} {len(piece)} cells"
        return ""

    def _stranded(self, land: BoolArray, barred: BoolArray, what: str) -> str:
        """A cell of an island that cannot be joined to a number."""
        reached = self._reaches(land, barred).ravel()
        for piece in groups(scipy.ndimage.label(land)[0])[1:]:
            if not reached[piece].any():
                place = divmod(int(piece[0]), land.shape[1])
                return f"{place} {what} be joined to a number{self._too_small(piece, land, barred)}"
        return ""

    def _too_small(self, piece: IntArray, land: BoolArray, barred: BoolArray) -> str:
        """The islands that a piece without a number could join, if too large for all of them.

        Each with the cells beside it, to which the piece would grow past barred ones.
        """
        near, columns = neighbours(land.shape), land.shape[1]
        beside = np.where(near >= 0, self._owners(land)[near], -1).max(axis=1)
        free, through = ~barred.ravel() & (beside < 0), dict[int, list[int]]()
        for cell in _within(near, piece.tolist(), free, land.size):
            ends = [c for c in near[cell].tolist() if c >= 0 and beside[c] >= 0]
            for end in ends:
                if not barred.flat[end]:
                    through.setdefault(int(beside[end]), []).append(end)
        whys = []
        for number, cells in through.items():
            if (size := int(self.grid.flat[number])) > 0:
                island = f"the island of the {size} in {divmod(number, columns)}"
                only = f"which may have {counted(size, 'cells')} only"
                there = listed(cells_of(np.unique(cells), columns))
                are = "is" if len({*cells}) == 1 else "are"
                whys.append(f"{there} {are} beside {island}, {only}")
        return f", as {'; '.join(whys)}" if 0 < len(whys) <= _NAMED else ""

    def _owners(self, land: BoolArray) -> IntArray:
        """The cell with the number of the island that each cell is of, -1 for none, (cells,)."""
        label = scipy.ndimage.label(land)[0].ravel()
        numbered = np.flatnonzero(self.grid)
        owner = np.full(label.max() + 1, -1)
        owner[label[numbered]] = numbered
        return np.where(land.ravel(), owner[label], -1)

    def _reaches(self, land: BoolArray, barred: BoolArray) -> BoolArray:
        """The cells that islands can reach past barred cells, each with what it has left.

        And not beside another island. More than it can take at once may be reached.
        """
        near, reached = neighbours(land.shape), self.grid.ravel() != 0
        owners = self._owners(land)
        beside = np.where(near >= 0, owners[near], -1)
        for number in np.flatnonzero(self.grid).tolist():
            front = np.flatnonzero(owners == number).tolist()
            free = ~barred.ravel() & np.isin(owners, (-1, number))
            free &= np.isin(beside, (-1, number)).all(axis=1)
            size = int(self.grid.flat[number])
            steps = size - len(front) if size > 0 else land.size
            reached[list(_within(near, front, free, steps))] = True
        return np.asarray(reached.reshape(land.shape))

    def _named(self, number: int) -> str:
        """What a note says of a cell on the island of the number in another one."""
        size, place = int(self.grid.flat[number]), cell_names([divmod(number, self.grid.shape[1])])
        return f"on the island of the {size if size > 0 else 'number'} in {place}"

    def narrow(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """Cells with a number, and those that none can reach."""
        allowed[self.grid != 0] &= np.asarray(values) == self.value
        reached = self._reached(neighbours(self.grid.shape)).any(axis=1).reshape(self.grid.shape)
        allowed[~reached] &= np.asarray(values) != self.value

    def fix(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """Nothing: its rows say the same."""

    def _reached(self, near: IntArray, *, any_size: bool = False) -> BoolArray:
        """Which cells each number can reach, (cells, numbers), past the cells beside others."""
        flat = self.grid.ravel()
        (numbered,) = np.nonzero(flat)
        if flat.size * len(numbered) > REACH_LIMIT:
            raise TooLarge(
                f"{flat.size:,} cells and {len(numbered):,} numbers: over {REACH_LIMIT:,} pairs"
            )
        reached = np.zeros((flat.size, len(numbered)), dtype=bool)
        beside = np.zeros_like(reached)
        for k, cell in enumerate(numbered.tolist()):
            beside[near[cell][near[cell] >= 0], k] = True
        for k, cell in enumerate(numbered.tolist()):
            free = (flat == 0) & (beside.sum(axis=1) == beside[:, k])
            is_sized = flat[cell] > 0 and not any_size
            steps = int(flat[cell]) - 1 if is_sized else flat.size
            reached[list(_within(near, [cell], free, steps)), k] = True
        return reached

    def constrain(self, cells: Cells) -> Write:
        """Pieces that grow from the numbers, and their sizes."""
        near, flat, held = neighbours(cells.shape), self.grid.ravel(), cells.of(self.value)
        (numbered,) = np.nonzero(flat)
        reached = self._reached(near, any_size=cells.stated)
        # Number k with heading h, (cells, numbers, 8), by cuts without; what is off, (cells,).
        parent = np.tile(near, 2)
        has_parent = (parent >= 0)[:, None] & reached[parent].transpose(0, 2, 1)
        may = reached[:, :, None] & (has_parent | cells.by_cuts)[:, :, : 1 if cells.by_cuts else 8]
        may[numbered] = False
        literal, off = np.full(may.shape, FALSE), np.full(len(flat), FALSE)
        chosen = (flat == 0) & reached.any(axis=1)
        for cell in np.flatnonzero(chosen).tolist():
            values: list[Hashable] = [*map(tuple, np.argwhere(may[cell]).tolist())]
            is_free = held[cell] != TRUE
            literals = cells.choice(cell, self.family, [OFF] * bool(is_free) + values)
            literal[cell][may[cell]] = literals[int(is_free) :]
            if cells.stated:
                number = numbered[np.argwhere(may[cell])[:, 0]].tolist()
                names = map(self._named, number)
                cells.notes |= dict(zip(literals[int(is_free) :], names, strict=True))
            off[cell] = literals[0] if is_free else FALSE
        free = off != FALSE
        cells.literal_rows(self.family, np.stack([held[free], off[free]], axis=1), low=1, high=1)
        if cells.stated:
            cells.literal_rows(self.family, held[numbered][:, None], low=1)
            cells.literal_rows(self.family, held[~reached.any(axis=1)][:, None], high=0)
            if self.grid.ravel()[side_by_side(cells.shape)].all(axis=1).any():
                cells.builder.at_least_one(self.family, [[]])
        before = cells.builder.n_choices
        if cells.by_cuts:
            self._connect(cells, literal[:, :, 0], numbered)
        else:
            self._grow(cells, literal, parent, numbered)
        place = np.nonzero(may & (flat[numbered] > 0)[:, None])
        size = np.where(flat[numbered] > 0, flat[numbered] - 1, 0)
        cells.builder.rows("size").add(
            literal[place],
            rows=place[1],
            count=len(numbered),
            lower=size,
            upper=np.where(flat[numbered] > 0, size, UNBOUNDED),
            labels=cells.places(
                [(self.field, k) if flat[k] > 0 else None for k in numbered.tolist()]
            ),
        )
        self._keep_apart(cells, near, literal)
        return _Trees(self, chosen, cells.by_cuts, cells.builder.n_choices - before)

    def _connect(self, cells: Cells, literal: IntArray, numbered: IntArray) -> None:
        """Cells of a number, (cells, numbers), are connected with it."""
        pairs = side_by_side(cells.shape)
        for node, cell in zip(literal.T.copy(), numbered.tolist(), strict=True):
            node[cell] = TRUE
            cells.builder.connected(self.family, node, pairs)

    def _grow(self, cells: Cells, literal: IntArray, parent: IntArray, numbered: IntArray) -> None:
        """A parent, (cells, 8), has the same number, and a heading that fits, or is the number."""
        for h in range(8):
            has = literal[:, :, h] != FALSE
            child, number = np.nonzero(has & (parent[:, h, None] != numbered))
            turned = literal[parent[child, h], number][:, [(h + turn) % 8 for turn in (-1, 0, 1)]]
            rows = np.column_stack([literal[child, number, h], turned])
            cells.literal_rows(self.family, rows, [1, -1, -1, -1], high=0)

    def _keep_apart(self, cells: Cells, near: IntArray, literal: IntArray) -> None:
        """Of a cell with one number and one beside it with another there is one at most."""
        rows: list[IntArray] = []
        terms: list[IntArray] = []
        has = (literal != FALSE).any(axis=2)
        for cell, k in np.argwhere(has).tolist():
            here = literal[cell, k][literal[cell, k] != FALSE]
            for beside in near[cell][near[cell] >= 0].tolist():
                others = np.delete(literal[beside], k, axis=0).ravel()
                if (others != FALSE).any():
                    both = np.concatenate([here, others[others != FALSE]])
                    rows.append(np.full(len(both), len(rows)))
                    terms.append(both)
        if rows:
            add = cells.builder.rows("apart").add
            add(np.concatenate(terms), rows=np.concatenate(rows), count=len(rows), upper=1)

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Pieces with no number, several, or another size."""
        for r, c in np.argwhere((self.grid != 0) & (answer != self.value)).tolist():
            yield Violation(self.family, f"the number on ({r},{c}) is covered", ((r, c),))
        for piece in groups(scipy.ndimage.label(np.asarray(answer) == self.value)[0])[1:]:
            held = self.grid.ravel()[piece]
            numbers, cells = held[held != 0], cells_of(piece, answer.shape[1])
            if len(numbers) != 1:
                message = f"the piece from {cells[0]} has {len(numbers)} numbers"
                yield Violation(self.family, message, cells)
            elif numbers[0] not in (-1, len(piece)):
                message = f"the piece from {cells[0]} has {len(piece)} cells, not {numbers[0]}"
                yield Violation("size", message, cells)


@dataclass(frozen=True, slots=True, eq=False)
class _Trees:
    """The number and heading of each cell that has a choice; then choices of one value."""

    rule: Islands
    chosen: BoolArray
    by_cuts: bool
    n_known: int

    def __call__(self, answer: IntArray) -> list[Hashable]:
        self.rule.require(answer)
        held, near = np.asarray(answer).ravel() == self.rule.value, neighbours(answer.shape)
        tree: dict[int, Hashable] = {}
        for k, cell in enumerate(np.flatnonzero(self.rule.grid).tolist()):
            headings = headings_of(held, [cell], near).items()
            tree |= {c: (k, 0 if self.by_cuts else h) for c, h in headings}
        chosen = [tree.get(cell, OFF) for cell in np.flatnonzero(self.chosen).tolist()]
        return [*chosen, *[True] * self.n_known]
