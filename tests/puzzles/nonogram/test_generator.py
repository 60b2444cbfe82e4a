from functools import cache
from itertools import product

import numpy as np
import pytest

import qubopuzzle
from qubopuzzle.compile.incremental import second_solution
from qubopuzzle.errors import InputError
from qubopuzzle.puzzles.generator import find_generator, read_options
from qubopuzzle.puzzles.nonogram.generator import random_picture
from qubopuzzle.puzzles.nonogram.lines import (
    best_flipped,
    flipped,
    flips_of,
    line_solvable,
    solve_lines,
    some_flips,
    undetermined,
)
from qubopuzzle.puzzles.vocabulary.grids import runs
from qubopuzzle.reasons.generate import make

GENERATOR = find_generator("nonogram")


def _make(shape, seed, **settings):
    return make(GENERATOR, shape, read_options(GENERATOR, settings), np.random.default_rng(seed))


@cache
def _paintings(n, colours):
    """All paintings of a line, (paintings, cells), by their runs."""
    by_runs = {}
    for painting in product(range(colours + 1), repeat=n):
        by_runs.setdefault(tuple(runs(painting)), []).append(painting)
    return {key: np.array(paintings) for key, paintings in by_runs.items()}


def _told_by_paintings(grid, colours):
    """Line by line, by all paintings of each line."""
    known = np.full(grid.shape, (2 << colours) - 1)
    busy = True
    while busy:
        busy = False
        for pictures, found in ((grid, known), (grid.T, known.T)):
            for line, cells in zip(pictures, found, strict=True):
                fitting = _paintings(len(line), colours)[tuple(runs(line))]
                fitting = fitting[(cells >> fitting & 1).all(axis=1)]
                can_be = np.bitwise_or.reduce(1 << fitting)
                busy = busy or (can_be != cells).any()
                cells[:] = can_be
    return known


@pytest.mark.parametrize("colours", [1, 2, 3])
@pytest.mark.parametrize("seed", range(40))
def test_lines_tell_what_all_their_paintings_have_in_common(seed, colours):
    rng = np.random.default_rng(seed)
    grid = (rng.random(rng.integers(1, 9 if colours < 3 else 6, 2)) < rng.random()).astype(np.int64)
    grid *= rng.integers(1, colours + 1, grid.shape)
    most = max(1, grid.max())
    cells = solve_lines(grid)
    assert (cells == _told_by_paintings(grid, most)).all()
    assert (cells >> grid & 1).all()
    some = rng.integers(grid.size, size=5)
    flips = np.stack([flips_of(grid, some, most, rng), np.full(5, -1)], axis=1)
    assert (flipped(grid, flips[0]) != grid).sum() == 1
    after = [len(undetermined(flipped(grid, flip))) for flip in flips]
    best = flipped(grid, flips[after.index(min(after))])
    assert (best_flipped(grid, flips) == best).all()


@pytest.mark.parametrize("lines", [0, 1])
@pytest.mark.parametrize("mirror", [0, 1])
@pytest.mark.parametrize("smooth", [0, 1])
@pytest.mark.parametrize("colours", [1, 3])
def test_one_solution(smooth, mirror, lines, colours):
    settings = {"smooth": smooth, "mirror": mirror, "lines": lines, "colours": colours}
    for seed in range(3):
        puzzle = _make((9, 11), seed, black=45, **settings)
        assert len(puzzle.signs) == 1 + colours
        assert puzzle.shape == (9, 11)
        assert qubopuzzle.solve(puzzle, "sat", solutions=2).unique
        grid = puzzle.solution
        assert not lines or not len(undetermined(grid))
        assert not mirror or (grid == grid[:, ::-1]).all()


@pytest.mark.parametrize("seed", range(6))
def test_one_solution_of_all_pictures(seed):
    puzzle = _make((3, 4), seed, smooth=0, lines=seed % 2)
    pictures = (np.reshape(cells, (3, 4)) for cells in product((0, 1), repeat=12))
    assert sum(not puzzle.violations(picture) for picture in pictures) == 1


@pytest.mark.parametrize("shape", [(1, 1), (1, 6), (5, 1), (2, 2), (30, 2)])
def test_narrow_pictures(shape):
    board = _make(shape, 0, smooth=0, lines=0)
    assert second_solution(GENERATOR.switchable_model(board), board.solution) is None


def test_the_seed_decides():
    one, again, other = (_make((10, 10), seed) for seed in (1, 1, 2))
    assert (one.rows, one.cols) == (again.rows, again.cols)
    assert one.rows != other.rows


@pytest.mark.parametrize("mirror", [0, 1])
def test_no_board_has_the_other_solution_of_the_last(mirror):
    settings = read_options(GENERATOR, {"smooth": 0, "lines": 0, "black": 35, "mirror": mirror})
    boards = GENERATOR.boards((8, 8), settings, np.random.default_rng(3))
    board, steps = next(boards), 0
    while steps < 20:
        other = second_solution(GENERATOR.switchable_model(board), board.solution)
        if other is None:
            # A board with one solution is left only for another random one.
            boards = GENERATOR.boards((8, 8), settings, np.random.default_rng(steps))
            board = next(boards)
        else:
            assert not board.violations(other)
            board = boards.send(other)
            assert board.violations(other)
        steps += 1


@pytest.mark.parametrize("black", [1, 30, 70, 99])
@pytest.mark.parametrize("mirror", [0, 1])
def test_random_pictures_have_no_empty_line(black, mirror):
    settings = read_options(GENERATOR, {"black": black, "mirror": mirror})
    grid = random_picture((20, 15), settings, np.random.default_rng(0))
    assert grid.any(axis=0).all()
    assert grid.any(axis=1).all()
    assert black == 1 or abs(100 * grid.mean() - black) < 3


def test_flips_come_with_their_images():
    grid = np.ones((4, 5), dtype=np.int64)
    flips = some_flips(grid, np.arange(20), np.random.default_rng(0), mirrored=True)
    assert {tuple(flip) for flip in flips.tolist()} >= {(0, 4), (2, -1), (16, 18)}


def test_flips_leave_no_line_empty():
    grid = np.eye(3, dtype=np.int64)
    flips = some_flips(grid, np.arange(9), np.random.default_rng(0), mirrored=False)
    assert sorted((flips % grid.size).ravel().tolist()) == [1, 2, 3, 5, 6, 7]
    some_flips(grid, np.array([0]), np.random.default_rng(0), mirrored=False)


def test_flips_of_large_pictures_are_of_several_cells():
    grid = np.random.default_rng(0).integers(0, 2, (50, 50))
    flips = some_flips(grid, np.arange(2500), np.random.default_rng(0), mirrored=False)
    assert flips.shape[0] == 20
    assert flips.shape[1] > 1
    assert len(np.unique(flips)) == flips.size


def test_too_many_flips():
    grid = np.eye(6, dtype=np.int64)
    assert line_solvable(grid, np.random.default_rng(0), 1, mirrored=False) is None


@pytest.mark.parametrize("shape", [(101, 5), (5, 101)])
def test_too_large(shape):
    with pytest.raises(InputError, match="at most"):
        GENERATOR.check(shape, read_options(GENERATOR, {}))


@pytest.mark.parametrize(("name", "value"), [("black", 0), ("black", 100), ("lines", 2)])
def test_settings_that_are_none(name, value):
    with pytest.raises(InputError, match=name):
        read_options(GENERATOR, {name: value})
