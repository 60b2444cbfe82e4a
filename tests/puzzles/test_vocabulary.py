"""Rules of the vocabulary by themselves: every form of the model against every small grid."""

import inspect
import subprocess
import sys
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest

from boards import IN_ONE_FILE
from qubopuzzle import ModelBuilder, solve
from qubopuzzle.errors import ModelError, SolverFailed, TooLarge
from qubopuzzle.model import violation
from qubopuzzle.puzzles.skyscrapers import Skyscrapers
from qubopuzzle.puzzles.vocabulary.bridges import Bridges, sides
from qubopuzzle.puzzles.vocabulary.cells import Cells
from qubopuzzle.puzzles.vocabulary.drawing import changed_piece, crossword, grown_piece
from qubopuzzle.puzzles.vocabulary.grids import runs_of
from qubopuzzle.puzzles.vocabulary.joined import joined, substituted
from qubopuzzle.puzzles.vocabulary.linked import Linked
from qubopuzzle.puzzles.vocabulary.loops import SHAPES, Loop, drawn_loop
from qubopuzzle.puzzles.vocabulary.paths import neighbours
from qubopuzzle.puzzles.vocabulary.regions import Connected, Islands, Uncut
from qubopuzzle.puzzles.vocabulary.routes import SHAPES as ROUTE_SHAPES
from qubopuzzle.puzzles.vocabulary.routes import Route, Walls, along, drawn_route
from qubopuzzle.puzzles.vocabulary.rules import Different, DifferentLines
from qubopuzzle.puzzles.vocabulary.sums import DifferentSum
from qubopuzzle.puzzles.vocabulary.views import FirstSeen, lines_from, seen

FORMS = ("apart", "joined", "cuts")


def model_of(rule, shape, values, form):
    """A model of one rule: a choice a cell, joined with what the rule adds, or by cuts."""
    allowed = np.ones((*shape, len(values)), dtype=bool)
    rule.narrow(allowed, values)
    ways = None if form == "cuts" else rule.ways(allowed)
    how = {"by_cuts": form == "cuts", "by_sets": form == "sets"}
    cells = Cells(shape, values, allowed, ways=ways, **how)
    cells.add(rule)
    model = cells.build()
    return joined(model, cells.own_choices, "cell") if form == "joined" else model


def grids_of(model):
    """All grids that its solutions paint."""
    result = solve(model, "sat", solutions=None, seed=1)
    assert result.complete
    grids = {np.asarray(grid, dtype=np.int64).tobytes() for grid in result.solutions}
    assert len(grids) == len(result.solutions)  # each once, in however many ways it is written
    return grids


def right_grids(rule, shape, values):
    n = shape[0] * shape[1]
    places = np.arange(len(values) ** n)[:, None] // len(values) ** np.arange(n) % len(values)
    grids = np.array(values, dtype=np.int64)[places].reshape(-1, *shape)
    return {grid.tobytes() for grid in grids if next(iter(rule.broken(grid)), None) is None}


def check(rule, shape, values, forms=FORMS):
    right = right_grids(rule, shape, values)
    for form in forms:
        model = model_of(rule, shape, values, form)
        assert grids_of(model) == right, form
        for grid in [*right][:50]:  # and each is written
            answer = np.frombuffer(grid, dtype=np.int64).reshape(shape)
            x = model.assignment(model.field.write(answer))
            assert violation(model, x) == 0
            assert (model.field.read(x)[0] == answer).all()


@pytest.mark.parametrize("outside", [False, True])
@pytest.mark.parametrize("shape", [(1, 4), (2, 3), (3, 3)])
def test_connected_cells(shape, outside):
    check(Connected("connected", 1, outside=outside), shape, (0, 1))


@pytest.mark.slow
@pytest.mark.parametrize("outside", [False, True])
def test_connected_cells_of_every_larger_grid(outside):
    check(Connected("connected", 1, outside=outside), (3, 4), (0, 1))
    check(Connected("connected", 0, outside=outside), (2, 6), (0, 1))


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (4, 1), (2, 4), (3, 3), (3, 4)])
def test_shading_that_cuts_nothing(shape):
    check(Uncut(), shape, (0, 1), ("apart", "cuts"))


