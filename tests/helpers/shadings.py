"""Paintings of grids, brute force, and the rules of shading once more, with sets of cells."""

from __future__ import annotations

from functools import cache

import numpy as np

from qubopuzzle import Heyawake, Hitori, Kurodoko
from qubopuzzle.model import UNBOUNDED
from qubopuzzle.puzzles.vocabulary.cells import Cells
from qubopuzzle.puzzles.vocabulary.regions import Uncut
from qubopuzzle.testing import all_bits, met_grids, obeys, zero_energy_grids

SIDES = ((0, 1), (1, 0), (0, -1), (-1, 0))
CORNERS = ((1, 1), (1, -1), (-1, 1), (-1, -1))


def around(cell, steps):
    return {(cell[0] + down, cell[1] + right) for down, right in steps}


def pieces(cells, steps):
    """The cells by what hangs together."""
    left, found = set(cells), []
    while left:
        piece, edge = set(), {left.pop()}
        while edge:
            piece |= edge
            edge = set().union(*(around(cell, steps) for cell in edge)) & left
            left -= edge
        found.append(piece)
    return found


def split(answer):
    """The black cells and the white ones."""
    cells = set(np.ndindex(answer.shape))
    black = {cell for cell in cells if answer[cell]}
    return black, cells - black


def right(puzzle, answer):
    """Whether the rules accept an answer, without asking the puzzle."""
    sides = shaded(answer.shape, answer.astype(np.int64).tobytes())
    return sides is not None and CLUES[type(puzzle)](puzzle, *sides)


@cache
def shaded(shape, painting):
    """The black cells and the white ones; None where black touch or white are cut off."""
    black, white = map(frozenset, split(np.frombuffer(painting, np.int64).reshape(shape)))
    if any(around(cell, SIDES) & black for cell in black) or len(pieces(white, SIDES)) > 1:
        return None
    return black, white


def heyawake_clues(puzzle, black, white):
    room = {cell: int(number) for cell, number in np.ndenumerate(puzzle.rooms)}
    for number, clue in enumerate(puzzle.clues):
        if clue is not None and clue != len([cell for cell in black if room[cell] == number]):
            return False
    for r, c in white:
        for down, along in ((0, 1), (1, 0)):
            borders, here = 0, (r, c)
            while (there := (here[0] + down, here[1] + along)) in white:
                borders += room[here] != room[there]
                here = there
            if borders > 1:
                return False
    return True


def hitori_clues(puzzle, black, white):
    seen = [
        (axis, cell[axis], int(puzzle.grid[cell]))
        for cell in white
        for axis in (0, 1)
        if puzzle.grid[cell]
    ]
    return len(seen) == len(set(seen))


def kurodoko_clues(puzzle, black, white):
    for cell, number in np.ndenumerate(puzzle.grid):
        if number == 0:
            continue
        seen = {cell}
        for down, along in SIDES:
            here = cell
            while (here := (here[0] + down, here[1] + along)) in white:
                seen.add(here)
        if cell in black or (number > 0 and len(seen) != number):
            return False
    return True


CLUES = {Heyawake: heyawake_clues, Hitori: hitori_clues, Kurodoko: kurodoko_clues}


def paintings(shape):
    """All 0/1 grids."""
    return all_bits(shape[0] * shape[1]).reshape(-1, *shape)


@cache
def apart(rows, columns):
    """All paintings without black cells that touch by a side, line by line."""
    lines = [line for line in paintings((1, columns))[:, 0] if not (line[1:] & line[:-1]).any()]
    grids = [()]
    for _ in range(rows):
        grids = [
            (*grid, line)
            for grid in grids
            for line in lines
            if not (grid and (grid[-1] & line).any())
        ]
    return np.array(grids)


def connected(grids):
    """For each painting whether its white cells hang together: all flooded at once."""
    white = grids == 0
    reached = np.zeros_like(white)
    first = white.reshape(len(grids), -1).argmax(axis=1)
    reached.reshape(len(grids), -1)[np.arange(len(grids)), first] = True
    reached &= white
    for _ in range(grids[0].size):
        wide = np.pad(reached, ((0, 0), (1, 1), (1, 1)))
        wide = (
            wide[:, 1:-1, 1:-1]
            | wide[:, 2:, 1:-1]
            | wide[:, :-2, 1:-1]
            | wide[:, 1:-1, 2:]
            | wide[:, 1:-1, :-2]
        )
        reached = wide & white
    return (reached == white).all(axis=(1, 2))


@cache
def together(rows, columns):
    """Those of ``apart`` whose white cells hang together."""
    grids = apart(rows, columns)
    return grids[connected(grids)]


@cache
def answers(puzzle):
    """All right answers, by the rules above, of boards too large for ``brute``."""
    return sorted(g.tobytes() for g in together(*puzzle.shape) if right(puzzle, g))


@cache
def brute(puzzle):
    """All right answers, as bytes; the puzzle's rules and those above agree on every painting."""
    found = []
    for answer in paintings(puzzle.shape):
        accepted = obeys(puzzle, answer)
        assert accepted == right(puzzle, answer), (puzzle, answer)
        if accepted:
            found.append(answer.tobytes())
    return sorted(found)


def zero(model, encoding, bits=18):
    """The answers of all bit strings of energy 0; None where there are too many bits."""
    grids = zero_energy_grids(model, encoding, bits)
    return grids if grids is None else sorted({*grids})


