"""Easy as ABC: rules, formulations against the rules, exact solvers, hostile clues."""

from functools import cache
from itertools import permutations, product

import numpy as np
import pytest

from qubopuzzle import EasyAsABC, InputError, solve
from qubopuzzle.compile import ENCODINGS, compile_qubo
from qubopuzzle.model import propagate, violation
from qubopuzzle.solvers import get_solver
from qubopuzzle.testing import all_bits, obeys, zero_energy_grids

FORMULATIONS = list(EasyAsABC.formulations)
EXAMPLES = EasyAsABC.examples()
FIVE, FOUR, GIVENS = EXAMPLES
SIDES = ("top", "bottom", "left", "right")
CASES = [(f, e) for f in FORMULATIONS for e in ENCODINGS]


@cache
def fillings(n, m):
    """Grids whose rows and columns hold each letter once, by trying all rows that do."""
    rows = sorted(set(permutations([*range(1, m + 1), *[0] * (n - m)])))
    grids = [()]
    for _ in range(n):
        grids = [(*grid, row) for grid in grids for row in rows if not repeats(grid, row)]
    empty = EasyAsABC(n, m)
    return [np.array(grid) for grid in grids if not empty.violations(np.array(grid))]


def repeats(grid, row):
    """Whether a letter of the row stands above itself."""
    return any(v and v == w for above in grid for v, w in zip(row, above, strict=True))


@cache
def brute(puzzle):
    """All answers that the rules accept."""
    known = fillings(puzzle.size, puzzle.letters)
    return sorted(grid.tobytes() for grid in known if obeys(puzzle, grid))


@cache
def model_of(puzzle, formulation):
    """One model for all encodings that it is tried in."""
    return puzzle.model(formulation)


def random_puzzle(rng, n, m, clues, givens, wrong=False):
    """What a random filling shows on some edges and cells; one mark changed if ``wrong``."""
    known = fillings(n, m)
    grid = known[rng.integers(len(known))]
    views = {"top": grid.T, "bottom": grid[::-1].T, "left": grid, "right": grid[:, ::-1]}
    marks = np.array([[next(v for v in line if v) for line in views[side]] for side in SIDES])
    if wrong:
        marks.flat[rng.integers(4 * n)] = rng.integers(1, m + 1)
        grid = np.where(rng.permutation(n * n).reshape(n, n) == 0, rng.integers(1, m + 1), grid)
    marks.flat[rng.permutation(4 * n)[clues:]] = 0
    shown = np.where(rng.permutation(n * n).reshape(n, n) < givens, grid, 0)
    return EasyAsABC(n, m, *marks, grid=shown)


def tiny():
    """Puzzles with several solutions, one, none."""
    rng = np.random.default_rng(3)
    sizes = [(3, 1), (3, 2), (3, 3), (4, 2)]
    puzzles = [
        random_puzzle(rng, n, m, clues, givens, wrong)
        for n, m in sizes
        for clues, givens, wrong in (
            (3, 1, False),
            (6, 0, False),
            (4 * n, 2, True),
            (2 * n, 1, True),
        )
    ]
    clash = EasyAsABC(3, 2, top="A..", left="B..")
    full = EasyAsABC(3, 2, grid=["AA.", "...", "..B"])
    late = EasyAsABC(3, 2, left="A..", grid=["BA.", "...", "..."])
    return [*puzzles, clash, full, late, EasyAsABC(1, 1)]


def test_the_fillings_are_all_grids_that_the_rules_accept():
    for n, m, count in ((2, 1, 2), (2, 2, 2), (3, 1, 6), (3, 2, 12)):
        grids = [np.array(g).reshape(n, n) for g in product(range(m + 1), repeat=n * n)]
        empty = EasyAsABC(n, m)
        accepted = [g.tobytes() for g in grids if obeys(empty, g)]
        assert sorted(accepted) == sorted(g.tobytes() for g in fillings(n, m))
        assert len(accepted) == count


@pytest.mark.slow
@pytest.mark.parametrize(("formulation", "encoding"), CASES)
def test_every_2x2_with_one_letter(formulation, encoding):
    checked = 0
    for marks in all_bits(8):
        puzzle = EasyAsABC(2, 1, *marks.reshape(4, 2))
        answers = zero_energy_grids(model_of(puzzle, formulation), encoding, most_bits=14)
        assert answers in (None, brute(puzzle))
        checked += answers is not None
    assert checked >= (93 if (formulation, encoding) == ("positions", "one-hot") else 256)


@pytest.mark.slow
@pytest.mark.parametrize(("formulation", "encoding"), CASES)
def test_every_2x2_with_two_letters(formulation, encoding):
    """All clues of two opposite and of two neighbouring sides, and all givens."""
    for marks in product(range(3), repeat=4):
        one, two = marks[:2], marks[2:]
        for puzzle in (
            EasyAsABC(2, 2, left=one, right=two),
            EasyAsABC(2, 2, top=one, left=two),
            EasyAsABC(2, 2, bottom="A.", grid=[one, two]),
        ):
            assert zero_energy_grids(model_of(puzzle, formulation), encoding) == brute(puzzle)


