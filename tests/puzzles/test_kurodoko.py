"""Kurodoko: all tiny boards against the rules, the views of numbers, hostile grids."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from qubopuzzle import InputError, Kurodoko, solve
from qubopuzzle.compile import ENCODINGS, compile_qubo
from qubopuzzle.errors import TooLarge
from qubopuzzle.model import violation
from qubopuzzle.puzzles.vocabulary import sights
from qubopuzzle.solvers import get_solver
from shadings import RANDOM, answers, brute, found, met, right, zero

FORESTS = ("forest",)
LAZY = ("lazy", "arms")
DIRECTIONS = ((-1, 0), (0, 1), (1, 0), (0, -1))


def number_at(puzzle, r, c):
    return sights.number_at(puzzle.grid, r, c)


def grids(rows, columns):
    """All grids of numbers that a cell may see at all, 0 for none and -1 for one not told."""
    numbers = product(range(-1, rows + columns), repeat=rows * columns)
    return (np.array(n).reshape(rows, columns) for n in numbers)


def by_writing(puzzle, model):
    """The answers that the model's own ``write`` turns into assignments that meet it."""
    met = []
    for bits in product((0, 1), repeat=puzzle.grid.size):
        answer = np.array(bits, dtype=np.int64).reshape(puzzle.shape)
        try:
            x = model.assignment(model.field.write(answer))
        except InputError:
            assert not right(puzzle, answer)
            continue
        if violation(model, x) == 0:
            met.append(answer.tobytes())
    return sorted(met)


def check_all(puzzles, every=1):
    """All valid choices of all boards; all bit strings of one in ``every``."""
    counts = Counter()
    for i, puzzle in enumerate(puzzles):
        expected = answers(puzzle)
        counts[len(expected)] += 1
        models = {formulation: puzzle.model(formulation) for formulation in (*FORESTS, *LAZY)}
        assert all(met(model) == expected for model in models.values())
        if i % every == 0:
            assert brute(puzzle) == expected
            assert zero(models["forest"], ENCODINGS[i // every % 2]) == expected
            assert all(by_writing(puzzle, model) == expected for model in models.values())
        if i % (4 * every) == 0:
            assert zero(models["forest"], "domain-wall") == expected
    return counts


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "count"),
    [
        ((1, 1), 3),
        ((1, 2), 16),
        ((2, 1), 16),
        ((1, 3), 125),
        ((3, 1), 125),
        ((1, 4), 1296),
        ((2, 2), 625),
    ],
)
def test_every_board_of_up_to_four_cells(shape, count):
    """Of two that half a turn makes equal, one."""
    every = [grid.ravel().tolist() for grid in grids(*shape)]
    assert len(every) == count
    some = [Kurodoko(np.reshape(line, shape)) for line in every if line <= line[::-1]]
    counts = check_all(some, every=1 + len(some) // 60)
    assert shape == (1, 1) or {0, 1} <= set(counts)


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(2, 3), (3, 2)])
def test_boards_of_six_cells(shape):
    """A share of those with one or two numbers, and of all."""
    rng = np.random.default_rng(6)
    share = 0.08 if shape == (2, 3) else 0.06
    every = [
        g for g in grids(*shape) if rng.random() < ((0 < (g != 0).sum() < 3) or 0.02) * 2 * share
    ]
    assert len(every) > 100
    counts = check_all([Kurodoko(grid) for grid in every], every=4)
    assert {0, 1, 2} <= set(counts)


def test_all_white_and_nearly_all_black():
    """Every number the most there is; and numbers that see hardly anything."""
    for shape in ((1, 4), (3, 3), (3, 5)):
        white = Kurodoko(np.full(shape, sum(shape) - 1))
        zeros = np.zeros(shape, dtype=np.int64).tobytes()
        for formulation in (*LAZY, *FORESTS):
            assert not white.model(formulation).choices or formulation in LAZY
            result = solve(white, "sat", formulation=formulation, solutions=None)
            assert found(result) == [zeros]
    black = Kurodoko([[0, 3, 0, 0], [2, 0, 0, 3], [0, 0, 3, 0]])
    for formulation in (*LAZY, *FORESTS):
        result = solve(black, "sat", formulation=formulation, solutions=None)
        assert found(result) == answers(black)


# --- views -------------------------------------------------------------------------------


def views(puzzle, cell):
    """How far a number may see in the four directions, by trying all distances.

    White are the cells that it sees, black the ones behind; numbers are white.
    """
    tried = []
    for view in product(*(range(max(puzzle.shape)) for _ in DIRECTIONS)):
        if sum(view) != puzzle.grid[cell] - 1:
            continue
        possible = True
        for (down, along), length in zip(DIRECTIONS, view, strict=True):
            last = (cell[0] + down * length, cell[1] + along * length)
            behind = (last[0] + down, last[1] + along)
            possible &= on_board(last, puzzle) and not (
                on_board(behind, puzzle) and puzzle.grid[behind]
            )
        if possible:
            tried.append(view)
    return sorted(tried)


