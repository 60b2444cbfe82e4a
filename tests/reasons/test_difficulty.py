"""Difficulty: what the way to a solution says of a puzzle."""

from itertools import permutations

import numpy as np
import pytest

from qubopuzzle import InputError, generate
from qubopuzzle.puzzles.generator import find_generator, read_options
from qubopuzzle.reasons.difficulty import CELL_LIMIT, LEVELS, Difficulty, measure
from qubopuzzle.reasons.generate import DRAWN, Order, generate_one, make


def test_the_hardest_step_counts_before_all_others_together():
    ways = [Difficulty(2, 9, 7), Difficulty(2, 90, 6), Difficulty(2, 90, 60), Difficulty(3, 8, 5)]
    assert [sorted(way) for way in permutations(ways)] == [ways] * 24


@pytest.mark.parametrize("kind", ["kurodoko", "nonogram", "easyasabc"])
def test_levels_are_those_of_five_boards(kind):
    size = (5, 5)
    rng = np.random.default_rng([4, 0])
    generator = find_generator(kind)
    boards = [make(generator, size, read_options(generator, {}), rng) for _ in range(DRAWN)]
    ways = sorted(map(measure, boards))
    orders = [Order(kind, size=size, seed=4, difficulty=level) for level in LEVELS]
    chosen = [generate_one(order, 0).difficulty for order in orders]
    assert chosen == [ways[0], ways[2], ways[4]]


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
