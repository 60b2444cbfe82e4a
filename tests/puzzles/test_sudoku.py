"""Sudoku: rules, formulations against the rules, exact solvers, hostile grids."""

from functools import cache
from itertools import permutations, product

import numpy as np
import pytest

from qubopuzzle import InputError, Sudoku, solve
from qubopuzzle.compile import ENCODINGS, compile_qubo
from qubopuzzle.model import propagate, violation
from qubopuzzle.solvers import get_solver
from qubopuzzle.testing import obeys, zero_energy_grids

FORMULATIONS = list(Sudoku.formulations)
EXAMPLES = Sudoku.examples()
SEED, FOUR, SIX = EXAMPLES


@cache
def squares():
    """The latin squares of size 4."""
    made = [()]
    for _ in range(4):
        made = [
            (*rows, row)
            for rows in made
            for row in permutations(range(1, 5))
            if not any(a == b for above in rows for a, b in zip(above, row, strict=True))
        ]
    return [np.array(rows) for rows in made]


@cache
def grids():
    """Those that are sudokus."""
    return [grid for grid in squares() if obeys(Sudoku([[0] * 4] * 4), grid)]


@cache
def brute(puzzle):
    """All answers that the rules accept, by trying every digit in the empty cells."""
    cells = [range(1, len(puzzle.grid) + 1) if v == 0 else [v] for row in puzzle.grid for v in row]
    answers = [np.array(digits).reshape(puzzle.shape) for digits in product(*cells)]
    return sorted(answer.tobytes() for answer in answers if obeys(puzzle, answer))


def random_4x4(rng, empty, wrong):
    """A grid with ``empty`` empty cells and, where ``wrong``, one given changed at random."""
    grid = grids()[rng.integers(len(grids()))].copy()
    if wrong:
        grid.flat[rng.integers(16)] = rng.integers(1, 5)
    grid.flat[rng.permutation(16)[:empty]] = 0
    return Sudoku(grid)


