"""Numberlink: rules, formulations against the rules, loops, reading, hostile input."""

from dataclasses import replace
from functools import lru_cache
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qubopuzzle import InputError, Numberlink, generate, solve
from qubopuzzle.compile import ENCODINGS
from qubopuzzle.errors import PuzzleError, TooLarge
from qubopuzzle.model import propagate, violation
from qubopuzzle.puzzles.vocabulary.kind import by_cells, by_cuts, by_headings, by_placements
from qubopuzzle.puzzles.vocabulary.linked import UNUSED
from qubopuzzle.puzzles.vocabulary.routes import Walls
from qubopuzzle.solvers import get_solver
from qubopuzzle.solvers.base import Outcome
from qubopuzzle.testing import all_bits, obeys, zero_energy_grids

EXACT = ["turning", "edges"]
BLOCKS = ["blocks", "blocks:rows=1,columns=1", "blocks:rows=2,columns=3"]
COVERED, FREE = Numberlink.examples()


@pytest.mark.slow
def test_blocks_of_a_large_board_are_refused():
    """The annealer takes these; as a QUBO they would be 10,607,153,924 products."""
    (puzzle,) = generate("numberlink", size=(15, 15), seed=1)
    with pytest.raises(TooLarge, match="products"):
        solve(puzzle, "neal", formulation="blocks", reads=1, time_limit=0.1)
    grid = np.zeros((15, 15), dtype=int)
    for number in range(1, 13):
        grid[number, 1] = grid[13 - number, 13] = number
    for cover, formulation in ((True, "blocks"), (False, "apart")):
        puzzle = Numberlink(grid=grid, cover=cover)
        with pytest.raises(TooLarge, match=r"block: over|can be too much together"):
            puzzle.model(formulation)
        assert puzzle.model().choices


STEPS = ((0, 1, 1, 4), (1, 0, 2, 8), (0, -1, 4, 1), (-1, 0, 8, 2))


def pairings(cells):
    """All ways to pair up some of the cells, at least two."""
    if len(cells) < 2:
        yield []
        return
    first, *rest = cells
    yield from pairings(rest)
    for other in rest:
        for pairs in pairings([cell for cell in rest if cell != other]):
            yield [(first, other), *pairs]


def boards(rows, columns):
    for pairs in pairings(list(np.ndindex(rows, columns))):
        if pairs:
            grid = np.zeros((rows, columns), dtype=int)
            for number, (a, b) in enumerate(pairs, start=1):
                grid[a] = grid[b] = number
            for cover in (True, False):
                yield Numberlink(grid=grid.tolist(), cover=cover)