@pytest.mark.slow
@pytest.mark.parametrize("by_cuts", [False, True])
def test_shading_with_cells_that_are_known(by_cuts):
    rule, rng = Uncut(), np.random.default_rng(1)
    for _ in range(20):
        known = rng.integers(-2, 2, (3, 4))
        allowed = np.stack([known != 1, known != 0], axis=-1)
        ways = None if by_cuts else rule.ways(allowed)
        cells = Cells(known.shape, (0, 1), allowed, by_cuts=by_cuts, ways=ways)
        cells.add(rule)
        grids = right_grids(rule, known.shape, (0, 1))
        fitting = [np.frombuffer(g, dtype=np.int64).reshape(known.shape) for g in grids]
        fitting = [g for g in fitting if ((g == known) | (known < 0)).all()]
        assert grids_of(cells.build()) == {g.tobytes() for g in fitting}


@pytest.mark.parametrize(("side", "loops"), [(2, 1), (3, 13), (4, 213)])
def test_loops_of_a_square_grid(side, loops):
    """Their numbers are known: OEIS A140517."""
    rule = Loop("loop")
    for form in FORMS if side < 4 else ("joined", "cuts"):
        grids = grids_of(model_of(rule, (side, side), SHAPES, form))
        assert len(grids) == loops, form
        for grid in grids:
            assert not [*rule.broken(np.frombuffer(grid, dtype=np.int64).reshape(side, side))]


def test_loops_through_a_known_cell_have_one_assignment_by_headings():
    rule, rng = Loop("loop", on=5), np.random.default_rng(1)
    model = model_of(rule, (4, 4), SHAPES, "apart")
    result = solve(model, "sat", solutions=None, seed=1)
    through = [
        g
        for g in grids_of(model_of(Loop("loop"), (4, 4), SHAPES, "joined"))
        if np.frombuffer(g, dtype=np.int64)[5]
    ]
    assert len(result.solutions) == len(through)
    for _ in range(20):
        loop = drawn_loop((6, 7), rng)
        assert not [*Loop("loop").broken(loop)]


def test_what_is_no_loop_is_named():
    rule = Loop("loop", on=0)
    two = np.array([[3, 6, 3, 6], [9, 12, 9, 12]])
    assert [v.message for v in rule.broken(two)] == ["4 cells from (0, 2) are a loop apart"]
    assert "there is no loop" in [v.message for v in rule.broken(np.zeros((2, 2), dtype=int))]
    assert [*rule.broken(np.array([[3, 6], [9, 8]]))]


@pytest.mark.parametrize(
    "grid", [[[1, 2]], [[1, 0], [0, 2]], [[1, 0], [2, 0]], [[1, 2], [4, 3]], [[1, 3], [0, 2]]]
)
def test_routes_of_every_grid(grid):
    check(Route("path", np.array(grid)), np.shape(grid), ROUTE_SHAPES)


@pytest.mark.parametrize("cover", [False, True])
@pytest.mark.parametrize(
    "grid", [[[1, 0, 0, 1]], [[2, 0, 2, 0]], [[1, 0], [1, 0]], [[7, 3], [3, 7]], [[0, 0], [0, 0]]]
)
def test_paths_that_join_numbers_of_every_grid(grid, cover):
    check(Linked("path", np.array(grid), cover), np.shape(grid), (0, *ROUTE_SHAPES))


def routes(grid):
    """All paths through all cells, past the numbers in order, one step at a time."""
    near, numbers = neighbours(grid.shape).tolist(), grid.ravel().tolist()
    waiting = [([numbers.index(1)], 1)]
    while waiting:
        path, met = waiting.pop()
        if len(path) == grid.size and met == max(numbers) == numbers[path[-1]]:
            yield along(np.array(path), grid.shape)
        waiting += [
            ([*path, cell], met + (numbers[cell] > 0))
            for cell in near[path[-1]]
            if cell >= 0 and cell not in path and numbers[cell] in (0, met + 1)
        ]


