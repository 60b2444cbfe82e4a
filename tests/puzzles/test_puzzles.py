"""What holds for every puzzle, asked of all of them by name."""

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from boards import NAMES
from qubopuzzle import (
    InputError,
    hint,
    info,
    solve,
)
from qubopuzzle.base.places import from_one
from qubopuzzle.errors import Unsatisfiable
from qubopuzzle.files.puzzles import formats_for, read_text, write_text
from qubopuzzle.puzzles import get_puzzle, puzzle_name, puzzle_names
from qubopuzzle.web.work import check


def test_all_puzzles_are_found():
    assert set(NAMES) <= set(puzzle_names())  # other packages may bring more


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
    aliases = [alias for name in NAMES for alias in get_puzzle(name).aliases.split()]
    assert len({*aliases, *NAMES}) == len(aliases) + len(NAMES)  # each of one puzzle
    assert all(puzzle_name(alias) in NAMES for alias in aliases)
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
    assert hint(puzzle, {}).reasons == (puzzle.contradiction,)
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


@pytest.mark.parametrize(
    ("name", "one", "several"),
    [
        ("akari", "a bulb", "bulbs"),
        ("easyasabc", "A", "A"),
        ("hashi", "joined to the right", "joined to the right"),
        ("hitori", "black", "black"),
        ("masyu", "joined to the right", "joined to the right"),
        ("slitherlink", "inside the loop", "inside the loop"),
        ("starbattle", "a star", "stars"),
        ("sudoku", "1", "1"),
        ("takuzu", "1", "1"),
        ("yinyang", "black", "black"),
    ],
)
def test_a_value_in_a_sentence(name, one, several):
    puzzle = get_puzzle(name).examples()[0]
    assert puzzle.value_name(1) == one
    assert puzzle.value_name(1, several=True) == several


def test_values_in_other_words():
    assert get_puzzle("yajilin").examples()[0].value_name(16) == "black"
    name = get_puzzle("shikaku")(grid=[[2, None], [None, 2]]).value_name(1)
    assert name == "in the rectangle of the 2 in row 2, column 2"
    colours = {"a": "#ffee00", "b": "#0000ff"}
    nonogram = get_puzzle("nonogram").from_picture(["aa#", ".bb"], colours=colours)
    names = [nonogram.value_name(nonogram.signs.index(sign)) for sign in ".#ab"]
    assert names == ["white", "black", "of colour a", "of colour b"]
    assert get_puzzle("easyasabc").examples()[0].value_name(0) == "empty"
    assert get_puzzle("masyu").examples()[0].value_name(0) == "without a line"
