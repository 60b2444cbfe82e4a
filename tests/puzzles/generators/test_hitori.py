"""Generated hitoris: shadings, fillings, repair, and one solution."""

from functools import cache
from itertools import product

import numpy as np
import pytest

from qubopuzzle import Hitori, InputError, solve
from qubopuzzle.compile.incremental import second_solution
from qubopuzzle.puzzles.generators.hitori import HitoriGenerator, _filling, _Numbers
from qubopuzzle.puzzles.vocabulary.drawing import random_shading
from qubopuzzle.reasons.generate import make

GENERATOR = HitoriGenerator(Hitori)


def made(shape, seed):
    return make(GENERATOR, shape, {}, np.random.default_rng(seed))


def broken(shading):
    """The rules of shading that it breaks."""
    return {v.rule for v in Hitori(np.zeros_like(shading)).violations(shading)}


@cache
def shadings(shape):
    """All by the rules of shading."""
    found = []
    for bits in product((0, 1), repeat=shape[0] * shape[1]):
        shading = np.array(bits).reshape(shape)
        apart = (
            not (shading[1:] & shading[:-1]).any() and not (shading[:, 1:] & shading[:, :-1]).any()
        )
        if apart and "connected" not in broken(shading):
            found.append(shading)
    return found


@pytest.mark.parametrize("shape", [(1, 3), (3, 1), (2, 2), (2, 3), (1, 6), (3, 3), (4, 2)])
def test_tiny_puzzles_have_one_solution_of_all_shadings(shape):
    for seed in range(5):
        puzzle = made(shape, seed)
        found = [answer for answer in shadings(shape) if not puzzle.violations(answer)]
        assert len(found) == 1
        assert (found[0] == puzzle.solution).all()


@pytest.mark.parametrize("shape", [(5, 5), (4, 7), (8, 8), (9, 3)])
def test_puzzles_have_one_solution(shape):
    for seed in range(4):
        puzzle = made(shape, seed)
        assert solve(puzzle, "sat", solutions=2).unique
        assert puzzle.grid.min() >= 1
        assert puzzle.grid.max() <= max(shape)


def test_the_seed_tells_the_puzzle():
    grids = [made((6, 6), seed).grid.tolist() for seed in (1, 1, 2)]
    assert grids[0] == grids[1] != grids[2]


@pytest.mark.parametrize("shape", [(1, 1), (1, 2), (2, 1)])
def test_sizes_that_no_puzzle_has_are_refused(shape):
    with pytest.raises(InputError, match="never has one solution"):
        GENERATOR.check(shape, {})


@pytest.mark.parametrize("shape", [(1, 5), (3, 3), (4, 6), (7, 7)])
def test_no_cell_can_be_added_to_a_shading(shape):
    for seed in range(5):
        shading = random_shading(shape, np.random.default_rng(seed))
        assert not broken(shading)
        for cell in np.argwhere(shading == 0).tolist():
            more = shading.copy()
            more[tuple(cell)] = 1
            assert broken(more)


@pytest.mark.parametrize("shape", [(1, 5), (4, 4), (3, 7), (9, 9), (9, 4)])
def test_a_filling_repeats_nothing(shape):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        for shading in (random_shading(shape, rng), np.zeros(shape, dtype=np.int64)):
            filling = _filling(shading, rng)
            assert ((filling > 0) == (shading == 0)).all()
            assert filling.max() <= max(shape)
            for line in (*filling, *filling.T):
                numbers = line[line > 0].tolist()
                assert len(set(numbers)) == len(numbers)


def test_each_board_excludes_the_solutions_met():
    """Maximal shadings by the rules alone, most of them far from any solution."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        shading = random_shading((3, 4), rng)
        numbers, met = _Numbers(shading, rng), []
        for other in shadings((3, 4)):
            board = Hitori(grid=numbers.grid, solution=shading)
            if (other == shading).all() or board.violations(other):
                continue
            if not numbers.exclude(other):
                break
            met.append(other)
            board = Hitori(grid=numbers.grid, solution=shading)
            assert all(board.violations(one) for one in met)
            assert not board.violations(shading)


def test_boards_exclude_what_they_are_sent():
    sent = 0
    for seed in range(20):
        boards = GENERATOR.boards((7, 7), {}, np.random.default_rng(seed))
        board = next(boards)
        while (
            other := second_solution(GENERATOR.switchable_model(board), board.solution)
        ) is not None:
            board, last = boards.send(other), board
            assert board.violations(other)
            assert not last.violations(other)
            sent += 1
    assert sent > 5
