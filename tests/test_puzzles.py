"""What holds for every puzzle, asked of all of them by name."""

import json
from contextlib import suppress
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from boards import NAMES
from qubopuzzle import (
    InputError,
    decode,
    hint,
    info,
    propagate,
    solve,
    to_amplify,
    to_bqm,
    to_cnf,
    to_mip,
    violation,
)
from qubopuzzle.errors import PuzzleError, QubopuzzleError, Unsatisfiable
from qubopuzzle.files.puzzles import formats_for, read_text, write_text
from qubopuzzle.puzzles import _ALIASES, _NAMES, get_puzzle, puzzle_name, puzzle_names
from qubopuzzle.solvers import get_solver
from qubopuzzle.web.work import check, from_one

LOCAL = ("annealer", "tempering", "neal", "cpsat-ls", "localmip")
EXACT = ("sat", "cpsat", "mip", "clingo")


@cache
def examples(name):
    return tuple(get_puzzle(name).examples())


@cache
def smallest(name):
    return min(examples(name), key=lambda p: p.shape[0] * p.shape[1])


def formulations(puzzle):
    """Those that this instance has, with their models."""
    for name in puzzle.formulations:
        try:
            yield name, puzzle.model(name)
        except InputError as error:
            assert "is for puzzles" in str(error)


def test_all_puzzles_are_found():
    assert set(NAMES) <= set(puzzle_names())  # other packages may bring more


@pytest.mark.parametrize("name", NAMES)
def test_examples_are_different_and_solved(name):
    found = examples(name)
    assert len(found) >= 2
    assert len({puzzle.id for puzzle in found}) == len(found)
    for puzzle in found:
        assert puzzle.id
        assert puzzle.solution is not None
        assert not puzzle.violations(puzzle.solution)
        result = solve(puzzle, "sat", solutions=2)
        assert result.unique
        assert puzzle.n_solutions == 1
        assert (result.grid == puzzle.solution).all()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("solver", LOCAL + EXACT)
def test_every_solver_takes_every_puzzle(name, solver):
    if not get_solver(solver).available().ok:
        pytest.skip(f"{solver} is not installed")
    result = solve(smallest(name), solver, seed=1, time_limit=30)
    assert result.valid
    assert result.energy == 0


@pytest.mark.parametrize("name", NAMES)
def test_the_solution_has_energy_0_in_every_formulation(name):
    for puzzle in examples(name):
        for formulation, model in formulations(puzzle):
            x = model.assignment(model.field.write(puzzle.solution))
            grid, broken = model.field.read(x)
            assert violation(model, x) == 0, formulation
            assert (grid == puzzle.solution).all()
            assert not len(broken)
            reduced = propagate(model)
            assert reduced.contradiction is None


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("encoding", ["one-hot", "domain-wall"])
def test_the_bqm_leads_back_to_the_solution(name, encoding):
    from qubopuzzle.compile import compile_qubo

    puzzle = smallest(name)
    for formulation, model in formulations(puzzle):
        if model.graphs:
            with pytest.raises(QubopuzzleError, match="has no form for"):
                to_bqm(puzzle, formulation=formulation)
            continue
        bqm = to_bqm(puzzle, formulation=formulation, encoding=encoding)
        x = model.assignment(model.field.write(puzzle.solution))
        bits = compile_qubo(model, encoding).encode(x)
        assert bqm.energy(dict(zip(bqm.variables, bits.tolist(), strict=True))) == 0
        judged = decode(puzzle, bits, formulation=formulation, encoding=encoding)
        answer, broken = judged.grid, judged.violations
        assert not broken
        assert (answer == puzzle.solution).all()


@pytest.mark.parametrize("name", NAMES)
def test_the_amplify_model_accepts_the_solution(name):
    pytest.importorskip("amplify")
    from qubopuzzle.compile import compile_qubo

    puzzle = smallest(name)
    ours = compile_qubo(puzzle.model(), "one-hot")
    x = ours.source.assignment(puzzle.model().field.write(puzzle.solution))
    bits = ours.encode(x)
    built = to_amplify(puzzle, mode="objective")
    column = {next(iter(v.variables)).id: i for i, v in enumerate(built.variables)}
    terms = built.model.objective.as_dict().items()
    assert sum(q * bits[[column[i] for i in ids]].prod() for ids, q in terms) == 0
    native = to_amplify(puzzle).model.constraints
    assert {c.label.split()[0].split("[")[0] for c in native} <= set(ours.parts)
    assert len(native) > 0