def on_board(cell, puzzle):
    return all(0 <= i < n for i, n in zip(cell, puzzle.shape, strict=True))


def test_views_are_all_that_there_are():
    rng = np.random.default_rng(9)
    sizes = Counter()
    for _ in range(60):
        rows, columns = (int(n) for n in rng.integers(1, 7, 2))
        grid = rng.integers(1, rows + columns, (rows, columns))
        grid[rng.random((rows, columns)) < rng.choice([0.2, 0.5, 0.8])] = 0
        puzzle = Kurodoko(grid)
        for cell in map(tuple, np.argwhere(grid).tolist()):
            number = number_at(puzzle, *cell)
            expected = views(puzzle, cell)
            assert sorted(map(tuple, number.views.tolist())) == expected
            sizes[min(len(expected), 2)] += 1
            for arm, (down, along) in zip(number.arms, DIRECTIONS, strict=True):
                cells = [(int(i) // columns, int(i) % columns) for i in arm]
                assert cells == [
                    (cell[0] + down * d, cell[1] + along * d) for d in range(1, len(arm) + 1)
                ]
                beyond = (cell[0] + down * (len(arm) + 1), cell[1] + along * (len(arm) + 1))
                assert not on_board(beyond, puzzle)
    assert min(sizes[n] for n in (0, 1, 2)) > 20


@pytest.mark.parametrize(
    "grid", [[[1, 1]], [[2, 2, 2]], [[2, 0, 2, 0]], [[1, 0], [0, 1]], [[1, 1], [1, 0]]]
)
def test_numbers_that_cannot_be_make_an_unsatisfiable_model(grid):
    """Too small for white neighbours, or for one another."""
    puzzle = Kurodoko(grid)
    assert brute(puzzle) == []
    check_unsatisfiable(puzzle)


def check_unsatisfiable(puzzle):
    for formulation in (*LAZY, *FORESTS):
        for solver in ("sat", "cpsat", "mip"):
            if get_solver(solver).available().ok:
                for presolve in ("none", "propagate"):
                    result = solve(puzzle, solver, formulation=formulation, presolve=presolve)
                    assert result.status == "infeasible", (formulation, solver)
    for encoding in ENCODINGS:
        assert zero(puzzle.model("forest"), encoding) == []
        assert zero(puzzle.model("forest"), encoding) is not None
    for presolve, proof in [("none", "compilation"), ("propagate", "propagation")]:
        annealed = solve(puzzle, "annealer", presolve=presolve, seed=1, reads=2)
        assert annealed.status == "unknown" or annealed.proved_by.startswith(proof)
        assert annealed.status != "optimal"


def test_a_number_without_a_view():
    """2 between two numbers sees both of them."""
    puzzle = Kurodoko([[2, 2, 2]])
    assert [len(number_at(puzzle, 0, c).views) for c in range(3)] == [0, 0, 0]
    assert "view" in puzzle.model("forest").families
    check_unsatisfiable(puzzle)
    check_unsatisfiable(Kurodoko([[1, 1], [1, 0]]))


def test_a_number_with_one_view_is_fixed():
    puzzle = Kurodoko([[0, 0, 3, 0], [0, 0, 0, 0], [0, 0, 1, 0]])
    assert number_at(puzzle, 2, 2).views.tolist() == [[0, 0, 0, 0]]
    assert not any(c.name == "view[2,2]" for c in puzzle.model("forest").choices)
    single = [
        Kurodoko(grid)
        for grid in ([[3, 0, 0]], [[2, 0, 0]], [[0, 3, 0]], [[1, 0], [0, 0]], [[0, 0], [0, 3]])
    ]
    for puzzle in single:
        ((r, c),) = np.argwhere(puzzle.grid).tolist()
        assert len(number_at(puzzle, r, c).views) == 1
        assert not any(choice.family == "view" for choice in puzzle.model("lazy").choices)
        for formulation in (*LAZY, *FORESTS):
            result = solve(puzzle, "sat", formulation=formulation, solutions=None)
            assert found(result) == brute(puzzle)
        for encoding in ENCODINGS:
            assert zero(puzzle.model("forest"), encoding) == brute(puzzle)


def test_a_wrong_view_cannot_be_written():
    model = Kurodoko([[0, 0, 3, 0, 0]]).model("lazy")
    with pytest.raises(InputError, match="no choice of views"):
        model.field.write(np.array([[0, 0, 0, 0, 0]]))
    with pytest.raises(InputError, match="a black cell where none can be"):
        model.field.write(np.array([[0, 0, 1, 0, 0]]))


def test_arms_are_what_exact_solvers_get_and_annealers_do_not():
    puzzle = Kurodoko([[0, 0, 0, 0], [0, 0, 5, 0], [0, 0, 0, 0], [0, 2, 0, 0]])
    assert solve(puzzle, "sat").formulation == "arms"
    assert solve(puzzle, seed=1).formulation == "forest"
    arms = [c for c in puzzle.model("arms").choices if c.family == "arm"]
    assert [(c.name, c.values) for c in arms] == [
        ("up[1,2]", (0, 1)),
        ("right[1,2]", (0, 1)),
        ("down[1,2]", (0, 1, 2)),
        ("left[1,2]", (0, 1, 2)),
        ("up[3,1]", (0, 1)),
        ("right[3,1]", (0, 1)),
        ("left[3,1]", (0, 1)),
    ]


def test_arms_with_a_wrong_sum_break_their_number():
    model = Kurodoko([[0, 0, 3, 0, 0]]).model("arms")
    x = model.assignment(model.field.write(np.array([[0, 1, 0, 1, 0]])))
    assert violation(model, x) > 0
    with pytest.raises(InputError, match="no choice of arms"):
        Kurodoko([[0, 0, 2, 0, 0]]).model("arms").field.write(np.zeros((1, 5), dtype=int))


@pytest.mark.slow
def test_huge_numbers_of_views_are_refused():
    grid = np.zeros((400, 400), dtype=int)
    grid[200, 200] = 400
    with pytest.raises(TooLarge, match=r"grid\[200\]\[200\] has [\d,]+ views, more than 500,000"):
        Kurodoko(grid).model("lazy")
    grid = np.zeros((150, 150), dtype=int)
    grid[10:140:26, 10:140:26] = 149
    with pytest.raises(TooLarge, match="more than 500,000 views"):
        Kurodoko(grid).model("lazy")
    Kurodoko(grid).model("arms")
    grid = np.zeros((450, 450), dtype=int)
    grid[200:218:2, 200:218:2] = 700
    with pytest.raises(TooLarge, match="more than 5,000,000 pairs of a length and a cell"):
        Kurodoko(grid).model("arms")


def test_views_weigh_what_they_break():
    """No bit string of a random 3x3 board with numbers has an energy between 0 and 1."""
    rng = np.random.default_rng(12)
    seen = 0
    for _ in range(6):
        puzzle = RANDOM[Kurodoko](rng, (3, 3), share=0.5)
        model = puzzle.model("forest")
        if compile_qubo(model, "one-hot").n_bits <= 16:
            seen += 1
            assert zero(model, "one-hot") == brute(puzzle)
    assert seen >= 2


def test_a_number_that_is_not_told_is_a_question_mark():
    """In JSON and in the picture; as an array it is -1."""
    data = {"puzzle": "kurodoko", "grid": [["?", 2], [None, None]]}
    puzzle = Kurodoko.from_dict(data)
    assert puzzle.to_dict() == data
    assert puzzle == Kurodoko(np.array([[-1, 2], [0, 0]]))
    assert "?" in str(puzzle.picture())
    assert [v.message for v in puzzle.violations(np.array([[1, 0], [0, 0]]))] == [
        "the circle on (0,0) is black"
    ]


# --- what is wrong, and where ------------------------------------------------------------

BOARD = Kurodoko([[0, 0, 0], [0, 3, 0], [0, 0, 0]])


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["...", "...", "..."], [("sight", "the number 3 on (1,1) sees 5 white cells",
            ((1, 1), (0, 1), (1, 2), (2, 1), (1, 0)))]),
        (["...", ".#.", "..."], [("number", "the number 3 on (1,1) is black", ((1, 1),))]),
        ([".#.", "..#", "..."], [("connected", "white cells are cut off: (0,2)", ((0, 2),))]),
        (["##.", "...", ".#."], [("adjacent", "black cells touch: (0,0) (0,1)", ((0, 0), (0, 1)))]),
        ([".#.", "...", ".#."], []),
    ],
)  # fmt: skip
def test_each_rule_fires_with_its_cells(lines, told):
    broken = BOARD.violations(BOARD.parse_answer(lines))
    assert [(v.rule, v.message, v.cells) for v in broken] == told


def test_picture_and_json_have_the_numbers():
    assert BOARD.picture().words == {(1, 1): "3"}
    assert BOARD.picture().circled == {(1, 1)}
    assert BOARD.to_dict()["grid"] == [[None] * 3, [None, 3, None], [None] * 3]
