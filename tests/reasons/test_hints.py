"""Hints: what follows from marks, and why."""

from itertools import chain, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qubopuzzle import ModelBuilder, Nonogram, generate, hint, load, steps
from qubopuzzle.compile.oracle import Oracle
from qubopuzzle.errors import InputError
from qubopuzzle.model import TRUE
from qubopuzzle.puzzles import get_puzzle, puzzle_names
from qubopuzzle.reasons.difficulty import Difficulty, measure

EXAMPLES = [example for name in puzzle_names() for example in get_puzzle(name).examples()[:2]]


def entails(oracle, statements, marks, cell, value):
    """Whether statements and marks leave a cell one value."""
    stated, columns = oracle.stated, oracle.columns

    def variable(cell, value):
        place = [*stated.values].index(value)
        return oracle.variable(int(stated.literals[cell[0] * columns + cell[1], place]))

    known = [variable(*mark) for mark in marks.items()]
    return oracle.solve(statements, [*known, -variable(cell, value)]) is None


@pytest.mark.parametrize("puzzle", EXAMPLES, ids=lambda puzzle: puzzle.id)
def test_steps_lead_to_the_solution_and_no_reason_can_be_left_out(puzzle):
    """And how wide the steps are is how difficult it is."""
    board, shown, widths = {}, [], []
    with Oracle(puzzle.stated_on_board()) as oracle:
        oracle.columns = puzzle.shape[1]
        every = range(len(oracle.stated.statements))
        given = {}
        for literal in [s.literal for s in oracle.stated.statements if s.is_clue and s.literal]:
            for cell, place in np.argwhere(oracle.stated.literals == literal):
                where = tuple(map(int, divmod(cell, puzzle.shape[1])))
                given[where] = int(oracle.stated.values[place])
        for step in steps(puzzle):
            assert step.cells
            assert step.text
            assert len({*step.statements}) == len(step.reasons)
            widths.append(len(step.reasons))
            marks = {cell: (board | given)[cell] for cell in step.because}
            for cell, value in step.cells.items():
                assert cell not in board
                assert puzzle.solution[cell] == value
                assert entails(oracle, step.statements, marks, cell, value)
                assert entails(oracle, every, given, cell, value)
            cell, value = next(iter(step.cells.items()))
            # What a chain needs may be left out by those who see further; tests of proofs show that
            # the chain needs it. Of larger boards it may take too long.
            assert step.is_minimal or step.chain or puzzle.cells > 16
            for number in step.statements if step.is_minimal else ():
                others = [each for each in step.statements if each != number]
                assert not entails(oracle, others, board | given, cell, value)
            for mark in marks if step.is_minimal else ():
                fewer = {each: marks[each] for each in marks if each != mark}
                assert not entails(oracle, step.statements, fewer, cell, value)
            board |= step.cells
            shown.append(step)
    answer = np.zeros(puzzle.shape, dtype=np.int64)
    for cell, place in np.argwhere(oracle.stated.literals == TRUE):
        answer.flat[cell] = oracle.stated.values[place]
    for cell, value in (given | board).items():
        answer[cell] = value
    assert puzzle.violations(answer) == []
    assert hint(puzzle, board) is None
    assert measure(puzzle) == Difficulty(max(widths, default=0), sum(widths), len(widths))


@pytest.mark.parametrize("name", ["hashi", "masyu", "numberlink", "yajilin", "zip"])
def test_lines_that_are_drawn_may_be_some_of_them(name):
    for puzzle in get_puzzle(name).examples():
        rng, base = np.random.default_rng(1), puzzle.edges.most + 1
        shown = np.zeros(puzzle.shape, dtype=np.int64)
        for factor in sorted({*puzzle.edges.factors} - {0}):
            lines = puzzle.solution // factor % base
            shown += factor * np.minimum(lines, rng.integers(0, base, puzzle.shape))
        marks = {cell: value for cell, value in np.ndenumerate(shown) if value}
        step = hint(puzzle, marks, bits=True)
        assert step.cells
        for cell, value in step.cells.items():
            assert value == puzzle.solution[cell] != shown[cell]


def test_more_bridges_than_an_island_has_contradict_each_other():
    puzzle = get_puzzle("hashi")(grid=[[3, 0, 2], [1, 0, 0]])
    assert hint(puzzle, {(0, 0): 1, (0, 1): 1}, bits=True).value == 5
    assert hint(puzzle, {(0, 0): 5, (0, 1): 2}, bits=True) is None
    assert hint(puzzle, {(0, 0): 6}, bits=True).cell is None


