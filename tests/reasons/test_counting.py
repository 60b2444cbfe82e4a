"""Candidates, counts and samples, against enumeration."""

import json
import signal
from collections import Counter
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from boards import NAMES, TINY
from chances import chance
from qubopuzzle import ModelBuilder, Nonogram, Program, Sudoku, candidates, count, solutions, solve
from qubopuzzle.errors import DeadlineExceeded, InputError, TooLarge
from qubopuzzle.model import Field
from qubopuzzle.model.semantics import violations_of
from qubopuzzle.puzzles import get_puzzle
from qubopuzzle.reasons import answers as answering
from qubopuzzle.reasons import counting
from qubopuzzle.reasons.answers import Answers
from qubopuzzle.reasons.parities import Parts, reduced, threshold
from qubopuzzle.solvers import get_solver
from qubopuzzle.testing.brute import all_bits, right_grids
from strategies import assignments, models, points, programs
from toys import Coin

MOST = 1 << 16
"""Grids of a board that are all tried."""
UNLIKELY = 1e-3
"""A fair draw fails a chi-square test this seldom; seeds are fixed, so that it does not."""
EMPTY = Sudoku("." * 16)
N_EMPTY = 288
HARD = Sudoku("." * 81)
"""With 6.7e21 solutions, beyond what parities can do in a minute."""


def grids_of(board):
    """All answers of a board."""
    if board.contradiction is not None:
        return []
    right = right_grids(board, MOST)
    if right is not None:
        return [np.frombuffer(each, dtype=np.int64).reshape(board.shape) for each in right]
    if not get_solver("clingo").available().ok:
        pytest.skip("clingo is not installed")
    result = solve(board, "clingo", solutions=None)
    assert result.complete
    return [*result.solutions]


def values_in(grids, shape):
    """The values of each cell in some grids."""
    return {cell: tuple(sorted({int(g[cell]) for g in grids})) for cell in np.ndindex(shape)}


# --- every kind --------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_counts_and_candidates_of_tiny_boards_are_those_of_enumeration(name):
    for board in TINY[name]:
        grids = grids_of(board)
        counted = count(board)
        assert counted == len(grids)
        possible = candidates(board)
        assert possible.complete
        assert dict(possible) == values_in(grids, board.shape)
        drawn = solutions(board, 3, seed=1)
        assert len(drawn) == 3 * bool(grids)
        assert {each.grid.tobytes() for each in drawn} <= {each.tobytes() for each in grids}
        assert all(each.valid for each in drawn)


@pytest.mark.parametrize("name", NAMES)
def test_examples_have_one_solution_which_is_the_backbone(name):
    for board in get_puzzle(name).examples():
        assert count(board) == 1
        possible = candidates(board)
        assert not possible.backbone.mask.any()
        assert (possible.backbone == board.solution).all()
        assert len(possible.decided) == board.cells
        (drawn,) = solutions(board)
        assert (drawn.grid == board.solution).all()


# --- models ------------------------------------------------------------------------------


@given(models(graphs=True))
def test_models_without_a_grid_are_counted_by_the_values_of_their_choices(model):
    every = assignments(model)
    right = every[sum(violations_of(model, every).values()) == 0]
    assert count(model) == len(right)
    possible = candidates(model)
    values = [model.values(x) for x in right]
    for choice in model.choices:
        taken = {each[choice.name] for each in values}
        assert possible[choice.name] == tuple(v for v in choice.values if v in taken)
    assert [*possible] == [choice.name for choice in model.choices]


@given(models(graphs=True), st.data())
def test_grids_are_counted_where_cells_are_sums_over_several_choices(model, data):
    """So that several assignments paint the same grid, and some are out of its range."""
    n_cells, n = data.draw(st.integers(1, 3)), model.n_literals
    entry = st.tuples(st.integers(0, n_cells - 1), st.integers(0, n - 1), st.integers(-2, 3))
    terms = np.array(data.draw(st.lists(entry, max_size=8)), dtype=int).reshape(-1, 3)
    base = data.draw(st.lists(st.integers(-1, 1), min_size=n_cells, max_size=n_cells))
    low = data.draw(st.integers(-3, 0))
    high = low + data.draw(st.integers(1, 6))
    builder = ModelBuilder()
    for choice in model.choices:
        builder.choice(choice.name, choice.values)
    view = builder.view("cells", *terms.T, base=base, n_cells=n_cells)
    model = replace(model, field=Field((1, n_cells), low, high, (view,), list))
    every = assignments(model)
    right = every[sum(violations_of(model, every).values()) == 0]
    painted = (right @ view.matrix.T + view.base).reshape(-1, 1, n_cells)
    grids = np.unique(painted[((painted >= low) & (painted <= high)).all(axis=(1, 2))], axis=0)
    assert count(model) == len(grids)
    assert dict(candidates(model)) == values_in(grids, (1, n_cells))


