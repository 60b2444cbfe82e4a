"""Numberlink: a random cover of the grid by paths, redrawn where another solution differs.

No path touches itself: cells of one path that share a side follow each other. A path that
does so has a shortcut, or two sides of a square that can be turned, and then there is often
a second solution. The cover comes from simulated annealing (Kirkpatrick, Gelatt and Vecchi,
Science 220, 671-680, 1983): of two neighbours one links them or parts them, and what a cell
has too many links for is cut. Few paths are wanted, but none of one or two cells, nor very
long ones. The same moves at the cells where another solution differs make the next board.
"""

from collections.abc import Collection, Iterable
from itertools import chain
from typing import Any

import numpy as np

from qubopuzzle.compile.incremental import Random
from qubopuzzle.errors import InputError
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.generator import Boards, GeneratorOption, Options, PuzzleGenerator, Shape
from qubopuzzle.puzzles.numberlink import Numberlink
from qubopuzzle.puzzles.vocabulary.paths import neighbours

LENGTH = 10
"""Cells of a path beyond which each more costs something."""
CELL_LIMIT = 800
"""Most cells: at one pair for about eight of them, models hold hardly more."""
PATIENCE = 50
"""Boards of one cover before the next one is drawn."""

Edge = tuple[int, int]


class NumberlinkGenerator(PuzzleGenerator[Numberlink]):
    """No clue can be left out: a number stands at each end of a path."""

    usual = (7, 7)
    options = (
        GeneratorOption(
            "cover", 1, "1: every cell has to be used; 0: it need not be, but is", 0, 1
        ),
    )

    def check(self, shape: Shape, options: Options) -> None:
        """Room for two numbers, and not too large for a model."""
        if not 2 <= shape[0] * shape[1] <= CELL_LIMIT:
            raise InputError(f"numberlinks are generated of 2 to {CELL_LIMIT} cells")

    def boards(self, shape: Shape, options: Options, rng: Random) -> Boards[Numberlink]:
        """Random covers, each redrawn in part for each other solution."""
        cover = bool(options["cover"])
        while True:
            paths = _Paths(shape, rng)
            paths.draw()
            for _ in range(PATIENCE):
                board = paths.board(cover=cover)
                other = yield board
                paths.redraw(board, other)


class _Paths:
    """Paths that do not touch themselves and cover a grid; at first each cell is one."""

    def __init__(self, shape: Shape, rng: Random) -> None:
        self._shape, self._rng = shape, rng
        self._near = [[n for n in row if n >= 0] for row in neighbours(shape).tolist()]
        self._links: list[list[int]] = [[] for _ in self._near]
        self._edges = [(u, v) for u, near in enumerate(self._near) for v in near if u < v]

    def board(self, *, cover: bool) -> Numberlink:
        """The puzzle, pairs numbered in the order of their first cells."""
        side = {1: 1, -1: 4} | {self._shape[1]: 2, -self._shape[1]: 8}
        solution = [sum(side[v - u] for v in links) for u, links in enumerate(self._links)]
        grid, pairs = [0] * len(solution), 0
        for cell, links in enumerate(self._links):
            if len(links) == 1 and not grid[cell]:
                pairs += 1
                path = self._path(cell)
                grid[path[0]] = grid[path[-1]] = pairs
        numbers: Any = np.reshape(grid, self._shape).tolist()
        return Numberlink(numbers, cover, solution=np.reshape(solution, self._shape))

    def draw(self) -> None:
        """A random cover by paths of two cells or more."""
        self._anneal(self._edges, 80, 1.5)
        self._mend()

    def redraw(self, board: Numberlink, other: IntArray) -> None:
        """Change the paths where another solution differs, until it is none any more."""
        differs = np.flatnonzero(np.asarray(board.solution) != other).tolist()
        edges = self._beside(set(differs))
        while True:
            self._anneal(edges, 4, 1.0)
            self._mend()
            if self.board(cover=board.cover).violations(other):
                return

    def _mend(self) -> None:
        """Change the paths around cells that are left alone, until there are none."""
        while not all(self._links):
            alone = [near for near, links in zip(self._near, self._links, strict=True) if not links]
            self._anneal(self._beside(set(chain(*alone))), 20, 1.5)

    def _beside(self, cells: Collection[int]) -> list[Edge]:
        return [(u, v) for u, v in self._edges if u in cells or v in cells]

    def _anneal(self, edges: list[Edge], rounds: int, hot: float) -> None:
        """Try edges at random, so many rounds of half of them, cooling down."""
        steps = rounds * (len(edges) + 1) // 2
        chosen = self._rng.integers(len(edges), size=steps).tolist()
        sides = self._rng.integers(2, size=(steps, 2)).tolist()
        # A move that costs more than this is not made.
        heat = hot * (0.12 / hot) ** np.linspace(0, 1, steps)
        limits = (self._rng.exponential(size=steps) * heat).tolist()
        for edge, limit, picks in zip(chosen, limits, sides, strict=True):
            self._move(edges[edge], limit, picks)

    def _move(self, edge: Edge, limit: float, picks: list[int]) -> None:
        """Part two cells; or link them, and part each from one if it has two links."""
        (u, v), links = edge, self._links
        if v in links[u]:
            old, new = [(u, v)], []
        else:
            ends = zip((u, v), picks, strict=True)
            old, new = [(a, links[a][i]) for a, i in ends if len(links[a]) == 2], [(u, v)]
        cells = [u, v, *(b for _, b in old)]
        before = self._cost(cells)
        self._change(old, ())
        if new and self._touch(u, v):
            self._change((), old)
            return
        self._change((), new)
        if self._cost(cells) - before > limit:
            self._change(new, old)

    def _change(self, old: Iterable[Edge], new: Iterable[Edge]) -> None:
        for a, b in old:
            self._links[a].remove(b)
            self._links[b].remove(a)
        for a, b in new:
            self._links[a].append(b)
            self._links[b].append(a)

    def _touch(self, u: int, v: int) -> bool:
        """Whether the paths of these two share another side than theirs."""
        others = set(self._path(v))
        touching = [(a, b) for a in self._path(u) for b in self._near[a] if b in others]
        return touching != [(u, v)]

    def _cost(self, cells: Iterable[int]) -> float:
        """Of the paths that pass there."""
        cost, seen = 0.0, set[int]()
        for cell in cells:
            if cell not in seen:
                path = self._path(cell)
                seen.update(path)
                cost += {1: 4.0, 2: 2.5}.get(len(path), 1 + 0.15 * max(0, len(path) - LENGTH))
        return cost

    def _path(self, cell: int) -> list[int]:
        """The cells of the path through one, from end to end."""
        before, after = ([*(self._arm(cell, n) for n in self._links[cell]), [], []])[:2]
        return [*reversed(before), cell, *after]

    def _arm(self, past: int, cell: int) -> list[int]:
        """The cells from one on, away from the one before it."""
        arm = [cell]
        while ahead := [n for n in self._links[cell] if n != past]:
            past, cell = cell, ahead[0]
            arm.append(cell)
        return arm
