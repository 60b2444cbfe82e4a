"""Pieces of four cells, one a room, and rectangles, one a number."""

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import combinations, compress, product

import numpy as np

from qubopuzzle.base.places import listed
from qubopuzzle.errors import TooLarge
from qubopuzzle.model import FALSE, IntArray
from qubopuzzle.puzzles.base import Violation
from qubopuzzle.puzzles.vocabulary.cells import At, Cells, Write
from qubopuzzle.puzzles.vocabulary.grids import (
    BoolArray,
    CanArray,
    Cell,
    cells_of,
    groups,
    side_by_side,
)
from qubopuzzle.puzzles.vocabulary.paths import neighbours
from qubopuzzle.puzzles.vocabulary.rules import Placements, Total, cell_of, known_values
from qubopuzzle.puzzles.vocabulary.words import counted

CELL_LIMIT = 20_000
"""Most cells of rooms, of which all pieces are listed."""
UNKNOWN, TRIED_LIMIT = -1, 200_000
_NAMED = 3
"""Rectangles of a number that are named."""
_APART = "pieces of the same shape do not touch by a side"
AREA_LIMIT = 5_000_000
"""Most cells of all rectangles of a model together."""


def _letters() -> Iterator[tuple[frozenset[Cell], str]]:
    """Each tetromino in all its turns and mirrors, from its uppermost row and leftmost column."""
    drawn = {"L": "111/1..", "I": "1111", "T": "111/.1.", "S": "11./.11", "O": "11/11"}
    for letter, rows in drawn.items():
        cells = np.array([[sign == "1" for sign in row] for row in rows.split("/")])
        for mirrored, turns in product((cells, cells.T), range(4)):
            r, c = np.nonzero(np.rot90(mirrored, turns))
            yield frozenset(zip(r.tolist(), c.tolist(), strict=True)), letter


_LETTERS = dict(_letters())


def shape_of(cells: IntArray, columns: int) -> str:
    """The letter of four connected cells, however turned, O for a square; nothing for others.

    >>> [shape_of(np.array(cells), 5) for cells in ([0, 1, 2, 6], [0, 1, 5, 6], [4, 5, 9, 10])]
    ['T', 'O', '']
    """
    if len(cells) != 4:
        return ""
    places = [divmod(cell, columns) for cell in cells.tolist()]
    top, left = min(r for r, _ in places), min(c for _, c in places)
    return _LETTERS.get(frozenset((r - top, c - left) for r, c in places), "")


def tetrominoes(room: IntArray, near: IntArray) -> list[IntArray]:
    """All sets of four connected cells of a room."""
    inside = {*room.tolist()}
    pieces = {frozenset([cell]) for cell in inside}
    for _ in range(3):
        pieces = {
            piece | {beside}
            for piece in pieces
            for cell in piece
            for beside in near[cell].tolist()
            if beside in inside and beside not in piece
        }
    return [np.array(sorted(piece)) for piece in sorted(pieces, key=sorted)]