@st.composite
def numberlinks(draw, max_rows=3, max_cols=3):
    """Random ends; half of them the ends of random paths, so that many have a solution."""
    rows, columns = draw(st.integers(1, max_rows)), draw(st.integers(2, max_cols))
    cells = draw(st.permutations(list(np.ndindex(rows, columns))))
    grid, n = np.zeros((rows, columns), dtype=int), 0
    if draw(st.booleans()):
        for n in range(1, draw(st.integers(1, len(cells) // 2)) + 1):
            grid[cells[2 * n - 2]] = grid[cells[2 * n - 1]] = n
    used: set = set()
    for start in cells if n == 0 else ():
        path = [start]
        for d in draw(st.lists(st.integers(0, 3), min_size=1, max_size=6)):
            new = path[-1][0] + STEPS[d][0], path[-1][1] + STEPS[d][1]
            if new in set(cells) - used - set(path):
                path.append(new)
        if start not in used and len(path) > 1:
            n += 1
            grid[start] = grid[path[-1]] = n
            used.update(path)
    if not n:
        grid[cells[0]] = grid[cells[1]] = 1
    return Numberlink(grid=grid.tolist(), cover=draw(st.booleans()))


def open_steps(cell, paths):
    for dr, dc, out, into in STEPS:
        new = cell[0] + dr, cell[1] + dc
        if all(0 <= x < n for x, n in zip(new, paths.shape, strict=True)) and not paths[new]:
            yield new, out, into


def solutions(puzzle):
    """All answers, by laying path after path: without the checker and without a model."""
    grid = np.array(puzzle.grid)
    starts = {n: tuple(np.argwhere(grid == n)[0]) for n in np.unique(grid[grid > 0]).tolist()}
    found = []

    def extend(cell, paths, left):
        for new, out, into in open_steps(cell, paths):
            if grid[new] in (0, grid[starts[left[0]]]) and new != starts[left[0]]:
                longer = paths.copy()
                longer[cell] += out
                longer[new] += into
                if grid[new]:
                    begin(longer, left[1:])
                else:
                    extend(new, longer, left)

    def begin(paths, left):
        if left:
            extend(starts[left[0]], paths, left)
        elif paths.all() or not puzzle.cover:
            found.append(paths.tobytes())

    begin(np.zeros_like(grid), sorted(starts))
    return set(found)


def by_checker(puzzle):
    """All answers that the rules accept, by trying all sets of edges."""
    rows, columns = puzzle.shape
    n_right = rows * (columns - 1)
    found = set()
    for bits in all_bits(n_right + (rows - 1) * columns):
        right, down = bits[:n_right].reshape(rows, -1), bits[n_right:].reshape(-1, columns)
        answer = puzzle.parse_answer({"right": right.tolist(), "down": down.tolist()})
        if obeys(puzzle, answer):
            found.add(answer.tobytes())
    return found


def as_grid(answer, puzzle):
    return np.frombuffer(answer, np.int64).reshape(puzzle.shape)


def formulations(puzzle):
    return [*EXACT, *BLOCKS, *([] if puzzle.cover else ["apart", "apart:rows=1,columns=1"])]


def runs_apart(puzzle, answer):
    """No two neighbours of one number that are not joined."""
    grid = as_grid(answer, puzzle)
    labels = puzzle.labels(grid)
    across = (labels[:, :-1] != labels[:, 1:]) | (labels[:, 1:] == 0) | (grid[:, :-1] & 1 > 0)
    along = (labels[:-1] != labels[1:]) | (labels[1:] == 0) | (grid[:-1] & 2 > 0)
    return bool(across.all() and along.all())


def expected(puzzle, formulation, every):
    if not formulation.startswith("apart"):
        return every
    return {answer for answer in every if runs_apart(puzzle, answer)}


def check_zero_energy(puzzle, max_bits, every):
    for formulation in formulations(puzzle):
        if formulation == "edges":
            continue
        model = puzzle.model(formulation)
        wanted = expected(puzzle, formulation, every)
        for encoding in ENCODINGS:
            zero = zero_energy_grids(model, encoding, max_bits)
            if zero is None:
                continue
            if model.omitted:
                grids = [as_grid(answer, puzzle) for answer in zero]
                zero = [grid.tobytes() for grid in grids if obeys(puzzle, grid)]
            assert zero == sorted(wanted)


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(1, 2), (1, 3), (1, 4), (1, 5), (2, 2), (2, 3), (3, 2)])
def test_every_small_board(shape, monkeypatch):
    """Those of 3 by 2 are those of 2 by 3 turned over: some of them."""
    monkeypatch.setattr(Numberlink, "model", lru_cache(maxsize=16)(Numberlink.model))
    for puzzle in islice(boards(*shape), 0, None, 5 if shape == (3, 2) else 1):
        every = solutions(puzzle)
        assert by_checker(puzzle) == every
        check_zero_energy(puzzle, 12, every)
        for formulation in formulations(puzzle):
            result = solve(puzzle, "sat", formulation=formulation, solutions=None, seed=1)
            assert {a.tobytes() for a in result.solutions} == expected(puzzle, formulation, every)


@pytest.mark.slow
@given(puzzle=numberlinks())
@settings(max_examples=40)
def test_random_boards_of_3_by_3(puzzle):
    every = solutions(puzzle)
    check_zero_energy(puzzle, 16, every)
    if puzzle.shape != (3, 3):
        assert by_checker(puzzle) == every


@pytest.mark.slow
@given(puzzle=numberlinks(max_rows=4, max_cols=4))
@settings(max_examples=60)
def test_every_formulation_has_the_solutions(puzzle):
    every = solutions(puzzle)
    for formulation in formulations(puzzle):
        result = solve(puzzle, "sat", formulation=formulation, solutions=None, seed=1)
        found = [a.tobytes() for a in result.solutions]
        wanted = expected(puzzle, formulation, every)
        assert sorted(found) == sorted(wanted)
        if every:
            assert wanted  # where there is a solution, one runs apart
        if formulation in EXACT:
            assert result.complete


@given(puzzle=numberlinks(max_rows=3, max_cols=4))
@settings(max_examples=30)
def test_cpsat_finds_all_solutions(puzzle):
    pytest.importorskip("ortools")
    for formulation in EXACT:
        result = solve(puzzle, "cpsat", formulation=formulation, solutions=None, seed=1)
        assert {a.tobytes() for a in result.solutions} == solutions(puzzle)
        assert result.complete


@given(puzzle=numberlinks(max_rows=3, max_cols=3))
@settings(max_examples=8)
def test_mip_finds_all_solutions(puzzle):
    every = solutions(puzzle)
    if len(every) < 8:
        result = solve(puzzle, "mip", solutions=None, seed=1)
        assert {a.tobytes() for a in result.solutions} == every
        assert result.complete


@given(puzzle=numberlinks(max_rows=4, max_cols=4))
@settings(max_examples=60)
def test_solutions_can_be_written(puzzle):
    every = solutions(puzzle)
    for formulation in formulations(puzzle):
        model = puzzle.model(formulation)
        for answer in expected(puzzle, formulation, every):
            grid = as_grid(answer, puzzle)
            x = model.assignment(model.field.write(grid))
            assert model.field.read(x)[0].tobytes() == answer
            assert violation(model, x) == 0


@given(puzzle=numberlinks(max_rows=4, max_cols=4))
@settings(max_examples=30)
def test_exact_solvers_look_first_for_paths_that_run_apart(puzzle):
    every = solutions(puzzle)
    model = puzzle.model("edges")
    for answer in every:
        written = model.field.write(as_grid(answer, puzzle))
        assert written[-1] == runs_apart(puzzle, answer)
    if any(runs_apart(puzzle, answer) for answer in every):
        result = solve(puzzle, "sat", formulation="edges", seed=1)
        assert runs_apart(puzzle, result.grid.tobytes())


@given(puzzle=numberlinks())
@settings(max_examples=30)
def test_propagation_keeps_the_solutions(puzzle):
    every = solutions(puzzle)
    for formulation in EXACT:
        found = propagate(puzzle.model(formulation))
        if found.contradiction:
            assert not every
        result = solve(
            puzzle, "sat", formulation=formulation, presolve="propagate", solutions=None, seed=1
        )
        assert {a.tobytes() for a in result.solutions} == every


class Walled(Numberlink):
    """With a wall in each row but the first, so that two rules make a model."""

    def rules(self):
        rows, columns = self.shape
        right = np.ones((rows, columns - 1), dtype=int)
        right[0] = right[1:, 1:] = 0
        yield Walls("wall", right, None)
        yield from super().rules()


@given(puzzle=numberlinks(max_rows=3, max_cols=4))
@settings(max_examples=40)
def test_the_rule_goes_with_others(puzzle):
    walled = Walled(puzzle.grid, puzzle.cover)
    right = {a for a in solutions(puzzle) if obeys(walled, as_grid(a, puzzle))}
    for model_of in (by_cells, by_headings, by_placements, by_cuts):
        model = model_of(walled)
        result = solve(model, "sat", solutions=None, seed=1)
        assert result.complete
        assert {np.asarray(grid, dtype=np.int64).tobytes() for grid in result.solutions} == right
        for answer in right:
            x = model.assignment(model.field.write(as_grid(answer, puzzle)))
            assert violation(model, x) == 0


# --- first trying that every cell is used ----------------------------------------------

RING = Numberlink(grid=[[1, 0, 0], [0, 0, 0], [1, 0, 0]], cover=False)
"""Four covering solutions at least, and the straight line."""
UNCOVERED = Numberlink(grid=[[1, 0, 1], [0, 0, 0]], cover=False)
"""Ends of one colour of a chessboard: a path has an odd number of cells."""
FLAT = Numberlink(grid=[[1, 1, 0]], cover=False)


@pytest.mark.parametrize("solver", ["sat", "mip", "annealer", "neal", "tempering"])
def test_every_solver_first_tries_that_every_cell_is_used(solver):
    result = solve(RING, solver, seed=1)
    assert result.valid
    assert result.grid.all()
    assert result.problem == RING
    assert result.attempt.status == "optimal"
    assert result.formulation.endswith(":cover=1")
    assert result.relaxed == ("cover",)
    assert not result.complete
    assert result.summary().endswith("| found by first trying that every cell is used")
    assert result.to_dict()["attempt"]["asks"] == "every cell is used"


@pytest.mark.parametrize("solver", ["sat", "annealer"])
@pytest.mark.parametrize("time_limit", [None, 20])
def test_without_a_covering_solution_the_problem_itself_is_solved(solver, time_limit):
    result = solve(UNCOVERED, solver, seed=1, time_limit=time_limit)
    assert result.valid
    assert not result.grid.all()
    assert result.attempt.status == "infeasible"
    assert ":" not in result.formulation
    assert result.relaxed == ()
    assert result.summary().endswith(
        "| first tried that every cell is used: there is no such solution"
    )


def test_what_has_no_solution_is_proved_without_the_covering_rule():
    crossed = Numberlink(grid=[[1, 2], [2, 1]], cover=False)
    result = solve(crossed, "sat")
    assert result.status == result.attempt.status == "infeasible"
    assert result.complete
    assert solve(replace(crossed, cover=True), "sat").attempt is None


@pytest.mark.parametrize(
    ("solver", "settings"),
    [
        ("sat", {"solutions": 2}),
        ("sat", {"formulation": "edges"}),
        ("sat", {"options": {"proof": 1}}),
        ("sat", {"options": {"backend": "lingeling"}}),
        ("annealer", {"reads": 1}),
        ("exact", {}),
    ],
)
def test_what_is_asked_for_by_name_and_what_cannot_be_divided_is_tried_at_once(solver, settings):
    result = solve(RING if solver != "exact" else FLAT, solver, seed=1, **settings)
    assert result.valid
    assert result.attempt is None
    assert result.relaxed == ()


def test_uniqueness_is_of_the_problem_itself():
    """One solution uses every cell, and another one does not."""
    puzzle = Numberlink(grid=[[1, 0], [1, 0]], cover=False)
    result = solve(puzzle, "sat", solutions=2)
    assert result.unique is False
    assert len(result.solutions) == 2
    assert solve(FLAT, "exact").unique is True


@pytest.fixture
def finds_nothing(monkeypatch):
    """``random`` finds nothing, and returns what each of its tasks was given."""
    tasks, own = [], type(get_solver("random"))

    def solve_nothing(_, task):
        tasks.append((task.compiled.restricted, task.budget.reads, task.budget.time_limit))
        task.report(1, 5)
        sample = np.zeros((1, task.compiled.sizes["variables"]), dtype=np.int8)
        if task.track is not None:
            task.track.record(0, 0, 1.0, sample[0])
        proved = own.exact and len(tasks) == 6
        return Outcome(sample[proved:], np.ones(1 - proved), task.budget.reads, infeasible=proved)

    monkeypatch.setattr(own, "solve", solve_nothing)
    return tasks


@pytest.mark.parametrize("limit", [{}, {"time_limit": 8}])
def test_reads_and_seconds_are_divided(finds_nothing, limit):
    told = []
    result = solve(RING, "random", seed=1, reads=7, trace=True, progress=told.append, **limit)
    (first, most, some_s), (then, rest, rest_s) = finds_nothing
    assert (first, most, then, rest) == (("cover",), 4, (), 3)
    assert some_s == (4 if limit else None)
    assert 4 < rest_s <= 8 if limit else rest_s is None
    assert result.reads == 7
    assert [progress.reads for progress in told] == [1, 5]
    assert result.trace.read.tolist() == [0, 4]
    assert result.status == result.attempt.status == "unknown"


def test_without_a_time_limit_proofs_are_looked_for_in_turns(finds_nothing, monkeypatch):
    monkeypatch.setattr(type(get_solver("random")), "exact", True)
    result = solve(RING, "random", seed=1)
    assert [seconds for _, _, seconds in finds_nothing] == [10, 10, 20, 20, 40, 40]
    assert [rule for rule, _, _ in finds_nothing] == [("cover",), ()] * 3
    assert result.status == "infeasible"
    assert result.attempt.status == "unknown"


def test_a_first_attempt_that_is_too_large_is_left_out(monkeypatch):
    def refuse(self, task):
        if task.compiled.restricted:
            raise TooLarge("too large")

    monkeypatch.setattr(type(get_solver("neal")), "check_size", refuse)
    result = solve(RING, "neal", seed=1)
    assert result.valid
    assert result.attempt is None


def test_a_run_that_found_an_answer_at_first_is_repeated_by_its_formulation():
    for solver in ("annealer", "sat"):
        result = solve(RING, solver, seed=3)
        again = solve(RING, solver, seed=3, formulation=result.formulation)
        assert again.attempt is None
        assert (again.grid == result.grid).all()
        assert (solve(RING, solver, seed=3).grid == result.grid).all()


# --- loops -----------------------------------------------------------------------------


def test_a_loop_in_the_middle_is_no_solution():
    """The corners are forced, and only a loop would use the four cells in the middle."""
    grid = [[0, 1, 2, 0], [1, 0, 0, 2], [3, 0, 0, 4], [0, 3, 4, 0]]
    puzzle = Numberlink(grid=grid)
    for formulation in EXACT:
        assert solve(puzzle, "sat", formulation=formulation).status == "infeasible"
    for formulation in BLOCKS:
        assert solve(puzzle, "sat", formulation=formulation).status != "optimal"
    right, down = ["101", "010", "010", "101"], ["1001", "0110", "1001"]
    answer = puzzle.parse_answer({"right": right, "down": down})
    (broken,) = puzzle.violations(answer)
    assert broken.rule == "loop"
    assert broken.message == "a closed loop of 4 cells from (1, 1)"
    assert sorted(broken.cells) == [(1, 1), (1, 2), (2, 1), (2, 2)]
    free = Numberlink(grid=grid, cover=False)
    assert len(solve(free, "sat", formulation="turning", solutions=None).solutions) == len(
        solutions(free)
    )


@pytest.mark.slow
@pytest.mark.parametrize("formulation", EXACT)
@pytest.mark.parametrize(("size", "count"), [(4, 6), (6, 1072)])
def test_paths_that_close_are_the_hamiltonian_cycles(formulation, size, count):
    """From a corner to the cell beside it: cycles of the grid less an edge (OEIS A003763)."""
    grid = np.zeros((size, size), dtype=int)
    grid[0, :2] = 1
    result = solve(Numberlink(grid=grid), "sat", formulation=formulation, solutions=None, seed=1)
    assert result.complete
    assert len(result.solutions) == count


# --- rules -----------------------------------------------------------------------------


def test_an_example_may_leave_cells_and_uses_all():
    assert not FREE.cover
    assert FREE.solution.all()


def test_changing_any_cell_of_a_solution_breaks_its_connections():
    for r, c in np.ndindex(COVERED.shape):
        for value in range(16):
            wrong = COVERED.solution.copy()
            wrong[r, c] = value
            broken = {v.rule for v in COVERED.violations(wrong)}
            assert ("connection" in broken) == (value != COVERED.solution[r, c])


@pytest.mark.parametrize(
    ("grid", "right", "down", "rules"),
    [
        ([[1, 0, 1]], ["10"], [], {"end", "path"}),
        ([[1, 1, 0]], ["10"], [], {"cover"}),
        ([[1, 2], [1, 2]], ["11"[:1]] * 2, ["00"], {"number"}),
        ([[1, 1], [2, 2]], ["1", "1"], ["10"], {"end", "number"}),
        ([[1, 0, 1], [2, 0, 2]], ["11", "11"], ["010"], {"path", "number"}),
        ([[1, 1, 0, 0], [2, 2, 0, 0]], ["101", "101"], ["0011"], {"loop"}),
    ],
)
def test_each_rule_is_named(grid, right, down, rules):
    puzzle = Numberlink(grid=grid)
    broken = puzzle.violations(puzzle.parse_answer({"right": right, "down": down}))
    assert {v.rule for v in broken} == rules
    assert all(v.cells and "\n" not in v.message for v in broken)


def test_messages():
    puzzle = Numberlink(grid=[[1, 0, 1]])
    found = [v.message for v in puzzle.violations(np.array([[1, 4, 1]]))]
    assert found == [
        "(0,2) goes right and does not arrive",
        "cell (0, 1) joins 1 of its neighbours, not 2",
    ]
    free = Numberlink(grid=[[1, 1, 0]], cover=False)
    assert free.violations(np.array([[1, 4, 0]])) == []
    with pytest.raises(InputError, match="other than 0 to 15"):
        puzzle.violations(np.array([[1, 16, 1]]))
    with pytest.raises(InputError, match="the answer has 3 cells"):
        puzzle.violations(np.array([1, 5, 4]))
    for formulation in formulations(puzzle):
        with pytest.raises(InputError, match="breaks the rule path"):
            puzzle.model(formulation).field.write(np.array([[1, 4, 1]]))


# --- reading ---------------------------------------------------------------------------


def test_json_has_lines_or_labels():
    for puzzle in (COVERED, FREE):
        data = puzzle.to_dict()
        assert Numberlink.from_dict(data).cover == puzzle.cover
        lines = {key: data["solution"][key] for key in ("right", "down")}
        beside = {**data, **lines, "solution": data["solution"]["labels"]}
        for other in (beside, {**beside, "solution": None}):
            assert (Numberlink.from_dict(other).solution == puzzle.solution).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cover": "yes"}, "cover: expected true or false, got 'yes'"),
        ({"right": ["1"]}, "down: missing"),
        ({"right": ["1"], "down": []}, r"right\[0\]: expected 2 of 0 and 1, got '1'"),
        ({"right": ["12"], "down": []}, r"right\[0\]: expected 2 of 0 and 1, got '12'"),
        ({"right": [3], "down": []}, r"right\[0\]: expected 2 of 0 and 1, got 3"),
        ({"right": ["11"], "down": ["1"]}, "down: expected 0 lines"),
        ({"right": ["11"], "down": []}, None),
        ({"right": ["10"], "down": []}, "solution: cell"),
        ({"solution": 5}, "solution: expected {.*}, got 5"),
        ({"solution": [[1, 1]]}, "solution: expected 1 rows of 3 cells, or {"),
        ({"solution": [[1, 1, 1]]}, None),
        ({"right": ["11"], "down": [], "solution": [[1, 0, 1]]}, r"labels\[0\]\[1\]: 0 is not"),
    ],
)
def test_hostile_input_is_refused_with_its_place(change, message):
    data = {"puzzle": "numberlink", "grid": [[1, None, 1]], **change}
    if message is None:
        assert Numberlink.from_dict(data).solution.tolist() == [[1, 5, 4]]
        return
    with pytest.raises(PuzzleError, match=message) as caught:
        Numberlink.from_dict(data)
    assert len(str(caught.value)) < 200


