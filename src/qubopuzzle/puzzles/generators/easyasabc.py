"""Easy as ABC: a grid that its borders determine, then clues dropped from the borders.

Of larger random grids hardly any is fixed by its borders. So a grid is looked for by
counterexamples (as in 2QBF by abstraction, Janota and Marques-Silva, SAT 2011, 230-244). If
another grid has the same borders, the cells in which they differ are a
**change** that changes no clue: from then on no grid is taken in which it could be made.

A change of some cells goes unnoticed in any grid that has them as the one or the other grid,
if no line sees from its end another first letter after it. A line that the change touches
does if, with p and q the places of the first letter among the changed cells before and after,
the other cells before both are blank, and the letters differ; or if they are one letter, and
one of the other cells between p and q is filled. The same with the letters exchanged.
"""

import math
from collections.abc import Iterator
from itertools import permutations, product
from typing import Any

import numpy as np

from qubopuzzle.compile.incremental import IncrementalSat, Random, SwitchableModel, random_answer
from qubopuzzle.errors import InputError
from qubopuzzle.model import FALSE, IntArray
from qubopuzzle.puzzles.easyasabc import EasyAsABC
from qubopuzzle.puzzles.generator import (
    Boards,
    GeneratorOption,
    Options,
    PuzzleGenerator,
    Shape,
)
from qubopuzzle.puzzles.vocabulary.cells import Cells
from qubopuzzle.puzzles.vocabulary.kind import cells_of_rules
from qubopuzzle.puzzles.vocabulary.rules import Different
from qubopuzzle.puzzles.vocabulary.views import SIDES, lines_from


class EasyAsABCGenerator(PuzzleGenerator[EasyAsABC]):
    """The clues are the letters that the borders see."""

    usual = (5, 5)
    clue_fields = SIDES
    options = (GeneratorOption("letters", 3, "how many letters", 1, 26),)

    def check(self, shape: Shape, options: Options) -> None:
        """Square, with room for the letters."""
        if shape[0] != shape[1]:
            raise InputError("an Easy as ABC has as many rows as columns")
        if options["letters"] > shape[0]:
            raise InputError(f"{options['letters']} letters do not fit a line of {shape[0]} cells")

    def boards(self, shape: Shape, options: Options, rng: Random) -> Boards[EasyAsABC]:
        """Grids in which no change is possible that was met so far."""
        size, letters = shape[0], options["letters"]
        cells = _cells(size, letters)
        grid = random_answer(cells.build(), [cells.literals[:, 1:].ravel()], rng)
        with (
            IncrementalSat(SwitchableModel(cells.build())) as grids,
            IncrementalSat(_switched(size, letters)) as others,
        ):
            while grid is not None:
                borders = _borders(grid)
                clues = [end * letters + k - 1 for end, k in enumerate(borders)]
                other = others.nearest(clues, grid, rng)
                if other is None:
                    sides: Any = np.reshape(borders, (4, size))
                    other = yield EasyAsABC(size, letters, *sides, solution=grid)
                _exclude(grids, cells.literals, grid.ravel(), other.ravel())
                solution = grids.solve(())
                grid = None if solution is None else grids.answer(solution)

    def switchable_model(self, board: EasyAsABC) -> SwitchableModel:
        """Each letter of the borders under a switch."""
        every = _switched(board.size, board.letters)
        clues = enumerate(_borders(np.asarray(board.solution)))
        switches = [every.switches[end * board.letters + k - 1] for end, k in clues]
        return SwitchableModel(every.model, switches)


# --- grids and their borders -----------------------------------------------------------


def _lines(size: int) -> IntArray:
    """The cells that each end sees, (4 * size, size)."""
    return np.concatenate([*lines_from(np.arange(size * size).reshape(size, size)).values()])


def _borders(grid: IntArray) -> list[int]:
    """The letter that each end sees."""
    seen = grid.ravel()[_lines(len(grid))]
    first: list[int] = seen[np.arange(len(seen)), np.argmax(seen > 0, axis=1)].tolist()
    return first


def _cells(size: int, letters: int) -> Cells:
    """Each letter once in every line."""
    lines = [*_lines(size)[size : 3 * size]]  # one end of each line will do
    once = Different("line", lines, range(1, letters + 1), every=True)
    return cells_of_rules(EasyAsABC(size, letters), [once])


def _switched(size: int, letters: int) -> SwitchableModel:
    """Switches for "this end sees that letter" as well, end by end and letter by letter.

    With s for the switch: at no place may another letter stand, and this one there or behind it.
    """
    cells, switches = _cells(size, letters), []
    ahead = np.triu(np.ones((size, size), dtype=bool))
    for (i, line), letter in product(enumerate(_lines(size)), range(1, letters + 1)):
        switch = cells.builder.bit(f"sees[{i},{letter}]").literals[1:]
        others = np.delete(cells.literals[line], [0, letter], axis=1)
        later = np.where(ahead, cells.literals[line, letter], FALSE)
        terms = np.column_stack([np.repeat(switch, size), others, later])
        row = np.indices(terms.shape)[0].ravel()
        cells.builder.linear("sees", row, terms.ravel(), upper=2, shape=(size,))
        switches.append(np.array(switch))
    return SwitchableModel(cells.build(), switches)


# --- changes that change no clue -------------------------------------------------------


def _exclude(grids: IncrementalSat, x: IntArray, one: IntArray, other: IntArray) -> None:
    """No grid from now on in which the change from one to the other goes unnoticed.

    ``x`` are the literals of each letter in each cell, (cells, letters + 1).
    """
    changed = one != other
    seen = [
        variable
        for line in _lines(math.isqrt(len(x)))
        if changed[line].any()
        for variable in _noticed(grids, x[:, 0], line, one, other)
    ]
    cells = np.flatnonzero(changed)
    used = np.unique([one[cells], other[cells], np.zeros_like(cells)])
    for names in permutations(range(1, x.shape[1]), len(used) - 1):
        renamed = np.zeros(x.shape[1], dtype=np.int64)
        renamed[used[1:]] = names
        for grid in (one, other):
            literals = grids.assumptions(x[cells, renamed[grid[cells]]])
            grids.add([*(-literal for literal in literals), *seen])


def _noticed(
    grids: IncrementalSat, blanks: IntArray, line: IntArray, one: IntArray, other: IntArray
) -> Iterator[int]:
    """A variable that is true only if this end sees the change; none if it never does."""
    changed = one[line] != other[line]
    (p, a), (q, b) = (_first(np.where(changed, grid[line], 0)) for grid in (one, other))
    before, between = (
        line[start:stop][~changed[start:stop]]
        for start, stop in ((0, min(p, q)), (min(p, q), max(p, q)))
    )
    if (a == b and not len(between)) or (blanks[before] < 0).any():
        return
    noticed = grids.new_variable()
    for literal in grids.assumptions(blanks[before]):
        grids.add([-noticed, literal])
    if a == b and (blanks[between] >= 0).all():
        grids.add([-noticed, *(-literal for literal in grids.assumptions(blanks[between]))])
    yield noticed


def _first(letters: IntArray) -> tuple[int, int]:
    """The place and the letter that is seen first; the line's end and 0 if there is none."""
    at = np.flatnonzero(letters)
    return (int(at[0]), int(letters[at[0]])) if len(at) else (len(letters), 0)
