"""Sets of cells that hang together: connected ones in a model, and rooms that are drawn."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from qubopuzzle.errors import InputError, SolverFailed
from qubopuzzle.model import FALSE, TRUE, IntArray
from qubopuzzle.puzzles.base import Violation
from qubopuzzle.puzzles.vocabulary.cells import Cells, Write
from qubopuzzle.puzzles.vocabulary.grids import cells_of, groups, windows
from qubopuzzle.puzzles.vocabulary.paths import neighbours
from qubopuzzle.puzzles.vocabulary.rules import Rule

Rng = np.random.Generator
_TRIES = 200
OFF, ROOT = "off", "root"


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

    def constrain(self, cells: Cells) -> Write:
        """The model's connectivity, or headings."""
        held = cells.of(self.value)
        if cells.by_cuts:
            return self._by_cuts(cells, held)
        near, border = neighbours(cells.shape), _border(cells.shape)
        literal = np.full((len(held), 10), FALSE)  # headings, root, off
        for cell in np.flatnonzero(held != FALSE).tolist():
            has = [h for h in range(8) if near[cell, h % 4] >= 0 and held[near[cell, h % 4]] != FALSE]
            has += [8] * bool(border[cell] or not self.outside) + [9] * bool(held[cell] != TRUE)
            values = [(*range(8), ROOT, OFF)[place] for place in has]
            if values:
                literal[cell, has] = cells.choice(cell, self.family, values)
            else:
                cells.builder.at_least_one(self.family, [[]])
        free = held >= 0
        cells.literal_rows(
            self.family, np.stack([held[free], literal[free, 9]], axis=1), low=1, high=1
        )
        if not self.outside:
            cells.builder.at_most_one(self.family, [literal[literal[:, 8] >= 0, 8]])
        for h in range(8):
            (child,) = np.nonzero(literal[:, h] >= 0)
            parent = near[child, h % 4]
            turned = [8, *((h + turn) % 8 for turn in (-1, 0, 1))]
            rows = np.column_stack([literal[child, h], literal[parent][:, turned]])
            cells.literal_rows(self.family, rows, [-1, 1, 1, 1, 1], low=0)
        return self._Headings((literal >= 0).any(axis=1), self)

    def _by_cuts(self, cells: Cells, held: IntArray) -> Write:
        pairs = np.concatenate([windows(cells.shape, 1, 2), windows(cells.shape, 2, 1)])
        if self.outside:
            (border,) = np.nonzero(_border(cells.shape))
            beyond = np.column_stack([border, np.full(len(border), len(held))])
            held, pairs = np.append(held, TRUE), np.concatenate([pairs, beyond])
        known = bool((held == TRUE).any())
        before = len(cells.builder.sizes)
        cells.builder.connected(self.family, held, pairs)
        added = len(cells.builder.sizes) - before
        return self._Known(added if known else 0)

    @dataclass(frozen=True, slots=True, eq=False)
    class _Known:
        """The choice of one value that a builder has for what is true."""

        count: int

        def __call__(self, _: IntArray) -> list[Hashable]:
            return [True] * self.count

    @dataclass(frozen=True, slots=True, eq=False)
    class _Headings:
        """The heading of each cell that has a choice."""

        chosen: IntArray
        rule: "Connected"

        def __call__(self, answer: IntArray) -> list[Hashable]:
            held = np.asarray(answer).ravel() == self.rule.value
            near, border = neighbours(answer.shape), _border(answer.shape)
            roots = np.flatnonzero(held & border if self.rule.outside else held)
            heading: dict[int, Hashable] = {}
            queue = roots.tolist() if self.rule.outside else roots[:1].tolist()
            heading |= dict.fromkeys(queue, ROOT)
            for cell in queue:  # grows on the way
                for d, child in enumerate(near[cell].tolist()):
                    if child >= 0 and held[child] and child not in heading:
                        back, above = (d + 2) % 4, heading[cell]
                        within = above == ROOT or (above - back) % 8 in (0, 1, 7)  # type: ignore[operator]
                        heading[child] = back if within else back + 4
                        queue.append(child)
            if len(queue) < np.count_nonzero(held):
                raise InputError(f"the answer's {self.rule.named} are not connected")
            return [heading.get(cell, OFF) for cell in np.flatnonzero(self.chosen).tolist()]

    def broken(self, answer: IntArray) -> Iterator[Violation]:
        """Pieces that are cut off from the largest, or from the border."""
        held = np.asarray(answer) == self.value
        pieces = groups(scipy.ndimage.label(held)[0])[1:]
        border = _border(answer.shape)
        largest = max(map(len, pieces), default=0)
        kept = [p for p in pieces if (border[p].any() if self.outside else len(p) == largest)]
        rest = [p for p in pieces if not any(p is one for one in (kept if self.outside else kept[:1]))]
        for piece in rest:
            cells = cells_of(piece, answer.shape[1])
            message = f"{len(cells)} {self.named} from {cells[0]} are cut off"
            yield Violation(self.family, message, cells)


