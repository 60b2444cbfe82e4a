"""Hitori: a shading that no cell can be added to, and numbers that leave no other one.

A shading to which a black cell could be added has that as another solution, whatever the
numbers: fewer white cells repeat nothing. White cells get numbers that no line repeats; a
black cell gets one that stands on a white cell of its row or column.

Another solution T has a white cell b that is black in the board's, which cannot be part of
T. A neighbour of b is white in both: with its number b excludes T. So each T is excluded by
some choices (b, number), and numbers are looked for that exclude all T met so far.
"""

import numpy as np

from qubopuzzle.compile.incremental import Random
from qubopuzzle.errors import InputError
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles.generator import Boards, Options, PuzzleGenerator, Shape
from qubopuzzle.puzzles.hitori import Hitori
from qubopuzzle.puzzles.vocabulary.drawing import random_shading
from qubopuzzle.puzzles.vocabulary.grids import BoolArray

STEPS = 200
"""Changes of a number that are tried against the other solutions met."""
PATIENCE = 100
"""Other solutions of one shading before the next one is drawn."""


class HitoriGenerator(PuzzleGenerator[Hitori]):
    """No clue can be left out: each cell has its number."""

    usual = (8, 8)

    def check(self, shape: Shape, options: Options) -> None:
        """Three cells at least."""
        if shape[0] * shape[1] < 3:
            raise InputError("a hitori of one or two cells never has one solution only")

    def boards(self, shape: Shape, options: Options, rng: Random) -> Boards[Hitori]:
        """Random shadings, each with numbers that exclude all other solutions met."""
        while True:
            shading = random_shading(shape, rng)
            numbers = _Numbers(shading, rng)
            for _ in range(PATIENCE):
                other = yield Hitori(grid=numbers.grid, solution=shading)
                if not numbers.exclude(other):
                    break


def _filling(shading: IntArray, rng: Random) -> IntArray:
    """Random numbers for the white cells, none twice in a line; 0 on black ones.

    Cells are edges between rows and columns, numbers their colours. If no number is free in
    both lines of a cell, two are exchanged along a chain (Koenig, Mathematische Annalen 77,
    453-465, 1916).
    """
    rows, columns = shading.shape
    n = max(rows, columns)
    # For each line and number the line that crosses it there, -1 if the number is free.
    across = [[-1] * n for _ in range(rows + columns)]
    cells = np.argwhere(shading == 0)
    for row, column in rng.permutation(cells).tolist():
        r, c = row, rows + column
        order = rng.permutation(n).tolist()
        a = next(k for k in order if across[r][k] < 0)
        b = next(k for k in order if across[c][k] < 0)
        both = next((k for k in order if across[r][k] < 0 and across[c][k] < 0), None)
        if both is None:
            chain = [c]
            while across[chain[-1]][a if len(chain) % 2 else b] >= 0:
                chain.append(across[chain[-1]][a if len(chain) % 2 else b])
            for line in chain:
                across[line][a], across[line][b] = across[line][b], across[line][a]
            both = a
        across[r][both], across[c][both] = c, r
    grid = np.zeros(shading.shape, dtype=np.int64)
    for row in range(rows):
        for number, line in enumerate(across[row]):
            if line >= 0:
                grid[row, line - rows] = number + 1
    return grid


class _Numbers:
    """Numbers for the black cells, and what other solutions each of them excludes."""

    def __init__(self, shading: IntArray, rng: Random) -> None:
        self.grid, self._rng = _filling(shading, rng), rng
        self._filling = self.grid.copy()
        self._cells = [(int(r), int(c)) for r, c in np.argwhere(shading)]
        lines = [[*self._filling[r], *self._filling[:, c]] for r, c in self._cells]
        self._offered = [np.setdiff1d(line, [0]) for line in lines]
        self._chosen = [int(rng.integers(len(offered))) for offered in self._offered]
        # For each black cell the numbers offered that exclude each other solution met.
        self._tables: list[BoolArray] = [np.zeros((0, len(o)), bool) for o in self._offered]
        self._show()

    def _show(self) -> None:
        for cell, offered, chosen in zip(self._cells, self._offered, self._chosen, strict=True):
            self.grid[cell] = offered[chosen]

    def exclude(self, other: IntArray) -> bool:
        """Change numbers until they exclude this other solution, too; False: found none."""
        left = np.where(other, 0, self._filling)
        for b, (r, c) in enumerate(self._cells):
            excludes = np.isin(self._offered[b], [*left[r], *left[:, c]]) & (other[r, c] == 0)
            self._tables[b] = np.vstack([self._tables[b], excludes])
        columns = [table[:, k] for table, k in zip(self._tables, self._chosen, strict=True)]
        count = np.sum(columns, axis=0)
        for _ in range(STEPS):
            missed = np.flatnonzero(count == 0)
            if not len(missed):
                self._show()
                return True
            self._change(count, int(self._rng.choice(missed)))
        return False

    def _change(self, count: IntArray, one: int) -> None:
        """Exclude one solution by the number with which most are; count[i]: what excludes i."""
        moves = [(b, k) for b, table in enumerate(self._tables) for k in np.flatnonzero(table[one])]
        gains = [self._tables[b][:, k] for b, k in moves]
        rests = [count - self._tables[b][:, self._chosen[b]] for b, _ in moves]
        scores = [np.count_nonzero(rest + gain) for rest, gain in zip(rests, gains, strict=True)]
        best = int(self._rng.choice(np.flatnonzero(np.array(scores) == max(scores))))
        count[:] = rests[best] + gains[best]
        b, k = moves[best]
        self._chosen[b] = int(k)
