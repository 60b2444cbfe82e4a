"""Random rooms, pieces, shadings and layouts, of which generators make boards."""

from collections.abc import Sequence

import numpy as np
import scipy

from qubopuzzle.errors import SolverFailed
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.vocabulary.grids import BoolArray, runs_of
from qubopuzzle.puzzles.vocabulary.paths import neighbours

Rng = np.random.Generator
_TRIES = 200
_BLACK_SHARE, _LONG = 0.27, 6
"""Of the cells of a crossword; from where on runs are cut once there are so many."""


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
        room = spread(room.reshape(seeds.shape), rng).ravel()
        merged = _merged(room, near, len(starts), together, rng)
        if merged is not None:
            return np.asarray(merged[room]).reshape(seeds.shape)
    raise SolverFailed(f"found no rooms with {together} seeds each")


def spread(rooms: IntArray, rng: Rng) -> IntArray:
    """The rooms with each cell that is in none, -1, in one beside it; they grow at random."""
    room, near = rooms.ravel().copy(), neighbours(rooms.shape)
    open_cells = rng.permutation(np.flatnonzero(room >= 0)).tolist()
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
    return room.reshape(rooms.shape)


def grown_piece(shape: tuple[int, int], rng: Rng, share: float = 0.55) -> IntArray:
    """A random piece of about this share of a grid, 0 or 1, (rows, columns), without holes.

    A cell is added where that neither closes a ring nor makes two corners touch: where what is
    beside it of the piece hangs together around it; thin ones first.
    """
    piece = np.zeros((shape[0] + 2, shape[1] + 2), dtype=np.int64)
    piece[1 + int(rng.integers(shape[0])), 1 + int(rng.integers(shape[1]))] = 1
    for most in (1, 2, 3):
        for cell in rng.integers(shape[0] * shape[1], size=8 * shape[0] * shape[1]).tolist():
            r, c = 1 + cell // shape[1], 1 + cell % shape[1]
            if piece[1:-1, 1:-1].sum() >= share * shape[0] * shape[1]:
                break
            if not piece[r, c] and _is_simple(piece, r, c) and _beside(piece, r, c) <= most:
                piece[r, c] = 1
    return piece[1:-1, 1:-1].copy()


def random_shading(shape: tuple[int, int], rng: Rng, share: float = 1.0) -> IntArray:
    """Cells in random order, each black if ``Uncut`` allows it, up to a share of all.

    One round is enough for as many as can be: what a cell cuts off, it cuts off from then on.
    """
    rows, columns = shape
    black = np.zeros((rows + 2, columns + 2), dtype=np.int64)
    inside = black[1:-1, 1:-1]
    for cell in rng.permutation(rows * columns).tolist():
        if inside.sum() >= share * rows * columns:
            break
        r, c = divmod(cell, columns)
        if not (black[r : r + 3, c + 1].any() or black[r + 1, c : c + 3].any()):
            inside[r, c] = 1
            inside[r, c] = scipy.ndimage.label(inside == 0)[1] == 1
    return inside.copy()


def changed_piece(piece: IntArray, cells: IntArray, rng: Rng) -> IntArray | None:
    """The piece with one of these cells, by row-major number, added or left out, as above; or None.

    What is left is one piece without holes.
    """
    padded = np.pad(piece, 1)
    for cell in rng.permutation(cells).tolist():
        r, c = 1 + cell // piece.shape[1], 1 + cell % piece.shape[1]
        if _is_simple(padded, r, c) and 0 < _beside(padded, r, c) < 4 and padded.sum() > 1:
            padded[r, c] ^= 1
            return padded[1:-1, 1:-1].copy()
    return None


_RING = ((-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1))


def _is_simple(piece: IntArray, r: int, c: int) -> bool:
    """Whether the cells of a piece around one hang together along the ring around it."""
    around = [int(piece[r + down, c + right]) for down, right in _RING]
    steps = sum(a < b for a, b in zip(around, [*around[1:], around[0]], strict=True))
    return steps == 1 and any(around[1::2])


def _beside(piece: IntArray, r: int, c: int) -> int:
    """How many cells of a piece share a side with one."""
    return int(piece[r - 1, c] + piece[r + 1, c] + piece[r, c - 1] + piece[r, c + 1])


def crossword(shape: tuple[int, int], rng: Rng, most: int) -> BoolArray:
    """Which cells of a grid are white, in one piece, half a turn leaving them as they are.

    A quarter or so is black, and a run of a row or column has two cells at least, rarely over six.

    Raises:
        SolverFailed: if in some hundred tries there is a run of more than ``most``.
    """
    for _ in range(_TRIES):
        white = np.pad(np.ones(shape, dtype=bool), 2)
        inner = white[2:-2, 2:-2]
        for cell in rng.permutation(inner.size).tolist():
            enough = 1 - inner.mean() > _BLACK_SHARE
            long = [run for several in runs_of(inner) for run in several if len(run) > _LONG]
            if enough and not any(cell in run for run in long):
                continue
            before, (r, c) = inner.copy(), divmod(cell, shape[1])
            pair = ((r, c), (shape[0] - 1 - r, shape[1] - 1 - c))
            inner[pair[0]] = inner[pair[1]] = False
            alone = any(_is_beside_one(white, *each) for each in pair)
            if alone or scipy.ndimage.label(inner)[1] != 1:
                inner[:] = before
        if max(len(run) for several in runs_of(inner) for run in several) <= most:
            return inner.copy()
    raise SolverFailed("found no layout of {} x {} with runs up to {}".format(*shape, most))


def _is_beside_one(white: BoolArray, r: int, c: int) -> bool:
    """Whether a run of one cell begins beside a cell; ``white`` has two cells more at each side."""
    sides = ((0, 1), (1, 0), (0, -1), (-1, 0))
    return any(
        white[2 + r + down, 2 + c + right] and not white[2 + r + 2 * down, 2 + c + 2 * right]
        for down, right in sides
    )


def _merged(room: IntArray, near: IntArray, n: int, together: int, rng: Rng) -> IntArray | None:
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


def exchanged(rooms: IntArray, steps: int, rng: Rng) -> IntArray:
    """The rooms after so many tries to exchange a cell of one with a cell of another beside it.

    Rooms keep their sizes, and stay in one piece each.
    """
    near, room = neighbours(rooms.shape), rooms.ravel().copy()
    for _ in range(steps):
        one = int(rng.integers(room.size))
        other = int(rng.choice(near[one][near[one] >= 0]))
        first, second = room[one], room[other]
        if first == second:
            continue
        touches = ((room[near] == first) & (near >= 0)).any(axis=1)
        two = int(rng.choice(np.flatnonzero((room == second) & touches)))
        changed = room.copy()
        changed[one], changed[two] = second, first
        both = [(changed == number).reshape(rooms.shape) for number in (first, second)]
        if all(scipy.ndimage.label(cells)[1] == 1 for cells in both):
            room = changed
    return room.reshape(rooms.shape)
