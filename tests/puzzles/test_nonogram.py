"""The nonogram: rules, formulations against the rules, decoder, hostile clues."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amplify_tutorial import free_variables, tutorial_model, tutorial_polynomial
from qubopuzzle import InputError, Nonogram
from qubopuzzle.compile import ENCODINGS, compile_qubo
from qubopuzzle.errors import PuzzleError, TooLarge
from qubopuzzle.model import propagate, violation
from qubopuzzle.testing import all_bits, zero_energy_grids
from strategies import nonograms, solutions

FORMULATIONS = list(Nonogram.formulations)
A = Nonogram.examples()[0]


def decode(model, x):
    """The picture as bytes, or None where the two views of the field disagree."""
    grid, broken = model.field.read(x)
    return None if len(broken) else grid.tobytes()


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("formulation", FORMULATIONS)
@given(puzzle=nonograms(max_rows=3, max_cols=3))
def test_zero_energy_exactly_where_the_rules_hold(formulation, encoding, puzzle):
    zero = zero_energy_grids(puzzle.model(formulation), encoding, most_bits=16)
    assert zero in (None, sorted(solutions(puzzle)))


@pytest.mark.slow
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_every_board_of_2_by_3(formulation):
    for cells in all_bits(6):
        puzzle = Nonogram.from_picture(cells.reshape(2, 3))
        model = puzzle.model(formulation)
        for encoding in ENCODINGS:
            zero = zero_energy_grids(model, encoding, most_bits=24)
            assert zero == sorted(solutions(puzzle))


@pytest.mark.parametrize("formulation", FORMULATIONS)
@given(puzzle=nonograms())
def test_one_hot_energy_is_the_violation_for_any_bits(formulation, puzzle):
    model = puzzle.model(formulation)
    total = compile_qubo(model, "one-hot").total()
    x = np.random.default_rng(0).integers(0, 2, (30, model.n_literals))
    assert total.energies(x).tolist() == [violation(model, row) for row in x]


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 2**36 - 1))
def test_a_known_solution_has_energy_zero_in_every_form(rows, columns, number):
    grid = (number >> np.arange(rows * columns) & 1).reshape(rows, columns)
    puzzle = Nonogram.from_picture(grid)
    for formulation in FORMULATIONS:
        model = puzzle.model(formulation)
        x = model.assignment(model.field.write(grid))
        assert decode(model, x) == grid.tobytes()
        assert violation(model, x) == 0
        for encoding in ENCODINGS:
            compiled = compile_qubo(model, encoding)
            assert compiled.total().energies(compiled.encode(x)[None]).tolist() == [0]


@pytest.mark.parametrize("formulation", FORMULATIONS)
@given(puzzle=nonograms())
def test_propagation_keeps_the_solutions(formulation, puzzle):
    found = propagate(puzzle.model(formulation))
    expected = solutions(puzzle)
    if found.contradiction:
        assert not expected
        return
    zero = zero_energy_grids(found.model, "domain-wall", most_bits=14)
    assert zero in (None, sorted(expected))


def test_the_tutorials_model():
    """60 variables and 272 terms, and the tutorial's energy on 1,000 random assignments."""
    model, arrays = tutorial_model(A.rows, A.cols)
    free = free_variables(arrays, A.rows, A.cols)
    theirs = tutorial_polynomial(model)
    ours = compile_qubo(A.model("numbering"), "one-hot")
    assert ours.n_bits == len(free) == len(theirs.variables) == 60
    assert ours.total().n_terms == len(theirs.as_dict()) == 272

    # The same polynomial, coefficient by coefficient, so the same energy everywhere ...
    column = {variable.id: i for i, variable in enumerate(free)}
    form = ours.total()
    rows, cols = form.couplings.nonzero()
    mine = {(): form.offset, **{(i,): c for i, c in enumerate(form.linear) if c}}
    mine |= {(i, j): form.couplings[i, j] for i, j in zip(rows, cols, strict=True)}
    assert {tuple(sorted(column[i] for i in ids)): c for ids, c in theirs.as_dict().items()} == mine

    # ... and, in the SDK's own arithmetic, on 1,000 random assignments.
    bits = np.random.default_rng(7).integers(0, 2, (1000, 60))
    expected = [float(theirs.substitute(dict(zip(free, b, strict=True)))) for b in bits.tolist()]
    assert form.energies(bits).tolist() == expected
    assert min(expected) > 0


def test_window_needs_fewer_variables():
    sizes = {f: compile_qubo(A.model(f)).n_bits for f in FORMULATIONS}
    assert sizes == {"window": 44, "numbering": 60, "pattern": 44}


