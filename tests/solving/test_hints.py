"""Hints: what follows from marks, and why."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qubopuzzle import ModelBuilder, Nonogram, generate
from qubopuzzle.errors import InputError
from qubopuzzle.model.propagator import FIXED_POINT
from qubopuzzle.puzzles import get_puzzle, puzzle_names
from qubopuzzle.solving import hints
from qubopuzzle.solving.hints import hint

EXAMPLES = [example for name in puzzle_names() for example in get_puzzle(name).examples()[:2]]


@pytest.mark.parametrize("puzzle", EXAMPLES, ids=lambda puzzle: puzzle.id)
def test_hint_after_hint_leads_to_the_solution(puzzle):
    bits = puzzle.picture().paths is not None
    marks = {}
    for _ in range(puzzle.cells):
        found = hint(puzzle, marks, bits=bits)
        if found is None:
            return  # here propagation does not decide it
        assert found.cell not in marks
        assert found.value == puzzle.solution[found.cell]
        assert set(found.because) <= set(marks)
        assert found.rules
        marks[found.cell] = found.value
    assert hint(puzzle, marks, bits=bits) is None


@pytest.mark.parametrize("name", ["hashi", "masyu", "numberlink", "yajilin", "zip"])
def test_lines_that_are_drawn_may_be_some_of_them(name):
    for puzzle in get_puzzle(name).examples():
        rng, base = np.random.default_rng(1), puzzle.edges.most + 1
        shown = np.zeros(puzzle.shape, dtype=np.int64)
        for factor in sorted({*puzzle.edges.factors} - {0}):
            lines = puzzle.solution // factor % base
            shown += factor * np.minimum(lines, rng.integers(0, base, puzzle.shape))
        marks = {cell: value for cell, value in np.ndenumerate(shown) if value}
        found = hint(puzzle, marks, bits=True)
        if found is not None:
            assert found.value == puzzle.solution[found.cell] != shown[found.cell]


def test_more_bridges_than_an_island_has_contradict_each_other():
    puzzle = get_puzzle("hashi")(grid=[[3, 0, 2], [1, 0, 0]])
    assert hint(puzzle, {(0, 0): 1, (0, 1): 1}, bits=True).value == 5
    assert hint(puzzle, {(0, 0): 5, (0, 1): 2}, bits=True) is None
    assert hint(puzzle, {(0, 0): 6}, bits=True).cell is None


def test_numbers_of_a_loop_are_no_answers():
    """Which a slitherlink has in cells that are inside or outside."""
    puzzle = get_puzzle("slitherlink")(grid=["4"])
    assert hint(puzzle, {}).cell == (0, 0)


@pytest.mark.parametrize("name", ["nonogram", "sudoku", "kurodoko"])
def test_no_constraint_of_a_hint_can_be_left_out(name):
    puzzle = get_puzzle(name).examples()[0]
    rng = np.random.default_rng(1)
    for _ in range(5):
        some = rng.random(puzzle.shape) < 0.4
        marks = {cell: int(puzzle.solution[cell]) for cell in zip(*np.nonzero(some), strict=True)}
        deduction = hints._Deduction(puzzle, marks, bits=False)
        broken, domains = deduction.run(deduction.all_on)
        assert broken == FIXED_POINT
        cell, _ = deduction.first_decided(domains)
        needed = deduction.needed(lambda on, d=deduction, c=cell: d.decides(on, c))
        on = np.zeros_like(deduction.all_on)
        on[needed] = True
        assert deduction.decides(on, cell)
        for number in needed:
            on[number] = False
            assert not deduction.decides(on, cell)
            on[number] = True


@given(
    st.lists(st.lists(st.integers(0, 1), min_size=3, max_size=3), min_size=2, max_size=3), st.data()
)
def test_contradictions_are_proofs_and_hints_follow(picture, data):
    """Against all paintings of small boards."""
    puzzle = Nonogram.from_picture(np.array(picture))
    cells = list(np.ndindex(puzzle.shape))
    marks = data.draw(st.dictionaries(st.sampled_from(cells), st.integers(0, 1), max_size=4))
    paintings = (
        np.array(values).reshape(puzzle.shape) for values in product((0, 1), repeat=len(cells))
    )
    fitting = [
        painting
        for painting in paintings
        if all(painting[cell] == value for cell, value in marks.items())
        and not puzzle.violations(painting)
    ]
    found = hint(puzzle, marks)
    if found is not None and found.cell is None:
        assert fitting == []
        assert found.because
    elif found is not None:
        assert all(painting[found.cell] == found.value for painting in fitting)


def test_what_is_written_on_the_board_is_no_hint():
    for name in ("sudoku", "easyasabc"):
        for puzzle in get_puzzle(name).examples():
            found = hint(puzzle, {})
            assert found is None or found.cell not in puzzle.picture().given


def test_marks_that_contradict_each_other_are_named():
    puzzle = get_puzzle("sudoku").examples()[0]
    marks = {(0, 0): 5, (0, 1): 5, (8, 8): 3}
    found = hint(puzzle, marks)
    assert found.cell is None
    assert found.rules == ("row[0] digit 5",)
    assert set(found.because) == {(0, 0), (0, 1)}


def test_a_large_board_is_no_wait():
    [puzzle] = generate("nonogram", size=(25, 25), seed=1)
    assert hint(puzzle, {}).cell is not None


@pytest.mark.parametrize("marks", [{(9, 9): 1}, {(0, 0): 2}, {(0, 0): -1}, {(0,): 1}])
def test_marks_of_another_board_are_refused(marks):
    with pytest.raises(InputError, match="no mark of this board"):
        hint(get_puzzle("nonogram").examples()[0], marks)


def test_a_model_has_no_hints():
    from qubopuzzle.problem import ModelProblem

    b = ModelBuilder()
    b.bit("a")
    with pytest.raises(InputError, match="no board"):
        hint(ModelProblem(b.build()), {})