ROUTES = [
    ([[1, 0, 0], [0, 0, 0], [0, 0, 2]], 2),
    ([[1, 0, 0], [0, 2, 0], [0, 0, 3]], 2),
    ([[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [2, 0, 0, 0]], 8),
    ([[0, 0, 0, 0], [0, 1, 0, 0], [2, 0, 0, 0], [0, 0, 0, 3]], 0),
    ([[0, 0, 0, 3], [0, 1, 0, 0], [0, 0, 2, 0], [0, 0, 4, 0]], 2),
]


@pytest.mark.parametrize(("grid", "count"), ROUTES)
def test_routes_are_those_that_a_walk_finds(grid, count):
    grid = np.array(grid)
    rule, right = Route("path", grid), {route.tobytes() for route in routes(grid)}
    assert len(right) == count
    for form in FORMS:
        model = model_of(rule, grid.shape, ROUTE_SHAPES, form)
        assert grids_of(model) == right, form
        assert len(solve(model, "sat", solutions=None, seed=1).answers) == len(right)  # each once
        for route in right:
            answer = np.frombuffer(route, dtype=np.int64).reshape(grid.shape)
            assert not [*rule.broken(answer)]
            x = model.assignment(model.field.write(answer))
            assert violation(model, x) == 0


def test_numbers_that_are_switched_off_are_passed_at_any_time():
    """The others in their order, from the first to the last: so for every choice of them."""
    grid = np.array([[1, 0, 0, 3], [0, 4, 0, 0], [0, 0, 2, 0], [5, 0, 0, 0]])
    for kept in range(8):
        rule, fewer = Route("path", grid, field="grid"), grid.copy()
        allowed = np.ones((*grid.shape, len(ROUTE_SHAPES)), dtype=bool)
        rule.narrow(allowed, ROUTE_SHAPES)
        cells = Cells(grid.shape, ROUTE_SHAPES, allowed, by_cuts=True, switched=True)
        cells.add(rule)
        for (_, place), literal in cells.switches.items():
            on = kept >> grid.flat[place] - 2 & 1
            fewer.flat[place] *= on
            cells.builder.rows("on").add([literal], lower=int(on), upper=int(on))
        fewer = np.searchsorted(np.unique(fewer), fewer)
        result = solve(cells.build(), "sat", solutions=None, seed=1)
        found = {np.asarray(grid, dtype=np.int64).tobytes() for grid in result.solutions}
        assert found == {route.tobytes() for route in routes(fewer)}
        assert len(found) == 8 or kept


def test_routes_that_are_drawn_pass_all_cells():
    rng = np.random.default_rng(1)
    for shape in [(1, 5), (3, 3), (6, 7)]:
        path, grid = drawn_route(shape, rng), np.zeros(shape, dtype=np.int64)
        grid.flat[path[[0, len(path) // 2, -1]]] = 1, 2, 3
        assert not [*Route("path", grid).broken(along(path, shape))]


def test_what_is_no_route_is_named():
    rule = Route("path", np.array([[1, 0, 3], [0, 0, 2]]))
    for answer, messages in (
        (
            [[2, 3, 2], [9, 12, 8]],
            ["(0,1) goes right and does not arrive", "the path ends on (1,2)"],
        ),
        ([[2, 3, 4], [9, 12, 0]], ["the path does not pass (1,2)", "the path passes 3 after 1"]),
        ([[1, 5, 6], [1, 5, 12]], ["the path does not end on (0,2)", "the path ends on (1,0)"]),
    ):
        assert [v.message for v in rule.broken(np.array(answer))][:2] == messages
    rule = Route("path", np.array([[1, 0, 0, 0], [2, 0, 0, 0]]))
    (apart,) = rule.broken(np.array([[2, 3, 5, 6], [8, 9, 5, 12]]))
    assert apart.message == "2 cells from (0, 0) are not on the path"


def test_walls():
    walls = Walls("wall", np.array([[1], [0]]), np.array([[0, 1]]))
    check(walls, (2, 2), (0, 3, 6, 9, 12), ())
    allowed = np.ones((2, 2, 16), dtype=bool)
    walls.narrow(allowed, range(16))
    for cell, value in np.ndindex(4, 16):
        answer = np.zeros((2, 2), dtype=np.int64)
        answer.flat[cell] = value
        assert allowed.reshape(4, 16)[cell, value] != bool([*walls.broken(answer)])


@pytest.mark.parametrize(
    "grid",
    [[[1, 0, 0], [0, 0, 2]], [[-1, 0, 0], [0, 0, 0]], [[0, 0], [0, 3]], [[2, 0, 2]], [[0, 0]]],
)
def test_islands(grid):
    grid = np.array(grid)
    check(Islands("island", 0, grid), grid.shape, (0, 1), ("apart", "joined"))


def bridges_of(grid):
    """All ways of up to two bridges between islands that see each other in a line."""
    n, m = grid.shape
    lines = [[(r, c) for c in range(m)] for r in range(n)]
    pairs = []
    for step, several in ((1, lines), (3, [*zip(*lines, strict=True)])):
        for line in several:
            islands = [i for i, cell in enumerate(line) if grid[cell]]
            pairs += [(step, line[i:j]) for i, j in pairwise(islands)]
    for counts in product(range(3), repeat=len(pairs)):
        answer = np.zeros_like(grid)
        for count, (step, cells) in zip(counts, pairs, strict=True):
            for cell in cells:
                answer[cell] += step * count
        if answer.max() < 9:
            yield answer


@pytest.mark.parametrize("seed", range(10))
def test_bridges_of_small_grids(seed):
    rng = np.random.default_rng(seed)
    grid = -rng.permutation(np.arange(12) < 5).reshape(3, 4).astype(int)
    if not seed:  # two bridges that would cross
        grid = np.array([[0, -1, -1], [-1, 0, -1], [-1, -1, 0]])
    every = [*bridges_of(grid)]
    if seed % 2:  # numbers of one of them
        out = sides(every[int(rng.integers(len(every)))]).sum(axis=1).reshape(grid.shape)
        grid = np.where((grid != 0) & (out > 0) & (rng.random(grid.shape) < 0.7), out, grid)
    rule = Bridges("bridge", grid)
    right = {answer.tobytes() for answer in every if not [*rule.broken(answer)]}
    for form in FORMS:
        model = model_of(rule, grid.shape, range(9), form)
        assert grids_of(model) == right, form
        for answer in [np.frombuffer(one, dtype=np.int64) for one in right][:50]:
            x = model.assignment(model.field.write(answer.reshape(grid.shape)))
            assert violation(model, x) == 0


def test_what_is_wrong_with_bridges_is_named():
    rule = Bridges("bridge", np.array([[1, 0, 2], [0, 0, 0], [-1, 0, 1]]))
    wrong = np.array([[1, 0, 0], [0, 0, 0], [1, 1, 3]])
    assert [v.message for v in rule.broken(wrong)] == [
        "a bridge leads out of the grid from (2, 2)",
        "a bridge ends without an island on (0, 1)",
        "the island on (0,2) has 0 bridges, not 2",
        "the island on (2,2) has 2 bridges, not 1",
        "1 islands from (0, 0) are cut off",
        "1 islands from (0, 2) are cut off",
    ]
    cross = Bridges("bridge", np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    assert "bridges cross on (1, 1)" in [
        v.message for v in cross.broken(np.array([[0, 3, 0], [1, 4, 0], [0, 0, 0]]))
    ]


@pytest.mark.parametrize(
    "totals", [(5, 3, None, 5), (None, 6, 4, 4), (7, 7, 7, None), (3, 3, 3, 20), (None,) * 4]
)
def test_different_values_that_add_up(totals):
    cells = np.arange(4).reshape(2, 2)
    sums = DifferentSum("sum", [*cells, *cells.T], totals, (1, 2, 3, 4), "abcd")
    check(sums, (2, 2), range(5), ("apart", "sets"))
    assert (sums.contradiction is None) == (20 not in totals)


@pytest.mark.parametrize("total", [6, 8, 9, 10, None])
def test_different_values_of_one_group(total):
    rule = DifferentSum("sum", [np.arange(3)], [total], (1, 2, 3, 5), "a")
    check(rule, (1, 4), range(6), ("apart", "sets"))


def test_crosswords():
    rng = np.random.default_rng(1)
    for shape in ((2, 2), (2, 9), (5, 4), (9, 9), (9, 12)):
        white = crossword(shape, rng, 9)
        assert (white == white[::-1, ::-1]).all()
        lengths = [len(run) for several in runs_of(white) for run in several]
        assert min(lengths) > 1
        assert max(lengths) < 10
        assert not [*Connected("white", 1).broken(white.astype(int))]
    with pytest.raises(SolverFailed, match="no layout of 2 x 20 with runs up to 9"):
        crossword((2, 20), rng, 9)


def test_lines_that_differ():
    check(DifferentLines("unique", np.arange(9).reshape(3, 3), "row"), (3, 3), (0, 1), ("apart",))


def test_pieces_that_are_drawn_have_no_holes():
    rng = np.random.default_rng(1)
    outside, inside = Connected("o", 0, outside=True), Connected("i", 1)
    for _ in range(30):
        piece = grown_piece((6, 5), rng)
        for _ in range(5):
            piece = changed_piece(piece, np.arange(30), rng)
            assert not [*outside.broken(piece), *inside.broken(piece)]


def test_random_models_joined_and_substituted_keep_their_solutions():
    rng = np.random.default_rng(1)
    for _ in range(40):
        b = ModelBuilder()
        x = [b.choice(f"x{i}", range(int(rng.integers(2, 4)))) for i in range(4)]
        y = b.bit("y")
        chosen = [handle.literals[0] for handle in x]
        b.rows("defined").add([y.literals[1], chosen[0], chosen[1]], [1, -1, -1], lower=0, upper=0)
        n = b.n_literals
        for _ in range(3):
            row = rng.integers(-1, 2, n)
            b.rows("row").add(np.flatnonzero(row), row[row != 0], upper=int(rng.integers(0, 3)))
        model = b.build()
        counts = [
            len(solve(m, "sat", solutions=None, seed=1).answers)
            for m in (
                model,
                joined(model, [np.array([0, 2]), np.array([1, 4])], "j"),
                substituted(model, np.array([4])),
            )
        ]
        assert len({*counts}) == 1, counts


def test_what_cannot_be_joined_is_refused():
    b = ModelBuilder()
    x = [b.choice(f"x{i}", range(10)) for i in range(7)]
    with pytest.raises(TooLarge, match="7 choices can be too much together"):
        joined(b.build(), [np.arange(7)], "x")
    with pytest.raises(ModelError, match="two values that no row defines"):
        substituted(b.build(), np.array([0]))
    b.precedence("before", x[:1], x[1:2], 0)
    with pytest.raises(ModelError, match="cannot be joined"):
        joined(b.build(), [np.arange(2)], "x")


@pytest.mark.parametrize(
    ("shape", "letters"), [((1, 4), (1, 2)), ((2, 3), (1, 3)), ((2, 2), (1, 2))]
)
def test_each_value_once_among_others(shape, letters):
    rows = [*np.arange(shape[0] * shape[1]).reshape(shape)]
    check(Different("row", rows, letters, every=True), shape, range(4))


@pytest.mark.parametrize("form", ["rows", "places", "switched"])
@pytest.mark.parametrize(("size", "letters"), [(2, (1, 2)), (3, (1, 2)), (3, (2,))])
def test_the_value_that_is_seen_first(size, letters, form):
    """From three ends of lines with each value once; a switch that is off says nothing."""
    shape, rng = (size, size), np.random.default_rng(1)
    cells = np.arange(size * size).reshape(shape)
    once = Different("line", [*cells, *cells.T], letters, every=True)
    ends = [
        (line, (side, i))
        for side, lines in lines_from(cells).items()
        for i, line in enumerate(lines)
    ]
    every = right_grids(once, shape, range(3))
    for _ in range(6):
        chosen = [ends[i] for i in rng.permutation(len(ends))[:3]]
        views = [(line, int(rng.choice(letters)), tag) for line, tag in chosen]
        rule = FirstSeen("seen", views, letters, by_place=form == "places")
        grids = [np.frombuffer(grid, dtype=np.int64).reshape(shape) for grid in every]
        right = {grid.tobytes() for grid in grids if not [*rule.broken(grid)]}
        model_cells = Cells(shape, range(3), switched=form == "switched")
        for each in (once, rule):
            model_cells.add(each)
        off = grids_of(model_cells.build()) if form == "switched" else every
        for switch in model_cells.switches.values():
            model_cells.builder.at_least_one("on", [[switch]])
        assert grids_of(model_cells.build()) == right
        assert off == every


def test_a_puzzle_in_one_file_has_150_lines_at_most():
    for kind in IN_ONE_FILE:
        lines = Path(inspect.getfile(kind)).read_text().splitlines()
        assert len(lines) <= 150, f"{kind.name}: {len(lines)}"


def test_the_page_of_the_puzzles_in_one_file_is_current():
    page = [sys.executable, Path(__file__).parents[2] / "docs/kinds.py", "--check"]
    done = subprocess.run(page, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_puzzle_that_the_page_of_the_vocabulary_shows():
    text = (Path(__file__).parents[2] / "docs/vocabulary.md").read_text()
    code = text.partition("```python\n")[2].partition("```")[0]
    place = {"__name__": "shown"}
    exec(code, place)  # noqa: S102 - it is ours
    binary = place["Binary"](grid=["0...", "....", "..1.", "...."])
    result = solve(binary, "annealer", seed=1)
    assert result.valid
    assert (result.grid.sum(axis=0) == 2).all()


def test_views_of_many_heights():
    heights = (np.arange(9)[:, None] + np.arange(9)) % 9 + 1
    around = {side: [*map(seen, lines)] for side, lines in lines_from(heights).items()}
    puzzle = Skyscrapers(grid=np.zeros((9, 9), dtype=int), **around)
    result = solve(puzzle, "annealer", seed=1)
    assert result.valid
    model = puzzle.model()
    x = model.assignment(model.field.write(heights))
    assert violation(model, x) == 0
    assert (model.field.read(x)[0] == heights).all()
    with pytest.raises(TooLarge, match="lines of 17 heights; at most 16"):
        Skyscrapers(grid=np.zeros((17, 17), dtype=int), top=[1] * 17).model()