@given(programs())
def test_programs_are_counted_by_the_values_of_their_variables(program):
    if program.has_objective:
        with pytest.raises(InputError, match="objective"):
            count(program)
        none = csr_array(program.quadratic.shape)
        program = replace(program, cost=0 * program.cost, quadratic=none)
    right = [values for values in points(program) if not program.broken(values)]
    assert count(program) == len(right)
    possible = candidates(program)
    columns = np.array(right).reshape(-1, len(program.lower)).T
    for name, column in zip(program.variables, columns, strict=True):
        assert possible[name] == tuple(np.unique(column).tolist())


def test_rules_that_a_model_leaves_out_are_judged_and_narrowed_ones_refused():
    for kind, n in {"exact": 2, "omitted": 2, "impossible": 0}.items():
        assert count(Coin(kind=kind)) == n
        assert candidates(Coin(kind=kind)).get((0, 0)) == (0, 1)[:n]
    for call in (count, candidates, solutions):
        with pytest.raises(InputError, match=r"narrows rules.*one"):
            call(Coin(kind="restricted"))


# --- counts ------------------------------------------------------------------------------


def test_a_limit_is_exact_up_to_itself():
    assert count(EMPTY, N_EMPTY, within=None) == N_EMPTY
    beyond = count(EMPTY, N_EMPTY - 1, within=None)
    assert (beyond.least, beyond.exact, beyond.estimate) == (N_EMPTY, False, None)
    assert str(beyond) == "288 or more"
    assert beyond != N_EMPTY
    assert count(EMPTY, 1, within=None).least == 2
    few = Sudoku("12341" + "." * 11)
    assert count(few, 1) == count(few, 1, within=(0.8, 0.2)) == len(grids_of(few))  # below 73
    for wrong in (0, -1, 1.5, "9"):
        with pytest.raises(InputError, match="limit: expected a whole number"):
            count(EMPTY, wrong)


def test_a_count_is_a_number_where_it_is_exact():
    exact, beyond = count(EMPTY), count(EMPTY, 100, within=None)
    assert (int(exact), range(300)[exact], bool(exact), str(exact)) == (288, 288, True, "288")
    assert exact == count(EMPTY, 300)
    assert hash(exact) == hash(N_EMPTY)
    assert {exact: "same"}[N_EMPTY] == "same"
    assert exact.to_dict() == {"least": 288, "exact": True, "estimate": None, "within": None}
    assert exact != beyond
    with pytest.raises(InputError, match="no exact count: 101 or more"):
        int(beyond)


ESTIMATED = {
    "sudoku": (EMPTY, N_EMPTY),
    "permutations": (Nonogram(rows=[[1]] * 6, cols=[[1]] * 6), 720),
    "runs": (Nonogram(rows=[[1, 1]] * 6, cols=[[1, 1]] * 6), 722),
    "loops": (get_puzzle("slitherlink")(grid=["...."] * 4), 9_349),  # OEIS A140517
    "trees": (get_puzzle("kurodoko")(grid=np.zeros((4, 4), dtype=int)), 562),
}


@pytest.mark.parametrize("name", ESTIMATED)
def test_estimates_are_within_their_bounds(name):
    """As often as is guaranteed; much more often, in fact."""
    board, n = ESTIMATED[name]
    if n < 2_000:
        assert count(board) == n
    epsilon, delta = 0.8, 0.2
    seeds = range(5)
    estimates = [count(board, 10, seed=seed) for seed in seeds]
    assert not any(each.exact for each in estimates)
    right = [n / (1 + epsilon) <= each.estimate <= n * (1 + epsilon) for each in estimates]
    assert sum(right) >= (1 - delta) * len(seeds)
    assert all(each.least <= n and each.within == (epsilon, delta) for each in estimates)
    assert estimates[3].estimate == count(board, 10, seed=3).estimate
    assert f"about {estimates[0].estimate:,} (within a factor of 1.8, 80% sure)" == str(
        estimates[0]
    )


def test_other_bounds_are_kept_and_wrong_ones_refused():
    (board, n), within = ESTIMATED["runs"], (0.5, 0.4)
    assert threshold(within) < n
    counted = count(board, 10, within=within, seed=1)
    assert counted.within == within
    assert n / 1.5 <= counted.estimate <= n * 1.5
    for wrong in ((0, 0.2), (0.8, 0), (0.8, 1), (-1, 0.5), ("a", 0.5)):
        with pytest.raises(InputError, match=r"epsilon|delta"):
            count(board, within=wrong)