def _border(shape: tuple[int, int]) -> IntArray:
    """Whether each cell is at the edge of the grid, (cells,)."""
    return np.asarray((neighbours(shape) < 0).any(axis=1))


# --- rooms that are drawn ------------------------------------------------------------------


def grown(seeds: IntArray, together: int, rng: Rng) -> IntArray:
    """Rooms, (rows, columns), with so many of the seeds each, the cells that are 1.

    Each seed grows into a piece, and pieces side by side become a room.

    Raises:
        SolverFailed: if pieces cannot be put together so, in some hundred tries.
    """
    near = neighbours(seeds.shape)
    for _ in range(_TRIES):
        room = np.full(seeds.size, -1)
        starts = rng.permutation(np.flatnonzero(seeds.ravel()))
        room[starts] = np.arange(len(starts))
        open_cells = starts.tolist()
        while open_cells:
            at = int(rng.integers(len(open_cells)))
            free = [c for c in near[open_cells[at]].tolist() if c >= 0 and room[c] < 0]
            if not free:
                open_cells[at] = open_cells[-1]
                open_cells.pop()
                continue
            cell = free[int(rng.integers(len(free)))]
            room[cell] = room[open_cells[at]]
            open_cells.append(cell)
        merged = _merged(room, near, len(starts), together, rng)
        if merged is not None:
            return merged[room].reshape(seeds.shape)
    raise SolverFailed(f"found no rooms with {together} seeds each")


def grown_piece(shape: tuple[int, int], rng: Rng, share: float = 0.55) -> IntArray:
    """A random piece of about this share of a grid, 0 or 1, (rows, columns), without holes.

    A cell is added where that neither closes a ring nor makes two corners touch: where what is
    beside it of the piece hangs together around it; thin ones first.
    """
    piece = np.zeros((shape[0] + 2, shape[1] + 2), dtype=np.int64)
    piece[1 + int(rng.integers(shape[0])), 1 + int(rng.integers(shape[1]))] = 1
    ring = [(-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1)]
    for most in (1, 2, 3):
        for cell in rng.integers(shape[0] * shape[1], size=8 * shape[0] * shape[1]).tolist():
            r, c = 1 + cell // shape[1], 1 + cell % shape[1]
            if piece[1:-1, 1:-1].sum() >= share * shape[0] * shape[1]:
                break
            around = [int(piece[r + down, c + right]) for down, right in ring]
            steps = sum(a < b for a, b in zip(around, [*around[1:], around[0]], strict=True))
            if not piece[r, c] and steps == 1 and 0 < sum(around[1::2]) <= most:
                piece[r, c] = 1
    return piece[1:-1, 1:-1].copy()


def _merged(
    room: IntArray, near: IntArray, n: int, together: int, rng: Rng
) -> IntArray | None:
    """Which of the larger rooms each of n pieces belongs to, (n,); None if some are left."""
    touch = np.zeros((n, n), dtype=bool)
    for side in near.T:
        touch[room[side >= 0], room[side[side >= 0]]] = True
    merged, number = np.full(n, -1), 0
    while (merged < 0).any():
        free = merged < 0
        degree = np.where(free, (touch & free).sum(axis=1) + rng.random(n), np.inf)
        group = [int(degree.argmin())]
        merged[group[0]] = number
        while len(group) < together:
            (beside,) = np.nonzero(touch[group].any(axis=0) & (merged < 0))
            if not len(beside):
                return None
            group.append(int(beside[degree[beside].argmin()]))
            merged[group[-1]] = number
        number += 1
    return merged


def moved(rooms: IntArray, cells: Sequence[int] | IntArray, rng: Rng) -> IntArray | None:
    """The rooms with one of these cells in the room beside it; None if none can leave its own."""
    near = neighbours(rooms.shape)
    for cell in rng.permutation(cells).tolist():
        room = rooms.ravel()[cell]
        beside = [c for c in near[cell].tolist() if c >= 0 and rooms.ravel()[c] != room]
        rest = rooms == room
        rest.flat[cell] = False
        if beside and scipy.ndimage.label(rest)[1] == 1:
            changed = rooms.copy()
            changed.flat[cell] = rooms.ravel()[beside[int(rng.integers(len(beside)))]]
            return changed
    return None