@pytest.mark.parametrize("name", NAMES)
def test_files_for_other_solvers(name):
    puzzle = smallest(name)
    assert to_cnf(puzzle).to_dimacs().startswith(("p cnf", "c "))
    assert "Subject To" in to_mip(puzzle).to_lp()
    assert "ENDATA" in to_mip(puzzle).to_mps()


@pytest.mark.parametrize("name", NAMES)
def test_json_round_trip(name):
    for puzzle in examples(name):
        text = json.dumps(puzzle.to_dict())
        again = type(puzzle).from_dict(json.loads(text))
        assert again == puzzle
        assert json.dumps(again.to_dict()) == text
        assert (again.solution == puzzle.solution).all()
        assert (again.parse_answer(puzzle.format_answer(puzzle.solution)) == puzzle.solution).all()


@pytest.mark.parametrize("name", NAMES)
def test_unknown_keys_are_refused_and_notes_are_not(name):
    (puzzle, *_) = examples(name)
    data = puzzle.to_dict()
    assert type(puzzle).from_dict({**data, "comment": "mine", "title": None}) == puzzle
    with pytest.raises(PuzzleError, match="soluton: unknown key; did you mean solution"):
        type(puzzle).from_dict({**data, "soluton": 1})
    with pytest.raises(PuzzleError, match=f"wxyz: unknown key; a {name} has .*, n_solutions"):
        type(puzzle).from_dict({**data, "wxyz": 1})


@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_cell_is_seen_and_marked(name):
    puzzle = smallest(name)
    values = np.unique(puzzle.solution)
    for r, c in np.argwhere(np.ones(puzzle.shape)).tolist():
        wrong = puzzle.solution.copy()
        wrong[r, c] = next(v for v in values.tolist() if v != wrong[r, c])
        broken = puzzle.violations(wrong)
        assert broken, (r, c)
        cells = [cell for violation in broken for cell in violation.cells]
        assert all(0 <= i < puzzle.shape[0] and 0 <= j < puzzle.shape[1] for i, j in cells)
        assert all("\n" not in violation.message for violation in broken)
        assert all(json.dumps(violation.to_dict()) for violation in broken)
        with pytest.raises(InputError, match="solution: "):
            replace(puzzle, solution=wrong)
        picture = puzzle.picture(wrong, cells)
        assert picture.broken == frozenset(cells)
        assert "\x1b[31m" in picture.text(color=True)
        assert picture.text(ascii_only=True).isascii()


@pytest.mark.parametrize("name", NAMES)
def test_answers_of_another_shape_or_value_are_refused(name):
    puzzle = smallest(name)
    with pytest.raises(InputError):
        puzzle.violations(puzzle.solution[:, :-1])
    with pytest.raises(InputError):
        puzzle.violations(puzzle.solution + 1_000)
    with pytest.raises(InputError):
        puzzle.violations(puzzle.solution - 1_000)


@pytest.mark.parametrize("name", NAMES)
def test_pictures_of_all_states(name):
    puzzle = smallest(name)
    for picture in (puzzle.picture(), puzzle.picture(puzzle.solution)):
        assert picture.image("svg").startswith(b"<?xml")
        assert picture.text()
    assert puzzle.picture().text() != puzzle.picture(puzzle.solution).text()


@pytest.mark.parametrize("name", NAMES)
def test_the_formulation_without_a_name(name):
    puzzle = smallest(name)
    assert puzzle.default_formulation in puzzle.formulations
    default = puzzle.model()
    assert not default.graphs
    assert not default.omitted
    assert not default.restricted
    for cuts in (True, False):
        proving = puzzle.model(puzzle.formulation_for(cuts=cuts))
        assert not proving.omitted
        assert not proving.restricted
    assert not puzzle.model(puzzle.formulation_for(cuts=False)).graphs


@pytest.mark.parametrize(
    ("other", "name"),
    [
        ("heyawacky", "heyawake"),
        ("kuromasu", "kurodoko"),
        ("Picross", "nonogram"),
        ("paint-by-numbers", "nonogram"),
        ("numlin", "numberlink"),
        ("flow free", "numberlink"),
        ("singles", "hitori"),
        ("solo", "sudoku"),
        ("Easy as ABC", "easyasabc"),
        ("ABC End View", "easyasabc"),
    ],
)
def test_other_names_of_puzzles(other, name):
    assert puzzle_name(other) == name
    assert get_puzzle(other) is get_puzzle(name)


