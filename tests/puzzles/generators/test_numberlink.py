"""Generated numberlinks: covers, repair, and one solution."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from qubopuzzle import InputError, Numberlink, solve
from qubopuzzle.compile.incremental import second_solution
from qubopuzzle.puzzles.generator import read_options
from qubopuzzle.puzzles.generators.numberlink import NumberlinkGenerator, _Paths
from qubopuzzle.puzzles.vocabulary.grids import cells_of
from qubopuzzle.puzzles.vocabulary.paths import components
from qubopuzzle.reasons.generate import make

GENERATOR = NumberlinkGenerator(Numberlink)


def made(shape, seed, cover=1):
    return make(GENERATOR, shape, {"cover": cover}, np.random.default_rng(seed))


def every_answer(shape):
    """All choices of sides between cells."""
    rows, columns = shape
    n_right, n_down = rows * (columns - 1), (rows - 1) * columns
    for bits in map(np.array, product((0, 1), repeat=n_right + n_down)):
        right = np.reshape(bits[:n_right], (rows, columns - 1))
        down = np.reshape(bits[n_right:], (rows - 1, columns))
        answer = np.zeros(shape, dtype=np.int64)
        answer[:, :-1] += right
        answer[:, 1:] += 4 * right
        answer[:-1] += 2 * down
        answer[1:] += 8 * down
        yield answer


@pytest.mark.parametrize("cover", [0, 1])
@pytest.mark.parametrize(
    ("shape", "seeds"),
    [((1, 2), 2), ((2, 1), 2), ((1, 7), 3), ((2, 2), 8), ((2, 3), 5), ((4, 2), 2), ((3, 3), 1)],
)
def test_tiny_puzzles_have_one_solution_of_all_answers(shape, seeds, cover):
    for seed in range(seeds):
        puzzle = made(shape, seed, cover)
        found = [answer for answer in every_answer(shape) if not puzzle.violations(answer)]
        assert len(found) == 1
        assert (found[0] == puzzle.solution).all()


@pytest.mark.parametrize("cover", [0, 1])
@pytest.mark.parametrize("shape", [(5, 5), (4, 7), (7, 7), (9, 2)])
def test_puzzles_have_one_solution(shape, cover):
    for seed in range(3):
        puzzle = made(shape, seed, cover)
        assert puzzle.cover == bool(cover)
        assert solve(puzzle, "sat", solutions=2).unique
        assert (puzzle.solution > 0).all()


def test_pairs_are_numbered_in_order():
    for seed in range(5):
        numbers = [number for number in made((6, 5), seed).grid.ravel().tolist() if number]
        assert list(dict.fromkeys(numbers)) == list(range(1, len(numbers) // 2 + 1))


def test_the_seed_tells_the_puzzle():
    grids = [made((6, 6), seed).grid.tolist() for seed in (1, 1, 2)]
    assert grids[0] == grids[1] != grids[2]


def test_what_no_puzzle_has_is_refused():
    for shape in ((1, 1), (20, 41)):
        with pytest.raises(InputError, match="2 to 800 cells"):
            GENERATOR.check(shape, {"cover": 1})
    for shape in ((1, 2), (20, 40)):
        GENERATOR.check(shape, {"cover": 1})
    with pytest.raises(InputError, match="cover"):
        read_options(GENERATOR, {"cover": 2})


def touching(answer):
    """Cells of one path side by side that are not joined."""
    walks = [cells_of(numbers, answer.shape[1]) for numbers, _ in components(answer)]
    path = {cell: i for i, cells in enumerate(walks) for cell in cells}
    return [
        (r, c)
        for (r, c), i in path.items()
        if (path.get((r, c + 1)) == i and not answer[r, c] & 1)
        or (path.get((r + 1, c)) == i and not answer[r, c] & 2)
    ]


@pytest.mark.parametrize("shape", [(1, 5), (2, 2), (3, 3), (6, 7), (10, 10)])
def test_covers_are_of_paths_that_do_not_touch_themselves(shape):
    lengths = Counter()
    for seed in range(5):
        paths = _Paths(shape, np.random.default_rng(seed))
        paths.draw()
        answer = paths.board(cover=True).solution
        assert not touching(answer)
        assert not any(closed for _, closed in components(answer))
        lengths.update(len(cells) for cells, _ in components(answer))
    assert min(lengths) >= 2
    if shape == (10, 10):
        assert 6 <= lengths.total() / 5 <= 20
        assert lengths[2] <= 2


@pytest.mark.parametrize("cover", [0, 1])
def test_boards_exclude_what_they_are_sent(cover):
    sent = 0
    for seed in range(8):
        boards = GENERATOR.boards((6, 6), {"cover": cover}, np.random.default_rng(seed))
        board = next(boards)
        while (
            other := second_solution(GENERATOR.switchable_model(board), board.solution)
        ) is not None:
            assert not touching(board.solution)
            board, last = boards.send(other), board
            assert board.violations(other)
            assert not last.violations(other)
            sent += 1
    assert sent > 0


def test_a_board_does_not_become_the_other_solution():
    """On a square there are two covers without paths that touch themselves."""
    covers = ([[1, 4], [1, 4]], [[2, 2], [8, 8]])
    for seed in range(10):
        paths = _Paths((2, 2), np.random.default_rng(seed))
        paths.draw()
        board = paths.board(cover=True)
        i = covers.index(board.solution.tolist())
        paths.redraw(board, np.array(covers[1 - i]))
        assert paths.board(cover=True).solution.tolist() == covers[i]