def test_no_solution_is_known_at_once_or_proved():
    for board in (*(b for b in TINY["kakuro"] if b.contradiction), Sudoku("11" + "." * 14)):
        assert count(board) == 0
        assert not count(board)
        possible = candidates(board)
        assert possible.complete
        assert {*possible.values()} == {()}
        assert len(possible) == board.cells
        assert solutions(board, 5) == solutions(board, 5, uniform=False) == []


# --- time and size -----------------------------------------------------------------------


def test_time_limits_leave_what_is_known_by_then():
    counted = count(HARD, 10**6, time_limit=2)
    assert counted.least > 0
    assert not counted.exact
    assert counted.estimate is None
    assert count(HARD, time_limit=1e-9).least == 0
    possible = candidates(HARD, time_limit=1e-9)
    assert not possible.complete
    assert not possible.decided
    assert possible.backbone.mask.all()
    with pytest.raises(DeadlineExceeded, match=r"3 solutions are not drawn within 0.3 s"):
        solutions(HARD, 3, time_limit=0.3)
    for call in (count, candidates, solutions):
        with pytest.raises(InputError, match="time_limit: expected a positive number"):
            call(EMPTY, time_limit=0)


@pytest.mark.parametrize("call", [count, solutions])
def test_ctrl_c_is_heard(call):
    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(KeyboardInterrupt):
            call(HARD, time_limit=300)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_too_many_values_are_refused(monkeypatch):
    monkeypatch.setattr(answering, "VALUE_LIMIT", 20)
    with pytest.raises(TooLarge, match="over 20 values"):
        count(EMPTY)


# --- samples -----------------------------------------------------------------------------


def drawn_often(board, seed):
    """How often each solution of a board is drawn, in five times as many draws."""
    every = sorted(grid.tobytes() for grid in solve(board, "sat", solutions=None).solutions)
    drawn = Counter(each.grid.tobytes() for each in solutions(board, 5 * len(every), seed=seed))
    assert drawn.keys() <= {*every}
    return np.array([drawn[grid] for grid in every])


@pytest.mark.parametrize(
    ("name", "board"),
    {
        "sudoku": Sudoku("1" + "." * 15),
        "takuzu": get_puzzle("takuzu")(grid=["...."] * 4),
        "starbattle": get_puzzle("starbattle").examples()[0],
        "runs": Nonogram(rows=[[1, 1]] * 4, cols=[[1, 1]] * 4),
    }.items(),
)
def test_few_solutions_are_drawn_with_the_same_probability(name, board):
    often = drawn_often(board, seed=1)
    expected = np.full(len(often), often.mean())
    assert len(often) == 1 or chance(often, expected) > UNLIKELY


@pytest.mark.parametrize(
    ("name", "board"),
    {
        "sudoku": Sudoku("1" + "." * 15),
        "loops": get_puzzle("slitherlink")(grid=["...", "..."]),
        "permutations": Nonogram(rows=[[1]] * 4, cols=[[1]] * 4),
    }.items(),
)
def test_many_solutions_are_drawn_with_the_same_probability(name, board, monkeypatch):
    """By parities, which is how it goes where there are too many to enumerate."""
    monkeypatch.setattr(counting, "_FEW", 5)
    often = drawn_often(board, seed=2)
    assert chance(often, np.full(len(often), often.mean())) > UNLIKELY