def test_other_names_are_names_of_puzzles():
    assert {*_ALIASES} == {*NAMES}
    assert not _NAMES.keys() & {*NAMES}
    with pytest.raises(InputError, match="unknown puzzle 'kuromaso'; did you mean kuromasu"):
        puzzle_name("kuromaso")


WIDE = {"rows": [[1, 1], []], "cols": [[1], [1]]}
IMPOSSIBLE = [
    ("nonogram", {"rows": [[2], [1]], "cols": [[1], [1]]}, "the rows add up to 3 black cells but "),
    ("nonogram", WIDE, "clue 1 1 of rows[0] needs 3 cells, the line has 2"),
    ("nonogram", {"rows": [[1] * 500], "cols": [[1]]}, "clue 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 "),
    (
        "heyawake",
        {"rooms": [[0, 0], [1, 1]], "clues": [3, 1]},
        "room 0 has 2 cells, and its ",
    ),
    ("kurodoko", {"grid": [[None, 3]]}, "grid[0][1] is 3, and no cell sees more than 2"),
    ("easyasabc", {"size": 2, "letters": 3}, "3 letters do not fit a line of 2 cells"),
    ("numberlink", {"grid": [[1, 1, 1]]}, "number 1 stands in the grid 3 times, not twice"),
    ("numberlink", {"grid": [[7, 1, 1]]}, "number 7 stands in the grid once, not twice"),
    ("numberlink", {"grid": [[2, 2, 2, 2]]}, "number 2 stands in the grid 4 times, not twice"),
]
"""Instances that no board can answer, and why."""


@pytest.mark.parametrize(("name", "data", "why"), IMPOSSIBLE)
def test_clues_that_no_board_can_have_are_an_instance_without_a_solution(name, data, why):
    puzzle = get_puzzle(name).from_dict(data)
    assert puzzle.contradiction.startswith(why)
    assert get_puzzle(name).from_dict(puzzle.to_dict()) == puzzle
    assert puzzle.picture().text()
    for solver in ("annealer", "sat", "random"):
        result = solve(puzzle, solver, weights={"anything": 2})
        assert (result.status, result.complete, result.answers) == ("infeasible", True, ())
        assert result.verdict == f"no solution, because {puzzle.contradiction}"
        assert result.to_dict()["proved_by"] == f"clues: {puzzle.contradiction}"
    for form in puzzle.formulations:
        with pytest.raises(Unsatisfiable, match="no solution, because "):
            puzzle.model(form)
    assert all(size.refused.endswith(puzzle.contradiction) for size in info(puzzle))
    assert hint(puzzle, {}).rules == (puzzle.contradiction,)
    for to in formats_for(name):  # a form that has no place for such clues says so
        with suppress(InputError):
            assert read_text(write_text([puzzle], to), puzzle=name)[0].contradiction
    answer = np.zeros(puzzle.shape, dtype=int)
    _, found = puzzle.check(answer)
    assert found[0].message == f"no answer can be right: {puzzle.contradiction}"
    assert puzzle.violations(answer)
    marks = check({**data, "puzzle": name}, [])
    assert [*marks["messages"]] == [from_one(f"no answer can be right: {puzzle.contradiction}")]
    with pytest.raises(InputError, match="has no formulation"):
        solve(puzzle, formulation="nonsense")


def test_two_paths_of_one_number_are_no_answer():
    """Each end has one neighbour and each path one number, and yet it is none."""
    kind = get_puzzle("numberlink")
    puzzle = kind(grid=[[1, 1, 1, 1]])
    assert [v.rule for v in puzzle.violations(np.array([[1, 4, 1, 4]]))] == ["number"]
    with pytest.raises(InputError, match="solution: number 1 stands in the grid 4 times"):
        kind(grid=[[1, 1, 1, 1]], solution=np.array([[1, 4, 1, 4]]))


@pytest.mark.parametrize("solver", ["annealer", "sat"])
def test_a_numberlink_without_numbers_is_a_board_like_any_other(solver):
    empty = get_puzzle("numberlink")(grid=[[0, 0], [0, 0]])
    assert solve(empty, solver, seed=1).status == "infeasible"
    assert solve(replace(empty, cover=False), solver, seed=1).valid