@dataclass(frozen=True, eq=False)
class Tetrominoes(Placements):
    """A tetromino in each room; two side by side in different rooms have other shapes.

    ``rooms``: a number a cell, (rows, columns), from 0 on. Cells of pieces have the value 1.
    """

    rooms: IntArray = field(kw_only=True)

    @cached_property
    def covers(self) -> list[list[IntArray]]:
        """All sets of four connected cells of a room but squares."""
        if self.rooms.size > CELL_LIMIT:
            raise TooLarge(f"pieces in {self.rooms.size:,} cells; at most {CELL_LIMIT:,} fit")
        near, columns = neighbours(self.rooms.shape), self.rooms.shape[1]
        every = [tetrominoes(room, near) for room in self._rooms]
        return [[p for p in pieces if shape_of(p, columns) != "O"] for pieces in every]

    @cached_property
    def _borders(self) -> IntArray:
        """Pairs of cells side by side in different rooms, (pairs, 2)."""
        pairs = side_by_side(self.rooms.shape)
        return pairs[np.not_equal(*self.rooms.ravel()[pairs.T])]

    def fix(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """Nothing: its rows say the same."""

    @cached_property
    def _four(self) -> Total:
        """The count of cells, which pieces imply."""
        return Total("room", self._rooms, 4, 4)

    def constrain(self, cells: Cells) -> Write:
        """A piece a room; with statements, or none."""
        if cells.stated:
            self._keep_apart(cells, self._by_rooms(cells))
            return self._written_rooms
        self._four.constrain(cells)
        write = super().constrain(cells)
        self._keep_apart(cells, self.placed(cells))
        return write

    def _keep_apart(self, cells: Cells, placed: list[tuple[int, IntArray]]) -> None:
        """At most one of two like shapes that touch."""
        at: dict[tuple[int, str], list[int]] = {}
        for literal, cover in placed:
            shape = shape_of(cover, cells.shape[1])
            for cell in cover.tolist():
                at.setdefault((cell, shape), []).append(literal)
        rows = [
            [*at[u, shape], *at[v, shape]]
            for u, v in self._borders.tolist()
            for shape in "LITS"
            if (u, shape) in at and (v, shape) in at
        ]
        alike = np.full((len(rows), max(map(len, rows), default=0)), FALSE)
        for row, literals in zip(alike, rows, strict=True):
            row[: len(literals)] = literals
        with cells.stating(_APART):
            cells.literal_rows("alike", alike, high=1)

    # --- statements ------------------------------------------------------------------------

    @cached_property
    def _rooms(self) -> list[IntArray]:
        """The cells of each room."""
        return groups(self.rooms)

    def about(self, at: At) -> IntArray:
        """The cells of a room, which its first cell names."""
        if not isinstance(at, tuple):
            return super().about(at)
        return self._rooms[self.rooms.flat[at[1]]]

    def name_at(self, at: At) -> str:
        """A room."""
        return f"room {self.rooms.flat[at[1]]}" if isinstance(at, tuple) else super().name_at(at)

    def asks(self, at: At, grid: IntArray, known: BoolArray) -> str:
        """How many more cells the piece of a room needs."""
        if not isinstance(at, tuple):
            return self.name_at(at)
        values, _ = known_values(grid, known, self.about(at))
        has = values.count(1)
        if not has:
            return "{} needs 4 black cells, connected and not in a square"
        if has >= 4:
            return f"{{}} has {has} black cells already"
        return f"{{}} needs {counted(4 - has, 'more black cells')}, connected and not in a square"

    def why(self, at: At, grid: IntArray, known: BoolArray, cell: int | None) -> str:
        """Whether all or none of the pieces that fit cover the cell, or which two touch."""
        if not isinstance(at, tuple) and cell is None:
            return self._touching(known.ravel() & (grid.ravel() == 1))
        if not isinstance(at, tuple) or cell not in {None, *self.about(at).tolist()}:
            return ""
        held = known.ravel() & (grid.ravel() == 1)
        number = int(self.rooms.flat[at[1]])
        left = self._pieces[number][self._left(number, ~known.ravel() | held, held)]
        if cell is None:
            return "" if len(left) else "no such piece is left"
        covers = (left == cell).any(axis=1)
        return _covered(covers, divmod(cell, grid.shape[1]), "piece")

    def fits(self, at: At, can: CanArray, cell: int, left: Collection[int]) -> str:
        """Which pieces are left in a room, and whether all or none of them cover the cell.

        Of the rule, which of them would touch others of the same shape.
        """
        columns = can.shape[1]
        if not isinstance(at, tuple):
            alike = self._alike(can, cell) if cell >= 0 else ""
            return f"{self.name_at(at)}: there it would be {alike}" if alike else ""
        pieces, shapes = self._still(int(self.rooms.flat[at[1]]), can)
        if not len(pieces):
            return "{}: no piece of four cells is left"
        covers = (pieces == cell).any(axis=1)
        is_here = cell in self.about(at)
        if where := _covered(covers, divmod(cell, columns), "piece") if is_here else "":
            return f"{{}}: with what is left {where}"
        if is_here and len(left) == 1 and (alike := self._if_otherwise(pieces, covers, can, left)):
            return f"{{}}: otherwise the piece there would be {alike}, but {_APART}"
        return f"with what is left only {listed(shapes, 'or')} fits in {{}}"

    @cached_property
    def _pieces(self) -> list[IntArray]:
        """The same as ``covers``, (pieces, 4) a room."""
        return [np.array(pieces, dtype=np.int64).reshape(-1, 4) for pieces in self.covers]

    @cached_property
    def _shapes_of(self) -> list[list[str]]:
        """The shape of each piece of each room."""
        columns = self.rooms.shape[1]
        return [[shape_of(piece, columns) for piece in pieces] for pieces in self.covers]

    def _still(self, room: int, can: CanArray) -> tuple[IntArray, list[str]]:
        """The pieces of a room that cells can have together, (pieces, 4), and all their shapes."""
        may, must = np.zeros((2, can.size), dtype=bool)
        for cell in self._rooms[room].tolist():
            may[cell], must[cell] = 1 in can.flat[cell], {*can.flat[cell]} == {1}
        left = self._left(room, may, must)
        shapes = compress(self._shapes_of[room], left.tolist())
        return self._pieces[room][left], sorted({*shapes})

    def _left(self, room: int, may: BoolArray, must: BoolArray) -> BoolArray:
        """Whether a piece of a room covers cells that it may, and all that it must, (pieces,)."""
        pieces = self._pieces[room]
        every = must[pieces].sum(axis=1) == must[self._rooms[room]].sum()
        return np.asarray(every & may[pieces].all(axis=1))

    def _if_otherwise(
        self, pieces: IntArray, covers: BoolArray, can: CanArray, left: Collection[int]
    ) -> str:
        """The shape of all pieces that leave a cell other values, and what they would touch."""
        shapes = self._shapes(can)
        others = [p for p, is_on in zip(pieces, covers, strict=True) if int(is_on) not in left]
        touched = {self._touched(piece, shapes): None for piece in others}
        return " or ".join(touched) if all(touched) else ""

    def _alike(self, can: CanArray, cell: int) -> str:
        """Which pieces of the room of a cell would touch one of the same shape."""
        shapes, (pieces, _) = self._shapes(can), self._still(int(self.rooms.flat[cell]), can)
        return next(filter(None, (self._touched(piece, shapes) for piece in pieces)), "")

    def _shapes(self, can: CanArray) -> dict[int, str]:
        """The shape of the piece that a black cell is of, where one is left."""
        shape_at = dict[int, str]()
        for room in range(len(self._rooms)):
            pieces, shapes = self._still(room, can)
            if len(shapes) == 1:
                shape_at |= dict.fromkeys(reduce(np.intersect1d, pieces).tolist(), *shapes)
        return shape_at

    def _touched(self, piece: IntArray, shapes: Mapping[int, str]) -> str:
        """That a piece would touch one of its shape in another room."""
        columns = self.rooms.shape[1]
        shape = shape_of(piece, columns)
        for one, other in (pair for two in self._borders.tolist() for pair in (two, two[::-1])):
            if one in piece and shapes.get(other) == shape:
                article, where = "a" if shape == "T" else "an", divmod(other, columns)
                return f"{article} {shape} and touch the {shape} in {where}"
        return ""

    def _touching(self, black: BoolArray) -> str:
        """Two pieces of one shape that touch, of these cells."""
        columns, pieces = self.rooms.shape[1], [room[black[room]] for room in self._rooms]
        for u, v in self._borders.tolist():
            if black[u] and black[v]:
                one, two = (pieces[self.rooms.flat[cell]] for cell in (u, v))
                shape = shape_of(one, columns)
                if shape and shape == shape_of(two, columns):
                    where = listed(cells_of(np.array([u, v]), columns))
                    return f"two {shape} would touch in {where}"
        return ""

    def _by_rooms(self, cells: Cells) -> list[tuple[int, IntArray]]:
        """A choice a room over its pieces and none; returns the literal of each piece."""
        placed: list[tuple[int, IntArray]] = []
        for k, room in enumerate(self._rooms):
            covers = self.covers[k]
            values = [(), *(tuple(cover.tolist()) for cover in covers)]
            chosen = cells.builder.choice(f"{self.family}[{k}]", values)
            literals = np.array(chosen.literals)[1:]
            placed += zip(literals.tolist(), covers, strict=True)
            held = np.array([np.isin(room, cover) for cover in covers]).reshape(-1, len(room))
            rows = np.column_stack([cells.of(1)[room], np.where(held.T, literals, FALSE)])
            with cells.stating(("rooms", int(room[0]))):
                cells.literal_rows(self.family, literals[None], low=1)
                signs = np.repeat([-1, 1], [1, len(covers)])
                cells.literal_rows(self.family, rows, signs, low=0, high=0)
        return placed

    def _written_rooms(self, answer: IntArray) -> Sequence[Hashable]:
        self.require(answer)
        return [tuple(self.piece(answer, k).tolist()) for k in range(len(self.values))]

    # --- answers ---------------------------------------------------------------------------

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Rooms without a tetromino, and like ones that touch."""
        yield from self._four.broken(answer)
        columns, rooms = answer.shape[1], self.rooms.ravel()
        black = np.asarray(answer).ravel() == 1
        pieces = [room[black[room]] for room in self._rooms]
        shapes = [shape_of(piece, columns) for piece in pieces]
        for k, (piece, shape) in enumerate(zip(pieces, shapes, strict=True)):
            if shape in ("", "O"):
                where = cells_of(piece, columns)
                yield Violation(self.family, f"the piece of room {k} is no L, I, T or S", where)
        touching = rooms[self._borders[black[self._borders].all(axis=1)]]
        for one, two in dict.fromkeys(map(tuple, np.sort(touching, axis=1).tolist())):
            if shapes[one] == shapes[two] != "":
                where = cells_of(np.concatenate([pieces[one], pieces[two]]), columns)
                yield Violation("alike", f"two {shapes[one]} touch at {where[0]}", where)


def _covered(covers: BoolArray, place: Cell, what: str) -> str:
    """That all of some pieces cover a cell, or none does, (pieces,); nothing where they differ."""
    if not len(covers) or covers.any() != covers.all():
        return ""
    return f"{'each' if covers[0] else 'no'} {what} that fits there covers {place}"


def _inside(ends: IntArray, place: Cell) -> BoolArray:
    """Which rectangles, top, left, down and right, (n, 4), have a cell in them, (n,)."""
    top, left, down, right = ends.T
    r, c = place
    return np.asarray((top <= r) & (r < down) & (left <= c) & (c < right))


def _reached(ends: IntArray) -> str:
    """Where rectangles are, as in ``_inside``."""
    return listed([f"from {(a, b)} to {(c - 1, d - 1)}" for a, b, c, d in ends.tolist()], "or")


@dataclass(frozen=True, eq=False)
class Rectangles(Placements):
    """The cells of each value are a rectangle of as many cells as its number says.

    ``grid`` has the numbers, (rows, columns), 0 for none and -1 for one that is not known; their
    values are 0, 1, ... in reading order.
    """

    grid: IntArray = field(kw_only=True)
    says = "the grid is divided into rectangles with one number each"

    @cached_property
    def covers(self) -> list[list[IntArray]]:
        """Of each number the rectangles around it without another."""
        (rows, columns), cell = self.grid.shape, np.arange(self.grid.size).reshape(self.grid.shape)
        count = np.pad(np.cumsum(np.cumsum(self.grid != 0, axis=0), axis=1), ((1, 0), (1, 0)))
        every: list[list[IntArray]] = []
        for r, c in np.argwhere(self.grid).tolist():
            number, tried = int(self.grid[r, c]), 0
            every.append([])
            for high, wide in product(range(1, rows + 1), range(1, columns + 1)):
                for top in range(max(0, r - high + 1), min(r, rows - high) + 1):
                    if number not in (UNKNOWN, high * wide):
                        break
                    for left in range(max(0, c - wide + 1), min(c, columns - wide) + 1):
                        tried += 1
                        down, right = top + high, left + wide
                        inside = count[down, right] - count[top, right]
                        if inside - count[down, left] + count[top, left] == 1:
                            every[-1].append(cell[top:down, left:right].ravel())
                if tried > TRIED_LIMIT:
                    raise TooLarge(f"({r},{c}) has over {TRIED_LIMIT:,} rectangles around it")
        return every

    # --- statements ------------------------------------------------------------------------

    def about(self, at: At) -> IntArray:
        """The cell of a number."""
        return cell_of(at)

    def asks(self, at: At, grid: IntArray, known: BoolArray) -> str:
        """How large the rectangle of a number is, how much of it is known, and where it can be."""
        if not isinstance(at, tuple):
            return self.says
        number, value = int(self.grid.flat[at[1]]), np.count_nonzero(self.grid.flat[: at[1]])
        what = f"{{}} needs a rectangle of {counted(number, 'cells')}"
        cells = np.flatnonzero(known & (grid == value))
        has, where = len(cells), listed(cells_of(cells, grid.shape[1]))
        if 1 < has < number:
            what += f", with {where}" if has <= _NAMED else f", of which {has} are known"
        left = self._left(at[1], grid, known)
        is_short = 0 < len(left) <= _NAMED and has < number
        return f"{what}: it can only reach {_reached(left)}" if is_short else what

    def why(self, at: At, grid: IntArray, known: BoolArray, cell: int | None) -> str:
        """That all rectangles that fit have the cell, or that no other number has one there."""
        if cell is None:
            return ""
        value, place, columns = int(grid.flat[cell]), divmod(cell, grid.shape[1]), grid.shape[1]
        if isinstance(at, tuple):
            left = self._left(at[1], grid, known)
            return _covered(_inside(left, place), place, "rectangle") if len(left) > _NAMED else ""
        numbers = np.flatnonzero(self.grid).tolist()
        held = np.append(np.flatnonzero(known & (grid == value)), numbers[value])
        if cell == numbers[value]:
            return f"{place} has the number"
        for two in combinations(np.unique(held).tolist(), 2):
            rows, cols = np.divmod(np.sort(two), columns)
            if rows[0] <= place[0] <= rows[1] and cols.min() <= place[1] <= cols.max():
                both = listed(cells_of(np.array(two), columns))
                return f"{both} are in it, so {place} is, too"
        others = [n for n in numbers if n != numbers[value] and self._is_near(n, place)]
        ends = [self._left(other, grid, known) for other in others]
        if any(_inside(each, place).any() for each in ends):
            return ""
        whys = [self._reach(each, left) for each, left in zip(others, ends, strict=True)]
        so = f": {'; '.join(whys)}" if 0 < len(whys) <= _NAMED else ""
        return f"no other number has a rectangle that can reach {place}{so}"

    def _is_near(self, number: int, place: Cell) -> bool:
        """Whether the number in a cell is large enough for a rectangle up to a place."""
        (r, c), size = divmod(number, self.grid.shape[1]), self.grid.flat[number]
        return bool((abs(r - place[0]) + 1) * (abs(c - place[1]) + 1) <= size or size == UNKNOWN)

    def _reach(self, number: int, ends: IntArray) -> str:
        """Where the rectangle of the number in a cell can be, if these are all."""
        name = f"the {self.grid.flat[number]} in {divmod(number, self.grid.shape[1])}"
        if not 0 < len(ends) <= _NAMED:
            return f"{name} has no such rectangle left"
        return f"{name} can only reach {_reached(ends)}"

    def fits(self, at: At, can: CanArray, cell: int, left: Collection[int]) -> str:
        """Where rectangles can still be, or which ones cannot have the cell."""
        place = divmod(cell, can.shape[1])
        if isinstance(at, tuple):
            size, ends = int(self.grid.flat[at[1]]), self._still(at[1], can)
            if not len(ends):
                return f"{{}}: no rectangle of {counted(size, 'cells')} is left"
            where = _covered(_inside(ends, place), place, "rectangle") if cell >= 0 else ""
            if len(ends) > _NAMED:
                return f"{{}}: with what is left {where}" if where else ""
            reach = f"with what is left it can only reach {_reached(ends)}"
            return f"{{}} needs a rectangle of {counted(size, 'cells')}: {reach}"
        numbers = np.flatnonzero(self.grid).tolist()
        if cell < 0:
            covered = np.zeros(can.shape, dtype=bool)
            for number in numbers:
                for top, first, down, end in self._still(number, can).tolist():
                    covered[top:down, first:end] = True
            bare = np.argwhere(~covered).tolist()
            return f"{self.says}: nothing that is left covers {tuple(bare[0])}" if bare else ""
        lost = [value for value in can[place] if value not in left]
        if not lost:
            return ""
        others = {numbers[value]: self._still(numbers[value], can) for value in lost}
        if any(_inside(each, place).any() for each in others.values()):
            return ""
        what = f"{self.says}: with what is left"
        no_more = f"{what} no other number can reach {place}" if len(left) == 1 else ""
        if len(others) > _NAMED:
            return no_more
        whys = "; ".join(self._reach(number, each) for number, each in others.items())
        return f"{no_more}: {whys}" if no_more else f"{what} {whys}"

    def _still(self, number: int, can: CanArray) -> IntArray:
        """The same where cells can only have some values."""
        value = np.count_nonzero(self.grid.flat[:number])
        every = can.ravel().tolist()
        may = np.array([value in values for values in every]).reshape(can.shape)
        must = np.array([[*values] == [value] for values in every]).reshape(can.shape)
        return self._left(number, np.where(may, value, -1), must | ~may)

    def _left(self, number: int, grid: IntArray, known: BoolArray) -> IntArray:
        """The rectangles of the number in a cell that go with what is known, as ``_around``."""
        ends, value = self._around(number), np.count_nonzero(self.grid.flat[:number])
        top, left, down, right = ends.T
        has = np.argwhere(known & (grid == value))
        barred = np.pad(np.cumsum(np.cumsum(known & (grid != value), 0), 1), ((1, 0), (1, 0)))
        fits = barred[down, right] + barred[top, left] == barred[down, left] + barred[top, right]
        if (size := self.grid.flat[number]) != UNKNOWN:
            fits &= (down - top) * (right - left) == size
        for each in has.tolist():
            fits &= _inside(ends, tuple(each))
        return np.asarray(ends[fits])

    def fix(self, allowed: BoolArray, values: Sequence[int]) -> None:
        """Nothing: its rows say the same."""

    def constrain(self, cells: Cells) -> Write:
        """With statements, rectangles of any size, and those that numbers ask for."""
        if not cells.stated:
            return super().constrain(cells)
        numbered = np.flatnonzero(self.grid).tolist()
        every = [*map(self._around, numbered)]
        area = sum(int(((t[:, 2:] - t[:, :2]).prod(axis=1)).sum()) for t in every)
        if area > AREA_LIMIT:
            raise TooLarge(f"rectangles with {area:,} cells around numbers: over {AREA_LIMIT:,}")
        rows, number = cells.builder.rows(self.family), np.arange(self.grid.size)
        for k, (cell, around) in enumerate(zip(numbered, every, strict=True)):
            values = [*map(tuple, around.tolist())]
            literals = np.array(cells.builder.choice(f"rectangle[{k}]", values).literals)
            covers = [
                number.reshape(self.grid.shape)[top:down, left:right].ravel()
                for top, left, down, right in values
            ]
            size, covered = np.array([*map(len, covers)]), np.concatenate(covers)
            rest = np.where(np.isin(number, covered), number, -1)
            _, row = np.unique(np.append(covered, rest), return_inverse=True)
            terms = np.append(np.repeat(literals, size), cells.literals[:, k])
            signs = np.repeat([1, -1], [len(covered), len(number)])
            rows.add(terms, signs, rows=row, lower=0, upper=0)
            if (wanted := self.grid.flat[cell]) != UNKNOWN:
                with cells.stating(("grid", cell)):
                    rows.add(literals[size == wanted], lower=1)
        if not numbered:
            rows.add([], lower=1)
        return self._written_rectangles

    def _around(self, cell: int) -> IntArray:
        """All rectangles around a number without another: top, left, down, right, (n, 4)."""
        (r, c), (high, wide) = divmod(cell, self.grid.shape[1]), self.grid.shape
        held = self.grid != 0
        left = np.where(held[:, :c], np.arange(1, c + 1), 0).max(axis=1, initial=0)
        right = np.where(held[:, c + 1 :], np.arange(c + 1, wide), wide).min(axis=1, initial=wide)
        above, below = np.flatnonzero(held[:r, c]), np.flatnonzero(held[r + 1 :, c])
        tops = range(int(above[-1]) + 1 if len(above) else 0, r + 1)
        downs = range(r + 1, (r + 1 + int(below[0]) if len(below) else high) + 1)
        parts = []
        for top, down in product(tops, downs):
            lefts = np.arange(left[top:down].max(), c + 1)
            rights = np.arange(c + 1, right[top:down].min() + 1)
            both = np.stack(np.meshgrid(lefts, rights), axis=-1).reshape(-1, 2)
            ends = np.full(len(both), top), both[:, 0], np.full(len(both), down), both[:, 1]
            parts.append(np.column_stack(ends))
        return np.concatenate(parts)

    def _written_rectangles(self, answer: IntArray) -> list[Hashable]:
        self.require(answer)
        where = [np.nonzero(np.asarray(answer) == k) for k in range(np.count_nonzero(self.grid))]
        ends = [(r.min(), c.min(), r.max() + 1, c.max() + 1) for r, c in where]
        return [tuple(map(int, several)) for several in ends]

    # --- answers ---------------------------------------------------------------------------

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Values whose cells are none."""
        numbers, by_value = self.grid[self.grid != 0].tolist(), groups(np.asarray(answer))
        by_value += [np.zeros(0, dtype=np.int64)] * len(numbers)
        for k, (number, cells) in enumerate(zip(numbers, by_value, strict=False)):
            r, c = np.divmod(cells, answer.shape[1])
            size = (np.ptp(r) + 1) * (np.ptp(c) + 1) if len(cells) else 0
            if not len(cells) or size != len(cells) or number not in (UNKNOWN, len(cells)):
                message = f"the {len(cells)} cells of number {k} are no rectangle of its size"
                yield Violation(self.family, message, cells_of(cells, answer.shape[1]))
