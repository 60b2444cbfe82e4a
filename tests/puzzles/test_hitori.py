"""Hitori: all tiny boards against the rules, white cells by reasoning, hostile grids."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from qubopuzzle import Hitori, solve
from qubopuzzle.compile import ENCODINGS
from qubopuzzle.puzzles.vocabulary.grids import lines_of, repeats
from qubopuzzle.puzzles.vocabulary.rules import never_black
from shadings import RANDOM, answers, around, brute, found, met, paintings, zero

FORESTS = ("forest",)


def grids(rows, columns):
    """All grids but for the names of the numbers: each new one is the next; 0 for none."""
    lines = [()]
    for _ in range(rows * columns):
        lines = [(*line, n) for line in lines for n in range(max(line, default=0) + 2)]
    return [np.array(line).reshape(rows, columns) for line in lines]


def check_all(puzzles, every=1):
    """All valid choices of all boards; all bit strings of one in ``every``."""
    counts = Counter()
    for i, puzzle in enumerate(puzzles):
        expected = answers(puzzle)
        counts[len(expected)] += 1
        forest = puzzle.model("forest")
        assert met(puzzle.model("lazy")) == met(forest) == expected
        if i % every == 0:
            assert brute(puzzle) == expected
            assert zero(forest, ENCODINGS[i // every % 2]) == expected
        if i % (4 * every) == 0:
            assert zero(forest, "domain-wall") == expected
    return counts


@pytest.mark.parametrize(
    ("shape", "count"),
    [((1, 1), 2), ((1, 2), 5), ((2, 1), 5), ((1, 3), 15), ((3, 1), 15), ((1, 4), 52), ((2, 2), 52)],
)
def test_every_board_of_up_to_four_cells(shape, count):
    every = [Hitori(grid) for grid in grids(*shape)]
    assert len(every) == count
    check_all(every)


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(2, 3), (3, 2)])
def test_every_board_of_six_cells(shape):
    """Those of 3 by 2 are those of 2 by 3 turned over: a third of them."""
    every = [Hitori(grid) for grid in grids(*shape)]
    assert len(every) == 877
    counts = check_all(every if shape == (2, 3) else every[::3], every=12)
    assert {0, 1, 2, 3} <= set(counts)


def test_a_board_without_repeats_may_stay_white():
    puzzle = Hitori([[1, 2, 3], [2, 3, 1], [3, 1, 2]])
    assert np.zeros((3, 3), dtype=np.int64).tobytes() in brute(puzzle)
    for formulation in ("lazy", *FORESTS):
        result = solve(puzzle, "sat", formulation=formulation, solutions=None)
        assert found(result) == brute(puzzle)


@pytest.mark.parametrize("shape", [(3, 3), (2, 6), (4, 4)])
def test_a_board_of_one_number_has_no_solution(shape):
    """Every line may keep one white cell: too many black ones."""
    puzzle = Hitori(np.ones(shape, dtype=int))
    assert answers(puzzle) == []
    for formulation in ("lazy", *FORESTS):
        for solver in ("sat", "cpsat"):
            assert solve(puzzle, solver, formulation=formulation).status == "infeasible"
    for presolve, status in [("none", "unknown"), ("propagate", "infeasible")]:
        arguments = {"formulation": "forest", "presolve": presolve, "seed": 1, "reads": 2}
        assert solve(puzzle, "annealer", **arguments).status == status


def test_nearly_all_black():
    """The most cells that can be black, each with a number that says so."""
    grid = [[1, 1, 2, 2, 3], [4, 5, 6, 7, 8], [5, 5, 9, 1, 1], [2, 3, 4, 6, 7]]
    puzzle = Hitori(grid)
    for formulation in ("lazy", *FORESTS[:3]):
        result = solve(puzzle, "sat", formulation=formulation, solutions=None)
        assert found(result) == answers(puzzle)
        assert result.complete


def test_cells_that_are_white_by_reasoning_are_white_in_every_answer():
    rng = np.random.default_rng(7)
    found_some = 0
    for i in range(80):
        puzzle = RANDOM[Hitori](rng, ((3, 4), (4, 3), (4, 4))[i % 3], wrong=i % 2 == 0)
        never = never_black(puzzle.grid)
        found_some += int(never.sum())
        for answer in answers(puzzle):
            black = np.frombuffer(answer, np.int64).reshape(puzzle.shape) == 1
            assert not (black & never).any()
        expected = np.zeros(puzzle.shape, dtype=bool)
        for r, c in np.ndindex(puzzle.shape):
            for a, b in combinations(sorted(around((r, c), ((0, 1), (1, 0), (0, -1), (-1, 0)))), 2):
                line = a[0] == b[0] or a[1] == b[1]
                if line and all(0 <= i < n for cell in (a, b) for i, n in zip(cell, puzzle.shape, strict=True)):  # fmt: skip # noqa: E501
                    expected[r, c] |= 0 < puzzle.grid[a] == puzzle.grid[b]
        assert (never == expected).all()
    assert found_some > 20


def test_groups_of_equal_numbers():
    grid = np.array([[1, 0, 1, 0], [1, 2, 1, 2], [3, 2, 3, 2]])
    lines = [line for _, _, line in lines_of(grid.shape)]
    groups = [cells.tolist() for line in lines for _, cells in repeats(grid, line)]
    assert sorted(groups) == [[0, 2], [0, 4], [2, 6], [4, 6], [5, 7], [5, 9], [7, 11], [8, 10], [9, 11]]  # fmt: skip # noqa: E501


# --- what is wrong, and where ------------------------------------------------------------

BOARD = Hitori([[1, 1, 2], [3, 1, 4], [1, 5, 0]])


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["...", "...", "..."], [
            ("repeat", "row[0] has 1 on 2 white cells", ((0, 0), (0, 1))),
            ("repeat", "column[0] has 1 on 2 white cells", ((0, 0), (2, 0))),
            ("repeat", "column[1] has 1 on 2 white cells", ((0, 1), (1, 1))),
        ]),
        (["##.", "...", "..."], [("adjacent", "black cells touch: (0,0) (0,1)", ((0, 0), (0, 1)))]),
        ([".#.", "#..", "..."], [("connected", "white cells are cut off: (0,0)", ((0, 0),)),
            ("repeat", "column[0] has 1 on 2 white cells", ((0, 0), (2, 0)))]),
        ([".#.", "...", "#.."], []),
    ],
)  # fmt: skip
def test_each_rule_fires_with_its_cells(lines, told):
    broken = BOARD.violations(BOARD.parse_answer(lines))
    assert [(v.rule, v.message, v.cells) for v in broken] == told


def test_three_of_a_number_are_told_once():
    puzzle = Hitori([[7, 7, 7]])
    broken = puzzle.violations(np.zeros((1, 3), dtype=int))
    assert [(v.message, len(v.cells)) for v in broken] == [("row[0] has 7 on 3 white cells", 3)]
    assert puzzle.violations(np.array([[1, 0, 1]])) == []
    assert brute(puzzle) == [np.array([[1, 0, 1]]).tobytes()]


def test_cells_without_a_number():
    puzzle = Hitori([[None, None], [0, 0]])
    assert puzzle.grid.tolist() == [[0, 0], [0, 0]]
    assert len(brute(puzzle)) == sum(not puzzle.violations(a) for a in paintings((2, 2))) == 5
    assert puzzle.picture().words == {}
    assert Hitori([[3, None]]).picture().words == {(0, 0): "3"}