@pytest.mark.parametrize(("formulation", "encoding"), CASES)
def test_zero_energy_exactly_where_the_rules_hold(formulation, encoding):
    rng = np.random.default_rng(1)
    counts = []
    for i in range(90):
        m, wrong = int(rng.integers(1, 4)), i % 3 == 0
        puzzle = random_puzzle(rng, 3, m, rng.integers(0, 7), rng.integers(0, 4), wrong)
        answers = zero_energy_grids(model_of(puzzle, formulation), encoding, most_bits=13)
        if answers is not None:
            assert answers == brute(puzzle)
            counts.append(len(answers))
    assert len(counts) >= 16
    assert {0, 1, 2} <= set(counts)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_energy_is_the_violation_for_any_values(formulation):
    rng = np.random.default_rng(0)
    for puzzle in [*tiny(), FIVE]:
        model = puzzle.model(formulation)
        compiled = compile_qubo(model, "one-hot")
        bits = sum(choice.is_bit for choice in model.choices)
        assert compiled.n_bits == model.n_literals - bits  # no slack
        for _ in range(10):
            x = model.assignment([rng.choice(choice.values) for choice in model.choices])
            energies = compiled.total().energies(compiled.encode(x)[None])
            assert energies.tolist() == [violation(model, x)]


@pytest.mark.parametrize("solver", ["sat", "cpsat", "mip"])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_exact_solvers_find_what_the_rules_allow(formulation, solver):
    if not get_solver(solver).available().ok:
        pytest.skip(f"{solver} is not installed")
    counts = set()
    for puzzle in tiny():
        expected = brute(puzzle)
        if solver == "mip" and len(expected) > 6:
            continue
        result = solve(puzzle, solver, formulation=formulation, solutions=None)
        assert sorted(a.astype(np.int64).tobytes() for a in result.solutions) == expected
        assert result.complete
        assert result.status == ("optimal" if expected else "infeasible")
        counts.add(len(expected))
    assert {0, 1, 2} <= counts


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_random_boards_have_the_solutions_of_brute_force(formulation):
    rng = np.random.default_rng(7)
    for i in range(60):
        m = int(rng.integers(1, 5))
        puzzle = random_puzzle(
            rng, 4, min(m, 3), rng.integers(2, 9), rng.integers(0, 3), i % 4 == 0
        )
        result = solve(puzzle, "sat", formulation=formulation, solutions=None)
        assert sorted(a.astype(np.int64).tobytes() for a in result.solutions) == brute(puzzle)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_propagation_keeps_the_solutions(formulation):
    rng = np.random.default_rng(2)
    kept = 0
    for i in range(60):
        m, wrong = int(rng.integers(1, 4)), i % 3 == 0
        puzzle = random_puzzle(rng, 3, m, rng.integers(0, 7), rng.integers(0, 3), wrong)
        reduced = propagate(puzzle.model(formulation))
        if reduced.contradiction:
            assert not brute(puzzle)
            continue
        answers = zero_energy_grids(reduced.model, "domain-wall", most_bits=14)
        assert answers in (None, brute(puzzle))
        kept += answers is not None
    assert kept > 20


def test_sides_are_where_they_are_said_to_be():
    """A published board: top A, left B and C, right C; the sides are not interchangeable."""
    board = EasyAsABC(4, 3, top="A...", left="B..C", right=".C..")
    answer = board.parse_answer([".BCA", "A.BC", "BCA.", "CA.B"])
    assert board.violations(answer) == []
    assert (answer == solve(board, "sat", solutions=2).grid).all()
    turned = EasyAsABC(4, 3, bottom="A...", left="B..C", right=".C..")
    (fault,) = turned.violations(answer)
    assert fault.message == "bottom[0] sees C, its clue is A"
    assert fault.cells == ((3, 0), (2, 0), (1, 0), (0, 0))


@pytest.mark.parametrize("puzzle", EXAMPLES, ids=lambda p: p.id)
def test_changing_a_cell_of_a_solution_breaks_its_lines(puzzle):
    for r, c in np.ndindex(puzzle.shape):
        wrong = puzzle.solution.copy()
        wrong[r, c] = (wrong[r, c] + 1) % (puzzle.letters + 1)
        broken = puzzle.violations(wrong)
        rules = {v.rule for v in broken} - {"seen"}
        assert rules == {"row", "column"} | ({"given"} if puzzle.grid[r][c] else set())
        assert all((r, c) in v.cells for v in broken if v.rule == "seen")
        for v in broken:
            if v.rule in ("row", "column"):
                assert {cell[v.rule == "column"] for cell in v.cells} == {
                    (r, c)[v.rule == "column"]
                }


