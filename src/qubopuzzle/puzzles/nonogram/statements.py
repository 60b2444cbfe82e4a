"""The clue of each line of a nonogram as a statement, in the words of players."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from qubopuzzle.model import IntArray
from qubopuzzle.model.statements import Statement
from qubopuzzle.puzzles.nonogram.rules import Clue, Nonogram, run_parts
from qubopuzzle.puzzles.vocabulary.grids import BoolArray, cells_of, lines_of


def statements_of(puzzle: Nonogram) -> Iterator[Statement]:
    """One a line, rows first."""
    clues, painted = (*puzzle.rows, *puzzle.cols), "coloured" if puzzle.colours else "black"
    for (axis, i, cells), clue in zip(lines_of(puzzle.shape), clues, strict=True):
        line = _Line(f"{axis} {i + 1}", clue, cells, painted)
        where = cells_of(cells, puzzle.shape[1])
        yield Statement(axis, line.name, where, is_clue=True, words=line.words)


@dataclass(frozen=True, slots=True, eq=False)
class _Line:
    """A row or column: what it is called, its clue, and its cells."""

    place: str
    clue: Clue
    cells: IntArray
    painted: str

    @property
    def _runs(self) -> str:
        return " ".join(map(str, self.clue))

    @property
    def name(self) -> str:
        """Such as "row 3: 2 1 4" or "column 5: no black cell"."""
        return f"{self.place}: {self._runs or f'no {self.painted} cell'}"

    def words(self, grid: IntArray, known: BoolArray) -> str:
        """The same, and how many of its cells are known."""
        is_known = known.ravel()[self.cells]
        if not self.clue or not is_known.any():
            return self.name
        need = sum(length for length, _ in map(run_parts, self.clue))
        has = int(np.count_nonzero(grid.ravel()[self.cells][is_known]))
        left = int(np.count_nonzero(~is_known))
        share = "all" if has == need else f"{has} of {need}"
        cells = f"{left} cell{'s' * (left != 1)} open" if left else "no cell open"
        return f"{self.place} ({self._runs}): {share} {self.painted} cells known, {cells}"
