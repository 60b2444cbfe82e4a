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

from collections.abc import Iterator
from itertools import permutations, product
from typing import Any

import numpy as np

from qubopuzzle.compile.incremental import (
    IncrementalSat,
    Random,
    SwitchableModel,
    random_answer,
)
from qubopuzzle.errors import InputError
from qubopuzzle.model import FALSE, Field, IntArray, Model, ModelBuilder
from qubopuzzle.puzzles.easyasabc.rules import SIDES, EasyAsABC, views
from qubopuzzle.puzzles.generator import Boards, GeneratorOption, Options, PuzzleGenerator, Shape


class EasyAsABCGenerator(PuzzleGenerator[EasyAsABC]):
    """The clues are the letters that the borders see."""

    usual = (5, 5)
    conflicts = (2, 4)
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
        blank = _Blank(size, letters)
        grid = random_answer(blank.build(), [blank.x[:, 1:].ravel()], rng)
        borders = _Blank(size, letters)
        every = borders.clues()
        with (
            IncrementalSat(SwitchableModel(blank.build())) as grids,
            IncrementalSat(SwitchableModel(borders.build(), every)) as others,
        ):
            while grid is not None:
                board = _board(grid, letters)
                clues = [i * letters + letter - 1 for i, letter in enumerate(_borders(grid))]
                other = others.nearest(clues, grid, rng)
                if other is None:
                    other = yield board
                _exclude(grids, blank, grid.ravel(), other.ravel())
                solution = grids.solve(())
                grid = None if solution is None else grids.answer(solution)

    def switchable_model(self, board: EasyAsABC) -> SwitchableModel:
        """Each letter of the borders under a switch."""
        blank = _Blank(board.size, board.letters)
        every = blank.clues()
        clues = enumerate(_borders(np.asarray(board.solution)))
        return SwitchableModel(blank.build(), [every[i * board.letters + k - 1] for i, k in clues])


# --- grids and their borders -----------------------------------------------------------


def _borders(grid: IntArray) -> list[int]:
    """The letter that each end sees."""
    seen = grid.ravel()[views(len(grid))]
    first: list[int] = seen[np.arange(len(seen)), np.argmax(seen > 0, axis=1)].tolist()
    return first


def _board(grid: IntArray, letters: int) -> EasyAsABC:
    marks = np.reshape(_borders(grid), (4, -1)).tolist()
    sides: dict[str, Any] = dict(zip(SIDES, marks, strict=True))
    return EasyAsABC(len(grid), letters, **sides, solution=grid)


class _Blank:
    """A blank grid in a builder: each letter once in every line.

    ``x`` (cells, letters + 1) are the literals "the cell holds that letter".
    """

    def __init__(self, size: int, letters: int) -> None:
        self.size, self.builder, self._n_switches = size, ModelBuilder(), 0
        values = range(int(letters == size), letters + 1)
        self.x = np.full((size * size, letters + 1), FALSE)
        for cell in range(size * size):
            choice = self.builder.choice(f"cell[{cell // size},{cell % size}]", values)
            self.x[cell, values.start :] = choice.literals
        lines = self.x[views(size)[size : 3 * size], 1:]  # one end of each line will do
        self.builder.exactly_one("line", lines.swapaxes(1, 2).reshape(-1, size))

    def clues(self) -> list[IntArray]:
        """Switches for "this end sees that letter", end by end and letter by letter.

        With s for the switch: at no place may another letter stand, and this one there or
        behind it.
        """
        switches = []
        ahead = np.triu(np.ones((self.size, self.size), dtype=bool))
        for (i, line), letter in product(enumerate(views(self.size)), range(1, self.x.shape[1])):
            switch = self.builder.bit(f"sees[{i},{letter}]").literals[1:]
            others = np.delete(self.x[line], [0, letter], axis=1)
            later = np.where(ahead, self.x[line, letter], FALSE)
            terms = np.column_stack([np.repeat(switch, self.size), others, later])
            row, shape = np.indices(terms.shape)[0].ravel(), (self.size,)
            self.builder.linear("sees", row, terms.ravel(), upper=2, shape=shape)
            switches.append(np.array(switch))
        self._n_switches += len(switches)
        return switches

    def build(self) -> Model:
        """The model; answers are written with all switches on."""
        cell, letter = np.indices(self.x.shape).reshape(2, -1)
        view = self.builder.view("cells", cell, self.x.ravel(), letter, n_cells=len(self.x))
        shape, on = (self.size, self.size), [1] * self._n_switches

        def write(answer: IntArray) -> list[int]:
            return [*answer.ravel().tolist(), *on]

        return self.builder.build(Field(shape, 0, self.x.shape[1] - 1, (view,), write))


# --- changes that change no clue -------------------------------------------------------


def _exclude(grids: IncrementalSat, blank: _Blank, one: IntArray, other: IntArray) -> None:
    """No grid from now on in which the change from one to the other goes unnoticed."""
    changed = one != other
    seen = [
        variable
        for line in views(blank.size)
        if changed[line].any()
        for variable in _noticed(grids, blank, line, one, other)
    ]
    cells = np.flatnonzero(changed)
    used = np.unique([one[cells], other[cells], np.zeros_like(cells)])
    for names in permutations(range(1, blank.x.shape[1]), len(used) - 1):
        renamed = np.zeros(blank.x.shape[1], dtype=np.int64)
        renamed[used[1:]] = names
        for grid in (one, other):
            literals = grids.assumptions(blank.x[cells, renamed[grid[cells]]])
            grids.add([*(-literal for literal in literals), *seen])


def _noticed(
    grids: IncrementalSat, blank: _Blank, line: IntArray, one: IntArray, other: IntArray
) -> Iterator[int]:
    """A variable that is true only if this end sees the change; none if it never does."""
    changed = one[line] != other[line]
    (p, a), (q, b) = (_first(np.where(changed, grid[line], 0)) for grid in (one, other))
    before, between = (
        line[start:stop][~changed[start:stop]]
        for start, stop in ((0, min(p, q)), (min(p, q), max(p, q)))
    )
    blanks = blank.x[:, 0]
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
