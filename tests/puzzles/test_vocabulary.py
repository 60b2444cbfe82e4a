"""Rules of the vocabulary by themselves: every form of the model against every small grid."""

import inspect
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from boards import IN_ONE_FILE
from qubopuzzle import ModelBuilder, solve
from qubopuzzle.errors import ModelError, TooLarge
from qubopuzzle.model import violation
from qubopuzzle.puzzles.vocabulary.cells import Cells
from qubopuzzle.puzzles.vocabulary.joined import joined, substituted
from qubopuzzle.puzzles.vocabulary.loops import SHAPES, Loop, drawn_loop
from qubopuzzle.puzzles.vocabulary.regions import (
    Connected,
    Islands,
    Uncut,
    changed_piece,
    grown_piece,
)
from qubopuzzle.puzzles.vocabulary.rules import DifferentLines

FORMS = ("apart", "joined", "cuts")


def model_of(rule, shape, values, form):
    """A model of one rule: a choice a cell, joined with what the rule adds, or by cuts."""
    allowed = np.ones((*shape, len(values)), dtype=bool)
    rule.narrow(allowed, values)
    ways = None if form == "cuts" else rule.ways(allowed)
    cells = Cells(shape, values, allowed, by_cuts=form == "cuts", ways=ways)
    cells.add(rule.constrain)
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
    return {grid.tobytes() for grid in grids if not [*rule.broken(grid)]}


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


@pytest.mark.parametrize("by_cuts", [False, True])
def test_shading_with_cells_that_are_known(by_cuts):
    rule, rng = Uncut(), np.random.default_rng(1)
    for _ in range(20):
        known = rng.integers(-2, 2, (3, 4))
        allowed = np.stack([known != 1, known != 0], axis=-1)
        ways = None if by_cuts else rule.ways(allowed)
        cells = Cells(known.shape, (0, 1), allowed, by_cuts=by_cuts, ways=ways)
        cells.add(rule.constrain)
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
    "grid",
    [[[1, 0, 0], [0, 0, 2]], [[-1, 0, 0], [0, 0, 0]], [[0, 0], [0, 3]], [[2, 0, 2]], [[0, 0]]],
)
def test_islands(grid):
    grid = np.array(grid)
    check(Islands("island", 0, grid), grid.shape, (0, 1), ("apart", "joined"))


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