def test_flipping_any_cell_of_a_solution_breaks_its_row_and_its_column():
    for r, c in np.ndindex(A.shape):
        wrong = A.solution.copy()
        wrong[r, c] ^= 1
        broken = A.violations(wrong)
        assert {(v.rule, v.cells[0]) for v in broken} == {("row", (r, 0)), ("column", (0, c))}
        assert all((r, c) in v.cells for v in broken)
    assert broken[0].message == "row[4] reads 1, its clue is 1 1"


def test_field_reconstruction_names_the_cells_that_disagree():
    model = A.model()
    x = model.assignment(model.field.write(A.solution))
    assert len(model.field.read(x)[1]) == 0
    start = model.first_literal[0]
    x[start : start + 5] = [1, 0, 0, 0, 0]  # the 1 of row 0 moves from column 2 to 0
    assert model.field.read(x)[1].tolist() == [[0, 0], [0, 2]]


def test_lines_that_are_empty_or_full():
    puzzle = Nonogram(rows=[[], [3]], cols=[[1], [1], [1]])
    for formulation in FORMULATIONS:
        model = puzzle.model(formulation)
        x = model.assignment(model.field.write(np.array([[0, 0, 0], [1, 1, 1]])))
        assert violation(model, x) == 0
    empty = Nonogram(rows=[[0]], cols=[[]])
    assert empty.rows == empty.cols == ((),)
    assert compile_qubo(empty.model()).n_bits == 0


@pytest.mark.parametrize(
    ("rows", "cols", "message"),
    [
        ([[-1]], [[1]], r"rows\[0\]\[0\]: expected a whole number from 0 to 1,000, got -1"),
        ([[1, 0]], [[1], [1]], r"rows\[0\]\[1\]: 0 is no length"),
        (
            [[10**400]],
            [[1]],
            r"rows\[0\]\[0\]: expected a whole number from 0 to 1,000, got a number of over 30",
        ),
        (
            [[-(10**400)]],
            [[1]],
            r"rows\[0\]\[0\]: expected a whole number from 0 to 1,000, got a number of over 30",
        ),
        ([["1"]], [[1]], r"rows\[0\]\[0\]: expected a whole number from 0 to 1,000, got '1'"),
        ([[1.0]], [[1]], r"rows\[0\]\[0\]: expected a whole number from 0 to 1,000, got 1.0"),
        ([[True]], [[1]], r"rows\[0\]\[0\]: expected a whole number from 0 to 1,000, got True"),
        ([[None]], [[1]], r"rows\[0\]\[0\]: expected a whole number from 0 to 1,000, got None"),
        ([1.0], [[1]], r"rows\[0\]: expected a list, got 1.0"),
        (["1 x"], [[1]], r"rows\[0\]\[1\]: expected a whole number from 0 to 1,000, got 'x'"),
        ("1;-1", [[1]], r"rows\[1\]\[0\]: expected a whole number from 0 to 1,000, got '-1'"),
        ("", [[1]], "rows: 0 lines; a nonogram here has 1 to 1000"),
        ({}, [[1]], "rows: expected a list of clues, got dict of 0"),
        ([], [[]], "rows: 0 lines"),
        ([[]] * 10**6, [[]], "rows: 1000000 lines; a nonogram here has 1 to 1000"),
    ],
)
def test_hostile_clues_are_refused_with_their_place(rows, cols, message):
    with pytest.raises(PuzzleError, match=message) as caught:
        Nonogram(rows=rows, cols=cols)
    assert len(str(caught.value)) < 200


def test_huge_models_are_refused_before_they_are_built():
    dense = Nonogram(rows=[[1] * 250] * 1000, cols=[[250]] * 1000)
    with pytest.raises(TooLarge, match="more than 20,000,000"):
        dense.model("numbering")
    with pytest.raises(TooLarge, match=r"rows\[0\] has .* paintings"):
        dense.model("pattern")


def test_unknown_formulation_is_refused():
    with pytest.raises(InputError, match="choose from window, numbering, pattern"):
        A.model("rows-only")


def test_from_picture_takes_lines_and_arrays():
    assert Nonogram.from_picture(["#.", "##"]) == Nonogram.from_picture(np.array([[1, 0], [1, 1]]))
    with pytest.raises(InputError, match="expected lines of"):
        Nonogram.from_picture(np.ones(3))
    with pytest.raises(InputError, match=r"row\[1\] has 1 cells, row\[0\] has 2"):
        Nonogram.from_picture(["##", "#"])