def test_huge_models_are_refused_before_they_are_built():
    grid = np.zeros((200, 200), dtype=int)
    grid[:2, :10] = grid[2:4, :10] = np.arange(1, 21).reshape(2, 10)
    with pytest.raises(TooLarge, match="40000 cells and 20 numbers"):
        Numberlink(grid=grid).model()
    with pytest.raises(TooLarge, match="64 choices can be too much together"):
        Numberlink(grid=[[1, *[0] * 6, 1]] + [[0] * 8] * 7).model("blocks:rows=8,columns=8")


def test_settings_of_blocks():
    with pytest.raises(InputError, match="at least 1 row"):
        FREE.model("blocks:rows=0")
    with pytest.raises(InputError, match="for puzzles that leave cells unused"):
        COVERED.model("apart")
    assert FREE.model("blocks").omitted == ("loop",)
    assert FREE.model("apart").restricted == ("apart",)
    assert not FREE.model().omitted


def test_candidates():
    """A pair shut in by others does not reach beyond, and what nothing reaches is unused."""
    puzzle = Numberlink(grid=[[1, 1, 2, 0, 2]])
    assert [len(c.values) for c in puzzle.model().choices] == [1] * 5
    shut = Numberlink(grid=[[1, 1, 2, 2, 0]], cover=True)
    model = shut.model()
    assert model.choices[4].values == ((UNUSED, 8, 8),)
    assert propagate(model).contradiction


@pytest.mark.parametrize("formulation", ["turning", "edges", "blocks", "apart"])
def test_a_single_cell(formulation):
    result = solve(Numberlink([[0]], cover=False), "sat", formulation=formulation)
    assert result.valid
    assert result.grid.tolist() == [[0]]


def test_the_picture_has_the_numbers_and_the_paths():
    picture = COVERED.picture(COVERED.solution, [(0, 0)])
    assert picture.words[(0, 3)] == "3"
    assert picture.given == frozenset(picture.words)
    assert (picture.paths == COVERED.solution).all()
    assert picture.colors.tolist()[0] == [1, 1, 1, 3, 3, 3]
    assert picture.broken == frozenset([(0, 0)])
    assert not COVERED.picture().paths.any()