@pytest.mark.slow
def test_solutions_beyond_enumeration_are_drawn_with_the_same_probability():
    """Of 9,349 loops, in twenty parts of their list."""
    board, n = ESTIMATED["loops"]
    every = sorted(grid.tobytes() for grid in solve(board, "sat", solutions=None).solutions)
    assert len(every) == n
    place = {grid: i for i, grid in enumerate(every)}
    drawn = [place[each.grid.tobytes()] for each in solutions(board, 400, seed=3)]
    often = np.bincount(np.array(drawn) * 20 // n, minlength=20)
    share = np.bincount(np.arange(n) * 20 // n) / n
    assert chance(often, share * 400) > UNLIKELY


def test_the_same_seed_draws_the_same_and_another_one_does_not(monkeypatch):
    for few in (1_000, 5):
        monkeypatch.setattr(counting, "_FEW", few)
        drawn = [solutions(EMPTY, 4, seed=seed) for seed in (1, 1, 2)]
        grids = [[each.grid.tolist() for each in several] for several in drawn]
        assert grids[0] == grids[1] != grids[2]
        assert all(each.valid for several in drawn for each in several)


def test_different_solutions_are_those_of_solve():
    several = solutions(EMPTY, 20, uniform=False)
    assert len({each.grid.tobytes() for each in several}) == 20
    assert all(each.valid for each in several)
    assert len(solutions(EMPTY, 400, uniform=False)) == N_EMPTY
    with pytest.raises(InputError, match="n: expected a whole number"):
        solutions(EMPTY, 0)


def test_values_of_a_model_are_drawn_by_name():
    b = ModelBuilder()
    x, y = b.choice("x", ["a", "b", "c"]), b.bit("y")
    b.add("not both", (x == "a") + y <= 1)
    model = b.build()
    drawn = Counter(tuple(each.values.items()) for each in solutions(model, 100, seed=1))
    assert len(drawn) == count(model) == 5
    assert candidates(model) == {"x": ("a", "b", "c"), "y": (0, 1)}


# --- what is shown -----------------------------------------------------------------------


def test_candidates_are_a_mapping_an_array_a_grid_and_a_picture():
    board = Sudoku("12.." + "3..." + "........")
    grids = grids_of(board)
    possible = candidates(board)
    array, values = possible.as_array()
    assert values.tolist() == [1, 2, 3, 4]
    for (*cell, value), there in np.ndenumerate(array):
        assert there == any(grid[tuple(cell)] == values[value] for grid in grids)
    backbone = possible.backbone
    assert (backbone.mask == (np.ptp(grids, axis=0) > 0)).all()
    assert (backbone.compressed() == grids[0][~backbone.mask]).all()
    assert possible.decided == {c: int(backbone[c]) for c in possible if not backbone.mask[c]}
    text = str(possible)
    assert text.count("\n") == 6
    assert " 34 " in text
    assert json.loads(json.dumps(possible.to_dict()))["candidates"][0] == [[1], [2], [3, 4], [3, 4]]
    assert repr(possible) == "<Candidates of sudoku '': 4 of 16 decided>"


def test_candidates_of_a_model_are_by_name():
    program = Program.of([[1, 1]], [3], [3], lower=[0, 0], upper=[1, 9], variables=["x", "y"])
    possible = candidates(program)
    assert possible == {"x": (0, 1), "y": (2, 3)}
    assert str(possible) == "x = 0 or 1\ny = 2 or 3"
    assert possible.to_dict() == {"candidates": {"x": [0, 1], "y": [2, 3]}, "complete": True}
    assert possible.picture() is None
    for call in (possible.as_array, lambda: possible.backbone):
        with pytest.raises(InputError, match="by name"):
            call()
    assert str(candidates(Program.of([[1]], [2], [2], variables=["x"]))) == "x = nothing"


def test_files_and_addresses_are_read(tmp_path):
    file = tmp_path / "board.json"
    file.write_text(json.dumps(EMPTY.to_dict()))
    assert count(file) == count("." * 16) == N_EMPTY
    assert len(candidates(str(file))) == 16
    assert solutions(file)[0].valid


# --- parities ----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_elimination_keeps_the_solutions_of_equations(seed):
    rng = np.random.default_rng(seed)
    n, unknowns = rng.integers(1, 7, 2).tolist()
    rows = rng.integers(0, 2, (n, unknowns + 1), dtype=np.uint8)
    bits = all_bits(rows.shape[1] - 1)

    def holds(rows):
        return ((bits @ rows[:, :-1].T) % 2 == rows[:, -1]).all(axis=1)

    short = reduced(rows)
    assert (holds(short) == holds(rows)).all()
    assert short.shape == rows.shape


@given(models(graphs=True), st.integers(0, 99))
def test_parts_are_the_answers_with_these_parities(model, seed):
    rng = np.random.default_rng(seed)
    with Answers(counting.problem_of(model)) as answers:
        every = [*answers.each()]
        if not every:
            return
        parts = Parts(answers, rng)
        n = len(parts._variables)
        signs = {abs(v): (v > 0, i) for i, v in enumerate(answers.variables.tolist())}
        bits = []
        for x in every:
            there = answers.there(x)
            bits.append([there[i] == plain for plain, i in map(signs.get, parts._variables)])
        bits = np.array(bits, dtype=int).reshape(len(every), n)
        assert len(np.unique(bits, axis=0)) == len(every)  # no two agree in all of them
        rows = parts._rows(int(rng.integers(0, n + 1)))
        right = ((bits @ rows[:, :-1].T) % 2 == rows[:, -1]).all(axis=1)
        part = parts._part(rows, len(every) + 1)
        assert {x.tobytes() for x in part} == {
            x.tobytes() for x, is_in in zip(every, right, strict=True) if is_in
        }
        assert len(parts._part(rows, 1)) == min(1, right.sum())
        assert len([*islice(answers.each(), len(every) + 1)]) == len(every)  # parts leave no trace
