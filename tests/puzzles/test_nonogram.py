"""The nonogram: rules, formulations against the rules, decoder, hostile clues."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amplify_tutorial import free_variables, tutorial_model, tutorial_polynomial
from qubopuzzle import InputError, Nonogram
from qubopuzzle.compile import ENCODINGS, compile_qubo
from qubopuzzle.errors import PuzzleError, TooLarge
from qubopuzzle.model import propagate, violation
from qubopuzzle.testing import met_grids, right_grids, zero_energy_grids
from strategies import nonograms

FORMULATIONS = list(Nonogram.formulations)
A = Nonogram.examples()[0]


def decode(model, x):
    """The picture as bytes, or None where the two views of the field disagree."""
    grid, broken = model.field.read(x)
    return None if len(broken) else grid.tobytes()


COLOURED = st.sampled_from((".#a", ".ab", ".abc")).flatmap(
    lambda signs: nonograms(max_rows=2, max_cols=3, signs=signs)
)
BLACK_OR_COLOURED = nonograms(max_rows=3, max_cols=3) | COLOURED


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("formulation", FORMULATIONS)
@given(puzzle=BLACK_OR_COLOURED)
def test_zero_energy_exactly_where_the_rules_hold(formulation, encoding, puzzle):
    zero = zero_energy_grids(puzzle.model(formulation), encoding, most_bits=16)
    assert zero in (None, right_grids(puzzle))


@pytest.mark.slow
@pytest.mark.parametrize("signs", [".#", ".ab"])
def test_every_board_of_2_by_3(signs):
    pictures = (np.reshape(cells, (2, 3)) for cells in product(range(len(signs)), repeat=6))
    for puzzle in {Nonogram.from_picture(picture, signs=signs) for picture in pictures}:
        right = right_grids(puzzle)
        for formulation in FORMULATIONS:
            model = puzzle.model(formulation)
            for encoding in ENCODINGS:
                zero = zero_energy_grids(model, encoding, most_bits=18)
                # A numbering has up to 30 bits one-hot: beyond 18 all valid choices instead.
                assert (met_grids(model) if zero is None else zero) == right


@pytest.mark.parametrize("formulation", FORMULATIONS)
@given(puzzle=BLACK_OR_COLOURED)
def test_one_hot_energy_is_the_violation_for_any_bits(formulation, puzzle):
    model = puzzle.model(formulation)
    total = compile_qubo(model, "one-hot").total()
    x = np.random.default_rng(0).integers(0, 2, (30, model.n_literals))
    assert total.energies(x).tolist() == [violation(model, row) for row in x]


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 4**36 - 1), st.integers(2, 4))
def test_a_known_solution_has_energy_zero_in_every_form(rows, columns, number, values):
    digits = [number >> 2 * i & 3 for i in range(rows * columns)]
    grid = np.reshape(digits, (rows, columns)) % values
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
@given(puzzle=BLACK_OR_COLOURED)
def test_propagation_keeps_the_solutions(formulation, puzzle):
    found = propagate(puzzle.model(formulation))
    expected = right_grids(puzzle)
    if found.contradiction:
        assert not expected
        return
    zero = zero_energy_grids(found.model, "domain-wall", most_bits=14)
    assert zero in (None, expected)


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


def test_runs_of_different_colours_may_touch():
    puzzle = Nonogram(rows=["2a 1b 1b", "1"], cols=["1a 1", "1a", "1b", "", "1b"])
    assert puzzle.signs == ".#ab"
    assert puzzle.violations(np.array([[2, 2, 3, 0, 3], [1, 0, 0, 0, 0]])) == []
    (row, *columns) = puzzle.violations(np.array([[2, 0, 2, 3, 3], [1, 0, 0, 0, 0]]))
    assert row.message == "row[0] reads 1a 1a 2b, its clue is 2a 1b 1b"
    assert [c.message for c in columns][:1] == ["column[1] reads 0, its clue is 1a"]
    apart = Nonogram(rows=["1a 1a", "1"], cols=["1a 1", "1a"])
    assert apart.contradiction == "clue 1a 1a of rows[0] needs 3 cells, the line has 2"
    touching = Nonogram(rows=["1a 1", "1a"], cols=["2", "1a"])
    message = "the rows add up to 1 black cells but the cols to 2"
    assert touching.contradiction == message


def test_how_colours_are_written():
    puzzle = Nonogram(
        rows=[[[2, "a"], 1], "1#"], cols=["1a 1", "1a", [1]], colours={"a": "F00", "z": "#0000FF"}
    )
    assert puzzle.rows == (("2a", 1), (1,))
    assert dict(puzzle.colours) == {"#": "#000000", "a": "#ff0000", "z": "#0000ff"}
    assert puzzle.signs == ".#az"
    assert Nonogram.from_dict(puzzle.to_dict()) == puzzle
    answer = puzzle.parse_answer(["aa#", "#.."])
    assert answer.tolist() == [[2, 2, 1], [1, 0, 0]]
    assert puzzle.format_answer(answer) == ["aa#", "#.."]
    with pytest.raises(InputError, match=r"row\[0\] column\[2\] is 'b', expected"):
        puzzle.parse_answer(["aab", "#.."])
    black = Nonogram(rows=["2#"], cols=["1", "1"], colours={"#": "#000"})
    assert black == Nonogram(rows=[[2]], cols=[[1], [1]])
    assert "colours" not in black.to_dict()
    red = Nonogram(rows=[[2]], cols=[[1], [1]], colours={"#": "#f00", ".": "#00f"})
    assert red.to_dict()["colours"] == {".": "#0000ff", "#": "#ff0000"}
    assert red.signs == ".#"


@pytest.mark.parametrize(
    ("colours", "message"),
    [
        (3, "colours: expected colours by letter, got 3"),
        ("ab", "colours: expected colours by letter, got 'ab'"),
        ({"1": "#fff"}, "colours: expected a letter for each colour, got '1'"),
        ({3: "#fff"}, "colours: expected a letter for each colour, got 3"),
        ({"a": "red"}, r"colours\[a\]: expected a colour such as #ff0000, got 'red'"),
        ({"a": 5}, r"colours\[a\]: expected a colour such as #ff0000, got 5"),
    ],
)
def test_what_is_no_colour_is_refused(colours, message):
    with pytest.raises(PuzzleError, match=message):
        Nonogram(rows=["1a"], cols=["1a"], colours=colours)


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
        (["3ab"], [[1]], r"rows\[0\]\[0\]: expected a whole number from 0 to 1,000, got '3ab'"),
        ([[[3, "ab"]]], [[1]], r"rows\[0\]\[0\]: expected a whole number"),
        (["0a 1"], [[1]], r"rows\[0\]\[0\]: 0 is no length"),
        (["1001a"], [[1]], r"rows\[0\]\[0\]: expected a whole number from 0 to 1,000, got 1001"),
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
