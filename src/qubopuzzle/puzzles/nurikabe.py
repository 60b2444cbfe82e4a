"""Nurikabe: islands of as many cells as their numbers say, and a sea without pools."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import scipy

from qubopuzzle.errors import SolverFailed
from qubopuzzle.model import IntArray
from qubopuzzle.puzzles import links, penpa
from qubopuzzle.puzzles.links import Link
from qubopuzzle.puzzles.vocabulary import clues
from qubopuzzle.puzzles.vocabulary.grids import groups, side_by_side, windows
from qubopuzzle.puzzles.vocabulary.kind import Formulations, Kind, Rng, by_cuts, by_headings
from qubopuzzle.puzzles.vocabulary.regions import Connected, Islands
from qubopuzzle.puzzles.vocabulary.rules import Rule, Total

UNKNOWN = -1
TRIES, LARGEST = 200, 7
"""Seas that are drawn before it is given up, and the cells of an island that is drawn at most."""
_CELLS = links.cells({0: 0, links.UNKNOWN: UNKNOWN}, shaded=True)


def _changed(sea: IntArray, cell: int) -> IntArray | None:
    """The sea with one cell changed; None if it is not connected, or an island too large."""
    changed = sea.copy()
    changed.flat[cell] ^= 1
    land = scipy.ndimage.label(changed == 0)[0]
    if (
        scipy.ndimage.label(changed)[1] != 1
        or np.bincount(land.ravel())[1:].max(initial=0) > LARGEST
    ):
        return None
    return changed


@dataclass(frozen=True, eq=False)
class Nurikabe(Kind):
    """Shade the sea: each number is on an island of its own, of so many cells.

    Islands do not touch by a side. The sea is connected, and has no pool of two by two cells.
    ``grid`` has numbers, ``?`` for one that is not known, or None.

    >>> puzzle = Nurikabe(grid=[[2, None, None], [None, None, 1]])
    >>> puzzle.violations(np.array([[0, 0, 1], [1, 1, 0]]))[0].rule
    'sea'

    Raises:
        PuzzleError: for numbers below 1.
    """

    name: ClassVar[str] = "nurikabe"
    aliases: ClassVar[str] = "islandsinthestream cellstructure"
    formulations: ClassVar[Formulations] = {"headings": by_headings, "cuts": by_cuts}
    default_formulation: ClassVar[str] = "headings"
    lazy_formulation: ClassVar[str] = "cuts"
    anneals_by_cuts: ClassVar[bool] = True
    links = (
        Link("nurikabe", body=[_CELLS], file=[_CELLS]),
        penpa.Penpa(("nurikabe",), [_CELLS, links.shading]),
    )

    grid: IntArray = clues.numbers(1, signs={"?": UNKNOWN}, dropped=UNKNOWN)

    @property
    def contradiction(self) -> str | None:
        """Two numbers side by side, or more island than there is grid."""
        for pair in side_by_side(self.shape):
            if self.grid.ravel()[pair].all():
                one, two = (divmod(int(cell), self.shape[1]) for cell in pair)
                return f"the numbers on {one} and {two} are side by side"
        total = int(self.grid[self.grid > 0].sum())
        if total > self.cells:
            return f"the islands have {total} cells together, the grid {self.cells}"
        return None

    def rules(self) -> Iterator[Rule]:
        """Islands, the sea, and no pools."""
        squares = [*windows(self.shape, 2, 2)]
        names = [f"the square from {divmod(int(four[0]), self.shape[1])}" for four in squares]
        says = "no square of two by two cells is black"
        yield Total("pool", squares, high=3, names=names, counted="cells of sea", says=says)
        yield Connected("sea", 1, "cells of sea", says="the black cells are connected")
        yield Islands("island", 0, self.grid)

    @classmethod
    def drawn(cls, shape: tuple[int, int], rng: Rng) -> Self:
        """Cells of pools become land, one by one, where the sea stays connected."""
        squares = windows(shape, 2, 2)
        for _ in range(TRIES):
            sea = np.ones(shape, dtype=np.int64)
            while len(pools := squares[sea.ravel()[squares].all(axis=1)]):
                cells = rng.permutation(pools[int(rng.integers(len(pools)))]).tolist()
                changed = next((new for c in cells if (new := _changed(sea, c)) is not None), None)
                if changed is None:
                    break
                sea = changed
            else:
                return cls._of(sea, rng)
        raise SolverFailed(f"found no sea of {shape[0]} x {shape[1]} without pools")

    @classmethod
    def _of(cls, sea: IntArray, rng: Rng, before: IntArray | None = None) -> Self:
        """The board of a sea; each number stays where it was, if it can, or is put anywhere."""
        grid = np.zeros_like(sea)
        for island in groups(scipy.ndimage.label(sea == 0)[0])[1:]:
            kept = island[before.ravel()[island] != 0] if before is not None else island
            grid.flat[rng.choice(kept if len(kept) else island)] = len(island)
        return cls(grid=grid, solution=sea)

    def excluding(self, other: IntArray, rng: Rng) -> Self | None:
        """A cell where the other solution differs changes, or the number of its island moves."""
        solution = np.asarray(self.solution)
        for cell in rng.permutation(np.flatnonzero(solution != other)).tolist():
            sea = _changed(solution, cell)
            if sea is not None and not sea.ravel()[windows(sea.shape, 2, 2)].all(axis=1).any():
                return self._of(sea, rng, self.grid if rng.random() < 0.7 else None)
        return None