def test_violations_say_what_is_wrong_and_where():
    answer = GIVENS.parse_answer(["AAB..", ".C.AB", "B.A.C", "..CBA", "....."])
    messages = [v.message for v in GIVENS.violations(answer)]
    assert "row[0] has A twice" in messages
    assert "row[0] has C nowhere" in messages
    assert "row[4] has A nowhere" in messages
    assert "top[2] sees B, its clue is B" not in messages
    assert "right[1] sees B, its clue is B" not in messages
    assert "row[3] column[0] is ., given is A" in messages
    assert EasyAsABC(1, 1, top="A").violations(np.array([[0]]))[2].message == (
        "top[0] sees ., its clue is A"
    )
    twice = GIVENS.violations(answer)[0]
    assert (twice.rule, twice.cells) == ("row", ((0, 0), (0, 1)))


def test_givens_and_clues_are_no_variables():
    sizes = {f: FIVE.model(f).n_literals for f in FORMULATIONS}
    assert sizes == {"forbidden": 80, "positions": 94}
    assert FIVE.model().families == ("cell", "row", "column", "seen")
    assert FIVE.model("positions").families == ("cell", "clue", "row", "column", "seen", "blank")
    full = EasyAsABC(4, 3, grid=FOUR.format_answer(FOUR.solution))
    assert {choice.name for choice in full.model().choices} == {
        f"cell[{r},{c}]" for r, c in np.argwhere(FOUR.solution == 0)
    }
    assert all(choice.values == (0,) for choice in full.model().choices)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_large_puzzle(formulation):
    column = np.arange(50)
    answer = np.maximum(0, (column - column[:, None]) % 50 - 23)
    first = [next(v for v in line if v) for line in answer.tolist()]
    puzzle = EasyAsABC(50, 26, left=first, solution=answer)
    model = puzzle.model(formulation)
    assert violation(model, model.assignment(model.field.write(answer))) == 0


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_wrong_answer_cannot_be_written(formulation):
    wrong = GIVENS.solution.copy()
    wrong[2, 2] = 0
    with pytest.raises(InputError, match=r"a rule or a given: row\[2\] column\[2\] is 0"):
        GIVENS.model(formulation).field.write(wrong)


def test_json_has_numbers_and_lines():
    for puzzle in EXAMPLES:
        assert ("grid" in puzzle.to_dict()) == (puzzle is GIVENS)
    assert FIVE.to_dict()["top"] == [2, 0, 0, 0, 3]
    assert FIVE.to_dict()["solution"][0] == "B..AC"


def test_clues_may_be_numbers_or_letters():
    bare = {"size": 2, "letters": 2}
    forms = [["B", None], [2, 0], ["B", "."], "B.", np.array([2, 0])]
    puzzles = [EasyAsABC.from_dict({**bare, "top": form}) for form in forms]
    assert all(puzzle == puzzles[0] for puzzle in puzzles)
    assert puzzles[0].top.tolist() == [2, 0]
    assert puzzles[0].left.tolist() == [0, 0]
    grids = [EasyAsABC(2, 2, grid=form) for form in (["A.", ".."], [[1, 0], [None, "."]])]
    assert grids[0] == grids[1]


def test_forms_of_an_answer():
    rows = FOUR.solution.tolist()
    for form in (rows, FOUR.solution, FOUR.format_answer(FOUR.solution)):
        assert FOUR.parse_answer(form).tolist() == rows
    for form, message in (
        ("ABC", "solution: expected lines of . A B C or rows of 0 to 3, got 'ABC'"),
        (["AB"] * 4, "the answer has 4 x 2 cells, the puzzle 4 x 4"),
        (["ABCD"] * 4, "row[0] column[3] is 'D', expected one of . A B C"),
        (
            [[1, 2, 3, 4]] * 4,
            "solution: expected lines of . A B C or rows of 0 to 3, got list of 4",
        ),
    ):
        with pytest.raises(InputError) as caught:
            FOUR.parse_answer(form)
        assert str(caught.value) == message


def test_a_solution_of_another_shape_is_refused():
    with pytest.raises(InputError, match="the answer has 1 x 3 cells, the puzzle 3 x 3"):
        EasyAsABC(3, 2, solution=["AB."])


def test_picture_has_the_letters_outside_and_tells_givens_from_answers():
    blank = GIVENS.picture()
    assert blank.top == ((), ("A",), ("B",), (), ())
    assert blank.right == (("B",), ("B",), (), (), ())
    assert blank.words == {(2, 2): "A", (3, 0): "A"}
    assert blank.given == {(2, 2), (3, 0)}
    drawn = GIVENS.picture(GIVENS.solution, broken=[(0, 0)])
    assert len(drawn.words) == 15
    assert drawn.given == blank.given
    assert drawn.broken == {(0, 0)}
