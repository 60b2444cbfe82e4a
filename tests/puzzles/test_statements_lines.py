"""Statements of puzzles of lines, loops, pieces and runs: what each asks for, and its words."""

from itertools import product

import numpy as np
import pytest

from qubopuzzle import Nonogram
from qubopuzzle.compile.oracle import Oracle
from qubopuzzle.model import FALSE, TRUE


def literals_of(stated, grid):
    """The literals that say each cell's value; None where one cannot have it."""
    place = np.searchsorted(stated.values, grid.ravel())
    literals = stated.literals[np.arange(grid.size), place]
    return None if (literals == FALSE).any() else literals[literals != TRUE].tolist()


def allows(oracle, statements, grid):
    literals = literals_of(oracle.stated, grid)
    return literals is not None and oracle.solve(statements, literals) is not None


def grids(shape, values):
    for cells in product(values, repeat=shape[0] * shape[1]):
        yield np.reshape(cells, shape)


# --- nonograms -------------------------------------------------------------------------------


@pytest.mark.parametrize(("shape", "signs"), [((2, 3), ".#"), ((2, 2), ".ab")])
def test_lines_of_a_nonogram_are_what_their_clues_say(shape, signs):
    rng, values = np.random.default_rng(1), range(len(signs))
    for picture in list(grids(shape, values))[:: len(signs)]:
        puzzle = Nonogram.from_picture(picture, signs)
        stated = puzzle.stated()
        lines = [*picture, *picture.T]
        x = stated.model.assignment(stated.model.field.write(picture))
        assert x[literals_of(stated, picture)].all()
        kept = [i for i in range(len(lines)) if rng.random() < 0.6]
        with Oracle(stated) as oracle:
            for grid in grids(shape, values):
                clues = Nonogram.from_picture(grid, signs)
                others = [*clues.rows, *clues.cols]
                right = [others[i] == [*puzzle.rows, *puzzle.cols][i] for i in kept]
                assert allows(oracle, kept, grid) == all(right)


def test_lines_of_a_nonogram_in_words():
    puzzle = Nonogram(rows=["2 1", "", "3"], cols=["1 1", "1 1", "1", "1"])
    statements = puzzle.stated().statements
    assert [s.name for s in statements][:4] == [
        "row 1: 2 1",
        "row 2: no black cell",
        "row 3: 3",
        "column 1: 1 1",
    ]
    assert all(s.is_clue for s in statements)
    assert statements[3].cells == ((0, 0), (1, 0), (2, 0))
    grid = np.array([[1, 1, 0, 1], [0, 0, 0, 0], [1, 1, 1, 0]])
    known = np.arange(12).reshape(3, 4) < 7
    words = [s.words(grid, known) for s in statements]
    assert words[0] == "row 1 (2 1): all 3 black cells known, 0 cells open"
    assert words[1] == "row 2: no black cell"
    assert words[2] == "row 3: 3"
    assert words[3] == "column 1 (1 1): 1 of 2 black cells known, 1 cell open"
    assert statements[3].words(grid, known & False) == "column 1: 1 1"


def test_a_clue_that_does_not_fit_its_line_contradicts_itself():
    puzzle = Nonogram(rows=["2 2", "1"], cols=["1", "1", "1", "1"])
    with Oracle(puzzle.stated()) as oracle:
        needed = oracle.minimal(range(6))
        assert [oracle.stated.statements[i].name for i in needed] == ["row 1: 2 2"]
        assert oracle.solve(range(1, 6)) is not None


def test_colours_of_a_nonogram_in_words():
    puzzle = Nonogram(rows=["1a 2b", ""], cols=["1a", "1b", "1b"])
    names = [s.name for s in puzzle.stated().statements]
    assert names[:3] == ["row 1: 1a 2b", "row 2: no coloured cell", "column 1: 1a"]