def met(model):
    """The answers of all valid choices that meet a model, once each, all tried at once."""
    return sorted({*met_grids(model, 1 << 20)})


def found(result):
    """The answers of a result, to compare with ``brute``."""
    return sorted(np.asarray(answer, dtype=np.int64).tobytes() for answer in result.solutions)


def forest(white, *, by_cuts=False):
    """``Uncut`` by itself, in cells of which some are white, (rows, columns)."""
    rule, allowed = Uncut(), np.stack([np.ones_like(white), ~white], axis=-1)
    rule.narrow(allowed, (0, 1))
    ways = None if by_cuts else rule.ways(allowed)
    cells = Cells(white.shape, (0, 1), allowed, by_cuts=by_cuts, ways=ways)
    cells.add(rule)
    return cells


def lazy(white):
    """The same by cuts."""
    return forest(white, by_cuts=True)


def clauses(model):
    """A model that is made of clauses, one variable a literal, numbered from 1.

    Written for these tests: the CNF that the package compiles takes no part.
    """
    made = []
    for start, stop in zip(model.first_literal[:-1], model.first_literal[1:], strict=True):
        own = list(range(int(start) + 1, int(stop) + 1))
        made.append(own)
        made += [[-a, -b] for i, a in enumerate(own) for b in own[:i]]
    for block in model.linear:
        assert (block.upper >= UNBOUNDED).all()
        for row, lower in enumerate(block.lower.tolist()):
            terms = slice(*block.matrix.indptr[row : row + 2])
            signs = block.matrix.data[terms]
            assert set(signs.tolist()) <= {1, -1}
            assert lower == 1 - (signs < 0).sum()
            made.append((signs * (block.matrix.indices[terms] + 1)).tolist())
    return made


# --- random boards -----------------------------------------------------------------------


def random_shading(rng, shape, tries=30):
    """Black cells at random that do not touch and cut nothing off."""
    answer = np.zeros(shape, dtype=np.int64)
    for _ in range(tries):
        cell = tuple(rng.integers(shape))
        answer[cell] = 1
        black, white = split(answer)
        if around(cell, SIDES) & black or len(pieces(white, SIDES)) > 1:
            answer[cell] = 0
    return answer


def random_rooms(rng, shape, count):
    """A grid in about ``count`` rooms that grow from random cells."""
    rooms = np.full(shape, -1, dtype=np.int64)
    seeds = rng.permutation(rooms.size)[:count]
    rooms.ravel()[seeds] = np.arange(len(seeds))
    while (rooms < 0).any():
        cells = [tuple(cell) for cell in np.argwhere(rooms < 0).tolist()]
        cell = cells[rng.integers(len(cells))]
        known = [
            rooms[c] for c in sorted(around(cell, SIDES)) if inside(c, shape) and rooms[c] >= 0
        ]
        if known:
            rooms[cell] = known[rng.integers(len(known))]
    return rooms


def inside(cell, shape):
    return 0 <= cell[0] < shape[0] and 0 <= cell[1] < shape[1]


def random_heyawake(rng, shape, share=0.7, wrong=False):
    """Clues as random black cells have them, a share of them shown."""
    rooms = random_rooms(rng, shape, int(rng.integers(1, 2 + shape[0] * shape[1] // 3)))
    answer = random_shading(rng, shape)
    clues = [int(answer[rooms == room].sum()) for room in range(rooms.max() + 1)]
    if wrong:
        room = rng.integers(len(clues))
        clues[room] = int(rng.integers((rooms == room).sum() + 1))
    return Heyawake(rooms, [clue if rng.random() < share else None for clue in clues])


def random_hitori(rng, shape, share=0.9, wrong=False):
    """White cells of a latin square, black ones with a number of their row or column."""
    n = max(shape)
    square = (np.arange(n)[:, None] + np.arange(n)) % n
    grid = (square[rng.permutation(n)][:, rng.permutation(n)] + 1)[: shape[0], : shape[1]]
    answer = random_shading(rng, shape)
    for r, c in np.argwhere(answer).tolist():
        line = grid[r] if rng.random() < 0.5 else grid[:, c]
        grid[r, c] = line[rng.integers(len(line))]
    if wrong:
        grid[rng.random(shape) < 0.3] = rng.integers(1, n + 1)
    return Hitori(np.where(rng.random(shape) < share, grid, 0))


def random_kurodoko(rng, shape, share=0.4, wrong=False, untold=0.0):
    """What white cells see, a share of them shown, some of these with a number not told."""
    answer = random_shading(rng, shape)
    _, white = split(answer)
    grid = np.zeros(shape, dtype=np.int64)
    for cell in white:
        row, column = ({c for c in white if c[axis] == cell[axis]} for axis in (0, 1))
        seen = [piece for line in (row, column) for piece in pieces(line, SIDES) if cell in piece]
        grid[cell] = sum(map(len, seen)) - 1
    grid[rng.random(shape) >= share] = 0
    if wrong:
        grid[tuple(rng.integers(shape))] = rng.integers(1, sum(shape))
    grid[(grid > 0) & (rng.random(shape) < untold)] = -1
    return Kurodoko(grid)


RANDOM = {Heyawake: random_heyawake, Hitori: random_hitori, Kurodoko: random_kurodoko}
