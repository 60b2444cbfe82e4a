"""Difficulty: what the way to a solution says of a puzzle."""

import numpy as np
import pytest

from qubopuzzle import InputError, generate, steps
from qubopuzzle.generation.difficulty import CELL_LIMIT, LEVELS, Difficulty, measure
from qubopuzzle.generation.generate import Order, generate_one
from qubopuzzle.puzzles import get_puzzle, puzzle_names

EXAMPLES = [example for name in puzzle_names() for example in get_puzzle(name).examples()[:2]]
HARDEST = {"easy": range(3), "medium": range(3, 5), "hard": range(5, 1000)}
"""Clues and rules that the hardest step of a puzzle of each level needs at once."""


@pytest.mark.parametrize("puzzle", EXAMPLES, ids=lambda puzzle: puzzle.id)
def test_it_is_the_way_of_hints(puzzle):
    widths = [len(step.reasons) for step in steps(puzzle)]
    found = measure(puzzle)
    assert found == Difficulty(len(widths), sum(widths), max(widths, default=0))
    assert found.hardest in HARDEST[found.level]
    for level in LEVELS:
        is_beyond = LEVELS.index(found.level) > LEVELS.index(level)
        assert measure(puzzle, level) == (None if is_beyond else found)


@pytest.mark.parametrize("level", LEVELS)
def test_levels_go_by_the_hardest_step_alone(level):
    for hardest in HARDEST[level]:
        assert Difficulty(9, 9, hardest).level == level
        assert Difficulty(900, 2000, hardest).level == level


def test_it_does_not_depend_on_the_solution_that_a_board_has():
    (board,) = generate("sudoku", size=(4, 4), seed=3)
    assert measure(type(board)(grid=np.array(board.grid))) == measure(board)


def test_large_boards_are_made_without_it():
    order = Order("nonogram", size=(20, 32), seed=1)
    made = generate_one(order, 0)
    assert made.difficulty is None
    assert made.sweeps is not None
    with pytest.raises(InputError, match=f"boards of up to {CELL_LIMIT} cells, and 20 x 32"):
        Order("nonogram", size=(20, 32), difficulty="easy")