def tiny():
    """4x4 grids of every kind: several solutions, one, none, contradicting givens."""
    rng = np.random.default_rng(5)
    puzzles = [random_4x4(rng, empty, wrong) for empty in (9, 11, 12) for wrong in (0, 0, 1)]
    clash = [[1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [2, 3, 4, 0]]
    starved = [[1, 2, 3, 0], [0, 0, 0, 0], [0, 0, 0, 4], [0, 0, 0, 0]]
    return [*puzzles, Sudoku(clash), Sudoku(starved), Sudoku(grids()[0]), Sudoku([[1] * 4] * 4)]


def found(answers):
    return sorted(np.asarray(a, dtype=np.int64).tobytes() for a in answers)


@pytest.mark.parametrize("box", [(1, 2), (2, 1)])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_every_2x2_grid_of_givens(formulation, box):
    for givens in product(range(3), repeat=4):
        puzzle = Sudoku(np.array(givens).reshape(2, 2), box)
        expected, model = brute(puzzle), puzzle.model(formulation)
        for encoding in ENCODINGS:
            assert zero_energy_grids(model, encoding) == expected


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_zero_energy_exactly_where_the_rules_hold(formulation, encoding):
    rng = np.random.default_rng(1)
    counts = set()
    for i in range(24):
        puzzle = random_4x4(rng, empty=4, wrong=i % 3 == 0)
        expected = brute(puzzle)
        assert zero_energy_grids(puzzle.model(formulation), encoding) == expected
        counts.add(len(expected))
    assert {0, 1} <= counts


def test_3x3_latin_squares():
    """No boxes but the lines: 12 squares, 2 of them with the first row 1 2 3."""
    puzzle = Sudoku([[1, 2, 0], [0, 0, 0], [0, 0, 0]], box=[1, 3])
    assert len(brute(puzzle)) == 2
    model = puzzle.model()
    assert zero_energy_grids(model) == zero_energy_grids(model, "domain-wall") == brute(puzzle)
    empty = Sudoku([[0] * 3] * 3, box=[3, 1])
    rows = product(permutations(range(1, 4)), repeat=3)
    squares = [square for square in map(np.array, rows) if obeys(empty, square)]
    assert found(solve(empty, "sat", solutions=None).solutions) == found(squares)
    assert len(squares) == 12


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_one_hot_energy_is_the_violation_for_any_bits(formulation):
    rng = np.random.default_rng(0)
    for puzzle in tiny():
        model = puzzle.model(formulation)
        x = rng.integers(0, 2, (30, model.n_literals))
        energies = compile_qubo(model, "one-hot").total().energies(x)
        assert energies.tolist() == [violation(model, row) for row in x]


@pytest.mark.parametrize("solver", ["sat", "cpsat", "mip"])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_exact_solvers_find_what_the_rules_allow(formulation, solver):
    if not get_solver(solver).available().ok:
        pytest.skip(f"{solver} is not installed")
    for puzzle in tiny():
        given = np.array(puzzle.grid)
        expected = [g for g in grids() if not puzzle.violations(g)]
        assert all((g[given > 0] == given[given > 0]).all() for g in expected)
        if solver == "mip" and len(expected) > 12:
            continue
        result = solve(puzzle, solver, formulation=formulation, solutions=None)
        assert found(result.solutions) == found(expected)
        assert result.complete
        assert result.status == ("optimal" if expected else "infeasible")


@pytest.mark.parametrize("solver", ["annealer", "neal"])
def test_samplers_say_unknown_where_givens_contradict_each_other(solver):
    for givens in ([[1, 1], [0, 0]], [[1, 2], [1, 2]]):
        assert solve(Sudoku(givens, [1, 2]), solver, reads=2, seed=1).status != "optimal"


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_propagation_keeps_the_solutions(formulation):
    rng = np.random.default_rng(2)
    for i in range(30):
        puzzle = random_4x4(rng, empty=4, wrong=i % 3 == 0)
        reduced = propagate(puzzle.model(formulation))
        if reduced.contradiction:
            assert not brute(puzzle)
        else:
            assert zero_energy_grids(reduced.model, "domain-wall") == brute(puzzle)


def test_there_are_288_sudokus_of_4x4():
    assert len(squares()) == 576
    result = solve(Sudoku([[0] * 4] * 4), "sat", solutions=None)
    assert result.complete
    assert len(result.solutions) == len(grids()) == 288
    assert found(result.solutions) == found(grids())


@pytest.mark.parametrize("puzzle", EXAMPLES, ids=lambda p: p.id)
def test_changing_a_cell_of_a_solution_breaks_its_rules(puzzle):
    high, wide = puzzle.box
    for r, c in np.ndindex(puzzle.shape):
        wrong = puzzle.solution.copy()
        wrong[r, c] = wrong[r, c] % len(wrong) + 1
        broken = puzzle.violations(wrong)
        rules = {"row", "column", "box"} | ({"given"} if puzzle.grid[r][c] else set())
        assert {v.rule for v in broken} == rules
        assert all((r, c) in v.cells for v in broken)
        for v in broken:
            if v.rule == "box":
                assert {(i // high, j // wide) for i, j in v.cells} == {(r // high, c // wide)}


def test_violations_say_what_is_wrong_and_where():
    wrong = FOUR.solution.copy()
    wrong[1] = [1, 4, 4, 4]
    assert [v.message for v in FOUR.violations(wrong)] == [
        "row[1] column[3] is 4, given is 3",
        "row[1] has 4 3 times",
        "column[2] has 4 twice",
        "column[3] has 4 twice",
        "box[1] has 4 3 times",
    ]
    assert FOUR.violations(wrong)[1].cells == ((1, 1), (1, 2), (1, 3))


def test_families_and_sizes_of_the_formulations():
    for formulation, families, literals in (
        ("places", ("box", "cell", "row", "column"), 213),
        ("candidates", ("cell", "row", "column", "box"), 213),
        ("full", ("cell", "row", "column", "box"), 57 * 9),
    ):
        model = SEED.model(formulation)
        assert model.families == families
        assert model.n_literals == literals
    assert SEED.model("full").linear[0].labels(0) == "row[0] digit 1"
    choice = SEED.model().choices[0]
    assert (choice.name, choice.values[0]) == ("box[0] digit 2", (0, 0))
    assert Sudoku([[0, 0], [0, 0]], [1, 2]).model().families == ("row", "cell", "column")


def test_a_complete_grid_is_a_model_without_choices():
    puzzle = Sudoku(grids()[0])
    assert compile_qubo(puzzle.model()).n_bits == 0
    assert zero_energy_grids(puzzle.model()) == brute(puzzle)
    assert solve(puzzle, seed=1).valid
    assert Sudoku([[0]]).box == (1, 1)
    assert solve(Sudoku([[0]]), seed=1).grid.tolist() == [[1]]


def test_boxes_that_are_not_given_are_the_squarest():
    for n, box in ((4, (2, 2)), (6, (2, 3)), (8, (2, 4)), (12, (3, 4)), (36, (6, 6))):
        assert Sudoku([[0] * n] * n).box == box
    assert Sudoku([[None] * 6] * 6, box=np.array([3, 2])).box == (3, 2)


def test_the_largest_grid_compiles():
    puzzle = Sudoku([[0] * 36] * 36)
    assert puzzle.model().n_literals == 36**3
    row = np.arange(36)
    answer = (row + 6 * (row % 6)[:, None] + (row // 6)[:, None]) % 36 + 1
    assert not puzzle.violations(answer)
    model = puzzle.model("full")
    assert violation(model, model.assignment(model.field.write(answer))) == 0


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_wrong_answer_cannot_be_written(formulation):
    model = FOUR.model(formulation)
    for r, c in np.ndindex(4, 4):
        wrong = FOUR.solution.copy()
        wrong[r, c] = wrong[r, c] % 4 + 1
        if formulation == "places" or FOUR.grid[r][c]:
            with pytest.raises(InputError, match="the answer breaks a rule or a given"):
                model.field.write(wrong)


def test_forms_of_an_answer():
    rows = FOUR.solution.tolist()
    forms = [
        rows,
        FOUR.solution,
        ["3241", "1423", "4312", "2134"],
        [" ".join(map(str, r)) for r in rows],
    ]
    for form in forms:
        assert FOUR.parse_answer(form).tolist() == rows
    ten = Sudoku([[0] * 10] * 10)
    square = [[(r + c) % 10 + 1 for c in range(10)] for r in range(10)]
    letters = ["".join("123456789A"[v - 1] for v in row) for row in square]
    assert ten.parse_answer(letters).tolist() == square
    assert ten.parse_answer([" ".join(map(str, row)) for row in square]).tolist() == square
    with pytest.raises(InputError, match=r"solution\[0\]: expected digits, got '3\+41'"):
        FOUR.parse_answer(["3+41", "1423", "4312", "2134"])
    with pytest.raises(
        InputError, match=r"solution\[0\]\[3\]: expected a whole number from 0 to 4, got 5"
    ):
        FOUR.parse_answer(["3245", "1423", "4312", "2134"])
    with pytest.raises(InputError, match="the answer has 1 x 4 cells, the puzzle 4 x 4"):
        FOUR.parse_answer(["3241"])


def test_picture_tells_givens_from_answers():
    blank = FOUR.picture()
    assert blank.words == {(1, 1): "4", (1, 3): "3", (2, 0): "4", (2, 2): "1"}
    assert blank.given == frozenset(blank.words)
    assert blank.rooms.tolist() == [[0, 0, 1, 1]] * 2 + [[2, 2, 3, 3]] * 2
    wrong = FOUR.solution.copy()
    wrong[1, 1] = 2
    drawn = FOUR.picture(wrong, broken=[(1, 1)])
    assert len(drawn.words) == 16
    assert drawn.given == blank.given - {(1, 1)}
    assert drawn.broken == {(1, 1)}