def test_numbers_of_a_loop_are_no_answers():
    """Which a slitherlink has in cells that are inside or outside."""
    puzzle = get_puzzle("slitherlink")(grid=["4"])
    assert hint(puzzle, {}).cell == (0, 0)


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
    step = hint(puzzle, marks)
    open_cells = [cell for cell in cells if cell not in marks]
    same = [cell for cell in open_cells if len({int(each[cell]) for each in fitting}) == 1]
    if not fitting:
        assert step.cell is None
        assert step.because or step.reasons
    elif not same:
        assert step is None if not open_cells else not step.cells
    else:
        assert {*step.cells} <= {*same}
        for cell, value in step.cells.items():
            assert all(painting[cell] == value for painting in fitting)


def test_what_is_written_on_the_board_is_no_hint():
    for name in ("sudoku", "easyasabc"):
        for puzzle in get_puzzle(name).examples():
            assert not {*hint(puzzle, {}).cells} & puzzle.picture().given


def test_marks_that_contradict_each_other_are_named():
    puzzle = get_puzzle("sudoku").examples()[0]
    step = hint(puzzle, {(0, 0): 5, (0, 1): 5, (8, 8): 3})
    assert step.cell is None
    assert len(step.reasons) == 1
    assert {*step.because} == {(0, 0), (0, 1)}


def test_a_mark_that_no_solution_has_is_named():
    puzzle = get_puzzle("akari")(grid=["#1", ".."])
    step = hint(puzzle, {(0, 0): 1})
    assert step.because == ((0, 0),)
    assert "row 1, column 1" in step.text


def test_several_reasons_are_lines():
    several = 0
    examples = [*get_puzzle("numberlink").examples(), *get_puzzle("zip").examples()]
    for step in chain.from_iterable(map(steps, examples)):
        claim, *lines = step.text.split("\n")
        if step.chain[1:]:
            assert claim in (f"{step.claim}:", f"{step.claim}, as otherwise:")
            assert lines == [f"- {link}" for link in step.chain]
            assert ("a contradiction: " in step.chain[-1]) == claim.endswith("as otherwise:")
        elif step.chain:
            assert not lines
            assert claim.startswith(step.claim)
            assert claim.endswith(step.chain[0])
        elif lines:
            assert claim == f"{step.claim}:"
            assert all(line.startswith("- ") for line in lines)
            assert len(lines) <= step.width + 1  # and the marks of a rule that holds everywhere
            several += 1
            assert {f"- {reason}" for reason in step.reasons} <= {*lines}
        else:
            assert step.text.startswith(f"{step.claim}: {step.reasons[0]}")
    assert several


def test_several_solutions_end_the_steps():
    puzzle = get_puzzle("sudoku")("1000000000000000")
    (step,) = steps(puzzle)
    assert not step.cells
    assert "several solutions" in step.text
    assert hint(puzzle, {}) == step


def test_clues_that_contradict_each_other_are_the_only_step():
    puzzle = get_puzzle("sudoku")("1100000000000000")
    (step,) = steps(puzzle)
    assert step.cell is None
    assert step.reasons


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


# Generated: the examples have none.
ZIP = {"grid": [".....", "2..6.", ".3...", ".154.", "....."], "down": [".-...", *["....."] * 3]}
LEMMAS = "kakuro/9/9/-fl7--cne8mhKp-hme3n9-LCmO-.-Dm9jme-8-9im5--gng6mcbp-fm.n.-hl.NdIaeaeg3fH"


@pytest.mark.parametrize("name", ["hashi", "kakuro", "masyu", "starbattle", "zip"])
def test_values_that_a_proof_takes_away_have_proofs_of_their_own(name):
    boards = [*get_puzzle(name).examples()]
    if name == "kakuro":
        boards += load(f"https://puzz.link/p?{LEMMAS}")
    if name == "zip":
        boards = [get_puzzle(name)(**ZIP)]
    every = [step.chain for puzzle in boards for step in steps(puzzle)]
    with_lemmas = [lines for lines in every if any(line.startswith("if ") for line in lines)]
    assert with_lemmas
    for *lines, last in with_lemmas:
        assert last.startswith("a contradiction: ")
        for line in lines:
            assert ("a contradiction: " in line.split(", and then ")[-1]) == line.startswith("if ")
